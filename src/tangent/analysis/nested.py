"""What the text of a function says of those defined in it, and of lists of lists: who writes into what is captured."""

from __future__ import annotations

import ast
from collections.abc import Set

from tangent.source.resolve import Scope
from tangent.source.writing import written_by
from tangent.syntax.captured import own_functions, rebound_outside
from tangent.syntax.rebuild import walk_scope
from tangent.syntax.uses import arguments, assigned_inside
from tangent.syntax.walk import walk

NESTED = ast.FunctionDef | ast.Lambda


def keeps_rebinding(tree: ast.FunctionDef) -> bool:
    """Whether a nested function that rebinds variables around it is kept, passed on or returned."""
    every = [n for n in walk(tree) if isinstance(n, ast.FunctionDef)]
    names = {g.name for f in every for g in own_functions(f) if rebound_outside(g)}
    if not names:
        return False
    called = {n.func for n in walk(tree) if isinstance(n, ast.Call)}
    read = [n for n in walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
    return any(n.id in names and n not in called for n in read)


def nested_writers(tree: ast.FunctionDef, scope: Scope, displays: Set[str]) -> set[ast.FunctionDef | ast.Lambda]:
    """Nested functions that write into what they capture, by themselves or by others; not into lists and dicts."""
    nested = [n for n in walk(tree) if isinstance(n, NESTED) and n is not tree]
    writers = {n for n in nested if _writes_captured(n, scope, displays)}
    while more := {n for n in nested if n not in writers and _calls_one_of(n, writers)}:
        writers |= more
    return writers


def augmented_inside(tree: ast.FunctionDef) -> bool:
    """Whether a nested function has operators in place on what it is given, or on variables around it."""
    return any(
        isinstance(n, ast.AugAssign) and isinstance(n.target, ast.Name)
        and n.target.id in {a.arg for a in arguments(g.args)} | rebound_outside(g)
        for g in walk(tree) if isinstance(g, ast.FunctionDef) and g is not tree for n in walk_scope(g)
    )  # fmt: skip


def is_one_kept(writers: Set[ast.FunctionDef | ast.Lambda], tree: ast.FunctionDef) -> bool:
    """Whether one of some nested functions is kept, passed on or returned."""
    called = {n.func for n in walk(tree) if isinstance(n, ast.Call)}
    names = {n.name for n in writers if isinstance(n, ast.FunctionDef)}
    read = [n for n in walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
    bound = {s.value for s in walk(tree) if isinstance(s, ast.Assign)}
    passed = any(isinstance(n, ast.Lambda) and n not in called | bound for n in writers)
    return passed or any(n.id in names and n not in called for n in read)


def _calls_one_of(g: ast.FunctionDef | ast.Lambda, others: Set[ast.FunctionDef | ast.Lambda]) -> bool:
    names = {n.name for n in others if isinstance(n, ast.FunctionDef)}
    return any(isinstance(n, ast.Name) and n.id in names for n in walk_scope(g))


def _writes_captured(g: ast.FunctionDef | ast.Lambda, scope: Scope, displays: Set[str]) -> bool:
    body = g.body if isinstance(g, ast.FunctionDef) else []
    own = {a.arg for a in arguments(g.args)} | assigned_inside(body) | displays
    for n in walk_scope(g):
        match n:
            case ast.Subscript(ctx=ast.Store()) if base_of(n) and base_of(n) not in own:
                return True
            case ast.Call() if written_by(n, scope.resolve, unknown=False) - own:
                return True
    return False


def lists_of_lists(tree: ast.FunctionDef, displays: frozenset[str]) -> set[str]:
    """Variables that are lists of lists made here, but for those that are written in place (storage/tables.py)."""

    def is_list(e: ast.expr) -> bool:
        match e:
            case ast.Name(id=v):
                return v in displays
            case ast.BinOp(left=ast.List(), op=ast.Mult()):
                return True
            case _:
                return isinstance(e, (ast.List, ast.ListComp))

    found: set[str] = set()
    for n in walk(tree):
        match n:
            case ast.Assign(targets=[ast.Name(id=v)], value=ast.List(elts=[_, *_] as elts)) if all(map(is_list, elts)):
                found.add(v)
            case ast.Assign(targets=[ast.Name(id=v)], value=ast.ListComp(elt=elt)) if is_list(elt):
                found.add(v)
    return {v for v in found if not _is_table(v, tree)}


def _is_table(v: str, tree: ast.FunctionDef) -> bool:
    """Whether a list of lists is made once, with rows that are made there."""
    made = [n for n in walk(tree) if isinstance(n, ast.Name) and n.id == v and isinstance(n.ctx, ast.Store)]
    for n in walk(tree):
        match n:
            case ast.Assign(targets=[ast.Name() as target], value=ast.ListComp(elt=elt)) if target in made:
                return len(made) == 1 and not isinstance(elt, ast.Name)
            case ast.Assign(targets=[ast.Name() as target], value=ast.List(elts=elts)) if target in made:
                return len(made) == 1 and not any(isinstance(e, ast.Name) for e in elts)
    return False


def base_of(e: ast.expr) -> str:
    """The variable behind items of items."""
    while isinstance(e, ast.Subscript):
        e = e.value
    return e.id if isinstance(e, ast.Name) else ""


def displays_made(tree: ast.FunctionDef) -> frozenset[str]:
    """Variables that are lists and dicts made here."""
    kinds = ast.List | ast.Dict | ast.ListComp | ast.DictComp
    made = [n for n in walk(tree) if isinstance(n, ast.Assign) and isinstance(n.value, kinds)]
    return frozenset(t.id for n in made for t in n.targets if isinstance(t, ast.Name))
