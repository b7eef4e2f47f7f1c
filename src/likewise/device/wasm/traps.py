"""Traps have names in the core tests; engines word them in their own ways."""

from __future__ import annotations

import re

UNREACHABLE = "unreachable"
DIVIDE = "integer divide by zero"
OVERFLOW = "integer overflow"
CONVERSION = "invalid conversion to integer"
MEMORY = "out of bounds memory access"
TABLE = "out of bounds table access"
UNINITIALIZED = "uninitialized element"
SIGNATURE = "indirect call type mismatch"
EXHAUSTED = "call stack exhausted"
NULL = "null reference"

_WORDINGS = (
    (DIVIDE, r"divi(de|sion) by zero"),
    (CONVERSION, r"invalid conversion to int"),
    (OVERFLOW, r"integer (overflow|result)|integer not representable"),
    (MEMORY, r"out of bounds memory|memory (access )?out of bounds|memory overflow"),
    (TABLE, r"undefined element|out of bounds table|table (access )?out of bounds|undefined elem"),
    (UNINITIALIZED, r"uninitiali[sz]ed (table )?element|indirect call to null"),
    (SIGNATURE, r"indirect call (type|signature) mismatch|call signature mismatch|call type mismatch"),
    (EXHAUSTED, r"call ?stack (exhausted|overflow)|stack overflow|exhausted"),
    (NULL, r"null (\w+ )?reference"),
    (UNREACHABLE, r"unreachable"),
)
_PATTERNS = tuple((name, re.compile(pattern, re.IGNORECASE)) for name, pattern in _WORDINGS)


def named(text: str) -> str:
    """The core tests' name of the trap that a text speaks of; empty where it speaks of none."""
    for name, pattern in _PATTERNS:
        if pattern.search(text):
            return name
    return ""
