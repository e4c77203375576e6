"""Values that an array still holds are read from it, instead of being kept.

for i in range(n):                       for i in range(n):
    t = np.sqrt(a[i, i])                     a[i, i] = np.sqrt(a[i, i])
    a[i, i] = t
    t_stack.append(t)            ->      ...
...                                      for i in reversed(range(n)):
for i in reversed(range(n)):                 t = a[i, i]
    t = t_stack.pop()

Nothing may be stored in that place any more, or, of a number, the stores must have been taken back by then; and the
array must hold the value as it is: of its dtype and shape.
"""

from __future__ import annotations

import ast
from collections.abc import Collection

from tangent.optimise.context import Body
from tangent.optimise.dead import Stack, local_stacks
from tangent.optimise.shaped.mirrored import mirrored
from tangent.optimise.shaped.restored import Restored
from tangent.optimise.shaped.sections import Facts, Sections, sections
from tangent.optimise.stored import stored
from tangent.syntax.rebuild import blocks, exchanged, replace, statements
from tangent.syntax.uses import expression_reads, header_reads, writes

Changes = dict[ast.stmt, ast.stmt | None]


def reread(body: Body, facts: Facts, exact: Collection[str]) -> Body:
    """`exact`: the texts of stores of values that have the dtype and the shape of their places."""
    lasting = mirrored(body)
    if not lasting or not exact:
        return body
    known, changed = sections(body, facts), stored(body)
    stacks = local_stacks(body)
    changes: Changes = {}
    for v in sorted(lasting):
        store = _stored(stacks[v], body, exact)
        if store is None or _is_changed(stacks[v], store, body, facts, changed):
            continue
        if _is_last(store, known) or (
            _is_number(store, facts)
            and Restored(_array(store), body, known, stacks, lasting).holds(store, stacks[v].pops[0])
        ):
            changes |= _without(v, stacks[v], store, body)
    return exchanged(body, changes) if changes else body


def _stored(stack: Stack, body: Body, exact: Collection[str]) -> ast.Assign | None:
    """The store, in the block of a push, of what is pushed."""
    (push,), (pop,) = stack.pushes, stack.pops
    match push, pop:
        case ast.Expr(value=ast.Call(args=[ast.Name(id=t)])), ast.Assign(targets=[ast.Name(id=u)]) if t == u:
            block = next(b for b in blocks(body) if push in b)
        case _:
            return None
    found = [s for s in block if isinstance(s, ast.Assign) and _is_store(s, t) and ast.unparse(s) in exact]
    if len(found) != 1:
        return None
    first, last = sorted((block.index(found[0]), block.index(push)))
    return None if any(t in writes(x) for x in statements(block[first:last])) else found[0]


def _is_store(s: ast.Assign, t: str) -> bool:
    return isinstance(s.targets[0], ast.Subscript) and isinstance(s.value, ast.Name) and s.value.id == t


def _is_last(store: ast.Assign, known: Sections) -> bool:
    """Whether nothing is stored over a value."""
    access = next((x for x in known.stores if x.statement is store), None)
    if access is None or access.array in known.given or access.index is None:
        return False
    return not any(known.follows(access, x) for x in known.stores)


def _is_number(store: ast.Assign, facts: Facts) -> bool:
    """Whether a number is stored: a part of an array would change with what is stored there next."""
    return isinstance(store.value, ast.Name) and facts.ranks.get(store.value.id) == 0


def _array(store: ast.Assign) -> str:
    place = store.targets[0]
    assert isinstance(place, ast.Subscript)
    return place.value.id if isinstance(place.value, ast.Name) else ""


def _is_changed(stack: Stack, store: ast.Assign, body: Body, facts: Facts, changed: set[str]) -> bool:
    """Whether what says where a value is may mean something else later, or something holds the value."""
    assert isinstance(store.value, ast.Name) and isinstance(store.targets[0], ast.Subscript)
    t, names = store.value.id, expression_reads(store.targets[0].slice)
    loops = [
        loop
        for loop in statements(body)
        if isinstance(loop, ast.For) and {*stack.pushes, *stack.pops} & set(statements(loop.body))
    ]
    inside = {v for loop in loops for s in loop.body for v in _written(s)}
    outside = {v for s in statements(body) for v in writes(s)} - _once(body) - {v for s in loops for v in writes(s)}
    nested = {v for loop in loops for s in loops if s in set(statements(loop.body)) for v in writes(s)}
    if names & (changed | outside | inside - nested) or t in changed:
        return True
    return facts.ranks.get(t) != 0 and any(_holds(s, t, facts) for s in statements(body) if s is not store)


def _written(s: ast.stmt) -> list[str]:
    return [v for x in statements([s]) for v in writes(x)]


def _once(body: Body) -> set[str]:
    """Names that are bound once, before all loops."""
    bound = [v for s in statements(body) for v in writes(s)]
    first = next((i for i, s in enumerate(body) if isinstance(s, (ast.For, ast.While))), len(body))
    return {v for s in body[:first] for v in writes(s) if bound.count(v) == 1}


def _holds(s: ast.stmt, t: str, facts: Facts) -> bool:
    """Whether something else may refer to a value after a statement."""
    match s:
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="append"), args=[ast.Name()])):
            return False  # the list itself goes
        case ast.Assign(targets=[ast.Name()], value=value) | ast.AugAssign(value=value) | ast.Expr(value=value):
            return t in expression_reads(value) and facts.holds(value, t)
        case ast.If() | ast.For() | ast.While():
            return False
        case _:
            return t in header_reads(s)


def _without(v: str, stack: Stack, store: ast.Assign, body: Body) -> Changes:
    """What becomes of a list, of what is pushed and of what is taken from it."""
    (push,), (pop,) = stack.pushes, stack.pops
    assert isinstance(store.targets[0], ast.Subscript) and isinstance(pop, ast.Assign)
    made = [s for s in statements(body) if v in writes(s)]
    return {**dict.fromkeys([push, *made]), pop: replace(pop, value=replace(store.targets[0], ctx=ast.Load()))}
