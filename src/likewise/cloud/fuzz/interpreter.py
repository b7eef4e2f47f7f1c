"""How Python itself behaves while a campaign goes on."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

SWITCH = 0.0005
"""Seconds after which a thread that thinks lets another go on: those that talk to the servers have little to
do at a time, and a server that waits for its next call waits for them."""


@contextmanager
def attentive() -> Iterator[None]:
    """Threads that wait for servers go on at once, and nobody looks for garbage in what is there to stay.

    Models, grammars and clients are many objects: to go through all of them again and again takes long, and
    everybody has to wait for it.
    """
    before = sys.getswitchinterval()
    sys.setswitchinterval(min(SWITCH, before))
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
        sys.setswitchinterval(before)
