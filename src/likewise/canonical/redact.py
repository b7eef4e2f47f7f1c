"""Take the secrets out of a trace: nothing else may be written anywhere."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache

from likewise.model import (
    Interaction,
    Lost,
    Mapping,
    Operation,
    Outcome,
    Raised,
    Redacted,
    Redaction,
    Returned,
    TimedOut,
    Trace,
    Value,
)

MARK = "(redacted)"
"""What stands in a text for the part that was taken out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """What a kind of secret looks like.

    No text that lacks all `needles` (in lower case) or is shorter than `least` can match `pattern`,
    so that most texts need no look at the pattern. Many texts are searched at once, joined by NUL: a
    pattern that looks at what stands before or after must take NUL for the end of a text.
    With `part` set, the groups of the pattern are kept and the rest of the match is replaced;
    otherwise the whole text goes.
    """

    kind: str
    pattern: re.Pattern[str]
    needles: tuple[str, ...]
    least: int = 0
    part: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Secrets:
    """What must not be written.

    `names` are fields, in lower case; `scope:name` holds only for a service or an operation.
    `values` are known secrets: a text that contains one goes, wherever it stands.
    `renewable` are names of what whoever repeats a call makes anew, so that their loss does not matter.
    """

    names: frozenset[str] = frozenset()
    values: frozenset[str] = frozenset()
    patterns: tuple[Form, ...] = ()
    renewable: frozenset[str] = frozenset()

    def including(self, *, names: Iterable[str] = (), values: Iterable[str] = ()) -> Secrets:
        """These and more."""
        return replace(self, names=self.names | frozenset(names), values=self.values | frozenset(values))


def redact(trace: Trace, *, secrets: Secrets) -> Redaction:
    """The trace without secrets, and how many were taken out.

    Within one trace, distinct secrets of a kind stay distinct (`key`, `key 2`, …): whether a call
    used the same one as another still shows, though not what it was.
    A call whose request lost anything that cannot be made anew is marked in `wire` as `redacted`.
    """
    if not (secrets.names or secrets.values or secrets.patterns):
        return Redaction(trace=trace, removed=0)
    cleaner = _Cleaner(_rules(secrets))
    clean = replace(
        trace,
        interactions=tuple(cleaner.interaction(each) for each in trace.interactions),
        test=cleaner.text(trace.test),
        world=cleaner.text(trace.world),
        failure=cleaner.text(trace.failure),
        unclear=tuple(cleaner.text(why) for why in trace.unclear),
        unseen=tuple(cleaner.text(why) for why in trace.unseen),
        borrowed=tuple(replace(each, test=cleaner.text(each.test)) for each in trace.borrowed),
    )
    return Redaction(trace=clean, removed=cleaner.removed)


class _Rules:
    """Secrets, made ready for looking."""

    def __init__(self, secrets: Secrets) -> None:
        # A secret inside bytes is looked for in their latin-1 reading, where it has another spelling.
        spelled = {spelling for value in secrets.values if value for spelling in _spellings(value)}
        self.values = tuple(sorted(spelled, key=len, reverse=True))
        self.forms = secrets.patterns
        self.renewable = secrets.renewable
        self._names = secrets.names
        self._by_operation: dict[Operation, _Fields] = {}

    def fields(self, operation: Operation) -> _Fields:
        """What is known about the fields of an operation."""
        found = self._by_operation.get(operation)
        if found is None:
            scopes = {operation.service.lower(), operation.name.lower()}
            names = {name for name in self._names if ":" not in name}
            for name in self._names - names:
                scope, _, field_name = name.partition(":")
                if scope in scopes:
                    names.add(field_name)
            found = self._by_operation[operation] = _Fields(frozenset(names), self)
        return found

    def is_suspect(self, texts: list[str]) -> bool:
        """Whether anything may be wrong with any of the texts."""
        joined = "\0".join(texts)
        for value in self.values:
            if value in joined:
                return True
        lowered = joined.lower()
        for form in self.forms:
            for needle in form.needles:
                if needle in lowered:
                    long = joined if not form.least else "\0".join(t for t in texts if len(t) >= form.least)
                    if form.pattern.search(long):
                        return True
                    break
        return False


class _Fields(dict[str, int]):
    """Field names as they are spelled, and what each one means: looked at once, then known."""

    FINE, SECRET, UNCLEAN = 0, 1, 2

    def __init__(self, secret: frozenset[str], rules: _Rules) -> None:
        super().__init__()
        self._secret, self._rules = secret, rules

    def __missing__(self, key: str) -> int:
        if len(self) > 10_000:  # names that a suite makes up: no reason to remember them all
            self.clear()
        if self._rules.is_suspect([key]):
            found = self.UNCLEAN | (self.SECRET if key.lower() in self._secret else self.FINE)
        else:
            found = self.SECRET if key.lower() in self._secret else self.FINE
        self[key] = found
        return found


def _spellings(value: str) -> tuple[str, ...]:
    return (value,) if value.isascii() else (value, value.encode().decode("latin-1"))


@lru_cache(maxsize=8)
def _rules(secrets: Secrets) -> _Rules:
    return _Rules(secrets)


@dataclass(slots=True)
class _Cleaner:
    """Goes through one trace."""

    rules: _Rules
    removed: int = 0
    numbers: dict[str, dict[Value, int]] = field(default_factory=dict)

    def interaction(self, interaction: Interaction) -> Interaction:
        """The interaction without secrets; the very same one where it has none."""
        fields = self.rules.fields(interaction.operation)
        texts = [interaction.receiver]
        for touch in interaction.touches:
            texts.extend(touch.resource)
        found = _gather(interaction.arguments, texts, fields)
        found = _gather_outcome(interaction.outcome, texts, fields) or found
        found = _gather(interaction.wire, texts, fields) or found
        if not found and not self.rules.is_suspect(texts):
            return interaction
        return self._rebuilt(interaction, fields)

    def _rebuilt(self, interaction: Interaction, fields: _Fields) -> Interaction:
        before = self.removed
        arguments = self.mapping(interaction.arguments, fields)
        is_argument_lost = self.removed > before
        outcome = self._outcome(interaction.outcome, fields)
        return replace(
            interaction,
            arguments=arguments,
            outcome=outcome,
            touches=tuple(
                replace(touch, resource=tuple(self.text(part) for part in touch.resource))
                for touch in interaction.touches
            ),
            receiver=self.text(interaction.receiver),
            wire=self._wire(interaction.wire, fields, is_argument_lost),
        )

    def _outcome(self, outcome: Outcome, fields: _Fields) -> Outcome:
        match outcome:
            case Returned():
                return Returned(value=self.value(outcome.value, fields))
            case Raised():
                return Raised(
                    kind=self.text(outcome.kind),
                    message=self.text(outcome.message),
                    value=self.value(outcome.value, fields),
                )
            case Lost():
                return Lost(reason=self.text(outcome.reason))
            case TimedOut():
                return outcome

    def _wire(self, wire: Mapping, fields: _Fields, is_argument_lost: bool) -> Mapping:
        """What is left of a request. One that lost a part of itself must not be repeated without it."""
        if not wire:
            return wire
        kept = {name: value for name, value in wire.items() if name != "body"}
        before = self.removed
        clean = self.mapping(_without(kept, self.rules.renewable), fields, numbered=False)
        body = wire.get("body")
        is_lost = is_argument_lost or self.removed > before
        if body is not None and not is_lost:
            clean_body = self.value(body, fields, numbered=False)
            is_lost = self.removed > before
            clean["body"] = clean_body
        if is_lost:
            clean.pop("body", None)
            clean["redacted"] = True
        return clean

    def mapping(self, value: Mapping, fields: _Fields, *, numbered: bool = True) -> Mapping:
        """A mapping without secrets in its fields or their fields."""
        clean: Mapping = {}
        for key, inner in value.items():
            meaning = fields[key]
            name = self.text(key) if meaning & fields.UNCLEAN else key
            if meaning & fields.SECRET and _is_something(inner):
                clean[name] = self._gone(key.lower(), inner, numbered)
            else:
                clean[name] = self.value(inner, fields, numbered=numbered)
        return clean

    def value(self, value: Value, fields: _Fields, *, numbered: bool = True) -> Value:
        """A value without secrets."""
        match value:
            case str():
                return self._leaf(value, value, numbered)
            case bytes():
                clean = self._leaf(value.decode("latin-1"), value, numbered)
                return Redacted(kind="content with a secret") if isinstance(clean, str) else clean
            case dict():
                return self.mapping(value, fields, numbered=numbered)
            case list():
                return [self.value(each, fields, numbered=numbered) for each in value]
        return value

    def text(self, text: str) -> str:
        """A text that must stay one: what is secret in it is replaced."""
        if not text:
            return text
        for value in self.rules.values:
            if value in text:
                self.removed += 1
                text = text.replace(value, MARK)
        for form in self.rules.forms:
            if any(needle in text.lower() for needle in form.needles):
                text, count = form.pattern.subn(_keep_groups if form.part else MARK, text)
                self.removed += count
        return text

    def _leaf(self, text: str, whole: str | bytes, numbered: bool) -> Value:
        for value in self.rules.values:
            if value in text:
                return self._gone("secret", whole, numbered)
        lowered = text.lower()
        for form in self.rules.forms:
            if len(text) < form.least or not any(needle in lowered for needle in form.needles):
                continue
            if not form.part:
                if form.pattern.search(text):
                    return self._gone(form.kind, whole, numbered)
                continue
            text, count = form.pattern.subn(_keep_groups, text)
            if count:
                self.removed += count
                whole, lowered = text, text.lower()
        return whole

    def _gone(self, kind: str, value: Value, numbered: bool) -> Redacted:
        self.removed += 1
        if not numbered:
            return Redacted(kind=kind)
        key = value if isinstance(value, str | bytes) else repr(value)
        seen = self.numbers.setdefault(kind, {})
        number = seen.setdefault(key, len(seen) + 1)
        return Redacted(kind=kind if number == 1 else f"{kind} {number}")


def _keep_groups(match: re.Match[str]) -> str:
    return "".join(match.groups("")) + MARK


def _is_something(value: Value) -> bool:
    """Whether there is anything to hide: an absent or empty value gives nothing away."""
    return value is not None and value is not True and value is not False and value not in ("", b"", [], {})


def _without(wire: Mapping, renewable: frozenset[str]) -> Mapping:
    """A request without what is made anew when it is repeated."""
    kept: Mapping = {}
    for name, value in wire.items():
        if name.lower() in renewable:
            continue
        kept[name] = _without(value, renewable) if isinstance(value, dict) else value
    return kept


def _gather(value: Value, texts: list[str], fields: _Fields) -> bool:
    """Collect every text in a value; True where a field's name alone says that something must go."""
    found = False
    if type(value) is dict:
        for key, inner in value.items():
            meaning = fields[key]
            if meaning and (meaning != fields.SECRET or _is_something(inner)):
                found = True
            kind = type(inner)
            if kind is str:
                texts.append(inner)  # type: ignore[arg-type]
            elif kind is dict or kind is list:
                found = _gather(inner, texts, fields) or found
            elif kind is bytes:
                texts.append(inner.decode("latin-1"))  # type: ignore[union-attr]
    elif type(value) is list:
        for inner in value:
            found = _gather(inner, texts, fields) or found
    elif type(value) is str:
        texts.append(value)
    elif type(value) is bytes:
        texts.append(value.decode("latin-1"))
    return found


def _gather_outcome(outcome: Outcome, texts: list[str], fields: _Fields) -> bool:
    match outcome:
        case Returned():
            return _gather(outcome.value, texts, fields)
        case Raised():
            texts += (outcome.kind, outcome.message)
            return _gather(outcome.value, texts, fields)
        case Lost():
            texts.append(outcome.reason)
    return False
