"""The variables of a function that stand for objects of one list, by the statements that bind them."""

from __future__ import annotations

import ast
import builtins
import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from tangent.source.inlined import CannotWriteOut, Node
from tangent.syntax.names import Names
from tangent.syntax.quote import expression, name
from tangent.syntax.rebuild import rename, replace, with_blocks
from tangent.syntax.uses import COMPREHENSIONS
from tangent.syntax.walk import walk

ALIKE = (reversed, list, tuple)  # they give the objects of what they are given
GROUPS = (itertools.combinations, itertools.permutations, itertools.product)
ITERATING = (*ALIKE, *GROUPS, enumerate, zip)


class Elements:
    """The names of objects; `lists` are the names of their list, `resolve` tells what is around the function.

    `holders` are other lists, in which there are objects of the list and nothing else.
    """

    def __init__(self, lists: set[str], resolve: Callable[[ast.expr], Any]) -> None:
        self.lists, self.resolve = lists, resolve
        self.names: set[str] = set()
        self.holders: set[str] = set()
        self.counting: set[str] = set()  # integers that are not negative

    def is_list(self, e: ast.AST) -> bool:
        return isinstance(e, ast.Name) and e.id in self.lists

    def is_holder(self, e: ast.AST) -> bool:
        return isinstance(e, ast.Name) and e.id in self.holders

    def is_held(self, e: ast.AST) -> bool:
        """Whether an expression is an item, or a part, of another list of such objects."""
        return isinstance(e, ast.Subscript) and self.is_holder(e.value)

    def is_one(self, e: ast.AST) -> bool:
        """Whether an expression is an object of the list."""
        match e:
            case ast.Name(id=v):
                return v in self.names
            case ast.Subscript(value=owner, slice=index):
                return (self.is_list(owner) or self.is_holder(owner)) and not isinstance(index, ast.Slice)
            case ast.IfExp(body=then, orelse=other):
                return self.is_one(then) and self.is_one(other)
            case _:
                return False

    def find(self, body: Iterable[ast.AST], born: Iterable[ast.AST] = ()) -> None:
        """Find the names that are bound to objects; they may be bound to nothing else. `born` are bound to new ones."""
        nodes = [n for s in body for n in walk(s)]
        bound, put = set(born), self._put(nodes)
        while True:
            self.names |= {n.id for n in bound if isinstance(n, ast.Name)}
            holders = {v for v, items in put.items() if items and all(map(self.is_one, items))} - self.holders
            self.holders |= holders
            new = {n for x in nodes for n in self._bound(x)} - bound
            if not new and not holders:
                break
            bound |= new
        for n in nodes:
            if isinstance(n, ast.Name) and n.id in self.names and not isinstance(n.ctx, ast.Load) and n not in bound:
                raise CannotWriteOut
        counted = {n for x in nodes for n in self._counted(x)}
        others = {n.id for n in nodes if isinstance(n, ast.Name) and not _is_load(n) and n not in counted}
        self.counting |= {n.id for n in counted} - others

    def _put(self, nodes: list[ast.AST]) -> dict[str, list[ast.expr]]:
        """Lists that are made once, each with what is put into it."""
        times = Counter(n.id for n in nodes if isinstance(n, ast.Name) and not _is_load(n))
        found: dict[str, list[ast.expr]] = {}
        for n in nodes:
            match n:
                case ast.Assign(targets=[ast.Name(id=v)], value=ast.List(elts=elts)) if times[v] == 1:
                    found[v] = [*elts]
                case ast.Assign(targets=[ast.Name(id=v)], value=ast.ListComp(elt=elt)) if times[v] == 1:
                    found[v] = [elt]
        for n in nodes:
            if (item := appended(n)) is not None and item[0] in found:
                found[item[0]].append(item[1])
        return {v: items for v, items in found.items() if v not in self.lists}

    def _bound(self, x: ast.AST) -> Iterator[ast.AST]:
        match x:
            case ast.For(target=target, iter=iter) | ast.comprehension(target=target, iter=iter):
                yield from self._given(target, iter)
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    yield from self._assigned(target, value)

    def _assigned(self, target: ast.expr, value: ast.expr) -> Iterator[ast.AST]:
        match target, value:
            case ast.Name(), _ if self.is_one(value):
                yield target
            case ast.Tuple(elts=targets), ast.Tuple(elts=values) if len(targets) == len(values):
                for t, e in zip(targets, values):
                    yield from self._assigned(t, e)

    def _given(self, target: ast.expr, iter: ast.expr) -> Iterator[ast.AST]:
        """The parts of the target of a loop that are objects."""
        match target, iter:
            case ast.Name(), _ if self.is_list(iter) or self.is_part(iter) or self.is_holder(iter):
                yield target
            case ast.Name(), _ if self.is_held(iter) and not self.is_one(iter):
                yield target
            case _, ast.Call(func=func, args=[inner]) if self.resolve(func) in ALIKE:
                yield from self._given(target, inner)
            case ast.Tuple(elts=[_, t]), ast.Call(func=func, args=[inner, *_]) if self.resolve(func) is enumerate:
                yield from self._given(t, inner)
            case ast.Tuple(elts=targets), ast.Call(func=func, args=args) if self.resolve(func) in (
                zip,
                itertools.product,
            ):
                for t, e in zip(targets, args):
                    yield from self._given(t, e)
            case ast.Tuple(elts=targets), ast.Call(func=func, args=[inner, *_]) if self.resolve(func) in GROUPS:
                for t in targets:
                    yield from self._given(t, inner)

    def _counted(self, x: ast.AST) -> Iterator[ast.Name]:
        match x:
            case (
                ast.For(target=target, iter=ast.Call(func=func, args=args))
                | ast.comprehension(target=target, iter=ast.Call(func=func, args=args))
            ):
                if self.resolve(func) is range and isinstance(target, ast.Name):
                    if len(args) == 1 or (len(args) == 2 and self.is_natural(args[0])):
                        yield target
                if self.resolve(func) is enumerate and len(args) == 1 and isinstance(target, ast.Tuple):
                    yield from (t for t in target.elts[:1] if isinstance(t, ast.Name))

    def is_natural(self, e: ast.expr) -> bool:
        """Whether an index is surely not negative."""
        match e:
            case ast.Constant(value=int(value)):
                return value >= 0
            case ast.Name(id=v):
                return v in self.counting
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return self.is_natural(left) and self.is_natural(right)
            case _:
                return False

    def is_part(self, e: ast.expr) -> bool:
        match e:
            case ast.Subscript(value=owner, slice=ast.Slice()):
                return self.is_list(owner)
            case _:
                return False

    def is_iterating(self, func: ast.expr) -> bool:
        return self.resolve(func) in ITERATING

    def require_fixed(self, tree: ast.AST) -> None:
        """No loop over the list itself may make it longer."""
        for n in walk(tree):
            if isinstance(n, ast.For) and any(map(self.is_list, walk(n.iter))):
                grown = [x for x in walk(n) if isinstance(x, ast.Attribute) and x.attr == "append"]
                if any(self.is_list(x.value) for x in grown):
                    raise CannotWriteOut


def appended(n: ast.AST) -> tuple[str, ast.expr] | None:
    """The list, by its name, and the item that is appended to it."""
    match n:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=v), attr="append"), args=[item], keywords=[]):
            return v, item
        case _:
            return None


def places(length: ast.expr, part: ast.expr | None = None) -> ast.expr:
    """The places in a list, or in a part of it."""
    whole = expression("range(n)", n=length)
    match part:
        case ast.Slice(lower=None, upper=None, step=None) | None:
            return whole
        case ast.Slice(lower=ast.Constant(value=int(first)), upper=None, step=None) if first >= 0:
            return expression("range(a, n)", a=ast.Constant(first), n=length)
        case ast.Slice(
            lower=None, upper=ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int())) as last, step=None
        ):
            return expression("range(n - k)", n=length, k=last.operand)
        case _:
            return ast.Subscript(whole, part, ast.Load())


def with_own_names(node: Node, names: Names) -> Node:
    """A tree whose comprehensions bind names that nothing else binds."""
    changes: dict[str, Any] = {}
    for field in node._fields:
        old = getattr(node, field, None)
        if isinstance(old, ast.AST):
            changes[field] = with_own_names(old, names)
        elif isinstance(old, list):
            changes[field] = [with_own_names(x, names) if isinstance(x, ast.AST) else x for x in old]
    if not any(isinstance(n, COMPREHENSIONS) for n in walk(node)):
        return node
    new = replace(node, **changes)
    return _named_anew(new, names) if isinstance(new, COMPREHENSIONS) else new


def with_own_loops(tree: ast.FunctionDef, names: Names) -> ast.FunctionDef:
    """A definition in which loops that bind one variable, each for itself, have one each."""
    loops = [n for n in walk(tree) if isinstance(n, ast.For) and isinstance(n.target, ast.Name)]
    every: dict[str, list[ast.For]] = {}
    for n in loops:
        assert isinstance(n.target, ast.Name)
        every.setdefault(n.target.id, []).append(n)
    apart = {v: found for v, found in every.items() if len(found) > 1 and _stays_inside(tree, v, found)}
    fresh = {n: {v: names.numbered(v)} for v, found in apart.items() for n in found[1:]}

    def block(body: list[ast.stmt]) -> list[ast.stmt]:
        return [statement(s) for s in body]

    def statement(s: ast.stmt) -> ast.stmt:
        new = with_blocks(s, block)
        if not isinstance(s, ast.For) or s not in fresh:
            return new
        assert isinstance(new, ast.For)
        return replace(new, target=rename(new.target, fresh[s]), body=[rename(x, fresh[s]) for x in new.body])

    return replace(tree, body=block(tree.body)) if fresh else tree


def _stays_inside(tree: ast.FunctionDef, v: str, loops: list[ast.For]) -> bool:
    """Whether a variable is read in the loops alone that bind it, none of which is inside another."""
    inside = [n for loop in loops for n in (loop.target, *(x for s in loop.body for x in walk(s)))]
    named = [n for n in walk(tree) if isinstance(n, ast.Name) and n.id == v]
    bound = [n for n in named if not isinstance(n.ctx, ast.Load)]
    if any(isinstance(n, (ast.FunctionDef, ast.Lambda, ast.Global)) for n in walk(tree) if n is not tree):
        return False
    alone = len(bound) == len(loops) and not {*inside}.intersection(loops)
    return alone and {*named} <= {*inside} and all(n.arg != v for n in walk(tree) if isinstance(n, ast.arg))


def _named_anew(e: Any, names: Names) -> Any:
    bound = sorted({n.id for g in e.generators for n in walk(g.target) if isinstance(n, ast.Name)})
    fresh = {v: names.numbered(v) for v in bound}
    first, *rest = e.generators
    inner = _substituted(replace(e, generators=[replace(first, iter=name("_")), *rest]), fresh)
    inner.generators[0] = replace(inner.generators[0], iter=first.iter)
    return inner


def _substituted(node: Any, fresh: dict[str, str]) -> Any:
    if isinstance(node, ast.Name):
        return replace(node, id=fresh[node.id]) if node.id in fresh else node
    changes: dict[str, Any] = {}
    for field in node._fields:
        old = getattr(node, field, None)
        if isinstance(old, ast.AST):
            changes[field] = _substituted(old, fresh)
        elif isinstance(old, list):
            changes[field] = [_substituted(x, fresh) if isinstance(x, ast.AST) else x for x in old]
    return replace(node, **changes)


def found_around(e: ast.expr, own: set[str], space: dict[str, Any]) -> Any:
    """What a name, or an attribute of a module, means around a function."""
    match e:
        case ast.Name(id=v) if v not in own:
            return space.get(v, getattr(builtins, v, None))
        case ast.Attribute(value=ast.Name(id=v), attr=attr) if v not in own:
            owner = space.get(v)
            return getattr(owner, attr, None) if type(owner).__name__ == "module" else None
        case _:
            return None


def _is_load(n: ast.Name) -> bool:
    return isinstance(n.ctx, ast.Load)
