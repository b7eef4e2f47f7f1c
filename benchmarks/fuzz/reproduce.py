"""Does every reproducer of a catalogue run and show a difference?

    python benchmarks/fuzz/reproduce.py SERVICE --candidate moto --reference ministack LOG…

Runs the generated scripts' own code against freshly started servers.
"""

from __future__ import annotations

import argparse
import json
import uuid
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
    services = frozenset({options.service})
    with (
        targets.start(targets.find(options.candidate), role=Role.CANDIDATE, services=services) as candidate,
        targets.start(targets.find(options.reference), role=Role.REFERENCE, services=services) as reference,
    ):
        urls = str(reference.endpoint(options.service)), str(candidate.endpoint(options.service))
        failed = [finding for finding in findings if not shows(finding, urls)]
    for finding in failed:
        print(f"not shown: {finding.operation} {finding.kind} {finding.place} {finding.hash}")
    print(json.dumps({"reproducers": len(findings), "shown": len(findings) - len(failed)}))


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
