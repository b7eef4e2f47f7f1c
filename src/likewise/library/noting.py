"""The recorder with its hot parts in C where these can be had: data.c and noting.c, which note the same.

Each class of Python's extends the type of its name in C, whose methods come first.
"""

from __future__ import annotations

import itertools
import sys
from types import ModuleType
from typing import Any

from likewise.library import lanes, observing, reading, recorder, values
from likewise.library.crossing import Kind
from likewise.library.targets import NOTHING
from likewise.model import Returned

LIMITS = {
    name: getattr(module, name)
    for module, names in (
        (values, ("DEEP", "LONG", "MANY", "NODES", "HELD")),
        (recorder, ("KEEP", "KEEP_BESIDE", "FOLD", "SHORT")),
    )
    for name in names
}


def recorder_of(native: ModuleType | None) -> type[recorder.Recorder]:
    """The recorder's class, in C as far as the compiled module goes."""
    if native is None:
        return recorder.Recorder
    native.equip(_python(), LIMITS)
    made_values = type("Values", (native.Values, values.Values), {})
    made_running = type("Running", (native.Running, recorder.Running), {"make_values": made_values})
    return type("Recorder", (native.Recorder, recorder.Recorder), {"make_running": made_running})


def _python() -> dict[str, Any]:
    """What the C part asks Python for, by the names that it knows."""
    return {
        "readers": reading.READERS,
        "learn": reading.learn,
        "opaque": reading.opaque,
        "long_text": values.long_text,
        "long_bytes": values.long_bytes,
        "long_int": values.long_int,
        "state": observing.state,
        "public": observing.public,
        "is_changed": values.is_changed,
        "rest": recorder.rest_of,
        "counted": recorder.COUNTED,
        "nothing": NOTHING,
        "call": Kind.CALL,
        "read": Kind.READ,
        "callback": Kind.CALLBACK,
        "yield": Kind.YIELD,
        "returned": Returned,
        "unseen": recorder.UNSEEN,
        "positions": recorder.POSITIONS,
        "count": itertools.count,
        "digest": recorder.short_digest,
        "modules": sys.modules,
        "is_looping": lanes.is_looping,
    }
