"""Changes that somebody approved, in a small file that is committed with the client."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from likewise.library.comparison import Comparison, Group
from likewise.model import LikewiseError

FILE = "likewise-accepted.json"
VERSION = 1


class AcceptanceUnreadable(LikewiseError):
    """The file of accepted changes is not one."""

    slug = "acceptance-unreadable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Acceptance:
    """One approved change: which operation, how it changes, and every pair of outcomes that was seen."""

    operation: str
    kind: str
    reference: str
    candidate: str
    marks: tuple[str, ...]
    reason: str = ""

    def covers(self, group: Group) -> bool:
        """Whether a group shows nothing that was not approved."""
        return (
            self.operation == group.operation
            and self.kind == str(group.manner)
            and set(group.marks) <= set(self.marks)
        )


def accept(group: Group, *, reason: str = "") -> Acceptance:
    """The approval of a group as it is now."""
    example = group.examples[0]
    return Acceptance(
        operation=group.operation,
        kind=str(group.manner),
        reference=example.reference,
        candidate=example.candidate,
        marks=group.marks,
        reason=reason,
    )


def read(root: Path) -> tuple[Acceptance, ...]:
    """What was approved in a project; nothing where there is no such file."""
    path = root / FILE
    if not path.is_file():
        return ()
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        version = raw["version"]
        entries = tuple(Acceptance(**{**each, "marks": tuple(each["marks"])}) for each in raw["accepted"])
    except (ValueError, KeyError, TypeError) as error:
        raise AcceptanceUnreadable(
            "not a list of accepted changes",
            where=str(path),
            why=str(error),
            todo="It was left untouched. Correct it, or restore it from version control.",
        ) from error
    if version != VERSION:
        raise AcceptanceUnreadable(
            f"written in version {version} of its format", where=str(path), todo="Update Likewise."
        )
    return entries


def write(root: Path, acceptances: Iterable[Acceptance]) -> Path:
    """Keep approvals, merged with each other, in an order that makes small diffs."""
    together: dict[tuple[str, str], Acceptance] = {}
    for each in acceptances:
        key = each.operation, each.kind
        known = together.get(key)
        marks = set(each.marks) | (set(known.marks) if known else set())
        together[key] = replace(each, marks=tuple(sorted(marks)))
    entries = [asdict(together[key]) for key in sorted(together)]
    path = root / FILE
    path.write_text(
        json.dumps({"version": VERSION, "accepted": entries}, indent=2, ensure_ascii=False) + "\n",
        encoding="utf-8",
    )
    return path


def without_accepted(comparison: Comparison, acceptances: Iterable[Acceptance]) -> Comparison:
    """The comparison without what was approved, and without what only follows from that."""
    known = tuple(acceptances)
    quiet = [group for group in comparison.groups if any(each.covers(group) for each in known)]
    loud = [group for group in comparison.groups if group not in quiet]
    causes = {group.operation for group in loud if not group.is_downstream}
    approved = {group.operation for group in quiet}
    kept = [
        group
        for group in loud
        if not group.is_downstream or group.follows in causes or group.follows not in approved
    ]
    return replace(comparison, groups=tuple(kept), accepted=tuple(quiet))
