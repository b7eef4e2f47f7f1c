"""An OpenAPI 3 document makes any HTTP service fuzzable: grammar, producers and consumers, comparison."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest
import yaml
from click.testing import CliRunner
from shelf import DOCUMENT, shelf

from likewise.cli import main
from likewise.cloud.fuzz.calls import Call, Name
from likewise.cloud.fuzz.grammar.document import DocumentUnreadable, read_document
from likewise.cloud.fuzz.grammar.openapi import hints, read
from likewise.cloud.fuzz.sides.openapi import connect, marked, unmarked
from likewise.model import ConfigurationError


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    # A project of its own, whatever somebody else's runs left in a folder above.
    (tmp_path / "likewise.toml").touch()
    (tmp_path / "shelf.json").write_text(json.dumps(DOCUMENT))
    return "openapi:shelf.json"


def test_operations_and_their_parameters_are_read(service: str) -> None:
    grammar = read(service)
    assert set(grammar.operations) == {
        "ListBooks", "AddBook", "GetFindBook", "ReplaceBook", "RemoveBook",
    }  # fmt: skip
    body = grammar["AddBook"].member("body")
    assert body is not None
    pages = next(each for each in body.members if each.name == "pages")
    assert (pages.kind, pages.minimum, pages.maximum) == ("integer", 1, 5000)
    title = next(each for each in body.members if each.name == "title")
    assert (title.kind, title.maximum) == ("string", 80)
    assert [each.name for each in grammar["GetFindBook"].required] == ["books_id"]


def test_the_paths_say_who_makes_what(service: str) -> None:
    found = hints(service)
    assert found.sources == {"books_id": ("AddBook", ("body", "id"))}
    assert found.makers == {"books_id": "AddBook"}
    assert found.removers == {"books_id": "RemoveBook"}
    assert found.observers["AddBook"] == ("ListBooks", "GetFindBook")
    assert set(found.observers["RemoveBook"]) == {"GetFindBook", "ListBooks"}
    assert found.lists == {"ListBooks"}


def test_yaml_is_read_as_json_is(tmp_path: Path) -> None:
    as_json, as_yaml = tmp_path / "a.json", tmp_path / "a.yaml"
    as_json.write_text(json.dumps(DOCUMENT))
    as_yaml.write_text(yaml.safe_dump(DOCUMENT).replace("'200'", "200").replace("'201'", "201"))
    assert read_document(as_json) == read_document(as_yaml)
    assert read_document(as_yaml).base == "/v1"


@pytest.mark.parametrize(
    "raw",
    [
        {"swagger": "2.0"},
        {"openapi": "3.0.0", "paths": {}},
        {"openapi": "3.1.0", "paths": {"/a": {"get": {"parameters": [{"$ref": "#/nowhere"}]}}}},
        {"openapi": "3.1.0", "paths": {"/a": {"get": {"parameters": [{"$ref": "other.yaml#/a"}]}}}},
    ],
)
def test_what_is_no_document_is_said_to_be_none(tmp_path: Path, raw: dict[str, Any]) -> None:
    path = tmp_path / "d.json"
    path.write_text(json.dumps(raw))
    with pytest.raises(DocumentUnreadable) as error:
        read_document(path)
    assert str(path) in str(error.value)


def test_a_schema_that_contains_itself_has_an_end(tmp_path: Path) -> None:
    tree = {"type": "object", "properties": {"children": {"type": "array", "items": {"$ref": "#/tree"}}}}
    body = {"content": {"application/json": {"schema": {"$ref": "#/tree"}}}}
    raw = {"openapi": "3.0.0", "tree": tree, "paths": {"/t": {"post": {"requestBody": body}}}}
    path = tmp_path / "d.json"
    path.write_text(json.dumps(raw))
    assert set(read_document(path).operations) == {"CreateT"}


def test_numbers_that_identify_are_texts_on_the_way_and_numbers_again() -> None:
    answer = {"id": 7, "pages": 3, "author": {"personId": 9}, "ids": [1], "paid": 5, "list": [{"id": True}]}
    found = marked(answer)
    assert found == {
        "id": "#7", "pages": 3, "author": {"personId": "#9"}, "ids": [1], "paid": 5, "list": [{"id": True}],
    }  # fmt: skip
    assert unmarked({"a": "#7", "b": ["#8", "# 9"]}) == {"a": 7, "b": [8, "# 9"]}


def test_calls_are_made_over_plain_http(service: str) -> None:
    with shelf() as url:
        side = connect(service, url)

        def ask(operation: str, **params: Any) -> Any:
            return side.call(Call(service=service, operation=operation, params=params))

        made = ask("AddBook", body={"title": "a/b"})
        assert (made.status, made.fields["body"]["title"]) == (201, "a/b")
        assert ask("GetFindBook", books_id=made.fields["body"]["id"]).success
        missing = ask("GetFindBook", books_id=99)
        assert (missing.status, missing.code, missing.message) == (404, "not_found", "no such book")
        assert ask("ListBooks", limit=0).code == "bad_limit"
        sent = side.sent
        assert ask("GetFindBook").refused
        assert side.sent == sent


def fuzz(service: str, reference: str, candidate: str, budget: int) -> list[dict[str, Any]]:
    arguments = ["fuzz", service, "--reference", reference, "--candidate", candidate, "--json"]
    run = CliRunner().invoke(main, [*arguments, "--budget", str(budget), "--seed", "1"])
    assert run.exit_code == 0, run.output
    found: list[dict[str, Any]] = json.loads(run.stdout)["discrepancies"]
    return found


@pytest.mark.server
def test_the_same_service_on_both_sides_shows_nothing(service: str) -> None:
    with shelf() as one, shelf() as other:
        assert fuzz(service, one, other, 300) == []


@pytest.mark.server
@pytest.mark.parametrize(
    ("difference", "operations", "implication"),
    [
        ("pages unchecked", {"AddBook", "ReplaceBook"}, "unsafe"),
        ("other status", {"AddBook"}, "wrong result"),
        ("not deleted", {"RemoveBook", "GetFindBook", "ListBooks"}, ""),
        ("field missing", {"AddBook", "ReplaceBook", "GetFindBook", "ListBooks"}, "wrong result"),
        ("other code", {"GetFindBook", "ReplaceBook", "RemoveBook"}, "misleading"),
    ],
)
def test_a_seeded_difference_is_found_where_it_is(
    service: str, difference: str, operations: set[str], implication: str
) -> None:
    with shelf() as reference, shelf(difference) as candidate:
        found = fuzz(service, reference, candidate, 300)
    assert found
    assert {each["operation"].rpartition(".")[2] for each in found} <= operations
    shown = CliRunner().invoke(main, ["discrepancies", "--service", service, "--json"])
    assert len(json.loads(shown.stdout)["discrepancies"]) == len(found)
    if implication:
        assert {each["implication"].lower().replace("_", " ") for each in found} == {implication}


@pytest.mark.server
def test_a_filter_that_one_side_does_not_heed_shows_though_its_list_is_a_page_of_others(service: str) -> None:
    """Nothing is removed, so that the list is soon full: it is asked for what is ours."""
    assert hints(service).values["ListBooks?title"] == Name("label")
    with shelf(page=10) as reference, shelf("filter ignored", page=10) as candidate:
        found = fuzz(service, reference, candidate, 300)
    assert [each["operation"].rpartition(".")[2] for each in found] == ["ListBooks"]
    assert "title" in found[0]["condition"]
    with shelf(page=10) as one, shelf(page=10) as other:
        assert fuzz(service, one, other, 300) == []


@pytest.mark.server
@pytest.mark.parametrize("page", [10, 50])
def test_what_a_write_says_and_a_read_gives_afterwards_is_the_writes_doing_in_both(
    service: str, page: int
) -> None:
    """All reads are asked once an answer differs, also those that only the answer can be asked with."""
    with shelf(page=page) as reference, shelf("pages lost", page=page) as candidate:
        found = fuzz(service, reference, candidate, 300)
    added = [each for each in found if each["operation"].endswith("AddBook")]
    assert {each["manifestation"] for each in added} == {"both"}
    assert {each["operation"].rpartition(".")[2] for each in found} <= {"AddBook", "ReplaceBook"}


ECHOED = {
    "openapi": "3.1.0",
    "paths": {
        "/things/{ids}": {
            "post": {
                "operationId": "PostThing",
                "parameters": [
                    {"name": "ids", "in": "path", "schema": {"type": "array"}},
                    {"name": "each", "in": "query", "schema": {"type": "array"}},
                    {"name": "row", "in": "query", "explode": False, "schema": {"type": "array"}},
                    {"name": "pipe", "in": "query", "style": "pipeDelimited", "schema": {"type": "array"}},
                    {"name": "deep", "in": "query", "style": "deepObject", "schema": {"type": "object"}},
                    {"name": "flat", "in": "query", "schema": {"type": "object"}},
                    {"name": "whole", "in": "query", "content": {"application/json": {}}},
                    {"name": "X-List", "in": "header", "schema": {"type": "array"}},
                ],
                "requestBody": {
                    "content": {"application/x-www-form-urlencoded": {"schema": {"type": "object"}}}
                },
                "responses": {},
            }
        }
    },
}


def test_lists_and_objects_are_written_in_the_style_of_the_document_and_credentials_are_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "echo.json").write_text(json.dumps(ECHOED))
    monkeypatch.setenv("LIKEWISE_HEADERS", "X-Api-Key: k:1\n\nX-Tenant: red")
    params = {
        "things_ids": [1, 2],
        "each": ["a", "b"],
        "row": ["a", "b"],
        "pipe": [1, 2],
        "deep": {"low": 1},
        "flat": {"k": True},
        "whole": {"x": [1]},
        "X-List": ["p", "q"],
        "body": {"tags": ["s", "t"], "n": 3},
    }
    with echo() as url:
        side = connect(f"openapi:{tmp_path / 'echo.json'}", url)
        said = side.call(Call(service="x", operation="PostThing", params=params)).fields["body"]
    path, _, query = said["target"].partition("?")
    assert path == "/things/1,2"
    assert parse_qsl(query) == [
        ("each", "a"), ("each", "b"), ("row", "a,b"), ("pipe", "1|2"), ("deep[low]", "1"), ("k", "true"),
        ("whole", '{"x": [1]}'),
    ]  # fmt: skip
    assert parse_qsl(said["body"]) == [("tags", "s"), ("tags", "t"), ("n", "3")]
    headers = {name.lower(): value for name, value in said["headers"].items()}
    assert (headers["x-list"], headers["x-api-key"], headers["x-tenant"]) == ("p,q", "k:1", "red")


def test_a_line_of_credentials_that_is_no_header_is_refused(
    service: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LIKEWISE_HEADERS", "secret")
    with shelf() as url, pytest.raises(ConfigurationError, match="no header") as refused:
        connect(service, url)
    assert "secret" not in str(refused.value)


def test_a_body_fits_the_patterns_and_constants_of_its_schema(tmp_path: Path) -> None:
    schema = {
        "type": "object",
        "properties": {"currency": {"type": "string", "pattern": "^[A-Z]{3}$"}, "kind": {"const": "card"}},
    }
    content = {"requestBody": {"content": {"application/json": {"schema": schema}}}, "responses": {}}
    path = tmp_path / "pay.json"
    path.write_text(json.dumps({"openapi": "3.1.0", "paths": {"/pay": {"post": content}}}))
    assert hints(f"openapi:{path}").values["CreatePay.body"] == {"currency": "AAA", "kind": "card"}


@contextmanager
def echo() -> Iterator[str]:
    """A server that says what it was asked."""

    class Echo(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            said = {"target": self.path, "headers": dict(self.headers), "body": body}
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps(said).encode())

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
