"""Regions of AWS: a suite has one of its own, and what it does in others happens elsewhere."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

from likewise.model import Effect, Resource, Touch

_SCOPE = re.compile(r"Credential=[^/,\s]+/\d{8}/([^/,\s]+)/")
ELSEWHERE = "@"
"""Begins the name of a region in the tree of resources."""


def default_region(environment: Mapping[str, str] | None = None) -> str:
    """The region of clients that name none: the same on every side, so that names mean the same there."""
    given = os.environ if environment is None else environment
    named = given.get("AWS_DEFAULT_REGION") or given.get("AWS_REGION")
    return named or _of_profile(given) or "us-east-1"


def _of_profile(environment: Mapping[str, str]) -> str:
    from configparser import ConfigParser, ParsingError  # most environments name a region

    profile = environment.get("AWS_PROFILE") or environment.get("AWS_DEFAULT_PROFILE")
    file = Path(environment.get("AWS_CONFIG_FILE") or "~/.aws/config")
    settings = ConfigParser(interpolation=None, strict=False)
    with suppress(OSError, RuntimeError, ParsingError, UnicodeDecodeError):  # SDKs will say so, if they mind
        settings.read_string(file.expanduser().read_text(encoding="utf-8"))
    section = f"profile {profile}" if profile else "default"
    return settings.get(section, "region", fallback="")


def signed_for(headers: Mapping[str, str], query: Mapping[str, str]) -> str:
    """The region that a request's signature is for, or nothing."""
    if found := _SCOPE.search(headers.get("authorization", "")):
        return found[1]
    scope = unquote(query.get("X-Amz-Credential", "")).split("/")
    return scope[2] if len(scope) == 5 else ""


def moved(touches: tuple[Touch, ...], region: str) -> tuple[Touch, ...]:
    """Touches as they are in another region: on a tree of its own, and not without effect on this one.

    Regions may replicate each other, so a call depends on what was done at home, and what it writes may
    show there.
    """
    return tuple(_moved(touches, region))


def _moved(touches: tuple[Touch, ...], region: str) -> Iterator[Touch]:
    for touch in touches:
        service, *below = touch.resource
        yield replace(touch, resource=(service, ELSEWHERE + region, *below))
        if touch.effect is Effect.READ:
            yield touch
        else:
            shown = _shown_at(touch.resource)
            yield Touch(resource=shown, effect=Effect.WRITE, timed=touch.timed, lasts=touch.lasts)


def _shown_at(resource: Resource) -> Resource:
    """Where at home it may show: an entry in a list of tables, a setting, an item, or anywhere in the table.

    An item with a single key has the same place everywhere; where one has two, a region in which nobody has
    described the table does not know them apart.
    """
    is_entry = len(resource) > 1 and resource[1].startswith("?")
    is_single = len(resource) == 3 and " " not in resource[2]
    return resource[: 3 if is_entry or is_single else 2]


def without_region(resource: Resource) -> Resource:
    """Where a resource would be at home."""
    return (resource[0], *resource[2:]) if _region(resource) else resource


def region_touched(touches: tuple[Touch, ...]) -> str:
    """The other region that touches were moved to, or nothing: some services have the same names in all."""
    return next((found for touch in touches if (found := _region(touch.resource))), "")


def _region(resource: Resource) -> str:
    is_elsewhere = len(resource) > 1 and resource[1].startswith(ELSEWHERE)
    return resource[1].removeprefix(ELSEWHERE) if is_elsewhere else ""
