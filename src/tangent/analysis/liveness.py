"""Which values are still needed: a backward dataflow over the structured control flow."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from tangent.syntax.inserted import InsertedCode
from tangent.syntax.rebuild import statements
from tangent.syntax.uses import header_reads, may_skip, writes
from tangent.syntax.walk import fact


@dataclass
class Liveness:
    """Names live at the entry of the body of each loop, and after statements that were asked for."""

    entry: dict[ast.stmt, frozenset[str]] = field(default_factory=dict)
    after: dict[ast.stmt, frozenset[str]] = field(default_factory=dict)
    heads: list[set[str]] = field(default_factory=list)
    known: dict[tuple[ast.stmt, frozenset[str]], tuple[set[str], dict[ast.stmt, frozenset[str]]]] = field(
        default_factory=dict
    )


def liveness(f: ast.FunctionDef, asked: frozenset[ast.stmt] = frozenset()) -> Liveness:
    """Live variables of a Core function.

    >>> f = ast.parse("def f(x):\\n for i in n:\\n  z = x\\n  x = z * z\\n return x").body[0]
    >>> sorted(liveness(f).entry[f.body[0]])
    ['x']
    """
    return _found(f, asked) if asked else _of_loops(f)


@fact
def _of_loops(f: ast.FunctionDef) -> Liveness:
    return _found(f, frozenset())


def _found(f: ast.FunctionDef, asked: frozenset[ast.stmt]) -> Liveness:
    table = Liveness()
    _block(f.body, set(), table, asked)
    return table


def _block(body: list[ast.stmt], live: set[str], table: Liveness, asked: frozenset[ast.stmt]) -> set[str]:
    for s in reversed(body):
        if s in asked:
            table.after[s] = frozenset(live)
        live = _statement(s, live, table, asked)
    return live


def _statement(s: ast.stmt, live: set[str], table: Liveness, asked: frozenset[ast.stmt]) -> set[str]:
    if type(s) is ast.Assign:  # most are
        live.difference_update(writes(s))
        live |= header_reads(s)
        return live
    match s:
        case ast.If(body=body, orelse=orelse):
            other = _block(orelse, set(live), table, asked)
            return _block(body, live, table, asked) | other | header_reads(s)
        case ast.For(body=body) | ast.While(body=body):
            head = _head(s, live, table, asked)
            return head | header_reads(s)
        case _:
            if isinstance(s, InsertedCode) and s.block.jumps:
                live |= table.heads[-1]
            if not may_skip(s):
                live.difference_update(writes(s))
            live |= header_reads(s)
            return live


def _head(s: ast.For | ast.While, live: set[str], table: Liveness, asked: frozenset[ast.stmt]) -> set[str]:
    """What is live before each iteration; loops around it ask again and again."""
    key = s, frozenset(live)
    if key not in table.known or asked:
        head = live | (header_reads(s) if isinstance(s, ast.While) else set())
        table.heads.append(head)
        while not (entry := _block(s.body, set(head), table, asked) - set(writes(s))) <= head:
            head |= entry
        table.heads.pop()
        table.entry[s] = frozenset(entry)
        table.known[key] = head, {x: table.entry[x] for x in statements([s]) if x in table.entry}
    head, inner = table.known[key]
    table.entry |= inner
    return set(head)


def live_into(body: list[ast.stmt]) -> set[str]:
    """Names that a block reads before it writes them; where code in it jumps, it may begin anew."""
    head: set[str] = set()
    while True:
        found = _block(body, set(), Liveness(heads=[head]), frozenset())
        if found <= head or not any(isinstance(s, InsertedCode) for s in statements(body)):
            return found
        head |= found


def surely_bound(body: list[ast.stmt], bound: set[str]) -> set[str]:
    """Names that have a value at the end of a block, whichever way was taken."""
    for s in body:
        match s:
            case ast.If(body=then, orelse=other):
                bound |= surely_bound(then, set(bound)) & surely_bound(other, set(bound))
            case ast.For() | ast.While():
                continue
            case _ if not may_skip(s):
                bound |= set(writes(s))
    return bound
