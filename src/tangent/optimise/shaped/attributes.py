"""Gradients of objects by their attributes: each has a variable, and the object is made at the end.

bp = lazy_zero(p)                                           bp_k = lazy_zero(p.k)
for ...:                                                    for ...:
    bp = add_grad(bp, put_attribute(v, p, "k"))      ->         bp_k = add_grad(bp_k, v)
return settled(bp, p)                                       return put_attributes(p, k=bp_k)
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from tangent import runtime
from tangent.optimise.context import Body
from tangent.optimise.settled import OWN, ZERO
from tangent.optimise.shaped.kinds import Attributes, Items, Kind
from tangent.syntax.names import Names
from tangent.syntax.quote import assign, call, name
from tangent.syntax.rebuild import rebuild, replace, statements, with_blocks
from tangent.syntax.uses import header_reads, writes
from tangent.syntax.walk import walk

Resolve = Callable[[ast.expr], Any]
Use = Callable[[Any, str], str]


def by_attributes(body: Body, kinds: Mapping[str, Kind], names: Names, resolve: Resolve, use: Use) -> Body:
    """The body, where `kinds` are those of parameters that are bound to nothing else."""
    for p, kind in held_objects(body, kinds).items():
        gradients = _Gradients(p, kind, body, resolve, use)
        if gradients.found:
            body = gradients.apart(names)
    return body


def in_blocks(body: Body, kinds: Mapping[str, Kind], names: Names, resolve: Resolve, use: Use) -> Body:
    """The body, where gradients of objects that blocks bind are made at once."""
    everywhere = Counter(v for s in statements(body) for v in (*header_reads(s), *writes(s)))

    def block(inner: Body) -> Body:
        inner = [with_blocks(s, block) for s in inner]
        here = Counter(v for s in inner for v in writes(s))
        for p in [v for v, n in here.items() if n == 1 and isinstance(kinds.get(v), Attributes)]:
            kind = kinds[p]
            assert isinstance(kind, Attributes)
            gradients = _Gradients(p, kind, inner, resolve, use)
            own = Counter(v for s in statements(inner) for v in (*header_reads(s), *writes(s)))
            if gradients.found and all(own[b] == everywhere[b] for b in gradients.found):
                inner = gradients.apart(names)
        return inner

    return [with_blocks(s, block) for s in body]


def held_objects(body: Body, kinds: Mapping[str, Kind]) -> dict[str, Attributes]:
    """Names of objects of which the kinds of attributes are known; what an object or a list holds comes before it."""
    found = {p: kind for p, kind in kinds.items() if isinstance(kind, (Attributes, Items))}
    bound = Counter(v for s in statements(body) for v in writes(s))
    for s in body:
        match s:
            case ast.Assign(targets=[ast.Name(id=v)], value=value) if bound[v] == 1:
                kind = _held(value, found)
                found = {v: kind, **found} if isinstance(kind, (Attributes, Items)) else found
            case _:
                pass
    return {p: kind for p, kind in found.items() if isinstance(kind, Attributes)}


def _held(e: ast.expr, known: Mapping[str, Attributes | Items]) -> Kind | None:
    """The kind of what an object holds under a name, or a list at a place."""
    match e:
        case ast.Attribute(value=ast.Name(id=p), attr=attr) if isinstance(kind := known.get(p), Attributes):
            return kind.get(attr)
        case ast.Subscript(value=ast.Name(id=p), slice=ast.Constant(value=int(k))) if (
            isinstance(kind := known.get(p), Items) and 0 <= k < len(kind.items)
        ):
            return kind.items[k]
        case _:
            return None


class _Gradients:
    """The variables that hold gradients of one object, and nothing else."""

    def __init__(self, p: str, kind: Attributes, body: Body, resolve: Resolve, use: Use) -> None:
        self.p, self.kind, self.body, self.resolve, self.use = p, kind, body, resolve, use
        bound: dict[str, list[ast.stmt]] = {}
        for s in statements(body):
            for v in writes(s):
                bound.setdefault(v, []).append(s)
        self.found = {v for v, made in bound.items() if any(self.is_sum(_value(s), {v}) for s in made)}
        while wrong := {v for v in self.found if not all(self.is_sum(_value(s), self.found) for s in bound[v])}:
            self.found -= wrong
        looped = {v for s in body if isinstance(s, (ast.For, ast.While)) for x in statements([s]) for v in self.read(x)}
        self.found = set() if looped else self.found
        self.attributes = [attr for attr, _ in kind.items if self.receives(attr)]

    def read(self, s: ast.stmt) -> set[str]:
        """Those that a statement reads, other than for a sum."""
        return set() if self.is_sum(_value(s), self.found) else self.found & set(header_reads(s))

    def is_sum(self, e: ast.expr | None, known: set[str]) -> bool:
        """Whether an expression is a gradient of the object, made of zeros, of what attributes receive, and sums."""
        match e:
            case ast.Name(id=v):
                return v in known
            case ast.Call(func=func, args=[ast.Name(id=p)], keywords=[]) if p == self.p:
                return self.resolve(func) in ZERO
            case ast.Call(args=[_, _, _]) if attr := self.attribute(e):
                return attr in dict(self.kind.items)
            case ast.Call(func=func, args=[a, b], keywords=[]) if self.resolve(func) is runtime.add_grad:
                return self.is_sum(a, known) and self.is_sum(b, known)
            case _:
                return False

    def attribute(self, e: ast.expr | None) -> str:
        """The attribute of which an expression is what the object receives."""
        match e:
            case ast.Call(func=func, args=[_, ast.Name(id=p), ast.Constant(value=str(attr))], keywords=[]):
                return attr if p == self.p and self.resolve(func) is runtime.put_attribute else ""
            case _:
                return ""

    def receives(self, attr: str) -> bool:
        values = [v for s in statements(self.body) if (v := _value(s)) is not None]
        return any(isinstance(n, ast.expr) and self.attribute(n) == attr for v in values for n in walk(v))

    def apart(self, names: Names) -> Body:
        self.names = {(b, attr): names.fresh(f"{b}_{attr}") for b in sorted(self.found) for attr in self.attributes}
        return self.block(self.body)

    def block(self, body: Body) -> Body:
        return self.without_zeros([new for s in body for new in self.statement(s)])

    def without_zeros(self, body: Body) -> Body:
        """Statements in which nothing is added to a zero that nobody has looked at."""
        own = set(self.names.values())
        for i, s in enumerate(body):
            v = next(iter(own.intersection(writes(s))), "")
            if not v or not isinstance(s, ast.Assign) or not self.is_zero(s.value):
                continue
            uses = (j for j in range(i + 1, len(body)) if v in _mentioned(body[j]))
            match body[j] if (j := next(uses, 0)) else None:
                case ast.Assign(value=ast.Call(func=func, args=[ast.Name(id=first), e])) as later if (
                    first == v and self.resolve(func) is runtime.add_grad and v in writes(later)
                ):
                    rest = [*body[i + 1 : j], replace(later, value=e), *body[j + 1 :]]
                    return [*body[:i], *self.without_zeros(rest)]
        return body

    def is_zero(self, e: ast.expr) -> bool:
        return isinstance(e, ast.Call) and self.resolve(e.func) in ZERO

    def statement(self, s: ast.stmt) -> Body:
        match s:
            case ast.Assign(targets=[ast.Name(id=b)], value=value) if b in self.found:
                parts = ((attr, self.part(value, attr)) for attr in self.attributes)
                made = ((self.names[b, attr], self.zero(attr) if e is None else e) for attr, e in parts)
                return [assign(v, e, s) for v, e in made if not (isinstance(e, ast.Name) and e.id == v)]
            case _:
                return [with_blocks(self.whole(s), self.block)]

    def part(self, e: ast.expr, attr: str) -> ast.expr | None:
        """What an attribute receives by a sum; None for nothing."""
        match e:
            case ast.Name(id=v):
                return name(self.names[v, attr])
            case ast.Call(args=[_]):
                return None
            case ast.Call(args=[v, _, _]):
                return v if self.attribute(e) == attr else None
            case ast.Call(args=[a, b]):
                left, right = self.part(a, attr), self.part(b, attr)
                return left if right is None else right if left is None else replace(e, args=[left, right])
            case _:
                raise AssertionError(ast.dump(e))

    def zero(self, attr: str) -> ast.expr:
        held = ast.Attribute(name(self.p), attr, ast.Load())
        return call(self.use(runtime.lazy_zero, "lazy_zero"), held)

    def whole(self, s: ast.stmt) -> ast.stmt:
        """A statement in which a gradient is an object again."""
        if not self.read(s):
            return s

        def change(e: ast.expr) -> ast.expr:
            match e:
                case ast.Name(id=b) if b in self.found:
                    parts = [ast.keyword(attr, name(self.names[b, attr])) for attr in self.attributes]
                    return ast.Call(name(self.use(runtime.put_attributes, "put_attributes")), [name(self.p)], parts)
                case ast.Call(func=func, args=[ast.Call(func=inner) as made, ast.Name(id=p)]) if p == self.p:
                    new = self.resolve(func) in OWN and self.resolve(inner) is runtime.put_attributes
                    return made if new else e
                case _:
                    return e

        return rebuild(s, change)


def _mentioned(s: ast.stmt) -> set[str]:
    return {v for x in statements([s]) for v in (*header_reads(x), *writes(x))}


def _value(s: ast.stmt) -> ast.expr | None:
    match s:
        case ast.Assign(targets=[ast.Name()], value=value):
            return value
        case _:
            return None
