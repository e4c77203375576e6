"""What is collected for a dict, and then added to its gradient, is added there at once; for a tuple, in a list.

bp = lazy_zero(p)                                  bp = init_grad(p)
for ...:                                           for ...:
    c = add_part(scatter(u, p, "a"), "b", v)  ->       bp = add_part(add_part(bp, "a", u), "b", v)
    bp = add_grad(bp, c)

bq = init_grad(q)                                  bq = [0.0] * len(q)
for ...:                                           for ...:
    bq = add_part(bq, 1, v)                   ->       bq = add_part(bq, 1, v)
return as_given(bq, q)                             return tuple(bq)
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from tangent import runtime
from tangent.optimise.context import Body
from tangent.optimise.settled import OWN, ZERO
from tangent.syntax.quote import expression, name
from tangent.syntax.rebuild import rebuild, replace, statements, with_blocks
from tangent.syntax.uses import header_reads, writes
from tangent.syntax.walk import walk

Resolve = Callable[[ast.expr], Any]
Use = Callable[[Any, str], str]


def collected(body: Body, dicts: set[str], tuples: set[str], resolve: Resolve, use: Use) -> Body:
    """The body, where `dicts` and `tuples` are parameters of which the kinds are known; these hold floats."""
    body = _begun(body, dicts, tuples, resolve, use)
    for s in tuple(statements(body)):
        match s:
            case ast.Assign(
                targets=[ast.Name(id=b)], value=ast.Call(func=func, args=[ast.Name(id=p)], keywords=[])
            ) if p in dicts | tuples and resolve(func) in ZERO:
                new = _Gradient(b, p, resolve, use).block(body)
                if not _is_only_added_to(b, new, resolve):
                    continue
                zeros = ast.Call(name(use(runtime.init_grad, "init_grad")), [name(p)], [])
                if p in dicts:
                    body = _with(new, s, replace(s, value=zeros))
                elif isinstance(last := new[-1], ast.Return) and (given := _as_tuple(last, b, resolve)) is not None:
                    body = [*_with(new[:-1], s, replace(s, value=expression("[0.0] * len(p)", p=p))), given]
            case _:
                pass
    return body


def _begun(body: Body, dicts: set[str], tuples: set[str], resolve: Resolve, use: Use) -> Body:
    """Gradients that begin with a sum at a place begin with zeros: of tuples, and of dicts that loops add to."""
    for i, s in enumerate(body):
        match s:
            case ast.Assign(targets=[ast.Name(id=b)], value=ast.Call() as value):
                looped = [x for loop in body[i:] if isinstance(loop, (ast.For, ast.While)) for x in statements([loop])]
                p = _scattered(value, resolve)
                if p not in tuples | dicts or (p in dicts and not any(b in writes(x) for x in looped)):
                    continue
                whole = _Gradient(b, p, resolve, use).added(value, "")
                zeros = ast.Call(name(use(runtime.lazy_zero, "lazy_zero")), [name(p)], [])
                if whole is not None:
                    new = [*body[:i], replace(s, value=zeros), replace(s, value=whole), *body[i + 1 :]]
                    body = new if _is_only_added_to(b, new, resolve) else body
            case _:
                pass
    return body


def _scattered(e: ast.expr, resolve: Resolve) -> str:
    """The parameter in whose form a sum at a place is made first."""
    while isinstance(e, ast.Call) and resolve(e.func) is runtime.add_part:
        e = e.args[0]
    match e:
        case ast.Call(func=func, args=[_, ast.Name(id=p), _]) if resolve(func) is runtime.scatter:
            return p
        case _:
            return ""


def _as_tuple(s: ast.Return, b: str, resolve: Resolve) -> ast.Return | None:
    """The end of a function that gives a list back as a tuple."""

    def given(e: ast.expr) -> ast.expr:
        match e:
            case ast.Call(func=func, args=[ast.Name(id=v) as inner, _], keywords=[]) if v == b and resolve(func) in OWN:
                return expression("tuple(b)", b=inner)
            case _:
                return e

    assert s.value is not None
    new = rebuild(s.value, given)
    plain = [n for n in walk(s.value) if isinstance(n, ast.Name) and n.id == b]
    return replace(s, value=new) if new is not s.value and len(plain) == 1 else None


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
                first = resolve(func) in ZERO and len(args) == 1
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
                    root = self.root(c)
                    whole = self.added(c, root)
                    made = self.collecting(root, body[:i]) if root else body[:i]
                    if whole is not None and made is not None:
                        last = [] if isinstance(whole, ast.Name) else [replace(s, value=whole)]
                        return self.block([*made, *last, *body[i + 1 :]])
                case _:
                    pass
        return [with_blocks(s, self.block) if isinstance(s, (ast.If, ast.For, ast.While)) else s for s in body]

    def root(self, e: ast.expr) -> str:
        """The name of what is collected so far, to which an expression adds; none where it begins."""
        while isinstance(e, ast.Call) and self.resolve(e.func) is runtime.add_part:
            e = e.args[0]
        return e.id if isinstance(e, ast.Name) else ""

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
