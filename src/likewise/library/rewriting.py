"""Rewrites a client's syntax tree so that what may cross the boundary goes through a helper.

Positions are kept: tracebacks, coverage and `inspect` show the client's own lines.
"""

from __future__ import annotations

import ast
from typing import Any

PREFIX = "@likewise."
"""Helpers are builtins whose names no source can spell."""
_UNTOUCHED = frozenset(
    {
        "super",
        "locals",
        "globals",
        "vars",
        "dir",
        "eval",
        "exec",
        "breakpoint",
        "isinstance",
        "issubclass",
        "type",
        "id",
        "callable",
        "range",
        "property",
        "staticmethod",
        "classmethod",
        "__import__",
    }
)
"""Builtins that look at their caller's frame, or that nothing can cross in."""


def rewrite(tree: ast.Module, *, path: str) -> None:
    """Rewrite a module in place; `path` is how its places are called."""
    bound = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and not _is_load(node.ctx)}
    _Rewriter(path, _UNTOUCHED - bound).visit(tree)


class _Rewriter(ast.NodeTransformer):
    def __init__(self, path: str, untouched: frozenset[str]) -> None:
        self._path, self._untouched = path, untouched
        self._classes: list[str] = []

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.decorator_list = [self.visit(each) for each in node.decorator_list]
        node.bases = [self.visit(each) for each in node.bases]
        node.keywords = [self.visit(each) for each in node.keywords]
        self._classes.append(node.name)
        node.body = self._statements(node.body)
        self._classes.pop()
        return node

    def _statements(self, body: list[ast.stmt]) -> list[ast.stmt]:
        return [self.visit(each) for each in body]

    def visit_arg(self, node: ast.arg) -> ast.AST:
        return node

    def visit_FunctionDef(self, node: Any) -> ast.AST:
        returns, node.returns = node.returns, None
        self.generic_visit(node)
        node.returns = returns
        return node  # type: ignore[no-any-return]

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        node.target = self.visit(node.target)
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        node.body = self._statements(node.body)
        return node

    def visit_match_case(self, node: ast.match_case) -> ast.AST:
        if node.guard is not None:
            node.guard = self.visit(node.guard)
        node.body = self._statements(node.body)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        function = node.func
        if _is_internal(function) or (isinstance(function, ast.Name) and function.id in self._untouched):
            self.generic_visit(node)
            return node
        args: list[ast.expr] = [self.visit(each) for each in node.args]
        keywords = [self.visit(each) for each in node.keywords]
        if isinstance(function, ast.Attribute) and all(map(_is_simple, [*node.args, *node.keywords])):
            held = [self.visit(function.value), self._name(function)]
            return self._helper("method", node, [*held, *args], keywords)
        return self._helper("call", node, [self.visit(function), *args], keywords)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if not _is_load(node.ctx) or _is_internal(node):
            self.generic_visit(node)
            return node
        return self._helper("load", node, [self.visit(node.value), self._name(node)])

    def _name(self, node: ast.Attribute) -> ast.expr:
        """An attribute's name as the compiler would have mangled it."""
        name = node.attr
        if self._classes and name.startswith("__") and not name.endswith("__"):
            holder = self._classes[-1].lstrip("_")
            name = f"_{holder}{name}" if holder else name
        return ast.copy_location(ast.Constant(name), node)

    def _helper(
        self, name: str, node: ast.expr, args: list[ast.expr], keywords: list[ast.keyword] | None = None
    ) -> ast.expr:
        at = ast.Constant(f"{self._path}:{node.lineno}:{node.col_offset}")
        function = ast.Name(PREFIX + name, ast.Load())
        made = ast.Call(function, [ast.copy_location(at, node), *args], keywords or [])
        ast.copy_location(function, node)
        return ast.copy_location(made, node)


def _is_load(context: ast.expr_context) -> bool:
    return isinstance(context, ast.Load)


def _is_internal(node: ast.expr) -> bool:
    """Whether pytest's assertion rewriting put this here."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name) and node.id.startswith("@")


def _is_simple(node: ast.AST) -> bool:
    """Whether evaluating an argument before its method is looked up makes no difference."""
    if isinstance(node, ast.keyword | ast.Starred):
        node = node.value
    return isinstance(node, ast.Name | ast.Constant | ast.Lambda)
