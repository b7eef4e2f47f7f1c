"""The two versions of `measures` as wheels, without any build tool."""

from __future__ import annotations

import zipfile
from pathlib import Path

VERSIONS = Path(__file__).parent / "versions"


def build(into: Path) -> list[Path]:
    """Write a wheel for every version; their paths."""
    into.mkdir(parents=True, exist_ok=True)
    return [build_wheel(folder, into) for folder in sorted(VERSIONS.iterdir()) if folder.is_dir()]


def build_wheel(folder: Path, into: Path) -> Path:
    """A wheel of the modules in a folder that is named like the version."""
    version = folder.name
    info = f"measures-{version}.dist-info"
    files = {path.name: path.read_text() for path in sorted(folder.glob("*.py"))}
    files[f"{info}/METADATA"] = f"Metadata-Version: 2.1\nName: measures\nVersion: {version}\n"
    files[f"{info}/WHEEL"] = (
        "Wheel-Version: 1.0\nGenerator: example\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    )
    files[f"{info}/RECORD"] = "".join(f"{name},,\n" for name in [*files, f"{info}/RECORD"])
    target = into / f"measures-{version}-py3-none-any.whl"
    with zipfile.ZipFile(target, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return target
