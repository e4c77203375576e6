"""Objects that are made and changed: what they hold is kept in a memory, which every call is given and gives back.

c = Cell(x, 0.5)      ->   called = call_class(memory, Cell, x, 0.5); c, memory = called
y = c.step(x)         ->   called = call_method(memory, c, "step", x); y, memory = called
c.h = y               ->   memory = changed(memory, c, "h", y)
z = c.h               ->   z = remembered(memory, c, "h")
xs.append(z)          ->   called = call_append(memory, xs, z); _, memory = called
return z              ->   return z, memory

Only in functions that make or change objects, or call one that does (analysis/state.py); see runtime/memory.py.
"""

from __future__ import annotations

import ast

from tangent.normalise.context import Context
from tangent.normalise.memory.statements import Statements
from tangent.runtime import memory, memory_views
from tangent.syntax.quote import assign, at, name
from tangent.syntax.rebuild import replace
from tangent.syntax.uses import assigned_inside


def memorised(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    kept = context.memory
    if not kept:
        return f
    context.scope.local |= assigned_inside(f.body) - context.declared
    rewrite = Statements(f, context)
    body = rewrite.block(f.body[:-1])
    for place in rewrite.followed:
        context.augmented.pop(place, None)
    last = f.body[-1]
    assert isinstance(last, ast.Return) and last.value is not None
    if context.source.function.entry:  # type: ignore[attr-defined]
        none = memory.memory_of_arrays if rewrite.arrays else memory.no_memory
        start = assign(kept, rewrite.call(none), f.body[0])
        result = context.names.fresh("result")
        end = assign(result, rewrite.call(memory_views.as_now, name(kept), last.value), last)
        if isinstance(last.value, ast.Name) and last.value.id in rewrite.plain:
            return replace(f, body=[start, *body, last])
        return replace(f, body=[start, *body, end, at(ast.Return(name(result)), last)])
    result = context.names.fresh("result")
    pair = assign(result, ast.Tuple([last.value, name(kept)], ast.Load()), last)
    return replace(f, body=[*body, pair, at(ast.Return(name(result)), last)])
