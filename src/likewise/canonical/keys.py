"""Turn the traces of a world into keyed calls: each call in its context."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from typing import cast

from likewise.canonical.answers import Things, answer_of, canonical_answer
from likewise.canonical.familiarity import Familiarity
from likewise.canonical.forms import GIVEN, QUOTED, RETURNED, SENT, Call, Form, compile_form
from likewise.canonical.hashing import SIZE
from likewise.canonical.history import History, Numbers
from likewise.canonical.tokens import CURSOR
from likewise.canonical.writes import Write, describe
from likewise.model import (
    Effect,
    Fingerprint,
    Keyed,
    Lost,
    Spot,
    TimedOut,
    Touch,
    Trace,
    Value,
)
from likewise.model.tuples import maker

ELAPSED = (1.0, 4.0, 16.0, 64.0, 256.0)
"""Bounds, in seconds, of the classes of time that may have passed before a timed call."""

FEW_LINKS = 10_000
"""Where writes depend on each other in more ways than this, nearly all of their order matters anyhow."""

_GIVEN = tuple([f"{GIVEN}{number:04}" for number in range(64)])
"""The names of the first variables that a client chose: more than these are few."""
_HASHED = {name: f"{name} ".encode() for name in _GIVEN}
"""These names as they are hashed."""
_READ = Effect.READ  # looked up for every touch of every call, which takes its time in a class of constants
_UNKNOWN = Familiarity()
_new_keyed = maker(Keyed)
_UNANSWERED = (TimedOut, Lost)


@dataclass(slots=True)
class _Context:
    """A prefix of a history, hashed, with the names its variables have there."""

    numbers: Numbers
    digest: bytes
    names: dict[str, str]
    """The names of variables, in the order in which these were introduced."""
    asked: int
    spots: tuple[Spot, ...]
    timed: list[Write]


class World:
    """Reads the traces of one world in their order and keys every call.

    `ambiguous` holds keys that gave different answers before: such a call is keyed again, with what this
    world answered to it before, or else with the order of writes that have nothing to do with each other,
    then with a wider context, until its key is not among them or the context is the whole service.
    """

    def __init__(
        self,
        familiarity: Mapping[str, Familiarity],
        *,
        ambiguous: Collection[Fingerprint] = frozenset(),
    ) -> None:
        self._familiarity = familiarity
        self._ambiguous = ambiguous
        self._history = History()
        self._writes: list[Write] = []
        self._unsettled: list[Write] = []
        self._sent: set[str] = set()
        self._producers: dict[str, tuple[Spot, str]] = {}
        self._contexts: dict[Numbers, _Context] = {}
        self._first: dict[Fingerprint, tuple[Spot, Fingerprint]] = {}
        """Of ambiguous keys, the first call in this world and its answer."""
        self._asked: dict[Fingerprint, tuple[Spot, Fingerprint]] = {}
        """Of the keys that the trace at hand has asked for, the first call and its answer."""
        self._traces = 0
        self._ahead: list[Call] = []
        self.kept: dict[Spot, Value] = {}

    def read(
        self, trace: Trace, calls: Sequence[Call] | None = None, *, keep: Collection[int] = ()
    ) -> list[list[Keyed]]:
        """Key the calls of the next trace (its own, or `calls` in their stead) and take in its writes.

        Each call gives a chain: its narrowest key first, the one that counts last. The canonical
        answers of the positions to `keep` are put aside in `kept`.
        """
        familiarity = self._familiarity.get(trace.test, _UNKNOWN)
        if calls is None:
            calls = trace.interactions
        self._ahead = _writes_of_several_lanes(calls)
        self._asked.clear()
        number = self._traces
        self._traces += 1
        return [
            self._call(interaction, familiarity, (number, position), position in keep)
            for position, interaction in enumerate(calls)
        ]

    def _call(self, interaction: Call, familiarity: Familiarity, spot: Spot, keep: bool) -> list[Keyed]:
        form = compile_form(interaction, familiarity)
        touches = interaction.touches
        racy = bool(self._ahead) and self._races(interaction)
        chain: list[Keyed] = []
        width = 0
        widest = max((len(each.resource) for each in touches), default=1)
        while True:
            context = self._context(touches, max(0, width - 1), is_ordered=width > 0)
            if width == 0:
                narrow = context.numbers
            names, key, timed = self._key(interaction, form, context, width)
            answer = answer_of(interaction, form, familiarity, names, partial(self._things, context))
            needs = () if names is context.names and not context.timed else self._needs(form, context)
            chain.append(
                _new_keyed(
                    (
                        spot[1],
                        interaction.operation,
                        form.template,
                        key,
                        answer,
                        context.spots,
                        needs,
                        timed,
                        racy,
                        width,
                    )
                )
            )
            if width == 0:
                first = key
                if not racy and not interaction.is_write:
                    chain[0] = self._look_again(chain[0], spot)
            if chain[-1].key not in self._ambiguous:
                break
            if width == 0 and not racy and self._was_asked(chain, first, spot):
                break
            if width >= widest:
                break
            width += 1
        if keep:
            things = partial(self._things, context)
            self.kept[spot] = canonical_answer(interaction, familiarity, names, things)
        if self._unsettled:
            self._settle(interaction, spot)
        self._take(interaction, form, spot, narrow, first)
        return chain

    def _look_again(self, call: Keyed, spot: Spot) -> Keyed:
        """Key a look that this trace has had before as a second one: a server may answer that differently.

        Whoever looks more often than twice has nothing new to ask.
        """
        first, _ = self._asked.setdefault(call.key, (spot, call.answer))
        return call if first == spot else _after(call, first, f"{call.key} again")

    def _was_asked(self, chain: list[Keyed], key: Fingerprint, spot: Spot) -> bool:
        """Key a call whose answer depends on what was there before as one that was asked before.

        What this world answered to the first of them tells what was there, and nothing has changed since.
        Whether that settles it; the first one itself is none the wiser.
        """
        call = chain[0]
        known = self._asked.get(key) if call.key != key else None
        first, answer = self._first.setdefault(key, known or (spot, call.answer))
        if first == spot:
            return False
        chain.append(_after(call, first, f"{key} again after {answer}"))
        return chain[-1].key not in self._ambiguous

    def _key(
        self, interaction: Call, form: Form, context: _Context, width: int
    ) -> tuple[dict[str, str], Fingerprint, bool]:
        names, order = self._named(context, form)
        elapsed = _elapsed(interaction, context) if context.timed else ""
        text = f"{form.template} {' '.join(order)} {elapsed} {width}"
        key = blake2b(context.digest + text.encode("utf-8", "surrogatepass"), digest_size=SIZE).hexdigest()
        return names, key, elapsed not in ("", "0")

    def _named(self, context: _Context, form: Form) -> tuple[dict[str, str], list[str]]:
        """The names of all variables in a request, and of those that its context introduced."""
        names = context.names
        known = list(map(names.get, form.variables))
        if None not in known:  # as for whoever asks for what was put there
            return names, cast(list[str], known)
        own: dict[str, str] = {}
        order: list[str] = []
        for token in form.variables:
            name = names.get(token) or own.get(token)
            if token[0] == CURSOR and token not in names:
                own[token] = name or f"{SENT}{len(own):04}"
                order.append(self._cursor(token))
                continue
            if name is None:
                origin = self._producers.get(token)
                name = f"{origin[1] if origin else GIVEN}{context.asked + len(own):04}"
                own[token] = name
            order.append(name)
        return ({**names, **own} if own else names), order

    def _cursor(self, token: str) -> str:
        """Which cursor it is: the one that a call in its context was answered, or else its very text."""
        origin = self._producers.get(token)
        return origin[1] if origin else f"={token}"

    def _context(self, touches: tuple[Touch, ...], width: int, *, is_ordered: bool) -> _Context:
        numbers = self._history.context(touches, width)
        if is_ordered:
            return self._hashed(numbers, numbers, {})
        known = self._contexts.get(numbers)
        if known is None:
            known = self._contexts[numbers] = self._hashed(numbers, *self._sorted(numbers))
        return known

    def _hashed(self, numbers: Numbers, order: Numbers, marks: Mapping[int, bytes]) -> _Context:
        texts: list[bytes] = []
        names = {} if order == numbers else self._returned(numbers, order)
        asked = 0
        for place, number in enumerate(order):
            write = self._writes[number]
            texts.append(marks[number] if marks else write.text)
            _, _, variables, answer = write.form
            for token in variables:
                name = names.get(token)
                if name is None and token[0] == CURSOR:
                    name = names[token] = self._cursor(token)
                elif name is None:
                    name = names[token] = _GIVEN[asked] if asked < len(_GIVEN) else f"{GIVEN}{asked:04}"
                    asked += 1
                texts.append(_HASHED.get(name) or f"{name} ".encode("utf-8", "surrogatepass"))
            for token, origin in answer.introduced:
                if token not in names:
                    names[token] = f"{RETURNED}{place:04}{origin}"
        spots: list[Spot] = []
        timed: list[Write] = []
        for number in numbers:
            write = self._writes[number]
            spots.append(write.spot)
            if write.timed:
                timed.append(write)
        if order != numbers:
            names = _by_age(names, [self._writes[number] for number in numbers])
        digest = blake2b(b"".join(texts), digest_size=SIZE).digest()
        return _Context(numbers, digest, names, asked, tuple(spots), timed)

    def _returned(self, numbers: Numbers, order: Numbers) -> dict[str, str]:
        """The names of what answers introduced and later writes quoted, whichever are looked at first."""
        places = {number: place for place, number in enumerate(order)}
        sent: set[str] = set()
        names: dict[str, str] = {}
        for number in numbers:
            _, _, variables, answer = self._writes[number].form
            sent.update(variables)
            for token, origin in answer.introduced:
                if token not in sent:
                    names.setdefault(token, f"{RETURNED}{places[number]:04}{origin}")
        return names

    def _things(self, context: _Context) -> Things:
        """The names of the resources that the writes of a context were about."""
        found: dict[str, int] = {}
        for number in context.numbers:
            for touch in self._writes[number].touches:
                for depth, name in enumerate(touch.resource):
                    if depth < found.get(name, depth + 1):
                        found[name] = depth
        return found

    def _sorted(self, numbers: Numbers) -> tuple[Numbers, dict[int, bytes]]:
        """Writes in an order in which those that have nothing to do with each other may have come anyhow.

        The mark of a write covers what it is and what of the others it followed, so that the order of
        all that depends on each other still shows.
        """
        if len(numbers) < 2:
            return numbers, {}
        if len(numbers) * numbers[-1] > FEW_LINKS:  # else there are fewer: a write follows earlier ones only
            links = sum([len(self._writes[number].follows) for number in numbers])
            if links > FEW_LINKS + 8 * len(numbers):
                return numbers, {}
        marks: dict[int, bytes] = {}
        for number in numbers:
            write = self._writes[number]
            followed: list[bytes] = []
            for other in write.follows:
                if other in marks:
                    followed.append(marks[other])
            followed.sort()
            marks[number] = write.mark_after(followed)
        return tuple(sorted(numbers, key=marks.__getitem__)), marks

    def _races(self, call: Call) -> bool:
        """Whether a write of another lane that the call depends on happened at the same time."""
        return any(
            other.lane != call.lane
            and other.started < call.ended
            and call.started < other.ended
            and _touch_alike(call, other)
            for other in self._ahead
        )

    def _settle(self, interaction: Call, spot: Spot) -> None:
        looked = {touch.resource for touch in interaction.touches if touch.timed and touch.effect is _READ}
        if not looked:
            return
        for write in self._unsettled:
            if all(touch.resource in looked for touch in write.timed):
                write.settled = spot
        self._unsettled = [write for write in self._unsettled if write.settled is None]

    def _needs(self, form: Form, context: _Context) -> tuple[Spot, ...]:
        found = {write.settled for write in context.timed if write.settled is not None}
        for token in form.variables:
            if token not in context.names and (producer := self._producers.get(token)):
                found.add(producer[0])
        return tuple(sorted(found.difference(context.spots))) if found else ()

    def _take(self, interaction: Call, form: Form, spot: Spot, numbers: Numbers, key: Fingerprint) -> None:
        self._sent.update(form.variables)
        for token, origin in form.answer.introduced:
            if token[0] == CURSOR:
                # Where a server says the same again, it is the last one that is sent back; an echo is none.
                if token not in form.variables:
                    self._producers[token] = spot, f"{QUOTED}{key}{origin}"
            elif token not in self._producers and token not in self._sent:
                self._producers[token] = spot, f"{QUOTED}{form.operation}{origin}"
        changes = False
        timed: tuple[Touch, ...] = ()
        for touch in interaction.touches:
            if touch.effect is not _READ:
                changes = True
                if touch.timed:
                    timed += (touch,)
        if not changes and not isinstance(interaction.outcome, _UNANSWERED):
            return
        touches = interaction.touches
        replaced = self._history.write(len(self._writes), touches)
        before = [self._writes[each] for each in replaced.writes]
        plain, text = describe(form, before, replaced, place=spot[0])
        write = Write(spot, form, plain, text, numbers, touches, timed, interaction.ended)
        self._writes.append(write)
        if timed:
            self._unsettled.append(write)


def _after(call: Keyed, earlier: Spot, text: str) -> Keyed:
    """The call under another key, to be replayed after an earlier one."""
    key = blake2b(text.encode(), digest_size=SIZE).hexdigest()
    return call._replace(key=key, needs=tuple(sorted({*call.needs, earlier})))


def _by_age(names: dict[str, str], writes: list[Write]) -> dict[str, str]:
    """Names in the order in which their variables were introduced."""
    aged: dict[str, str] = {}
    for write in writes:
        for token in write.form.variables:
            aged[token] = names[token]
        for token, _ in write.form.answer.introduced:
            aged[token] = names[token]
    return aged


def _elapsed(interaction: Call, context: _Context) -> str:
    """The class of time since the last timed write that matters, or nothing where none does.

    State that settles by itself (a table being created) counts as settled once it was looked at;
    state that expires (a lease, a hidden message) goes on to depend on time.
    """
    pending = [write.ended for write in context.timed if write.settled is None]
    if not pending:
        return ""
    passed = interaction.started - max(pending)
    return str(sum(passed >= bound for bound in ELAPSED))


def _writes_of_several_lanes(calls: Sequence[Call]) -> list[Call]:
    if len({call.lane for call in calls}) < 2:
        return []
    return [call for call in calls if call.is_write]


def _touch_alike(call: Call, write: Call) -> bool:
    return any(
        ours.depends_on(theirs)
        for theirs in write.touches
        if theirs.effect is not _READ
        for ours in call.touches
    )


def key_world(
    traces: Sequence[Trace],
    familiarity: Mapping[str, Familiarity],
    *,
    ambiguous: Collection[Fingerprint] = frozenset(),
) -> list[list[Keyed]]:
    """Key every call of a world, trace by trace."""
    world = World(familiarity, ambiguous=ambiguous)
    return [[chain[-1] for chain in world.read(trace)] for trace in traces]
