"""What is wanted for its form alone is not computed: an argument of that form does, or the lengths of its axes.

t = x ** 2
bt = untake(b, t, i)         ->     bt = untake(b, x, i)
bt = spread(b, x @ y)        ->     bt = np.full((x.shape[0], y.shape[1]), b)
bt = along_diagonal(b, x @ y)    ->     bt = b * np.eye(x.shape[0], y.shape[1])
"""

from __future__ import annotations

import ast
import types
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from tangent import runtime
from tangent.optimise.context import Optimisation
from tangent.optimise.purity import is_pure
from tangent.optimise.shaped.kinds import Axis, Number, same
from tangent.optimise.shaped.parts import Of
from tangent.syntax.quote import expression
from tangent.syntax.rebuild import replace
from tangent.syntax.walk import walk

Resolve = Callable[[ast.expr], Any]
FORM_AT = {  # the place of an argument of which nothing but the form is asked
    **dict.fromkeys((
        runtime.spread, runtime.scatter, runtime.along_diagonal, runtime.on_diagonal, runtime.undiag, runtime.untake,
        runtime.untake_along_axis, runtime.undelete, runtime.uncompress, runtime.sum_repeats, runtime.sum_tiles,
        runtime.sum_cycles, runtime.sum_windows, runtime.undiff, runtime.cumsum_reversed,
    ), 1),
    runtime.unpermute: 2, runtime.count: 0,
}  # fmt: skip
COMPUTED = (ast.BinOp, ast.UnaryOp, ast.Call)


class Formed:
    """Rewrites of calls in one function; `of` tells kinds, `length` that of an axis.

    `fixed` are the arguments that stand for one value all along.
    """

    def __init__(
        self, tree: ast.AST, fixed: Iterable[str], of: Of, resolve: Resolve, length: Callable[[Axis], ast.expr | None]
    ) -> None:
        self.of, self.resolve, self.length = of, resolve, length
        self.fixed = [ast.Name(v, ast.Load()) for v in sorted(fixed)]
        self.pure = Optimisation(resolve)
        read, asked = _reads(tree), Counter[str]()
        for e in walk(tree):
            if isinstance(e, ast.Call) and (x := self.asked(e)) is not None:
                asked.update(_reads(x))
        self.only_asked = {v for v, n in asked.items() if n == read[v]}  # of no other use

    def asked(self, e: ast.Call) -> ast.expr | None:
        """The argument of a call of which the form is asked."""
        function = self.resolve(e.func)
        place = FORM_AT.get(function) if is_ours(function) else None
        return e.args[place] if place is not None and place < len(e.args) else None

    def changed(self, e: ast.Call, use: Callable[[Any, str], str]) -> ast.expr:
        x = self.asked(e)
        if x is None or not self.is_in_vain(x):
            return e
        whole = self.of(x)
        if not isinstance(whole, Number) or not whole.real or not whole.rank:
            return e
        for v in self.fixed:
            kind = self.of(v)
            if isinstance(kind, Number) and kind.dtype == whole.dtype and kind.rank == whole.rank:
                if all(map(same, kind.axes, whole.axes)):
                    return replace(e, args=[v if a is x else a for a in e.args])
        return self.made(e, whole, use) or e

    def is_in_vain(self, x: ast.expr) -> bool:
        """Whether something would be computed for this alone."""
        match x:
            case ast.Name(id=v):
                return v in self.only_asked
            case ast.Subscript(value=whole):
                return self.is_in_vain(whole) and is_pure(x, self.pure)
            case _:
                return isinstance(x, COMPUTED) and is_pure(x, self.pure)

    def made(self, e: ast.Call, whole: Number, use: Callable[[Any, str], str]) -> ast.expr | None:
        """An array of one number, or with one along its diagonal, where that is what a call gives."""
        function, b = self.resolve(e.func), self.of(e.args[0])
        lengths = [found for n in whole.axes if (found := self.length(n)) is not None]
        known = whole.dtype == "f8" and len(lengths) == whole.rank and len(e.args) == 2 and not e.keywords
        if not known or not isinstance(b, Number) or b.rank or b.dtype != "f8":
            return None
        if function is runtime.along_diagonal and whole.rank == 2:
            eye = ast.Call(expression("np.eye", np=use(np, "np")), lengths[:1] if same(*whole.axes) else lengths, [])
            return expression("b * eye", b=e.args[0], eye=eye)
        if function is not runtime.spread:
            return None
        shape = ast.Tuple(lengths, ast.Load()) if whole.rank > 1 else lengths[0]
        return expression("np.full(shape, b)", np=use(np, "np"), shape=shape, b=e.args[0])


def is_ours(function: Any) -> bool:
    """Whether something is a function of this library, and so may stand in a table."""
    return isinstance(function, types.FunctionType) and (function.__module__ or "").startswith("tangent.")


def _reads(tree: ast.AST) -> Counter[str]:
    return Counter(n.id for n in walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
