"""What of a set-up still stands after a call, and what the next one replaces anyway."""

from __future__ import annotations

import re
from collections.abc import Sequence

from likewise.cloud.fuzz.calls import Call, Name, placeholders

_REPEATABLE = re.compile(
    r"Put(?!Object(LegalHold|Retention|LockConfiguration)|BucketVersioning)|CopyObject|UploadPart|"
    r"BlockBlob_Upload|\w+_Set"
)
_LASTING = re.compile(
    r"Lock|LegalHold|Retention|Versioning|Delete(Bucket|Table)|Container_Delete|Lease|UploadPart|Snapshot"
)
"""What stays, or takes everything with it, whatever is put there afterwards."""
_CONDITION = re.compile(r"^(if_|If[A-Z]|etag$|match_condition$|lease_id$|Expected)|Condition")
"""Parameters that ask what is there before anything is put there."""
_PLACES = ("endpoint", "prefix")


def is_replaced(call: Call, *following: Call) -> bool:
    """Whether the next call of the operation replaces all that this one did: then no new set-up is needed.

    Findings are confirmed from scratch in any case.
    """
    return (
        bool(_REPEATABLE.match(call.operation))
        and all(each.operation == call.operation for each in following)
        and not any(_CONDITION.search(name) for each in following for name in each.params)
        and not any("ObjectLock" in name for name in call.params)
    )


def kept_calls(setup: Sequence[Call], call: Call, top: str) -> int:
    """How many calls of a set-up need not be made again after a call: what lies inside is put there anew.

    `top` is the kind of thing that contains the others.
    """
    kinds = {each.kind for each in placeholders(call.params) if isinstance(each, Name)}
    operations = " ".join(each.operation for each in (*setup, call))
    if not top or not kinds - {top, *_PLACES} or _LASTING.search(operations):
        return 0
    kept = len(setup)
    while kept and _REPEATABLE.match(setup[kept - 1].operation):
        kept -= 1
    return kept if 0 < kept < len(setup) else 0


def in_full(setup: tuple[Call, ...], write: Call, call: Call, top: str) -> tuple[Call, ...]:
    """The calls before one in a context that goes on after a `write`, which should not matter to it.

    Nothing where no context does: then each call has a set-up of its own.
    """
    if is_replaced(write, call):
        return (*setup, write)
    kept = kept_calls(setup, write, top)
    return (*setup, write, *setup[kept:]) if kept else ()
