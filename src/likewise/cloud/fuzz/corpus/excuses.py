"""Why an answer that differs from a recorded one may say nothing about the candidate."""

from __future__ import annotations

import re

from likewise.cloud.fuzz.calls import THROTTLED, Answer
from likewise.cloud.fuzz.corpus.azure import is_unsigned
from likewise.cloud.fuzz.corpus.cases import Case, Recorded, Step
from likewise.cloud.fuzz.corpus.names import created
from likewise.cloud.fuzz.corpus.references import references
from likewise.cloud.fuzz.corpus.stage import Stage
from likewise.cloud.services.call import words

_READS = re.compile(
    r"(?:\w+\.)?(?:Get|Head|List|Describe|Query|Scan|Select|BatchGet|TransactGet|get_|list_|query_|find_|download"
    r"|peek_|walk_|exists)"
)
_REMOVES = re.compile(r"(?:\w+\.)?(?:Delete|Abort|Untag|Remove|delete_)")
_PARTLY = re.compile(
    r"^(?:\w+\.)?(?:Delete|Abort|Untag|delete_)|CreateMultipartUpload$|UploadPart|Acl$|Tagging$|Retention$|Hold$"
)
"""Calls that leave no whole item behind, unless they complete one."""
_VERB = re.compile(r"^(?:Get|Put|Head|List|Describe|Create|Update|Enable|Disable|Delete|Post)")
_ABSENT = re.compile(r"NoSuch|NotFound|NotExist|\b404\b")
_INSIDE = frozenset(
    {
        "ConditionalCheckFailedException",
        "ItemCollectionSizeLimitExceededException",
        "TransactionCanceledException",
    }
)
_OF_A_SCHEMA = re.compile(
    r"match the schema|Missing the key|Type mismatch for|specified index|missed key schema"
)
"""What DynamoDB says only of a table that it found: the codes, and the messages of its validation."""
_OF_SUMS = frozenset({"BadDigest", "Crc64Mismatch", "Md5Mismatch"})
_SUM = re.compile(r"md5|crc64|checksum", re.IGNORECASE)
_OF_PARTS = frozenset({"EntityTooSmall", "InvalidPart", "InvalidPartOrder"})
"""What S3 says of the parts that it was sent before."""
_MALFORMED = (400, 405, 411, 413, 414, 501)
"""Statuses of a request that nothing could make a good one."""
_MET = (304, 409, 412, 416)
"""Statuses of a condition, a conflict or a range: there was something to compare them with."""
_TAKEN = re.compile(r"AlreadyExists|AlreadyOwned|ResourceInUse|BeingDeleted")
_MISSING = (
    "FeatureNotSupported",
    "NotImplemented",
    "APINotImplemented",
    "UnknownOperation",
    "UnknownOperationException",
)
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
_SETTINGS = frozenset(
    {
        "AccountProblem",
        "AccountRequiresHttps",
        "EndpointUnsupportedAccountFeatures",
        "AllAccessDisabled",
        "KeyBasedAuthenticationNotPermitted",
        "NotSignedUp",
        "OptInRequired",
        "PublicAccessNotPermitted",
        "TooManyBuckets",
    }
)
"""What services say of an account, whatever is asked."""
_UNFIT = re.compile(r"NotSupportedForAccount(?:Type)?$")
"""What Azure says of a kind of account."""
_OWNED = re.compile(r"Expected(?:Source)?BucketOwner")
_AGED = frozenset({"ExpiredIteratorException", "RequestExpired", "TrimmedDataAccessException"})
"""What services say when too much time has passed."""
_BUSY = words(
    "ConditionalRequestConflict InternalError InternalServerError OperationAborted OperationTimedOut "
    "ReplicatedWriteConflictException RequestTimeout TransactionConflictException "
    "TransactionInProgressException"
)
_OVERLOADED = (500, 502, 503, 504)
"""What services say and answer when they have failed themselves, or have too much to do at once."""
_OF_THE_ACCOUNT = re.compile(r"tables can be|number of tables|limit of \d+ tables|per account|your account")
"""How DynamoDB says that a limit is one of the account, not of the request."""
_FORBIDS = re.compile(
    r"LegalHold|Retention|ObjectLock|ExpectedBucketOwner|ExpectedSourceBucketOwner|PublicAccessBlock"
    r"|OwnershipControls|\"Deny\"|\\\"Deny\\\"|SSECustomer|KMS"
)
"""What in a sequence can be the reason for a refused access."""

_OTHERS = re.compile(r"arn:aws[\w-]*:(?:sqs|sns|lambda|kms|iam|kinesis|firehose|logs|events):[^'\" ]*")


def is_read(step: Step) -> bool:
    """Whether a step changes nothing."""
    if step.wire is not None:
        takes = step.wire.path.endswith("/messages") and "peekonly=true" not in step.wire.query
        return step.wire.method in ("GET", "HEAD", "OPTIONS") and not takes
    return _READS.match(step.operation) is not None


def is_missing(answer: Answer) -> bool:
    """Whether the candidate says that it cannot do this at all."""
    return (answer.status or 0) >= 500 or answer.code in _MISSING


def is_unoffered(answer: Answer) -> bool:
    """Whether the candidate says so in words: a mere crash may come from what it was given."""
    return answer.status == 501 or answer.code in _MISSING


def excuse(stage: Stage, answer: Answer) -> str | None:
    """Why a different answer says nothing about the candidate; None where it does say something."""
    case, recorded = stage.case, stage.case.recorded
    if stage.doubts and not is_unoffered(answer):
        return stage.doubts[0]
    return (
        _without_state(case, recorded, answer)
        or _after_failure(stage, answer)
        or _after_removal(stage, answer)
        or _after_crash(stage, answer)
        or _without_checksum(case, recorded, answer)
        or _elsewhere(case, recorded, answer)
        or _with_other_services(case, recorded, answer)
    )


def coincidence(stage: Stage, answer: Answer) -> str | None:
    """Why an equal answer says nothing either: nobody noted the reason of a refusal, and the two differ."""
    if answer.success or stage.case.recorded.code:
        return None
    return _after_failure(stage, answer)


def _without_state(case: Case, recorded: Recorded, answer: Answer) -> str | None:
    """Something was there when the answer was recorded that the sequence does not make."""
    made = [name for step in case.steps if (name := created(case.service, step)) is not None]
    implies = recorded.success or recorded.code in _DENIED or _is_inside(case.service, recorded)
    unmade = not _uses(case, made) or (recorded.success and _is_unheard_of(case))
    if _is_absent(answer) and implies and unmade and not _is_absent_top(recorded):
        return f"what the last call needs is not made by the sequence (the candidate: {answer.summary()})"
    taken = recorded.code is not None and _TAKEN.search(recorded.code) is not None
    judged = created(case.service, case.last)
    if recorded.code == "BucketAlreadyExists" and judged is not None and made.count(judged) > 1:
        return f"{judged} was asked for by another account than made it, and the file holds none"
    if taken and answer.success and judged is not None and made.count(judged) == 1:
        if recorded.code == "BucketAlreadyExists":
            return None  # the names of all accounts are one namespace: to have none is a difference
        return (
            f"{judged} was there already when the answer was recorded; the sequence does not make it before"
        )
    return None


def _is_inside(service: str, recorded: Recorded) -> bool:
    """Whether a refusal is about something inside the whole: whoever misses that was not asked the same."""
    if service == "dynamodb":
        text = recorded.message if isinstance(recorded.message, str) else ""
        return recorded.code in _INSIDE or _OF_A_SCHEMA.search(text) is not None
    return recorded.status in _MET or _ABSENT.search(recorded.code or "") is not None


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
    """Whether the last call asks for something inside a resource that no write before it speaks of."""
    last = case.last
    name = last.params.get("Key" if case.service == "s3" else "blob")
    if last.wire is not None:
        name = last.wire.path.strip("/").partition("/")[2]
    if not isinstance(name, str) or not name or "${" in name or case.service not in ("s3", "blob"):
        return False
    alone = re.compile(rf"(?<![\w.-]){re.escape(name)}(?![\w-])")
    return not any(alone.search(_text(step)) for step in case.steps[:-1] if not is_read(step))


def _uses(case: Case, made: list[str]) -> bool:
    """Whether the last call speaks of something that was made, or of an answer to a call that does."""
    asked = [case.steps[number - 1] for number in references(case.last.params) if number < len(case.steps)]
    return any(name in _text(step) for step in (case.last, *asked) for name in made)


def _text(step: Step) -> str:
    return f"{step.params!r} {step.wire!r}"


def _after_failure(stage: Stage, answer: Answer) -> str | None:
    """An earlier call failed on the candidate, and the last one misses what it should have left."""
    case, last = stage.case, stage.case.last
    played = list(zip(case.steps[:-1], stage.answers, strict=False))
    for number, (step, said) in enumerate(played, start=1):
        if said.success or is_read(step) or step.recorded is not None or _REMOVES.match(step.operation):
            continue
        name = created(case.service, step)
        others = [each for each, answered in played if answered.success and not is_read(each)]
        if name is not None:
            is_cause = name in _text(last) and not any(created(case.service, each) == name for each in others)
        else:
            is_cause = (
                _is_absent(answer)
                and _is_about_the_same(step, last)
                and not any(
                    _is_about_the_same(each, last) and not _PARTLY.search(each.operation) for each in others
                )
            )
        if is_cause:
            return (
                f"call {number} ({step.operation}) failed on the candidate ({said.summary()}), and what the "
                f"last call needs is not there ({answer.summary()})"
            )
    return None


def _after_removal(stage: Stage, answer: Answer) -> str | None:
    """The reference missed what a call before had removed, and that call failed on the candidate."""
    case, recorded = stage.case, stage.case.recorded
    is_gone = recorded.status == 404 or _ABSENT.search(recorded.code or "") is not None
    if not answer.success or not is_gone:
        return None
    for number, (step, said) in enumerate(zip(case.steps[:-1], stage.answers, strict=False), start=1):
        if said.success or step.recorded is not None or not _REMOVES.match(step.operation):
            continue
        if _is_about_the_same(step, case.last):
            return (
                f"call {number} ({step.operation}) failed on the candidate ({said.summary()}), and what it "
                "should have removed is still there"
            )
    return None


def _after_crash(stage: Stage, answer: Answer) -> str | None:
    """An earlier call broke the candidate, and what it should have left may decide the last answer.

    Nobody noted what the reference said to that call. If it was refused, too, nothing is missing; so what
    is wrong with a request by itself is still a difference.
    """
    case = stage.case
    refusal = case.recorded.success is False
    if is_missing(answer) or (refusal and _is_about_the_request(case.service, case.recorded)):
        return None
    for number, (step, said) in enumerate(zip(case.steps[:-1], stage.answers, strict=False), start=1):
        if is_read(step) or step.recorded is not None or not is_missing(said):
            continue
        if _can_meet(step, case.last):
            return (
                f"call {number} ({step.operation}) could not be carried out on the candidate "
                f"({said.summary()}), and the answer may depend on what it should have left"
            )
    return None


def _is_about_the_request(service: str, recorded: Recorded) -> bool:
    """Whether a refusal names what is wrong with a request, whatever state it met."""
    if service == "dynamodb":
        return recorded.code == "ValidationException" and not _is_inside(service, recorded)
    return recorded.status in _MALFORMED and recorded.code not in _OF_PARTS


def _can_meet(step: Step, last: Step) -> bool:
    """Whether two calls are about one whole, and not about two different items in it."""
    tops = [_first(each, "Bucket", "TableName", "container", "queue", "table") for each in (step, last)]
    items = [_first(each, "Key", "blob", "name") for each in (step, last)]
    is_copied = str(tops[0]) in str(last.params.get("CopySource", ""))
    return is_copied or (tops[0] == tops[1] and (None in items or items[0] == items[1]))


def _is_about_the_same(step: Step, last: Step) -> bool:
    """Whether a call can have made what another one asks for: an item of that name, or that setting."""
    item, asked = (_first(each, "Key", "blob", "name") for each in (step, last))
    if item is not None:
        return item == asked or str(item) in str(last.params.get("CopySource", ""))
    top, needed = (
        _first(each, "Bucket", "TableName", "container", "queue", "table") for each in (step, last)
    )
    return asked is None and top == needed and _noun(step) == _noun(last)


def _first(step: Step, *names: str) -> object:
    return next((step.params[name] for name in names if step.params.get(name) is not None), None)


def _noun(step: Step) -> str:
    return _VERB.sub("", step.operation.rpartition(".")[2])


def _without_checksum(case: Case, recorded: Recorded, answer: Answer) -> str | None:
    """A checksum was sent that was wrong, and the file does not say which."""
    if not answer.success or recorded.code not in _OF_SUMS or _SUM.search(_text(case.last)):
        return None
    return f"{recorded.code} is about a checksum, and the file does not hold the one that was sent"


def _elsewhere(case: Case, recorded: Recorded, answer: Answer) -> str | None:
    """The answer came from the account, its settings or its region, which the file does not hold."""
    if recorded.status in _OVERLOADED or recorded.code in _BUSY or THROTTLED.search(recorded.code or ""):
        return f"{recorded.summary()} depends on how the service was doing, which the file does not hold"
    if recorded.code in _AGED:
        return f"{recorded.code} depends on how much time had passed, which the file does not hold"
    if recorded.status == 411 and answer.success:
        return f"{recorded.summary()} is said of a request without its length, and every client here sends it"
    said = str(recorded.message or "")
    limited = recorded.code == "LimitExceededException" and _OF_THE_ACCOUNT.search(said)
    if recorded.code in _SETTINGS or _UNFIT.search(recorded.code or "") or limited:
        return f"{recorded.code} depends on settings of the account, which the file does not hold"
    if recorded.code in _ELSEWHERE:
        return f"{recorded.code} depends on the region of the client, which the file does not hold"
    is_said = not case.last.identity.is_owner  # who asked
    if recorded.code in _CREDENTIALS and not is_said and not is_unsigned(case, case.last):
        return f"{recorded.code} depends on who asked, which the file does not hold"
    if not recorded.success and answer.success and "account settings" in case.note:
        return f"{recorded.summary()} depends on settings of the account, as the file's own note says"
    forbids = any(_FORBIDS.search(_text(step) + step.operation) for step in case.steps)
    if recorded.success and answer.code in _DENIED and _OWNED.search(_text(case.last)):
        return f"it names the account of the recording as the owner (the candidate: {answer.summary()})"
    if recorded.code in _DENIED and not forbids and not is_said:
        return f"{recorded.code} comes from the account: nothing in the sequence forbids the call"
    return None


def _with_other_services(case: Case, recorded: Recorded, answer: Answer) -> str | None:
    """Something of another service was there, which no sequence of this one can make."""
    if not recorded.success or answer.success or is_missing(answer):
        return None
    if answer.code.startswith("KMS."):
        return f"it needs a key of KMS, which the sequence does not make (the candidate: {answer.summary()})"
    found = _OTHERS.search(_text(case.last))
    if found is None:
        return None
    return f"it needs {found[0]}, which the sequence does not make (the candidate: {answer.summary()})"
