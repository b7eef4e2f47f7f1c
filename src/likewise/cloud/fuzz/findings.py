"""Findings: confirmed differences with their meaning, as the reports and the ledger take them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

from likewise.cloud.fuzz.authorisations import Authorisations
from likewise.cloud.fuzz.calls import Call, Name, Ref, Text
from likewise.cloud.fuzz.evidence import Evidence
from likewise.cloud.fuzz.identities import OWNER, Identity, identity_of
from likewise.model import Difference, Manifestation
from likewise.report.words import SEVERITY

_WEIGHT = (
    Difference.SUCCESS,
    Difference.SILENCE,
    Difference.VALUE,
    Difference.LENGTH,
    Difference.TYPE,
    Difference.MISSING,
    Difference.ORDER,
    Difference.IDENTITY,
    Difference.EXTRA,
    Difference.CODE,
    Difference.STATUS,
    Difference.MESSAGE,
)

SHOWN = 8
"""Names that a reader is shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One confirmed difference, with the shortest sequence that shows it."""

    service: str
    operation: str
    kind: str
    place: str
    implication: str
    manifestation: str
    cause: str
    condition: str
    evidence: str
    reference: str
    candidate: str
    shown_by: str
    """The operation whose answer shows it: the operation itself, or a read after it."""
    sequence: tuple[Call, ...]
    hash: str
    confirmed: int = 2
    parameter: str = ""
    value_class: str = ""
    pairs: int = 0
    """Call pairs that confirming and minimising took."""
    public: bool = True
    errors: tuple[tuple[str, str], tuple[str, str]] = (("", ""), ("", ""))
    """What the reference and the candidate refuse it with: the code, and the text without what varies."""
    idle: int | None = None
    """The side on which the operation does nothing at all, whatever it is given: 0 is the reference."""
    deaf: int | None = None
    """The side on which the parameter changes nothing, though it does on the other."""
    also: tuple[str, ...] = ()
    """Other operations of which the same is true when they are called by somebody else than the owner."""

    @property
    def identity(self) -> Identity:
        """Whom it takes to show it: the owner of the account, unless a call is made by somebody else."""
        return next((call.identity for call in self.sequence if not call.identity.is_owner), OWNER)

    def as_json(self) -> dict[str, Any]:
        """The finding as the catalogue's JSON has it."""
        return {
            "operation": f"{self.service}.{self.operation}",
            "kind": self.kind,
            "implication": _upper(self.implication),
            "manifestation": self.manifestation,
            "cause": self.cause,
            "condition": self.condition or None,
            "sequence": [step(call, encode(call.params)) for call in self.sequence],
            "hash": self.hash,
            "place": self.place,
            "reference": self.reference,
            "candidate": self.candidate,
            "evidence": self.evidence,
            "shown_by": f"{self.service}.{self.shown_by}",
            "parameter": self.parameter,
            "value_class": self.value_class,
            "confirmed": self.confirmed,
            "minimised_in": self.pairs,
            "public": self.public,
            "errors": [list(each) for each in self.errors],
            "idle": self.idle,
            "deaf": self.deaf,
            "also": list(self.also),
        }

    @property
    def sides(self) -> tuple[str, str]:
        """What the reference and the candidate have there, for a reader: where one has nothing, that."""
        return (
            "nothing" if self.kind == Difference.EXTRA else self.reference,
            "nothing" if self.kind == Difference.MISSING else self.candidate,
        )

    @property
    def how(self) -> str:
        """Where it shows, the likely cause and when, in a line."""
        where = self.manifestation
        if self.shown_by != self.operation and self.manifestation != Manifestation.RESPONSE:
            where += f", shown by {self.shown_by}"
        when = f"; {self.condition}" if self.condition else ""
        also = f"; so it is with {listed(self.also)}" if self.also else ""
        return f"{where}; likely cause: {self.cause}{when}{also}"

    @property
    def rank(self) -> tuple[Any, ...]:
        """For sorting: the most harmful first."""
        harm = [str(each) for each in SEVERITY].index(self.implication)
        weight = [str(each) for each in _WEIGHT].index(self.kind) if self.kind in _WEIGHT else 99
        return (harm, bool(self.condition), weight, self.operation, self.place, self.hash)


def from_json(data: Mapping[str, Any]) -> Finding:
    """A finding read back from its JSON."""
    service, _, operation = data["operation"].rpartition(".")
    calls = tuple(
        Call(
            service=service,
            operation=each["op"],
            params=decode(each["params"]),
            identity=identity_of(each.get("by")),
        )
        for each in data["sequence"]
    )
    return Finding(
        service=service,
        operation=operation,
        kind=data["kind"],
        place=data["place"],
        implication=data["implication"].replace("_", " ").lower(),
        manifestation=data["manifestation"],
        cause=data["cause"],
        condition=data["condition"] or "",
        evidence=data["evidence"],
        reference=data["reference"],
        candidate=data["candidate"],
        shown_by=data["shown_by"].rpartition(".")[2],
        sequence=calls,
        hash=data["hash"],
        confirmed=data["confirmed"],
        parameter=data.get("parameter", ""),
        value_class=data.get("value_class", ""),
        pairs=data.get("minimised_in", 0),
        public=data.get("public", True),
        errors=_errors(data.get("errors")),
        idle=data.get("idle"),
        deaf=data.get("deaf"),
        also=tuple(data.get("also", ())),
    )


def listed(names: Sequence[str]) -> str:
    """Some names for a reader: the first few, and how many more there are."""
    rest = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + rest


def step(call: Call, params: Any) -> dict[str, Any]:
    """A call as reports and logs have it; who makes it is said where it is not the account's owner."""
    by = {} if call.identity.is_owner else {"by": call.identity.as_json()}
    return {"op": call.operation, "params": params, **by}


def _errors(data: Any) -> tuple[tuple[str, str], tuple[str, str]]:
    (first, second) = data or (("", ""), ("", ""))
    return (str(first[0]), str(first[1])), (str(second[0]), str(second[1]))


def _upper(text: str) -> str:
    return text.upper().replace(" ", "_")


def digest(*parts: str) -> str:
    """The stable name of a finding: what differs where, not which test happened to show it."""
    return blake2b("\x1f".join(parts).encode(), digest_size=8).hexdigest()


def manifestation_of(*, response: bool, state: bool) -> Manifestation:
    """Where it shows."""
    if response and state:
        return Manifestation.BOTH
    return Manifestation.STATE if state else Manifestation.RESPONSE


def encode(value: Any) -> Any:
    """Parameters as JSON: names, references and bytes become small objects that say what they are."""
    match value:
        case Name():
            return {"$name": [value.kind, value.number]}
        case Ref():
            return {"$ref": [value.call, list(value.path)]}
        case Text():
            return {"$text": [encode(part) for part in value.parts]}
        case bytes():
            return {"$bytes": value.decode("latin-1")}
        case Mapping():
            if all(isinstance(key, str) for key in value):
                return {key: encode(inner) for key, inner in value.items()}
            return {"$map": [[encode(key), encode(inner)] for key, inner in value.items()]}
        case list() | tuple():
            return [encode(inner) for inner in value]
    return value


def decode(value: Any) -> Any:
    """Parameters back from JSON."""
    if isinstance(value, dict):
        if len(value) == 1:
            ((key, inner),) = value.items()
            match key:
                case "$name":
                    return Name(inner[0], inner[1])
                case "$ref":
                    return Ref(inner[0], tuple(inner[1]))
                case "$text":
                    return Text(tuple(decode(part) for part in inner))
                case "$bytes":
                    return inner.encode("latin-1")
                case "$map":
                    return {decode(left): decode(right) for left, right in inner}
        return {key: decode(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [decode(inner) for inner in value]
    return value


ENOUGH = 8
"""Answers of both sides together, all of them 5xx, that show an operation not to be there."""


@dataclass(slots=True, kw_only=True)
class Tally:
    """What a campaign covered: operations, parameters, classes."""

    called: set[str] = field(default_factory=set)
    succeeded: set[str] = field(default_factory=set)
    compared: set[str] = field(default_factory=set)
    refused: int = 0
    pairs: int = 0
    targets: set[tuple[str, str, str]] = field(default_factory=set)
    """(operation, parameter, class) triples that were sent."""
    known: set[str] = field(default_factory=set)
    """Operations that some side knows: it does not answer the typical call that it has no such thing."""
    failures: dict[str, dict[str, int]] = field(default_factory=dict)
    """What operations were answered where they failed, and how often."""
    authorisations: Authorisations = field(default_factory=Authorisations)
    """What was called by others than the account's owner."""
    evidence: Evidence = field(default_factory=Evidence)
    """Which calls differed, and which agreed."""

    def fail(self, operation: str, said: str) -> None:
        """Note a failure; of many different ones the first few are kept."""
        counts = self.failures.setdefault(operation, {})
        if said in counts or len(counts) < 6:
            counts[said] = counts.get(said, 0) + 1

    def why(self, operation: str) -> str:
        """Why an operation never succeeded; nothing where it did or was never called."""
        if operation in self.succeeded or operation not in self.called:
            return ""
        counts = self.failures.get(operation, {})
        said = ", ".join(f"{text} ({count} times)" for text, count in counts.items())
        says_so = any(re.search(r" (405|501)\b|UnknownOperation|NotImplemented", text) for text in counts)
        is_unknown = operation not in self.known and (says_so or sum(counts.values()) >= ENOUGH)
        return f"{'not implemented' if is_unknown else 'failed'}: {said}"

    def as_json(self) -> dict[str, Any]:
        """For the log; others may go on counting, so everything is copied before it is looked at."""
        failures, succeeded = self.failures.copy(), self.succeeded.copy()
        return {
            "called": sorted(self.called.copy()),
            "succeeded": sorted(succeeded),
            "compared": sorted(self.compared.copy()),
            "refused": self.refused,
            "pairs": self.pairs,
            "targets": sorted(map(list, self.targets.copy())),
            "known": sorted(self.known.copy()),
            "failures": {name: counts.copy() for name, counts in failures.items() if name not in succeeded},
            "authorisations": self.authorisations.as_json(),
            "evidence": self.evidence.as_json(),
        }

    def add(self, data: Mapping[str, Any]) -> None:
        """Take in another's coverage."""
        self.called |= set(data["called"])
        self.succeeded |= set(data["succeeded"])
        self.compared |= set(data["compared"])
        self.refused += data["refused"]
        self.pairs += data["pairs"]
        self.targets |= {(each[0], each[1], each[2]) for each in data["targets"]}
        self.known |= set(data.get("known", ()))
        self.authorisations.add(data.get("authorisations", ()))
        self.evidence.add(data.get("evidence", {}))
        for name, counts in data.get("failures", {}).items():
            for said, count in counts.items():
                there = self.failures.setdefault(name, {})
                there[said] = there.get(said, 0) + count


def line(data: Mapping[str, Any]) -> str:
    """One line of the log."""
    return json.dumps(data, ensure_ascii=True, sort_keys=True)
