"""What is called instead of a derivative when a callee, known only when it is called, turns out to write.

    for wall in walls:
        wall.reflect(u)

Which function `reflect` is, and whether it writes into `u`, is seen when the call happens. Most callees do not write,
and code that allows for it is slower, so a derivative begins without. The first callee that writes ends it, before
anything of the caller's has been changed; the derivative with a memory of arrays is made then, and called in its place
from there on. Where something has happened that would not happen twice in the same way, the error stands.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Callable
from typing import Any

from tangent import runtime
from tangent.errors import InPlaceError, TangentError
from tangent.runtime.calls import unrepeated
from tangent.runtime.kernels.index import number_rows
from tangent.source.cells import content_of
from tangent.source.naming import is_library
from tangent.source.reachable import mentioned
from tangent.syntax.quote import call, expression, name, quote
from tangent.syntax.uses import arguments
from tangent.transform.generated import Generated

CALLS = tuple(f"{runtime.__name__}.{room}" for room in ("calls", "library", "stateful"))  # where callees are called


class Late:
    """The derivative that allows for callees that write, once it is needed."""

    def __init__(self, make: Callable[[], Callable[..., Any]], may_begin_again: Callable[[], bool]) -> None:
        self.make, self.may_begin_again = make, may_begin_again
        self.made: Callable[..., Any] | None = None

    def instead(self, error: BaseException, before: int) -> Callable[..., Any] | None:
        """What is called after such an error; None after others, and where what was run cannot be run again."""
        if not isinstance(error, InPlaceError) or not error.found_late:
            return None
        if before != unrepeated() or not self.may_begin_again():
            return None
        try:
            return self.make()
        except TangentError:
            return None

    def keep(self, made: Callable[..., Any]) -> None:
        self.made = made


def calls_what_it_finds(functions: list[Generated]) -> bool:
    """Whether a module, or the derivative that it was made from, calls what is known only when it is called."""
    values = [value for g in functions for value in (g.primal, *g.externals.values())]
    if any(value is number_rows for value in values):
        return True  # rows of arrays need a memory, too
    if any((getattr(value, "__module__", "") or "").startswith(CALLS) for value in values if callable(value)):
        return True
    behind = [g.primal.loaded.functions for g in functions if hasattr(g.primal, "loaded")]
    return any(calls_what_it_finds([*inner]) for inner in behind)


def makes_derivatives(function: types.FunctionType) -> bool:
    """Whether a function, or one that it comes to, takes derivatives: what these call writes unseen by a memory."""
    waiting, seen = [function], {function}
    while waiting:
        f = waiting.pop()
        names = mentioned(f.__code__)
        held = [f.__globals__.get(v) for v in names] + [content_of(cell) for cell in f.__closure__ or ()]
        held += [getattr(m, v, None) for m in held if isinstance(m, types.ModuleType) for v in names]
        if any(getattr(x, "makes_derivatives", False) for x in held):
            return True
        new = {x for x in held if isinstance(x, types.FunctionType) and not is_library(x)} - seen
        seen |= new
        waiting += new
    return False


def asked_first(again: ast.expr) -> ast.stmt:
    """If a callee was found to write before, the other derivative is called at once."""
    return ast.If(expression("(_other := _late.made) is not None"), [ast.Return(again)], [])


def with_another(body: list[ast.stmt], args: ast.arguments, again: ast.expr) -> list[ast.stmt]:
    """The body; where it ends by a callee that writes, the other derivative with the same arguments."""
    every = [a.arg for a in arguments(args)]
    given = ast.Tuple([name(v) for v in every], ast.Load())
    told = ast.Assign([ast.Tuple([ast.Name(v, ast.Store()) for v in every], ast.Store())], name("_given"))
    handler = ast.ExceptHandler(name("_Exception"), "_error", [
        quote("_other, _first = _late.instead(_error, _before), _error"),
        ast.Expr(call("_annotate", name("_error"))),
        ast.If(expression("_other is None"), [ast.Raise()], []),
    ])  # fmt: skip
    refused = ast.ExceptHandler(name("_TangentError"), None, [ast.Raise(name("_first"), ast.Constant(None))])
    return [
        ast.Assign([ast.Name("_given", ast.Store())], given),
        quote("_before = _unrepeated()"),
        ast.Try(body, [handler], [], []),
        *([told] if every else []),
        ast.Try([ast.Assign([ast.Name("_result", ast.Store())], again)], [refused], [], []),
        quote("_late.keep(_other)"),
        ast.Return(name("_result")),
    ]
