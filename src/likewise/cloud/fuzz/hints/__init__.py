"""Where inference from the models is not enough: one small readable table per service."""

from __future__ import annotations

import importlib

from likewise.cloud.fuzz.grammar.hints import Hints

__all__ = ["Hints", "hints_of"]


def hints_of(service: str) -> Hints:
    """The table of a service; an empty one for services that have none."""
    if service.startswith("openapi:"):
        from likewise.cloud.fuzz.grammar.openapi import hints

        return hints(service)
    try:
        name = "table_service" if service == "table" else service
        module = importlib.import_module(f"likewise.cloud.fuzz.hints.{name}")
    except ModuleNotFoundError:
        return Hints()
    found = module.HINTS
    assert isinstance(found, Hints)
    return found
