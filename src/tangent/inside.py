"""Matrices of derivatives inside differentiated functions: the same as in `api`, in plain Python that Tangent reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tangent.api import grad, jvp, vjp
from tangent.matrices import hessian, hvp, jacfwd, jacobian, jacrev
from tangent.runtime.library import (
    EAGER,
    argument_position,
    defaults_from,
    is_several,
    joined_shape,
    takes_one,
    unit_arrays,
)

Function = Callable[..., Any]


def jacobian_of(f: Function, wrt: Any = 0, mode: str = "reverse") -> Function:
    """`jacobian` by one argument; by several a tuple."""
    if is_several(wrt):
        return tuple_of([jacobian_of(f, name, mode) for name in wrt])
    pull = vjp(f, wrt)

    def matrix_of_one(x):  # type: ignore[no-untyped-def]
        value = f(x)
        shape = joined_shape(value, x)
        rows = [pull(x, unit) for unit in unit_arrays(value)]
        return np.reshape(np.stack(rows), shape)

    def matrix(*args):  # type: ignore[no-untyped-def]
        every = [*args, *defaults_from(f, len(args))]
        value = f(*args)
        shape = joined_shape(value, every[argument_position(f, wrt)])
        rows = [pull(*every, unit) for unit in unit_arrays(value)]
        return np.reshape(np.stack(rows), shape)

    return matrix_of_one if takes_one(f) else matrix


def hessian_of(f: Function, wrt: Any = 0) -> Function:
    """`hessian` by one argument; by several a tuple of tuples of blocks."""
    if is_several(wrt):
        return tuple_of([tuple_of([block_of(f, name, other) for other in wrt]) for name in wrt])
    return block_of(f, wrt, wrt)


def block_of(f: Function, first: Any, second: Any) -> Function:
    """The derivatives by one argument of the gradient by another, whose seed is one."""
    pull = vjp(grad(f, first), second)

    def matrix_of_one(x):  # type: ignore[no-untyped-def]
        shape = joined_shape(x, x)
        rows = [pull(x, 1.0, unit) for unit in unit_arrays(x)]
        return np.reshape(np.stack(rows), shape)

    def matrix(*args):  # type: ignore[no-untyped-def]
        every = [*args, *defaults_from(f, len(args))]
        x = every[argument_position(f, first)]
        shape = joined_shape(x, every[argument_position(f, second)])
        rows = [pull(*every, 1.0, unit) for unit in unit_arrays(x)]
        return np.reshape(np.stack(rows), shape)

    return matrix_of_one if takes_one(f) else matrix


def tuple_of(made: list[Function]) -> Function:
    """What several functions give of the same arguments."""
    return lambda *args: tuple([each(*args) for each in made])


def product_of(f: Function, wrt: Any = 0) -> Function:
    """`hvp`: as many vectors as there are arguments in wrt."""
    pushed = jvp(grad(f, wrt), wrt)
    count = len(wrt) if is_several(wrt) else 1

    def product(*args):  # type: ignore[no-untyped-def]
        given = len(args) - count
        every = [*args[:given], *defaults_from(f, given), 1.0, *args[given:]]
        return pushed(*every)

    return product


def install() -> None:
    """Let calls of the public functions inside differentiated functions be calls of these."""
    EAGER.update(dict.fromkeys((jacobian, jacrev, jacfwd), jacobian_of))
    EAGER.update({hessian: hessian_of, hvp: product_of})
