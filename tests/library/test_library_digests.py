"""Crossings of which only a digest is left: it holds what a comparison would look at, and nothing else."""

from __future__ import annotations

from likewise.library import crossing
from likewise.library.crossing import Kind
from likewise.library.recorder import KEEP, Recorder, Token
from likewise.library.targets import NOTHING
from likewise.model import Operation, Trace


class Made:
    """What a library's constructor gives."""


class _Inner:
    """The same in another version."""


def digest(*names: str, argument: str = "a", kind: type = Made) -> str:
    """Of objects with these attributes, made at one place more often than is kept."""
    traces: list[Trace] = []
    recorder = Recorder(on_trace=traces.append)
    recorder.open("test")
    for _ in range(KEEP + 3):
        token = recorder.begin("f.py:1:0", Kind.CALL, Operation("lib", "Made"), NOTHING, ([argument],), None)
        assert isinstance(token, Token)
        token.makes = True
        made = kind()
        for name in names:
            setattr(made, name, 1)
        recorder.end(token, made)
    recorder.close()
    (rest,) = [each for each in traces[0].interactions if crossing.of(each).kind is Kind.REST]
    assert crossing.of(rest).count == 3
    return crossing.of(rest).digest


def test_which_attributes_an_object_was_made_with_is_not_in_a_digest() -> None:
    assert digest("one") == digest("one", "other")
    assert digest("one") != digest("one", argument="b")


def test_what_type_the_objects_are_of_is_not_in_a_digest() -> None:
    """One version may have made objects of a private type where the other has a public one."""
    assert digest("one") == digest("one", kind=_Inner)
