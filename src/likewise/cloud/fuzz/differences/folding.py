"""What turns out at the end to have the cause of another finding, found before that was known."""

from __future__ import annotations

import re
from typing import Any

from likewise.cloud.fuzz.differences.causes import ASYNCHRONOUS, AUTHORISATION, NULL, STATES
from likewise.cloud.fuzz.differences.likeness import ERRORS, STORED, last_name, names_inside, top, tops
from likewise.cloud.fuzz.differences.neglect import is_elsewhere, is_right
from likewise.cloud.fuzz.findings import Finding
from likewise.cloud.fuzz.grammar import load
from likewise.cloud.fuzz.hints import hints_of
from likewise.cloud.fuzz.identities import Identity
from likewise.cloud.fuzz.planning.plans import is_read
from likewise.cloud.fuzz.planning.variants import AND, ValueClass
from likewise.model import Difference

_FAILURES = ERRORS | {Difference.SILENCE}


def is_same_refusal(finding: Finding, other: Finding) -> bool:
    """Whether a finding only shows again what one side refuses by another, while both refuse something."""
    if other.kind != Difference.SUCCESS or finding.kind not in _FAILURES:
        return False
    if (finding.operation, finding.shown_by) != (other.operation, other.shown_by):
        return False
    if AND in finding.parameter and _is_of_several(finding, other):
        return True
    if other.cause == finding.cause == NULL:
        return _is_same_failure(finding, other)
    if finding.cause == NULL and is_elsewhere(finding, other):
        return False  # a server that fails over something has not refused it
    is_denied = other.cause == AUTHORISATION and _is_caller_alike(finding.identity, other.identity)
    if (
        other.condition
        and not is_denied
        and not (other.parameter and tops(other.parameter) & finding.sequence[-1].params.keys())
    ):
        return False
    return any(mine == said and any(said) for mine, said in zip(finding.errors, other.errors, strict=True))


def _is_caller_alike(mine: Identity, other: Identity) -> bool:
    """Whether what one is refused, whatever the call is given, another is who shows rights in that way."""
    return other.is_owner or (mine.means is other.means and not mine.is_owner)


def _is_of_several(finding: Finding, other: Finding) -> bool:
    """Whether one of several parameters that were given together is what a side alone refuses, said alike.

    An answer without a code or a text is known by its status alone.
    """
    pairs = ((finding.reference, other.reference), (finding.candidate, other.candidate))
    is_same = any(mine == said and not said.startswith("success") for mine, said in pairs)
    return is_same and bool(other.parameter) and tops(other.parameter) <= tops(finding.parameter)


_GONE = frozenset({ValueClass.UNKNOWN, ValueClass.DELETED})

_NOWHERE = frozenset({STATES["unset"], STATES["no parent"], STATES["deleted"]})


def is_same_absence(finding: Finding, other: Finding) -> bool:
    """Whether a thing that a call names is not there, because of its name as because it was never made."""
    return (
        finding.value_class in _GONE
        and not other.parameter
        and other.condition in _NOWHERE
        and all(getattr(finding, each) == getattr(other, each) for each in _ALIKE)
    )


def is_same_end(finding: Finding, other: Finding) -> bool:
    """Whether what a call goes on with is gone since it was ended, as where there never was such a thing."""
    return (
        finding.condition == STATES["ended"]
        and not finding.parameter
        and other.value_class in _GONE
        and all(getattr(finding, each) == getattr(other, each) for each in _ALIKE)
    )


_ALIKE = ("service", "operation", "shown_by", "kind", "place", "reference", "candidate", "errors")


def is_same_message(finding: Finding, other: Finding) -> bool:
    """Whether one side says in the same words what the other has many words for."""
    return (
        finding.kind == other.kind == Difference.MESSAGE
        and (finding.operation, finding.shown_by) == (other.operation, other.shown_by)
        and (finding.reference == other.reference or finding.candidate == other.candidate)
        and (len(other.sequence), other.hash) < (len(finding.sequence), finding.hash)
    )


_PLAIN = frozenset({Difference.VALUE, Difference.TYPE, Difference.MISSING, Difference.EXTRA})

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
"""A word of a name that is put together from several."""


def _words(place: str) -> set[str]:
    """The words of the names in a place, without what makes several of one."""
    return {word.lower().rstrip("s") for word in _WORD.findall(place)}


def is_same_field(finding: Finding, other: Finding) -> bool:
    """Whether the same field differs in the same way in another part of the same answer."""
    places = [each.place.rpartition(".") for each in (finding, other)]
    return (
        all(getattr(finding, each) == getattr(other, each) for each in _OF_FIELD)
        and finding.kind in _PLAIN
        and places[0][2] == places[1][2]
        and places[0][0] != places[1][0]
        and all("[]" in each[0] for each in places)
        and (len(other.sequence), other.hash) < (len(finding.sequence), finding.hash)
    )


def is_same_order(finding: Finding, other: Finding) -> bool:
    """Whether lists of one name in two parts of an answer are both in another order."""
    return (
        all(getattr(finding, each) == getattr(other, each) for each in _OF_ORDER)
        and finding.kind == Difference.ORDER
        and finding.place != other.place
        and finding.place.rpartition(".")[2] == other.place.rpartition(".")[2]
        and (len(other.sequence), other.hash) < (len(finding.sequence), finding.hash)
    )


_OF_ORDER = ("service", "operation", "shown_by", "kind")


def is_same_asked(finding: Finding, other: Finding) -> bool:
    """Whether a field differs alike under two names, each of which the call itself was given."""
    places = [each.place.rpartition(".") for each in (finding, other)]
    return (
        all(getattr(finding, each) == getattr(other, each) for each in _OF_FIELD)
        and finding.kind in _PLAIN
        and places[0][0] == places[1][0]
        and places[0][2] != places[1][2]
        and all(_is_given(each, name) for each, (_, _, name) in zip((finding, other), places, strict=True))
        and (len(other.sequence), other.hash) < (len(finding.sequence), finding.hash)
    )


def _is_given(finding: Finding, name: str) -> bool:
    """Whether a text that the last call was given is a name."""
    given = finding.sequence[-1].params.get(top(finding.parameter), "")
    return isinstance(given, str) and name in given.split(",")


_OF_FIELD = ("service", "operation", "shown_by", "kind", "reference", "candidate", "manifestation")

_OF_LISTS = frozenset({Difference.MISSING, Difference.EXTRA, Difference.LENGTH})


def is_same_choice(finding: Finding, other: Finding) -> bool:
    """Whether a list has more or less in it by a parameter beside others which does that by itself."""
    return (
        (finding.service, finding.operation) == (other.service, other.operation)
        and finding.shown_by == other.shown_by == finding.operation
        and {finding.kind, other.kind} <= _OF_LISTS
        and "" not in tops(other.parameter)
        and tops(other.parameter) < tops(finding.parameter)
    )


def follows_from(finding: Finding, other: Finding) -> bool:
    """Whether a difference shows after a write that is known to leave something else with a parameter."""
    given = tops(other.parameter)
    if other.manifestation == "response" or "" in given or finding.operation == other.operation:
        return False
    if not any(
        call.operation == other.operation and given <= call.params.keys() for call in finding.sequence[:-1]
    ):
        return False
    if _is_value_of(finding, other):
        return True
    is_thing = finding.kind in _OF_LISTS and "[{" in finding.reference + finding.candidate
    same = _given_alike(finding, other)
    is_about = _words(finding.place) & _words(
        f"{other.place}.{other.parameter}.{'.'.join(names_inside(same))}"
    )
    if finding.kind in _PLAIN and not is_about and not is_thing:
        return False  # it is something else that differs there
    shape = load(other.service).operations.get(other.operation)
    usual = hints_of(other.service).values
    own = [shape.member(name) for name in given] if shape is not None else [None]
    # What is always given is given whatever it says.
    always = {
        name
        for name, each in zip(given, own, strict=True)
        if each is None or each.required or f"{other.operation}.{name}" in usual
    }
    return always <= same.keys()


def _given_alike(finding: Finding, other: Finding) -> dict[str, Any]:
    """What the write that leaves something else was given in both findings, where it does so with that."""
    given = [
        {name: call.params[name] for name in tops(other.parameter) & call.params.keys()}
        for each in (finding, other)
        for call in each.sequence
        if call.operation == other.operation
    ]
    return {
        name: value for name, value in given[-1].items() if value in (each.get(name) for each in given[:-1])
    }


def _is_value_of(finding: Finding, other: Finding) -> bool:
    """Whether a field has the same two values that another finding says were left there."""
    mine, left = (
        (each.kind, last_name(each.place), each.reference, each.candidate) for each in (finding, other)
    )
    return mine == left and finding.kind == Difference.VALUE


def follows_from_idleness(finding: Finding, other: Finding) -> bool:
    """Whether a difference shows that a side does nothing, as another says, or what comes of that.

    That side has no reason to refuse what the other one does.
    """
    if other.idle is None or finding.hash == other.hash:
        return False
    if finding.operation != other.operation:
        return any(call.operation == other.operation for call in finding.sequence[:-1])
    if finding.shown_by != finding.operation or finding.kind in _FAILURES:
        return False
    said = (finding.reference, finding.candidate)[other.idle]
    return finding.kind != Difference.SUCCESS or said.startswith("success")


def follows_from_loss(finding: Finding, other: Finding) -> bool:
    """Whether a side that keeps nothing of a parameter sees less of several mistakes, one of them in it."""
    if finding.kind not in ERRORS or AND not in finding.parameter or finding.operation != other.operation:
        return False
    if other.manifestation == "response" or other.kind not in STORED:
        return False
    given = [call.params for call in other.sequence if call.operation == other.operation]
    mine = [repr(params[name]) for params in given for name in tops(finding.parameter) & params.keys()]
    return any(repr(kept) in text for kept in (other.reference, other.candidate) if kept for text in mine)


def follows_from_deafness(finding: Finding, other: Finding) -> bool:
    """Whether a side takes any value of a parameter which it does not heed, as another finding says.

    What a read answers to several parameters, one of which it does not heed, differs for that. A read that
    does not heed what is right need not look at what is wrong.
    """
    if other.deaf is None or finding.operation != other.operation:
        return False
    is_read_alone = finding.shown_by == other.shown_by == other.operation and is_read(other.operation)
    if finding.kind != Difference.SUCCESS:
        return (
            is_read_alone
            and finding.kind not in _FAILURES
            and tops(other.parameter) < tops(finding.parameter)
        )
    is_whole = is_read_alone and is_right(other) and finding.value_class != ValueClass.TYPICAL
    if other.manifestation == "response" and not is_whole:
        return False
    said = (finding.reference, finding.candidate)[other.deaf]
    return said.startswith("success") and bool(tops(other.parameter) & _told_apart(finding) - {""})


def _told_apart(finding: Finding) -> set[str]:
    """What the last call was given in its own way, or a call of its operation before it otherwise."""
    last = finding.sequence[-1]
    before = [call.params for call in finding.sequence[:-1] if call.operation == last.operation]
    names = {name for given in before for name in given.keys() | last.params.keys()}
    changed = {name for name in names for given in before if given.get(name) != last.params.get(name)}
    return changed | tops(finding.parameter)


def is_same_lateness(finding: Finding, other: Finding) -> bool:
    """Whether an answer says at once of a thing what a read goes on saying for a while."""
    return (
        other.cause == ASYNCHRONOUS != finding.cause
        and any(call.operation == finding.operation for call in other.sequence)
        and finding.kind == other.kind == Difference.VALUE
        and last_name(finding.place) == last_name(other.place)
        and (finding.reference, finding.candidate) == (other.reference, other.candidate)
    )


def is_of_part(finding: Finding, other: Finding) -> bool:
    """Whether a parameter is refused for a part of it, which alone is refused in the same words."""
    if finding.kind != Difference.SUCCESS or (finding.kind, finding.shown_by) != (other.kind, other.shown_by):
        return False
    is_inside = bool(finding.parameter) and other.parameter.startswith(
        (f"{finding.parameter}.", f"{finding.parameter}[")
    )
    is_same = finding.operation == other.operation and finding.errors == other.errors
    return is_inside and is_same and any(said[1] for said in finding.errors)


_LIMIT = re.compile(r"^Max|Limit$|PageSize$", re.IGNORECASE)


def is_same_page(finding: Finding, other: Finding) -> bool:
    """Whether a list is as short on one side as the limit is that this side says it was asked to keep."""
    if finding.kind not in _OF_LISTS or other.kind != Difference.VALUE:
        return False
    if (finding.operation, finding.shown_by) != (other.operation, other.shown_by):
        return False
    lists, limits = (finding.reference, finding.candidate), (other.reference, other.candidate)
    is_limit = _LIMIT.search(other.place.rpartition(".")[2]) is not None
    if not is_limit or not all(text.isdecimal() for text in limits):
        return False
    if all(text.isdecimal() for text in lists):
        shorter = min((0, 1), key=lambda which: int(lists[which]))
        return lists[shorter] == limits[shorter]
    # The page may have been full before the list began: then it is not there at all.
    less = min((0, 1), key=lambda which: int(limits[which]))
    return lists[less] == "None" and lists[1 - less].startswith("[{")


def follows_from_omission(finding: Finding, other: Finding) -> bool:
    """Whether a read shows nothing of a write, though it leaves that out, whatever was written.

    A list may be short of a thing in any case, and an answer of a field.
    """
    return (
        finding.idle is None
        and other.cause != ASYNCHRONOUS  # what is late comes to be there
        and finding.operation != finding.shown_by == other.operation == other.shown_by
        and (finding.service, finding.place) == (other.service, other.place)
        and {finding.kind, other.kind} <= _OF_LISTS
        and other.kind in (Difference.LENGTH, finding.kind)
        and _shorter(finding) == _shorter(other)
    )


def _shorter(finding: Finding) -> int:
    """The side that lists less."""
    if finding.kind != Difference.LENGTH:
        return int(finding.kind == Difference.MISSING)
    lengths = [int(text) if text.isdecimal() else 0 for text in (finding.reference, finding.candidate)]
    return lengths.index(min(lengths))


def _is_same_failure(finding: Finding, other: Finding) -> bool:
    """Whether a server that fails over a parameter fails over it again, where the other side refuses it."""
    varied = [{top(part) for part in each.parameter.split(AND)} for each in (finding, other)]
    pairs = ((finding.reference, other.reference), (finding.candidate, other.candidate))
    is_same = any(mine == said and said.startswith(("5", "no answer")) for mine, said in pairs)
    return is_same and (not other.parameter or bool(varied[0] & varied[1]))
