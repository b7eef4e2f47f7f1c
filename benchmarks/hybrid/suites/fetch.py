"""Fetch the pinned real suites: source package, checksum, an environment of its own, how to run it.

    python benchmarks/hybrid/suites/fetch.py            # list the suites
    python benchmarks/hybrid/suites/fetch.py s3fs …     # fetch these (or: all)

Everything goes under `$LIKEWISE_CACHE` or `~/.cache/likewise`, in `suites/NAME-VERSION/`: `source/` (as
unpacked, plus the settings files that the TOML names) and `venv/`. `plain.py` next to it runs a fetched suite
as its authors do. Other scripts use `load`, `fetch` and `Suite`.
"""

import argparse
import hashlib
import os
import shlex
import shutil
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """The emulator that a suite expects to find running: what it is and on which port."""

    kind: str
    port: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """One released source package whose own tests talk to an emulator."""

    name: str
    package: str
    version: str
    sha256: str
    services: tuple[str, ...]
    requirements: tuple[str, ...]
    extras: tuple[str, ...]
    directory: str
    arguments: tuple[str, ...]
    environment: Mapping[str, str]
    plugins: tuple[str, ...]
    files: Mapping[str, str]
    server: Server | None
    releases: Mapping[str, str]
    """Earlier releases, oldest first, and the sha256 of their source packages."""
    endpoint: Mapping[str, Any] = field(repr=False)
    plain: Mapping[str, Any] = field(repr=False)
    notes: Mapping[str, Any] = field(repr=False)

    @property
    def past(self) -> list["Suite"]:
        """The same suite as it was released before, oldest first."""
        return [replace(self, version=version, sha256=digest) for version, digest in self.releases.items()]

    @property
    def home(self) -> Path:
        """Where this suite lies in the cache."""
        return cache() / "suites" / f"{self.name}-{self.version}"

    @property
    def source(self) -> Path:
        """The unpacked source package."""
        return self.home / "source"

    @property
    def python(self) -> Path:
        """The interpreter of the suite's own environment."""
        return self.home / "venv" / "bin" / "python"

    @property
    def workdir(self) -> Path:
        """The folder in which pytest runs."""
        return self.source / self.directory

    @property
    def constraints(self) -> Path:
        """Every installed version, as it was when the figures were taken."""
        return HERE / f"{self.name}.lock"

    def command(self, *more: str) -> list[str]:
        """The pytest command, as its authors would give it, plus what the caller adds."""
        plugins = [part for plugin in self.plugins for part in ("-p", plugin)]
        return [str(self.python), "-m", "pytest", *plugins, *self.arguments, *more]

    def environ(self, base: Mapping[str, str] | None = None) -> dict[str, str]:
        """The environment of a run: no AWS or Azure setting of the user reaches it."""
        start = os.environ if base is None else base
        kept = {k: v for k, v in start.items() if not k.startswith(("AWS_", "AZURE_", "PYTEST_"))}
        paths = [str(HERE / "plugins"), *filter(None, [start.get("PYTHONPATH")])]
        return {**kept, "PYTHONPATH": os.pathsep.join(paths), **self.environment}


class FetchError(Exception):
    """A suite could not be fetched; the message says why and what to do."""


def cache() -> Path:
    """The cache directory, `$LIKEWISE_CACHE` or `~/.cache/likewise`."""
    return Path(os.environ.get("LIKEWISE_CACHE") or Path.home() / ".cache" / "likewise").expanduser()


def load(name: str) -> Suite:
    """Read one suite's description."""
    path = HERE / f"{name}.toml"
    if not path.is_file():
        raise FetchError(f"No suite {name!r}. There are: {', '.join(suites())}.")
    raw = tomllib.loads(path.read_text())
    run, venv = raw["run"], raw["venv"]
    return Suite(
        name=name,
        package=raw["package"],
        version=raw["version"],
        sha256=raw["sha256"],
        services=tuple(raw["services"]),
        requirements=tuple(venv["requirements"]),
        extras=tuple(venv.get("extras", ())),
        directory=run.get("directory", "."),
        arguments=tuple(run["arguments"]),
        environment=dict(run.get("environment", {})),
        plugins=tuple(run.get("plugins", ())),
        files=dict(run.get("files", {})),
        server=Server(**run["server"]) if "server" in run else None,
        releases=dict(raw.get("releases", {})),
        endpoint=raw["endpoint"],
        plain=raw.get("plain", {}),
        notes=raw.get("notes", {}),
    )


def suites() -> list[str]:
    """The names of all suites."""
    return sorted(path.stem for path in HERE.glob("*.toml"))


def fetch(suite: Suite, *, locked: bool = True) -> Suite:
    """Make sure that source and environment are there; a second call does nothing."""
    archive = download(suite)
    unpack(suite, archive)
    build(suite, archive, locked=locked)
    return suite


def download(suite: Suite) -> Path:
    """Get the source package at its version and check what came against the pinned hash."""
    folder = suite.home / "sdist"
    if not (found := archive_in(folder)):
        folder.mkdir(parents=True, exist_ok=True)
        wanted = folder / "wanted.txt"
        wanted.write_text(f"{suite.package}=={suite.version} --hash=sha256:{suite.sha256}\n")
        # With the hash in the request, pip refuses a wrong archive before it runs anything in it.
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder)]
        call([*pip, "--no-binary", suite.package, "--requirement", str(wanted)])
        found = archive_in(folder)
    if found is None:
        raise FetchError(f"{suite.name}: pip gave no source package of {suite.package} {suite.version}.")
    digest = hashlib.sha256(found.read_bytes()).hexdigest()
    if digest != suite.sha256:
        raise FetchError(
            f"{suite.name}: {found.name} has sha256 {digest}, pinned is {suite.sha256}. "
            f"The file is not used; delete {folder} to download it again."
        )
    return found


def archive_in(folder: Path) -> Path | None:
    """The one archive in a folder."""
    return next(iter(sorted(folder.glob("*.tar.gz"))), None)


def unpack(suite: Suite, archive: Path) -> None:
    """Unpack the source package next to its archive and write the settings files that the suite reads."""
    if not suite.source.is_dir():
        with tarfile.open(archive) as tar:
            tar.extractall(suite.home / "unpacked", filter="data")
        (inner,) = (suite.home / "unpacked").iterdir()
        inner.rename(suite.source)
        shutil.rmtree(suite.home / "unpacked")
    for name, text in suite.files.items():
        (suite.workdir / name).write_text(text)


def build(suite: Suite, archive: Path, *, locked: bool) -> None:
    """Build the environment: the package itself, its test requirements at pinned versions, and Likewise."""
    done = suite.home / "built"
    if done.is_file():
        return
    call([sys.executable, "-m", "venv", "--clear", str(suite.home / "venv")])
    install = installer(suite)
    constraint = ["-c", str(suite.constraints)] if locked and suite.constraints.is_file() else []
    package = f"{archive}[{','.join(suite.extras)}]" if suite.extras else str(archive)
    call([*install, *constraint, package, *suite.requirements])
    call([*install, "--editable", str(REPOSITORY)])
    done.touch()


def installer(suite: Suite) -> list[str]:
    """The install command for the suite's environment: uv where there is one (it is quicker), else pip."""
    if uv := shutil.which("uv"):
        return [uv, "pip", "install", "--quiet", "--python", str(suite.python)]
    return [str(suite.python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]


def freeze(suite: Suite) -> None:
    """Write down every version that the environment holds, but for the suite's own package and Likewise."""
    listing = subprocess.run(
        [str(suite.python), "-m", "pip", "list", "--format=freeze", "--disable-pip-version-check"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    own = {"likewise", "pip", "setuptools", suite.package.lower().replace("_", "-")}
    kept = [line for line in listing.splitlines() if line.split("=")[0].lower().replace("_", "-") not in own]
    suite.constraints.write_text("\n".join(sorted(kept, key=str.lower)) + "\n")


def call(command: list[str]) -> None:
    """Run a command; if it fails, say which and with what words."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        last = "\n".join((done.stderr or done.stdout).strip().splitlines()[-8:])
        raise FetchError(f"{shlex.join(command)} failed with {done.returncode}:\n{last}")


def how_to_run(suite: Suite) -> Iterator[str]:
    """Shell lines that run the suite plainly."""
    yield f"cd {suite.workdir}"
    if suite.server:
        yield f"# {suite.server.kind} must listen on 127.0.0.1:{suite.server.port}"
    plugins = f"PYTHONPATH={HERE / 'plugins'}"
    settings = " ".join(
        [plugins, *(f"{key}={shlex.quote(value)}" for key, value in suite.environment.items())]
    )
    yield f"{settings} {shlex.join(suite.command())}"


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", help="suites to fetch, or: all")
    parser.add_argument("--unlocked", action="store_true", help="ignore the .lock file")
    parser.add_argument("--freeze", action="store_true", help="write the .lock file from the environment")
    options = parser.parse_args()
    try:
        names = suites() if options.names == ["all"] else options.names
        for name in names:
            suite = fetch(load(name), locked=not options.unlocked)
            if options.freeze:
                freeze(suite)
            print(f"{suite.name} {suite.version} is ready; to run it:")
            print(*(f"    {line}" for line in how_to_run(suite)), sep="\n")
        if not names:
            for name in suites():
                suite = load(name)
                print(f"{name:14} {suite.version:12} {', '.join(suite.services)}")
    except FetchError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
