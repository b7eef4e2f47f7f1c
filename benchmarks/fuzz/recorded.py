"""Write the catalogue of a candidate against recorded answers of the real service.

    python benchmarks/fuzz/recorded.py --candidate azurite --name azure-recorded-azurite FILE…

FILEs are cases with recorded answers, as `likewise corpus check` takes them. A page goes to docs/findings
with every case that differs when it is checked, and once more when it is checked apart from the others.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

FINDINGS = Path(__file__).parents[2] / "docs" / "findings"
HARM = ("UNSAFE", "WRONG_RESULT", "FALSE_ALARM", "MISLEADING")


def main() -> None:
    """Check all cases, write those that differ, and check these once more."""
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--candidate", required=True)
    parser.add_argument("--name", required=True)
    parser.add_argument("--version", default="", help="The candidate's, for the page.")
    parser.add_argument("--into", type=Path, default=FINDINGS)
    options = parser.parse_args()
    verdicts = check(options.files, options.candidate)
    cases = {case["id"]: case for file in options.files for case in json.loads(file.read_text())}
    differing = [cases[each["id"]] for each in verdicts if each["verdict"] == "differs"]
    with tempfile.TemporaryDirectory() as folder:
        apart = Path(folder) / "differing.json"
        apart.write_text(json.dumps(differing))
        again = {each["id"]: each for each in check([apart], options.candidate)}
    shown = [case for case in differing if again[case["id"]]["verdict"] == "differs"]
    shown.sort(key=lambda case: (HARM.index(again[case["id"]]["implication"]), case["id"]))
    page = [*head(options, verdicts, len(shown)), *(line for case in shown for line in entry(case, again))]
    (options.into / f"{options.name}.md").write_text("\n".join(page))
    print(json.dumps({"cases": len(verdicts), "differ": len(differing), "shown_again": len(shown)}))


def check(files: list[Path], candidate: str) -> list[dict[str, Any]]:
    """The verdicts of `likewise corpus check`."""
    command = [sys.executable, "-m", "likewise.cli", "corpus", "check", *map(str, files)]
    ran = subprocess.run(
        [*command, "--candidate", candidate, "--json"], capture_output=True, text=True, check=False
    )
    found: list[dict[str, Any]] = json.loads(ran.stdout)["cases"]
    return found


def head(options: argparse.Namespace, verdicts: list[dict[str, Any]], shown: int) -> list[str]:
    """What the page is about."""
    counts = Counter(each["verdict"] for each in verdicts)
    said = ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items()))
    return [
        f"# {options.candidate} against recorded answers of the real service",
        "",
        f"Candidate {options.candidate} {options.version}; {len(verdicts)} recorded cases: {said}.",
        f"These {shown} differ, each time that they are checked; with the recordings at hand:",
        "",
        f"    likewise corpus check FILE… --candidate {options.candidate}",
        "",
    ]


def entry(case: dict[str, Any], verdicts: dict[str, dict[str, Any]]) -> list[str]:
    """One case."""
    verdict = verdicts[case["id"]]
    steps = " → ".join(step["op"] for step in case["sequence"])
    return [
        f"## {case['id']} ({verdict['implication'].replace('_', ' ').lower()})",
        "",
        f"- {verdict['reason']}",
        f"- {steps}",
        f"- recorded in {case.get('source', 'an unnamed place')}",
        "",
    ]


if __name__ == "__main__":
    main()
