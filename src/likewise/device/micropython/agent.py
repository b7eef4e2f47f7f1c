"""What runs on the device: it takes batches of calls in compact frames and answers each call.

Every character costs time on a serial line, and compiling an expression costs more than calling a function,
so whole numbers travel packed. A frame is executed only if its checksum holds, and never twice: whoever asks
again with the same number gets the same answers. An interrupt ends a step, not the agent: to start it again,
the device would have to compile, for which it may no longer have room. An expression for which it has none is
answered with "m" and ends its batch: neither it nor what follows was executed. The source is kept small, for
16 KiB.
"""

SOURCE = """
import gc,struct,builtins
try:
 from microbit import uart
 _r=uart.read
 _w=uart.write
except ImportError:
 import sys
 _s=getattr(sys.stdin,"buffer",sys.stdin)
 def _r(n):
  return _s.read(n)
 def _w(b):
  sys.stdout.write(b)
_q=-1
_o=[]
def _R(n):
 b=_r(n) or b""
 while len(b)<n:
  b+=_r(n-len(b)) or b""
 return b
def _B(s):
 return bytes(s,"utf-8")
def _K(b):
 return "%05x"%(int.from_bytes(b,"little")%1048573)
def _V(v):
 t=type(v)
 if t is int:
  return str(v)
 if v is None:
  return ""
 if t is float:
  return "f"+"".join("%02x"%c for c in struct.pack(">d",v))
 return "r"+repr(v)
def _X(e):
 return "!"+repr(e)
def _P(v):
 _o.append(v)
 _w("\\x1e"+v+"\\x1f")
def _E(s):
 gc.collect()
 try:
  v=eval(b"lambda:("+s+b"\\n)")
 except MemoryError:
  _P("m")
  return 1
 except Exception as e:
  v=_X(e)
 if type(v) is not str:
  try:
   v=_V(v())
  except Exception as e:
   v=_X(e)
 _P(v)
def _C(n,k,p):
 z=0
 n=str(n,"utf-8")
 f=globals().get(n) or getattr(builtins,n,None)
 if f is None:
  z="!NameError(\\"name '"+n+"' is not defined\\",)"
 k=int(k)
 a=[]
 x=0
 u=1
 o=_o.append
 w=_w
 for c in p:
  if c>79:
   x+=(c-80)*u
   u*=47
  else:
   x+=(c-33)*u
   a.append(x>>1^-(x&1))
   x=0
   u=1
   if len(a)>=k:
    try:
     v=z or f(*a) if k else z or f()
     v=str(v) if type(v) is int else v if z else _V(v)
    except Exception as e:
     v=_X(e)
    o(v)
    w("\\x1e"+v+"\\x1f")
    a=[]
def _A():
 global _q
 while 1:
  try:
   c=_R(1)
   if c==b"\\x01":
    return
   if c!=b"~":
    continue
   h=_R(8)
   n=(h[1]-33)*47+h[2]-33
   m=b""
   while n>32:
    m+=_R(32)
    n-=32
    _w("\\x11")
   m+=_R(n)
   if _B(_K(h[:3]+m))!=h[3:]:
    _w("\\x15")
    continue
   _w("\\x06")
   if h[0]==_q:
    for v in _o:
     _w("\\x1e"+v+"\\x1f")
   else:
    _q=h[0]
    del _o[:]
    for l in m.split(b"\\n"):
     if l[0]==58:
      if _E(l[1:]):
       break
     else:
      _C(*l.split(b" ",2))
   _w("\\x1c"+_K(_B("\\x1f".join(_o)))+"\\x1d")
  except KeyboardInterrupt:
   _w("\\x18")
"""
START = "_A()"
