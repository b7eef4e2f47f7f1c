"""Does every reproducer of a catalogue run and show a difference?

    python benchmarks/fuzz/reproduce.py SERVICE --candidate moto --reference ministack LOG…

Runs the generated scripts' own code against freshly started servers.
"""

from __future__ import annotations

import argparse
import json
import uuid
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from likewise.cloud import targets
from likewise.cloud.fuzz.findings import Finding
from likewise.cloud.fuzz.log import read
from likewise.cloud.fuzz.reproducers import script
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
            urls = tuple(str(sides[role].endpoint(service)) for role in (Role.REFERENCE, Role.CANDIDATE))
            if shows(finding, (urls[0], urls[1])):
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
    try:
        ours, theirs = (
            module["sequence"](module["connect"](url), url, uuid.uuid4().hex[:10]) for url in urls
        )
    except Exception as error:
        print(f"{finding.operation} {finding.hash}: {type(error).__name__}: {error}")
        return False
    match finding.kind:
        case "success" | "silence":
            return bool(ours["ok"] != theirs["ok"])
        case "error code":
            return bool(ours["code"] != theirs["code"])
        case "status":
            return bool(ours["status"] != theirs["status"])
        case "message":
            return bool(ours["message"] != theirs["message"])
    return bool(ours != theirs)


if __name__ == "__main__":
    main()
