"""Which mutants cannot be told from the original by this client, whatever it looks at."""

from __future__ import annotations

import ast
from types import CodeType

from likewise.library.mutation.operators import EXTREME, Function, Mutation, changed, is_generator
from likewise.library.mutation.reach import Reached

DEFAULTS = {
    "bool": "False",
    "int": "0",
    "float": "0.0",
    "str": "''",
    "bytes": "b''",
    "list": "[]",
    "dict": "{}",
    "set": "set()",
    "tuple": "()",
    "frozenset": "frozenset()",
    "NoneType": "None",
    "object": "None",
}
OTHERS = {"bool": "True", "int": "1", "float": "1.0"}
"""What is returned instead where the usual default is what the function returns anyway."""
_HARMLESS = (
    ast.Return,
    ast.Pass,
    ast.If,
    ast.Expr,
    ast.Constant,
    ast.Name,
    ast.Load,
    ast.Compare,
    ast.cmpop,
    ast.BoolOp,
    ast.boolop,
    ast.UnaryOp,
    ast.unaryop,
    ast.Tuple,
    ast.List,
    ast.Dict,
    ast.IfExp,
    ast.arguments,
    ast.arg,
)


def default_for(reached: Reached, function: Function) -> str:
    """What the function returns without its body: the default of the types that it was seen to return."""
    if function.name == "__init__":
        return "None"
    if is_generator(function):
        return "()"
    kinds = [kind for kind in DEFAULTS if kind in reached.types] or ["NoneType"]
    for kind in kinds:
        if kind not in ("NoneType", "object"):
            usual = DEFAULTS[kind]
            return OTHERS[kind] if kind in OTHERS and reached.values == {usual} else usual
    return "None"


def why_equivalent(mutation: Mutation, reached: Reached, function: Function) -> str:
    """Why nothing observable can differ; empty where something may."""
    if mutation.operator != EXTREME:
        if not _is_run(mutation, reached, function):
            return "the line is never run"
    elif _is_idle(function, reached, mutation.default):
        return "it returns the default already, and does nothing else"
    if _code(function) == _code(changed(function, mutation)):
        return "it compiles to the same code"
    return ""


def _is_run(mutation: Mutation, reached: Reached, function: Function) -> bool:
    """Whether the statement with the change was run; of one on several lines, only some are reported."""
    if mutation.line in reached.lines:
        return True
    around = [
        (node.lineno, node.end_lineno or node.lineno)
        for node in ast.walk(function)
        if isinstance(node, ast.stmt) and not hasattr(node, "body")
    ]
    spans = [(first, last) for first, last in around if first <= mutation.line <= last]
    if not spans:
        return True  # part of the head of a compound statement: its lines are not told apart
    first, last = min(spans, key=lambda span: span[1] - span[0])
    return any(first <= line <= last for line in reached.lines)


def _is_idle(function: Function, reached: Reached, default: str) -> bool:
    """Whether a body without any effect was only ever seen to return the default."""
    if is_generator(function) or function.decorator_list:
        return False
    body = [each for each in function.body if not _is_docstring(each)]
    harmless = all(isinstance(node, _HARMLESS) for each in body for node in ast.walk(each))
    return harmless and reached.values == {default}


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _code(function: Function) -> object:
    """What a function compiles to, lines left out."""
    module = ast.Module(body=[function], type_ignores=[])
    code = compile(ast.fix_missing_locations(module), "<function>", "exec", dont_inherit=True)
    return _form(code)


def _form(code: CodeType) -> object:
    constants = tuple(
        _form(each) if isinstance(each, CodeType) else (type(each).__name__, repr(each))
        for each in code.co_consts
    )
    return code.co_code, constants, code.co_names, code.co_varnames, code.co_freevars
