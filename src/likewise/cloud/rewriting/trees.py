"""Changing fields of JSON and XML bodies in place.

A field is named by the end of its path, with dots: `Size` is every Size, `Contents.Size` those below
a Contents. Places in lists do not count.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from xml.dom.minidom import Element, Node

from defusedxml.minidom import parseString

from likewise.cloud.rewriting.messages import Response

Change = Callable[[Any], Any]

GONE = object()
"""What a change returns for a field that is to vanish."""


def change(body: bytes, field: str, how: Change) -> bytes:
    """The body with a field changed wherever it stands; the same bytes where it does not or cannot be."""
    path = tuple(field.split("."))
    if body.lstrip()[:1] in (b"{", b"["):
        return _change_json(body, path, how)
    if body.lstrip()[:1] == b"<":
        return _change_xml(body, path, how)
    return body


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
    if body.lstrip()[:1] == b"<":
        return _rearrange_xml(body, field, lambda items: items[::-1])
    return change(body, field, lambda items: items[::-1] if isinstance(items, list) else items)


def without_last(body: bytes, field: str) -> bytes:
    """The body with a list shortened by its last item."""
    if body.lstrip()[:1] == b"<":
        return _rearrange_xml(body, field, lambda items: items[:-1])
    return change(body, field, lambda items: items[:-1] if isinstance(items, list) else items)


def add(body: bytes, field: str, value: str) -> bytes:
    """The body with one more field at its top."""
    if body.lstrip()[:1] == b"{":
        return json.dumps(json.loads(body) | {field: value}).encode()
    if body.lstrip()[:1] == b"<":
        document = parseString(body)
        element = document.createElement(field)
        element.appendChild(document.createTextNode(value))
        document.documentElement.appendChild(element)
        return _written(document)
    return body


def _change_json(body: bytes, path: tuple[str, ...], how: Change) -> bytes:
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

    tree = walk(json.loads(body), ())
    return json.dumps(tree).encode() if changed else body


def _change_xml(body: bytes, path: tuple[str, ...], how: Change) -> bytes:
    document = parseString(body)
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


def _rearrange_xml(body: bytes, name: str, how: Callable[[list[Element]], list[Element]]) -> bytes:
    document = parseString(body)
    changed = False
    for parent in [document.documentElement, *document.documentElement.getElementsByTagName("*")]:
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


def _path(node: Any) -> tuple[str, ...]:
    names: list[str] = []
    while node is not None and node.nodeType == Node.ELEMENT_NODE:
        names.insert(0, node.localName or node.tagName)
        node = node.parentNode
    return tuple(names)


def _written(document: Any) -> bytes:
    written: bytes = document.toxml(encoding="utf-8")
    return written
