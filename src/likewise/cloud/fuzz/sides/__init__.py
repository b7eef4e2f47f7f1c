"""Calls executed: one side after its protocol, both at once, what is made and removed there."""

from __future__ import annotations

from likewise.cloud.fuzz.calls import Side
from likewise.cloud.targets import Running
from likewise.model import ConfigurationError


def open_side(running: Running, service: str, *, timeout: float = 20.0) -> Side:
    """The side that executes a service's calls on a target that runs."""
    if service in ("s3", "dynamodb"):
        from likewise.cloud.fuzz.sides.aws import AwsSide

        return AwsSide(running, service, timeout=timeout)
    if service in ("blob", "queue", "table"):
        from likewise.cloud.fuzz.sides.azure import AzureSide

        return AzureSide(running, service, timeout=timeout)
    if service.startswith("openapi:"):
        from likewise.cloud.fuzz.sides.openapi import open_http

        return open_http(running, service, timeout=timeout)
    raise ConfigurationError(
        f"unknown service {service!r}", todo="Services are s3, dynamodb, blob, queue, table."
    )
