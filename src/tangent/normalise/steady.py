"""Loops over dicts and sets whose bodies may make these longer or shorter look at the length, as Python does.

for k in d:                          n = len(d)
    if c: d[k + "z"] = v             for k in d:
                               ->        if len(d) != n: raise RuntimeError("dictionary changed size ...")
                                         if c: d[k + "z"] = v
                                     if len(d) != n: raise RuntimeError("dictionary changed size ...")
"""

from __future__ import annotations

import ast
import collections

from tangent.normalise.context import Context
from tangent.normalise.jumps import own_breaks
from tangent.syntax.names import identifiers
from tangent.syntax.quote import assign, at, call, constant, expression
from tangent.syntax.rebuild import replace, with_blocks
from tangent.syntax.uses import COMPREHENSIONS, assigned_inside
from tangent.syntax.walk import walk

VIEWS = frozenset({"keys", "values", "items"})
CHANGING = frozenset("pop popitem clear update setdefault add discard remove".split())
CLASSES = (dict, set, collections.defaultdict, collections.OrderedDict, collections.Counter)


def steady(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    """Raise the error of dicts and sets that change while a loop runs over them."""
    kinds = _kinds(f, context)
    for n in walk(f):
        if isinstance(n, COMPREHENSIONS):
            _refuse_changed(n, kinds, context)
    if not any(isinstance(n, ast.For) and _looped_over(n, kinds) for n in walk(f)):
        return f

    def block(body: list[ast.stmt]) -> list[ast.stmt]:
        return [new for s in body for new in statement(with_blocks(s, block))]

    def statement(s: ast.stmt) -> list[ast.stmt]:
        if not isinstance(s, ast.For) or (d := _looped_over(s, kinds)) is None:
            return [s]
        n = context.names.numbered("length")
        context.scope.local.add(n)
        loop = replace(s, body=[checked(d, n, s), *s.body])
        if own_breaks(s):
            return [assign(n, length(d), s), replace(loop, orelse=[checked(d, n, s), *s.orelse])]
        return [assign(n, length(d), s), loop, checked(d, n, s)]

    def checked(d: ast.expr, n: str, s: ast.stmt) -> ast.stmt:
        what = "Set" if kinds.get(ast.unparse(d)) is set else "dictionary"
        error = call(context.builtin("RuntimeError"), constant(f"{what} changed size during iteration"))
        differ = expression("a != b", a=length(d), b=n)
        return at(ast.If(differ, [at(ast.Raise(error, None), s)], []), s)

    def length(d: ast.expr) -> ast.expr:
        found = expression("f(d)", f=context.builtin("len"), d=d)
        if ast.unparse(d) in kinds:
            return found  # others may be objects that say themselves what their items are, or lists
        return expression("n if isinstance(d, (dict, set)) else 0", n=found, d=d)

    return replace(f, body=block(f.body))


def _kinds(f: ast.FunctionDef, context: Context) -> dict[str, type]:
    """Variables that only ever are dicts, or sets, that the function makes."""
    made: dict[str, set[type | None]] = {a.arg: {None} for a in walk(f) if isinstance(a, ast.arg)}
    stored = [n for n in walk(f) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)]
    values = {n.targets[0]: n.value for n in walk(f) if isinstance(n, ast.Assign)}
    values |= {n.target: n.value for n in walk(f) if isinstance(n, ast.AnnAssign) and n.value is not None}
    for n in stored:
        made.setdefault(n.id, set()).add(_kind(values.get(n), context))
    return {v: kind for v, found in made.items() if len(found) == 1 and (kind := found.pop()) is not None}


def _kind(e: ast.expr | None, context: Context) -> type | None:
    match e:
        case ast.Dict() | ast.DictComp():
            return dict
        case ast.Set() | ast.SetComp():
            return set
        case ast.Call(func=func) if (found := context.scope.resolve(func)) in CLASSES:
            return set if found is set else dict
        case _:
            return None


def _looped_over(s: ast.For, kinds: dict[str, type]) -> ast.expr | None:
    """The dict or set that a loop runs over, where its body may change how long it is."""
    key = s.target.elts[0] if isinstance(s.target, ast.Tuple) else s.target
    d = _dict_of(s.iter, kinds) or _presumed(s, key)
    if d is None or (isinstance(d, ast.Name) and d.id in assigned_inside(s.body)):
        return None
    return d if any(_changes(n, ast.unparse(d), key) for x in s.body for n in walk(x)) else None


def _presumed(s: ast.For, key: ast.expr) -> ast.expr | None:
    """What a loop runs over, if it is asked for what is kept under an item, as dicts are."""
    if not isinstance(s.iter, (ast.Name, ast.Attribute)) or not isinstance(key, ast.Name):
        return None
    asked = [n for x in s.body for n in walk(x) if isinstance(n, ast.Subscript)]
    d = ast.unparse(s.iter)
    return s.iter if any(ast.unparse(n.value) == d and key.id in identifiers(n.slice) for n in asked) else None


def _dict_of(e: ast.expr, kinds: dict[str, type]) -> ast.expr | None:
    match e:
        case ast.Name(id=v) if v in kinds:
            return e
        case ast.Call(func=ast.Attribute(value=ast.Name() | ast.Attribute() as d, attr=attr), args=[]) if attr in VIEWS:
            return d
        case ast.Call(func=ast.Name(id="enumerate"), args=[inner, *_]):
            return _dict_of(inner, kinds)
        case _:
            return None


def _changes(n: ast.AST, d: str, key: ast.expr) -> bool:
    """Whether something may add an item to a dict, or take one out; the item at hand is there already."""
    match n:
        case ast.Subscript(value=value, slice=at_, ctx=ast.Store()) if ast.unparse(value) == d:
            return not (isinstance(key, ast.Name) and ast.unparse(at_) == key.id)
        case ast.Subscript(value=value, ctx=ast.Del()):
            return ast.unparse(value) == d
        case ast.Call(func=ast.Attribute(value=value, attr=attr)) if attr in CHANGING:
            return ast.unparse(value) == d
        case _:
            return False


def _refuse_changed(e: ast.AST, kinds: dict[str, type], context: Context) -> None:
    assert isinstance(e, COMPREHENSIONS)
    over = [d for g in e.generators if (d := _dict_of(g.iter, kinds)) is not None]
    for d in over:
        if any(_changes(n, ast.unparse(d), constant(None)) for n in walk(e)):
            v = ast.unparse(d)
            raise context.refuse(
                e, f"a comprehension over '{v}', which it changes", "Python stops where the length changes on the way",
                f"Write a loop over a copy: for item in list({v}): ...",
            )  # fmt: skip
