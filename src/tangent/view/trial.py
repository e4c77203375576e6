"""Try a derivative: evaluate it, and see how far it is from finite differences."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tangent.api import autodiff, wrt_names
from tangent.errors import GradientError
from tangent.options import Mode
from tangent.testing import add, check_grads, dot, leaves, map_leaves, random_like, scale
from tangent.view.target import Target

DIRECTIONS = 10
STEP = 1e-6
TOLERANCE = 1e-4


@dataclass(frozen=True)
class Trial:
    """The value of a function, its derivatives of order 1, 2, ... and the largest error of the last of them."""

    names: tuple[str, ...]
    value: Any
    derivatives: tuple[Any, ...]
    error: float


def try_out(target: Target, mode: Mode, order: int) -> Trial:
    """Evaluate the derivatives up to an order, seeds and tangents being ones; `GradientError` where one is wrong."""
    names = wrt_names(target.function, target.wrt)
    args = target.arguments
    assert args is not None
    check_grads(target.function, copy.deepcopy(args), names, (mode,), min(order, 2))
    every = wrt_names(target.function, tuple(range(len(args))))
    places = [every.index(n) for n in names]
    f, given, found = target.function, args, [target.function(*copy.deepcopy(args))]
    for _ in range(order):
        previous, before = f, given
        f = autodiff(f, names, mode=mode, check_dims=False)
        given = (*given, *([ones(found[-1])] if mode == "reverse" else [ones(args[i]) for i in places]))
        found.append(f(*copy.deepcopy(given)))
    error = _error(previous, before, found[-1], places, mode)
    if not error <= TOLERANCE * (1.0 + _size(found[-1])):
        raise GradientError(
            f"the derivative of order {order} is wrong", why=f"finite differences are {error:.1e} away",
            todo="Try another point: at kinks there are no finite differences.",
        )  # fmt: skip
    return Trial(names, found[0], tuple(found[1:]), error)


def ones(x: Any) -> Any:
    """Ones in the structure of x."""
    return map_leaves(lambda leaf: np.ones_like(leaf, dtype=np.result_type(np.asarray(leaf), np.float16))[()], x)


def _size(x: Any) -> float:
    """The largest magnitude in a structure."""
    return max((float(np.max(np.abs(leaf), initial=0.0)) for leaf in leaves(x)), default=0.0)


def _error(f: Callable[..., Any], args: tuple[Any, ...], derivative: Any, places: list[int], mode: Mode) -> float:
    """The largest difference: of the tangent itself, or of the gradient along random directions."""
    if mode == "forward":
        expected = _difference(f, args, places, [ones(args[i]) for i in places])
        return _size([np.asarray(p) - q for p, q in zip(leaves(derivative), leaves(expected), strict=True)])
    rng = np.random.default_rng(0)
    parts = list(derivative) if len(places) > 1 else [derivative]
    return max(_along(f, args, parts, places, rng) for _ in range(DIRECTIONS))


def _along(f: Callable[..., Any], args: tuple[Any, ...], parts: list[Any], places: list[int], rng: Any) -> float:
    tangents = [random_like(args[i], rng) for i in places]
    moved = _difference(f, args, places, tangents)
    return abs(dot(parts, tangents) - dot(ones(moved), moved))


def _difference(f: Callable[..., Any], args: tuple[Any, ...], places: list[int], tangents: list[Any]) -> Any:
    """Central difference of f along tangents."""
    ahead, behind = (f(*_moved(args, places, tangents, step)) for step in (STEP, -STEP))
    return scale(add(ahead, scale(behind, -1.0)), 0.5 / STEP)


def _moved(args: tuple[Any, ...], places: list[int], tangents: list[Any], step: float) -> list[Any]:
    changed = list(copy.deepcopy(args))
    for i, tangent in zip(places, tangents):
        changed[i] = add(changed[i], scale(tangent, step))
    return changed
