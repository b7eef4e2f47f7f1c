"""Real upgrades of real libraries as the tests of real clients see them.

    python benchmarks/library/measure.py                 # list the pairs
    python benchmarks/library/measure.py NAME … | all    # fetch, run `likewise upgrade`, check, print a table

A pair is a client's released source package and two versions of a library on both of which its tests pass.
`breaks` names the operations that are known to behave differently; every other group that is not downstream
counts as noise. A pair without `breaks` must stay silent. Sources and recordings go under `$LIKEWISE_CACHE`
or `~/.cache/likewise`, in `pairs/`.
"""

import argparse
import fnmatch
import hashlib
import json
import os
import subprocess
import sys
import tarfile
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
PAIRS = HERE / "pairs.toml"
NOISE = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One client, one library, two versions."""

    name: str
    client: str
    version: str
    sha256: str
    library: str
    reference: str
    candidate: str
    requirements: tuple[str, ...]
    arguments: tuple[str, ...]
    breaks: tuple[str, ...]
    project: bool
    directory: str

    @property
    def home(self) -> Path:
        """Where this client lies in the cache."""
        cache = Path(os.environ.get("LIKEWISE_CACHE") or Path.home() / ".cache" / "likewise").expanduser()
        return cache / "pairs" / f"{self.client}-{self.version}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of one pair."""

    pair: Pair
    found: tuple[str, ...]
    noise: tuple[str, ...]
    downstream: int
    tests: dict[str, int]

    @property
    def is_right(self) -> bool:
        """Whether every known break was found, with little noise, or silence was kept."""
        if not self.pair.breaks:
            return not self.found and not self.noise
        return len(self.found) == len(self.pair.breaks) and len(self.noise) <= NOISE


class FetchError(Exception):
    """A client could not be fetched."""


def load() -> dict[str, Pair]:
    """Every pair by its name."""
    raw: dict[str, Any] = tomllib.loads(PAIRS.read_text())
    return {
        name: Pair(
            name=name,
            client=each["client"],
            version=each["version"],
            sha256=each["sha256"],
            library=each["library"],
            reference=each["from"],
            candidate=each["to"],
            requirements=tuple(each.get("requirements", ())),
            arguments=tuple(each.get("arguments", ("tests",))),
            breaks=tuple(each.get("breaks", ())),
            project=each.get("project", True),
            directory=each.get("directory", "."),
        )
        for name, each in raw.items()
    }


def fetch(pair: Pair) -> Path:
    """The client's source, checked against its pinned hash; a second call downloads nothing."""
    source = pair.home / "source"
    if source.is_dir():
        return source / pair.directory
    folder = pair.home / "sdist"
    folder.mkdir(parents=True, exist_ok=True)
    if not list(folder.glob("*.tar.gz")):
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        call([*pip, "--no-binary", pair.client, "--dest", str(folder), f"{pair.client}=={pair.version}"])
    (archive,) = folder.glob("*.tar.gz")
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    if digest != pair.sha256:
        raise FetchError(f"{archive.name} has sha256 {digest}, pinned is {pair.sha256!r}")
    with tarfile.open(archive) as tar:
        tar.extractall(pair.home / "unpacked", filter="data")
    (inner,) = (pair.home / "unpacked").iterdir()
    inner.rename(source)
    return source / pair.directory


def requirements(pair: Pair) -> Path:
    """What the client's tests need besides, as a file."""
    wanted = pair.home / f"requirements-{pair.name}.txt"
    wanted.write_text("".join(f"{each}\n" for each in ("pytest", *pair.requirements)))
    return wanted


def run(pair: Pair, *, more: tuple[str, ...] = ()) -> Outcome:
    """`likewise upgrade`, as a user would call it, and what of its groups was to be expected."""
    folder = fetch(pair)
    wanted = requirements(pair)
    command = [sys.executable, "-m", "likewise.cli", "upgrade", pair.library, "--from", pair.reference]
    command += ["--to", pair.candidate, "-r", str(wanted), "--json", "--exit-zero", *more]
    command += [] if pair.project else ["--no-project"]
    done = subprocess.run(
        [*command, "--", "pytest", *pair.arguments],
        cwd=folder,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode:
        raise FetchError(f"{pair.name}: likewise upgrade ended with {done.returncode}")
    (pair.home / f"{pair.name}.json").write_text(done.stdout)
    data = json.loads(done.stdout)
    causes = [group for group in data["groups"] if not group["downstream"]]
    found = [
        each for each in pair.breaks if any(fnmatch.fnmatchcase(group["operation"], each) for group in causes)
    ]
    noise = [
        f"{group['operation']} ({group['kind']})"
        for group in causes
        if not any(fnmatch.fnmatchcase(group["operation"], each) for each in pair.breaks)
    ]
    return Outcome(
        pair=pair,
        found=tuple(found),
        noise=tuple(noise),
        downstream=len(data["groups"]) - len(causes),
        tests=data["tests"],
    )


def call(command: list[str]) -> None:
    """Run a command; if it fails, say which and with what words."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise FetchError(f"{' '.join(command)} failed:\n{(done.stderr or done.stdout)[-800:]}")


def row(outcome: Outcome) -> str:
    """A line of the table."""
    pair, tests = outcome.pair, outcome.tests
    expected = ", ".join(f"`{each}`" for each in outcome.found) or "(silent)"
    missed = [each for each in pair.breaks if each not in outcome.found]
    return (
        f"| {pair.client} {pair.version} | {pair.library} {pair.reference} → {pair.candidate} "
        f"| {tests['common']} | {tests['failed_reference']}, {tests['failed_candidate']} "
        f"| {tests['unstable']} "
        f"| {expected}{' missed: ' + ', '.join(missed) if missed else ''} | {len(outcome.noise)} "
        f"| {outcome.downstream} | {'yes' if outcome.is_right else 'NO'} |"
    )


HEAD = (
    "| client | library | tests | failed | unstable | breaks found at | noise | downstream | holds |\n"
    "|---|---|---|---|---|---|---|---|---|"
)


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", help="pairs to measure, or: all")
    options = parser.parse_args()
    pairs = load()
    if not options.names:
        for pair in pairs.values():
            print(
                f"{pair.name:28} {pair.client} {pair.version}: "
                f"{pair.library} {pair.reference} → {pair.candidate}"
            )
        return 0
    chosen = list(pairs) if options.names == ["all"] else options.names
    wrong = 0
    print(HEAD, flush=True)
    for name in chosen:
        try:
            outcome = run(pairs[name])
        except FetchError as error:
            print(f"{name}: {error}", file=sys.stderr)
            wrong += 1
            continue
        wrong += not outcome.is_right
        print(row(outcome), flush=True)
        for each in outcome.noise:
            print(f"    noise: {each}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
