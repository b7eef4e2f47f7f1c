"""The library recorder on a real client: how much of what crosses it sees, and what it costs.

    python benchmarks/library/recorder.py NAME … | all [--rounds 3] [--cost-only] [--json]  # of pairs.toml
    python benchmarks/library/recorder.py NAME … --equal 10 [--busy]  # recordings, each against the last
    python benchmarks/library/recorder.py FOLDER --library lxml [--python VENV/bin/python] -- tests

FOLDER is a client's unpacked source package, whose interpreter has the client's requirements and pytest.
Every suite runs as it is and twice with the recorder: each test must end alike, and the two recordings must
compare as equal. Completeness: every call from a client's frame into the library that profile hooks see in a
plain run is looked for in the recording, statement by statement. Cost: CPU seconds of the whole process,
plain, recorded, with an empty `sys.setprofile` hook and with MonkeyType in turn, the best of `--rounds` each.
"""

from __future__ import annotations

import argparse
import ast
import collections
import contextlib
import itertools
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.etree import ElementTree

WAYS = ("plain", "likewise", "setprofile, empty", "monkeytype")
HERE = Path(__file__).parent
SOURCE = HERE.parent.parent / "src"
sys.path.insert(0, str(SOURCE))

import measure  # noqa: E402

from likewise.library import crossing  # noqa: E402
from likewise.library.comparison import Group, Side, compare  # noqa: E402
from likewise.library.environments import Builder, choose, default_cache, find_recipe  # noqa: E402
from likewise.library.environments import existing as environment_of  # noqa: E402
from likewise.library.runs import build_bridge  # noqa: E402
from likewise.store import iterate, read  # noqa: E402


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", nargs="*", help="pinned pairs, or: all; with --library, a client's folder")
    parser.add_argument("--library", action="append", help="import names; for a folder")
    parser.add_argument("--python", default=sys.executable, help="the folder's environment")
    parser.add_argument("--rounds", type=int, default=3, help="0 leaves the cost out")
    parser.add_argument("--cost-only", action="store_true", help="plain and recorded, and nothing else")
    parser.add_argument("--equal", type=int, metavar="N", help="compare N times, and nothing else")
    parser.add_argument("--busy", action="store_true", help="beside a process that only computes")
    parser.add_argument("--json", action="store_true")
    words = sys.argv[1:]
    cut = words.index("--") if "--" in words else len(words)
    given, tests = parser.parse_args(words[:cut]), words[cut + 1 :]
    if given.library:
        benches = [Bench(Path(given.what[0]).resolve(), given.library, given.python, tests)]
    else:
        pairs = measure.load()
        chosen = list(pairs) if given.what == ["all"] else given.what
        benches = [of_pair(pairs[name]) for name in chosen]
    for bench in benches:
        result: dict[str, object] = {"client": bench.name, "libraries": bench.libraries}
        if given.equal:
            with busy() if given.busy else contextlib.nullcontext():
                result |= bench.equality(given.equal)
        elif given.cost_only:
            result |= bench.cost(given.rounds, ("plain", "likewise"))
        else:
            result |= bench.faithfulness() | bench.completeness()
            result |= bench.cost(given.rounds, WAYS) if given.rounds else {}
        lines = (f"{name}: {value}" for name, value in result.items())
        print(json.dumps(result) if given.json else "\n".join(lines) + "\n", flush=True)


def of_pair(pair: measure.Pair) -> Bench:
    """The client of a pinned pair in the environment of its reference, as `likewise upgrade` builds it."""
    folder = measure.fetch(pair)
    recipe = find_recipe(folder, files=(measure.requirements(pair),), install_project=pair.project)
    builder = Builder(recipe=recipe, cache=default_cache(), installer=choose(None))
    environment = builder.pinned(builder.base(), pair.library, pair.reference)
    modules = environment.inventory.require(pair.library).modules
    return Bench(folder, list(modules), str(environment.python), list(pair.arguments), name=pair.name)


class Bench:
    """Runs one client's suite in several ways."""

    def __init__(
        self, folder: Path, libraries: list[str], python: str, tests: list[str], *, name: str = ""
    ) -> None:
        self.folder, self.libraries, self.python, self.tests = folder, libraries, python, tests
        self.name = name or folder.name
        self.scratch = Path(tempfile.mkdtemp(prefix="likewise-bench-"))
        self.runs = 0
        self.bridge = build_bridge(default_cache(), environment_of(Path(python)))

    def run(
        self,
        *options: str,
        module: tuple[str, ...] = ("pytest",),
        paths: tuple[Path, ...] = (),
        **environment: str,
    ) -> tuple[float, str]:
        """CPU seconds of one run, and pytest's last line."""
        settled = {
            "PYTHONHASHSEED": "0",
            "TZ": "UTC",
            "PYTHONPATH": os.pathsep.join(map(str, (self.bridge, HERE, *paths))),
            "PYTHONPYCACHEPREFIX": str(default_cache() / "bytecode"),
        }
        fixed = ["-q", "-p", "no:cacheprovider", "-p", "no:randomly", "--continue-on-collection-errors"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            [self.python, "-m", *module, *fixed, *options, *self.tests],
            cwd=self.folder,
            env=inherited() | settled | environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        said = [line for line in done.stdout.splitlines() if re.search(r"\d (passed|failed|error)", line)]
        last = said[-1].strip("= ") if said else done.stdout[-500:] + done.stderr[-500:]
        return spent, re.sub(r" in [\d.]+s.*", "", last)

    def recorded(self, *options: str) -> tuple[float, str, Path]:
        """One run with the recorder."""
        self.runs += 1
        out = self.scratch / f"{self.runs}.recording"
        watched = [f"--likewise-library={each}" for each in self.libraries]
        spent, said = self.run("-p", "likewise.plugin", *watched, f"--likewise-library-out={out}", *options)
        return spent, said, out

    def faithfulness(self) -> dict[str, object]:
        """Whether every test ends as it does without the recorder, and two recordings are equal."""
        places = [self.scratch / f"{name}.xml" for name in ("plain", "recorded")]
        _, outcome = self.run(f"--junitxml={places[0]}")
        first = self.recorded(f"--junitxml={places[1]}")[2]
        plain, ours = (_results(each) for each in places)
        differing = [test for test in plain.keys() | ours.keys() if plain.get(test) != ours.get(test)]
        self.recording = first
        found = compare(Side(recording=read(first)), Side(recording=read(self.recorded()[2])))
        return {
            "outcome": outcome,
            "tests that end otherwise": sorted(differing),
            "differences of two recordings": [_described(each) for each in found.groups],
        }

    def equality(self, times: int) -> dict[str, object]:
        """How often two recordings in a row are equal, and in what others differ."""
        sides = [Side(recording=read(self.recorded()[2])) for _ in range(times + 1)]
        found = [compare(one, other).groups for one, other in itertools.pairwise(sides)]
        lanes = {each.lane for trace in sides[0].recording.traces for each in trace.interactions}
        return {
            "comparisons": times,
            "equal": sum(1 for groups in found if not groups),
            "threads and tasks": len(lanes - {"main"}),
            "differences": [_described(each) for groups in found for each in groups],
        }

    def completeness(self) -> dict[str, object]:
        """How many of the oracle's crossings are in the recording."""
        place = self.scratch / "oracle.json"
        names = ",".join(self.libraries)
        self.run("-p", "oracle", LIKEWISE_ORACLE=str(place), LIKEWISE_ORACLE_LIBRARIES=names)
        recording = self.recording
        statements = Statements(self.folder)
        expected: collections.Counter[tuple[str, ...]] = collections.Counter()
        for key, count in json.loads(place.read_text()).items():
            test, kind, file, line = key.split("\t")
            expected[test, kind, file, statements.of(file, int(line))] += count
        found: collections.Counter[tuple[str, ...]] = collections.Counter()
        foreign = total = 0
        for trace in iterate(recording):
            for each in trace.interactions:
                seen = crossing.of(each)
                file, line, _ = seen.at.rsplit(":", 2)
                of = each.arguments["kind"] if seen.kind is crossing.Kind.REST else seen.kind
                kind = "callback" if of == crossing.Kind.CALLBACK else "call"
                found[trace.test, kind, file, statements.of(file, int(line))] += seen.count
                total += seen.count
                foreign += not (self.folder / file).exists()
        matched = sum(min(count, found[key]) for key, count in expected.items())
        missed: collections.Counter[tuple[str, ...]] = collections.Counter()
        for key, count in expected.items():
            missed[key[1:]] += max(0, count - found[key])
        return {
            "oracle": sum(expected.values()),
            "matched": matched,
            "complete": round(matched / max(1, sum(expected.values())), 5),
            "recorded": total,
            "not at a client's line": foreign,
            "missed": [f"{key}: {count}" for key, count in missed.most_common(8) if count > 0],
        }

    def cost(self, rounds: int, ways: Sequence[str]) -> dict[str, object]:
        """CPU seconds of some ways of running the suite, in turn in every round, after a first one."""
        traced = ("monkeytype", "run", "-m", "pytest")
        store = {"MT_DB_PATH": str(self.scratch / "monkeytype.sqlite3")}
        run = {
            "plain": lambda: self.run()[0],
            "likewise": lambda: self.recorded()[0],
            "setprofile, empty": lambda: self.run("-p", "oracle", LIKEWISE_ORACLE_EMPTY="1")[0],
            "monkeytype": lambda: self.run(module=traced, paths=(monkeytype(),), **store)[0],
        }
        spent: dict[str, list[float]] = {name: [] for name in ways}
        for number in range(rounds + 1):
            for name in ways:
                seconds = run[name]()
                if number:  # the first one compiles what the others find
                    spent[name].append(seconds)
        best = {name: min(each) for name, each in spent.items()}
        base = best.pop("plain")
        return {"plain, CPU s": round(base, 2)} | {name: round(each / base, 2) for name, each in best.items()}


def _described(group: Group) -> str:
    return f"{group.operation} ({group.manner}) at {group.at}: {group.examples[0]}"


@contextlib.contextmanager
def busy() -> Iterator[None]:
    """Another process wants a core for itself meanwhile."""
    process = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        yield
    finally:
        process.kill()
        process.wait()


def inherited() -> dict[str, str]:
    """This process's variables; compiled files are kept in every way of running, as they usually are."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def monkeytype() -> Path:
    """A folder with MonkeyType, beside every environment."""
    folder = default_cache() / "monkeytype"
    if not folder.is_dir():
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(folder), "monkeytype"]
        measure.call(pip)
    return folder


def _results(path: Path) -> dict[str, str]:
    """How each test of a JUnit file ended."""
    found: dict[str, str] = {}
    if not path.is_file():
        return found
    for case in ElementTree.parse(path).iter("testcase"):
        how = next((each.tag for each in case if each.tag in ("failure", "error", "skipped")), "passed")
        found[f"{case.get('classname')}::{case.get('name')}"] = how
    return found


class Statements:
    """Which statement of a file a line belongs to."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files: dict[str, dict[int, int]] = {}

    def of(self, file: str, line: int) -> str:
        if file not in self._files:
            self._files[file] = _lines(self._folder / file)
        return str(self._files[file].get(line, line))


def _lines(path: Path) -> dict[int, int]:
    found: dict[int, int] = {}
    if not path.exists():
        return found
    for node in ast.walk(ast.parse(path.read_bytes())):  # outer statements first, so inner ones win
        if isinstance(node, ast.stmt):
            body = getattr(node, "body", None)
            last = body[0].lineno - 1 if isinstance(body, list) and body else node.end_lineno or node.lineno
            decorators = getattr(node, "decorator_list", [])
            first = min([node.lineno, *(each.lineno for each in decorators)])
            for line in range(first, max(last, node.lineno) + 1):
                found[line] = node.lineno
    return found


if __name__ == "__main__":
    main()
