"""The real Azure storage, with the user's own credentials."""

from __future__ import annotations

import importlib.util
import os

from likewise.cloud.targets.running import Running
from likewise.cloud.targets.spec import AZURE_SERVICES, Spec
from likewise.model import CredentialsMissing, Role, Target

SPEC = Spec(name="azure", services=AZURE_SERVICES, real=True, about="the real Azure; every call is paid for")

TODO = (
    "Set AZURE_STORAGE_CONNECTION_STRING (portal: storage account, Access keys), or set "
    "AZURE_STORAGE_ACCOUNT, install azure-identity, and run: az login"
)


class Azure(Running):
    """Azure itself: nothing is started, stopped or reset."""

    real = True

    def __init__(self, *, role: Role) -> None:
        self.target = Target(name="azure", role=role)

    def endpoint(self, service: str) -> str | None:
        """Where the connection string or the account's name says; None where neither is there."""
        given = _fields(os.environ.get("AZURE_STORAGE_CONNECTION_STRING", ""))
        explicit = given.get(f"{service.capitalize()}Endpoint")
        account = given.get("AccountName") or os.environ.get("AZURE_STORAGE_ACCOUNT")
        suffix = given.get("EndpointSuffix", "core.windows.net")
        return explicit or (f"https://{account}.{service}.{suffix}" if account else None)

    def environment(self) -> dict[str, str]:
        """Nothing: the user's own connection string and identity stay as they are."""
        return {}

    def cleared(self) -> frozenset[str]:
        """The per-service variables, where they point to an emulator."""
        names = (
            f"AZURE_STORAGE_{service}_{kind}"
            for service in ("BLOB", "QUEUE", "TABLE")
            for kind in ("CONNECTION_STRING", "ENDPOINT")
        )
        return frozenset(name for name in names if _is_emulator(os.environ.get(name, "")))

    def is_alive(self) -> bool:
        """Azure is taken to be up; the first call will tell."""
        return True

    def check(self) -> None:
        """Make sure that there are credentials, without a call to storage."""
        text = os.environ.get("AZURE_STORAGE_CONNECTION_STRING", "")
        if text:
            _check_connection_string(text)
            return
        if os.environ.get("AZURE_STORAGE_ACCOUNT"):
            if os.environ.get("AZURE_STORAGE_KEY") or os.environ.get("AZURE_STORAGE_SAS_TOKEN"):
                return
            _check_default_credential()
            return
        raise CredentialsMissing(
            "there are no Azure storage credentials",
            why="neither AZURE_STORAGE_CONNECTION_STRING nor AZURE_STORAGE_ACCOUNT is set",
            todo=TODO,
        )


def _fields(text: str) -> dict[str, str]:
    pairs = (part.partition("=") for part in text.split(";") if part)
    return {name: value for name, _, value in pairs}


def _is_emulator(text: str) -> bool:
    return "devstoreaccount1" in text or "UseDevelopmentStorage=true" in text


def _check_connection_string(text: str) -> None:
    where = "AZURE_STORAGE_CONNECTION_STRING"
    if _is_emulator(text):
        raise CredentialsMissing(
            "the connection string is an emulator's, not that of an Azure account", where=where, todo=TODO
        )
    given = _fields(text)
    if not (given.get("AccountKey") or given.get("SharedAccessSignature")):
        raise CredentialsMissing(
            "the connection string has no key",
            where=where,
            why="no AccountKey, no SharedAccessSignature",
            todo=TODO,
        )


def _check_default_credential() -> None:
    if importlib.util.find_spec("azure.identity") is None:
        raise CredentialsMissing(
            "there is a storage account but nothing to open it with",
            why="no key is set, and azure-identity is not installed",
            todo=TODO,
        )
    from azure.core.exceptions import ClientAuthenticationError
    from azure.identity import DefaultAzureCredential

    try:
        DefaultAzureCredential().get_token("https://storage.azure.com/.default")
    except ClientAuthenticationError as error:
        raise CredentialsMissing(
            "Azure did not accept the default credential", why=str(error), todo=TODO
        ) from error
