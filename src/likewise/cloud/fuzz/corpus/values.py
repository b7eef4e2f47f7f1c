"""What stands in a recorded parameter for something else: bytes, times, parts of earlier answers."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any

from likewise.cloud.fuzz.calls import Answer, Ref, Unresolved, resolve
from likewise.cloud.fuzz.corpus.cases import Recorded

_REFERENCE = re.compile(r"\$\{(\d+)(?:\.|(?=\[))([^}]+)\}")
ITEMS = "items"
"""Under which an answer has what a list gave."""
_PLACE = re.compile(r"[^.\[\]]+|\[\d+\]")
_MARK = re.compile(r"__\w+__|\$(?:bytes|binary|b64|base64|date|datetime)")
_ENCODED = frozenset(
    {"__b64__", "__base64__", "__bytes_b64__", "__bytes_base64__", "$bytes", "$binary", "$b64", "$base64"}
)
UNMET = frozenset(
    {
        "304",
        "412",
        "ConditionNotMet",
        "NotModified",
        "PreconditionFailed",
        "SourceConditionNotMet",
        "TargetConditionNotMet",
        "UpdateConditionNotSatisfied",
    }
)
"""What services call a condition that does not hold."""
_CONDITION = re.compile(r"If(?:None)?Match$|If(?:Un)?[Mm]odifiedSince$")
_DATED = re.compile(r"(?i:if_?(?:un)?modified_?since)$|RetainUntilDate$")
"""Parameters that are times with a meaning relative to the recording."""
_MARGIN = timedelta(minutes=15)
_MONTH = timedelta(days=31)
PAUSE = 1.1
"""Seconds until a time in whole seconds is later than what was made before."""


class Unplayable(Exception):
    """A case cannot be played as it was recorded: why."""


class Moment:
    """Times in a case: those that had a meaning relative to the recording get it relative to now.

    A condition on the time of the last change held or not, as the recorded answer tells; a time until
    which something is kept lay ahead. Other times are constants. Of several conditions the answer does not
    tell which one held: with `latest`, the time of the recording, they are as far from now as from that.
    """

    def __init__(self, recorded: Recorded | None, latest: datetime | None = None) -> None:
        self._latest = latest
        self.is_unmet = recorded is not None and (
            recorded.code in UNMET if recorded.code else recorded.status in (304, 412)
        )
        self.is_accepted = recorded is not None and recorded.success is True
        self.is_refused = recorded is not None and recorded.success is False
        self._is_invalid = self.is_refused and not self.is_unmet
        self.needs_pause = False
        self.has_moved = False
        """Whether a time that has passed since was put ahead of now."""

    def condition(self, name: str) -> datetime | None:
        """The time for which a condition of this name does as recorded; None where it is none."""
        plain = re.sub("[-_]", "", name.lower())
        now = datetime.now(UTC)
        if plain.endswith("ifunmodifiedsince"):
            return now - 4 * _MARGIN if self.is_unmet else now + _MARGIN
        if plain.endswith("ifmodifiedsince"):
            self.needs_pause = self.needs_pause or self.is_unmet
            return now if self.is_unmet else now - 4 * _MARGIN
        return None

    def shifted(self, name: str, when: datetime) -> datetime:
        """A recorded time as it is to be sent under this name."""
        conditional, aware = self.condition(name), _aware(when)
        if conditional is not None and self._latest is not None:
            self.needs_pause = self.needs_pause or aware == self._latest
            return datetime.now(UTC) - (self._latest - aware)
        if conditional is not None:
            return conditional
        if name.endswith("RetainUntilDate") and not self._is_invalid:
            while aware <= datetime.now(UTC) + _MARGIN:
                aware += timedelta(days=1)
                self.has_moved = True
            return aware
        return when


def time_of_recording(
    params: Mapping[str, Any], everything: Any, recorded: Recorded | None = None
) -> datetime | None:
    """The time at which a call with conditions was made, where the times of its case tell.

    It is the latest one for a call with several conditions, where others lie well before it. What had
    changed since a time that no other of the case reaches cannot be: that one lay ahead, where services
    ignore it, and the one before it is when the call was made.
    """
    conditions = [name for name in params if _CONDITION.search(name)]
    found = sorted(_times(everything))
    if not conditions or not found or found[-1] - found[0] < 4 * _MARGIN:
        return None
    if len(conditions) > 1:
        return found[-1]
    plain = conditions[0].lower()
    if recorded is None or not recorded.success or not plain.endswith("ifmodifiedsince"):
        return None
    if found[-1] not in _times({conditions[0]: params[conditions[0]]}):
        return None
    return next((when for when in reversed(found) if 4 * _MARGIN <= found[-1] - when <= _MONTH), None)


def _times(value: Any) -> Iterator[datetime]:
    if isinstance(value, Mapping):
        if isinstance(text := value.get("__datetime__"), str):
            with suppress(ValueError):
                yield _aware(datetime.fromisoformat(text))
        for inner in value.values():
            yield from _times(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _times(inner)


def _written(text: str) -> datetime | None:
    """The time that a text is, as HTTP or ISO 8601 write it; None where it is none."""
    with suppress(ValueError):
        return datetime.fromisoformat(text)
    with suppress(ValueError, TypeError, IndexError):
        return parsedate_to_datetime(text)
    return None


def _aware(when: datetime) -> datetime:
    return when if when.tzinfo else when.replace(tzinfo=UTC)


def decode(value: Any, moment: Moment, name: str = "") -> Any:
    """A recorded parameter as the SDK takes it, its references still in it."""
    if isinstance(value, list):
        return [decode(inner, moment, name) for inner in value]
    if isinstance(value, str) and _DATED.search(name) and (when := _written(value)) is not None:
        return moment.shifted(name, when)
    if not isinstance(value, Mapping):
        return value
    if marks := _marks(value):
        return _marked(value, marks, moment, name)
    if set(value) == {"length", "head"}:
        return filled(value, name or "parameter")
    return {key: decode(inner, moment, str(key)) for key, inner in value.items()}


def is_mark(value: Mapping[str, Any]) -> bool:
    """Whether an object stands for something that JSON cannot hold."""
    return bool(_marks(value))


def _marks(value: Mapping[str, Any]) -> list[str]:
    marks = [key for key in value if isinstance(key, str) and _MARK.fullmatch(key)]
    if marks and marks[0].startswith("$") and not (len(value) == 1 and isinstance(value[marks[0]], str)):
        return []  # somebody's attribute of that name
    return marks


def _marked(value: Mapping[str, Any], marks: list[str], moment: Moment, name: str) -> Any:
    try:
        match sorted(marks):
            case ["__bytes__"]:
                return str(value["__bytes__"]).encode()
            case [mark] if mark in _ENCODED:
                return base64.b64decode(value[marks[0]], validate=True)
            case ["__len__", "__repeat__"]:
                return repeated(str(value["__repeat__"]), int(value["__len__"]))
            case ["__redacted__"]:
                raise Unplayable(f"{name} was taken out of the file as a secret")
            case ["__datetime__"] | ["$date"] | ["$datetime"]:
                return moment.shifted(name, datetime.fromisoformat(value[marks[0]]))
    except (ValueError, TypeError, binascii.Error) as error:
        raise Unplayable(f"{name} holds {marks[0]} with something that is none ({error})") from error
    raise Unplayable(f"{name} is written in a way that is not known here ({', '.join(marks)})")


def repeated(text: str, length: int) -> bytes:
    """A text over and over until the length is reached."""
    if not text or length < 0:
        raise ValueError("nothing to repeat")
    piece = text.encode()
    return (piece * (length // len(piece) + 1))[:length]


def filled(cut: Mapping[str, Any], what: str) -> bytes:
    """Content of which only the head was kept, at its full length, where what it says does not matter."""
    head, length = cut.get("head"), cut.get("length")
    if not isinstance(head, str) or not isinstance(length, int):
        raise Unplayable(f"{what} was cut off in the recording")
    if re.match(r"\s*[<{\[]|--", head):
        raise Unplayable(
            f"only the first {len(head)} of {length} characters of {what} are in the file, "
            "and what they say decides the answer"
        )
    return repeated(head or "0", length)


def references(value: Any) -> list[int]:
    """The calls, from 1, to whose answers a parameter refers."""
    return [int(found[1]) for found in _REFERENCE.finditer(repr(value)) if int(found[1])]


def put_references(value: Any, answers: Sequence[Answer | None]) -> Any:
    """A parameter with every `${k.Key}` replaced by what the k-th call (from 1) answered."""
    if isinstance(value, str):
        whole = _REFERENCE.fullmatch(value)
        if whole:
            return _value(whole, answers)
        return _REFERENCE.sub(lambda found: str(_value(found, answers)), value)
    if isinstance(value, Mapping):
        return {put_references(key, answers): put_references(inner, answers) for key, inner in value.items()}
    return [put_references(inner, answers) for inner in value] if isinstance(value, list) else value


def _value(found: re.Match[str], answers: Sequence[Answer | None]) -> Any:
    number = int(found[1])
    path = tuple(
        int(part[1:-1]) if part.startswith("[") else int(part) if part.isdigit() else part
        for part in _PLACE.findall(found[2])
    )
    if isinstance(path[0], int):
        path = (ITEMS, *path)
    if not 1 <= number <= len(answers):
        raise Unplayable(f"{found[0]} refers to a call that is not before it")
    try:
        return resolve(Ref(number - 1, path), {}, answers)
    except Unresolved as error:
        said = answers[number - 1]
        how = said.summary() if said is not None else "nothing"
        raise Unplayable(f"call {number} gave no {found[2]} on the candidate ({how})") from error
