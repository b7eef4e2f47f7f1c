"""Two environments that differ in one package, the same tests twice in each, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from likewise.library.comparison import Comparison, Side, compare
from likewise.library.environments import Builder, Environment, also_changed, existing, same_version
from likewise.library.environments.building import default_cache
from likewise.library.runs import Runner, Suite, missing_modules, read_run, uncollected
from likewise.model import LikewiseError, Recording

Say = Callable[[str], None]


class NothingToCompare(LikewiseError):
    """Both sides are the same version."""

    slug = "nothing-to-compare"


@dataclass(frozen=True, slots=True, kw_only=True)
class Environments:
    """The two sides of an upgrade."""

    reference: Environment
    candidate: Environment


def build(builder: Builder, package: str, *, reference: str | None, candidate: str) -> Environments:
    """The two environments for an upgrade from one version, or the one that is in use, to another."""
    base = builder.base()
    ours = builder.pinned(base, package, reference) if reference else base
    if ours.inventory.find(package) is None:
        raise NothingToCompare(
            f"{package} is not among what the client's requirements install",
            where=str(builder.recipe.root),
            todo="Say which version to start from: --from V.",
        )
    _distinct(ours, package, candidate)
    return Environments(reference=ours, candidate=builder.pinned(base, package, candidate))


def between(reference: Path, candidate: Path, package: str) -> Environments:
    """Two interpreters that exist."""
    sides = Environments(reference=existing(reference), candidate=existing(candidate))
    _distinct(sides.reference, package, sides.candidate.inventory.require(package).version)
    return sides


def _distinct(reference: Environment, package: str, candidate: str) -> None:
    version = reference.inventory.require(package).version
    if same_version(version, candidate):
        raise NothingToCompare(
            f"{package} is {version} on both sides",
            todo="Say which versions to compare: --from V --to V.",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Upgrade:
    """One package's upgrade as one suite sees it."""

    package: str
    environments: Environments
    suite: Suite
    folder: Path
    """Where the recordings go."""
    times: int = 2
    say: Say = lambda line: None

    def run(self) -> Comparison:
        """Run the suite in both environments and compare."""
        sides = {"reference": self.environments.reference, "candidate": self.environments.candidate}
        modules = list(dict.fromkeys(name for each in sides.values() for name in self._modules(each)))
        recorded: dict[str, list[Recording]] = {}
        lacking: list[str] = []
        skipped: dict[str, dict[str, str]] = {}
        for number in range(1, self.times + 1):
            for name, environment in sides.items():
                version = environment.inventory.require(self.package).version
                self.say(f"running the tests on {self.package} {version}, {number} of {self.times}")
                runner = Runner(suite=self.suite, environment=environment, bridge=default_cache())
                path = self.folder / f"{name}-{number}.recording"
                # A file that one version alone cannot import is a finding; the other files run all the same.
                finished = runner.record(modules, path, options=["--continue-on-collection-errors"])
                recording = read_run(path, finished, where=f"{self.package} {version}")
                recorded.setdefault(name, []).append(recording)
                lacking += missing_modules(finished)
                skipped.setdefault(name, uncollected(finished))
        ours, theirs = (Side(recording=some[0], again=tuple(some[1:])) for some in recorded.values())
        found = compare(ours, theirs)
        return replace(
            found,
            reference=self._named(self.environments.reference),
            candidate=self._named(self.environments.candidate),
            notes=(*found.notes, *self._notes(lacking), *unread(*skipped.values())),
        )

    def _modules(self, environment: Environment) -> Sequence[str]:
        return environment.inventory.require(self.package).modules

    def _named(self, environment: Environment) -> str:
        found = environment.inventory.require(self.package)
        return f"{found.name} {found.version}"

    def _notes(self, lacking: list[str]) -> list[str]:
        """What else the two sides do not share, and what was not there."""
        reference, candidate = self.environments.reference, self.environments.candidate
        changed = also_changed(reference.inventory, candidate.inventory, self.package)
        notes = [
            f"also changed: {name} {ours or '(absent)'} → {theirs or '(absent)'}"
            for name, (ours, theirs) in changed.items()
        ]
        new = [each for each in candidate.conflicts if each not in reference.conflicts]
        notes += [f"the candidate's environment does not fit together: {each}" for each in new]
        notes += [
            f"the suite asked in vain for the module {name!r}: name its extra with --extra, or its "
            "requirements with -r"
            for name in dict.fromkeys(lacking)
        ]
        return notes


def unread(ours: dict[str, str], theirs: dict[str, str]) -> list[str]:
    """Files of tests that neither side has run: what they would have shown is not known."""
    both = [file for file in ours if file in theirs]
    if not both:
        return []
    what = "1 test file" if len(both) == 1 else f"{len(both)} test files"
    why = f" ({ours[both[0]]})" if ours[both[0]] else ""
    return [f"{what} could not be imported on either side and did not run, such as {both[0]}{why}"]
