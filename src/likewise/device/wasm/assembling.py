"""Programs in .wasm, .wat and .wast become modules; wabt assembles them."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from likewise.device.program import Program, ProgramRefused
from likewise.device.testee import LimitReached
from likewise.device.wasm.module import Module, NotAModule, read
from likewise.device.wasm.text import Place, lines

WABT = "Install wabt, for instance with: apt-get install wabt"


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembled:
    """A binary module with what is known of it; `lines` maps offsets to places in `file`."""

    data: bytes
    module: Module
    file: str = ""
    lines: dict[int, Place] = field(default_factory=dict)

    def place(self, offset: int) -> Place | None:
        """Where the instruction at this offset stands in the source."""
        return self.lines.get(offset)

    def first_on(self, line: int) -> int | None:
        """The offset of the first instruction of a source line."""
        return min((at for at, place in self.lines.items() if place.line == line), default=None)


def assemble(program: Program, limit: float) -> Assembled:
    """The module of a program. Raises ProgramRefused with the assembler's own words, or LimitReached."""
    content = program.read()
    file = program.path.name if program.path else program.title
    if program.kind == ".wasm" or (not program.kind and content.startswith(b"\0asm")):
        return Assembled(data=content, module=_read(content, program), file=file)
    if program.kind not in (".wat", ".wast"):
        raise ProgramRefused(
            f"{program.kind or 'a program without a suffix'} is nothing that a WebAssembly testee runs",
            where=program.title,
            todo="Give a .wat, .wast or .wasm file.",
        )
    text = content.decode("utf-8", "replace")
    data = _assembled(program, content, limit)
    module = _read(data, program)
    return Assembled(data=data, module=module, file=file, lines=lines(text, data, module))


def _read(data: bytes, program: Program) -> Module:
    try:
        return read(data)
    except NotAModule as error:
        raise ProgramRefused(error.what, where=program.title, why=error.why) from error


def _assembled(program: Program, content: bytes, limit: float) -> bytes:
    with tempfile.TemporaryDirectory(prefix="likewise-wasm-") as folder:
        source, target = Path(folder, f"program{program.kind}"), Path(folder, "program.wasm")
        source.write_bytes(content)
        options = ["--debug-names", *program.flags]
        done = run_tool("wat2wasm", [str(source), *options, "-o", str(target)], limit, program.title)
        if done.returncode == 0:
            return target.read_bytes()
        if program.kind == ".wast":
            script = Path(folder, "script.json")
            flags = [*program.flags, str(source), "-o", str(script)]
            if run_tool("wast2json", flags, limit, program.title).returncode == 0:
                return _first_module(script, program)
        raise ProgramRefused(
            "the program does not assemble",
            where=program.title,
            why=done.stderr.decode("utf-8", "replace").replace(str(source), program.title).strip(),
        )


def _first_module(script: Path, program: Program) -> bytes:
    for command in json.loads(script.read_text(encoding="utf-8"))["commands"]:
        if command["type"] == "module":
            return Path(script.parent, command["filename"]).read_bytes()
    raise ProgramRefused("the script has no module", where=program.title)


def run_tool(name: str, arguments: list[str], limit: float, where: str) -> subprocess.CompletedProcess[bytes]:
    """Run one of wabt's tools."""
    path = shutil.which(name)
    if path is None:
        raise ProgramRefused(f"{name} is not installed", where=where, todo=WABT)
    try:
        return subprocess.run([path, *arguments], capture_output=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired as error:
        raise LimitReached(f"end of {name}", after=limit, where=where) from error
