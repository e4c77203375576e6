# ruff: noqa  (programs under test are written as users write)
"""What Python and NumPy do with values: casts, texts, containers, objects."""

import collections
import contextlib
import dataclasses
import functools

import numpy as np

from nasty.checks import M, V, nasty


@nasty(2.0)
def minimum_with_key(x):
    return min(x, 3.0, key=lambda v: -v) * x + max([x, x * x, 1.0])


@nasty(V)
def sorted_with_key(x):
    ys = sorted([x[0], x[1], x[2]], key=lambda v: -v)
    return ys[0] * 3.0 + ys[2]


@nasty(V)
def sum_with_start(x):
    return sum([x[0] * x[1], x[2]], x[0])


@nasty(V)
def any_all(x):
    return x[0] * x[1] if any(x > 2.5) and all(x > 0) else x[2]


@nasty(V)
def set_of_values(x):
    return sum({v * v for v in (x[0], x[1])})


@nasty(V)
def dict_of_values(x):
    d = dict(a=x[0], b=x[1] * x[2])
    return sum(d.values()) * d.get("a", 0.0) * d.get("c", 2.0)


@nasty(V)
def dict_items(x):
    s = 0.0
    for k, v in {"a": x[0] * x[1], "bb": x[2]}.items():
        s = s + len(k) * v * v
    return s


@nasty(V)
def dict_merged(x):
    d = {**{"a": x[0]}, "b": x[1], **{"a": x[2]}}
    return d["a"] * d["b"]


@nasty(V)
def list_sliced(x):
    ys = [x[0], x[1], x[2], x[0]]
    return sum(ys[1:3]) * sum(ys[::-2]) * ys[-1]


@nasty(V)
def list_concatenated(x):
    ys = [x[0]] + [x[1]] * 2 + list((x[2],))
    return ys[0] * ys[1] * ys[2] * ys[3]


@nasty(V)
def tuple_of_array(x):
    a, (b, c) = x[0], x[1:]
    return a * b * c * tuple(x)[1] * list(x)[2]


@nasty(V)
def reversed_array(x):
    s = 0.0
    for i, v in enumerate(reversed(x)):
        s = s * 2.0 + i * v * v
    return s


@nasty(V)
def zip_of_unequal(x):
    return sum(a * b for a, b in zip(x, x[1:]))


@nasty(V)
def starred_into_a_helper(x):
    def f(a, b, *rest, k=1.0, **more):
        return a * b * rest[0] * k * more["z"]

    return f(*x, k=x[0], **{"z": x[1]})


@nasty(2.0)
def default_of_an_inner_function(x):
    def f(v, k=x * x):
        return v * k

    x = 5.0
    return f(3.0)


@nasty(2.0)
def inner_function_twice(x):
    def f(v):
        return v * v

    return f(f(x)) + f(x)


@nasty(2.0)
def inner_recursion(x):
    def f(v, n):
        return v if n == 0 else f(v * x, n - 1)

    return f(x, 3)


@nasty(2.0)
def conditional_function(x):
    f = np.sin if x > 1.0 else np.cos
    return f(x) * x


@nasty(2.0)
def function_in_a_table(x):
    return {"a": np.sin, "b": lambda v: v * v}["b"](x)


@nasty(2.0)
def method_of_a_float(x):
    return x.__mul__(x) + float.__add__(x, x)


@nasty(2.0)
def float_attributes(x):
    return x.real * x + x.imag + x.conjugate() * 2.0


@nasty(2.5)
def is_integer(x):
    return x * x if x.is_integer() else x


@nasty(2.0)
def isinstance_branch(x):
    return x * x if isinstance(x, float) else x * 3.0


@nasty(2.0)
def type_of_argument(x):
    return type(x)(x * x) + float("1.5") * x


@nasty(2.0)
def complex_detour(x):
    z = complex(x, x * x)
    return abs(z) ** 2 + z.real * z.imag + (z * z.conjugate()).real


@nasty(2.0)
def parsed_text(x):
    return float(str(x)) * x


@nasty(2.0)
def formatted_text(x):
    return float("%.10f" % x) * x


@nasty(V)
def through_tolist(x):
    return sum(v * v for v in x.tolist()) + x.tolist()[0] * 2.0


@nasty(V)
def through_item(x):
    return x[0].item() * x.item(1) * float(x[2])


@nasty(V)
def through_bytes(x):
    return np.sum(np.frombuffer(x.tobytes()) * x)


@nasty(V)
def through_fromiter(x):
    return np.sum(np.fromiter((v * v for v in x), float) * x)


@nasty(V)
def through_vectorize(x):
    return np.sum(np.vectorize(lambda v: v * v)(x))


@nasty(V)
def through_object_array(x):
    return np.sum(np.array([x[0], x[1] * x[2]], dtype=object))


@nasty(V + 0.3)
def through_integer_array(x):
    return np.sum(np.array([x[0], x[1]], dtype=int) * x[:2])


@nasty(np.array([1.3, 2.4, 3.1]))
def stored_in_integers(x):
    y = np.zeros(3, int)
    y[0] = x[1]
    return np.sum(y * x)


@nasty(V)
def shape_in_arithmetic(x):
    return np.sum(x) / x.shape[0] * len(x) * x.ndim * x.size


@nasty(V)
def argmax_index(x):
    return x[np.argmax(x)] * x[x.argmin()]


@nasty(V)
def searchsorted_index(x):
    return x[np.searchsorted(x, 1.5)] * 2.0 + np.count_nonzero(x > 1.5) * x[0]


@nasty(V)
def where_of_one_argument(x):
    return np.sum(x[np.where(x > 1.5)] ** 2) + np.sum(x[np.nonzero(x > 1.5)[0]])


@nasty(V)
def numpy_with_where_keyword(x):
    return np.sum(x * x, where=np.array([True, False, True])) + np.max(x, initial=2.5) * x[0]


@nasty(V)
def numpy_with_dtype(x):
    return np.sum(x * x, dtype=np.float64) + np.mean(x, dtype=np.float64)


@nasty(M)
def numpy_with_axes(x):
    return np.sum(np.max(x, axis=1) * np.sum(x, axis=(1,))) + np.sum(np.mean(x, 0, keepdims=True))


@nasty(V)
def ufunc_methods(x):
    return (
        np.add.reduce(x * x)
        + np.multiply.reduce(x)
        + np.sum(np.add.accumulate(x) * x)
        + np.sum(np.multiply.outer(x, x))
    )


@nasty(V)
def poisoned_branch(x):
    return np.sum(np.where(x > 1.5, np.sqrt(np.abs(x - 1.5)), 0.0))


@nasty(V)
def string_switch(x):
    s = 0.0
    for name in "sin", "exp":
        s = s + np.sum(getattr(np, name)(x))
    return s


@nasty(2.0)
def exception_caught_around_the_call(x):
    def f(v):
        if v > 1.0:
            raise ValueError
        return v

    try:
        return f(x)
    except ValueError:
        return x * x * x


@nasty(2.0)
def finally_changes_the_value(x):
    y = x
    try:
        y = y * x
    finally:
        y = y * 3.0
    return y


@nasty(2.0)
def suppressed(x):
    y = x
    with contextlib.suppress(ZeroDivisionError):
        y = y * x
        y = y / 0.0
        y = y * 100.0
    return y


@nasty(2.0)
def generator_function(x):
    def values():
        for i in range(3):
            yield x**i

    return sum(values())


@nasty(2.0)
def reduced(x):
    return functools.reduce(lambda a, b: a * b + x, [x, 2.0, x])


@nasty(2.0)
def partial_inside(x):
    return functools.partial(np.multiply, x)(x * 2.0)


@nasty(2.0)
def dataclass_inside(x):
    p = Pair(x, x * x)
    return p.a * p.b + dataclasses.replace(p, a=3.0).b


@nasty(2.0)
def namedtuple_inside(x):
    p = Point(x, x * x)
    return p.a * p.b * p[0] + p._replace(a=2.0).b


@nasty(2.0)
def property_inside(x):
    return WithProperty(x).squared * x


@nasty(2.0)
def operator_overloaded(x):
    return (WithOperators(x) * WithOperators(3.0)).v


@nasty(2.0)
def inherited(x):
    return Child(x).value() * x


@dataclasses.dataclass
class Pair:
    a: float
    b: float


Point = collections.namedtuple("Point", "a b")


class WithProperty:
    def __init__(self, v):
        self.v = v

    @property
    def squared(self):
        return self.v * self.v


class WithOperators:
    def __init__(self, v):
        self.v = v

    def __mul__(self, other):
        return WithOperators(self.v * other.v * 2.0)


class Parent:
    def __init__(self, v):
        self.v = v

    def value(self):
        return self.v * self.v


class Child(Parent):
    def value(self):
        return super().value() * 3.0
