"""Nested functions that keep their results: what the decorator does, written out. `functools.wraps` does nothing.

@functools.cache                  fib_kept = {}
def fib(n):                       def fib(n):
    if n < 2: return x                if not isinstance(n, (int, str)): return fib_made(n)
    return fib(n - 1) + ...   ->      if n in fib_kept: return fib_kept[n]
                                      kept = fib_made(n)
                                      fib_kept[n] = kept
                                      return kept
                                  def fib_made(n):
                                      if n < 2: return x
                                      return fib(n - 1) + ...

Results are found again by integers and strings only: numbers that are equal may still have different derivatives.
"""

from __future__ import annotations

import ast
import builtins
import copy
import functools
import types
from typing import Any

from tangent.runtime.calls import HANDED_ON
from tangent.source.cells import cells_of, content_of
from tangent.syntax.names import Names, identifiers
from tangent.syntax.quote import assign, at, expression, name, quote
from tangent.syntax.rebuild import function_node, rename, replace, walk_scope, with_blocks
from tangent.syntax.uses import arguments
from tangent.syntax.walk import walk

CACHES = (functools.cache, functools.lru_cache)


def with_memos(tree: ast.FunctionDef, function: types.FunctionType) -> ast.FunctionDef:
    """The definition in which the caches of nested functions are dicts."""
    if not any(isinstance(n, ast.FunctionDef) and n.decorator_list for n in walk(tree) if n is not tree):
        return tree
    looked_into = {n.value.id for n in walk(tree) if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name)}
    names = Names(identifiers(tree))

    def block(body: list[ast.stmt]) -> list[ast.stmt]:
        return [new for s in body for new in statement(with_blocks(s, block))]

    def statement(s: ast.stmt) -> list[ast.stmt]:
        if isinstance(s, ast.FunctionDef):
            decorators = [d for d in s.decorator_list if not _only_names(d, tree, function)]
            s = replace(s if len(decorators) == len(s.decorator_list) else _marked(s), decorator_list=decorators)
        match s:
            case ast.FunctionDef(name=title, decorator_list=[decorator]) if _is_cache(decorator, tree, function):
                return [s] if title in looked_into else _written_out(s, names)
            case ast.FunctionDef():
                return [replace(s, body=block(s.body))]
            case _:
                return [s]

    return replace(tree, body=block(tree.body))


def _is_cache(e: ast.expr, tree: ast.FunctionDef, function: types.FunctionType) -> bool:
    made = e.func if isinstance(e, ast.Call) else e
    return meaning(made, tree, function) in CACHES


def _only_names(e: ast.expr, tree: ast.FunctionDef, function: types.FunctionType) -> bool:
    """Whether a decorator gives a function the name and text of another one, and nobody asks for that other one."""
    if not isinstance(e, ast.Call) or meaning(e.func, tree, function) is not functools.wraps:
        return False
    return not any(isinstance(n, ast.Attribute) and n.attr == "__wrapped__" for n in walk(tree))


def _marked(s: ast.FunctionDef) -> ast.FunctionDef:
    """A wrapper that takes whatever the function takes that it stands for: its derivative would be that of a tuple.

    def w(*args): ...      ->      def w(*args_of_another): ...
    """
    args = s.args
    if args.vararg is None or args.args or args.posonlyargs:
        return s
    named = replace(args, vararg=replace(args.vararg, arg=HANDED_ON))
    body = [rename(x, {args.vararg.arg: HANDED_ON}) for x in s.body]
    return replace(s, args=named, body=body)


def meaning(e: ast.expr, tree: ast.FunctionDef, function: types.FunctionType) -> Any:
    """What a decorator is, outside the function or by an import inside."""
    match e:
        case ast.Attribute(value=ast.Name(id=v), attr=attr):
            module = _outside(v, function) if v not in _imported(tree) else functools
            return getattr(module, attr, None) if isinstance(module, types.ModuleType) else None
        case ast.Name(id=v):
            found = _imported(tree).get(v, v)
            return getattr(functools, found, None) if v in _imported(tree) else _outside(v, function)
        case _:
            return None


def _imported(tree: ast.FunctionDef) -> dict[str, str]:
    """Names that the function imports from `functools`, and its own for that."""
    found: dict[str, str] = {}
    for n in walk_scope(tree):
        match n:
            case ast.ImportFrom(module="functools", names=aliases):
                found |= {a.asname or a.name: a.name for a in aliases}
            case ast.Import(names=aliases):
                found |= {a.asname or a.name: "functools" for a in aliases if a.name == "functools"}
    return found


def _outside(v: str, function: types.FunctionType) -> Any:
    cells = cells_of(function)
    if v in cells:
        return content_of(cells[v])
    return function.__globals__.get(v, getattr(builtins, v, None))


def _written_out(s: ast.FunctionDef, names: Names) -> list[ast.stmt]:
    plain = replace(s, decorator_list=[])
    if s.args.kwarg or s.args.vararg:
        return [plain]
    given = [a.arg for a in arguments(s.args)]
    made, table, result = (names.fresh(f"{s.name}_{word}") for word in ("made", "kept", "result"))
    key = name(given[0]) if len(given) == 1 else ast.Tuple([name(v) for v in given], ast.Load())
    passed = ast.Call(
        name(made), [name(a.arg) for a in (*s.args.posonlyargs, *s.args.args)],
        [ast.keyword(a.arg, name(a.arg)) for a in s.args.kwonlyargs],
    )  # fmt: skip
    exact: ast.expr = ast.BoolOp(ast.And(), [expression("isinstance(v, (int, str))", v=v) for v in given])
    if len(given) < 2:
        exact = expression("isinstance(v, (int, str))", v=given[0]) if given else ast.Constant(True)
    body: list[ast.stmt] = [
        ast.If(ast.UnaryOp(ast.Not(), exact), [ast.Return(copy.deepcopy(passed))], []),
        ast.If(expression("k in t", k=key, t=table), [ast.Return(expression("t[k]", k=key, t=table))], []),
        assign(result, passed),
        quote("t[k] = r", k=key, t=table, r=result),
        ast.Return(name(result)),
    ]
    outer = function_node(s.name, s.args, [_placed(x, s) for x in body])
    inner = replace(plain, name=made, args=_without_defaults(s.args))
    start = assign(table, ast.Dict([], []), s)
    return [_placed(start, s), inner, ast.copy_location(outer, s)]


def _without_defaults(args: ast.arguments) -> ast.arguments:
    return replace(args, defaults=[], kw_defaults=[None for _ in args.kwonlyargs])


def _placed(x: ast.stmt, s: ast.stmt) -> ast.stmt:
    for n in ast.walk(x):
        if isinstance(n, (ast.stmt, ast.expr)):
            ast.copy_location(n, s)
    return at(x, s)
