"""Every look at an answer is noticed, and where it cannot be, all of the answer counts as seen."""

from __future__ import annotations

import copy
import json
import operator
import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import jmespath
import multidict
import pytest
import wrapt
import yaml
import yarl
from botocore.exceptions import ClientError

from likewise.cloud.marks import ALL_FIELDS, ALL_HEADERS, BY_NAME
from likewise.cloud.recorder.looking import Look, Observed, follow_yaml, observe, plain
from likewise.cloud.recorder.patches import Patches

ALL = {"Name", "Inner", "Deep", "Listed", "In", "Nested", ALL_FIELDS}


def answer(look: Look) -> Observed:
    content = {"Name": "n", "Inner": {"Deep": 1}, "Listed": [{"In": 2}, [{"Nested": 3}]]}
    return observe(content, look)


def asked(body: Callable[[Any], object]) -> set[str]:
    """The fields that were noted while something was done with an answer."""
    look = Look(late=lambda call: None)
    body(answer(look))
    return set(look.names)


def through(value: Any) -> None:
    """Look at everything, as a test does that compares with what it expects."""
    if isinstance(value, dict):
        for name in value:
            through(value[name])
    elif isinstance(value, list):
        for item in value:
            through(item)


@pytest.mark.parametrize(
    "take",
    [
        json.dumps,
        json.JSONEncoder(indent=1).encode,
        repr,
        copy.copy,
        copy.deepcopy,
        pickle.dumps,
        lambda each: through(dict(each)),
        lambda each: through({**each}),
        lambda each: through((lambda **named: named)(**each)),
        lambda each: through(each | {"more": 1}),
        lambda each: through({"more": 1} | each),
        lambda each: through(operator.ior({}, each)),
        lambda each: through(each.copy()),
        lambda each: through(dict(each.items())),
        lambda each: [through(value) for value in each.values()],
        lambda each: each == {"Name": "n"},
        lambda each: operator.ne({"Name": "n"}, each),
        lambda each: answer(Look(late=lambda call: None)) == each,
    ],
)
def test_whoever_takes_an_answer_as_a_whole_has_seen_all_of_it(take: Callable[[Any], object]) -> None:
    assert asked(take) == ALL


@pytest.mark.parametrize(
    "take", [len, bool, list, sorted, lambda each: each.keys(), lambda each: [*reversed(each)]]
)
def test_who_goes_through_an_answer_can_tell_what_it_lacks(take: Callable[[Any], object]) -> None:
    assert asked(take) == {"Name", "Inner", "Listed", ALL_FIELDS}


@pytest.mark.parametrize("take", [repr, lambda each: list(each["ResponseMetadata"]["HTTPHeaders"])])
def test_who_goes_through_headers_can_tell_which_are_missing(take: Callable[[Any], object]) -> None:
    look = Look(late=lambda call: None)
    take(observe({"ResponseMetadata": {"HTTPHeaders": {"date": "today"}}}, look))
    assert set(look.names) - {ALL_FIELDS} == {"ResponseMetadata", "HTTPHeaders", "date", ALL_HEADERS}


@pytest.mark.parametrize(
    ("ask", "name"),
    [
        (lambda each: each["HTTPHeaders"]["date"], "date"),
        (lambda each: each["HTTPHeaders"].get("x-none"), "x-none"),
        (lambda each: "date" in each["HTTPHeaders"], "date"),
        (lambda each: each["HTTPHeaders"].pop("date"), "date"),
        (lambda each: each["RetryAttempts"], "RetryAttempts"),
        (lambda each: each.get("RetryAttempts", 0), "RetryAttempts"),
    ],
)
def test_what_the_transport_says_is_asked_for_by_name_or_taken_with_the_rest(
    ask: Callable[[Any], object], name: str
) -> None:
    def noted(take: Callable[[Any], object]) -> set[str]:
        look = Look(late=lambda call: None)
        metadata = {"HTTPHeaders": {"date": "today"}, "RetryAttempts": 0}
        take(observe({"ResponseMetadata": metadata}, look)["ResponseMetadata"])
        return {each for each in look.names if each.startswith(BY_NAME)}

    assert noted(ask) == {f"{BY_NAME}{name}"}
    assert noted(repr) == noted(list) == noted(lambda each: list(each.values())) == set()


def test_a_field_that_nobody_asked_for_is_unseen() -> None:
    assert asked(lambda each: each["Inner"]) == {"Inner"}
    assert asked(lambda each: each["Listed"][1][0]["Nested"]) == {"Listed", "Nested"}
    assert asked(lambda each: "Name" in each and each.get("Other")) == {"Name", "Other"}


def test_what_users_put_in_is_handed_out_plain_and_seen_as_a_whole() -> None:
    """Suites give it back: jmespath, which the SDK asks about requests, goes by the very type."""
    look = Look(late=lambda call: None)
    content = {"UnprocessedKeys": {"table": {"Keys": [{"id": {"S": "1"}}]}}, "Count": 1}
    left = observe(content, look)["UnprocessedKeys"]
    assert type(left) is dict
    assert type(left["table"]["Keys"][0]) is dict
    assert set(look.names) == {"UnprocessedKeys", "table", "Keys", "id", "S"}


def test_what_the_sdk_asks_of_a_refusal_is_not_asked_by_the_test() -> None:
    look = Look(late=lambda call: None)
    refusal = {"Error": {"Code": "No", "Message": "no"}, "ResponseMetadata": {"RetryAttempts": 0}}
    ClientError(observe(refusal, look), "GetBucketLocation")
    assert not [name for name in look.names if name.startswith(BY_NAME)]


def test_who_tells_types_by_name_or_writes_yaml_takes_it_for_what_it_is() -> None:
    observed = answer(Look(late=lambda call: None))
    assert jmespath.search("keys(Inner)", {"Inner": observed}) == ["Name", "Inner", "Listed"]
    patches = Patches()
    follow_yaml(yaml.representer, patches, None)
    assert yaml.safe_load(yaml.safe_dump(observed)) == yaml.safe_load(yaml.dump(observed)) == plain(observed)
    patches.undo()
    assert Observed not in yaml.SafeDumper.yaml_representers


def test_a_pattern_sees_what_it_names() -> None:
    def match(each: Any) -> None:
        match each:
            case {"Inner": {"Deep": 1}}:
                return
        raise AssertionError

    assert asked(match) >= {"Inner", "Deep"}


@pytest.mark.parametrize(
    "take",
    [
        lambda each: multidict.CIMultiDict(each),
        lambda each: multidict.MultiDict().extend(each),
        lambda each: yarl.URL("http://host/").with_query(each),
        lambda each: yaml.dump(each, Dumper=yaml.CDumper),
        lambda each: [wrapt.ObjectProxy(each)[name] for name in ("a", "b")],
    ],
)
def test_compiled_packages_that_are_said_to_ask_do(take: Callable[[Any], object]) -> None:
    look = Look(late=lambda call: None)
    take(observe({"a": "1", "b": "2"}, look))
    assert set(look.names) - {ALL_FIELDS} == {"a", "b"}


SCRIPT = """
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

{before}

import boto3

from likewise.cloud.recorder import Recorder
from likewise.model import Result, Role

BODY = b'{{"Table": {{"TableName": "t", "TableStatus": "ACTIVE", "ItemCount": 3}}}}'


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("content-length", str(len(BODY)))
        self.end_headers()
        self.wfile.write(BODY)

    def log_message(self, *args):
        pass


server = HTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
traces = []
recorder = Recorder(role=Role.CANDIDATE, world="w", on_trace=traces.append)
recorder.install()
client = boto3.client(
    "dynamodb", endpoint_url=f"http://127.0.0.1:{{server.server_port}}", region_name="us-east-1",
    aws_access_key_id="a", aws_secret_access_key="b",
)
kept = []


def test():
    table = client.describe_table(TableName="t")["Table"]
    assert table["TableName"] == "t"
    kept.append(table)
    {during}


def later():
    {after}
    pass


for name, body in (("test", test), ("later", later)):
    recorder.begin(name)
    body()
    recorder.end(result=Result.PASSED)
    recorder.drain()
seen = {{trace.test: [call.seen for call in trace.interactions] for trace in traces}}["test"][0]
recorder.uninstall()
print("all" if seen is None else "tablestatus" if "TableStatus" in seen else "asked")
"""


def seen(*, before: str = "", during: str = "pass", after: str = "pass") -> str:
    """What of an answer counts as seen by a suite of its own process: what it asked for, or all."""
    script = SCRIPT.format(before=before, during=during, after=after)
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.strip()


def test_what_was_not_asked_for_is_unseen_with_all_that_the_sdk_and_its_mocks_bring() -> None:
    brought = "import aiohttp, cryptography.fernet, moto, requests, yaml"
    assert seen(before=brought, during="import sqlite3, xml.etree.ElementTree") == "asked"


@pytest.mark.parametrize(
    "use",
    [
        "import orjson; orjson.dumps(table)",
        "import msgspec; msgspec.json.encode(table)",
        "from msgspec.msgpack import encode; encode(table)",
        "import importlib; importlib.import_module('msgspec').convert(table, dict)",
        "import pydantic; pydantic.TypeAdapter(dict).dump_json(table)",
    ],
)
def test_all_counts_as_seen_once_compiled_code_is_there_that_may_read_past_the_methods(use: str) -> None:
    assert seen(during=use) == "all"


def test_going_through_all_modules_is_not_using_one_of_them() -> None:
    """As freezegun does to replace clocks, and unittest to find warnings that were given before."""
    ours = "[module for name, module in list(sys.modules.items()) if name.startswith('msgspec')]"
    through = f"[(inspect.getmembers(each), getattr(each, '__warningregistry__', 0)) for each in {ours}]"
    assert seen(during=f"import inspect, sys; {through}") == "asked"


def test_a_reader_that_the_suite_had_before_recording_began_counts() -> None:
    assert seen(before="import msgspec") == "all"


def test_an_answer_that_a_test_kept_counts_as_seen_when_a_reader_comes_later() -> None:
    assert seen(after="import orjson; orjson.dumps(kept[0])") == "all"


def test_an_answer_that_nobody_kept_stays_as_it_was_seen() -> None:
    assert seen(during="kept.clear()", after="import orjson") == "asked"


def test_who_makes_a_dictionary_of_the_same_type_gets_one() -> None:
    look = Look(late=lambda call: None)
    first = answer(look)
    made = type(first)({"Other": 1}, Name=2)
    assert (made["Other"], made.get("Name"), len(made)) == (1, 2, 2)
    assert not look.names
    again = type(first)(first)
    assert again["Inner"]["Deep"] == 1
    assert {"Name", "Inner", "Listed", "Deep"} <= set(look.names)
    with pytest.raises(AttributeError):
        _ = first.absent
