"""Which run this is, and of which code."""

from __future__ import annotations

import platform
import secrets
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from likewise.model import LikewiseError, Provenance
from likewise.plugin.code import identify
from likewise.store import RECORDINGS, make_folder

PACKAGES = ("likewise", "pytest", "boto3", "botocore", "aiobotocore", "azure-core", "moto")


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run of a suite, however many processes it takes."""

    id: str
    started: float
    code: str
    codes: dict[str, str]
    folder: Path

    @classmethod
    def begin(cls, root: Path, *, test_files: Sequence[str], tests: Sequence[str]) -> Run:
        """A new run of the code at `root`; the patterns say what files and tests are called."""
        now = time.time()
        name = f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime(now))}-{secrets.token_hex(3)}"
        folder = root / ".likewise" / RECORDINGS / name
        code = identify(root, test_files, tests)
        return cls(id=name, started=now, code=code.whole, codes=code.parts, folder=folder)

    def make_folder(self) -> None:
        """Make the place for the recordings before anybody counts on it."""
        try:
            make_folder(self.folder)
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
        return Provenance(
            run=self.id, started=self.started, code=self.code, codes=self.codes, versions=versions
        )
