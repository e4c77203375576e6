"""Kernels of running logarithms of sums: each is a mean of the elements before it, by their shares of the sum.

The second derivatives are covariances by these shares. What one element gains is what the others lose: where it is
nearly all of a sum, that is said by the others, since 1 less its share has lost its digits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tangent.runtime.kernels.accumulate import recurrence, recurrence_back, shifted, sum_along
from tangent.runtime.kernels.elementwise import gap
from tangent.runtime.kernels.reduce import gathered, restored

LOG2 = 0.6931471805599453


def running_shares(a: Any, y: Any, axis: int, binary: bool) -> tuple[Any, Any]:
    """The share that each sum of exponentials, or powers of two, has in the next one, and that of the element which
    joins it, along the last axis; y are the logarithms of the sums."""
    x, g = gathered(a, axis), gathered(y, axis)
    power = np.exp2 if binary else np.exp
    return power(gap(shifted(g, 1, -np.inf), g)), power(gap(x, g))


def largest_of(new: Any) -> Any:
    """The place of the last element that was more than half of its sum when it joined."""
    return np.maximum.accumulate(np.where(np.greater(new, 0.5), np.arange(np.shape(new)[-1]), 0), axis=-1)


def running_mean(t: Any, a: Any, y: Any, axis: int = 0, binary: bool = False) -> Any:
    """The tangent of `y = logaddexp.accumulate(a)` for the tangent t of a."""
    keep, new = running_shares(a, y, axis, binary)
    return restored(recurrence(keep, new * gathered(t, axis)), a, axis)


def running_mean_adjoint(b: Any, a: Any, y: Any, axis: int = 0, binary: bool = False) -> Any:
    """The adjoint of a in `y = logaddexp.accumulate(a)` for the adjoint b of y."""
    keep, new = running_shares(a, y, axis, binary)
    return restored(new * recurrence_back(keep, gathered(b, axis)), a, axis)


def running_covariance(s: Any, t: Any, a: Any, y: Any, axis: int = 0, binary: bool = False) -> Any:
    """The derivative of `running_mean(t, a, y)` along the tangent s of a."""
    keep, new = running_shares(a, y, axis, binary)
    p, q, largest = gathered(s, axis), gathered(t, axis), largest_of(new)
    mean = recurrence(keep, new * q)
    found = of_others(p * q, keep, new) - mean * of_others(p, keep, new)
    found = found + np.take_along_axis(p, largest, -1) * share_off_mean(q, a, y, largest, axis, binary)
    return restored(LOG2 * found if binary else found, a, axis)


def running_covariance_adjoint(b: Any, t: Any, a: Any, y: Any, axis: int = 0, binary: bool = False) -> Any:
    """The transpose of `running_covariance` by s."""
    keep, new = running_shares(a, y, axis, binary)
    g, q, largest = gathered(b, axis), gathered(t, axis), largest_of(new)
    mean = recurrence(keep, new * q)
    found = q * of_others_adjoint(g, keep, new) - of_others_adjoint(g * mean, keep, new)
    found = found + sum_along(g * share_off_mean(q, a, y, largest, axis, binary), largest, -1)
    return restored(LOG2 * found if binary else found, a, axis)


def share_off_mean(t: Any, a: Any, y: Any, largest: Any, axis: int, binary: bool) -> Any:
    """The share of the largest element of each sum, times what it is in t less the mean of the sum."""
    keep, new = running_shares(a, y, axis, binary)
    power = np.exp2 if binary else np.exp
    share = power(gap(np.take_along_axis(gathered(a, axis), largest, -1), gathered(y, axis)))
    rest = of_others(np.ones_like(t), keep, new)
    return share * (np.take_along_axis(t, largest, -1) * rest - of_others(t, keep, new))


def staying(keep: Any, new: Any) -> Any:
    """`keep`, but 0 where another element becomes the largest."""
    return np.where(np.greater(new, 0.5), 0.0, keep)


def of_others(t: Any, keep: Any, new: Any) -> Any:
    """The sums of t by the shares of all elements but the largest."""
    mean = recurrence(keep, new * t)
    joined = np.where(np.greater(new, 0.5), keep * shifted(mean, 1), new * t)
    return recurrence(staying(keep, new), joined)


def of_others_adjoint(b: Any, keep: Any, new: Any) -> Any:
    """The transpose of `of_others`."""
    back = recurrence_back(staying(keep, new), b)
    turns = np.greater(new, 0.5)
    before = recurrence_back(keep, shifted_back(np.where(turns, keep * back, 0.0)))
    return new * (np.where(turns, 0.0, back) + before)


def shifted_back(g: Any) -> Any:
    """The elements of the last axis moved by one towards its beginning."""
    return np.flip(shifted(np.flip(g, -1), 1), -1)
