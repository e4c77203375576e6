"""What a loop computes alike in every iteration is not kept: it is there behind the loop.

for j in range(n):                          for j in range(n):
    t = math.exp(-rate)                         t = math.exp(-rate)
    x = t * x                                   x = t * x
    t_stack.append(t)                 ->    for j in reversed(range(n)):
for j in reversed(range(n)):                    bx = bx * t
    t = t_stack.pop()
    bx = bx * t
"""

from __future__ import annotations

import ast

from tangent.optimise.alike import Definitions
from tangent.optimise.context import Body, Optimisation
from tangent.optimise.dead import local_stacks
from tangent.optimise.recompute import is_cheap, kept
from tangent.optimise.stored import stored
from tangent.syntax.inserted import InsertedCode
from tangent.syntax.rebuild import exchanged, statements
from tangent.syntax.records import popped
from tangent.syntax.uses import expression_reads


def steady(body: Body, o: Optimisation) -> Body:
    pairs = [(s.pushes[0], s.pops[0]) for s in local_stacks(body).values() if len(s.pushes) == len(s.pops) == 1]
    records = [(v, push, pop) for push, pop in pairs if (v := kept(push, pop))]
    if not records or any(isinstance(s, InsertedCode) for s in statements(body)):
        return body
    known = Definitions(body, o, stored(body) | o.shared.keys())
    gone = [s for v, push, pop in records if known.is_steady(v) and not _is_made_again(v, known) for s in (push, pop)]
    return exchanged(body, dict.fromkeys(gone)) if gone else body


def _is_made_again(v: str, known: Definitions) -> bool:
    """Whether a variable is computed again instead, in the expression that reads it, from what no loop makes."""
    made = [s.value for s in known.made[v] if isinstance(s, ast.Assign) and not popped(s)]
    read = {n for e in made for n in expression_reads(e)}
    return any(is_cheap(e, known.o) for e in made) and all(known.is_outside(n) for n in read)
