"""Matrices of derivatives inside differentiated functions: the same as in `api`, in plain Python that Tangent reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tangent.api import grad, jvp, vjp
from tangent.matrices import hessian, hvp, jacfwd, jacobian, jacrev
from tangent.runtime.library import EAGER, argument_position, defaults_from, joined_shape, takes_one, unit_arrays

Function = Callable[..., Any]


def jacobian_of(f: Function, wrt: Any = 0, mode: str = "reverse") -> Function:
    """`jacobian` by one argument."""
    pull = vjp(f, wrt)

    def matrix_of_one(x):  # type: ignore[no-untyped-def]
        value = f(x)
        rows = [pull(x, unit) for unit in unit_arrays(value)]
        return np.reshape(np.stack(rows), joined_shape(value, x))

    def matrix(*args):  # type: ignore[no-untyped-def]
        every = [*args, *defaults_from(f, len(args))]
        value = f(*args)
        rows = [pull(*every, unit) for unit in unit_arrays(value)]
        return np.reshape(np.stack(rows), joined_shape(value, every[argument_position(f, wrt)]))

    return matrix_of_one if takes_one(f) else matrix


def hessian_of(f: Function, wrt: Any = 0) -> Function:
    """`hessian` by one argument: the seed of the gradient is one."""
    pull = vjp(grad(f, wrt), wrt)

    def matrix_of_one(x):  # type: ignore[no-untyped-def]
        rows = [pull(x, 1.0, unit) for unit in unit_arrays(x)]
        return np.reshape(np.stack(rows), joined_shape(x, x))

    def matrix(*args):  # type: ignore[no-untyped-def]
        every = [*args, *defaults_from(f, len(args))]
        x = every[argument_position(f, wrt)]
        rows = [pull(*every, 1.0, unit) for unit in unit_arrays(x)]
        return np.reshape(np.stack(rows), joined_shape(x, x))

    return matrix_of_one if takes_one(f) else matrix


def product_of(f: Function, wrt: Any = 0) -> Function:
    """`hvp` by one argument."""
    pushed = jvp(grad(f, wrt), wrt)

    def product(*args):  # type: ignore[no-untyped-def]
        every = [*args[:-1], *defaults_from(f, len(args) - 1), 1.0, args[-1]]
        return pushed(*every)

    return product


def install() -> None:
    """Let calls of the public functions inside differentiated functions be calls of these."""
    EAGER.update(dict.fromkeys((jacobian, jacrev, jacfwd), jacobian_of))
    EAGER.update({hessian: hessian_of, hvp: product_of})
