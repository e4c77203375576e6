"""Named tuples with other fields, as new ones: what they are made of is said, where their class is known.

p = Point(x, 1.0)                      p = Point(x, 1.0)
for _ in range(n):                     for _ in range(n):
    p = p._replace(x=p.x * x)    ->        p = Point(x=p.x * x, y=p.y)

Only for variables that are only ever bound to tuples of one class, by its name.
"""

from __future__ import annotations

import ast
import types
from typing import Any

from tangent.source.inlined import written_anew
from tangent.source.made_once import meaning
from tangent.source.naming import home_of, is_named_tuple
from tangent.syntax.captured import bindings
from tangent.syntax.quote import name
from tangent.syntax.rebuild import rebuild, walk_scope
from tangent.syntax.walk import walk


def with_fields_said(tree: ast.FunctionDef, function: types.FunctionType) -> ast.FunctionDef:
    """The definition without `_replace`, where a variable that it is asked of is surely of one class."""
    asked = {v for n in walk(tree) if (v := _asked(n))}
    classes = _classes(tree, function) if asked else {}
    if not asked & classes.keys():
        return tree

    def change(e: ast.expr) -> ast.expr:
        if not isinstance(e, ast.Call) or (v := _asked(e)) not in classes:
            return e
        path, cls = classes[v]
        said = {k.arg: k for k in e.keywords}
        if said.keys() - set(cls._fields):
            return e
        parts = [
            said.get(f) or ast.keyword(f, ast.copy_location(ast.Attribute(name(v), f, ast.Load()), e))
            for f in cls._fields
        ]
        return ast.copy_location(ast.Call(name(path), [], parts), e)

    return written_anew(tree, [rebuild(s, change) for s in tree.body])


def _asked(n: ast.AST) -> str:
    """The variable of which a call asks for a tuple with other fields."""
    match n:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=v), attr="_replace"), args=[], keywords=keywords):
            return v if all(k.arg for k in keywords) else ""
        case _:
            return ""


def _classes(tree: ast.FunctionDef, function: types.FunctionType) -> dict[str, tuple[str, Any]]:
    """The variables that are only ever bound to named tuples of one class, with its name and the class."""
    made: dict[str, list[ast.expr]] = {}
    for s in walk_scope(tree):
        match s:
            case ast.Assign(targets=[ast.Name(id=v)], value=value):
                made.setdefault(v, []).append(value)
    count, found = bindings(tree), {}
    for v, values in made.items():
        paths = {e.func.id for e in values if isinstance(e, ast.Call) and isinstance(e.func, ast.Name)}
        alike = all(_asked(e) == v or isinstance(getattr(e, "func", None), ast.Name) for e in values)
        if len(paths) == 1 and alike and count[v] == len(values) and v not in function.__code__.co_cellvars:
            (path,) = paths
            cls = meaning(name(path), tree, function)
            if is_named_tuple(cls) and home_of(cls._replace) == "collections":
                found[v] = path, cls
    return found
