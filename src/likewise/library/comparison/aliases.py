"""Values that count only by identity: what was drawn by chance, or read from a clock, in each of two runs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from likewise.library.comparison.clocks import TIMES, Clocks, moment, moment_of
from likewise.library.comparison.drawing import Draws
from likewise.library.texts import is_free_port, plain_text, text_of
from likewise.model import Value

_UUID = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[1467][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
    r"|[0-9a-f]{12}4[0-9a-f]{3}[89ab][0-9a-f]{15}",
    re.IGNORECASE,
)
"""Of the versions that hold chance or the time; without dashes only the one that is nothing but chance."""
_SHAPES = re.compile(rf"(?<![0-9A-Za-z.])(?:{_UUID.pattern}|{'|'.join(TIMES)})(?![0-9A-Za-z])", re.IGNORECASE)
_TOKEN = re.compile(r"[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*")
_CODED = re.compile(r"[A-Za-z0-9+/]{16,}={0,2}")
"""What base64 makes of some bytes."""
_HEX = re.compile(r"(?:0x)?[0-9a-fA-F]+")
_DRAWN = re.compile(r"‹drawn \d+›")
_SHORTEST = 8
_MIXED = 20
_LONGEST_WORD = re.compile(r"[a-z]{12}|[A-Z]{12}|\d{12}")
_FEW = 0.6
_LOWEST, _HIGHEST = 0x5500_0000_0000, 0x8000_0000_0000
"""Where 64-bit systems put what a process allocates."""


@dataclass(slots=True)
class Aliases:
    """Which drawn value of the candidate's run is which of the reference's.

    Identifiers that are made to be unique, and times at which each run itself went on, are known by their
    looks. Other tokens and times are not: what looks drawn may be the digest of something that changed. They
    are taken for drawn only where the client itself brought them, and nothing had differed until then.
    """

    clocks: Clocks = field(default_factory=Clocks)
    draws: Draws = field(default_factory=Draws)
    """What the client was seen to draw."""
    forward: dict[object, object] = field(default_factory=dict)
    backward: dict[object, object] = field(default_factory=dict)
    _numbers: tuple[dict[object, int], dict[object, int]] = field(default_factory=lambda: ({}, {}))
    uses: int = 0
    """How often two values were the same only so."""

    def are_same(self, ours: Value, theirs: Value) -> bool:
        """Whether two values of one type that are not equal stand for the same."""
        is_same = self._match(ours, theirs, is_brought=False)
        self.uses += is_same
        return is_same

    def bring(self, ours: Value, theirs: Value, *, name: str = "") -> None:
        """The client handed these over, under a name or not, and nothing known explains why they differ."""
        if isinstance(ours, dict) and isinstance(theirs, dict):
            if ours.keys() == theirs.keys():
                for key, each in ours.items():
                    self.bring(each, theirs[key], name=key)
        elif isinstance(ours, list) and isinstance(theirs, list):
            for one, other in zip(ours, theirs, strict=False):
                self.bring(one, other, name=ours[0] if isinstance(ours[0], str) and len(ours) == 2 else "")
        elif type(ours) is type(theirs) and ours != theirs:
            if name.lower().endswith("port") and is_free_port(ours) and is_free_port(theirs):
                self._bind(ours, theirs)
            else:
                self._match(ours, theirs, is_brought=True)

    def neutral(self, text: str, *, is_candidate: bool) -> str:
        """A text of one side with one name for what both are known to have drawn."""
        text = self.draws.neutral(text, is_candidate=is_candidate)
        known = self._numbers[is_candidate]
        if not known:
            return text
        for words in (_CODED, _TOKEN):
            text = words.sub(lambda one: f"‹drawn {known[one[0]]}›" if one[0] in known else one[0], text)
        return text

    def _match(self, ours: Value, theirs: Value, *, is_brought: bool) -> bool:
        if isinstance(ours, str) and isinstance(theirs, str):
            ours, theirs = self.neutral(ours, is_candidate=False), self.neutral(theirs, is_candidate=True)
            if ours == theirs or self._pairwise(_SHAPES, ours, theirs, is_brought=is_brought):
                return True
            is_coded = not set("+=").isdisjoint(ours + theirs)
            tries = (_CODED, _TOKEN) if is_coded else (_TOKEN,)
            return is_brought and any(self._pairwise(each, ours, theirs, is_brought=True) for each in tries)
        if isinstance(ours, bool) or isinstance(theirs, bool):
            return False
        if self.draws.are_same(ours, theirs):
            return True
        if isinstance(ours, bytes) and isinstance(theirs, bytes):
            texts = text_of(ours), text_of(theirs)
            if texts[0] is not None and texts[1] is not None:
                said, also = map(plain_text, (texts[0], texts[1]))
                if self._match(said, also, is_brought=is_brought):
                    return True
            if is_brought and _is_far(ours, theirs):
                return self._bind(ours, theirs)
            return self._is_bound(ours, theirs)
        if isinstance(ours, int | float) and isinstance(theirs, int | float):
            return self._number(ours, theirs, is_brought=is_brought)
        return False

    def _number(self, ours: float, theirs: float, *, is_brought: bool) -> bool:
        if self._is_bound(ours, theirs):
            return True
        if is_brought and _is_address(ours) and _is_address(theirs):
            return self._bind(ours, theirs)
        one, other = moment_of(ours), moment_of(theirs)
        if one is None or other is None:
            return False
        if self.clocks.are_now(one, other):
            return True
        return is_brought and self.clocks.are_as_far(one, other) and self._bind(ours, theirs)

    def _pairwise(self, words: re.Pattern[str], ours: str, theirs: str, *, is_brought: bool) -> bool:
        """Whether two texts differ in nothing but such words, each of which stands for the other."""
        if words.sub("\0", ours) != words.sub("\0", theirs):
            return False
        pairs = list(zip(words.findall(ours), words.findall(theirs), strict=True))
        return all(one == other or self._word(one, other, is_brought=is_brought) for one, other in pairs)

    def _word(self, ours: str, theirs: str, *, is_brought: bool) -> bool:
        if self._is_bound(ours, theirs):
            return True
        if _UUID.fullmatch(ours) and _UUID.fullmatch(theirs):
            return len(ours) == len(theirs) and self._bind(ours, theirs)
        one, other = moment(ours), moment(theirs)
        if one is not None and other is not None:
            if one.grain != other.grain or one.has_zone is not other.has_zone:
                return False
            if self.clocks.are_now(one, other):
                return True
            return is_brought and self.clocks.are_as_far(one, other) and self._bind(ours, theirs)
        return is_brought and _are_drawn(ours, theirs) and self._bind(ours, theirs)

    def _is_bound(self, ours: object, theirs: object) -> bool:
        return ours in self.forward and self.forward[ours] == theirs

    def _bind(self, ours: object, theirs: object) -> bool:
        if self.forward.get(ours, theirs) != theirs or self.backward.get(theirs, ours) != ours:
            return False
        self.forward[ours], self.backward[theirs] = theirs, ours
        for known, each in zip(self._numbers, (ours, theirs), strict=True):
            known.setdefault(each, len(known) + 1)
        return True


def lasting(text: str) -> str:
    """A text without what is made to be unique, and without the numbers of what else was drawn."""
    return _DRAWN.sub("‹drawn›", _UUID.sub("‹drawn›", text))


def _is_address(number: float) -> bool:
    """Whether a number may be what `id` says of an object."""
    return isinstance(number, int) and _LOWEST <= number < _HIGHEST and number % 8 == 0


def _are_drawn(ours: str, theirs: str) -> bool:
    """Whether two words look as if chance had chosen every character, and of the same sort."""
    if abs(len(ours) - len(theirs)) > 2 or not _is_far(ours.encode(), theirs.encode()):
        return False
    if _HEX.fullmatch(ours) and _HEX.fullmatch(theirs):
        return any(map(str.isdigit, ours + theirs)) and any(map(str.isalpha, ours + theirs))
    return all(map(_is_mixed, (ours, theirs)))


def _is_mixed(word: str) -> bool:
    sorts = any(map(str.islower, word)), any(map(str.isupper, word)), any(map(str.isdigit, word))
    return len(word) >= _MIXED and all(sorts) and not _LONGEST_WORD.search(word)


def _is_far(ours: bytes, theirs: bytes) -> bool:
    """Whether two strings are long, and differ nearly everywhere."""
    if min(len(ours), len(theirs)) < _SHORTEST:
        return False
    return sum(_differing(ours, theirs)) > _FEW * min(len(ours), len(theirs))


def _differing(ours: bytes, theirs: bytes) -> Iterator[bool]:
    return (one != other for one, other in zip(ours, theirs, strict=False))
