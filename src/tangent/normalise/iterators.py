"""Iterators that are read at once become comprehensions and lists; functions of functions become plain Python.

sum(map(f, filter(g, xs)))     ->   sum([f(x) for x in [x for x in xs if g(x)]])
for y in map(f, xs): ...       ->   for x in xs: y = f(x); ...
list(chain(a, b))              ->   list([*a, *b])
reduce(f, xs, 0.0)             ->   reduced(f, xs, 0.0)          (runtime/library.py)
sum(steps(x, 3))               ->   sum(steps_list(x, 3))        (a generator function, source/generators.py)

What is not read at once stays an iterator, which no derivative can flow through.
"""

from __future__ import annotations

import ast
import builtins
import functools
import itertools
import operator
import types
from typing import Any

import numpy as np

from tangent.normalise.context import Context
from tangent.normalise.jumps import leaves_loop
from tangent.runtime import library
from tangent.source.generators import collecting, collecting_tree, has_effects, is_generator
from tangent.source.resolve import MISSING
from tangent.syntax.quote import assign, call, constant, expression, name
from tangent.syntax.rebuild import rebuild, replace, walk_scope, with_blocks
from tangent.syntax.uses import COMPREHENSIONS, SCOPES

CONSUMERS = frozenset({sum, list, tuple, max, min, sorted, set, frozenset, dict, functools.reduce})
INDEXED = (zip, enumerate, reversed)
KEYWORDS: dict[str, set[str | None]] = {"zip": {"strict"}, "enumerate": {"start"}}


def iterators(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    rewrite = _Iterators(f, context)
    return replace(f, body=rewrite.block(f.body))


class _Iterators:
    def __init__(self, f: ast.FunctionDef, context: Context) -> None:
        self.context = context
        self.generators = self.local_generators(f)
        self.waiting = _read_once(f, self)

    # Statements

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        return [new for s in body for new in self.statement(s)]

    def statement(self, s: ast.stmt) -> list[ast.stmt]:
        match s:
            case ast.FunctionDef(name=v) if v in self.generators:
                tree = collecting_tree(s)
                return [tree] if tree is not None else [s]
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                return [s]
            case ast.Assign(targets=[ast.Name(id=v)], value=ast.Call() as value) if v in self.waiting:
                return self.hold(v, value, s)
            case ast.For():
                return self.loop(s)
            case ast.Assign(targets=[ast.Tuple() | ast.List()], value=value):
                return [replace(s, value=self.read(value, True))]
        return [self.inside(with_blocks(s, self.block))]

    def inside(self, s: ast.stmt) -> ast.stmt:
        """The statement with its own expressions rewritten; its blocks are done."""
        changes: dict[str, Any] = {}
        for field, old in ast.iter_fields(s):
            if field in ("targets", "target"):
                continue
            if isinstance(old, ast.expr):
                new = self.read(old)
                if new is not old:
                    changes[field] = new
            elif isinstance(old, list) and old and isinstance(old[0], ast.withitem):
                changes[field] = [replace(i, context_expr=self.read(i.context_expr)) for i in old]
        return replace(s, **changes) if changes else s

    def loop(self, s: ast.For) -> list[ast.stmt]:
        """Loops over `map` and `filter` call the function item by item, as Python does."""
        inner = replace(s, body=self.block(s.body), orelse=self.block(s.orelse))
        whole = not leaves_loop(s)
        if (opened := self.elements(inner)) is not None:
            return opened
        match self.kind(s.iter), s.iter:
            case "map", ast.Call(args=[function, items]):
                held, before = self.held(function, "function", s)
                item = self.context.names.numbered("item")
                first = assign_to(s.target, self.applied(held, [name(item)]), s)
                new = replace(inner, target=ast.Name(item, ast.Store()), iter=items, body=[first, *inner.body])
                return [*before, *self.loop_again(new)]
            case "filter", ast.Call(args=[function, items]) if isinstance(s.target, ast.Name):
                held, before = self.held(function, "function", s)
                test = self.kept(held, name(s.target.id))
                body: list[ast.stmt] = [ast.copy_location(ast.If(test, inner.body, []), s)]
                return [*before, *self.loop_again(replace(inner, iter=items, body=body))]
            case "zip" | "enumerate" | "reversed", ast.Call(args=args) if not _starred(args):
                return [replace(inner, iter=replace(s.iter, args=[self.read(a, whole) for a in args]))]
            case "view", _:
                return [inner]
        return [replace(inner, iter=self.read(s.iter, whole and not self.interleaves(s.iter)))]

    def elements(self, s: ast.For) -> list[ast.stmt] | None:
        """`for i, v in np.ndenumerate(x)` runs over the indices."""
        match s:
            case ast.For(target=ast.Tuple(elts=[index, item]), iter=ast.Call(func=func, args=[array], keywords=[])) if (
                self.context.scope.resolve(func) is np.ndenumerate
            ):
                held, place = self.context.names.numbered("array"), self.context.names.numbered("index")
                module = func.value if isinstance(func, ast.Attribute) else name(self.context.use("np", np))
                first = [assign_to(index, name(place), s), assign_to(item, expression("x[i]", x=held, i=place), s)]
                indices = expression("np.ndindex(np.shape(x))", np=module, x=held)
                loop = replace(s, target=ast.Name(place, ast.Store()), iter=indices, body=[*first, *s.body])
                return [assign(held, self.read(array), s), loop]
            case _:
                return None

    def interleaves(self, e: ast.expr) -> bool:
        """Whether what an iterator does takes turns with what the loop does."""
        found = self.context.scope.resolve(e.func) if isinstance(e, ast.Call) else MISSING
        return isinstance(found, types.FunctionType) and is_generator(found) and has_effects(found)

    def loop_again(self, s: ast.For) -> list[ast.stmt]:
        whole = not leaves_loop(s)
        if self.kind(s.iter) in ("map", "filter"):
            outer = _Outer(s, self)
            return outer.rewritten()
        return [replace(s, iter=self.read(s.iter, whole))]

    def held(self, e: ast.expr, base: str, s: ast.stmt) -> tuple[ast.expr, list[ast.stmt]]:
        """A function that is evaluated once, before the loop; names, lambdas and paths need no other name."""
        if isinstance(e, ast.Name | ast.Lambda | ast.Constant) or self.context.scope.resolve(e) is not MISSING:
            return e, []
        held = self.context.names.numbered(base)
        return name(held), [assign(held, self.read(e), s)]

    def hold(self, v: str, e: ast.Call, s: ast.stmt) -> list[ast.stmt]:
        """The arguments of an iterator that is read later, once, are evaluated where it is made."""
        before: list[ast.stmt] = []

        def part(a: ast.expr) -> ast.expr:
            if isinstance(a, ast.Lambda | ast.Constant) or self.context.scope.resolve(a) is not MISSING:
                return a
            held = self.context.names.numbered(f"{v}_part")
            before.append(assign(held, self.read(a), s))
            return name(held)

        self.waiting[v] = replace(
            e, args=[part(a) for a in e.args], keywords=[replace(k, value=part(k.value)) for k in e.keywords]
        )
        return before

    # Expressions

    def read(self, e: ast.expr, consumed: bool = False) -> ast.expr:
        """The expression; `consumed` where all its items are read at once."""
        match e:
            case ast.Name(id=v) if v in self.waiting and isinstance(e.ctx, ast.Load):
                return self.read(self.waiting[v] or e, consumed) if self.waiting[v] is not None else e
            case ast.Lambda() | ast.Constant() | ast.Name():
                return e
            case ast.GeneratorExp() if not consumed:
                return e
            case ast.Starred(value=value):
                return replace(e, value=self.read(value, True))
            case ast.Call():
                return self.call(e, consumed)
        if isinstance(e, COMPREHENSIONS):
            return self.comprehension(e)
        return self.parts(e)

    def parts(self, e: ast.expr) -> ast.expr:
        changes: dict[str, Any] = {}
        for field, old in ast.iter_fields(e):
            if isinstance(old, ast.expr):
                changes[field] = self.read(old)
            elif isinstance(old, list) and old and isinstance(old[0], ast.expr | ast.keyword | None):
                changes[field] = [self.part(x) for x in old]
        same = all(_same(new, getattr(e, field)) for field, new in changes.items())
        return e if same else replace(e, **changes)

    def part(self, x: Any) -> Any:
        if isinstance(x, ast.keyword):
            new = self.read(x.value)
            return x if new is x.value else replace(x, value=new)
        return self.read(x) if isinstance(x, ast.expr) else x

    def comprehension(self, e: Any) -> ast.expr:
        """Loops over `map` and `filter` inside comprehensions read their items one by one, too."""
        generators = [replace(g, iter=self.source(g.iter), ifs=[self.read(i) for i in g.ifs]) for g in e.generators]
        inner = {k: self.read(getattr(e, k)) for k in ("elt", "key", "value") if hasattr(e, k)}
        return replace(e, generators=generators, **inner)  # type: ignore[no-any-return]

    def source(self, e: ast.expr) -> ast.expr:
        """What a comprehension runs over: as for a loop that ends when its iterable does."""
        match self.kind(e), e:
            case "zip" | "enumerate" | "reversed", ast.Call(args=args) if not _starred(args):
                return replace(e, args=[self.read(a, True) for a in args])
            case "view", _:
                return e
        return self.read(e, True)

    def kind(self, e: ast.expr) -> str:
        """Which iterator a call makes: the name of the builtin, or `view` for a view of a dict."""
        if not isinstance(e, ast.Call):
            return ""
        found = self.context.scope.resolve(e.func)
        for known in (map, filter, *INDEXED):
            if found is known and {k.arg for k in e.keywords} <= KEYWORDS.get(known.__name__, set()):
                return str(known.__name__)
        view = isinstance(e.func, ast.Attribute) and e.func.attr in library.VIEWS and not e.args and found is MISSING
        return "view" if view else ""

    def call(self, e: ast.Call, consumed: bool) -> ast.expr:
        found = self.context.scope.resolve(e.func)
        if found is MISSING and isinstance(e.func, ast.Name) and e.func.id in self.generators:
            made = self.parts(e)
            return ast.copy_location(call(self.context.builtin("list"), made), e) if consumed else made
        try:
            hash(found)
        except TypeError:
            return self.parts(e)
        if consumed:
            listed = self.iterator(e, found)
            if listed is not None:
                return listed
        if _reads_all(found) and found not in library.EAGER:
            args = [self.read(a, True) for a in e.args]
            e = replace(e, args=args, keywords=[self.part(k) for k in e.keywords])
            return self.chosen(e, found)
        if found in library.EAGER:
            args = [self.read(a, found is functools.reduce and i == 1) for i, a in enumerate(e.args)]
            keywords = [self.part(k) for k in e.keywords]
            stand_in = self.use(library.EAGER[found])
            return replace(e, func=name(stand_in), args=args, keywords=keywords)
        if found in library.GETTERS and (getter := _getter(e, found, self.context)) is not None:
            return getter
        return self.parts(e)

    def use(self, function: Any) -> str:
        return self.context.use(function.__name__, function)

    def chosen(self, e: ast.Call, found: Any) -> ast.expr:
        """`sorted`, `max` and `min` with a key, `dict` of pairs."""
        options = {k.arg: k.value for k in e.keywords}
        match found, e.args:
            case builtins.sorted, [items] if "key" in options and not _is_none(options["key"]):
                order = [options["reverse"]] if "reverse" in options else []
                return ast.copy_location(call(self.use(library.sorted_by), items, options["key"], *order), e)
            case builtins.max | builtins.min, [_, *_] if {"key", "default"} & set(options) and not _starred(e.args):
                items = e.args[0] if len(e.args) == 1 else ast.List(list(e.args), ast.Load())
                key, largest = options.get("key", constant(None)), constant(found is max)
                if "default" in options:
                    made = call(self.use(library.chosen_or), items, key, largest, options["default"])
                else:
                    made = call(self.use(library.chosen_by), items, key, largest)
                return ast.copy_location(made, e)
            case builtins.dict, [_]:
                return replace(e, func=name(self.use(library.made_dict)))
            case _:
                return e

    def iterator(self, e: ast.Call, found: Any) -> ast.expr | None:
        """An iterator whose items are all read at once, as a list; None where it is none that is known."""
        plain = not _starred(e.args)
        match self.kind(e), e.args:
            case "map", [function, items] if plain:
                item = self.context.names.numbered("item")
                return self.listed(self.applied(function, [name(item)]), item, self.read(items, True), e)
            case "map", [function, *several] if plain and several:
                each = [self.context.names.numbered("item") for _ in several]
                pairs = call(self.context.builtin("zip"), *(self.read(a, True) for a in several))
                target = ast.Tuple([ast.Name(v, ast.Store()) for v in each], ast.Store())
                made = self.applied(function, [name(v) for v in each])
                return ast.copy_location(ast.ListComp(made, [ast.comprehension(target, pairs, [], 0)]), e)
            case "map", [function, *several] if several:
                row = self.context.names.numbered("items")
                value = ast.Call(function, [ast.Starred(name(row), ast.Load())], [])
                rows = ast.Call(name(self.use(library.zipped)), [self.read(a, True) for a in several], [])
                return self.listed(value, row, rows, e)
            case "filter", [function, items]:
                item = self.context.names.numbered("item")
                return self.listed(name(item), item, self.read(items, True), e, self.kept(function, name(item)))
            case "zip", _ if not plain:
                return replace(e, func=name(self.use(library.zipped)), args=[self.read(a, True) for a in e.args])
            case "zip" | "enumerate" | "reversed", args:
                item = self.context.names.numbered("item")
                inner = replace(e, args=[self.read(a, True) for a in args])
                return self.listed(name(item), item, inner, e)
            case "view", _ if isinstance(e.func, ast.Attribute):
                return ast.copy_location(call(self.use(library.VIEWS[e.func.attr]), self.read(e.func.value)), e)
        if found in (itertools.chain,):
            return ast.copy_location(
                ast.List([a if isinstance(a, ast.Starred) else ast.Starred(self.read(a, True), ast.Load())
                          for a in e.args], ast.Load()), e,
            ) if plain else None  # fmt: skip
        if found in library.LAZY:
            partial = found is itertools.islice
            args = [self.read(a, not partial) for a in e.args]
            return replace(
                e, func=name(self.use(library.LAZY[found])), args=args, keywords=[self.part(k) for k in e.keywords]
            )
        return self.other_iterator(e, found)

    def other_iterator(self, e: ast.Call, found: Any) -> ast.expr | None:
        item = self.context.names.numbered
        match e.args:
            case [items] if found == itertools.chain.from_iterable:
                outer, inner = item("items"), item("item")
                generators = [_generator(outer, self.read(items, True)), _generator(inner, name(outer))]
                return ast.copy_location(ast.ListComp(name(inner), generators), e)
            case [value, count] if found is itertools.repeat:
                return self.listed(value, item("_"), call(self.context.builtin("range"), count), e)
            case [function, items] if found is itertools.starmap:
                each = item("items")
                value = ast.Call(function, [ast.Starred(name(each), ast.Load())], [])
                return self.listed(value, each, self.read(items, True), e)
            case [function, items] if found is itertools.filterfalse:
                each = item("item")
                test = ast.UnaryOp(ast.Not(), self.kept(function, name(each)))
                return self.listed(name(each), each, self.read(items, True), e, test)
            case [data, selectors] if found is itertools.compress:
                each, chosen = item("item"), item("selected")
                pairs = call(self.context.builtin("zip"), self.read(data, True), self.read(selectors, True))
                target = ast.Tuple([ast.Name(each, ast.Store()), ast.Name(chosen, ast.Store())], ast.Store())
                made = ast.ListComp(name(each), [ast.comprehension(target, pairs, [name(chosen)], 0)])
                return ast.copy_location(made, e)
        if is_generator(found):
            made_function = collecting(found)
            if made_function is not None:
                used = self.context.use(f"{found.__name__}_list", made_function)
                return replace(self.parts(e), func=name(used))
        return None

    def listed(
        self, value: ast.expr, item: str, items: ast.expr, like: ast.expr, test: ast.expr | None = None
    ) -> ast.expr:
        """`[value for item in items if test]`."""
        generator = _generator(item, items)
        generator.ifs = [test] if test is not None else []
        return ast.copy_location(ast.ListComp(value, [generator]), like)

    def applied(self, function: ast.expr, args: list[ast.expr]) -> ast.expr:
        """A call; that of a plain lambda is its body."""
        match function:
            case ast.Lambda(args=ast.arguments(args=parameters, posonlyargs=[], vararg=None, kwonlyargs=[], kwarg=None,
                            defaults=[]), body=body) if len(parameters) == len(args) and not _scoped(body):  # fmt: skip
                parts = {p.arg: a for p, a in zip(parameters, args)}
                return rebuild(body, lambda x: parts.get(x.id, x) if isinstance(x, ast.Name) else x)
            case _:
                return ast.copy_location(ast.Call(function, args, []), function)

    def kept(self, function: ast.expr, item: ast.expr) -> ast.expr:
        return item if _is_none(function) else self.applied(function, [item])

    def local_generators(self, f: ast.FunctionDef) -> set[str]:
        """Generator functions defined inside, whose every call is read at once."""
        found = {
            s.name for s in walk_scope(f)
            if isinstance(s, ast.FunctionDef) and any(isinstance(n, ast.Yield | ast.YieldFrom) for n in walk_scope(s))
        }  # fmt: skip
        if not found:
            return found
        uses = [n for n in ast.walk(f) if isinstance(n, ast.Name) and n.id in found]
        whole = {id(c.func) for c in _consumed_calls(f, self.context) if isinstance(c.func, ast.Name)}
        return found - {n.id for n in uses if id(n) not in whole}


class _Outer:
    """A loop over `map` of `map`: the inner one is opened in turn."""

    def __init__(self, s: ast.For, rewrite: _Iterators) -> None:
        self.s, self.rewrite = s, rewrite

    def rewritten(self) -> list[ast.stmt]:
        done = replace(self.s, body=[], orelse=[])
        opened = self.rewrite.loop(done)
        *before, last = opened
        assert isinstance(last, ast.For)
        return [*before, _with_tail(last, self.s.body, self.s.orelse)]


def _with_tail(loop: ast.For, body: list[ast.stmt], orelse: list[ast.stmt]) -> ast.For:
    """The loop with a body at the innermost place of what was opened."""
    match loop.body:
        case [*first, ast.If(body=[]) as test]:
            return replace(loop, body=[*first, replace(test, body=body)], orelse=orelse)
        case first:
            return replace(loop, body=[*first, *body], orelse=orelse)


def assign_to(target: ast.expr, value: ast.expr, like: ast.stmt) -> ast.stmt:
    return ast.copy_location(ast.Assign([target], value), like)


def _generator(item: str, items: ast.expr) -> ast.comprehension:
    return ast.comprehension(ast.Name(item, ast.Store()), items, [], 0)


def _starred(args: list[ast.expr]) -> bool:
    return any(isinstance(a, ast.Starred) for a in args)


def _is_none(e: ast.expr) -> bool:
    return isinstance(e, ast.Constant) and e.value is None


def _scoped(e: ast.expr) -> bool:
    return any(isinstance(n, (*SCOPES, *COMPREHENSIONS, ast.NamedExpr)) for n in ast.walk(e))


def _same(a: object, b: object) -> bool:
    if isinstance(a, list) and isinstance(b, list):
        return all(x is y for x, y in zip(a, b))
    return a is b


def _getter(e: ast.Call, found: Any, context: Context) -> ast.expr | None:
    """`itemgetter(1)` as `lambda v: v[1]`; None where what it gets is not written out."""
    if (e.keywords and found is not operator.methodcaller) or not e.args or _starred(e.args):
        return None
    v = context.names.numbered("v")
    texts = [a.value if isinstance(a, ast.Constant) else None for a in e.args]
    parts: list[ast.expr] = []
    if found is operator.itemgetter:
        if not all(isinstance(a, ast.Constant | ast.UnaryOp) for a in e.args):
            return None
        parts = [expression("v[i]", v=v, i=a) for a in e.args]
    elif found is operator.attrgetter and all(isinstance(t, str) for t in texts):
        parts = [expression(f"v.{t!s}", v=v) for t in texts]
    elif found is operator.methodcaller and isinstance(texts[0], str):
        if not all(isinstance(a, ast.Constant) for a in (*e.args, *(k.value for k in e.keywords))):
            return None
        parts = [ast.Call(expression(f"v.{texts[0]}", v=v), list(e.args[1:]), e.keywords)]
    if not parts:
        return None
    body = parts[0] if len(parts) == 1 else ast.Tuple(parts, ast.Load())
    args = ast.arguments([], [ast.arg(v)], None, [], [], None, [])
    return ast.copy_location(ast.Lambda(args, body), e)


def _consumed_calls(f: ast.FunctionDef, context: Context) -> list[ast.Call]:
    """Calls whose result is read whole by what they stand in."""
    found: list[ast.expr] = []
    for n in walk_scope(f):
        match n:
            case ast.For(iter=iter) if not leaves_loop(n):
                found.append(iter)
            case ast.comprehension(iter=iter):
                found.append(iter)
            case ast.Starred(value=value):
                found.append(value)
            case ast.Call(func=func, args=args) if _consumes(func, context):
                found += args
            case ast.Assign(targets=[ast.Tuple() | ast.List()], value=value):
                found.append(value)
    return [e for e in found if isinstance(e, ast.Call)]


def _reads_all(found: Any) -> bool:
    """Whether a function reads all of its iterable before it returns."""
    return found in CONSUMERS or getattr(found, "__module__", "") in ("math", "statistics")


def _consumes(func: ast.expr, context: Context) -> bool:
    found = context.scope.resolve(func)
    try:
        return _reads_all(found) or found in library.LAZY or found in (map, filter, itertools.chain, *INDEXED)
    except TypeError:
        return False


def _read_once(f: ast.FunctionDef, rewrite: _Iterators) -> dict[str, Any]:
    """Names of iterators that are made in one place and read in one other, not inside a loop of its own."""
    made: dict[str, tuple[ast.stmt, tuple[int, ...]]] = {}
    counts: dict[str, int] = {}
    depth: dict[str, tuple[int, ...]] = {}

    def visit(node: ast.AST, loops: tuple[int, ...]) -> None:
        match node:
            case ast.Assign(targets=[ast.Name(id=v)], value=ast.Call() as value) if _is_iterator(value, rewrite):
                made[v] = (node, loops)
            case ast.Name(id=v, ctx=ast.Load()):
                depth[v] = loops
        if isinstance(node, ast.Name):
            counts[node.id] = counts.get(node.id, 0) + 1
        for child in ast.iter_child_nodes(node):
            inner = isinstance(node, ast.For | ast.While) and child in node.body
            scope = isinstance(node, (*SCOPES, *COMPREHENSIONS, ast.While))
            visit(child, (*loops, id(node)) if inner or scope else loops)

    for s in f.body:
        visit(s, ())
    return {v: None for v, (_, loops) in made.items() if counts[v] == 2 and depth.get(v) == loops}


def _is_iterator(e: ast.Call, rewrite: _Iterators) -> bool:
    found = rewrite.context.scope.resolve(e.func)
    if rewrite.kind(e) in ("map", "filter", "zip", "enumerate", "reversed"):
        return True
    try:
        return found in library.LAZY or found is itertools.chain or is_generator(found)
    except TypeError:
        return False
