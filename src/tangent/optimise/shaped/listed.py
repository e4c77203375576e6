"""Lists of numbers that only this function sees: items are not put back that nobody reads, sums stay where they are.

bt = bf[i]                              bt = bf[i]
bf[i] = 0.0                       ->    bv += bt
f[i] = f_stack.pop()
bv += bt
bf[i] += bt

For arrays unread.py does this, by what is known of the places that loops count through.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise

from tangent.optimise.context import Body
from tangent.optimise.dead import local_stacks
from tangent.syntax.captured import bindings
from tangent.syntax.rebuild import blocks, exchanged, function_node, statements
from tangent.syntax.records import popped
from tangent.syntax.uses import writes
from tangent.syntax.walk import walk

Changes = dict[ast.stmt, ast.stmt | None]
SIMPLE = (ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.expr_context)


def listed(body: Body, parameters: list[str], numbers: set[str]) -> Body:
    """The body without items that are put back for nobody, and without zeros to which what was there is added.

    `numbers` are the lists of floats.
    """
    if not any(map(_puts_back, statements(body))):
        return body
    own = _own_lists(body, parameters)
    body = exchanged(body, _unread(body, own))
    found = [s for block in blocks(body) for pair in _returned(block, own & numbers) for s in pair]
    return exchanged(body, dict.fromkeys(found))


def _own_lists(body: Body, parameters: list[str]) -> set[str]:
    """Lists that are made once, and then asked for items, one by one, and for their length alone."""
    nodes = [n for s in body for n in walk(s)]
    once = bindings(function_node("f", ast.arguments([], [], None, [], [], None, []), body))
    made = {n.targets[0].id for n in nodes if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name)
            and isinstance(n.value, (ast.List, ast.BinOp))}  # fmt: skip
    items = {n.value for n in nodes if isinstance(n, ast.Subscript) and _is_simple(n.slice)}
    lengths = {n.args[0] for n in nodes if isinstance(n, ast.Call) and _is_length(n)}
    others = {
        n.id for n in nodes
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load) and n not in items and n not in lengths
    }  # fmt: skip
    return {v for v in made if once[v] == 1} - others - set(parameters)


def _is_simple(index: ast.expr) -> bool:
    return all(isinstance(n, SIMPLE) for n in walk(index))


def _is_length(n: ast.Call) -> bool:
    return isinstance(n.func, ast.Name) and n.func.id == "len" and len(n.args) == 1


def _puts_back(s: ast.stmt) -> str:
    """The list into which a statement puts an item that was kept."""
    match s:
        case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=v))]) if popped(s):
            return v
        case _:
            return ""


def _unread(body: Body, own: set[str]) -> Changes:
    """Items that are put back into lists of which no item is read from there on, with what kept them."""
    stacks = local_stacks(body)
    changes: Changes = {}
    for v in sorted(own):
        puts = [s for s in statements(body) if _puts_back(s) == v]
        begins = next((i for i, s in enumerate(body) if any(p in puts for p in statements([s]))), len(body))
        if not puts or any(_reads_item(n, v) for s in body[begins:] for n in walk(s)):
            continue
        for s in puts:
            stack = stacks.get(popped(s))
            if stack is not None and stack.pops == [s]:
                begun = [x for x in statements(body) if popped(s) in writes(x)]
                changes |= dict.fromkeys([s, *stack.pushes, *begun])
    return changes


def _reads_item(n: ast.AST, v: str) -> bool:
    """Whether an item of a list is read, or added to."""
    match n:
        case ast.AugAssign(target=ast.Subscript(value=ast.Name(id=w))):
            return v == w
        case ast.Subscript(value=ast.Name(id=w), ctx=ast.Load()):
            return v == w
        case _:
            return False


def _returned(block: Body, lists: set[str]) -> Iterator[tuple[ast.stmt, ast.stmt]]:
    """Zeros in the place of an item that was just read, each with the statement that adds the item again."""
    for read, cleared in pairwise(block):
        match read, cleared:
            case (
                ast.Assign(targets=[ast.Name(id=t)], value=ast.Subscript(value=ast.Name(id=b), slice=i)),
                ast.Assign(targets=[ast.Subscript(value=ast.Name(id=c), slice=j)], value=ast.Constant(value=0.0)),
            ) if b == c and b in lists and ast.dump(i) == ast.dump(j):
                if (end := _added(block[block.index(cleared) + 1 :], b, i, t)) is not None:
                    yield cleared, end


def _added(rest: Body, b: str, i: ast.expr, t: str) -> ast.stmt | None:
    """The statement that adds to the item what it was, where nothing between asks for the list."""
    fixed = {t, *(n.id for n in walk(i) if isinstance(n, ast.Name))}
    for s in rest:
        match s:
            case ast.AugAssign(
                target=ast.Subscript(value=ast.Name(id=c), slice=j), op=ast.Add(), value=ast.Name(id=u)
            ) if c == b and u == t and ast.dump(i) == ast.dump(j):
                return s
        named = {n.id for n in walk(s) if isinstance(n, ast.Name)}
        if b in named or fixed & {v for x in statements([s]) for v in writes(x)}:
            return None
    return None
