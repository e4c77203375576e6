"""Loops over one name each: what `zip`, `enumerate`, `reversed` and views of dicts yield is read by index or key.

for x, y in zip(xs, ys): ...      for k in range(min(len(xs), len(ys))):
                            ->        x = xs[k]; y = ys[k]; ...
for i, x in enumerate(xs): ...    for i in range(len(xs)):
                            ->        x = xs[i]; ...
for key, v in d.items(): ...      for key in d:
                            ->        v = d[key]; ...

Numbers that are written out are bound at the start of the function, whatever is around the loop: nothing need be kept.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import itertools
from typing import TypeGuard

from tangent.normalise.context import Context
from tangent.normalise.jumps import leaves_loop
from tangent.normalise.statements import assign_target
from tangent.normalise.strictly import is_strict, lengths_told, strictness
from tangent.runtime import library, operators
from tangent.runtime.dispatch import sequence
from tangent.source.giving import Tree, function_gives_container, gives_container, methods_named
from tangent.source.naming import home_of
from tangent.source.resolve import MISSING
from tangent.syntax.quote import assign, expression, name
from tangent.syntax.rebuild import replace, statements
from tangent.syntax.uses import assigned_inside, expression_reads, writes
from tangent.syntax.walk import walk

Around = tuple[  # own loop variables, functions defined inside, lists made here, what is bound at the start
    set[str], dict[str, Tree], set[str], list[ast.stmt]
]


def iteration(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    bound = [v for s in statements(f.body) for v in writes(s)]
    inside = [s for s in statements(f.body) if isinstance(s, ast.FunctionDef) and bound.count(s.name) == 1]
    nested: dict[str, Tree] = {s.name: s for s in inside if s.name not in context.generators}
    context.iterators = _iterators(f, context)
    first: list[ast.stmt] = []
    body = _block(f.body, context, (_private_targets(f), nested, _lists(f, context), first))
    return replace(f, body=[*first, *body])


def _iterators(f: ast.FunctionDef, context: Context) -> set[str]:
    """Variables that only ever hold a generator, or an iterator without end: nothing may read ahead in them."""
    found: set[str] = set()
    other = {a.arg for a in walk(f.args) if isinstance(a, ast.arg)}
    generated = context.source.file.startswith("<generated")
    for s in statements(f.body):
        match s:
            case ast.Assign(targets=[ast.Name(id=v)], value=ast.Call(func=func)) if (
                made := context.scope.resolve(func)
            ) in ENDLESS or inspect.isgeneratorfunction(made):
                found.add(v)
            case ast.Assign(value=ast.Constant(value=None)):
                pass
            case ast.Assign(value=ast.Call(func=ast.Attribute(attr="pop"))) if generated:
                pass  # what was kept is put back
            case _:
                other.update(writes(s))
    return found - other


def _block(body: list[ast.stmt], context: Context, around: Around) -> list[ast.stmt]:
    return [new for s in body for new in _statement(s, context, around)]


def _statement(s: ast.stmt, context: Context, around: Around) -> list[ast.stmt]:
    match s:
        case ast.If(body=body, orelse=orelse):
            return [replace(s, body=_block(body, context, around), orelse=_block(orelse, context, around))]
        case ast.While(body=body):
            return [replace(s, body=_block(body, context, around))]
        case ast.For(target=target, iter=iter, body=body):
            inner = _block(body, context, around)
            return _Loop(s, context, around).over(iter, target, inner)
        case _:
            return [s]


def _private_targets(f: ast.FunctionDef) -> set[str]:
    """Loop variables that nothing outside their loops reads and nothing else assigns."""
    targets: set[str] = set()
    other: set[str] = set()
    indices: set[str] = set()
    items: set[str] = set()

    def visit(body: list[ast.stmt], inside: frozenset[str]) -> None:
        for s in body:
            match s:
                case ast.For(target=target, iter=iter, body=block):
                    names = frozenset(n.id for n in walk(target) if isinstance(n, ast.Name))
                    targets.update(names)
                    own = _own_names(target, iter)
                    indices.update(own)
                    items.update(names - own)
                    other.update((names & inside) | (expression_reads(iter) - inside))
                    visit(block, inside | names)
                case ast.If(test=test, body=then, orelse=orelse):
                    other.update(expression_reads(test) - inside)
                    visit(then, inside)
                    visit(orelse, inside)
                case ast.While(test=test, body=block):
                    other.update(expression_reads(test) - inside)
                    visit(block, inside)
                case _:
                    other.update((expression_reads(s) - inside) | assigned_inside([s]))

    visit(f.body, frozenset())
    other |= indices & items  # what one loop counts with and another one assigns
    return targets - other - {a.arg for a in walk(f.args) if isinstance(a, ast.arg)}


def _own_names(target: ast.expr, iter: ast.expr) -> set[str]:
    """The name that a loop counts with: that over a range, and the first one over `enumerate`."""
    match iter, target:
        case ast.Call(func=ast.Name(id="range")), ast.Name(id=v):
            return {v}
        case ast.Call(func=ast.Name(id="reversed"), args=[ast.Call(func=ast.Name(id="range"))]), ast.Name(id=v):
            return {v}
        case ast.Call(func=ast.Name(id="enumerate"), args=[_], keywords=[]), ast.Tuple(elts=[ast.Name(id=v), *_]):
            return {v}
        case _:
            return set()


ENDLESS = (itertools.count, itertools.cycle)


class _Loop:
    """One `for` statement on its way to Core Python."""

    def __init__(self, s: ast.For, context: Context, around: Around) -> None:
        self.s, self.context = s, context
        self.private, self.nested, self.lists, self.first = around
        self.before: list[ast.stmt] = []
        self.after: list[ast.stmt] = []

    def over(self, iter: ast.expr, target: ast.expr, body: list[ast.stmt]) -> list[ast.stmt]:
        match self.builtin(iter), iter:
            case "range", _ if not _is_starred(iter):
                return self.loop(iter, target, body)
            case "reversed", ast.Call(args=[inner]) if self.builtin(inner) == "range" and not _is_starred(inner):
                return self.loop(iter, target, body)
            case "reversed" | "enumerate" | "zip", _:
                return self.indexed(iter, target, body)
            case _, ast.Call(func=ast.Attribute(value=owner, attr="items" | "values" | "keys" as view), args=[]):
                if methods_named(view, self.context.source.function):  # it may be an object that is asked
                    function = library.VIEWS[view]
                    given = expression("f(d)", f=self.context.use(function.__name__, function), d=owner)
                    return self.indexed(given, target, body)
                return self.view(owner, view, target, body)
            case _, ast.Call() if not self.is_eager(iter):
                return self.lazy(self.held(iter, "iterator"), target, body)
            case _, ast.Name(id=v) if v in self.context.iterators:
                return self.lazy(iter, target, body)
            case _:
                return self.indexed(iter, target, body)

    def builtin(self, e: ast.expr) -> str:
        """The name of the builtin that is called, if it is one and is not shadowed."""
        match e:
            case ast.Call(func=ast.Name(id=identifier)):
                known = getattr(builtins, identifier, None)
                return identifier if known is not None and self.context.scope.resolve(e.func) is known else ""
            case _:
                return ""

    def is_eager(self, e: ast.Call) -> bool:
        """Whether a call gives something with a length: a builtin constructor, or a function that tells by its text."""
        found = self.context.scope.resolve(e.func)
        if isinstance(found, type) and self.context.overloads("__iter__", "__getitem__"):
            return True
        if hasattr(found, "tree") or home_of(found).startswith((library.__name__, operators.__name__)):
            return True
        if found is MISSING and isinstance(e.func, ast.Attribute):
            methods = methods_named(e.func.attr, self.context.source.function)
            if methods:
                return all(function_gives_container(m) for m in methods)
        return gives_container(e, self.context.scope.resolve, self.nested)

    def loop(self, iter: ast.expr, target: ast.expr, body: list[ast.stmt]) -> list[ast.stmt]:
        """A loop whose variable is its own; other targets are assigned in the body."""
        if isinstance(target, ast.Name) and target.id in self.private:
            return [*self.before, replace(self.s, target=target, iter=iter, body=body, orelse=[]), *self.after]
        own = self.context.names.fresh(target.id + "_" if isinstance(target, ast.Name) else "item")
        body = [*self.assign(target, name(own)), *body]
        new = replace(self.s, target=ast.Name(own, ast.Store()), iter=iter, body=body, orelse=[])
        return [*self.before, new, *self.after]

    def lazy(self, iter: ast.expr, target: ast.expr, body: list[ast.stmt]) -> list[ast.stmt]:
        """An iterator of unknown kind: its items are assigned in the body, so that they can be kept."""
        self.private = self.private - {n.id for n in walk(target) if isinstance(n, ast.Name)}
        return self.loop(iter, target, body)

    def indexed(self, iter: ast.expr, target: ast.expr, body: list[ast.stmt]) -> list[ast.stmt]:
        """`for k in range(length): target = item k; ...`"""
        index = self.own_index(iter, target)
        length, item = self.reader(iter, index)
        read = self.destructure(target, item)
        return self.loop(self.range(length), ast.Name(index, ast.Store()), [*read, *body])

    def own_index(self, iter: ast.expr, target: ast.expr) -> str:
        """The user's own index in `for i, x in enumerate(xs)`, or a new one."""
        match iter, target:
            case ast.Call(args=[_], keywords=[]), ast.Tuple(elts=[ast.Name(id=index), *_]) if (
                self.builtin(iter) == "enumerate" and index in self.private
            ):
                return index
            case _:
                index = self.context.names.numbered("k")
                self.private.add(index)
                return index

    def endless(self, e: ast.expr, index: str) -> tuple[None, ast.expr] | None:
        """`count`, `repeat` and `cycle` of itertools, by index; None where e is none of them."""
        if not isinstance(e, ast.Call) or e.keywords:
            return None
        match self.context.scope.resolve(e.func), e.args:
            case itertools.count, []:
                return None, name(index)
            case itertools.count, [start, *step]:
                first = self.held(start, "start")
                by = self.held(step[0], "step") if step else ast.Constant(1)
                return None, expression("f + k * s", f=first, k=index, s=by) if step else expression(
                    "f + k", f=first, k=index
                )
            case itertools.repeat, [value]:
                return None, self.held(value, "value")
            case itertools.cycle, [inner]:
                held = self.held(expression("f(e)", f=self.context.use("sequence", sequence), e=inner), "items")
                return None, expression("s[k % n]", s=held, k=index, n=self.length(held))
            case _:
                return None

    def reader(self, e: ast.expr, index: str, beside: bool = False) -> tuple[ast.expr, ast.expr]:
        """The length of an iterable, and its item at the index; `beside` others, it may not be read to its end."""
        match self.builtin(e), e:
            case "zip", ast.Call(args=sequences) if sequences and not any(
                isinstance(a, ast.Starred) for a in sequences
            ):
                parts = [self.endless(a, index) or self.reader(a, index, len(sequences) > 1) for a in sequences]
                lengths = [length for length, _ in parts if length is not None]
                if not lengths:
                    raise self.context.refuse(e, f"'{ast.unparse(e)}'", "it never ends", "Loop over a range.")
                lengths = list({ast.dump(e): e for e in lengths}.values())
                if is_strict(e, self.context):
                    self.after.append(lengths_told(lengths, strictness(e), self.s, self.context))
                length = lengths[0] if len(lengths) == 1 else ast.Call(name(self.context.builtin("min")), lengths, [])
                return length, ast.Tuple([item for _, item in parts], ast.Load())
            case "range", ast.Call(args=[length], keywords=[]) if not isinstance(length, ast.Starred):
                return length, name(index)
            case "range", ast.Call(args=[ast.Constant(value=int()) as begin, end], keywords=[]):
                return expression("n - a", n=end, a=begin), expression("a + k", a=begin, k=index)
            case "enumerate", ast.Call(args=[inner, *start], keywords=keywords):
                first = start[0] if start else next((k.value for k in keywords), None)
                length, item = self.reader(inner, index, beside)
                count = name(index) if first is None else expression("i + o", i=index, o=self.held(first, "start"))
                return length, ast.Tuple([count, item], ast.Load())
            case "reversed", ast.Call(args=[inner]) if self.context.overloads("__reversed__"):
                items = expression("f(e)", f=self.context.use("reversed_of", operators.reversed_of), e=inner)
                held = self.held(items, "items")
                return self.length(held), expression("s[k]", s=held, k=index)
            case "reversed", ast.Call(args=[inner]):
                held = self.items(inner, inner)
                return self.length(held), expression("s[n - 1 - k]", s=held, n=self.length(held), k=index)
            case _:
                held = self.items(e, self.iterated(e, beside))
                return self.length(held), expression("s[k]", s=held, k=index)

    def iterated(self, e: ast.expr, beside: bool) -> ast.expr:
        """What a loop runs over, where that may be an object whose class says it."""
        known = isinstance(e, (ast.List, ast.Tuple, ast.Dict, ast.Constant))
        if known or not self.context.overloads("__iter__", "__getitem__"):
            return e
        if beside or leaves_loop(self.s):
            return expression("f(e)", f=self.context.use("iterated_in_part", operators.iterated_in_part), e=e)
        return expression("f(e)", f=self.context.use("iterated", operators.iterated), e=e)

    def items(self, e: ast.expr, given: ast.expr) -> ast.expr:
        """What a loop runs over; a list that the loop writes into is read as it is then."""
        match e:
            case ast.Name(id=v) if v in self.lists and _writes_items(self.s, v):
                return e
            case ast.Tuple(elts=elts) | ast.List(elts=elts) if elts and all(map(_is_number, elts)):
                held = self.context.names.numbered("items")
                self.first.append(assign(held, ast.Tuple(elts, ast.Load()), self.s))
                return name(held)
            case ast.Name(id=v) if _writes_items(self.s, v) and _writes_ahead(self.s, v):  # it may be a list, too
                return self.held(expression("f(e, True)", f=self.context.use("sequence", sequence), e=given), "items")
            case _:
                return self.held(expression("f(e)", f=self.context.use("sequence", sequence), e=given), "items")

    def length(self, e: ast.expr) -> ast.expr:
        return expression("f(s)", f=self.context.builtin("len"), s=e)

    def range(self, length: ast.expr) -> ast.expr:
        return expression("f(n)", f=self.context.builtin("range"), n=length)

    def held(self, e: ast.expr, base: str) -> ast.expr:
        """A name for an expression that is evaluated once, before the loop."""
        held = self.context.names.numbered(base)
        self.before.append(assign(held, e, self.s))
        return name(held)

    def destructure(self, target: ast.expr, item: ast.expr) -> list[ast.stmt]:
        """Part by part where both sides are tuples of one length: what is read is never what is assigned."""
        match target, item:
            case ast.Tuple(elts=slots), ast.Tuple(elts=parts) if len(slots) == len(parts) and not any(
                isinstance(e, ast.Starred) for e in slots
            ):
                return [new for slot, part in zip(slots, parts) for new in self.destructure(slot, part)]
            case ast.Name(id=a), ast.Name(id=b) if a == b:
                return []
            case _:
                return self.assign(target, item)

    def assign(self, target: ast.expr, value: ast.expr) -> list[ast.stmt]:
        return assign_target(target, value, self.s, self.context)

    def view(self, owner: ast.expr, view: str, target: ast.expr, body: list[ast.stmt]) -> list[ast.stmt]:
        """Iteration over a dict by its keys."""
        items = self.held(owner, "items")
        keys = self.held(expression("f(d)", f=self.context.use("keys_list", library.keys_list), d=items), "keys")
        index = self.own_index(owner, target)
        key = target if view == "keys" else target.elts[0] if _is_pair(target) and view == "items" else None
        held = key.id if isinstance(key, ast.Name) else self.context.names.numbered("key")
        first: list[ast.stmt] = [assign(held, expression("keys[k]", keys=keys, k=index), self.s)]
        item = expression("d[key]", d=items, key=held)
        if view == "values":
            first += self.assign(target, item)
        elif view == "items" and _is_pair(target):
            rest = self.assign(target.elts[1], item)
            first += rest if isinstance(key, ast.Name) else [*self.assign(target.elts[0], name(held)), *rest]
        elif view == "items":
            first += self.assign(target, ast.Tuple([name(held), item], ast.Load()))
        elif not isinstance(key, ast.Name):
            first += self.assign(target, name(held))
        return self.loop(self.range(self.length(keys)), ast.Name(index, ast.Store()), [*first, *body])


def _lists(f: ast.FunctionDef, context: Context) -> set[str]:
    """Variables that only ever are lists made here."""
    made: dict[str, list[bool]] = {a.arg: [False] for a in walk(f.args) if isinstance(a, ast.arg)}
    for s in statements(f.body):
        match s:
            case ast.Assign(targets=[ast.Name(id=v)], value=ast.Name(id=other)):
                made.setdefault(v, []).append(all(made.get(other, [False])))
            case ast.Assign(targets=[ast.Name(id=v)], value=value):
                listed = isinstance(value, (ast.List, ast.ListComp)) or _is_list_call(value, context)
                made.setdefault(v, []).append(listed)
            case _:
                for v in writes(s):
                    made.setdefault(v, []).append(isinstance(s, ast.AugAssign))
    return {v for v, kinds in made.items() if all(kinds)}


def _is_list_call(e: ast.expr, context: Context) -> bool:
    match e:
        case ast.Call(func=func):
            return context.scope.resolve(func) in (list, sorted)
        case ast.BinOp(left=ast.List(), op=ast.Mult()) | ast.BinOp(op=ast.Mult(), right=ast.List()):
            return True
        case _:
            return False


def _writes_items(s: ast.For, v: str) -> bool:
    """Whether a loop writes into items of a variable, which stays the same list."""
    stores = (n for x in s.body for n in ast.walk(x) if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store))
    bound = {t.id for x in s.body for n in ast.walk(x) if isinstance(n, ast.Assign) for t in n.targets
             if isinstance(t, ast.Name)}  # fmt: skip
    return any(isinstance(n.value, ast.Name) and n.value.id == v for n in stores) and v not in bound


def _writes_ahead(s: ast.For, v: str) -> bool:
    """Whether a loop writes into other items of a variable than the one at its own index."""
    own = {n.id for n in ast.walk(s.target) if isinstance(n, ast.Name)}
    stores = [n for x in s.body for n in ast.walk(x) if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store)]
    places = [n.slice for n in stores if isinstance(n.value, ast.Name) and n.value.id == v]
    return any(not (isinstance(e, ast.Name) and e.id in own) for e in places)


def _is_starred(e: ast.expr) -> bool:
    """Whether the bounds of a range are behind a star: how many there are is not known."""
    return isinstance(e, ast.Call) and any(isinstance(a, ast.Starred) for a in e.args)


def _is_number(e: ast.expr) -> bool:
    """Whether an expression is a number that is written out."""
    e = e.operand if isinstance(e, ast.UnaryOp) and isinstance(e.op, ast.USub) else e
    return isinstance(e, ast.Constant) and type(e.value) in (int, float)


def _is_pair(target: ast.expr) -> TypeGuard[ast.Tuple]:
    return isinstance(target, ast.Tuple) and len(target.elts) == 2 and not any(
        isinstance(e, ast.Starred) for e in target.elts
    )  # fmt: skip
