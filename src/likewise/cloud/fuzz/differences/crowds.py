"""Lists of what everybody on a server has, and what in them belongs to one context."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

PAGING = re.compile(r"^Next|Marker$|Token$|Truncated$|Count$|^LastEvaluated|continuation")
_WHOLE = re.compile(r"^etag$|md5|crc|length|count$|size$", re.IGNORECASE)
"""What is worked out from a whole answer."""
_NEXT = re.compile(r"^Next|^LastEvaluated|[Cc]ontinuation")


def longest(value: Any) -> int:
    """The length of the longest list in an answer."""
    if isinstance(value, Mapping):
        return max(map(longest, value.values()), default=0)
    return len(value) if isinstance(value, list) else 0


def goes_on(value: Any) -> bool:
    """Whether an answer says that there is more: a marker or a token with which to ask for the next page."""
    if isinstance(value, Mapping):
        return any(
            (bool(inner) and isinstance(inner, str | Mapping) and _NEXT.search(str(name)) is not None)
            or goes_on(inner)
            for name, inner in value.items()
        )
    return False


def listed(value: Any, prefix: str) -> int:
    """How often an answer names things of a context; a marker that names where to go on does not count."""
    if isinstance(value, Mapping):
        return sum(listed(inner, prefix) for name, inner in value.items() if not PAGING.search(str(name)))
    if isinstance(value, list):
        return sum(listed(each, prefix) for each in value)
    return int(isinstance(value, str) and prefix in value)


def has_others(value: Any, prefix: str) -> bool:
    """Whether a list holds anything that is not of this context."""
    if isinstance(value, Mapping):
        return any(has_others(inner, prefix) for inner in value.values())
    return isinstance(value, list) and any(prefix not in repr(each) for each in value)


def keeps_to(value: Any, prefix: str) -> bool:
    """Whether an answer lists things of this context and nothing else: it was asked for them and heard it."""
    return longest(value) > 0 and not has_others(value, prefix)


def _is_ours(name: str, value: Any) -> bool:
    """Whether a part of an answer is there whoever else has things there: no marker of a page."""
    if isinstance(value, (list, dict)):
        return bool(value)
    return value is not None and (not PAGING.search(name) or _WHOLE.search(name) is not None)


def _of_all(name: str, value: Any) -> Any:
    """A part of an answer; of what is worked out from others' things as well, only that it is there."""
    is_plain = not isinstance(value, (list, dict)) and value is not None
    return "<of all>" if is_plain and _WHOLE.search(name) else value


def without_others(value: Any, prefix: str, *, crowded: bool) -> Any:
    """An answer without the things of others; where there are any, pages and counts mean nothing."""
    if isinstance(value, Mapping):
        inner = {key: without_others(each, prefix, crowded=crowded) for key, each in value.items()}
        if not crowded:
            return inner
        return {key: _of_all(str(key), each) for key, each in inner.items() if _is_ours(str(key), each)}
    if isinstance(value, list):
        return [each for each in value if prefix in repr(each)]
    return value
