"""Work that makes many objects and little garbage."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def growing_heap() -> Iterator[None]:
    """Keep the collector from looking again and again at a growing heap that holds no garbage.

    What was made meanwhile counts as old afterwards, so that the collector does not go through it at once.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        if not gc.get_freeze_count():  # else somebody else has frozen objects, which must stay so
            gc.freeze()
            gc.unfreeze()
        gc.enable()
