"""The methods of ufuncs that have no rule of their own, written out: loops and slices over the ufunc itself."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from tangent import runtime
from tangent.rules.forms import is_ufunc_method
from tangent.source.adapt import define

# NumPy's own reductions with these leave out elements on some processors: np.power.reduce([2.0, 3.0, 2.0]) may be 4.
LEFT_OUT = frozenset(("power", "arctan2"))

# What they make of one element: `reduceat` leaves it as it is, where `reduce` may not.
ALONE = {"hypot": " if stop > start + 1 else rows[start]"}

TEXTS = {
    "outer": """\
def {name}_outer(A, B, dtype=None):
    return np.{name}(outer_operand(A, B), strong(B), dtype=dtype)
""",
    "reduce": """\
def {name}_reduce(array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True):
    rows = rows_behind(initial, rows_along(array, axis, dtype))
    masks = masks_behind(initial, where, array, axis)
    total = rows[0]
    for k in range(1, len(rows)):
        step = np.{name}(total, rows[k])
        total = step if masks is None else np.where(masks[k], step, total)
{check}    return np.expand_dims(total, reduced_axes(array, axis)) if keepdims else total
""",
    "accumulate": """\
def {name}_accumulate(array, axis=0, dtype=None, out=None):
    (axis,) = reduced_axes(array, axis)
    rows = rows_along(array, axis, dtype)
    total = rows[:1]
    totals = [total]
    for k in range(1, len(rows)):
        total = np.{name}(total, rows[k : k + 1])
        totals.append(total)
    return np.moveaxis(np.concatenate(totals), 0, axis)
""",
    "reduceat": """\
def {name}_reduceat(array, indices, axis=0, dtype=None, out=None):
    (axis,) = reduced_axes(array, axis)
    rows = rows_along(array, axis, dtype)
    parts = []
    for start, stop in segments(indices, len(rows)):
        parts.append({part})
{check}    return np.stack(parts, axis=axis)
""",
}
PLAIN = {
    "outer": """\
def {name}_outer(A, B):
    return np.{name}(outer_operand(A, B), strong(B))
""",
}  # for calls that are given operands alone
CHECKS = {
    "reduce": "    refuse_left_out(total, np.{name}, 'reduce', array, axis=axis, initial=initial, where=where)\n",
    "reduceat": "    refuse_left_out(np.stack(parts, axis=axis), np.{name}, 'reduceat', array, indices=indices, axis=axis)\n",
}


def written_method(function: Any) -> Any:
    """`np.power.outer` and the like as Python; None for what is no method of a ufunc of two operands."""
    if not is_ufunc_method(function) or function.__name__ not in TEXTS:
        return None
    ufunc = function.__self__
    assert isinstance(ufunc, np.ufunc)
    results = ufunc.nout == 1 or function.__name__ == "outer"
    known = ufunc.nin == 2 and results and ufunc.signature is None and hasattr(np, ufunc.__name__)
    return _written(ufunc.__name__, function.__name__) if known else None


@functools.cache
def _written(name: str, method: str) -> Any:
    names = (
        "outer_operand", "strong", "rows_along", "rows_behind", "masks_behind", "segments", "reduced_axes",
        "refuse_left_out",
    )  # fmt: skip
    namespace = {"np": np, "functools": functools, **{kernel: getattr(runtime, kernel) for kernel in names}}
    part = f"functools.reduce(np.{name}, rows[start:stop])" if name in LEFT_OUT else f"np.{name}.reduce(rows[start:stop])"
    part += ALONE.get(name, "")
    check = CHECKS.get(method, "").format(name=name) if name in LEFT_OUT else ""
    plain = define(f"{name}_{method}", PLAIN[method].format(name=name), dict(namespace)) if method in PLAIN else None
    if plain is not None and getattr(np, name).nout > 1:
        return plain
    made: Any = define(f"{name}_{method}", TEXTS[method].format(name=name, part=part, check=check), namespace)
    made.plain = plain
    return made
