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
from collections import deque

from tangent.normalise.context import Context
from tangent.normalise.memory.statements import Statements
from tangent.runtime import memory, memory_views
from tangent.runtime.writers import WRITING_METHODS
from tangent.source.naming import is_library
from tangent.syntax.quote import assign, at, name
from tangent.syntax.rebuild import replace
from tangent.syntax.uses import arguments, assigned_inside
from tangent.syntax.walk import walk


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
    is_entry = context.source.function.entry  # type: ignore[attr-defined]
    told = [name(v) for v in _changed_outside(f, context, rewrite) if is_entry or v not in context.scope.cells]
    begun = rewrite.call(memory.memory_of_arrays if rewrite.arrays else memory.no_memory) if is_entry else name(kept)
    if told:
        begun = rewrite.call(memory_views.memory_of, begun, *told)
        body = [*body, at(ast.Expr(rewrite.call(memory_views.tell_outside, name(kept), *told)), last)]
    start = assign(kept, begun, f.body[0])
    if is_entry:
        result = context.names.fresh("result")
        end = assign(result, rewrite.call(memory_views.as_now, name(kept), last.value), last)
        if isinstance(last.value, ast.Name) and last.value.id in rewrite.plain:
            return replace(f, body=[start, *body, last])
        return replace(f, body=[start, *body, end, at(ast.Return(name(result)), last)])
    result = context.names.fresh("result")
    pair = assign(result, ast.Tuple([last.value, name(kept)], ast.Load()), last)
    before = [start] if told else []
    return replace(f, body=[*before, *body, pair, at(ast.Return(name(result)), last)])


def _changed_outside(f: ast.FunctionDef, context: Context, rewrite: Statements) -> list[str]:
    """Lists and dicts that a function captures, or finds in its module, and that the memory may change."""
    own = {a.arg for a in arguments(f.args)} | context.scope.local
    nodes = list(walk(f))
    changed = dict.fromkeys(v for n in nodes for v in _changed(n) if v not in own and not rewrite.is_kept_as_is(v))
    changed |= dict.fromkeys(v for n in nodes for v in _given(n, context) if v not in own)
    return [v for v in changed if isinstance(context.scope.lookup(v), (list, dict, deque))]


def _changed(n: ast.AST) -> list[str]:
    """Variables whose content a node changes, by a method or an assignment."""
    match n:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=v), attr=attr)) if attr in WRITING_METHODS:
            return [v]
        case ast.Subscript(value=value, ctx=ast.Store() | ast.Del()):
            return [m.id for m in walk(value) if isinstance(m, ast.Name)]
        case _:
            return []


def _given(n: ast.AST, context: Context) -> list[str]:
    """Variables that a function is given which may change them; what they are themselves changed by is no such one."""
    match n:
        case ast.Call(func=ast.Attribute(value=ast.Name(), attr=attr)) if attr in WRITING_METHODS:
            return []
        case ast.Call(func=func, args=args, keywords=keywords) if not is_library(context.scope.resolve(func)):
            return [m.id for e in (*args, *keywords) for m in walk(e) if isinstance(m, ast.Name)]
        case _:
            return []
