"""Iterators whose items are read when they are made are refused where these change before all are taken.

it = iter(d.values())
a = next(it)
d["b"] = 5 * x            # the next item, which Python reads when it is asked for
b = next(it)

Lists are read item by item, as Python does; what dicts, `zip` and `reversed` give is a list that was made before.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Iterator

from tangent.errors import TangentError
from tangent.normalise.context import Context
from tangent.normalise.steady import VIEWS, Known
from tangent.runtime.writers import WRITING_METHODS
from tangent.source.naming import is_library
from tangent.source.read import read
from tangent.source.resolve import MISSING
from tangent.syntax.walk import walk

PARTS = ("body", "orelse", "finalbody")
LOOPS = (ast.For, ast.While)
FUNCTIONS = (ast.FunctionDef, ast.Lambda)
JOINING = (zip, reversed)
COUNTING = (iter, enumerate)


class Meanwhile:
    """What a function changes between the making of an iterator and the last item that it is asked for."""

    def __init__(self, f: ast.FunctionDef, context: Context) -> None:
        self.f, self.context = f, context
        self.known = Known(f, context)
        self.order: list[tuple[ast.stmt, tuple[ast.stmt, ...]]] = list(_in_order(f.body, ()))

    def require_same(self, v: str, s: ast.Assign, body: list[ast.stmt], given: dict[str, ast.expr]) -> None:
        """Refuse an iterator `v`, made in `s`, if something that was read when it was made changes meanwhile.

        `body` are the statements of a generator that it runs, `given` what its parameters are given.
        """
        over = [n.iter for x in body for n in walk(x) if isinstance(n, ast.For)] if body else [s.value]
        over = [given.get(e.id, e) if isinstance(e, ast.Name) else e for e in over]
        read_at = [found for e in over for found in read_when_made(e, self.context)]
        if not read_at:
            return
        between = self.between(v, s)
        nodes = [n for x in between for n in _own(x)]
        inside = [g for g in walk(self.f) if isinstance(g, FUNCTIONS) and g is not self.f]
        nodes += [n for g in inside for n in walk(g)]
        nodes += [n for x in body for n in walk(x)]
        items = _taken(v, nodes)
        for d, keys_only in read_at:
            if any(self.changes(n, d, items, keys_only) for n in nodes):
                shown = ast.unparse(d)
                raise self.context.refuse(
                    s, f"an iterator over '{shown}', which changes before all items are taken",
                    "its items were read when it was made", f"Iterate over a copy of '{shown}', or write a loop.",
                )  # fmt: skip

    def between(self, v: str, s: ast.stmt) -> list[ast.stmt]:
        """The statements that may run after an iterator was made and before it is asked for the last time."""
        first = next((i for i, (x, _) in enumerate(self.order) if x is s), -1)
        around = self.order[first][1] if first >= 0 else ()
        last = first
        for i, (x, loops) in enumerate(self.order):
            if any(isinstance(n, ast.Name) and n.id == v and isinstance(n.ctx, ast.Load) for n in _own(x)):
                outer = next((loop for loop in loops if loop not in around), None)
                inside = [k for k, (_, others) in enumerate(self.order) if outer is not None and outer in others]
                last = max(last, i, *inside)
        return [x for x, _ in self.order[first + 1 : last + 1]]

    def changes(self, n: ast.AST, d: ast.expr, items: frozenset[str], keys_only: bool) -> bool:
        """Whether a node may change what `d` holds; or, of a dict of which only keys are read, which keys it has."""
        match n:
            case ast.Subscript(value=value, slice=place, ctx=ast.Store() | ast.Del()) if self.known.is_same(value, d):
                if not keys_only or isinstance(n.ctx, ast.Del):
                    return True
                is_dict = self.known.kind(d) is dict or (isinstance(place, ast.Constant) and type(place.value) is str)
                return is_dict and not (isinstance(place, ast.Name) and place.id in items)
            case ast.AugAssign(target=target):
                return self.known.is_same(target, d)
            case ast.Call(func=ast.Attribute(value=value, attr=attr)) if attr in WRITING_METHODS:
                return self.known.is_same(value, d)
            case ast.Call(func=func, args=args, keywords=keywords):
                given = [*args, *(k.value for k in keywords)]
                return any(self.known.is_same(a, d) for a in given) and self.may_write(func)
            case _:
                return False

    def may_write(self, func: ast.expr) -> bool:
        """Whether a function may change what it is given."""
        found = self.context.scope.resolve(func)
        if found is MISSING:
            return True
        if is_library(found) or not isinstance(found, types.FunctionType):
            return False
        try:
            nodes = walk(read(found).tree)
        except TangentError:
            return True
        return any(_writes(n) for n in nodes)


def _writes(n: ast.AST) -> bool:
    match n:
        case ast.Subscript(ctx=ast.Store() | ast.Del()):
            return True
        case ast.Call(func=ast.Attribute(attr=attr)):
            return attr in WRITING_METHODS
        case _:
            return False


def read_when_made(e: ast.expr, context: Context, inner: bool = False) -> Iterator[tuple[ast.expr, bool]]:
    """What an iterable reads when it is made a list, and whether that is its keys alone."""
    match e:
        case ast.Call(func=ast.Attribute(value=d, attr=attr), args=[]) if attr in VIEWS:
            yield d, attr == "keys"
        case ast.Call(func=func, args=args) if (found := context.scope.resolve(func)) in (*JOINING, *COUNTING):
            for a in args:
                yield from read_when_made(a, context, inner or found in JOINING)
        case ast.Name() | ast.Attribute() | ast.Subscript():
            yield e, not inner


def _taken(v: str, nodes: list[ast.AST]) -> frozenset[str]:
    """The variables that hold items of an iterator, among them the keys of what it runs over."""
    found: set[str] = set()
    for n in nodes:
        match n:
            case ast.Assign(targets=[ast.Name(id=item)], value=ast.Call(args=[ast.Name(id=x), *_])) if x == v:
                found.add(item)
            case ast.For(target=ast.Name(id=item)):
                found.add(item)
    return frozenset(found)


def _in_order(body: list[ast.stmt], loops: tuple[ast.stmt, ...]) -> Iterator[tuple[ast.stmt, tuple[ast.stmt, ...]]]:
    """The statements in the order in which they stand, with the loops around each."""
    for s in body:
        inner = (*loops, s) if isinstance(s, LOOPS) else loops
        yield s, inner
        if not isinstance(s, (ast.FunctionDef, ast.ClassDef)):
            for block in _blocks(s):
                yield from _in_order(block, inner)


def _blocks(s: ast.AST) -> Iterator[list[ast.stmt]]:
    yield from (block for part in PARTS if (block := getattr(s, part, None)))
    for inner in (*getattr(s, "handlers", ()), *getattr(s, "cases", ())):
        yield from _blocks(inner)


def _own(s: ast.stmt) -> Iterator[ast.AST]:
    """The nodes of a statement, without the blocks in it."""
    yield s
    for child in ast.iter_child_nodes(s):
        if isinstance(child, ast.expr):
            yield from walk(child)
