"""What is collected for a dict, and then added to its gradient, is added there at once.

bp = lazy_zero(p)                                  bp = init_grad(p)
for ...:                                           for ...:
    c = add_part(scatter(u, p, "a"), "b", v)  ->       bp = add_part(add_part(bp, "a", u), "b", v)
    bp = add_grad(bp, c)
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from tangent import runtime
from tangent.optimise.context import Body
from tangent.syntax.quote import name
from tangent.syntax.rebuild import replace, statements, with_blocks
from tangent.syntax.uses import header_reads, writes
from tangent.syntax.walk import walk

Resolve = Callable[[ast.expr], Any]
Use = Callable[[Any, str], str]


def collected(body: Body, dicts: set[str], resolve: Resolve, use: Use) -> Body:
    """The body, where `dicts` are parameters of which the kinds are known."""
    for s in tuple(statements(body)):
        match s:
            case ast.Assign(
                targets=[ast.Name(id=b)], value=ast.Call(func=func, args=[ast.Name(id=p)], keywords=[])
            ) if p in dicts and resolve(func) is runtime.lazy_zero:
                new = _Gradient(b, p, resolve, use).block(body)
                if _is_only_added_to(b, new, resolve):
                    zeros = replace(s, value=ast.Call(name(use(runtime.init_grad, "init_grad")), [name(p)], []))
                    body = _with(new, s, zeros)
            case _:
                pass
    return body


def _is_only_added_to(b: str, body: Body, resolve: Resolve) -> bool:
    """Whether a gradient is made once, added to at places, and given back."""
    for s in statements(body):
        match s:
            case ast.Assign(targets=[ast.Name(id=v)], value=ast.Call(func=func, args=args)) if v == b:
                inner: ast.expr = s.value
                while isinstance(inner, ast.Call) and resolve(inner.func) is runtime.add_part:
                    if any(isinstance(n, ast.Name) and n.id == b for e in inner.args[1:] for n in walk(e)):
                        return False
                    inner = inner.args[0]
                first = resolve(func) is runtime.lazy_zero and len(args) == 1
                if not first and not (isinstance(inner, ast.Name) and inner.id == b):
                    return False
            case ast.Return():
                pass
            case _ if b in {*header_reads(s), *writes(s)}:
                return False
    return True


def _with(body: Body, old: ast.stmt, new: ast.stmt) -> Body:
    done: Body = []
    for s in body:
        if isinstance(s, (ast.If, ast.For, ast.While)):
            done.append(with_blocks(s, lambda inner: _with(inner, old, new)))
        else:
            done.append(new if s is old else s)
    return done


class _Gradient:
    """The gradient b of the dict p."""

    def __init__(self, b: str, p: str, resolve: Resolve, use: Use) -> None:
        self.b, self.p, self.resolve, self.use = b, p, resolve, use

    def block(self, body: Body) -> Body:
        for i, s in enumerate(body):
            match s:
                case ast.Assign(targets=[ast.Name(id=b)], value=ast.Call(func=func, args=[ast.Name(id=v), c])) if (
                    b == v == self.b and self.resolve(func) is runtime.add_grad
                ):
                    if isinstance(c, ast.Name) and (made := self.collecting(c.id, body[:i])) is not None:
                        return self.block([*made, *body[i + 1 :]])
                    if (whole := self.added(c, "")) is not None:
                        return self.block([*body[:i], replace(s, value=whole), *body[i + 1 :]])
                case _:
                    pass
        return [with_blocks(s, self.block) if isinstance(s, (ast.If, ast.For, ast.While)) else s for s in body]

    def collecting(self, c: str, before: Body) -> Body | None:
        """The statements before the sum, of which those that collect add to the gradient; None if it is not so."""
        done: Body = []
        begun = False
        for s in before:
            touched = {v for x in statements([s]) for v in (*header_reads(x), *writes(x))}
            if c not in touched and (not begun or self.b not in touched):
                done.append(s)
                continue
            match s:
                case ast.Assign(targets=[ast.Name(id=v)], value=value) if v == c:
                    whole = self.added(value, c if begun else "")
                    if whole is None:
                        return None
                    begun = True
                    done.append(replace(s, targets=[ast.Name(self.b, ast.Store())], value=whole))
                case _:
                    return None
        return done if begun else None

    def added(self, e: ast.expr, c: str) -> ast.expr | None:
        """The sums that e makes at places of new zeros, or of what is collected so far, made in the gradient."""
        match e:
            case ast.Call(func=func, args=[inner, index, v], keywords=[]) if self.resolve(func) is runtime.add_part:
                whole = self.added(inner, c)
                return None if whole is None else replace(e, args=[whole, index, v])
            case ast.Call(func=func, args=[v, ast.Name(id=p), index], keywords=[]) if (
                not c and p == self.p and self.resolve(func) is runtime.scatter
            ):
                return ast.Call(name(self.use(runtime.add_part, "add_part")), [name(self.b), index, v], [])
            case ast.Name(id=v) if c and v == c:
                return name(self.b)
            case _:
                return None
