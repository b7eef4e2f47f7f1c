"""Are seeded differences found, minimised and classified right, and is nothing else reported?

    python benchmarks/fuzz/seeded.py [--budget 5000] [--seed 1] [SERVICE…]

All seeds of a service are active at once in front of the reference; the candidate is the plain server.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "cloud" / "fuzz"))

from fuzz_seeds import SEEDS, Seed

from likewise.cloud import targets
from likewise.cloud.fuzz.findings import Finding
from likewise.cloud.fuzz.log import read
from likewise.cloud.fuzz.session import Order, addressed, run_worker
from likewise.cloud.rewriting import RewritingServer
from likewise.model import Role

SERVERS = {"s3": "moto", "dynamodb": "moto", "blob": "azurite", "queue": "azurite", "table": "azurite"}


def main() -> None:
    """Run the services one after the other and print a line for each seed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("services", nargs="*", default=list(SERVERS))
    parser.add_argument("--budget", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    totals = {"seeds": 0, "found": 0, "right": 0, "strangers": 0, "longest": 0}
    for service in options.services:
        measure(service, options.budget, options.seed, totals)
    print(json.dumps(totals))


def measure(service: str, budget: int, number: int, totals: dict[str, int]) -> None:
    """One service: all its seeds at once."""
    seeds = [each for each in SEEDS if each.service == service]
    began = time.monotonic()
    findings = campaign(service, seeds, budget, number)
    named = {operation for each in seeds for operation in each.operations}
    strangers = [each for each in findings if each.operation not in named]
    for each in seeds:
        fitting = [found for found in findings if found.operation in each.operations]
        right = [found for found in fitting if fits(each, found)]
        totals["seeds"] += 1
        totals["found"] += bool(fitting)
        totals["right"] += bool(right)
        totals["longest"] = max([totals["longest"], *(len(found.sequence) for found in right[:1])])
        said = right[0] if right else fitting[0] if fitting else None
        word = "right" if right else "WRONG" if fitting else "MISSED"
        shown = f"{said.kind}, {said.implication}, {said.manifestation}, {said.cause}" if said else ""
        print(f"  {word:6} {each.category:14} {each.operations[0]:28} {shown}")
    for found in strangers:
        totals["strangers"] += 1
        print(
            f"  STRANGER {found.operation}: {found.kind} {found.place} {found.reference} | {found.candidate}"
        )
    print(f"{service}: {len(findings)} findings in {time.monotonic() - began:.0f} s")


def fits(seed: Seed, found: Finding) -> bool:
    """Whether a finding says what is to be said about a seed."""
    return (
        (not seed.implication or found.implication.upper().replace(" ", "_") == seed.implication)
        and (not seed.causes or found.cause in seed.causes)
        and (not seed.manifestations or found.manifestation in seed.manifestations)
    )


def campaign(
    service: str, seeds: list[Seed], budget: int, number: int, operations: tuple[str, ...] = ()
) -> list[Finding]:
    """The findings of one campaign against the seeded reference."""
    spec = targets.find(SERVERS[service])
    with (
        tempfile.TemporaryDirectory() as folder,
        targets.start(spec, role=Role.CANDIDATE, services=frozenset({service})) as candidate,
        targets.start(spec, role=Role.REFERENCE, services=frozenset({service})) as below,
        RewritingServer(
            str(below.endpoint(service)), [each.rule for each in seeds], service=service
        ) as front,
    ):
        log = Path(folder) / "log.jsonl"
        order = Order(
            service=service,
            candidate=addressed(candidate, service),
            reference=f"{service}+{front.url}",
            seed=number,
            budget=budget,
            operations=operations,
            log=str(log),
            ours=True,
        )
        run_worker(order)
        return read([log]).ranked()


if __name__ == "__main__":
    main()
