"""Two versions of a library as one client's tests see them."""

from likewise.library.comparison.divergence import Divergence, Manner, Spot
from likewise.library.comparison.groups import Comparison, Counts, Example, Group, Side, compare, described
from likewise.library.comparison.stability import Stability
from likewise.library.comparison.walk import diverge

__all__ = [
    "Comparison",
    "Counts",
    "Divergence",
    "Example",
    "Group",
    "Manner",
    "Side",
    "Spot",
    "Stability",
    "compare",
    "described",
    "diverge",
]
