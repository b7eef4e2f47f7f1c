"""Are seeded differences found, minimised and classified right, and is nothing else reported?

    python benchmarks/fuzz/seeded.py [--budget 5000] [--seed 1] [--keep FOLDER] [SERVICE[:GROUP]…]

All seeds of a service's group are active at once in front of the reference; the candidate is the plain
server. The second to fourth groups, whose seeds hide what others would show, get half the budget. A seed
whose rule never took effect is said to be so: no call met its condition, or the server does not do such
a thing at all.

Strictly, a seed is found where a finding names its operation, the kind of difference, the implication, the
cause and the manifestation, in at most four calls (more where a seed says that fewer cannot show it), and
every other finding is a wrong report. More loosely, it is found where any finding names its operation, and
other findings for seeded operations stand beside.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "cloud" / "fuzz"))

from seeds import ALL, Seed

from likewise.cloud import targets
from likewise.cloud.fuzz.findings import Finding
from likewise.cloud.fuzz.log import read
from likewise.cloud.fuzz.session import Order, addressed, run_worker
from likewise.cloud.rewriting import RewritingServer
from likewise.model import Role

WHOLE = (1, *range(5, 19))
"""Groups of many seeds, which get the whole budget."""
SERVERS = {"s3": "moto", "dynamodb": "moto", "blob": "azurite", "queue": "azurite", "table": "azurite"}


def main() -> None:
    """Run the services one after the other and print a line for each seed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("services", nargs="*", default=list(SERVERS))
    parser.add_argument("--budget", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="where the logs go")
    options = parser.parse_args()
    totals = dict.fromkeys(("seeds", "strictly", "loosely", "wrong strictly", "wrong loosely", "longest"), 0)
    with ExitStack() as stack:
        folder = options.keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        for each in options.services:
            service, _, group = each.partition(":")
            groups = sorted({seed.group for seed in ALL if seed.service == service})
            for number in [int(group)] if group else groups:
                budget = options.budget if number in WHOLE else options.budget // 2
                measure(service, number, budget, options.seed, totals, folder)
    print(json.dumps(totals))


def measure(service: str, group: int, budget: int, number: int, totals: dict[str, int], folder: Path) -> None:
    """One group of one service: all its seeds at once."""
    seeds = [each for each in ALL if each.service == service and each.group == group]
    began = time.monotonic()
    log = folder / f"{service}-{group}.jsonl"
    log.unlink(missing_ok=True)
    findings, hits = campaign(service, seeds, budget, number, log=log)
    for place, each in enumerate(seeds):
        fitting = [found for found in findings if found.operation in each.operations]
        right = [found for found in fitting if fits(each, found)]
        totals["seeds"] += 1
        totals["loosely"] += bool(fitting)
        totals["strictly"] += bool(right)
        said = right[0] if right else fitting[0] if fitting else None
        word = "right" if right else "WRONG" if fitting else "MISSED" if str(place) in hits else "UNMET"
        shown = f"{said.kind}, {said.implication}, {said.manifestation}, {said.cause}" if said else ""
        print(f"  {word:6} {each.category:14} {each.operations[0]:28} {shown}")
    for found in findings:
        totals["longest"] = max(totals["longest"], len(found.sequence))
        if any(fits(each, found) for each in seeds):
            continue
        is_seeded = any(found.operation in each.operations for each in seeds)
        totals["wrong strictly"] += 1
        totals["wrong loosely"] += not is_seeded
        steps = " ".join(call.operation for call in found.sequence)
        said = f"{found.kind} {found.place}, {found.implication}, {found.manifestation}, {found.cause}"
        word = "beside" if is_seeded else "STRANGER"
        why = f"[{steps}] {found.condition}"
        print(f"  {word} {found.operation}: {said}: {found.reference} | {found.candidate} {why}")
    print(f"{service}:{group}: {len(findings)} findings in {time.monotonic() - began:.0f} s", flush=True)


def fits(seed: Seed, found: Finding) -> bool:
    """Whether a finding says what is to be said about a seed."""
    return (
        found.operation in seed.operations
        and len(found.sequence) <= seed.longest
        and (not seed.implication or found.implication.upper().replace(" ", "_") == seed.implication)
        and (not seed.causes or found.cause in seed.causes)
        and (not seed.manifestations or found.manifestation in seed.manifestations)
        and (not seed.kinds or found.kind in seed.kinds)
        and seed.where in f"{found.parameter} {found.place}"
    )


def campaign(
    service: str, seeds: list[Seed], budget: int, number: int, log: Path
) -> tuple[list[Finding], set[str]]:
    """The findings of one campaign against the seeded reference, and the seeds that took effect."""
    rules = [replace(each.rule, name=str(place)) for place, each in enumerate(seeds)]
    spec = targets.find(SERVERS[service])
    with (
        targets.start(spec, role=Role.CANDIDATE, services=frozenset({service})) as candidate,
        targets.start(spec, role=Role.REFERENCE, services=frozenset({service})) as below,
        RewritingServer(str(below.endpoint(service)), rules, service=service) as front,
    ):
        order = Order(
            service=service,
            candidate=addressed(candidate, service),
            reference=f"{service}+{front.url}",
            seed=number,
            budget=budget,
            log=str(log),
            ours=True,
        )
        run_worker(order)
        return read([log]).ranked(), set(front.hits)


if __name__ == "__main__":
    main()
