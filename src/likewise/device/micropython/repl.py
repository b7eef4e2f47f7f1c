"""MicroPython's raw REPL: source goes in, output comes back; what is lost is noticed and sent again."""

from __future__ import annotations

import ast
import contextlib
import time

from likewise.device.links import Deadline, Link
from likewise.device.micropython.packing import MODULUS, checksum
from likewise.device.testee import DeviceError, LimitReached

CHUNK = 32
"""Bytes written at once: devices lose characters in longer bursts."""
GAP = 0.002
"""Seconds between chunks, at first; doubled whenever something was lost."""
WIDEST_GAP = 0.05
ATTEMPTS = 8
INTERRUPT, REBOOT, RAW = b"\x03", b"\x04", b"\x01"
LOADER = """import gc
_x=""
def _Z():
 global _z,_x
 y=_z
 _z=b""
 gc.collect()
 if y:
  _x=""
  try:
   exec(y,globals())
  except Exception as e:
   _x=repr(e)
  y=0
  gc.collect()
 print("\\x02"+_x+"\\x03")
"""
BLOCK = 400
"""Bytes of source that are compiled together, where statements are no longer."""
PIECE = 192
"""Bytes of source that are sent and checked together."""


class SourceFailed(DeviceError):
    """Source that was run on the device raised."""

    slug = "source-failed"


class BlockFailed(SourceFailed):
    """It was the source itself that raised."""


def blocks(source: str) -> list[str]:
    """Source in parts that can be compiled one by one, since a device has little room to compile in."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return [source]  # the device says what is wrong with it
    lines = source.splitlines(keepends=True)
    starts = [min([each.lineno, *(one.lineno for one in _decorators(each))]) - 1 for each in tree.body]
    found: list[str] = []
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        text = "".join(lines[start:end])
        if found and (start == end or len(found[-1]) + len(text) <= BLOCK):
            found[-1] += text
        elif text:
            found.append(text)
    return found


def _decorators(statement: ast.stmt) -> list[ast.expr]:
    return getattr(statement, "decorator_list", [])


class Repl:
    """The raw REPL of one device. `losses` counts what had to be sent again."""

    def __init__(self, link: Link) -> None:
        self.link = link
        self.losses = 0
        self._gap = GAP
        self._buffer = b""

    def enter(self, deadline: Deadline) -> None:
        """Interrupt whatever runs and enter the raw REPL."""
        while True:
            self._buffer = b""
            self.link.write(b"\r" + INTERRUPT + INTERRUPT, deadline)
            self.drain(0.02, deadline)
            # The first is for our agent, if it runs: it ends, and the second is for the REPL.
            self.link.write(RAW, deadline)
            time.sleep(0.005)
            self.link.write(RAW, deadline)
            if self._seen(b"raw REPL; CTRL-B to exit\r\n>", min(0.5, deadline.left)):
                self.drain(0.005, deadline)
                return
            if deadline.is_over:
                raise LimitReached(
                    "raw REPL prompt",
                    after=deadline.limit,
                    where=self.link.description,
                    why=f"the last it said was {self._buffer[-80:]!r}" if self._buffer else "it said nothing",
                    todo="Check that MicroPython runs there and that nothing else uses its console.",
                )

    def reboot(self, deadline: Deadline) -> None:
        """Soft reboot: modules and variables are gone."""
        self.enter(deadline)
        self.link.write(REBOOT, deadline)
        self._seen(b"soft reboot", min(1.0, deadline.left))
        self.enter(deadline)

    def run(self, source: str, deadline: Deadline) -> bytes:
        """Run source as it is, without a check that all of it arrived; what it printed."""
        data = source.encode() + REBOOT
        for start in range(0, len(data), CHUNK):
            self.link.write(data[start : start + CHUNK], deadline)
            if len(data) > CHUNK:
                time.sleep(self._gap)
        self.expect(b"OK", deadline)
        output = self.expect(REBOOT, deadline)
        errors = self.expect(REBOOT + b">", deadline)
        if errors:
            raise SourceFailed(
                "source raised on the device",
                where=self.link.description,
                why=errors.decode("utf-8", "replace").strip().splitlines()[-1],
            )
        return output

    def start(self, source: str, deadline: Deadline) -> None:
        """Run source that does not end."""
        self.link.write(source.encode() + REBOOT, deadline)
        self.expect(b"OK", deadline)

    def load(self, source: str, deadline: Deadline, *, what: str) -> None:
        """Run source of any length, block by block, each checked before any of it is executed."""
        check = checksum(LOADER.encode()).decode()
        self._until(
            f"_y={LOADER.encode()!r}\n"
            f"if '%05x'%(int.from_bytes(_y,'little')%{MODULUS})=='{check}':\n exec(_y)\n print('done')",
            b"done",
            deadline,
            what,
        )
        for block in blocks(source):
            self._checked("_z=b''", deadline, what)
            data = block.encode()
            for start in range(0, len(data), PIECE):
                self._piece(data[start : start + PIECE], start, deadline, what)
            self._execute(deadline, what)

    def _execute(self, deadline: Deadline, what: str) -> None:
        """Execute what was loaded; asked again, the device only repeats how that ended."""
        for _ in range(ATTEMPTS):
            try:
                said = self.run("_Z()", deadline).rpartition(b"\x02")[2].strip()
                if said == b"\x03":
                    return
                if said.endswith(b"\x03"):
                    why = said[:-1].decode("utf-8", "replace")
                    raise BlockFailed("source raised on the device", where=self.link.description, why=why)
            except SourceFailed as error:
                if isinstance(error, BlockFailed):
                    raise
            self._lost_something()
        raise self._too_lossy(what, deadline)

    def _piece(self, piece: bytes, start: int, deadline: Deadline, what: str) -> None:
        """Append one piece; it counts only where its checksum is right on the device."""
        check = checksum(piece).decode()
        code = (
            f"_y={piece!r}\n"
            f"if '%05x'%(int.from_bytes(_y,'little')%{MODULUS})=='{check}' and len(_z)=={start}:_z+=_y\n"
            "print(len(_z))"
        )
        self._until(code, b"%d" % (start + len(piece)), deadline, what)

    def _checked(self, code: str, deadline: Deadline, what: str) -> None:
        self._until(f"{code}\nprint('done')", b"done", deadline, what)

    def _until(self, code: str, wanted: bytes, deadline: Deadline, what: str) -> None:
        for _ in range(ATTEMPTS):
            try:
                if self.run(code, Deadline(min(1.5, deadline.left))).strip() == wanted:
                    return
            except (LimitReached, SourceFailed):
                self.enter(deadline)
            self._lost_something()
            if deadline.is_over:
                break
        raise self._too_lossy(what, deadline)

    def _lost_something(self) -> None:
        self.losses += 1
        self._gap = min(self._gap * 2, WIDEST_GAP)

    def _too_lossy(self, what: str, deadline: Deadline) -> LimitReached:
        return LimitReached(
            f"{what} without losses",
            after=deadline.limit,
            where=self.link.description,
            why=f"{self.losses} pieces were lost on the way",
            todo="Lower the baud rate, or check the cable.",
        )

    def expect(self, mark: bytes, deadline: Deadline) -> bytes:
        """What comes before a mark, which is taken away."""
        while mark not in self._buffer:
            self._buffer += self.link.read(deadline)
        before, _, self._buffer = self._buffer.partition(mark)
        return before

    def take(self) -> bytes:
        """What was received and not yet looked at."""
        taken, self._buffer = self._buffer, b""
        return taken

    def drain(self, quiet: float, deadline: Deadline) -> None:
        """Take whatever comes until nothing has come for a while."""
        with contextlib.suppress(LimitReached):
            while not deadline.is_over:
                self._buffer = self.link.read(Deadline(min(quiet, deadline.left)))
        self._buffer = b""

    def _seen(self, mark: bytes, limit: float) -> bool:
        deadline = Deadline(limit)
        with contextlib.suppress(LimitReached):
            self.expect(mark, deadline)
            return True
        return False
