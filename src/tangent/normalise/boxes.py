"""Variables that change while a function that captured them is kept: each becomes the attribute of an object.

total = 0.0                          total_box = Variable()
def add(v):                          total_box.value = 0.0
    nonlocal total                   def add(v):
    total = total + v * x      ->        total_box.value = total_box.value + v * x
each(add, items)                     each(add, items)
return total                         return total_box.value

So a function sees what the variable is when it is called, as in Python, wherever it was brought; the memory follows
objects that change. Only in functions with a memory: others have no such variables, or were refused without it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tangent.normalise.context import Context
from tangent.normalise.lifting import lifted_by_name
from tangent.runtime.memory import Variable
from tangent.source.naming import is_library
from tangent.source.read import is_derivative
from tangent.source.resolve import MISSING
from tangent.syntax.captured import bindings, own_functions, own_variables, rebound_outside
from tangent.syntax.quote import assign, at, call, name
from tangent.syntax.rebuild import rebuild, rename, replace, walk_scope, with_blocks
from tangent.syntax.uses import arguments, expression_reads
from tangent.syntax.walk import walk

Nested = ast.FunctionDef | ast.Lambda
LOOPS = ast.For | ast.While


def boxes(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    """Put captured variables that change into objects."""
    if not context.memory or is_derivative(context.source.function.remembers):  # type: ignore[attr-defined]
        return f
    if not any(isinstance(n, Nested) for s in f.body for n in walk(s)):
        return f
    f = _assigned(f, context)
    boxed = {v: context.names.fresh(f"{v}_box") for v in sorted(_changing(f, context))}
    if not boxed:
        return f
    context.scope.local |= set(boxed.values())
    body = [_without_nonlocal(_attributes(rename(s, boxed), set(boxed.values())), set(boxed)) for s in f.body]
    context.scope.local -= set(boxed) - {a.arg for a in arguments(f.args)}
    return replace(f, body=[*_made(f, boxed, context), *body])


def _assigned(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    """`def g(): ...` as `def g2(): ...; g = g2`, where a function that is kept captures g before it is there."""
    lifted = set(lifted_by_name(f, context).values())
    order = {n: i for i, n in enumerate(walk_scope(f))}
    kept = [n for n in order if isinstance(n, Nested) and n not in lifted]
    once = bindings(f)
    later = {
        g.name: context.names.numbered(g.name) for g in own_functions(f)
        if once[g.name] == 1 and any(order[n] < order[g] and g.name in expression_reads(n) for n in kept)
    }  # fmt: skip
    context.scope.local |= set(later.values())

    def block(body: list[ast.stmt]) -> list[ast.stmt]:
        return [new for s in body for new in statement(s)]

    def statement(s: ast.stmt) -> list[ast.stmt]:
        if isinstance(s, ast.FunctionDef):
            named = later.get(s.name)
            return [replace(s, name=named), assign(s.name, name(named), s)] if named else [s]
        return [with_blocks(s, block)]

    return replace(f, body=block(f.body)) if later else f


def _made(f: ast.FunctionDef, boxed: dict[str, str], context: Context) -> Iterator[ast.stmt]:
    given = {a.arg for a in arguments(f.args)}
    for v, box in boxed.items():
        yield assign(box, call(context.use("Variable", Variable)), f.body[0])
        if v in given:
            slot = ast.Attribute(name(box), "value", ast.Store())
            yield at(ast.Assign([slot], name(v)), f.body[0])


def _attributes(s: ast.stmt, names: set[str]) -> ast.stmt:
    def change(e: ast.expr) -> ast.expr:
        if isinstance(e, ast.Name) and e.id in names:
            return ast.copy_location(ast.Attribute(name(e.id), "value", e.ctx), e)
        return e

    return rebuild(s, change)


def _without_nonlocal(s: ast.stmt, boxed: set[str]) -> ast.stmt:
    """The statement, in which nothing says any longer that a variable belongs to somebody else."""
    match s:
        case ast.Nonlocal(names=names):
            kept = [v for v in names if v not in boxed]
            return replace(s, names=kept) if kept else at(ast.Pass(), s)
        case ast.FunctionDef(body=body):
            return replace(s, body=[_without_nonlocal(x, boxed) for x in body])
        case _:
            return with_blocks(s, lambda body: [_without_nonlocal(x, boxed) for x in body])


def _changing(f: ast.FunctionDef, context: Context) -> set[str]:
    """The variables that a function which is kept captures, and that change after it was made."""
    lifted = set(lifted_by_name(f, context).values())
    order = {n: i for i, n in enumerate(walk_scope(f))}
    kept = [n for n in order if isinstance(n, Nested) and n not in lifted and n not in _read_at_once(f, context)]
    found: set[str] = set()
    bound = _binding_nodes(f)
    inside = {v for g in own_functions(f) for v in rebound_outside(g)}
    for g in kept:
        found |= rebound_outside(g) if isinstance(g, ast.FunctionDef) else set()
        for v in expression_reads(g):
            if v in inside or any(order[n] > order[g] or _same_loop(f, n, g) for n in bound.get(v, ())):
                found.add(v)
    return found & own_variables(f) - _bound_otherwise(f) - set(context.scope.imports)


def _binding_nodes(f: ast.FunctionDef) -> dict[str, list[ast.AST]]:
    found: dict[str, list[ast.AST]] = {}
    for n in walk_scope(f):
        if isinstance(n, ast.Name) and isinstance(n.ctx, (ast.Store, ast.Del)):
            found.setdefault(n.id, []).append(n)
    return found


def _bound_otherwise(f: ast.FunctionDef) -> set[str]:
    """Variables that something else than an assignment binds, or that a comprehension has for its own."""
    plain = {v: len(nodes) for v, nodes in _binding_nodes(f).items()}
    for a in arguments(f.args):
        plain[a.arg] = plain.get(a.arg, 0) + 1
    other = {v for v, count in bindings(f).items() if count != plain.get(v, 0)}
    walrus = {n.target.id for n in walk(f) if isinstance(n, ast.NamedExpr)}
    own = {n.id for c in walk(f) if isinstance(c, ast.comprehension) for n in walk(c.target) if isinstance(n, ast.Name)}
    classes = {n.id for c in walk(f) if isinstance(c, ast.ClassDef) for n in walk(c) if isinstance(n, ast.Name)}
    return other | walrus | own | classes


def _same_loop(f: ast.FunctionDef, a: ast.AST, b: ast.AST) -> bool:
    loops = [n for n in walk_scope(f) if isinstance(n, LOOPS)]
    return any({a, b} <= {loop, *walk_scope(loop)} for loop in loops)


def _read_at_once(f: ast.FunctionDef, context: Context) -> set[ast.AST]:
    """Lambdas that a library function is given: it calls them now, or other passes look after it."""
    found: set[ast.AST] = set()
    for n in walk_scope(f):
        if isinstance(n, ast.Call):
            behind = context.scope.resolve(n.func)
            if behind is not MISSING and is_library(behind):
                found.update(a for a in (*n.args, *(k.value for k in n.keywords)) if isinstance(a, ast.Lambda))
    return found
