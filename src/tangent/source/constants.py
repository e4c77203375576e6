"""Functions without derivatives that write: a twin of each, which writes constants.

def fill(out, x):              def fill(out, x):
    out[1:] = np.round(x)  ->      out[1:] = stop_gradient(np.round(x))

The twin is differentiated as any function is: what it overwrites gets nothing, what it writes hands nothing on.
"""

from __future__ import annotations

import ast
import types
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np

from tangent.errors import SourceError
from tangent.runtime.insert import number_or_part, stop_gradient
from tangent.source.cells import cells_of
from tangent.source.outputs import FILLING
from tangent.source.read import read
from tangent.source.stubs import stub
from tangent.syntax.inserted import root
from tangent.syntax.names import Names, identifiers
from tangent.syntax.quote import at, name
from tangent.syntax.rebuild import replace, statements
from tangent.syntax.uses import arguments

ADDING = frozenset("append extend insert add update setdefault fill".split())
VIEWS = frozenset("reshape ravel view transpose swapaxes squeeze diagonal asarray asanyarray atleast_1d T flat".split())
REARRANGING = frozenset("sort partition shuffle at pop remove reverse clear resize byteswap itemset setfield".split())
READING = frozenset("get items keys values index count join format startswith endswith split lower upper".split())
Known = weakref.WeakKeyDictionary[types.FunctionType, tuple[types.CodeType, types.FunctionType | None]]
_known: Known = weakref.WeakKeyDictionary()


def writing_constants(function: types.FunctionType) -> types.FunctionType | None:
    """The twin of a function that writes into its arguments; None for other functions."""
    if function not in _known or _known[function][0] is not function.__code__:
        _known[function] = function.__code__, None  # also of one that calls itself, while it is looked at
        _known[function] = function.__code__, _twin(function)
    return _known[function][1]


def _twin(function: types.FunctionType) -> types.FunctionType | None:
    try:
        source = read(function)
    except SourceError:
        return None
    tree = source.tree
    written, parts = _written(function, tree)
    if not written or any(_keeps_content(e, parts, function) for e in ast.walk(tree) if isinstance(e, ast.Call)):
        return None
    names = Names(identifiers(tree) | set(function.__globals__))
    stop, part, test, numpy = map(names.fresh, ("stop_gradient", "number_or_part", "isinstance", "np"))
    given: dict[str, Any] = {stop: stop_gradient, part: number_or_part, test: isinstance, numpy: np}
    change = _Constants(written, stop, part, test, numpy)
    new = replace(tree, body=change.block(tree.body))
    cells = {**cells_of(function), **{v: types.CellType(f) for v, f in given.items()}}
    made = stub(function, new, cells, source.file)
    made.captures = getattr(function, "captures", function.__code__.co_freevars)  # type: ignore[attr-defined]
    made.__kwdefaults__, made.__qualname__ = function.__kwdefaults__, function.__qualname__
    made.constants = True  # type: ignore[attr-defined]
    return made


def _written(function: types.FunctionType, tree: ast.FunctionDef) -> tuple[set[str], set[str]]:
    """What a function writes into of its parameters and their parts, and all of these."""
    own = {a.arg for a in arguments(tree.args)}
    parts = set(own)
    while more := {v for s in statements(tree.body) for v, e in _bound(s) if _is_part(e, parts)} - parts:
        parts |= more
    found = {root(p) for s in statements(tree.body) for p in _places(s, function)}
    return found & parts, parts


def _keeps_content(e: ast.Call, parts: set[str], function: types.FunctionType) -> bool:
    """Whether a call may write something of what was there before: then a twin would not write constants only."""
    given = [a for a in e.args if _is_part(a.value if isinstance(a, ast.Starred) else a, parts)]
    match e.func:
        case ast.Attribute(value=value, attr=attr) if root(value) in parts:
            return attr in REARRANGING or not (attr in ADDING | READING or hasattr(np.ndarray, attr))
        case ast.Attribute(attr=attr):
            return attr in REARRANGING and bool(given)
        case ast.Name(id=v) if isinstance(inner := function.__globals__.get(v), types.FunctionType):
            if inner is function or not given or writing_constants(inner) is not None:
                return False
            return _writes_at_all(inner)
        case _:
            return False


def _writes_at_all(function: types.FunctionType) -> bool:
    """Whether a function without a twin may write into its arguments."""
    try:
        tree = read(function).tree
    except SourceError:
        return True
    written, parts = _written(function, tree)
    return bool(written) or any(_keeps_content(e, parts, function) for e in ast.walk(tree) if isinstance(e, ast.Call))


def _bound(s: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    match s:
        case ast.Assign(targets=targets, value=value):
            yield from ((n.id, value) for t in targets for n in ast.walk(t) if isinstance(n, ast.Name))
        case ast.For(target=target, iter=value):
            yield from ((n.id, value) for n in ast.walk(target) if isinstance(n, ast.Name))


def _is_part(e: ast.expr, parts: set[str]) -> bool:
    """Whether an expression may give something that one of some variables holds."""
    match e:
        case ast.Name() | ast.Subscript() | ast.Attribute():
            return root(e) in parts
        case ast.Tuple(elts=elts) | ast.List(elts=elts):
            return any(_is_part(x, parts) for x in elts)
        case ast.Call(func=ast.Attribute(value=value, attr=attr), args=args) if attr in VIEWS:
            return any(_is_part(x, parts) for x in (value, *args))
        case ast.Call(func=ast.Name(), args=args):
            return any(_is_part(x, parts) for x in args)
        case ast.IfExp(body=one, orelse=two):
            return _is_part(one, parts) or _is_part(two, parts)
        case _:
            return False


def _places(s: ast.stmt, function: types.FunctionType) -> Iterator[ast.expr]:
    """What a statement writes into."""
    match s:
        case ast.Assign(targets=targets):
            yield from (t for target in targets for t in _leaves(target) if not isinstance(t, ast.Name))
        case ast.AugAssign(target=target) | ast.AnnAssign(target=ast.Subscript() | ast.Attribute() as target):
            yield target
    for node in ast.walk(s) if not isinstance(s, (ast.If, ast.For, ast.While, ast.With, ast.Try)) else ():
        if isinstance(node, ast.Call):
            yield from _filled(node, function)


def _leaves(target: ast.expr) -> Iterator[ast.expr]:
    if isinstance(target, (ast.Tuple, ast.List)):
        for t in target.elts:
            yield from _leaves(t)
    else:
        yield target


def _filled(e: ast.Call, function: types.FunctionType) -> Iterator[ast.expr]:
    yield from (k.value for k in e.keywords if k.arg == "out")
    match e.func:
        case ast.Attribute(value=value, attr=attr) if attr in ADDING:
            yield value
        case ast.Attribute(value=ast.Name(id=v), attr=attr) if isinstance(
            module := function.__globals__.get(v), types.ModuleType
        ):
            if e.args and any(getattr(module, attr, None) is f for f in FILLING):
                yield e.args[0]
        case ast.Name(id=v) if isinstance(inner := function.__globals__.get(v), types.FunctionType):
            if inner is not function and writing_constants(inner) is not None:
                yield from e.args


class _Constants:
    """Puts `stop_gradient` around all that is written."""

    def __init__(self, written: set[str], stop: str, part: str, test: str, numpy: str) -> None:
        self.written, self.stop, self.part, self.test, self.numpy = written, stop, part, test, numpy

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        return [self.statement(s) for s in body]

    def statement(self, s: ast.stmt) -> ast.stmt:
        match s:
            case ast.Assign(targets=targets, value=value) if any(
                not isinstance(t, ast.Name) for target in targets for t in _leaves(target)
            ):
                return replace(s, value=self.stopped(value))
            case ast.AnnAssign(target=ast.Subscript() | ast.Attribute(), value=ast.expr() as value):
                return replace(s, value=self.stopped(value))
            case ast.AugAssign():
                return self.augmented(s)
            case ast.Return(value=ast.expr() as value):
                return replace(s, value=self.returned(value))
            case ast.Expr(value=ast.Call() as e):
                return replace(s, value=self.call(e))
        blocks = {k: self.block(v) for k in ("body", "orelse", "finalbody") if (v := getattr(s, k, None))}
        if isinstance(s, ast.Try):
            blocks["handlers"] = [replace(h, body=self.block(h.body)) for h in s.handlers]  # type: ignore[misc]
        return replace(s, **blocks) if blocks and not isinstance(s, (ast.FunctionDef, ast.ClassDef)) else s

    def returned(self, e: ast.expr) -> ast.expr:
        """What is written into is returned itself."""
        if isinstance(e, (ast.Tuple, ast.List)):
            return replace(e, elts=[self.returned(x) for x in e.elts])
        return e if root(e) in self.written else self.stopped(e)

    def stopped(self, e: ast.expr) -> ast.expr:
        if isinstance(e, ast.Constant):
            return e
        if isinstance(e, ast.Starred):
            return replace(e, value=self.stopped(e.value))
        return ast.copy_location(ast.Call(name(self.stop), [e], []), e)

    def augmented(self, s: ast.AugAssign) -> ast.stmt:
        target = s.target
        if isinstance(target, ast.Name) and target.id not in self.written:
            return s
        old: Any = replace(target, ctx=ast.Load())
        holder = target.value if isinstance(target, ast.Subscript) else ast.Constant(None)
        safe = ast.copy_location(ast.Call(name(self.part), [holder, old], []), s)
        bound = at(ast.Assign([target], self.operated(safe, s)), s)
        if not isinstance(target, ast.Name):
            return bound
        whole = ast.Subscript(old, ast.Constant(Ellipsis), ast.Store())
        inside = at(ast.Assign([whole], self.operated(old, s)), s)
        array = ast.Attribute(name(self.numpy), "ndarray", ast.Load())
        return at(ast.If(ast.Call(name(self.test), [old, array], []), [inside], [bound]), s)

    def operated(self, old: ast.expr, s: ast.AugAssign) -> ast.expr:
        return self.stopped(ast.copy_location(ast.BinOp(old, s.op, s.value), s))

    def call(self, e: ast.Call) -> ast.expr:
        """A call for its effects: what it adds or fills in is a constant; what it fills is itself."""
        match e.func:
            case ast.Attribute(value=value, attr=attr) if attr in ADDING and root(value) in self.written:
                keep = 0
            case _ if any(k.arg == "out" for k in e.keywords):
                keep = 0
            case ast.Attribute() if e.args and root(e.args[0]) in self.written:
                keep = 1
            case _:
                return e
        args = [*e.args[:keep], *(self.stopped(a) for a in e.args[keep:])]
        keywords = [k if k.arg == "out" else replace(k, value=self.stopped(k.value)) for k in e.keywords]
        return replace(e, args=args, keywords=keywords)
