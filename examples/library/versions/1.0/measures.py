"""A small library, version 1.0."""

from collections.abc import Iterable

LIMIT = 30_000


class TooHeavy(ValueError):
    """More than anybody carries."""


class Weight:
    """A weight in grams."""

    def __init__(self, grams: int) -> None:
        self.grams = grams

    @property
    def pounds(self) -> float:
        """The weight in pounds."""
        return int(self.grams / 453.592 * 100) / 100


def postage(weight: Weight, destination: str) -> int:
    """The price in cents."""
    if weight.grams > LIMIT:
        raise TooHeavy(f"{weight.grams} g is more than {LIMIT} g")
    return 100 + weight.grams // 10 if destination == "home" else 500 + weight.grams // 5


def sort_edges(edges: Iterable[int]) -> list[int]:
    """Edges, longest first."""
    return sorted(edges, reverse=True)


class Shelf:
    """Holds things."""

    def __init__(self, name: str) -> None:
        self.label = f"shelf {name}"
        self.things: list[str] = []

    def put(self, thing: str) -> None:
        """Put a thing on the shelf."""
        self.things.append(thing)
