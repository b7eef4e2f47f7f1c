"""azure-core: the sync and async transports, streams among them."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Callable
from typing import Any

import pytest
from azure.core.exceptions import ResourceNotFoundError, ServiceRequestError
from azure.core.pipeline import Pipeline
from azure.core.pipeline.transport import AsyncioRequestsTransport, RequestsTransport
from azure.core.rest import HttpRequest
from azure.storage.blob import BlobServiceClient
from azure.storage.blob.aio import BlobServiceClient as AsyncBlobServiceClient
from azure.storage.queue import QueueClient

from likewise.cloud.recorder.bodies import Sink
from likewise.cloud.recorder.call import Answer
from likewise.model import Lost, Raised, Returned, Trace

KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
CONTENT = b"0123456789" * 1000


class Store:
    """Just enough of a blob service: puts, gets with ranges, 404 for what is absent."""

    def __init__(self) -> None:
        self.blobs: dict[str, bytes] = {}

    def answer(self, method: str, path: str, headers: Any, body: bytes) -> tuple[int, dict[str, str], bytes]:
        name = path.partition("?")[0]
        if method == "PUT":
            self.blobs[name] = body
            return 201, {"ETag": '"1"', "Last-Modified": "Mon, 01 Jan 2024 00:00:00 GMT"}, b""
        if name not in self.blobs:
            return 404, {"x-ms-error-code": "BlobNotFound"}, b"<Error><Code>BlobNotFound</Code></Error>"
        content = self.blobs[name]
        first, _, last = (headers.get("x-ms-range") or "bytes=0-").removeprefix("bytes=").partition("-")
        part = content[int(first) : int(last) + 1 if last else None]
        answered = {
            "ETag": '"1"',
            "Last-Modified": "Mon, 01 Jan 2024 00:00:00 GMT",
            "Content-Range": f"bytes {first}-{int(first) + len(part) - 1}/{len(content)}",
            "x-ms-blob-type": "BlockBlob",
        }
        return 206, answered, part


@pytest.fixture
def connection(make_http: Callable[..., Any]) -> str:
    server = make_http(Store().answer)
    return (
        f"DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey={KEY};"
        f"BlobEndpoint={server.url}/devstoreaccount1;QueueEndpoint={server.url}/devstoreaccount1;"
    )


def methods(trace: Trace) -> list[str]:
    return [each.operation.name for each in trace.interactions]


def test_uploads_downloads_and_refusals_are_recorded(studio: Any, connection: str) -> None:
    service = BlobServiceClient.from_connection_string(connection)
    blob = service.get_blob_client("c", "b")

    def body() -> None:
        blob.upload_blob(CONTENT, overwrite=True)
        assert blob.download_blob().readall() == CONTENT
        with pytest.raises(ResourceNotFoundError):
            service.get_blob_client("c", "absent").download_blob()

    trace = studio.record("t", body)
    assert methods(trace) == ["PUT", "GET", "GET"]
    assert trace.interactions[0].arguments["body"] == CONTENT
    assert trace.interactions[1].outcome == Returned(value=CONTENT)
    assert isinstance(trace.interactions[2].outcome, Raised)
    assert trace.is_clear


def test_a_download_in_chunks_is_recorded_as_far_as_it_was_read(studio: Any, connection: str) -> None:
    service = BlobServiceClient.from_connection_string(
        connection, max_single_get_size=4000, max_chunk_get_size=4000
    )
    blob = service.get_blob_client("c", "b")

    def body() -> None:
        blob.upload_blob(CONTENT, overwrite=True)
        chunks = blob.download_blob().chunks()
        assert next(chunks) == CONTENT[:4000]
        assert next(chunks) == CONTENT[4000:8000]

    trace = studio.record("t", body)
    assert [each.outcome for each in trace.interactions[1:]] == [
        Returned(value=CONTENT[:4000]),
        Returned(value=CONTENT[4000:8000]),
    ]


def test_files_and_generators_are_sent_and_recorded_whole(studio: Any, connection: str) -> None:
    service = BlobServiceClient.from_connection_string(connection)

    def body() -> None:
        for data in (io.BytesIO(CONTENT), (part for part in (b"one", b"two"))):
            service.get_blob_client("c", "b").upload_blob(data, overwrite=True)

    service.get_blob_client("c", "b").upload_blob(b"x", overwrite=True)
    trace = studio.record("t", body)
    sent = [each.arguments["body"] for each in trace.interactions]
    assert sent[0] == CONTENT
    assert b"onetwo" in b"".join(each or b"" for each in sent[1:])


def test_retries_are_calls_with_headers_of_their_own(studio: Any, make_http: Callable[..., Any]) -> None:
    count = iter(range(10))

    def answer(*_: Any) -> tuple[int, dict[str, str], bytes]:
        return (503, {}, b"<Error><Code>ServerBusy</Code></Error>") if next(count) == 0 else (201, {}, b"")

    server = make_http(answer)
    queue = QueueClient(
        f"{server.url}/devstoreaccount1",
        "q",
        credential=KEY,
        retry_total=1,
        initial_backoff=0,
        increment_base=0,
    )
    trace = studio.record("t", queue.create_queue)
    assert [type(each.outcome) for each in trace.interactions] == [Raised, Returned]
    first, second = (each.arguments["headers"] for each in trace.interactions)
    assert first is not second


def test_a_refused_connection_is_recorded(studio: Any) -> None:
    queue = QueueClient("http://127.0.0.1:9/devstoreaccount1", "q", credential=KEY, retry_total=0)

    def body() -> None:
        with pytest.raises(ServiceRequestError):
            queue.create_queue()

    (call,) = studio.record("t", body).interactions
    assert isinstance(call.outcome, Lost)
    assert "ServiceRequestError" in call.outcome.reason


@pytest.mark.parametrize(("length", "content"), [("0", b""), ("5", None)])
def test_of_a_stream_that_nobody_reads_only_the_empty_one_is_known(
    length: str, content: bytes | None
) -> None:
    assert Answer(200, {"Content-Length": length}, Sink()).content() == content


def test_a_download_that_is_not_read_is_not_read_by_us(studio: Any, make_http: Callable[..., Any]) -> None:
    server = make_http(lambda *_: (200, {}, CONTENT))
    pipeline = Pipeline(RequestsTransport())
    answers = []
    request = HttpRequest("GET", f"{server.url}/c/b")
    trace = studio.record("t", lambda: answers.append(pipeline.run(request, stream=True).http_response))
    assert trace.interactions[0].outcome == Returned(value=None)
    assert trace.interactions[0].wire["unread"] == f"0 of {len(CONTENT)} bytes were read"
    assert not answers[0].is_stream_consumed
    assert b"".join(answers[0].iter_bytes()) == CONTENT


async def use(connection: str, **options: Any) -> None:
    async with AsyncBlobServiceClient.from_connection_string(connection, **options) as service:
        blob = service.get_blob_client("c", "b")
        await blob.upload_blob(CONTENT, overwrite=True)
        downloads = await asyncio.gather(blob.download_blob(), blob.download_blob())
        assert await downloads[0].readall() == CONTENT


@pytest.mark.parametrize("transport", [None, AsyncioRequestsTransport], ids=["aiohttp", "requests"])
def test_the_async_transports_are_followed(
    studio: Any, connection: str, transport: Callable[[], Any] | None
) -> None:
    def body() -> None:
        async def run() -> None:
            await use(connection, **({"transport": transport()} if transport else {}))

        asyncio.run(run())

    trace = studio.record("t", body)
    assert sorted(methods(trace)) == ["GET", "GET", "PUT"]
    assert trace.interactions[0].arguments["body"] == CONTENT
    assert Returned(value=CONTENT) in [each.outcome for each in trace.interactions[1:]]
    assert len({each.lane for each in trace.interactions}) == 3
    assert trace.is_clear


def test_uninstall_restores_the_transports(make_studio: Any) -> None:
    before = vars(RequestsTransport)["send"]
    studio = make_studio()
    assert vars(RequestsTransport)["send"] is not before
    studio.recorder.uninstall()
    assert vars(RequestsTransport)["send"] is before
