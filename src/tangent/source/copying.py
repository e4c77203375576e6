"""Functions that copy lists and dicts they are given, and go on with the copies: what they write is their own.

def f(b):                  def f(b):
    b[0] *= b[1]     ->        b = [*b]
    return b[0]                b[0] *= b[1]
                               return b[0]
"""

from __future__ import annotations

import ast
import types

from tangent.options import Copied
from tangent.source.kept import kept
from tangent.source.read import read
from tangent.source.stubs import in_place_of
from tangent.syntax.names import Names, identifiers
from tangent.syntax.quote import assign, expression
from tangent.syntax.rebuild import replace
from tangent.syntax.uses import arguments


def copying(function: types.FunctionType, copied: Copied) -> types.FunctionType:
    """The function that copies some of its arguments first, each of a form: ('list', 'list') is a list of lists."""
    return kept(("copying", function, function.__code__, copied), lambda: _made(function, copied))


def _made(function: types.FunctionType, copied: Copied) -> types.FunctionType:
    source = read(function)
    names = Names(identifiers(source.tree))
    given = {a.arg for a in arguments(source.tree.args)}
    first = source.tree.body[0]
    copies = [assign(p, _copy(expression(p), form, names), first) for p, form in copied if p in given]
    tree = replace(source.tree, body=[*copies, *source.tree.body])
    return in_place_of(function, tree, source.file)


def _copy(e: ast.expr, form: tuple[str, ...], names: Names) -> ast.expr:
    """A container that holds copies of all containers in another one."""
    kind, *below = form
    if not below:
        return expression("[*e]" if kind == "list" else "{**e}", e=e)
    item = names.fresh("row")
    inner = _copy(expression(item), tuple(below), names)
    if kind == "list":
        return expression(f"[part for {item} in e]", e=e, part=inner)
    key = names.fresh("key")
    return expression(f"{{{key}: part for {key}, {item} in e.items()}}", e=e, part=inner)
