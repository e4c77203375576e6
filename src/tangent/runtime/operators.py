"""The operators, for operands that may be objects of classes that define them; plain Python that Tangent reads."""

from __future__ import annotations

from typing import Any

from tangent.runtime.objects import has_method


def plus(a: Any, b: Any) -> Any:
    """`a + b`."""
    if has_method(a, "__add__"):
        out = a.__add__(b)
        if out is not NotImplemented:
            return out
        return b.__radd__(a)
    if has_method(b, "__radd__"):
        return b.__radd__(a)
    return a + b


def minus(a: Any, b: Any) -> Any:
    """`a - b`."""
    if has_method(a, "__sub__"):
        out = a.__sub__(b)
        if out is not NotImplemented:
            return out
        return b.__rsub__(a)
    if has_method(b, "__rsub__"):
        return b.__rsub__(a)
    return a - b


def times(a: Any, b: Any) -> Any:
    """`a * b`."""
    if has_method(a, "__mul__"):
        out = a.__mul__(b)
        if out is not NotImplemented:
            return out
        return b.__rmul__(a)
    if has_method(b, "__rmul__"):
        return b.__rmul__(a)
    return a * b


def over_by(a: Any, b: Any) -> Any:
    """`a / b`."""
    if has_method(a, "__truediv__"):
        out = a.__truediv__(b)
        if out is not NotImplemented:
            return out
        return b.__rtruediv__(a)
    if has_method(b, "__rtruediv__"):
        return b.__rtruediv__(a)
    return a / b


def matrix_times(a: Any, b: Any) -> Any:
    """`a @ b`."""
    if has_method(a, "__matmul__"):
        out = a.__matmul__(b)
        if out is not NotImplemented:
            return out
        return b.__rmatmul__(a)
    if has_method(b, "__rmatmul__"):
        return b.__rmatmul__(a)
    return a @ b


def to_the(a: Any, b: Any) -> Any:
    """`a ** b`."""
    if has_method(a, "__pow__"):
        out = a.__pow__(b)
        if out is not NotImplemented:
            return out
        return b.__rpow__(a)
    if has_method(b, "__rpow__"):
        return b.__rpow__(a)
    return a**b


def modulo(a: Any, b: Any) -> Any:
    """`a % b`."""
    if has_method(a, "__mod__"):
        out = a.__mod__(b)
        if out is not NotImplemented:
            return out
        return b.__rmod__(a)
    if has_method(b, "__rmod__"):
        return b.__rmod__(a)
    return a % b


def negated(a: Any) -> Any:
    """`-a`."""
    if has_method(a, "__neg__"):
        return a.__neg__()
    return -a


def item_of(x: Any, index: Any) -> Any:
    """`x[index]`."""
    if has_method(x, "__getitem__"):
        return x.__getitem__(index)
    return x[index]
