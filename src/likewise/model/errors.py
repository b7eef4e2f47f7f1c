"""Errors that say what, where, why and what to do, each with a slug to look it up by."""

from __future__ import annotations


class LikewiseError(Exception):
    """The base of everything Likewise raises on purpose."""

    slug = "likewise"

    def __init__(self, what: str, *, where: str = "", why: str = "", todo: str = "") -> None:
        self.what, self.where, self.why, self.todo = what, where, why, todo
        head = f"{where}: {what}" if where else what
        parts = [head.rstrip(".") + (f" ({why.rstrip('.')})" if why else "") + ".", todo, f"[{self.slug}]"]
        super().__init__(" ".join(part for part in parts if part))


class RecordingCorrupt(LikewiseError):
    """A recording holds something that is not one."""

    slug = "recording-corrupt"


class HistoryUnreadable(LikewiseError):
    """A history given to a simulation cannot be read."""

    slug = "history-unreadable"


class LedgerCorrupt(LikewiseError):
    """The ledger is not readable as one."""

    slug = "ledger-corrupt"


class FormatTooNew(LikewiseError):
    """A file was written by a newer version of Likewise."""

    slug = "format-too-new"


class StoreFull(LikewiseError):
    """The disk or the database took no more."""

    slug = "store-full"


class ConfigurationError(LikewiseError):
    """An option or a key in the configuration is wrong."""

    slug = "configuration"


class TargetUnavailable(LikewiseError):
    """A server cannot be started or reached."""

    slug = "target-unavailable"


class CredentialsMissing(LikewiseError):
    """The reference needs credentials that are absent, wrong or expired."""

    slug = "credentials"


class BudgetReached(LikewiseError):
    """The reference calls that the user allowed are used up."""

    slug = "budget-reached"


class ReplayImpossible(LikewiseError):
    """A recorded call cannot be repeated on the reference by itself."""

    slug = "replay-impossible"
