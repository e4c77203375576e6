"""Nested functions that are known before the function around them runs: those that capture nothing of its own.

def f(x):
    square = lambda v: v * v      `square` is the same function whenever `f` is called
    return square(x)
"""

from __future__ import annotations

import ast
import inspect
import types
import weakref
from collections.abc import Mapping

from tangent.source.cells import cells_of
from tangent.source.naming import home_of
from tangent.source.read import code_span, span

Nested = ast.FunctionDef | ast.Lambda
_made: weakref.WeakKeyDictionary[types.FunctionType, dict[types.CodeType, types.FunctionType]]
_made = weakref.WeakKeyDictionary()


def nested_functions(outer: types.FunctionType, nodes: Mapping[str, Nested]) -> dict[str, types.FunctionType]:
    """The functions that nested definitions make; what they capture comes from further out, or is one of them."""
    outside = cells_of(outer)
    codes = {v: code for v, node in nodes.items() if (code := _code_of(outer, node)) and _is_plain(code, node)}
    while lost := [v for v, code in codes.items() if not {*outside, *codes} >= set(code.co_freevars)]:
        for v in lost:
            del codes[v]
    made = _made.setdefault(outer, {})
    new = {v: code for v, code in codes.items() if code not in made}
    cells = {v: types.CellType() for v in codes} | outside
    for v, code in new.items():
        made[code] = _function(outer, code, nodes[v], cells)
    for v, code in codes.items():
        if v not in outside:
            cells[v].cell_contents = made[code]
    return {v: made[code] for v, code in codes.items()}


def _function(
    outer: types.FunctionType, code: types.CodeType, node: Nested, cells: Mapping[str, types.CellType]
) -> types.FunctionType:
    closure = tuple(cells[v] for v in code.co_freevars)
    defaults = tuple(ast.literal_eval(e) for e in node.args.defaults)
    function = types.FunctionType(code, outer.__globals__, code.co_name, defaults or None, closure)
    pairs = zip(node.args.kwonlyargs, node.args.kw_defaults)
    function.__kwdefaults__ = {a.arg: ast.literal_eval(e) for a, e in pairs if e is not None} or None
    function.__module__ = home_of(outer)
    return function


def _code_of(outer: types.FunctionType, node: Nested) -> types.CodeType | None:
    """The code of a nested definition, found by its place in the file; what was written for it has none."""
    if isinstance(node, ast.Lambda) and not hasattr(node.body, "lineno"):
        return None
    codes = [c for c in outer.__code__.co_consts if isinstance(c, types.CodeType)]
    if isinstance(node, ast.Lambda):
        found = [c for c in codes if c.co_name == "<lambda>" and code_span(c) == span(node.body)]
    else:
        found = [c for c in codes if c.co_name == node.name and c.co_firstlineno == node.lineno]
    return found[0] if len(found) == 1 else None


def _is_plain(code: types.CodeType, node: Nested) -> bool:
    """No generators, coroutines, decorated functions, computed defaults, or writes to what is captured."""
    flags = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
    rebinds = any(isinstance(n, (ast.Nonlocal, ast.Global)) for n in ast.walk(node))
    decorated = isinstance(node, ast.FunctionDef) and bool(node.decorator_list)
    defaults = [*node.args.defaults, *(e for e in node.args.kw_defaults if e is not None)]
    fixed = all(isinstance(e, ast.Constant) for e in defaults)
    return fixed and not (code.co_flags & flags or rebinds or decorated)
