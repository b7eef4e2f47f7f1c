"""Objects as data: what is looked at twice is the same thing unless somebody changed it."""

from __future__ import annotations

import gc

from likewise.library.values import Values, is_changed


class Thing:
    """Nothing is known of it but its identity."""


def test_an_object_that_is_no_longer_new_has_not_changed() -> None:
    values = Values()
    values.data(Thing())
    gc.collect()  # one of the type has died, so that the next may be the same thing again
    held = [Thing()]
    before, now = values.data(held), values.data(held)
    assert before != now
    assert not is_changed(before, now)
    held.append(Thing())
    assert is_changed(before, values.data(held))
