"""Lists that records are kept in have plain names, where those that had them are gone.

h_stack2 = []                 h_stack = []
h_stack2.append(h)     ->     h_stack.append(h)
"""

from __future__ import annotations

from tangent.optimise.context import Body
from tangent.optimise.dead import local_stacks
from tangent.syntax.names import identifiers
from tangent.syntax.rebuild import rename


def renumbered(body: Body) -> Body:
    taken = set().union(*map(identifiers, body))
    names: dict[str, str] = {}
    for v in local_stacks(body):
        plain = v.rstrip("0123456789")
        if plain.endswith("_stack") and plain not in taken:
            names[v] = plain
            taken.add(plain)
    return [rename(s, names) for s in body] if names else body
