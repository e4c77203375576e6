"""Deques that one function makes and nobody else sees, as lists; lists of which only the first item is taken.

window = deque(maxlen=3)              window = []
for v in x:                           for v in x:
    window.append(v * v)       ->         window.append(v * v)
    s += sum(window)                      if len(window) > 3:
                                              window.pop(0)
                                          s += sum(window)

queue = deque([x])                    queue = [x]; gone = 0
while queue:                          while len(queue) > gone:
    a = queue.popleft()        ->         a = queue[gone]; gone += 1
    queue.append(a * a)                   queue.append(a * a)

Only where the deque is made once, never handed on, and asked for what lists can do, too.
"""

from __future__ import annotations

import ast
import builtins
import collections
import types
from collections.abc import Iterator

import numpy as np

from tangent.source.made_once import Body, MadeOnce, Node, for_each_made_once, meaning
from tangent.syntax.quote import assign, at, call, constant, expression, name, quote
from tangent.syntax.rebuild import rebuild, replace, walk_scope
from tangent.syntax.walk import walk

READING = frozenset("len sum list tuple max min sorted enumerate zip any all reversed".split())
WRITTEN = ("len", "list")  # functions that stand in what is written here
GROWING = {"append": "v.append(e)", "appendleft": "v.insert(0, e)"}
TAKING = {"pop": "v.pop()", "popleft": "v.pop(0)"}
PLAIN = frozenset("extend clear reverse".split())


def with_queues(tree: ast.FunctionDef, function: types.FunctionType) -> ast.FunctionDef:
    """The definition with lists in place of its deques."""

    def as_list(tree: ast.FunctionDef, made: ast.Assign, v: str) -> ast.FunctionDef:
        e = made.value
        if isinstance(e, ast.List) and v not in function.__code__.co_cellvars:
            return _AsQueue(tree, function, made, v, e).whole() if _is_first_in_first_out(tree, made, v) else tree
        if not isinstance(e, ast.Call) or meaning(e.func, tree, function) is not collections.deque:
            return tree
        given = _given(e)
        if given is None or v in function.__code__.co_cellvars or not _stays(tree, function, made, v, given[1]):
            return tree
        if given[1] is None and _is_first_in_first_out(tree, made, v):
            return _AsQueue(tree, function, made, v, given[0]).whole()
        return _AsList(tree, function, made, v, *given).whole()

    return for_each_made_once(tree, function, as_list)


def _given(e: ast.Call) -> tuple[ast.expr | None, ast.expr | None] | None:
    """The items that a new deque has, and how many it holds at most."""
    match e.args, e.keywords:
        case [] | [_] | [_, _], []:
            items, most = [*e.args, None, None][:2]
        case [] | [_], [ast.keyword(arg="maxlen", value=most)]:
            items = e.args[0] if e.args else None
        case _:
            return None
    return (items, None if isinstance(most, ast.Constant) and most.value is None else most)


def _stays(
    tree: ast.FunctionDef, function: types.FunctionType, made: ast.Assign, v: str, most: ast.expr | None
) -> bool:
    """Whether a deque is only asked for what a list gives, and changed by what lists can do."""
    if any(meaning(name(f), tree, function) is not getattr(builtins, f) for f in WRITTEN):
        return False
    found: set[ast.AST] = {made.targets[0]}
    for n in walk_scope(tree):
        match n:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner, attr=attr), args=args, keywords=[])) if (
                attr in GROWING and len(args) == 1
            ) or (attr in PLAIN and (most is None or attr != "extend")):
                found.add(owner)
            case ast.Call(func=ast.Attribute(value=owner, attr=attr), args=[], keywords=[]) if attr in TAKING:
                found.add(owner)
            case ast.Call(func=func, args=args) if _reads(func, tree, function):
                found |= set(args)
            case ast.Subscript(value=owner, slice=index) if not isinstance(index, (ast.Slice, ast.Tuple)):
                found.add(owner)
            case ast.For(iter=over, body=body) if not any(_mentions(s, v) for s in body):
                found.add(over)
            case ast.comprehension(iter=over):
                found.add(over)
            case ast.While(test=test) | ast.If(test=test) | ast.IfExp(test=test):
                found |= set(deciding(test))
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                found.add(operand)
            case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[where]):
                found.add(where)
    return all(n in found for n in walk(tree) if isinstance(n, ast.Name) and n.id == v)


def deciding(test: ast.expr) -> Iterator[ast.expr]:
    """The parts of a test that are true or false by themselves."""
    match test:
        case ast.BoolOp(values=values):
            for part in values:
                yield from deciding(part)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield from deciding(operand)
        case _:
            yield test


def _is_first_in_first_out(tree: ast.FunctionDef, made: ast.Assign, v: str) -> bool:
    """Whether items are appended and taken from the other end only, one statement each, and others read by number."""
    found: set[ast.AST] = {made.targets[0]}
    appended = taken = False
    for n in walk_scope(tree):
        match n:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name() as owner, attr="append"), args=[_])):
                found.add(owner)
                appended |= owner.id == v
            case ast.Assign(value=ast.Call(func=ast.Attribute(value=ast.Name() as owner)) as e):
                found |= {owner} if _takes_first(e, made) else set()
                taken |= owner.id == v
            case ast.Subscript(value=owner, slice=ast.Constant(value=int(k)), ctx=ast.Load()) if k >= 0:
                found.add(owner)
            case ast.Call(func=ast.Name(id="len"), args=[owner]):
                found.add(owner)
            case ast.While(test=test) | ast.If(test=test):
                found |= set(deciding(test))
    return appended and taken and all(n in found for n in walk(tree) if isinstance(n, ast.Name) and n.id == v)


def _takes_first(e: ast.Call, made: ast.Assign) -> bool:
    """Whether a call takes the first item: of a list, or of a deque."""
    match e:
        case ast.Call(func=ast.Attribute(attr="pop"), args=[ast.Constant(value=0)], keywords=[]):
            return isinstance(made.value, ast.List)
        case ast.Call(func=ast.Attribute(attr="popleft"), args=[], keywords=[]):
            return not isinstance(made.value, ast.List)
        case _:
            return False


def _reads(func: ast.expr, tree: ast.FunctionDef, function: types.FunctionType) -> bool:
    """Whether a function of Python or NumPy goes over the items of what it is given, and keeps nothing."""
    match func:
        case ast.Name(id=f):
            return f in READING and meaning(func, tree, function) is getattr(builtins, f)
        case ast.Attribute(value=ast.Name() as owner):
            return meaning(owner, tree, function) is np
        case _:
            return False


def _mentions(node: ast.AST, v: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == v for n in walk(node))


class _AsList(MadeOnce):
    """One deque on its way to a list."""

    def __init__(
        self, tree: ast.FunctionDef, function: types.FunctionType, made: ast.Assign, v: str, items: ast.expr | None,
        most: ast.expr | None,
    ) -> None:  # fmt: skip
        super().__init__(tree, function, made, v)
        self.items, self.most = items, most
        self.bound = most if most is None or isinstance(most, ast.Constant) else name(self.names.fresh(f"{v}_most"))

    def statement(self, s: ast.stmt) -> Body:
        match s:
            case ast.Assign() if s is self.made:
                return self.begun(s)
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=d), attr=attr), args=[e])) if (
                d == self.v and attr in GROWING
            ):
                added = at(quote(GROWING[attr], v=self.v, e=self.changed(e)), s)
                return [added, *self.cut("if", "popleft" if attr == "append" else "pop", s)]
            case _:
                return super().statement(s)

    def begun(self, s: ast.stmt) -> Body:
        """What the list holds at first."""
        items = self.items if self.items is not None else ast.List([], ast.Load())
        first = items if isinstance(items, (ast.List, ast.BinOp)) and self.fits(items) else call("list", items)
        before = [assign(self.bound.id, self.most, s)] if self.most and isinstance(self.bound, ast.Name) else []
        after = [] if self.fits(items) else self.cut("while", "popleft", s)
        return [assign(self.v, first, s), *before, *after]

    def fits(self, items: ast.expr) -> bool:
        """Whether there are not too many items at first, as far as the text tells."""
        match items:
            case ast.List(elts=elts) if isinstance(self.most, ast.Constant) and isinstance(self.most.value, int):
                return len(elts) <= self.most.value
            case ast.List(elts=[]):
                return True
            case ast.BinOp(left=ast.List(elts=[_]), op=ast.Mult(), right=count) if self.most is not None:
                return ast.dump(count) == ast.dump(self.most)
            case _:
                return False

    def cut(self, word: str, taking: str, s: ast.stmt) -> Body:
        """Items leave at the other end where there are too many."""
        if self.bound is None:
            return []
        test = expression("len(v) > m", v=self.v, m=self.bound)
        body: Body = [at(quote(TAKING[taking], v=self.v), s)]
        return [at(ast.If(test, body, []) if word == "if" else ast.While(test, body, []), s)]

    def changed(self, node: Node) -> Node:
        new = self.inside(node)
        match new:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=d), attr="popleft") as method) if d == self.v:
                return replace(new, func=replace(method, attr="pop"), args=[constant(0)])
            case _:
                return new


class _AsQueue(MadeOnce):
    """One deque on its way to a list that only grows, and the number of items that were taken."""

    def __init__(
        self, tree: ast.FunctionDef, function: types.FunctionType, made: ast.Assign, v: str, items: ast.expr | None
    ) -> None:  # fmt: skip
        super().__init__(tree, function, made, v)
        self.items = items if items is not None else ast.List([], ast.Load())
        self.gone = self.names.fresh(f"{v}_gone")

    def statement(self, s: ast.stmt) -> Body:
        match s:
            case ast.Assign() if s is self.made:
                first = self.items if isinstance(self.items, ast.List) else call("list", self.items)
                return [assign(self.v, first, s), assign(self.gone, constant(0), s)]
            case ast.Assign(value=ast.Call(func=ast.Attribute(value=ast.Name(id=d))) as e) if (
                d == self.v and _takes_first(e, self.made)
            ):
                taken = expression("v[k]", v=self.v, k=self.gone)
                return [at(replace(s, value=taken), s), at(quote("k += 1", k=self.gone), s)]
            case ast.While() | ast.If():
                (new,) = super().statement(s)
                assert isinstance(new, (ast.While, ast.If))
                asked = {n for n in deciding(new.test) if isinstance(n, ast.Name) and n.id == self.v}
                left = expression("len(v) > k", v=self.v, k=self.gone)
                return [at(replace(new, test=rebuild(new.test, lambda n: left if n in asked else n)), s)]
            case _:
                return super().statement(s)

    def changed(self, node: Node) -> Node:
        new = self.inside(node)
        match new:
            case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=d)]) if d == self.v:
                return ast.copy_location(expression("len(v) - k", v=self.v, k=self.gone), node)  # type: ignore[return-value]
            case ast.Subscript(value=ast.Name(id=d), slice=ast.Constant(value=int(k)), ctx=ast.Load()) if d == self.v:
                return replace(new, slice=expression("g + k", g=self.gone, k=constant(k)) if k else name(self.gone))
            case _:
                return new
