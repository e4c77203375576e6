"""Calls of a forward pass and of its backward pass, and whether these can be written into the function that has them.

y, g_saved = g_fwd(x)
...
bx = g_bwd(g_saved, by)
"""

from __future__ import annotations

import ast
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tangent import runtime
from tangent.optimise.typed.given import passed
from tangent.source.naming import is_library
from tangent.syntax.blocks import Attempt
from tangent.syntax.inserted import InsertedCode
from tangent.syntax.names import Names, identifiers
from tangent.syntax.print import Comment
from tangent.syntax.rebuild import rebuild, statements
from tangent.syntax.records import popped, pushed
from tangent.syntax.uses import arguments, assigned_inside
from tangent.transform.generated import Generated

Resolve = Callable[[ast.expr, Generated], Any]


@dataclass
class Site:
    """A call of a forward pass and that of its backward pass."""

    forward: ast.Assign
    backward: ast.stmt
    call: ast.Call
    saved: str
    fwd: Generated
    bwd: Generated


def sites(g: Generated) -> Iterator[Site]:
    assert g.tree is not None
    every = list(statements(g.tree.body))
    for s in every:
        match s:
            case ast.Assign(
                targets=[ast.Tuple(elts=[ast.Name(), ast.Name(id=saved)])], value=ast.Call(func=ast.Name(id=f))
            ) if isinstance(fwd := g.externals.get(f), Generated) and fwd.backward is not None:
                users = [x for x in every if x is not s and saved in identifiers(_header(x))]
                calls = {x: call for x in users if (call := _backward_call(x, saved, fwd.backward, g)) is not None}
                kept = [x for x in users if x not in calls]
                if len(calls) == 1 and all(pushed(x) or popped(x) or _is_nothing(x) for x in kept):
                    yield Site(s, *calls.popitem(), saved, fwd, fwd.backward)


def _header(s: ast.stmt) -> ast.AST:
    match s:
        case ast.If(test=test) | ast.While(test=test):
            return test
        case ast.For(iter=iter):
            return iter
        case _:
            return s


def _is_nothing(s: ast.stmt) -> bool:
    return isinstance(s, ast.Assign) and isinstance(s.value, ast.Constant) and s.value.value is None


def _backward_call(s: ast.stmt, saved: str, bwd: Generated, g: Generated) -> ast.Call | None:
    """The call of a backward pass, where it makes no difference that the rest of the statement comes behind it."""
    if not isinstance(s, (ast.Assign, ast.AugAssign, ast.Expr)):
        return None
    if isinstance(s, ast.AugAssign) and not isinstance(s.target, ast.Name):
        return None
    calls = [n for n in ast.walk(s.value) if isinstance(n, ast.Call)]
    found = [n for n in calls if _is_call(n, saved, bwd, g)]
    if len(found) != 1:
        return None
    others = rebuild(s.value, lambda e: ast.Constant(None) if e is found[0] else e)
    if identifiers(others) & g.shared.keys() or any(isinstance(n, ast.Subscript) for n in ast.walk(others)):
        return None
    plain = all(_only_computes(n, g) for n in ast.walk(others) if isinstance(n, ast.Call))
    return found[0] if plain else None


def _is_call(n: ast.Call, saved: str, bwd: Generated, g: Generated) -> bool:
    match n:
        case ast.Call(func=ast.Name(id=f), args=[ast.Name(id=v), *_]):
            return v == saved and g.externals.get(f) is bwd
        case _:
            return False


def _only_computes(n: ast.Call, g: Generated) -> bool:
    found = g.externals.get(n.func.id) if isinstance(n.func, ast.Name) else None
    return any(found is f for f in (runtime.add_grad, runtime.unbroadcast))


def fits(site: Site, g: Generated) -> bool:
    """Whether names outside mean the same in both functions, and the call is a plain one."""
    fwd, bwd = site.fwd, site.bwd
    assert fwd.tree is not None and bwd.tree is not None and isinstance(site.forward.value, ast.Call)
    if g in _reached(fwd) or _captures(fwd) or _captures(bwd) or not (_is_beside(fwd, g) or is_fixed(fwd)):
        return False
    keep = (InsertedCode, ast.Global, ast.Nonlocal)  # their names
    if any(isinstance(s, keep) for f in (fwd.tree, bwd.tree) for s in statements(f.body)):
        return False
    if passed(site.forward.value, fwd.tree.args) is None:
        return False
    if any(bwd.externals.get(v, e) is not e for v, e in fwd.externals.items()):
        return False
    outside = (free_names(fwd) | free_names(bwd)) - set(fwd.externals) - set(bwd.externals)
    mine = local_names(g.tree) if g.tree is not None else set()
    if not is_fixed(fwd) and outside & (mine | set(g.externals)):
        return False
    if taken_over(bwd) is None or handed_over(fwd) is None:
        return False
    return not own_lists(fwd) or not any(_jumps(s) for s in statements(g.tree.body if g.tree is not None else []))


def _is_beside(fwd: Generated, g: Generated) -> bool:
    """Whether names outside of two functions are the same, and lines of the one are told by the other."""
    known = fwd.source is not None and g.source is not None and fwd.source.file == g.source.file
    return known and fwd.primal.__globals__ is g.primal.__globals__


def is_fixed(f: Generated) -> bool:
    """Whether a function is Tangent's own: what its names stand for does not change."""
    return f.source is not None and is_library(f.primal)


def outside_names(
    site: Site, g: Generated, resolve: Resolve, taken: Names
) -> tuple[dict[str, str], dict[str, object]]:  # fmt: skip
    """New names for what a pair finds outside, where the caller means other things by them; and what all stand for."""
    assert g.tree is not None and g.source is not None
    found = {**_globals_of(site), **site.fwd.externals, **site.bwd.externals}
    local, mine = local_names(g.tree), identifiers(g.source.tree)
    new: dict[str, str] = {}
    for v, e in sorted(found.items()):
        meant = v not in local and (g.externals[v] is e if v in g.externals else v not in mine or _is(v, e, g, resolve))
        if not meant:
            known = (n for n, x in g.externals.items() if x is e and n not in local)
            new[v] = next(known, None) or taken.numbered(v)
    return new, {new.get(v, v): e for v, e in found.items()}


def _is(v: str, value: object, g: Generated, resolve: Resolve) -> bool:
    """Whether a function knows a module, or what is nobody's own, by a name."""
    fixed = isinstance(value, types.ModuleType) or is_library(value)
    return fixed and resolve(ast.Name(v, ast.Load()), g) is value


def _globals_of(site: Site) -> dict[str, object]:
    """What Tangent's own functions find in their module; other names stay what they are."""
    if not is_fixed(site.fwd):
        return {}
    space = site.fwd.primal.__globals__
    return {v: space[v] for v in (free_names(site.fwd) | free_names(site.bwd)) if v in space}


def _captures(f: Generated) -> bool:
    """Whether a function finds names in a closure; one that was made from a tree has a cell for what runs."""
    cells = f.primal.__code__.co_freevars
    if len(cells) != 1 or getattr(f.primal, "captures", cells) != ():
        return bool(cells)
    return cells[0] in free_names(f) - f.externals.keys()


def _jumps(s: ast.stmt) -> bool:
    return isinstance(s, InsertedCode) and bool(s.block.jumps)


def calls_itself(f: Generated) -> bool:
    return any(value is f for other in _reached(f) for value in other.externals.values())


def _reached(f: Generated) -> list[Generated]:
    """A function, its backward pass, and all that they call."""
    found = [f]
    for g in found:
        found += [e for e in (*g.externals.values(), g.backward) if isinstance(e, Generated) and e not in found]
    return found


def local_names(tree: ast.FunctionDef) -> set[str]:
    return {a.arg for a in arguments(tree.args)} | assigned_inside(tree.body)


def free_names(f: Generated) -> set[str]:
    assert f.tree is not None
    return set().union(*(identifiers(s) for s in f.tree.body)) - local_names(f.tree)


def handed_over(fwd: Generated) -> tuple[ast.expr, list[str]] | None:
    """What a forward pass returns: its result, and the names that it hands over."""
    assert fwd.tree is not None
    match fwd.tree.body[-1]:
        case ast.Return(value=ast.Tuple(elts=[result, ast.Tuple(elts=elts)])):
            names = [e.id for e in elts if isinstance(e, ast.Name)]
            return (result, names) if len(names) == len(elts) else None
        case _:
            return None


def taken_over(bwd: Generated) -> list[str] | None:
    """The names that a backward pass is handed."""
    body = without_doc(bwd)
    state = bwd.tree.args.args[0].arg if bwd.tree is not None else ""
    match body:
        case [ast.Assign(targets=[ast.Tuple(elts=elts)], value=ast.Name(id=v)), *rest] if v == state:
            rest_names = set().union(*(identifiers(s) for s in rest)) if rest else set()
            names = [e.id for e in elts if isinstance(e, ast.Name)]
            return names if len(names) == len(elts) and state not in rest_names else None
        case _:
            every = set().union(*(identifiers(s) for s in body)) if body else set()
            return [] if state not in every else None


def without_doc(f: Generated) -> list[ast.stmt]:
    assert f.tree is not None
    return f.tree.body[1:] if ast.get_docstring(f.tree, clean=False) is not None else f.tree.body


def own_lists(fwd: Generated) -> set[str]:
    """Lists that a forward pass makes, at the top, and only puts things on, of which the backward pass takes all."""
    found: dict[str, int] = {}
    other: set[str] = set()
    assert fwd.tree is not None
    for s in statements(fwd.tree.body[:-1]):
        match s:
            case Attempt():  # what it has put on when it fails stays there
                other |= {v for x in statements(s.body) if (v := pushed(x))} | identifiers(_header(s))
            case ast.Assign(targets=[ast.Name(id=v)], value=ast.List(elts=[])):
                found[v] = found.get(v, 0) + 1
            case _ if v := pushed(s):
                other |= identifiers(s.value.args[0])  # type: ignore[attr-defined]
            case _:
                other |= identifiers(_header(s)) if not isinstance(s, Comment) else set()
    returned = handed_over(fwd)
    assert returned is not None
    handed = set(returned[1]) - identifiers(returned[0])
    return {v for v, times in found.items() if times == 1 and v not in other and v in handed}
