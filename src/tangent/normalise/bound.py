"""Variables that surely have a value where a function is called."""

from __future__ import annotations

import ast
from collections.abc import Set

from tangent.syntax.uses import arguments, assigned_inside

LEAVING = (ast.Return, ast.Raise, ast.Continue, ast.Break)


def unbound_at(f: ast.FunctionDef, called: str, wanted: Set[str]) -> bool:
    """Whether a variable of those wanted may have no value where a function is called.

    >>> f = ast.parse("def f(x):\\n    if x > 0:\\n        y = x\\n    return g(y)").body[0]
    >>> unbound_at(f, "g", {"x"}), unbound_at(f, "g", {"y"})
    (False, True)
    """
    found = _Bound(called, wanted)
    found.block(f.body, {a.arg for a in arguments(f.args)})
    return found.lacks


class _Bound:
    def __init__(self, called: str, wanted: Set[str]) -> None:
        self.called, self.wanted = called, wanted
        self.lacks = False

    def use(self, node: ast.AST | None, bound: set[str]) -> None:
        if node is not None and not self.wanted <= bound and not isinstance(node, ast.FunctionDef):
            self.lacks |= any(isinstance(n, ast.Name) and n.id == self.called for n in ast.walk(node))

    def block(self, body: list[ast.stmt], bound: set[str]) -> set[str] | None:
        """What is bound after a block; None where it is never left at its end."""
        for s in body:
            after = self.statement(s, bound)
            if after is None:
                return None
            bound = after
        return bound

    def statement(self, s: ast.stmt, bound: set[str]) -> set[str] | None:
        match s:
            case ast.If(test=test, body=body, orelse=orelse):
                self.use(test, bound)
                ends = [self.block(body, set(bound)), self.block(orelse, set(bound))]
                left = [e for e in ends if e is not None]
                return set.intersection(*left) if left else None
            case ast.For(target=target, iter=iter, body=body, orelse=orelse):
                self.use(iter, bound)
                self.block(body, bound | assigned_inside([target]))
                self.block(orelse, set(bound))
                return bound
            case ast.While(test=test, body=body, orelse=orelse):
                self.use(test, bound)
                self.block(body, set(bound))
                self.block(orelse, set(bound))
                return bound
            case ast.With(items=items, body=body):
                for item in items:
                    self.use(item.context_expr, bound)
                    bound = bound | (assigned_inside([item.optional_vars]) if item.optional_vars else set())
                return self.block(body, bound)
            case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=last):
                gone = {
                    n.id for x in body for n in ast.walk(x) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Del)
                }
                after = self.block(body, set(bound))
                ends = [None if after is None else self.block(orelse, set(after))]
                ends += [self.block(h.body, (bound - gone) | ({h.name} if h.name else set())) for h in handlers]
                left = [e for e in ends if e is not None]
                finally_ = self.block(last, bound - gone)
                return set.intersection(*left) | (finally_ - bound) if left and finally_ is not None else None
            case ast.Match(subject=subject, cases=cases):
                self.use(subject, bound)
                for c in cases:
                    self.block(c.body, bound | assigned_inside([c.pattern]))
                return bound
            case ast.Delete():
                self.use(s, bound)
                return bound - {t.id for t in s.targets if isinstance(t, ast.Name)}
            case _:
                self.use(s, bound)
                return None if isinstance(s, LEAVING) else bound | assigned_inside([s])
