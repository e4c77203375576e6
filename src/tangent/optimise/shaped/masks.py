"""Comparisons of the backward loop, made in the forward loop: masks are kept instead of what they compare.

for k in range(n):                              for k in range(n):
    t = np.minimum(d, s)                            t = np.minimum(d, s)
    d_stack.append(d[:, :].copy())                  m = t == d
    d[:, :] = t                                     d[:, :] = t
    t_stack.append(t)                     ->        m_stack.append(m)
...                                             ...
for k in reversed(range(n)):                    for k in reversed(range(n)):
    t = t_stack.pop()                               m = m_stack.pop()
    d[:, :] = d_stack.pop()
    m = t == d
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from tangent.optimise.context import Body
from tangent.optimise.dead import local_stacks
from tangent.optimise.shaped.mirrored import mirrored
from tangent.optimise.shaped.unread import is_whole
from tangent.syntax.names import Names, identifiers
from tangent.syntax.print import Comment
from tangent.syntax.quote import assign, at, expression, name
from tangent.syntax.rebuild import all_writes, replace, statements


@dataclass(frozen=True)
class Kept:
    """A push in the forward loop and the pop in the backward loop, with the blocks they stand in."""

    push: ast.Expr
    pop: ast.Assign
    forward: Body
    backward: Body


def masks(body: Body, taken: set[str], shared: dict[str, str]) -> Body:
    """All comparisons moved that can be; whether that is less to keep is for the caller to see.

    `shared` says what looks at the same memory.
    """
    names = Names(taken | set().union(*(identifiers(s) for s in body)))
    before: dict[ast.stmt, Body] = {}  # by the statement of the forward loop that they come before
    behind: dict[int, Body] = {}  # by the block of the forward loop
    instead: dict[ast.stmt, ast.stmt] = {}
    made: Body = []
    kept = _kept(body)
    for block in {id(k.backward): k.backward for k in kept}.values():
        here = [k for k in kept if k.backward is block]
        for s in block:
            match s:
                case ast.Assign(targets=[ast.Name(id=m)], value=ast.Compare(left=ast.Name(), comparators=[ast.Name()])):
                    place = _place(s, here, shared)
                    if place is None:
                        continue
                    stack = names.numbered(f"{m}_stack")
                    again = names.numbered(m)
                    made.append(assign(stack, ast.List([], ast.Load())))
                    computed: Body = [replace(s, targets=[ast.Name(again, ast.Store())])]
                    computed.append(at(ast.Expr(expression("s.append(m)", s=stack, m=name(again))), s))
                    if isinstance(place, ast.stmt):
                        before.setdefault(place, []).extend(computed)
                    else:
                        behind.setdefault(id(place), []).extend(computed)
                    instead[s] = replace(s, value=expression("s.pop()", s=stack))
    return [*made, *_rebuilt(body, before, behind, instead)] if instead else body


def _kept(body: Body) -> list[Kept]:
    blocks = {s: block for block in _loops(body) for s in block}
    found = []
    lasting = mirrored(body)
    for v, stack in local_stacks(body).items():
        if v in lasting:
            push, pop = stack.pushes[0], stack.pops[0]
            if isinstance(push, ast.Expr) and isinstance(pop, ast.Assign) and push in blocks and pop in blocks:
                found.append(Kept(push, pop, blocks[push], blocks[pop]))
    return found


def _loops(body: Body) -> list[Body]:
    return [s.body for s in statements(body) if isinstance(s, ast.For)]


def _place(s: ast.Assign, kept: list[Kept], shared: dict[str, str]) -> ast.stmt | Body | None:
    """The statement of the forward loop before which a comparison sees what it sees in the backward loop, or the
    loop's body, where that is at its end."""
    assert isinstance(s.value, ast.Compare)
    found: list[Kept] = []
    storage: list[Kept] = []
    for e in (s.value.left, s.value.comparators[0]):
        assert isinstance(e, ast.Name)
        here = [k for k in kept if _restored(k) == e.id]
        if len(here) != 1 or not _is_last(here[0], _beside(e.id, shared), s):
            return None
        found.append(here[0])
        if isinstance(here[0].pop.targets[0], ast.Subscript):
            storage.append(here[0])
        elif e.id in shared:
            return None
    if len({id(k.forward) for k in found}) > 1 or len(storage) > 1:
        return None
    forward = found[0].forward
    end = forward.index(storage[0].push) if storage else len(forward)
    for k in found:
        v = _restored(k)
        at = forward.index(k.push)
        defined = [i for i, x in enumerate(forward) if v in all_writes(x)]
        if k in storage:
            continue
        if not defined or max(defined) >= min(end, at):  # it has its value before both
            return None
    return storage[0].push if storage else forward


def _restored(k: Kept) -> str:
    """The name whose value is kept, or the array of which the whole content is."""
    assert isinstance(k.push.value, ast.Call)
    match k.push.value.args[0], k.pop.targets[0]:
        case ast.Name(id=v), ast.Name(id=w) if v == w:
            return v
        case ast.Call(func=ast.Attribute(value=ast.Subscript() as part, attr="copy"), args=[]), ast.Subscript() as to:
            same = ast.unparse(part) == ast.unparse(to) and is_whole(part)
            return part.value.id if same and isinstance(part.value, ast.Name) else ""
        case _:
            return ""


def _beside(v: str, shared: dict[str, str]) -> set[str]:
    """A name, and those that look at the same memory."""
    return {v} | {w for w, c in shared.items() if c == shared.get(v, "")}


def _is_last(k: Kept, names: set[str], s: ast.stmt) -> bool:
    """Whether nothing changes a name, or the content of an array, between its restore and a statement behind it."""
    i, j = k.backward.index(k.pop), k.backward.index(s)
    return i < j and not any(names & _touched(x) for x in k.backward[i + 1 : j])


def _touched(s: ast.stmt) -> set[str]:
    """Names that are bound, or whose content may change: all that stand in a statement other than plain arithmetic."""
    match s:
        case Comment():
            return set()
        case ast.Assign(targets=[ast.Name(id=v)]):
            return {v}
        case (
            ast.Assign(targets=[ast.Subscript(value=ast.Name(id=v))])
            | ast.AugAssign(target=ast.Subscript(value=ast.Name(id=v)))
        ):
            return {v}
        case ast.AugAssign(target=ast.Name(id=v)):
            return {v}
        case _:
            return identifiers(s)


def _rebuilt(
    body: Body, before: dict[ast.stmt, Body], behind: dict[int, Body], instead: dict[ast.stmt, ast.stmt]
) -> Body:
    done: Body = []
    for s in body:
        done += before.get(s, [])
        match s:
            case _ if s in instead:
                done.append(instead[s])
            case ast.If(body=[ast.Break()]):
                done.append(s)
            case ast.If(body=then, orelse=other):
                one, two = (_rebuilt(x, before, behind, instead) for x in (then, other))
                done.append(replace(s, body=one, orelse=two))
            case ast.For(body=inner) | ast.While(body=inner):
                done.append(replace(s, body=_rebuilt(inner, before, behind, instead)))
            case _:
                done.append(s)
    return [*done, *behind.get(id(body), [])]
