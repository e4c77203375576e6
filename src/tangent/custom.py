"""Derivatives as functions: a pair for reverse mode, a function for forward mode, for functions of any kind.

@tangent.custom_vjp
def f(x, y): ...

f.defvjp(fwd, bwd)    # fwd(x, y) -> result, saved;  bwd(saved, bresult) -> (bx, by)
f.defjvp(jvp)         # jvp((x, y), (dx, dy)) -> result, dresult
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable
from typing import Any, Protocol, cast

from tangent.errors import RuleError, caller
from tangent.rules.table import Custom, table
from tangent.source.adapt import called


class CustomFunction(Protocol):
    """A function whose derivatives are given."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

    def defvjp(self, fwd: Callable[..., tuple[Any, Any]], bwd: Callable[[Any, Any], tuple[Any, ...]]) -> None:
        """`fwd` takes the arguments and gives the result and what `bwd` needs; `bwd` takes that and the adjoint of the
        result and gives a tuple with the adjoint of each argument, None for zero."""

    def defjvp(self, jvp: Callable[[tuple[Any, ...], tuple[Any, ...]], tuple[Any, Any]]) -> None:
        """`jvp` takes a tuple of the arguments and one of their tangents and gives the result and its tangent."""


def custom_vjp(function: Callable[..., Any]) -> CustomFunction:
    """Differentiate a function by others in reverse mode: `defvjp(fwd, bwd)` names them.

    What `fwd` and `bwd` compute is differentiated for the next order, so they should call the function itself, not
    repeat it, where its derivative is to be theirs again. A function without Python source (of a C extension, by
    `ctypes`, one that starts a process) is wrapped: use what is returned.

    >>> import tangent
    >>> @tangent.custom_vjp
    ... def clipped(x): return x
    >>> clipped.defvjp(lambda x: (x, None), lambda saved, b: (min(b, 1.0),))
    >>> tangent.grad(lambda x: 5.0 * clipped(x))(2.0)
    1.0
    """
    return _custom(function)


def custom_jvp(function: Callable[..., Any]) -> CustomFunction:
    """Differentiate a function by another in forward mode: `defjvp(jvp)` names it.

    >>> import tangent
    >>> @tangent.custom_jvp
    ... def square(x): return x * x
    >>> square.defjvp(lambda primals, tangents: (primals[0] ** 2, 2.0 * primals[0] * tangents[0]))
    >>> tangent.jvp(square)(3.0, 1.0)
    6.0
    """
    return _custom(function)


def _custom(function: Callable[..., Any]) -> CustomFunction:
    _plain(function)
    plain = function if isinstance(function, types.FunctionType) else called(function, _signature(function))
    known = table().custom_of(plain)
    if known is None:
        table().forget(plain)
        table().custom[plain] = Custom()

    def defvjp(fwd: Callable[..., Any], bwd: Callable[..., Any]) -> None:
        _change(plain, fwd=_plain(fwd), bwd=_plain(bwd))

    def defjvp(jvp: Callable[..., Any]) -> None:
        _change(plain, jvp=_plain(jvp))

    plain.defvjp = defvjp  # type: ignore[attr-defined]
    plain.defjvp = defjvp  # type: ignore[attr-defined]
    return cast(CustomFunction, plain)


def _signature(function: Callable[..., Any]) -> inspect.Signature:
    """The parameters of a black box; any number of arguments, where it does not tell."""
    kinds = inspect.Parameter
    try:
        known = list(inspect.signature(function).parameters.values())
    except (ValueError, TypeError):
        known = [kinds("args", kinds.VAR_POSITIONAL)]
    return inspect.Signature([p for p in known if p.kind is not kinds.VAR_KEYWORD])


def _plain(function: Callable[..., Any]) -> Callable[..., Any]:
    if not callable(function):
        raise RuleError(
            f"cannot take {function!r} for a function", caller(), "a derivative is of a function and by functions",
            "Pass something that can be called.",
        )  # fmt: skip
    return function


def _change(function: types.FunctionType, **parts: Any) -> None:
    known = table().custom_of(function) or Custom()
    table().custom[function] = Custom(**{"fwd": known.fwd, "bwd": known.bwd, "jvp": known.jvp, **parts})
    table().changed()


__all__ = ["CustomFunction", "custom_jvp", "custom_vjp"]
