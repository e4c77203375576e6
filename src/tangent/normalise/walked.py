"""A list that changes its length or order while a loop runs over it is walked by a counter, as Python does.

for v in todo:                        k = 0
    if v > 1: todo.append(v / 2)      while k < len(todo):
                               ->         v = todo[k]
                                          k = k + 1
                                          if v > 1: todo.append(v / 2)
"""

from __future__ import annotations

import ast

from tangent.normalise.context import Context
from tangent.syntax.quote import assign, at, constant, expression
from tangent.syntax.rebuild import replace, with_blocks
from tangent.syntax.uses import COMPREHENSIONS, assigned_inside
from tangent.syntax.walk import walk

CHANGING = frozenset("append extend insert pop remove clear sort reverse".split())


def walked(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    for n in walk(f):
        if isinstance(n, COMPREHENSIONS) and (v := _list_changed_by(n)):
            raise context.refuse(
                n, f"a comprehension over '{v}', which it changes", "how often it runs depends on what it has done",
                f"Write a loop: for item in {v}: ...",
            )  # fmt: skip
    loops = [n for n in walk(f) if isinstance(n, ast.For) and _list_that_changes(n)]
    lists = {v for n in loops if (v := _list_that_changes(n)) and _is_list(v, f, context)}
    return replace(f, body=_block(f.body, lists, context)) if lists else f


def _list_that_changes(s: ast.For) -> str:
    """The variable that a loop runs over, where its body changes the length or the order of what that holds."""
    if not isinstance(s.iter, ast.Name) or s.iter.id in assigned_inside(s.body):
        return ""
    for n in (n for x in s.body for n in walk(x)):
        match n:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=v), attr=attr)) if v == s.iter.id and attr in CHANGING:
                return v
            case ast.Delete(targets=[ast.Subscript(value=ast.Name(id=v))]) if v == s.iter.id:
                return v
    return ""


def _list_changed_by(e: ast.AST) -> str:
    """The variable that a comprehension runs over and changes."""
    assert isinstance(e, COMPREHENSIONS)
    over = {g.iter.id for g in e.generators if isinstance(g.iter, ast.Name)}
    for n in walk(e):
        match n:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=v), attr=attr)) if v in over and attr in CHANGING:
                return v
    return ""


def _is_list(v: str, f: ast.FunctionDef, context: Context) -> bool:
    """Whether a variable only ever is a list that is made in the function: others may not be changed in a loop."""
    bound = [n for n in walk(f) if isinstance(n, ast.Name) and n.id == v and not isinstance(n.ctx, ast.Load)]
    made = [n for n in walk(f) if isinstance(n, ast.Assign) and n.targets[0] in bound and _makes_list(n, context)]
    return len(made) == len(bound) > 0 and v not in {a.arg for a in walk(f) if isinstance(a, ast.arg)}


def _makes_list(n: ast.Assign, context: Context) -> bool:
    if isinstance(n.value, ast.Call):
        return context.scope.resolve(n.value.func) in (list, sorted)
    return isinstance(n.value, (ast.List, ast.ListComp))


def _block(body: list[ast.stmt], lists: set[str], context: Context) -> list[ast.stmt]:
    return [new for s in body for new in _statement(s, lists, context)]


def _statement(s: ast.stmt, lists: set[str], context: Context) -> list[ast.stmt]:
    s = with_blocks(s, lambda body: _block(body, lists, context))
    if not isinstance(s, ast.For) or (v := _list_that_changes(s)) not in lists:
        return [s]
    k = context.names.numbered("k")
    context.scope.local.add(k)
    item = at(ast.Assign([s.target], expression("xs[k]", xs=v, k=k)), s)
    step = assign(k, expression("k + 1", k=k), s)
    test = expression("k < f(xs)", k=k, f=context.builtin("len"), xs=v)
    return [assign(k, constant(0), s), at(ast.While(test, [item, step, *s.body], s.orelse), s)]
