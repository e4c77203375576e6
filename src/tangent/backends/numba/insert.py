"""Code of the user in the backward pass: what the gradients become that it leaves behind."""

from __future__ import annotations

from typing import Any

import numpy as np

from tangent.backends.numba.broadcast import cast_array
from tangent.backends.numba.kinds import (
    gradient_type,
    implements,
    is_array,
    is_complex,
    is_list,
    is_nothing,
    is_number,
    is_tuple,
    per_item,
    types,
    value_of,
    written,
)
from tangent.runtime import (
    adjoints,
    copy,
    fit_grad,
    forward_pair,
    init_grad,
    number_or_part,
    replace_item,
    stop_gradient,
    unbroadcast,
    unfit_grad,
)


@implements(fit_grad)
def fitted(b: Any, x: Any) -> Any:
    if is_nothing(b):
        return lambda b, x: init_grad(x)
    if is_number(x) and is_number(b):
        return _number(b, x)
    if is_array(x) and is_number(b):
        kind = gradient_type(x)
        if is_complex(b) and not is_complex(x):
            return lambda b, x: np.full(x.shape, kind(b.real), kind)
        return lambda b, x: np.full(x.shape, kind(b), kind)
    if is_array(x) and is_array(b) and b.ndim == x.ndim:
        return _array(b, x)
    if is_tuple(x) and is_tuple(b) and len(x) == len(b):
        return per_item(x, "b, x", "fit_grad(b[{i}], x[{i}])", fit_grad=fit_grad)
    if is_list(x) and is_list(b):
        return lambda b, x: [fit_grad(b[i], x[i]) for i in range(len(x))]
    return None


def _number(b: Any, x: Any) -> Any:
    kind = gradient_type(x)
    if is_complex(b) and not is_complex(x):
        return lambda b, x: kind(b.real)
    return lambda b, x: kind(b)


def _array(b: Any, x: Any) -> Any:
    fit = cast_array(b, x)

    def impl(b: Any, x: Any) -> Any:
        if b.shape != x.shape:
            raise ValueError("a gradient of another shape than its value: give it the shape of the value")
        return fit(b).copy()

    return impl


@implements(unfit_grad)
def unfitted(b: Any, given: Any) -> Any:
    if is_nothing(given):
        return lambda b, given: None
    if is_tuple(given) and is_tuple(b) and len(given) == len(b):
        return per_item(given, "b, given", "unfit_grad(b[{i}], given[{i}])", unfit_grad=unfit_grad)
    if is_list(given) and is_list(b):
        return lambda b, given: [unfit_grad(b[i], given[i]) for i in range(len(given))]
    return lambda b, given: unbroadcast(b, given)


@implements(stop_gradient)
def stopped(x: Any) -> Any:
    return lambda x: copy(x)


@implements(number_or_part)
def itself(holder: Any, old: Any) -> Any:
    return (lambda holder, old: old) if is_array(holder) or not (is_array(old) or is_list(old)) else None


@implements(forward_pair)
def paired(found: Any, title: Any) -> Any:
    return (lambda found, title: found) if is_tuple(found) and len(found) == 2 else None


@implements(adjoints)
def counted(parts: Any, count: Any, title: Any) -> Any:
    if not is_tuple(parts):
        return None

    def impl(parts: Any, count: Any, title: Any) -> Any:
        if len(parts) != count:
            raise ValueError("a backward function gives a tuple with the adjoint of each argument")
        return parts

    return impl


@implements(replace_item, prefer_literal=True)
def replaced(b: Any, index: Any, value: Any) -> Any:
    if is_tuple(b):
        return _in_tuple(b, value_of(index))
    if is_array(b) or is_list(b) or isinstance(b, types.DictType):

        def impl(b: Any, index: Any, value: Any) -> Any:
            changed = copy(b)
            changed[index] = value
            return changed

        return impl
    return None


def _in_tuple(b: Any, index: Any) -> Any:
    if not isinstance(index, int):
        return None
    parts = "".join("value, " if i == index % len(b) else f"b[{i}], " for i in range(len(b)))
    return written(f"def impl(b, index, value):\n    return ({parts})\n")
