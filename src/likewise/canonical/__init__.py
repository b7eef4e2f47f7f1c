"""Make recordings comparable: redact, cut into tokens, learn what varies, key each call in its context."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.model.late import late as _late

if TYPE_CHECKING:
    from likewise.canonical.answers import answer_fingerprint, canonical_answer
    from likewise.canonical.familiarity import Cursors, Familiarity, no_cursors, operations_in, sketch
    from likewise.canonical.hashing import VERSION, fingerprint
    from likewise.canonical.keys import World, key_world
    from likewise.canonical.sequence import masked_sequence
    from likewise.canonical.tokens import are_times

__all__ = [
    "VERSION",
    "Cursors",
    "Familiarity",
    "World",
    "answer_fingerprint",
    "are_times",
    "canonical_answer",
    "fingerprint",
    "key_world",
    "masked_sequence",
    "no_cursors",
    "operations_in",
    "sketch",
]

__getattr__ = _late(
    __name__,
    {
        "familiarity": ("Cursors", "Familiarity", "no_cursors", "operations_in", "sketch"),
        "hashing": ("VERSION", "fingerprint"),
        "answers": ("answer_fingerprint", "canonical_answer"),
        "keys": ("World", "key_world"),
        "sequence": ("masked_sequence",),
        "tokens": ("are_times",),
    },
)
