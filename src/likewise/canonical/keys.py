"""Turn the traces of a world into keyed calls: each call in its context."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from hashlib import blake2b
from typing import NamedTuple, cast

from likewise.canonical.answers import Things, answer_by_names, answer_of, canonical_answer
from likewise.canonical.contexts import Context, Contexts
from likewise.canonical.draws import (
    among,
    as_introduced,
    by_rank,
    exactly,
    may_choose,
    names_by_rank,
    ranks,
    shows_derived,
)
from likewise.canonical.familiarity import Familiarity
from likewise.canonical.forms import GIVEN, QUOTED, SENT, Call, Form, compile_form
from likewise.canonical.hashing import SIZE
from likewise.canonical.history import Numbers
from likewise.canonical.races import is_attempt, races, writes_of_several_lanes
from likewise.canonical.repeats import Repeats, repeating, repeating_fingerprint
from likewise.canonical.timing import NOT_YET, change_after, elapsed_at, is_steady, latest
from likewise.canonical.tokens import CURSOR, build_of
from likewise.canonical.writes import Write
from likewise.model import (
    Effect,
    Fingerprint,
    Keyed,
    Lost,
    Raised,
    Spot,
    TimedOut,
    Touch,
    Trace,
    Value,
)
from likewise.model.tuples import maker

# Looked up for every touch of every call, which takes its time in a class of constants.
_READ, _REMOVE = Effect.READ, Effect.REMOVE
_UNKNOWN = Familiarity()
_NOTHING: Mapping[Fingerprint, Fingerprint] = {}
_new_keyed = maker(Keyed)
_UNANSWERED = (TimedOut, Lost)
_LOOKS = 6
"""How often the same may be asked, and answered otherwise: whoever polls longer has nothing new to ask.

Suites that ask on purpose ask a few times; counting further would make what pollers do another matter in
every run.
"""


class Asked(NamedTuple):
    """A call at hand, before it has a key."""

    interaction: Call
    form: Form
    familiarity: Familiarity
    spot: Spot
    racy: bool
    is_probe: bool


_Found = tuple[Context, dict[str, str]]
"""The context that a call was keyed in, and the names that variables have there."""


class World:
    """Reads the traces of one world in their order and keys every call.

    `ambiguous` holds keys that gave different answers before: such a call is keyed again, with what this
    world answered to it before, or else with how drawn values lie to each other, with the order of writes
    that have nothing to do with each other, then with a wider context, until its key is not among them or
    the context is the whole service. `disputed` holds keys with the one answer that the reference gave: a
    call that was answered otherwise may only have drawn other values.
    """

    def __init__(
        self,
        familiarity: Mapping[str, Familiarity],
        *,
        ambiguous: Collection[Fingerprint] = frozenset(),
        disputed: Mapping[Fingerprint, Fingerprint] = _NOTHING,
    ) -> None:
        self._familiarity = familiarity
        self._ambiguous = ambiguous
        self._disputed = disputed
        self._contexts = Contexts(self._cursor, self._build)
        self._unsettled: list[Write] = []
        self._sent: set[str] = set()
        self._producers: dict[str, tuple[Spot, str]] = {}
        self._first: dict[Fingerprint, tuple[Spot, Fingerprint]] = {}
        """Of ambiguous keys, the first call in this world and its answer."""
        self._asked: dict[Fingerprint, tuple[list[Spot], Fingerprint]] = {}
        """Of the keys that the trace at hand has asked for, the first calls and the first answer."""
        self._times = 0
        """How often the call at hand has been made before in its trace."""
        self._repeats = Repeats()
        self._traces = 0
        self._ahead: list[Call] = []
        self.kept: dict[Spot, Value] = {}
        self.drawn: dict[Spot, list[Fingerprint]] = {}
        """Of what was kept, the keys that say how drawn values lie, where the answer may depend on that."""

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
        self._ahead = writes_of_several_lanes(calls)
        self._asked.clear()
        self._repeats.clear()
        self._contexts.begin()
        number = self._traces
        self._traces += 1
        return [
            self._call(interaction, familiarity, (number, position), position in keep)
            for position, interaction in enumerate(calls)
        ]

    def _call(self, interaction: Call, familiarity: Familiarity, spot: Spot, keep: bool) -> list[Keyed]:
        """Key the next call of a trace and take in what it wrote."""
        form = compile_form(interaction, familiarity)
        racy = bool(self._ahead) and races(interaction, self._ahead)
        is_probe = not isinstance(interaction.outcome, Raised) and is_attempt(interaction)
        asked = Asked(interaction, form, familiarity, spot, racy, is_probe)
        context = self._contexts.before(interaction.touches, 0, is_ordered=False, is_probe=is_probe)
        narrow, names = self._keyed(asked, context, 0)
        call, repeated = (narrow, ()) if racy else self._counted(asked, narrow, names)
        chain = [call]
        found = context, names
        if not self._is_settled(call):
            found = self._told_apart(chain, asked, narrow.key, found, repeated)
        if keep:
            self._keep(chain, asked, found, repeated)
        if self._unsettled:
            self._settle(interaction, spot)
        self._take(interaction, form, spot, context.numbers, narrow.key)
        return chain

    def _keyed(self, asked: Asked, context: Context, width: int) -> tuple[Keyed, dict[str, str]]:
        """A call in a context, and the names that the variables of its request have there."""
        interaction, form, familiarity, spot, racy, _ = asked
        names, key, timed = self._key(interaction, form, context, width)
        answer = answer_of(interaction, form, familiarity, names, partial(self._things, context))
        is_plain = names is context.names and not context.timed and not context.removed
        needs = () if is_plain else self._needs(form, context)
        operation, spots = interaction.operation, context.spots
        position = spot[1]
        call = _new_keyed(
            (position, operation, form.template, key, answer, spots, needs, timed, racy, width, False)
        )
        return call, names

    def _counted(self, asked: Asked, call: Keyed, names: Mapping[str, str]) -> tuple[Keyed, tuple[str, ...]]:
        """A call as the second, the third and so on of its trace, and the places that repeat what is new."""
        if not asked.interaction.is_write:
            return self._look_again(call, asked.spot), ()
        self._times = self._repeats.times(call.key)
        call, repeated = self._repeats.take(call, asked.spot, asked.form.answer.introduced, names)
        return (_again(call, repeated) if repeated else call), repeated

    def _told_apart(
        self, chain: list[Keyed], asked: Asked, key: Fingerprint, found: _Found, repeated: tuple[str, ...]
    ) -> _Found:
        """Key a call whose key does not settle its answer by ever more of what it may depend on.

        The context that it was keyed in last, and the names in it.
        """
        context, names = found
        is_ambiguous = chain[0].key in self._ambiguous
        if not asked.racy:
            if is_ambiguous and self._by_what_was_seen(chain, asked, key, found):
                return found
            if self._depends_on_draws(chain, asked, context, repeated):
                return found
        if not is_ambiguous:
            return found
        touches = asked.interaction.touches
        for width in range(1, 1 + max((len(each.resource) for each in touches), default=1)):
            context = self._contexts.before(touches, width - 1, is_ordered=True, is_probe=asked.is_probe)
            call, names = self._keyed(asked, context, width)
            chain.append(_again(call, repeated) if repeated else call)
            if self._is_settled(chain[-1]):
                break
        return context, names

    def _by_what_was_seen(self, chain: list[Keyed], asked: Asked, key: Fingerprint, found: _Found) -> bool:
        """Key a call by what this world answered to it before, or by names in order; whether that does."""
        if self._was_asked(chain, key, asked.spot):
            return True
        context, names = found
        things = partial(self._things, context)
        listed = answer_by_names(asked.interaction, asked.familiarity, names, things)
        return listed is not None and self._is_in_order(chain, listed)

    def _keep(self, chain: list[Keyed], asked: Asked, found: _Found, repeated: tuple[str, ...]) -> None:
        """Put the canonical answer of a call aside, and its keys by drawn values."""
        context, names = found
        drawn = self._by_draws(chain[0], asked, context, repeated)
        self.drawn[asked.spot] = [call.key for call in drawn]
        answer = canonical_answer(asked.interaction, asked.familiarity, names, partial(self._things, context))
        self.kept[asked.spot] = repeating(answer, repeated)

    def _look_again(self, call: Keyed, spot: Spot) -> Keyed:
        """Key a look that this trace has had before as such: a server may answer that differently."""
        before, _ = self._asked.setdefault(call.key, ([], call.answer))
        earlier = before[: _LOOKS - 1]
        self._times = len(earlier)
        if len(before) < _LOOKS:
            before.append(spot)
        return _after(call, earlier, f"{call.key}{' again' * len(earlier)}") if earlier else call

    def _was_asked(self, chain: list[Keyed], key: Fingerprint, spot: Spot) -> bool:
        """Key a call whose answer depends on what was there before as one that was asked before.

        What this world answered to the first of them tells what was there, and nothing has changed since.
        Whether that settles it; the first one itself is none the wiser.
        """
        call = chain[0]
        known = self._asked.get(key) if call.key != key else None
        own = (known[0][0], known[1]) if known else (spot, call.answer)
        first, answer = self._first.setdefault(key, own)
        if first == spot:
            return False
        chain.append(_after(call, [first], f"{key} again after {answer}"))
        return chain[-1].key not in self._ambiguous

    def _is_in_order(self, chain: list[Keyed], answer: Fingerprint) -> bool:
        """Key a call whose answers differ as one that lists names in their order; whether that settles it."""
        text = f"{chain[0].key} by name"
        key = blake2b(text.encode(), digest_size=SIZE).hexdigest()
        chain.append(chain[0]._replace(key=key, answer=answer))
        return key not in self._ambiguous

    def _is_settled(self, call: Keyed) -> bool:
        """Whether a key is all that there is to ask about: its answers are one, or the reference's own."""
        return call.key not in self._ambiguous and self._disputed.get(call.key, call.answer) == call.answer

    def _depends_on_draws(
        self, chain: list[Keyed], asked: Asked, context: Context, repeated: tuple[str, ...]
    ) -> bool:
        """Key a call by how drawn values lie, as far as it takes; whether that settles it."""
        for call in self._by_draws(chain[0], asked, context, repeated):
            chain.append(call)
            if self._is_settled(call):
                return True
        return False

    def _by_draws(
        self, call: Keyed, asked: Asked, context: Context, repeated: tuple[str, ...]
    ) -> Iterator[Keyed]:
        """Key a call as one among drawn values that lie to each other as they do here, then just as these.

        Only where its answer may depend on that.
        """
        interaction, form = asked.interaction, asked.form
        names, _ = self._named(context, form)
        kinds = (
            ranks(self._contexts.writes(context.numbers), names)
            if may_choose(interaction, form, names)
            else {}
        )
        if sum(map(len, kinds.values())) > 1:
            ranked = self._contexts.by_rank(context.numbers, names_by_rank(kinds))
            named, key, _ = self._key(interaction, form, ranked, 0)
            things = partial(self._things, ranked)
            answer = answer_of(interaction, form, asked.familiarity, named, things)
            if repeated:
                answer = repeating_fingerprint(answer, repeated)
            key = by_rank(key, self._times, among(form.variables, kinds))
            yield call._replace(key=key, answer=answer, drawn=True)
            # Some list things in the order in which they were stored.
            yield call._replace(key=as_introduced(key, ranked.names), answer=answer, drawn=True)
        if shows_derived(form, names):
            yield call._replace(key=exactly(call.key, form, names), drawn=True)

    def _key(
        self, interaction: Call, form: Form, context: Context, width: int
    ) -> tuple[dict[str, str], Fingerprint, bool]:
        names, order = self._named(context, form)
        elapsed = ""
        if context.timed:
            touches = interaction.touches
            pending = [
                write.change
                for write in context.timed
                if not write.settled and not is_steady(write.timed, touches)
            ]
            elapsed = elapsed_at(interaction, pending)
        text = f"{form.template} {' '.join(order)} {elapsed} {width}"
        key = blake2b(context.digest + text.encode("utf-8", "surrogatepass"), digest_size=SIZE).hexdigest()
        return names, key, elapsed not in ("", NOT_YET)

    def _named(self, context: Context, form: Form) -> tuple[dict[str, str], list[str]]:
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
                order.append(self._build(token))
            order.append(name)
        return ({**names, **own} if own else names), order

    def _cursor(self, token: str) -> str:
        """Which cursor it is: the one that a call in its context was answered, or else its very text."""
        origin = self._producers.get(token)
        return origin[1] if origin else f"={token}"

    def _build(self, token: str) -> str:
        """How what the client made up is built; nothing of what a server did: another does that otherwise."""
        return "" if token in self._producers else build_of(token)

    def _things(self, context: Context) -> Things:
        """The names that the client gave to the resources which the writes of a context were about."""
        found: dict[str, int] = {}
        for write in self._contexts.writes(context.numbers):
            for touch in write.touches:
                for depth, name in enumerate(touch.resource):
                    if depth < found.get(name, depth + 1) and name not in self._producers:
                        found[name] = depth
        return found

    def _settle(self, interaction: Call, spot: Spot) -> None:
        looked = {touch.resource for touch in interaction.touches if touch.timed and touch.effect is _READ}
        if not looked:
            return
        for write in self._unsettled:
            if all(touch.resource in looked for touch in write.timed):
                write.settled = spot
        self._unsettled = [write for write in self._unsettled if write.settled is None]

    def _needs(self, form: Form, context: Context) -> tuple[Spot, ...]:
        found = {write.settled for write in context.timed if write.settled is not None}
        for token in form.variables:
            if token in context.removed:
                found.add(context.removed[token])
            elif token not in context.names and (producer := self._producers.get(token)):
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
        changes = attempted = False
        removes = True
        timed: tuple[Touch, ...] = ()
        for touch in interaction.touches:
            if touch.effect is not _READ:
                changes = True
                removes = removes and touch.effect is _REMOVE
                if touch.timed:
                    timed += (touch,)
            elif touch.attempted:
                attempted = True
        outcome = interaction.outcome
        if attempted and not changes:
            refusal = outcome.kind if isinstance(outcome, Raised) else ""
            if not refusal and self._ahead:
                return  # a mere look: among several lanes it comes now before and now after others
            self._contexts.attempt(spot, form, refusal, numbers, interaction.touches)
            return
        if not changes and not isinstance(outcome, _UNANSWERED):
            return
        removes = removes and changes
        change = change_after(interaction, timed) if timed else None
        if removes and change is None:
            change = latest(write.change for write in self._contexts.writes(numbers))
        write = self._contexts.take(spot, form, numbers, interaction.touches, timed, change, removes=removes)
        if timed:
            self._unsettled.append(write)


def _again(call: Keyed, repeated: tuple[str, ...]) -> Keyed:
    """The call with an answer that says where it repeats what should be new."""
    return call._replace(answer=repeating_fingerprint(call.answer, repeated))


def _after(call: Keyed, earlier: Iterable[Spot], text: str) -> Keyed:
    """The call under another key, to be replayed after earlier ones."""
    key = blake2b(text.encode(), digest_size=SIZE).hexdigest()
    return call._replace(key=key, needs=tuple(sorted({*call.needs, *earlier})))


def key_world(
    traces: Sequence[Trace],
    familiarity: Mapping[str, Familiarity],
    *,
    ambiguous: Collection[Fingerprint] = frozenset(),
) -> list[list[Keyed]]:
    """Key every call of a world, trace by trace."""
    world = World(familiarity, ambiguous=ambiguous)
    return [[chain[-1] for chain in world.read(trace)] for trace in traces]
