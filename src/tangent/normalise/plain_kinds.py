"""Variables of a class that is a list, dict, tuple or float with methods: plain ones, and calls of functions.

So are those of a `UserDict` or a `UserList`, which do what a dict and a list do.

class Row(list):                      row = list(xs)
    def norm(self): ...         ->    y = norm(row)

row = Row(xs)
y = row.norm()

Only where nobody can tell the difference: the variable, and `self` in the methods that are called, are asked for items
and methods, and are not handed on. Others are refused where they are made.
"""

from __future__ import annotations

import abc
import ast
import types
from collections import UserDict, UserList
from collections.abc import Iterator

from tangent.errors import TangentError
from tangent.normalise.context import Context
from tangent.source.read import read
from tangent.syntax.captured import bindings
from tangent.syntax.quote import constant, name
from tangent.syntax.rebuild import rebuild, replace, walk_scope
from tangent.syntax.uses import arguments, side_by_side
from tangent.syntax.walk import walk

KINDS: dict[type, type] = {list: list, dict: dict, tuple: tuple, float: float, UserDict: dict, UserList: list}
WRAPPERS = (UserDict, UserList)
ASKING = frozenset("len sum max min sorted zip enumerate reversed list tuple dict set any all abs round float".split())
SHOWN = frozenset("__getattr__ __repr__ __str__".split())


def plain_kinds(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    made = dict(_made(f, context))
    once = bindings(f)
    known = {v: c for v, (c, _) in made.items() if once[v] == 1 and _is_plain(c) and _is_asked(f, v, c)}
    if not known:
        return f
    calls = {made[v][1]: c for v, c in known.items()}

    def change(e: ast.expr) -> ast.expr:
        match e:
            case ast.Call() if e in calls:
                return replace(e, func=ast.copy_location(name(context.builtin(_kind(calls[e]).__name__)), e.func))
            case ast.Call(func=ast.Attribute(value=ast.Name(id=v), attr=attr)) if v in known and _own(known[v], attr):
                return replace(e, func=method(known[v], attr, e), args=[name(v), *e.args])
            case ast.Attribute(value=ast.Name(id=v), attr=attr, ctx=ast.Load()) if v in known and (
                not hasattr(known[v], attr)
            ):
                found = method(known[v], "__getattr__", e)
                return ast.copy_location(ast.Call(found, [name(v), constant(attr)], []), e)
            case _:
                return e

    def method(cls: type, attr: str, like: ast.expr) -> ast.expr:
        return ast.copy_location(name(context.use(f"{cls.__name__}_{attr.strip('_')}", vars(cls)[attr])), like)

    return rebuild(f, change)


def _made(f: ast.FunctionDef, context: Context) -> Iterator[tuple[str, tuple[type, ast.Call]]]:
    """Variables that are assigned an object of such a class, and the calls that make it."""
    for target, value in (pair for n in walk_scope(f) if isinstance(n, ast.Assign) for pair in side_by_side(n)):
        match target, value:
            case ast.Name(id=v), ast.Call(func=func) as e:
                cls = context.scope.resolve(func)
                if cls in WRAPPERS or (isinstance(cls, type) and len(cls.__bases__) == 1 and cls.__bases__[0] in KINDS):
                    yield v, (cls, e)


def _kind(cls: type) -> type:
    return KINDS[cls if cls in WRAPPERS else cls.__bases__[0]]


def _own(cls: type, attr: str) -> bool:
    return cls not in WRAPPERS and isinstance(vars(cls).get(attr), types.FunctionType)


def _is_plain(cls: type) -> bool:
    """Whether a class has nothing but methods, which ask for items and methods of the kind that it is."""
    if cls in WRAPPERS:
        return True
    special = {v for v, m in vars(cls).items() if v.startswith("__") and isinstance(m, types.FunctionType)}
    named = {v: m for v, m in vars(cls).items() if v != "_abc_impl"}
    methods = [m for v, m in named.items() if not v.startswith("__") or v == "__getattr__"]
    if type(cls) not in (type, abc.ABCMeta) or special - SHOWN:
        return False
    if not all(isinstance(m, types.FunctionType) for m in methods):
        return False
    return all(_is_plain_method(m, cls) for m in methods)


def _is_plain_method(method: types.FunctionType, cls: type) -> bool:
    try:
        tree = read(method).tree
    except TangentError:  # no source to look at
        return False
    given = arguments(tree.args)
    if not given or any(isinstance(n, ast.Name) and n.id in ("super", "__class__") for n in walk(tree)):
        return False
    return _uses(tree, given[0].arg) <= set(dir(_kind(cls)))


def _is_asked(f: ast.FunctionDef, v: str, cls: type) -> bool:
    """Whether a variable is asked for items, and for methods and attributes that are known."""
    return all(a != "" and (_own(cls, a) or hasattr(_kind(cls), a) or "__getattr__" in vars(cls)) for a in _uses(f, v))


def _uses(tree: ast.FunctionDef, v: str) -> set[str]:
    """The methods that a variable is asked for; an empty name where it is handed on."""
    fine: set[ast.AST] = set()
    asked: set[str] = set()
    for n in walk(tree):
        match n:
            case ast.Attribute(value=ast.Name(id=owner) as value, attr=attr, ctx=ast.Load()) if owner == v:
                fine.add(value)
                asked.add(attr)
            case ast.Subscript(value=value) | ast.comprehension(iter=value) | ast.For(iter=value):
                fine.add(value)
            case ast.Call(func=ast.Name(id=function), args=args) if function in ASKING:
                fine.update(args)
            case ast.Compare(left=left, comparators=others):
                fine.update([left, *others])
            case ast.BinOp(left=left, right=right):
                fine.update([left, right])
            case ast.UnaryOp(operand=operand):
                fine.add(operand)
    uses = [n for n in walk(tree) if isinstance(n, ast.Name) and n.id == v and isinstance(n.ctx, ast.Load)]
    return asked | ({""} if any(n not in fine for n in uses) else set())
