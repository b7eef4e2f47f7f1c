"""What calls to the real clouds cost by list price."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

from likewise.model import ConfigurationError, Operation, Outcome, Raised

FILE = Path(__file__).with_name("prices.toml")

UNAUTHENTICATED = frozenset(
    {
        "AuthenticationFailed",
        "ExpiredToken",
        "ExpiredTokenException",
        "IncompleteSignature",
        "InvalidAccessKeyId",
        "InvalidAuthenticationInfo",
        "InvalidClientTokenId",
        "InvalidSignatureException",
        "MissingAuthenticationToken",
        "NoAuthenticationInformation",
        "SignatureDoesNotMatch",
        "UnrecognizedClientException",
    }
)
"""Refusals by which a cloud says that it does not know the caller, and therefore sends no bill."""


@dataclass(frozen=True, slots=True, order=True)
class Money:
    """An exact amount."""

    amount: Decimal = Decimal(0)
    currency: str = "USD"

    def __add__(self, other: Money) -> Money:
        if other.currency != self.currency and other.amount and self.amount:
            raise ValueError(f"{self.currency} and {other.currency} cannot be added")
        return Money(self.amount + other.amount, self.currency if self.amount else other.currency)

    def __float__(self) -> float:
        return float(self.amount)

    def __str__(self) -> str:
        digits = 2 if self.amount >= 1 or not self.amount else 2 - self.amount.adjusted()
        text = f"{self.amount:.{min(digits, 10)}f}"
        return f"${text}" if self.currency == "USD" else f"{text} {self.currency}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceClass:
    """Operations that cost the same."""

    name: str
    price: Decimal
    per: int
    operations: tuple[str, ...]

    @property
    def each(self) -> Decimal:
        """The price of one request."""
        return self.price / self.per


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceList:
    """The classes of one service, with where and when they were read."""

    service: str
    source: str
    region: str
    as_of: str
    currency: str
    classes: tuple[PriceClass, ...]

    def classify(self, operation: str) -> PriceClass:
        """The class of the most specific pattern that matches, else the dearest class."""
        matches = [
            (len(pattern.replace("*", "")), each.each, each)
            for each in self.classes
            for pattern in each.operations
            if fnmatchcase(operation, pattern)
        ]
        # Between two patterns that say equally much the dearer counts: an estimate must not flatter.
        return max(matches, key=lambda match: match[:2])[2] if matches else self.dearest

    @property
    def dearest(self) -> PriceClass:
        """The class that costs the most."""
        return max(self.classes, key=lambda each: each.each)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """Price lists by service."""

    lists: Mapping[str, PriceList]

    def price(self, operation: Operation, calls: int = 1, *, units: float = 1) -> Money:
        """What so many calls cost; `units` where one call is billed as more or less than one request.

        A service without a price list is priced like the dearest call there is.
        """
        found = self.lists.get(operation.service)
        if found is None:
            found = max(self.lists.values(), key=lambda each: each.dearest.each)
            each = found.dearest.each
        else:
            each = found.classify(operation.name).each
        return Money(each * calls * Decimal(str(units)), found.currency)

    def total(self, calls: Mapping[Operation, int]) -> Money:
        """What all these calls cost together."""
        return sum((self.price(operation, count) for operation, count in calls.items()), Money())

    def sources(self, services: Iterable[str]) -> tuple[str, ...]:
        """Where the prices of these services are from, for a person."""
        known = (self.lists[service] for service in sorted(set(services)) if service in self.lists)
        return tuple(f"{each.source} ({each.region}, {each.as_of})" for each in known)


def is_billed(outcome: Outcome) -> bool:
    """Whether a cloud charges for a call that ended like this.

    Refused calls are charged once the caller is known; a call without an answer may have been.
    """
    return not (isinstance(outcome, Raised) and outcome.kind in UNAUTHENTICATED)


def price(operation: Operation, calls: int = 1) -> Money:
    """What so many calls cost by the list that comes with Likewise."""
    return default().price(operation, calls)


@cache
def default() -> Prices:
    """The list that comes with Likewise."""
    return load()


def load(override: Path | None = None) -> Prices:
    """The list that comes with Likewise, with a file of the user's laid over it."""
    raw = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return _build(raw if override is None else _overlay(raw, _read(override), where=str(override)))


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ConfigurationError("there is no such price file", where=str(path)) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError("the price file cannot be read", where=str(path), why=str(error)) from error


def _overlay(base: dict[str, Any], own: dict[str, Any], *, where: str) -> dict[str, Any]:
    """The base with what the user's file says instead.

    What the base prices in another currency or of another date keeps its own.
    """
    merged = dict(base)
    shared = {name: own[name] for name in ("as_of", "currency") if name in own}
    for name, value in own.items():
        if name in ("as_of", "currency"):
            continue
        if not isinstance(value, dict):
            raise _unknown(name, ("as_of", "currency", *base), where=where)
        merged[name] = _overlay_service(name, base.get(name, {}), value, where=where) | shared
    return merged


def _overlay_service(name: str, base: dict[str, Any], own: dict[str, Any], *, where: str) -> dict[str, Any]:
    for key in own:
        if key not in ("source", "region", "as_of", "currency", "classes"):
            raise _unknown(
                f"{name}.{key}", (f"{name}.source", f"{name}.region", f"{name}.classes"), where=where
            )
    classes = dict(base.get("classes", {}))
    for label, entry in own.get("classes", {}).items():
        place = f"{name}.classes.{label}"
        if not isinstance(entry, dict):
            raise ConfigurationError(f"{place} is not a table", where=where)
        for key in entry:
            if key not in ("price", "per", "operations"):
                raise _unknown(
                    f"{place}.{key}",
                    tuple(f"{place}.{k}" for k in ("price", "per", "operations")),
                    where=where,
                )
        classes[label] = classes.get(label, {}) | entry
        for key in ("price", "per", "operations"):
            if key not in classes[label]:
                raise ConfigurationError(f"{place} has no {key}", where=where)
    return {"source": where, "region": ""} | base | own | {"classes": classes}


def _unknown(key: str, known: Iterable[str], *, where: str) -> ConfigurationError:
    close = difflib.get_close_matches(key, list(known), n=1)
    return ConfigurationError(
        f"unknown key {key}", where=where, todo=f"Did you mean {close[0]}?" if close else "See prices.toml."
    )


def _build(raw: Mapping[str, Any]) -> Prices:
    lists = {
        service: PriceList(
            service=service,
            source=table["source"],
            region=table["region"],
            as_of=str(table.get("as_of", raw["as_of"])),
            currency=table.get("currency", raw["currency"]),
            classes=tuple(
                PriceClass(
                    name=name,
                    price=Decimal(str(entry["price"])),
                    per=int(entry["per"]),
                    operations=tuple(entry["operations"]),
                )
                for name, entry in table["classes"].items()
            ),
        )
        for service, table in raw.items()
        if isinstance(table, dict)
    }
    return Prices(lists=lists)
