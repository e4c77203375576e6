"""Expressions over iterators: what is read whole becomes a list, functions of functions become plain Python."""

from __future__ import annotations

import ast
import builtins
import functools
import itertools
import types
from typing import Any, Literal

import numpy as np

from tangent.normalise.context import Context
from tangent.normalise.iterators.consuming import read_whole
from tangent.normalise.iterators.getters import getter
from tangent.normalise.iterators.known import (
    LISTING,
    any_starred,
    is_extending,
    kind,
    local_generators,
    made_dicts,
    read_once,
    reads_all,
)
from tangent.normalise.iterators.turns import Turns, generator_methods
from tangent.normalise.overloading import total_of
from tangent.runtime import calls, classes, library, objects, operators
from tangent.source.generators import collecting, has_effects, is_generator
from tangent.source.resolve import MISSING
from tangent.syntax.core import is_atom
from tangent.syntax.quote import call, constant, expression, name
from tangent.syntax.rebuild import rebuild, replace, walk_scope
from tangent.syntax.uses import COMPREHENSIONS, SCOPES
from tangent.syntax.walk import walk

CALLING = (itertools.starmap, itertools.filterfalse)  # they call a function for each item, as `map` and `filter`

# How the items of an iterator are read: perhaps not all, one after the other, or all before any is looked at.
Reading = Literal["", "each", "list"]


class Expressions:
    """Rewrites the expressions of a function."""

    def __init__(self, f: ast.FunctionDef, context: Context) -> None:
        self.context = context
        self.turns = Turns(f, context)
        self.generators = context.generators = local_generators(f, context) - self.seen_at_work(f)
        self.waiting: dict[str, ast.Call | None] = read_once(f, context)
        self.defined = {n.name for n in walk(f) if isinstance(n, ast.FunctionDef)} | _lambdas(f)
        self.dicts = frozenset() if context.memory else made_dicts(f, context)

    def seen_at_work(self, f: ast.FunctionDef) -> set[str]:
        """Functions defined inside that loops see at work between their items."""
        loops: list[tuple[ast.expr, ast.expr, list[Any]]] = []
        for n in walk_scope(f):
            if isinstance(n, ast.For):
                loops.append((n.iter, n.target, n.body))
            elif isinstance(n, COMPREHENSIONS):
                doing = _done_inside(n)
                loops += [(g.iter, g.target, [x for x in doing if x is not g.iter]) for g in n.generators]
        taken = [iter for iter, target, doing in loops if self.turns.taken(iter, target, doing)]
        return {n.id for iter in taken for n in walk(iter) if isinstance(n, ast.Name)}

    def read(self, e: ast.expr, consumed: Reading = "") -> ast.expr:
        """The expression; `consumed` tells how its items are read, where it is an iterator."""
        match e:
            case ast.Name(id=v) if v in self.waiting and isinstance(e.ctx, ast.Load):
                return self.read(self.waiting[v] or e, consumed) if self.waiting[v] is not None else e
            case ast.Lambda() | ast.Constant() | ast.Name():
                return e
            case ast.GeneratorExp() if not consumed:
                return e
            case ast.Starred(value=ast.GeneratorExp(elt=elt, generators=generators) as value):
                return replace(e, value=self.read(ast.copy_location(ast.ListComp(elt, generators), value)))
            case ast.Starred(value=value):
                return replace(e, value=self.items(self.read(value, "list")))
            case ast.Call():
                return self.call(e, consumed)
        if isinstance(e, COMPREHENSIONS):
            return self.comprehension(e)
        return self.parts(e)

    def items(self, e: ast.expr) -> ast.expr:
        """What is read whole, where that may be an object whose class says what its items are."""
        return ast.copy_location(call(self.use(operators.iterated), e), e) if self.may_be_object(e) else e

    def may_be_object(self, e: ast.expr) -> bool:
        may_be = isinstance(e, (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.BinOp))
        return may_be and self.context.overloads("__iter__", "__getitem__")

    def extended(self, e: ast.expr, by: ast.Call) -> ast.expr:
        """What a method of a list or dict reads whole; an object that has such a method is given it as it is."""
        assert isinstance(by.func, ast.Attribute)
        if not self.may_be_object(e):
            return e
        read = operators.pairs_for if by.func.attr == "update" else operators.items_for
        return ast.copy_location(call(self.use(read), by.func.value, e), e)

    def read_by(self, function: ast.expr, items: ast.expr) -> ast.expr:
        """What is read item by item, with a call of a function between them."""
        taken = self.turns.taken(items, None, [function, ast.Call(function, [], [])])
        return self.read(items, "" if taken else "each")

    def parts(self, e: ast.expr) -> ast.expr:
        changes: dict[str, Any] = {}
        for field, old in ast.iter_fields(e):
            if isinstance(old, ast.expr):
                changes[field] = self.read(old)
            elif isinstance(old, list) and old and isinstance(old[0], (ast.expr, ast.keyword, types.NoneType)):
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
        doing = _done_inside(e)
        opened = [part for g in e.generators for part in self.opened(g)]
        generators = [replace(g, iter=self.source(g, doing), ifs=[self.read(i) for i in g.ifs]) for g in opened]
        inner = {k: self.read(getattr(e, k)) for k in ("elt", "key", "value") if hasattr(e, k)}
        return replace(e, generators=generators, **inner)  # type: ignore[no-any-return]

    def opened(self, g: ast.comprehension) -> list[ast.comprehension]:
        """`for i, v in np.ndenumerate(x)` as `for k in np.ndindex(np.shape(x)) for i, v in [(k, x[k])]`."""
        match g:
            case ast.comprehension(ast.Tuple(elts=[_, _]), ast.Call(func=func, args=[array], keywords=[])) if (
                self.context.scope.resolve(func) is np.ndenumerate
            ):
                held, place = self.context.names.numbered("array"), self.context.names.numbered("index")
                module = func.value if isinstance(func, ast.Attribute) else name(self.context.use("np", np))
                indices = expression("np.ndindex(np.shape(x))", np=module, x=held)
                pairs = expression("[(i, x[i])]", x=held, i=place)
                once = ast.copy_location(ast.List([array], ast.Load()), array)
                return [_generator(held, once), _generator(place, indices), replace(g, iter=pairs)]
            case _:
                return [g]

    def source(self, g: ast.comprehension, doing: list[ast.expr]) -> ast.expr:
        """What a comprehension runs over: as for a loop that ends when its iterable does."""
        e = g.iter
        whole: Reading = "" if self.turns.taken(e, g.target, [n for n in doing if n is not e]) else "each"
        match kind(e, self.context), e:
            case "zip" | "enumerate" | "reversed", ast.Call(args=args) if not any_starred(args):
                return replace(e, args=[self.by_index(a, whole) for a in args])
            case "view", _:
                return e
        return self.read(e, whole)

    def by_index(self, e: ast.expr, whole: Reading) -> ast.expr:
        """What `zip`, `enumerate` or `reversed` run over: another one of them is run through by the same index."""
        match kind(e, self.context), e:
            case "zip" | "enumerate" | "reversed", ast.Call(args=args) if not any_starred(args):
                return replace(e, args=[self.by_index(a, whole) for a in args])
            case _:
                return self.read(e, whole)

    def call(self, e: ast.Call, consumed: Reading) -> ast.expr:
        found = self.context.scope.resolve(e.func)
        if found is MISSING and isinstance(e.func, ast.Name) and e.func.id in self.generators:
            made = self.parts(e)
            return ast.copy_location(call(self.context.builtin("list"), made), e) if consumed else made
        try:
            hash(found)
        except TypeError:
            return self.parts(e)
        if consumed:
            listed = self.iterator(e, found, consumed)
            if listed is not None:
                return listed
        if is_extending(e, self.context):
            args = [self.extended(self.read(a, "list"), e) for a in e.args]
            return replace(e, args=args, keywords=[self.part(k) for k in e.keywords])
        if reads_all(found) and found not in library.EAGER:
            kind_read: Reading = "list" if found in LISTING else "each"
            count = 1 if found is sum else 0 if found in (max, min) and len(e.args) > 1 else len(e.args)
            args = [self.items(self.read(a, kind_read)) if i < count else self.read(a) for i, a in enumerate(e.args)]
            named = [self.part(k) for k in e.keywords]
            if [k.arg for k in named] == ["start"] and total_of(found, self.context):
                args, named = [*args, named[0].value], []
            return self.chosen(replace(e, args=args, keywords=named), found)
        if getattr(found, "makes_derivatives", False) and e.args and self.may_be_method(e.args[0]):
            made = call(self.use(calls.differentiated), e.args[0])
            return self.parts(replace(e, args=[made, *e.args[1:]]))
        if found is getattr and not self.context.memory and not e.keywords and not any_starred(e.args):
            read: Any = objects.field if len(e.args) == 2 else library.field_or
            return replace(self.parts(e), func=name(self.use(read)))
        if found is object.__getattribute__ and not self.context.memory:  # see source/namespaces.py
            return replace(self.parts(e), func=name(self.use(objects.held)))
        if found in library.EAGER:
            reduced = found is functools.reduce
            args = [self.read_by(e.args[0], a) if reduced and i == 1 else self.read(a) for i, a in enumerate(e.args)]
            keywords = [self.part(k) for k in e.keywords]
            stand_in = self.use(library.EAGER[found])
            return replace(e, func=name(stand_in), args=args, keywords=keywords)
        if found in library.GETTERS and (lambda_ := getter(e, found, self.context)) is not None:
            return lambda_
        if found == dict.fromkeys and 0 < len(e.args) < 3 and not e.keywords and not any_starred(e.args):
            return self.same_for_all(e)
        return self.parts(self.with_lists(e, found))

    def with_lists(self, e: ast.Call, found: Any) -> ast.Call:
        """A call that is given lists in place of iterators which it reads whole."""
        match e:
            case ast.Call(func=func, args=[ast.GeneratorExp() | ast.Call() as items], keywords=[]) if (
                _is_class_of(func, self.context) and (isinstance(items, ast.GeneratorExp) or self.is_iterator(items))
            ):
                made = ast.copy_location(call(self.use(classes.reading_class), func), e)
                return replace(e, func=made, args=[ast.List([ast.Starred(items, ast.Load())], ast.Load())])
        named = [replace(k, value=self.handed(k.value, e, found)) for k in e.keywords]
        return replace(e, args=[self.handed(a, e, found) for a in e.args], keywords=named)

    def same_for_all(self, e: ast.Call) -> ast.expr:
        """`dict.fromkeys(keys, v)`: as `{k: v for k in keys}` where nothing is computed for each key."""
        if not all(map(is_atom, e.args[1:])):
            keys, value = self.read(e.args[0], "list"), self.read(e.args[1])
            return replace(e, func=name(self.use(library.from_keys)), args=[keys, value])
        k = self.context.names.numbered("k")
        over = ast.comprehension(ast.Name(k, ast.Store()), e.args[0], [], 0)
        value = e.args[1] if len(e.args) > 1 else constant(None)
        return self.parts(ast.copy_location(ast.DictComp(name(k), value, [over]), e))

    def handed(self, e: ast.expr, to: ast.Call, found: Any) -> ast.expr:
        """What a function gets, as a list: an iterator that it reads whole, a view of a dict that it does not get."""
        match e:
            case ast.GeneratorExp(elt=elt, generators=generators) if read_whole(e, to, found):
                return ast.copy_location(ast.ListComp(elt, generators), e)
            case ast.Call() if self.is_iterator(e) and read_whole(e, to, found):
                return self.read(e, "each")
            case ast.Name(id=v) if self.is_waiting(v) and read_whole(e, to, found):
                return self.read(e, "each")
            case ast.Call(func=ast.Attribute(value=ast.Name(id=v), attr=attr)) if (
                v in self.dicts and kind(e, self.context) == "view"
            ):
                alone = sum(isinstance(n, ast.Name) and n.id == v for n in walk(to)) == 1
                return ast.copy_location(call(self.use(library.VIEWS[attr]), name(v)), e) if alone else e
            case _:
                return e

    def is_iterator(self, e: ast.Call) -> bool:
        if kind(e, self.context) in ("map", "filter", "zip", "enumerate", "reversed"):
            return True
        found = self.context.scope.resolve(e.func)
        return is_generator(found) and not has_effects(found)

    def is_waiting(self, v: str) -> bool:
        """Whether a variable is an iterator that is read once, later, and does nothing else."""
        made = self.waiting.get(v)
        return isinstance(made, ast.Call) and self.is_iterator(made)

    def may_be_method(self, e: ast.expr) -> bool:
        """Whether something that is differentiated may be the method of an object, whose derivative is a closure."""
        generated = self.context.source.file.startswith("<generated")  # there it has been said
        if generated or self.context.scope.resolve(e) is not MISSING:
            return False
        return isinstance(e, (ast.Attribute, ast.Subscript)) or (isinstance(e, ast.Name) and e.id not in self.defined)

    def use(self, function: Any) -> str:
        return self.context.use(function.__name__, function)

    def chosen(self, e: ast.Call, found: Any) -> ast.expr:
        """`sorted`, `max` and `min` with a key, `dict` of pairs, `sum` of lists."""
        options = {k.arg: k.value for k in e.keywords}
        ordered = self.context.overloads("__lt__", "__gt__")
        match found, [*e.args, *(options[k] for k in options if k == "start")]:
            case builtins.sum, [items, ast.List(elts=[]) | ast.Tuple(elts=[]) as start]:
                joined = self.joined(items, e)
                return joined if isinstance(start, ast.List) else call(self.context.builtin("tuple"), joined)
            case builtins.sorted, [items] if ordered and "key" not in options:
                order = [options["reverse"]] if "reverse" in options else []
                return ast.copy_location(call(self.use(library.sorted_by), items, constant(None), *order), e)
            case builtins.max | builtins.min, [_, *_] if not options and not any_starred(e.args) and (
                ordered or (len(e.args) > 1 and any(isinstance(a, (ast.Tuple, ast.List)) for a in e.args))
            ):
                items = e.args[0] if len(e.args) == 1 else ast.List(list(e.args), ast.Load())
                return ast.copy_location(
                    call(self.use(library.chosen_by), items, constant(None), constant(found is max)), e
                )
            case builtins.sorted, [items] if "key" in options and not _is_none(options["key"]):
                order = [options["reverse"]] if "reverse" in options else []
                return ast.copy_location(call(self.use(library.sorted_by), items, options["key"], *order), e)
            case builtins.max | builtins.min, [_, *_] if {"key", "default"} & set(options) and not any_starred(e.args):
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

    def iterator(self, e: ast.Call, found: Any, consumed: Reading) -> ast.expr | None:
        """An iterator whose items are all read at once, as a list; None where it is none that is known."""
        if e.args and (kind(e, self.context) in ("map", "filter") or found in CALLING) and is_computed(e.args[0]):
            held = self.context.names.numbered("function")
            inner = self.iterator(replace(e, args=[name(held), *e.args[1:]]), found, consumed)
            once = ast.List([self.read(e.args[0])], ast.Load())
            assert isinstance(inner, ast.ListComp)
            return replace(inner, generators=[_generator(held, once), *inner.generators])
        plain = not any_starred(e.args)
        match kind(e, self.context), e.args:
            case "map", [function, items] if plain:
                item = self.context.names.numbered("item")
                made = self.applied(function, [name(item)])
                return self.listed(made, item, self.read_by(function, items), e)
            case "map", [function, *several] if plain and several:
                each = [self.context.names.numbered("item") for _ in several]
                pairs = call(self.context.builtin("zip"), *(self.read_by(function, a) for a in several))
                target = ast.Tuple([ast.Name(v, ast.Store()) for v in each], ast.Store())
                made = self.applied(function, [name(v) for v in each])
                return ast.copy_location(ast.ListComp(made, [ast.comprehension(target, pairs, [], 0)]), e)
            case "map", [function, *several] if several:
                row = self.context.names.numbered("items")
                value = ast.Call(function, [ast.Starred(name(row), ast.Load())], [])
                rows = ast.Call(name(self.use(library.zipped)), [self.read_by(function, a) for a in several], [])
                return self.listed(value, row, rows, e)
            case "filter", [function, items]:
                item = self.context.names.numbered("item")
                test = self.kept(function, name(item))
                return self.listed(name(item), item, self.read_by(function, items), e, test)
            case "zip", _ if not plain:
                return replace(e, func=name(self.use(library.zipped)), args=[self.read(a, "each") for a in e.args])
            case "zip" | "enumerate" | "reversed", args:
                item = self.context.names.numbered("item")
                inner = replace(e, args=[self.read(a, "each") for a in args])
                return self.listed(name(item), item, inner, e)
            case "view", _ if isinstance(e.func, ast.Attribute):
                return ast.copy_location(call(self.use(library.VIEWS[e.func.attr]), self.read(e.func.value)), e)
        if found in (itertools.chain,):
            parts: list[ast.expr] = [ast.Starred(self.chained(a, e), ast.Load()) for a in e.args]
            return ast.copy_location(ast.List(parts, ast.Load()), e)
        if found is itertools.islice and (part := self.endless_part(e)) is not None:
            return part
        if found in library.LAZY:
            partial = found is itertools.islice
            how: Reading = "" if partial else "list" if self.turns.reads_first(e) else "each"
            args = [self.read(a, how) for a in e.args]
            return replace(
                e, func=name(self.use(library.LAZY[found])), args=args, keywords=[self.part(k) for k in e.keywords]
            )
        return self.other_iterator(e, found, consumed)

    def endless_part(self, e: ast.Call) -> ast.expr | None:
        """A part of what `count`, `cycle` and `repeat` give; None where it is one of something else."""
        match e.args:
            case [ast.Call(func=func, args=given, keywords=[]), *where] if where and not e.keywords:
                if any(isinstance(a, ast.Starred) or _is_none(a) for a in (*given, *where)):
                    return None
                match self.context.scope.resolve(func), given:
                    case itertools.count, [*begin] if len(begin) <= 2:
                        start = [*map(self.read, begin), *([constant(0), constant(1)][len(begin) :])]
                        return self.part_by(library.counted_part, start, where, e)
                    case itertools.cycle, [items]:
                        return self.part_by(library.cycled_part, [self.read(items, "list")], where, e)
                    case itertools.repeat, [value]:
                        return self.part_by(library.repeated_part, [self.read(value)], where, e)
        return None

    def part_by(self, function: Any, given: list[ast.expr], where: list[ast.expr], e: ast.Call) -> ast.expr:
        places = call(self.context.builtin("range"), *map(self.read, where))
        return ast.copy_location(call(self.use(function), *given, places), e)

    def chained(self, a: ast.expr, e: ast.Call) -> ast.expr:
        """What one argument of `itertools.chain` gives, as a list; behind a star, several lists in a row."""
        return self.joined(self.read(a.value, "each"), e) if isinstance(a, ast.Starred) else self.read(a, "each")

    def other_iterator(self, e: ast.Call, found: Any, consumed: Reading) -> ast.expr | None:
        item = self.context.names.numbered
        match e.args:
            case [items] if found == itertools.chain.from_iterable:
                return self.joined(self.read(items, "each"), e)
            case [value, count] if found is itertools.repeat:
                same = item("item")  # which is computed once
                times = _generator(item("_"), call(self.context.builtin("range"), count))
                once = _generator(same, ast.List([self.read(value)], ast.Load()))
                if is_atom(value):
                    return ast.copy_location(ast.ListComp(value, [times]), e)
                return ast.copy_location(ast.ListComp(name(same), [once, times]), e)
            case [function, items] if found is itertools.starmap:
                each = item("items")
                value = ast.Call(function, [ast.Starred(name(each), ast.Load())], [])
                return self.listed(value, each, self.read_by(function, items), e)
            case [function, items] if found is itertools.filterfalse:
                each = item("item")
                test = ast.UnaryOp(ast.Not(), self.kept(function, name(each)))
                return self.listed(name(each), each, self.read_by(function, items), e, test)
            case [data, selectors] if found is itertools.compress:
                each, chosen = item("item"), item("selected")
                pairs = call(self.context.builtin("zip"), self.read(data, "each"), self.read(selectors, "each"))
                target = ast.Tuple([ast.Name(each, ast.Store()), ast.Name(chosen, ast.Store())], ast.Store())
                made = ast.ListComp(name(each), [ast.comprehension(target, pairs, [name(chosen)], 0)])
                return ast.copy_location(made, e)
        if is_generator(found):
            made_function = collecting(found, turns=consumed == "each")
            if made_function is not None:
                used = self.context.use(f"{found.__name__}_list", made_function)
                return replace(self.parts(self.with_lists(e, found)), func=name(used))
        if isinstance(e.func, ast.Attribute) and generator_methods(e, self.context):
            args = [e.func.value, constant(e.func.attr), *e.args]
            return self.parts(replace(e, func=name(self.use(library.items_given)), args=args))
        return None

    def joined(self, lists: ast.expr, like: ast.expr) -> ast.expr:
        """`[item for items in lists for item in items]`."""
        outer, inner = (self.context.names.numbered(v) for v in ("items", "item"))
        match lists:
            case ast.GeneratorExp(elt=elt, generators=generators) | ast.ListComp(elt=elt, generators=generators):
                each = [*generators, _generator(inner, elt)]
            case _:
                each = [_generator(outer, lists), _generator(inner, name(outer))]
        return ast.copy_location(ast.ListComp(name(inner), each), like)

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


def _done_inside(e: Any) -> list[ast.expr]:
    """What a comprehension evaluates between its items."""
    doing = [n for n in ast.iter_child_nodes(e) if isinstance(n, ast.expr)]
    return doing + [n for g in e.generators for n in (*g.ifs, g.iter)]


def _is_class_of(e: ast.expr, context: Context) -> bool:
    """Whether something is `type(x)` or `x.__class__`."""
    match e:
        case ast.Call(func=func, args=[_], keywords=[]):
            return context.scope.resolve(func) is type
        case _:
            return isinstance(e, ast.Attribute) and e.attr == "__class__"


def is_computed(function: ast.expr) -> bool:
    """Whether something makes a function: it does so once, before the items are read."""
    parts = [*function.args.defaults, *function.args.kw_defaults] if isinstance(function, ast.Lambda) else [function]
    return any(isinstance(n, ast.Call) for e in parts if e is not None for n in walk(e))


def _generator(item: str, items: ast.expr) -> ast.comprehension:
    return ast.comprehension(ast.Name(item, ast.Store()), items, [], 0)


def _lambdas(f: ast.FunctionDef) -> set[str]:
    """Variables that only ever are functions without a name."""
    found: set[str] = set()
    other: set[str] = set()
    for n in walk(f):
        if isinstance(n, ast.Assign):
            names = {x.id for x in n.targets if isinstance(x, ast.Name)}
            (found if isinstance(n.value, ast.Lambda) else other).update(names)
    return found - other


def _is_none(e: ast.expr) -> bool:
    return isinstance(e, ast.Constant) and e.value is None


def _scoped(e: ast.expr) -> bool:
    return any(isinstance(n, (*SCOPES, *COMPREHENSIONS, ast.NamedExpr)) for n in ast.walk(e))


def _same(a: object, b: object) -> bool:
    if isinstance(a, list) and isinstance(b, list):
        return all(x is y for x, y in zip(a, b))
    return a is b
