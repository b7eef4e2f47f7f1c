"""The library recorder on a real client: how much of what crosses it sees, and what it costs.

    python benchmarks/library/recorder.py FOLDER --library lxml [--python VENV/bin/python] -- tests

FOLDER is a client's unpacked source package; the interpreter has the client's requirements, pytest, msgspec
and, for the comparison, monkeytype. Completeness: every call from a client's frame into the library that
`sys.setprofile` sees in a plain run is looked for in the recording, statement by statement. Cost: CPU seconds
of the whole process, the best of `--repeat` runs each, one after the other.
"""

from __future__ import annotations

import argparse
import ast
import collections
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
SOURCE = HERE.parent.parent / "src"
sys.path.insert(0, str(SOURCE))

from likewise.library import crossing  # noqa: E402
from likewise.store import iterate  # noqa: E402


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--library", action="append", required=True)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    given, tests = parser.parse_known_args()
    bench = Bench(
        given.folder.resolve(), given.library, given.python, [each for each in tests if each != "--"]
    )
    result = {
        "client": given.folder.name,
        "libraries": given.library,
        **bench.completeness(),
        **bench.cost(given.repeat),
    }
    print(
        json.dumps(result) if given.json else "\n".join(f"{name}: {value}" for name, value in result.items())
    )


class Bench:
    """Runs one client's suite in several ways."""

    def __init__(self, folder: Path, libraries: list[str], python: str, tests: list[str]) -> None:
        self.folder, self.libraries, self.python, self.tests = folder, libraries, python, tests
        self.scratch = Path(tempfile.mkdtemp(prefix="likewise-bench-"))
        self.runs = 0

    def run(
        self, *options: str, module: tuple[str, ...] = ("pytest",), **environment: str
    ) -> tuple[float, str]:
        """CPU seconds of one run, and pytest's last line."""
        settled = {
            "PYTHONHASHSEED": "0",
            "TZ": "UTC",
            "PYTHONPATH": os.pathsep.join((str(SOURCE), str(HERE))),
        }
        fixed = ["-q", "-p", "no:cacheprovider", "-p", "no:randomly"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            [self.python, "-m", *module, *fixed, *options, *self.tests],
            cwd=self.folder,
            env=os.environ | settled | environment,
            capture_output=True,
            text=True,
            check=False,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        said = [
            line
            for line in done.stdout.splitlines()
            if " passed" in line or " failed" in line or " error" in line
        ]
        return spent, said[-1].strip("= ") if said else done.stdout[-500:] + done.stderr[-500:]

    def recorded(self) -> tuple[float, str, Path]:
        """One run with the recorder."""
        self.runs += 1
        out = self.scratch / f"{self.runs}.recording"
        options = [f"--likewise-library={each}" for each in self.libraries]
        spent, said = self.run("-p", "likewise.plugin", *options, f"--likewise-library-out={out}")
        return spent, said, out

    def completeness(self) -> dict[str, object]:
        """How many of the oracle's crossings are in the recording."""
        place = self.scratch / "oracle.json"
        names = ",".join(self.libraries)
        self.run("-p", "oracle", LIKEWISE_ORACLE=str(place), LIKEWISE_ORACLE_LIBRARIES=names)
        _, _, recording = self.recorded()
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
                kind = "callback" if seen.kind is crossing.Kind.CALLBACK else "call"
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

    def cost(self, repeat: int) -> dict[str, object]:
        """CPU seconds of each way of running the suite, the best of several."""
        plain = [self.run() for _ in range(repeat)]
        ours = [self.recorded() for _ in range(repeat)]
        hook = [self.run("-p", "oracle", LIKEWISE_ORACLE_EMPTY="1") for _ in range(repeat)]
        traced = ("monkeytype", "run", "-m", "pytest")
        store = {"MT_DB_PATH": str(self.scratch / "monkeytype.sqlite3")}
        theirs = [self.run(module=traced, **store) for _ in range(repeat)]
        base = min(each[0] for each in plain)
        return {
            "plain": round(base, 2),
            "outcome": plain[0][1],
            "outcome recorded": ours[0][1],
            "likewise": round(min(each[0] for each in ours) / base, 2),
            "setprofile, empty": round(min(each[0] for each in hook) / base, 2),
            "monkeytype": round(min(each[0] for each in theirs) / base, 2),
        }


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
