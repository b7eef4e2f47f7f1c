"""Which names a distribution is imported by, also where it lies in a namespace that others share."""

from __future__ import annotations

from importlib.metadata import Distribution, PackagePath
from os import PathLike
from typing import Any

import pytest

from likewise.library.modules import brought_by
from likewise.library.session import import_names, version_of


class Installed(Distribution):
    """A distribution of these files."""

    def __init__(self, *files: str, top: str = "") -> None:
        self._files, self._top = files, top

    @property
    def files(self) -> list[PackagePath]:
        return [PackagePath(each) for each in self._files]

    def read_text(self, filename: str) -> str | None:
        return self._top or None if filename == "top_level.txt" else None

    def locate_file(self, path: str | PathLike[str]) -> Any:
        raise NotImplementedError


@pytest.mark.parametrize(
    ("files", "top", "names"),
    [
        (["six.py", "six-1.dist-info/RECORD"], "six", ["six"]),
        (["lxml/__init__.py", "lxml/etree.so", "lxml/html/__init__.py"], "", ["lxml"]),
        (["yaml/__init__.py", "_yaml/__init__.py", "tests/test_a.py"], "", ["_yaml", "yaml"]),
        (["zope/interface/__init__.py", "zope.interface-7-nspkg.pth"], "zope", ["zope.interface"]),
        (
            ["google/protobuf/__init__.py", "google/protobuf/any.py", "google/_upb/_message.abi3.so"],
            "",
            ["google._upb._message", "google.protobuf"],
        ),
        (["ruamel/yaml/__init__.py"], "ruamel", ["ruamel.yaml"]),
        (["numpy/__init__.py", "numpy.libs/lib.so"], "numpy", ["numpy"]),
        (["__editable___client.pth"], "client", ["client"]),
    ],
)
def test_a_namespace_is_nobodys_own(files: list[str], top: str, names: list[str]) -> None:
    assert brought_by(Installed(*files, top=top)) == names


def test_names_and_versions_of_what_is_installed() -> None:
    assert import_names("import-linter") == ("importlinter",)
    assert version_of("pytest") == version_of("_pytest.config") != ""
    assert import_names("_pytest.config") == ("_pytest.config",)
