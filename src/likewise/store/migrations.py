"""Every format has a version of its own; older ones are brought forward step by step, newer ones refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from likewise.model import FormatTooNew
from likewise.store.driver import Driver
from likewise.store.encoding import Raw

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Format(Generic[T]):
    """A format, its present version, and the step that leads from each older version to the next.

    A step is called `v3_to_v4` and stands in `steps` under 3. It never looks at present-day types,
    which will have moved on by the time it runs.
    """

    name: str
    version: int
    steps: Mapping[int, Callable[[T], T]] = field(default_factory=dict)

    def upgrade(self, raw: T, *, version: int, where: str) -> T:
        """Something of an older version, as the present version has it."""
        self.refuse_newer(version=version, where=where)
        for step in range(version, self.version):
            raw = self.steps[step](raw)
        return raw

    def refuse_newer(self, *, version: int, where: str) -> None:
        """Raise FormatTooNew for what this version of Likewise cannot know how to read."""
        if version > self.version:
            raise FormatTooNew(
                f"this {self.name} has format version {version}",
                where=where,
                why=f"this version of Likewise reads up to {self.version}",
                todo="It was left untouched. Update Likewise: pip install --upgrade likewise",
            )

    def knows(self, version: int) -> bool:
        """Whether something of this version can be read, if need be after an upgrade."""
        return all(step in self.steps for step in range(version, self.version))


RECORDING: Format[Raw] = Format(name="recording", version=1)
"""Steps take and give one line of a recording."""

LEDGER: Format[Driver] = Format(name="ledger", version=1)
"""Steps take the open ledger inside a write transaction, change it, and give it back."""
