"""Ask a reference for its answers to sequences, and keep them."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from likewise.cloud.fuzz.corpus.cases import Case, NotComparable, Recorded
from likewise.cloud.fuzz.corpus.stage import Stage
from likewise.cloud.fuzz.corpus.values import Unplayable
from likewise.cloud.fuzz.corpus.writing import recorded_answer


def record(stage: Stage, *, reference: str) -> Case | NotComparable:
    """The case with the reference's answer to every call; what cannot be played is said.

    Times are those of the case itself where it has an answer already: it says what they meant.
    """
    case = stage.case
    try:
        for number, step in enumerate(case.steps, start=1):
            answer = stage.send(step, is_last=number == len(case.steps))
            stage.answers.append(answer)
            if answer.refused or answer.silence:
                return NotComparable(case=case.id, reason=f"call {number}: {answer.summary()}")
    except Unplayable as error:
        return NotComparable(case=case.id, reason=str(error))
    finally:
        with suppress(Unplayable):
            stage.clean()
    kept = [_recorded(stage, position) for position in range(len(case.steps))]
    steps = tuple(replace(step, recorded=said) for step, said in zip(case.steps, kept, strict=True))
    return replace(case, steps=steps, recorded=kept[-1], reference=reference, note="", source=case.source)


def _recorded(stage: Stage, position: int) -> Recorded:
    """An answer with the names of the case, not those of this play."""
    said = recorded_answer(stage.answers[position])
    message = said.message
    if isinstance(message, str):
        for fresh, name in stage.texts.items():
            message = message.replace(fresh, name)
    return replace(said, message=message)
