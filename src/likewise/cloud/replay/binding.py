"""Which value of the reference stands for which of the candidate's, learned from their answers.

A value is bound only where both sides generated one: it stands at the same place of both answers, it is
new to both sides, and no client sent it. So a constant that differs, or items in another order, stay
visible as the differences that they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import md5

from likewise.canonical.leaves import outcome_value
from likewise.canonical.tokens import CONTENT, TIME, cut, looks_random, pieces
from likewise.cloud import cursors
from likewise.model import Interaction, Lost, Mapping, Outcome, Raised, Returned, TimedOut, Value

GENERATED = frozenset(
    [
        "etag",
        "odata.etag",
        "x-amz-version-id",
        "x-amz-copy-source-version-id",
        "versionid",
        "versionidmarker",
        "nextversionidmarker",
        "deletemarkerversionid",
        "uploadid",
        "uploadidmarker",
        "nextuploadidmarker",
        "x-ms-lease-id",
        "x-ms-version-id",
        "x-ms-snapshot",
        "snapshot",
        "x-ms-copy-id",
        "copyid",
        "messageid",
        "popreceipt",
        "x-ms-popreceipt",
    ]
)
"""Places (their last names, in lower case) that hold what a server made up, whatever it looks like.

So do those of `cursors`, service by service."""

_CHECKSUMS = re.compile(r"checksum|md5|crc(?:32|64)|sha(?:1|256)", re.IGNORECASE)
_NOTHING = frozenset({"", "null", "*"})
_QUOTED = re.compile(r'(?:W/)?"([^"]*)"')


@dataclass(slots=True)
class _Side:
    """What one side has shown or been sent: whole values and their tokens."""

    seen: set[str] = field(default_factory=set)

    def note(self, text: str) -> None:
        self.seen.add(text)
        self.seen.update(cut(text)[1])


class Binding:
    """The values bound so far in one slice.

    Requests go forward to the latest value of the reference; answers come back to the first value of
    the candidate, so that two values that are one on one side only never look alike.
    """

    def __init__(self) -> None:
        self._forward: dict[str, str] = {}
        self._back: dict[str, str] = {}
        self._forward_tokens: dict[str, str] = {}
        self._back_tokens: dict[str, str] = {}
        self._candidate, self._reference = _Side(), _Side()
        self._sent: set[str] = set()
        self._numbers: set[int | float] = set()
        self._derived: set[str] = set()
        self._asked: set[str] = set()

    def forward(self, text: str) -> str:
        """A value of a recorded request as the reference must get it."""
        return _replaced(text, self._forward, self._forward_tokens)

    def back(self, text: str) -> str:
        """A value of the reference's answer as the candidate would have said it."""
        return _replaced(text, self._back, self._back_tokens)

    def send(self, call: Interaction, content: bytes = b"") -> None:
        """Note what the client is about to send: no server made it up, nor what follows from it."""
        self._asked = set(texts(call.arguments))
        for text in self._asked:
            self._note_sent(text)
        self._numbers.update(_numbers(call.arguments))
        self._derived |= derived(content, call.operation.name)

    def _note_sent(self, text: str) -> None:
        if text in self._forward:
            return
        self._sent.add(text)
        self._sent.update(token for token in cut(text)[1] if token not in self._forward_tokens)

    def learn(self, *, candidate: Interaction, reference: Outcome) -> Outcome:
        """Bind what both sides generated, and give the reference's outcome in the candidate's values."""
        service = candidate.operation.service
        ours, theirs = outcome_value(candidate.outcome), outcome_value(reference)
        for place, mine, other in _pairs(ours, theirs, ""):
            self._meet(place, mine, other, service)
        for side, value in ((self._candidate, ours), (self._reference, theirs)):
            for text in texts(value):
                side.note(text)
        return self._translated(reference, candidate.outcome)

    def _meet(self, place: str, mine: str, other: str, service: str) -> None:
        if mine == other or _CHECKSUMS.search(place):
            return
        is_cursor = place in cursors.NAMES.get(service, ())
        if (is_cursor or place in GENERATED) and not {mine, other} & _NOTHING:
            self._bind_whole(mine, other)
            if is_cursor and self._forward.get(mine) == other and mine not in self._asked:
                # One side may say as before where a list goes on, and the other one in a new way. What the
                # request itself sent is an echo, or the list does not go on at all.
                self._back.setdefault(other, mine)
            inner, theirs = _QUOTED.fullmatch(mine), _QUOTED.fullmatch(other)
            if inner and theirs:
                self._bind_whole(inner[1], theirs[1])
            self._bind_tokens(mine, other)
        elif self._bind_tokens(mine, other) or (_all_random(mine) and _all_random(other)):
            self._bind_whole(mine, other)

    def _bind_tokens(self, mine: str, other: str) -> bool:
        """Bind the tokens of two values of one skeleton; whether that explains all their differences."""
        literals, tokens = cut(mine)
        their_literals, their_tokens = cut(other)
        if literals != their_literals:
            return False
        explained = True
        for token, theirs in zip(tokens, their_tokens, strict=True):
            if token == theirs or self._forward_tokens.get(token) == theirs:
                continue
            generated = _is_generated(token) and _is_generated(theirs)
            if not generated or not self._bind(token, theirs, self._forward_tokens, self._back_tokens):
                explained = False
        return explained

    def _bind_whole(self, mine: str, other: str) -> None:
        self._bind(mine, other, self._forward, self._back)

    def _bind(self, mine: str, other: str, forward: dict[str, str], back: dict[str, str]) -> bool:
        """Bind one pair; requests use a newer value even where answers may not be read as the same."""
        if mine in self._sent:
            return False
        if other in self._reference.seen or other in self._sent:
            return back.get(other) == mine
        derives = mine in self._derived or mine.strip('"') in self._derived
        fresh = mine not in self._candidate.seen
        known = mine in forward
        if known or derives or fresh:
            forward[mine] = other
        if derives or known or not fresh or other in back:
            return back.get(other) == mine
        back[other] = mine
        return True

    def _translated(self, reference: Outcome, candidate: Outcome) -> Outcome:
        match reference:
            case Returned():
                mine = candidate.value if isinstance(candidate, Returned) else None
                return Returned(value=self._value(reference.value, mine))
            case Raised():
                said = candidate if isinstance(candidate, Raised) else None
                message = self._text(reference.message, said.message if said else None)
                value = self._value(reference.value, said.value if said else None)
                return Raised(kind=reference.kind, message=message, value=value)
            case TimedOut() | Lost():
                return reference

    def _value(self, value: Value, mine: Value) -> Value:
        if isinstance(value, dict):
            mapping: Mapping = mine if isinstance(mine, dict) else {}
            return {name: self._value(inner, mapping.get(name)) for name, inner in value.items()}
        if isinstance(value, list):
            items = mine if isinstance(mine, list) else []
            padded = [*items, *[None] * (len(value) - len(items))]
            return [self._value(inner, other) for inner, other in zip(value, padded, strict=False)]
        if isinstance(value, str):
            return self._text(value, mine if isinstance(mine, str) else None)
        if type(value) is type(mine) and self._is_clock_number(value) and self._is_clock_number(mine):
            return mine
        return value

    def _text(self, text: str, mine: str | None) -> str:
        """A text translated; a point in time that both servers read off a clock is the candidate's."""
        back = self.back(text)
        if mine is None or back == mine:
            return back
        literals, tokens = cut(back)
        my_literals, my_tokens = cut(mine)
        if literals != my_literals or not any(token.startswith(TIME) for token in tokens):
            return back
        merged = [
            ours
            if self._is_clock(ours) and self._is_clock(theirs) and _form(ours) == _form(theirs)
            else theirs
            for ours, theirs in zip(my_tokens, tokens, strict=True)
        ]
        return _joined(literals, merged)

    def _is_clock(self, token: str) -> bool:
        return token.startswith(TIME) and token not in self._sent

    def _is_clock_number(self, number: Value) -> bool:
        if isinstance(number, bool) or not isinstance(number, int | float) or number in self._numbers:
            return False
        return pieces(number)[1][0].startswith(TIME)


def _form(token: str) -> str:
    """The format of a point in time."""
    return re.sub(r"[A-Za-z]{3}", "a", re.sub(r"\d", "0", token))


def _pairs(candidate: Value, reference: Value, place: str) -> Iterator[tuple[str, str, str]]:
    """The texts that stand at the same place of both, with the place's own name in lower case."""
    if isinstance(candidate, dict) and isinstance(reference, dict):
        for name, value in candidate.items():
            if name in reference and not (place == "" and name == "raised"):
                yield from _pairs(value, reference[name], name.lower() if name != "text" else place)
    elif isinstance(candidate, list) and isinstance(reference, list):
        for mine, other in zip(candidate, reference, strict=False):
            yield from _pairs(mine, other, place)
    elif isinstance(candidate, str) and isinstance(reference, str):
        yield place, candidate, reference


def texts(value: Value) -> Iterator[str]:
    """Every text in a value, names included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield name
            yield from texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from texts(inner)


def _numbers(value: Value) -> Iterator[int | float]:
    if isinstance(value, int | float):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _numbers(inner)


def _all_random(text: str) -> bool:
    tokens = cut(text)[1]
    return bool(tokens) and all(map(_is_generated, tokens))


def _is_generated(token: str) -> bool:
    """Whether a token can only have been made up by a server.

    Long words (names of errors) and plain numbers (sizes, counters) look random too, but mean something.
    """
    if token[:1] in (TIME, CONTENT) or not looks_random(token):
        return False
    digits = sum(map(str.isdigit, token))
    return len(token) >= 8 and 2 <= digits < len(token)


def _replaced(text: str, whole: dict[str, str], parts: dict[str, str]) -> str:
    if text in whole:
        return whole[text]
    if not parts:
        return text
    literals, tokens = cut(text)
    if not any(token in parts for token in tokens):
        return text
    return _joined(literals, [parts.get(token, token) for token in tokens])


def _joined(literals: Iterable[str], tokens: Iterable[str]) -> str:
    first, *rest = literals
    return first + "".join(
        token.removeprefix(TIME) + literal for token, literal in zip(tokens, rest, strict=True)
    )


_PART_TAG = re.compile(rb"<ETag>(?:&quot;|\")?([0-9a-fA-F]{32})(?:&quot;|\")?</ETag>", re.IGNORECASE)


def derived(body: bytes, operation: str) -> set[str]:
    """ETags that follow from what the client sent: nobody made them up, so they must repeat exactly."""
    found = {md5(body, usedforsecurity=False).hexdigest()}
    if operation == "CompleteMultipartUpload":
        parts = [bytes.fromhex(tag.decode()) for tag in _PART_TAG.findall(body)]
        whole = md5(b"".join(parts), usedforsecurity=False).hexdigest()
        found |= {whole, f"{whole}-{len(parts)}"}
    return found
