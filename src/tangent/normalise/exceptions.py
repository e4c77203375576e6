"""`try` becomes an attempt that tells whether something was caught, and a branch on it.

try:                      caught = None
    y = f(x)              try:
except ValueError:            y = f(x)
    y = 0.0         ->    except ValueError:
else:                         caught = error_raised()
    y = y * x             if caught is None: y = y * x
finally:                  else: y = 0.0
    done()                                              (all of it inside `try: ... finally: done()`)

`with suppress(E)` is such a `try`.
"""

from __future__ import annotations

import ast
import contextlib
import sys
import traceback
from typing import Any

from tangent.normalise.context import Context
from tangent.runtime.checks import error_raised, without_numbers
from tangent.syntax.blocks import Attempt
from tangent.syntax.quote import assign, at, call, constant, expression, name
from tangent.syntax.rebuild import rebuild, replace, with_blocks
from tangent.syntax.walk import holds

SHOWING = frozenset("str repr print type isinstance without_numbers traceback_of".split())
JUMPS = (ast.Return, ast.Break, ast.Continue)


def exceptions(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    if not holds(f, ast.Try, ast.TryStar, ast.With):
        return f
    return replace(f, body=_block(f.body, context))


def _block(body: list[ast.stmt], context: Context) -> list[ast.stmt]:
    return [new for s in body for new in _statement(s, context)]


def _statement(s: ast.stmt, context: Context) -> list[ast.stmt]:
    match s:
        case ast.TryStar():
            raise context.refuse(s, "'except*'", "groups of exceptions have no order", "Use 'except'.")
        case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=[_, *_] as last):
            inner = _try(replace(s, finalbody=[]), context) if handlers else _block([*body, *orelse], context)
            return [at(ast.Try(inner, [], [], _block(last, context)), s)]
        case ast.Try():
            return _try(s, context)
        case ast.With(items=[item]) if (types := _suppressed(item.context_expr, context)) is not None:
            handler = ast.ExceptHandler(types, None, [at(ast.Pass(), s)])
            return _try(at(ast.Try(s.body, [handler], [], []), s), context)
        case ast.With(items=[first, second, *rest]):
            inner_with = at(ast.With([second, *rest], s.body), s)
            return _statement(at(ast.With([first], [inner_with]), s), context)
    return [with_blocks(s, lambda body: _block(body, context))]


def _suppressed(e: ast.expr, context: Context) -> ast.expr | None:
    """What `contextlib.suppress(...)` suppresses."""
    match e:
        case ast.Call(func=func, args=args, keywords=[]) if context.scope.resolve(func) is contextlib.suppress:
            return args[0] if len(args) == 1 else ast.Tuple(list(args), ast.Load())
        case _:
            return None


def _try(s: ast.Try, context: Context) -> list[ast.stmt]:
    known = _generated(s, context)
    if known is not None:
        context.caught.add(known)
        body = _block(s.body, context)
        return [_attempt(known, body, list(s.handlers[0].body), _types(s.handlers, context), s)]
    caught = context.names.numbered("caught")
    context.caught.add(caught)
    body = _block(s.body, context)
    leaving: list[ast.stmt] = []
    if body and isinstance(last := body[-1], JUMPS):
        body, leaving = _kept_result(body, last, context)
    store = assign(caught, call(context.use("error_raised", error_raised)), s)
    attempt = _attempt(caught, body or [at(ast.Pass(), s)], [store], _types(s.handlers, context), s)
    success = leaving or _block(s.orelse, context)  # a body that ends with a jump leaves `else` out
    failure = _handled(s.handlers, caught, context)
    after: list[ast.stmt] = []
    if success:
        after = [at(ast.If(expression("c is None", c=caught), success, failure), s)]
    elif failure:
        after = [at(ast.If(expression("c is not None", c=caught), failure, []), s)]
    return [assign(caught, constant(None), s), attempt, *after]


def _attempt(caught: str, body: list[ast.stmt], store: list[ast.stmt], types: ast.expr, s: ast.stmt) -> Attempt:
    return at(Attempt(test=expression("c is None", c=caught), body=body, orelse=store, types=types), s)


def _generated(s: ast.Try, context: Context) -> str | None:
    """The name that an attempt in generated code stores its exception under."""
    match s.handlers:
        case [ast.ExceptHandler(body=[*_, ast.Assign(targets=[ast.Name(id=v)], value=ast.Call(func=func))])]:
            return v if context.scope.resolve(func) is error_raised else None
        case _:
            return None


def _kept_result(body: list[ast.stmt], last: ast.stmt, context: Context) -> tuple[list[ast.stmt], list[ast.stmt]]:
    """A jump at the end of a body comes after the attempt; what it returns is computed inside."""
    match last:
        case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
            held = context.names.numbered("result")
            return [*body[:-1], assign(held, value, last)], [at(ast.Return(name(held)), last)]
        case _:
            return body[:-1], [last]


def _types(handlers: list[ast.ExceptHandler], context: Context) -> ast.expr:
    """All that is caught."""
    found: list[ast.expr] = []
    for h in handlers:
        if h.type is None:
            return name(context.builtin("BaseException"))
        found += h.type.elts if isinstance(h.type, ast.Tuple) else [h.type]
    return found[0] if len(found) == 1 else ast.Tuple(found, ast.Load())


def _handled(handlers: list[ast.ExceptHandler], caught: str, context: Context) -> list[ast.stmt]:
    """A branch for each handler; the last needs no test, since something was caught."""
    chain: list[ast.stmt] = []
    for position, h in reversed(list(enumerate(handlers))):
        first = [assign(h.name, _named(h, h.name, caught, context), h.body[0])] if h.name else []
        body = _block([*first, *(_outside(x, caught, context) for x in h.body)], context)
        body = [x for x in body if not isinstance(x, ast.Pass)]
        if position == len(handlers) - 1:
            chain = body
        else:
            assert h.type is not None
            test = call(context.builtin("isinstance"), name(caught), h.type)
            chain = [at(ast.If(test, body or [at(ast.Pass(), h.body[0])], chain), h.body[0])]
    return chain


def _named(h: ast.ExceptHandler, target: str, caught: str, context: Context) -> ast.expr:
    """What was caught; where the handler looks into it, something that holds no numbers."""
    every = [n for x in h.body for n in ast.walk(x)]
    looked = [n for n in every if isinstance(n, ast.Name) and n.id == target and isinstance(n.ctx, ast.Load)]
    shown = [e for n in every for e in _only_shown(n)]
    if all(n in shown for n in looked):
        return name(caught)
    return call(context.use("without_numbers", without_numbers), name(caught))


def _only_shown(n: ast.AST) -> list[ast.expr]:
    """What a node raises again, asks the class of, or makes text of."""
    match n:
        case ast.Raise(exc=exc, cause=cause):
            return [e for e in (exc, cause) if e is not None]
        case ast.FormattedValue(value=value):
            return [value]
        case ast.Call(func=ast.Name(id=v), args=args) if v in SHOWING:
            return args
        case _:
            return []


def _outside(s: ast.stmt, caught: str, context: Context) -> ast.stmt:
    """A statement of a handler, where the exception has a name and is no longer the current one."""
    if isinstance(s, ast.Raise) and s.exc is None:
        return replace(s, exc=name(caught))

    def change(e: ast.expr) -> ast.expr:
        match e:
            case ast.Call(func=func):
                return _informed(e, context.scope.resolve(func), caught, context)
            case ast.Attribute(attr="__context__", ctx=ast.Load()):
                why = "handlers run behind the block that failed, where no exception is the current one"
                raise context.refuse(e, "'__context__'", why, "Say 'raise ... from e', and read '__cause__'.")
            case _:
                return e

    if isinstance(s, (ast.FunctionDef, ast.ClassDef, ast.Try)):
        return s
    inner = with_blocks(s, lambda body: [_outside(x, caught, context) for x in body])
    return rebuild(inner, change)


def _informed(e: ast.Call, found: Any, caught: str, context: Context) -> ast.expr:
    """Functions that ask for the current exception are given it."""
    if found is sys.exception:
        return call(context.use("without_numbers", without_numbers), name(caught))
    if found is error_raised:
        return name(caught)
    if found is sys.exc_info:
        held = call(context.use("without_numbers", without_numbers), name(caught))
        return expression("(type(c), held, c.__traceback__)", c=caught, held=held)
    if found is traceback.print_exc and not e.args:
        return replace(e, func=replace_name(e.func, "print_exception"), args=[name(caught)])
    logs = isinstance(e.func, ast.Attribute) and e.func.attr == "exception"
    logging = sys.modules.get("logging")
    logged = logging is not None and found is logging.exception
    if logged or (logs and not any(k.arg == "exc_info" for k in e.keywords)):
        given = [*e.keywords, ast.keyword("exc_info", name(caught))]
        return replace(e, func=replace_name(e.func, "error"), keywords=given)
    return e


def replace_name(func: ast.expr, attr: str) -> ast.expr:
    """Another function beside the one that was named; one that was imported by name keeps its name."""
    return replace(func, attr=attr) if isinstance(func, ast.Attribute) else func
