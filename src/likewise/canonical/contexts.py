"""The writes of a world, and what those that a call depends on come to: a hash, and names for variables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import groupby

from likewise.canonical.forms import GIVEN, GONE, RETURNED, Form
from likewise.canonical.hashing import SIZE
from likewise.canonical.history import History, Numbers
from likewise.canonical.repeats import counted
from likewise.canonical.timing import Change
from likewise.canonical.tokens import CURSOR
from likewise.canonical.writes import Write, describe, former_of, removal_of
from likewise.model import Spot, Touch

FEW_LINKS = 10_000
"""Where writes depend on each other in more ways than this, nearly all of their order matters anyhow."""

_GIVEN = tuple([f"{GIVEN}{number:04}" for number in range(64)])
"""The names of the first variables that a client chose: more than these are few."""
_HASHED = {name: f"{name} ".encode() for name in _GIVEN}
"""These names as they are hashed."""


@dataclass(slots=True)
class Context:
    """A prefix of a history, hashed, with the names its variables have there."""

    numbers: Numbers
    digest: bytes
    names: dict[str, str]
    """The names of variables, in the order in which these were introduced."""
    asked: int
    spots: tuple[Spot, ...]
    timed: list[Write]
    removed: dict[str, Spot] = field(default_factory=dict)
    """The variables that only removed things had, each with what removed its thing."""


class Contexts:
    """Takes the writes of a world in their order and says what those before a call come to.

    `cursor` says which cursor a token is, `build` how one is built that the client made up.
    """

    def __init__(self, cursor: Callable[[str], str], build: Callable[[str], str]) -> None:
        self._cursor, self._build = cursor, build
        self._history = History()
        self._writes: list[Write] = []
        self._known: dict[Numbers, Context] = {}
        self._attempts: dict[int, tuple[bytes, tuple[str, ...], Numbers, tuple[Touch, ...]]] = {}
        """What the trace at hand tried and was refused."""
        self._past: set[int] = set()
        """What earlier traces tried: a test that depended on that would depend on all that ran before it."""
        self._probes: set[int] = set()
        """What was not refused, but was a mere look."""

    def begin(self) -> None:
        """Go on with the next trace."""
        self._past.update(self._attempts)
        self._attempts.clear()

    def take(
        self,
        spot: Spot,
        form: Form,
        follows: Numbers,
        touches: tuple[Touch, ...],
        timed: tuple[Touch, ...],
        change: Change | None,
        *,
        removes: bool,
    ) -> Write:
        """Add the next write."""
        replaced = self._history.write(len(self._writes), touches)
        before = [*self.writes(self._without_past(replaced.writes))]
        below = self.writes(self._without_past(replaced.below))
        plain, text = describe(form, before, below, replaced, place=spot[0])
        times = 1 + max([write.times for write in before if write.spot[0] == spot[0]], default=0)
        if times > 2:
            text += b" %d times" % counted(times)
        write = Write(spot, form, plain, text, follows, touches, timed, change, removes, times)
        write.former = former_of(before, place=spot[0])
        if removes:
            write.removed = removal_of(plain, before, place=spot[0])
        self._writes.append(write)
        return write

    def attempt(
        self, spot: Spot, form: Form, refusal: str, follows: Numbers, touches: tuple[Touch, ...]
    ) -> None:
        """Add a write that was refused, or a probe: what the trace finds later shows whether it did nothing.

        The like again, while nothing else has changed, adds nothing: who tries until it works may try any
        number of times. They are alike if they are on the same and differ in no name that was known before.
        """
        done = tuple([number for number in follows if number not in self._attempts])
        names = self.before_all(done).names
        known = tuple([names.get(token, "") for token in form.variables])
        text = f"{form.template} refused {refusal}".encode("utf-8", "surrogatepass")
        alike = text, known, done, touches
        if alike in self._attempts.values():
            return
        self._attempts[len(self._writes)] = alike
        if not refusal:
            self._probes.add(len(self._writes))
        self._history.write(len(self._writes), touches)
        self._writes.append(Write(spot, form, text, text, follows, touches, (), None, removes=False, times=0))

    def writes(self, numbers: Iterable[int]) -> Iterable[Write]:
        """Writes by their numbers."""
        return map(self._writes.__getitem__, numbers)

    def before(
        self, touches: tuple[Touch, ...], width: int, *, is_ordered: bool, is_probe: bool = False
    ) -> Context:
        """What a call with these touches depends on; in which order it all came matters if `is_ordered`.

        A probe that comes again does so as any other look, and is none the wiser for those before it.
        """
        numbers = self._without_past(self._history.context(touches, width))
        if is_probe and not self._probes.isdisjoint(numbers):
            numbers = tuple([number for number in numbers if number not in self._probes])
        return self._hashed(numbers, numbers, {}) if is_ordered else self.before_all(numbers)

    def before_all(self, numbers: Numbers) -> Context:
        """What these writes come to, those that have nothing to do with each other in any order."""
        known = self._known.get(numbers)
        if known is None:
            known = self._known[numbers] = self._unordered(numbers)
        return known

    def _without_past(self, numbers: Iterable[int]) -> Numbers:
        """Writes without those that were refused in earlier traces."""
        if self._past.isdisjoint(numbers):
            return tuple(numbers)
        return tuple([number for number in numbers if number not in self._past])

    def _unordered(self, numbers: Numbers) -> Context:
        live, removals = self._parted(numbers)
        context = self._hashed(live, *self._sorted(live))
        return _after_removals(context, numbers, removals) if removals else context

    def by_rank(self, numbers: Numbers, ranked: Mapping[str, str]) -> Context:
        """The same under other names for what the client gave; these tell apart what is alike otherwise."""
        live, removals = self._parted(numbers)
        order, marks = self._sorted(live)
        if marks:
            order = tuple(sorted(order, key=lambda number: (marks[number], self._names_in(number, ranked))))
        context = self._hashed(live, order, marks, ranked)
        return _after_removals(context, numbers, removals) if removals else context

    def _names_in(self, number: int, names: Mapping[str, str]) -> list[str]:
        return [names.get(token, "") for token in self._writes[number].form.variables]

    def _parted(self, numbers: Numbers) -> tuple[Numbers, list[Write]]:
        """Writes that left something behind, and those that only took away."""
        live: list[int] = []
        removals: list[Write] = []
        for number in numbers:
            write = self._writes[number]
            if write.removes:
                removals.append(write)
            else:
                live.append(number)
        return tuple(live), removals

    def _hashed(
        self, numbers: Numbers, order: Numbers, marks: Mapping[int, bytes], ranked: Mapping[str, str] = {}
    ) -> Context:
        texts: list[bytes] = []
        names = {} if order == numbers else self._returned(numbers, order)
        names.update(ranked)
        asked = len(ranked)
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
                    texts.append(self._build(token).encode())
                texts.append(_HASHED.get(name) or f"{name} ".encode("utf-8", "surrogatepass"))
            for token, origin in answer.introduced:
                if token not in names:
                    names[token] = f"{RETURNED}{place:04}{origin}"
        spots: list[Spot] = []
        timed: list[Write] = []
        for number in numbers:
            write = self._writes[number]
            spots.append(write.spot)
            if write.change:
                timed.append(write)
        if order != numbers or ranked:
            names = _by_age(names, [self._writes[number] for number in numbers])
        digest = blake2b(b"".join(texts), digest_size=SIZE).digest()
        return Context(numbers, digest, names, asked, tuple(spots), timed)

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
        order = tuple(sorted(numbers, key=marks.__getitem__))
        return (order if len(set(marks.values())) == len(marks) else self._told_apart(order, marks)), marks

    def _told_apart(self, numbers: Numbers, marks: Mapping[int, bytes]) -> Numbers:
        """Sorted writes, those that are alike in an order of what they have to do with others.

        Else it would show in who does it which of two clients that do the same comes first.
        """
        tokens = {number: self._tokens(number) for number in numbers}
        uses: dict[str, list[bytes]] = {}
        for number in numbers:
            for place, token in enumerate(tokens[number]):
                uses.setdefault(token, []).append(b"%b%d" % (marks[number], place))
        company = {token: b"".join(sorted(found)) for token, found in uses.items() if len(found) > 1}
        if not company:
            return numbers
        known: dict[str, int] = {}
        order: list[int] = []
        for _, alike in groupby(numbers, key=marks.__getitem__):
            kin = {number: [company.get(token, b"") for token in tokens[number]] for number in alike}
            for _, like in groupby(sorted(kin, key=kin.__getitem__), key=kin.__getitem__):
                for number in sorted(like, key=lambda each: [known.get(token, -1) for token in tokens[each]]):
                    order.append(number)
                    for token in tokens[number]:
                        known.setdefault(token, len(known))
        return tuple(order)

    def _tokens(self, number: int) -> list[str]:
        """All variables of a write and of what it was answered."""
        _, _, variables, answer = self._writes[number].form
        return [*variables, *[token for token, _ in answer.introduced]]


def _after_removals(context: Context, numbers: Numbers, removals: list[Write]) -> Context:
    """A context in which things were removed: of those that are alike, only the first counts.

    They are alike if they were removed alike, after the same had been done to them, and had the same of the
    names that are still in use.
    """
    known = context.names
    kinds = [
        (write.removed, tuple([known.get(token, "") for token in write.form.variables])) for write in removals
    ]
    first: dict[tuple[bytes, tuple[str, ...]], Write] = {}
    for kind, write in zip(kinds, removals, strict=True):
        first.setdefault(kind, write)
    order = {kind: place for place, kind in enumerate(sorted(first))}
    names = dict(known)
    removed: dict[str, Spot] = {}
    for kind, write in zip(kinds, removals, strict=True):
        for place, token in enumerate(write.form.variables):
            if token not in known:
                names[token] = f"{GONE}{order[kind]:04}/{place}"
                removed[token] = write.spot
    texts = [context.digest]
    for text, used in order:
        texts += text, " ".join(used).encode("utf-8", "surrogatepass")
    return Context(
        numbers,
        blake2b(b"\0".join(texts), digest_size=SIZE).digest(),
        names,
        context.asked,
        tuple(sorted([*context.spots, *[write.spot for write in first.values()]])),
        context.timed + [write for write in removals if write.change],
        removed,
    )


def _by_age(names: dict[str, str], writes: list[Write]) -> dict[str, str]:
    """Names in the order in which their variables were introduced."""
    aged: dict[str, str] = {}
    for write in writes:
        for token in write.form.variables:
            aged[token] = names[token]
        for token, _ in write.form.answer.introduced:
            aged[token] = names[token]
    return aged
