"""One HTTP request and its answer, as a recorder or a history file gives it."""

from __future__ import annotations

from dataclasses import dataclass, field

from likewise.cloud.sums import Sums

_GIVEN = ("x-ms-meta-", "x-amz-meta-")
"""What stands before names that users give their metadata."""


def header_name(name: str) -> str:
    """A header's name in lower case; the part of it that a user gave stays as it is, which clients see."""
    low = name.lower()
    if "-meta-" in low:
        for given in _GIVEN:
            if low.startswith(given):
                return given + name[len(given) :]
    return low


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One request and its answer, as captured: nothing is redacted or left out yet.

    Header names are as `header_name` has them. `status` is None where no answer came; `failure` then says
    why. `reason` is what the status line says beside the status, where the SDK shows that to its users.
    `signer` says whose keys signed it where they are not the suite's own.
    The hints are what the SDK knows: its operation name (`PutObject`) and our service name (`s3`).
    """

    method: str
    url: str
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    status: int | None = None
    reason: str = ""
    response_headers: dict[str, str] = field(default_factory=dict)
    response_body: bytes | None = None
    started: float = 0.0
    ended: float = 0.0
    lane: str = "main"
    operation_hint: str = ""
    service_hint: str = ""
    failure: str = ""
    signer: str = ""
    seen: tuple[str, ...] | None = None
    """The fields of the answer that the client asked for; None where that is not known."""
    retries: int = 0
    """How often it was sent again before this answer came, where the request does not say so itself."""
    sums: Sums | None = None
    """The checksums of what was sent, where it was too long to keep and `body` only describes it."""
