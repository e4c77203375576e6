"""Broadcasting reversed: a gradient in the shape of what was broadcast, a tangent in that of a result."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from tangent.errors import UnsupportedError
from tangent.runtime.dispatch import NUMBERS, foreign_type, map_structure
from tangent.runtime.objects import is_object, operators_of
from tangent.runtime.zeros import ZeroGrad

_REALS = frozenset({float, np.float64})
_FLOAT = np.dtype(np.float64)
_COMPLEX = np.dtype(np.complex128)
COMPUTING = frozenset(
    f"__{side}{word}__"
    for word in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul")
    for side in ("", "r")
)


def unbroadcast(b: Any, x: Any) -> Any:
    """A gradient reduced to the shape and dtype of the value that was broadcast.

    >>> unbroadcast(np.ones((3, 2)), np.ones(2))
    array([3., 3.])
    >>> unbroadcast(np.ones(4), 2.0)
    np.float64(4.0)
    """
    kind, like = type(b), type(x)
    if kind in _REALS and (like in _REALS or like is int):
        return b
    if kind is like is complex:
        return b
    if kind is like is np.ndarray:
        return b if b.shape == x.shape and b.dtype == x.dtype else _fit(b, x.shape, x.dtype)
    if kind is not np.ndarray and isinstance(x, NUMBERS) and (foreign := foreign_type(b)) is not None:
        return foreign.total(b)
    if isinstance(x, np.ndarray):
        return _fit(b, x.shape, x.dtype)
    if isinstance(x, np.generic):
        return _number(_fit(b, (), x.dtype))
    if isinstance(x, (float, int)):
        return _number(_fit(b, (), _FLOAT)) if type(b) is not float else b
    if isinstance(x, complex):
        return _number(_fit(b, (), _COMPLEX))
    if isinstance(x, ZeroGrad):
        return _fit(b, x.shape, x.dtype)
    if (foreign := foreign_type(x)) is not None:
        return foreign.unbroadcast(b, x)
    if isinstance(x, Counter):
        raise UnsupportedError(
            "cannot differentiate an operator on a Counter", why="it drops what is not positive",
            todo="Make both Counters in the function, or write c.update(d), c.subtract(d).",
        )  # fmt: skip
    if isinstance(x, (dict, list, tuple)) and _same_structure(b, x):  # a user's rule says it so
        return map_structure(lambda v, part: unbroadcast(part, v), x, b)
    if isinstance(x, (list, tuple)):
        array = np.asarray(x)
        if array.dtype.kind in "fciub" and not isinstance(b, (list, tuple)):
            return _fit(b, array.shape, array.dtype)
        raise _unknown_list(x)
    if is_object(x) and (type(b) is not type(x) or _computes(type(x))):
        raise UnsupportedError(
            f"cannot differentiate an operator on a {type(x).__name__}",
            why="its class defines what the operator means, which was not known when the derivative was made",
            todo="Pass the object as an argument of the function, or call a method.",
        )
    return b


def _computes(cls: Any) -> bool:
    """Whether a class defines arithmetic: then what an operator gives says nothing of gradients."""
    return not COMPUTING.isdisjoint(operators_of(cls))


def _unknown_list(x: Any) -> UnsupportedError:
    return UnsupportedError(
        f"cannot differentiate an operator on a {type(x).__name__}",
        why="it joins or repeats, which was not known when the derivative was made",
        todo="Use np.concatenate or np.repeat, or write a list: [*xs, *ys].",
    )


def product_tangent(b: Any, z: Any) -> Any:
    """The tangent of a product z; refused where it is a list, for what was repeated is not known then."""
    if isinstance(z, (list, tuple)):
        raise _unknown_list(z)
    return b


def _number(b: Any) -> Any:
    """A number, where an array without axes may be the shadow of one, which changes."""
    return b[()] if type(b) is np.ndarray else b


def _same_structure(b: Any, x: Any) -> bool:
    if isinstance(x, dict):
        return isinstance(b, dict) and b.keys() == x.keys()
    return isinstance(b, (list, tuple)) and len(b) == len(x)


def _fit(b: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    if (b.shape if isinstance(b, (np.ndarray, np.generic)) else np.shape(b)) != shape:
        b = _sum_to(np.asarray(b), shape)
    kind = dtype.kind
    if kind == "f" or kind in "iub":
        have = getattr(b, "dtype", None)
        if have is None:
            b = b.real if isinstance(b, complex) else b
            return dtype.type(b) if kind == "f" and dtype != _FLOAT and type(b) is float else b
        if have.kind == "c":
            b, have = b.real, b.real.dtype
        if kind == "f" and have != dtype and have.kind in "fO":
            b = b.astype(dtype)
    elif kind == "c":
        have = getattr(b, "dtype", None)
        if have is None:
            return dtype.type(b) if dtype != _COMPLEX else complex(b)
        b = b if have == dtype else b.astype(dtype)
    return b


def fitted(b: Any, shape: tuple[int, ...]) -> Any:
    """A gradient summed to a shape that was broadcast."""
    return b if np.shape(b) == shape else _sum_to(np.asarray(b), shape)


def _sum_to(b: Any, shape: tuple[int, ...]) -> Any:
    """Sum over the axes that broadcasting added or stretched."""
    if shape == ():
        return np.add.reduce(b, axis=None)
    if b.ndim == len(shape) + 1 and b.shape[1:] == shape:
        return np.add.reduce(b, axis=0)
    lead = b.ndim - len(shape)
    if lead < 0:
        return np.broadcast_to(b, shape)
    axes = (*range(lead), *(i + lead for i, n in enumerate(shape) if n == 1 and b.shape[i + lead] != 1))
    if axes:
        b = b.sum(axis=axes, keepdims=True)
    return (
        b.reshape(b.shape[lead:])[()] if b.shape[lead:] == shape else np.broadcast_to(b.reshape(b.shape[lead:]), shape)
    )


def broadcast_like(b: Any, x: Any) -> Any:
    """A tangent stretched to the shape and dtype of the result it belongs to; where that is real, its real part.

    Axes that a row does not take over from what is stored there (`a[0] = b[1:2]`) are dropped.

    >>> broadcast_like(1.0, np.zeros(2))
    array([1., 1.])
    >>> broadcast_like(np.ones((1, 2)), np.zeros(2))
    array([1., 1.])
    >>> broadcast_like(1.0 + 2.0j, 3.0)
    1.0
    """
    if isinstance(b, float) and isinstance(x, (float, np.floating)):
        return type(x)(b) if type(b) is not type(x) else b
    if _is_complex(b) and isinstance(x, (float, int, np.ndarray, np.generic)) and not _is_complex(x):
        b = b.real
    if isinstance(x, np.ndarray) and np.shape(b) != x.shape:
        stretched = np.broadcast_to(b, x.shape) if np.ndim(b) <= x.ndim else _sum_to(b, x.shape)
        return np.array(stretched, x.dtype if x.dtype.kind in "fc" else None)
    if isinstance(b, (np.ndarray, np.generic)) and (dtype := _inexact_dtype(x)) is not None and b.dtype != dtype:
        return b.astype(dtype) if isinstance(x, (np.ndarray, np.generic)) or b.ndim else type(x)(b)
    if isinstance(b, (float, complex)) and isinstance(x, (complex, np.complexfloating)):
        return type(x)(b)
    if (foreign := foreign_type(x)) is not None:
        return foreign.broadcast_like(b, x)
    if isinstance(x, (list, tuple)) and isinstance(b, (list, tuple)) and len(b) != len(x):
        raise _unknown_list(x)
    return b


def _inexact_dtype(x: Any) -> Any:
    """The dtype of an array or a number that has a derivative; None for others."""
    if isinstance(x, (np.ndarray, np.generic)):
        return x.dtype if x.dtype.kind in "fc" else None
    return _FLOAT if isinstance(x, float) else _COMPLEX if isinstance(x, complex) else None


def _is_complex(x: Any) -> bool:
    return isinstance(x, complex) or (isinstance(x, (np.ndarray, np.generic)) and x.dtype.kind == "c")


def left_part(b: Any, x: Any, y: Any) -> Any:
    """What the left operand of `x + y` receives: of joined lists, the first items."""
    return b[: len(x)] if isinstance(x, (list, tuple)) and isinstance(y, (list, tuple)) else unbroadcast(b, x)


def right_part(b: Any, x: Any, y: Any) -> Any:
    """What the right operand of `x + y` receives: of joined lists, the last items."""
    return b[len(x) :] if isinstance(x, (list, tuple)) and isinstance(y, (list, tuple)) else unbroadcast(b, y)
