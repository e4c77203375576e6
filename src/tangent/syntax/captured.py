"""What nested functions capture and rebind of the variables around them."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from tangent.syntax.rebuild import walk_scope
from tangent.syntax.uses import SCOPES, arguments, assigned_inside, expression_reads
from tangent.syntax.walk import walk


def own_functions(f: ast.FunctionDef) -> Iterator[ast.FunctionDef]:
    """The functions defined in the body of a function, also inside its blocks."""
    yield from (n for n in walk_scope(f) if isinstance(n, ast.FunctionDef))


def declared(f: ast.FunctionDef) -> frozenset[str]:
    """Names that a function, or one inside it, says belong to somebody else."""
    return frozenset(v for n in walk(f) if isinstance(n, (ast.Global, ast.Nonlocal)) for v in n.names)


def own_variables(f: ast.FunctionDef) -> set[str]:
    """The parameters and local variables of a function."""
    known: set[str] | None = f.__dict__.get("_own")
    if known is None:
        others = {v for n in walk_scope(f) if isinstance(n, (ast.Global, ast.Nonlocal)) for v in n.names}
        known = f.__dict__["_own"] = ({a.arg for a in arguments(f.args)} | assigned_inside(f.body)) - others
    return set(known)


def bindings(f: ast.FunctionDef) -> Counter[str]:
    """How often each variable of a function is bound in its text."""
    known: Counter[str] | None = f.__dict__.get("_bindings")
    if known is None:
        known = f.__dict__["_bindings"] = _counted(f)
    return known


def _counted(f: ast.FunctionDef) -> Counter[str]:
    found = Counter(a.arg for a in arguments(f.args))
    for n in walk_scope(f):
        match n:
            case ast.Name(id=v, ctx=ast.Store() | ast.Del()):
                found[v] += 1
            case ast.FunctionDef(name=v) | ast.AsyncFunctionDef(name=v) | ast.ClassDef(name=v):
                found[v] += 1
            case ast.ExceptHandler(name=str(v)) | ast.MatchAs(name=str(v)) | ast.MatchStar(name=str(v)):
                found[v] += 1
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                found.update((a.asname or a.name).split(".")[0] for a in names)
    return found


def mentioned_inside(f: ast.FunctionDef) -> set[str]:
    """The names that functions, lambdas and classes inside of a function mention: comprehensions are no such."""
    inside = [n for n in walk_scope(f) if isinstance(n, SCOPES)]
    return {n.id for scope in inside for n in walk(scope) if isinstance(n, ast.Name)}


def free_variables(g: ast.FunctionDef) -> list[str]:
    """The variables of others that a function reads or rebinds, in the order of its text.

    >>> g = ast.parse("def g(v):\\n    nonlocal n\\n    n = n + v * x\\n    y = n").body[0]
    >>> free_variables(g)
    ['n', 'x']
    """
    found = expression_reads(g) | rebound_outside(g)
    names = [n for n in walk(g) if isinstance(n, ast.Name) and n.id in found]
    places = [(getattr(n, "lineno", 0), getattr(n, "col_offset", 0), n.id) for n in names]
    return list(dict.fromkeys([*(v for *_, v in sorted(places)), *sorted(found)]))


def rebound_outside(g: ast.FunctionDef) -> set[str]:
    """The variables of others that a function, or one inside it, rebinds."""
    said = {v for n in walk_scope(g) if isinstance(n, ast.Nonlocal) for v in n.names}
    inner = {v for n in own_functions(g) for v in rebound_outside(n)}
    return said | (inner - own_variables(g))
