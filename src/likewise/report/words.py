"""How numbers, values and places read, the same in every report."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import assert_never

from likewise.model import Difference, Discrepancy, Implication, Opaque, Redacted, Target, Value

SEVERITY = (Implication.UNSAFE, Implication.WRONG_RESULT, Implication.FALSE_ALARM, Implication.MISLEADING)
"""Most harmful first."""

KINDS = (
    Difference.SUCCESS,
    Difference.SILENCE,
    Difference.STATUS,
    Difference.CODE,
    Difference.CALL_MISSING,
    Difference.CALL_EXTRA,
    Difference.VALUE,
    Difference.LENGTH,
    Difference.ORDER,
    Difference.IDENTITY,
    Difference.TYPE,
    Difference.MISSING,
    Difference.EXTRA,
    Difference.MESSAGE,
)
"""What code is likely to notice first."""


def plural(count: int, noun: str, many: str = "") -> str:
    """A count with its noun: `1 test`, `3 tests`."""
    return f"{count:,} {noun if count == 1 else many or noun + 's'}"


def share(part: float, whole: float) -> str:
    """A share in percent; never rounded up to all or down to nothing."""
    if not whole:
        return "0 %"
    percent = 100 * part / whole
    shown = f"{percent:.1f}"
    if shown == "100.0" and part < whole:
        shown = "99.9"
    elif shown == "0.0" and part > 0:
        return "< 0.1 %"
    return f"{shown.removesuffix('.0')} %"


def money(dollars: float) -> str:
    """An amount with two significant digits below a dollar, cents above."""
    size = abs(dollars)
    if size >= 1 or size == 0:
        text = f"{size:,.2f}"
    elif size < 0.000001:
        return "less than $0.000001"
    else:
        digits = next(n for n in range(2, 9) if round(size, n) >= 10 ** (1 - n))
        text = f"{size:.{digits}f}"
    return f"{'-' if dollars < 0 else ''}${text}"


def about(dollars: float) -> str:
    """An amount that is an estimate."""
    text = money(dollars)
    return text if text.startswith("less") else f"about {text}"


def seconds(duration: float) -> str:
    """A duration as a person would say it."""
    if duration < 1:
        return f"{duration * 1000:.0f} ms"
    if duration < 120:
        return f"{duration:.0f} s" if duration >= 10 else f"{duration:.1f} s"
    minutes = round(duration / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes / 60:.1f} h"


def day(when: float) -> str:
    """A moment as a date, in UTC; a moment that nobody knows reads so."""
    return datetime.fromtimestamp(when, UTC).strftime("%Y-%m-%d") if when > 0 else "an unknown day"


def moment(when: float) -> str:
    """A moment to the minute, in UTC."""
    return datetime.fromtimestamp(when, UTC).strftime("%Y-%m-%d %H:%M") if when > 0 else "unknown"


def printable(text: str) -> str:
    """Text without anything that could move a cursor, ring a bell or turn the direction of writing."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else _spelled(char) for char in text)


def _spelled(char: str) -> str:
    short = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(char)
    code = ord(char)
    return short or (
        f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
    )


def shorten(text: str, limit: int) -> str:
    """Text of at most this length, with its loss marked."""
    return text if len(text) <= limit else text[: max(1, limit - 1)] + "…"


def show(value: Value, *, limit: int = 200) -> str:
    """A value for a person: on one line, printable, no longer than `limit`."""
    if isinstance(value, str):
        value = _MARKED.sub(_counted, value)
        plain = value and value == value.strip() and value.lower() not in _AMBIGUOUS
        return shorten(printable(value) if plain else json.dumps(printable(value), ensure_ascii=False), limit)
    if value is None:
        return "nothing"
    return shorten(printable(json.dumps(_plain(value), ensure_ascii=False)), limit)


_MARKED = re.compile("\x02(int|float) \x02?(.*)")
"""How a number that varies stands in a canonical answer."""


def _counted(found: re.Match[str]) -> str:
    return f"{found[2]} ({'a whole number' if found[1] == 'int' else 'with decimals'})"


_AMBIGUOUS = frozenset({"nothing", "true", "false", "null", "none"})


def _plain(value: Value) -> object:
    match value:
        case dict():
            return {key: _plain(inner) for key, inner in value.items()}
        case list():
            return [_plain(inner) for inner in value]
        case bytes():
            return f"{plural(len(value), 'byte')}: {value[:40]!r}"
        case Opaque():
            return f"{plural(value.length, 'byte')}, hash {value.digest[:12]}"
        case Redacted():
            return f"({value.kind}, redacted)"
        case _:
            return value


TELLING = "seen only where the results differ"


def harm(discrepancy: Discrepancy) -> tuple[int, int]:
    """Sorts the most harmful difference first."""
    return SEVERITY.index(discrepancy.implication), KINDS.index(discrepancy.difference)


def meaning(implication: Implication) -> str:
    """What a difference means for somebody who deploys."""
    match implication:
        case Implication.UNSAFE:
            return "accepted by the candidate, refused by the reference: works here, fails once deployed"
        case Implication.WRONG_RESULT:
            return "both succeed with different results: what is deployed gets another answer than the tests"
        case Implication.FALSE_ALARM:
            return "refused by the candidate only: the failure is the candidate's, it works once deployed"
        case Implication.MISLEADING:
            return (
                "both refuse, in different words: error handling tested here may not match what is deployed"
            )
        case _:
            assert_never(implication)


def kind(difference: Difference) -> str:
    """A kind of difference in words."""
    match difference:
        case Difference.SUCCESS:
            return "one side refuses"
        case Difference.STATUS:
            return "different status"
        case Difference.CODE:
            return "different error code"
        case Difference.MESSAGE:
            return "different error message"
        case Difference.TYPE:
            return "different type"
        case Difference.VALUE:
            return "different value"
        case Difference.LENGTH:
            return "different length"
        case Difference.ORDER:
            return "different order"
        case Difference.MISSING:
            return "missing on the candidate"
        case Difference.EXTRA:
            return "only on the candidate"
        case Difference.IDENTITY:
            return "same value on one side, different ones on the other"
        case Difference.SILENCE:
            return "one side does not answer"
        case Difference.CALL_MISSING:
            return "call made on the reference only"
        case Difference.CALL_EXTRA:
            return "call made on the candidate only"
        case _:
            assert_never(difference)


def sides(discrepancy: Discrepancy, *, limit: int = 200) -> tuple[str, str]:
    """Both sides' values, the reference's first."""
    return show(discrepancy.reference, limit=limit), show(discrepancy.candidate, limit=limit)


def some(names: Sequence[str], limit: int = 3) -> str:
    """The first few of a list, and how many more there are."""
    shown = ", ".join(printable(name) for name in names[:limit])
    return f"{shown} and {len(names) - limit} more" if len(names) > limit else shown


def targets(all_of_them: Iterable[Target]) -> str:
    """Both sides with name and version, without repetition (workers have one each)."""
    sides: dict[str, list[str]] = {}
    for target in all_of_them:
        names = sides.setdefault(str(target.role), [])
        if str(target) not in names:
            names.append(str(target))
    order = sorted(sides.items(), key=lambda side: side[0] != "candidate")
    return ", ".join(f"{role} {printable(' + '.join(names))}" for role, names in order)
