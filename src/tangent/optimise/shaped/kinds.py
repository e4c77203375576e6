"""What is known of a value when the arguments are: dtype and axes of a number or array, or the kinds of its items.

The length of an axis is a number where it is small; else a name, as long as that name: `x.0` is the first axis of the
argument x. Such an axis is surely not 1. `!` is an axis that is not 1, `?` one that may be. What begins with `?` and
goes on may be 1, too, but is the same wherever it is written the same: `?x.0[?i@0<n>:]` is that of `x[i:]` in a loop
over i, and `?[a|b]` is what lengths a and b are broadcast to. `x.0/4` is a quarter of an axis, and not 1 either.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeGuard

import numpy as np

from tangent.runtime.persistent import PersistentArray

Axis = int | str
SMALL = 16  # axes up to this length are part of what a version is made for
UNSURE, NOT_ONE = "?", "!"
LONGEST = 200  # characters of what is known of a length
BESIDE = "|"
OPEN, CLOSE = "([<", ")]>"


@dataclass(frozen=True)
class Number:
    """A number (no axes) or an array of them.

    Python's own numbers are weak: they take on the dtype of what they meet. None: that is not known.
    An integer that is the length of an axis says so in `size`.
    """

    axes: tuple[Axis, ...]
    dtype: str
    weak: bool | None = False
    size: Axis | None = None

    @property
    def rank(self) -> int:
        return len(self.axes)

    @property
    def real(self) -> bool:
        return self.dtype in ("f4", "f8")


@dataclass(frozen=True)
class Items:
    """A tuple or a list of which every item is known.

    `listed`, if it is surely a list, which nothing changes; `fixed`, if it is surely a tuple; `names` of the items of
    a named tuple.
    """

    items: tuple[Kind, ...]
    listed: bool = False
    fixed: bool = False
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Stack:
    """A list that grows, with what is on it; None as long as nothing is. `some`, if that surely is something else than
    numbers."""

    item: Kind | None
    some: bool = False


@dataclass(frozen=True)
class Rows:
    """A persistent array; what is read of it are parts of such an array."""

    array: Number


@dataclass(frozen=True)
class Listed:
    """A list of which all items are alike: numbers, lists of floats, or arrays and tuples of numbers that are put on it
    here. `some`, as in `Stack`."""

    item: Kind
    some: bool = False


@dataclass(frozen=True)
class Fields:
    """A dict with some keys, each with the kind of what it stands for."""

    items: tuple[tuple[str, Kind], ...]

    def get(self, key: Any) -> Kind:
        return dict(self.items).get(key, UNKNOWN)


@dataclass(frozen=True)
class Attributes:
    """An object, with the kinds of some of what it holds."""

    items: tuple[tuple[str, Kind], ...]

    def get(self, name: str) -> Kind:
        return dict(self.items).get(name, UNKNOWN)


@dataclass(frozen=True)
class Drawing:
    """A generator of random numbers, of `random` or of `numpy`."""

    library: str


@dataclass(frozen=True)
class Unknown:
    """Anything."""


Kind = Number | Items | Stack | Rows | Listed | Fields | Attributes | Drawing | Unknown
UNKNOWN = Unknown()
FLOAT, INT, BOOL = Number((), "f8", True), Number((), "i8", True), Number((), "b1", True)
COMPLEX = Number((), "c16", True)


def kind_of(value: Any, v: str) -> Kind:
    """The kind of the argument v.

    >>> kind_of(np.ones((100, 3)), "x")
    Number(axes=('x.0', 3), dtype='f8', weak=False, size=None)
    """
    if type(value) is float:
        return FLOAT
    if type(value) is int:
        return INT
    if type(value) is bool:
        return BOOL
    if type(value) is complex:
        return COMPLEX
    if type(value) is PersistentArray:
        array = kind_of(np.broadcast_to(np.empty((), value.dtype), value.shape), v)
        return Rows(array) if isinstance(array, Number) else UNKNOWN
    if (type(value) is np.ndarray and value.ndim) or isinstance(value, (np.float64, np.float32)):
        axes = tuple(n if n <= SMALL else f"{v}.{i}" for i, n in enumerate(value.shape))
        native = value.dtype.isnative
        return Number(axes, value.dtype.str[1:]) if native else UNKNOWN
    if type(value) in (list, tuple) and value:
        return listed(value) if is_of_numbers(value) else held(value, v)
    if isinstance(value, (np.random.Generator, np.random.RandomState)):
        return Drawing("numpy")
    if type(value) is random.Random:
        return Drawing("random")
    if type(value) is dict and value and all(type(k) is str for k in value):
        found = tuple((k, kind_of(x, f"{v}:{k}")) for k, x in value.items())
        known = all(isinstance(kind, (Number, Fields, Items, Listed)) for _, kind in found)
        return Fields(found) if known else UNKNOWN
    return UNKNOWN


def is_float(kind: Kind) -> bool:
    """Whether a value is a number of double precision."""
    return isinstance(kind, Number) and not kind.axes and kind.dtype == "f8"


MANY = 64  # items of which each may be another


def is_of_numbers(value: list[Any] | tuple[Any, ...]) -> bool:
    """Whether a list is one of numbers, or of lists of these; it may be long."""
    return type(value) is list and (len(value) > MANY or not {np.ndarray, tuple, dict} & _types(value))


def _types(value: list[Any]) -> set[type]:
    found = set(map(type, value))
    return found.union(*(map(type, x) for x in value)) if found == {list} else found


def held(value: list[Any] | tuple[Any, ...], v: str) -> Kind:
    """The kind of a list or tuple of a few arrays, or of such.

    >>> [kind.axes for kind in held([(np.ones((2, 3)), np.ones(3)), (np.ones((3, 1)), np.ones(1))], "p").items[1].items]
    [(3, 1), (1,)]
    """
    if len(value) > MANY:
        return UNKNOWN
    items = tuple(kind_of(x, f"{v}:{i}") for i, x in enumerate(value))
    known = all(isinstance(k, (Number, Items, Fields)) for k in items)
    return Items(items, type(value) is list, type(value) is tuple) if known else UNKNOWN


NUMBERS = {float: FLOAT, int: INT, np.float64: Number((), "f8"), np.int64: Number((), "i8")}


def listed(value: list[Any]) -> Kind:
    """The kind of a list.

    >>> listed([[1.0, 2.0], [3.0]]) == Listed(Listed(FLOAT))
    True
    """
    types = set(map(type, value))
    if types <= NUMBERS.keys() and len(dtypes := {NUMBERS[t].dtype for t in types}) == 1:
        weak = {NUMBERS[t].weak for t in types}
        return Listed(Number((), dtypes.pop(), weak.pop() if len(weak) == 1 else None))
    return Listed(Listed(FLOAT)) if types == {list} and all(set(map(type, x)) == {float} for x in value) else UNKNOWN


def is_one(n: Axis) -> bool:
    return n == 1


def not_one(n: Axis) -> bool:
    return n != 1 and not (isinstance(n, str) and n.startswith(UNSURE))


def same(p: Axis, q: Axis) -> bool:
    """Whether two axes are surely of one length."""
    return p == q and p not in (UNSURE, NOT_ONE)


def alike(n: Axis, m: Axis) -> bool:
    """Whether two axes that were broadcast together are of one length."""
    return same(n, m) or (not_one(n) and not_one(m))


def join(a: Kind | None, b: Kind | None) -> Kind | None:
    """What holds of a value that is one or the other."""
    if a is None or a == b:
        return b
    match a, b:
        case _, None:
            return a
        case Number(), Number() if a.dtype == b.dtype and a.rank == b.rank:
            axes = tuple(_either(p, q) for p, q in zip(a.axes, b.axes))
            return Number(axes, a.dtype, a.weak if a.weak == b.weak else None, a.size if a.size == b.size else None)
        case Number(axes=(), dtype="i8" | "f8"), Number(axes=(), dtype="i8" | "f8") if _begins_whole(a, b):
            return Number((), "f8", None)
        case Items(items=p), Items(items=q) if len(p) == len(q):
            held = tuple(join(x, y) or UNKNOWN for x, y in zip(p, q))
            return Items(held, a.listed and b.listed, a.fixed and b.fixed, a.names if a.names == b.names else ())
        case (Items(items=p, listed=True), Listed() as many) | (Listed() as many, Items(items=p, listed=True)):
            return many if all(k == many.item for k in p) else UNKNOWN
        case Listed(item=p), Listed(item=q) if isinstance(both := join(p, q), (Number, Items, Listed)):
            return Listed(both, a.some and b.some)
        case Stack(item=p), Stack(item=q):
            return Stack(join(p, q), a.some and b.some)
        case (Items() as items, Stack(item=p) as stack) | (Stack(item=p) as stack, Items() as items):
            return Stack(join(any_of(items), p), stack.some and bool(items.items))
        case Fields(items=p), Fields(items=q) if [k for k, _ in p] == [k for k, _ in q]:
            return Fields(tuple((k, join(x, y) or UNKNOWN) for (k, x), (_, y) in zip(p, q)))
        case Attributes(items=p), Attributes(items=q) if [k for k, _ in p] == [k for k, _ in q]:
            return Attributes(tuple((k, join(x, y) or UNKNOWN) for (k, x), (_, y) in zip(p, q)))
        case Rows(array=p), Rows(array=q):
            both = join(p, q)
            return Rows(both) if isinstance(both, Number) else UNKNOWN
        case _:
            return UNKNOWN


def _begins_whole(a: Number, b: Number) -> bool:
    """Whether one of two numbers is a whole one of Python's, as sums begin with, and the other of double precision."""
    return any(p.dtype == "i8" and p.weak is True and q.dtype == "f8" for p, q in ((a, b), (b, a)))


def any_of(items: Items) -> Kind | None:
    """What all items of a list are."""
    found: Kind | None = None
    for k in items.items:
        found = join(found, k)
    return found


def _either(p: Axis, q: Axis) -> Axis:
    if p == q:
        return p
    return NOT_ONE if not_one(p) and not_one(q) else UNSURE


def renamed(kinds: tuple[Kind, ...], parameters: list[str]) -> tuple[tuple[Kind, ...], dict[str, str]]:
    """Kinds of arguments with axes named after parameters, and what these names stand for."""
    names: dict[str, str] = {}

    def new(n: str, base: str) -> str:
        return names.setdefault(n, f"{base}.{len(names)}")

    found = tuple(_mapped(k, lambda n, v=v: new(n, v)) for k, v in zip(kinds, parameters))  # type: ignore[misc]
    return found, {v: n for n, v in names.items()}


def with_axes(kind: Kind, names: Mapping[str, str]) -> Kind:
    """A kind with the axes that names stand for; one that came up otherwise is not followed."""
    return _mapped(kind, lambda n: names.get(n, NOT_ONE))


def _axis(n: Axis, change: Callable[[str], str]) -> Axis:
    """An axis under another name; `x.0-2`, which is 2 shorter, keeps that."""
    if isinstance(n, int) or n in (UNSURE, NOT_ONE):
        return n
    if n.startswith(UNSURE):
        return UNSURE
    base, dash, less = n.partition("-")
    new = change(base)
    return new if new == NOT_ONE else f"{new}{dash}{less}"


def _mapped(kind: Kind, change: Callable[[str], str]) -> Kind:
    match kind:
        case Number():
            size = None if kind.size is None else _axis(kind.size, change)
            size = None if size == UNSURE else size
            return replace(kind, axes=tuple(_axis(n, change) for n in kind.axes), size=size)
        case Items(items=items):
            return replace(kind, items=tuple(_mapped(k, change) for k in items))
        case Stack(item=Number() | Items() as item) | Listed(item=Number() | Items() as item):
            return replace(kind, item=_mapped(item, change))
        case Fields(items=fields):
            return Fields(tuple((v, _mapped(k, change)) for v, k in fields))
        case Attributes(items=held):
            return Attributes(tuple((v, _mapped(k, change)) for v, k in held))
        case Rows(array=array):
            inner = _mapped(array, change)
            return Rows(inner) if isinstance(inner, Number) else UNKNOWN
        case _:
            return kind


def without(kind: Kind, mark: str) -> Kind:
    """A kind without lengths that mention something; what lists hold keeps them."""
    match kind:
        case Number():
            if not any(mark in n for n in (*kind.axes, kind.size) if isinstance(n, str)):
                return kind
            axes = tuple(UNSURE if isinstance(n, str) and mark in n else n for n in kind.axes)
            return replace(kind, axes=axes, size=None if mark in str(kind.size) else kind.size)
        case Items(items=items):
            return replace(kind, items=tuple(without(k, mark) for k in items))
        case _:
            return kind


def calculated(op: str, a: Number, b: Number) -> Axis | None:
    """What is known of the sum, difference or product of two integers.

    >>> calculated("+", Number((), "i8", True, "?i@0<n>"), Number((), "i8", True, 1))
    '?(?i@0<n>+1)'
    >>> calculated("-", Number((), "i8", True, "x.0"), Number((), "i8", True, 3))
    'x.0-3'
    """
    p, q = a.size, b.size
    if a.axes or b.axes or p is None or q is None:
        return None
    if isinstance(p, int) and isinstance(q, int):
        return {"+": p + q, "-": p - q, "*": p * q}[op]
    if isinstance(p, str) and isinstance(q, int) and op != "*" and (length := _shorter(p, q if op == "-" else -q)):
        return length
    right = f"({q})" if isinstance(q, str) and "-" in q and not q.startswith(UNSURE) else q
    text = f"{UNSURE}({p}{op}{right})"
    return text if len(text) <= LONGEST else None


def _shorter(n: str, by: int) -> Axis | None:
    """The length of an axis that is so much shorter than one which has a name."""
    base, _, less = n.partition("-")
    if n.startswith((UNSURE, NOT_ONE)) or "/" in n or not (less or "0").isdigit():
        return None
    if not 0 <= int(less or 0) + by < SMALL:
        return None
    return f"{base}-{int(less or 0) + by}" if int(less or 0) + by else base


def broadcast(*kinds: Kind) -> Kind:
    """The result of arithmetic, elementwise."""
    numbers = [n for k in kinds if isinstance(n := k.array if isinstance(k, Rows) else k, Number)]
    if len(numbers) != len(kinds) or not numbers:
        return UNKNOWN
    found = promoted(numbers)
    if found is None:
        return UNKNOWN
    dtype, weak = found
    return Number(stretched([k.axes for k in numbers]), dtype, weak)


def promoted(numbers: list[Number]) -> tuple[str, bool | None] | None:
    """The dtype of a result, and whether it is still one of Python's numbers; None: that is not known."""
    if any(k.dtype == "c16" for k in numbers):
        single = all(not k.rank and k.dtype in ("c16", "f8", "i8") for k in numbers)
        return ("c16", _weak(numbers)) if single else None
    truths = [k.weak for k in numbers if k.dtype == "b1"]
    if truths and any(k.real for k in numbers):  # truth is 0 or 1, of the dtype of what it meets
        rest = promoted([k for k in numbers if k.dtype != "b1"])
        return rest and (rest[0], False if False in truths else rest[1] if all(truths) else None)
    strong = [k for k in numbers if k.weak is False]
    if not strong:
        dtypes = {k.dtype for k in numbers}
        dtype = "f8" if "f8" in dtypes else "i8"
        weak = all(k.weak for k in numbers)
        return (dtype, True if weak else None) if dtypes <= {"f8", "i8", "b1"} else None
    dtypes = {k.dtype for k in strong}
    if len(dtypes) > 1 and not dtypes <= {"f4", "f8", "i8"}:
        return None
    (dtype,) = dtypes if len(dtypes) == 1 else ("f8",)
    if dtype == "i8":
        return ("f8" if any(k.dtype == "f8" for k in numbers) else "i8"), False
    if dtype not in ("f4", "f8"):
        return None
    unsure = any(k.weak is None for k in numbers) and dtype != "f8"
    return None if unsure else (dtype, False)


def _weak(numbers: list[Number]) -> bool | None:
    """Whether arithmetic with some numbers gives one of Python's."""
    return False if any(k.weak is False for k in numbers) else True if all(k.weak for k in numbers) else None


def is_single(kind: Kind) -> TypeGuard[Number]:
    """Whether a value is one real or complex number of double precision."""
    return isinstance(kind, Number) and not kind.rank and kind.dtype in ("f8", "c16")


def stretched(shapes: list[tuple[Axis, ...]]) -> tuple[Axis, ...]:
    """The axes of what arrays are broadcast to.

    >>> stretched([("x.0", 3), ("b.0",), (1, 1, "?")])
    (1, 'x.0', 3)
    """
    rank = max(len(axes) for axes in shapes)
    padded = [(1,) * (rank - len(axes)) + axes for axes in shapes]
    return tuple(_together(list(column)) for column in zip(*padded))


def _together(axes: list[Axis]) -> Axis:
    sure = [n for n in axes if not_one(n)]
    if sure:
        return min(sure, key=lambda n: (not isinstance(n, int), n == NOT_ONE, str(n)))
    others = sorted({str(part) for n in axes if not is_one(n) for part in _joined(n)})
    if len(others) < 2:
        return others[0] if others else 1
    text = f"{UNSURE}[{BESIDE.join(others)}]"
    return UNSURE if UNSURE in others or len(text) > LONGEST else text


def _joined(n: Axis) -> list[str]:
    """The lengths that an axis was broadcast from."""
    return split(str(n)[2:-1], BESIDE) if str(n).startswith(f"{UNSURE}[") else [str(n)]


def split(text: str, mark: str) -> list[str]:
    """The parts of a text between marks that stand in no brackets.

    >>> split("a|?x.0[?[a|b]:]", "|")
    ['a', '?x.0[?[a|b]:]']
    """
    depth, parts = 0, [""]
    for c in text:
        depth += (c in OPEN) - (c in CLOSE)
        if c == mark and not depth:
            parts.append("")
        else:
            parts[-1] += c
    return parts


def reaches(n: Axis, m: Axis) -> bool:
    """Whether an axis that fits into one of length n is surely that long: where it was broadcast with one.

    >>> reaches("?a[:i]", "?[?a[1:j]|?a[:i]]"), reaches("?a[:i]", "?a[1:j]")
    (True, False)
    """
    return n not in (UNSURE, NOT_ONE) and n in _joined(m)
