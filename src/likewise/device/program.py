"""A program under test: a file in any form that some testee understands, or its text."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from likewise.model import LikewiseError


class ProgramRefused(LikewiseError):
    """A program is absent, does not compile, or is nothing this testee can run."""

    slug = "program-refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A file, or a text with the suffix that says what it is; equal programs share an upload."""

    path: Path | None = None
    text: str | bytes = ""
    suffix: str = ""
    flags: tuple[str, ...] = ()
    """For the compiler, where there is one."""
    name: str = ""

    @property
    def kind(self) -> str:
        """The suffix, with its dot, in small letters."""
        return (self.suffix or (self.path.suffix if self.path else "")).lower()

    @property
    def title(self) -> str:
        """What reports call it."""
        return self.name or (self.path.name if self.path else f"inline{self.suffix}")

    def read(self) -> bytes:
        """The content."""
        if self.path is None:
            return self.text.encode() if isinstance(self.text, str) else self.text
        try:
            return self.path.read_bytes()
        except OSError as error:
            raise ProgramRefused(
                "the program cannot be read",
                where=str(self.path),
                why=error.strerror or str(error),
                todo="Check its name; it is looked for beside the suite.",
            ) from error

    def digest(self) -> str:
        """What identifies the content, its suffix and flags."""
        hashed = blake2b(self.read(), digest_size=16)
        hashed.update(repr((self.kind, self.flags)).encode())
        return hashed.hexdigest()

    def __str__(self) -> str:
        return self.title


def program(given: Program | str | Path, *, beside: Path | None = None) -> Program:
    """A path, looked for beside the suite's file, as a program."""
    if isinstance(given, Program):
        return given
    path = Path(given).expanduser()
    return Program(path=path if path.is_absolute() or beside is None else beside / path)
