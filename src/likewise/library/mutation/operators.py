"""Small and extreme changes to one function's source.

Only the standard library is used: this is imported into the processes that run the client's tests.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass

Function = ast.FunctionDef | ast.AsyncFunctionDef
EXTREME = "extreme"
NOTHING = "nothing"
"""Everything is done as for a mutant, but nothing is changed: what is noticed then is our own doing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutation:
    """One change to one function: which operator, at which of the places that it fits, and in words."""

    qualname: str
    operator: str
    index: int
    line: int
    about: str
    default: str = ""
    """For an extreme change: what the function returns instead, as source."""


def functions(tree: ast.Module) -> dict[str, Function]:
    """Every function of a module that can be reached by a name, by its qualified name."""
    found: dict[str, Function] = {}

    def visit(node: ast.AST, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, Function):
                found[prefix + child.name] = child  # the last definition of a name is the one that counts
                visit(child, f"{prefix}{child.name}.<locals>.")
            elif isinstance(child, ast.ClassDef):
                visit(child, f"{prefix}{child.name}.")
            elif not isinstance(child, ast.Lambda):
                visit(child, prefix)

    visit(tree, "")
    return found


def mutations(function: Function, qualname: str) -> Iterator[Mutation]:
    """Every fine-grained change that fits a function, in the order of its lines."""
    found: list[Mutation] = []
    for name, (fits, about, _) in OPERATORS.items():
        places = [node for node in _inside(function) if fits(node)]
        found += [
            Mutation(
                qualname=qualname,
                operator=name,
                index=number,
                line=getattr(node, "lineno", function.lineno),
                about=about(node),
            )
            for number, node in enumerate(places)
        ]
    yield from sorted(found, key=lambda each: (each.line, each.operator, each.index))


def extreme(function: Function, qualname: str, default: str) -> Mutation:
    """The whole body replaced by a default."""
    return Mutation(
        qualname=qualname,
        operator=EXTREME,
        index=0,
        line=function.lineno,
        about=f"returns {default} at once",
        default=default,
    )


def apply(tree: ast.Module, mutation: Mutation) -> ast.Module:
    """A module with one change; the lines of everything else stay what they were."""
    changed = copy.deepcopy(tree)
    _change(functions(changed)[mutation.qualname], mutation)
    return ast.fix_missing_locations(changed)


def changed(function: Function, mutation: Mutation) -> Function:
    """A function with one change, for itself."""
    made = copy.deepcopy(function)
    _change(made, mutation)
    return made


def _change(function: Function, mutation: Mutation) -> None:
    if mutation.operator == NOTHING:
        return
    if mutation.operator == EXTREME:
        function.body = _default_body(function, mutation.default)
        return
    fits, _, change = OPERATORS[mutation.operator]
    places = [node for node in _inside(function) if fits(node)]
    _Replace(places[mutation.index], change).visit(function)


def is_generator(function: Function) -> bool:
    """Whether calling the function makes a generator."""
    return any(isinstance(node, ast.Yield | ast.YieldFrom) for node in _own(function))


def _default_body(function: Function, default: str) -> list[ast.stmt]:
    head = function.body[:1] if ast.get_docstring(function, clean=False) is not None else []
    body: list[ast.stmt] = [ast.Return(value=ast.parse(default, mode="eval").body)]
    if is_generator(function):
        body = [ast.Return(value=None), ast.Expr(value=ast.Yield(value=None))]
    for statement in body:
        ast.copy_location(statement, function.body[0])
    return [*head, *body]


def _own(function: Function) -> Iterator[ast.AST]:
    """The nodes of a function without those of functions and classes inside it."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop(0)
        yield node
        if not isinstance(node, Function | ast.Lambda | ast.ClassDef):
            waiting[:0] = list(ast.iter_child_nodes(node))


def _inside(function: Function) -> Iterator[ast.AST]:
    """The nodes that may be changed: no docstrings, annotations, or functions with a name of their own."""
    skipped: set[int] = set()
    for node in _own(function):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.AnnAssign):
            skipped.update(id(each) for each in ast.walk(node.annotation))
        if isinstance(node, ast.JoinedStr):
            for each in ast.walk(node):
                if isinstance(each, ast.FormattedValue) and each.format_spec is not None:
                    skipped.update(id(part) for part in ast.walk(each.format_spec))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            skipped.add(id(node.value))
            continue
        yield node


class _Replace(ast.NodeTransformer):
    """Puts another node in the place of one."""

    def __init__(self, wanted: ast.AST, change: Callable[[ast.AST], ast.AST]) -> None:
        self._wanted, self._change = wanted, change

    def visit(self, node: ast.AST) -> ast.AST:
        if node is self._wanted:
            return ast.copy_location(self._change(node), node)
        return super().generic_visit(node)


_COMPARE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
}
_NEGATE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
}


def _is_number(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def _next_number(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.Constant)
    assert isinstance(node.value, int | float)
    return ast.Constant(value=node.value + 1)


def _is_constant(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str | bytes | bool)


def _other_constant(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.Constant)
    match node.value:
        case bool():
            return ast.Constant(value=not node.value)
        case bytes():
            return ast.Constant(value=node.value + b"?" if node.value else b"?")
        case _:
            return ast.Constant(value=f"{node.value}?")


def _is_boundary(node: ast.AST) -> bool:
    return isinstance(node, ast.Compare) and type(node.ops[0]) in _COMPARE


def _other_boundary(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.Compare)
    first = _COMPARE[type(node.ops[0])]()
    return ast.Compare(left=node.left, ops=[first, *node.ops[1:]], comparators=node.comparators)


def _is_comparison(node: ast.AST) -> bool:
    return isinstance(node, ast.Compare) and type(node.ops[0]) in _NEGATE


def _other_comparison(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.Compare)
    first = _NEGATE[type(node.ops[0])]()
    return ast.Compare(left=node.left, ops=[first, *node.ops[1:]], comparators=node.comparators)


def _is_branch(node: ast.AST) -> bool:
    return isinstance(node, ast.If | ast.IfExp)


def _swapped(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.If | ast.IfExp)
    test = ast.copy_location(ast.UnaryOp(op=ast.Not(), operand=node.test), node.test)
    if isinstance(node, ast.If):
        return ast.If(test=test, body=node.body, orelse=node.orelse)
    return ast.IfExp(test=test, body=node.body, orelse=node.orelse)


def _is_arithmetic(node: ast.AST) -> bool:
    # A format with % is no arithmetic; text is joined by + as well, and then the change raises: it is kept.
    if not isinstance(node, ast.BinOp) or type(node.op) not in _ARITHMETIC:
        return False
    is_text = isinstance(node.left, ast.Constant | ast.JoinedStr) and not _is_number(node.left)
    return not (isinstance(node.op, ast.Mod) and is_text)


def _other_arithmetic(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.BinOp)
    return ast.BinOp(left=node.left, op=_ARITHMETIC[type(node.op)](), right=node.right)


def _is_connective(node: ast.AST) -> bool:
    return isinstance(node, ast.BoolOp)


def _other_connective(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.BoolOp)
    return ast.BoolOp(op=ast.Or() if isinstance(node.op, ast.And) else ast.And(), values=node.values)


def _is_effect(node: ast.AST) -> bool:
    """A statement that is there for what it does: a bare call, or a store into something that outlives it."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Call | ast.Await)
    if isinstance(node, ast.Assign):
        return all(isinstance(target, ast.Attribute | ast.Subscript) for target in node.targets)
    if isinstance(node, ast.AugAssign):
        return True
    return isinstance(node, ast.Delete)


def _dropped(node: ast.AST) -> ast.AST:
    return ast.Pass()


def _is_raise(node: ast.AST) -> bool:
    return isinstance(node, ast.Raise) and node.exc is not None


def _other_raise(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.Raise)
    error = ast.Call(
        func=ast.Name(id="RuntimeError", ctx=ast.Load()),
        args=[ast.Constant(value="another error")],
        keywords=[],
    )
    return ast.Raise(exc=error, cause=None)


def _is_result(node: ast.AST) -> bool:
    return isinstance(node, ast.Return) and node.value is not None and not _is_none(node.value)


def _no_result(node: ast.AST) -> ast.AST:
    return ast.Return(value=ast.Constant(value=None))


def _is_none(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _about(text: str) -> Callable[[ast.AST], str]:
    def say(node: ast.AST) -> str:
        shown = ast.unparse(node).splitlines()[0]
        return f"{text}: {shown[:80]}"

    return say


OPERATORS: dict[
    str, tuple[Callable[[ast.AST], bool], Callable[[ast.AST], str], Callable[[ast.AST], ast.AST]]
] = {
    "off by one": (_is_number, _about("one more"), _next_number),
    "boundary": (_is_boundary, _about("limit moved"), _other_boundary),
    "comparison": (_is_comparison, _about("comparison turned round"), _other_comparison),
    "swapped branch": (_is_branch, _about("condition negated"), _swapped),
    "arithmetic": (_is_arithmetic, _about("another operator"), _other_arithmetic),
    "connective": (_is_connective, _about("and for or, or for and"), _other_connective),
    "changed constant": (_is_constant, _about("another constant"), _other_constant),
    "dropped side effect": (_is_effect, _about("left out"), _dropped),
    "changed exception": (_is_raise, _about("another exception"), _other_raise),
    "dropped result": (_is_result, _about("returns None"), _no_result),
}
"""For each operator: where it fits, how to say what it does, and the change."""
