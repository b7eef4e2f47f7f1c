"""A corpus: calls with what the real service answered, and the verdict on a candidate's answer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from likewise.cloud.fuzz.calls import Answer
from likewise.cloud.fuzz.identities import OWNER, Identity
from likewise.model import Implication, LikewiseError

SERVICES = {
    "aws-s3": "s3",
    "amazon-s3": "s3",
    "aws-dynamodb": "dynamodb",
    "ddb": "dynamodb",
    "amazon-dynamodb": "dynamodb",
    "azure-blob": "blob",
    "azure-blob-storage": "blob",
    "azure-storage-blob": "blob",
    "azure-queue": "queue",
    "azure-queue-storage": "queue",
    "azure-storage-queue": "queue",
    "azure-table": "table",
    "azure-table-storage": "table",
    "azure-tables": "table",
    "azure-data-tables": "table",
}
"""Other people's words for our services."""

FAILURES = range(300, 600)
"""The SDKs raise for these; 304 says that a condition was not met."""


_PHRASES = {
    304: ("304", "NotModified"),
    400: ("400", "BadRequest"),
    403: ("403", "Forbidden", "AccessDenied"),
    404: ("404", "NotFound", "NoSuchKey", "NoSuchBucket", "NoSuchVersion"),
    405: ("405", "MethodNotAllowed"),
    412: ("412", "PreconditionFailed"),
    416: ("416", "RequestedRangeNotSatisfiable", "InvalidRange"),
}
"""What SDKs call an answer that is only a status."""


class CorpusUnreadable(LikewiseError):
    """A file is not a corpus, or holds something that is not a case."""

    slug = "corpus-unreadable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wire:
    """The request as it was recorded below the SDK, where the source has it."""

    method: str
    path: str
    query: str = ""
    version: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """What the reference answered, as far as the source says: None is not recorded.

    `message` is a text, or `{"regex": …}` or `{"all_of": […]}` where the source asserts only that.
    """

    ok: bool | None = None
    status: int | None = None
    code: str | None = None
    message: Any = None

    @property
    def success(self) -> bool | None:
        """Whether the reference accepted the call; None where the source does not tell."""
        if self.ok is not None:
            return self.ok
        if self.status is not None:
            return self.status not in FAILURES
        return False if self.code else None

    def summary(self) -> str:
        """The recorded answer in a few words."""
        if self.success:
            return f"success ({self.status})" if self.status is not None else "success"
        parts = [str(self.status) if self.status is not None else "", self.code or ""]
        return " ".join(part for part in parts if part) or "failure"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One call of a case; `recorded` is None where nobody noted what the reference said to it."""

    operation: str
    params: Mapping[str, Any] = field(default_factory=dict)
    wire: Wire | None = None
    recorded: Recorded | None = None
    identity: Identity = OWNER

    @property
    def headers(self) -> dict[str, str]:
        """The headers of a recorded request, their names in small letters."""
        given = self.params.get("headers")
        if not isinstance(given, Mapping):
            return {}
        return {str(name).lower(): str(value) for name, value in given.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A sequence and the reference's answer to its last call."""

    id: str
    service: str
    steps: tuple[Step, ...]
    recorded: Recorded
    note: str = ""
    source: str = ""
    reference: str = ""
    unreadable: str = ""
    """Why nothing can be made of what the file has for it."""

    @property
    def last(self) -> Step:
        """The call that is judged."""
        return self.steps[-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Agrees:
    """The candidate answered as the reference did, in all that was recorded."""

    case: str
    reason: str
    message_differs: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Differs:
    """The candidate answered otherwise."""

    case: str
    reason: str
    implication: Implication
    message_differs: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NotComparable:
    """The candidate's answer would say nothing: why."""

    case: str
    reason: str
    is_silent: bool = False
    """Whether that is because none came: the candidate may have ended."""


Verdict = Agrees | Differs | NotComparable


def judge(case: Case, answer: Answer, *, texts: Mapping[str, str] | None = None) -> Agrees | Differs:
    """Compare success, status and error code where they were recorded; the message apart.

    `texts` are the names that the replay used instead of the recorded ones: fresh to recorded.
    """
    recorded = case.recorded
    if _has_no_words(case, answer) and recorded.code in _PHRASES.get(answer.status or 0, ()):
        recorded = replace(recorded, code=answer.code)
    message_differs = not same_message(recorded.message, answer.message, texts or {})
    both = f"the reference says {recorded.summary()}, the candidate {answer.summary()}"
    if not _differences(recorded, answer):
        alike = recorded.summary() == answer.summary()
        reason = f"both: {recorded.summary()}" + ("" if alike else f" (the candidate: {answer.summary()})")
        return Agrees(case=case.id, reason=reason, message_differs=message_differs)
    return Differs(
        case=case.id,
        reason=f"{', '.join(_differences(recorded, answer))}: {both}",
        implication=_implication(recorded, answer),
        message_differs=message_differs,
    )


def _has_no_words(case: Case, answer: Answer) -> bool:
    """Whether a refusal came without a body: S3's SDKs each make up a code of their own then."""
    return case.service == "s3" and (answer.status == 304 or case.last.operation.startswith("Head"))


def _differences(recorded: Recorded, answer: Answer) -> list[str]:
    found = []
    same_status = recorded.status is not None and recorded.status == answer.status
    if recorded.success is not None and recorded.success != answer.success and not same_status:
        found.append("success")
    if recorded.status is not None and not same_status:
        found.append("status")
    if recorded.code and recorded.code != answer.code:
        found.append("error code")
    return found


def _implication(recorded: Recorded, answer: Answer) -> Implication:
    return Implication.between(reference=recorded.success is not False, candidate=answer.success)


_PLACEHOLDER = re.compile(r"<[^<>\s]+:\d+>|<[a-z][a-z0-9_-]*>")
_PLACE = re.compile(r"(arn:[^:\s]+:[\w-]+):[^:\s]*:[^:\s]*:")
"""The region and the account of a name, which are whoever's asked."""
_REQUEST = re.compile(r"\s*RequestId:.*", re.DOTALL)


def same_message(recorded: Any, message: str, texts: Mapping[str, str]) -> bool:
    """Whether a candidate's message says what was recorded; one that was not recorded never differs."""
    if recorded is None:
        return True
    for fresh, name in texts.items():
        message = message.replace(fresh, name)
    if isinstance(recorded, Mapping):
        return _asserted(recorded, message)
    text, said = (_PLACE.sub(r"\1:::", _REQUEST.sub("", each).strip()) for each in (str(recorded), message))
    pieces = [re.escape(piece) for piece in _PLACEHOLDER.split(text)]
    return re.fullmatch(".*".join(pieces), said, re.DOTALL) is not None


def _asserted(assertion: Mapping[str, Any], message: str) -> bool:
    parts = assertion.get("all_of")
    if isinstance(parts, list) and not all(str(part) in message for part in parts):
        return False
    pattern = assertion.get("regex")
    if isinstance(pattern, str):
        try:
            return re.search(pattern, message) is not None
        except re.error:
            return False
    return True
