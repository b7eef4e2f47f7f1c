"""boto3's resources: they go through every answer to turn what users have in a table into Python's types."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from likewise.cloud.marks import DATA
from likewise.cloud.recorder.looking import Observed
from likewise.cloud.recorder.patches import Patches

_TURNED = "AttributeValue"


def follow_resources(module: ModuleType, patches: Patches, _: object) -> None:
    """Follow `boto3.dynamodb.transform`: what is no data it only passes by, and uses nothing of it."""

    def make(inner: Any) -> Any:
        def transform(transformer: Any, params: Any, model: Any, transformation: Any, target: Any) -> Any:
            if not isinstance(params, Observed) or target != _TURNED:
                return inner(transformer, params, model, transformation, target)
            look = params._look
            seen = frozenset(look.names)
            result = inner(transformer, params, model, transformation, target)
            look.keep(seen | DATA)
            return result

        return transform

    patches.replace(module.ParameterTransformer, "transform", make)
