"""Count every call that the reference receives, and stop at the budget."""

from __future__ import annotations

from collections import Counter

from likewise.model import BudgetReached, Operation


class Meter:
    """Reference calls of one run. A budget of None means no limit."""

    def __init__(self, budget: int | None = None) -> None:
        self.budget = budget
        self.cleaning = 0
        """Of the calls, those that cleaned up: made whatever the budget says."""
        self.by_operation: Counter[Operation] = Counter()
        self.seconds = 0.0

    @property
    def calls(self) -> int:
        """How many calls the reference has received."""
        return self.by_operation.total()

    @property
    def left(self) -> int | None:
        """How many calls the budget still allows, or None where there is none."""
        return None if self.budget is None else max(0, self.budget - self.calls)

    def affords(self, calls: int) -> bool:
        """Whether this many calls fit into the budget."""
        return self.left is None or calls <= self.left

    @property
    def account(self) -> str:
        """What the budget is and where it went, for a person."""
        text = f"the budget of {self.budget} reference calls leaves {self.left}"
        return (
            f"{text} ({self.calls} were made, {self.cleaning} of them to clean up)" if self.cleaning else text
        )

    @property
    def excess(self) -> int:
        """How many calls more than the budget allows cleaning up took."""
        return 0 if self.budget is None else max(0, self.calls - self.budget)

    def require(self, calls: int) -> None:
        """Refuse work that would exceed the budget."""
        if not self.affords(calls):
            raise BudgetReached(
                f"{self.account}, {calls} are needed",
                todo="What was proved is kept. Raise the budget with budget = … or --likewise-budget, "
                "or run again.",
            )

    def count(self, operation: Operation, calls: int = 1, *, cleaning: bool = False) -> None:
        """Note calls just before they are made, so that none goes uncounted."""
        self.by_operation[operation] += calls
        self.cleaning += calls if cleaning else 0
