"""Methods of lists and dicts that are kept or handed on are functions that call them.

solve(f, x, callback=found.append)       ->   solve(f, x, callback=lambda value: found.append(value))

put = self.table.append                  ->   put = lambda value, held=self.table: held.append(value)
max(table, key=table.get)                ->   max(table, key=lambda value: table.get(value))

Functions that change what they capture, or their defaults, are followed. A variable that is bound once is captured.
"""

from __future__ import annotations

import ast

from tangent.syntax.captured import bindings, own_variables
from tangent.syntax.names import Names, identifiers
from tangent.syntax.quote import name
from tangent.syntax.rebuild import rebuild
from tangent.syntax.walk import walk

CHANGING = frozenset("append extend appendleft extendleft add update".split())  # of one argument
ASKING = frozenset("get index count".split())  # perhaps of more, but keys are asked for with one


def with_callbacks(tree: ast.FunctionDef) -> ast.FunctionDef:
    """The definition with functions in place of methods that are not called where they stand."""
    calls = [n for n in walk(tree) if isinstance(n, ast.Call)]
    called = {id(n.func) for n in calls}
    keys = {id(e) for n in calls for e in _given_one(n)}
    kept = {
        id(n) for n in walk(tree)
        if (_is_kept(n, tree, CHANGING) and id(n) not in called) or (id(n) in keys and _is_kept(n, tree, ASKING))
    }  # fmt: skip
    if not kept:
        return tree
    names = Names(identifiers(tree))
    return rebuild(tree, lambda e: _function(e, tree, names) if id(e) in kept else e)


def _given_one(e: ast.Call) -> list[ast.expr]:
    """The functions that a call is given and that are called with one argument each time."""
    found = [k.value for k in e.keywords if k.arg == "key"]
    match e:
        case ast.Call(func=ast.Name(id="map" | "filter"), args=[function, _]):
            return [*found, function]
        case _:
            return found


def _is_kept(n: ast.AST, tree: ast.FunctionDef, methods: frozenset[str]) -> bool:
    """Whether something may be one of the methods of a list or dict which a variable of the function leads to."""
    if not isinstance(n, ast.Attribute) or n.attr not in methods or not isinstance(n.ctx, ast.Load):
        return False
    root: ast.expr = n.value
    while isinstance(root, (ast.Attribute, ast.Subscript)):
        root = root.value
    return isinstance(root, ast.Name) and root.id in own_variables(tree)


def _function(e: ast.expr, tree: ast.FunctionDef, names: Names) -> ast.expr:
    assert isinstance(e, ast.Attribute)
    value, owner = names.fresh("value"), e.value
    captured = isinstance(owner, ast.Name) and bindings(tree)[owner.id] == 1
    held = [] if captured else [names.fresh("held")]
    call = ast.Call(ast.Attribute(owner if captured else name(held[0]), e.attr, ast.Load()), [name(value)], [])
    parameters = [ast.arg(v) for v in (value, *held)]
    made = ast.Lambda(ast.arguments([], parameters, None, [], [], None, [owner for _ in held]), call)
    for n in ast.walk(made):
        if isinstance(n, (ast.expr, ast.arg)) and not hasattr(n, "lineno"):
            ast.copy_location(n, e)
    return made
