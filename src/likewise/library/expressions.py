"""The expressions of a client, rewritten."""

from __future__ import annotations

import ast
from typing import Any, TypeVar, cast

from likewise.library import handing
from likewise.library.naming import PREFIX, Naming
from likewise.library.operators import ARITHMETIC

VERSION = 1
"""Counted up whenever the same source is rewritten differently."""
_UNTOUCHED = frozenset(
    """super locals globals vars dir eval exec breakpoint isinstance issubclass type id callable range
    property staticmethod classmethod __import__ input open""".split()  # noqa: SIM905
)
"""Builtins that nothing can cross in."""
BINARY = {
    kind: (number, name)
    for number, (kind, name) in enumerate(
        zip(
            (
                *(ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow),
                *(ast.LShift, ast.RShift, ast.BitOr, ast.BitXor, ast.BitAnd, ast.MatMult),
            ),
            ARITHMETIC,
            strict=True,
        )
    )
}
_UNARY = {ast.USub: (0, "__neg__"), ast.UAdd: (1, "__pos__"), ast.Invert: (2, "__invert__")}
_COMPARED = {
    ast.Lt: (0, "__lt__"),
    ast.LtE: (1, "__le__"),
    ast.Eq: (2, "__eq__"),
    ast.NotEq: (3, "__ne__"),
    ast.Gt: (4, "__gt__"),
    ast.GtE: (5, "__ge__"),
}
Made = TypeVar("Made", bound=ast.AST)


class Expressions(ast.NodeTransformer):
    """Rewrites expressions; what holds them is left to who extends this."""

    def __init__(self, path: str, bound: set[str], naming: Naming) -> None:
        self._path, self._naming = path, naming
        self._untouched = _UNTOUCHED - bound
        self._builtins = handing.NAMES - bound
        self._classes: list[str] = []
        self._scopes: list[str] = []
        self._plain_selves: list[str] = [""]
        self._bare_class: list[bool] = []

    # Expressions

    def _expression(self, node: ast.expr) -> ast.expr:
        return cast(ast.expr, self.visit(node))

    def _target(self, node: ast.expr) -> ast.expr:
        """A target that stays one: only what leads to it is rewritten."""
        for name in ("value", "slice"):
            inner = getattr(node, name, None)
            if isinstance(inner, ast.expr):
                held = self._target(inner) if isinstance(node, ast.Starred) else self._expression(inner)
                setattr(node, name, held)
        if isinstance(node, ast.Tuple | ast.List):
            node.elts = [self._target(each) for each in node.elts]
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        function = node.func
        if _is_internal(function):
            self.generic_visit(node)
            return node
        node.args = [self._argument(each) for each in node.args]
        node.keywords = [self._keyword(each) for each in node.keywords]
        if isinstance(function, ast.Name):
            if function.id in self._untouched:
                if function.id == "type" and len(node.args) == 3:
                    return located(ast.Call(self._helper("made", node, []), [node], []), node)
                return node
            if function.id in self._builtins:
                return self._helper("builtin", node, [function, *node.args], node.keywords)
        if isinstance(function, ast.Attribute):
            held = [self._expression(function.value), self._name(function)]
            node.func = self._helper("method", node, held, where=function)
        else:
            node.func = self._helper("call", node, [self._expression(function)], where=function)
        return node

    def _argument(self, node: ast.expr) -> ast.expr:
        if isinstance(node, ast.Starred):
            node.value = self._helper("iterate", node.value, [self._expression(node.value)])
            return node
        return self._expression(node)

    def _keyword(self, node: ast.keyword) -> ast.keyword:
        node.value = self._expression(node.value)
        return node

    def visit_Starred(self, node: ast.Starred) -> ast.AST:
        if isinstance(node.ctx, ast.Load):
            return self._argument(node)
        return self._target(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if _is_internal(node) or self._is_plain(node):
            return node
        if not isinstance(node.ctx, ast.Load):
            return self._target(node)
        return self._helper("load", node, [self._expression(node.value), self._name(node)])

    def _is_plain(self, node: ast.expr) -> bool:
        """Whether this is an attribute of an object whose class extends nothing."""
        name = self._plain_selves[-1]
        return bool(name) and isinstance(node, ast.Attribute) and is_named(node.value, name)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        if not isinstance(node.ctx, ast.Load):
            return self._target(node)
        return self._helper("item", node, [self._expression(node.value), self._slice(node.slice)])

    def _slice(self, node: ast.expr) -> ast.expr:
        """What stands between brackets, fit to be an argument."""
        if isinstance(node, ast.Slice):
            parts = [self._expression(each) if each else _constant(None, node) for each in _bounds(node)]
            return located(ast.Call(self._loaded("slice", node), parts, []), node)
        if isinstance(node, ast.Tuple):
            elts = [
                self._slice(each) if not isinstance(each, ast.Starred) else self._argument(each)
                for each in node.elts
            ]
            return located(ast.Tuple(elts, ast.Load()), node)
        return self._expression(node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        left, right = self._expression(node.left), self._expression(node.right)
        if isinstance(node.left, ast.Constant) and isinstance(node.right, ast.Constant | ast.JoinedStr):
            node.left, node.right = left, right
            return node
        number, name = BINARY[type(node.op)]
        held = [numeral(number, node), text(f"__{name}__", node), left, right]
        return self._helper("binary", node, held)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        if isinstance(node.op, ast.Not):
            node.operand = self._test(node.operand)
            return node
        operand = self._expression(node.operand)
        if isinstance(node.operand, ast.Constant):
            return node
        number, name = _UNARY[type(node.op)]
        return self._helper("unary", node, [numeral(number, node), text(name, node), operand])

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        left = self._expression(node.left)
        right = [self._expression(each) for each in node.comparators]
        if len(right) > 1 or isinstance(node.ops[0], ast.Is | ast.IsNot):
            node.left, node.comparators = left, right
            return node
        op = node.ops[0]
        if isinstance(op, ast.In | ast.NotIn):
            flag = _constant(isinstance(op, ast.NotIn), node)
            return self._helper("contains", node, [flag, left, right[0]])
        number, name = _COMPARED[type(op)]
        return self._helper("compare", node, [numeral(number, node), text(name, node), left, right[0]])

    def visit_Await(self, node: ast.Await) -> ast.AST:
        node.value = self._helper("wait", node.value, [self._expression(node.value)])
        return node

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.AST:
        spec = self._expression(node.format_spec) if node.format_spec else _constant("", node)
        conversion = numeral(max(node.conversion, 0), node)
        value = self._expression(node.value)
        node.value = self._helper("text", node.value, [value, conversion, spec])
        node.conversion, node.format_spec = -1, None
        return node

    def _test(self, node: ast.expr) -> ast.expr:
        """An expression of which only the truth counts."""
        if isinstance(node, ast.BoolOp):
            node.values = [self._test(each) for each in node.values]
            return node
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            node.operand = self._test(node.operand)
            return node
        made = self._expression(node)
        if isinstance(node, ast.Constant) or _is_internal(node):
            return made
        if isinstance(node, ast.Compare) and all(isinstance(each, _ALWAYS_BOOL) for each in node.ops):
            return made
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _TESTS:
            return made
        return self._helper("truth", node, [made])

    # Making nodes

    def _mangled(self, name: str) -> str:
        """A name as the compiler mangles it inside a class."""
        if self._classes and name.startswith("__") and not name.endswith("__") and "." not in name:
            holder = self._classes[-1].lstrip("_")
            return f"_{holder}{name}" if holder else name
        return name

    def _name(self, node: ast.Attribute) -> ast.expr:
        return text(self._mangled(node.attr), node)

    def _helper(
        self,
        name: str,
        node: Any,
        args: list[ast.expr],
        keywords: list[ast.keyword] | None = None,
        *,
        where: ast.expr | None = None,
    ) -> ast.expr:
        at = text(f"{self._path}:{node.lineno}:{node.col_offset}", where or node)
        return self._named(name, where or node, [at, *args], keywords)

    def _named(
        self, name: str, node: Any, args: list[ast.expr], keywords: list[ast.keyword] | None = None
    ) -> ast.expr:
        return located(ast.Call(self._loaded(name, node), args, keywords or []), node)

    def _loaded(self, name: str, node: ast.AST) -> ast.expr:
        return located(ast.Name(PREFIX + name, ast.Load()), node)


_ALWAYS_BOOL = (ast.Is, ast.IsNot, ast.In, ast.NotIn)
_TESTS = frozenset({"isinstance", "issubclass", "callable", "hasattr", "any", "all"})
FRESH = frozenset({"range", "enumerate", "zip", "list", "sorted", "tuple", "dict", "set"})


def located(made: Made, node: ast.AST) -> Made:
    return ast.copy_location(made, node)


def tuple_of(value: Any) -> ast.expr:
    return ast.Constant(value)


def _constant(value: Any, node: ast.AST) -> ast.expr:
    return located(ast.Constant(value), node)


def numeral(value: int, node: ast.AST) -> ast.expr:
    return _constant(value, node)


def text(value: str, node: ast.AST) -> ast.expr:
    return _constant(value, node)


def again(node: ast.expr) -> ast.expr:
    """A name or constant a second time, as something to be read."""
    if isinstance(node, ast.Constant):
        return located(ast.Constant(node.value), node)
    assert isinstance(node, ast.Name)
    return located(ast.Name(node.id, ast.Load()), node)


def _bounds(node: ast.Slice) -> tuple[ast.expr | None, ...]:
    return node.lower, node.upper, node.step


def is_named(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


_INTERNAL = frozenset({"@py_builtins", "@pytest_ar"})


def _is_internal(node: ast.AST) -> bool:
    """Whether this is what pytest's assertion rewriting explains a failure with."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name) and node.id in _INTERNAL


def yields(node: ast.AST) -> bool:
    return any(isinstance(each, ast.Yield | ast.YieldFrom) for each in ast.walk(node))
