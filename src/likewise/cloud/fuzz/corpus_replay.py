"""Play the cases of a corpus on a candidate, each in a world of its own, and judge the answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Protocol

from likewise.cloud.fuzz.azure_side import AzureSide
from likewise.cloud.fuzz.calls import Answer
from likewise.cloud.fuzz.corpus import (
    Agrees,
    Case,
    Differs,
    NotComparable,
    Recorded,
    Step,
    Verdict,
    judge,
)
from likewise.cloud.fuzz.corpus_aws import AwsStage, UncheckedSide
from likewise.cloud.fuzz.corpus_azure import AzureStage, is_unsigned
from likewise.cloud.fuzz.corpus_methods import PublicMethods
from likewise.cloud.fuzz.corpus_names import created
from likewise.cloud.fuzz.corpus_recording import record
from likewise.cloud.fuzz.corpus_stage import Stage
from likewise.cloud.fuzz.corpus_traffic import Traffic, check_traffic
from likewise.cloud.fuzz.corpus_values import Unplayable
from likewise.cloud.targets import SERVICES, Running

TIMEOUT = 20.0
_READS = re.compile(
    r"(?:\w+\.)?(?:Get|Head|List|Describe|Query|Scan|Select|BatchGet|TransactGet|get_|list_|query_|find_|download)"
)
_ABSENT = re.compile(r"NoSuch|NotFound|NotExist|\b404\b")
_TAKEN = re.compile(r"AlreadyExists|AlreadyOwned|ResourceInUse|BeingDeleted")
_MISSING = ("NotImplemented", "APINotImplemented", "UnknownOperation", "UnknownOperationException")
_DENIED = frozenset(
    {"AccessDenied", "AccessDeniedException", "UnauthorizedOperation", "AuthorizationFailure", "403"}
)
_ELSEWHERE = frozenset(
    {
        "PermanentRedirect",
        "TemporaryRedirect",
        "AuthorizationHeaderMalformed",
        "301",
        "307",
    }
)
_CREDENTIALS = frozenset(
    {
        "AccountIsDisabled",
        "AuthenticationFailed",
        "AuthorizationPermissionMismatch",
        "ExpiredToken",
        "ExpiredTokenException",
        "IncompleteSignature",
        "IncompleteSignatureException",
        "InsufficientAccountPermissions",
        "InvalidAccessKeyId",
        "InvalidAuthenticationInfo",
        "InvalidClientTokenId",
        "InvalidSignatureException",
        "InvalidToken",
        "MissingAuthenticationToken",
        "MissingAuthenticationTokenException",
        "NoAuthenticationInformation",
        "RequestTimeTooSkewed",
        "SignatureDoesNotMatch",
        "UnrecognizedClientException",
    }
)
"""What services say to somebody whose name or signature is wrong."""
_FORBIDS = re.compile(
    r"LegalHold|Retention|ObjectLock|ExpectedBucketOwner|ExpectedSourceBucketOwner|PublicAccessBlock"
    r"|OwnershipControls|\"Deny\"|\\\"Deny\\\"|SSECustomer|KMS"
)
"""What in a sequence can be the reason for a refused access."""

_OTHERS = re.compile(r"arn:aws[\w-]*:(?:sqs|sns|lambda|kms|iam|kinesis|firehose|logs|events):[^'\" ]*")

MakeStage = Callable[[Case], Stage]


class Counted(Protocol):
    """Whatever counts the requests that it sends."""

    @property
    def sent(self) -> int:
        """Requests so far."""
        ...


class Player:
    """Plays cases on the targets that the user named, each on the first that has its service."""

    def __init__(self, running: Iterable[Running], *, timeout: float = TIMEOUT) -> None:
        self._running = tuple(running)
        self._timeout = timeout
        self._makers: dict[str, MakeStage | None] = {}
        self._counted: list[Counted] = []

    @property
    def sent(self) -> int:
        """Requests that left for the targets."""
        return sum(each.sent for each in self._counted)

    def verdicts(self, entries: Iterable[Case | Traffic]) -> Iterator[Verdict]:
        """One verdict a case, in order; recorded traffic has one for each of its calls."""
        for entry in entries:
            if isinstance(entry, Traffic):
                yield from check_traffic(entry, self._by_service())
            else:
                yield self.verdict(entry)

    def record(self, case: Case) -> Case | NotComparable:
        """Play one case for its answers; see `likewise.cloud.fuzz.corpus_recording`."""
        maker = self._maker(case.service)
        if maker is None or not case.steps:
            return NotComparable(case=case.id, reason=f"the reference has no {case.service}")
        return record(maker(case), reference=", ".join(str(each.target) for each in self._running))

    def _by_service(self) -> dict[str, Running]:
        return {
            service: running
            for running in reversed(self._running)
            for service in SERVICES
            if running.endpoint(service) is not None or running.real
        }

    def is_alive(self) -> bool:
        """Whether every target can still be called."""
        return all(running.is_alive() for running in self._running)

    def verdict(self, case: Case) -> Verdict:
        """Play one case."""
        if case.unreadable:
            return NotComparable(case=case.id, reason=f"the file has no case there: {case.unreadable}")
        if case.recorded.success is None:
            return NotComparable(case=case.id, reason="the file does not say what the reference answered")
        if not case.steps:
            return NotComparable(case=case.id, reason="the file has no calls for it")
        maker = self._maker(case.service)
        if maker is None:
            return NotComparable(case=case.id, reason=f"the candidate has no {case.service}")
        stage = maker(case)
        try:
            return play(stage)
        finally:
            with suppress(Unplayable):
                stage.clean()

    def _maker(self, service: str) -> MakeStage | None:
        if service not in self._makers:
            self._makers[service] = self._make(service)
        return self._makers[service]

    def _make(self, service: str) -> MakeStage | None:
        for running in self._running:
            if running.endpoint(service) is None and not running.real:
                continue
            if service in ("s3", "dynamodb"):
                side = UncheckedSide(running, service, timeout=self._timeout)
                self._counted.append(side)
                return lambda case: AwsStage(side, case)
            if service in ("blob", "queue", "table"):
                azure = AzureSide(running, service, timeout=self._timeout)
                methods = PublicMethods(running, service, timeout=self._timeout)
                self._counted += [azure, methods]
                return lambda case: AzureStage(azure, methods, case)
        return None


def play(stage: Stage) -> Verdict:
    """Play the steps of a case and judge the answer to the last."""
    case = stage.case
    for number, step in enumerate(case.steps, start=1):
        is_last = number == len(case.steps)
        try:
            answer = stage.send(step, is_last=is_last)
        except Unplayable as error:
            where = "" if is_last else f"call {number} ({step.operation}): "
            return NotComparable(case=case.id, reason=f"{where}{error}")
        stage.answers.append(answer)
        if not is_last and (trouble := _trouble(step, answer)):
            return NotComparable(case=case.id, reason=f"call {number} ({step.operation}) {trouble}")
    return _judged(stage)


def _judged(stage: Stage) -> Verdict:
    case, answer = stage.case, stage.answers[-1]
    if answer.refused:
        return NotComparable(case=case.id, reason=f"the SDK did not send it: {answer.refused}")
    if answer.silence:
        return NotComparable(case=case.id, reason=f"the candidate gave no answer ({answer.silence})")
    found = judge(case, answer, texts=stage.texts)
    if isinstance(found, Agrees):
        return found
    excuse = _excuse(stage, answer)
    return found if excuse is None else NotComparable(case=case.id, reason=excuse)


def _trouble(step: Step, answer: Answer) -> str | None:
    """Why the state after a step is not the recorded one; None where nothing speaks against it."""
    if answer.refused:
        return f"was not sent by the SDK: {answer.refused}"
    if answer.silence:
        return f"got no answer from the candidate ({answer.silence})"
    if _is_read(step):
        return None  # nothing was changed by it on either side
    if step.recorded is not None and step.recorded.success is not None:
        said = step.recorded
        if said.success != answer.success:
            return (
                f"already went another way, so the states differ: the reference says {said.summary()}, "
                f"the candidate {answer.summary()}"
            )
        return None
    # A refusal to do what nobody offers (501) is the real services' own; whatever it left is seen at the end.
    if _is_missing(answer) and answer.code != "NotImplemented":
        return f"could not be carried out on the candidate: {answer.summary()}"
    return None


def _is_read(step: Step) -> bool:
    if step.wire is not None:
        return step.wire.method in ("GET", "HEAD", "OPTIONS")
    return _READS.match(step.operation) is not None


def _is_missing(answer: Answer) -> bool:
    """Whether the candidate says that it cannot do this at all."""
    return (answer.status or 0) >= 500 or answer.code in _MISSING


def _excuse(stage: Stage, answer: Answer) -> str | None:
    """Why a different answer says nothing about the candidate; None where it does say something."""
    case, recorded = stage.case, stage.case.recorded
    if stage.doubts and not _is_missing(answer):
        return stage.doubts[0]
    return (
        _without_state(case, recorded, answer)
        or _after_failure(stage, answer)
        or _elsewhere(case, recorded, answer)
        or _with_other_services(case, recorded, answer)
    )


def _without_state(case: Case, recorded: Recorded, answer: Answer) -> str | None:
    """Something was there when the answer was recorded that the sequence does not make."""
    made = [name for step in case.steps if (name := created(case.service, step)) is not None]
    implies = recorded.success or _ABSENT.search(recorded.code or "") is not None
    unmade = not _uses(case, made) or (recorded.success and _is_unheard_of(case))
    if _is_absent(answer) and implies and unmade and not _is_absent_top(recorded):
        return f"what the last call needs is not made by the sequence (the candidate: {answer.summary()})"
    taken = recorded.code is not None and _TAKEN.search(recorded.code) is not None
    judged = created(case.service, case.last)
    if taken and answer.success and judged is not None and made.count(judged) == 1:
        if recorded.code == "BucketAlreadyExists":
            return (
                None  # the names of all accounts are one namespace: that a candidate has none is a difference
            )
        return (
            f"{judged} was there already when the answer was recorded; the sequence does not make it before"
        )
    return None


def _is_absent(answer: Answer) -> bool:
    return not answer.success and (answer.status == 404 or _ABSENT.search(answer.code) is not None)


def _is_absent_top(recorded: Recorded) -> bool:
    """Whether the reference itself missed the top-level resource."""
    return recorded.code in (
        "NoSuchBucket",
        "ResourceNotFoundException",
        "TableNotFoundException",
        "ContainerNotFound",
        "QueueNotFound",
        "TableNotFound",
    )


def _is_unheard_of(case: Case) -> bool:
    """Whether the last call asks for something inside a resource that no call before it speaks of."""
    last = case.last
    name = last.params.get("Key" if case.service == "s3" else "blob")
    if last.wire is not None:
        name = last.wire.path.strip("/").partition("/")[2]
    if not isinstance(name, str) or not name or "${" in name or case.service not in ("s3", "blob"):
        return False
    return not any(name in _text(step) for step in case.steps[:-1])


def _uses(case: Case, made: list[str]) -> bool:
    text = _text(case.last)
    return any(name in text for name in made)


def _text(step: Step) -> str:
    return f"{step.params!r} {step.wire!r}"


def _after_failure(stage: Stage, answer: Answer) -> str | None:
    """An earlier call failed on the candidate, and the last one misses what it should have left."""
    for number, (step, said) in enumerate(zip(stage.case.steps[:-1], stage.answers, strict=False), start=1):
        if said.success or _is_read(step) or step.recorded is not None:
            continue
        name = created(stage.case.service, step)
        if (name is not None and name in _text(stage.case.last)) or _is_absent(answer):
            return (
                f"call {number} ({step.operation}) failed on the candidate ({said.summary()}), and what the "
                f"last call needs is not there ({answer.summary()})"
            )
    return None


def _elsewhere(case: Case, recorded: Recorded, answer: Answer) -> str | None:
    """The answer came from the account, its settings or its region, which the file does not hold."""
    if recorded.code in _ELSEWHERE:
        return f"{recorded.code} depends on the region of the client, which the file does not hold"
    if recorded.code in _CREDENTIALS and not is_unsigned(case, case.last):
        return f"{recorded.code} depends on who asked, which the file does not hold"
    if recorded.code in _DENIED and answer.success:
        if "account settings" in case.note:
            return f"{recorded.code} depends on settings of the account, as the file's own note says"
        if not any(_FORBIDS.search(_text(step) + step.operation) for step in case.steps):
            return f"{recorded.code} comes from the account: nothing in the sequence forbids the call"
    return None


def _with_other_services(case: Case, recorded: Recorded, answer: Answer) -> str | None:
    """Something of another service was there, which no sequence of this one can make."""
    found = _OTHERS.search(_text(case.last))
    if not recorded.success or answer.success or _is_missing(answer) or found is None:
        return None
    return f"it needs {found[0]}, which the sequence does not make (the candidate: {answer.summary()})"


__all__ = ["Agrees", "Differs", "NotComparable", "Player", "play"]
