"""Loops over generator expressions are loops over what these go through.

for w in (a[k:] for k in range(n) if c[k]):   ->   for k in range(n):
    body                                               if c[k]:
                                                           w = a[k:]
                                                           body

for i, w in enumerate(w * w for w in xs):     ->   n = 0
    body                                           for w2 in xs:
                                                       i, w = n, w2 * w2
                                                       n = n + 1
                                                       body
"""

from __future__ import annotations

import ast

from tangent.normalise.context import Context
from tangent.normalise.jumps import own_breaks
from tangent.syntax.quote import assign, at, constant, expression, name
from tangent.syntax.rebuild import rename, replace, with_blocks
from tangent.syntax.walk import holds, walk

HIDING = (ast.Lambda, ast.NamedExpr, ast.Yield, ast.Await)


def looped(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    """Each item is computed when it is its turn, as Python does: what the body changes, the next item sees."""
    if not holds(f, ast.GeneratorExp):
        return f

    def block(body: list[ast.stmt]) -> list[ast.stmt]:
        return [new for s in body for new in statement(with_blocks(s, block))]

    def statement(s: ast.stmt) -> list[ast.stmt]:
        match s:
            case ast.For(iter=ast.GeneratorExp() as e) if _may_be_loop(s, e):
                return [written_out(s, e, [at(ast.Assign([s.target], e.elt), s)])]
            case ast.For(iter=ast.Call(func=func, args=[ast.GeneratorExp() as e, *start], keywords=[])) if (
                context.scope.resolve(func) is enumerate and _may_be_loop(s, e) and len(start) < 2
            ):
                return counted(s, e, start[0] if start else constant(0))
            case _:
                return [s]

    def counted(s: ast.For, e: ast.GeneratorExp, start: ast.expr) -> list[ast.stmt]:
        n = context.names.fresh("n")
        context.scope.local.add(n)
        item = at(ast.Assign([s.target], ast.Tuple([name(n), e.elt], ast.Load())), s)
        match e.generators:
            case [ast.comprehension(target=target, iter=over, ifs=[]) as g] if isinstance(s.iter, ast.Call):
                both = ast.Tuple([ast.Name(n, ast.Store()), target], ast.Store())
                turns = ast.copy_location(replace(s.iter, args=[over, *s.iter.args[1:]]), over)
                return [written_out(s, replace(e, generators=[replace(g, target=both, iter=turns)]), [item])]
        more = assign(n, expression("n + 1", n=n), s)
        return [assign(n, start, s), written_out(s, e, [item, more])]

    def written_out(s: ast.For, e: ast.GeneratorExp, first: list[ast.stmt]) -> ast.stmt:
        own = {n.id for g in e.generators for n in walk(g.target) if isinstance(n, ast.Name)}
        names = {v: context.names.numbered(v) if v in _around(f, e) else v for v in sorted(own)}
        context.scope.local |= set(names.values())
        body = [*(replace(x, value=rename(x.value, names)) for x in first if isinstance(x, ast.Assign)), *s.body]
        for i, g in reversed(list(enumerate(e.generators))):
            for test in reversed(g.ifs):
                body = [at(ast.If(rename(test, names), body, []), s)]
            over = rename(g.iter, names) if i else g.iter  # the first is asked for outside
            body = [at(ast.For(rename(g.target, names), over, body, [] if i else s.orelse), s)]
        return body[0]

    return replace(f, body=block(f.body))


def _around(f: ast.FunctionDef, e: ast.expr) -> set[str]:
    """The names in a function outside of an expression."""
    inside = {id(n) for n in walk(e)}
    given = {a.arg for a in walk(f) if isinstance(a, ast.arg)}
    return given | {n.id for n in walk(f) if isinstance(n, ast.Name) and id(n) not in inside}


def _may_be_loop(s: ast.For, e: ast.GeneratorExp) -> bool:
    """Whether items are computed by nothing with a scope of its own, and one loop is left where several begin."""
    plain = not holds(e, *HIDING) and not any(g.is_async for g in e.generators)
    return plain and (len(e.generators) == 1 or not own_breaks(s))
