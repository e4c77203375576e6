"""The derivative tree, made smaller: one rewrite a file, in this order, until nothing changes."""

from __future__ import annotations

from collections.abc import Callable

from tangent.optimise.accumulate import accumulate
from tangent.optimise.constants import constants
from tangent.optimise.context import Body, Optimisation
from tangent.optimise.copies import copies
from tangent.optimise.dead import dead
from tangent.optimise.doubles import doubles
from tangent.optimise.hoist import hoist
from tangent.optimise.inline import inline
from tangent.optimise.once import once
from tangent.optimise.recompute import recompute
from tangent.optimise.simplify import simplify
from tangent.optimise.steady import steady
from tangent.optimise.uncopy import uncopy
from tangent.syntax.rebuild import same

Rewrite = Callable[[Body, Optimisation], Body]
PASSES: tuple[Rewrite, ...] = (
    dead,
    copies,
    simplify,
    constants,
    simplify,
    dead,
    hoist,
    once,
    steady,
    recompute,
    dead,
    inline,
    uncopy,
    inline,
    copies,
    dead,
    doubles,
    inline,
    doubles,
    simplify,
    accumulate,
)


def optimise(body: Body, o: Optimisation) -> Body:
    """The body behind all rewrites; one that changed nothing is left out until another did."""
    settled: set[Rewrite] = set()
    for step in PASSES:
        if step in settled:
            continue
        new = step(body, o)
        settled = {*settled, step} if same(body, new) else set()
        body = new
    return body
