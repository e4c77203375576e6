"""Attempts that take effect as a whole: what an attempt has assigned is read only where it ran to its end.

y = y * x              part = None
y = y + sqrt(x)        try: y = y * x
                 ->    except ValueError: part = error_raised()
                       if part is None:
                           part2 = None
                           try: y = y + sqrt(x)
                           except ValueError: part2 = error_raised()
                           caught = part2
                       else: caught = part

(the body of a `try` whose handler reads `y`). What is read outside is assigned at the end of the body, after
all that may raise: so what the forward pass keeps is kept only by attempts that succeed.
"""

from __future__ import annotations

import ast

from tangent.normalise.context import Context
from tangent.syntax.blocks import Attempt
from tangent.syntax.quote import assign, constant
from tangent.syntax.rebuild import replace, statements
from tangent.syntax.uses import arguments, assigned_inside
from tangent.transform.attempts.failing import visible
from tangent.transform.attempts.late import bound_at_start, late
from tangent.transform.attempts.marks import unmarked
from tangent.transform.attempts.split import Split


def settle_attempts(core: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    if not any(isinstance(s, Attempt) for s in statements(core.body)):
        return core
    core = unmarked(core, context)
    split = replace(core, body=Split(context, visible(core, context)).block(core.body))
    unsure: set[str] = set()
    at_the_end = late(split.body, split, context, unsure)
    bound = {a.arg for a in arguments(core.args)} | bound_at_start(at_the_end)
    start = [assign(v, constant(None), core.body[0]) for v in sorted(unsure - bound)]
    done = replace(split, body=[*start, *at_the_end])
    context.scope.local |= assigned_inside(done.body) - context.declared
    return done
