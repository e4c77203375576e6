"""A factor with a minus that is only added is subtracted without it: `b + (-e) * c` is `b - e * c`, to the last bit.

t = -bd[i]                       t = bd[i]
bd[i + 1] += t * c[i]     ->     bd[i + 1] -= t * c[i]
bc[i] += t * d[i + 1]            bc[i] -= t * d[i + 1]

bo = -(-b * o * o)        ->     bo = b * o * o
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Mapping

from tangent.optimise.context import Body
from tangent.optimise.shaped.kinds import Kind, Number
from tangent.optimise.simplify import positive
from tangent.syntax.rebuild import exchanged, rebuild, rename, replace, statements
from tangent.syntax.uses import writes
from tangent.syntax.walk import walk

Changes = dict[ast.stmt, ast.stmt | None]


def signs(body: Body, kinds: Mapping[str, Kind]) -> Body:
    """The body, where `kinds` are those of the variables: of arrays a part would change with the whole."""
    body = [rebuild(s, _without_two) for s in body]
    bound = Counter(v for s in statements(body) for v in writes(s))
    names = Counter(n.id for s in body for n in walk(s) if isinstance(n, ast.Name))
    terms: dict[str, list[ast.AugAssign]] = {}
    for s in statements(body):
        if isinstance(s, ast.AugAssign) and isinstance(s.op, (ast.Add, ast.Sub)) and (v := _factor(s.value)):
            terms.setdefault(v, []).append(s)
    changes: Changes = {}
    for s in statements(body):
        match s:
            case ast.Assign(targets=[ast.Name(id=v)], value=ast.UnaryOp(op=ast.USub(), operand=e)) if (
                bound[v] == 1 and names[v] == 1 + len(terms.get(v, [])) > 1
            ):
                number = _is_number(kinds.get(v))
                if isinstance(e, ast.Name) and number and bound[e.id] == 1:
                    changes |= {s: None} | {x: rename(_turned(x), {v: e.id}) for x in terms[v]}
                elif isinstance(e, ast.BinOp) or (isinstance(e, ast.Subscript) and number):
                    changes |= {s: replace(s, value=e)} | {x: _turned(x) for x in terms[v]}
    return exchanged(body, changes) if changes else body


def _without_two(e: ast.expr) -> ast.expr:
    """A product or quotient without two minus signs: both make something new."""
    match e:
        case ast.UnaryOp(op=ast.USub(), operand=ast.BinOp() as inner):
            return positive(inner) or e
        case _:
            return e


def _turned(s: ast.AugAssign) -> ast.AugAssign:
    return replace(s, op=ast.Sub() if isinstance(s.op, ast.Add) else ast.Add())


def _is_number(kind: Kind | None) -> bool:
    return isinstance(kind, Number) and not kind.rank


def _factor(e: ast.expr) -> str:
    """The name that a product begins with."""
    while isinstance(e, ast.BinOp) and isinstance(e.op, (ast.Mult, ast.Div)):
        e = e.left
    return e.id if isinstance(e, ast.Name) else ""
