"""Checks that derivatives make inside: that the seed fits the result."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from tangent.backends.numba.broadcast import cast, cast_array
from tangent.backends.numba.kinds import (
    element,
    implements,
    is_array,
    is_complex,
    is_list,
    is_nothing,
    is_number,
    is_tuple,
    jitable,
    plain,
    rank,
    written,
)
from tangent.errors import InPlaceError, SeedError, UnsupportedError
from tangent.runtime import (
    check_constant,
    check_seed,
    check_tangent,
    length_of,
    require_length,
    require_pair,
    require_unwritten,
    seed_each,
)

OTHER_SHAPE = "the seed has not the shape of the result: each element has one\nPass a seed of its shape."
OTHER_PARTS = (
    "the result has several parts, not a single number: its gradient needs a seed of the same structure\n"
    "Pass such a seed as the last argument, or return one number (has_aux=True for further results)."
)
COMPLEX = (
    "the result is complex: its gradient needs a seed\n"
    "Pass a complex seed, or take np.real, np.imag or np.abs of the result."
)
NO_FLOAT = "the result is {}, not a float: {}\nReturn a float or an array of floats (has_aux=True for further results)."
OTHER_LENGTH = (
    "a loop over a list that changes inside it is not followed: its length changes\nLoop over a copy of the list."
)
WRITTEN = (
    "a loop over a list that it writes into is not followed\nLoop over an index: for i in range(len(xs)): v = xs[i]."
)
ONLY_NUMBERS = "only numbers have gradients"


@implements(check_seed)
def fitting_seed(seed: Any, *results: Any) -> Any:
    if len(results) == 1 and isinstance(results[0], tuple):
        results = results[0]
    if len(results) != 1:
        return lambda seed, *results: seed
    result = results[0]
    if what := without_gradient(result):
        return refused(NO_FLOAT.format(what, ONLY_NUMBERS))
    if (is_tuple(result) or is_list(result)) and (is_number(seed) or is_array(seed)):
        return refused(OTHER_PARTS, "results[0]")
    if is_array(result) and (is_number(seed) or rank(seed) != rank(result)):
        return refused(OTHER_SHAPE, "results[0]")
    if is_array(result) and is_array(seed):
        fit = cast_array(seed, result)

        def same_shape(seed: Any, *results: Any) -> Any:
            if seed.shape != results[0].shape:
                raise SeedError(OTHER_SHAPE)
            return fit(seed)

        return same_shape
    if is_number(result) and is_number(seed):
        number = cast(seed, result)
        if is_complex(result) and not is_complex(seed):

            def given(seed: Any, *results: Any) -> Any:
                if seed == 1.0:
                    raise SeedError(COMPLEX)
                return number(seed)

            return given
        return lambda seed, *results: number(seed)
    return lambda seed, *results: seed


def without_gradient(result: Any) -> str:
    """What a result is that never has a gradient; empty for others."""
    if is_nothing(result):
        return "None"
    if isinstance(plain(result), types.UnicodeType):
        return "str"
    return "bool" if isinstance(element(result), types.Boolean) else ""


def refused(message: str, value: str = "seed") -> Any:
    """A check that never passes; `value` says the type of what it would give."""
    return written(
        f"def impl(seed, *results):\n    if always():\n        raise SeedError(message)\n    return {value}\n",
        always=always, SeedError=SeedError, message=message,
    )  # fmt: skip


@jitable
def always() -> bool:
    """True, which Numba does not see when it looks for code that is never reached."""
    return True


@implements(check_constant)
def fitting_seed_of_constant(seed: Any, result: Any) -> Any:
    if not isinstance(element(result), types.Integer) or not is_number(seed):
        return lambda seed, result: check_seed(seed, result)
    kind = f"an array of {element(result)}" if is_array(result) else "int"
    message = NO_FLOAT.format(kind, "integers do not change gradually")

    def refuse_default(seed: Any, result: Any) -> Any:
        if seed == 1.0:
            raise SeedError(message)
        return check_seed(seed, result)

    return refuse_default


@implements(require_pair)
def two_things(result: Any) -> Any:
    return (lambda result: None) if is_list(result) or (is_tuple(result) and len(result) == 2) else None


@implements(seed_each)
def for_each(seed: Any, result: Any) -> Any:
    if is_array(seed) or is_number(result):
        return lambda seed, result: seed
    return (lambda seed, result: np.full(result.shape, seed)) if is_array(result) else None


@implements(check_tangent)
def tangent_as_it_is(tangent: Any, argument: Any, name: Any) -> Any:
    return lambda tangent, argument, name: tangent


@implements(length_of)
def length_of_list(x: Any) -> Any:
    return (lambda x: len(x)) if is_list(x) else lambda x: 0


@implements(require_length)
def list_as_long(x: Any, length: Any) -> Any:
    def impl(x: Any, length: Any) -> None:
        if len(x) != length:
            raise UnsupportedError(OTHER_LENGTH)

    return impl if is_list(x) else lambda x, length: None


@implements(require_unwritten)
def array_unwritten(x: Any) -> Any:
    def refuse(x: Any) -> None:
        raise InPlaceError(WRITTEN)

    return refuse if is_list(x) else lambda x: None
