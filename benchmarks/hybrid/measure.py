"""What each policy saves on real suites, cold and warm, and whether anything is a false alarm.

    python benchmarks/hybrid/measure.py [--runs N] [SUITE …]
    python benchmarks/hybrid/measure.py --releases [SUITE …]

For each suite (see `suites/`, fetched on first use): N runs on the candidate are recorded; all four
policies are simulated on them. Then two runs with `--likewise-verify` against the same server on both
sides must find nothing discrepant, and the second must make no reference call. In the first one the
context is learned from a repetition on the candidate, which no recorded run has: so the calls that were
really made in both are set against those that `combined` would make in two runs. For suites on S3 or
DynamoDB, the operations that differ between moto and MiniStack are found once with `--likewise-both`;
they are what the `api` and `combined` policies are given.

With `--releases`, each run is that of the next release of the package, with its own tests: what the policies
save while a project goes on. There the context runs live.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent / "suites"))

from fetch import REPOSITORY, Suite, fetch, load

SUITES = ("s3path", "cachelib", "minimalkv", "adlfs")
POLICIES = ("context", "api", "sequence", "combined")


def main() -> int:
    """Measure and print one table; the exit code is 1 where something that must hold does not."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("suites", nargs="*", default=SUITES)
    parser.add_argument("--runs", type=int, default=4)
    parser.add_argument("--releases", action="store_true")
    given = parser.parse_args()
    if given.releases:
        evolving = [suite for name in given.suites if (suite := load(name)).releases]
        print(releases_table([follow(suite) for suite in evolving]))
        return 0
    rows = [measure(fetch(load(name)), runs=given.runs) for name in given.suites]
    print(table(rows))
    return 1 if any(row["problems"] for row in rows) else 0


def follow(newest: Suite) -> dict[str, Any]:
    """Each release of a suite once: what the published policies would save over them, and what ours does.

    Ours runs live, the same server on both sides, with one ledger: on new code it repeats tests on the
    candidate to learn what varies in them, and recorded runs hold no such repetition.
    """
    releases = [fetch(suite) for suite in (*newest.past, newest)]
    prepare(newest)
    made: list[dict[str, int]] = []
    with tempfile.TemporaryDirectory(prefix="likewise-hybrid-") as folder:
        recorded, live = Path(folder) / "recorded", Path(folder) / "live"
        for suite in releases:
            work = take_over(suite, recorded)
            say(suite, f"recording {suite.version}")
            run(suite, work, "--likewise")
            made.append(prove(suite, take_over(suite, live)))
        say(newest, "counting what the published policies save")
        differing = find_differing(newest, take_over(newest, Path(folder) / "both"))
        saved = simulate(newest, work, differing)
    calls, asked = (sum(each[name] for each in made[1:]) for name in ("calls", "reference_calls"))
    return {
        "suite": newest.package,
        "versions": [suite.version for suite in releases],
        "calls": calls,
        "shares": {policy: saved[policy]["share"] for policy in POLICIES} | {"context": 1 - asked / calls},
    }


def take_over(suite: Suite, place: Path) -> Path:
    """The suite in this place instead of the release before it, whose ledger it goes on with."""
    kept, work = place.with_suffix(".kept"), place / suite.directory
    if place.exists():
        shutil.move(next(place.rglob(".likewise")), kept)
        shutil.rmtree(place)
    shutil.copytree(suite.source, place, symlinks=True)
    if kept.exists():
        shutil.move(kept, work / ".likewise")
    configure(suite, work, reference=same_side(suite))
    return work


def prove(suite: Suite, work: Path) -> dict[str, int]:
    """What a live run of one release asked of the reference."""
    say(suite, f"live run of {suite.version}, the same server on both sides")
    spending: dict[str, int] = run(suite, work, "--likewise", "--likewise-verify")["spending"]
    return spending


def prepare(suite: Suite) -> None:
    """Install the servers that a suite is run on."""
    for server in ("moto", "ministack") if same_side(suite) == "moto" else ("azurite",):
        install = [str(suite.python), "-m", "likewise.cloud.targets", "install", server]
        subprocess.run(install, check=True, stdout=sys.stderr)


def measure(suite: Suite, *, runs: int) -> dict[str, Any]:
    """Everything about one suite."""
    prepare(suite)
    with tempfile.TemporaryDirectory(prefix="likewise-hybrid-") as folder:
        place = Path(folder) / "suite"
        shutil.copytree(suite.source, place, symlinks=True)
        work = place / suite.directory
        differing = find_differing(suite, work)
        configure(suite, work, reference=same_side(suite))
        for number in range(runs):
            say(suite, f"recording run {number + 1} of {runs}")
            run(suite, work, "--likewise")
        saved = simulate(suite, work, differing)
        shutil.rmtree(work / ".likewise")
        problems: list[str] = []
        live = [verify(suite, work, number, problems) for number in (1, 2)]
        made = sum(each["made"] for each in live)
        combined = sum(each["calls"] - each["saved"] for each in saved["combined"]["runs"][: len(live)])
        if made >= combined or saved["context"]["share"] < saved["combined"]["share"]:
            problems.append("the context does not beat the combined policy")
    return {
        "suite": f"{suite.package} {suite.version}",
        "saved": saved,
        "live": live,
        "both": f"{made} / {combined}",
        "differing": differing,
        "problems": problems,
    }


def configure(suite: Suite, work: Path, *, reference: str) -> None:
    """The only change to a suite: its configuration of Likewise."""
    candidate = "mock_aws" if suite.endpoint["kind"] == "mock_aws" else same_side(suite)
    source = str(suite.endpoint.get("reroute", ""))
    services = [service.removeprefix("azure.") for service in suite.services]
    lines = [f'candidate = "{candidate}"', f'reference = "{reference}"', "audit_share = 0.0"]
    lines += [f"services = {json.dumps(services)}", "budget = 1000000"]
    lines += [f"reroute = {json.dumps([source])}"] if source else []
    (work / "likewise.toml").write_text("\n".join(lines) + "\n")


def same_side(suite: Suite) -> str:
    """The server that stands on both sides."""
    return "azurite" if suite.services[0].startswith("azure") else "moto"


def find_differing(suite: Suite, work: Path) -> list[str]:
    """The operations of the suite that another implementation answers differently; none for Azure."""
    if same_side(suite) != "moto":
        return []
    say(suite, "finding the operations that differ between moto and MiniStack")
    configure(suite, work, reference="ministack")
    result = run(suite, work, "--likewise", "--likewise-both")
    shutil.rmtree(work / ".likewise")
    found = {each["operation"] for test in result["tests"] for each in test["discrepancies"]}
    return sorted(found)


def verify(suite: Suite, work: Path, number: int, problems: list[str]) -> dict[str, int]:
    """A live run with the same server on both sides."""
    say(suite, f"live run {number} of 2, the same server on both sides")
    result = run(suite, work, "--likewise", "--likewise-verify")
    standings = [test["standing"] for test in result["tests"]]
    made = result["spending"]["reference_calls"]
    found = {name: standings.count(name) for name in sorted(set(standings))}
    if found.get("discrepant"):
        problems.append(f"run {number}: {found['discrepant']} discrepant")
    if number > 1 and made:
        problems.append(f"run {number}: {made} reference calls")
    return {"calls": result["spending"]["calls"], "made": made, **found}


def run(suite: Suite, work: Path, *more: str) -> Any:
    """Run the suite under Likewise and return what it concluded."""
    report = work / ".report.json"
    report.unlink(missing_ok=True)
    command = suite.command("-q", "-p", "no:cacheprovider", *more, f"--likewise-json={report}")
    done = subprocess.run(command, cwd=work, env=suite.environ(), capture_output=True, text=True, check=False)
    if not report.is_file():
        sys.exit(f"{suite.name}: no report. {done.stdout[-3000:]}{done.stderr[-2000:]}")
    return json.loads(report.read_text())


def simulate(suite: Suite, work: Path, differing: list[str]) -> dict[str, Any]:
    """What every policy would have saved over the recorded runs."""
    known = work / ".differing"
    known.write_text("\n".join(differing))
    folder = work / ".likewise" / "recordings"
    command = [str(suite.python), "-m", "likewise.cli", "simulate", *map(str, sorted(folder.iterdir()))]
    command += ["--json", *(["--discrepant", str(known)] if differing else [])]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=REPOSITORY)
    if done.returncode:
        sys.exit(f"{suite.name}: {done.stderr}")
    return dict(json.loads(done.stdout)["policies"])


def table(rows: list[dict[str, Any]]) -> str:
    """All suites in one Markdown table."""
    heads = [
        "suite",
        "calls a run",
        *(f"{policy} cold / warm" for policy in POLICIES),
        "live: cold, warm",
        "made in both: context / combined",
    ]
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    for row in rows:
        saved = row["saved"]
        cells = [row["suite"], str(saved["context"]["runs"][-1]["calls"])]
        cells += [shares(saved[policy]) for policy in POLICIES]
        cells.append(", ".join(f"{each['made']} of {each['calls']}" for each in row["live"]))
        cells.append(row["both"])
        lines.append("| " + " | ".join(cells) + " |")
    for row in rows:
        lines += [f"\n{row['suite']}: {problem}" for problem in row["problems"]]
        lines.append(f"\n{row['suite']}: differing operations given: {', '.join(row['differing']) or 'none'}")
    return "\n".join(lines)


def releases_table(rows: list[dict[str, Any]]) -> str:
    """What is saved from release to release, the first one left out, in one Markdown table."""
    heads = ["suite", "releases", "calls", *POLICIES]
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    for row in rows:
        cells = [row["suite"], ", ".join(row["versions"]), str(row["calls"])]
        cells += [f"{row['shares'][policy]:.1%}" for policy in POLICIES]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def shares(count: dict[str, Any]) -> str:
    """The share of reference calls saved with the first run in and without it."""
    runs = count["runs"]
    calls, saved = sum(each["calls"] for each in runs), sum(each["saved"] for each in runs)
    return f"{saved / calls if calls else 0:.1%} / {count['share']:.1%}"


def say(suite: Suite, what: str) -> None:
    """Progress, apart from the result."""
    print(f"{suite.name}: {what}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
