"""Where one case is played: what happened so far, and what has to be cleaned up."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping

from likewise.cloud.fuzz.calls import Answer
from likewise.cloud.fuzz.corpus.cases import Case, Step


class Stage(ABC):
    """Plays the steps of one case in order; names are fresh, so that cases do not meet."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.answers: list[Answer] = []

    @property
    @abstractmethod
    def texts(self) -> Mapping[str, str]:
        """Fresh names to recorded ones."""

    @property
    @abstractmethod
    def doubts(self) -> tuple[str, ...]:
        """What could not be made to mean what it meant in the recording."""

    @abstractmethod
    def send(self, step: Step, *, is_last: bool) -> Answer:
        """Play one step; `Unplayable` where the file does not hold what that takes."""

    @abstractmethod
    def clean(self) -> None:
        """Delete what was made."""
