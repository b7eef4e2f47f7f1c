"""Recorded values as a Python programmer would write them, cut to a length."""

from __future__ import annotations

from likewise.model import Lost, Mapping, Opaque, Outcome, Raised, Redacted, Returned, TimedOut, Value

LONG = 400
_WHOLE = 100_000


def show_value(value: Value, *, limit: int = LONG) -> str:
    """A value on one line."""
    text = _show(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def show_arguments(arguments: Mapping, *, limit: int = LONG) -> str:
    """Arguments as they stand between parentheses."""
    parts = [_show(each) if name.isdigit() else f"{name}={_show(each)}" for name, each in arguments.items()]
    text = ", ".join(parts)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def show_outcome(outcome: Outcome, *, limit: int = LONG) -> str:
    """What came back: a value, or an exception with its message."""
    match outcome:
        case Returned():
            return show_value(outcome.value, limit=limit)
        case Raised():
            text = (
                f"raised {outcome.kind}: {outcome.message}" if outcome.message else f"raised {outcome.kind}"
            )
            return text if len(text) <= limit else text[: limit - 1] + "…"
        case TimedOut():
            return "nothing in time"
        case Lost():
            return f"(end not seen: {outcome.reason})"


def show_outcomes(ours: Outcome, theirs: Outcome) -> tuple[str, str]:
    """Two outcomes that differ, each cut so that the difference is in view."""
    return _in_view(show_outcome(ours, limit=_WHOLE), show_outcome(theirs, limit=_WHOLE))


def show_values(ours: Value, theirs: Value) -> tuple[str, str]:
    """The same for two values."""
    return _in_view(show_value(ours, limit=_WHOLE), show_value(theirs, limit=_WHOLE))


def show_inputs(ours: Mapping, theirs: Mapping) -> tuple[str, str]:
    """The same for two calls' arguments."""
    return _in_view(show_arguments(ours, limit=_WHOLE), show_arguments(theirs, limit=_WHOLE))


def _in_view(one: str, other: str) -> tuple[str, str]:
    pairs = enumerate(zip(one, other, strict=False))
    start = next((place for place, (ours, theirs) in pairs if ours != theirs), min(len(one), len(other)))
    begin = start - LONG // 4 if start > LONG // 2 else 0
    texts = (f"…{each[begin:]}" if begin else each for each in (one, other))
    one, other = (each if len(each) <= LONG else each[: LONG - 1] + "…" for each in texts)
    return one, other


def _show(value: Value) -> str:
    match value:
        case dict():
            return _show_tagged(value)
        case list():
            return f"[{_items(value)}]"
        case Opaque():
            return f"<{value.length} bytes, {value.digest[:8]}>"
        case Redacted():
            return f"<{value.kind}>"
        case _:
            return repr(value)


def _items(value: Value) -> str:
    return ", ".join(map(_show, value)) if isinstance(value, list) else _show(value)


def _show_tagged(value: Mapping) -> str:
    kind = str(value.get("type", ""))
    items = value.get("items")
    match value.get("is"):
        case "tuple":
            many = _items(items)
            return f"({many},)" if isinstance(items, list) and len(items) == 1 else f"({many})"
        case "set":
            return f"{{{_items(items)}}}" if items else "set()"
        case "frozenset" | "deque" as name:
            return f"{name}([{_items(items)}])"
        case "dict" if isinstance(items, list):
            pairs = [each for each in items if isinstance(each, list) and len(each) == 2]
            return f"{{{', '.join(f'{_show(key)}: {_show(each)}' for key, each in pairs)}}}"
        case "class" | "function" | "module" as name:
            return f"<{name} {value.get('name')!s}>"
        case "value":
            return f"{kind}({value.get('text')!s})"
        case "data":
            fields = value.get("fields")
            shown = fields.items() if isinstance(fields, dict) else ()
            return f"{kind}({', '.join(f'{name}={_show(each)}' for name, each in shown)})"
        case "sub":
            return f"{kind}({_show(value.get('value'))})"
        case "exception":
            return f"{kind}({_show(value.get('message'))})"
        case "text" | "blob":
            return (
                f"{_show(value.get('head'))}… ({value.get('length')!s} long, {str(value.get('digest'))[:8]})"
            )
        case "many":
            return f"{kind} of {value.get('length')!s} ({_items(items)}, …)"
        case "array" | "frame" | "series":
            return f"{kind}({value.get('dtype')!s}, {_show(value.get('shape'))}, {_show(value.get('head'))})"
        case "object":
            return f"<{kind} #{value.get('id')!s}>"
        case "deep" | "again" | "lost" as name:
            return f"<{kind or name}>"
        case _:
            return f"{{{', '.join(f'{name}: {_show(each)}' for name, each in value.items())}}}"
