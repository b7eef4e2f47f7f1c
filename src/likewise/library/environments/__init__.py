"""Environments that differ in one package: built from the client's own requirements, or found."""

from likewise.library.environments.building import (
    Builder,
    Environment,
    also_changed,
    default_cache,
    existing,
    same_version,
)
from likewise.library.environments.installers import (
    InstallFailed,
    ResolutionImpossible,
    Source,
    VersionAbsent,
    choose,
)
from likewise.library.environments.names import (
    Distribution,
    InterpreterUnusable,
    Inventory,
    PackageAbsent,
    take_inventory,
)
from likewise.library.environments.recipe import Recipe, RequirementsUnclear, find_recipe, normal

__all__ = [
    "Builder",
    "Distribution",
    "Environment",
    "InstallFailed",
    "InterpreterUnusable",
    "Inventory",
    "PackageAbsent",
    "Recipe",
    "RequirementsUnclear",
    "ResolutionImpossible",
    "Source",
    "VersionAbsent",
    "also_changed",
    "choose",
    "default_cache",
    "existing",
    "find_recipe",
    "normal",
    "same_version",
    "take_inventory",
]
