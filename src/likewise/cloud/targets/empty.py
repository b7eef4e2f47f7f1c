"""Emptying servers that have no reset of their own, through their public interface."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Iterator
from urllib.parse import quote, urlencode

from defusedxml import ElementTree

from likewise.cloud.marks import AZURITE_KEY
from likewise.cloud.targets import http
from likewise.cloud.targets.running import AZURITE_ACCOUNT
from likewise.cloud.targets.spec import Plan

AZURE_VERSION = "2021-12-02"


def empty_s3(plan: Plan) -> None:
    """Delete every version, upload and bucket of an S3 server that takes unverified signatures."""
    url = plan.endpoints["s3"]
    for bucket in _texts(_s3(plan, "GET", f"{url}/"), "Bucket", "Name"):
        where = f"{url}/{quote(bucket)}"
        for key, upload in _rows(_s3(plan, "GET", f"{where}?uploads"), "Upload", "Key", "UploadId"):
            _s3(plan, "DELETE", f"{where}/{quote(key)}?{urlencode({'uploadId': upload})}")
        while versions := [
            row
            for kind in ("Version", "DeleteMarker")
            for row in _rows(_s3(plan, "GET", f"{where}?versions"), kind, "Key", "VersionId")
        ]:
            for key, version in versions:
                _delete_version(plan, f"{where}/{quote(key)}?{urlencode({'versionId': version})}")
        _s3(plan, "DELETE", where)


def _delete_version(plan: Plan, url: str) -> None:
    status, answer = http.call("DELETE", url, headers=_unverified(plan))
    if status == 403:  # under retention, which the owner of a server may lift
        lifted = _unverified(plan) | {"X-Amz-Bypass-Governance-Retention": "true"}
        http.must("DELETE", url, headers=lifted, also=(404,))
    elif status >= 300 and status != 404:
        raise OSError(f"DELETE {url}: {status} {answer[:300].decode(errors='replace')}")


def _s3(plan: Plan, method: str, url: str) -> bytes:
    return http.must(method, url, headers=_unverified(plan), also=(404,) if method == "DELETE" else ())


def _unverified(plan: Plan) -> dict[str, str]:
    """Headers in the form of a signature, for servers that look no closer."""
    scope = f"Credential={plan.access_key}/20200101/us-east-1/s3/aws4_request"
    return {
        "Authorization": f"AWS4-HMAC-SHA256 {scope}, SignedHeaders=host, Signature=0",
        "X-Amz-Date": "20200101T000000Z",
        "X-Amz-Content-Sha256": "UNSIGNED-PAYLOAD",
    }


def empty_azure(plan: Plan) -> None:
    """Delete every container, queue and table of Azurite's one account."""
    token = account_sas()
    for service, item in (("blob", "Container"), ("queue", "Queue")):
        url = plan.endpoints[service]
        listing = http.must("GET", f"{url}/?comp=list&{token}", headers={"x-ms-version": AZURE_VERSION})
        for name in _texts(listing, item, "Name"):
            _delete_leased(f"{url}/{quote(name)}", token=token, is_container=service == "blob")
    url = plan.endpoints["table"]
    headers = {"x-ms-version": AZURE_VERSION, "Accept": "application/json;odata=nometadata"}
    for row in json.loads(http.must("GET", f"{url}/Tables?{token}", headers=headers))["value"]:
        http.must("DELETE", f"{url}/Tables('{row['TableName']}')?{token}", headers=headers, also=(404,))


def _delete_leased(url: str, *, token: str, is_container: bool) -> None:
    headers = {"x-ms-version": AZURE_VERSION}
    query = f"restype=container&{token}" if is_container else token
    status, _ = http.call("DELETE", f"{url}?{query}", headers=headers)
    if status == 412 and is_container:
        broken = headers | {"x-ms-lease-action": "break", "x-ms-lease-break-period": "0"}
        http.must("PUT", f"{url}?restype=container&comp=lease&{token}", headers=broken)
        http.must("DELETE", f"{url}?{query}", headers=headers, also=(404,))
    elif status >= 300 and status != 404:
        raise OSError(f"DELETE {url}: {status}")


def account_sas(*, account: str = AZURITE_ACCOUNT, key: str = AZURITE_KEY) -> str:
    """A signature that opens everything of an account, as a query string."""
    fields = {"sp": "rwdlacup", "ss": "bqt", "srt": "sco", "st": "", "se": "2099-01-01T00:00:00Z"}
    order = [account, *fields.values(), "", "", AZURE_VERSION, ""]
    text = "".join(f"{each}\n" for each in order)
    digest = hmac.new(base64.b64decode(key), text.encode(), hashlib.sha256).digest()
    given = {name: value for name, value in fields.items() if value}
    return urlencode(given | {"sv": AZURE_VERSION, "sig": base64.b64encode(digest).decode()})


def _rows(xml: bytes, item: str, *names: str) -> Iterator[tuple[str, ...]]:
    for element in ElementTree.fromstring(xml).iter():
        if element.tag.rpartition("}")[2] == item:
            found = {child.tag.rpartition("}")[2]: child.text or "" for child in element}
            yield tuple(found.get(name, "") for name in names)


def _texts(xml: bytes, item: str, name: str) -> list[str]:
    return [row[0] for row in _rows(xml, item, name)]
