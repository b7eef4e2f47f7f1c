"""Make recordings comparable: redact, cut into tokens, learn what varies, key each call in its context."""

from likewise.canonical.familiarity import Familiarity, sketch
from likewise.canonical.fingerprint import VERSION, fingerprint
from likewise.canonical.forms import answer_fingerprint, canonical_answer
from likewise.canonical.keys import World, key_world
from likewise.canonical.sequence import masked_sequence

__all__ = [
    "VERSION",
    "Familiarity",
    "World",
    "answer_fingerprint",
    "canonical_answer",
    "fingerprint",
    "key_world",
    "masked_sequence",
    "sketch",
]
