"""Headers under the names by which they count."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.awsrequest import HeadersDict

from likewise.cloud.exchange import header_name
from likewise.cloud.recorder.call import Call


@pytest.mark.parametrize(
    ("name", "counts_as"),
    [
        ("Content-Type", "content-type"),
        ("X-Ms-Meta-ColourOf", "x-ms-meta-ColourOf"),
        ("x-amz-meta-ColourOf", "x-amz-meta-ColourOf"),
        ("X-Meta-Data", "x-meta-data"),
    ],
)
def test_names_that_users_gave_keep_their_spelling(name: str, counts_as: str) -> None:
    assert header_name(name) == counts_as


@pytest.mark.parametrize("kind", [dict, HeadersDict])
def test_a_recorded_call_has_metadata_as_it_was_spelled(kind: Any) -> None:
    """Clients hand such names on as they come, so that a server which changes them is another."""
    call = Call(
        "PUT", "http://127.0.0.1:1/a/b", kind({"Content-Type": "a/b", "X-Ms-Meta-ColourOf": "red"}), None
    )
    call.lane = "main"
    call.status, call.answer_headers, call.answer_body = 200, kind({"X-MS-Meta-COLOUR": "red"}), b""
    exchange = call.exchange()
    assert exchange.headers == {"content-type": "a/b", "x-ms-meta-ColourOf": "red"}
    assert exchange.response_headers == {"x-ms-meta-COLOUR": "red"}
