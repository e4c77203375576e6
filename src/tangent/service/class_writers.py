"""Functions that are called for their effects and give a class something: all its objects see it, no gradient follows.

def push(self):
    Stack.total = self.v * 2      refused
    Stack.count += 1              a count depends on no argument
"""

from __future__ import annotations

import ast
import types

from tangent.errors import InPlaceError
from tangent.syntax.rebuild import statements
from tangent.syntax.uses import expression_reads, writes
from tangent.transform.unit import Unit


def refuse_class_writer(this: Unit, owner: object) -> None:
    """Stop before a class, or a module, is given an attribute that depends on an argument; `owner` is what is bound."""
    bound = this.parameters[:1] if isinstance(owner, type) else []
    given = _depending(this, set(this.parameters) - {*bound})
    for s in statements(this.core.body):
        match s:
            case (
                ast.Assign(targets=[ast.Attribute(value=place, attr=attr)], value=value)
                | ast.AugAssign(target=ast.Attribute(value=place, attr=attr), value=value)
            ) if expression_reads(value) & given:
                own = isinstance(place, ast.Name) and place.id in bound
                if own or isinstance(this.context.scope.resolve(place), (type, types.ModuleType)):
                    raise InPlaceError(
                        f"cannot differentiate the assignment to '{ast.unparse(place)}.{attr}'", this.source.locate(s),
                        "all objects of the class see it", "Keep it in an object, or return it and pass it on.",
                    )  # fmt: skip


def _depending(this: Unit, given: set[str]) -> set[str]:
    """The variables that depend on some, whichever way a function goes."""
    found = set(given)
    while True:
        more = {v for s in statements(this.core.body) if expression_reads(s) & found for v in writes(s)} - found
        if not more:
            return found
        found |= more
