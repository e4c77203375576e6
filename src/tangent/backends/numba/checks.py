"""Checks that derivatives make inside: that the seed fits the result."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from tangent.backends.numba.broadcast import cast, cast_array
from tangent.backends.numba.kinds import (
    implements,
    is_array,
    is_list,
    is_number,
    is_tuple,
    plain,
    rank,
)
from tangent.errors import SeedError
from tangent.runtime import check_constant, check_seed, check_tangent, require_pair, seed_each

OTHER_SHAPE = "the seed has not the shape of the result: each element has one\nPass a seed of its shape."


@implements(check_seed)
def fitting_seed(seed: Any, *results: Any) -> Any:
    if len(results) == 1 and isinstance(results[0], tuple):
        results = results[0]
    result = results[0] if len(results) == 1 else None
    if is_array(result) and (is_number(seed) or rank(seed) != rank(result)):

        def refuse(seed: Any, *results: Any) -> Any:
            raise SeedError(OTHER_SHAPE)

        return refuse
    if is_array(result) and is_array(seed):
        fit = cast_array(seed, result)

        def same_shape(seed: Any, *results: Any) -> Any:
            if seed.shape != results[0].shape:
                raise SeedError(
                    "the seed has not the shape of the result: each element has one\nPass a seed of its shape."
                )
            return fit(seed)

        return same_shape
    if result is not None and is_number(result) and is_number(seed):
        number = cast(seed, result)
        return lambda seed, *results: number(seed)
    return lambda seed, *results: seed


@implements(check_constant)
def fitting_seed_of_constant(seed: Any, result: Any) -> Any:
    if isinstance(plain(result), types.Integer) and is_number(seed):

        def refuse_default(seed: Any, result: Any) -> Any:
            if seed == 1.0:
                raise SeedError("the result is an integer, not a float: it has no gradient\nReturn a float.")
            return seed

        return refuse_default
    return lambda seed, result: check_seed(seed, result)


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
