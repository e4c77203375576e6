"""Functions of mathematics that the backward pass would call again, though their value is kept.

for j in range(n):                                for j in range(n):
    s = math.sin(x[j])                                s = math.sin(x[j])
    s_stack.append(s)                                 s_stack.append(s)
...                                        ->     ...
for j in reversed(range(n)):                      for j in reversed(range(n)):
    s = s_stack.pop()                                 s = s_stack.pop()
    bx[j] += -bc * math.sin(x[j])                     bx[j] += -bc * s
"""

from __future__ import annotations

import ast

from tangent.optimise.dead import local_stacks
from tangent.optimise.typed.order import subscripted
from tangent.optimise.typed.restores import blocks_of, same_loops
from tangent.syntax.rebuild import rebuild, replace, statements
from tangent.syntax.uses import expression_reads, writes

CALLS = ("sin", "cos", "tan", "exp", "log", "sqrt", "tanh", "sinh", "cosh", "atan2", "arctan2", "hypot", "expm1")


def repeated(body: list[ast.stmt], unwritten: frozenset[str], fixed: frozenset[str]) -> list[ast.stmt]:
    """`unwritten`: arguments that are only read; `fixed`: names that keep their value."""
    places = blocks_of(body)
    known: dict[ast.stmt, dict[str, str]] = {}  # by pop: the text of the call, and the name of its value
    for stack in local_stacks(body).values():
        if len(stack.pushes) != 1 or len(stack.pops) != 1:
            continue
        push, pop = stack.pushes[0], stack.pops[0]
        if push not in places or pop not in places or not same_loops(places[push][0], places[pop][0]):
            continue
        loops = {v for loop in places[push][0] for v in writes(loop)}
        call = _pushed_call(push, places[push][1])
        if call is None or not isinstance(pop, ast.Assign) or not isinstance(pop.targets[0], ast.Name):
            continue
        steady = unwritten | loops | (fixed - subscripted(body) if _module(call) == "math" else set())
        if expression_reads(call) - {_module(call)} <= steady:
            known[pop] = {ast.unparse(call): pop.targets[0].id}
    return _block(body, known) if known else body


def _pushed_call(push: ast.stmt, block: list[ast.stmt]) -> ast.Call | None:
    """The call whose value is pushed, if it is computed in the same block."""
    assert isinstance(push, ast.Expr) and isinstance(push.value, ast.Call)
    item = push.value.args[0]
    if not isinstance(item, ast.Name):
        return None
    before = block[: next(i for i, s in enumerate(block) if s is push)]
    for s in reversed(before):
        if item.id in {v for x in statements([s]) for v in writes(x)}:
            match s:
                case ast.Assign(value=ast.Call(func=ast.Attribute(value=ast.Name(id=module), attr=f)) as call):
                    return call if module in ("math", "np") and f in CALLS else None
            return None
    return None


def _module(call: ast.Call) -> str:
    assert isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name)
    return call.func.value.id


def _block(body: list[ast.stmt], known: dict[ast.stmt, dict[str, str]]) -> list[ast.stmt]:
    done: list[ast.stmt] = []
    here: dict[str, str] = {}

    def change(e: ast.expr) -> ast.expr:
        if isinstance(e, ast.Call) and (v := here.get(ast.unparse(e))) is not None:
            return ast.Name(v, ast.Load())
        return e

    for s in body:
        if s in known:
            here |= known[s]
            done.append(s)
            continue
        match s:
            case ast.If(body=then, orelse=other):
                s = replace(s, body=_block(then, known), orelse=_block(other, known))
            case ast.For(body=inner) | ast.While(body=inner):
                s = replace(s, body=_block(inner, known))
            case ast.Assign() | ast.AugAssign() if here:
                s = rebuild(s, change)
        changed = {v for x in statements([s]) for v in writes(x)}
        here = {text: v for text, v in here.items() if v not in changed}
        done.append(s)
    return done
