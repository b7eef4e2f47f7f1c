"""Align two traces, name every difference, say what it means."""

from likewise.compare.align import Alignment, align
from likewise.compare.outcomes import Change, compare_outcomes, compare_values, implication, summary

__all__ = ["Alignment", "Change", "align", "compare_outcomes", "compare_values", "implication", "summary"]
