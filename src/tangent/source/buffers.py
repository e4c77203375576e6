"""Functions that fill arrays of their module, or that they captured, as scratch, alone or in lists and dicts: they work
on copies of these.

work = np.empty(3)                         def f(x):
                                               work_ = own(work, x)
def f(x):                          ->          np.multiply(x, x, out=work_)
    np.multiply(x, x, out=work)                return work_.sum()
    return work.sum()

So a derivative leaves the array as it was, as it leaves its arguments. Helpers that use such an array are written out
where they are called. A function that may reach one in another way (through a method, or through a function that it is
given) is left alone: it would see the array itself.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from tangent.runtime.objects import is_object
from tangent.runtime.storage.copies import own, own_any
from tangent.source.cells import cells_of
from tangent.source.changing import Calls, written_out
from tangent.source.inlined import Definition, names_outside, written_anew
from tangent.source.kept import kept
from tangent.source.reachable import arrays_in, found_by, mentioned, reachable, sees
from tangent.source.read import definition, read
from tangent.source.stubs import stub
from tangent.syntax.names import Names, identifiers
from tangent.syntax.quote import assign, name
from tangent.syntax.rebuild import rename
from tangent.syntax.uses import arguments
from tangent.syntax.walk import walk

Buffers = tuple[str, ...]
CHANGING = frozenset("append extend insert pop remove clear reverse sort update setdefault popitem".split())

def buffers_of(function: types.FunctionType) -> Buffers:
    """The names of arrays around a function that it, or a helper written out in it, fills; none where it cannot be told
    who else sees them."""
    if hasattr(function, "tree"):
        return ()
    around = {v: x for f in (function, *reachable(function)) for v, x in _arrays(f)}
    tree = _written_out(function, around)
    filled = sorted(names_outside(tree) & _filled(tree) & around.keys() - _changed_otherwise(tree, around))
    chosen = {v: around[v] for v in filled if around[v] is found_by(v, function)}
    others = reachable(function, tree)
    return () if any(sees(f, x) for f in others for x in chosen.values()) else tuple(chosen)


def owning_buffers(function: types.FunctionType, buffers: Buffers) -> types.FunctionType:
    """The function that works on copies of some arrays around it."""
    return kept(("buffers", function, function.__code__, buffers), lambda: _made(function, buffers))


def _made(function: types.FunctionType, buffers: Buffers) -> types.FunctionType:
    tree = _written_out(function, {v: found_by(v, function) for v in buffers})
    names = Names(identifiers(tree) | set(function.__globals__))
    copies = {v: names.fresh(v.lower()) for v in buffers}
    makers = {f: names.fresh(f.__name__) for f in (own, own_any)}
    beside = [a.arg for a in arguments(tree.args)]
    beside += sorted(v for v in names_outside(tree) if v not in buffers and _may_hold(found_by(v, function)))
    first = tree.body[0]
    begin = [
        assign(copies[v], ast.Call(name(makers[_maker(v, function)]), [name(w) for w in (v, *beside)], []), first)
        for v in buffers
    ]  # fmt: skip
    whole = written_anew(tree, [*begin, *(rename(s, copies) for s in tree.body)])
    found = {makers[f]: types.CellType(f) for f in {_maker(v, function) for v in buffers}}
    made = stub(function, whole, {**cells_of(function), **found}, read(function).file)
    made.__kwdefaults__, made.__qualname__ = function.__kwdefaults__, function.__qualname__
    return made


def _maker(v: str, function: types.FunctionType) -> Callable[..., Any]:
    return own if isinstance(found_by(v, function), np.ndarray) else own_any


def _written_out(function: types.FunctionType, around: dict[str, Any]) -> ast.FunctionDef:
    """The definition, with helpers that use one of some arrays as statements of its own."""
    return written_out(read(function).tree, function, definition, partial(_Users, list(around.values())))


class _Users(Calls):
    """Calls of functions that use some arrays around them."""

    def __init__(self, arrays: list[Any], tree: ast.FunctionDef, function: types.FunctionType, definition: Definition,
                 room: int) -> None:  # fmt: skip
        self.arrays = arrays
        super().__init__(tree, function, definition, room)

    def is_candidate(self, e: ast.Call) -> bool:
        f = self.changing.called(e, self.own, self.function.__globals__)
        return f is not None and any(sees(g, x) for g in (f, *reachable(f)) for x in self.arrays)


def _arrays(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    """The arrays around a function, and the lists and dicts of arrays alone."""
    for v in mentioned(function.__code__):
        if arrays_in(found := found_by(v, function)) and _holds_arrays(found):
            yield v, found


def _holds_arrays(x: Any) -> bool:
    if isinstance(x, (list, tuple, dict)):
        return all(_holds_arrays(v) for v in (x.values() if isinstance(x, dict) else x))
    return isinstance(x, np.ndarray)


def _changed_otherwise(tree: ast.FunctionDef, around: dict[str, Any]) -> set[str]:
    """The names of lists and dicts that get more items, or lose some: who calls the function may look for these."""
    owners = [n.value for n in walk(tree) if isinstance(n, ast.Attribute) and n.attr in CHANGING]
    owners += [t.value for n in walk(tree) if isinstance(n, ast.Delete) for t in n.targets if hasattr(t, "value")]
    return {v for v in map(_base, owners) if not isinstance(around.get(v), np.ndarray)}


def _may_hold(x: Any) -> bool:
    return isinstance(x, (np.ndarray, list, tuple, dict)) or is_object(x)


def _filled(tree: ast.FunctionDef) -> set[str]:
    """The names whose items are assigned, or that a function or method may write into."""
    found: set[str] = set()
    for n in walk(tree):
        match n:
            case ast.Subscript(value=owner, ctx=ast.Store()):
                found.add(_base(owner))
            case ast.Call(keywords=keywords) if any(k.arg == "out" for k in keywords):
                found |= {_base(k.value) for k in keywords if k.arg == "out"}
            case ast.Expr(value=ast.Call(func=func, args=args, keywords=keywords)):
                found |= {_base(e) for e in (func, *args, *(k.value for k in keywords))}
            case ast.Assign(value=ast.Name() | ast.Subscript() | ast.Attribute() as value):
                found.add(_base(value))
            case ast.Assign(value=ast.Call(func=func, args=args)) | ast.For(iter=ast.Call(func=func, args=args)):
                found |= {_base(e) for e in (func, *args)}  # a view, or what a loop goes over
            case ast.For(iter=value):
                found.add(_base(value))
    return found


def _base(e: ast.expr) -> str:
    while isinstance(e, (ast.Subscript, ast.Attribute, ast.Starred)):
        e = e.value
    return e.id if isinstance(e, ast.Name) else ""
