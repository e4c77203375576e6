"""Which variables may hold one thing, and which of them code writes into; both as far as the text tells."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator

from tangent.runtime.writers import WRITING_METHODS
from tangent.syntax.uses import assigned_inside, target_names
from tangent.syntax.walk import walk

Fresh = Callable[[ast.Call], bool]  # whether a call gives something that nobody else holds


def held(e: ast.expr | None, fresh: Fresh) -> set[str]:
    """The variables that may hold what an expression gives, or hold something that it holds.

    >>> sorted(held(ast.parse("(a, b[0], c + d)", mode="eval").body, lambda call: False))
    ['a', 'b']
    """
    match e:
        case ast.Name(id=v):
            return {v}
        case ast.Attribute(value=value) | ast.Subscript(value=value) | ast.Starred(value=value):
            return held(value, fresh)
        case ast.NamedExpr(target=target, value=value):
            return held(target, fresh) | held(value, fresh)
        case ast.IfExp(body=body, orelse=orelse):
            return held(body, fresh) | held(orelse, fresh)
        case ast.BoolOp(values=parts) | ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
            return set().union(*(held(x, fresh) for x in parts))
        case ast.Dict(values=parts):
            return set().union(*(held(x, fresh) for x in parts))
        case ast.Call(func=func, args=args, keywords=keywords) if not fresh(e):
            owner = [func.value] if isinstance(func, ast.Attribute) else []
            return set().union(*(held(x, fresh) for x in (*owner, *args, *(k.value for k in keywords))))
        case _:
            return set()


class Sharing:
    """Variables of some statements in classes: those of one class may hold one thing."""

    def __init__(self, body: Iterable[ast.AST], fresh: Fresh) -> None:
        self._classes: dict[str, set[str]] = {}
        for s in body:
            for n in walk(s):
                for target, value in _bindings(n):
                    self.join({*target_names(target), *held(value, fresh)})

    def join(self, names: set[str]) -> None:
        found = set().union(names, *(self.of(v) for v in names))
        for v in found:
            self._classes[v] = found

    def of(self, v: str) -> set[str]:
        return self._classes.get(v, {v})

    def around(self, names: Iterable[str]) -> set[str]:
        return set().union(*(self.of(v) for v in names))


def _bindings(n: ast.AST) -> Iterator[tuple[ast.expr, ast.expr | None]]:
    match n:
        case ast.Assign(targets=targets, value=value):
            yield from ((t, value) for t in targets if not isinstance(t, (ast.Subscript, ast.Attribute)))
        case ast.AnnAssign(target=ast.Name() as target, value=value) | ast.NamedExpr(target=target, value=value):
            yield target, value
        case ast.For(target=target, iter=iter) | ast.comprehension(target=target, iter=iter):
            yield target, iter
        case ast.withitem(context_expr=value, optional_vars=ast.expr() as target):
            yield target, value


def root_of(e: ast.expr) -> str | None:
    """The variable that a path of attributes and items begins with."""
    while isinstance(e, (ast.Attribute, ast.Subscript, ast.Starred)):
        e = e.value
    return e.id if isinstance(e, ast.Name) else None


def written_into(nodes: Iterable[ast.AST], by_call: Callable[[ast.Call], set[str]]) -> tuple[set[str], set[str]]:
    """Variables into which code stores, and those that it changes by operators such as `+=`, which store into arrays.

    `by_call` tells what a call writes into, besides methods that are known to write and `out=`.
    """
    stored: set[str | None] = set()
    augmented: set[str] = set()
    for node in nodes:
        for n in walk(node):
            match n:
                case ast.Subscript(ctx=ast.Store() | ast.Del()) | ast.Attribute(ctx=ast.Store() | ast.Del()):
                    stored.add(root_of(n))
                case ast.AugAssign(target=ast.Name(id=v)):
                    augmented.add(v)
                case ast.Call(func=func, keywords=keywords):
                    stored |= by_call(n)
                    if isinstance(func, ast.Attribute) and func.attr in WRITING_METHODS:
                        stored.add(root_of(func.value))
                    stored |= {v for k in keywords if k.arg == "out" for v in held(k.value, lambda call: False)}
    return {v for v in stored if v is not None}, augmented


def rebound_in(nodes: Iterable[ast.AST]) -> set[str]:
    """Variables that code binds, also those that nested functions bind around them."""
    nodes = list(nodes)
    outer = {v for node in nodes for n in walk(node) if isinstance(n, (ast.Nonlocal, ast.Global)) for v in n.names}
    return assigned_inside(nodes) | outer
