"""Gradients of dicts of which each item receives one thing, as dicts that are written out; so of lists of objects.

bp = add_part(scatter(u, p, "b"), "w", v)      ->      bp = {"w": v, "b": u}
return settled(bp, p)                                  return bp
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from tangent import runtime
from tangent.optimise.context import Body
from tangent.optimise.settled import OWN
from tangent.optimise.shaped.filled import Of, own, without_copies
from tangent.optimise.shaped.kinds import Attributes, Fields, Items
from tangent.optimise.shaped.scattered import scattered
from tangent.syntax.quote import constant, expression
from tangent.syntax.rebuild import NESTED, rebuild, replace, statements, with_blocks
from tangent.syntax.uses import expression_reads, header_reads, writes
from tangent.syntax.walk import walk

Resolve = Callable[[ast.expr], Any]
Use = Callable[[Any, str], str]
FEW = 16  # items that are written one by one


def displays(body: Body, of: Of, resolve: Resolve, use: Use) -> Body:
    """The body of a function, where `of` tells the kinds of expressions."""
    found = _Displays(of, resolve, use)
    joined = found.joined(body)
    return _returned(found.block(joined, joined), resolve)


def made_dicts(before: Body, after: Body) -> set[str]:
    """The variables that stand for dicts behind `displays`, and for no others."""
    return {v for s in statements(after) if _is_display(s) for v in writes(s)} - {
        v for s in statements(before) if _is_display(s) for v in writes(s)
    }


def _is_display(s: ast.stmt) -> bool:
    return isinstance(s, ast.Assign) and isinstance(s.value, ast.Dict)


class _Displays:
    def __init__(self, of: Of, resolve: Resolve, use: Use) -> None:
        self.of, self.resolve, self.use = of, resolve, use

    def block(self, body: Body, whole: Body) -> Body:
        """A block of a whole body, with dicts that are written out."""
        done: Body = []
        for i, s in enumerate(body):
            match s:
                case ast.Assign(targets=[ast.Name()], value=ast.Call() as e) if (made := self.display(e)) is not None:
                    done.append(replace(s, value=without_copies(made, i, body, whole, self.resolve)))
                case ast.If() | ast.For() | ast.While():
                    done.append(with_blocks(s, lambda inner: self.block(inner, whole)))
                case _:
                    done.append(s)
        return done

    def joined(self, body: Body) -> Body:
        """The block with sums in one statement that stand in two, one behind the other."""
        done: Body = []
        for s in body:
            match done[-1:], s:
                case [ast.Assign(targets=[ast.Name(id=a)], value=begun) as last], ast.Assign(
                    targets=[ast.Name(id=b)], value=ast.Call(func=func, args=[ast.Name(id=c), key, v]) as more
                ) if a == b == c and b not in expression_reads(v) and self.resolve(func) is runtime.add_part:
                    whole = replace(more, args=[begun, key, v])
                    done[-1:] = [last, s] if self.display(whole) is None else [replace(last, value=whole)]
                case _:
                    done.append(with_blocks(s, self.joined) if isinstance(s, NESTED) else s)
        return done

    def display(self, e: ast.Call) -> ast.expr | None:
        """The dict that sums at places of a new one make; None where some place is unknown, or most are empty."""
        terms = scattered(e, self.resolve)
        p = self.owner(e) if terms else None
        kind = self.of(p) if isinstance(p, ast.Name) else None
        if not isinstance(kind, (Fields, Items)) or len(kind.items) > FEW or sum(map(_pops, terms)) > 1:
            return None
        found = {k.value: v for k, v in terms if isinstance(k, ast.Constant)}
        if len(found) < len(terms):
            return None
        if isinstance(kind, Items):
            return self.of_objects(p, kind, found) if kind.listed else None
        keys = [k for k, _ in kind.items]
        if len(found) < len(keys) / 2 or not found.keys() <= set(keys):
            return None
        values = [found[k] if k in found else self.zeros(p, k) for k in keys]
        return own(ast.Dict([constant(k) for k in keys], values), kind, self.of, self.resolve)

    def of_objects(self, p: ast.expr | None, kind: Items, found: dict[Any, ast.expr]) -> ast.expr | None:
        """The list of gradients of objects; None where one of them may be somebody else's."""
        if not found.keys() <= set(range(len(kind.items))):
            return None
        for k, v in found.items():
            made = isinstance(v, ast.Call) and self.resolve(v.func) is runtime.put_attributes
            if not made or not isinstance(kind.items[k], Attributes):
                return None
        return ast.List([found.get(k) or self.no_object(p, k) for k in range(len(kind.items))], ast.Load())

    def no_object(self, p: ast.expr | None, k: int) -> ast.expr:
        """The gradient of an object that nothing flows into."""
        assert p is not None
        names = {f.__name__: self.use(f, f.__name__) for f in (runtime.settled, runtime.lazy_zero)}
        return expression("settled(lazy_zero(p[k]), p[k])", p=p, k=constant(k), **names)

    def owner(self, e: ast.expr) -> ast.expr:
        """The dict in whose form sums at places are made."""
        assert isinstance(e, ast.Call)
        return e.args[1] if self.resolve(e.func) is runtime.scatter else self.owner(e.args[0])

    def zeros(self, p: ast.expr | None, key: str) -> ast.expr:
        assert p is not None
        return expression("np.zeros(p[k].shape)", np=self.use(np, "np"), p=p, k=constant(key))


def _pops(term: tuple[ast.expr, ast.expr]) -> bool:
    """Whether a value takes something off a list: two such keep their order."""
    return any(isinstance(n, ast.Attribute) and n.attr == "pop" for e in term for n in walk(e))


def _returned(body: Body, resolve: Resolve) -> Body:
    """The function, which gives dicts back that are made once, and that nothing else refers to."""
    if not body or not isinstance(last := body[-1], ast.Return) or last.value is None:
        return body

    def change(e: ast.expr) -> ast.expr:
        match e:
            case ast.Call(func=func, args=[ast.Name(id=b) as whole, ast.Name()], keywords=[]) if resolve(func) in OWN:
                return whole if _is_own(b, body) else e
            case _:
                return e

    return [*body[:-1], replace(last, value=rebuild(last.value, change))]


def _is_own(b: str, body: Body) -> bool:
    """Whether a name stands for one dict that is written out, of which only the end of the function knows."""
    made = [s for s in body if b in writes(s)]
    uses = [s for s in statements(body) if b in header_reads(s) or b in writes(s)]
    whole = len(made) == 1 and isinstance(made[0], ast.Assign) and isinstance(made[0].value, (ast.Dict, ast.List))
    times = sum(isinstance(n, ast.Name) and n.id == b for n in walk(body[-1]))
    return whole and len(uses) == 2 and uses[1] is body[-1] and times == 1
