"""The `likewise` command."""

from likewise.cli.main import main

__all__ = ["main"]
