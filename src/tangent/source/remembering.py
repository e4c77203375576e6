"""Functions that keep what objects hold in a memory: as entry a function of the same arguments, else one that takes the
memory first and gives a pair, its result and the memory after it.

Such a function has the definition of the one it stands for; `normalise/memory.py` rewrites it. What runs where no
derivative flows is made from that on first demand.
"""

from __future__ import annotations

import ast
import types
import weakref
from collections.abc import Callable
from typing import Any

from tangent.source.cells import cells_of
from tangent.source.read import read
from tangent.syntax.names import Names, identifiers
from tangent.syntax.quote import expression, name
from tangent.syntax.rebuild import function_node, replace

Known = weakref.WeakKeyDictionary[types.FunctionType, dict[tuple[types.CodeType, bool, bool], types.FunctionType]]
_known: Known = weakref.WeakKeyDictionary()
_runner: list[Callable[[types.FunctionType], Callable[..., Any]]] = []


def install_runner(run: Callable[[types.FunctionType], Callable[..., Any]]) -> None:
    """Who makes something that runs from a function with a memory."""
    _runner[:] = [run]


def remembering(function: types.FunctionType, entry: bool = False, lists: bool = False) -> types.FunctionType:
    """The function that keeps a memory in place of another one: of all lists, or of those that others hold, too."""
    known = _known.setdefault(function, {})
    key = (function.__code__, entry, lists)
    if key not in known:
        known[key] = _made(function, entry)
        known[key].lists = lists  # type: ignore[attr-defined]
    return known[key]


def named_after(function: types.FunctionType, cls: type) -> types.FunctionType:
    """An initialiser under the name of its class."""
    function.__name__ = cls.__name__
    return function


def _made(function: types.FunctionType, entry: bool) -> types.FunctionType:
    source = read(function)
    names = Names(identifiers(source.tree))
    memory = names.fresh("memory")
    tree = source.tree if entry else replace(source.tree, args=_with_memory(source.tree.args, memory))
    cells = cells_of(function)
    ready = names.fresh("ready")
    holder: list[types.FunctionType] = []
    stub = _stub(function, tree, {**cells, ready: types.CellType(lambda: _run(holder[0]))}, ready, source.file)
    holder.append(stub)
    stub.__kwdefaults__ = function.__kwdefaults__
    stub.__module__ = function.__module__
    stub.__qualname__ = function.__qualname__
    stub.tree = tree  # type: ignore[attr-defined]
    stub.memory = memory  # type: ignore[attr-defined]
    stub.entry = entry  # type: ignore[attr-defined]
    stub.remembers = function  # type: ignore[attr-defined]
    stub.captures = getattr(function, "captures", function.__code__.co_freevars)  # type: ignore[attr-defined]
    return stub


def _run(stub: types.FunctionType) -> Callable[..., Any]:
    return _runner[0](stub)


def _with_memory(args: ast.arguments, memory: str) -> ast.arguments:
    first = ast.arg(memory)
    if args.posonlyargs or args.kwarg:
        return replace(args, posonlyargs=[first, *args.posonlyargs])
    return replace(args, args=[first, *args.args])


def _stub(
    function: types.FunctionType, tree: ast.FunctionDef, cells: dict[str, types.CellType], ready: str, file: str
) -> types.FunctionType:
    """A function of the right signature, which passes its arguments on to what runs."""
    bare = _bare(tree.args)
    positional: list[ast.expr] = [name(a.arg) for a in (*bare.posonlyargs, *bare.args)]
    if bare.vararg:
        positional.append(ast.Starred(name(bare.vararg.arg), ast.Load()))
    keywords = [ast.keyword(a.arg, name(a.arg)) for a in bare.kwonlyargs]
    if bare.kwarg:
        keywords.append(ast.keyword(None, name(bare.kwarg.arg)))
    captured = [v for v in cells if v != ready and v not in _parameter_names(bare)]
    mention = ast.If(ast.Constant(False), [ast.Expr(ast.Tuple([name(v) for v in captured], ast.Load()))], [])
    passed = ast.Return(ast.Call(expression("r()", r=ready), positional, keywords))
    body: list[ast.stmt] = [*([mention] if captured else []), passed]
    node = ast.copy_location(function_node(tree.name, bare, body), tree)
    outer = function_node("scope", ast.arguments([], [ast.arg(v) for v in cells], None, [], [], None, []), [node])
    module = ast.fix_missing_locations(ast.Module([ast.copy_location(outer, tree)], []))
    scope = next(c for c in compile(module, file, "exec").co_consts if isinstance(c, types.CodeType))
    code = next(c for c in scope.co_consts if isinstance(c, types.CodeType) and c.co_name == tree.name)
    contents = tuple(cells[v] for v in code.co_freevars)
    return types.FunctionType(code, function.__globals__, function.__name__, function.__defaults__, contents)


def _parameter_names(args: ast.arguments) -> set[str]:
    every = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
    return {a.arg for a in every if a is not None}


def _bare(args: ast.arguments) -> ast.arguments:
    """Parameters without annotations and defaults, which are evaluated elsewhere."""

    def bare(a: ast.arg) -> ast.arg:
        return ast.arg(a.arg)

    return ast.arguments(
        [bare(a) for a in args.posonlyargs], [bare(a) for a in args.args], bare(args.vararg) if args.vararg else None,
        [bare(a) for a in args.kwonlyargs], [None for _ in args.kwonlyargs], bare(args.kwarg) if args.kwarg else None,
        [],
    )  # fmt: skip
