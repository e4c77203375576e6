"""Which functions give lists, tuples or arrays, as far as their text tells: something with a length, no iterator.

def halves(x):                    a loop over halves(x) may look at its result as a whole; one over
    return [x / 2, x - x / 2]     pairs(x) asks for one item after the other
def pairs(x):
    return zip(x, x)
"""

from __future__ import annotations

import abc
import ast
import functools
import inspect
import types
from collections.abc import Callable
from typing import Any

from tangent.errors import SourceError
from tangent.source.generators import is_generator
from tangent.source.naming import is_library
from tangent.source.read import read
from tangent.source.resolve import MISSING, Scope
from tangent.syntax.rebuild import walk_scope
from tangent.syntax.uses import arguments, assigned_inside, writes

Resolve = Callable[[ast.expr], Any]
Tree = ast.FunctionDef | ast.Lambda

METHODS = frozenset(
    "get setdefault tolist copy split rsplit splitlines partition rpartition readlines findall groups most_common "
    "reshape ravel flatten transpose squeeze astype take diagonal sum mean dot cumsum round clip _replace _make".split()
)
SAME = (staticmethod, classmethod, abc.abstractmethod, functools.wraps)  # what they decorate gives what it gave
WHOLE = (ast.List, ast.Tuple, ast.Dict, ast.Set, ast.ListComp, ast.SetComp, ast.DictComp, ast.BinOp, ast.UnaryOp)


def gives_container(call: ast.Call, resolve: Resolve, nested: dict[str, Tree]) -> bool:
    """Whether what a call gives has a length; `nested` are functions that are defined around it."""
    return _Giving(nested, resolve, set()).call(call)


def function_gives_container(function: types.FunctionType) -> bool:
    """Whether what a function gives has a length."""
    return _Giving({}, Scope(function, set()).resolve, set(), function).function(function)


def methods_named(title: str, function: types.FunctionType) -> list[types.FunctionType]:
    """The methods of a name of all classes that a function can see from where it stands."""
    spaces = [function.__globals__]
    spaces += [vars(m) for m in function.__globals__.values() if isinstance(m, types.ModuleType) and not is_library(m)]
    classes = {c for space in spaces for c in list(space.values()) if isinstance(c, type) and not is_library(c)}
    found = [getattr(m, "__func__", m) for c in classes if (m := inspect.getattr_static(c, title, None)) is not None]
    return [m for m in found if isinstance(m, types.FunctionType)]


class _Giving:
    """Looks through the functions that give something, each once: one that calls itself gives what else it gives."""

    def __init__(
        self, nested: dict[str, Tree], resolve: Resolve, asked: set[Any], around: types.FunctionType | None = None
    ) -> None:
        self.nested, self.resolve, self.asked, self.around = nested, resolve, asked, around

    def call(self, e: ast.Call) -> bool:
        match e.func:
            case ast.Lambda():
                return self.tree(e.func, self.resolve)
            case ast.Name(id=v) if v in self.nested:
                return self.tree(self.nested[v], self.resolve)
        found = self.resolve(e.func)
        if found is MISSING:
            return isinstance(e.func, ast.Attribute) and (e.func.attr in METHODS or self.method(e.func.attr))
        if isinstance(found, types.FunctionType) and (found.__module__ or "").split(".")[0] != "numpy":
            return self.function(found)
        if isinstance(found, type) and not is_library(found):  # its items are asked for by its own method
            return hasattr(found, "__iter__") and not hasattr(found, "__next__")
        if found is sum:  # of lists
            return len(e.args) > 1 and isinstance(e.args[1], WHOLE)
        module = getattr(found, "__module__", None) or ""
        return module.startswith("numpy") or found in (list, tuple, sorted, set, dict)

    def method(self, title: str) -> bool:
        """Whether all methods of a name that the function around can see give something with a length."""
        known = methods_named(title, self.around) if self.around is not None else []
        return bool(known) and all(self.function(m) for m in known)

    def function(self, found: types.FunctionType) -> bool:
        if is_generator(found):
            return False
        try:
            tree = read(found).tree
        except SourceError:
            return False
        own = assigned_inside(tree.body) | {a.arg for a in arguments(tree.args)}
        return _Giving({}, Scope(found, own).resolve, self.asked, found).tree(tree, Scope(found, own).resolve)

    def tree(self, tree: Tree, resolve: Resolve) -> bool:
        if tree in self.asked:
            return True
        self.asked.add(tree)
        if isinstance(tree, ast.Lambda):
            return self.whole(tree.body, tree)
        nodes = list(walk_scope(tree))
        if self.replaced(tree) or any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in nodes):
            return False
        inside = {n.name: n for n in nodes if isinstance(n, ast.FunctionDef)}
        given = _Giving({**self.nested, **inside}, resolve, self.asked, self.around)
        values = [n.value for n in nodes if isinstance(n, ast.Return)]
        return all(v is not None and given.whole(v, tree) for v in values)

    def replaced(self, tree: ast.FunctionDef) -> bool:
        """Whether a decorator may have put another function in the place of this one."""
        made = [e.func if isinstance(e, ast.Call) else e for e in tree.decorator_list]
        return any(self.resolve(e) not in SAME for e in made)

    def whole(self, e: ast.expr, tree: Tree) -> bool:
        """Whether a value that a function gives has a length."""
        match e:
            case ast.IfExp(body=body, orelse=orelse):
                return self.whole(body, tree) and self.whole(orelse, tree)
            case ast.Call():
                return self.call(e)
            case ast.Subscript(slice=ast.Slice()) | ast.Attribute():  # as in loops over attributes themselves
                return True
            case ast.Name(id=v):
                return _is_measured(v, tree) or self.variable(v, tree)
            case ast.BinOp(left=left, op=ast.Add() | ast.Mult(), right=right):
                return isinstance(left, WHOLE) or isinstance(right, WHOLE)
            case _:
                return isinstance(e, WHOLE)

    def variable(self, v: str, tree: Tree) -> bool:
        """Whether all that a variable is bound to has a length."""
        made = [n for n in walk_scope(tree) if isinstance(n, ast.stmt) and v in writes(n)]
        bound = [value for n in made if (value := _bound_to(v, n)) is not None]
        added = [n for n in made if isinstance(n, ast.AugAssign)]
        given = v in {a.arg for a in arguments(tree.args)}
        return not given and bool(bound) and len(bound) + len(added) == len(made) and all(
            self.whole(value, tree) for value in bound
        )  # fmt: skip


def _bound_to(v: str, s: ast.stmt) -> ast.expr | None:
    """What an assignment binds a variable to, also as one of several: `s, hist = 0.0, []`."""
    match s:
        case ast.Assign(targets=[ast.Name()], value=value) | ast.AnnAssign(target=ast.Name(), value=value):
            return value
        case ast.Assign(targets=[ast.Tuple(elts=slots)], value=ast.Tuple(elts=values)) if len(slots) == len(values):
            found = [e for slot, e in zip(slots, values) if isinstance(slot, ast.Name) and slot.id == v]
            return (
                found[0] if len(found) == 1 and not any(isinstance(e, ast.Starred) for e in (*slots, *values)) else None
            )
        case _:
            return None


def _is_measured(v: str, tree: Tree) -> bool:
    """Whether a function asks for the length of a variable, or for an item of it."""
    for n in walk_scope(tree):
        match n:
            case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=measured)]) if measured == v:
                return True
            case ast.Subscript(value=ast.Name(id=measured)) if measured == v:
                return True
    return False
