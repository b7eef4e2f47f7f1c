"""Whether a difference may be a matter of time: one side shows later what the other shows at once."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence

from likewise.cloud.fuzz.calls import Answer
from likewise.cloud.fuzz.judging import Gap
from likewise.cloud.fuzz.plans import is_read
from likewise.model import Difference

LATE = re.compile(r"NotFound|NoSuch|InUse|Conflict|Pending|Busy|BeingDeleted|Aborted|NotReady|InProgress")
"""Errors of a server that may just not be ready yet."""


def may_be_early(gap: Gap, answers: Sequence[Answer], late: Container[str]) -> bool:
    """Whether one side may just not have what the other already shows.

    `late` are operations that were seen to show something only later.
    """
    if gap.difference is Difference.SUCCESS:
        failed = [each for each in answers if not each.success]
        is_late = any(each.status in (404, 409) or LATE.search(each.code) for each in failed)
        return is_late or gap.operation in late
    if gap.difference in (Difference.CODE, Difference.STATUS, Difference.MESSAGE):
        return gap.operation in late and is_read(gap.operation)
    if not is_read(gap.operation):
        return False
    if gap.difference is Difference.VALUE:
        return gap.index > 0
    if gap.difference in (Difference.MISSING, Difference.EXTRA):
        return gap.index > 0 or "[{" in gap.reference + gap.candidate or not all(a.fields for a in answers)
    if gap.difference is Difference.TYPE:
        return not gap.reference or not gap.candidate
    return gap.difference is Difference.LENGTH
