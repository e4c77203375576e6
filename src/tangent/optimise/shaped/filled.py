"""Gradients of lists that a loop makes item by item: nothing is added to zeros, and each item is nobody else's.

bps = init_grad(ps)                            bps = [None] * len(ps)
for k in range(len(ps)):                       for k in range(len(ps)):
    bps = add_part(bps, k, np.dot(h, b))  ->       bps[k] = np.dot(h, b)
return settled(bps, ps)                        return bps

What is then copied, to take the items one by one, has the name of the copy from the start.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Mapping
from typing import Any

from tangent import runtime
from tangent.optimise.context import Body
from tangent.optimise.held import holds, is_new
from tangent.optimise.settled import OWN, ZERO
from tangent.optimise.shaped.kinds import FLOAT, Fields, Items, Kind, Listed, Number, Stack, alike, any_of, is_float
from tangent.syntax.quote import expression, name
from tangent.syntax.rebuild import rebuild, rename, replace, statements
from tangent.syntax.uses import assigned_inside, header_reads, writes
from tangent.syntax.walk import walk

Of = Callable[[ast.expr], Kind]
Resolve = Callable[[ast.expr], Any]
LEAVING = (ast.Break, ast.Continue, ast.Return)


def filled(body: Body, kinds: Mapping[str, Kind], dicts: Collection[str], of: Of, resolve: Resolve) -> Body:
    """The body; `kinds` are those that variables have wherever they are bound, `of` tells those of expressions, and
    `dicts` are variables that stand for dicts which are written out.
    """
    for i, s in enumerate(body):
        match s:
            case ast.Assign(targets=[ast.Name(id=b)], value=ast.Call(func=func, args=[ast.Name(id=ps)])):
                known = resolve(func) in ZERO and _is_list(kinds.get(ps))
                new = _Filled(b, ps, body, kinds, dicts, of, resolve).rest(body[i + 1 :]) if known else None
                if new is not None:
                    empty = replace(s, value=expression("[None] * len(ps)", ps=ps))
                    begun, *rest = _under_one_name(b, [empty, *new])
                    return [*body[:i], begun, *filled(rest, kinds, dicts, of, resolve)]
            case _:
                pass
    return body


def _under_one_name(b: str, body: Body) -> Body:
    """The body from the statement on that makes a list, without the copy that is all that becomes of the list."""
    uses = [s for s in statements(body) if b in {*header_reads(s), *writes(s)}]
    match uses[-1]:
        case ast.Assign(
            targets=[ast.Name(id=v)], value=ast.Call(func=ast.Attribute(value=ast.Name(id=w), attr="copy"), args=[])
        ) as copy if w == b and copy in body and v not in _named(body[: body.index(copy)]):
            return [rename(s, {b: v}) for s in body if s is not copy]
        case _:
            return body


def _named(body: Body) -> set[str]:
    return {n.id for n in _nodes(body) if isinstance(n, ast.Name)}


def _is_list(kind: Kind | None) -> bool:
    """Whether a value is a list of objects, of arrays or tuples, or of arrays that are known one by one."""
    if isinstance(kind, Items):
        return kind.listed
    return isinstance(kind, (Listed, Stack)) and not isinstance(kind.item, Listed)


class _Filled:
    """The gradient `b` of the list `ps`, of which the items are still to come."""

    def __init__(
        self, b: str, ps: str, body: Body, kinds: Mapping[str, Kind], dicts: Collection[str], of: Of, resolve: Resolve
    ) -> None:
        self.b, self.ps, self.body, self.kinds, self.dicts = b, ps, body, kinds, dicts
        self.of, self.resolve = of, resolve

    def rest(self, body: Body) -> Body | None:
        """What follows, if a loop goes over all items first; a list that is only given back then needs no copy."""
        uses = [i for i, s in enumerate(body) if any(self.b in {*header_reads(x), *writes(x)} for x in statements([s]))]
        loop = self.loop(body[uses[0]]) if uses else None
        if loop is None:
            return None
        last = self.end(body[-1]) if uses[1:] == [len(body) - 1] else body[-1]
        return [*body[: uses[0]], loop, *([*body[uses[0] + 1 : -1], last] if loop is not body[-1] else [])]

    def loop(self, s: ast.stmt) -> ast.stmt | None:
        if not isinstance(s, ast.For) or s.orelse or not self.is_over_all(s.iter):
            return None
        if not isinstance(s.target, ast.Name) or s.target.id in assigned_inside(s.body):
            return None
        uses = [x for x in statements(s.body) if self.b in {*header_reads(x), *writes(x)}]
        if len(uses) != 1 or uses[0] not in s.body or any(isinstance(x, LEAVING) for y in s.body for x in walk(y)):
            return None
        match uses[0]:
            case ast.Assign(value=ast.Call(func=func, args=[ast.Name(id=b), ast.Name(id=k), item])) if (
                b == self.b and k == s.target.id and self.resolve(func) is runtime.add_part
                and (kept := self.item(item, s.body)) is not None
            ):  # fmt: skip
                at = s.body.index(uses[0])
                value = without_copies(kept, at, s.body, self.body, self.resolve)
                filling = replace(uses[0], targets=[ast.Subscript(name(b), name(k), ast.Store())], value=value)
                return replace(s, body=[*s.body[:at], filling, *s.body[at + 1 :]])
            case _:
                return None

    def is_over_all(self, e: ast.expr) -> bool:
        """Whether a loop counts the items of the list, or of another of the same length."""
        match e:
            case ast.Call(func=ast.Name(id="reversed"), args=[inner]):
                return self.is_over_all(inner)
            case ast.Call(
                func=ast.Name(id="range"), args=[ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=counted)])]
            ):
                own, other = self.kinds.get(self.ps), self.kinds.get(counted)
                alike = isinstance(own, Items) and isinstance(other, Items) and len(own.items) == len(other.items)
                return counted == self.ps or alike
            case _:
                return False

    def item(self, e: ast.expr, body: Body) -> ast.expr | None:
        """What an item receives in the body of the loop, as something that nobody else holds."""
        match self.kinds[self.ps]:
            case Items() if isinstance(e, ast.Name) and self.is_own_dict(e.id, body):
                return e
            case Items() as kind:
                return own(e, any_of(kind), self.of, self.resolve)
            case Listed() if isinstance(e, ast.Call) and self.resolve(e.func) is runtime.put_attributes:
                return e
            case Listed(item=Number() | Items() as kind) | Stack(item=Number() | Items() as kind):
                return own(e, kind, self.of, self.resolve, inside=True)
            case _:
                return None

    def is_own_dict(self, v: str, body: Body) -> bool:
        """Whether a variable stands for a new dict of what nobody else holds, which is bound there and kept once."""
        bound = any(v in writes(s) for s in body)
        return bound and v in self.dicts and sum(isinstance(n, ast.Name) and n.id == v for n in _nodes(self.body)) == 2

    def end(self, s: ast.stmt) -> ast.stmt:
        def change(e: ast.expr) -> ast.expr:
            match e:
                case ast.Call(func=func, args=[ast.Name(id=b) as whole, ast.Name(id=ps)]) if (
                    b == self.b and ps == self.ps and self.resolve(func) in OWN
                ):
                    return whole
                case _:
                    return e

        times = sum(isinstance(n, ast.Name) and n.id == self.b for n in walk(s))
        return rebuild(s, change) if isinstance(s, ast.Return) and times == 1 else s


def _nodes(body: Body) -> list[ast.AST]:
    return [n for s in body for n in walk(s)]


def own(e: ast.expr, kind: Kind | None, of: Of, resolve: Resolve, inside: bool = False) -> ast.expr | None:
    """An expression whose value has the form of what it is the gradient of, and belongs to nobody else; `inside` a
    function, where nobody asks whether a number is Python's."""
    match e, kind:
        case (ast.Tuple(elts=elts), Items(items=items, fixed=True)) | (
            ast.List(elts=elts), Items(items=items, listed=True)
        ) if len(elts) == len(items):  # fmt: skip
            parts = [own(x, k, of, resolve, inside) for x, k in zip(elts, items)]
            return None if None in parts else replace(e, elts=parts)
        case ast.Dict(keys=keys, values=values), Fields(items=fields) if len(keys) == len(fields):
            parts = [own(x, k, of, resolve) for x, (_, k) in zip(values, fields)]
            return None if None in parts else replace(e, values=parts)
        case _, Number(axes=()):
            return e if of(e) == kind == FLOAT or (inside and is_float(of(e)) and is_float(kind)) else None
        case _, Number() if is_like(of(e), kind):
            if is_new(e, resolve):
                return e
            copied = isinstance(e, ast.Call) and isinstance(e.func, ast.Attribute) and e.func.attr == "copy"
            return e if copied else expression("b.copy()", b=e) if isinstance(e, ast.Name) else None
        case _:
            return None


def without_copies(e: ast.expr, at: int, block: Body, body: Body, resolve: Resolve) -> ast.expr:
    """What is kept at a place in a block of a body, with the arrays themselves where nothing else refers to them."""

    def change(x: ast.expr) -> ast.expr:
        match x:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=v) as inner, attr="copy"), args=[]):
                return inner if _is_alone(v, at, block, body, resolve) else x
            case _:
                return x

    return rebuild(e, change)


def _is_alone(v: str, at: int, block: Body, body: Body, resolve: Resolve) -> bool:
    """Whether a variable, bound in the block before, stands for new arrays which nobody else holds, and which stay."""
    every = statements(body)
    made = [s for s in every if v in writes(s)]
    plain = all(isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name) for s in made)
    new = plain and all(is_new(s.value, resolve) for s in made if isinstance(s, ast.Assign))
    bound = any(s in block[:at] for s in made)  # anew in each round of a loop
    once = sum(isinstance(n, ast.Name) and n.id == v for n in walk(block[at])) == 1
    held = any(holds(s, v, resolve) for s in every if s is not block[at])
    return bound and new and once and not held and not any(v in header_reads(s) for s in statements(block[at + 1 :]))


def is_like(kind: Kind, other: Number) -> bool:
    """Whether an array surely has the form and the dtype of another."""
    plain = isinstance(kind, Number) and kind.real and kind.dtype == other.dtype and kind.rank == other.rank
    return plain and isinstance(kind, Number) and all(map(alike, kind.axes, other.axes))
