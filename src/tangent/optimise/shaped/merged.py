"""Statements that write to one place of an array, merged into one.

bt = b[i].copy()                        t = b[i] * p
b[i] = 0.0                              b[i] *= q
b[j] += bt * p                    ->    b[j] += t
b[i] += bt * q

t = x[i].copy(); x[i] = t * u     ->    t = x[i].copy(); x[i] *= u
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

import numpy as np

from tangent import runtime
from tangent.optimise.context import Body
from tangent.optimise.shaped.kinds import Number
from tangent.syntax.names import identifiers
from tangent.syntax.print import Comment
from tangent.syntax.quote import assign, at, expression, name
from tangent.syntax.rebuild import rebuild, replace, statements
from tangent.syntax.uses import expression_reads, header_reads, writes
from tangent.syntax.walk import walk

if TYPE_CHECKING:
    from tangent.optimise.shaped.flow import Flow

SIMPLE = (ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp, ast.Tuple, ast.Slice, ast.operator, ast.unaryop, ast.Load)
UFUNCS: dict[Any, type[ast.operator]] = {
    np.add: ast.Add, np.subtract: ast.Sub, np.multiply: ast.Mult, np.divide: ast.Div,
}  # fmt: skip
GIVE_FIRST = (
    runtime.add_part,
    runtime.clear_item,
    runtime.put_rows,
    runtime.extended,
)  # write into it and copy the rest
EITHER_WAY = (ast.Add, ast.Mult)


def merged(body: Body, flow: Flow) -> Body:
    """A block with such statements merged."""
    return _updated(_handed_on(body, flow), flow)


class Block:
    """What holds of the statements of a block, by their positions."""

    def __init__(self, body: Body) -> None:
        self.body = body
        self.made: dict[str, list[ast.stmt]] = {}
        for s in statements(body):
            for v in writes(s):
                self.made.setdefault(v, []).append(s)

    def index(self, e: ast.expr) -> str:
        """An index in the names that it comes from, as text; empty where it is more than arithmetic."""
        e = rebuild(e, self._meant)
        return ast.dump(e) if all(isinstance(n, SIMPLE) for n in walk(e)) else ""

    def _meant(self, e: ast.expr) -> ast.expr:
        match self.made.get(e.id, []) if isinstance(e, ast.Name) else []:
            case [ast.Assign(value=ast.BinOp() as value)]:
                free = expression_reads(value)
                return value if not free & self.made.keys() else e
            case _:
                return e


# Adjoints


def _handed_on(body: Body, flow: Flow) -> Body:
    """Adjoints that are taken from a place and partly given back to it."""
    for i in range(len(body) - 2):
        found = _taken(body[i], body[i + 1], Block(body))
        if found is None or not _is_array(found[1], flow):
            continue
        new = _given_back(body, i, *found, flow)
        if new is not None:
            return _handed_on(new, flow)
    return body


def _taken(first: ast.stmt, second: ast.stmt, block: Block) -> tuple[str, str, ast.expr] | None:
    """`bt = b[i].copy(); b[i] = 0.0`: bt, b and the index."""
    match first, second:
        case (
            ast.Assign(
                targets=[ast.Name(id=t)],
                value=ast.Call(
                    func=ast.Attribute(value=ast.Subscript(value=ast.Name(id=b), slice=i), attr="copy"), args=[]
                ),
            ),
            ast.Assign(
                targets=[ast.Subscript(value=ast.Name(id=c), slice=j)], value=ast.Constant(value=float() as zero)
            ),
        ) if b == c and zero == 0.0 and block.index(i) and block.index(i) == block.index(j) and len(block.made[t]) == 1:
            return t, b, j
        case _:
            return None


def _given_back(body: Body, start: int, t: str, b: str, index: ast.expr, flow: Flow) -> Body | None:
    block = Block(body)
    sums: list[ast.AugAssign] = []
    for s in body[start + 2 :]:
        match s:
            case ast.AugAssign(target=ast.Subscript(value=ast.Name(id=c)), op=ast.Add()) if c == b and _is_calm(s, b):
                sums.append(s)
            case _:
                break
    here = [
        s for s in sums if isinstance(s.target, ast.Subscript) and block.index(s.target.slice) == block.index(index)
    ]
    rest = body[start + 2 + len(sums) :]
    if len(here) != 1 or flow.is_read_outside(t) or any(t in header_reads(s) for s in statements(rest)):
        return None
    if any(v in views_of(b, flow) for s in sums for v in expression_reads(s.value) - {t}):
        return None
    place = ast.Subscript(name(b), index, ast.Load())
    others = [s for s in sums if s is not here[0]]
    if _is_name(here[0].value, t):
        if len(others) == 1 and _count(others[0].value, t) == 1:
            return [*body[:start], replace(others[0], value=_with(others[0].value, t, place)), *rest]
        return [*body[:start], body[start], *others, *rest]
    first: Body = []
    last: Body = []
    for k, s in enumerate(others):
        held = flow.fresh("t", f"{t} {k}")
        new = isinstance(s.value, (ast.BinOp, ast.UnaryOp))  # and no view of the place, which is written next
        first.append(assign(held, _with(s.value, t, place if new else expression("p.copy()", p=place)), s))
        last.append(replace(s, value=name(held)))
    stored = _store(replace(place, ctx=ast.Store()), _with(here[0].value, t, place), here[0], flow)
    return [*body[:start], *first, stored, *last, *rest]


def _is_calm(s: ast.AugAssign, b: str) -> bool:
    """Whether what is added can be computed earlier: it does not read the array, and takes nothing from a list."""
    takes = any(isinstance(n, ast.Attribute) and n.attr == "pop" for n in walk(s.value))
    return not takes and b not in expression_reads(s.value)


def views_of(b: str, flow: Flow) -> set[str]:
    """Variables that may share memory with an array: those that assignments link to it, whichever way."""
    assert flow.g.tree is not None
    links = [names for s in statements(flow.g.tree.body) if len(names := _linked(s, flow)) > 1]
    found, size = {b}, 0
    while size != len(found):
        size = len(found)
        found = found.union(*(names for names in links if names & found))
    return found


def _linked(s: ast.stmt, flow: Flow) -> set[str]:
    """Variables of which some may share memory after a statement."""
    match s:
        case ast.Assign(value=ast.BinOp() | ast.UnaryOp() | ast.Compare()) | ast.AugAssign() | ast.Return():
            return set()
        case ast.Assign(value=ast.Call(func=ast.Attribute(attr="copy"))):
            return set()
        case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=v))]) if _is_array(v, flow):
            return set()
        case ast.If() | ast.While():
            return set()
        case ast.Assign(value=ast.Call(func=func, args=[first, *_])) if flow.resolve(func) in GIVE_FIRST:
            names = expression_reads(first) | set(writes(s))
        case _:
            names = header_reads(s) | set(writes(s))
    return {v for v in names if v in flow.local and not _is_number(v, flow)}


def _is_number(v: str, flow: Flow) -> bool:
    kind = flow.env.get(v)
    return isinstance(kind, Number) and not kind.rank


def _is_name(e: ast.expr, v: str) -> bool:
    return isinstance(e, ast.Name) and e.id == v


def _count(e: ast.expr, v: str) -> int:
    return sum(isinstance(n, ast.Name) and n.id == v for n in walk(e))


def _with(e: ast.expr, v: str, part: ast.expr) -> ast.expr:
    return rebuild(e, lambda x: part if _is_name(x, v) else x)


def _is_array(v: str, flow: Flow) -> bool:
    kind = flow.env.get(v)
    return isinstance(kind, Number) and kind.rank > 0 and kind.real


# Stores


def _store(place: ast.expr, value: ast.expr, like: ast.stmt, flow: Flow) -> ast.stmt:
    """`b[i] = value`, in place where the value is computed from what is there."""
    op, left, right = _operation(value, flow)
    here = ast.dump(replace(place, ctx=ast.Load()))
    if op is not None:
        for mine, other in ((left, right), (right, left)):
            if ast.dump(mine) == here and (mine is left or op in EITHER_WAY):
                return at(ast.AugAssign(place, op(), other), like)  # type: ignore[arg-type]
    return at(ast.Assign([place], value), like)


def _operation(e: ast.expr, flow: Flow) -> tuple[type[ast.operator] | None, ast.expr, ast.expr]:
    match e:
        case ast.BinOp(left=left, op=op, right=right) if type(op) in UFUNCS.values():
            return type(op), left, right
        case ast.Call(func=func, args=[left, right], keywords=[]):
            found = flow.resolve(func)
            return (UFUNCS.get(found) if isinstance(found, np.ufunc) else None), left, right
        case _:
            return None, e, e


def _updated(body: Body, flow: Flow) -> Body:
    """`x[i] = x[i] * u`, also where x[i] has a name, as `x[i] *= u`."""
    done: Body = []
    copies: dict[str, ast.Subscript] = {}
    for s in body:
        match s:
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=x)) as place], value=value) if _is_array(x, flow):
                there = {t: p for t, p in copies.items() if _is_name(p.value, x)}
                op, left, right = _operation(value, flow)
                part = there.get(left.id) if op is not None and isinstance(left, ast.Name) else None
                if op is not None and part is not None and ast.dump(part) == ast.dump(replace(place, ctx=ast.Load())):
                    value = ast.BinOp(part, op(), right)
                if _same_form(s.value, place, flow):
                    s = _store(place, value, s, flow)
        changed = {v for x in statements([s]) for v in writes(x)}
        copies = {t: p for t, p in copies.items() if t not in changed and not identifiers(p) & changed}
        if any(_writes_in_place(x) for x in statements([s])):
            copies = {}
        match s:
            case ast.Assign(
                targets=[ast.Name(id=t)],
                value=ast.Call(func=ast.Attribute(value=ast.Subscript(value=ast.Name()) as part, attr="copy"), args=[]),
            ):
                copies[t] = part
        done.append(s)
    return done


def _same_form(value: ast.expr, place: ast.Subscript, flow: Flow) -> bool:
    a, b = flow.of(value), flow.of(replace(place, ctx=ast.Load()))
    return isinstance(a, Number) and isinstance(b, Number) and a.dtype == b.dtype and a.rank == b.rank


def _writes_in_place(s: ast.stmt) -> bool:
    """Whether a statement may change an array, which may have other names."""
    match s:
        case ast.Assign(targets=[ast.Name()], value=ast.BinOp() | ast.Name() | ast.Subscript() | ast.Constant()):
            return False
        case ast.Assign(targets=[ast.Name()], value=ast.Call(func=ast.Attribute(attr="copy" | "pop"))):
            return False
        case ast.For() | ast.If() | ast.While():
            return False
        case _:
            return not isinstance(s, Comment)
