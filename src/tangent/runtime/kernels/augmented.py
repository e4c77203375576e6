"""The functions of `operator` that are statements: `operator.iadd(a, b)` is `a += b`, and gives a."""

from __future__ import annotations

from typing import Any


def iadd(a: Any, b: Any) -> Any:
    a += b
    return a


def isub(a: Any, b: Any) -> Any:
    a -= b
    return a


def imul(a: Any, b: Any) -> Any:
    a *= b
    return a


def itruediv(a: Any, b: Any) -> Any:
    a /= b
    return a


def imod(a: Any, b: Any) -> Any:
    a %= b
    return a


def ipow(a: Any, b: Any) -> Any:
    a **= b
    return a


def imatmul(a: Any, b: Any) -> Any:
    a @= b
    return a
