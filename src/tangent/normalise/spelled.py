"""Operators and items that are spelled as methods are operators and items; calls that write have one form.

x.__getitem__(i)   ->   x[i]
x.__add__(y)       ->   x + y
list.append(x, v)  ->   x.append(v)
np.dot(x, y, z)    ->   np.dot(x, y, out=z)
np.exp(x, out=z)   ->   np.exp(x, out=z) if z is not None else np.exp(x), for a parameter `z=None`
f(*[x, y])         ->   f(x, y)
f(**{"k": x})      ->   f(k=x)
isinstance(f, functools.partial)  ->  is_instance(f, functools.partial), since a function stands for one made here
sum(x.flat)        ->   sum(x.flat[:]), and sum(all_elements(it)) for `it = x.flat`: it could be read once only
"""

from __future__ import annotations

import ast
import functools
import types
from collections import deque

from tangent.normalise.context import Context
from tangent.runtime import all_elements
from tangent.runtime.library.functions import is_instance
from tangent.runtime.writers import WRITING_METHODS
from tangent.source.outputs import in_one_form, may_have_form
from tangent.syntax.quote import call
from tangent.syntax.rebuild import rebuild, replace
from tangent.syntax.uses import assigned_inside, writes
from tangent.syntax.walk import walk

BINARY: dict[str, ast.operator] = {
    "__add__": ast.Add(), "__sub__": ast.Sub(), "__mul__": ast.Mult(), "__truediv__": ast.Div(), "__pow__": ast.Pow(),
    "__mod__": ast.Mod(), "__matmul__": ast.MatMult(), "__floordiv__": ast.FloorDiv(),
}  # fmt: skip
UNARY: dict[str, ast.unaryop] = {"__neg__": ast.USub(), "__pos__": ast.UAdd()}
CONTAINERS = (list, dict, set, deque)
NAMES = frozenset(("__getitem__", "flat", *BINARY, *UNARY))
FUNCTIONS = (functools.partial, types.FunctionType)  # kinds that one may have where the other takes its place
READING = (sum, max, min, sorted)  # builtins that read an iterator, which adjoints read again


def spelled(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    """Not of our own functions, which tell by these names what the user's classes define."""

    absent, flat = _may_be_none(f), _flat_iterators(f)

    def reads(func: ast.Name) -> bool:
        return context.scope.resolve(func) in READING

    def tells_functions(cls: ast.expr) -> bool:
        found = [context.scope.resolve(n) for n in walk(cls) if isinstance(n, (ast.Name, ast.Attribute))]
        return any(c in FUNCTIONS for known in found for c in (known if isinstance(known, tuple) else (known,)))

    def names_absent(e: ast.Call) -> bool:
        last = [*e.args[-1:], *(k.value for k in e.keywords if k.arg == "out")]
        return any(isinstance(a, ast.Name) and a.id in absent for a in last)

    def chosen(e: ast.Call) -> ast.expr:
        out = next((k.value for k in e.keywords if k.arg == "out"), None)
        if not isinstance(out, ast.Name) or out.id not in absent:
            return e
        plain = replace(e, keywords=[k for k in e.keywords if k.arg != "out"])
        given = ast.Compare(out, [ast.IsNot()], [ast.Constant(None)])
        return ast.copy_location(ast.IfExp(given, e, plain), e)

    def change(e: ast.expr) -> ast.expr:
        match e:
            case ast.Call(args=args) if any(map(_is_display, args)):
                return change(replace(e, args=[part for a in args for part in _parts(a)]))
            case ast.Call(keywords=keywords) if any(map(_is_named_display, keywords)):
                return change(replace(e, keywords=[part for k in keywords for part in _keywords(k)]))
            case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="super")))):
                return e
            case ast.Call(func=ast.Name() as func, args=[ast.Attribute(attr="flat") as all_of, *rest]) if reads(func):
                elements = ast.copy_location(ast.Subscript(all_of, ast.Slice(), ast.Load()), all_of)
                return replace(e, args=[elements, *rest])
            case ast.Call(func=ast.Name() as func, args=[ast.Name(id=v) as it, *rest]) if v in flat and reads(func):
                every = ast.copy_location(call(context.use("all_elements", all_elements), it), it)
                return replace(e, args=[every, *rest])
            case ast.Call(func=ast.Attribute(value=ast.Name() as cls, attr=attr), args=[owner, *rest]) if (
                attr in WRITING_METHODS and not isinstance(owner, ast.Starred)
                and any(context.scope.resolve(cls) is known for known in CONTAINERS)
            ):  # fmt: skip
                method = ast.copy_location(ast.Attribute(owner, attr, ast.Load()), e)
                return replace(e, func=method, args=rest)
            case ast.Call(func=ast.Attribute(value=x, attr="__getitem__"), args=[index], keywords=[]):
                return ast.copy_location(ast.Subscript(x, index, ast.Load()), e)
            case ast.Call(func=ast.Attribute(value=x, attr=attr), args=[y], keywords=[]) if attr in BINARY:
                return ast.copy_location(ast.BinOp(x, BINARY[attr], y), e)
            case ast.Call(func=ast.Attribute(value=x, attr=attr), args=[], keywords=[]) if attr in UNARY:
                return ast.copy_location(ast.UnaryOp(UNARY[attr], x), e)
            case ast.Call(func=ast.Name(id="isinstance") as func, args=[_, cls]) if (
                tells_functions(cls) and context.scope.resolve(func) is isinstance
            ):
                return replace(e, func=replace(func, id=context.use("is_instance", is_instance)))
            case ast.Call() if may_have_form(e) or names_absent(e):
                return chosen(in_one_form(e, context.scope.resolve(e.func)))
            case _:
                return e

    own = (context.source.function.__module__ or "").startswith("tangent.")
    named = any(
        (isinstance(n, ast.Attribute) and (n.attr in NAMES or _is_of_container(n)))
        or (isinstance(n, ast.Name) and n.id == "isinstance")
        or (isinstance(n, ast.Call) and (may_have_form(n) or names_absent(n) or any(map(_is_display, n.args))))
        or (isinstance(n, ast.keyword) and _is_named_display(n))
        for n in walk(f)
    )
    return rebuild(f, change) if named and not own else f


def _flat_iterators(f: ast.FunctionDef) -> set[str]:
    """Variables that hold iterators over the elements of arrays: `it = x.flat`."""
    return {
        v
        for s in walk(f)
        if isinstance(s, ast.Assign) and isinstance(s.value, ast.Attribute) and s.value.attr == "flat"
        for v in writes(s)
    }


def _is_display(e: ast.expr) -> bool:
    """Whether an argument is a list or a tuple behind a star, written where it is given."""
    return isinstance(e, ast.Starred) and isinstance(e.value, (ast.List, ast.Tuple))


def _is_named_display(k: ast.keyword) -> bool:
    """Whether a keyword argument is a dict behind two stars whose keys are written out there."""
    return k.arg is None and isinstance(k.value, ast.Dict) and all(map(_is_name, k.value.keys))


def _is_name(e: ast.expr | None) -> bool:
    return isinstance(e, ast.Constant) and isinstance(e.value, str) and e.value.isidentifier()


def _keywords(k: ast.keyword) -> list[ast.keyword]:
    """The keyword arguments that one stands for."""
    if not _is_named_display(k) or not isinstance(k.value, ast.Dict):
        return [k]
    pairs = zip(k.value.keys, k.value.values)
    return [ast.copy_location(ast.keyword(str(e.value), v), k) for e, v in pairs if isinstance(e, ast.Constant)]


def _parts(e: ast.expr) -> list[ast.expr]:
    """The arguments that an argument stands for."""
    match e:
        case ast.Starred(value=ast.List(elts=elts) | ast.Tuple(elts=elts)):
            return [part for x in elts for part in _parts(x)]
        case _:
            return [e]


def _is_of_container(n: ast.Attribute) -> bool:
    return isinstance(n.value, ast.Name) and n.value.id in ("list", "dict", "set", "deque")


def _may_be_none(f: ast.FunctionDef) -> set[str]:
    """Parameters that are None unless something is given for them, and stay so."""
    positional = [*f.args.posonlyargs, *f.args.args]
    pairs = [*zip(positional[::-1], f.args.defaults[::-1]), *zip(f.args.kwonlyargs, f.args.kw_defaults)]
    found = {a.arg for a, default in pairs if isinstance(default, ast.Constant) and default.value is None}
    return found - assigned_inside(f.body)
