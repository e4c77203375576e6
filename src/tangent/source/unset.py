"""Names that generated code leaves unset, `t = None`: nothing of the primal says so, and nobody looks at them then.

Derivatives of derivatives know it by the place of the statement: it has none.
"""

from __future__ import annotations

import ast
import re

from tangent.syntax.rebuild import replace, with_blocks

_UNSET = re.compile(r" +\w+ = None$")
_places: dict[str, frozenset[int]] = {}


def remember_unset(file: str, lines: list[str], told: set[int]) -> None:
    """Keep the lines of a generated file that set a name to nothing; those that are `told` come from the primal."""
    found = frozenset(k for k, line in enumerate(lines, 1) if k not in told and _UNSET.match(line))
    _places[file] = found & _places.get(file, found)


def with_unset(tree: ast.FunctionDef, file: str) -> ast.FunctionDef:
    """The definition in a generated file, where such statements are at no place."""
    places = _places.get(file)

    def block(body: list[ast.stmt]) -> list[ast.stmt]:
        return [replace(s, lineno=0) if s.lineno in (places or ()) else with_blocks(s, block) for s in body]

    return replace(tree, body=block(tree.body)) if places else tree
