"""Code that users put into the backward pass: `with insert_grad_of(x) as dx:`.

The statement is the identity on x; its adjoint is the user's block, which reads the adjoint of x and may replace it.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tangent.syntax.inserted import InsertedCode, Insertion, outer_places
from tangent.syntax.print import comment
from tangent.syntax.quote import assign, at, constant, name
from tangent.transform.inserted.changes import changes_parts, collects_in, may_change
from tangent.transform.inserted.cuts import cut
from tangent.transform.inserted.places import given, taken

if TYPE_CHECKING:
    from tangent.transform.reverse.passes import Reverse
    from tangent.transform.reverse.state import State

MARK = "Inserted code"


def inserted(this: Reverse, s: Insertion, state: State) -> list[ast.stmt]:
    """The user's block, with the adjoints it asks for before it and those it sets after it."""
    block = s.block
    if this.cuts.restoring:
        return []
    done: list[ast.stmt] = [comment(MARK, s, section=True)]
    pairs = [(place, n) for place, n in zip(s.places, block.names) if n]
    for place, n in pairs:
        done += given(this, place, n, s, state)
    left = state.copy()
    set_: list[ast.stmt] = []
    for place, n in sorted(pairs, key=_depth):  # a part after the whole, which it is a part of
        if n in block.binds or may_change(block, n, this.unit):
            set_ += taken(this, place, n, s, state)
    code = at(InsertedCode(block, *_changed(this, s)), s)
    views, back = _views(this, s)
    if not block.jumps:
        return [*done, *views, code, *back, *set_]
    before, after = cut(this, s, left, state, [*back, *set_])
    return [*before, *done, *views, code, *after, *back, *set_]


def _depth(pair: tuple[ast.expr, str]) -> int:
    return len(list(outer_places(pair[0])))


def _changed(this: Reverse, s: Insertion) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The gradients of lists, dicts and objects of which a block changes parts, and what else it changes then."""
    block, unit = s.block, this.unit
    asked = [n for place, n in zip(s.places, block.names) if n and not this.shapes.of(place).number]
    parts = tuple(n for n in asked if changes_parts(block, n, unit))
    return parts, tuple(v for v in sorted(block.reads) if parts and collects_in(block, v, unit))


def _views(this: Reverse, s: Insertion) -> tuple[list[ast.stmt], list[ast.stmt]]:
    """Objects whose attributes are in a memory: the block sees them as they were, and must leave them so."""
    views: list[ast.stmt] = []
    back: list[ast.stmt] = []
    for v in s.block.viewed:
        assert s.memory is not None
        held = this.scribe.names.fresh(f"{v}_held")
        views += [assign(held, name(v), s), assign(v, this.scribe.call("as_now", s.memory, name(held)), s)]
        check = this.scribe.call("require_unchanged", s.memory, name(held), name(v), constant(v))
        back += [at(ast.Expr(check), s), assign(v, name(held), s)]
    return views, back
