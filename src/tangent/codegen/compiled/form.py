"""The form of a generated function that Numba takes, where it differs from what Python runs.

add_item(bx, x, np.s_[1:], v)     ->   add_item(bx, x, slice(1, None), v)
def g_jvp(x, *, dx)               ->   def g_jvp(x, dx)
np.where(c, x, y)                 ->   where(c, x, y)         (and np.matmul, np.clip)
np.broadcast_to(x, np.shape(y))   ->   spread_to(x, np.shape(y))
[bw, shadow(t)]                   ->   [listed(bw), listed(shadow(t))]    (where lists change: `mutated`)
x[...]                            ->   x[:]
abs(x)                            ->   absolute(x)            (np.abs, for arrays too)
dd.get(k, init_grad(None))        ->   tangent_at(dd, k)      (of numbers, zero where there is no item)
np.array(parts)                   ->   asarray(parts)         (of one list among several: Numba mixes them up)
for i in reversed(range(n))       ->   for i in range(n - 1, -1, -1)
t = None                          ->
if c: t = x * y                        if c: t = x * y
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace as with_changes
from typing import Any

import numpy as np

from tangent.backends.numba.functions import apart, clip, listed, matmul, spread_to, tangent_at, where
from tangent.codegen.compiled.own import refused
from tangent.codegen.compiled.parts import without_tuples
from tangent.codegen.compiled.statements import typed_statements
from tangent.optimise.typed.affine import added, linear, written
from tangent.optimise.typed.infer import Inference
from tangent.optimise.typed.lists import lists
from tangent.optimise.typed.overlap import overlap
from tangent.optimise.typed.unset import without_nothing
from tangent.runtime import init_grad, mutated
from tangent.syntax.names import Names, identifiers
from tangent.syntax.quote import constant, name
from tangent.syntax.rebuild import rebuild, replace, statements
from tangent.syntax.uses import writes
from tangent.transform.generated import Generated

Resolve = Callable[[ast.expr], Any]


def compiled_form(g: Generated, resolve: Resolve, found: Inference | None) -> tuple[ast.FunctionDef, dict[str, Any]]:
    """The tree as Numba takes it, and the names that it uses in addition; `found` where types are not known."""
    assert g.tree is not None
    extra: dict[str, Any] = {}
    names = Names(identifiers(g.tree) | set(g.externals))

    def named(text: str, value: Any) -> ast.Name:
        known = next((v for v, found in extra.items() if found is value), None) or names.fresh(text)
        extra[known] = value
        return name(known)

    def item(e: ast.expr) -> ast.expr:
        return e if isinstance(e, (ast.Constant, ast.Starred)) else ast.Call(named("listed", listed), [e], [])

    def change(e: ast.expr) -> ast.expr:
        match e:
            case ast.Subscript(value=ast.Attribute(attr="s_"), slice=index):
                return plain_index(index)
            case ast.Subscript(slice=ast.Constant(value=value)) if value is Ellipsis:
                return replace(e, slice=ast.Slice())
            case ast.Call(args=args) if any(isinstance(a, ast.Constant) and a.value is Ellipsis for a in args):
                return replace(e, args=[_all_of_it(a) for a in args])
            case ast.Call(
                func=ast.Name(id="reversed") as func, args=[ast.Call(func=ast.Name(id="range")) as numbers]
            ) if resolve(func) is reversed and resolve(numbers.func) is range and len(numbers.args) < 3:
                return counted_down(numbers)
            case ast.Call(
                func=ast.Attribute(value=d, attr="get"),
                args=[key, ast.Call(func=zero, args=[ast.Constant(value=None)])],
            ) if resolve(zero) is init_grad:
                return ast.Call(named("tangent_at", tangent_at), [d, key], [])
            case ast.Call(func=ast.Name(id="abs") as func, args=[_]) if resolve(func) is abs:
                return replace(e, func=named("absolute", np.abs))
            case ast.Call(func=ast.Attribute(attr="where") as func, args=[_, _, _]) if resolve(func) is np.where:
                return replace(e, func=named("where", where))
            case ast.Call(func=ast.Attribute(attr="clip") as func, args=[_, _, _]) if resolve(func) is np.clip:
                return replace(e, func=named("clip", clip))
            case ast.Call(func=ast.Attribute(attr="array") as func, args=[ast.Name(id=v)], keywords=[]) if (
                v in several and resolve(func) is np.array
            ):
                return replace(e, func=named("asarray", np.asarray))
            case ast.List(elts=[_, *_] as items, ctx=ast.Load()) if changes:
                return replace(e, elts=[item(p) for p in items])
            case ast.Dict(values=[_, *_] as items) if changes:
                return replace(e, values=[item(p) for p in items])
            case ast.Call(func=ast.Attribute(attr="matmul") as func, args=[_, _]) if resolve(func) is np.matmul:
                return replace(e, func=named("matmul", matmul))
            case ast.Call(func=ast.Attribute(attr="broadcast_to") as func, args=[_, ast.Call(func=shape)]) if (
                resolve(func) is np.broadcast_to and resolve(shape) is np.shape
            ):
                return replace(e, func=named("spread_to", spread_to))
            case _:
                return e

    body = lists(without_nothing(g.tree.body))
    changes = any(isinstance(n, ast.Name) and resolve(n) is mutated for s in body for n in ast.walk(s))
    several = _filled_together(body)
    body = overlap(body, g, found, lambda: named("apart", apart).id) if found is not None else body
    plain = without_tuples(replace(g.tree, body=body), resolve)
    typed = typed_statements(plain, resolve, extra)
    tree = rebuild(typed, change)
    return replace(tree, args=positional(tree.args)), extra


def _filled_together(body: list[ast.stmt]) -> set[str]:
    """Lists that begin empty, where there are several of them: Numba fills an array in the place of one that becomes
    an array after its loop, but drops another list that the loop fills."""
    made = {v for s in statements(body) if isinstance(s, ast.Assign) and _is_empty(s.value) for v in writes(s)}
    return made if len(made) > 1 else set()


def _is_empty(e: ast.expr) -> bool:
    return isinstance(e, ast.List) and not e.elts


def _all_of_it(e: ast.expr) -> ast.expr:
    """`slice(None, None)` for an ellipsis that is an index by itself."""
    return plain_index(ast.Slice()) if isinstance(e, ast.Constant) and e.value is Ellipsis else e


def counted_down(numbers: ast.Call) -> ast.expr:
    """`range(n - 1, -1, -1)` for `reversed(range(n))`: Numba's loops run faster over a plain range."""
    *low, high = numbers.args
    start, stop = _less_one(high), _less_one(low[0] if low else constant(0))
    return ast.Call(numbers.func, [start, stop, ast.UnaryOp(ast.USub(), constant(1))], [])


def _less_one(e: ast.expr) -> ast.expr:
    found = added(linear(e, lambda v: v), {"": -1})
    return written(found) if found is not None else ast.BinOp(e, ast.Sub(), constant(1))


def without_star(g: Generated) -> Generated:
    """An entry that takes the tuple of its further arguments as one."""
    assert g.tree is not None
    args = g.tree.args
    if args.vararg is None:
        return g
    plain = replace(args, args=[*args.args, args.vararg], vararg=None, defaults=[])
    return with_changes(g, tree=replace(g.tree, args=plain))


def require_positional(g: Generated, entry: Generated) -> None:
    """Refuse a function that takes what Numba cannot hand over."""
    assert g.tree is not None
    args = g.tree.args
    if args.kwarg:
        raise refused(g, entry, f"'**{args.kwarg.arg}'")
    if args.kwonlyargs and args.vararg:
        raise refused(g, entry, f"'*{args.vararg.arg}' and keywords")


def positional(args: ast.arguments) -> ast.arguments:
    """Parameters by keyword only are parameters like others: Numba has no others."""
    if not args.kwonlyargs or args.vararg or args.kwarg:
        return args
    defaults = [*args.defaults]
    for default in args.kw_defaults:
        if default is not None or defaults:
            defaults.append(default or constant(None))
    return replace(args, args=[*args.args, *args.kwonlyargs], kwonlyargs=[], kw_defaults=[], defaults=defaults)


def plain_index(index: ast.expr) -> ast.expr:
    """An index as an expression: slices are made by `slice`."""
    match index:
        case ast.Slice(lower=lower, upper=upper, step=step):
            bounds: list[ast.expr] = [lower or constant(None), upper or constant(None)]
            return ast.Call(name("slice"), [*bounds, step] if step else bounds, [])
        case ast.Tuple(elts=elts):
            return ast.Tuple([plain_index(e) for e in elts], ast.Load())
        case _:
            return index
