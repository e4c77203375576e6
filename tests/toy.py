# fmt: off
# ruff: noqa: E704
"""An array library of its own, in plain Python, and all that Tangent needs to know of it."""

import math

import tangent


class Vector:
    """A list of numbers with arithmetic; numbers broadcast."""

    def __init__(self, items):
        self.items = tuple(items)

    def combined(self, other, operation):
        others = other.items if isinstance(other, Vector) else [other] * len(self.items)
        return Vector(map(operation, self.items, others))

    def __add__(self, other): return self.combined(other, lambda a, b: a + b)
    def __radd__(self, other): return self.combined(other, lambda a, b: b + a)
    def __sub__(self, other): return self.combined(other, lambda a, b: a - b)
    def __rsub__(self, other): return self.combined(other, lambda a, b: b - a)
    def __mul__(self, other): return self.combined(other, lambda a, b: a * b)
    def __rmul__(self, other): return self.combined(other, lambda a, b: b * a)
    def __truediv__(self, other): return self.combined(other, lambda a, b: a / b)
    def __neg__(self): return Vector(-a for a in self.items)


def sin(v): return Vector(map(math.sin, v.items))
def cos(v): return Vector(map(math.cos, v.items))
def exp(v): return Vector(map(math.exp, v.items))
def scale(vector, by): return vector * by
def total(v): return math.fsum(v.items)
def fill(number, like): return Vector(number for _ in like.items)
def size(v): return len(v.items)


def unbroadcast(b, x): return b if isinstance(b, Vector) else fill(b, x)


TYPE = tangent.ArrayType(
    zeros=lambda v: fill(0.0, v), add=lambda a, b: a + b, unbroadcast=unbroadcast, broadcast_like=unbroadcast,
    copy=lambda v: Vector(v.items), total=lambda v: math.fsum(v.items),
)  # fmt: skip


def register(library):
    names = {"sin": "sin", "cos": "cos", "exp": "exp", "scale": ("multiply", {"vector": "x", "by": "y"})}
    tangent.bind_library(library, names, zero=["size"], types={Vector: TYPE})

    @tangent.adjoint(total, forward="linear")
    def adjoint_total(y, v): d[v] = fill(d[y], v)  # noqa: F821

    @tangent.adjoint(fill, forward="linear")
    def adjoint_fill(v, number, like): d[number] = total(d[v])  # noqa: F821
