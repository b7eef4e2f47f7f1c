"""What the answers to typical calls have in them."""

from __future__ import annotations

from dataclasses import dataclass, field

from likewise.cloud.fuzz.calls import Answer


@dataclass(slots=True)
class Usual:
    """The names of what a typical answer has in it, by operation."""

    names: dict[str, frozenset[str]] = field(default_factory=dict)

    def note(self, operation: str, answer: Answer) -> None:
        """Take in the answer to a typical call."""
        if answer.success:
            self.names[operation] = _filled(answer)

    def is_all_in(self, operation: str, answer: Answer) -> bool:
        """Whether an answer has all that a typical one has: a count of things says nothing of their order."""
        return self.names.get(operation, frozenset()) <= _filled(answer)


def _filled(answer: Answer) -> frozenset[str]:
    return frozenset(name for name, value in answer.fields.items() if value not in (None, "", [], {}))
