"""Augmented assignments are known by their places, so copies of them have places of their own."""

from __future__ import annotations

import ast
from itertools import count

from tangent.normalise.context import Context
from tangent.syntax.rebuild import replace

AWAY = 1000  # no line of a program is so wide
Place = tuple[int, int]


def place_of(s: ast.stmt) -> Place:
    return getattr(s, "lineno", 0), getattr(s, "col_offset", 0)


def another_place(context: Context, line: int, old: ast.AugAssign) -> Place:
    """A place of that line where nothing is, for a copy of an augmented assignment."""
    place = next((line, k) for k in count(AWAY) if (line, k) not in context.augmented)
    context.augmented[place] = old
    return place


def moved(body: list[ast.stmt], context: Context) -> list[ast.stmt]:
    """Statements that are copies: what belongs to one augmented assignment has one place again, and no other's."""
    places: dict[Place, Place] = {}

    def statement(s: ast.stmt) -> ast.stmt:
        changes = {
            field: [statement(x) for x in getattr(s, field)]
            for field in ("body", "orelse")
            if isinstance(s, (ast.If, ast.For, ast.While))
        }
        new, place = replace(s, **changes), place_of(s)
        if (old := context.augmented.get(place)) is not None:
            if place not in places:
                places[place] = another_place(context, place[0], old)
            new.lineno, new.col_offset = places[place]
        return new

    return [statement(s) for s in body]
