"""What the ledger knows, under what is known to vary by now."""

from __future__ import annotations

from pathlib import Path

import pytest
from boxes import CLOUD, Suite, get, put

from likewise.canonical import VERSION, sketch
from likewise.decide import Rules, known_since
from likewise.model import Evidence, Origin, Role
from likewise.run.memory import Memory, index_rows
from likewise.store import open_ledger

TEST = "t1"
RULES = Rules(reference=str(CLOUD))


@pytest.mark.parametrize("codes", [("c1", "c1"), ("c0", "c1")], ids=["same code", "other code"])
def test_two_answers_are_none_if_they_differ_only_in_what_varies_on_the_same_code(
    tmp_path: Path, codes: tuple[str, str]
) -> None:
    """Rows of the index may be older than what is known to vary, which only runs of one code tell."""
    suite = Suite({TEST: (put("a"), get("a"))}, shared=True)  # its tag is new each time, its names are not
    with open_ledger(tmp_path / "ledger.sqlite") as ledger:
        for number in range(2):
            evidence = Evidence(
                test=TEST,
                run=f"proof {number}",
                origin=Origin.WHOLE,
                reference=CLOUD,
                when=float(number),
                traces=suite.record([TEST], Role.REFERENCE, run="proof", code="c1").traces,
                proved=(0, 1),
                canonical_version=VERSION,
            )
            ledger.add_evidence(evidence, index_rows(evidence, {}, frozenset()))
        for number, code in enumerate(codes):
            (trace,) = suite.record([TEST], Role.CANDIDATE, run="", code=code).traces
            ledger.add_sketches([sketch(trace, run=f"run {number}", code=code)])
        run = suite.record([TEST], Role.CANDIDATE, run="now", code="c2")
        memory = Memory(ledger, reference=CLOUD, rules=RULES)
        memory.learn(run)
        known = memory.look_up(run)
    is_known = known_since(known.readings.last(TEST).calls, known.answers, RULES) is not None
    assert (is_known, bool(known.ambiguous)) == ((True, False) if codes[0] == codes[1] else (False, True))
