"""Elements that are put back or cleared though nobody reads them any more; records of what an array still holds.

for i in range(n):                        for i in range(n):
    y = b[i] / x[i]                           y = b[i] / x[i]
    x_stack.append(x[i])                      x[i] = y
    x[i] = y                       ->     ...
    y_stack.append(y)                     for i in reversed(range(n)):
...                                           y = x[i]
for i in reversed(range(n)):
    y = y_stack.pop()
    x[i] = x_stack.pop()

where nothing reads x[i] after the last line, and nothing writes it after the fourth.
"""

from __future__ import annotations

import ast

from tangent.optimise.dead import local_stacks
from tangent.optimise.typed.reach import Access, Accesses, Nest, accesses, limits
from tangent.syntax.names import Names
from tangent.syntax.quote import at, name
from tangent.syntax.rebuild import replace, statements
from tangent.syntax.records import popped, pushed
from tangent.syntax.uses import expression_reads, writes

Changes = dict[ast.stmt, ast.stmt]


def restores(
    body: list[ast.stmt], own: frozenset[str], fixed: frozenset[str], unwritten: frozenset[str], names: Names
) -> list[ast.stmt]:
    """`own`: arrays with one name; `fixed`: names that keep their value; `unwritten`: arguments that are only read.

    What is dropped is popped for nothing.
    """
    arrays = own & {v for s in statements(body) for v in _restored(s)}
    if arrays:
        known = accesses(body, fixed, arrays)
        dropped: Changes = {}
        for store in known.stores:
            s = store.statement
            if isinstance(s, ast.Assign) and _restored(s) and not any(known.follows(store, r) for r in known.reads):
                dropped[s] = replace(s, targets=[ast.Name(names.numbered("unused"), ast.Store())])
        body = _changed(body, dropped)
    return _read_again(body, own | unwritten, fixed)


def _restored(s: ast.stmt) -> list[str]:
    """The array of which a statement puts an element back, or clears one."""
    match s:
        case ast.Assign(
            targets=[ast.Subscript(value=ast.Name(id=a))],
            value=ast.Call(func=ast.Attribute(attr="pop"), args=[]) | ast.Constant(value=0.0),
        ):
            return [a]
        case _:
            return []


def _changed(body: list[ast.stmt], changes: Changes) -> list[ast.stmt]:
    done: list[ast.stmt] = []
    for s in body:
        match s:
            case _ if s in changes:
                done.append(changes[s])
            case ast.If(body=then, orelse=other):
                done.append(replace(s, body=_changed(then, changes), orelse=_changed(other, changes)))
            case ast.For(body=inner) | ast.While(body=inner):
                done.append(replace(s, body=_changed(inner, changes)))
            case _:
                done.append(s)
    return done


# Records of what an array holds


def _read_again(body: list[ast.stmt], own: frozenset[str], fixed: frozenset[str]) -> list[ast.stmt]:
    known = accesses(body, fixed, own)
    blocks = blocks_of(body)
    changes: Changes = {}
    for stack in local_stacks(body).values():
        if len(stack.pushes) != 1 or len(stack.pops) != 1:
            continue
        push, pop = stack.pushes[0], stack.pops[0]
        if push not in blocks or pop not in blocks or not isinstance(pop, ast.Assign):
            continue
        (there, block), (back, _) = blocks[push], blocks[pop]
        start = _start(push, block, known)
        if start is None or not same_loops(there, back) or not isinstance(pop.targets[0], ast.Name):
            continue
        loops = {w for loop in there for w in writes(loop)}
        assert start.index is not None
        if not set().union(*(expression_reads(p) for p in start.index)) <= fixed | loops:
            continue
        end = Access(start.array, start.index, back, known.positions[pop], pop)
        if not any(known.follows(start, a) and known.follows(a, end) for a in known.stores):
            index = start.index[0] if len(start.index) == 1 else ast.Tuple(list(start.index), ast.Load())
            changes[pop] = replace(pop, value=ast.Subscript(name(start.array), index, ast.Load()))
            changes[push] = at(ast.Pass(), push)
    return _changed(body, changes) if changes else body


def blocks_of(body: list[ast.stmt]) -> dict[ast.stmt, tuple[Nest, list[ast.stmt]]]:
    """The loops around each push and pop, and the block that it stands in."""
    found: dict[ast.stmt, tuple[Nest, list[ast.stmt]]] = {}

    def walk(block: list[ast.stmt], nest: Nest) -> None:
        for s in block:
            match s:
                case ast.If(body=then, orelse=other):
                    walk(then, nest)
                    walk(other, nest)
                case ast.For(body=inner) | ast.While(body=inner):
                    walk(inner, (*nest, s))
                case _ if pushed(s) or popped(s):
                    found[s] = nest, block

    walk(body, ())
    return found


def _start(push: ast.stmt, block: list[ast.stmt], known: Accesses) -> Access | None:
    """Where the value that is pushed was last put into an element, or read from one, in the same block."""
    assert isinstance(push, ast.Expr) and isinstance(push.value, ast.Call)
    item = push.value.args[0]
    if not isinstance(item, ast.Name):
        return None
    before = block[: next(i for i, s in enumerate(block) if s is push)]
    for s in reversed(before):
        match s:
            case ast.Assign(targets=[ast.Subscript(value=ast.Name())], value=ast.Name(id=v)) if v == item.id:
                found = [a for a in known.stores if a.statement is s]
                if found and found[0].index is not None:
                    return found[0]
            case ast.Assign(targets=[ast.Name(id=v)], value=ast.Subscript(value=ast.Name(id=a))) if v == item.id:
                read = [r for r in known.reads if r.statement is s and r.array == a]
                return read[0] if len(read) == 1 and read[0].index is not None else None
            case _ if item.id in {v for x in statements([s]) for v in writes(x)}:
                return None
    return None


def same_loops(there: Nest, back: Nest) -> bool:
    """Whether both nests run over the same ranges by the same variables."""
    if len(there) != len(back) or not there or there[0] is back[0]:
        return False
    for a, b in zip(there, back):
        one, two = limits(a), limits(b)
        if one is None or two is None or [*map(ast.unparse, one)] != [*map(ast.unparse, two)]:
            return False
        if writes(a) != writes(b):
            return False
    return True
