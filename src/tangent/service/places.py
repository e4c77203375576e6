"""Where the arguments of a call end up: known when the call happens, since the function is."""

from __future__ import annotations

import ast
import inspect
import types
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tangent.errors import ArgumentError
from tangent.runtime.calls import Active
from tangent.runtime.objects import is_numeric_method, is_object
from tangent.source.cells import content_of
from tangent.source.reached import captured_by, reached, root_of
from tangent.source.read import read
from tangent.source.signatures import own_signature
from tangent.syntax.rebuild import walk_scope
from tangent.syntax.walk import walk


class Captured(dict[str | None, Any]):
    """Where a function ends up: for each variable that it captured, the place, or those of what a function captured.

    Under None, the place where the function itself does, by its name.
    """


@dataclass(frozen=True)
class Places:
    """Where the active arguments of a call end up: for each, the parameter and the place inside it."""

    wanted: tuple[str, ...]
    routes: tuple[Any, ...]

    @property
    def is_plain(self) -> bool:
        """Whether the adjoints of the wanted parameters are, in order, what the caller asks for."""
        return self.routes == tuple((p, None) for p in self.wanted)


@dataclass(frozen=True)
class _Parameters:
    """The parameters of a function, by kind."""

    title: str
    kinds: Mapping[str, Any]

    def at(self, i: int, count: int) -> tuple[str, Any]:
        """Where the i-th of `count` positional arguments goes."""
        positional = [p for p, kind in self.kinds.items() if kind in POSITIONAL]
        if i < len(positional):
            return positional[i], None
        star = self.catching(inspect.Parameter.VAR_POSITIONAL)
        if star is None:
            raise ArgumentError(
                f"cannot call '{self.title}'", None,
                f"it takes {len(positional)} positional arguments, {count} were given", "Pass as many as it takes.",
            )  # fmt: skip
        return star, i - len(positional)

    def keyword(self, k: str) -> tuple[str, Any]:
        """Where a keyword argument goes."""
        if self.kinds.get(k) in NAMED:
            return k, None
        stars = self.catching(inspect.Parameter.VAR_KEYWORD)
        if stars is None:
            raise ArgumentError(f"cannot call '{self.title}'", None, f"it has no parameter '{k}'", "Leave it out.")
        return stars, k

    def catching(self, kind: Any) -> str | None:
        """The parameter that takes what no other does."""
        return next((p for p, own in self.kinds.items() if own is kind), None)


POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
NAMED = (*POSITIONAL, inspect.Parameter.KEYWORD_ONLY)


def places(plain: types.FunctionType, active: Active, count: int, names: tuple[str, ...], function: Any) -> Places:
    """Where the active arguments of a call of `function` go, of which `plain` is differentiated."""
    signature = own_signature(plain)
    parameters = _Parameters(plain.__name__, {p.name: p.kind for p in signature.parameters.values()})
    routes: list[Any] = []
    for a in active:
        if isinstance(a, int):
            routes.append(parameters.at(a, count))
        elif a == "f":
            routes.append(_of_the_function(plain, function))
        elif a.startswith("**"):
            routes.append({k: parameters.keyword(k) for k in names if k not in a[2:].split(",")})
        elif a.startswith("*"):
            routes.append([parameters.at(i, count) for i in range(int(a[1:]), count)])
        else:
            routes.append(parameters.keyword(a))
    wanted = dict.fromkeys(p for r in routes for p, _ in _pairs(r))
    return Places(tuple(wanted), tuple(routes))


def _of_the_function(plain: types.FunctionType, function: Any) -> Any:
    """Where the function itself goes: the object behind it, or what it captures."""
    if isinstance(function, types.MethodType) or is_object(function):
        return plain.__code__.co_freevars[0], None  # the function that stands for it captures the object
    if root_of(plain) is not plain:
        return _of_the_root(root_of(plain), {id(cell): v for v, cell in reached(plain).items()}, set())
    own = getattr(plain, "remembers", plain)
    held = {v: content_of(cell, own) for v, cell in captured_by(plain).items()}
    found = Captured({v: (v, None) for v, value in held.items() if value is not own and may_vary(value)})
    itself = next((v for v, value in held.items() if value is own), None)
    if itself is not None and not _only_calls(plain, itself):
        found[None] = (itself, None)
    return found


def _only_calls(function: types.FunctionType, itself: str) -> bool:
    """Whether a function only calls itself, which it finds where it runs; not one that a function inside it calls."""
    tree = read(function).tree
    called = {n.func for n in walk_scope(tree) if isinstance(n, ast.Call)}
    return all(n in called for n in walk(tree) if isinstance(n, ast.Name) and n.id == itself)


def _of_the_root(root: types.FunctionType, names: dict[int, str], seen: set[int]) -> Captured:
    """Where a derivative goes: what the user's function captured, and what functions did that it captured.

    `names` are the names of variables in the derivative; one that several functions captured goes to the first.
    """
    own = getattr(root, "remembers", root)
    seen.add(id(own))
    found = Captured()
    for v, cell in captured_by(root).items():
        value = content_of(cell)
        if not may_vary(value):
            continue
        place = names.pop(id(cell), None)
        function = isinstance(value, types.FunctionType)
        here = found
        if function and value is not own:
            here = found[v] = Captured() if id(value) in seen else _of_the_root(root_of(value), names, seen)
        if place is not None:
            here[None if function else v] = (place, None)
    return found


def _pairs(route: Any) -> list[tuple[str, Any]]:
    if isinstance(route, dict):
        return [pair for inner in route.values() for pair in _pairs(inner)]
    return list(route) if isinstance(route, list) else [route]


def may_vary(value: Any) -> bool:
    """Whether a captured value can carry a derivative."""
    if isinstance(value, types.FunctionType):
        return bool(value.__closure__)
    if isinstance(value, types.MethodType) or is_numeric_method(value):
        return may_vary(value.__self__)
    if is_object(value):
        return True
    if isinstance(value, (list, tuple)):
        return any(may_vary(v) for v in value)
    if isinstance(value, dict):
        return any(may_vary(v) for v in value.values())
    return isinstance(value, (float, int, complex)) or getattr(getattr(value, "dtype", None), "kind", "") in tuple(
        "fciub"
    )
