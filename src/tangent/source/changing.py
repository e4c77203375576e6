"""Functions that change lists and dicts of their caller, written out where they are called.

def push(xs, v):
    xs.append(v * v)               for i in range(n):
                            ->         v = x * i
for i in range(n):                     xs.append(v * v)
    push(xs, x * i)

So they are changed in the function that holds them, as if there were no other. Only functions that are read from top
to bottom and do not come back to themselves; others are followed with a memory (normalise/memory/).
"""

from __future__ import annotations

import ast
import builtins
import types
from collections import Counter
from collections.abc import Callable, Iterator

from tangent.source.inlined import (
    UNORDERED,
    Body,
    CannotWriteOut,
    Definition,
    Places,
    Steps,
    bound_by_comprehensions,
    copied,
    given_to,
    is_readable,
    names_outside,
    returning,
    with_constants,
    written_anew,
)
from tangent.source.naming import home_of, is_generated, is_library
from tangent.syntax.captured import bindings, own_variables
from tangent.syntax.names import Names, identifiers
from tangent.syntax.quote import assign, constant, name
from tangent.syntax.rebuild import rename, replace, walk_scope, with_blocks
from tangent.syntax.uses import arguments, assigned_inside
from tangent.syntax.walk import walk

OF_CONTAINERS = frozenset(
    "append extend insert pop remove clear update setdefault popitem add discard popleft appendleft extendleft".split()
)
MAKERS = frozenset("list dict defaultdict OrderedDict Counter deque".split())
MOST_STATEMENTS, MOST_ROUNDS = 150, 5


def written_out(
    tree: ast.FunctionDef, function: types.FunctionType, definition: Definition,
    chosen: Callable[[ast.FunctionDef, types.FunctionType, Definition, int], Calls] | None = None,
) -> ast.FunctionDef:  # fmt: skip
    """The definition without calls of functions that change its lists and dicts; in `relied`, those functions."""
    if is_generated(function) or home_of(function).split(".")[0] == "tangent":
        return tree
    size = 0
    for _ in range(MOST_ROUNDS):
        calls = (chosen or Calls)(tree, function, definition, MOST_STATEMENTS - size)
        if not calls.chosen:
            break
        tree, size = calls.whole(), MOST_STATEMENTS - calls.room
    return tree


class _Changing:
    """What functions do to what they are given, found in their definitions."""

    def __init__(self, function: types.FunctionType, definition: Definition) -> None:
        self.function, self.definition = function, definition
        self.known: dict[types.FunctionType, tuple[frozenset[str], frozenset[str]]] = {}
        self.trees: dict[types.FunctionType, ast.FunctionDef | None] = {}

    def tree(self, f: types.FunctionType) -> ast.FunctionDef | None:
        if f not in self.trees:
            try:
                self.trees[f] = self.definition(f)
            except CannotWriteOut:
                self.trees[f] = None
        return self.trees[f]

    def called(self, e: ast.Call, local: set[str], space: dict[str, object]) -> types.FunctionType | None:
        """The function of somebody's own that a call names."""
        match e.func:
            case ast.Name(id=v) if v not in local:
                found = space.get(v)
            case ast.Attribute(value=ast.Name(id=v), attr=attr) if v not in local:
                owner = space.get(v)
                found = getattr(owner, attr, None) if isinstance(owner, types.ModuleType) else None
            case _:
                found = None
        if not isinstance(found, types.FunctionType) or is_library(found):
            return None
        return None if is_generated(found) or found.__code__.co_freevars else found

    def changes(self, f: types.FunctionType) -> tuple[frozenset[str], frozenset[str]]:
        """The parameters of a function that it changes: as lists and dicts for sure, and by items, as any storage."""
        if f not in self.known:
            self.known[f] = frozenset(), frozenset()  # while it is being found out
            tree = self.tree(f)
            if tree is not None:
                bound = bindings(tree) - Counter(map(_merged, walk_scope(tree)))
                own = {a.arg for a in arguments(tree.args) if bound[a.arg] == 1}
                found = list(self.changed(f, tree))
                surely = frozenset(v for v, sure in found if sure and v in own)
                self.known[f] = surely, frozenset(v for v, _ in found if v in own)
        return self.known[f]

    def changed(self, f: types.FunctionType, tree: ast.FunctionDef) -> Iterator[tuple[str, bool]]:
        local = own_variables(tree)
        for n in walk_scope(tree):
            match n:
                case ast.Call(func=ast.Attribute(value=owner, attr=attr)) if attr in OF_CONTAINERS:
                    yield _base(owner), True
                case ast.Subscript(value=owner, slice=index, ctx=ast.Store() | ast.Del()):
                    yield _base(owner), isinstance(index, ast.Constant) and isinstance(index.value, str)
                case ast.AugAssign(value=value) if (v := _merged(n)):
                    yield v, isinstance(value, (ast.Dict, ast.DictComp))
                case ast.Call():
                    for _, e, sure in self.passed(n, local, f.__globals__):
                        yield _base(e), sure

    def passed(self, e: ast.Call, local: set[str], space: dict[str, object]) -> Iterator[tuple[str, ast.expr, bool]]:
        """The parameters of what a call names that are changed, with what they are given."""
        if not any(_base(x) in local for x in (*e.args, *(k.value for k in e.keywords))):
            return
        f = self.called(e, local, space)
        tree = self.tree(f) if f is not None else None
        if f is None or tree is None:
            return
        surely, maybe = self.changes(f)
        try:
            given = given_to(tree.args, _positional(tree), e.args, e.keywords) if maybe else {}
        except CannotWriteOut:
            return
        yield from ((p, given[p], p in surely) for p in sorted(maybe))

    def comes_back(self, f: types.FunctionType) -> bool:
        """Whether a function may call itself, or the one that it would be written into."""
        seen: set[types.FunctionType] = set()
        waiting = [f]
        while waiting:
            tree = self.tree(g := waiting.pop())
            if tree is None:
                continue
            local = own_variables(tree)
            for n in walk(tree):
                h = self.called(n, local, g.__globals__) if isinstance(n, ast.Call) else None
                if h is f or h is self.function:
                    return True
                if h is not None and h not in seen:
                    seen.add(h)
                    waiting.append(h)
        return False


def _merged(n: ast.AST) -> str:
    """The variable of `d |= e`, which changes a dict as `d.update(e)` does."""
    match n:
        case ast.AugAssign(target=ast.Name(id=v), op=ast.BitOr()):
            return v
        case _:
            return ""


def _base(e: ast.expr) -> str:
    """The variable behind items of items."""
    while isinstance(e, ast.Subscript):
        e = e.value
    return e.id if isinstance(e, ast.Name) else ""


def _positional(tree: ast.FunctionDef) -> list[str]:
    return [a.arg for a in (*tree.args.posonlyargs, *tree.args.args)]


class Calls:
    """The calls of one function that are written out."""

    def __init__(
        self, tree: ast.FunctionDef, function: types.FunctionType, definition: Definition, room: int
    ) -> None:  # fmt: skip
        self.tree, self.function, self.room = tree, function, room
        self.own = own_variables(tree) | set(function.__code__.co_freevars)
        self.changing = _Changing(function, definition)
        self.names = Names(identifiers(tree) | set(function.__globals__) | set(dir(builtins)))
        self.places = Places(tree)
        self.containers = containers_made(tree)
        self.relied: dict[str, types.FunctionType] = {}
        self.chosen = {n.func: f for n, f in self.candidates() if self.is_plain(f)}

    def candidates(self) -> Iterator[tuple[ast.Call, types.FunctionType]]:
        """Calls that change a list or dict which is a variable here, or an item of one; what may fail stays a call."""
        attempted = {n for s in walk_scope(self.tree) if isinstance(s, (ast.Try, ast.TryStar)) for n in walk(s)}
        for s in (s for s in walk_scope(self.tree) if s not in attempted):
            for e in _expressions(s):
                inside = {n for x in walk(e) if _is_unordered(x) for n in walk(x)}
                for n in walk(e):
                    if isinstance(n, ast.Call) and n not in inside and self.is_candidate(n):
                        f = self.changing.called(n, self.own, self.function.__globals__)
                        assert f is not None
                        yield n, f

    def is_candidate(self, e: ast.Call) -> bool:
        passed = self.changing.passed(e, self.own, self.function.__globals__)
        return any(v in self.containers or (sure and v in self.own) for _, x, sure in passed for v in [_base(x)])

    def is_plain(self, f: types.FunctionType) -> bool:
        """Whether a function can be written out here: what it finds around it is the same here."""
        tree = self.changing.tree(f)
        if tree is None or not is_readable(tree, f) or self.changing.comes_back(f):
            return False
        outside = names_outside(tree)
        ours, theirs = self.function.__globals__, f.__globals__
        alike = all(v not in self.own and (ours is theirs or _means_same(v, ours, theirs)) for v in outside)
        assigns = any(isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store) for n in walk(tree))
        size = sum(isinstance(n, ast.stmt) for n in walk(tree))
        try:
            returning(tree.body, "", tree)
        except CannotWriteOut:
            return False
        return alike and not assigns and size <= self.room

    def whole(self) -> ast.FunctionDef:
        return written_anew(self.tree, self.block(self.tree.body), self.relied)

    def block(self, body: Body) -> Body:
        return [new for s in body for new in self.statement(s)]

    def statement(self, s: ast.stmt) -> Body:
        s = with_blocks(s, self.block)
        parts = {f: e for f, e in _header(s) if any(n in self.chosen for n in walk(e))}
        if not parts:
            return [s]
        ((field, e),) = parts.items()
        steps = Steps(s, self.names, self.chosen.keys(), lambda x: self.written(x, s))
        value = steps.expression(e)
        if isinstance(s, ast.Expr) and isinstance(value, (ast.Name, ast.Constant)):
            return steps.before
        return [*steps.before, replace(s, **{field: value})]

    def written(self, e: ast.expr, s: ast.stmt) -> tuple[Body, ast.expr]:
        """What a call does, and what it gives."""
        assert isinstance(e, ast.Call)
        f = self.chosen[e.func]
        self.relied[ast.unparse(e.func)] = f
        tree = self.changing.tree(f)
        assert tree is not None
        self.room -= sum(isinstance(n, ast.stmt) for n in walk(tree))
        given = given_to(tree.args, _positional(tree), e.args, e.keywords)
        bound = assigned_inside(tree.body)
        inner = bound_by_comprehensions(tree)
        fixed = {v: x for v, x in given.items() if isinstance(x, ast.Constant) and v not in bound | inner}
        same = {v: x.id for v, x in given.items() if isinstance(x, ast.Name) and v not in bound and x.id not in inner}
        names = {v: self.names.numbered(v) for v in sorted((set(given) | bound) - fixed.keys() - same.keys())} | same
        before: Body = [assign(names[p], x, s) for p, x in given.items() if p not in fixed and p not in same]
        result = self.names.numbered("result")
        body = [rename(with_constants(x, fixed), names) for x in self.places.placed(copied(tree.body), s)]
        gives = any(isinstance(n, ast.Return) for n in walk(tree))
        body = returning(body, result, body[-1]) if gives else body
        return [*before, *body], name(result) if gives else constant(None)


def _header(s: ast.stmt) -> list[tuple[str, ast.expr]]:
    """The expression of a statement that is computed first and once, with its field."""
    match s:
        case ast.Assign(value=e) | ast.Expr(value=e) | ast.AnnAssign(value=ast.expr() as e):
            return [("value", e)]
        case ast.Return(value=ast.expr() as e):
            return [("value", e)]
        case ast.AugAssign(target=ast.Name(), value=e):
            return [("value", e)]
        case ast.If(test=e):
            return [("test", e)]
        case ast.For(iter=e):
            return [("iter", e)]
        case _:
            return []


def _expressions(s: ast.AST) -> list[ast.expr]:
    return [e for _, e in _header(s)] if isinstance(s, ast.stmt) else []


def _is_unordered(x: ast.AST) -> bool:
    return isinstance(x, UNORDERED) or (isinstance(x, ast.Compare) and len(x.ops) > 1)


def _means_same(v: str, ours: dict[str, object], theirs: dict[str, object]) -> bool:
    """Whether a name is the same module, or a builtin, in two modules."""
    if v in ours and v in theirs:
        return ours[v] is theirs[v] and isinstance(ours[v], types.ModuleType)
    return v not in ours and v not in theirs and hasattr(builtins, v)


def containers_made(tree: ast.FunctionDef) -> frozenset[str]:
    """Variables that only ever hold lists and dicts that are made here."""
    made: set[str] = set()
    others: set[str] = {a.arg for a in arguments(tree.args)}
    targets: set[ast.AST] = set()
    for n in walk_scope(tree):
        match n:
            case ast.Assign(targets=[ast.Name() as target], value=value):
                pairs = [(target, value)]
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)) if len(names) == len(values):
                pairs = [(t, e) for t, e in zip(names, values) if isinstance(t, ast.Name)]
            case _:
                continue
        new = {t for t, e in pairs if _makes_container(e)}
        made |= {t.id for t in new}
        targets |= new
    others |= {
        n.id for n in walk_scope(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and n not in targets
    }
    return frozenset(made - others)


def _makes_container(e: ast.expr) -> bool:
    match e:
        case ast.List() | ast.Dict() | ast.ListComp() | ast.DictComp():
            return True
        case ast.BinOp(left=ast.List(), op=ast.Mult()) | ast.BinOp(op=ast.Mult(), right=ast.List()):
            return True
        case ast.Call(func=ast.Name(id=v) | ast.Attribute(attr=v)):
            return v in MAKERS
        case _:
            return False
