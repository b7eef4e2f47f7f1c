"""An object store in memory behind the fuzzer's seam: fast, exact, and as bad as a test wants it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from likewise.cloud.fuzz.calls import Answer, Call, Side
from likewise.cloud.fuzz.campaign import Campaign
from likewise.cloud.fuzz.differences.judging import Judge
from likewise.cloud.fuzz.grammar import load
from likewise.cloud.fuzz.hints import hints_of
from likewise.cloud.fuzz.inquiry.inquiry import Inquiry
from likewise.cloud.fuzz.planning.plans import Planner
from likewise.cloud.fuzz.sides.execution import Keeper, Lane, Meter
from likewise.cloud.fuzz.sides.pairing import Pair
from likewise.cloud.fuzz.tasks.cases import Cases

OPERATIONS = (
    "CreateBucket",
    "DeleteBucket",
    "DeleteObject",
    "GetObject",
    "HeadBucket",
    "ListBuckets",
    "ListObjectsV2",
    "PutObject",
)
Trick = Callable[[Call, int, "FakeSide"], Answer | None]
"""What a test does instead of, or before, the honest answer; it is given the number of the call."""


class Nowhere:
    """A target without an address."""

    real = False

    def __init__(self, name: str = "fake") -> None:
        self.target = name

    def endpoint(self, service: str) -> str:
        return f"http://{self.target}.test:1"

    def is_alive(self) -> bool:
        return True


class FakeSide(Side):
    """Buckets and objects, nothing else; everything else is not implemented."""

    def __init__(self, trick: Trick | None = None, name: str = "fake") -> None:
        super().__init__(Nowhere(name), "s3")  # type: ignore[arg-type]
        self.buckets: dict[str, dict[str, Any]] = {}
        self.trick = trick

    def call(self, call: Call) -> Answer:
        self.sent += 1
        if self.trick is not None and (answer := self.trick(call, self.sent, self)) is not None:
            return answer
        return self.honest(call)

    def honest(self, call: Call) -> Answer:
        """What a right server says."""
        bucket, key = str(call.params.get("Bucket", "")), str(call.params.get("Key", ""))
        if call.operation == "ListBuckets":
            return _ok(Buckets=[{"Name": each} for each in sorted(self.buckets)])
        if call.operation == "CreateBucket":
            if bucket in self.buckets:
                return _no(409, "BucketAlreadyOwnedByYou")
            self.buckets[bucket] = {}
            return _ok(Location=f"/{bucket}")
        if bucket not in self.buckets:
            return _no(404, "NoSuchBucket")
        objects = self.buckets[bucket]
        match call.operation:
            case "HeadBucket":
                return _ok()
            case "DeleteBucket":
                if objects:
                    return _no(409, "BucketNotEmpty")
                del self.buckets[bucket]
                return _ok()
            case "PutObject":
                objects[key] = call.params.get("Body", b"")
                return _ok(ETag=str(hash(objects[key])))
            case "DeleteObject":
                objects.pop(key, None)
                return _ok()
            case "GetObject":
                return _ok(Body=str(objects[key])) if key in objects else _no(404, "NoSuchKey")
            case "ListObjectsV2" | "ListObjectVersions":
                name = "Contents" if call.operation == "ListObjectsV2" else "Versions"
                return _ok(**{name: [{"Key": each} for each in sorted(objects)]})
        return _no(501, "NotImplemented")


def _ok(**fields: Any) -> Answer:
    return Answer(success=True, status=200, fields=fields)


def _no(status: int, code: str, message: str = "") -> Answer:
    return Answer(success=False, status=status, code=code, message=message or code)


failure, success = _no, _ok


def campaign(
    reference: FakeSide,
    candidate: FakeSide,
    *,
    budget: int | None = 600,
    keeper: Keeper | None = None,
    operations: tuple[str, ...] = OPERATIONS,
    done: frozenset[str] = frozenset(),
) -> Campaign:
    """A campaign of two fakes."""
    planner = Planner(load("s3"), hints_of("s3"))
    lanes = [Lane(reference, tag="r", run="fuzzy"), Lane(candidate, tag="c", run="fuzzy")]
    lanes[0].meter = Meter(budget, reserve=16 if keeper is not None else 0)
    lanes[0].keeper = keeper
    pair = Pair(*lanes)
    judge = Judge((lanes[0].pattern, lanes[1].pattern), (lanes[0].endpoint, lanes[1].endpoint))
    inquiry = Inquiry(pair, judge, planner)
    return Campaign(cases=Cases(planner, 1, operations), pair=pair, inquiry=inquiry, done=done, walks=5)
