"""Send clients whose endpoint is written into the code to where the suite is meant to run."""

from __future__ import annotations

from collections.abc import Callable, Iterable

_AZURE_PORTS = {"10000": "blob", "10001": "queue", "10002": "table"}
"""Where Azure's emulators answer by convention."""


class Routes:
    """Rewrites requests to the endpoints that the configuration lists under `reroute`.

    A source is a URL, for Azure with the service before it (`blob+http://127.0.0.1:10000`) where its
    port does not tell; `http://127.0.0.1:*` is any port of that host, for suites that start a server of
    their own wherever there is room. `endpoint` gives the running target's address for a service; without
    one, as for a real cloud, the request stays as it is.
    """

    def __init__(self, sources: Iterable[str], endpoint: Callable[[str], str | None]) -> None:
        self._sources: dict[str, str] = {}
        for source in sources:
            scheme, _, rest = source.partition("://")
            host = rest.partition("/")[0].lower()
            self._sources[host] = scheme.rpartition("+")[0] or _AZURE_PORTS.get(host.rpartition(":")[2], "")
        self._endpoint = endpoint

    def __bool__(self) -> bool:
        return bool(self._sources)

    def route(self, url: str, service: str = "") -> str:
        """Where a request to `url` goes; the service is known for AWS, for Azure its source tells."""
        scheme, _, rest = url.partition("://")
        host, slash, path = rest.partition("/")
        source, bucket = self._match(host.lower())
        if source is None:
            return url
        told = service or self._sources[source] or _AZURE_PORTS.get(host.rpartition(":")[2], "")
        target = self._endpoint(told)
        if target is None:
            return url
        scheme, _, there = target.partition("://")
        inside = f"/{bucket}" if bucket else ""
        return f"{scheme}://{there.partition('/')[0]}{inside}{slash}{path}"

    def _match(self, host: str) -> tuple[str | None, str]:
        """The listed host, and the bucket before it where a request names one there."""
        anywhere = f"{host.rpartition(':')[0] or host}:*"
        for name in (host, anywhere):
            if name in self._sources:
                return name, ""
            for source in self._sources:
                if name.endswith("." + source):
                    return source, name.removesuffix("." + source)
        return None, ""
