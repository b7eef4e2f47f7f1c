"""Whether a request to Azurite is signed with the account's own key, as Azure's SDK signs it."""

from __future__ import annotations

from typing import Any

from likewise.cloud.marks import AZURITE_KEY
from likewise.cloud.rewriting.messages import Request
from likewise.cloud.targets.running import AZURITE_ACCOUNT


def is_signed_by_owner(request: Request, service: str) -> bool:
    """Whether the signature in a request's header is that of the account's key; a token is nobody's."""
    given = request.header("Authorization")
    return given.startswith("SharedKey ") and given == _signed(request, service)


def _signed(request: Request, service: str) -> str:
    """The header that the SDK would give a request."""
    from azure.core.pipeline import PipelineContext, PipelineRequest
    from azure.core.rest import HttpRequest

    headers = {name: value for name, value in request.headers if name.lower() != "authorization"}
    url = f"http://{request.header('Host')}{request.target}"
    signed = HttpRequest(request.method, url, headers=headers)
    _policy(service).on_request(PipelineRequest(signed, PipelineContext(None)))
    return str(signed.headers["Authorization"])


def _policy(service: str) -> Any:
    if service == "table":
        from azure.core.credentials import AzureNamedKeyCredential
        from azure.data.tables._authentication import SharedKeyCredentialPolicy as OfTables

        return OfTables(AzureNamedKeyCredential(AZURITE_ACCOUNT, AZURITE_KEY))
    from azure.storage.blob._shared.authentication import SharedKeyCredentialPolicy

    return SharedKeyCredentialPolicy(AZURITE_ACCOUNT, AZURITE_KEY)
