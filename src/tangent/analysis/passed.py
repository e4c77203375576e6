"""Functions that are passed to functions, which call them: what these give them, and so what they may write into.

def drive(p, a, f):
    f(p, a)              # Passed("f", 0, "p"), Passed("f", 1, "a"): drive(x, y, fill) writes what fill writes
"""

from __future__ import annotations

import ast
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tangent.source.naming import is_library
from tangent.source.resolve import MISSING, Scope
from tangent.source.signatures import own_signature
from tangent.syntax.core import is_path
from tangent.syntax.rebuild import statements
from tangent.syntax.uses import assigned_inside
from tangent.syntax.walk import walk

ANY = ""  # a function that nobody knows, or an argument that is somewhere among others


@dataclass(frozen=True)
class Passed:
    """A parameter that is called: the place of an argument there, and the parameter that is passed in that place."""

    function: str
    place: int | str
    given: str
    effect: bool  # whether it is called for what it does alone


def passed_on(
    f: ast.FunctionDef, parameters: frozenset[str], scope: Scope, inside: Callable[[Any], frozenset[Passed]]
) -> frozenset[Passed]:
    """What a function passes to its parameters that it calls, by itself or through functions that it calls.

    What it passes to others that are not known counts where these are called for what they do alone.
    """
    found: set[Passed] = set()
    constant = parameters - assigned_inside(f.body)
    for s in statements(f.body):
        if isinstance(s, (ast.If, ast.For, ast.While, ast.FunctionDef)):
            continue
        for node in walk(s):
            if not isinstance(node, ast.Call):
                continue
            effect = isinstance(s, ast.Expr) and s.value is node
            if isinstance(node.func, ast.Name) and node.func.id in constant:
                found |= {Passed(node.func.id, k, v, effect) for k, v in _named(node) if v in parameters}
            elif is_own(callee := scope.resolve(node.func)):
                found |= set(_through(node, callee, parameters, inside(callee)))
            elif effect and callee is MISSING and not isinstance(node.func, ast.Attribute):
                found |= {Passed(ANY, k, v, True) for k, v in _named(node) if v in parameters}
    return frozenset(found)


def _named(node: ast.Call) -> Iterator[tuple[int | str, str]]:
    open_ = any(isinstance(a, ast.Starred) for a in node.args)
    for i, a in enumerate(node.args):
        e = a.value if isinstance(a, ast.Starred) else a
        if isinstance(e, ast.Name):
            yield ANY if open_ else i, e.id
    for k in node.keywords:
        if isinstance(k.value, ast.Name):
            yield k.arg or ANY, k.value.id


def _through(
    node: ast.Call, callee: types.FunctionType, parameters: frozenset[str], inside: frozenset[Passed]
) -> Iterator[Passed]:
    given = by_parameter(node, callee)
    for c in inside:
        match given.get(c.function), given.get(c.given):
            case ast.Name(id=f), ast.Name(id=v) if f in parameters and v in parameters:
                yield Passed(f, c.place, v, c.effect)
            case _, ast.Name(id=v) if c.function == ANY and v in parameters:
                yield Passed(ANY, c.place, v, c.effect)


def by_parameter(node: ast.Call, callee: types.FunctionType) -> dict[str, ast.expr]:
    """The arguments of a call by the parameters that they are for, as far as that can be seen."""
    code = callee.__code__
    found: dict[str, ast.expr] = {}
    for p, a in zip(code.co_varnames[: code.co_argcount], node.args):
        if isinstance(a, ast.Starred):
            break
        found[p] = a
    return found | {k.arg: k.value for k in node.keywords if k.arg is not None}


def written_through(
    node: ast.Call, callee: types.FunctionType, scope: Scope, inside: frozenset[Passed],
    written: Callable[[Any], set[str]],
) -> set[str]:  # fmt: skip
    """The parameters of a callee that functions which it is given write into, or may, where these are not known."""
    given = by_parameter(node, callee)
    found: set[str] = set()
    for c in inside:
        f = _given(c.function, given, callee, scope)
        if is_own(f):
            names = f.__code__.co_varnames[: f.__code__.co_argcount]
            place = c.place if isinstance(c.place, str) else names[c.place] if c.place < len(names) else ANY
            if place in written(f) or (place == ANY and written(f)):
                found.add(c.given)
        elif f is MISSING and c.effect:
            found.add(c.given)
    return found


def _given(p: str, given: dict[str, ast.expr], callee: types.FunctionType, scope: Scope) -> Any:
    """What a parameter is given, where that is known: by a name, or as its default."""
    if p in given:
        return scope.resolve(given[p]) if is_path(given[p]) else MISSING
    return default_of(callee, p)


def default_of(callee: types.FunctionType, p: str) -> Any:
    """What a parameter is where a call leaves it out."""
    parameter = own_signature(callee).parameters.get(p)
    return MISSING if parameter is None or parameter.default is parameter.empty else parameter.default


def is_own(callee: Any) -> bool:
    return isinstance(callee, types.FunctionType) and not is_library(callee)
