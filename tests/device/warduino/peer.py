"""A stand-in for WARDuino's virtual machine that keeps to its documented debug protocol.

    python peer.py program.wasm [--no-socket | --socket PORT] [--paused] [--hex] [--cut] [--late] [--chatty]

--hex writes floats in hexadecimal; --cut sends byte by byte; --chatty puts output of the program between;
--deaf accepts no message; --wordy has words of its own for traps; --mute has none, and a call of its takes
the place of whatever was on its stacks.
Messages are taken apart here without the code under test.
"""

from __future__ import annotations

import json
import os
import select
import socket
import struct
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from likewise.device.values import KINDS, Number
from likewise.device.wasm.assembling import Assembled
from likewise.device.wasm.module import read
from likewise.device.wasm.stepping import Stepper, TooLong, Trapped

FLOATS = {"f32": "F32", "f64": "F64"}
TRAPS = {"integer divide by zero": "divide by zero"}
OWN_WORDS = {"integer divide by zero": "arithmetic: the divisor is nought"}


class Peer:
    """One virtual machine."""

    def __init__(self, program: bytes, flags: set[str]) -> None:
        self.flags = flags
        self.incoming, self.outgoing = 0, 1
        self.breakpoints: set[int] = set()
        self.runs = "--paused" not in flags
        self.events: list[dict[str, str]] = []
        self.left: list[str] | None = None
        """The frames that an invoke has left, where it takes the place of all others."""
        self.load(program)

    def load(self, program: bytes) -> None:
        self.bytes, self.left = program, None
        self.module = read(program)
        self.stepper = Stepper()
        self.instance = self.stepper.instantiate(Assembled(data=program, module=self.module), later(5))
        main = self.module.exports.get(("function", "main"))
        if main is not None:
            self.stepper.start(self.instance.func[main])

    def write(self, text: str) -> None:
        data = text.encode()
        pieces = [data[at : at + 1] for at in range(len(data))] if "--cut" in self.flags else [data]
        for piece in pieces:
            os.write(self.outgoing, piece)

    def serve(self) -> None:
        rest = b""
        while True:
            ready, _, _ = select.select([self.incoming], [], [], 0 if self.runs else None)
            if ready:
                data = os.read(self.incoming, 1024)
                if not data:
                    return
                *lines, rest = (rest + data).split(b"\n")
                for line in lines:
                    if "--deaf" not in self.flags and line:
                        self.handle(bytes.fromhex(line.decode()))
            if self.runs:
                self.run_slice()

    def run_slice(self) -> None:
        first = True

        def here(at: int, depth: int) -> bool:
            nonlocal first
            stop = not first and at in self.breakpoints
            first = False
            return stop

        try:
            stopped = self.stepper.proceed(here, later(0.005))
        except TooLong:
            return
        self.runs = False
        if stopped:
            self.write(f"AT {self.pc()}!\n")

    def pc(self) -> int:
        frames = self.stepper.frames()
        return frames[0].pc if frames else 0

    def handle(self, message: bytes) -> None:
        code, rest = message[0], message[1:]
        if "--chatty" in self.flags:
            self.write("the program says: 12 STEP by STEP")
            self.write(f"\nreceived interrupt {code:x}\n")
        self.write(f"Interrupt: {code:x}\n")
        handler = getattr(self, f"on_{code:02x}", None)
        if handler is None:
            self.write("COULD not parse interrupt data!\n")
        else:
            handler(rest)

    def on_01(self, rest: bytes) -> None:
        self.write("GO!\n")
        self.runs = True

    def on_02(self, rest: bytes) -> None:
        self.write("STOP!\n")
        os._exit(0)

    def on_03(self, rest: bytes) -> None:
        self.runs = False
        self.write("PAUSE!\n")

    def step(self, depth_limit: int | None = None) -> None:
        first = True

        def here(at: int, depth: int) -> bool:
            nonlocal first
            if first:
                first = False
                return False
            return depth_limit is None or depth <= depth_limit

        self.stepper.proceed(here, later(5))

    def on_04(self, rest: bytes) -> None:
        self.write("STEP!\n")
        self.step()

    def on_05(self, rest: bytes) -> None:
        if self.bytes[self.pc()] in (0x10, 0x11):
            self.step(len(self.stepper.frames()) + 1)
            self.write(f"AT {self.pc()}!\n")
        else:
            self.on_04(rest)

    def on_06(self, rest: bytes) -> None:
        (address,) = struct.unpack(">I", rest[:4])
        self.breakpoints.add(address)
        self.write(f"BP {address}!\n")

    def on_07(self, rest: bytes) -> None:
        (address,) = struct.unpack(">I", rest[:4])
        self.breakpoints.discard(address)
        self.write(f"BP {address}!\n")

    def on_08(self, rest: bytes) -> None:
        for _ in range(struct.unpack(">I", rest[:4])[0]):
            self.step()
        self.write("DONE!\n")

    def on_09(self, rest: bytes) -> None:
        count = struct.unpack(">H", rest[:2])[0]
        parts = [self.part(kind) for kind in rest[2 : 2 + count]]
        self.write("DUMP!\n{" + ",".join(parts) + "}\n")

    def part(self, kind: int) -> str:
        frames = list(reversed(self.stepper.frames()))
        match kind:
            case 1:
                return f'"pc":{self.pc()}'
            case 2:
                return f'"breakpoints":{json.dumps(sorted(self.breakpoints))}'
            case 3:
                return f'"callstack":[{",".join(self.frames())}]'
            case 6:
                memory = list(self.stepper.memory(self.instance.mems[0])) if self.instance.mems else []
                return f'"memory":{{"pages":1,"max":1,"init":1,"bytes":{json.dumps(memory)}}}'
            case 8:
                values = [value for frame in frames for value in frame.locals]
                return f'"stack":[{",".join(self.value(value, at) for at, value in enumerate(values))}]'
            case 9:
                return '"callbacks": []'
            case 10:
                return f'"events": {json.dumps(self.events)}'
            case _:
                return f'"part{kind}":[]'

    def frames(self) -> list[str]:
        if self.left is not None:
            return self.left
        found, sp, ra = [], -1, -1
        for frame in reversed(self.stepper.frames()):
            index = frame.function.index if frame.function else 0
            found.append(
                f'{{"type":0,"fidx":"0x{index:x}","sp":{sp},"fp":-1,"start":0,"ra":{ra},"callsite":{ra - 2}}}'
            )
            sp += len(frame.locals)
            ra = frame.pc
        return found

    def value(self, number: Number, at: int) -> str:
        name = number.kind.name
        if name in FLOATS:
            text = f'"{number.bits:x}"' if "--hex" in self.flags else f'"{number.bits}"'
        else:
            text = str(number.value)
        return f'{{"idx":{at},"type":"{FLOATS.get(name, name)}","value":{text}}}'

    def on_10(self, rest: bytes) -> None:
        self.runs = False
        frames = self.frames()
        stops = json.dumps(sorted(self.breakpoints))
        comma = "," if frames else ""  # as the real one: without a call stack it is not quite JSON
        self.write(f'{{"pc":{self.pc()}{comma}"breakpoints":{stops},"callstack":[{",".join(frames)}]}}\n\n')

    def on_11(self, rest: bytes) -> None:
        frames = self.stepper.frames()
        if not frames:
            os._exit(1)
        entries = [self.value(value, at) for at, value in enumerate(frames[0].locals)]
        self.write(f'{{"count":{len(entries)},"locals":[{",".join(entries)}]}}\n')

    def on_12(self, rest: bytes) -> None:
        self.runs = False
        locals_ = [frame.locals for frame in self.stepper.frames()[:1]]
        entries = [self.value(value, at) for values in locals_ for at, value in enumerate(values)]
        self.write(f'{{"pc":{self.pc()},"breakpoints":{json.dumps(sorted(self.breakpoints))},')
        self.write(f'"callstack":[{",".join(self.frames())}], ')
        self.write(f'"locals": {{"count":{len(entries)},"locals":[{",".join(entries)}]}}}}\n\n')

    def on_13(self, rest: bytes) -> None:
        self.load(self.bytes)
        self.write("Reset WARDuino.\n")

    def on_21(self, rest: bytes) -> None:
        index, rest = leb(rest)
        frame = self.stepper.frames()[0]
        number, _ = operand(rest, frame.locals[index].kind.name)
        self.stepper.set_local(index, number)
        self.write(f"CHANGE local!\nLocal {index} being changed\n")
        self.write(f"Local {index} changed to {number.bits & 0xFFFFFFFF}\n")

    def on_22(self, rest: bytes) -> None:
        length, data = leb(rest)
        self.load(data[:length])
        self.write("CHANGE Module!\n")

    def on_40(self, rest: bytes) -> None:
        index, rest = leb(rest)
        if index >= len(self.module.functions):
            return
        signature = self.module.functions[index].signature
        arguments = []
        for kind in signature.parameters:
            number, rest = operand(rest, kind)
            arguments.append(number)
        if "--late" in self.flags and self.module.functions[index].name == "slow":
            time.sleep(0.3)
        try:
            results = self.stepper.invoke(self.instance.func[index], arguments, later(3.0))
        except TooLong:
            return
        except Trapped as error:
            if "--mute" in self.flags:
                self.left = [f'{{"type":0,"fidx":"0x{index:x}","sp":-1,"fp":-1,"start":0,"ra":-1}}']
                self.write_stack(arguments)
                return
            wordings = OWN_WORDS if "--wordy" in self.flags else TRAPS
            self.write(wordings.get(error.what, error.what) + "\n")
            return
        self.left = [] if "--mute" in self.flags else None
        self.write_stack(results)

    def write_stack(self, values: Sequence[Number]) -> None:
        entries = [self.value(value, at) for at, value in enumerate(values)]
        self.write(f'{{"stack": [{",".join(reversed(entries))}]}}\n\n')

    def on_71(self, rest: bytes) -> None:
        self.write('{"events": []}\n')

    def on_72(self, rest: bytes) -> None:
        del self.events[:1]

    def on_73(self, rest: bytes) -> None:
        self.events.append(json.loads(rest.rstrip(b"\0")))
        self.write("new pushed event\n")

    def on_74(self, rest: bytes) -> None:
        self.write('{"callbacks": [{"interrupt_37": [2, 3]}]}\n')


def later(seconds: float) -> float:
    return time.monotonic() + seconds


def leb(data: bytes, *, is_signed: bool = False) -> tuple[int, bytes]:
    value = shift = 0
    for at, byte in enumerate(data):
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            if is_signed and byte & 64:
                value -= 1 << shift
            return value, data[at + 1 :]
    raise ValueError(data)


def operand(data: bytes, kind: str) -> tuple[Number, bytes]:
    if kind in FLOATS:
        size = KINDS[kind].size
        return KINDS[kind].from_bytes(data[:size]), data[size:]
    value, rest = leb(data, is_signed=True)
    return KINDS[kind].of(value & (1 << KINDS[kind].width) - 1), rest


def main() -> None:
    flags = set(sys.argv[2:])
    peer = Peer(Path(sys.argv[1]).read_bytes(), flags)
    if "--socket" in sys.argv:
        server = socket.create_server(("127.0.0.1", int(sys.argv[sys.argv.index("--socket") + 1])))
        connection, _ = server.accept()
        peer.incoming = peer.outgoing = connection.fileno()
    peer.serve()


if __name__ == "__main__":
    main()
