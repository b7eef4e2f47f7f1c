"""A request is rewritten by place, and nothing but what is rewritten changes."""

from __future__ import annotations

import json

from likewise.cloud.replay import places

BOUND = {"old1": "new1", "a&b": "c<d", "q 1": 'x"1'}


def rewrite(text: str) -> str:
    return BOUND.get(text, text)


def test_path_segments_and_query_values_are_decoded_and_encoded() -> None:
    assert places.rewrite_path("/b/old1/q%201/old1x", rewrite) == "/b/new1/x%221/old1x"
    assert (
        places.rewrite_query("old1=old1&uploads&x=q+1&y=a%2Bb", rewrite)
        == "old1=new1&uploads&x=x%221&y=a%2Bb"
    )


def test_json_keeps_keys_numbers_and_spelling() -> None:
    text = '{ "old1" : "old1", "n": [1e3, 200, 1.10], "s":"q 1", "u": "\\u00fc" }'
    assert (
        places.rewrite_json(text, rewrite)
        == '{ "old1" : "new1", "n": [1e3, 200, 1.10], "s":"x\\"1", "u": "\\u00fc" }'
    )


def test_json_keys_change_only_where_they_are_names() -> None:
    text = '{"RequestItems": {"old1": [], "other": []}}'
    assert json.loads(places.rewrite_json(text, str, rewrite)) == {"RequestItems": {"new1": [], "other": []}}


def test_xml_keeps_markup() -> None:
    text = '<?xml v="1"?><A xmlns="old1"><old1 t="old1" u=\'q 1\'>a&amp;b</old1><!--old1--><B>old1 </B></A>'
    changed = places.rewrite_xml(text, rewrite)
    assert changed == (
        '<?xml v="1"?><A xmlns="old1"><old1 t="new1" u=\'x"1\'>c&lt;d</old1><!--old1--><B>old1 </B></A>'
    )


def test_the_inner_requests_of_a_batch_are_rewritten_and_moved() -> None:
    body = (
        b"--batch_1\r\nContent-Type: multipart/mixed; boundary=changeset_1\r\n\r\n"
        b"--changeset_1\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n"
        b"PUT http://here/account/people(1) HTTP/1.1\r\nIf-Match: old1\r\nContent-Length: 12\r\n"
        b'Content-Type: application/json\r\n\r\n{"a":"old1"}\r\n'
        b"--changeset_1\r\nContent-Type: application/http\r\n\r\n"
        b"DELETE http://here/account/old1 HTTP/1.1\r\nIf-Match: *\r\n\r\n\r\n"
        b"--changeset_1--\r\n--batch_1--\r\n"
    )
    moved = places.rewrite_body(
        body,
        "multipart/mixed; boundary=batch_1",
        lambda text: {"old1": "newer1"}.get(text, text),
        move=lambda url: url.replace("http://here", "http://there"),
    )
    assert moved == (
        body.replace(b"http://here", b"http://there")
        .replace(b"If-Match: old1", b"If-Match: newer1")
        .replace(b'"old1"', b'"newer1"')
        .replace(b"Content-Length: 12", b"Content-Length: 14")
        .replace(b"/old1 ", b"/newer1 ")
    )


def test_a_batch_in_which_nothing_is_bound_is_sent_as_it_was() -> None:
    inner = b"GET http://here/x HTTP/1.1\r\nAccept: a\r\n\r\n"
    body = b"--b\r\nContent-Type: application/http\r\n\r\n" + inner + b"--b--\r\n"
    assert places.rewrite_body(body, "multipart/mixed; boundary=b", rewrite) == body


def test_a_body_of_no_known_format_is_left_alone() -> None:
    assert places.rewrite_body(b"old1", "text/plain", rewrite) == b"old1"
    assert places.rewrite_body(b"{\xff}", "", rewrite) == b"{\xff}"


def test_the_source_of_a_copy_is_an_address() -> None:
    headers = {"x-amz-copy-source": "bucket/a%20b?versionId=old1", "content-type": "old1"}
    assert places.rewrite_headers(headers, rewrite) == {
        "x-amz-copy-source": "bucket/a%20b?versionId=new1",
        "content-type": "old1",
    }
