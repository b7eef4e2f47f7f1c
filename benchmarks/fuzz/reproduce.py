"""Does every reproducer of a catalogue run and show a difference?

    python benchmarks/fuzz/reproduce.py SERVICE --candidate moto --reference ministack LOG…

Runs the generated scripts' own code against freshly started servers. A script shows a finding where both
answers are what the finding says, or, for a field, where the same place differs in the same way.
"""

from __future__ import annotations

import argparse
import json
import re
import uuid
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from likewise.cloud import targets
from likewise.cloud.fuzz.calls import Answer
from likewise.cloud.fuzz.catalogue.reproducers import script
from likewise.cloud.fuzz.differences.bonds import Bonds
from likewise.cloud.fuzz.differences.judging import Judge
from likewise.cloud.fuzz.findings import Finding
from likewise.cloud.fuzz.log import read
from likewise.cloud.fuzz.session import addressed
from likewise.cloud.fuzz.sides.aws import plain
from likewise.model import Role


def main() -> None:
    """Run them all and say which did not show what they say."""
    parser = argparse.ArgumentParser()
    parser.add_argument("service")
    parser.add_argument("logs", nargs="+", type=Path)
    parser.add_argument("--candidate", required=True)
    parser.add_argument("--reference", required=True)
    parser.add_argument("--every", type=int, default=1, help="Only every n-th finding.")
    options = parser.parse_args()
    findings = read(options.logs).ranked()[:: options.every]
    shown = reproduced(findings, options.service, options.candidate, options.reference)
    for finding in findings:
        if finding.hash not in shown:
            print(f"not shown: {finding.operation} {finding.kind} {finding.place} {finding.hash}")
    print(json.dumps({"reproducers": len(findings), "shown": len(shown)}))


def reproduced(findings: list[Finding], service: str, candidate: str, reference: str) -> set[str]:
    """The findings that their scripts show on freshly started servers; one that died is started again."""
    shown: set[str] = set()
    with ExitStack() as stack:
        sides = {
            role: start(stack, name, role, service)
            for role, name in ((Role.REFERENCE, reference), (Role.CANDIDATE, candidate))
        }
        for finding in findings:
            for role, name in ((Role.REFERENCE, reference), (Role.CANDIDATE, candidate)):
                if not sides[role].is_alive():
                    sides[role] = start(stack, name, role, service)
            reference_url, candidate_url = (
                addressed(sides[role], service).removeprefix(f"{service}+")
                for role in (Role.REFERENCE, Role.CANDIDATE)
            )
            if shows(finding, (reference_url, candidate_url)):
                shown.add(finding.hash)
    return shown


def start(stack: ExitStack, name: str, role: Role, service: str) -> targets.Running:
    """A server of ours, stopped at the end."""
    running = targets.start(targets.find(name), role=role, services=frozenset({service}))
    stack.callback(running.stop)
    return running


def shows(finding: Finding, urls: tuple[str, str]) -> bool:
    """Whether the script's two answers differ in what the finding says."""
    module: dict[str, Any] = {"__name__": "reproducer"}
    exec(compile(script(finding), finding.hash, "exec"), module)
    marks = (uuid.uuid4().hex[:10], uuid.uuid4().hex[:10])
    try:
        ours, theirs = (
            answer(module["sequence"](module["connect"](url), url, mark))
            for url, mark in zip(urls, marks, strict=True)
        )
    except Exception as error:
        print(f"{finding.operation} {finding.hash}: {type(error).__name__}: {error}")
        return False
    first, second = (re.compile(f"lw{mark}([a-z][a-z]|)") for mark in marks)
    judge = Judge((first, second), (module["plain"](urls[0]), module["plain"](urls[1])))
    gaps = judge.gaps(finding.shown_by, 0, ours, theirs, bonds=Bonds())
    same = [gap for gap in gaps if str(gap.difference) == finding.kind and gap.place == finding.place]
    if finding.kind == "identity":
        # Which values stand for each other only the whole sequence says.
        return ours.success and theirs.success
    if finding.kind in ("success", "error code", "status"):
        said = (finding.reference, finding.candidate)
        same = [gap for gap in same if (gap.reference, gap.candidate) == said]
    return bool(same)


def answer(shown: dict[str, Any]) -> Answer:
    """A script's answer as the fuzzer has it."""
    return Answer(
        success=shown["ok"],
        status=shown.get("status"),
        code=str(shown.get("code") or ""),
        message=str(shown.get("message") or ""),
        fields=plain(shown.get("fields", {})),
        silence=shown.get("silence", ""),
    )


if __name__ == "__main__":
    main()
