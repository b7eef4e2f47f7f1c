"""What a service can be asked: operations and their parameters, as the installed SDK describes them."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from likewise.model import ConfigurationError

DEPTH = 6
"""Nested deeper than this, a shape is taken to have no members: some contain themselves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One parameter, or one part of a parameter.

    `kind` is string, integer, float, boolean, timestamp, blob, list, map, structure or any. `members`
    are those of a structure, or the one element (and, for maps, the value) of a collection.
    """

    name: str
    kind: str
    required: bool = False
    enum: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    pattern: str = ""
    members: tuple[Member, ...] = ()
    shape: str = ""
    wire: str = ""
    """What the protocol calls it; nothing where it spreads over several places."""
    sample: Any = field(default=None, compare=False)
    """A typical value, where it is known what this is about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationShape:
    """One operation: its parameters, where it stands in the wire protocol, and an example if there is one."""

    service: str
    name: str
    members: tuple[Member, ...] = ()
    method: str = ""
    outputs: frozenset[str] = frozenset()
    """Names of everything that its answer can hold, at any depth."""
    examples: tuple[Mapping[str, Any], ...] = ()
    tokens: tuple[tuple[str, str], ...] = ()
    """Paging: the member of the answer, and the parameter that takes it."""
    limit: str = ""
    """The parameter that says how many items a page has."""
    errors: tuple[str, ...] = ()
    public: bool = True
    """Whether the SDK's public methods reach it."""
    alias: str = ""
    """The newer operation that is the same request, where this is an old name for it."""

    @property
    def required(self) -> tuple[Member, ...]:
        """The parameters that must be there."""
        return tuple(member for member in self.members if member.required)

    def member(self, name: str) -> Member | None:
        """The parameter of this name."""
        return next((each for each in self.members if each.name == name), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Grammar:
    """All operations of a service."""

    service: str
    operations: Mapping[str, OperationShape] = field(default_factory=dict)

    def __iter__(self) -> Iterator[OperationShape]:
        return iter(self.operations.values())

    def __getitem__(self, name: str) -> OperationShape:
        return self.operations[name]


EXTRAS = {"s3": "aws", "dynamodb": "aws", "blob": "azure", "queue": "azure", "table": "azure"}
"""The services, and the extra that brings each one's SDK."""


def load(service: str) -> Grammar:
    """The grammar of a service, from the SDK that is installed."""
    if service.startswith("openapi:"):
        from likewise.cloud.fuzz.grammar.openapi import read

        return read(service)
    if service not in EXTRAS:
        near = difflib.get_close_matches(service.lower(), EXTRAS, n=1)
        hint = f"Did you mean {near[0]}? " if near else ""
        raise ConfigurationError(
            f"unknown service {service!r}", todo=f"{hint}Services are {', '.join(EXTRAS)}, openapi:FILE."
        )
    try:
        if EXTRAS[service] == "aws":
            from likewise.cloud.fuzz.grammar.aws import read
        else:
            from likewise.cloud.fuzz.grammar.azure import read
        return read(service)
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            f"the SDK for {service} is not installed",
            why=str(error),
            todo=f"Install it: pip install 'likewise[{EXTRAS[service]}]'",
        ) from error
