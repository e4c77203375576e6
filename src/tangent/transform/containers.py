"""Lists, dicts and objects that only one variable holds: what changes them makes new ones, and binds the variable.

xs[i] = v          ->  xs = mutated(xs, "__setitem__", i, v)
xs.append(v)       ->  xs = [*xs, v]
d.update(e)        ->  d = {**d, **e}
self.h = v         ->  self = with_attribute(self, "h", v)
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from tangent.analysis.aliases import Aliases
from tangent.analysis.effects import Write
from tangent.syntax.quote import assign, constant, expression, name
from tangent.syntax.rebuild import replace
from tangent.transform.unit import Unit

METHODS = frozenset("append extend insert reverse clear update pop".split())


def rebinding(w: Write, this: Unit, aliases: Aliases, runtime: Callable[[str], Any]) -> list[ast.stmt] | None:
    """The statements that stand for one that changes a container; None where it is of another kind."""
    s = w.statement

    def changed(method: str, key: ast.expr, value: ast.expr) -> ast.stmt:
        function = name(this.context.use("mutated", runtime("mutated")))
        return assign(w.root, ast.Call(function, [name(w.root), constant(method), key, value], []), s)

    match s:
        case ast.Assign(targets=[ast.Subscript(value=ast.Name(), slice=ast.Slice())], value=ast.Name(id=t)) if (
            _is_sorted(t, this)
        ):
            return [assign(w.root, expression("f(x)", f=this.context.builtin("sorted"), x=w.root), s)]
        case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=v), slice=index)], value=value) if v == w.root:
            return [changed("__setitem__", _key(index, this), value)]
        case ast.AugAssign(target=ast.Subscript(value=ast.Name(id=v), slice=index) as place, op=op, value=value) if (
            v == w.root
        ):
            old, new = _fresh(this), _fresh(this)
            first = assign(old, replace(place, ctx=ast.Load()), s)
            second = assign(new, ast.BinOp(name(old), op, value), s)
            return [first, second, changed("__setitem__", index, name(new))]
        case ast.Assign(targets=[ast.Attribute(value=ast.Name(id=v), attr=attr)], value=value) if v == w.root:
            return [_with_attribute(this, w.root, attr, value, s, runtime)]
        case ast.AugAssign(target=ast.Attribute(value=ast.Name(id=v), attr=attr) as place, op=op, value=value) if (
            v == w.root
        ):
            old, new = _fresh(this), _fresh(this)
            first = assign(old, replace(place, ctx=ast.Load()), s)
            second = assign(new, ast.BinOp(name(old), op, value), s)
            return [first, second, _with_attribute(this, w.root, attr, name(new), s, runtime)]
        case ast.Delete(targets=[ast.Subscript(value=ast.Name(id=v), slice=index)]) if v == w.root:
            return [changed("__delitem__", _key(index, this), constant(None))]
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=v), attr=attr), args=args, keywords=[])) if (
            v == w.root and attr in METHODS and all(isinstance(a, (ast.Name, ast.Constant)) for a in args)
        ):
            return _method(w.root, attr, args, s, changed)
        case ast.Assign(
            targets=[ast.Name(id=t)],
            value=ast.Call(func=ast.Attribute(value=ast.Name(id=v), attr="pop"), args=args, keywords=[]),
        ) if v == w.root and len(args) <= 1:
            key = args[0] if args else constant(-1)
            return [assign(t, expression("x[k]", x=w.root, k=key), s), changed("pop", key, constant(None))]
        case _:
            return None


ASSIGNING = frozenset(
    "setattr __setattr__ heappush heappop heapify heapreplace heappushpop insort insort_left insort_right".split()
)
OF_LISTS = frozenset(
    "append extend insert pop remove clear update setdefault popitem reverse add discard popleft appendleft extendleft "
    "rotate move_to_end difference_update intersection_update symmetric_difference_update".split()
)


def changes_container(s: ast.stmt) -> bool:
    """Whether what a statement changes surely is a list, a dict or an object, not an array."""
    match s:
        case ast.Assign(targets=[ast.Attribute(attr=attr)]) | ast.AugAssign(target=ast.Attribute(attr=attr)):
            return not hasattr(np.ndarray, attr)
        case (
            ast.Expr(value=ast.Call(func=ast.Attribute(attr=attr)))
            | ast.Assign(value=ast.Call(func=ast.Attribute(attr=attr)))
        ):
            return attr in OF_LISTS or attr in ASSIGNING
        case ast.Assign(targets=[ast.Subscript(slice=ast.Constant(value=str()))]):
            return True
        case ast.Expr(value=ast.Call(func=ast.Name(id=function))):
            return function in ASSIGNING
        case _:
            return False


def _is_sorted(t: str, this: Unit) -> bool:
    """Whether a temporary stands for `xs.sort()`."""
    return any(t in op.targets and op.kind == "rule" and op.rule.name == "sort" for op in this.operations.values())


def _method(
    root: str, attr: str, args: list[ast.expr], s: ast.stmt, changed: Callable[..., ast.stmt]
) -> list[ast.stmt] | None:
    match attr, args:
        case "append", [value]:
            return [assign(root, ast.List([ast.Starred(name(root), ast.Load()), value], ast.Load()), s)]
        case (("extend" | "update"), [value]):
            return [changed(attr, constant(None), value)]
        case "insert", [key, value]:
            return [changed("insert", key, value)]
        case "pop", [] | [_]:
            return [changed("pop", args[0] if args else constant(-1), constant(None))]
        case (("reverse" | "clear"), []):
            return [changed(attr, constant(None), constant(None))]
        case _:
            return None


def _with_attribute(
    this: Unit, root: str, attr: str, value: ast.expr, s: ast.stmt, runtime: Callable[[str], Any]
) -> ast.stmt:
    function = name(this.context.use("with_attribute", runtime("with_attribute")))
    return assign(root, ast.Call(function, [name(root), constant(attr), value], []), s)


def _fresh(this: Unit) -> str:
    held = this.context.names.numbered("t")
    this.context.scope.local.add(held)
    return held


def _key(index: ast.expr, this: Unit) -> ast.expr:
    """A slice as an object."""
    if isinstance(index, ast.Slice):
        parts = [part or constant(None) for part in (index.lower, index.upper, index.step)]
        return ast.Call(name(this.context.builtin("slice")), parts, [])
    return index


def held_elsewhere(w: Write, aliases: Aliases, live: frozenset[str], names: set[str]) -> bool:
    """Whether another variable, or another container, may hold what a statement changes."""
    own = aliases.of(w.root)
    inside = any(held & own - {o} for o, held in aliases.holds.items())
    return bool(inside or own & aliases.cyclic) or any(aliases.of(n) & own for n in names if n != w.root and n in live)
