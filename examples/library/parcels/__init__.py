"""What it costs to send things: a client of `measures`."""

import measures


def offer(grams: int, destination: str) -> str:
    """The price of sending so much to a destination, as a text."""
    weight = measures.Weight(grams)
    price = measures.postage(weight, destination)
    return f"{price} for {weight.pounds} lb"


def box_for(*edges: int) -> list[int]:
    """The sizes of a box, longest edge first."""
    return list(measures.sort_edges(edges))


def refusal(grams: int) -> str:
    """Why something cannot be sent, or an empty text."""
    try:
        measures.postage(measures.Weight(grams), "home")
    except measures.TooHeavy as error:
        return f"sorry: {error}"
    return ""


def store(names: list[str]) -> str:
    """Put things on a shelf; the label of the shelf."""
    shelf = measures.Shelf("A")
    for name in names:
        shelf.put(name)
    return shelf.label
