"""`contextlib.ExitStack` and `closing`, written as the blocks that they stand for.

with ExitStack() as stack:                        with scaled(x) as y:
    y = stack.enter_context(scaled(x))      ->        try: z = y * x
    stack.callback(log.append, y)                     finally: log.append(y)
    z = y * x
"""

from __future__ import annotations

import ast
import contextlib

from tangent.normalise.context import Context
from tangent.source.resolve import MISSING
from tangent.syntax.quote import assign, at, name
from tangent.syntax.uses import expression_reads
from tangent.syntax.walk import walk


def stacked(s: ast.With, context: Context) -> list[ast.stmt] | None:
    """The blocks that a stack of contexts, or `closing`, means; None where it is neither."""
    match s.items:
        case [ast.withitem(context_expr=ast.Call(func=func, args=[], keywords=[]), optional_vars=ast.Name(id=v))]:
            if context.scope.resolve(func) is contextlib.ExitStack:
                return _opened(v, s.body, s, context)
        case [ast.withitem(context_expr=ast.Call(func=func, args=[given], keywords=[]), optional_vars=target)]:
            if context.scope.resolve(func) is contextlib.closing:
                return _closed(given, target, s, context)
    return None


def _closed(given: ast.expr, target: ast.expr | None, s: ast.With, context: Context) -> list[ast.stmt]:
    held = _held("closing", given, s, context)
    bind = [at(ast.Assign([target], name(_name(held))), s)] if target is not None else []
    close = ast.Call(ast.Attribute(name(_name(held)), "close", ast.Load()), [], [])
    return [held, *bind, _finally(s.body, close, s)]


def _opened(stack: str, body: list[ast.stmt], s: ast.With, context: Context) -> list[ast.stmt] | None:
    done: list[ast.stmt] = []
    for position, x in enumerate(body):
        rest = body[position + 1 :] or [at(ast.Pass(), x)]
        if not _mentions(x, stack):
            done.append(x)
            continue
        target: ast.expr | None = None
        match x:
            case ast.Expr(value=ast.Call() as e) if _asked(e, stack):
                pass
            case ast.Assign(targets=[ast.expr() as slot], value=ast.Call() as e) if _asked(e, stack):
                target = slot
            case _:
                refuse_own(s, stack, context)
                return None
        if any(_mentions(a, stack) for a in (*e.args, *e.keywords)):
            refuse_own(s, stack, context)
            return None
        inner = _opened(stack, rest, s, context)
        if inner is None:
            return None
        assert isinstance(e.func, ast.Attribute)
        if e.func.attr == "enter_context":
            return [*done, at(ast.With([ast.withitem(e.args[0], target)], inner), x)]
        return [*done, *_called_back(e, target, inner, x, context)]
    return done


def _asked(e: ast.Call, stack: str) -> bool:
    """Whether a call hands something to the stack that is known where it stands."""
    match e:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=v), attr="enter_context"), args=[_], keywords=[]):
            return v == stack
        case ast.Call(func=ast.Attribute(value=ast.Name(id=v), attr="callback"), args=[_, *rest]):
            stars = any(isinstance(a, ast.Starred) for a in rest) or any(k.arg is None for k in e.keywords)
            return v == stack and not stars
        case _:
            return False


def _called_back(
    e: ast.Call, target: ast.expr | None, inner: list[ast.stmt], x: ast.stmt, context: Context
) -> list[ast.stmt]:
    """A call at the end of a block, of what its arguments are now."""
    function, *given = e.args
    bind: list[ast.stmt] = [at(ast.Assign([target], function), x)] if target is not None else []
    held = [_held("given", a, x, context) for a in given]
    named = [(k.arg, _held("given", k.value, x, context)) for k in e.keywords]
    keywords = [ast.keyword(k, name(_name(h))) for k, h in named]
    call = ast.Call(function, [name(_name(h)) for h in held], keywords)
    return [*bind, *held, *(h for _, h in named), _finally(inner, call, x)]


def _held(base: str, e: ast.expr, s: ast.stmt, context: Context) -> ast.Assign:
    v = context.names.numbered(base)
    context.scope.local.add(v)
    return assign(v, e, s)


def _name(s: ast.Assign) -> str:
    assert isinstance(s.targets[0], ast.Name)
    return s.targets[0].id


def _finally(body: list[ast.stmt], call: ast.Call, s: ast.stmt) -> ast.stmt:
    located = ast.copy_location(call, s)
    for n in walk(call):
        if isinstance(n, ast.expr) and not hasattr(n, "lineno"):
            ast.copy_location(n, s)
    return at(ast.Try(body, [], [], [at(ast.Expr(located), s)]), s)


def _mentions(x: ast.AST, v: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == v for n in walk(x))


def refuse_own(s: ast.With, stack: str, context: Context) -> None:
    """A stack that is filled in other ways runs as it stands, if it is given nothing of the function's own."""
    for n in walk(s):
        match n:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=v)), args=args, keywords=keywords) if v == stack:
                inner = [*args, *(k.value for k in keywords)]
                if any(context.scope.lookup(r) is MISSING for a in inner for r in expression_reads(a)):
                    raise context.refuse(
                        n, f"'{ast.unparse(n)}' here", "when it is left depends on how the block runs",
                        "Write a 'with' or 'finally' of its own.",
                    )  # fmt: skip
