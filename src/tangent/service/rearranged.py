"""Derivatives whose adjoints and tangents come in the order of a call, as text that can be read again."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

from tangent.runtime.calls import captured
from tangent.runtime.dispatch import init_grad
from tangent.service.places import Places, may_vary
from tangent.source.adapt import define, defined_once
from tangent.source.cells import cells_of, content_of
from tangent.syntax.names import Names


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
    return defined_once(rearranged, "rearranged", text, {}, {"backward": types.CellType(backward)})


def pushed(
    function: Callable[..., Any], seeds: dict[str, str], places: Places, plain: types.FunctionType, count: int,
    names: tuple[str, ...],
) -> types.FunctionType:  # fmt: skip
    """A function with value and tangent whose tangents come by place, as text that can be read again."""
    cells = cells_of(plain)
    free = Names([*cells, *names])
    positional = [free.fresh(f"a{i}") for i in range(count)]
    callee, held, take, zeros = (free.fresh(v) for v in ("function", "tangents", "captured", "init_grad"))
    given, inside = _handed_on(places, cells, held, take)
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
    own = getattr(plain, "captures", tuple(cells))
    unread = [
        v for v, c in cells.items() if v in own and f" {v})" not in "".join(given.values()) and may_vary(content_of(c))
    ]
    text = (
        f"def pushed({', '.join([held, *positional, *names])}):\n"
        f"{'    ' + ', '.join(unread) + ',' + chr(10) if unread else ''}"  # what the function captures, this does, too
        f"    return {callee}({', '.join([*positional, *keywords])})\n"
    )
    return define("pushed", text, {callee: function, take: captured, zeros: init_grad}, cells)


def _handed_on(
    places: Places, cells: dict[str, types.CellType], held: str, take: str
) -> tuple[dict[str, str], dict[str, dict[Any, str]]]:
    """The text of the tangent for each parameter, and of those inside `*args` and `**kwargs` by index and name."""
    given: dict[str, str] = {}
    inside: dict[str, dict[Any, str]] = {}

    def put(place: tuple[str, Any], text: str) -> None:
        p, key = place
        if key is None:
            given[p] = text
        else:
            inside.setdefault(p, {})[key] = text

    for i, r in enumerate(places.routes):
        if isinstance(r, dict):
            for k, place in r.items():
                put(place, f"{take}({held}[{i}], {k!r}, {k})" if k in cells else f"{held}[{i}][{k!r}]")
        elif isinstance(r, list):
            for j, place in enumerate(r):
                put(place, f"{held}[{i}][{j}]")
        else:
            put(r, f"{held}[{i}]")
    return given, inside
