"""Reproducers: a finding as a short script with the plain SDK, and as a pytest file."""

from __future__ import annotations

import pprint
import re
from collections.abc import Mapping
from typing import Any

from likewise.cloud.fuzz.calls import Name, Ref, Text, placeholders
from likewise.cloud.fuzz.catalogue.callers import client, connecting
from likewise.cloud.fuzz.findings import Finding
from likewise.cloud.fuzz.names import KINDS
from likewise.cloud.fuzz.sides.contexts import INSIDE, LETTERS

STEM = "likewise"
"""How the names in examples begin."""

HEAD = '''"""{title}

{story}

Run it with the addresses of the two servers, as http://KEY:SECRET@HOST:PORT where one asks for keys:

    python {file} REFERENCE_URL CANDIDATE_URL
"""

import re
import sys
import uuid
from datetime import datetime, timedelta, timezone

UTC = timezone.utc

'''

AWS = """import time
from urllib.parse import urlsplit

import botocore.session
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError


def connect(url):
    options = {{"s3": {{"addressing_style": "path"}}, "inject_host_prefix": False}}
    keys = urlsplit(url)
    return botocore.session.Session().create_client(
        "{service}",
        endpoint_url=plain(url),
        region_name="us-east-1",
        aws_access_key_id=keys.username or "testing",
        aws_secret_access_key=keys.password or "testing",
        config=Config(retries={{"total_max_attempts": 1}}, **options),
    )


def ask(client, operation, params):
    try:
        answer = client._make_api_call(operation, params)
    except ClientError as error:
        status = error.response.get("ResponseMetadata", {{}}).get("HTTPStatusCode")
        found = error.response.get("Error", {{}})
        return {{"ok": False, "status": status, "code": found.get("Code"), "message": found.get("Message")}}
    except BotoCoreError as error:
        return {{"ok": False, "silence": type(error).__name__}}
    status = answer.pop("ResponseMetadata", {{}}).get("HTTPStatusCode")
    if "Body" in answer:
        answer["Body"] = answer["Body"].read()
{settled}    return {{"ok": True, "status": status, "fields": answer}}
"""

SETTLED = """    table = answer.get("TableDescription", {})
    for pause in [0.05] * 10 + [0.5] * 40:  # every client must wait for a table
        if not str(table.get("TableStatus", "")).endswith("ING"):
            break
        time.sleep(pause)
        try:
            table = client._make_api_call("DescribeTable", {"TableName": table["TableName"]})["Table"]
        except (BotoCoreError, ClientError):
            break
"""

AZURE = """from likewise.cloud import targets
from likewise.cloud.fuzz.calls import Call
from likewise.cloud.fuzz.identities import identity_of
from likewise.cloud.fuzz.sides import open_side
from likewise.model import Role


def connect(url):
    # The generated requests of the Azure SDK, sent through the public client's own pipeline.
    spec = targets.find("{service}+" + url)
    return open_side(targets.start(spec, role=Role.CANDIDATE), "{service}")


def ask(side, operation, params, by=None):
    identity = identity_of(by)
    answer = side.call(Call(service="{service}", operation=operation, params=params, identity=identity))
    if not answer.success:
        return {{"ok": False, "status": answer.status, "code": answer.code, "message": answer.message}}
    return {{"ok": True, "status": answer.status, "fields": dict(answer.fields)}}
"""

OPENAPI = """from likewise.cloud.fuzz.calls import Call
from likewise.cloud.fuzz.sides.openapi import connect as open_http


def connect(url):
    return open_http("{service}", url)


def ask(side, operation, params):
    answer = side.call(Call(service="{service}", operation=operation, params=params))
    if not answer.success:
        return {{"ok": False, "status": answer.status, "code": answer.code, "message": answer.message}}
    return {{"ok": True, "status": answer.status, "fields": dict(answer.fields)}}
"""

TAIL = '''

def plain(url):
    """An address without the keys in it."""
    return re.sub("//[^/@]*@", "//", url)


def give(answers, call, *path):
    """What an earlier answer gave."""
    if not answers[call]["ok"]:
        raise LookupError(f"call {{call}} was to succeed: {{answers[call]}}")
    found = answers[call]["fields"]
    for step in path:
        found = found[step]
    return found


def sequence(client, url, mark):
    """The calls, on names that nobody has used before; the last answer is the one that differs."""
    answers = []
{steps}
    return answers[-1]


def presence(value):
    """Whether a place has anything, or a structure with nothing in it."""
    return "absent" if value is None else "empty" if value == {{}} else "there"


def at(answer, place, mark):
    """What an answer has at a place, [] being every item of a list and * every key; None where nothing is."""
    found = [answer.get("fields")]
    for step in re.findall(r"[^.\\[\\]]+|\\[\\]", place):
        inner = []
        for each in found:
            if step == "[]":
                inner += each if isinstance(each, list) else [None]
            elif step == "*":
                inner += each.values() if isinstance(each, dict) else [None]
            else:
                inner.append(each.get(step) if isinstance(each, dict) else None)
        found = inner
    return [unmarked(each, mark) for each in found]


def unmarked(value, mark):
    """A value without what is in the names of this run only."""
    if isinstance(value, str):
        return value.replace(f"lw{{mark}}", "lw")
    if isinstance(value, datetime) and value.tzinfo and abs(datetime.now(UTC) - value) < timedelta(hours=1):
        return "now"
    if isinstance(value, dict):
        return {{unmarked(key, mark): unmarked(inner, mark) for key, inner in value.items()}}
    return [unmarked(inner, mark) for inner in value] if isinstance(value, list) else value


def main():
    for side, url in zip(("reference", "candidate"), sys.argv[1:3]):
        print(f"{{side}}: {{sequence(connect(url), url, uuid.uuid4().hex[:10])}}")


if __name__ == "__main__":
    main()
'''

TEST = '''"""{title}"""

import os
import re
import uuid

import pytest

from {module} import at, connect, presence, sequence, unmarked

REFERENCE, CANDIDATE = os.environ.get("REFERENCE_URL"), os.environ.get("CANDIDATE_URL")


def look(url):
    mark = uuid.uuid4().hex[:10]
    answer = sequence(connect(url), url, mark)
    return {look}


@pytest.mark.skipif(not (REFERENCE and CANDIDATE), reason="set REFERENCE_URL and CANDIDATE_URL")
def test_{name}():
    """{story}"""
    assert look(REFERENCE) == look(CANDIDATE)
'''

LOOKS = {
    "success": 'answer["ok"]',
    "status": 'answer["status"]',
    "error code": '(answer.get("status"), answer.get("code"))',
    "message": 'unmarked(answer.get("message"), mark)',
    "missing": "[presence(each) for each in at(answer, {place!r}, mark)]",
    "extra": "[presence(each) for each in at(answer, {place!r}, mark)]",
    "type": "[type(each).__name__ for each in at(answer, {place!r}, mark)]",
    "length": "[len(each) for each in at(answer, {place!r}, mark) if each is not None]",
    "order": 're.findall(r"lw\\w+", str(at(answer, {place!r}, mark)))',
    "value": "at(answer, {place!r}, mark)",
    "silence": 'answer.get("silence")',
}
"""What a test compares, by the kind of a finding; other kinds compare whole answers."""


def script(finding: Finding) -> str:
    """A short runnable script that shows a finding with the plain SDK."""
    aws = finding.service in ("s3", "dynamodb")
    head = HEAD.format(title=title(finding), story=story(finding), file=f"{file_name(finding)}.py")
    form = AWS if aws else OPENAPI if finding.service.startswith("openapi:") else AZURE
    body = form.format(service=finding.service, settled=SETTLED if finding.service == "dynamodb" else "")
    steps = []
    for call in finding.sequence:
        params = _source(call.params, KINDS.get(finding.service, ""))
        who = client(call.identity) if aws else "client"
        by = "" if aws or call.identity.is_owner else f", {call.identity.as_json()}"
        steps.append(f'    answers.append(ask({who}, "{call.operation}", {params}{by}))')
    others = connecting(finding) if aws else ""
    return head + body + others + TAIL.format(steps="\n".join(steps))


def pytest_file(finding: Finding) -> str:
    """A test that fails while the two sides differ; it stands beside the script."""
    look = LOOKS.get(finding.kind, "unmarked(answer, mark)")
    return TEST.format(
        title=title(finding),
        module=file_name(finding),
        name=re.sub(r"\W+", "_", file_name(finding)),
        story=story(finding).replace("\n", "\n    "),
        look=look.format(place=finding.place),
    )


def file_name(finding: Finding) -> str:
    """What a finding's files are called."""
    return re.sub(r"\W+", "_", f"{finding.service}_{finding.operation}_{finding.hash}").lower()


def title(finding: Finding) -> str:
    """A finding in a line."""
    where = f" at {finding.place}" if finding.place else ""
    return f"{finding.service}.{finding.operation}: {finding.kind}{where}"


def story(finding: Finding) -> str:
    """What both sides say, what it means, and when."""
    lines = [
        f"reference: {finding.sides[0]}",
        f"candidate: {finding.sides[1]}",
        f"{finding.implication}; {finding.how}",
    ]
    return "\n".join(line.replace("\\", "\\\\").replace('"""', "'''") for line in lines)


def concrete(value: Any) -> Any:
    """Parameters as a person would write them: names as examples, bytes as text."""
    match value:
        case Name():
            return "<endpoint>" if value.kind == "endpoint" else example(value)
        case Ref():
            return {"$ref": [value.call, list(value.path)]}
        case Text():
            return "".join(part if isinstance(part, str) else str(concrete(part)) for part in value.parts)
        case bytes():
            return value.decode("latin-1")
        case Mapping():
            return {str(concrete(key)): concrete(inner) for key, inner in value.items()}
        case list() | tuple():
            return [concrete(inner) for inner in value]
    return value


def example(name: Name) -> str:
    """A name that looks like the ones that are used."""
    return f"{STEM}{name.kind[0]}{LETTERS[name.number]}" if name.kind != "prefix" else STEM


class _Raw:
    """Source text that stands in a literal as it is."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def _source(params: Mapping[str, Any], top: str) -> str:
    """Parameters as Python source; `top` is the kind of thing that stands at the top of the server."""
    plain = _raw(params, top)
    text = pprint.pformat(plain, width=96, sort_dicts=False, compact=True)
    return text.replace("\n", "\n        ")


def _raw(value: Any, top: str) -> Any:
    match value:
        case Name(kind="endpoint"):
            return _Raw("plain(url)")
        case Name(kind="prefix"):
            return _Raw('f"lw{mark}"')
        case Name() if top not in ("", value.kind):
            # As in the campaign: what lies inside a thing of ours is called the same everywhere.
            return f"{INSIDE}{value.kind[0]}{LETTERS[value.number]}"
        case Name():
            return _Raw(f'f"lw{{mark}}{value.kind[0]}{LETTERS[value.number]}"')
        case Ref():
            return _Raw(f"give(answers, {value.call}, {', '.join(map(repr, value.path))})")
        case Text():
            return _Raw(
                " + ".join(repr(part) if isinstance(part, str) else _piece(part, top) for part in value.parts)
            )
        case str() if len(value) > 200 and value == value[0] * len(value):
            return _Raw(f"{value[0]!r} * {len(value)}")
        case Mapping():
            if any(not isinstance(key, str) for key in value):
                pairs = ", ".join(f"{_raw(key, top)!r}: {_raw(inner, top)!r}" for key, inner in value.items())
                return _Raw("{" + pairs + "}")
            return {key: _raw(inner, top) for key, inner in value.items()}
        case list() | tuple():
            return [_raw(inner, top) for inner in value]
    return value


def _piece(part: Name | Ref, top: str) -> str:
    source = repr(_raw(part, top))
    return f"str({source})" if isinstance(part, Ref) else source


def uses_names(finding: Finding) -> bool:
    """Whether a reproducer depends on names at all."""
    return any(isinstance(each, Name) for call in finding.sequence for each in placeholders(call.params))
