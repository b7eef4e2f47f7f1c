"""Sliced replay: recorded calls repeated on the reference."""

from likewise.cloud.replay.cleaning import CreatedLog
from likewise.cloud.replay.replayer import HttpReplayer

__all__ = ["CreatedLog", "HttpReplayer"]
