"""Writes `generated.py`: what the installed SDKs' own models say.

Run it as a file, `python -P src/likewise/cloud/services/generate.py`: it must not need what it writes,
nor take this folder's modules for the standard library's.
The result is committed, so that histories can be read without any SDK installed.
A pattern is "METHOD level", then what else must be there: "?name", "?name=value" in the query,
"!header", "!header=value" among the headers.
"""

from __future__ import annotations

import ast
import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).with_name("generated.py")

Table = dict[str, str]


def render() -> str:
    """The text of `generated.py` for the SDKs that are installed."""
    s3 = _botocore("s3")
    names = s3.operation_names
    blocks = [
        '"""Written by `generate.py` beside it; do not edit."""',
        "from __future__ import annotations",
        _table("S3", {name: _s3_pattern(s3.operation_model(name)) for name in names}),
        _set("S3_FLAGS", {flag for name in names for flag in _flags(s3.operation_model(name))}),
        _set("S3_QUERY", {part for name in names for part in _queried(s3.operation_model(name))}),
        _set("S3_CONTENT_SENT", {n for n in names if _is_content(s3.operation_model(n).input_shape)}),
        _set("S3_CONTENT_RECEIVED", {n for n in names if _is_content(s3.operation_model(n).output_shape)}),
        _set("S3_TEXT_RECEIVED", {n for n in names if _is_text(s3.operation_model(n).output_shape)}),
        _set("S3_LISTS", _list_elements(s3)),
        _set("DYNAMODB", set(_botocore("dynamodb").operation_names)),
        _table("BLOB", dict(_azure_blob())),
        _table("QUEUE", dict(_azure_single("azure.storage.queue"))),
        _table("TABLE", dict(_azure_single("azure.data.tables"))),
    ]
    return "\n\n".join(blocks) + "\n"


def _table(name: str, entries: Table) -> str:
    lines = [f'    "{key}": "{entries[key]}",' for key in sorted(entries)]
    return "\n".join([f"{name}: dict[str, str] = {{", *lines, "}"])


def _set(name: str, entries: set[str]) -> str:
    lines = [f'        "{entry}",' for entry in sorted(entries)]
    return "\n".join([f"{name}: frozenset[str] = frozenset(", "    {", *lines, "    }", ")"])


def _botocore(service: str) -> Any:
    import botocore.session

    return botocore.session.get_session().get_service_model(service)


def _s3_pattern(operation: Any) -> str:
    path, _, flags = operation.http["requestUri"].partition("?")
    level = {"/": "service", "/{Bucket}": "bucket", "/{Bucket}/{Key+}": "object"}.get(path, path)
    tokens = [f"?{flag}" for flag in flags.split("&") if flag]
    shape = operation.input_shape
    for member in shape.required_members if shape else ():
        place = shape.members[member].serialization
        if place.get("location") == "querystring":
            tokens.append(f"?{place['name']}")
        elif place.get("location") == "header":
            tokens.append(f"!{place['name'].lower()}")
    return " ".join([operation.http["method"], level, *sorted(set(tokens))])


def _flags(operation: Any) -> set[str]:
    """What the query must hold for a request to be this operation's."""
    flags = operation.http["requestUri"].partition("?")[2]
    return {flag.partition("=")[0] for flag in flags.split("&") if flag}


def _queried(operation: Any) -> set[str]:
    """Everything that the query may hold."""
    members = operation.input_shape.members.values() if operation.input_shape else ()
    places = [member.serialization for member in members]
    return _flags(operation) | {place["name"] for place in places if place.get("location") == "querystring"}


def _is_content(shape: Any) -> bool:
    """Whether the body is the user's own content, not something the service defines."""
    payload = shape.serialization.get("payload") if shape else None
    return bool(payload) and (
        shape.members[payload].type_name == "blob" or _is_stream(shape.members[payload])
    )


def _is_text(shape: Any) -> bool:
    """Whether the SDK hands out the body as the text that it is, whatever that says."""
    payload = shape.serialization.get("payload") if shape else None
    return bool(payload) and shape.members[payload].type_name == "string"


def _is_stream(member: Any) -> bool:
    return bool(getattr(member, "is_eventstream", False))


def _list_elements(service: Any) -> set[str]:
    """The XML elements that may repeat, as "List/Element" where the list has an element of its own.

    A name that elsewhere stands for a single value is left out.
    """
    found, single = set(), set()
    for name in service.shape_names:
        shape = service.shape_for(name)
        if shape.type_name != "structure":
            continue
        for member_name, member in shape.members.items():
            if "location" in member.serialization:
                continue  # a header or the query: no element
            if member.type_name != "list":
                single.add(member.serialization.get("name", member_name))
            elif member.serialization.get("flattened"):
                found.add(member.serialization.get("name", member_name))
            else:
                list_name = member.serialization.get("name", member_name)
                found.add(f"{list_name}/{member.member.serialization.get('name', 'member')}")
    return found - single


def _azure_blob() -> Iterator[tuple[str, str]]:
    """One file per group of operations: its name says what the URL names, and is half of the name."""
    for file in sorted(_operations("azure.storage.blob").glob("_*_operations.py")):
        group = file.stem.removeprefix("_").removesuffix("_operations")
        level = group if group in ("service", "container") else "blob"
        for name, function in _builders(file):
            yield f"{_camel(group)}_{_camel(name)}", " ".join([_method(function), level, *_fixed(function)])


def _azure_single(package: str) -> Iterator[tuple[str, str]]:
    """One file for all; each builder's URL template says what it names."""
    for name, function in _builders(_operations(package) / "_operations.py"):
        group, _, rest = name.partition("_")
        path, _, flags = _template(function).partition("?")
        level = re.sub(r"\{(\w+)\}", "*", path).strip("/") or group
        tokens = [f"?{flag}" for flag in flags.split("&") if flag]
        pattern = [_method(function), level, *sorted({*tokens, *_fixed(function)})]
        yield f"{_camel(group)}_{_camel(rest)}", " ".join(pattern)


def azure_functions(package: str) -> Iterator[tuple[str, str, ast.FunctionDef]]:
    """Every generated request builder of an Azure package: the operation, its module, its source."""
    for file in sorted(_operations(package).glob("_*operations.py")):
        group = file.stem.removeprefix("_").removesuffix("operations").removesuffix("_")
        for name, function in _builders(file):
            group_of, _, rest = (group, "", name) if group else name.partition("_")
            module = f"{package}._generated.operations.{file.stem}"
            yield f"{_camel(group_of)}_{_camel(rest)}", module, function


def _operations(package: str) -> Path:
    spec = importlib.util.find_spec(package)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "_generated" / "operations"


def _builders(file: Path) -> Iterator[tuple[str, ast.FunctionDef]]:
    for node in ast.parse(file.read_text()).body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("build_"):
            yield node.name.removeprefix("build_").removesuffix("_request"), node


def _camel(name: str) -> str:
    words = (
        "URL" if word == "url" else "HTTP" if word == "http" else word.capitalize()
        for word in name.split("_")
    )
    return "".join(words)


def _method(function: ast.FunctionDef) -> str:
    for node in ast.walk(function):
        if isinstance(node, ast.keyword) and node.arg == "method" and isinstance(node.value, ast.Constant):
            return str(node.value.value)
    raise ValueError(function.name)


def _template(function: ast.FunctionDef) -> str:
    for node in ast.walk(function):
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Constant):
            continue
        if ast.unparse(node.targets[0]) == "_url":
            return str(node.value.value)
    return ""


_FIXED = re.compile(r"_(params|headers)\.pop\('([\w-]+)', '([^']+)'\)")
_SOURCE = re.compile(r"^    _headers\['x-ms-copy-source'\]", re.MULTILINE)
_VARYING = ("Content-Type", "Accept", "x-ms-version", "DataServiceVersion", "Prefer")


def _fixed(function: ast.FunctionDef) -> list[str]:
    """The query parameters and headers that a builder always sets to the same value."""
    text = ast.unparse(function)
    tokens = set()
    for place, name, value in _FIXED.findall(text):
        if name not in _VARYING:
            tokens.add(
                f"{'?' if place == 'params' else '!'}{name.lower() if place == 'headers' else name}={value}"
            )
    for name in ("blockid", "copyid"):
        if re.search(rf"^    _params\['{name}'\]", text, re.MULTILINE):
            tokens.add(f"?{name}")
    if _SOURCE.search(text):
        tokens.add("!x-ms-copy-source")
    return sorted(tokens)


if __name__ == "__main__":
    HERE.write_text(render())
