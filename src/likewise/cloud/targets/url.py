"""Any endpoint of the user's own, by URL."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from urllib.parse import SplitResult, unquote, urlsplit

from likewise.cloud.marks import AZURITE_KEY
from likewise.cloud.targets.process import accepts
from likewise.cloud.targets.running import (
    AWS_ENDPOINTS,
    AZURITE_ACCOUNT,
    Running,
    aws_environment,
    azure_environment,
)
from likewise.cloud.targets.spec import AWS_SERVICES, AZURE_SERVICES, SERVICES, Keys, Spec
from likewise.model import ConfigurationError, Role, Target, TargetUnavailable

FORM = re.compile(r"^(?:(?P<services>[a-z0-9+]+)\+)?(?P<url>https?://.+)$")
EXAMPLE = "http://127.0.0.1:9000, s3+http://127.0.0.1:9000 or s3+dynamodb+https://KEY:SECRET@host"


def is_url(text: str) -> bool:
    """Whether this names an endpoint and not a target of ours."""
    return "://" in text


def parse(text: str) -> Spec:
    """Read one endpoint, or several with commas between, each with the services it is for in front."""
    endpoints: dict[str, str] = {}
    keys: dict[str, Keys] = {}
    open_for_all = ""
    for part in text.split(","):
        match = FORM.match(part.strip())
        parts = _split(match["url"]) if match else None
        if match is None or parts is None:
            raise ConfigurationError(
                f"not an endpoint: {_without_keys(part)}", todo=f"Write it as {EXAMPLE}."
            )
        url = _without_keys(match["url"]).rstrip("/")
        named = frozenset((match["services"] or "").split("+")) - {""}
        if named - SERVICES:
            raise ConfigurationError(
                f"unknown service {', '.join(sorted(named - SERVICES))} in {_without_keys(part)}",
                todo=f"Services are {', '.join(sorted(SERVICES))}.",
            )
        if not named:
            open_for_all = url
        endpoints |= dict.fromkeys(sorted(named), url)
        if parts.username:
            pair = unquote(parts.username), unquote(parts.password or "")
            keys |= dict.fromkeys(sorted(named) or [""], pair)
    if open_for_all:
        endpoints[""] = open_for_all
    return Spec(
        name=_without_keys(text),
        services=frozenset(endpoints) - {""},
        endpoints=endpoints,
        keys=keys,
        about="an endpoint of your own",
    )


def _split(text: str) -> SplitResult | None:
    """The parts of a URL; None where it names no host, or a port that cannot be one."""
    try:
        parts = urlsplit(text)
        return parts if parts.hostname and parts.port != 0 else None
    except ValueError:
        return None


def _without_keys(text: str) -> str:
    return re.sub(r"//[^/@]*@", "//", text)


class Endpoint(Running):
    """A server that somebody else runs."""

    def __init__(self, spec: Spec, *, role: Role, services: frozenset[str]) -> None:
        self.target = Target(name=spec.name, role=role)
        default = spec.endpoints.get("")
        wanted = {service: spec.endpoints.get(service, default) for service in sorted(services)}
        self._endpoints = {service: url for service, url in wanted.items() if url is not None}
        given = {service: spec.keys.get(service if service in spec.endpoints else "") for service in wanted}
        self._aws_keys = self._only(given, AWS_SERVICES)
        self._azure_keys = self._only(given, AZURE_SERVICES)

    def _only(self, given: Mapping[str, Keys | None], cloud: frozenset[str]) -> Keys:
        """The keys in the URLs of one cloud's services; of another cloud's they say nothing."""
        found = {keys for service, keys in given.items() if service in cloud and keys is not None}
        if len(found) > 1:
            raise ConfigurationError(
                f"two pairs of keys for {', '.join(sorted(cloud & given.keys()))}",
                where=self.target.name,
                why="a suite's environment holds one pair for each cloud",
                todo="Write the same keys into these URLs, or name a target for each service.",
            )
        return found.pop() if found else ("", "")

    def endpoint(self, service: str) -> str | None:
        """Where the service answers."""
        return self._endpoints.get(service)

    def environment(self) -> dict[str, str]:
        """The variables that send a suite here.

        The keys are those in the URL, else those in the user's environment (it is the user's server),
        else ones that mean nothing.
        """
        access = self._aws_keys[0] or os.environ.get("AWS_ACCESS_KEY_ID") or "testing"
        secret = self._aws_keys[1] or os.environ.get("AWS_SECRET_ACCESS_KEY") or "testing"
        return aws_environment(self._endpoints, access_key=access, secret_key=secret) | self._azure()

    def _azure(self) -> dict[str, str]:
        urls = {service: url for service, url in self._endpoints.items() if service in AZURE_SERVICES}
        if not urls:
            return {}
        parts = urlsplit(next(iter(urls.values())))
        # An emulator names the account in the path, the cloud's own addresses in the host.
        account = parts.path.strip("/") or (parts.hostname or "").partition(".")[0]
        emulator = account == AZURITE_ACCOUNT
        key = self._azure_keys[1] or (AZURITE_KEY if emulator else os.environ.get("AZURE_STORAGE_KEY", ""))
        if not key:
            raise ConfigurationError(
                f"no key for the storage account {account}",
                where=self.target.name,
                todo="Set AZURE_STORAGE_KEY, or put it into the URL as //ACCOUNT:KEY@host.",
            )
        return azure_environment(urls, account=self._azure_keys[0] or account, key=key)

    def cleared(self) -> frozenset[str]:
        """Other endpoints; and a profile, which would bring its own."""
        aws = (*AWS_ENDPOINTS, "AWS_PROFILE", "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS")
        return frozenset(aws) if AWS_SERVICES & set(self._endpoints) else frozenset()

    def is_alive(self) -> bool:
        """Whether all endpoints accept connections."""
        return not self._dead()

    def _dead(self) -> list[str]:
        down = []
        for url in sorted(set(self._endpoints.values())):
            parts = urlsplit(url)
            if not accepts(parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)):
                down.append(url)
        return down

    def check(self) -> None:
        """Make sure that somebody is there."""
        if down := self._dead():
            raise TargetUnavailable(
                f"nobody answers at {', '.join(down)}",
                why="the connection was refused or timed out",
                todo="Start the server, or correct the URL.",
            )
