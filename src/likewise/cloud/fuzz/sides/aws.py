"""Calls of S3 and DynamoDB through botocore: its validation, serialisation, signing and parsing."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import partial
from typing import Any

from likewise.cloud.bodies import opaque
from likewise.cloud.fuzz.calls import LEAVES, Answer, Call, Side, pause_of
from likewise.cloud.fuzz.identities import OWNER, Flaw, Identity, Means
from likewise.cloud.services.call import words
from likewise.cloud.targets import Running

Keys = tuple[str | None, str | None, str | None]
"""Access key, secret and session token; nothing where the SDK finds them itself."""
ADDRESSES = {"dynamodbstreams": "dynamodb"}
"""Services that emulators have at the address of another one."""
UNKNOWN, MADE_UP = "LIKEWISE0UNKNOWN0KEY", "nobody has this for a secret or a token"
PRIVATE = words(
    "HostId RequestId AWSAccessKeyId StringToSign StringToSignBytes SignatureProvided CanonicalRequest "
    "CanonicalRequestBytes Token-0"
)
"""What errors repeat of a request's signature, or of the request itself."""


class AwsSide(Side):
    """One botocore client. Nothing is repeated: every call is one request."""

    def __init__(self, running: Running, service: str, *, timeout: float, region: str = "") -> None:
        import botocore.session

        super().__init__(running, service)
        # One session for all clients: it reads the model of the service once, which takes longest.
        session = botocore.session.Session()
        self._connect = partial(_client, session, running, service, timeout, region)
        self._clients: dict[Identity, Any] = {}
        """Whoever calls has a client, with connections of its own."""
        self._client = self._client_of(OWNER)

    def _client_of(self, identity: Identity) -> Any:
        if identity not in self._clients:
            self._clients[identity] = client = self._connect(identity)
            client.meta.events.register("before-send", self._count)
        return self._clients[identity]

    def call(self, call: Call) -> Answer:
        """Execute one call."""
        from botocore.exceptions import (
            ClientError,
            HTTPClientError,
            ParamValidationError,
        )
        from botocore.parsers import ResponseParserError

        before = self.sent
        try:
            client = self._client_of(call.identity)
            response = client._make_api_call(call.operation, dict(call.params))
            return _success(response)
        except ClientError as error:
            return _failure(error.response)
        except ParamValidationError as error:
            return Answer(success=False, refused=_first_line(error))
        except (HTTPClientError, ResponseParserError, ConnectionError, TimeoutError) as error:
            if self.sent == before:
                return Answer(success=False, refused=f"{type(error).__name__}: {_first_line(error)}")
            return Answer(success=False, silence=type(error).__name__)
        except (
            Exception
        ) as error:  # whatever the SDK raises over a value, or over an answer that it cannot read
            if self.sent == before:
                return Answer(success=False, refused=f"{type(error).__name__}: {_first_line(error)}")
            return Answer(success=False, silence=f"unreadable answer: {type(error).__name__}")

    def _count(self, **_: object) -> None:
        self.sent += 1


def _client(
    session: Any, running: Running, service: str, timeout: float, region: str, identity: Identity
) -> Any:
    from botocore import UNSIGNED
    from botocore.config import Config

    environment = running.environment()
    endpoint = running.endpoint(ADDRESSES.get(service, service))
    region = region or environment.get("AWS_DEFAULT_REGION") or session.get_config_variable("region")
    keys = _keys(session, environment, identity)
    signed = "s3v4" if service == "s3" else None
    config = Config(
        retries={"total_max_attempts": 1, "mode": "standard"},
        connect_timeout=5,
        read_timeout=timeout,
        # An address below the endpoint's cannot be resolved where the endpoint is not AWS itself.
        inject_host_prefix=endpoint is None,
        s3={"addressing_style": "path" if endpoint else "auto"},
        signature_version=signed if identity.means is Means.KEY else UNSIGNED,
    )
    client = session.create_client(
        service,
        endpoint_url=endpoint,
        region_name=region,
        aws_access_key_id=keys[0],
        aws_secret_access_key=keys[1],
        aws_session_token=keys[2],
        config=config,
    )
    if identity.means is Means.PRESIGNED:
        from botocore.credentials import Credentials

        from likewise.cloud.fuzz.sides.presigning import Presigner

        signer = Presigner(Credentials(*keys), region, identity.flaw)
        client.meta.events.register("request-created.s3", signer)
    return client


def _keys(session: Any, environment: Mapping[str, str], identity: Identity) -> Keys:
    """The account's own keys; for others with what is made up in place of one of them."""
    own: Keys = environment.get("AWS_ACCESS_KEY_ID"), environment.get("AWS_SECRET_ACCESS_KEY"), None
    if identity.is_owner:
        return own
    own = own if own[0] else session.get_credentials().get_frozen_credentials()
    match identity.flaw:
        case Flaw.WRONG_SECRET:
            return own[0], MADE_UP, own[2]
        case Flaw.UNKNOWN_KEY:
            return UNKNOWN, MADE_UP, None
        case Flaw.UNKNOWN_TOKEN:
            return own[0], own[1], MADE_UP
    return own


def _success(response: dict[str, Any]) -> Answer:
    metadata = response.pop("ResponseMetadata", {})
    return Answer(success=True, status=metadata.get("HTTPStatusCode"), fields=plain(response))


def _failure(response: dict[str, Any]) -> Answer:
    error = dict(response.get("Error", {}))
    metadata = response.get("ResponseMetadata", {})
    code, message = str(error.pop("Code", "")), str(error.pop("Message", "") or "")
    for private in PRIVATE:
        error.pop(private, None)
    rest = {name: value for name, value in response.items() if name not in ("Error", "ResponseMetadata")}
    rest.pop("message", None)
    return Answer(
        success=False,
        status=metadata.get("HTTPStatusCode"),
        code=code,
        message=message,
        fields=plain({"Error": error, **rest}),
        pause=pause_of(metadata.get("HTTPHeaders", {}).get("retry-after")),
    )


def plain(value: Any) -> Any:
    """A parsed response as plain data; streams are read to their end."""
    if type(value) in LEAVES and not isinstance(value, bytes):
        return value
    if isinstance(value, (dict, Mapping)):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(inner) for inner in value]
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat() if value.tzinfo else value.isoformat()
    if isinstance(value, (str, int, float)):
        return value
    if isinstance(value, (bytes, bytearray)):
        return opaque(bytes(value))
    if hasattr(value, "read"):
        return opaque(value.read())
    if hasattr(value, "__iter__"):
        return [plain(inner) for inner in value]
    return str(value)


def _first_line(error: Exception) -> str:
    lines = [line for line in str(error).splitlines() if line.strip()]
    return " ".join(lines[:2])[:200]
