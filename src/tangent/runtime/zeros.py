"""A gradient that is zero until something is added to it: nothing is allocated before that."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from tangent.errors import UnsupportedError
from tangent.runtime.memory import Memory


class ZeroGrad(NDArrayOperatorsMixin):
    """Zeros like an array (or a container of arrays), made only when somebody looks at them.

    >>> z = ZeroGrad(np.ones(2))
    >>> z + np.array([1.0, 2.0])
    array([1., 2.])
    >>> np.asarray(z)
    array([0., 0.])
    """

    __slots__ = ("like",)
    is_zero_grad = True

    def __init__(self, like: Any) -> None:
        self.like = like

    @property
    def shape(self) -> tuple[int, ...]:
        return np.shape(self.like)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return int(np.size(self.like))

    @property
    def dtype(self) -> np.dtype[Any]:
        return gradient_dtype(dtype_of(self.like))

    def dense(self) -> Any:
        """The zeros themselves: one array, or a list of them where the parts do not make one."""
        if isinstance(self.like, (float, int)):
            return 0.0
        if isinstance(self.like, (list, tuple)) and any(np.shape(v) != np.shape(self.like[0]) for v in self.like):
            return [part.dense() for part in self]
        return np.zeros(self.shape, self.dtype)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.zeros(self.shape, self.dtype if dtype is None else dtype)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if ufunc is np.add and method == "__call__" and not kwargs:
            a, b = inputs
            found = b if isinstance(a, ZeroGrad) else a
            return found.copy() if isinstance(found, np.ndarray) else found  # a sum is nobody else's
        if any(isinstance(x, ZeroGrad) for x in kwargs.get("out", ())):  # `z += v`: a new array
            kwargs = {k: v for k, v in kwargs.items() if k != "out"}
        return getattr(ufunc, method)(*(dense_zero(x) for x in inputs), **kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return function(*_made_dense(args), **{k: _made_dense(v) for k, v in kwargs.items()})

    def __getitem__(self, index: Any) -> Any:
        if isinstance(self.like, (list, tuple, dict, deque)):
            item = self.like[index]
            return Memory() if isinstance(item, Memory) else ZeroGrad(item)
        return self.dense()[index]

    def __iter__(self) -> Iterator[Any]:
        return (self[k] for k in range(len(self)))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if not isinstance(self.like, (np.ndarray, list, tuple, dict, deque, float, int, complex, np.generic)):
            return ZeroGrad(getattr(self.like, name))
        return getattr(self.dense(), name)

    def __len__(self) -> int:
        return len(self.like)

    def __float__(self) -> float:
        return 0.0

    def __repr__(self) -> str:
        return f"ZeroGrad({self.shape}, {self.dtype})"


def dense_zero(x: Any) -> Any:
    """The value itself, or the zeros that a lazy zero stands for."""
    return x.dense() if isinstance(x, ZeroGrad) else x


def _made_dense(x: Any) -> Any:
    if isinstance(x, (list, tuple)):
        return type(x)(_made_dense(v) for v in x)
    return dense_zero(x)


def dtype_of(x: Any) -> np.dtype[Any]:
    """The dtype of a value, or of the array that it would make."""
    found = getattr(x, "dtype", None)
    return found if isinstance(found, np.dtype) else np.asarray(x).dtype


def gradient_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype of the gradient of something of this dtype: its own, or float64 for integers and booleans."""
    if dtype.names is not None:
        raise UnsupportedError(
            "cannot differentiate an array with named fields", why="gradients are arrays of numbers",
            todo="Use an array for each field, or an object or a dict of arrays.",
        )  # fmt: skip
    return dtype if dtype.kind in "fcO" else np.dtype(np.float64)
