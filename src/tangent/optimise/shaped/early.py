"""What is only ever summed up is summed up where it is made.

bt = bz * u                                bt = (bz * u).sum()
bq = bt.sum() * p + bt.sum() * q      ->   bq = bt * p + bt * q
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from tangent.optimise.context import Body
from tangent.optimise.shaped.sums import Summed
from tangent.syntax.rebuild import rebuild, replace, statements
from tangent.syntax.uses import writes
from tangent.syntax.walk import walk


def early(body: Body) -> Body:
    """Names of which only one sum is read become this sum."""
    sums: dict[str, list[Summed]] = {}
    for v, e in _sums(body):
        sums.setdefault(v, []).append(e)
    if not sums:
        return body
    reads = Counter(n.id for s in body for n in walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
    made: dict[str, list[ast.stmt]] = {}
    for s in statements(body):
        for v in writes(s):
            made.setdefault(v, []).append(s)
    chosen = {
        v: found[0]
        for v, found in sums.items()
        if len(found) == reads[v] and len({_options(e) for e in found}) == 1 and _is_computed(made.get(v, []))
    }
    return _block(body, chosen) if chosen else body


def _sums(body: Body) -> Iterator[tuple[str, Summed]]:
    for s in body:
        for n in walk(s):
            if isinstance(n, Summed) and isinstance(n.func, ast.Attribute) and isinstance(n.func.value, ast.Name):
                yield n.func.value.id, n


def _options(e: ast.Call) -> str:
    return " ".join(ast.dump(k) for k in e.keywords)


def _is_computed(made: list[ast.stmt]) -> bool:
    match made:
        case [ast.Assign(targets=[ast.Name()], value=ast.BinOp() | ast.UnaryOp())]:
            return True
        case _:
            return False


def _block(body: Body, chosen: dict[str, Summed]) -> Body:
    def read(e: ast.expr) -> ast.expr:
        match e:
            case Summed(func=ast.Attribute(value=ast.Name(id=v) as inner)) if v in chosen:
                return inner
            case _:
                return e

    def statement(s: ast.stmt) -> ast.stmt:
        match s:
            case ast.If(test=test, body=then, orelse=other):
                return replace(s, test=rebuild(test, read), body=_block(then, chosen), orelse=_block(other, chosen))
            case ast.For(body=inner) | ast.While(body=inner):
                return replace(s, body=_block(inner, chosen))
            case ast.Assign(targets=[ast.Name(id=v)], value=value) if v in chosen:
                attribute = ast.Attribute(rebuild(value, read), "sum", ast.Load())
                return replace(s, value=Summed(attribute, [], chosen[v].keywords))
            case _:
                return rebuild(s, read)

    return [statement(s) for s in body]
