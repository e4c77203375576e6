"""What a forward pass hands over and its backward pass no longer reads is not handed over.

def g_fwd(x):                            def g_fwd(x):
    ...                                      ...
    return y, (t, x)               ->        return y, (t,)

def g_bwd(saved, by):                    def g_bwd(saved, by):
    t, x = saved                             t, = saved
    return by * t                            return by * t
"""

from __future__ import annotations

import ast

from tangent.syntax.rebuild import replace, statements
from tangent.syntax.uses import header_reads
from tangent.transform.module import Generated

Bodies = dict[Generated, list[ast.stmt]]


def saved(bodies: Bodies) -> Bodies:
    """The bodies of a module with less handed from one half of a pair to the other."""
    changed = dict(bodies)
    for fwd in bodies:
        bwd = fwd.backward
        if bwd is None or bwd not in bodies:
            continue
        match bodies[bwd], bodies[fwd]:
            case [
                [ast.Assign(targets=[ast.Tuple(elts=slots)], value=ast.Name()) as unpack, *rest],
                [*first, ast.Return(value=ast.Tuple(elts=[result, ast.Tuple(elts=values)])) as last],
            ] if len(slots) == len(values):
                read = {v for s in statements(rest) for v in header_reads(s)}
                kept = [i for i, slot in enumerate(slots) if isinstance(slot, ast.Name) and slot.id in read]
                if len(kept) == len(slots):
                    continue
                handed = ast.Tuple([values[i] for i in kept], ast.Load())
                changed[fwd] = [*first, replace(last, value=ast.Tuple([result, handed], ast.Load()))]
                taken = replace(unpack, targets=[ast.Tuple([slots[i] for i in kept], ast.Store())])
                changed[bwd] = [taken, *rest] if kept else rest
    return changed
