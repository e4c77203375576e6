"""Calls of nested functions that were taken out (lifting.py): they are given what these captured.

y = put(2.0)   ->   called = put(2.0, buf, n); y, n = called
"""

from __future__ import annotations

import ast
import types
from collections.abc import Iterator
from dataclasses import dataclass

from tangent.normalise.context import Context
from tangent.syntax.quote import at, name
from tangent.syntax.rebuild import rebuild, replace, with_blocks
from tangent.syntax.walk import walk


@dataclass(frozen=True)
class Lifted:
    """A function with what it captured as last arguments; what it rebinds follows its result."""

    function: types.FunctionType
    captured: tuple[str, ...]
    rebound: tuple[str, ...]
    by_name: bool
    writes: bool
    names: tuple[str, ...] = ()

    @property
    def here(self) -> tuple[str, ...]:
        """What the captured variables are called where the function is called."""
        return self.names or self.captured

    def call(self, e: ast.Call) -> ast.Call:
        """The call with what the function captured."""
        keywords = self.by_name or e.keywords or len(e.args) + len(self.captured) != _places(self.function)
        if keywords:
            given = (ast.keyword(v, name(h)) for v, h in zip(self.captured, self.here))
            return replace(e, keywords=[*e.keywords, *given])
        return replace(e, args=[*e.args, *(name(h) for h in self.here)])


def _places(function: types.FunctionType) -> int:
    return function.__code__.co_argcount


def lifted_calls(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    """Give calls of lifted functions what these captured, and take what they rebound."""
    return replace(f, body=_block(f.body, context)) if context.lifted else f


def _block(body: list[ast.stmt], context: Context) -> list[ast.stmt]:
    return [new for s in body for new in _statement(with_blocks(s, lambda b: _block(b, context)), context)]


def _statement(s: ast.stmt, context: Context) -> Iterator[ast.stmt]:
    match s:
        case ast.FunctionDef():
            yield s
        case ast.Assign(targets=[ast.Name(id=target)], value=ast.Call(func=ast.Name(id=v)) as call) if (
            v in context.lifted and context.lifted[v].rebound
        ):
            lifted = context.lifted[v]
            held = context.names.numbered("called")
            yield at(ast.Assign([ast.Name(held, ast.Store())], lifted.call(call)), s)
            targets = [target, *(x if x != target else context.names.numbered("dropped") for x in lifted.rebound)]
            slots = ast.Tuple([ast.Name(x, ast.Store()) for x in targets], ast.Store())
            yield at(ast.Assign([slots], name(held)), s)
            context.scope.local |= {held, *targets}
        case ast.Expr(value=ast.Call(func=ast.Name(id=v)) as call) if (
            v in context.lifted and context.lifted[v].rebound
        ):  # fmt: skip
            dropped = ast.Name(context.names.numbered("dropped"), ast.Store())
            yield from _statement(at(ast.Assign([dropped], call), s), context)
        case _:
            yield _with_arguments(s, context)


def _with_arguments(s: ast.stmt, context: Context) -> ast.stmt:
    def change(e: ast.expr) -> ast.expr:
        match e:
            case ast.Call(func=ast.Name(id=v)) if v in context.lifted:
                if rebound := context.lifted[v].rebound:
                    why = f"it rebinds '{rebound[0]}', inside an expression that stays whole"
                    raise context.refuse(e, f"the call of '{v}' here", why, "Call it in a statement of its own.")
                lifted: Lifted = context.lifted[v]
                return lifted.call(e)
            case _:
                return e

    if not any(isinstance(n, ast.Name) and n.id in context.lifted for n in walk(s)):
        return s
    header = {f: rebuild(e, change) for f, e in ast.iter_fields(s) if isinstance(e, ast.AST)}
    lists = {
        f: [rebuild(x, change) if isinstance(x, ast.expr) else x for x in e]
        for f, e in ast.iter_fields(s) if isinstance(e, list)
    }  # fmt: skip
    return replace(s, **header, **lists)
