"""One process of a test run: its targets, its environment, its recorder, its recording file."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from likewise.canonical.redact import redact
from likewise.cloud.marks import key_mark
from likewise.cloud.recorder import Recorder, Routes, neutralise_mock_aws
from likewise.cloud.secrets import gather
from likewise.cloud.side import Side, open_side
from likewise.model import Borrowed, Ending, Provenance, Recording, Result, Role, Target, Trace
from likewise.store import Configuration, RecordingWriter, read_many

if TYPE_CHECKING:
    from likewise.cloud.emptying import Emptying
    from likewise.cloud.targets.lending import Loan

_ACCOUNT = re.compile(r"(?:^|;)AccountName=([^;]+)")


class ProcessSession:
    """Runs tests of one process against one side and records them.

    Two steps, because clients may be created before it is known where to record: `start` makes the
    environment right, `record` opens the file. `stop` undoes everything, at any point, any number
    of times.

    The state behind the boundary is removed between tests, and a new world begins, as long as
    nothing that outlives a test put anything there: see `hold`.
    """

    def __init__(
        self,
        *,
        configuration: Configuration,
        role: Role,
        worker: str = "main",
        lent: Sequence[Loan] = (),
    ) -> None:
        self.configuration, self.role, self.worker = configuration, role, worker
        self._lent = lent
        self.is_recording = False
        self._side: Side | None = None
        self._recorder: Recorder | None = None
        self._writer: RecordingWriter | None = None
        self._secrets = gather(os.environ, extra=configuration.extra_secrets)
        self._undo: list[Callable[[], None]] = []
        self._holders: set[object] = set()
        self._is_resettable = configuration.isolation != "none"
        self._worlds = 0
        self._calls_at_reset = self._calls_at_end = 0
        self._emptying: Emptying | None = None

    @property
    def targets(self) -> tuple[Target, ...]:
        """What the tests run against."""
        return self._side.targets if self._side is not None else ()

    @property
    def calls(self) -> int:
        """How many requests were seen so far."""
        return self._recorder.calls if self._recorder is not None else 0

    def start(self) -> None:
        """Start the targets, point the environment at them, and follow the SDKs."""
        self._side = side = open_side(self.configuration, self.role, self._lent)
        self._undo.append(side.stop)
        try:
            if side.running or self.role is Role.REFERENCE:
                self._undo.append(_set_environment(side.apply(os.environ)))
                self._undo.append(neutralise_mock_aws())
            self._recorder = Recorder(
                role=self.role,
                world=self._world(),
                on_trace=self._write,
                expected_endpoints=side.endpoints,
                routes=Routes(self.configuration.reroute, side.endpoint),
            )
            self._recorder.install()
            self._undo.append(self._recorder.uninstall)
        except BaseException:
            self.stop()
            raise

    def record(self, path: Path, provenance: Provenance) -> None:
        """Open the recording file; what was called before this belongs to it as well."""
        known = replace(provenance, targets=self.targets, identities=_identities(os.environ))
        self._writer = RecordingWriter(path, known)
        self.is_recording = True

    def begin(self, test: str, *, attempt: int = 0) -> None:
        """A test begins, in a new world where that is right; TargetUnavailable where a server is gone."""
        assert self._recorder is not None
        assert self._side is not None
        try:
            self._side.check()
            self._renew(self._recorder, self._side)
        finally:
            self._recorder.begin(test, attempt=attempt)

    def end(self, *, result: Result, failure: str = "") -> None:
        """The test is over; its trace is written in the background."""
        assert self._recorder is not None
        self._recorder.end(result=result, failure=failure)
        self._calls_at_end = self._recorder.calls

    def hold(self, holder: object) -> None:
        """Something that outlives the running test put state behind the boundary: no reset until released."""
        self._holders.add(holder)

    def borrow(self, *borrowed: Borrowed) -> None:
        """The running test has a fixture that an earlier one set up."""
        assert self._recorder is not None
        self._recorder.borrow(*borrowed)

    def note_ending(self, ending: Ending) -> None:
        """A fixture of several tests was torn down in the running one."""
        assert self._recorder is not None
        self._recorder.note_ending(ending)

    def release(self, holder: object) -> None:
        """What the holder put there is no longer needed."""
        self._holders.discard(holder)

    def finish(self) -> Path | None:
        """Write what is pending and close the recording; raises what kept a trace from being written."""
        recorder, writer = self._recorder, self._writer
        if recorder is None or writer is None or not self.is_recording:
            return None
        self.is_recording = False
        recorder.drain()
        writer.close()
        return writer.path

    def keep_logs(self, folder: Path) -> None:
        """Copy the servers' logs to where they outlive the servers."""
        if self._side is not None:
            self._side.keep_logs(folder)

    def retire(self) -> Side | None:
        """Put the process back as it was; the targets go on until `stop`, for others who can empty them."""
        if not self._is_resettable:
            self.stop()
            return None
        while len(self._undo) > 1:  # the first thing to be done, and the last to be undone, is their start
            self._undo.pop()()
        return self._side

    def stop(self) -> None:
        """Put the process back as it was and stop the targets, whatever state they are in."""
        while self._undo:
            self._undo.pop()()

    def _renew(self, recorder: Recorder, side: Side) -> None:
        """Begin a new world, unless state must stay or cannot be removed."""
        if recorder.calls != self._calls_at_end:
            self.hold("calls outside any test")  # at import, say: nobody makes them again after a reset
        is_held = self._holders and self.configuration.isolation != "reset"
        if is_held or not self._is_resettable or not side.running:
            return
        if recorder.calls != self._calls_at_reset:
            self._is_resettable = side.reset()
            if not self._is_resettable:
                return
            self._calls_at_reset = recorder.calls
        recorder.new_world(self._world())

    def _world(self) -> str:
        self._worlds += 1
        return f"{self.worker}/{self._worlds}"

    def _write(self, trace: Trace) -> None:
        assert self._writer is not None
        assert self._recorder is not None
        trace = self._with_what_was_removed(trace)
        if not self._recorder.sensitive <= self._secrets.names:
            self._secrets = self._secrets.including(names=self._recorder.sensitive)
        self._writer.add(redact(trace, secrets=self._secrets))

    def _with_what_was_removed(self, trace: Trace) -> Trace:
        """Where a test failed for want of what was removed before it, say so, and remove nothing any more.

        Clients that outlive a test may remember what it made, which nobody can see.
        """
        if self._emptying is None:
            from likewise.cloud.emptying import Emptying  # what it needs is slow to import

            self._emptying = Emptying()
        missed = self._emptying.missed(trace)
        if not missed:
            return trace
        self.hold("tests that count on what others made")
        why = (
            f"it asked for {missed}, which an earlier test made and Likewise removed before this one: where "
            'tests go on with what others left, set isolation = "none"'
        )
        return replace(trace, unclear=(*trace.unclear, why))


def read_recording(paths: Iterable[Path]) -> Recording:
    """What the processes of one run recorded, as one.

    A trace that was written again with a late call replaces the first; the attempts at a test are
    numbered through, whichever process made them.
    """
    recording = read_many(paths)
    latest = {(trace.test, trace.started, trace.attempt): trace for trace in recording.traces}
    seen: dict[str, int] = {}
    traces = []
    for trace in latest.values():
        seen[trace.test] = attempt = seen.get(trace.test, -1) + 1
        traces.append(trace if trace.attempt == attempt else replace(trace, attempt=attempt))
    return replace(recording, traces=tuple(traces))


def _identities(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Marks of the key ids and account names that the environment gives to clients."""
    account = _ACCOUNT.search(environment.get("AZURE_STORAGE_CONNECTION_STRING", ""))
    names = (environment.get("AWS_ACCESS_KEY_ID"), account and account[1])
    return tuple(key_mark(name) for name in names if name)


def _set_environment(wanted: Mapping[str, str]) -> Callable[[], None]:
    """Change the process's environment; the result puts back what was changed, and only that."""
    before = dict(os.environ)
    changed = {name for name in before.keys() | wanted.keys() if before.get(name) != wanted.get(name)}
    _assign({name: wanted.get(name) for name in changed})
    return lambda: _assign({name: before.get(name) for name in changed})


def _assign(variables: Mapping[str, str | None]) -> None:
    for name, value in variables.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
