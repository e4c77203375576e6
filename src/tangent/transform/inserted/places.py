"""The gradients that a block asks for: of variables, and of items and attributes in them."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tangent.syntax.inserted import Insertion, root
from tangent.syntax.quote import assign, at, constant, name
from tangent.syntax.rebuild import replace
from tangent.transform.inserted.changes import may_change

if TYPE_CHECKING:
    from tangent.transform.reverse.passes import Reverse
    from tangent.transform.reverse.state import State


def given(this: Reverse, place: ast.expr, n: str, s: Insertion, state: State) -> list[ast.stmt]:
    """`dx = bx`: a real number or array that the block may do with as it likes."""
    v = root(place)
    b = name(this.adjoint(v))
    if v in this.stores.shadowed:
        return [assign(n, this.scribe.call("settled", _at(b, place, this), place), s)]
    if v not in state.held:
        return [assign(n, this.scribe.call("init_grad", place), s)]
    if not isinstance(place, ast.Name):
        return [assign(n, this.scribe.call("settled", _at(b, place, this), place), s)]
    known = this.shapes.of(name(v)).number and v not in state.lazy
    if known and (v in state.owned or not may_change(s.block, n, this.unit)):
        state.owned.discard(v)
        return [assign(n, b, s)]
    return [assign(n, this.scribe.call("copy", b) if known else this.scribe.call("settled", b, place), s)]


def taken(this: Reverse, place: ast.expr, n: str, s: Insertion, state: State) -> list[ast.stmt]:
    """`bx = dx`, in the shape and dtype of x."""
    v = root(place)
    b = this.adjoint(v)
    value: ast.expr = this.scribe.call("fit_grad", name(n), place)
    if v in this.stores.shadowed:
        return [_into_shadow(this, place, value, s)]
    done: list[ast.stmt] = []
    if not isinstance(place, ast.Name):
        if v not in state.held:
            done.append(assign(b, this.scribe.call("init_grad", name(v)), s))
        elif v in state.lazy or not this.shapes.of(name(v)).number:
            done.append(assign(b, this.scribe.call("dense", name(b)), s))
        value = _with(name(b), place, value, this)
    state.held.add(v)
    state.owned.add(v)
    state.lazy.discard(v)
    return [*done, assign(b, value, s)]


def _into_shadow(this: Reverse, place: ast.expr, value: ast.expr, s: Insertion) -> ast.stmt:
    """`ba[...] = da`: what is written in place has its adjoint in place."""
    v = root(place)
    if any(isinstance(n, ast.Attribute) for n in ast.walk(place)):
        raise this.unit.refuse(
            s, f"a block that sets the gradient of '{ast.unparse(place)}'", f"'{v}' is written in place",
            "Set the gradient of an array, or of a value that is read from it.",
        )  # fmt: skip
    b = name(this.adjoint(v))
    match place:
        case ast.Subscript(value=outer, slice=index) if not this.stores.is_array(v):
            part, shown = _at(b, outer, this), this.scribe.as_argument(index)
            return at(ast.Expr(this.scribe.call("refill_item", part, shown, value)), s)
        case ast.Name() if this.stores.is_container(v):
            return at(ast.Expr(this.scribe.call("refill", b, value)), s)
        case ast.Name():
            target: ast.expr = ast.Subscript(b, constant(Ellipsis), ast.Store())
        case _:
            target = replace(_at(b, place, this), ctx=ast.Store())
    return at(ast.Assign([target], value), s)


def _at(b: ast.expr, place: ast.expr, this: Reverse) -> ast.expr:
    """The adjoint of a place in the adjoint of its variable: `bparams["w"]` for `params["w"]`."""
    match place:
        case ast.Subscript(value=value, slice=index):
            return ast.Subscript(_at(b, value, this), index, ast.Load())
        case ast.Attribute(value=value, attr=attr):
            return this.scribe.call("get_attribute", _at(b, value, this), constant(attr))
        case _:
            return b


def _with(b: ast.expr, place: ast.expr, value: ast.expr, this: Reverse) -> ast.expr:
    """The adjoint of the variable with another one at a place."""
    match place:
        case ast.Subscript(value=outer, slice=index):
            shown = this.scribe.as_argument(index)
            return _with(b, outer, this.scribe.call("replace_item", _at(b, outer, this), shown, value), this)
        case ast.Attribute(value=outer, attr=attr):
            changed = this.scribe.call("replace_field", _at(b, outer, this), constant(attr), value)
            return _with(b, outer, changed, this)
        case _:
            return value
