"""The three published policies: known discrepant operations, the whole sequence, and both."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from likewise.model import (
    DiscrepantOperations,
    Fingerprint,
    Interaction,
    NoDiscrepantOperations,
    Rerun,
    SequenceSeen,
    Trust,
    UnseenSequence,
    Value,
    Verdict,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Discrepant:
    """The operations known to differ; `None` means that nobody has looked yet, so any may."""

    names: frozenset[str] | None
    only_with: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Operations that are known to differ only where one of these arguments is given."""

    def excuses(self, call: Interaction) -> bool:
        """Whether a call of an operation that may differ is known to be outside every condition for it."""
        wanted = self.only_with.get(str(call.operation))
        if not wanted:
            return False
        given = {_plain(word) for word in _keys(call.arguments)}
        return not any(_plain(each) in word for each in wanted for word in given)

    def among(self, operations: Collection[str]) -> tuple[str, ...]:
        """Those of the operations that may differ; `s3.PutObject` is also known as `PutObject`."""
        if self.names is None:
            return tuple(sorted(set(operations)))
        return tuple(sorted({name for name in operations if self._differs(name)}))

    def _differs(self, name: str) -> bool:
        assert self.names is not None
        return name in self.names or name.rpartition(".")[2] in self.names


def judge_operations(operations: Collection[str], discrepant: Discrepant) -> Trust | Rerun:
    """The `api` policy: rerun a test that uses an operation known to differ."""
    if found := discrepant.among(operations):
        return Rerun(reason=DiscrepantOperations(operations=found), whole=True)
    return Trust(reason=NoDiscrepantOperations(operations=tuple(sorted(set(operations)))))


def judge_sequence(sequence: Sequence[Fingerprint], validated: Sequence[Fingerprint] | None) -> Trust | Rerun:
    """The `sequence` policy: rerun a test whose whole sequence the run before did not validate."""
    if validated is not None and list(sequence) == list(validated):
        return Trust(reason=SequenceSeen(sequence=sequence[-1] if sequence else ""))
    return Rerun(reason=UnseenSequence(first_new=_first_new(sequence, validated or ())), whole=True)


def judge_combined(
    operations: Collection[str],
    discrepant: Discrepant,
    sequence: Sequence[Fingerprint],
    validated: Sequence[Fingerprint] | None,
) -> Verdict:
    """The `combined` policy: only tests that use discrepant operations are subject to monitoring."""
    verdict = judge_operations(operations, discrepant)
    return verdict if isinstance(verdict, Trust) else judge_sequence(sequence, validated)


def _keys(value: Value) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _keys(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _keys(inner)


def _plain(name: str) -> str:
    """A name as every layer of a protocol would recognise it: `x-amz-storage-class` is `StorageClass`."""
    return "".join(filter(str.isalnum, name.lower().removeprefix("x-amz-").removeprefix("x-ms-")))


def _first_new(sequence: Sequence[Fingerprint], validated: Sequence[Fingerprint]) -> int:
    same = 0
    for ours, theirs in zip(sequence, validated, strict=False):
        if ours != theirs:
            break
        same += 1
    return same
