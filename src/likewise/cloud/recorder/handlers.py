"""Handlers of a suite's own to which botocore shows answers as they came: what they read, nobody is told."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import ModuleType
from typing import Any

from likewise.cloud.recorder.patches import Patches

_SHOWING = frozenset({"after-call", "before-parse", "needs-retry", "response-received"})
"""Events whose handlers are given the HTTP answer, parsed or not."""
_SDK = frozenset({"aioboto3", "aiobotocore", "boto3", "botocore", "likewise", "s3transfer"})
_SHOWS = "_likewise_shows"


def follow_handlers(module: ModuleType, patches: Patches, _: object) -> None:
    """Follow `botocore.hooks`: note at an emitter, and what is copied from it, that a stranger listens."""

    def make(inner: Any) -> Any:
        def register(emitter: Any, event_name: Any, handler: Any, *args: Any, **more: Any) -> Any:
            if _is_shown(str(event_name)) and _is_strange(handler):
                setattr(emitter, _SHOWS, True)
            return inner(emitter, event_name, handler, *args, **more)

        return register

    patches.replace(module.HierarchicalEmitter, "_register_section", make)


def shows(emitter: Any) -> bool:
    """Whether somebody outside the SDK may read the answers that this emitter's client gets."""
    return hasattr(getattr(emitter, "_emitter", emitter), _SHOWS)


def _is_shown(event: str) -> bool:
    return "*" in event or event.partition(".")[0] in _SHOWING


def _is_strange(handler: Callable[..., Any]) -> bool:
    while isinstance(handler, partial):
        handler = handler.func
    module = getattr(handler, "__module__", None) or type(handler).__module__
    return str(module).partition(".")[0] not in _SDK
