"""The places in the SDKs where every request passes, retries included."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any, Protocol

from likewise.cloud.recorder.bodies import AsyncTee, Sink, Tee, capture, payload_of
from likewise.cloud.recorder.call import Call
from likewise.cloud.recorder.handlers import shows
from likewise.cloud.recorder.patches import Patches


class Notes(Protocol):
    """What a seam tells the recorder. None of it raises: a fault of ours never breaks a test."""

    def opened(self, make: Callable[[Any, Any], Call], request: Any, operation: Any) -> Call | None: ...

    def answered(self, call: Call, hear: Callable[[Call, Any], None], response: Any) -> None: ...

    def failed(self, call: Call, failure: BaseException | str) -> None: ...

    def observed(self, call: Call, parsed: Any) -> Any: ...

    def routed(self, url: str, service: str) -> str: ...


def _call_of_botocore(request: Any, operation: Any) -> Call:
    body = request.body
    if body is None or type(body) is bytes:
        return Call(request.method, request.url, request.headers, operation, body)
    call = Call(request.method, request.url, request.headers, operation)
    call.chunked = payload_of(body) is not body
    call.body = capture(body, lambda other: setattr(request, "body", other))
    return call


def _hear_botocore(call: Call, response: Any) -> None:
    http, parsed = response
    body: bytes | Sink | None = http._content
    if body is None:
        body = _follow_stream(http, parsed)
    call.status, call.answer_headers, call.answer_body = http.status_code, http.headers, body


def _follow_stream(http: Any, parsed: dict[str, Any]) -> Sink | None:
    """Tee the stream in a parsed answer; None where nobody can read one."""
    for member in parsed.values():
        raw = getattr(member, "_raw_stream", None)
        if raw is None:
            continue
        sink = Sink()
        if _is_aiohttp(raw):
            raw.content = AsyncTee(raw.content, sink)
        else:
            member._raw_stream = Tee(raw, sink)
        return sink
    return None


def _is_aiohttp(response: Any) -> bool:
    # Told by its module: elsewhere, even asking for `content` would read the stream.
    return type(response).__module__.startswith("aiohttp.")


def patch_botocore(module: ModuleType, patches: Patches, notes: Notes) -> None:
    """Follow `botocore.endpoint`."""

    def make(inner: Any) -> Any:
        opened, settle = notes.opened, _settle_botocore(notes)

        def do_get_response(endpoint: Any, request: Any, operation_model: Any, context: Any) -> Any:
            call = opened(_call_of_botocore, request, operation_model)
            if call is None:
                return inner(endpoint, request, operation_model, context)
            try:
                result = inner(endpoint, request, operation_model, context)
            except BaseException as error:
                notes.failed(call, error)
                raise
            return settle(call, result, endpoint)

        return do_get_response

    def reroute(inner: Any) -> Any:
        def make_request(endpoint: Any, operation_model: Any, request_dict: dict[str, Any]) -> Any:
            # Before the request is made and signed, so that the signature is for where it goes.
            service = operation_model.service_model.service_name
            request_dict["url"] = notes.routed(request_dict["url"], service)
            return inner(endpoint, operation_model, request_dict)

        return make_request

    patches.replace(module.Endpoint, "_do_get_response", make)
    patches.replace(module.Endpoint, "make_request", reroute)


def patch_aiobotocore(module: ModuleType, patches: Patches, notes: Notes) -> None:
    """Follow `aiobotocore.endpoint`."""

    def make(inner: Any) -> Any:
        opened, settle = notes.opened, _settle_botocore(notes)

        async def do_get_response(endpoint: Any, request: Any, operation_model: Any, context: Any) -> Any:
            call = opened(_call_of_botocore, request, operation_model)
            if call is None:
                return await inner(endpoint, request, operation_model, context)
            try:
                result = await inner(endpoint, request, operation_model, context)
            except BaseException as error:
                notes.failed(call, error)
                raise
            return settle(call, result, endpoint)

        return do_get_response

    patches.replace(module.AioEndpoint, "_do_get_response", make)


def _settle_botocore(notes: Notes) -> Callable[[Call, Any, Any], Any]:
    """How to note an outcome; what the client gets remembers what it is asked for, if only that is read."""
    answered, observed = notes.answered, notes.observed

    def settle(call: Call, result: Any, endpoint: Any) -> Any:
        response, error = result
        if response is None:
            notes.failed(call, error)
            return result
        answered(call, _hear_botocore, response)
        http, parsed = response
        if shows(endpoint._event_emitter):
            return result
        return (http, observed(call, parsed)), error

    return settle


def _call_of_azure(request: Any, _: Any) -> Call:
    # A retry reuses the request object and changes its headers in place: copy them now.
    call = Call(request.method, request.url, dict(request.headers), None)
    fields = vars(request)
    place = "_data" if "_data" in fields else "data"
    body = fields.get(place)
    if body is not None:
        call.body = capture(body, lambda other: setattr(request, place, other))
    return call


def _hear_azure(call: Call, response: Any) -> None:
    internal = response.internal_response
    is_aiohttp = _is_aiohttp(internal)
    body: Any = internal._body if is_aiohttp else internal._content
    if not isinstance(body, bytes):
        body = Sink()
        if is_aiohttp:
            internal.content = AsyncTee(internal.content, body)
        else:
            internal.raw = Tee(internal.raw, body)
    call.status, call.answer_headers, call.answer_body = response.status_code, response.headers, body
    call.reason = response.reason or ""


def patch_azure(transport: str) -> Callable[[ModuleType, Patches, Notes], None]:
    """Follow one synchronous transport of azure-core."""

    def patch(module: ModuleType, patches: Patches, notes: Notes) -> None:
        def make(inner: Any) -> Any:
            def send(sender: Any, request: Any, **kwargs: Any) -> Any:
                request.url = notes.routed(request.url, "")
                call = notes.opened(_call_of_azure, request, None)
                if call is None:
                    return inner(sender, request, **kwargs)
                try:
                    response = inner(sender, request, **kwargs)
                except BaseException as error:
                    notes.failed(call, error)
                    raise
                notes.answered(call, _hear_azure, response)
                return response

            return send

        patches.replace(getattr(module, transport), "send", make)

    return patch


def patch_azure_async(transport: str) -> Callable[[ModuleType, Patches, Notes], None]:
    """Follow one asynchronous transport of azure-core."""

    def patch(module: ModuleType, patches: Patches, notes: Notes) -> None:
        def make(inner: Any) -> Any:
            async def send(sender: Any, request: Any, **kwargs: Any) -> Any:
                request.url = notes.routed(request.url, "")
                call = notes.opened(_call_of_azure, request, None)
                if call is None:
                    return await inner(sender, request, **kwargs)
                try:
                    response = await inner(sender, request, **kwargs)
                except BaseException as error:
                    notes.failed(call, error)
                    raise
                notes.answered(call, _hear_azure, response)
                return response

            return send

        patches.replace(getattr(module, transport), "send", make)

    return patch


SEAMS: dict[str, Callable[[ModuleType, Patches, Notes], None]] = {
    "botocore.endpoint": patch_botocore,
    "aiobotocore.endpoint": patch_aiobotocore,
    "azure.core.pipeline.transport._requests_basic": patch_azure("RequestsTransport"),
    "azure.core.pipeline.transport._aiohttp": patch_azure_async("AioHttpTransport"),
    "azure.core.pipeline.transport._requests_asyncio": patch_azure_async("AsyncioRequestsTransport"),
    "azure.core.pipeline.transport._requests_trio": patch_azure_async("TrioRequestsTransport"),
}
"""Module → how to follow it."""
