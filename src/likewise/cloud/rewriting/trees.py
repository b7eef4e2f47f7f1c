"""Changing fields of JSON and XML bodies in place.

A field is named by the end of its path, with dots: `Size` is every Size, `Contents.Size` those below
a Contents. Places in lists do not count.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from xml.dom.minidom import Document, Element, Node
from xml.parsers.expat import ExpatError

from defusedxml.minidom import parseString

from likewise.cloud.rewriting.messages import Response

Change = Callable[[Any], Any]

GONE = object()
"""What a change returns for a field that is to vanish."""


def change(body: bytes, field: str, how: Change) -> bytes:
    """The body with a field changed wherever it stands; the same bytes where it does not or cannot be."""
    path = tuple(field.split("."))
    match _tree(body):
        case None:
            return body
        case Document() as document:
            return _change_xml(body, document, path, how)
        case tree:
            return _change_json(body, tree, path, how)


def _tree(body: bytes) -> Any:
    """What a body says; None where it is neither JSON nor XML, whatever it begins with."""
    first = body.lstrip()[:1]
    try:
        if first in (b"{", b"["):
            return json.loads(body)
        return parseString(body) if first == b"<" else None
    except (ValueError, ExpatError):  # the page of a web server, content cut short
        return None


def change_response(response: Response, field: str, how: Change) -> Response:
    """The response with a field changed: `header:NAME` for a header, else a field of the body."""
    if field.startswith("header:"):
        name = field.removeprefix("header:")
        old = response.header(name)
        if not old:
            return response
        new = how(old)
        return response.with_header(name, None if new is GONE else str(new))
    body = change(response.body, field, how)
    return response if body == response.body else response.with_body(body)


def reverse(body: bytes, field: str) -> bytes:
    """The body with a list the other way round: a JSON list, or the XML elements of this name."""
    if isinstance(document := _tree(body), Document):
        return _rearrange_xml(body, document, field, lambda items: items[::-1])
    return change(body, field, lambda items: items[::-1] if isinstance(items, list) else items)


def without_last(body: bytes, field: str) -> bytes:
    """The body with a list shortened by its last item."""
    if isinstance(document := _tree(body), Document):
        return _rearrange_xml(body, document, field, lambda items: items[:-1])
    return change(body, field, lambda items: items[:-1] if isinstance(items, list) else items)


def add(body: bytes, field: str, value: str) -> bytes:
    """The body with one more field at its top."""
    tree = _tree(body)
    if isinstance(tree, dict):
        return json.dumps(tree | {field: value}).encode()
    if isinstance(document := tree, Document):
        element = document.createElement(field)
        element.appendChild(document.createTextNode(value))
        _top(document).appendChild(element)
        return _written(document)
    return body


def _change_json(body: bytes, tree: Any, path: tuple[str, ...], how: Change) -> bytes:
    changed = False

    def walk(value: Any, here: tuple[str, ...]) -> Any:
        nonlocal changed
        if isinstance(value, list):
            return [walk(item, here) for item in value]
        if not isinstance(value, dict):
            return value
        result = {}
        for key, old in value.items():
            there = (*here, key)
            if there[-len(path) :] != path:
                result[key] = walk(old, there)
                continue
            new = how(old)
            changed = changed or new is GONE or new != old
            if new is not GONE:
                result[key] = new
        return result

    result = walk(tree, ())
    return json.dumps(result).encode() if changed else body


def _change_xml(body: bytes, document: Document, path: tuple[str, ...], how: Change) -> bytes:
    changed = False
    for element in document.getElementsByTagName("*"):
        if _path(element)[-len(path) :] != path or element.parentNode is None:
            continue
        old = "".join(node.data for node in element.childNodes if node.nodeType == Node.TEXT_NODE)
        new = how(old)
        if new is GONE:
            element.parentNode.removeChild(element)
        elif new != old:
            while element.firstChild is not None:
                element.removeChild(element.firstChild)
            element.appendChild(document.createTextNode(str(new)))
        changed = changed or new is GONE or new != old
    return _written(document) if changed else body


def _rearrange_xml(
    body: bytes, document: Document, name: str, how: Callable[[list[Any]], list[Any]]
) -> bytes:
    changed = False
    parents: list[Any] = [_top(document), *_top(document).getElementsByTagName("*")]
    for parent in parents:
        items = [node for node in parent.childNodes if _path(node)[-1:] == (name,)]
        wanted = how(items)
        if wanted == items:
            continue
        changed = True
        after = items[-1].nextSibling
        for item in items:
            parent.removeChild(item)
        for item in wanted:
            parent.insertBefore(item, after)
    return _written(document) if changed else body


def _top(document: Document) -> Element:
    assert document.documentElement is not None  # it was read from a text
    return document.documentElement


def _path(node: Any) -> tuple[str, ...]:
    names: list[str] = []
    while node is not None and node.nodeType == Node.ELEMENT_NODE:
        names.insert(0, node.localName or node.tagName)
        node = node.parentNode
    return tuple(names)


def _written(document: Any) -> bytes:
    written: bytes = document.toxml(encoding="utf-8")
    return written
