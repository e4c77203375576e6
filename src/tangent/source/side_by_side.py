"""Lists and dicts that are made side by side are made one after the other.

xs, log = [], {}      ->      xs = []
                              log = {}

So each is one that a statement of its own makes, as what looks for such expects it.
"""

from __future__ import annotations

import ast

from tangent.source.inlined import written_anew
from tangent.syntax.rebuild import walk_scope, with_blocks
from tangent.syntax.walk import walk

DISPLAYS = (ast.List, ast.Dict, ast.ListComp, ast.DictComp)


def one_by_one(tree: ast.FunctionDef) -> ast.FunctionDef:
    """The definition in which displays that one statement assigns have a statement each."""
    if not any(map(_apart, walk_scope(tree))) or any(isinstance(n, (ast.Try, ast.TryStar)) for n in walk(tree)):
        return tree  # what is bound where a part fails may be seen behind `try`

    def block(body: list[ast.stmt]) -> list[ast.stmt]:
        return [new for s in body for new in (_apart(s) or [with_blocks(s, block)])]

    return written_anew(tree, block(tree.body))


def _apart(s: ast.AST) -> list[ast.stmt]:
    match s:
        case ast.Assign(targets=[ast.Tuple(elts=slots)], value=ast.Tuple(elts=parts)) if len(slots) == len(parts):
            names = {t.id for t in slots if isinstance(t, ast.Name)}
            read = {n.id for e in parts for n in walk(e) if isinstance(n, ast.Name)}
            if len(names) == len(slots) and not names & read and any(isinstance(e, DISPLAYS) for e in parts):
                return [ast.copy_location(ast.Assign([t], e), e) for t, e in zip(slots, parts)]
    return []
