"""Is there a sequence of two calls that shows what a reproducer of three or more shows?

    python benchmarks/fuzz/shortest.py SERVICE:CANDIDATE:REFERENCE LOG

Of each finding in a campaign's log whose reproducer has more than two calls, the last call is made on fresh
names with nothing before it, and after every single other call of the reproducer. What shows the same then
has a shorter reproducer than it was given.
"""

from __future__ import annotations

import argparse
import statistics
from pathlib import Path

from pairs import order_for

from likewise.cloud.fuzz.differences.judging import Judge, generalised
from likewise.cloud.fuzz.findings import Finding
from likewise.cloud.fuzz.grammar import load
from likewise.cloud.fuzz.hints import hints_of
from likewise.cloud.fuzz.inquiry.inquiry import Inquiry
from likewise.cloud.fuzz.inquiry.shortening import kept, leaned
from likewise.cloud.fuzz.log import read
from likewise.cloud.fuzz.planning.plans import Planner
from likewise.cloud.fuzz.session import opened
from likewise.cloud.fuzz.sides.execution import Case, Probe


def main() -> None:
    """Try every shorter sequence of every longer reproducer."""
    parser = argparse.ArgumentParser()
    parser.add_argument("pair")
    parser.add_argument("log", type=Path)
    options = parser.parse_args()
    findings = read([options.log]).ranked()
    longer = [each for each in findings if len(each.sequence) > 2]
    order = order_for(options.pair, seed=1, budget=100_000, log=Path("unused"))
    with opened(order) as (pair, _):
        patterns = (pair.reference.pattern, pair.candidate.pattern)
        judge = Judge(patterns, (pair.reference.endpoint, pair.candidate.endpoint))
        inquiry = Inquiry(pair, judge, Planner(load(order.service), hints_of(order.service)))
        shown = [each for each in longer if is_shown_by(inquiry, each, forms(each)[-1])]
        shorter = [each for each in shown if any(is_shown_by(inquiry, each, it) for it in forms(each)[:-1])]
    lengths = [2 if each in shorter else len(each.sequence) for each in findings]
    print(
        f"{len(findings)} findings, median {statistics.median(len(each.sequence) for each in findings)} calls"
    )
    print(f"{len(longer)} in more than two calls, {len(shown)} of them shown again")
    print(f"{len(shorter)} of these show in two calls as well; median then {statistics.median(lengths)}")
    for each in shorter:
        print(f"    {each.operation}: {each.kind} {each.place} {[call.operation for call in each.sequence]}")


def forms(finding: Finding) -> list[Case]:
    """The last call of a reproducer with nothing or one call before it, and at last as it is."""
    *setup, last = finding.sequence
    probe = Probe(call=last)
    whole = tuple(setup)
    orders = [[], *([number] for number in range(len(setup)))]
    shorter = [kept(whole, order) for order in orders]
    return [
        *(Case(setup=each, probes=(leaned(probe, whole, each),)) for each in shorter),
        Case(setup=whole, probes=(probe,)),
    ]


def is_shown_by(inquiry: Inquiry, finding: Finding, case: Case) -> bool:
    """Whether a sequence shows what a finding says: a refusal for another reason is another finding."""
    said = (generalised(finding.reference), generalised(finding.candidate))
    return any(
        (str(gap.difference), gap.place) == (finding.kind, finding.place)
        and str(gap.implication) == finding.implication
        and gap.signature[3:] in ((), said)
        for gap in inquiry.look(case).gaps
    )


if __name__ == "__main__":
    main()
