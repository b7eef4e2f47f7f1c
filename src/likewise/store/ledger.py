"""What earlier runs established: append-only evidence, and what is derived from it for look-up."""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from likewise.model import (
    Answer,
    Evidence,
    Fingerprint,
    Interaction,
    Keyed,
    LikewiseError,
    Origin,
    Sketch,
    Withdrawal,
)
from likewise.model.heap import growing_heap
from likewise.model.tuples import maker
from likewise.store import encoding, entries, tables
from likewise.store.books import Books, as_text, as_texts
from likewise.store.statistics import Statistics, count
from likewise.store.values import Undecodable

_new_answer = maker(Answer)
SOME = 64
"""How many bodies of evidence are held in memory at once."""
LOOK_BACK = 32
"""Among so many sketches of a test two of the same code are looked for."""


class Ledger(Books):
    """An open ledger; made by `open_ledger`."""

    def add_sketches(self, sketches: Iterable[Sketch]) -> None:
        """Keep which tokens candidate runs showed."""
        facts = [((each.test, each.when), encoding.encode(each, ordered=True)) for each in sketches]
        self._add(tables.SKETCHES, facts, compress=True)

    def sketches(self, tests: Iterable[str], *, per_test: int = 4) -> dict[str, list[Sketch]]:
        """The latest sketches of each test that has any, newest first.

        Only two runs of the same code tell what varies. Where the latest are all of different code, the
        latest two of one code that are not much older come with them.
        """
        found = self._latest_sketches(tests, per_test)
        lonely = [test for test, known in found.items() if len(known) >= per_test and not _pair(known)]
        if lonely:
            for test, known in self._latest_sketches(lonely, max(per_test, LOOK_BACK)).items():
                found[test] += [each for each in _pair(known) if each not in found[test]]
        return found

    def _latest_sketches(self, tests: Iterable[str], per_test: int) -> dict[str, list[Sketch]]:
        newest = (
            "SELECT id, row_number() OVER (PARTITION BY test ORDER BY time DESC, id) AS age "
            "FROM sketches WHERE test {among}"
        )
        wanted = (
            f"SELECT body FROM sketches s JOIN ({newest}) AS n ON n.id = s.id WHERE age <= {int(per_test)}"
        )
        found: dict[str, list[Sketch]] = defaultdict(list)
        for (body,) in self.driver.query_among(f"{wanted} ORDER BY test, age", as_texts(tests)):
            sketch = self._decoded(_decode_sketch, body, tables.SKETCHES)
            found[sketch.test].append(sketch)
        return dict(found)

    def add_evidence(self, evidence: Evidence, keyed: Iterable[Keyed]) -> Fingerprint:
        """Keep evidence, with the index rows of its proved positions; its id.

        The traces must be redacted. What is `keyed` elsewhere than at proved positions is left out.
        """
        calls = len(evidence.traces[-1].interactions) if evidence.traces else 0
        if any(not 0 <= position < calls for position in evidence.proved):
            raise ValueError(f"evidence for {evidence.test} proves a call that its last trace does not have")
        content = entries.encode_evidence(evidence)
        identity = encoding.identify(content)
        row = (
            identity,
            as_text(evidence.test),
            evidence.when,
            str(evidence.origin),
            as_text(evidence.reference.name),
            as_text(evidence.reference.version),
            evidence.canonical_version,
            zlib.compress(content, 3),
        )
        with self.driver.transaction():
            self.driver.insert("evidence", tables.EVIDENCE.names[1:], [row])
            ((seq, indexed),) = self.driver.query(
                "SELECT seq, indexed FROM evidence WHERE id = ?", (identity,)
            )
            if indexed <= evidence.canonical_version:  # else it was here, and is keyed better already
                self._index(seq, keyed, evidence.proved)
        return identity

    def evidence(self, tests: Iterable[str]) -> Iterator[tuple[Fingerprint, Evidence]]:
        """Everything that was proved for these tests, one by one, oldest first for each test."""
        sql = "SELECT id FROM evidence WHERE test {among} ORDER BY test, time, id"
        yield from self.evidence_of(identity for (identity,) in self.driver.query_among(sql, as_texts(tests)))

    def evidence_of(self, ids: Iterable[Fingerprint]) -> Iterator[tuple[Fingerprint, Evidence]]:
        """The evidence with these ids, in their order; what is not there is left out."""
        wanted = list(ids)
        for start in range(0, len(wanted), SOME):
            chunk = wanted[start : start + SOME]
            bodies: dict[str, bytes] = dict(
                self.driver.query_among("SELECT id, body FROM evidence WHERE id {among}", chunk)
            )
            for identity in chunk:
                if identity in bodies:
                    yield (
                        identity,
                        self._decoded(partial(_decode_evidence, identity), bodies[identity], tables.EVIDENCE),
                    )

    def reindex(
        self, evidence_id: Fingerprint, keyed: Iterable[Keyed], *, canonical_version: int | None = None
    ) -> None:
        """Replace the derived rows of one piece of evidence, which itself never changes.

        `canonical_version` is that of the new keys, where it is not the one they were made with before.
        """
        sql = "SELECT seq, indexed, body FROM evidence WHERE id = ?"
        with self.driver.transaction():
            for seq, indexed, body in self.driver.query(sql, (evidence_id,)):
                proved = self._decoded(_decode_proved, body, tables.EVIDENCE)
                self._index(seq, keyed, proved)
                version = indexed if canonical_version is None else canonical_version
                self.driver.execute("UPDATE evidence SET indexed = ? WHERE seq = ?", (version, seq))
                return
        raise LikewiseError(f"no evidence {evidence_id}", where=self.location)

    def superseded(self, canonical_version: int) -> list[Fingerprint]:
        """The evidence whose keys were made by another canonical version, and should be made anew."""
        sql = "SELECT id FROM evidence WHERE indexed <> ? ORDER BY test, time, id"
        return [identity for (identity,) in self.driver.query(sql, (canonical_version,))]

    def answers(
        self,
        keys: Iterable[Fingerprint],
        *,
        reference: str | None = None,
        canonical_version: int | None = None,
        include_withdrawn: bool = False,
    ) -> dict[Fingerprint, tuple[Answer, ...]]:
        """What is known about each key that is known at all, newest answer first.

        An answer no younger than its key's withdrawal does not count. `reference` (as
        `Answer` names it) and `canonical_version` leave out what another reference said and what was
        keyed in another way.
        Expired answers are included: how old is too old is not the ledger's to say.
        """
        wanted = list(dict.fromkeys(keys))
        sql = "SELECT key, answer, evidence, position FROM answers WHERE key {among}"
        found: dict[Fingerprint, list[Answer]] = {}
        with growing_heap():
            rows = list(self.driver.query_among(sql, wanted))
            sources = self._sources({row[2] for row in rows})
            ends = {} if include_withdrawn else self._ends_among(wanted)
            for key, answer, seq, position in rows:
                source = sources[seq]
                if (
                    (reference is None or source.reference == reference)
                    and (canonical_version is None or source.indexed == canonical_version)
                    and (key not in ends or source.when > ends[key])
                ):
                    given = source.answer(key, answer, position)
                    if key in found:
                        found[key].append(given)
                    else:
                        found[key] = [given]
            for some in found.values():
                if len(some) > 1:
                    some.sort(key=_newest_first)
            return {key: tuple(some) for key, some in found.items()}

    def outcome(self, evidence_id: Fingerprint, position: int) -> Interaction:
        """The call at a proved position, with the reference's own answer."""
        for _, evidence in self.evidence_of([evidence_id]):
            calls = evidence.traces[-1].interactions
            if position in evidence.proved:
                return calls[position]
        raise LikewiseError(
            f"no proved call {position} in evidence {evidence_id}",
            where=self.location,
            todo="It may be in another ledger: likewise ledger merge",
        )

    def withdraw(self, withdrawal: Withdrawal) -> None:
        """Let what was known about a key until now count no longer."""
        self._add(
            tables.WITHDRAWALS,
            [((withdrawal.key, withdrawal.when), encoding.encode(withdrawal, ordered=True))],
        )

    def withdrawals(self, keys: Iterable[Fingerprint]) -> dict[Fingerprint, Withdrawal]:
        """The latest withdrawal of each key that has one."""
        sql = "SELECT body FROM withdrawals WHERE key {among} ORDER BY time, id"
        rows = self.driver.query_among(sql, as_texts(keys))
        read = (self._read(Withdrawal, body, tables.WITHDRAWALS) for (body,) in rows)
        return {withdrawal.key: withdrawal for withdrawal in read}

    def statistics(self, *, canonical_version: int, expired_before: float = 0.0) -> Statistics:
        """How much there is, and how much of it does not count, as seen by one canonical version."""
        return count(self.driver, canonical_version=canonical_version, expired_before=expired_before)

    def _index(self, seq: int, keyed: Iterable[Keyed], proved: Iterable[int]) -> None:
        """Replace index rows. A position that is not proved has the candidate's answer: never indexed."""
        counts = frozenset(proved)
        rows = [
            (seq, each.position, each.width, each.key, each.answer, as_text(str(each.operation)))
            for each in keyed
            if each.position in counts
        ]
        self.driver.execute("DELETE FROM answers WHERE evidence = ?", (seq,))
        self.driver.insert("answers", tables.ANSWERS_COLUMNS, rows)

    def _ends_among(self, keys: Iterable[Fingerprint]) -> dict[Fingerprint, float]:
        """When each of these keys was last withdrawn; few ever are, so all of those are looked through."""
        ends: dict[str, float] = dict(
            self.driver.query("SELECT key, max(time) FROM withdrawals GROUP BY key")
        )
        return {key: ends[key] for key in keys if key in ends} if ends else {}

    def _sources(self, seqs: set[int]) -> dict[int, _Source]:
        sql = (
            "SELECT seq, id, test, time, origin, reference, reference_version, indexed "
            "FROM evidence WHERE seq {among}"
        )
        return {
            seq: _Source(
                evidence=identity,
                test=test,
                when=when,
                origin=Origin(origin),
                reference=f"{name} {version}".strip(),
                indexed=indexed,
            )
            for seq, identity, test, when, origin, name, version, indexed in self.driver.query_among(
                sql, sorted(seqs)
            )
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class _Source:
    """What the answers of one piece of evidence have in common."""

    evidence: Fingerprint
    test: str
    when: float
    origin: Origin
    reference: str
    indexed: int

    def answer(self, key: Fingerprint, answer: Fingerprint, position: int) -> Answer:
        return _new_answer(
            (key, answer, self.evidence, position, self.test, self.reference, self.when, self.origin)
        )


def _newest_first(answer: Answer) -> tuple[float, Fingerprint, int]:
    return -answer.when, answer.evidence, answer.position


def _pair(sketches: Iterable[Sketch]) -> list[Sketch]:
    """The latest two runs of the same code, if there are such."""
    seen: dict[str, Sketch] = {}
    for sketch in sketches:
        if sketch.code in seen:
            return [seen[sketch.code], sketch]
        seen[sketch.code] = sketch
    return []


def _decode_sketch(body: bytes) -> Sketch:
    return encoding.decode(Sketch, zlib.decompress(body))


def _decode_proved(body: bytes) -> tuple[int, ...]:
    return entries.decode_proved(zlib.decompress(body))


def _decode_evidence(identity: Fingerprint, body: bytes) -> Evidence:
    content = zlib.decompress(body)
    if encoding.identify(content) != identity:
        raise Undecodable(f"the content of {identity} is not what its id says")
    return entries.decode_evidence(content)
