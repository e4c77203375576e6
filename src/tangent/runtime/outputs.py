"""Where functions and methods of NumPy are told to write: the place of `out` among their arguments."""

from __future__ import annotations

from typing import Any

import numpy as np

from tangent.errors import InPlaceError

_FUNCTIONS = {
    1: "fix isneginf isposinf",
    2: "all amax amin any argmax argmin around choose concat concatenate dot max median min nanargmax nanargmin nanmax "
    "nanmedian nanmin outer ptp round stack",
    3: "clip compress cumprod cumsum mean nancumprod nancumsum nanmean nanpercentile nanprod nanquantile nanstd nansum "
    "nanvar percentile prod quantile std sum take var accumulate reduce",
    4: "reduceat",
    5: "trace",
}  # the last ones of a ufunc
PLACES = {f: place for place, names in _FUNCTIONS.items() for f in names.split()}
_METHODS = {
    1: "argmax argmin dot max min round",
    2: "all any clip compress cumprod cumsum mean prod std sum take var",
    4: "trace",
    1000: "choose",  # by its name alone: all that is given by position are choices
}
METHOD_PLACES = {f: place for place, names in _METHODS.items() for f in names.split()}


def place_of_output(function: Any) -> int | None:
    """How many arguments of a function of NumPy come before the array that it writes into; None where it has no such.

    >>> place_of_output(np.add), place_of_output(np.dot), place_of_output(np.add.reduce), place_of_output(np.diff)
    (2, 2, 3, None)
    """
    if isinstance(function, np.ufunc):
        return function.nin
    return PLACES.get(getattr(function, "__name__", "")) if is_of_numpy(function) else None


def is_of_numpy(function: Any) -> bool:
    """Whether something is a function of NumPy, or a method of one."""
    owner = getattr(function, "__self__", function)
    return isinstance(owner, np.ufunc) or (getattr(function, "__module__", None) or "").split(".")[0] == "numpy"


def require_inputs(function: Any, *args: Any, **named: Any) -> None:
    """Stop where a function is given an array to write into behind a star."""
    place = place_of_output(function)
    outputs = [*(args[place:] if place is not None else ())][: getattr(function, "nout", 1)]
    if any(x is not None for x in (*outputs, named.get("out"))):
        raise InPlaceError(
            f"cannot differentiate a call of '{function.__name__}' that is given an array to write into behind a star",
            why="what it writes into is not known before it is called", todo="Name what it writes into: 'out='.",
        )  # fmt: skip


def require_named_output(x: Any, what: str) -> None:
    """Stop where a method of an array writes into one of its arguments; of an object it is one of its class."""
    if isinstance(x, (np.ndarray, np.generic)):
        raise InPlaceError(
            f"cannot differentiate '{what}' here", why="it writes into its last argument, which has no name",
            todo="Name what it writes into: 'out='.",
        )  # fmt: skip


def require_array(x: Any, what: str) -> None:
    """Stop where something is changed in place that is no array."""
    if not isinstance(x, np.ndarray):
        raise InPlaceError(
            f"cannot differentiate '{what}' of a {type(x).__name__} without a copy",
            why="it would change an array in place", todo="Leave 'copy' out.",
        )  # fmt: skip
