"""What a table of hints can say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hints:
    """What the models do not say about a service.

    `names`: parameters whose values the client chooses, and what kind of thing they name.
    `makers`: for each kind of thing, the operation that makes one.
    `sources`: parameters whose values only an earlier answer can give: the operation, and where.
    `values`: a typical value by parameter; by "Operation.parameter", which is then always given; or by
    "Operation?parameter", which is not. None leaves a parameter out.
    `needs`: operations that must have been called before, beyond what the parameters say.
    `creates`: operations that make what their own parameter names, so it need not be there.
    `observers`: which reads can show what a mutating operation did (patterns of names, first match).
    `shows`: reads that show what a parameter of a mutating operation did, after the other observers, by
    "Operation.parameter" (patterns of names).
    `related`: what is given besides, by "Operation:variant", to a call that others build on, and to a read
    that shows what a write did only to those who ask for it.
    `ways`: other ways to make a call, by "Operation:way": what is given instead and besides, None for what is
    left out; what it needs then may be said in `needs` under the same name.
    `failing`: parameters that ask for a condition, with values that make it not hold, by parameter or by
    "Operation.parameter".
    `holding`: the same, with values that make it hold: the mark of the thing as an earlier answer gave it.
    `wrong`: values that are not of the right form, by either.
    `further`: other right values of parameters that are languages of their own, by either.
    `holds`: for each kind of thing, the operation that locks one, the parameter by which others show that
    they may touch it nevertheless, and what they give then.
    `alters`: for each kind of thing, the calls ("Operation:variant") after which less can be done to one.
    `along`: what a parameter is given along with, without which it says nothing.
    `forms`: for each kind of thing that there are several forms of, the operations that make them.
    `cased`: kinds of thing at the top of a server whose names may have capital letters.
    `account`: operations on state that everybody on the server shares.
    `skip`: operations that are never called, and why.
    `removers`: for each kind of top-level thing, the operation that deletes it.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    makers: Mapping[str, str] = field(default_factory=dict)
    sources: Mapping[str, tuple[str, Path]] = field(default_factory=dict)
    values: Mapping[str, Any] = field(default_factory=dict)
    needs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    creates: Mapping[str, frozenset[str]] = field(default_factory=dict)
    observers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    shows: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    related: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    ways: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    failing: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    holding: Mapping[str, tuple[Mapping[str, Any], ...]] = field(default_factory=dict)
    wrong: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    further: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    holds: Mapping[str, tuple[str, str, Any, Any]] = field(default_factory=dict)
    """The last two: what is right, and what is wrong."""
    alters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    along: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    forms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    cased: frozenset[str] = frozenset()
    account: frozenset[str] = frozenset()
    skip: Mapping[str, str] = field(default_factory=dict)
    poison: frozenset[str] = frozenset()
    """Parameters that are never given: with them the client waits for ever."""
    removers: Mapping[str, str] = field(default_factory=dict)
    lists: frozenset[str] = frozenset()
    """Reads that give many things, so that their order and their pages can be seen."""
