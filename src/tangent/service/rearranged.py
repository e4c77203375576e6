"""Derivatives whose adjoints and tangents come in the order of a call, as text that can be read again."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

from tangent.runtime.calls import captured, put_captured
from tangent.runtime.dispatch import add_grad, init_grad
from tangent.service.places import Captured, Places
from tangent.source.adapt import define, defined_once
from tangent.source.reached import reached, root_of
from tangent.syntax.names import Names


def rearranged(backward: Callable[..., Any], places: Places) -> types.FunctionType:
    """A backward pass whose adjoints are sorted into the places the caller asks for, as text that can be read again."""
    slots = {p: f"p{i}" for i, p in enumerate(places.wanted)}

    def take(place: tuple[str, Any]) -> str:
        p, inside = place
        return slots[p] if inside is None else f"{slots[p]}[{inside!r}]"

    def part(route: Any) -> str:
        if isinstance(route, list):
            return "(" + "".join(f"{take(place)}, " for place in route) + ")"
        if not isinstance(route, dict):
            return take(route)
        if isinstance(route, Captured):  # of what nothing flows to, the gradient may be None
            parts = [f"put_captured({part(place)}, None, {k!r})" for k, place in route.items() if k is not None]
            parts = [take(route[None]), *parts] if None in route else parts
            return functools.reduce("add_grad({}, {})".format, parts) if parts else "{}"
        return "{" + ", ".join(f"{k!r}: {part(place)}" for k, place in route.items()) + "}"

    unpack = f"    {', '.join(slots.values())} = backward(saved, b)\n" if slots else ""
    text = f"def rearranged(saved, b):\n{unpack}    return {', '.join(map(part, places.routes))}\n"
    known = {"add_grad": add_grad, "put_captured": put_captured}
    made = defined_once(rearranged, "rearranged", text, known, {"backward": types.CellType(backward)})
    return _in_place_of(made, backward, "backward")


def pushed(
    function: Callable[..., Any], seeds: dict[str, str], places: Places, plain: types.FunctionType, count: int,
    names: tuple[str, ...],
) -> types.FunctionType:  # fmt: skip
    """A function with value and tangent whose tangents come by place, as text that can be read again."""
    cells = reached(plain)
    free = Names([*cells, *names])
    positional = [free.fresh(f"a{i}") for i in range(count)]
    callee, held, take, zeros = (free.fresh(v) for v in ("function", "tangents", "captured", "init_grad"))
    given, inside = _handed_on(places, held, take)
    fixed = plain.__code__.co_argcount
    for p, known in inside.items():
        if all(isinstance(k, int) for k in known):
            rest = [known.get(j, f"{zeros}({positional[fixed + j]})") for j in range(count - fixed)]
            given[p] = "(" + "".join(f"{t}, " for t in rest) + ")"
        else:
            named = plain.__code__.co_varnames[: fixed + plain.__code__.co_kwonlyargcount]
            every = {**{k: f"{zeros}({k})" for k in names if k not in named}, **known}
            given[p] = "{" + ", ".join(f"{k!r}: {t}" for k, t in every.items()) + "}"
    keywords = [*(f"{k}={k}" for k in names), *(f"{seeds[p]}={t}" for p, t in given.items())]
    text = (
        f"def pushed({', '.join([held, *positional, *names])}):\n"
        f"    return {callee}({', '.join([*positional, *keywords])})\n"
    )
    made = define("pushed", text, {take: captured, zeros: init_grad}, {**cells, callee: types.CellType(function)})
    return _in_place_of(made, plain, callee)


def _in_place_of(made: types.FunctionType, function: Any, callee: str) -> types.FunctionType:
    """A function that calls another one, whose closure is behind that."""
    made.captures = tuple(v for v in made.__code__.co_freevars if v != callee)  # type: ignore[attr-defined]
    made.root = root_of(function)  # type: ignore[attr-defined]
    return made


def _handed_on(places: Places, held: str, take: str) -> tuple[dict[str, str], dict[str, dict[Any, str]]]:
    """The text of the tangent for each parameter, and of those inside `*args` and `**kwargs` by index and name."""
    given: dict[str, str] = {}
    inside: dict[str, dict[Any, str]] = {}

    def put(place: tuple[str, Any], text: str) -> None:
        p, key = place
        if key is None:
            given[p] = text
        else:
            inside.setdefault(p, {})[key] = text

    def put_captured(route: Captured, text: str) -> None:
        for k, place in route.items():
            if k is None:
                put(place, text)
            elif isinstance(place, Captured):
                put_captured(place, f"{take}({text}, {k!r}, {place[None][0] if None in place else None})")
            else:
                put(place, f"{take}({text}, {k!r}, {place[0]})")

    for i, r in enumerate(places.routes):
        if isinstance(r, Captured):
            put_captured(r, f"{held}[{i}]")
        elif isinstance(r, dict):
            for k, place in r.items():
                put(place, f"{held}[{i}][{k!r}]")
        elif isinstance(r, list):
            for j, place in enumerate(r):
                put(place, f"{held}[{i}][{j}]")
        else:
            put(r, f"{held}[{i}]")
    return given, inside
