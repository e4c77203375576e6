"""`with` and `finally` beside `try`: what they do where a block fails half-way, and in the backward pass.

try:                            caught = None
    try: y = y * f(x)           try: y = y * f(x)
    finally: y = y + x    ->    except BaseException: caught = error_raised()
except ValueError: ...          y = y + x
                                if caught is not None: raise caught

(inside the attempt, where what is assigned can be seen after an exception), so that it can be split (split.py).
`with` is entered and left by calls, in the same way.
"""

from __future__ import annotations

import ast

from tangent.normalise.context import Context
from tangent.runtime.checkpoint import checkpoint
from tangent.runtime.checks import error_left, error_raised, new_context
from tangent.syntax.blocks import Attempt, Enter, Leave, Otherwise
from tangent.syntax.quote import assign, at, call, constant, expression, name
from tangent.syntax.rebuild import replace, statements, with_blocks
from tangent.syntax.uses import expression_reads
from tangent.transform.attempts.failing import Body, visible
from tangent.transform.attempts.split import Split


def unmarked(core: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    """Blocks of `with` and `finally` become attempts where these are inside of others that must be split."""
    while (found := _marked(core, context)) is not None:
        new = _Unmarked(context).block(found.body)
        core = replace(core, body=_with(core.body, found, replace(found, body=new)))
    return core


def _marked(core: ast.FunctionDef, context: Context) -> Attempt | None:
    """An attempt to be split that has marks which can be written as attempts."""
    marked = [
        a
        for a in statements(core.body)
        if isinstance(a, Attempt) and any(_opens(s, context) for s in statements(a.body))
    ]
    seen = visible(core, context) if marked else {}
    return next((a for a in marked if not Split(context, {}).is_whole(a.body, seen[a])), None)


def _opens(s: ast.stmt, context: Context) -> bool:
    if not isinstance(s, Enter):
        return False
    return not (isinstance(s.value, ast.Call) and context.scope.resolve(s.value.func) is checkpoint)


def _with(body: Body, old: Attempt, new: Attempt) -> Body:
    return [new if s is old else with_blocks(s, lambda block: _with(block, old, new)) for s in body]


class _Unmarked:
    def __init__(self, context: Context) -> None:
        self.context = context

    def block(self, body: Body) -> Body:
        """A block in which the outermost marks are written as attempts."""
        for i, s in enumerate(body):
            if _opens(s, self.context):
                assert isinstance(s, Enter)
                middle, end = _ends(body, i)
                last = body[middle + 1 : end] if middle != end else []
                return [*body[:i], *self.attempted(s, body[i + 1 : middle], last), *self.block(body[end + 1 :])]
            if isinstance(s, (ast.If, ast.For, ast.While)):
                inner = with_blocks(s, self.block)
                if inner is not s:
                    return [*body[:i], inner, *self.block(body[i + 1 :])]
        return body

    def attempted(self, s: Enter, body: Body, last: Body) -> Body:
        context, caught = self.context, self.context.names.numbered("caught")
        context.caught.add(caught)
        context.scope.local.add(caught)
        start: Body = []
        leave: Body = list(last)
        if s.value is not None:
            manager = context.names.numbered("manager")
            context.scope.local.add(manager)
            enter = call(context.use("new_context", new_context), name(manager))
            entered = assign(s.target.id, enter, s) if isinstance(s.target, ast.Name) else at(ast.Expr(enter), s)
            start = [assign(manager, s.value, s), entered]
            left = call(context.use("error_left", error_left), name(manager), name(caught))
            leave = [assign(caught, left, s)]
        store = assign(caught, call(context.use("error_raised", error_raised)), s)
        everything = name(context.builtin("BaseException"))
        inside = body or [at(ast.Pass(), s)]
        tried = at(Attempt(expression("c is None", c=caught), inside, [store], everything), s)
        again = at(ast.If(expression("c is not None", c=caught), [at(ast.Raise(name(caught), None), s)], []), s)
        return [*start, assign(caught, constant(None), s), tried, *leave, again]


def _ends(body: Body, start: int) -> tuple[int, int]:
    """Where `finally` begins, or the end, and where the end of a marked block is."""
    depth, middle = 0, 0
    for i in range(start + 1, len(body)):
        match body[i]:
            case Enter():
                depth += 1
            case Otherwise() if depth == 0:
                middle = i
            case Leave() if depth == 0:
                return middle or i, i
            case Leave():
                depth -= 1
    raise AssertionError("a block that does not end")


def reentered(mark: Enter | Leave, body: Body, local: set[str]) -> Body:
    """The marks of a block that the backward pass runs under, too: those that only say how NumPy warns."""
    if isinstance(mark, Enter):
        return [at(Leave(), mark)] if mark.quiet and not expression_reads(mark.value) & local else []
    depth = 0
    for x in reversed(body[: next(i for i, s in enumerate(body) if s is mark)]):
        if isinstance(x, Leave):
            depth += 1
        elif isinstance(x, Enter) and depth == 0:
            return [x] if x.quiet and not expression_reads(x.value) & local else []
        elif isinstance(x, Enter):
            depth -= 1
    return []
