"""Derivatives on demand, for calls whose callee is known only at run time."""

from __future__ import annotations

import inspect
import threading
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tangent.codegen.emit import emit
from tangent.codegen.load import bind, changed_elsewhere, definitions, register
from tangent.errors import ArgumentError
from tangent.options import Options
from tangent.pipeline import optimiser, plain_function
from tangent.rules.table import table
from tangent.runtime.calls import Active, captured, closure_of
from tangent.runtime.dispatch import init_grad
from tangent.source.adapt import define
from tangent.transform.module import Module

Wanted = tuple[str, ...]


@dataclass
class Made:
    """Functions of a generated module, bound to one function object, and whether they are out of date."""

    functions: tuple[Callable[..., Any], ...]
    seeds: dict[str, str]
    changed: Callable[[], bool]


class DerivativesOnDemand:
    """Keeps derivatives by code object; each closure gets functions of its own over the same code."""

    def __init__(self) -> None:
        self._made: dict[tuple[Any, ...], tuple[Made, Any]] = {}
        self._lock = threading.RLock()

    def pair(self, function: Any, active: Active, count: int, names: tuple[str, ...]) -> tuple[Any, Any]:
        if table().is_zero(function):
            return _flat_pair(function, active)
        plain = _own(function)
        places = _places(plain, active, count, names)
        made = self.made(plain, places.wanted, "pair")
        forward, backward = made.functions
        if places.is_plain:
            return forward, backward
        return forward, rearranged(backward, places)

    def tangent(self, function: Any, active: Active, count: int, names: tuple[str, ...]) -> Any:
        if table().is_zero(function):
            return _FlatTangent(function)
        plain = _own(function)
        places = _places(plain, active, count, names)
        made = self.made(plain, places.wanted, "tangent")
        return pushed(made.functions[0], made.seeds, places, plain, count, names)

    def made(self, plain: types.FunctionType, wanted: Wanted, kind: str) -> Made:
        with self._lock:
            key = (plain.__code__, id(plain.__globals__), wanted, kind, _cell_ids(plain), table().version)
            found = self._made.get(key)
            if found is None or found[0].changed():
                found = self._build(plain, wanted, kind), plain
                self._made[key] = found
                while len(self._made) > 4096:
                    self._made.pop(next(iter(self._made)))
            return found[0]

    def _build(self, plain: types.FunctionType, wanted: Wanted, kind: str) -> Made:
        module = Module(Options(wrt=wanted), optimiser(True))
        first: Any = module.pair(plain, wanted) if kind == "pair" else (module.tangent(plain, wanted),)
        if table().custom_of(plain) is not None:
            return Made(first, first[0].seeds, lambda: False)
        module.finish()
        text = emit(module.functions)
        register(text)
        functions = bind(definitions(text), module.functions, text.file)
        seen = [(g.primal, path, value) for g in module.functions for path, value in g.seen.items()]
        return Made(tuple(functions[g] for g in first), first[0].seeds, changed_elsewhere(seen))


def _own(function: Any) -> types.FunctionType:
    """The function that is differentiated: itself, where its derivatives are given."""
    return function if table().custom_of(function) is not None else plain_function(function)


def _cell_ids(plain: types.FunctionType) -> tuple[int, ...]:
    return tuple(id(cell) for cell in plain.__closure__ or ())


@dataclass(frozen=True)
class Places:
    """Where the active arguments of a call end up: for each, the parameter and the place inside it."""

    wanted: Wanted
    routes: tuple[Any, ...]

    @property
    def is_plain(self) -> bool:
        """Whether the adjoints of the wanted parameters are, in order, what the caller asks for."""
        return self.routes == tuple((p, None) for p in self.wanted)


def _places(plain: types.FunctionType, active: Active, count: int, names: tuple[str, ...]) -> Places:
    signature = inspect.signature(plain, follow_wrapped=False)
    kinds = inspect.Parameter
    positional = [
        p.name for p in signature.parameters.values() if p.kind in (kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD)
    ]
    every = {p.name: p.kind for p in signature.parameters.values()}
    star = next((p for p, kind in every.items() if kind is kinds.VAR_POSITIONAL), None)
    stars = next((p for p, kind in every.items() if kind is kinds.VAR_KEYWORD), None)

    def at(i: int) -> tuple[str, Any]:
        if i < len(positional):
            return positional[i], None
        if star is None:
            raise ArgumentError(f"'{plain.__name__}' takes {len(positional)} positional arguments, {count} were given")
        return star, i - len(positional)

    def keyword(k: str) -> tuple[str, Any]:
        if k in every and every[k] not in (kinds.VAR_KEYWORD, kinds.VAR_POSITIONAL):
            return k, None
        if stars is None:
            raise ArgumentError(f"'{plain.__name__}' has no parameter '{k}'")
        return stars, k

    routes: list[Any] = []
    named = [a for a in active if isinstance(a, str) and a not in ("f", "**") and not a.startswith("*")]
    for a in active:
        if isinstance(a, int):
            routes.append(at(a))
        elif a == "f":
            routes.append({v: (v, None) for v, value in closure_of(plain).items() if _may_vary(value)})
        elif a == "**":
            routes.append({k: keyword(k) for k in names if k not in named})
        elif a.startswith("*"):
            routes.append([at(i) for i in range(int(a[1:]), count)])
        else:
            routes.append(keyword(a))
    wanted = dict.fromkeys(p for r in routes for p, _ in _pairs(r))
    return Places(tuple(wanted), tuple(routes))


def _pairs(route: Any) -> list[tuple[str, Any]]:
    if isinstance(route, dict):
        return list(route.values())
    return list(route) if isinstance(route, list) else [route]


def _may_vary(value: Any) -> bool:
    """Whether a captured value can carry a derivative."""
    if isinstance(value, types.FunctionType):
        return bool(value.__closure__)
    if isinstance(value, list | tuple):
        return any(_may_vary(v) for v in value)
    if isinstance(value, dict):
        return any(_may_vary(v) for v in value.values())
    return isinstance(value, float | int | complex) or getattr(getattr(value, "dtype", None), "kind", "") in tuple(
        "fciub"
    )


def rearranged(backward: Callable[..., Any], places: Places) -> types.FunctionType:
    """A backward pass whose adjoints are sorted into the places the caller asks for, as text that can be read again."""
    slots = {p: f"p{i}" for i, p in enumerate(places.wanted)}

    def take(place: tuple[str, Any]) -> str:
        p, inside = place
        return slots[p] if inside is None else f"{slots[p]}[{inside!r}]"

    parts = []
    for r in places.routes:
        if isinstance(r, dict):
            parts.append("{" + ", ".join(f"{k!r}: {take(place)}" for k, place in r.items()) + "}")
        elif isinstance(r, list):
            parts.append("(" + "".join(f"{take(place)}, " for place in r) + ")")
        else:
            parts.append(take(r))
    unpack = f"    {', '.join(slots.values())} = backward(saved, b)\n" if slots else ""
    text = f"def rearranged(saved, b):\n{unpack}    return {', '.join(parts)}\n"
    return define("rearranged", text, {"backward": backward})


def pushed(
    function: Callable[..., Any], seeds: dict[str, str], places: Places, plain: types.FunctionType, count: int,
    names: tuple[str, ...],
) -> types.FunctionType:  # fmt: skip
    """A function with value and tangent whose tangents come by place, as text that can be read again."""
    positional = [f"a{i}" for i in range(count)]
    given: dict[str, str] = {}
    inside: dict[str, dict[Any, str]] = {}
    values = closure_of(plain)

    def put(place: tuple[str, Any], text: str) -> None:
        p, key = place
        if key is None:
            given[p] = text
        else:
            inside.setdefault(p, {})[key] = text

    for i, r in enumerate(places.routes):
        if isinstance(r, dict):
            for k, place in r.items():
                held = f"captured(tangents[{i}], {k!r}, value_{k})" if k in values else f"tangents[{i}][{k!r}]"
                put(place, held)
        elif isinstance(r, list):
            for j, place in enumerate(r):
                put(place, f"tangents[{i}][{j}]")
        else:
            put(r, f"tangents[{i}]")
    fixed = plain.__code__.co_argcount
    for p, known in inside.items():
        if all(isinstance(k, int) for k in known):
            rest = [known.get(j, f"init_grad(a{fixed + j})") for j in range(count - fixed)]
            given[p] = "(" + "".join(f"{t}, " for t in rest) + ")"
        else:
            given[p] = "{" + ", ".join(f"{k!r}: {t}" for k, t in known.items()) + "}"
    keywords = [*(f"{k}={k}" for k in names), *(f"{seeds[p]}={t}" for p, t in given.items())]
    text = (
        f"def pushed({', '.join(['tangents', *positional, *names])}):\n"
        f"    return function({', '.join([*positional, *keywords])})\n"
    )
    namespace = {"function": function, "captured": captured, "init_grad": init_grad}
    return define("pushed", text, namespace | {f"value_{k}": v for k, v in values.items()})


def _flat_pair(function: Any, active: Active) -> tuple[Any, Any]:
    """A function without derivative: its adjoints are zero."""

    def forward(*args: Any, **kwargs: Any) -> tuple[Any, Any]:
        return function(*args, **kwargs), (args, kwargs)

    def backward(saved: Any, b: Any) -> Any:
        args, kwargs = saved
        parts = tuple(
            init_grad(args[a]) if isinstance(a, int) else {} if a == "f" else init_grad(kwargs.get(a)) for a in active
        )
        return parts[0] if len(parts) == 1 else parts

    return forward, backward


class _FlatTangent:
    def __init__(self, function: Any) -> None:
        self.function = function

    def __call__(self, tangents: tuple[Any, ...], *args: Any, **kwargs: Any) -> Any:
        value = self.function(*args, **kwargs)
        return value, init_grad(value)
