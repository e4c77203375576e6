"""Blocks for the backward pass, in functions with a memory."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Callable

from tangent.normalise.memory.calls import Calls
from tangent.runtime import memory_placed, memory_views, stateful
from tangent.syntax.inserted import Insertion, outer_places
from tangent.syntax.quote import assign, at, name
from tangent.syntax.rebuild import replace
from tangent.syntax.uses import assigned_inside


class Inserted(Calls):
    """Rewrites what the user inserts."""

    def insertion(self, s: Insertion) -> None:
        """A block for the backward pass: what it asks for in objects and lists is read before, and stored after."""
        places: dict[ast.expr, ast.expr] = {}
        stores, start = [], len(self.done)
        for place in sorted(s.places, key=lambda p: len(list(outer_places(p)))):
            whole = next((w for w in places for p in outer_places(place) if ast.dump(p) == ast.dump(w)), None)
            if whole is not None:
                places[place] = _in_place_of(whole, places[whole], place)
                continue
            places[place], store = self.inserted_place(place, s)
            stores.append(store)
        self.context.shown |= assigned_inside(self.done[start:])
        viewed = tuple(v for v in sorted(s.block.reads) if self.may_be_list(name(v)))
        carried = {self.memory} if s.block.jumps else set()  # where it jumps, the gradients stay with the names
        block = dataclasses.replace(s.block, viewed=viewed, reads=s.block.reads | carried)
        self.emit(at(Insertion([places[p] for p in s.places], block, name(self.memory) if viewed else None), s))
        for store in stores:
            store()

    def inserted_place(self, place: ast.expr, s: Insertion) -> tuple[ast.expr, Callable[[], None]]:
        match place:
            case ast.Attribute(value=value, attr=attr):
                owner = self.inserted_owner(value, s)
                if owner is not None and self.is_object(owner):
                    held = self.attribute(owner, attr, s)
                    shown = self.shown(held, s)
                    return name(shown), lambda: self.store(owner, attr, name(self.placed(held, shown, s)), s)
            case ast.Subscript(value=value, slice=index):
                owner = self.inserted_owner(value, s)
                if owner is not None and not self.is_kept_as_is(owner.id):
                    key = self.key(index)
                    held = self.item(owner, key, s)
                    shown = self.shown(held, s)
                    return name(shown), lambda: self.store_item(owner, key, self.placed(held, shown, s), s)
            case ast.Name(id=held) if self.may_be_list(place):
                shown = self.shown(held, s)
                return name(shown), lambda: self.emit(assign(held, name(self.placed(held, shown, s)), s))
        return place, lambda: None

    def store_item(self, owner: ast.expr, key: ast.expr, held: str, s: Insertion) -> None:
        self.change(stateful.call_store, [owner, key, name(held)], s)

    def shown(self, held: str, s: Insertion) -> str:
        """What a variable holds, as a value with a gradient of its own: the memory has that of what changes."""
        return self.held(self.call(memory_views.as_now, name(self.memory), name(held)), held, s)

    def placed(self, held: str, shown: str, s: Insertion) -> str:
        """The variable again, of which everything comes from what was shown."""
        parts: list[ast.expr] = [name(held), name(shown)]
        kept = self.held(self.call(memory_placed.kept_part, name(self.memory), *parts), held, s)
        self.change(memory_placed.placed_in, parts, s)
        return kept

    def inserted_owner(self, e: ast.expr, s: Insertion) -> ast.Name | None:
        """What holds the place, in a variable; None where other passes look after it."""
        match e:
            case ast.Name():
                return e
            case ast.Attribute(value=value, attr=attr):
                owner = self.inserted_owner(value, s)
                known = owner is not None and self.is_object(owner)
                return name(self.attribute(owner, attr, s)) if owner is not None and known else None
            case ast.Subscript(value=value, slice=index):
                owner = self.inserted_owner(value, s)
                if owner is None or self.is_kept_as_is(owner.id):
                    return None
                return name(self.item(owner, self.key(index), s))
            case _:
                return None


def _in_place_of(whole: ast.expr, shown: ast.expr, part: ast.expr) -> ast.expr:
    """A part of what is shown of a place."""
    if ast.dump(part) == ast.dump(whole):
        return shown
    assert isinstance(part, (ast.Subscript, ast.Attribute))
    return replace(part, value=_in_place_of(whole, shown, part.value))
