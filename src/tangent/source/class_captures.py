"""What the methods of a class read of the variables around it, as attributes that its objects are given.

def f(x):                                          class P:
    class P:                                           def __init__(self, v, *, x_around):
        def __init__(self, v):                             self.x_around = x_around
            self.v = v                       ->            self.v = v
        def area(self):                                def area(self):
            return self.v * x                              return self.v * self.x_around
    return P(2.0).area()                           def f(x):
                                                       return P(2.0, x_around=x).area()

Only of classes that are called and nothing else, and of variables that are bound once, before the class.
"""

from __future__ import annotations

import ast
import types
from dataclasses import dataclass
from typing import TypeVar

from tangent.syntax.captured import bindings
from tangent.syntax.names import Names, identifiers
from tangent.syntax.quote import at, name
from tangent.syntax.rebuild import function_node, rebuild, replace
from tangent.syntax.uses import arguments, assigned_inside, expression_reads
from tangent.syntax.walk import walk

Statement = TypeVar("Statement", bound=ast.stmt)
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


@dataclass(frozen=True)
class Captured:
    """A class that is given what it captured, and the function around it, which gives it."""

    definition: ast.ClassDef
    around: ast.FunctionDef

    def give_trees(self, cls: type) -> None:
        """The text of the methods is not that of the file."""
        trees = {s.name: s for s in self.definition.body if isinstance(s, ast.FunctionDef)}
        for title, member in vars(cls).items():
            method = member.fget if isinstance(member, property) else member
            if isinstance(method, types.FunctionType) and title in trees:
                method.tree = replace(trees[title], decorator_list=[])  # type: ignore[attr-defined]


def captured_by(s: ast.ClassDef, names: frozenset[str], tree: ast.FunctionDef) -> Captured | None:
    """The class with attributes in place of the variables it captures; None where they may change, or it is kept."""
    if not (_is_plain(s) and _are_bound_once(names, s, tree) and _is_only_called(s, tree)):
        return None
    fresh = Names(identifiers(tree))
    given = {v: fresh.fresh(f"{v}_around") for v in sorted(names)}
    body = [_method(m, s.name, given) if isinstance(m, ast.FunctionDef) else m for m in s.body]
    if not any(isinstance(m, ast.FunctionDef) and m.name == "__init__" for m in body):
        start = function_node("__init__", ast.arguments([], [ast.arg("self")], None, [], [], None, []), [ast.Pass()])
        body.append(_initialiser(at(start, s), given))
    calls: dict[str, ast.expr] = {v: name(v) for v in given}
    around = replace(tree, body=[x if x is s else _given(x, s.name, given, calls) for x in tree.body])
    return Captured(replace(s, body=body), around)


def _is_plain(s: ast.ClassDef) -> bool:
    """No base classes nor decorators, and methods that have their object first."""
    if s.bases or s.keywords or s.decorator_list:
        return False
    for m in s.body:
        if isinstance(m, ast.FunctionDef):
            decorated = m.decorator_list and not _is_property(m)
            first = m.args.args[0].arg if m.args.args and not m.args.posonlyargs else ""
            if decorated or not first or first in assigned_inside(m.body):
                return False
        elif isinstance(m, ast.Assign) and any(getattr(t, "id", "") == "__slots__" for t in m.targets):
            return False
    return True


def _is_property(m: ast.FunctionDef) -> bool:
    return [getattr(d, "id", "") for d in m.decorator_list] == ["property"]


def _are_bound_once(names: frozenset[str], s: ast.ClassDef, tree: ast.FunctionDef) -> bool:
    once = bindings(tree)
    before = {a.arg for a in arguments(tree.args)} | assigned_inside(tree.body[: tree.body.index(s)])
    methods = [m for m in s.body if isinstance(m, ast.FunctionDef)]
    elsewhere = {v for m in s.body if m not in methods for v in expression_reads(m)}
    elsewhere |= {v for m in methods for e in (*m.args.defaults, *m.args.kw_defaults) for v in expression_reads(e)}
    hidden = {v for n in walk(tree) if isinstance(n, SCOPES) and n is not tree for v in _bound_in(n) & names}
    free = {v for m in methods for v in expression_reads(m)}
    return names <= before and all(once[v] == 1 for v in names) and not names & elsewhere and not hidden & free


def _bound_in(scope: ast.AST) -> set[str]:
    given = {a.arg for a in arguments(scope.args)} if isinstance(scope, (ast.FunctionDef, ast.Lambda)) else set()
    body = scope.body if isinstance(getattr(scope, "body", None), list) else []  # type: ignore[attr-defined]
    said = {v for n in walk(scope) if isinstance(n, ast.Nonlocal) for v in n.names}
    return given | assigned_inside(body) | said


def _is_only_called(s: ast.ClassDef, tree: ast.FunctionDef) -> bool:
    fine = {n.func for n in walk(tree) if isinstance(n, ast.Call)}
    fine |= {n.args[1] for n in walk(tree) if isinstance(n, ast.Call) and _asks_class(n)}
    other = {n for c in walk(tree) if isinstance(c, ast.ClassDef) and c is not s for n in walk(c)}
    named = [n for n in walk(tree) if isinstance(n, ast.Name) and n.id == s.name]
    return all(n in fine and n not in other for n in named)


def _asks_class(e: ast.Call) -> bool:
    return isinstance(e.func, ast.Name) and e.func.id == "isinstance" and len(e.args) == 2


def _method(m: ast.FunctionDef, title: str, given: dict[str, str]) -> ast.FunctionDef:
    me = m.args.args[0].arg
    if m.name == "__init__":
        passed: dict[str, ast.expr] = {v: name(p) for v, p in given.items()}
        return _initialiser(_reading(_given(m, title, given, passed), passed), given)
    held: dict[str, ast.expr] = {v: ast.Attribute(name(me), p, ast.Load()) for v, p in given.items()}
    return _reading(_given(m, title, given, held), held)


def _reading(m: ast.FunctionDef, held: dict[str, ast.expr]) -> ast.FunctionDef:
    """A method that reads what it captured elsewhere; not where a parameter of its own has the name."""
    wanted = expression_reads(m) & held.keys()

    def change(e: ast.expr) -> ast.expr:
        return ast.copy_location(held[e.id], e) if isinstance(e, ast.Name) and e.id in wanted else e

    return replace(m, body=[rebuild(x, change) for x in m.body])


def _initialiser(m: ast.FunctionDef, given: dict[str, str]) -> ast.FunctionDef:
    me = m.args.args[0].arg
    kept: list[ast.stmt] = [
        at(ast.Assign([ast.Attribute(name(me), p, ast.Store())], name(p)), m.body[0]) for p in given.values()
    ]
    more = [ast.arg(p) for p in given.values()]
    args = replace(
        m.args, kwonlyargs=[*m.args.kwonlyargs, *more], kw_defaults=[*m.args.kw_defaults, *(None for _ in more)]
    )
    return replace(m, args=args, body=[*kept, *m.body])


def _given(x: Statement, title: str, given: dict[str, str], values: dict[str, ast.expr]) -> Statement:
    """A statement whose calls of the class give it what it captured."""

    def change(e: ast.expr) -> ast.expr:
        match e:
            case ast.Call(func=ast.Name(id=v)) if v == title:
                more = [ast.keyword(p, ast.copy_location(values[w], e)) for w, p in given.items()]
                return replace(e, keywords=[*e.keywords, *more])
            case _:
                return e

    return rebuild(x, change)
