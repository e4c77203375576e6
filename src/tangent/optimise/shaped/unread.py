"""Stores that nobody reads, and zeros that are only added to.

a[k + 1:, k] = a_stack.pop()            (nothing, where nothing reads these places any more)

ba[j] = 0.0                             ba[j] = bt
...                               ->
ba[j] += bt

bt = ba[j]
...                               ->    (without the store)
ba[j] = bt
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tangent.optimise.context import Body
from tangent.optimise.dead import local_stacks
from tangent.optimise.shaped.sections import Facts, Sections, sections
from tangent.optimise.typed.reach import Access
from tangent.syntax.quote import at
from tangent.syntax.rebuild import blocks, exchanged, statements
from tangent.syntax.records import popped
from tangent.syntax.uses import writes
from tangent.syntax.walk import walk

Changes = dict[ast.stmt, ast.stmt | None]


def unread(body: Body, facts: Facts) -> Body:
    if not any(_is_candidate(s) for s in statements(body)):
        return body
    known = sections(body, facts, True)
    changes: Changes = {}
    for store in known.stores:
        if store.array in known.given or not _is_candidate(store.statement):
            continue
        if not any(known.follows(store, r) for r in known.reads):
            changes |= _dropped(store.statement, body)
    for block in blocks(body):
        changes |= _first_sums(block, known, changes)
    return _without_returns(exchanged(body, changes), facts) if changes else body


def _without_returns(body: Body, facts: Facts) -> Body:
    """The body without stores of what has just been read in the same place."""
    found = [pair for block in blocks(body) for pair in _returns(block)]
    known = sections(body, facts, True) if found else None
    gone: Changes = {s: None for read, s in found if known is not None and _is_untouched(read, s, known)}
    return exchanged(body, gone) if gone else body


def _returns(block: Body) -> Iterator[tuple[ast.Assign, ast.Assign]]:
    """Reads of a place, each with a store of the same value into it."""
    for i, s in enumerate(block):
        match s:
            case ast.Assign(targets=[ast.Name(id=v)], value=ast.Subscript(value=ast.Name()) as place):
                names = {v, *(n.id for n in walk(place) if isinstance(n, ast.Name))}
                text = ast.unparse(place)
                for x in block[i + 1 :]:
                    match x:
                        case ast.Assign(targets=[ast.Subscript() as to], value=ast.Name(id=w)) if v == w:
                            if ast.unparse(to) == text:
                                yield s, x
                                break
                    if names & {w for y in statements([x]) for w in writes(y)}:
                        break


def _is_untouched(read: ast.Assign, store: ast.Assign, known: Sections) -> bool:
    """Whether nothing is stored into a place between a read of it and a store."""
    last = next((x for x in known.stores if x.statement is store), None)
    if last is None:
        return False
    first = known.positions[read]
    between = [x for x in known.stores if x.array == last.array and first < x.position < last.position]
    return not any(known.meets(last, x) for x in between)


def _is_candidate(s: ast.stmt) -> bool:
    """Whether a statement puts something back into a part of an array, or clears it."""
    match s:
        case ast.Assign(targets=[ast.Subscript(value=ast.Name())], value=ast.Constant(value=0.0)):
            return True
        case ast.Assign(targets=[ast.Subscript(value=ast.Name())]):
            return bool(popped(s))
        case _:
            return False


def _dropped(s: ast.stmt, body: Body) -> Changes:
    """What goes with a store: the record of what it puts back."""
    if not (v := popped(s)):
        return {s: None}
    stack = local_stacks(body).get(v)
    if stack is None or stack.pops != [s]:
        return {}
    made = [x for x in statements(body) if v in writes(x)]
    return dict.fromkeys([s, *stack.pushes, *made])


def _first_sums(block: Body, known: Sections, gone: Changes) -> Changes:
    """Zeros that are stored in a block only for a later statement there to add to them."""
    found: Changes = {}
    for i, s in enumerate(block):
        match s:
            case ast.Assign(targets=[ast.Subscript() as place], value=ast.Constant(value=0.0)) if s not in gone:
                store = next((x for x in known.stores if x.statement is s), None)
                add = _added(place, block[i + 1 :])
                if store is None or add is None or not _is_quiet(store, add, known):
                    continue
                found |= {s: None, add: at(ast.Assign([place], add.value), add)}
    return found


def _added(place: ast.Subscript, rest: Body) -> ast.AugAssign | None:
    """The sum into the same place."""
    text = ast.unparse(place)
    names = {n.id for n in walk(place.slice) if isinstance(n, ast.Name)}
    for s in rest:
        match s:
            case ast.AugAssign(target=ast.Subscript() as target, op=ast.Add()) if ast.unparse(target) == text:
                return s
            case ast.AugAssign(target=ast.Name(id=a), op=ast.Add()) if ast.unparse(place.value) == a and is_whole(
                place
            ):
                return s
        if names & {v for x in statements([s]) for v in writes(x)}:
            break
    return None


def is_whole(place: ast.Subscript) -> bool:
    """Whether a place is the whole array."""
    parts = place.slice.elts if isinstance(place.slice, ast.Tuple) else [place.slice]
    if isinstance(place.slice, ast.Constant):
        return place.slice.value is ...
    return all(isinstance(p, ast.Slice) and p.lower is p.upper is p.step is None for p in parts)


def _is_quiet(store: Access, add: ast.AugAssign, known: Sections) -> bool:
    """Whether nothing touches a place between two statements."""
    end = next(x.position for x in known.stores if x.statement is add)
    between = [
        x for x in (*known.reads, *known.stores) if x.array == store.array and x.statement is not store.statement
    ]
    own = [x for x in between if x.statement is add and x.position == end]
    return not any(store.position < x.position <= end and known.meets(store, x) for x in between if x not in own)
