"""Recordings: whole where they were written, and never taken for something they are not."""

from __future__ import annotations

import json
import pickle
import resource
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from store_samples import trace

from likewise.model import (
    Borrowed,
    Effect,
    Ending,
    FormatTooNew,
    LikewiseError,
    Operation,
    Provenance,
    RecordingCorrupt,
    Redaction,
    Result,
    Role,
    Scope,
    StoreFull,
    Target,
    Touch,
)
from likewise.model.unopened import Passing, Span, Unopened, passing, spans_of
from likewise.store import (
    RecordingAbsent,
    RecordingEmpty,
    RecordingExists,
    RecordingWriter,
    iterate,
    migrations,
    provenance,
    read,
    read_many,
)

RUN = Provenance(
    run="r1",
    started=5.0,
    code="abc",
    targets=(Target(name="moto", role=Role.CANDIDATE, version="5"),),
    versions={"python": "3.11"},
)
TRACES = tuple(trace(f"t::{name}", started=started) for name, started in (("b", 2.0), ("a", 1.0), ("c", 3.0)))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "new" / "run.jsonl"


@pytest.fixture
def written(path: Path) -> Path:
    with RecordingWriter(path, RUN) as writer:
        for each in TRACES:
            writer.add(Redaction(trace=each))
    return path


def test_calls_that_are_in_no_trace_stay_named(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    with RecordingWriter(path, Provenance(run="r")) as writer:
        lent = (Borrowed(fixture="shared", test="before", since=1.5, until=2.5),)
        ended = (Ending(fixture="shared", since=3.5, until=4.5),)
        missed = replace(trace(), unseen=("a link was fetched",), unseen_writes=False)
        seen = replace(missed, borrowed=lent, endings=ended)
        writer.add(Redaction(trace=seen))
    (kept,) = read(path).traces
    assert kept.unseen == ("a link was fetched",)
    assert not kept.unseen_writes
    assert (kept.borrowed, kept.endings) == (lent, ended)
    assert not kept.is_clear


def test_a_recording_reads_as_it_was_written_in_the_order_of_starts(written: Path) -> None:
    recording = read(written)
    assert recording.provenance == RUN
    assert recording.traces == tuple(sorted(TRACES, key=lambda each: each.started))
    assert recording.complete
    assert provenance(written) == RUN


def test_iterating_gives_the_traces_as_they_were_finished(written: Path) -> None:
    assert tuple(iterate(written)) == TRACES


def test_every_line_is_json_and_the_first_says_what_the_file_is(written: Path) -> None:
    lines = [json.loads(line) for line in written.read_text().splitlines()]
    assert lines[0]["likewise"] == "recording"
    assert lines[0]["version"] == 1
    assert [list(line) for line in lines[1:-1]] == [["trace"]] * 3
    assert lines[-1] == {"end": True, "traces": 3}


def test_a_trace_is_on_disk_as_soon_as_it_is_added(path: Path) -> None:
    writer = RecordingWriter(path, RUN)
    writer.add(Redaction(trace=TRACES[0]))
    assert read(path).traces == TRACES[:1]
    assert not read(path).complete
    writer.close()
    writer.close()
    assert read(path).complete


def test_a_writer_left_by_an_error_leaves_an_incomplete_recording(path: Path) -> None:
    with suppress(KeyboardInterrupt), RecordingWriter(path, RUN) as writer:
        writer.add(Redaction(trace=TRACES[0]))
        raise KeyboardInterrupt
    assert not read(path).complete
    assert read(path).traces == TRACES[:1]


def test_cut_anywhere_after_its_header_a_recording_keeps_what_was_whole(written: Path) -> None:
    content = written.read_bytes()
    header = content.index(b"\n") + 1
    for end in {*range(header, len(content) - 1, 97), len(content) - 2}:
        written.write_bytes(content[:end])
        whole = content[header:end].count(b"\n")
        # A line that lacks nothing but its line end is whole as well.
        assert tuple(iterate(written)) in (TRACES[:whole], TRACES[: whole + 1])
        assert not read(written).complete


def test_a_trace_written_in_parts_is_one_again(path: Path) -> None:
    """Parts of traces that went on at the same time are told apart."""
    long, other = (trace(name, calls=7) for name in ("t::long", "t::other"))
    with RecordingWriter(path, RUN) as writer:
        for first in (0, 2, 4):
            for each in (long, other):
                writer.add_part(
                    Redaction(trace=replace(each, interactions=each.interactions[first : first + 2]))
                )
        for each in (long, other):
            writer.add(Redaction(trace=replace(each, interactions=each.interactions[6:])))
    found = read(path)
    assert found.traces == (long, other)
    assert found.calls == 14
    assert found.complete


def test_a_trace_of_which_only_parts_were_written_is_unfinished_and_kept(path: Path) -> None:
    whole = trace("t::long", calls=6)
    writer = RecordingWriter(path, RUN)
    for first in (0, 2, 4):
        writer.add_part(Redaction(trace=replace(whole, interactions=whole.interactions[first : first + 2])))
    path.write_bytes(path.read_bytes()[:-5])  # cut off in its last line
    (kept,) = read(path).traces
    assert tuple(kept.interactions) == whole.interactions[:4]
    assert kept.result is Result.UNFINISHED
    assert not kept.is_clear
    assert not read(path).complete


def test_threads_may_share_a_writer(path: Path) -> None:
    with RecordingWriter(path, RUN) as writer:

        def add() -> None:
            for _ in range(50):
                writer.add(Redaction(trace=TRACES[0]))

        threads = [threading.Thread(target=add) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(read(path).traces) == 200


def test_an_absent_recording_is_said_to_be_absent(path: Path) -> None:
    with pytest.raises(RecordingAbsent, match=r"run\.jsonl: there is no such recording"):
        read(path)
    with pytest.raises(RecordingAbsent, match="Is a directory"):
        read(path.parent.parent)


def test_an_empty_file_is_neither_absent_nor_a_recording(tmp_path: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    with pytest.raises(RecordingEmpty, match="the file is empty"):
        read(empty)


def test_a_recording_without_traces_is_a_recording(path: Path) -> None:
    RecordingWriter(path, RUN).close()
    assert read(path).traces == ()
    assert read(path).complete


@pytest.mark.parametrize(
    ("line", "content", "why"),
    [
        (1, b"PK\x03\x04", "not the first line"),
        (1, b"[1]", "Expected an object"),
        (1, b'{"likewise":"ledger","version":1}', "does not say that this is a recording"),
        (1, b'{"likewise":"recording","version":1,"provenance":{"run":3}}', "Expected `str`"),
        (1, b'{"likewise":"recording","version":-4,"provenance":{"run":"r"}}', "never been"),
        (3, b"{}", "Expected a trace or the end"),
        (3, b'{"trace":', "truncated"),
        (
            3,
            b'{"trace":{"test":"t","role":"candidate","interactions":[],"colour":1}}',
            "unknown field `colour`",
        ),
        (
            3,
            b'{"trace":{"test":"t","role":"candidate","interactions":[{"service":"s","name":"n",'
            b'"arguments":{},"outcome":{"is":"retuned"}}]}}',
            "Invalid value 'retuned'",
        ),
        (3, b'{"trace":{"test":"\xff","role":"candidate","interactions":[]}}', "utf-8"),
        (5, b'{"end":true,"traces":4}', "should hold 4 traces and holds 3"),
        (3, b'{"end":true,"traces":1}', "after the end"),
    ],
)
def test_what_is_not_a_recording_is_refused_with_its_line_and_left_alone(
    written: Path, line: int, content: bytes, why: str
) -> None:
    lines = written.read_bytes().splitlines()
    lines[line - 1] = content
    spoiled = b"\n".join(lines) + b"\n"
    written.write_bytes(spoiled)
    with pytest.raises(RecordingCorrupt) as caught:
        read(written)
    reported = line + 1 if why == "after the end" else line
    assert caught.value.where == f"{written} line {reported}"
    assert why in caught.value.why
    assert "left untouched" in caught.value.todo
    assert written.read_bytes() == spoiled


def test_a_value_that_is_none_is_refused_with_its_line_by_whoever_looks_first(written: Path) -> None:
    lines = written.read_bytes().splitlines()
    lines[2] = (
        b'{"trace":{"test":"t","role":"candidate","interactions":[{"service":"s","name":"n","started":1.0,'
        b'"ended":3.5,"arguments":{"a":{"$colour":1}},"outcome":{"is":"returned"}}]}}'
    )
    written.write_bytes(b"\n".join(lines) + b"\n")
    spoiled = next(each for each in read(written).traces if each.test == "t")
    assert spans_of(spoiled.interactions) == [Span(operation=Operation("s", "n"), seconds=2.5)]
    for _ in range(2):
        with pytest.raises(RecordingCorrupt, match="Unknown kind of value '\\$colour'") as caught:
            list(spoiled.interactions)
        assert caught.value.where == f"{written} line 3"


def test_interactions_are_opened_once_and_are_what_was_written(written: Path) -> None:
    (kept,) = (each.interactions for each in read(written).traces if each.test == "t::a")
    given = TRACES[1].interactions
    assert isinstance(kept, Unopened)
    assert len(kept) == len(given)
    assert (kept == given, given == kept, kept == given[1:]) == (True, True, False)
    assert kept[0] is kept[0]
    assert pickle.loads(pickle.dumps(kept)) == given


def test_who_goes_through_interactions_once_gets_all_but_what_repeating_takes(path: Path) -> None:
    whole = trace()
    with RecordingWriter(path, RUN) as writer:
        wired = tuple(replace(call, wire={"url": "http://there"}) for call in whole.interactions)
        writer.add(Redaction(trace=replace(whole, interactions=wired)))
    (kept,) = read(path).traces
    needed = [tuple(getattr(call, name) for name in Passing._fields) for call in wired]
    assert (list(passing(kept)), [call.is_write for call in passing(kept)]) == (
        needed,
        [call.is_write for call in wired],
    )
    assert tuple(kept.interactions) == wired
    assert passing(kept)[0] is kept.interactions[0]  # opened now, so that they are at hand


def test_a_recording_of_a_newer_version_is_refused(written: Path) -> None:
    content = written.read_text().replace('"version":1', '"version":2', 1)
    written.write_text(content)
    with pytest.raises(FormatTooNew, match="format version 2"):
        read(written)


def test_a_recording_of_an_older_version_is_brought_forward(
    written: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An invented version 0 called a trace a story."""

    def v0_to_v1(raw: migrations.Raw) -> migrations.Raw:
        return {"trace": raw["story"]} if "story" in raw else raw

    monkeypatch.setattr(migrations, "RECORDING", replace(migrations.RECORDING, steps={0: v0_to_v1}))
    content = written.read_text().replace('"version":1', '"version":0', 1).replace('{"trace":', '{"story":')
    written.write_text(content)
    assert tuple(iterate(written)) == TRACES
    assert read(written).complete


def test_nothing_is_overwritten(written: Path) -> None:
    before = written.read_bytes()
    with pytest.raises(RecordingExists):
        RecordingWriter(written, RUN)
    assert written.read_bytes() == before


def test_the_files_of_workers_join_into_one_recording(tmp_path: Path) -> None:
    board = Target(name="aws", role=Role.REFERENCE)
    for name, some, source in (
        ("gw0", TRACES[:1], RUN),
        ("gw1", TRACES[1:], replace(RUN, started=4.0, targets=(board,), versions={"moto": "5"})),
    ):
        with RecordingWriter(tmp_path / name, source) as writer:
            for each in some:
                writer.add(Redaction(trace=each))
    joined = read_many([tmp_path / "gw0", tmp_path / "gw1"])
    assert [each.test for each in joined.traces] == ["t::a", "t::b", "t::c"]
    assert joined.provenance.started == 4.0
    assert set(joined.provenance.targets) == {board, *RUN.targets}
    assert joined.provenance.versions == {"python": "3.11", "moto": "5"}
    assert joined.complete


def test_one_incomplete_worker_makes_the_whole_incomplete(written: Path, tmp_path: Path) -> None:
    writer = RecordingWriter(tmp_path / "gw1", RUN)
    assert not read_many([written, tmp_path / "gw1"]).complete
    writer.close()


def test_recordings_of_different_runs_do_not_join(written: Path, tmp_path: Path) -> None:
    RecordingWriter(tmp_path / "other", replace(RUN, run="r2")).close()
    with pytest.raises(LikewiseError, match="not of the same run"):
        read_many([written, tmp_path / "other"])


def test_a_full_disk_keeps_whole_lines_only_and_says_what_to_do(path: Path) -> None:
    """A limit on the file's size is a disk that is full in the middle of a line."""
    writer = RecordingWriter(path, RUN)
    writer.add(Redaction(trace=TRACES[0]))
    before = path.read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 100, hard))
    try:
        with pytest.raises(StoreFull, match="Make room"):
            writer.add(Redaction(trace=TRACES[1]))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, handler)
    assert path.read_bytes() == before
    writer.add(Redaction(trace=TRACES[2]))
    writer.close()
    assert tuple(iterate(path)) == (TRACES[0], TRACES[2])


KILLED = """
import os, signal, sys
sys.path.insert(0, sys.argv[2])
from pathlib import Path
from store_samples import trace
from likewise.model import Provenance, Redaction
from likewise.store import RecordingWriter
writer = RecordingWriter(Path(sys.argv[1]), Provenance(run="r"))
for number in range(20):
    writer.add(Redaction(trace=trace(f"t{number}")))
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_killed_process_loses_no_finished_trace(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    ended = subprocess.run([sys.executable, "-c", KILLED, str(path), str(Path(__file__).parent)])
    assert ended.returncode == -signal.SIGKILL
    assert len(read(path).traces) == 20
    assert not read(path).complete


def test_what_a_call_touches_reads_as_it_was_written(path: Path) -> None:
    """For who keeps the calls as for who only goes through them: their keys must not differ."""
    touches = (
        Touch(resource=("blob", "box"), effect=Effect.WRITE, timed=True, lasts=15.0),
        Touch(resource=("blob", "box"), effect=Effect.WRITE, timed=True, lasts=60.0),
        Touch(resource=("blob", "box"), effect=Effect.READ, scope=Scope.SUBTREE, attempted=True),
        Touch(resource=("blob", "box"), effect=Effect.READ, scope=Scope.SUBTREE),
    )
    calls = [replace(call, touches=touches) for call in trace().interactions]
    with RecordingWriter(path, RUN) as writer:
        writer.add(Redaction(trace=replace(trace(), interactions=tuple(calls))))
    (kept,) = read(path).traces
    assert [call.touches for call in passing(kept)] == [touches] * 3
    assert [call.touches for call in kept.interactions] == [touches] * 3
