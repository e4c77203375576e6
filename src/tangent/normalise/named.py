"""Functions that get a name and are only called by it: lambdas as definitions, partial applications as calls."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator

from tangent.normalise.context import Context
from tangent.source.resolve import MISSING
from tangent.syntax.captured import bindings
from tangent.syntax.quote import assign, name
from tangent.syntax.rebuild import function_node, rebuild, replace, walk_scope, with_blocks
from tangent.syntax.walk import fact, holds, walk


@fact
def _called_only(f: ast.FunctionDef) -> set[str]:
    """Variables that are bound once and otherwise called."""
    called = {n.func.id for n in walk_scope(f) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
    plain = {n.func for n in walk_scope(f) if isinstance(n, ast.Call)}
    kept = {n.id for n in walk(f) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load) and n not in plain}
    once = bindings(f)
    return {v for v in called - kept if once[v] == 1}


def definition(v: str, e: ast.Lambda, place: ast.AST) -> ast.FunctionDef:
    """A lambda as a function with a name."""
    result = ast.copy_location(ast.Return(e.body), e.body)
    return ast.copy_location(function_node(v, e.args, [result]), place)


def defined(f: ast.FunctionDef) -> ast.FunctionDef:
    """`v = lambda a: e` as `def v(a): return e`, where v is only called."""
    if not holds(f, ast.Lambda):
        return f
    names = _called_only(f)

    def statement(s: ast.stmt) -> ast.stmt:
        match s:
            case ast.Assign(targets=[ast.Name(id=v)], value=ast.Lambda() as e) if v in names:
                return definition(v, e, s)
            case _:
                return with_blocks(s, block)

    def block(body: list[ast.stmt]) -> list[ast.stmt]:
        return [statement(s) for s in body]

    return replace(f, body=block(f.body))


def applied(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    """`g = functools.partial(h, a)` and `g(b)` as `given = a` and `h(given, b)`, where g is only called."""
    if not (names := _called_only(f)):
        return f
    known: dict[str, ast.Call] = {}

    def block(body: list[ast.stmt]) -> list[ast.stmt]:
        return [new for s in body for new in statement(s)]

    def statement(s: ast.stmt) -> Iterator[ast.stmt]:
        match s:
            case ast.Assign(targets=[ast.Name(id=v)], value=ast.Call(args=args, keywords=keywords) as e) if (
                v in names and _is_partial(e, context) and _stays(e.args[0], f)
            ):
                parts = [*args[1:], *(k.value for k in keywords)]
                held: list[ast.expr] = []
                for part in parts:
                    if not isinstance(part, ast.Constant):
                        given = context.names.numbered("given")
                        yield ast.copy_location(assign(given, part, s), s)
                        part = ast.copy_location(name(given), part)
                    held.append(part)
                named = [replace(k, value=h) for k, h in zip(keywords, held[len(args) - 1 :])]
                known[v] = replace(e, args=[args[0], *held[: len(args) - 1]], keywords=named)
            case _:
                yield with_blocks(s, block)

    def call(e: ast.expr) -> ast.expr:
        match e:
            case ast.Call(func=ast.Name(id=v)) if v in known:
                given = {k.arg for k in e.keywords}
                keywords = [k for k in known[v].keywords if k.arg not in given]
                return replace(
                    e, func=known[v].args[0], args=[*known[v].args[1:], *e.args], keywords=[*keywords, *e.keywords]
                )
            case _:
                return e

    body = block(f.body)
    return replace(f, body=[ast.fix_missing_locations(rebuild(s, call)) for s in body]) if known else f


def _stays(e: ast.expr, f: ast.FunctionDef) -> bool:
    """Whether a name means one thing as long as the function runs."""
    return not isinstance(e, ast.Name) or bindings(f)[e.id] <= 1


def _is_partial(e: ast.Call, context: Context) -> bool:
    if context.scope.resolve(e.func) is not functools.partial or not e.args:
        return False
    plain = not any(isinstance(a, ast.Starred) for a in e.args) and all(k.arg for k in e.keywords)
    return plain and (isinstance(e.args[0], ast.Name) or context.scope.resolve(e.args[0]) is not MISSING)
