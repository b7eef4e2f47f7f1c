"""Which run this is, and of which code."""

from __future__ import annotations

import hashlib
import os
import platform
import secrets
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from likewise.model import LikewiseError, Provenance

PACKAGES = ("likewise", "pytest", "boto3", "botocore", "aiobotocore", "azure-core", "moto")
_NOT_SOURCE = frozenset({"node_modules", "__pycache__", "site-packages", "build", "dist"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run of a suite, however many processes it takes."""

    id: str
    started: float
    code: str
    folder: Path

    @classmethod
    def begin(cls, root: Path) -> Run:
        """A new run of the code at `root`."""
        now = time.time()
        name = f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime(now))}-{secrets.token_hex(3)}"
        folder = root / ".likewise" / "recordings" / name
        return cls(id=name, started=now, code=identify(root), folder=folder)

    def make_folder(self) -> None:
        """Make the place for the recordings before anybody counts on it."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise LikewiseError(
                "there is no place for recordings",
                where=str(self.folder),
                why=error.strerror or str(error),
                todo="Check that .likewise is a directory that you may write to, and that the disk has room.",
            ) from error

    def to_plain(self) -> dict[str, Any]:
        """Fit to be sent to another process."""
        return asdict(self) | {"folder": str(self.folder)}

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Run:
        """What `to_plain` sent."""
        return cls(**{**plain, "folder": Path(plain["folder"])})

    def provenance(self) -> Provenance:
        """Where a recording of this run comes from; the targets are not known yet."""
        versions = {"python": platform.python_version()}
        for package in PACKAGES:
            try:
                versions[package] = version(package)
            except PackageNotFoundError:
                continue  # the suite does without it
        return Provenance(run=self.id, started=self.started, code=self.code, versions=versions)


def identify(root: Path) -> str:
    """The hash of every Python file at or below `root`, environments and build results left out.

    Data files are left out on purpose: tests write some, and code that differs at every run could
    never be seen twice.
    """
    digest = hashlib.blake2b(digest_size=16)
    for path in sorted(_sources(root)):
        try:
            content = path.read_bytes()
        except OSError:
            continue  # a dangling link, or gone since it was listed
        digest.update(f"{path.relative_to(root).as_posix()}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


def _sources(root: Path) -> Iterator[Path]:
    for folder, folders, files in os.walk(root):
        folders[:] = [
            each
            for each in folders
            if not each.startswith(".")
            and each not in _NOT_SOURCE
            and not os.path.exists(os.path.join(folder, each, "pyvenv.cfg"))  # noqa: PTH110, PTH118
        ]
        yield from (Path(folder) / each for each in files if each.endswith(".py"))
