"""Programs that mix constructs the way applications do: networks of classes, callbacks, tables of functions."""

import abc
import contextlib
import math
import operator
from collections import defaultdict
from functools import partialmethod, reduce
from typing import Generic, NamedTuple, TypeVar, cast

import numpy as np

from programs.registry import program

T = TypeVar("T")
W = np.array([[0.3, -0.2], [0.5, 0.1]])


class Module(abc.ABC):
    def __call__(self, x):
        return self.forward(x)

    @abc.abstractmethod
    def forward(self, x): ...

    def parameters(self):
        return []


class Linear(Module):
    def __init__(self, w, b):
        super().__init__()
        self.w = w
        self.b = b

    def forward(self, x):
        return x @ self.w + self.b

    def parameters(self):
        return [self.w, self.b]


class Tanh(Module):
    def forward(self, x):
        return np.tanh(x)


class Residual(Module):
    def __init__(self, inner, scale=1.0):
        self.inner = inner
        self.scale = scale

    def forward(self, x):
        return x + self.scale * self.inner(x)

    def parameters(self):
        return self.inner.parameters()


class Sequential(Module):
    def __init__(self, *modules):
        self.modules = list(modules)

    def forward(self, x):
        return reduce(lambda h, m: m(h), self.modules, x)

    def parameters(self):
        return [p for m in self.modules for p in m.parameters()]


@program({"net": Sequential(Linear(W, np.array([0.4, -0.7])), Tanh(), Residual(Tanh())), "x": np.array([1.0, 2.0])})
def parameters_that_methods_collect(net, x):
    return np.sum(net(x) ** 2) + sum(np.sum(p * p) for p in net.parameters())


class Timer:
    def __init__(self):
        self.log = []
        self.level = 1.0

    @contextlib.contextmanager
    def section(self, title, gain):
        self.log.append(title)
        self.level = self.level * gain
        try:
            yield self
        finally:
            self.log.append("end " + title)


@program({"x": 1.3})
def context_that_is_a_method(x):
    t = Timer()
    with t.section("a", x):
        y = x * x
        with t.section("b", 2.0) as inner:
            y = y * math.sin(x) * inner.level
    return y * len(t.log) * t.level


class Power:
    def __init__(self, c):
        self.c = c

    def power(self, n, x):
        return self.c * x**n

    square = partialmethod(power, 2)
    cube = partialmethod(power, n=3)


@program({"x": 1.3, "c": 0.5})
def methods_with_arguments_given(x, c):
    p = Power(c * c)
    return p.square(x) + p.cube(x=x)


class Box(Generic[T]):
    def __init__(self, v: T) -> None:
        self.v = v

    def map(self, f):
        return Box(f(self.v))

    def get(self) -> T:
        return self.v


@program({"x": 1.3})
def generic_class(x):
    b: Box[float] = Box(x).map(math.sin).map(lambda v: v * x)
    return cast(float, b.get()) + Box[float](x).get()


OPERATORS = {"+": operator.add, "*": lambda a, b: a * b, "/": operator.truediv, "^": operator.pow}


class Stack:
    def __init__(self):
        self.items = []

    def push(self, v):
        self.items.append(v)
        return self

    def pop(self):
        return self.items.pop()


def evaluated(text, variables):
    stack = Stack()
    for word in text.split():
        if word in OPERATORS:
            b, a = stack.pop(), stack.pop()
            stack.push(OPERATORS[word](a, b))
        elif word in variables:
            stack.push(variables[word])
        else:
            stack.push(float(word))
    return stack.pop()


@program({"x": 1.3, "y": 0.4})
def calculator_of_words(x, y):
    return evaluated("x y * 2 + x 3 ^ / y *", {"x": x, "y": y})


class Registry:
    table = {"swish": lambda x, beta=1.0: x / (1 + np.exp(-beta * x))}

    @classmethod
    def register(cls, title):
        def put(f):
            cls.table[title] = f
            return f

        return put

    @classmethod
    def make(cls, title, *args, **options):
        return cls.table[title](*args, **options)


@Registry.register("bump")
def bump(x):
    return np.exp(-x * x)


@program({"x": np.array([1.3, -0.4])})
def functions_that_a_class_knows(x):
    known = sum(np.sum(Registry.make(title, x)) for title in ("bump", "swish"))
    return known + np.sum(Registry.make("swish", x, beta=x[0]))


@program({"x": np.array([1.0, 2.0, 3.0])})
def callbacks_by_decorators(x):
    hooks = defaultdict(list)

    def on(title):
        def put(f):
            hooks[title].append(f)
            return f

        return put

    @on("before")
    def scaled(v):
        return v * 2.0

    @on("before")
    def shifted(v):
        return v + x[0]

    @on("after")
    def total(v):
        return np.sum(v**2)

    for hook in hooks["before"]:
        x = hook(x)
    return [hook(x) for hook in hooks["after"]][0]


class Place(NamedTuple):
    x: float
    y: float = 1.0

    @property
    def far(self):
        return math.hypot(self.x, self.y)

    def __add__(self, other):
        return Place(self.x + other.x, self.y + other.y)

    def __mul__(self, k):
        return Place(self.x * k, self.y * k)

    def __rmul__(self, k):
        return self * k

    def __neg__(self):
        return Place(-self.x, -self.y)

    @classmethod
    def along(cls, a):
        return cls(a, y=a * a)


@program({"x": 1.3})
def named_tuples_with_operators(x):
    p = Place(x) + 2.0 * Place.along(x)
    for _ in range(2):
        p = p * x + -Place(x, x)
    a, b = p
    return p.far + a * b + sum([Place(x), p], Place(0.0, 0.0)).y


@program({"p": Place(1.3, 0.4), "others": [Place(0.5, 0.6), Place(1.0, 2.0)]})
def named_tuples_given(p, others):
    return (p + p * 3.0).far * p.x + sum(q.far for q in others)


@program({"x": 1.3})
def contexts_defined_inside(x):
    rates, depth = {"a": x}, []

    @contextlib.contextmanager
    def instead(v):
        old = rates["a"]
        rates["a"] = v
        try:
            yield rates
        finally:
            rates["a"] = old

    @contextlib.contextmanager
    def deeper(v):
        depth.append(v)
        yield sum(depth)
        depth.pop()

    with deeper(x) as a, deeper(x * x) as b:
        with instead(a * b):
            c = rates["a"] * 2.0
    for i in range(3):
        with instead(x * i):
            if i == 1:
                continue
            c += rates["a"]
    return c + rates["a"] * len(depth)
