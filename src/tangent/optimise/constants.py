"""A record of one constant is no record.

branch_stack.append(True)                 (nothing)
...                                 ->    ...
branch = branch_stack.pop()               branch = True
"""

from __future__ import annotations

import ast

from tangent.optimise.context import Body, Optimisation
from tangent.optimise.copies import copies
from tangent.optimise.dead import Stack, local_stacks
from tangent.syntax.rebuild import replace, statements
from tangent.syntax.uses import writes

Change = dict[ast.stmt, list[ast.stmt]]


def constants(body: Body, o: Optimisation) -> Body:
    change: Change = {}
    for stack in local_stacks(body).values():
        value = _constant(stack, body)
        if value is not None and all(_is_plain(s) for s in stack.pops):
            change |= {s: [] for s in stack.pushes}
            change |= {s: [replace(s, value=value)] for s in stack.pops if isinstance(s, ast.Assign)}
    return copies(_changed(body, change), o) if change else body


def _constant(stack: Stack, body: Body) -> ast.expr | None:
    """What all records are, if that is one truth, one number, one tuple of numbers or nothing."""
    values = [_pushed(s, body) for s in stack.pushes]
    first = values[0] if values else None
    same = first is not None and _is_constant(first) and len({ast.dump(e) for e in values if e is not None}) == 1
    return first if same and None not in values else None


def _is_constant(e: ast.expr) -> bool:
    match e:
        case ast.Constant(value=bool() | int() | float() | None):
            return True
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float())):
            return True
        case ast.Tuple(elts=elts):
            return all(map(_is_constant, elts))
        case _:
            return False


def _pushed(push: ast.stmt, body: Body) -> ast.expr | None:
    """What is recorded, or what the name of it was given before, in the same block."""
    assert isinstance(push, ast.Expr) and isinstance(push.value, ast.Call)
    item = push.value.args[0]
    before = _before(push, body) if isinstance(item, ast.Name) else None
    for s in reversed(before or []):
        if any(isinstance(item, ast.Name) and item.id in writes(x) for x in statements([s])):
            return s.value if isinstance(s, ast.Assign) and _is_plain(s) else None
    return item


def _before(push: ast.stmt, body: Body) -> Body | None:
    """The statements of a block in front of one of it."""
    for i, s in enumerate(body):
        if s is push:
            return body[:i]
        if isinstance(s, (ast.If, ast.For, ast.While)):
            for inner in (s.body, s.orelse):
                if (found := _before(push, inner)) is not None:
                    return found
    return None


def _is_plain(pop: ast.stmt) -> bool:
    return isinstance(pop, ast.Assign) and isinstance(pop.targets[0], ast.Name)


def _changed(body: Body, change: Change) -> Body:
    done: Body = []
    for s in body:
        match s:
            case _ if s in change:
                done += change[s]
            case ast.If(body=[ast.Break()]):
                done.append(s)
            case ast.If(body=then, orelse=other):
                done.append(replace(s, body=_changed(then, change) or [ast.Pass()], orelse=_changed(other, change)))
            case ast.For(body=inner) | ast.While(body=inner):
                done.append(replace(s, body=_changed(inner, change) or [ast.Pass()]))
            case _:
                done.append(s)
    return done
