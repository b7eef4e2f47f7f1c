"""A request that goes past the SDKs is in no trace, so its test is not trusted; whoever makes none is."""

from __future__ import annotations

import http.client
import platform
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Callable
from typing import Any

import boto3
import pytest
import requests
from aiobotocore.session import get_session
from azure.storage.blob import ContainerClient
from moto import mock_aws

pytestmark = pytest.mark.usefixtures("aws_keys")

EMPTY = b'<?xml version="1.0"?><EnumerationResults><Blobs/><NextMarker/></EnumerationResults>'
KEY = "a2V5"


@pytest.fixture
def target(make_http: Any) -> Any:
    return make_http(lambda method, path, *_: (200, {"Content-Type": "application/xml"}, EMPTY))


@pytest.fixture
def studio(make_studio: Any, target: Any) -> Any:
    return make_studio(expected_endpoints=frozenset({target.url}))


def connect(url: str) -> None:
    host, _, port = url.removeprefix("http://").partition("/")[0].partition(":")
    socket.create_connection((host, int(port))).close()


@pytest.mark.parametrize(
    ("fetch", "said"),
    [
        (lambda url: urllib.request.urlopen(url).read(), "GET /box/k at"),
        (lambda url: requests.put(url, data=b"x"), "PUT /box/k at"),
        (lambda url: requests.get(url.replace("127.0.0.1", "localhost")), "GET /box/k at"),
        (connect, "connected to the target: 127.0.0.1"),
    ],
)
def test_a_url_that_is_fetched_outside_the_sdk_makes_its_test_unclear(
    studio: Any, target: Any, fetch: Callable[[str], object], said: str
) -> None:
    s3 = boto3.client("s3", endpoint_url=target.url)

    def body() -> None:
        url = s3.generate_presigned_url("get_object", Params={"Bucket": "box", "Key": "k"})
        worker = threading.Thread(target=fetch, args=[url])
        worker.start()
        worker.join()

    unseen = "\n".join(studio.record("t", body).unseen)
    assert said in unseen
    assert "Signature" not in unseen
    assert studio.record("next", lambda: None).unseen == ()


PRESIGNED = "X-Amz-Credential=AKID%2F20240101%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Signature=1"


@pytest.mark.parametrize(
    ("fetch", "writes"),
    [
        (lambda url: urllib.request.urlopen(f"{url}/box/k?{PRESIGNED}").read(), False),
        (lambda url: requests.get(f"{url}/box?list-type=2&{PRESIGNED}"), False),
        (lambda url: requests.put(f"{url}/box/k?{PRESIGNED}", data=b"x"), True),
        (lambda url: requests.get(f"{url}/box/k"), True),
        (lambda url: requests.get(f"{url}/acme/line/messages?sv=2021-08-06&sig=1"), True),
        (connect, True),
    ],
    ids=["get", "list", "put", "nobody knows whose", "takes a message", "connects"],
)
def test_a_request_outside_the_sdk_that_only_reads_leaves_its_neighbours_alone(
    studio: Any, target: Any, fetch: Callable[[str], object], writes: bool
) -> None:
    trace = studio.record("t", lambda: fetch(target.url))
    assert trace.unseen
    assert trace.blurs is writes


def test_a_connection_that_is_used_again_is_noticed_again(studio: Any, target: Any) -> None:
    connection = http.client.HTTPConnection(target.url.removeprefix("http://"))

    def fetch() -> None:
        connection.request("GET", "/box/k")
        connection.getresponse().read()

    for test in ("one", "two"):
        assert any("GET /box/k at" in why for why in studio.record(test, fetch).unseen)
    connection.close()


def test_a_url_that_is_presigned_and_not_fetched_is_no_matter(studio: Any, target: Any) -> None:
    s3 = boto3.client("s3", endpoint_url=target.url)
    trace = studio.record(
        "t", lambda: s3.generate_presigned_url("get_object", Params={"Bucket": "b", "Key": "k"})
    )
    assert trace.unseen == ()


def test_requests_to_others_are_no_matter(studio: Any, make_http: Any) -> None:
    other = make_http(lambda *_: (200, {}, b""))
    assert studio.record("t", lambda: requests.get(f"{other.url}/x").content).unseen == ()


def test_the_sdks_own_connections_are_no_matter(studio: Any, target: Any) -> None:
    container = ContainerClient(
        f"{target.url}/acme", "box", credential={"account_name": "acme", "account_key": KEY}
    )

    def body() -> None:
        boto3.client("s3", endpoint_url=target.url).list_objects_v2(Bucket="box")
        list(container.list_blobs())

    trace = studio.record("t", body)
    assert len(trace.interactions) == 2
    assert trace.unseen == ()


async def _listed(url: str) -> None:
    async with get_session().create_client("s3", endpoint_url=url) as s3:
        await s3.list_objects_v2(Bucket="box")


@pytest.mark.asyncio
async def test_nor_are_those_of_their_async_twins(studio: Any, target: Any) -> None:
    studio.recorder.begin("t")
    await _listed(target.url)
    studio.recorder.end(result="passed")
    trace = studio.traces["t"]
    assert len(trace.interactions) == 1
    assert trace.unseen == ()


@pytest.mark.parametrize(("fetches", "reasons"), [(True, 1), (False, 0)])
def test_what_moto_answers_in_process_is_noticed_too(make_studio: Any, fetches: bool, reasons: int) -> None:
    studio = make_studio()

    def body() -> None:
        with mock_aws():
            s3 = boto3.client("s3", region_name="us-east-1")
            s3.create_bucket(Bucket="box")
            s3.put_object(Bucket="box", Key="k", Body=b"x")
            url = s3.generate_presigned_url("get_object", Params={"Bucket": "box", "Key": "k"})
            if fetches:
                assert requests.get(url).content == b"x"

    trace = studio.record("t", body)
    assert len(trace.unseen) == reasons
    assert len(trace.interactions) == 2


FETCH = """
import http.client, sys
connection = http.client.HTTPConnection(sys.argv[1])
connection.request("GET", "/box/k")
connection.getresponse().read()
{more}
"""


def start(target: Any, *, more: str = "", calls: bool = True) -> subprocess.Popen[str]:
    """A process that calls the target, or does not, and then waits to be told to end where `more` says so."""
    script = FETCH.format(more=more) if calls else "pass"
    where = target.url.removeprefix("http://")
    return subprocess.Popen(
        [sys.executable, "-c", script, where], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


on_linux = pytest.mark.skipif(sys.platform != "linux", reason="other systems show no connections")


@on_linux
@pytest.mark.parametrize(("calls", "reasons"), [(True, 1), (False, 0)])
def test_a_process_that_calls_the_target_makes_its_test_unclear_and_one_that_does_not_no(
    studio: Any, target: Any, calls: bool, reasons: int
) -> None:
    def body() -> None:
        boto3.client("s3", endpoint_url=target.url).list_objects_v2(Bucket="box")
        start(target, calls=calls).communicate()
        boto3.client("s3", endpoint_url=target.url).list_objects_v2(Bucket="box")

    assert len(studio.record("t", body).unseen) == reasons
    assert studio.record("next", lambda: None).unseen == ()


@on_linux
def test_a_process_that_stays_connected_makes_every_test_unclear_until_it_ends(
    studio: Any, target: Any
) -> None:
    begun: list[subprocess.Popen[str]] = []

    def begin() -> None:
        begun.append(start(target, more="print('there', flush=True); input()"))
        assert begun[0].stdout is not None
        assert begun[0].stdout.readline() == "there\n"

    assert len(studio.record("first", begin).unseen) == 1
    assert len(studio.record("second", lambda: None).unseen) == 1
    begun[0].communicate("end\n")
    assert studio.record("third", lambda: None).unseen == ()


@on_linux
def test_who_was_connected_before_a_test_started_anything_is_no_concern_of_it(
    make_studio: Any, target: Any
) -> None:
    """A rerun works on the servers of the run that started it, whose own clients stay connected to them."""
    owner = start(target, more="print('there', flush=True); input()")
    assert owner.stdout is not None
    assert owner.stdout.readline() == "there\n"
    studio = make_studio(expected_endpoints=frozenset({target.url}))

    def body(*, calls: bool) -> None:
        start(target, calls=calls).communicate()

    assert studio.record("t", lambda: body(calls=False)).unseen == ()
    assert len(studio.record("caller", lambda: body(calls=True)).unseen) == 1
    assert studio.record("next", lambda: None).unseen == ()
    owner.communicate("end\n")


SERVER = """
import http.client, http.server, sys

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        if self.path == "/copy":
            self.server.kept = http.client.HTTPConnection(*self.server.server_address)
            self.server.kept.request("GET", "/source")
            self.server.kept.getresponse().read()
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *args):
        pass

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
"""


@on_linux
def test_a_target_that_calls_itself_is_nobody_else(make_studio: Any) -> None:
    """As a server does that copies from a URL of its own."""
    server = subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    url = f"http://127.0.0.1:{server.stdout.readline().strip()}"
    studio = make_studio(expected_endpoints=frozenset({url}))

    def copying() -> None:
        subprocess.run([sys.executable, "-c", "pass"], check=True)
        token = studio.recorder._outside.in_sdk.set(True)
        requests.get(f"{url}/copy")
        studio.recorder._outside.in_sdk.reset(token)

    try:
        assert studio.record("t", copying).unseen == ()
    finally:
        server.kill()
        server.communicate()


@on_linux
def test_that_python_asks_the_system_about_itself_starts_nothing(
    studio: Any,
) -> None:
    neighbours = studio.recorder._neighbours
    studio.record("t", lambda: platform._Processor.from_subprocess())  # type: ignore[attr-defined]
    assert not neighbours._is_looking
    studio.record("u", lambda: subprocess.run([sys.executable, "-c", "pass"], check=True))
    assert neighbours._is_looking


def test_everything_is_put_back(make_studio: Any) -> None:
    def replaced() -> list[object]:
        own = vars(socket.socket).get("connect")
        return [own, subprocess.Popen.__init__, http.client.HTTPConnection.putrequest]

    before = replaced()
    recorder = make_studio().recorder
    assert all(here is not there for here, there in zip(before, replaced(), strict=True))
    recorder.uninstall()
    assert replaced() == before
