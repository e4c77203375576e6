"""Functions made from trees: they have the right signature, and what runs is made from Core on first demand."""

from __future__ import annotations

import ast
import types
from collections.abc import Callable, Mapping
from typing import Any

from tangent.source.cells import cells_of
from tangent.source.naming import home_of
from tangent.syntax.names import Names, identifiers
from tangent.syntax.quote import expression, name
from tangent.syntax.rebuild import function_node
from tangent.syntax.uses import arguments

_runner: list[Callable[[types.FunctionType], Callable[..., Any]]] = []


def install_runner(run: Callable[[types.FunctionType], Callable[..., Any]]) -> None:
    """Who makes something that runs from a function that was made from a tree."""
    _runner[:] = [run]


def stub(
    like: types.FunctionType, tree: ast.FunctionDef, cells: Mapping[str, types.CellType], file: str,
    code: types.CodeType | None = None,
) -> types.FunctionType:  # fmt: skip
    """The function of a tree, in the surroundings of another one; it passes its arguments on to what runs.

    The `code` is that of another one of the same tree, if there is one.
    """
    ready = Names(identifiers(tree) | set(cells)).fresh("ready")
    holder: list[types.FunctionType] = []
    every = {**cells, ready: types.CellType(lambda: _runner[0](holder[0]))}
    code = code or _passing(tree, every, ready, file)
    contents = tuple(every[v] for v in code.co_freevars)
    made = types.FunctionType(code, like.__globals__, like.__name__, like.__defaults__, contents)
    holder.append(made)
    made.__module__ = home_of(like)
    made.tree = tree  # type: ignore[attr-defined]
    made.captures = tuple(v for v in made.__code__.co_freevars if v != ready)  # type: ignore[attr-defined]
    return made


def in_place_of(function: types.FunctionType, tree: ast.FunctionDef, file: str) -> types.FunctionType:
    """The function of another tree, which is called as this one and captures the same."""
    made = stub(function, tree, cells_of(function), file)
    made.captures = getattr(function, "captures", function.__code__.co_freevars)  # type: ignore[attr-defined]
    made.__kwdefaults__ = function.__kwdefaults__
    made.__qualname__ = function.__qualname__
    return made


def _passing(tree: ast.FunctionDef, cells: dict[str, types.CellType], ready: str, file: str) -> types.CodeType:
    bare = bare_parameters(tree.args)
    positional: list[ast.expr] = [name(a.arg) for a in (*bare.posonlyargs, *bare.args)]
    if bare.vararg:
        positional.append(ast.Starred(name(bare.vararg.arg), ast.Load()))
    keywords = [ast.keyword(a.arg, name(a.arg)) for a in bare.kwonlyargs]
    if bare.kwarg:
        keywords.append(ast.keyword(None, name(bare.kwarg.arg)))
    given = {a.arg for a in arguments(bare)}
    captured = [v for v in cells if v != ready and v not in given]
    mention = ast.If(ast.Constant(False), [ast.Expr(ast.Tuple([name(v) for v in captured], ast.Load()))], [])
    passed = ast.Return(ast.Call(expression("r()", r=ready), positional, keywords))
    body: list[ast.stmt] = [*([mention] if captured else []), passed]
    node = ast.copy_location(function_node(tree.name, bare, body), tree)
    outer = function_node("scope", ast.arguments([], [ast.arg(v) for v in cells], None, [], [], None, []), [node])
    if getattr(tree, "end_lineno", None) is None:  # a function that no text holds
        node.end_lineno, node.end_col_offset = node.lineno, node.col_offset
    module = ast.fix_missing_locations(ast.Module([ast.copy_location(outer, node)], []))
    scope = next(c for c in compile(module, file, "exec").co_consts if isinstance(c, types.CodeType))
    return next(c for c in scope.co_consts if isinstance(c, types.CodeType) and c.co_name == tree.name)


def bare_parameters(args: ast.arguments) -> ast.arguments:
    """Parameters without annotations and defaults, which are evaluated elsewhere."""

    def bare(a: ast.arg) -> ast.arg:
        return ast.arg(a.arg)

    return ast.arguments(
        [bare(a) for a in args.posonlyargs], [bare(a) for a in args.args], bare(args.vararg) if args.vararg else None,
        [bare(a) for a in args.kwonlyargs], [None for _ in args.kwonlyargs], bare(args.kwarg) if args.kwarg else None,
        [],
    )  # fmt: skip
