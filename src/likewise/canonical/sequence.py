"""The whole masked sequence of a test, as the published monitoring policy compares it."""

from __future__ import annotations

from likewise.canonical.hashing import fingerprint
from likewise.canonical.leaves import leaves
from likewise.canonical.tokens import TIME, build_of, looks_random, pieces
from likewise.model import Fingerprint, Trace


def masked_sequence(trace: Trace) -> tuple[Fingerprint, ...]:
    """One fingerprint per call, in order: times masked, generated values numbered as they first appear."""
    aliases: dict[str, str] = {}
    found: list[Fingerprint] = []
    for interaction in trace.interactions:
        parts = [str(interaction.operation)]
        for place, leaf in leaves(interaction.arguments):
            literals, tokens = pieces(leaf)
            parts += (place, *literals)
            for token in tokens:
                if token.startswith(TIME):
                    parts.append("⟨time⟩")
                elif looks_random(token):
                    parts.append(aliases.setdefault(token, f"⟨{len(aliases)} {build_of(token)}⟩"))
                else:
                    parts.append(token)
        found.append(fingerprint(parts))
    return tuple(found)
