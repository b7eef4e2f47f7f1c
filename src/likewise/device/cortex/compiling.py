"""C programs for Cortex-M, compiled once for each content."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import warnings
from collections.abc import Sequence
from functools import cache
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from sys import executable

from likewise.device.cortex.image import Image
from likewise.device.cortex.layout import Layout
from likewise.device.links import Deadline
from likewise.device.program import Program, ProgramRefused
from likewise.device.testee import LimitReached

SOURCES = frozenset({".c", ".s", ".cpp", ".cc"})
GCC = "arm-none-eabi-gcc"
ZIG = ("-fno-sanitize=undefined",)
"""Zig checks C for undefined behaviour unless it is told not to, which needs functions that a board lacks."""
FLAGS: tuple[str, ...] = (
    "-g3",
    "-gdwarf-4",
    "-O0",
    "-mthumb",
    "-ffunction-sections",
    "-fno-common",
    "-fno-omit-frame-pointer",
)
LINES = 12
"""Of what a compiler says, so many lines are shown."""

STARTUP = """
extern unsigned likewise_stack, likewise_data_load, likewise_data, likewise_data_end;
extern unsigned likewise_bss, likewise_bss_end;
int main(void) __attribute__((weak));
void Reset_Handler(void) __attribute__((weak));
void Reset_Handler(void) {
    unsigned *from = &likewise_data_load, *to;
    for (to = &likewise_data; to < &likewise_data_end;) *to++ = *from++;
    for (to = &likewise_bss; to < &likewise_bss_end;) *to++ = 0;
    if (main) main();
    for (;;) {}
}
void Default_Handler(void) { for (;;) {} }
#define WEAK(name) void name(void) __attribute__((weak, alias("Default_Handler")));
WEAK(NMI_Handler) WEAK(HardFault_Handler) WEAK(MemManage_Handler) WEAK(BusFault_Handler)
WEAK(UsageFault_Handler) WEAK(SVC_Handler) WEAK(DebugMon_Handler) WEAK(PendSV_Handler) WEAK(SysTick_Handler)
#define EIGHT(M, n) M(n##0) M(n##1) M(n##2) M(n##3) M(n##4) M(n##5) M(n##6) M(n##7) M(n##8) M(n##9)
#define EACH(M) M(0) M(1) M(2) M(3) M(4) M(5) M(6) M(7) M(8) M(9) \\
    EIGHT(M, 1) EIGHT(M, 2) EIGHT(M, 3) EIGHT(M, 4) EIGHT(M, 5)
#define DECLARE(n) WEAK(IRQ##n##_Handler)
EACH(DECLARE)
#define ENTRY(n) IRQ##n##_Handler,
__attribute__((section(".vectors"), used)) void (*const likewise_vectors[])(void) = {
    (void (*)(void))&likewise_stack, Reset_Handler, NMI_Handler, HardFault_Handler, MemManage_Handler,
    BusFault_Handler, UsageFault_Handler, 0, 0, 0, 0, SVC_Handler, DebugMon_Handler, 0, PendSV_Handler,
    SysTick_Handler, EACH(ENTRY)
};
"""
"""Vectors with an `IRQn_Handler` for every interrupt, and a start that calls `main` if there is one."""

SCRIPT = """
ENTRY(Reset_Handler)
MEMORY {{
  FLASH (rx) : ORIGIN = {flash:#x}, LENGTH = {flash_size:#x}
  RAM (rwx) : ORIGIN = {ram:#x}, LENGTH = {ram_size:#x}
}}
SECTIONS {{
  .text : {{ KEEP(*(.vectors)) *(.text .text.*) *(.rodata .rodata.*) . = ALIGN(4); }} > FLASH
  .ARM.extab : {{ *(.ARM.extab*) }} > FLASH
  .ARM.exidx : {{ *(.ARM.exidx*) . = ALIGN(4); }} > FLASH
  .data : {{ likewise_data = .; *(.data .data.*) . = ALIGN(4); likewise_data_end = .; }} > RAM AT > FLASH
  likewise_data_load = LOADADDR(.data);
  .bss : {{ likewise_bss = .; *(.bss .bss.* COMMON) . = ALIGN(4); likewise_bss_end = .; }} > RAM
  end = .; _end = .;
  likewise_stack = ORIGIN(RAM) + LENGTH(RAM);
}}
"""


class CacheUnusable(UserWarning):
    """What was compiled could not be kept; it is compiled again next time."""


def cache_folder() -> Path:
    """Where compiled programs are kept."""
    named = os.environ.get("LIKEWISE_CACHE")
    base = (
        Path(named) if named else Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "likewise"
    )
    return base / "device"


def load_image(program: Program, layout: Layout, limit: float) -> Image:
    """A program as an ELF image, compiled where it is source. Raises ProgramRefused or LimitReached."""
    if program.kind not in SOURCES:
        return Image(program.read(), where=program.title)
    return Image(compile_program(program, layout, limit), where=program.title)


def compile_program(program: Program, layout: Layout, limit: float) -> bytes:
    """An ELF file, from the cache where the same text was compiled before in the same way."""
    deadline = Deadline(limit)
    program.read()
    with tempfile.TemporaryDirectory(prefix="likewise-") as scratch:
        folder = Path(scratch)
        source = _source(program, folder)
        command = [*_compiler(layout), *FLAGS, *program.flags, "-I", str(source.parent)]
        text = _run([*command, "-E", str(source)], program, deadline)
        key = _key(text, [*command[:-1], program.title], layout)
        kept = cache_folder() / f"{key}.elf"
        try:
            return kept.read_bytes()
        except FileNotFoundError:
            pass
        except OSError as error:
            _warn(kept, error)
        content = _build(program, source, command, layout, folder, deadline)
    _keep(kept, content)
    return content


def _source(program: Program, folder: Path) -> Path:
    if program.path is not None:
        return program.path.absolute()
    source = folder / (program.name if program.name.endswith(program.suffix) else f"program{program.suffix}")
    try:
        source.write_bytes(program.read())
    except OSError as error:
        raise _no_room(program, error) from error
    return source


def _build(
    program: Program, source: Path, command: Sequence[str], layout: Layout, folder: Path, deadline: Deadline
) -> bytes:
    target = folder / "program.elf"
    linking: list[str] = []
    if "-T" not in program.flags:
        try:
            (folder / "startup.c").write_text(STARTUP, encoding="utf-8")
            script = SCRIPT.format(
                flash=layout.flash, flash_size=layout.flash_size, ram=layout.ram, ram_size=layout.ram_size
            )
            (folder / "board.ld").write_text(script, encoding="utf-8")
        except OSError as error:
            raise _no_room(program, error) from error
        linking = [str(folder / "startup.c"), "-T", str(folder / "board.ld"), "-nostartfiles"]
    libraries = ["--specs=nosys.specs", "-lm"] if command[0].endswith(GCC) else []
    _run([*command, str(source), *linking, *libraries, "-o", str(target)], program, deadline)
    try:
        return target.read_bytes()
    except OSError as error:
        raise _no_room(program, error) from error


@cache
def _compiler(layout: Layout) -> tuple[str, ...]:
    """GCC for ARM, or what `pip install ziglang` brings."""
    found = shutil.which(GCC)
    if found:
        return (found, f"-mcpu={layout.cpu}", "-mfloat-abi=soft")
    if find_spec("ziglang") is not None:
        cpu = layout.cpu.replace("-", "_")
        return (executable, "-m", "ziglang", "cc", "-target", "thumb-freestanding-eabi", f"-mcpu={cpu}", *ZIG)
    raise ProgramRefused(
        "there is no C compiler for ARM",
        todo="Install one with: apt-get install gcc-arm-none-eabi libnewlib-arm-none-eabi, or: "
        "pip install ziglang. Programs that are compiled already (.elf) need none.",
    )


def _run(command: Sequence[str], program: Program, deadline: Deadline) -> bytes:
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            timeout=max(deadline.left, 0.001),
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        raise LimitReached("compiled program", after=deadline.limit, where=program.title) from None
    except OSError as error:
        raise ProgramRefused(
            "the compiler cannot be started", where=command[0], why=error.strerror or str(error)
        ) from error
    if done.returncode:
        text = re.sub(r"\S*/likewise-\w+/", "", done.stderr.decode(errors="replace"))
        said = [line for line in text.splitlines() if line.strip()]
        raise ProgramRefused(
            "the program does not compile",
            where=program.title,
            why="\n".join(said[:LINES]) or f"exit code {done.returncode}",
            todo="Correct it; the rest of the suite goes on.",
        )
    return done.stdout


@cache
def _version(compiler: str) -> str:
    return subprocess.run([compiler, "--version"], capture_output=True, check=False).stdout.decode(
        errors="replace"
    )


def _key(text: bytes, command: Sequence[str], layout: Layout) -> str:
    hashed = blake2b(text, digest_size=16)
    hashed.update(repr((list(command), layout, STARTUP, SCRIPT, _version(command[0]))).encode())
    return hashed.hexdigest()


def _keep(path: Path, content: bytes) -> None:
    """Keep what was compiled, whole or not at all."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            try:
                file.write(content)
                file.flush()
                Path(file.name).replace(path)
            except BaseException:
                Path(file.name).unlink()
                raise
    except OSError as error:
        _warn(path, error)


def _warn(path: Path, error: OSError) -> None:
    warnings.warn(
        f"{path.parent}: what was compiled cannot be kept ({error.strerror or error}); "
        "it is compiled again each time. Make room, or set LIKEWISE_CACHE to another place. [cache-unusable]",
        CacheUnusable,
        stacklevel=2,
    )


def _no_room(program: Program, error: OSError) -> ProgramRefused:
    return ProgramRefused(
        "the program cannot be compiled",
        where=str(error.filename or program.title),
        why=error.strerror or str(error),
        todo="Make room in the folder for temporary files, or set TMPDIR to another one.",
    )
