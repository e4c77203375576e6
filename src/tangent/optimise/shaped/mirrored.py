"""Lists that one loop fills and another, which counts back, empties: what it takes is of the same iteration.

for i in range(n):                 for i in reversed(range(n)):
    t_stack.append(t)                  t = t_stack.pop()
"""

from __future__ import annotations

import ast

from tangent.optimise.context import Body
from tangent.optimise.dead import local_stacks
from tangent.syntax.core import is_range
from tangent.syntax.rebuild import statements

Nest = tuple[ast.For, ...]


def mirrored(body: Body) -> frozenset[str]:
    around = nests(body)
    return frozenset(
        v
        for v, stack in local_stacks(body).items()
        if len(stack.pushes) == len(stack.pops) == 1
        and (there := around.get(stack.pushes[0]))
        and (back := around.get(stack.pops[0]))
        and len(there) == len(back)
        and there[0] is not back[0]
        and all(map(is_mirror, there, back))
    )


def nests(body: Body, nest: Nest = ()) -> dict[ast.stmt, Nest]:
    """The loops around each statement that happens in every iteration of these."""
    found: dict[ast.stmt, Nest] = {}
    for s in body:
        if isinstance(s, ast.For) and not s.orelse and not any(map(_leaves, statements(s.body))):
            found |= nests(s.body, (*nest, s))
        found[s] = nest
    return found


def _leaves(s: ast.stmt) -> bool:
    return isinstance(s, (ast.Break, ast.Continue, ast.Return, ast.Raise, ast.Try, ast.With))


def is_mirror(there: ast.For, back: ast.For) -> bool:
    """Whether a loop counts back what another one counts."""
    match back.iter:
        case ast.Call(func=ast.Name(id="reversed"), args=[count]):
            same = ast.dump(there.target) == ast.dump(back.target)
            return is_range(there.iter) and same and ast.dump(there.iter) == ast.dump(count)
        case _:
            return False
