"""What a call gives together with its record has its name at once.

t, cell_saved = cell_fwd(h, x)        h, cell_saved = cell_fwd(h, x)
h = t                           ->
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection
from itertools import pairwise

from tangent.syntax.rebuild import exchanged, replace, statements
from tangent.syntax.uses import writes
from tangent.syntax.walk import walk


def named(tree: ast.FunctionDef, kept: Collection[str]) -> ast.FunctionDef:
    """The function, where names other than `kept`, those of the user, do not stand between a call and another name."""
    pairs = [(*pair, found) for block in _blocks(tree) for pair in pairwise(block) if (found := _renamed(*pair))]
    if not pairs:
        return tree
    times = Counter(n.id for n in walk(tree) if isinstance(n, ast.Name))
    changes: dict[ast.stmt, ast.stmt | None] = {}
    for made, bound, (old, new) in pairs:
        if old not in kept and times[old] == 2:
            changes |= {made: _with_name(made, old, new), bound: None}
    return replace(tree, body=exchanged(tree.body, changes)) if changes else tree


def _blocks(tree: ast.FunctionDef) -> list[list[ast.stmt]]:
    inner = [getattr(s, field, []) for s in statements(tree.body) for field in ("body", "orelse")]
    return [tree.body, *(block for block in inner if block)]


def _renamed(made: ast.stmt, bound: ast.stmt) -> tuple[str, str] | None:
    """The name that one statement binds among others and the next one reads, and the name that this gives it."""
    match made, bound:
        case (
            ast.Assign(targets=[ast.Tuple()], value=ast.Call()),
            ast.Assign(targets=[ast.Name(id=new)], value=ast.Name(id=old)),
        ) if old in writes(made) and new not in writes(made):
            return old, new
        case _:
            return None


def _with_name(s: ast.stmt, old: str, new: str) -> ast.stmt:
    assert isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Tuple)
    elts = [replace(e, id=new) if isinstance(e, ast.Name) and e.id == old else e for e in s.targets[0].elts]
    return replace(s, targets=[replace(s.targets[0], elts=elts)])
