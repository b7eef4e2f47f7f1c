"""Steps of S3 and DynamoDB cases on a candidate, through botocore without its own checks of values.

What was recorded reached the real service, so it has to reach the candidate, too, even where today's
SDK would hold it back.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from likewise.cloud.fuzz.calls import Answer, Call
from likewise.cloud.fuzz.corpus.arns import Arns
from likewise.cloud.fuzz.corpus.attributes import has_wire_bytes, plain, typed
from likewise.cloud.fuzz.corpus.cases import Case, Recorded, Step
from likewise.cloud.fuzz.corpus.checksums import Summing
from likewise.cloud.fuzz.corpus.excuses import is_read
from likewise.cloud.fuzz.corpus.issued import Issued
from likewise.cloud.fuzz.corpus.names import FreshNames, created
from likewise.cloud.fuzz.corpus.stage import Stage
from likewise.cloud.fuzz.corpus.values import (
    PAUSE,
    Moment,
    Unplayable,
    decode,
    put_references,
    time_of_recording,
)
from likewise.cloud.fuzz.corpus.vocabulary import STREAMS
from likewise.cloud.fuzz.sides.aws import AwsSide
from likewise.cloud.targets import Running

PATIENCE = 30.0
"""Seconds that a table may take to become active where the recording waited for that."""
REGIONAL = re.compile("IllegalLocationConstraint|region specific endpoint")
"""Says that the client was in a region of its own: from the first one, buckets can be made everywhere."""

_MISSING = re.compile("KeyError: '(\\w+)'")
"""How the SDK says that an address cannot be written without a parameter."""
UNREADABLE = "SerializationException"
"""What DynamoDB says of a request whose values have wrong types."""
OF_NAMES = frozenset({"AccessDeniedException", "ValidationException"})
"""What DynamoDB says where an ARN may be the reason: that one is sent as it is."""


class UncheckedSide(AwsSide):
    """A client that sends what it is given, if it can be written down at all."""

    def __init__(self, running: Running, service: str, *, timeout: float, region: str = "") -> None:
        super().__init__(running, service, timeout=timeout, region=region)
        from botocore.handlers import validate_bucket_name
        from botocore.serialize import create_serializer

        self._timeout = timeout
        self._elsewhere: dict[str, UncheckedSide] = {}
        model = self._client.meta.service_model
        protocol = getattr(model, "resolved_protocol", None) or model.metadata["protocol"]
        self._client._serializer = Summing(create_serializer(protocol, include_validation=False))
        self._client.meta.events.unregister("before-parameter-build.s3", validate_bucket_name)
        if service == "dynamodb":
            # It reads tables' names out of the parameters, and fails where they are not as they should be.
            self._client._ruleset_resolver = None

    @property
    def operations(self) -> frozenset[str]:
        """What the SDK can call."""
        own = frozenset(self._client.meta.service_model.operation_names)
        return own | self._streams.operations if self.service == "dynamodb" else own

    @cached_property
    def _streams(self) -> UncheckedSide:
        """The client for what DynamoDB has a service of its own."""
        region = self._client.meta.region_name
        return UncheckedSide(self.running, STREAMS, timeout=self._timeout, region=region)

    def in_region(self, region: str) -> UncheckedSide:
        """The same target called from another region."""
        if region not in self._elsewhere:
            self._elsewhere[region] = UncheckedSide(
                self.running, self.service, timeout=self._timeout, region=region
            )
        return self._elsewhere[region]

    def call(self, call: Call) -> Answer:
        """Execute one call; a DynamoDB request that the SDK cannot write is sent as the JSON it is."""
        if self.service == "dynamodb" and call.operation in self._streams.operations:
            before = self._streams.sent
            answer = self._streams.call(call)
            self.sent += self._streams.sent - before
            return answer
        if self.service == "dynamodb" and has_wire_bytes(call.params):
            return self._as_it_is(call)
        answer = super().call(call)
        if answer.refused and self.service == "dynamodb":
            return self._as_it_is(call)
        missing = _MISSING.fullmatch(answer.refused)
        return replace(answer, refused=f"it has no {missing[1]}") if missing else answer

    def _as_it_is(self, call: Call) -> Answer:
        """Let the SDK write an empty request, and put the parameters into it before it is signed."""
        body = json.dumps(call.params, default=plain).encode()

        def fill(request: Any, **_: object) -> None:
            request.data = body
            request.headers["Content-Length"] = str(len(body))

        events = self._client_of(call.identity).meta.events
        name = f"request-created.dynamodb.{call.operation}"
        events.register_first(name, fill)
        try:
            return super().call(replace(call, params={}))
        finally:
            events.unregister(name, fill)


def _location(params: Mapping[str, Any]) -> str:
    """The region in which a bucket is to be made, where the call names one."""
    asked = params.get("CreateBucketConfiguration")
    region = asked.get("LocationConstraint") if isinstance(asked, Mapping) else None
    return region if isinstance(region, str) else ""


def _region_other_than(params: Mapping[str, Any]) -> str:
    return "us-west-2" if _location(params) != "us-west-2" else "us-east-2"


class AwsStage(Stage):
    """Plays the steps of one case."""

    def __init__(self, side: UncheckedSide, case: Case) -> None:
        super().__init__(case)
        self._side = side
        self._names = FreshNames(case)
        self._waits = "wait for ACTIVE" in case.note or "waited for ACTIVE" in case.note
        self._issued, self._arns = Issued(), Arns()
        self._made: list[str] = []
        self._doubts: list[str] = []

    @property
    def texts(self) -> Mapping[str, str]:
        """Fresh names to recorded ones."""
        return self._names.recorded

    @property
    def doubts(self) -> tuple[str, ...]:
        """What may not mean what it meant in the recording."""
        return (*self._doubts, *self._issued.doubts)

    def send(self, step: Step, *, is_last: bool) -> Answer:
        """Play one step."""
        if step.operation not in self._side.operations:
            raise Unplayable(f"the SDK has no operation {step.operation}")
        recorded = self.case.recorded if is_last else step.recorded
        latest = time_of_recording(step.params, [each.params for each in self.case.steps], recorded)
        moment = Moment(recorded, latest)
        doubts = len(self._issued.doubts)
        params = self._params(step, recorded, moment)
        if moment.needs_pause:
            time.sleep(PAUSE)
            params = self._params(step, recorded, moment)
        if moment.has_moved and self.case.recorded.success and not is_last:
            self._doubts.append("something was kept until a time that may have passed before the answer")
        name = created(self.case.service, step)
        if name is not None:
            self._made.append(self._names.text(name))
        side = self._side
        said = self.case.recorded
        if is_last and REGIONAL.search(f"{said.code} {said.message}"):
            side = side.in_region(_region_other_than(params))
        elif is_last and said.code == "BucketAlreadyOwnedByYou" and _location(params):
            side = side.in_region(_location(params))  # only from the first region they can be made twice
        call = Call(
            service=self.case.service, operation=step.operation, params=params, identity=step.identity
        )
        answer = side.call(call)
        self._issued.note(params, answer)
        if not is_last and is_read(step):
            del self._issued.doubts[doubts:]  # whatever it read, the state is the same
        self._arns.note(answer)
        if not is_last:
            self._wait(step, params, answer)
        return answer

    def _params(self, step: Step, recorded: Recorded | None, moment: Moment) -> dict[str, Any]:
        params = decode(step.params, moment)
        kept = {key: params.pop(key) for key in ("Body",) if isinstance(params.get(key), str | bytes)}
        found: dict[str, Any] = put_references(self._names.value(params) | kept, self.answers)
        if not moment.is_refused:
            found = self._issued.put(found, was_accepted=moment.is_accepted)
        if self.case.service == "s3" or (recorded is not None and recorded.code == UNREADABLE):
            return found
        sent: dict[str, Any] = typed(found, was_accepted=not moment.is_refused)
        if recorded is None or recorded.code not in OF_NAMES:
            sent = self._arns.put(sent, is_unknown="NotFound" in ((recorded and recorded.code) or ""))
        return sent

    def _wait(self, step: Step, params: Mapping[str, Any], answer: Answer) -> None:
        """Let a table become active where the recording did: it asked for that, or its note says so."""
        asks = step.operation == "DescribeTable" or (step.operation == "CreateTable" and self._waits)
        table = params.get("TableName")
        if self.case.service != "dynamodb" or not asks or not answer.success or not isinstance(table, str):
            return
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            found = self._side.call(
                Call(service="dynamodb", operation="DescribeTable", params={"TableName": table})
            )
            status = found.fields.get("Table", {}).get("TableStatus") if found.success else None
            if status not in ("CREATING", "UPDATING"):
                return
            time.sleep(0.2)

    def clean(self) -> None:
        """Delete what the case made; what resists stays in the candidate under a name of its own."""
        for name in dict.fromkeys(self._made):
            if self.case.service == "dynamodb":
                self._ask("DeleteTable", TableName=name)
            else:
                self._empty(name)
                self._ask("DeleteBucket", Bucket=name)

    def _empty(self, bucket: str) -> None:
        uploads = self._ask("ListMultipartUploads", Bucket=bucket).fields.get("Uploads") or []
        for each in uploads:
            self._ask("AbortMultipartUpload", Bucket=bucket, Key=each["Key"], UploadId=each["UploadId"])
        listed = self._ask("ListObjectVersions", Bucket=bucket).fields
        for each in [*(listed.get("Versions") or []), *(listed.get("DeleteMarkers") or [])]:
            version = {"VersionId": each["VersionId"]} if each.get("VersionId") else {}
            gone = self._ask("DeleteObject", Bucket=bucket, Key=each["Key"], **version)
            if not gone.success:
                lifted = {"Bucket": bucket, "Key": each["Key"], **version}
                self._ask("PutObjectLegalHold", **lifted, LegalHold={"Status": "OFF"})
                self._ask("DeleteObject", **lifted, BypassGovernanceRetention=True)

    def _ask(self, operation: str, **params: Any) -> Answer:
        return self._side.call(Call(service=self.case.service, operation=operation, params=params))
