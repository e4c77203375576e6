"""An array of which only the last version is used is changed in place, in memory of its own.

x = append(x, row)              x = with_room(x)      (once, at the start)
x = setitem(x, i, v)      ->    x = extended(x, row)
                                x = put_rows(x, i, v)

What is read of it is a view then, and copied where it is kept beyond the next change.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from tangent import runtime
from tangent.optimise.context import Body
from tangent.optimise.shaped.calls import REDUCTIONS
from tangent.optimise.shaped.kinds import INT, Kind, Number, Rows
from tangent.optimise.shaped.undone import undone
from tangent.runtime.persistent import PersistentArray, append, setitem
from tangent.syntax.print import Comment
from tangent.syntax.quote import assign, expression, name
from tangent.syntax.rebuild import blocks, rebuild, replace, statements
from tangent.syntax.uses import writes

Resolve = Callable[[ast.expr], Any]
Use = Callable[[Any, str], str]
PLAIN = (ast.Assign, ast.AugAssign, ast.Expr, ast.For, ast.While, ast.If, ast.Return, ast.Pass, Comment)
TANGENTS = (runtime.appended_row, runtime.replaced_item)
OF_FIRST = (runtime.count, runtime.init_grad, runtime.lazy_zero, np.shape, np.size, len)  # look at form and dtype
OF_OTHERS = (runtime.spread, runtime.check_seed, runtime.unbroadcast, runtime.settled, runtime.scatter)


def in_place(body: Body, kinds: dict[str, Kind], resolve: Resolve, use: Use) -> Body:
    """The body with such arrays changed in place; `kinds` are those of the arguments."""
    if not all(type(s) in PLAIN for s in statements(body)):
        return body
    integers = frozenset(v for v, k in kinds.items() if k == INT)
    copied = False
    for v in _changed(body, resolve, (append, setitem)):
        chain = Chain(v, resolve, kinds.get(v))
        if chain.fits(body, copied):
            body = _rewritten(body, chain, use, integers)
            copied = True
    return body


def with_plain_tangents(body: Body, kinds: dict[str, Kind], resolve: Resolve, use: Use) -> Body:
    """Tangents that go from version to version, too, as arrays: `dx = appended_row(dx, x, r)` is `append(dx, r)`."""
    for v in _changed(body, resolve, TANGENTS):
        new = _block(body, lambda s, v=v: _plain_tangent(s, v, resolve, use))  # type: ignore[misc]
        if isinstance(kinds.get(v), Number) and Chain(v, resolve, kinds.get(v)).fits(new):
            body = new
    return body


def _changed(body: Body, resolve: Resolve, functions: tuple[Any, ...]) -> list[str]:
    """The variables that are given new versions of an array."""
    found: dict[str, None] = {}
    for s in statements(body):
        match s:
            case ast.Assign(targets=[ast.Name(id=v)], value=ast.Call(func=func)) if resolve(func) in functions:
                found[v] = None
    return list(found)


def _plain_tangent(s: ast.stmt, v: str, resolve: Resolve, use: Use) -> ast.stmt:
    match s:
        case ast.Assign(targets=[ast.Name(id=t)], value=ast.Call(func=func, args=[d, _, *rest]) as value) if t == v:
            made = {runtime.appended_row: append, runtime.replaced_item: setitem}.get(resolve(func))
            if made is not None:
                return replace(s, value=replace(value, func=name(use(made, made.__name__)), args=[d, *rest]))
    return s


def _block(body: Body, change: Callable[[ast.stmt], ast.stmt]) -> Body:
    done: Body = []
    for s in body:
        match s:
            case ast.If(body=then, orelse=other):
                done.append(replace(s, body=_block(then, change), orelse=_block(other, change)))
            case ast.For(body=inner) | ast.While(body=inner):
                done.append(replace(s, body=_block(inner, change)))
            case _:
                done.append(change(s))
    return done


@dataclass(frozen=True)
class Chain:
    """The versions of an array, all by one name."""

    array: str
    resolve: Resolve
    given: Kind | None  # that of the argument, if it is one

    def fits(self, body: Body, copied: bool = False) -> bool:
        """Whether each version is given up for the next, and nothing else holds one.

        A persistent array is copied only if all of it is used anyway, or if its tangent was copied.
        """
        if self.given is not None and not (isinstance(self.given, Rows) or _is_array(self.given)):
            return False
        whole = copied or isinstance(self.given, Number)
        for s in statements(body):
            if self.array in writes(s) and not self.links(s) and not (self.given is None and self.starts(s, body)):
                return False
            for e, around in _occurrences(s, self.array):
                if not self.reads(e, around, s):
                    return False
                whole = whole or not (isinstance(around, ast.Subscript) or self.links(s))
        return whole

    def starts(self, s: ast.stmt, body: Body) -> bool:
        """Whether a statement makes a first version: a new array, or one that follows on an array of another name."""
        match s:
            case ast.Assign(targets=[ast.Name()], value=ast.Call(func=func, args=[_], keywords=[])):
                return self.resolve(func) is PersistentArray
            case ast.Assign(targets=[ast.Name()], value=ast.Call(func=func, args=[ast.Name(id=other), *_])):
                return self.resolve(func) in (append, setitem) and other != self.array and s in body
            case _:
                return False

    def links(self, s: ast.stmt) -> bool:
        """Whether a statement replaces a version by the next: `x = setitem(x, i, v)`."""
        match s:
            case ast.Assign(
                targets=[ast.Name(id=v)], value=ast.Call(func=func, args=[ast.Name(id=old), *_] as args, keywords=[])
            ):
                counts = {append: 2, setitem: 3}
                called = self.resolve(func)
                known = called in (append, setitem) and len(args) == counts[called]
                return v == old == self.array and known
            case _:
                return False

    def appends(self, s: ast.stmt) -> bool:
        assert isinstance(s, ast.Assign) and isinstance(s.value, ast.Call)
        return self.resolve(s.value.func) is append

    def reads(self, e: ast.Name, around: ast.AST | None, s: ast.stmt) -> bool:
        """Whether what is read at a place is a part, a form or a number of the array, and not the array itself."""
        match around:
            case ast.Subscript(value=value, ctx=ast.Load()):
                return value is e
            case ast.Attribute(attr="shape" | "size" | "ndim" | "dtype"):
                return True
            case ast.BinOp() | ast.UnaryOp() | ast.Compare():
                return True
            case ast.Call(args=args):
                if isinstance(s, ast.Assign) and s.value is around and self.links(s):
                    return args[0] is e
                return any(a is e for a in args) and (self.computes(around) or self.looks_at_form(e, around))
            case _:
                return False

    def computes(self, e: ast.Call) -> bool:
        """Whether a call gives something of its own."""
        called = self.resolve(e.func)
        return (isinstance(called, np.ufunc) or called in REDUCTIONS) and not any(k.arg == "out" for k in e.keywords)

    def looks_at_form(self, e: ast.expr, around: ast.Call) -> bool:
        """Whether a call reads no more than shape and dtype of an argument, and does not give it back."""
        called = self.resolve(around.func)
        return any(called is f for f in (OF_FIRST if around.args[0] is e else OF_OTHERS))

    def is_used_up(self, e: ast.expr, around: ast.AST | None, s: ast.stmt) -> bool:
        """Whether what stands at a place is read before anything changes, and not kept."""
        match around:
            case ast.BinOp() | ast.UnaryOp() | ast.Compare():
                return True
            case ast.Call():
                links = isinstance(s, ast.Assign) and s.value is around and self.links(s)
                return links or self.computes(around) or self.looks_at_form(e, around)
            case _:
                return False


def _occurrences(s: ast.stmt, v: str) -> Iterator[tuple[ast.Name, ast.AST | None]]:
    """Where a statement itself reads a name, with the expression around it."""
    for part in _parts(s):
        yield from _inside(part, None, v)


def _parts(s: ast.stmt) -> list[ast.AST]:
    match s:
        case ast.If(test=test) | ast.While(test=test):
            return [test]
        case ast.For(iter=iter):
            return [iter]
        case _:
            return [x for x in ast.iter_child_nodes(s) if isinstance(x, ast.expr)]


def _inside(e: ast.AST, around: ast.AST | None, v: str) -> Iterator[tuple[ast.Name, ast.AST | None]]:
    if isinstance(e, ast.Name) and e.id == v and isinstance(e.ctx, ast.Load):
        yield e, around
    for x in ast.iter_child_nodes(e):
        yield from _inside(x, e, v)


def _rewritten(body: Body, chain: Chain, use: Use, integers: frozenset[str]) -> Body:
    extended, put, room = (use(f, f.__name__) for f in (runtime.extended, runtime.put_rows, runtime.with_room))
    shelf = partial(use, runtime.kept_rows, "kept_rows")
    body, shelves = undone(body, chain.array, chain.links, chain.appends, integers, shelf)
    views = _brief(body, chain)
    starts = {s for s in statements(body) if chain.starts(s, body)}

    def block(part: Body) -> Body:
        return [statement(s) for s in part]

    def statement(s: ast.stmt) -> ast.stmt:
        match s:
            case ast.If(test=test, body=then, orelse=other):
                return replace(s, test=copied(test, s), body=block(then), orelse=block(other))
            case ast.For(iter=iter, body=inner):
                return replace(s, iter=copied(iter, s), body=block(inner))
            case ast.While(test=test, body=inner):
                return replace(s, test=copied(test, s), body=block(inner))
            case ast.Assign(value=value) if chain.array in writes(s) and s in starts:
                return replace(s, value=ast.Call(name(room), [value], []))
            case ast.Assign(value=ast.Call(func=func) as value) if chain.links(s):
                called = extended if chain.resolve(func) is append else put
                new = copied(value, s)
                assert isinstance(new, ast.Call)
                return replace(s, value=replace(new, func=name(called)))
            case ast.Assign(value=ast.Subscript()) if chain.array in writes(s) or _is_place(s.targets[0], shelves):
                return s
            case ast.Assign(value=value) | ast.AugAssign(value=value) | ast.Expr(value=value):
                return s if s in views else replace(s, value=copied(value, s))
            case ast.Return(value=value) if value is not None:
                return replace(s, value=copied(value, s))
            case _:
                return s

    def copied(e: ast.expr, s: ast.stmt) -> ast.expr:
        """Parts of the array are copied where they are kept."""
        parts = [(x, around) for x, around in _with_surroundings(e, None) if _is_part(x, chain)]
        kept = [x for x, around in parts if not chain.is_used_up(x, around, s)]
        return rebuild(e, lambda x: expression("x.copy()", x=x) if any(_same(x, k) for k in kept) else x) if kept else e

    start = assign(chain.array, ast.Call(name(room), [name(chain.array)], []), body[0])
    return [*([start] if chain.given is not None else []), *block(body)]


def _is_array(kind: Kind) -> bool:
    return isinstance(kind, Number) and kind.rank > 0


def _is_place(e: ast.expr, arrays: set[str]) -> bool:
    return isinstance(e, ast.Subscript) and isinstance(e.value, ast.Name) and e.value.id in arrays


def _same(a: ast.expr, b: ast.expr) -> bool:
    return a is b or (type(a) is type(b) and ast.dump(a) == ast.dump(b))


def _with_surroundings(e: ast.AST, around: ast.AST | None) -> Iterator[tuple[ast.expr, ast.AST | None]]:
    if isinstance(e, ast.expr):
        yield e, around
    for x in ast.iter_child_nodes(e):
        yield from _with_surroundings(x, e)


def _is_part(e: ast.expr, chain: Chain) -> bool:
    return isinstance(e, ast.Subscript) and isinstance(e.value, ast.Name) and e.value.id == chain.array


def _brief(body: Body, chain: Chain) -> set[ast.stmt]:
    """All `t = x[i]` where t is read by arithmetic before the array changes, and nowhere else."""
    made: dict[str, list[ast.stmt]] = {}
    for s in statements(body):
        for v in writes(s):
            made.setdefault(v, []).append(s)
    found: set[ast.stmt] = set()
    for t, defined in made.items():
        if all(isinstance(s, ast.Assign) and len(s.targets) == 1 and _is_part(s.value, chain) for s in defined):
            windows = {x for s in defined for x in _window(s, body, chain)}
            read = [(x, e, around) for x in statements(body) for e, around in _occurrences(x, t)]
            if t != chain.array and all(x in windows and chain.is_used_up(e, around, x) for x, e, around in read):
                found.update(defined)
    return found


def _window(s: ast.stmt, body: Body, chain: Chain) -> set[ast.stmt]:
    """The statements behind one in its block, up to the next that changes the array."""
    block = next(b for b in blocks(body) if any(x is s for x in b))
    start = next(i for i, x in enumerate(block) if x is s)
    rest = block[start + 1 :]
    end = next((i for i, x in enumerate(rest) if any(chain.array in writes(y) for y in statements([x]))), len(rest))
    return {x for y in rest[:end] for x in statements([y])} | {x for x in rest[end : end + 1] if chain.links(x)}
