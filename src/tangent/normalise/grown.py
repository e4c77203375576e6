"""Lists that `+=` makes longer are changed by the methods that say so.

xs += [v]         ->   xs.append(v)
xs += [v, w]      ->   xs.extend([v, w])

And where a memory follows lists that others hold:

xs += ys          ->   xs.extend(ys)
xs *= 3           ->   xs.extend(xs * 2)
d[k] += [v]       ->   t = d[k]
                       if isinstance(t, list): t.extend([v]); d[k] = t
                       else: d[k] += [v]
"""

from __future__ import annotations

import ast
from collections import Counter

from tangent.normalise.context import Context
from tangent.syntax.quote import assign, at, call, constant, expression, name
from tangent.syntax.rebuild import replace, with_blocks
from tangent.syntax.walk import walk


def grown(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    followed = bool(context.memory)
    lists = _lists(f, context) if any(_longer(n) or (followed and _joined(n)) for n in walk(f)) else set()
    f = replace(f, body=_block(f.body, lists)) if lists else f
    return replace(f, body=_items(f.body, context)) if followed and any(_lengthens(n) for n in walk(f)) else f


def _lists(f: ast.FunctionDef, context: Context) -> set[str]:
    """The variables that only ever are bound to lists which are made here, or to others of them, and made longer."""
    bound = Counter(n.id for n in walk(f) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load))
    shared = [pair for n in walk(f) if (pair := _shared(n))]
    made = Counter(v for n in walk(f) if (v := _longer(n) or _made(n, context)))
    made += Counter(v for v, _ in shared)
    if context.memory:
        joined = [pair for n in walk(f) if (pair := _joined(n))]
        made += Counter(v for v, _ in joined)
        shared += joined
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


def _joined(n: ast.AST) -> tuple[str, str] | None:
    """The variables of `xs += ys`, or that of `xs *= 3`, twice."""
    match n:
        case ast.AugAssign(target=ast.Name(id=v), op=ast.Add(), value=ast.Name(id=w)):
            return v, w
        case ast.AugAssign(target=ast.Name(id=v), op=ast.Mult(), value=ast.Constant(value=int(times))) if times > 0:
            return v, v
        case _:
            return None


def _lengthens(n: ast.AST) -> bool:
    """Whether something is made longer by a list: `d[k] += [v]`, where the key does nothing."""
    match n:
        case ast.AugAssign(target=place, op=ast.Add(), value=ast.List()):
            return not any(isinstance(x, (ast.Call, ast.NamedExpr)) for x in walk(place))
        case _:
            return False


def _items(body: list[ast.stmt], context: Context) -> list[ast.stmt]:
    return [new for s in body for new in _item(s, context)]


def _item(s: ast.stmt, context: Context) -> list[ast.stmt]:
    if not _lengthens(s):
        return [s] if isinstance(s, (ast.FunctionDef, ast.ClassDef)) else [with_blocks(s, lambda b: _items(b, context))]
    assert isinstance(s, ast.AugAssign)
    kind = name(context.builtin("list"))
    if isinstance(s.target, ast.Name):
        test = call(context.builtin("isinstance"), name(s.target.id), kind)
        return [at(ast.If(test, [_changed(s.target.id, "extend", s.value, s)], [s]), s)]
    held = context.names.numbered("t")
    context.scope.local.add(held)
    test = call(context.builtin("isinstance"), name(held), kind)
    stored = at(ast.Assign([s.target], name(held)), s.value)  # the place of `s` is that of the operator in place
    grown = [_changed(held, "extend", s.value, s), stored]
    return [assign(held, replace(s.target, ctx=ast.Load()), s), at(ast.If(test, grown, [s]), s)]


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
        case ast.AugAssign(target=ast.Name(id=v), op=ast.Mult(), value=ast.Constant(value=int(times))) if v in lists:
            return _changed(v, "extend", expression("xs * n", xs=v, n=constant(times - 1)), s)
        case ast.AugAssign(target=ast.Name(id=v), value=value) if v in lists:
            return _changed(v, "extend", value, s)
        case _:
            return with_blocks(s, lambda body: _block(body, lists))


def _changed(v: str, method: str, value: ast.expr, s: ast.stmt) -> ast.stmt:
    made = ast.Expr(ast.Call(ast.Attribute(name(v), method, ast.Load()), [value], []))
    return ast.fix_missing_locations(ast.copy_location(made, s))
