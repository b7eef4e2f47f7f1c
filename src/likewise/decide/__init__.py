"""Policies: from keyed calls and the ledger's answers to verdicts, each with its reason."""

from likewise.decide.contention import contends
from likewise.decide.context import Answers, CallStanding, Rules, judge, known_since, place
from likewise.decide.published import Discrepant, judge_combined, judge_operations, judge_sequence
from likewise.decide.slices import close_slice

__all__ = [
    "Answers",
    "CallStanding",
    "Discrepant",
    "Rules",
    "close_slice",
    "contends",
    "judge",
    "judge_combined",
    "judge_operations",
    "judge_sequence",
    "known_since",
    "place",
]
