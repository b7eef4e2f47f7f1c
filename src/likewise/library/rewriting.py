"""Rewrites a client's syntax tree so that what may cross the boundary goes through a helper.

Positions are kept: tracebacks, coverage and `inspect` show the client's own lines. A call `f(x)`
becomes `call(at, f)(x)`: the helper gives `f` itself back unless it is the library's, so that
everything else is called just as before.
"""

from __future__ import annotations

import ast
from typing import Any, TypeVar, cast

from likewise.library import handing
from likewise.library.naming import Naming

PREFIX = "@likewise."
"""Helpers are builtins whose names no source can spell."""
VERSION = 1
"""Counted up whenever the same source is rewritten differently."""
_UNTOUCHED = frozenset(
    """super locals globals vars dir eval exec breakpoint isinstance issubclass type id callable range
    property staticmethod classmethod __import__ print input open""".split()  # noqa: SIM905
)
"""Builtins that nothing can cross in."""
_BINARY = {
    ast.Add: (0, "add"),
    ast.Sub: (1, "sub"),
    ast.Mult: (2, "mul"),
    ast.Div: (3, "truediv"),
    ast.FloorDiv: (4, "floordiv"),
    ast.Mod: (5, "mod"),
    ast.Pow: (6, "pow"),
    ast.LShift: (7, "lshift"),
    ast.RShift: (8, "rshift"),
    ast.BitOr: (9, "or"),
    ast.BitXor: (10, "xor"),
    ast.BitAnd: (11, "and"),
    ast.MatMult: (12, "matmul"),
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
MIRRORED = {
    **{f"__{name}__": f"__r{name}__" for _, name in _BINARY.values()},
    **{f"__i{name}__": f"__r{name}__" for _, name in _BINARY.values()},
    "__lt__": "__gt__",
    "__le__": "__ge__",
    "__gt__": "__lt__",
    "__ge__": "__le__",
}
"""What the operand on the right is asked for."""
Made = TypeVar("Made", bound=ast.AST)


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


class _Rewriter(ast.NodeTransformer):
    def __init__(self, path: str, bound: set[str], naming: Naming) -> None:
        self._path, self._naming = path, naming
        self._untouched = _UNTOUCHED - bound
        self._builtins = handing.NAMES - bound
        self._classes: list[str] = []
        self._scopes: list[str] = []
        self._plain_selves: list[str] = [""]
        self._bare_class: list[bool] = []

    # Scopes

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.decorator_list = [self._decorator(each) for each in node.decorator_list]
        node.bases = [self._base(each) for each in node.bases]
        node.keywords = [self.visit(each) for each in node.keywords]
        self._classes.append(node.name)
        self._scopes.append(node.name)
        bare = not node.keywords and not node.decorator_list
        self._bare_class.append(bare and all(_is_named(base, "object") for base in node.bases))
        node.body = self._statements(node.body)
        self._bare_class.pop()
        self._scopes.pop()
        self._classes.pop()
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
        is_plain = is_method and self._bare_class[-1] and bool(first) and not node.decorator_list
        self._plain_selves.append(first if is_plain else "")
        self._scopes += [node.name, "<locals>"]
        name = ".".join(self._scopes[:-1])
        node.body = self._statements(node.body)
        self._bare_class.append(False)
        self._bare_class.pop()
        del self._scopes[-2:]
        self._plain_selves.pop()
        if not _is_stub(node):
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
        if not rest:
            return
        where = rest[0]
        site, names = self._site(node, name)
        entry = _located(ast.Expr(self._named("entry", where, [site, *names])), where)
        done = _located(ast.Expr(self._named("done", rest[-1], [])), rest[-1])
        node.body = [*body[:start], entry, _located(ast.Try(rest, [], [], [done]), where)]

    def _site(self, node: Any, name: str) -> tuple[ast.expr, list[ast.expr]]:
        args: ast.arguments = node.args
        every = [*args.posonlyargs, *args.args, *args.kwonlyargs]
        every += [each for each in (args.vararg, args.kwarg) if each is not None]
        names = tuple(each.arg for each in every)
        at = f"{self._path}:{node.lineno}:{node.col_offset}"
        where = node.body[0] if isinstance(node.body, list) else node.body
        constant = _located(_tuple((at, name, names)), where)
        return constant, [_located(ast.Name(each, ast.Load()), where) for each in names]

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        self._defaults(node.args)
        self._scopes += ["<lambda>", "<locals>"]
        name = ".".join(self._scopes[:-1])
        site, names = self._site(node, name)
        body = self._expression(node.body)
        del self._scopes[-2:]
        entry = self._named("lambda_entry", node.body, [site, *names])
        if not _yields(node.body):
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
            site = _located(_tuple((at, name, ())), node)
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
        names = _located(_tuple(tuple(alias.name for alias in node.names)), node)
        loads = [_located(ast.Name(self._mangled(a.asname or a.name), ast.Load()), node) for a in node.names]
        values = _located(ast.Tuple(cast(list[ast.expr], loads), ast.Load()), node)
        module = _located(ast.Constant(node.module), node)
        return [node, _located(ast.Expr(self._helper("imported", node, [module, names, values])), node)]

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        value = self._expression(node.value)
        if len(node.targets) == 1:
            target = node.targets[0]
            if isinstance(target, ast.Attribute | ast.Subscript) and not self._is_plain(target):
                return _located(ast.Expr(self._store(target, value)), node)
            if isinstance(target, ast.Tuple | ast.List) and not isinstance(node.value, ast.Tuple | ast.List):
                value = self._helper("iterate", node.value, [value])
        node.targets = [self._target(each) for each in node.targets]
        node.value = value
        return node

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
        number, name = _BINARY[type(node.op)]

        def operate(left: ast.expr) -> ast.expr:
            return self._helper(
                "inplace", node, [_number(number, node), _text(f"__i{name}__", node), left, value]
            )

        if isinstance(target, ast.Name):
            loaded = _located(ast.Name(target.id, ast.Load()), target)
            return _located(ast.Assign([target], operate(loaded)), node)
        if not isinstance(target.value, ast.Name) or self._is_plain(target):
            node.value = value
            return node
        holder = target.value
        if isinstance(target, ast.Attribute):
            held = self._helper("load", target, [_again(holder), self._name(target)])
            stored = [operate(held), _again(holder), self._name(target)]
            return _located(ast.Expr(self._helper("store", target, stored)), node)
        if not isinstance(target.slice, ast.Name | ast.Constant):
            node.value = value
            return node
        held = self._helper("item", target, [_again(holder), _again(target.slice)])
        stored = [operate(held), _again(holder), _again(target.slice)]
        return _located(ast.Expr(self._helper("store_item", target, stored)), node)

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
        return _located(ast.Expr(made), node)

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
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _FRESH:
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

    # Expressions

    def _expression(self, node: ast.expr) -> ast.expr:
        return cast(ast.expr, self.visit(node))

    def visit_Call(self, node: ast.Call) -> ast.AST:
        function = node.func
        if _is_internal(function):
            self.generic_visit(node)
            return node
        node.args = [self._argument(each) for each in node.args]
        node.keywords = [self._keyword(each) for each in node.keywords]
        if isinstance(function, ast.Name):
            if function.id in self._untouched:
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
        return bool(name) and isinstance(node, ast.Attribute) and _is_named(node.value, name)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        if not isinstance(node.ctx, ast.Load):
            return self._target(node)
        return self._helper("item", node, [self._expression(node.value), self._slice(node.slice)])

    def _slice(self, node: ast.expr) -> ast.expr:
        """What stands between brackets, fit to be an argument."""
        if isinstance(node, ast.Slice):
            parts = [self._expression(each) if each else _constant(None, node) for each in _bounds(node)]
            return _located(ast.Call(self._loaded("slice", node), parts, []), node)
        if isinstance(node, ast.Tuple):
            elts = [
                self._slice(each) if not isinstance(each, ast.Starred) else self._argument(each)
                for each in node.elts
            ]
            return _located(ast.Tuple(elts, ast.Load()), node)
        return self._expression(node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        left, right = self._expression(node.left), self._expression(node.right)
        if isinstance(node.left, ast.Constant) and isinstance(node.right, ast.Constant | ast.JoinedStr):
            node.left, node.right = left, right
            return node
        number, name = _BINARY[type(node.op)]
        held = [_number(number, node), _text(f"__{name}__", node), left, right]
        return self._helper("binary", node, held)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        if isinstance(node.op, ast.Not):
            node.operand = self._test(node.operand)
            return node
        operand = self._expression(node.operand)
        if isinstance(node.operand, ast.Constant):
            return node
        number, name = _UNARY[type(node.op)]
        return self._helper("unary", node, [_number(number, node), _text(name, node), operand])

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
        return self._helper("compare", node, [_number(number, node), _text(name, node), left, right[0]])

    def visit_Await(self, node: ast.Await) -> ast.AST:
        node.value = self._helper("wait", node.value, [self._expression(node.value)])
        return node

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.AST:
        spec = self._expression(node.format_spec) if node.format_spec else _constant("", node)
        conversion = _number(max(node.conversion, 0), node)
        value = self._expression(node.value)
        node.value = self._helper("text", node.value, [value, conversion, spec])
        node.conversion, node.format_spec = -1, None
        return node

    # Making nodes

    def _mangled(self, name: str) -> str:
        """A name as the compiler mangles it inside a class."""
        if self._classes and name.startswith("__") and not name.endswith("__") and "." not in name:
            holder = self._classes[-1].lstrip("_")
            return f"_{holder}{name}" if holder else name
        return name

    def _name(self, node: ast.Attribute) -> ast.expr:
        return _text(self._mangled(node.attr), node)

    def _helper(
        self,
        name: str,
        node: Any,
        args: list[ast.expr],
        keywords: list[ast.keyword] | None = None,
        *,
        where: ast.expr | None = None,
    ) -> ast.expr:
        at = _text(f"{self._path}:{node.lineno}:{node.col_offset}", where or node)
        return self._named(name, where or node, [at, *args], keywords)

    def _named(
        self, name: str, node: Any, args: list[ast.expr], keywords: list[ast.keyword] | None = None
    ) -> ast.expr:
        return _located(ast.Call(self._loaded(name, node), args, keywords or []), node)

    def _loaded(self, name: str, node: ast.AST) -> ast.expr:
        return _located(ast.Name(PREFIX + name, ast.Load()), node)


_ALWAYS_BOOL = (ast.Is, ast.IsNot, ast.In, ast.NotIn)
_TESTS = frozenset({"isinstance", "issubclass", "callable", "hasattr", "any", "all"})
_FRESH = frozenset({"range", "enumerate", "zip", "list", "sorted", "tuple", "dict", "set"})


def _located(made: Made, node: ast.AST) -> Made:
    return ast.copy_location(made, node)


def _tuple(value: Any) -> ast.expr:
    return ast.Constant(value)


def _constant(value: Any, node: ast.AST) -> ast.expr:
    return _located(ast.Constant(value), node)


def _number(value: int, node: ast.AST) -> ast.expr:
    return _constant(value, node)


def _text(value: str, node: ast.AST) -> ast.expr:
    return _constant(value, node)


def _again(node: ast.expr) -> ast.expr:
    """A name or constant a second time, as something to be read."""
    if isinstance(node, ast.Constant):
        return _located(ast.Constant(node.value), node)
    assert isinstance(node, ast.Name)
    return _located(ast.Name(node.id, ast.Load()), node)


def _bounds(node: ast.Slice) -> tuple[ast.expr | None, ...]:
    return node.lower, node.upper, node.step


def _is_named(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _is_internal(node: ast.AST) -> bool:
    """Whether pytest's assertion rewriting put this here."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name) and node.id.startswith("@")


def _yields(node: ast.AST) -> bool:
    return any(isinstance(each, ast.Yield | ast.YieldFrom) for each in ast.walk(node))


def _is_stub(node: Any) -> bool:
    """Whether a function has nothing to watch: its body is a docstring, `...` or `pass`."""
    return all(
        isinstance(each, ast.Pass) or (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))
        for each in node.body
    )
