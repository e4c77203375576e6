"""Derivatives that users give are linear in the gradient or tangent they take: so one mode gives the other.

Where only a backward function is known, its own derivative by the gradient it takes, which is the same everywhere, is
the transpose: that is forward mode. And the other way round.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tangent.errors import MissingRuleError
from tangent.runtime.dispatch import init_grad, map_structure
from tangent.runtime.objects import fields_of, is_object
from tangent.runtime.zeros import ZeroGrad


def probe(x: Any) -> Any:
    """Numbers in the structure of the gradient of x, none of them zero and no two alike.

    >>> probe([2.0, np.zeros(2)])
    [1.5, array([1.61803399, 1.23606798])]
    """
    zero = init_grad(x)
    if isinstance(zero, np.ndarray):
        steps = 1.0 + np.arange(1, zero.size + 1) * 0.6180339887498949 % 1.0
        return steps.reshape(zero.shape).astype(zero.dtype)
    if isinstance(zero, (float, complex, np.inexact)):
        return type(zero)(1.5)
    structured = isinstance(x, (dict, list, tuple)) or is_object(x)
    return map_structure(probe, x) if structured else zero


def as_linear(found: Any, probed: Any, given: Any, wanted: Any, title: str) -> Any:
    """What was found by turning a derivative around; stop where that was none, not being linear.

    `given` is what the derivative made of `probed`, `wanted` what is turned around: <given, wanted> = <probed, found>.
    """
    one, other = _products(given, wanted), _products(probed, found)
    size = float(np.sum(np.abs(one)) + np.sum(np.abs(other)))
    if np.isfinite(size) and abs(np.sum(one) - np.sum(other)) > 1e-4 * size + 1e-30:
        raise MissingRuleError(
            f"cannot differentiate '{title}' in the mode that it was given no function for",
            why="the function for the other mode is not linear, so it says nothing about this one",
            todo="Give it both: with 'defvjp' and 'defjvp', or with '@tangent.adjoint' and '@tangent.tangent_'.",
        )
    return found


def _products(a: Any, b: Any) -> Any:
    """The products of the numbers in two structures."""
    if isinstance(a, ZeroGrad) or isinstance(b, ZeroGrad) or a is None or b is None:
        return np.zeros(1)
    if isinstance(a, dict):
        return np.concatenate([np.zeros(1), *(_products(v, b[k]) for k, v in a.items())])
    if isinstance(a, (list, tuple)):
        return np.concatenate([np.zeros(1), *(_products(p, q) for p, q in zip(a, b, strict=True))])
    if is_object(a):
        return _products(fields_of(a), fields_of(b))
    return np.ravel(np.real(np.asarray(a * b, complex)))
