"""Blocks for the backward pass, in functions with a memory."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Callable

from tangent.normalise.memory.calls import Calls
from tangent.runtime import memory_views, stateful
from tangent.syntax.inserted import Insertion
from tangent.syntax.quote import at, name


class Inserted(Calls):
    """Rewrites what the user inserts."""

    def insertion(self, s: Insertion) -> None:
        """A block for the backward pass: what it asks for in objects and lists is read before, and stored after."""
        places, stores = [], []
        for place in s.places:
            new, store = self.inserted_place(place, s)
            places.append(new)
            stores.append(store)
        viewed = tuple(v for v in sorted(s.block.reads) if self.may_be_list(name(v)))
        block = dataclasses.replace(s.block, viewed=viewed)
        self.emit(at(Insertion(places, block, name(self.memory) if viewed else None), s))
        for store in stores:
            store()

    def inserted_place(self, place: ast.expr, s: Insertion) -> tuple[ast.expr, Callable[[], None]]:
        match place:
            case ast.Attribute(value=value, attr=attr):
                owner = self.inserted_owner(value, s)
                if owner is not None and self.is_object(owner):
                    held = self.attribute(owner, attr, s)
                    self.require_own(name(held), s)
                    return name(held), lambda: self.store(owner, attr, name(held), s)
            case ast.Subscript(value=value, slice=index):
                owner = self.inserted_owner(value, s)
                if owner is not None and not self.is_kept_as_is(owner.id):
                    key = self.key(index)
                    held = self.item(owner, key, s)
                    self.require_own(name(held), s)
                    return name(held), lambda: self.change(stateful.call_store, [owner, key, name(held)], s)
            case ast.Name() if self.may_be_list(place):
                self.require_own(place, s)
        return place, lambda: None

    def require_own(self, place: ast.expr, s: Insertion) -> None:
        """What a place holds has its gradient there, not in the memory."""
        self.emit(at(ast.Expr(self.call(memory_views.require_own_state, name(self.memory), place)), s))

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
