"""A variable that has no value yet raises inside `try` in so many words, since derivatives give every name a value.

if x > 2: y = 3 * x               y_bound = False
try:                              if x > 2:
    z = y * x               ->        y = 3 * x
except UnboundLocalError:             y_bound = True
    z = x                         try:
                                      if not y_bound: raise UnboundLocalError(...)
                                      z = y * x
                                  except UnboundLocalError:
                                      z = x
"""

from __future__ import annotations

import ast
import contextlib

from tangent.normalise.bound import unbound_at
from tangent.normalise.context import Context
from tangent.syntax.captured import own_variables
from tangent.syntax.quote import assign, at, call, constant, name
from tangent.syntax.rebuild import replace, walk_scope, with_blocks
from tangent.syntax.uses import assigned_inside, expression_reads


def unbound(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    tries = [n for n in walk_scope(f) if isinstance(n, (ast.Try, ast.With)) and _catches(n, context)]
    if not tries:
        return f
    inside = {v for t in tries for s in t.body for v in expression_reads(s)}
    missing = sorted(v for v in inside & own_variables(f) if unbound_at(f, v, {v}))
    if not missing:
        return f
    flags = {v: context.names.fresh(f"{v}_bound") for v in missing}
    context.scope.local |= set(flags.values())
    first = [assign(flag, constant(False), f.body[0]) for flag in flags.values()]
    return replace(f, body=[*first, *_Flagged(flags, context).block(f.body, False)])


def _catches(s: ast.Try | ast.With, context: Context) -> bool:
    """Whether a statement may catch that a variable has no value."""
    if isinstance(s, ast.With):
        calls = [i.context_expr for i in s.items if isinstance(i.context_expr, ast.Call)]
        suppressing = [c for c in calls if context.scope.resolve(c.func) is contextlib.suppress]
        return any(_is_caught(e, context) for c in suppressing for e in c.args)
    types = [h.type for h in s.handlers]
    parts = [e for t in types for e in (t.elts if isinstance(t, ast.Tuple) else [t])]
    return any(e is None or _is_caught(e, context) for e in parts)


def _is_caught(e: ast.expr, context: Context) -> bool:
    found = context.scope.resolve(e)
    return not isinstance(found, type) or issubclass(UnboundLocalError, found)


class _Flagged:
    """Statements with a note of what they bind; where an exception is caught, with a look at it."""

    def __init__(self, flags: dict[str, str], context: Context) -> None:
        self.flags, self.context = flags, context

    def block(self, body: list[ast.stmt], tried: bool) -> list[ast.stmt]:
        return [new for s in body for new in self.statement(s, tried)]

    def statement(self, s: ast.stmt, tried: bool) -> list[ast.stmt]:
        look = self.looked(s) if tried else []
        match s:
            case ast.Try():
                body = self.block(s.body, tried or _catches(s, self.context))
                handlers = [replace(h, body=self.block(h.body, tried)) for h in s.handlers]
                rest, last = self.block(s.orelse, tried), self.block(s.finalbody, tried)
                return [replace(s, body=body, handlers=handlers, orelse=rest, finalbody=last)]
            case ast.With(body=body):
                bound = self.noted(assigned_inside([i.optional_vars for i in s.items if i.optional_vars]), s)
                return [*look, replace(s, body=[*bound, *self.block(body, tried or _catches(s, self.context))])]
            case ast.For(target=target, body=body, orelse=orelse):
                bound = self.noted(assigned_inside([target]), s)
                return [*look, replace(s, body=[*bound, *self.block(body, tried)], orelse=self.block(orelse, tried))]
            case ast.If() | ast.While() | ast.Match():
                return [*look, with_blocks(s, lambda b: self.block(b, tried))]
            case ast.Delete(targets=targets):
                gone = {t.id for t in targets if isinstance(t, ast.Name)} & self.flags.keys()
                return [*look, s, *(assign(self.flags[v], constant(False), s) for v in sorted(gone))]
            case _:
                return [*look, s, *self.noted(assigned_inside([s]), s)]

    def noted(self, names: set[str], s: ast.stmt) -> list[ast.stmt]:
        return [assign(self.flags[v], constant(True), s) for v in sorted(names & self.flags.keys())]

    def looked(self, s: ast.stmt) -> list[ast.stmt]:
        header = replace(s, **{k: [] for k in ("body", "orelse", "cases") if k in s._fields})
        return [at(ast.If(ast.UnaryOp(ast.Not(), name(self.flags[v])), [self.raising(v, s)], []), s)
                for v in sorted(expression_reads(header) & self.flags.keys())]  # fmt: skip

    def raising(self, v: str, s: ast.stmt) -> ast.stmt:
        text = f"cannot access local variable '{v}' where it is not associated with a value"
        return at(ast.Raise(call(self.context.builtin("UnboundLocalError"), constant(text)), None), s)
