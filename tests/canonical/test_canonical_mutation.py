"""What keeps it honest: whatever changes in a test is noticed, whatever does not matter is not.

Two clean runs of generated tests are proved; a third, changed one is decided on. A change is noticed if
at least one call of the changed test is not known to be answered equally. Names, identifiers and times
are new in every run. A write that nobody can have felt is dropped without notice, and rightly so: the
last one to a thing (these are not tried), or one after which the test asks only what it asked before it.
"""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from proofs import doubts
from traffic import CHANGES, SERVERS, changed, draw_script, play

SCRIPTS = 45
AT_LEAST = {
    "changed literal": 1.0,
    "dropped write": 0.86,
    "duplicated write": 1.0,
    "conflicting swap": 1.0,
}
AT_MOST = {"no change": 0.0, "independent swap": 0.04}


@pytest.mark.parametrize("service", SERVERS)
def test_changes_are_noticed_and_only_changes(service: str) -> None:
    tried: Counter[str] = Counter()
    noticed: Counter[str] = Counter()
    missed: dict[str, list[int]] = {}
    for seed in range(SCRIPTS):
        script = draw_script(service, seed)
        clean = [play(service, script, seed=3 * seed), play(service, script, seed=3 * seed + 1)]
        random = Random(seed)
        for change in ("no change", *CHANGES):
            other = script if change == "no change" else changed(service, script, change, random)
            if other is None:
                continue
            found = doubts(clean, play(service, other, seed=3 * seed + 2))
            tried[change] += 1
            noticed[change] += bool(found)
            if bool(found) is (change in AT_MOST):
                missed.setdefault(change, []).append(seed)
    rates = {change: noticed[change] / tried[change] for change in tried}
    report = f"{service}: " + ", ".join(f"{change} {rate:.1%}" for change, rate in rates.items())
    assert min(tried.values()) >= SCRIPTS // 2, report
    for change, rate in AT_LEAST.items():
        assert rates[change] >= rate, f"{report}; {change} went unnoticed in scripts {missed[change]}"
    for change, rate in AT_MOST.items():
        assert rates[change] <= rate, f"{report}; {change} raised an alarm in scripts {missed[change]}"
