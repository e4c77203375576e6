"""Every builtin works on the way of a derivative, is a constant, or is refused with a reason (docs/python.md)."""

import builtins
import re
import types
from collections.abc import Callable
from pathlib import Path

import pytest

import tangent

PAGE = Path(__file__).parent.parent / "docs" / "python.md"
OF_MODULES = frozenset("__build_class__ __debug__ __doc__ __import__ __loader__ __name__ __package__ __spec__".split())
OF_SHELLS = frozenset("_ copyright credits exit quit license help open input breakpoint".split())  # the world outside
EXCEPTIONS = frozenset(n for n, v in vars(builtins).items() if isinstance(v, type) and issubclass(v, BaseException))
WORKING: dict[str, Callable[[float], float]] = {}
REFUSED: dict[str, Callable[[float], float]] = {}


def works(*names: str) -> Callable[[types.FunctionType], types.FunctionType]:
    def put(function: types.FunctionType) -> types.FunctionType:
        WORKING.update(dict.fromkeys(names, function))
        return function

    return put


def refused(*names: str) -> Callable[[types.FunctionType], types.FunctionType]:
    def put(function: types.FunctionType) -> types.FunctionType:
        REFUSED.update(dict.fromkeys(names, function))
        return function

    return put


@works("abs", "pow", "float", "divmod", "round", "int", "complex", "bool")
def numbers(x):
    q, r = divmod(x * 7.0, 2.0)
    return abs(-x) * pow(x, 3) * float(x) + r * q + round(x) + int(x) + complex(x, 1.0).real + bool(x)


@works("sum", "max", "min", "sorted", "len", "list", "tuple", "reversed", "slice", "range", "enumerate")
def sequences(x):
    xs = [x * k for k in range(1, 4)]
    low, *rest = sorted(xs, reverse=True)
    part = tuple(xs)[slice(0, 2)]
    return sum(k * v for k, v in enumerate(reversed(list(xs)))) * max(xs) * min(rest) + low * len(part) + part[1]


@works("map", "filter", "zip", "iter", "next", "all", "any", "dict", "set", "frozenset")
def iterators(x):
    squares = map(lambda v: v * v, filter(lambda v: v > 0.0, [x, -x, 2.0 * x]))  # noqa: C417
    it = iter([x, 3.0 * x])
    table = dict(zip(("a", "b"), squares))
    keys = frozenset(set(table))
    return next(it) * next(it) + table["a"] * table["b"] * all(keys) * any(keys)


class Pair:
    def __init__(self, v):
        self.v = v

    @property
    def twice(self):
        return 2.0 * self.v

    @staticmethod
    def scaled(v, k):
        return v * k

    @classmethod
    def of(cls, v):
        return cls(v)


class Triple(Pair):
    def __init__(self, v):
        super().__init__(v * v)


@works(
    "getattr", "setattr", "hasattr", "isinstance", "issubclass", "type", "callable", "id", "hash", "object",
    "property", "staticmethod", "classmethod", "super",
)  # fmt: skip
def objects(x):
    p = Triple(x)
    p.w = p.twice * p.v
    told = isinstance(p, Pair) and issubclass(type(p), object) and hasattr(p, "w") and callable(p.of)
    return Pair.scaled(p.w, Pair.of(x).v) * told * (id(p) == id(p)) * (hash("a") == hash("a"))


@works(
    "print", "str", "repr", "format", "ascii", "chr", "ord", "bin", "hex", "oct", "bytes", "bytearray", "memoryview",
    "dir",
)  # fmt: skip
def text(x):
    print(end="")
    words = [str(x), repr(x), format(x, ".3f"), ascii("a"), chr(ord("a")), bin(3), hex(3), oct(3), *dir(text)[:1]]
    count = len(bytes(3)) + len(memoryview(bytearray(2)))
    return x * x * count * len(words)


@works("None", "True", "False", "Ellipsis", "NotImplemented")
def constants(x):
    return x * x * (None is None) * True + False * x * (Ellipsis is not NotImplemented)


@refused("eval", "exec", "compile")
def code(x):
    return eval(compile("x * x", "text", "eval"), {"x": x}) + (exec("y = 1") or 0.0)


@refused("locals", "globals", "vars")
def namespaces(x):
    y = x * x
    return locals()["y"] + len(globals()) + len(vars())


@refused("delattr")
def deleted(x):
    p = Pair(x * x)
    p.w = p.v
    delattr(p, "w")
    return p.v


@refused("aiter", "anext")
def asynchronous(x):
    async def items():
        yield x

    return anext(aiter(items()))


@pytest.mark.parametrize("function", dict.fromkeys(WORKING.values()), ids=lambda f: f.__name__)
def test_working(function: Callable[[float], float]) -> None:
    x, e = 0.7, 1e-6
    slope = (function(x + e) - function(x - e)) / (2.0 * e)
    assert tangent.grad(function)(x) == pytest.approx(slope, rel=1e-6)
    assert tangent.jvp(function)(x, 1.0) == pytest.approx(slope, rel=1e-6)


@pytest.mark.parametrize("function", dict.fromkeys(REFUSED.values()), ids=lambda f: f.__name__)
def test_refused(function: Callable[[float], float]) -> None:
    for derivative in (lambda: tangent.grad(function)(0.7), lambda: tangent.jvp(function)(0.7, 1.0)):
        with pytest.raises(tangent.TangentError, match="cannot differentiate"):
            derivative()


def test_every_builtin_is_in_the_table() -> None:
    """A builtin of a later Python that is not in one of the tables fails here."""
    assert set(dir(builtins)) - EXCEPTIONS - OF_MODULES - OF_SHELLS == WORKING.keys() | REFUSED.keys()


def test_the_page_names_them() -> None:
    lines = [line for line in PAGE.read_text().splitlines() if line.startswith("| builtins")]
    named = [set(re.findall(r"`(\w+)`", line)) for line in lines]
    assert named == [WORKING.keys(), REFUSED.keys(), OF_SHELLS - {"_"}]
