"""Library functions that write into an argument become a computation and a store.

np.add(x, y, out=a)       ->  t = np.add(x, y); a[...] = t
np.log(x, out=a, where=m) ->  t = np.log(x); a[...] = np.where(m, t, a)
np.copyto(a, v)           ->  a[...] = v
np.nan_to_num(a, False)   ->  t = np.nan_to_num(a); a[...] = t
a.sort()                  ->  t = np.sort(a); a[:] = t
np.multiply.at(a, i, v)   ->  t = multiplied_at(a, i, v); a[...] = t
np.power.at(a, i, v)      ->  for places, numbers in rounds_at(a, i): a[places] = np.power(a[places], v[numbers])
np.modf(x, out=(a, b))    ->  t = np.modf(x); a[...] = t[0]; b[...] = t[1]
a.real[i] = v             ->  a[i] = with_real(a[i], v)
np.fill_diagonal(a, v)    ->  t = placed(a, v, sources(np.fill_diagonal, a, v)); a[...] = t

`np.add.at` and `np.subtract.at` stay as they are: they have adjoints of their own. With a memory (normalise/memory)
they are sums, as others may hold the array: `a[...] = a + scatter(v, a, i)`.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from tangent.normalise.context import Context
from tangent.runtime.kernels.index import scatter
from tangent.runtime.outputs import METHOD_PLACES, require_array, require_named_output
from tangent.runtime.storage.writers import (
    fill_flat,
    multiplied_at,
    placed,
    put_flat,
    rounds_at,
    shape_at,
    sources,
    winners_at,
    with_imag,
    with_real,
)
from tangent.source.resolve import MISSING
from tangent.syntax.quote import assign, at, constant, name
from tangent.syntax.rebuild import replace

Atom = Callable[[ast.expr], ast.expr]
Emit = Callable[[ast.stmt], None]
AT = ("add", "subtract")
PLACING = {np.put: 2, np.putmask: 2, np.place: 2, np.fill_diagonal: 1, np.put_along_axis: 2}


class Writers:
    """Rewrites one call, given a way to emit statements and to name expressions."""

    def __init__(self, context: Context, emit: Emit, atom: Atom) -> None:
        self.context, self.emit, self.atom = context, emit, atom
        self.imaginary: dict[str, ast.expr] = {}  # names that were made for z.imag, with z

    def rewritten(self, e: ast.Call, like: ast.stmt) -> ast.expr | None:
        """What stands for a call that writes, after the statements that do its work; None for other calls."""
        self.like = like
        found = self.context.scope.resolve(e.func)
        outs, rest = self.outputs(e, found)
        if len(outs) > 1:
            return self.computed_all(outs, rest)
        out = outs[0] if outs else None
        if out is not None:
            return self.computed(out, rest, isinstance(found, np.ufunc))
        if isinstance(found, np.ufunc) and len(rest.args) < len(e.args):  # np.add(x, y, None)
            return rest
        if found is MISSING:
            return self.method(e)
        if found is np.copyto and len(e.args) >= 2:
            return self.copied(e)
        if found is np.nan_to_num and (copied := _in_place(e)) is not None:
            held = self.atom(e.args[0])
            self.check(require_array, held, e)
            self.store(held, constant(Ellipsis), self.atom(copied))
            return self.now(held)
        if found in (operator.setitem, np.ndarray.__setitem__) and len(e.args) == 3:
            self.store(e.args[0], e.args[1], e.args[2])
            return constant(None)
        if _is_at(found, np.add, np.subtract) and len(e.args) == 3:
            return self.added(e, found)
        if _is_at(found, np.multiply, np.divide) and len(e.args) == 3:
            return self.multiplied(e, found)
        if _is_at(found, np.maximum, np.minimum, np.fmax, np.fmin) and len(e.args) == 3:
            held, index, value = (self.atom(a) for a in e.args)
            which = self.context.use("winners_at", winners_at)
            ufunc = e.func.value if isinstance(e.func, ast.Attribute) else e.func
            return self.select(held, value, self.atom(ast.Call(name(which), [ufunc, held, index, value], [])))
        if _is_at(found) and len(e.args) == found.__self__.nin + 1:
            return self.in_rounds(e)
        if _is_placing(found) and len(e.args) > PLACING[found]:
            owner, value = e.args[0], e.args[PLACING[found]]
            others = [a for a in e.args[1:] if a is not value]
            return self.placed(e.func, owner, value, others, e.keywords, found)
        return None

    def outputs(self, e: ast.Call, found: Any) -> tuple[list[ast.expr | None], ast.Call]:
        """The arrays that a call is told to write into, one for each result, and the call without them."""
        out = next((k.value for k in e.keywords if k.arg == "out"), None)
        plain = ast.copy_location(ast.Call(e.func, e.args, [k for k in e.keywords if k.arg != "out"]), e)
        if isinstance(found, np.ufunc) and len(e.args) > found.nin:
            plain = ast.copy_location(ast.Call(e.func, e.args[: found.nin], e.keywords), e)
            return _told([*e.args[found.nin :], *[constant(None)] * found.nout][: found.nout]), plain
        if isinstance(found, np.ufunc) and isinstance(out, ast.Tuple) and len(out.elts) == found.nout:
            return _told(out.elts), plain
        library = found is not MISSING and (getattr(found, "__module__", None) or "numpy").startswith("numpy")
        if out is None or not (library or is_told_where(e)) or isinstance(out, (ast.Constant, ast.Tuple)):
            return [], plain if _is_none(out) else e
        return [out], plain

    def computed_all(self, outs: list[ast.expr | None], call: ast.Call) -> ast.expr:
        """The results of a call with several, each stored where it is told to."""
        held = [self.atom(out) if out is not None else None for out in outs]
        results = self.atom(call)
        parts = [self.atom(ast.Subscript(results, constant(i), ast.Load())) for i in range(len(outs))]
        for target, value in zip(held, parts):
            if target is not None:
                self.store(target, constant(Ellipsis), value)
        made = [value if target is None else self.now(target) for target, value in zip(held, parts)]
        return ast.Tuple(made, ast.Load())

    def computed(self, out: ast.expr, call: ast.Call, elementwise: bool) -> ast.expr:
        """What was computed is stored; where `where` does not hold, the array keeps what it has."""
        held = self.atom(out)
        where = next((k.value for k in call.keywords if k.arg == "where" and elementwise), None)
        if where is not None:
            call = ast.copy_location(
                ast.Call(call.func, call.args, [k for k in call.keywords if k.arg != "where"]), call
            )
        value = self.atom(call)
        if where is not None:
            value = self.atom(self.numpy("where", self.atom(where), value, held))
        self.store(held, constant(Ellipsis), value)
        return self.now(held)

    def copied(self, e: ast.Call) -> ast.expr:
        target, value = e.args[:2]
        where = next((k.value for k in e.keywords if k.arg == "where"), None)
        held = self.atom(target)
        if where is not None:
            value = self.numpy("where", self.atom(where), self.atom(value), held)
        self.store(held, constant(Ellipsis), self.atom(value))
        return constant(None)

    def multiplied(self, e: ast.Call, found: Any) -> ast.expr:
        """`np.multiply.at(a, i, v)`: every element by the product of what the index gives it."""
        target, index, value = (self.atom(a) for a in e.args)
        if found.__self__ is np.divide:
            value = self.atom(ast.BinOp(constant(1.0), ast.Div(), value))
        function = self.context.use("multiplied_at", multiplied_at)
        self.store(target, constant(Ellipsis), self.atom(ast.Call(name(function), [target, index, value], [])))
        return constant(None)

    def added(self, e: ast.Call, found: Any) -> ast.expr:
        """`np.add.at(a, i, v)`, where others may hold a."""
        held, index, value = (self.atom(a) for a in e.args)
        shape = self.atom(self.runtime(shape_at, held, index))
        spread = self.atom(self.numpy("broadcast_to", value, shape))
        change = self.atom(self.runtime(scatter, spread, held, index))
        sign = ast.Add() if found.__self__ is np.add else ast.Sub()
        self.store(held, constant(Ellipsis), self.atom(ast.BinOp(held, sign, change)))
        return constant(None)

    def in_rounds(self, e: ast.Call) -> ast.expr:
        """`np.power.at(a, i, v)`: rounds in which every element has its turn once at most."""
        held, index, *values = (self.atom(a) for a in e.args)
        ufunc = e.func.value if isinstance(e.func, ast.Attribute) else e.func
        if values:
            shape = self.atom(self.runtime(shape_at, held, index))
            spread = self.atom(self.numpy("broadcast_to", values[0], shape))
            values = [self.atom(self.numpy("copy", spread))]
        rounds = self.atom(self.runtime(rounds_at, held, index))
        count = self.atom(ast.Call(name(self.context.builtin("len")), [rounds], []))
        k, turn, places, numbers, old, new, *parts = (
            name(self.context.names.numbered("t")) for _ in range(6 + len(values))
        )
        body: list[ast.stmt] = [
            assign(turn.id, ast.Subscript(rounds, k, ast.Load()), self.like),
            assign(places.id, ast.Subscript(turn, constant(0), ast.Load()), self.like),
            assign(numbers.id, ast.Subscript(turn, constant(1), ast.Load()), self.like),
            assign(old.id, ast.Subscript(held, places, ast.Load()), self.like),
            *(assign(p.id, ast.Subscript(v, numbers, ast.Load()), self.like) for p, v in zip(parts, values)),
            assign(new.id, ast.Call(ufunc, [old, *parts], []), self.like),
            at(ast.Assign([ast.Subscript(held, places, ast.Store())], new), self.like),
        ]
        turns = ast.Call(name(self.context.builtin("range")), [count], [])
        self.emit(at(ast.For(ast.Name(k.id, ast.Store()), turns, body, []), self.like))
        return constant(None)

    def check(self, stop: Callable[..., None], x: ast.expr, e: ast.Call) -> None:
        """Stop where something is not what it was taken for."""
        self.emit(
            at(
                ast.Expr(
                    self.runtime(
                        stop, x, constant(e.func.attr if isinstance(e.func, ast.Attribute) else ast.unparse(e.func))
                    )
                ),
                self.like,
            )
        )

    def method(self, e: ast.Call) -> ast.expr | None:
        place = METHOD_PLACES.get(e.func.attr, len(e.args)) if isinstance(e.func, ast.Attribute) else len(e.args)
        if isinstance(e.func, ast.Attribute) and not all(_is_none(a) for a in e.args[place : place + 1]):
            self.check(require_named_output, e.func.value, e)
        if self.context.memory:  # it may be a method of an object
            return None
        match _by_position(e):
            case ast.Call(func=ast.Attribute(value=owner, attr="fill"), args=[value], keywords=[]):
                self.store(self.atom(owner), constant(Ellipsis), self.atom(value))
                return constant(None)
            case ast.Call(func=ast.Attribute(value=owner, attr="sort"), args=args, keywords=keywords) if not (
                {"key", "reverse"} & {k.arg for k in keywords}
            ):
                held = self.atom(owner)
                arguments = [self.atom(a) for a in args]
                call = self.numpy("sort", held, *arguments)
                call.keywords = keywords
                self.store(held, ast.Slice(), self.atom(call))
                return constant(None)
            case ast.Call(func=ast.Attribute(value=owner, attr="partition"), args=[_, *_] as args, keywords=keywords):
                held = self.atom(owner)
                call = self.numpy("partition", held, *map(self.atom, args))
                call.keywords = keywords
                self.store(held, ast.Slice(), self.atom(call))
                return constant(None)
            case ast.Call(func=ast.Attribute(value=owner, attr="__setitem__"), args=[index, value], keywords=[]):
                self.store(self.atom(owner), self.atom(index), self.atom(value))
                return constant(None)
            case ast.Call(func=ast.Attribute(value=owner, attr="put"), args=[index, value], keywords=keywords):
                put = ast.Attribute(self.library(), "put", ast.Load())
                return self.placed(put, owner, value, [index], keywords, np.put)
            case _:
                return None

    def placed(
        self, func: ast.expr, owner: ast.expr, value: ast.expr, others: list[ast.expr], keywords: list[ast.keyword],
        found: Any,
    ) -> ast.expr:  # fmt: skip
        """Where each element of the result comes from is found out with integers; then it is a selection."""
        held, given = self.atom(owner), self.atom(value)
        position = constant(PLACING[found] - 1)
        where = self.context.use("sources", sources)
        options = [ast.keyword(k.arg, self.atom(k.value)) for k in keywords]
        taken = ast.Call(name(where), [func, held, given, position, *(self.atom(a) for a in others)], options)
        return self.select(held, given, self.atom(taken))

    def select(self, held: ast.expr, given: ast.expr, taken: ast.expr) -> ast.expr:
        merge = self.context.use("placed", placed)
        value = self.atom(ast.Call(name(merge), [held, given, taken], []))
        self.store(held, constant(Ellipsis), value)
        return constant(None)

    def flat_store(self, owner: ast.expr, index: ast.expr, value: ast.expr, like: ast.stmt) -> None:
        """`a.flat[index] = value`."""
        self.like = like
        held, given = self.atom(owner), self.atom(value)
        where = self.context.use("sources", sources)
        flat = name(self.context.use("put_flat", put_flat))
        if any(isinstance(n, ast.Slice) for n in ast.walk(index)):
            index = ast.Subscript(ast.Attribute(self.library(), "s_", ast.Load()), index, ast.Load())
        taken = ast.Call(name(where), [flat, held, given, constant(1), self.atom(index)], [])
        self.select(held, given, self.atom(taken))

    def flat_fill(self, owner: ast.expr, value: ast.expr, like: ast.stmt) -> None:
        """`a.flat = value`."""
        self.like = like
        held, given = self.atom(owner), self.atom(value)
        fill = name(self.context.use("fill_flat", fill_flat))
        self.select(held, given, self.atom(self.runtime(sources, fill, held, given, constant(0))))

    def part_store(self, owner: ast.expr, part: str, index: ast.expr, value: ast.expr, like: ast.stmt) -> None:
        """`a.real[index] = v` as `a[index] = with_real(a[index], v)`, and likewise for `a.imag`."""
        self.like = like
        old = self.atom(ast.Subscript(owner, index, ast.Load()))
        function = with_real if part == "real" else with_imag
        made = ast.Call(name(self.context.use(function.__name__, function)), [old, value], [])
        self.store(owner, index, self.atom(made))

    def named(self, v: str, e: ast.expr) -> None:
        """Remember of a name for `z.imag` whose part it is: there is no view of the adjoint of z that belongs to it."""
        match e:
            case ast.Attribute(value=z, attr="imag") if not self.context.memory:
                self.imaginary[v] = z
            case _:
                pass

    def is_imaginary(self, e: ast.expr) -> bool:
        return isinstance(e, ast.Name) and e.id in self.imaginary

    def now(self, held: ast.expr) -> ast.expr:
        """What has been stored into, as it is now."""
        if isinstance(held, ast.Name) and held.id in self.imaginary:
            return ast.copy_location(ast.Attribute(self.imaginary[held.id], "imag", ast.Load()), held)
        return held

    def store(self, target: ast.expr, index: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Name) and target.id in self.imaginary:
            self.part_store(self.imaginary[target.id], "imag", index, value, self.like)
            return
        place = ast.Subscript(target, index, ast.Store())
        self.emit(at(ast.Assign([place], value), self.like))

    def library(self) -> ast.expr:
        for path, seen in self.context.scope.seen.items():
            if seen is np and "." not in path:
                return name(path)
        return name(self.context.use("np", np))

    def runtime(self, function: Callable[..., Any], *args: ast.expr) -> ast.Call:
        return ast.Call(name(self.context.use(function.__name__, function)), list(args), [])

    def numpy(self, function: str, *args: ast.expr) -> ast.Call:
        return ast.Call(ast.Attribute(self.library(), function, ast.Load()), list(args), [])


def _is_none(e: ast.expr | None) -> bool:
    return isinstance(e, ast.Constant) and e.value is None


def _by_position(e: ast.Call) -> ast.Call:
    """A method that fills an array, with its first arguments by position."""
    names = {"put": ["indices", "values"], "partition": ["kth"]}.get(getattr(e.func, "attr", ""), [])
    given = {k.arg: k.value for k in e.keywords}
    args = [*e.args, *(given.pop(v) for v in names[len(e.args) :] if v in given)]
    return replace(e, args=args, keywords=[ast.keyword(k, v) for k, v in given.items()])


def _in_place(e: ast.Call) -> ast.Call | None:
    """`np.nan_to_num(x, copy=False)` as the call that makes a copy; None where it makes one anyway."""
    told = next((k.value for k in e.keywords if k.arg == "copy"), None)
    if not isinstance(told, ast.Constant) or told.value not in (False, None):
        return None
    return replace(e, keywords=[k for k in e.keywords if k.arg != "copy"])


def _told(outs: list[ast.expr]) -> list[ast.expr | None]:
    """Where the results of a call go; nothing if it is not told."""
    found = [None if _is_none(out) else out for out in outs]
    return found if any(out is not None for out in found) else []


def is_told_where(e: ast.Call) -> bool:
    """Whether a method of arrays is told where its result goes."""
    if not isinstance(e.func, ast.Attribute) or e.func.attr not in METHOD_PLACES:
        return False
    return len(e.args) > METHOD_PLACES[e.func.attr] or any(k.arg == "out" for k in e.keywords)


def is_adding_at(found: Any) -> bool:
    """Whether it is `np.add.at` or `np.subtract.at`."""
    owner = getattr(found, "__self__", None)
    return isinstance(owner, np.ufunc) and owner.__name__ in AT and found.__name__ == "at"


def _is_at(found: Any, *ufuncs: np.ufunc) -> bool:
    """Whether it is the `at` of one of some functions, or of any."""
    owner = getattr(found, "__self__", None)
    return isinstance(owner, np.ufunc) and found.__name__ == "at" and (not ufuncs or owner in ufuncs)


def _is_placing(found: Any) -> bool:
    return any(found is f for f in PLACING)
