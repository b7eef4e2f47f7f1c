"""Bodies become data, and what does not parse stays as it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise.cloud.bodies import (
    TEXT_LIMIT,
    Shape,
    opaque,
    parse,
    parse_xml,
    split_multipart,
    unchunk,
)
from likewise.model import Opaque


def test_json_becomes_data() -> None:
    assert parse(b' {"a": [1, "x", null, true, 1.5]}') == {"a": [1, "x", None, True, 1.5]}


def test_xml_becomes_data_with_attributes_and_lists() -> None:
    body = b'<r xmlns="u" xmlns:x="v" a="1"><i x:t="2">q</i><i>s</i><one/><deep><k> v </k></deep></r>'
    assert parse(body) == {
        "r": {"@a": "1", "i": [{"@t": "2", "text": "q"}, "s"], "one": "", "deep": {"k": " v "}}
    }


def test_an_element_that_may_repeat_is_a_list_even_alone() -> None:
    shape = Shape(lists=frozenset({"i", "list/k"}))
    assert parse_xml(b"<r><i>1</i><k>2</k><list><k>3</k></list></r>", shape=shape) == {
        "r": {"i": ["1"], "k": "2", "list": {"k": ["3"]}}
    }


def test_a_mask_replaces_by_place_and_never_by_text() -> None:
    shape = Shape(masks={("Owner", "ID"): lambda _: "<owner>", ("r", "@host"): lambda _: "<host>"})
    body = b'<r host="h"><Owner><ID>42</ID></Owner><ID>42</ID></r>'
    assert parse_xml(body, shape=shape) == {"r": {"@host": "<host>", "Owner": {"ID": "<owner>"}, "ID": "42"}}


def test_a_document_that_declares_entities_is_not_read() -> None:
    body = b'<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]><r>&b;</r>'
    assert parse(body) == opaque(body)


def test_an_xml_declaration_without_blanks_is_forgiven() -> None:
    assert parse(b'<?xmlversion="1.0"encoding="utf-8"?><r><a>1</a></r>') == {"r": {"a": "1"}}


@pytest.mark.parametrize(
    "body", [b'{"a": ', b"<r><a></r>", b"<", b"[", b"\xff\xfe{", b"{" * 5000, b"<a>" * 5000, b'{"a": "\xff"}']
)
def test_a_broken_body_stays_as_it_is(body: bytes) -> None:
    assert parse(body, "application/json") == opaque(body)


@given(
    st.binary(max_size=2000),
    st.sampled_from(["", "application/json", "text/xml", "multipart/mixed; boundary=a"]),
)
def test_no_body_is_refused(body: bytes, content_type: str) -> None:
    parse(body, content_type)
    split_multipart(body, content_type)
    unchunk(body)


def test_short_text_is_kept_and_the_rest_is_known_by_its_hash() -> None:
    assert opaque(b"a\nb") == "a\nb"
    assert opaque("ü".encode()) == "ü"
    long, binary = opaque(b"x" * (TEXT_LIMIT + 1)), opaque(b"\x00\x01")
    assert isinstance(long, Opaque)
    assert isinstance(binary, Opaque)
    assert long.length == TEXT_LIMIT + 1
    assert opaque(b"x" * (TEXT_LIMIT + 1)) == long
    assert opaque(b"y" * (TEXT_LIMIT + 1)) != long


def test_a_form_becomes_data() -> None:
    body = b"a=1&b=x+y&b=%C3%BC&c="
    assert parse(body, "application/x-www-form-urlencoded") == {"a": "1", "b": ["x y", "ü"], "c": ""}


def test_nested_parts_are_flattened_in_order() -> None:
    inner = "--C\r\nContent-Type: application/http\r\n\r\nGET /a HTTP/1.1\r\nX-Y: z\r\n\r\n\r\n--C--\r\n"
    body = (
        f"--B\r\nContent-Type: multipart/mixed; boundary=C\r\n\r\n{inner}"
        "--B\r\nContent-Type: application/http\r\n\r\n"
        "PUT /b HTTP/1.1\r\nContent-Type: t\r\n\r\nbody\r\n--B--\r\n"
    ).encode()
    parts = split_multipart(body, 'multipart/mixed; boundary="B"')
    assert parts is not None
    assert [(part.start, part.headers, part.body) for part in parts] == [
        ("GET /a HTTP/1.1", {"x-y": "z"}, b""),
        ("PUT /b HTTP/1.1", {"content-type": "t"}, b"body"),
    ]


def test_a_cut_off_multipart_body_is_none() -> None:
    assert split_multipart(b"--B\r\nContent-Type: application/http\r\n\r\nGET /a", "x; boundary=B") is None


@given(st.lists(st.binary(min_size=1, max_size=50), max_size=5))
def test_chunks_are_put_together_again(chunks: list[bytes]) -> None:
    body = b"".join(b"%x;chunk-signature=0f\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks)
    assert unchunk(body + b"0;chunk-signature=0f\r\n\r\n") == b"".join(chunks)


def test_a_body_that_is_not_chunked_comes_back_as_it_is() -> None:
    assert unchunk(b"hello\r\nworld") == b"hello\r\nworld"
    assert unchunk(b"ff\r\nshort\r\n") == b"ff\r\nshort\r\n"
