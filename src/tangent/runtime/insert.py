"""Gradient surgery: the block that stands in the backward pass, and what a value it leaves behind becomes."""

from __future__ import annotations

import sys
import types
from typing import Any

import numpy as np

from tangent.errors import ArgumentError, InPlaceError
from tangent.runtime.dispatch import copy, init_grad, repack, zeros_of
from tangent.runtime.fit import unbroadcast
from tangent.runtime.objects import fields_of, remade
from tangent.runtime.zeros import ZeroGrad, gradient_dtype

SPREAD = (np.ndarray, np.generic, float, int, complex, list, tuple, dict)  # what a number is a gradient of


class _Skipped(BaseException):
    """Leaves the block; never seen outside of it."""


class insert_grad_of:
    """Code for the backward pass: `with insert_grad_of(x) as dx:` runs its block there, `dx` being the adjoint of `x`.

    The block may print, stop in a debugger, and bind `dx` to another gradient. When the function itself is called the
    block is skipped.

    >>> import tangent
    >>> def f(x):
    ...     with tangent.insert_grad_of(x) as dx:
    ...         dx = min(dx, 10.0)
    ...     return x * x
    >>> f(8.0), tangent.grad(f)(8.0), tangent.grad(f)(3.0)
    (64.0, 10.0, 6.0)
    """

    def __init__(self, value: Any) -> None:
        self._tracing: tuple[Any, ...] = ()
        self._frame: types.FrameType | None = None

    def __enter__(self) -> Any:
        """Let the caller's next instruction, which is the first of the block, raise."""
        frame = self._frame = sys._getframe(1)
        self._tracing = (sys.gettrace(), frame.f_trace, frame.f_trace_opcodes)
        frame.f_trace_opcodes = True
        frame.f_trace = _leave
        sys.settrace(_nothing)
        return None

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> bool:
        """Whatever was tracing before, a debugger or a measurement of coverage, goes on."""
        frame, self._frame = self._frame, None
        assert frame is not None
        everywhere, here, frame.f_trace_opcodes = self._tracing
        sys.settrace(everywhere)
        if here is None:
            del frame.f_trace
        else:
            frame.f_trace = here
        return kind is _Skipped


def _leave(frame: types.FrameType, event: str, arg: Any) -> Any:
    raise _Skipped


def _nothing(frame: types.FrameType, event: str, arg: Any) -> Any:
    return None


def fit_grad(b: Any, x: Any) -> Any:
    """A gradient that a user wrote, in the shape and dtype of its value, and nobody else's.

    None is zero, a number is spread over an array.

    >>> fit_grad(10, 3.0), fit_grad(1, np.zeros(2, np.float32))
    (10.0, array([1., 1.], dtype=float32))
    """
    if type(b) is type(x) is np.ndarray and b.shape == x.shape and b.dtype == x.dtype and b.dtype.kind in "fc":
        return b.copy()
    if b is None or isinstance(b, ZeroGrad):
        return init_grad(x)
    if isinstance(x, dict):
        return {k: fit_grad(part, v) for (k, v), part in zip(x.items(), _parts(b, x))}
    if isinstance(x, (list, tuple)):
        return repack(x, *(fit_grad(part, v) for part, v in zip(_parts(b, x), x)))
    if not isinstance(x, (np.ndarray, np.generic, float, int, complex)):
        return copy(b)
    if isinstance(b, (str, bytes)):
        raise ArgumentError(
            f"a gradient is {b!r}", why="it is added up", todo="Give a number, an array, or None for zero."
        )
    if np.shape(b) not in ((), np.shape(x)):
        raise ArgumentError(
            f"a gradient of shape {np.shape(b)} for a value of shape {np.shape(x)}",
            why="each element of the value has one",
            todo="Give the gradient the shape of the value.",
        )
    return _in_kind(b, x)


def _parts(b: Any, x: Any) -> list[Any]:
    """The gradients of the items of a list, tuple or dict: as many of its own, or a number for all of them."""
    if isinstance(b, (float, int, complex, np.number)):
        return [b if isinstance(v, SPREAD) else None for v in (x.values() if isinstance(x, dict) else x)]
    if isinstance(x, dict) and isinstance(b, dict) and b.keys() == x.keys():
        return [b[k] for k in x]
    if not isinstance(x, dict) and isinstance(b, (list, tuple, np.ndarray)) and len(b) == len(x):
        return list(b)
    raise ArgumentError(
        f"a gradient that is {_said(b)} for {_said(x)}",
        why="each item of the value has one",
        todo="Give one of the same length or keys, a number for all of them, or None for zero.",
    )


def _said(x: Any) -> str:
    many = f" of {len(x)}" if isinstance(x, (list, tuple, dict)) else ""
    return f"a {type(x).__name__}{many}"


def _in_kind(b: Any, x: Any) -> Any:
    if not isinstance(x, (np.ndarray, np.generic)):
        b = b if isinstance(x, complex) else np.real(b)
        return float(b) if isinstance(b, int) else b
    dtype = gradient_dtype(x.dtype)
    if dtype.kind == "f":
        b = np.real(b)
    return np.full(x.shape, b, dtype) if isinstance(x, np.ndarray) else dtype.type(b)


def unfit_grad(b: Any, given: Any) -> Any:
    """What the gradient that a user wrote receives: the transpose of `fit_grad`."""
    if given is None:
        return None
    if isinstance(given, dict):
        return {k: unfit_grad(b[k], v) for k, v in given.items()}
    if isinstance(given, (list, tuple)):
        return repack(given, *(unfit_grad(part, v) for part, v in zip(b, given)))
    if isinstance(b, (dict, list, tuple)):  # of a number for all items
        return sum(unfit_grad(part, given) for part in (b.values() if isinstance(b, dict) else b))
    return unbroadcast(b, given)


def forward_pair(found: Any, title: str) -> Any:
    """What a user's forward function gives: the result, and what the backward function needs."""
    if not isinstance(found, (tuple, list)) or len(found) != 2:
        raise ArgumentError(
            f"the forward function of '{title}' returned a {type(found).__name__}",
            why="it gives a pair, the result and what the backward function needs",
            todo="Return both: 'return result, kept'.",
        )
    return found


def adjoints(parts: Any, count: int, title: str) -> tuple[Any, ...]:
    """What a user's backward function gives: one adjoint for each argument."""
    if not isinstance(parts, (tuple, list)) or len(parts) != count:
        what = f"{len(parts)} adjoints" if isinstance(parts, (tuple, list)) else f"a {type(parts).__name__}"
        raise ArgumentError(
            f"the backward function of '{title}' returned {what}",
            why=f"it gives a tuple with the adjoint of each argument: {count}",
            todo="Return a tuple, with None for an argument that has none.",
        )
    return tuple(parts)


def replace_item(b: Any, index: Any, value: Any) -> Any:
    """A gradient with another one at one place; the old one stays as it was."""
    if isinstance(b, tuple):
        return repack(b, *(value if i == index % len(b) else part for i, part in enumerate(b)))
    changed = b.copy() if isinstance(b, (dict, list, np.ndarray)) else copy(b)
    changed[index] = value
    return changed


def replace_field(b: Any, name: str, value: Any) -> Any:
    """The gradient of a named tuple or an object with another one for one field."""
    whole = zeros_of(b.like) if isinstance(b, ZeroGrad) else b
    named = getattr(whole, "_replace", None)
    return named(**{name: value}) if named is not None else remade(whole, {**fields_of(whole), name: value})


def stop_gradient(x: Any) -> Any:
    """The value itself, through which no derivative flows.

    >>> import tangent
    >>> tangent.grad(lambda x: x * stop_gradient(x))(3.0)
    3.0
    """
    return copy(x)


def number_or_part(holder: Any, old: Any) -> Any:
    """What an operator in place changes in such a function: a number, or elements of an array."""
    if isinstance(holder, np.ndarray) or not isinstance(old, (np.ndarray, list, dict, set)):
        return old
    raise InPlaceError(
        "cannot differentiate an operator in place in a function without derivatives",
        why=f"it changes a {type(old).__name__} that others may hold",
        todo="Write into its elements (a[:] = a + v), or bind a new value.",
    )
