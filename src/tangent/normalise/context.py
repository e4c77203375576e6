"""What the passes share: the names taken so far, and what names mean outside the function."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from tangent.errors import UnsupportedError
from tangent.source.read import Source
from tangent.source.resolve import Scope, local_imports
from tangent.syntax.names import Names, identifiers
from tangent.syntax.uses import arguments, assigned_inside


@dataclass
class Context:
    source: Source
    names: Names
    scope: Scope
    augmented: dict[tuple[int, int], ast.AugAssign] = field(default_factory=dict)

    @classmethod
    def of(cls, source: Source) -> Context:
        tree = source.tree
        parameters = {a.arg for a in arguments(tree.args)}
        declared = {n for s in ast.walk(tree) if isinstance(s, ast.Global | ast.Nonlocal) for n in s.names}
        imports = local_imports(tree)
        local = (parameters | assigned_inside(tree.body)) - declared
        scope = Scope(source.function, local, {k: v for k, v in imports.items() if k not in parameters})
        return cls(source, Names(identifiers(tree) | {tree.name}), scope)

    def refuse(self, node: ast.AST, construct: str, why: str, todo: str = "") -> UnsupportedError:
        """The error for a construct that cannot be normalised."""
        return UnsupportedError(f"cannot differentiate {construct}", self.source.locate(node), why, todo)
