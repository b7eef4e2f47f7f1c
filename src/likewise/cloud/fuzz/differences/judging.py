"""What differs between two answers, once names, times and fresh identifiers are out of the way."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from likewise.cloud.fuzz.calls import LEAVES, Answer
from likewise.cloud.fuzz.differences.bonds import Bonds
from likewise.cloud.fuzz.differences.crowds import (
    PAGING,
    goes_on,
    has_others,
    keeps_to,
    listed,
    longest,
    without_others,
)
from likewise.cloud.fuzz.differences.trees import Found, are_near, differences, masked, plain_message
from likewise.model import Difference, Implication

RECENT = 512
"""Pairs of answers of which it is remembered how they differ."""
PAGE = 10
"""Items that a page of a list has at least, where nobody asked for fewer."""
_ARN = re.compile(r"(arn:[^:\s]*:[^:\s]*):[^:\s]*:[^:\s]*:")
_ACCOUNT = re.compile(r"(?<![\w-])\d{12}(?![\w-])")
_VARYING = re.compile(r"""(?<!\w)'[^']*(?:'|…$)|"[^"]*(?:"|…$)|\[[^\[\]]*(?:\]|…$)|<[a-z]{2}>[^\s'"\],]*""")
_TOKEN = re.compile(r"(^|\.)(Next\w*|[Cc]ontinuation)Token$")
"""Where what a side makes up for itself to go on with stands: nobody can read anything into it."""
_METADATA = re.compile(r"((?:^|\.)x-ms-meta-|\.Metadata\.)[^.]*$")
_QUOTED = re.compile(r"'([^']{40})[^']{40,}'")
TEDIOUS = 2.5
"""Seconds that an answer takes which on a busy machine does not come in time."""
BETWEEN = "Table.TableStatus"
"""Where it stands that a table is in between two states, for a while on one side only."""
_SETS = frozenset({"SS", "NS", "BS"})
_OWNERS = frozenset({"Owner", "Initiator", "Grantee"})
_PERSONAL = frozenset({"ID", "EmailAddress"})
NAMED, PERSON = "DisplayName", "somebody called "


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """One difference between the two answers to one call; `index` counts the observers after the probe."""

    operation: str
    index: int
    difference: Difference
    place: str
    reference: str
    candidate: str
    implication: Implication

    @property
    def signature(self) -> tuple[str, ...]:
        """What makes two differences the same one."""
        said = (self.reference, self.candidate) if self.difference in _SAID else ()
        return (self.operation, str(self.difference), self.place, *map(generalised, said))


_SAID = frozenset(
    {Difference.SUCCESS, Difference.STATUS, Difference.CODE, Difference.MESSAGE, Difference.SILENCE}
)


def generalised(text: str) -> str:
    """A text without what varies between tests: numbers, names, and what is quoted or listed, cut or not."""
    return re.sub(r"\d+", "#", _VARYING.sub("*", text))[:300]


class Judge:
    """Compares answers; learns which places hold values that are fresh every time."""

    def __init__(self, patterns: tuple[re.Pattern[str], re.Pattern[str]], endpoints: tuple[str, str]) -> None:
        self._patterns = patterns
        self._hosts: tuple[list[str], list[str]] = ([], [])
        self._compared: dict[tuple[int, int], tuple[Any, Any, list[Found]]] = {}
        """Answers that were compared, and how they differ: those to a set-up serve every probe after it."""
        self.at(endpoints)
        self.volatile: set[tuple[str, str]] = set()
        """(operation, place) pairs whose values never repeat."""
        self._people: tuple[set[str], set[str]] = (set(), set())
        """What each side calls the people that it names."""
        self._lengths: dict[tuple[str, int], int] = {}
        """For each operation and side the longest list that it gave."""
        self._before: dict[tuple[str, int, str], int] = {}
        """The same, as it was when a context first had such a list."""

    def at(self, endpoints: tuple[str, str]) -> None:
        """Where the sides are now: a server that was started again has another address."""
        for known, url in zip(self._hosts, endpoints, strict=True):
            host = url.partition("://")[2].partition("/")[0]
            if host and host not in known:
                known.append(host)
                self._compared.clear()

    def normalised(self, value: Any, which: int) -> Any:
        """A side's value with its names, its address and what belongs to its account replaced."""
        if isinstance(value, str):
            return self._text(value, which)
        if type(value) in LEAVES:
            return value
        if isinstance(value, (dict, Mapping)):
            value = _as_set(value)
            return {
                self._text(str(key), which): self.normalised(
                    self._anonymous(inner, which) if key in _OWNERS and isinstance(inner, Mapping) else inner,
                    which,
                )
                for key, inner in value.items()
            }
        if isinstance(value, (list, tuple)):
            return [self.normalised(inner, which) for inner in value]
        return value

    def _anonymous(self, owner: Mapping[str, Any], which: int) -> dict[str, Any]:
        """Somebody without what the server knows them by: what they are and what is said of them counts."""
        if isinstance(name := owner.get(NAMED), str):
            self._people[which].add(f"{PERSON}{name}")
            owner = {**owner, NAMED: f"{PERSON}{name}"}
        return {key: "<owner>" if key in _PERSONAL and inner else inner for key, inner in owner.items()}

    def _are_same_person(self, ours: Any, theirs: Any) -> bool:
        """Whether two names may be one person's: not where a side calls somebody so whom the other does."""
        if not all(isinstance(each, str) and each.startswith(PERSON) for each in (ours, theirs)):
            return False
        return ours not in self._people[1] and theirs not in self._people[0]

    def _text(self, text: str, which: int) -> str:
        if "lw" in text:
            text = self._patterns[which].sub(r"<\1>", text)
        for host in self._hosts[which]:
            if host in text:
                text = text.replace(f"http://{host}", "<endpoint>").replace(host, "<endpoint>")
        if "arn:" in text:
            text = _ARN.sub(r"\1:*:*:", text)
        return _ACCOUNT.sub("<account>", text) if len(text) >= 12 else text

    def gaps(
        self,
        operation: str,
        index: int,
        reference: Answer,
        candidate: Answer,
        *,
        prefixes: tuple[str, str] = ("", ""),
        named: bool = False,
        bonds: Bonds,
    ) -> list[Gap]:
        """Every difference between two answers to the same call.

        `prefixes` are given for lists of what everybody on the server has: only what bears them counts.
        `named` where the list was asked for something that bears them.
        """
        if reference.refused or candidate.refused:
            return []
        kind = implication(reference, candidate)
        found = [
            Gap(
                operation=operation,
                index=index,
                difference=difference,
                place=_general(place),
                reference=_short(ours, difference),
                candidate=_short(theirs, difference),
                implication=kind,
            )
            for difference, place, ours, theirs in self._found(
                operation, reference, candidate, prefixes, named, bonds
            )
        ]
        return _without_counts(found)

    def _found(
        self,
        operation: str,
        reference: Answer,
        candidate: Answer,
        prefixes: tuple[str, str],
        named: bool,
        bonds: Bonds,
    ) -> Iterator[Found]:
        """What differs, the outermost only: answers that are not both there have no contents to compare."""
        if bool(reference.between) != bool(candidate.between):
            ours, theirs = (each.between or _table_state(each) for each in (reference, candidate))
            yield Difference.VALUE, BETWEEN, ours, theirs
        if bool(reference.silence) or bool(candidate.silence):
            if bool(reference.silence) != bool(candidate.silence) and not _is_close(reference, candidate):
                yield Difference.SILENCE, "", reference.summary(), candidate.summary()
        elif reference.success != candidate.success:
            yield Difference.SUCCESS, "", reference.summary(), candidate.summary()
        elif not reference.success:
            yield from self._errors(operation, reference, candidate, bonds)
        else:
            if reference.status != candidate.status:
                yield Difference.STATUS, "status", reference.status, candidate.status
            both = (reference.fields, candidate.fields)
            yield from self._contents(operation, *both, prefixes, named, bonds)

    def _contents(
        self, operation: str, mine: Any, other: Any, prefixes: tuple[str, str], named: bool, bonds: Bonds
    ) -> Iterator[Found]:
        """Where what both sides said differs, identifiers that stand for each other apart."""
        if prefixes[0]:
            # Who lists nothing says so in the same way, whether others have things there or not.
            is_bare = bool(listed(mine, prefixes[0])) != bool(listed(other, prefixes[1]))
            crowded = is_bare or has_others(mine, prefixes[0]) or has_others(other, prefixes[1])
            is_told = named and keeps_to(mine, prefixes[0]) != keeps_to(other, prefixes[1])
            is_more = self._goes_on(operation, prefixes, mine, other)
            if self._are_cut(operation, prefixes, mine, other) and crowded and not is_told:
                return
            if crowded and is_more[0] != is_more[1]:
                yield Difference.VALUE, "whether there is more", *is_more
            mine = without_others(mine, prefixes[0], crowded=crowded)
            other = without_others(other, prefixes[1], crowded=crowded)
        swapped: dict[str, list[tuple[str, str]]] = {}
        for difference, place, left, right in self._differences(mine, other):
            if difference is Difference.VALUE and (
                bonds.are_one(left, right) or self._are_same_person(left, right)
            ):
                continue
            if difference is Difference.VALUE and self._is_fresh(operation, place, left, right):
                if not bonds.hold(left, right):
                    swapped.setdefault(place, []).append((left, right))
            elif (
                difference is not Difference.VALUE
                or not are_near(left, right)
                or bonds.was_sent(left)
                or bonds.was_sent(right)
            ):
                yield difference, place, left, right
        for place, those in swapped.items():
            if "[]" in place and bonds.are_permuted(those):
                ours, theirs = zip(*those, strict=True)
                yield Difference.ORDER, place.rpartition("[]")[0], ours, theirs
            else:
                yield Difference.IDENTITY, place, *bonds.ordinals(*those[0])

    def _differences(self, mine: Any, other: Any) -> list[Found]:
        """Where two answers differ; those that come again are looked at once only."""
        key = (id(mine), id(other))
        if key not in self._compared:
            if len(self._compared) >= RECENT:
                self._compared.clear()
            found = list(differences(self.normalised(mine, 0), self.normalised(other, 1)))
            # What is kept here cannot give its identity to another answer.
            self._compared[key] = mine, other, found
        return self._compared[key][2]

    def _goes_on(self, operation: str, prefixes: tuple[str, str], *both: Any) -> tuple[bool, bool]:
        """Whether each side says that a page of what everybody has is not the last one.

        It is not where the list was much longer before, and what is ours is on another page.
        """
        lengths = [longest(each) for each in both]
        is_sure = all(
            lengths[which] + PAGE <= self._lengths.get((operation, which), 0)
            and not listed(both[which], prefixes[which])
            for which in (0, 1)
        )
        is_page = is_sure and lengths[0] == lengths[1]
        return (goes_on(both[0]), goes_on(both[1])) if is_page else (True, True)

    def _are_cut(self, operation: str, prefixes: tuple[str, str], *both: Any) -> bool:
        """Whether a list of what everybody has no longer grows: it is a page, and ours may be on another.

        The same answers may be judged again: what they were longer than is what came before their context.
        """
        found = False
        for which, fields in enumerate(both):
            length, most = longest(fields), self._lengths.get((operation, which), 0)
            before = self._before.setdefault((operation, which, prefixes[which]), most)
            found = found or PAGE <= length <= before
            self._lengths[operation, which] = max(length, most)
        return found

    def give(self, reference: Any, candidate: Any, bonds: Bonds) -> None:
        """Take in what a call was given on each side."""
        if isinstance(reference, str) and isinstance(candidate, str):
            bonds.give(self._text(reference, 0), self._text(candidate, 1))

    def bind(self, operation: str, reference: Answer, candidate: Answer, bonds: Bonds) -> None:
        """Take in which fresh values two answers gave at the same places."""
        if not reference.success or not candidate.success:
            return
        for difference, place, left, right in self._differences(reference.fields, candidate.fields):
            if difference is Difference.VALUE and self._is_fresh(operation, place, left, right):
                bonds.hold(left, right)

    def _errors(self, operation: str, reference: Answer, candidate: Answer, bonds: Bonds) -> Iterator[Found]:
        if reference.code != candidate.code:
            yield Difference.CODE, "", reference.summary(), candidate.summary()
            return
        if reference.status != candidate.status:
            yield Difference.STATUS, "", reference.summary(), candidate.summary()
        ours = plain_message(bonds.without(self._text(reference.message, 0), 0))
        theirs = plain_message(bonds.without(self._text(candidate.message, 1), 1))
        if ours != theirs:
            yield Difference.MESSAGE, "", ours, theirs
        elif reference.status == candidate.status:
            both = (_besides(reference), _besides(candidate))
            yield from self._contents(operation, *both, ("", ""), False, bonds)

    def _is_fresh(self, operation: str, place: str, ours: Any, theirs: Any) -> bool:
        """Whether two different values are identifiers that each side makes up."""
        if not isinstance(ours, str) or not isinstance(theirs, str) or are_near(ours, theirs):
            return False
        if ours and theirs and _TOKEN.search(place):
            return True
        like = masked(ours)
        return (like == masked(theirs) and "<fresh>" in like) or (operation, _general(place)) in self.volatile


def _is_close(*answers: Answer) -> bool:
    """Whether the side that answers took so long that it might as well not have: that is no difference."""
    return any(each.seconds > TEDIOUS for each in answers if not each.silence)


def _table_state(answer: Answer) -> str:
    """The state of the table that an answer is about."""
    table = answer.fields.get("Table") or answer.fields.get("TableDescription") or {}
    return str(table.get("TableStatus", "")) if answer.success else "gone"


def _besides(answer: Answer) -> dict[str, Any]:
    """What an error says besides its code and text: the item that did not fit, a reason for each part."""
    return {name: value for name, value in answer.fields.items() if name not in ("Error", "Message")}


def _as_set(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """A set of DynamoDB's in one order: it has none."""
    if len(value) == 1:
        ((key, inner),) = value.items()
        if key in _SETS and isinstance(inner, list):
            return {key: sorted(inner, key=repr)}
    return value


def _without_counts(gaps: list[Gap]) -> list[Gap]:
    """Differences without those that only say that a list, which differs itself, is shorter or goes on."""
    beside = {each.place.rpartition(".")[0] for each in gaps if _is_of_list(each)}
    if beside:
        beside.add("headers")
    others = {each.place.partition("[]")[0].rpartition(".")[0] for each in gaps if "[]" in each.place}
    return [
        each
        for each in gaps
        if not (_parent(each) in beside and PAGING.search(_name(each)))
        # Where the things on a page are others, so is what the next one begins with.
        and not (_parent(each) in others and _name(each).startswith("Next"))
    ]


def _parent(gap: Gap) -> str:
    return gap.place.rpartition(".")[0]


def _name(gap: Gap) -> str:
    return gap.place.rpartition(".")[2]


def _is_of_list(gap: Gap) -> bool:
    """Whether a list is shorter on one side, or not there at all."""
    is_whole = gap.difference in (Difference.MISSING, Difference.EXTRA)
    return gap.difference is Difference.LENGTH or (is_whole and "[{" in gap.reference + gap.candidate)


def implication(reference: Answer, candidate: Answer) -> Implication:
    """What it means for somebody who deploys."""
    return Implication.between(reference=reference.success, candidate=candidate.success)


def _general(place: str) -> str:
    """A place, whatever the client calls what is there: things by their names, metadata by its keys."""
    return _METADATA.sub(r"\1*", re.sub(r"<[a-z]{2}>", "*", place))


def _short(value: Any, difference: Difference) -> str:
    """A value in not too many characters; where types differ, a number is not the text that looks like it."""
    is_plain = isinstance(value, str) and (difference is not Difference.TYPE or not value)
    text = value if is_plain else repr(value)
    if difference is Difference.MESSAGE and len(text) > 300:
        text = _QUOTED.sub(r"'\1…'", text)  # what a message says after what it repeats tells it from others
    return text if len(text) <= 300 else text[:299] + "…"
