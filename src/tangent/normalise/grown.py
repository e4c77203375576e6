"""Lists that `+=` makes longer are changed by the methods that say so.

xs += [v]         ->   xs.append(v)
xs += [v, w]      ->   xs.extend([v, w])
"""

from __future__ import annotations

import ast
from collections import Counter

from tangent.normalise.context import Context
from tangent.syntax.quote import name
from tangent.syntax.rebuild import replace, with_blocks
from tangent.syntax.walk import walk


def grown(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    lists = _lists(f, context) if any(_longer(n) for n in walk(f)) else set()
    return replace(f, body=_block(f.body, lists)) if lists else f


def _lists(f: ast.FunctionDef, context: Context) -> set[str]:
    """The variables that only ever are bound to lists which are made here, or to others of them, and made longer."""
    bound = Counter(n.id for n in walk(f) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load))
    shared = [pair for n in walk(f) if (pair := _shared(n))]
    made = Counter(v for n in walk(f) if (v := _longer(n) or _made(n, context)))
    made += Counter(v for v, _ in shared)
    other = {n.arg for n in walk(f) if isinstance(n, ast.arg)}
    other |= {v for n in walk(f) if isinstance(n, (ast.Global, ast.Nonlocal)) for v in n.names}
    other |= {n.name for n in walk(f) if isinstance(n, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and n.name}
    found = {v for v, times in made.items() if times == bound[v]} - other
    while lost := {v for v, w in shared if v in found and w not in found}:
        found -= lost
    return found


def _shared(n: ast.AST) -> tuple[str, str] | None:
    """The variables of `ys = xs`."""
    match n:
        case ast.Assign(targets=[ast.Name(id=v)], value=ast.Name(id=w)):
            return v, w
        case _:
            return None


def _longer(n: ast.AST) -> str:
    """The list that a statement makes longer."""
    match n:
        case ast.AugAssign(target=ast.Name(id=v), op=ast.Add(), value=ast.List() | ast.ListComp() | ast.Tuple()):
            return v
        case _:
            return ""


def _made(n: ast.AST, context: Context) -> str:
    """The variable that is bound to a new list."""
    match n:
        case ast.Assign(targets=[ast.Name(id=v)], value=ast.List() | ast.ListComp()):
            return v
        case ast.Assign(targets=[ast.Name(id=v)], value=ast.Call(func=func)) if context.scope.resolve(func) is list:
            return v
        case _:
            return ""


def _block(body: list[ast.stmt], lists: set[str]) -> list[ast.stmt]:
    return [_statement(s, lists) for s in body]


def _statement(s: ast.stmt, lists: set[str]) -> ast.stmt:
    match s:
        case ast.AugAssign(target=ast.Name(id=v), value=ast.List(elts=[e]) | ast.Tuple(elts=[e])) if (
            v in lists and not isinstance(e, ast.Starred)
        ):
            return _changed(v, "append", e, s)
        case ast.AugAssign(target=ast.Name(id=v), value=value) if v in lists:
            return _changed(v, "extend", value, s)
        case _:
            return with_blocks(s, lambda body: _block(body, lists))


def _changed(v: str, method: str, value: ast.expr, s: ast.stmt) -> ast.stmt:
    made = ast.Expr(ast.Call(ast.Attribute(name(v), method, ast.Load()), [value], []))
    return ast.fix_missing_locations(ast.copy_location(made, s))
