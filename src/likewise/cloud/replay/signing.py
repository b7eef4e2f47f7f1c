"""Sign raw requests as the SDKs would, with the credentials of the target that they go to."""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
from collections.abc import Mapping
from dataclasses import replace
from email.utils import formatdate
from typing import Any, Protocol
from urllib.parse import unquote

from likewise.cloud.exchange import header_name
from likewise.cloud.regions import default_region
from likewise.cloud.replay.request import Request
from likewise.cloud.targets import Running
from likewise.cloud.targets.spec import AWS_SERVICES
from likewise.model import CredentialsMissing


class Signer(Protocol):
    """Makes a request acceptable to its target."""

    def sign(self, request: Request) -> Request:
        """The request with everything that authenticates it."""
        ...


def signer(service: str, running: Running, environment: Mapping[str, str] | None = None) -> Signer:
    """The signer for a service of a running target.

    `environment` is the user's own, from before anything was routed; a real cloud's credentials are there.
    """
    given = os.environ if environment is None else environment
    applied = running.apply(given)
    return AwsSigner(applied, service) if service in AWS_SERVICES else azure_signer(applied, service)


class AwsSigner:
    """Signature version 4, with the keys in the environment or else the user's credential chain."""

    def __init__(self, environment: Mapping[str, str], service: str) -> None:
        import botocore.session
        from botocore.credentials import Credentials

        profile = environment.get("AWS_PROFILE") or environment.get("AWS_DEFAULT_PROFILE")
        session = botocore.session.Session(profile=profile)
        key, secret = environment.get("AWS_ACCESS_KEY_ID"), environment.get("AWS_SECRET_ACCESS_KEY")
        if key and secret:
            self._credentials: Any = Credentials(key, secret, environment.get("AWS_SESSION_TOKEN") or None)
        else:
            # The process may carry the candidate's keys by now; the user's are further down the chain.
            session.get_component("credential_provider").remove("env")
            self._credentials = session.get_credentials()
        self.region = default_region(environment)
        self._service, self._session = service, session

    def endpoint(self, region: str = "") -> str:
        """Where AWS itself answers in a region, by default in the suite's own."""
        client = self._session.create_client(
            self._service, region_name=region or self.region, aws_access_key_id="-", aws_secret_access_key="-"
        )
        return str(client.meta.endpoint_url)

    def sign(self, request: Request) -> Request:
        """Sign with whatever the credentials are now; those that expire are renewed by themselves."""
        from botocore.auth import S3SigV4Auth, SigV4Auth
        from botocore.awsrequest import AWSRequest

        if self._credentials is None:
            raise CredentialsMissing(
                "there are no AWS credentials for the reference",
                todo="Run: aws configure; or set AWS_PROFILE, or the access key's two variables.",
            )
        kind = S3SigV4Auth if self._service == "s3" else SigV4Auth
        frozen = self._credentials.get_frozen_credentials()
        raw = AWSRequest(
            method=request.method, url=request.url, headers=dict(request.headers), data=request.body
        )
        kind(frozen, self._service, request.region or self.region).add_auth(raw)
        return replace(request, headers={header_name(name): str(text) for name, text in raw.headers.items()})


def address(service: str, running: Running, credentials: Signer, *, region: str = "") -> str | None:
    """Where a target answers for a service; None where nobody knows."""
    url = running.endpoint(service)
    if url is None and isinstance(credentials, AwsSigner):
        return credentials.endpoint(region)
    return url


def azure_fields(environment: Mapping[str, str], service: str) -> dict[str, str]:
    """Account and key, or account and shared access signature, that open a service."""
    text = environment.get(f"AZURE_STORAGE_{service.upper()}_CONNECTION_STRING") or environment.get(
        "AZURE_STORAGE_CONNECTION_STRING", ""
    )
    pairs = (part.partition("=") for part in text.split(";") if part)
    fields = {name: value for name, _, value in pairs}
    for name, variable in (
        ("AccountName", "AZURE_STORAGE_ACCOUNT"),
        ("AccountKey", "AZURE_STORAGE_KEY"),
        ("SharedAccessSignature", "AZURE_STORAGE_SAS_TOKEN"),
    ):
        if not text and environment.get(variable):
            fields[name] = environment[variable]
    return fields


def azure_signer(environment: Mapping[str, str], service: str) -> Signer:
    """A signer from the connection string, the account's key, a signature, or the default credential."""
    fields = azure_fields(environment, service)
    if fields.get("AccountKey"):
        return SharedKey(account=fields["AccountName"], key=fields["AccountKey"], service=service)
    if fields.get("SharedAccessSignature"):
        return SharedAccess(fields["SharedAccessSignature"])
    return Token()


class SharedKey:
    """Azure's account key. Table storage has a signature of its own."""

    def __init__(self, *, account: str, key: str, service: str) -> None:
        self._account, self._key, self._service = account, base64.b64decode(key), service

    def sign(self, request: Request) -> Request:
        """Sign. Servers of tables differ in which header they take the date from, so those get both."""
        now = formatdate(usegmt=True)
        headers = request.headers | {"x-ms-date": now}
        if self._service == "table":
            headers["date"] = now
        headers.setdefault("x-ms-version", "2021-12-02")
        dated = replace(request, headers=headers)
        text = self._table_text(dated) if self._service == "table" else self._text(dated)
        digest = hmac.new(self._key, text.encode(), hashlib.sha256).digest()
        signature = f"SharedKey {self._account}:{base64.b64encode(digest).decode()}"
        return replace(dated, headers=headers | {"authorization": signature})

    def _table_text(self, request: Request) -> str:
        headers = request.headers
        resource = f"/{self._account}{request.path}"
        comp = next((value for name, value in _pairs(request) if name == "comp"), "")
        return "\n".join(
            [
                request.method,
                headers.get("content-md5", ""),
                headers.get("content-type", ""),
                headers["x-ms-date"],
                f"{resource}?comp={comp}" if comp else resource,
            ]
        )

    def _text(self, request: Request) -> str:
        headers = request.headers
        length = str(len(request.body)) if request.body else ""
        fixed = (
            headers.get("content-encoding", ""),
            headers.get("content-language", ""),
            length,
            headers.get("content-md5", ""),
            headers.get("content-type", ""),
            "",  # the date is in x-ms-date
            *(
                headers.get(name, "")
                for name in ("if-modified-since", "if-match", "if-none-match", "if-unmodified-since", "range")
            ),
        )
        own = sorted((name.lower(), text) for name, text in headers.items() if name.startswith("x-ms-"))
        lines = [request.method, *fixed, *(f"{name}:{' '.join(text.split())}" for name, text in own)]
        return "\n".join([*lines, self._resource(request)])

    def _resource(self, request: Request) -> str:
        grouped: dict[str, list[str]] = {}
        for name, value in _pairs(request):
            grouped.setdefault(name, []).append(value)
        lines = [f"{name}:{','.join(sorted(values))}" for name, values in sorted(grouped.items())]
        return "\n".join([f"/{self._account}{request.path}", *lines])


def _pairs(request: Request) -> list[tuple[str, str]]:
    pairs = []
    for piece in request.query.split("&") if request.query else ():
        name, _, value = piece.partition("=")
        pairs.append((unquote(name).lower(), unquote(value)))
    return pairs


class SharedAccess:
    """A shared access signature, which goes into the query."""

    def __init__(self, token: str) -> None:
        self._token = token.lstrip("?")

    def sign(self, request: Request) -> Request:
        """Append the signature."""
        return replace(request, query=f"{request.query}&{self._token}" if request.query else self._token)


class Token:
    """Whatever azure-identity finds: a login, an environment, a managed identity."""

    def __init__(self) -> None:
        self._credential: Any = None

    def sign(self, request: Request) -> Request:
        """Add a token; azure-identity renews it in time."""
        if self._credential is None:
            try:
                from azure.identity import DefaultAzureCredential
            except ImportError as error:
                raise CredentialsMissing(
                    "there is nothing to open the storage account with",
                    why="no key is set, and azure-identity is not installed",
                    todo="Set AZURE_STORAGE_CONNECTION_STRING, or install azure-identity and run: az login",
                ) from error
            self._credential = DefaultAzureCredential()
        token = self._credential.get_token("https://storage.azure.com/.default").token
        headers = {"authorization": f"Bearer {token}", "x-ms-date": formatdate(usegmt=True)}
        return replace(request, headers=request.headers | headers)
