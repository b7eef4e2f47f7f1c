"""Rewrites a client's syntax tree so that what may cross the boundary goes through a helper.

Positions are kept: tracebacks, coverage and `inspect` show the client's own lines. A call `f(x)`
becomes `call(at, f)(x)`: the helper gives `f` itself back unless it is the library's, so that
everything else is called just as before.
"""

from __future__ import annotations

import ast
from typing import Any, cast

from likewise.library.expressions import (
    BINARY,
    FRESH,
    Expressions,
    again,
    is_named,
    located,
    numeral,
    text,
    tuple_of,
    yields,
)
from likewise.library.naming import Naming


def rewrite(tree: ast.Module, *, path: str, naming: Naming) -> frozenset[str]:
    """Rewrite a module in place; `path` is how its places are called. The attributes that it sets."""
    bound: set[str] = set()
    stored: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            bound.add(node.id)
        elif isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
            stored.add(node.attr)
        elif isinstance(node, ast.alias):
            bound.add(node.asname or node.name)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            bound.add(node.name)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
    _Rewriter(path, bound, naming).visit(tree)
    return frozenset(stored)


class _Rewriter(Expressions):
    # Scopes

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.decorator_list = [self._decorator(each) for each in node.decorator_list]
        node.bases = [self._base(each) for each in node.bases]
        node.keywords = [self.visit(each) for each in node.keywords]
        self._classes.append(node.name)
        self._scopes.append(node.name)
        bare = not node.keywords and not node.decorator_list
        self._bare_class.append(bare and all(is_named(base, "object") for base in node.bases))
        node.body = self._statements(node.body)
        self._bare_class.pop()
        self._scopes.pop()
        self._classes.pop()
        if node.bases or node.keywords:
            node.decorator_list.append(self._helper("made", node, []))
        return node

    def _base(self, node: ast.expr) -> ast.expr:
        return node if isinstance(node, ast.Name | ast.Attribute) else self._expression(node)

    def _decorator(self, node: ast.expr) -> ast.expr:
        if isinstance(node, ast.Name) and node.id in self._untouched:
            return node
        return self._helper("call", node, [self._plain(node)])

    def _plain(self, node: ast.expr) -> ast.expr:
        """An expression that is about to be called: its attribute is fetched, not read."""
        return self._expression(node)

    def _statements(self, body: list[ast.stmt]) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        for each in body:
            found: Any = self.visit(each)
            made += found if isinstance(found, list) else [found]
        return made

    def visit_FunctionDef(self, node: Any) -> ast.AST:
        node.decorator_list = [self._decorator(each) for each in node.decorator_list]
        self._defaults(node.args)
        is_method = bool(self._bare_class) and bool(self._scopes) and self._scopes[-1] == self._classes[-1]
        first = node.args.args[0].arg if node.args.args else ""
        if is_method and node.name == "__del__":
            return self._hushed(node)
        is_plain = is_method and self._bare_class[-1] and bool(first) and not node.decorator_list
        self._plain_selves.append(first if is_plain else "")
        self._scopes += [node.name, "<locals>"]
        name = ".".join(self._scopes[:-1])
        node.body = self._statements(node.body)
        self._bare_class.append(False)
        self._bare_class.pop()
        del self._scopes[-2:]
        self._plain_selves.pop()
        self._watch(node, name)
        return cast(ast.AST, node)

    visit_AsyncFunctionDef = visit_FunctionDef

    def _defaults(self, args: ast.arguments) -> None:
        args.defaults = [self._expression(each) for each in args.defaults]
        args.kw_defaults = [each and self._expression(each) for each in args.kw_defaults]

    def _watch(self, node: Any, name: str) -> None:
        """Note when the library calls a function of the client, and how the function ends."""
        body: list[ast.stmt] = node.body
        start = 1 if ast.get_docstring(node, clean=False) is not None else 0
        rest = body[start:]
        where = rest[0] if rest else body[0]
        site, names = self._site(node, name)
        entry = located(ast.Expr(self._named("entry", where, [site, *names])), where)
        if not rest:
            rest = [located(ast.Pass(), where)]
        done = located(ast.Expr(self._named("done", rest[-1], [])), rest[-1])
        node.body = [*body[:start], entry, located(ast.Try(rest, [], [], [done]), where)]

    def _hushed(self, node: Any) -> ast.AST:
        """A destructor as it stands, with nothing recorded while it runs."""
        start = 1 if ast.get_docstring(node, clean=False) is not None else 0
        rest = node.body[start:]
        if rest:
            hush = located(ast.Expr(self._named("hush", rest[0], [])), rest[0])
            unhush = located(ast.Expr(self._named("unhush", rest[-1], [])), rest[-1])
            node.body[start:] = [hush, located(ast.Try(rest, [], [], [unhush]), rest[0])]
        return cast(ast.AST, node)

    def _site(self, node: Any, name: str) -> tuple[ast.expr, list[ast.expr]]:
        args: ast.arguments = node.args
        every = [*args.posonlyargs, *args.args, *args.kwonlyargs]
        every += [each for each in (args.vararg, args.kwarg) if each is not None]
        names = tuple(each.arg for each in every)
        at = f"{self._path}:{node.lineno}:{node.col_offset}"
        where = node.body[0] if isinstance(node.body, list) else node.body
        constant = located(tuple_of((at, name, names)), where)
        return constant, [located(ast.Name(each, ast.Load()), where) for each in names]

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        self._defaults(node.args)
        self._scopes += ["<lambda>", "<locals>"]
        name = ".".join(self._scopes[:-1])
        site, names = self._site(node, name)
        body = self._expression(node.body)
        del self._scopes[-2:]
        entry = self._named("lambda_entry", node.body, [site, *names])
        if not yields(node.body):
            node.body = self._named("lambda_leave", node.body, [entry, body])
        return node

    def visit_Return(self, node: ast.Return) -> ast.AST:
        if node.value is None:
            return node
        node.value = self._named("leave", node.value, [self._expression(node.value)])
        return node

    def visit_Yield(self, node: ast.Yield) -> ast.AST:
        if node.value is not None:
            at = f"{self._path}:{node.lineno}:{node.col_offset}"
            name = ".".join(self._scopes[:-1])
            site = located(tuple_of((at, name, ())), node)
            node.value = self._named("give", node.value, [site, self._expression(node.value)])
        return node

    def visit_YieldFrom(self, node: ast.YieldFrom) -> ast.AST:
        node.value = self._helper("iterate", node.value, [self._expression(node.value)])
        return node

    # What is left as it is

    def visit_arg(self, node: ast.arg) -> ast.AST:
        return node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        node.body = self._statements(node.body)
        return node

    def visit_match_case(self, node: ast.match_case) -> ast.AST:
        if node.guard is not None:
            node.guard = self._test(node.guard)
        node.body = self._statements(node.body)
        return node

    # Statements

    def generic_visit(self, node: ast.AST) -> ast.AST:
        for name in ("body", "orelse", "finalbody"):
            held = getattr(node, name, None)
            if isinstance(held, list) and held and isinstance(held[0], ast.stmt):
                setattr(node, name, self._statements(held))
        for name, held in ast.iter_fields(node):
            if isinstance(held, list):
                if held and isinstance(held[0], ast.stmt):
                    continue
                setattr(
                    node, name, [self.visit(each) if isinstance(each, ast.AST) else each for each in held]
                )
            elif isinstance(held, ast.AST):
                setattr(node, name, self.visit(held))
        return node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> Any:
        if node.level or node.module is None or not self._naming.owner(node.module):
            return node
        if any(alias.name == "*" for alias in node.names):
            return node
        names = located(tuple_of(tuple(alias.name for alias in node.names)), node)
        loads = [located(ast.Name(self._mangled(a.asname or a.name), ast.Load()), node) for a in node.names]
        values = located(ast.Tuple(cast(list[ast.expr], loads), ast.Load()), node)
        module = located(ast.Constant(node.module), node)
        return [node, located(ast.Expr(self._helper("imported", node, [module, names, values])), node)]

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        value = self._expression(node.value)
        if len(node.targets) == 1:
            target = node.targets[0]
            if isinstance(target, ast.Attribute | ast.Subscript) and not self._is_plain(target):
                return located(ast.Expr(self._store(target, value)), node)
            if isinstance(target, ast.Tuple | ast.List) and not isinstance(node.value, ast.Tuple | ast.List):
                value = self._helper("iterate", node.value, [value])
        node.targets = [self._target(each) for each in node.targets]
        node.value = value
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is not None:
            node.value = self._expression(node.value)
        return node

    def _store(self, target: ast.Attribute | ast.Subscript, value: ast.expr) -> ast.expr:
        holder = self._expression(target.value)
        if isinstance(target, ast.Attribute):
            return self._helper("store", target, [value, holder, self._name(target)])
        return self._helper("store_item", target, [value, holder, self._slice(target.slice)])

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        target = node.target
        value = self._expression(node.value)
        number, name = BINARY[type(node.op)]

        def operate(left: ast.expr) -> ast.expr:
            return self._helper(
                "inplace", node, [numeral(number, node), text(f"__i{name}__", node), left, value]
            )

        if isinstance(target, ast.Name):
            loaded = located(ast.Name(target.id, ast.Load()), target)
            return located(ast.Assign([target], operate(loaded)), node)
        if not isinstance(target.value, ast.Name) or self._is_plain(target):
            node.value = value
            return node
        holder = target.value
        if isinstance(target, ast.Attribute):
            held = self._helper("load", target, [again(holder), self._name(target)])
            stored = [operate(held), again(holder), self._name(target)]
            return located(ast.Expr(self._helper("store", target, stored)), node)
        if not isinstance(target.slice, ast.Name | ast.Constant):
            node.value = value
            return node
        held = self._helper("item", target, [again(holder), again(target.slice)])
        stored = [operate(held), again(holder), again(target.slice)]
        return located(ast.Expr(self._helper("store_item", target, stored)), node)

    def visit_Delete(self, node: ast.Delete) -> Any:
        if len(node.targets) != 1:
            node.targets = [self._target(each) for each in node.targets]
            return node
        target = node.targets[0]
        if isinstance(target, ast.Attribute):
            made = self._helper("delete", target, [self._expression(target.value), self._name(target)])
        elif isinstance(target, ast.Subscript):
            held = [self._expression(target.value), self._slice(target.slice)]
            made = self._helper("delete_item", target, held)
        else:
            return node
        return located(ast.Expr(made), node)

    def visit_For(self, node: Any) -> ast.AST:
        helper = "async_iterate" if isinstance(node, ast.AsyncFor) else "iterate"
        node.iter = self._iterated(helper, node.iter)
        node.target = self._target(node.target)
        node.body = self._statements(node.body)
        node.orelse = self._statements(node.orelse)
        return cast(ast.AST, node)

    visit_AsyncFor = visit_For

    def _iterated(self, helper: str, node: ast.expr) -> ast.expr:
        made = self._expression(node)
        if isinstance(node, ast.Constant | ast.List | ast.Tuple | ast.Dict | ast.Set | ast.ListComp):
            return made
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FRESH:
            return made
        return self._helper(helper, node, [made])

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        node.iter = self._iterated("async_iterate" if node.is_async else "iterate", node.iter)
        node.target = self._target(node.target)
        node.ifs = [self._test(each) for each in node.ifs]
        return node

    def visit_With(self, node: Any) -> ast.AST:
        helper = "async_manage" if isinstance(node, ast.AsyncWith) else "manage"
        for item in node.items:
            item.context_expr = self._helper(helper, item.context_expr, [self._expression(item.context_expr)])
            if item.optional_vars is not None:
                item.optional_vars = self._target(item.optional_vars)
        node.body = self._statements(node.body)
        return cast(ast.AST, node)

    visit_AsyncWith = visit_With

    def visit_If(self, node: Any) -> ast.AST:
        node.test = self._test(node.test)
        node.body = self._statements(node.body)
        node.orelse = self._statements(node.orelse)
        return cast(ast.AST, node)

    visit_While = visit_If

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        node.test = self._test(node.test)
        node.body, node.orelse = self._expression(node.body), self._expression(node.orelse)
        return node

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        node.test = self._test(node.test)
        node.msg = node.msg and self._expression(node.msg)
        return node
