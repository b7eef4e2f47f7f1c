"""What a reproducer needs to call S3 or DynamoDB as somebody else than the account's owner."""

from __future__ import annotations

import inspect
import re

from likewise.cloud.fuzz.findings import Finding
from likewise.cloud.fuzz.identities import Identity, Means
from likewise.cloud.fuzz.sides.aws import MADE_UP, UNKNOWN

CONNECT = """

def connect_as(url, means, flaw):
    # A client of somebody else than the account's owner.
    keys = urlsplit(url)
    key, secret, token = keys.username or "testing", keys.password or "testing", None
    if flaw == "unknown key":
        key = "{unknown}"
    if flaw in ("unknown key", "wrong secret"):
        secret = "{made_up}"
    if flaw == "unknown token":
        token = "{made_up}"
    options = {{"s3": {{"addressing_style": "path"}}, "inject_host_prefix": False}}
    if means != "key":
        options["signature_version"] = botocore.UNSIGNED
    client = botocore.session.Session().create_client(
        "{service}",
        endpoint_url=plain(url),
        region_name="us-east-1",
        aws_access_key_id=key,
        aws_secret_access_key=secret,
        aws_session_token=token,
        config=Config(retries={{"total_max_attempts": 1}}, **options),
    )
{presigned}    return client
"""

PRESIGNED = """    if means == "presigned URL":
        signer = Presigner(Credentials(key, secret), "us-east-1", flaw)
        client.meta.events.register("request-created.s3", signer)
"""

IMPORTS = """

from botocore.auth import SIGV4_TIMESTAMP, S3SigV4QueryAuth
from botocore.credentials import Credentials


"""


def connecting(finding: Finding) -> str:
    """The source that connects for others; nothing where the owner makes all the calls."""
    if finding.identity.is_owner:
        return ""
    is_presigned = any(call.identity.means is Means.PRESIGNED for call in finding.sequence)
    source = CONNECT.format(
        service=finding.service,
        unknown=UNKNOWN,
        made_up=MADE_UP,
        presigned=PRESIGNED if is_presigned else "",
    )
    return IMPORTS + _presigner() + source if is_presigned else source


def client(identity: Identity) -> str:
    """The source of the client that makes a call."""
    return "client" if identity.is_owner else f'connect_as(url, "{identity.means}", "{identity.flaw}")'


def _presigner() -> str:
    """The very class that the campaign signed with, without its types."""
    from likewise.cloud.fuzz.sides.presigning import Presigner

    source = inspect.getsource(Presigner)
    source = re.sub(r"  # type: ignore.*", "", source)
    return re.sub(r": (?:Any|str)(?=[,)])| -> None", "", source).rstrip() + "\n"
