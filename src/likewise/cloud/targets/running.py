"""Targets that run: where they answer, what a suite must have in its environment, how they end."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from types import TracebackType

from likewise.cloud.marks import AZURITE_KEY
from likewise.cloud.regions import default_region
from likewise.cloud.targets.spec import AWS_SERVICES, AZURE_SERVICES
from likewise.model import Target

AZURITE_ACCOUNT = "devstoreaccount1"

AWS_ENDPOINTS = ("AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL_DYNAMODB")
AWS_IDENTITY = (
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_SECURITY_TOKEN",
    "AWS_PROFILE",
    "AWS_DEFAULT_PROFILE",
    "AWS_ROLE_ARN",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
    "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS",
)
AZURE_IDENTITY = (
    "AZURE_STORAGE_CONNECTION_STRING",
    "AZURE_STORAGE_ACCOUNT",
    "AZURE_STORAGE_KEY",
    "AZURE_STORAGE_SAS_TOKEN",
    "AZURE_STORAGE_BLOB_CONNECTION_STRING",
    "AZURE_STORAGE_QUEUE_CONNECTION_STRING",
    "AZURE_STORAGE_TABLE_CONNECTION_STRING",
    "AZURE_STORAGE_BLOB_ENDPOINT",
    "AZURE_STORAGE_QUEUE_ENDPOINT",
    "AZURE_STORAGE_TABLE_ENDPOINT",
    "AZURE_CLIENT_ID",
    "AZURE_CLIENT_SECRET",
    "AZURE_CLIENT_CERTIFICATE_PATH",
    "AZURE_TENANT_ID",
    "AZURE_FEDERATED_TOKEN_FILE",
)


class Running(ABC):
    """A target that can be called. Leaving it as a context manager stops what was started for it."""

    target: Target
    real: bool = False
    """A real cloud, where every call is paid for."""
    is_ours: bool = False
    """Started for the user, and gone with the run."""

    @abstractmethod
    def endpoint(self, service: str) -> str | None:
        """Where the service answers; None where the SDK's own endpoint is right or there is none."""

    @abstractmethod
    def environment(self) -> dict[str, str]:
        """The variables that send a suite here."""

    @abstractmethod
    def cleared(self) -> frozenset[str]:
        """The variables that must not be set, for a suite to be sent here and nowhere else."""

    def apply(self, base: Mapping[str, str]) -> dict[str, str]:
        """An environment with this target's variables set and the wrong ones gone."""
        kept = {name: value for name, value in base.items() if name not in self.cleared()}
        return kept | self.environment()

    def reset(self) -> bool:
        """Remove all state; False where that cannot or must not be done."""
        return False

    @abstractmethod
    def is_alive(self) -> bool:
        """Whether the target can still be called, as far as can be known without calling it."""

    def stop(self) -> None:  # noqa: B027 - stopping what was never started is a right answer
        """End what was started; nothing the second time."""

    def __enter__(self) -> Running:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def aws_environment(endpoints: Mapping[str, str], *, access_key: str, secret_key: str) -> dict[str, str]:
    """The variables that send AWS SDKs to these endpoints.

    The general endpoint is set too, so that a service which is not emulated fails here instead of
    being called for real.
    """
    used = {service: url for service, url in endpoints.items() if service in AWS_SERVICES}
    if not used:
        return {}
    region = default_region()
    return {
        "AWS_ENDPOINT_URL": next(iter(used.values())),
        **{f"AWS_ENDPOINT_URL_{service.upper()}": url for service, url in used.items()},
        "AWS_ACCESS_KEY_ID": access_key,
        "AWS_SECRET_ACCESS_KEY": secret_key,
        "AWS_DEFAULT_REGION": region,
        "AWS_REGION": region,
        "AWS_EC2_METADATA_DISABLED": "true",
    }


def azure_environment(
    endpoints: Mapping[str, str], *, account: str = AZURITE_ACCOUNT, key: str = AZURITE_KEY
) -> dict[str, str]:
    """The variables that send Azure SDKs to these endpoints, all services in one string and one by one."""
    used = {service: url for service, url in sorted(endpoints.items()) if service in AZURE_SERVICES}
    if not used:
        return {}
    scheme = next(iter(used.values())).partition(":")[0]
    head = f"DefaultEndpointsProtocol={scheme};AccountName={account};AccountKey={key};"
    parts = {service: f"{service.capitalize()}Endpoint={url};" for service, url in used.items()}
    return {
        "AZURE_STORAGE_CONNECTION_STRING": head + "".join(parts.values()),
        "AZURE_STORAGE_ACCOUNT": account,
        "AZURE_STORAGE_KEY": key,
        **{
            f"AZURE_STORAGE_{service.upper()}_CONNECTION_STRING": head + part
            for service, part in parts.items()
        },
        **{f"AZURE_STORAGE_{service.upper()}_ENDPOINT": url for service, url in used.items()},
    }


def foreign(services: frozenset[str]) -> frozenset[str]:
    """The variables of the user's own that emulators of these services must not see."""
    aws = AWS_ENDPOINTS + AWS_IDENTITY if services & AWS_SERVICES else ()
    azure = AZURE_IDENTITY if services & AZURE_SERVICES else ()
    return frozenset(aws + azure)
