"""Numbers and texts of a module that its functions bind anew: `global rate; rate *= 0.9`.

A function that reads one has it as it is then, under a name of its own, which its backward pass reads again.
"""

from __future__ import annotations

import ast
import dis
import types
from functools import lru_cache
from typing import Any

import numpy as np

from tangent.source.reachable import functions_of_module, mentioned
from tangent.syntax.captured import own_variables
from tangent.syntax.walk import walk

VALUES = (int, float, complex, str, bytes, np.number, np.bool_)


def moving_values(function: types.FunctionType, tree: ast.FunctionDef) -> frozenset[str]:
    """The numbers, texts and tuples of such that a function reads of its module, and functions of that bind anew."""
    read = {n.id for n in walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)} - own_variables(tree)
    around, captured = function.__globals__, function.__code__.co_freevars
    values = {v for v in read if v in around and _is_value(around[v]) and v not in captured}
    if not values:
        return frozenset()
    others = [function, *(g for g in functions_of_module(function) if g.__globals__ is around)]
    bound = {v for g in others if (found := _bound_by(g, values)) and _takes_part(g, function, others) for v in found}
    return frozenset(bound)


def _bound_by(g: types.FunctionType, values: set[str]) -> set[str]:
    return values & _bound(g.__code__) if values & mentioned(g.__code__) else set()


def _takes_part(g: types.FunctionType, function: types.FunctionType, others: list[types.FunctionType]) -> bool:
    """Whether a function that binds a value may run while another does: one that scripts alone call sets it before."""
    if g is function or any(g.__name__ in mentioned(h.__code__) for h in others if h is not g):
        return True
    return any(isinstance(g.__globals__.get(v), (types.FunctionType, type)) for v in mentioned(g.__code__))


def _is_value(x: Any) -> bool:
    return isinstance(x, VALUES) or (type(x) is tuple and all(map(_is_value, x)))


@lru_cache(maxsize=1024)
def _bound(code: types.CodeType) -> frozenset[str]:
    """The variables of its module that a piece of code binds, functions inside included.

    >>> _bound(compile("def f():\\n    global a, b\\n    a = b\\n    c = a", "", "exec").co_consts[0])
    frozenset({'a'})
    """
    here = {i.argval for i in dis.get_instructions(code) if i.opname == "STORE_GLOBAL"}
    return frozenset(here).union(*(_bound(c) for c in code.co_consts if isinstance(c, types.CodeType)))
