"""Loops over dicts, sets and deques whose bodies may make these longer or shorter look at the length, as Python does.

for k in d:                          n = len(d)
    if c: d[k + "z"] = v             for k in d:
                               ->        if len(d) != n: raise RuntimeError("dictionary changed size ...")
                                         if c: d[k + "z"] = v
                                     if len(d) != n: raise RuntimeError("dictionary changed size ...")

Where the length may be the same again, as the body takes keys out and puts others in, they look at the keys; deques and
ordered dicts note that they were changed: for them that is enough.
"""

from __future__ import annotations

import ast
import itertools
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass

from tangent.normalise.context import Context
from tangent.normalise.jumps import own_breaks
from tangent.syntax.names import identifiers
from tangent.syntax.quote import assign, at, call, constant, expression
from tangent.syntax.rebuild import replace, with_blocks
from tangent.syntax.uses import COMPREHENSIONS, assigned_inside, side_by_side
from tangent.syntax.walk import walk

VIEWS = frozenset({"keys", "values", "items"})
EITHER = "symmetric_difference_update"
ADDING = frozenset(f"update setdefault add append appendleft extend extendleft insert {EITHER}".split())
TAKING = frozenset(f"pop popitem clear discard remove popleft intersection_update difference_update {EITHER}".split())
MOVING = frozenset("rotate reverse move_to_end".split())
NOTED = (deque, OrderedDict)  # of which Python notes every change
THROUGH = (enumerate, zip, reversed, iter, itertools.chain, itertools.islice)
AFTER_A_FUNCTION = (map, filter)
CLASSES = (dict, set, defaultdict, OrderedDict, Counter, deque)
SAYS: dict[type, str] = {
    dict: "dictionary changed size during iteration", set: "Set changed size during iteration",
    OrderedDict: "OrderedDict mutated during iteration", deque: "deque mutated during iteration",
}  # fmt: skip
NONE: frozenset[str] = frozenset()
KEYS = "dictionary keys changed during iteration"


@dataclass(frozen=True)
class _Watched:
    """Something that a loop runs over and may change: how it is written, its class if that is known, and its length."""

    e: ast.expr
    kind: type | None
    length: str
    keys: str | None = None


def steady(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    """Raise the error of dicts, sets and deques that change while a loop runs over them."""
    known = Known(f, context)
    for n in walk(f):
        if isinstance(n, COMPREHENSIONS):
            known.refuse_changed(n)
    if not any(isinstance(n, ast.For) and any(known.changed(n)) for n in walk(f)):
        return f

    def block(body: list[ast.stmt]) -> list[ast.stmt]:
        return [new for s in body for new in statement(with_blocks(s, block))]

    def statement(s: ast.stmt) -> list[ast.stmt]:
        watched = [watch(d, s) for d in known.changed(s)] if isinstance(s, ast.For) else []
        if not watched:
            return [s]
        assert isinstance(s, ast.For)
        before = [new for w in watched for new in measured(w, s)]
        context.steady |= {ast.unparse(w.e) for w in watched if w.kind is not None}
        loop = replace(s, body=[*checked(watched, s), *known.noted(s.body, watched)])
        if own_breaks(s):
            return [*before, replace(loop, orelse=[*checked(watched, s), *s.orelse])]
        return [*before, loop, *checked(watched, s)]

    def watch(d: ast.expr, s: ast.For) -> _Watched:
        kind = known.kind(d)
        exchanged = kind is not set and kind not in NOTED and known.may_exchange(s, d)
        return _Watched(d, kind, fresh("length"), fresh("keys") if exchanged else None)

    def fresh(base: str) -> str:
        made = context.names.numbered(base)
        context.scope.local.add(made)
        return made

    def measured(w: _Watched, s: ast.stmt) -> list[ast.stmt]:
        first: list[ast.stmt] = [assign(w.length, only_such(w, "len", 0), s)]
        return first if w.keys is None else [*first, assign(w.keys, only_such(w, "list", None), s)]

    def checked(watched: list[_Watched], s: ast.stmt) -> list[ast.stmt]:
        found: list[ast.stmt] = []
        for w in watched:
            differ = expression("a != b", a=only_such(w, "len", 0), b=w.length)
            found.append(raised(differ, SAYS[w.kind or dict], s))
            if w.keys is not None:
                differ = expression("a != b", a=only_such(w, "list", None), b=w.keys)
                found.append(raised(differ, KEYS, s))
        return found

    def raised(test: ast.expr, message: str, s: ast.stmt) -> ast.stmt:
        error = call(context.builtin("RuntimeError"), constant(message))
        return at(ast.If(test, [at(ast.Raise(error, None), s)], []), s)

    def only_such(w: _Watched, function: str, other: object) -> ast.expr:
        """What a function says of a dict or set; others may be objects that say themselves what they give, or lists."""
        found = expression("f(d)", f=context.builtin(function), d=w.e)
        if w.kind is not None:
            return found
        kinds = "dict" if w.keys is not None else "(dict, set)"
        return expression(f"n if isinstance(d, {kinds}) else o", n=found, d=w.e, o=constant(other))

    return replace(f, body=block(f.body))


class Known:
    """What a function makes dicts, sets and deques of, under which names."""

    def __init__(self, f: ast.FunctionDef, context: Context) -> None:
        self.context = context
        self.filling: set[str] = set()  # variables that are dicts which reading fills
        self.kinds = self._kinds(f)
        self.same = _names_of_one(f)

    def kind(self, d: ast.expr) -> type | None:
        return self.kinds.get(ast.unparse(d))

    def changed(self, s: ast.For) -> Iterator[ast.expr]:
        """What a loop runs over, of which its body may change how long it is."""
        keys = self._keys(s)
        for d, viewed in self._over(s.iter):
            root = _root(d)
            if not viewed and self.kind(d) is None and not self._is_asked(d, s, keys):
                continue
            if root is None or root in assigned_inside(s.body):
                continue
            if any(self._changes(n, d, keys) for x in s.body for n in walk(x)):
                yield d

    def _keys(self, s: ast.For) -> frozenset[str]:
        """The variables of a loop that may be keys of what it runs over."""
        target: ast.expr = s.target
        match s.iter, s.target:
            case ast.Call(func=ast.Attribute(attr="values")), _:
                return frozenset()
            case ast.Call(func=ast.Attribute(attr="items")), ast.Tuple(elts=[key, *_]):
                target = key
            case ast.Call(func=func), ast.Tuple(elts=[_, inner]) if self.context.scope.resolve(func) is enumerate:
                target = inner
        return frozenset(n.id for n in walk(target) if isinstance(n, ast.Name))

    def _over(self, e: ast.expr, viewed: bool = False) -> Iterator[tuple[ast.expr, bool]]:
        """What an expression takes its items from while a loop runs, and whether it is surely a dict."""
        match e:
            case ast.Name() | ast.Attribute() | ast.Subscript():
                yield e, viewed
            case ast.Call(func=ast.Attribute(value=d, attr=attr), args=[]) if attr in VIEWS:
                yield from self._over(d, True)
            case ast.Call(func=func, args=args) if (found := self.context.scope.resolve(func)) in THROUGH:
                for a in args[:1] if found in (enumerate, itertools.islice) else args:
                    yield from self._over(a)
            case ast.Call(func=func, args=[_, *args]) if self.context.scope.resolve(func) in AFTER_A_FUNCTION:
                for a in args:
                    yield from self._over(a)

    def may_exchange(self, s: ast.For, d: ast.expr) -> bool:
        """Whether a loop takes items out of a dict, and puts others in."""
        inside = [n for x in s.body for n in walk(x)]
        return any(self._adds(n, d, NONE) for n in inside) and any(self._takes(n, d) for n in inside)

    def noted(self, body: list[ast.stmt], watched: list[_Watched]) -> list[ast.stmt]:
        """Statements with what notes that they have changed a deque, or an ordered dict."""
        noting = [w for w in watched if w.kind in NOTED]

        def block(inner: list[ast.stmt]) -> list[ast.stmt]:
            return [new for s in inner for new in statement(with_blocks(s, block))]

        def statement(s: ast.stmt) -> list[ast.stmt]:
            if not isinstance(s, (ast.Expr, ast.Assign, ast.AugAssign, ast.Delete)):
                return [s]
            done = [w for w in noting if any(self._changes(n, w.e, NONE) for n in walk(s))]
            return [s, *(assign(w.length, constant(-1), s) for w in done)]

        return block(body) if noting else body

    def refuse_changed(self, e: ast.AST) -> None:
        assert isinstance(e, COMPREHENSIONS)
        for d, viewed in [found for g in e.generators for found in self._over(g.iter)]:
            if (viewed or self.kind(d)) and any(self._changes(n, d, NONE) for n in walk(e)):
                v = ast.unparse(d)
                raise self.context.refuse(
                    e, f"a comprehension over '{v}', which it changes",
                    "Python stops where the length changes on the way",
                    f"Write a loop over a copy: for item in list({v}): ...",
                )  # fmt: skip

    def _changes(self, n: ast.AST, d: ast.expr, keys: frozenset[str]) -> bool:
        """Whether something may add an item to a dict, or take one out; the item at hand is there already."""
        return self._adds(n, d, keys) or self._takes(n, d)

    def _adds(self, n: ast.AST, d: ast.expr, keys: frozenset[str]) -> bool:
        match n:
            case ast.Subscript(value=value, slice=place, ctx=ast.Store()) if self.is_same(value, d):
                return self.kind(d) is not deque and not _is_item(place, keys)
            case ast.Subscript(value=value, slice=place, ctx=ast.Load()) if self.is_same(value, d):
                return ast.unparse(d) in self.filling and not _is_item(place, keys)
            case ast.AugAssign(target=target, op=ast.BitOr() | ast.Add() | ast.BitXor()):
                return self.is_same(target, d)
            case ast.Call(func=ast.Attribute(value=value, attr=attr)) if attr in ADDING or attr in MOVING:
                return self.is_same(value, d)
            case _:
                return False

    def _takes(self, n: ast.AST, d: ast.expr) -> bool:
        match n:
            case ast.Subscript(value=value, ctx=ast.Del()):
                return self.is_same(value, d)
            case ast.AugAssign(target=target, op=ast.BitAnd() | ast.Sub() | ast.BitXor()):
                return self.is_same(target, d)
            case ast.Call(func=ast.Attribute(value=value, attr=attr)) if attr in TAKING:
                return self.is_same(value, d)
            case _:
                return False

    def _is_asked(self, d: ast.expr, s: ast.For, keys: frozenset[str]) -> bool:
        """Whether what a loop runs over is asked for what is kept under an item, as dicts are."""
        asked = [n for x in s.body for n in walk(x) if isinstance(n, ast.Subscript)]
        return any(self.is_same(n.value, d) and keys & identifiers(n.slice) for n in asked)

    def is_same(self, e: ast.expr, d: ast.expr) -> bool:
        mine, other = ast.unparse(e), ast.unparse(d)
        return mine == other or any({mine, other} <= names for names in self.same)

    def _kinds(self, f: ast.FunctionDef) -> dict[str, type]:
        """Variables that only ever are dicts, sets or deques that the function makes."""
        made: dict[str, set[type | None]] = {a.arg: {None} for a in walk(f) if isinstance(a, ast.arg)}
        stored = [n for n in walk(f) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)]
        values = {t: e for n in walk(f) if isinstance(n, ast.Assign) for t, e in side_by_side(n)}
        values |= {n.target: n.value for n in walk(f) if isinstance(n, ast.AnnAssign) and n.value is not None}
        augmented = {n.target for n in walk(f) if isinstance(n, ast.AugAssign)}
        for n in stored:
            if n not in augmented:
                made.setdefault(n.id, set()).add(self._kind(n.id, values.get(n)))
        return {v: kind for v, found in made.items() if len(found) == 1 and (kind := found.pop()) is not None}

    def _kind(self, v: str, e: ast.expr | None) -> type | None:
        match e:
            case ast.Dict() | ast.DictComp():
                return dict
            case ast.Set() | ast.SetComp():
                return set
            case ast.Call(func=func, args=args) if (found := self.context.scope.resolve(func)) in CLASSES:
                if found is defaultdict and args:
                    self.filling.add(v)
                return found if found in SAYS else dict
            case _:
                return None


def _names_of_one(f: ast.FunctionDef) -> list[set[str]]:
    """Ways of writing that stand for one thing, as far as plain assignments tell: `e = d`, `d = self.table`."""
    places = (ast.Name, ast.Attribute, ast.Subscript)
    found: list[set[str]] = []
    for n in walk(f):
        if isinstance(n, ast.Assign) and isinstance(n.value, places) and isinstance(n.targets[0], places):
            names = {ast.unparse(n.value), *(ast.unparse(t) for t in n.targets)}
            apart = [group for group in found if not group & names]
            found = [*apart, names.union(*(group for group in found if group & names))]
    return found


def _is_item(place: ast.expr, keys: frozenset[str]) -> bool:
    return isinstance(place, ast.Name) and place.id in keys


def _root(e: ast.expr) -> str | None:
    while isinstance(e, (ast.Attribute, ast.Subscript)):
        e = e.value
    return e.id if isinstance(e, ast.Name) else None
