"""Sums into parts of arrays that nothing else holds are made in the memory of the array that is given up for them.

t = with_part(dbx, i, u)                dbx = add_part(dbx, i, u)
dbx = with_part(t, j, v)         ->     dbx = add_part(dbx, j, v)

It is the rewrite of versions, told by the kinds of this folder what is an array.
"""

from __future__ import annotations

import ast
from functools import partial

from tangent.optimise.shaped import kinds as shaped
from tangent.optimise.shaped.bodies import use
from tangent.optimise.shaped.coalesced import coalesced
from tangent.optimise.shaped.given_up import given_up
from tangent.optimise.typed.infer import Inference
from tangent.optimise.typed.kinds import Number
from tangent.transform.generated import Generated


def sums_in_place(g: Generated, found: Inference) -> list[ast.stmt]:
    """The body of a function with such sums in place."""
    assert g.tree is not None

    def of(e: ast.expr) -> shaped.Kind:
        match found.of(e, g):
            case Number(rank=rank, dtype="f8"):
                return shaped.Number((shaped.UNSURE,) * rank, "f8")
            case _:
                return shaped.UNKNOWN

    def resolve(e: ast.expr) -> object:
        return found.resolve(e, g)

    body = given_up(g.tree, of, resolve, partial(use, g))
    return coalesced(body, resolve, adjoints=True) if body is not g.tree.body else body
