"""Cut values into tokens: the smallest pieces that may vary on their own.

A token is a word, a number, or a whole identifier of a well-known shape. Lexical classes only help
to cut and to tell what looks random; whether a token really varies is learned, never guessed.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

from likewise.canonical.hashing import fingerprint
from likewise.model import Opaque, Redacted, Scalar, Value

TIME = "\x01"
"""Prefix of tokens that are points in time: when they vary, they lose identity."""
NUMBER = "\x02"
CONTENT = "\x03"
"""Prefix of the hash of an opaque body."""
SIZE = "\x07"
"""Prefix of how long something is that is known by its hash: when that varies, it has no identity, either."""
CURSOR = "\x06"
"""Prefix of what tells a server where to go on: it counts by identity only, whatever it looks like."""

_MARKED = frozenset((TIME, NUMBER, CONTENT, SIZE, CURSOR))

Pieces = tuple[tuple[str, ...], tuple[str, ...]]
"""Literals and the tokens between them: literal, token, literal, …, literal."""

_LONGEST = 2048
"""A longer text is one token, known by its hash: cutting it up costs more than it tells."""

_ALONE = r"\d(?<!\d\d)"
"""A digit after none. All shapes begin with a class of characters, so that a search can tell at a glance."""
_REST_OF_CLOCK = r"\d:\d\d:\d\d(?:\.\d+)?(?: ?[AP]M)?(?:Z| ?[+-]\d\d:?\d\d)?"
_CLOCK = rf"{_ALONE}{_REST_OF_CLOCK}()"
_DATE = rf"{_ALONE}(?:\d{{3}}([-./])\d\d\1\d\d|\d?([-./])\d\d?\2\d{{4}})(?!\d)(?:[T ]\d{_REST_OF_CLOCK})?"
_DAY = r"[MTWFS][a-z]{2}(?<=Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
_WEEKDAY = _DAY + r", \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT()"
_VERSION = r"\d\d{3}-\d\d-\d\dT\d\d%3A\d\d%3A\d\d(?:\.\w+)?"
"""A time in URL encoding, as some services write entity tags: it tells versions apart, so it has identity."""
_VERSION_ALONE = re.compile(_VERSION)
_UUID = "[0-9a-fA-F]" + "-".join(f"[0-9a-fA-F]{{{size}}}" for size in (7, 4, 4, 4, 12))
_PADDED = r"[A-Za-z0-9+/_-]{15,}={1,2}"
_ENCODED = re.compile(r"[A-Za-z0-9+_.-]{20,}")
_ORDINARY = re.compile(r"[A-Z]?[a-z]{2,}|[A-Z]{3,}|\d+")
"""A piece that somebody may have written, rather than an encoding made."""
_WORD = re.compile(r"[^\W_]+")


class _Patterns:
    """What to look for in a text: identifiers and times of a well-known shape, wherever they are, and words.

    Looking takes most of the time that cutting does, so that no shape is looked for in a text without its
    signs. Only times capture anything.
    """

    def __init__(self, *, letter: str, digit: str, either: str, flags: re.RegexFlag) -> None:
        unpadded = f"{_VERSION}|{_DATE}|{_WEEKDAY}|{_CLOCK}|{_UUID}"
        self._shapes = re.compile(f"{unpadded}|{_PADDED}", flags)
        self._unpadded = re.compile(unpadded, flags)
        self._days = re.compile(f"{_DATE}|{_CLOCK}|{_UUID}", flags)
        self._without_clock = re.compile(f"{_DATE}|{_UUID}", flags)
        self.tokens = re.compile(f"({letter}{{3,}}+(?={digit}+(?!{either}))|{either}+)", flags).split
        """Cuts at words; one of three letters or more and a number after it are two tokens."""

    def shapes_in(self, text: str) -> re.Pattern[str] | None:
        """What may be found in a text, by the signs that no shape does without."""
        if "=" in text:
            return self._shapes
        if "%3A" in text or "GMT" in text:
            return self._unpadded
        if ":" in text:
            return self._days
        return self._without_clock if "-" in text or "." in text or "/" in text else None


_ANY = _Patterns(letter=r"[^\W\d_]", digit=r"\d", either=r"[^\W_]", flags=re.NOFLAG)
_ASCII = _Patterns(letter="[A-Za-z]", digit="[0-9]", either="[A-Za-z0-9]", flags=re.ASCII)
"""Finds the same in a text that is ASCII, in a third less time."""
_EPOCH_SECONDS = 1_000_000_000, 4_000_000_000
_LONG = 20
"""So many characters look generated whatever they are."""
_NEAR = 400 * 86_400
"""Expiry times lie ahead of a run, few of them further than a year."""


@lru_cache(maxsize=8192)
def cut(text: str) -> Pieces:
    """The pieces of a text; a word of three letters or more and a number after it are two tokens."""
    if len(text) > _LONGEST:
        return _hashed("text", len(text), fingerprint((text,)))
    if _ENCODED.fullmatch(text) and _is_encoded(text):
        return ("", ""), (text,)
    patterns = _ASCII if text.isascii() else _ANY
    shapes = patterns.shapes_in(text)
    if shapes is None:
        found = patterns.tokens(text)
        return tuple(found[::2]), tuple(found[1::2])
    found = []
    end = 0
    for shape in shapes.finditer(text):
        start, stop = shape.span()
        found += patterns.tokens(text[end:start])
        found.append(shape.group() if shape.lastindex is None else TIME + shape.group())
        end = stop
    found += patterns.tokens(text[end:] if end else text)
    return tuple(found[::2]), tuple(found[1::2])


def _is_encoded(text: str) -> bool:
    """Whether what may be a long identifier in base64 or the like is one: case and digits mix freely.

    A digest or the like behind a short word has but one case apart from that word, and whether it looks
    mixed must not depend on its digits.
    """
    words = _WORD.findall(text)
    if not words or _ORDINARY.fullmatch(words[0]) or _ORDINARY.fullmatch(words[-1]):
        return False
    uppers, lowers = sum(map(str.isupper, text)), sum(map(str.islower, text))
    if min(uppers, lowers) < 0.1 * len(text) or not any(map(str.isdigit, text)):
        return False
    kinds = "".join("d" if char.isdigit() else "u" if char.isupper() else "l" for char in text)
    changes = sum(one != other for one, other in pairwise(kinds))
    cases = sum((one == "u") != (other == "u") for one, other in pairwise(kinds))
    return changes >= 0.4 * len(text) and cases >= 0.2 * len(text)


def pieces(leaf: Scalar) -> Pieces:
    """The pieces of any leaf; `None`, booleans and redacted places are never more than literals."""
    if isinstance(leaf, str):
        return cut(leaf)
    match leaf:
        case None | bool():
            return (f"\x02{leaf}",), ()
        case int() | float():
            # Digits that vary are no number, and whole numbers are of another kind.
            return (f"{NUMBER}{type(leaf).__name__} ", ""), (_number(leaf),)
        case Opaque():
            return _hashed("opaque", leaf.length, leaf.digest)
        case bytes():
            return _hashed("bytes", len(leaf), fingerprint((leaf.hex(),)))
        case Redacted():
            return (f"\x02redacted {leaf.kind}",), ()


def _hashed(kind: str, length: int, digest: str) -> Pieces:
    """What is known by its hash, with how long it is: about, and exactly as far as that repeats."""
    return (f"{kind} {_magnitude(length)} ", " ", ""), (f"{SIZE}{length}", CONTENT + digest)


def _number(number: int | float) -> str:
    seconds = number // 1000 if number >= 1e12 else number
    in_time = _EPOCH_SECONDS[0] <= seconds < _EPOCH_SECONDS[1]
    return f"{TIME if in_time else NUMBER}{number!r}"


def is_near(token: str, when: float) -> bool:
    """Whether digits count seconds or milliseconds up to a time not far from `when`."""
    if not token.isdecimal() or len(token) not in (10, 13):
        return False
    return abs(int(token) / (1000 if len(token) == 13 else 1) - when) < _NEAR


def are_times(one: Value, other: Value) -> bool:
    """Whether two values are points in time and nothing else, with the same words around them.

    A whole number may be anything.
    """
    if not isinstance(one, str | float) or not isinstance(other, str | float):
        return False
    (words, times), (others, moments) = pieces(one), pieces(other)
    return words == others and bool(times) and all(token[:1] == TIME for token in (*times, *moments))


def _magnitude(length: int) -> int:
    return length.bit_length()


def is_version(token: str) -> bool:
    """Whether a token is a version that was read off a clock, as some services write entity tags."""
    return "%3A" in token and _VERSION_ALONE.fullmatch(token) is not None


@lru_cache(maxsize=16384)
def looks_random(token: str) -> bool:
    """Whether a token has the shape of something generated rather than written."""
    mark = token[:1]
    if mark in (TIME, CONTENT, CURSOR):
        return True
    if mark == SIZE:
        return False
    word = token[1:] if mark == NUMBER else token
    if len(word) < 6 or _is_monotonous(word):
        return False
    return len(word) >= _LONG or word.isdigit() or any(letter.isdigit() for letter in word)


def _is_monotonous(word: str) -> bool:
    """Whether a long word has so few different characters that it is none of chance: zeros, a round sum."""
    return len(word) >= 10 and len({*word} - {"-"}) <= (2 if len(word) < _LONG else 3)


def is_long(token: str) -> bool:
    """Whether a token is a word so long that it looks generated whatever it is made of."""
    return len(token) >= _LONG and token[0] not in _MARKED


@lru_cache(maxsize=16384)
def build_of(token: str) -> str:
    """How a generated value is built, as far as that is the same each time: how long it is, and its case.

    Small letters are the usual case, for short ones may have none by chance, and their length tells little.
    Nothing of times, and of content, which says it itself.
    """
    if token[0] in _MARKED:
        return ""
    size = f"{_magnitude(len(token))}" if len(token) >= _LONG else ""
    return f"{size}A" if token.isupper() else size
