"""What a distribution brings to import, by the standard library alone: any interpreter can run this."""

import importlib.metadata
from collections.abc import Iterable
from pathlib import PurePosixPath

_CODE = (".py", ".so", ".pyd", ".pyi")
_ASIDE = frozenset({"tests", "test", "docs", "examples"})
_DEEPEST = 4


def brought_by(distribution: importlib.metadata.Distribution) -> list[str]:
    """The import names: below a namespace that others share, only what is the distribution's own."""
    text = distribution.read_text("top_level.txt")
    files = [PurePosixPath(str(each)) for each in distribution.files or ()]
    found = set(text.split()) if text else set()
    found |= {name for name in map(_first, files) if name}
    tops = sorted(name for name in found if name.isidentifier() and name not in _ASIDE)
    return [name for top in tops for name in _own(top, files)]


def _first(path: PurePosixPath) -> str:
    if path.suffix not in _CODE or (len(path.parts) == 1 and path.suffix == ".pyi"):
        return ""
    return path.parts[0].partition(".")[0] if len(path.parts) == 1 else path.parts[0]


def _own(package: str, files: Iterable[PurePosixPath]) -> list[str]:
    """A package, or what is in it where it has no code of its own, as a namespace has not."""
    parts = tuple(package.split("."))
    inside = [
        each.parts[len(parts) :]
        for each in files
        if each.suffix in _CODE and each.parts[: len(parts)] == parts and len(each.parts) > len(parts)
    ]
    if not inside or len(parts) >= _DEEPEST or any(rest[0].startswith("__init__.") for rest in inside):
        return [package]
    names = sorted({rest[0] if len(rest) > 1 else rest[0].partition(".")[0] for rest in inside})
    below = [name for each in names if each.isidentifier() for name in _own(f"{package}.{each}", files)]
    return below or [package]
