"""Requests of S3 signed in their address, as a presigned URL is, with one flaw or none."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from botocore.auth import SIGV4_TIMESTAMP, S3SigV4QueryAuth


class Presigner(S3SigV4QueryAuth):  # type: ignore[misc]
    """Signs each request of a client that does not sign any; to be registered for `request-created`."""

    LIFE = 3600

    def __init__(self, credentials: Any, region: str, flaw: str) -> None:
        super().__init__(credentials, "s3", region, expires=self.LIFE)
        self._flaw = flaw

    def __call__(self, request: Any, **_: Any) -> None:
        """Sign a request; what is sent is what was asked for, whatever the signature is for."""
        method, data, url = request.method, request.data, urlsplit(request.url)
        request.data = ""  # nobody knows the body of a presigned request beforehand
        if self._flaw == "other method":
            request.method = "PUT" if method == "GET" else "GET"
        if self._flaw == "other resource":
            request.url = url._replace(path=f"{url.path}-other").geturl()
        self.add_auth(request)
        signed = urlsplit(request.url)._replace(path=url.path).geturl()
        if self._flaw == "changed":
            signed = signed.replace(f"X-Amz-Expires={self.LIFE}", f"X-Amz-Expires={2 * self.LIFE}")
        request.url, request.method, request.data = signed, method, data

    def _modify_request_before_signing(self, request: Any) -> None:
        if self._flaw == "expired":
            past = datetime.now(UTC) - timedelta(seconds=2 * self.LIFE)
            request.context["timestamp"] = past.strftime(SIGV4_TIMESTAMP)
        super()._modify_request_before_signing(request)
