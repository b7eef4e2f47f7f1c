"""How often Python looks for garbage while a run makes many objects that go by themselves."""

from __future__ import annotations

import gc
from threading import Lock


class PassingObjects:
    """Let the collector look less often while many objects come and go; several may ask for it at once.

    Garbage is still found, as soon as that many objects more were made than have gone.
    """

    MOST = 50_000

    def __init__(self) -> None:
        self._lock = Lock()
        self._users = 0
        self._before = 0

    def __enter__(self) -> None:
        """From the first one on."""
        with self._lock:
            self._users += 1
            often, *rest = gc.get_threshold()
            if self._users == 1 and 0 < often < self.MOST:
                self._before = often
                gc.set_threshold(self.MOST, *rest)

    def __exit__(self, *_: object) -> None:
        """As it was, after the last one, unless somebody else has changed it."""
        with self._lock:
            self._users -= 1
            often, *rest = gc.get_threshold()
            if self._users == 0 and self._before and often == self.MOST:
                gc.set_threshold(self._before, *rest)
                self._before = 0


passing_objects = PassingObjects()
"""Of this process."""
