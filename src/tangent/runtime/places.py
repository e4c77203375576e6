"""Where the elements of arrays lie in the storage that they show."""

from __future__ import annotations

from typing import Any

import numpy as np

from tangent.errors import UnsupportedError

VIEWS = (
    "reshape ravel asarray asanyarray squeeze transpose swapaxes moveaxis rollaxis diagonal diag broadcast_to "
    "atleast_1d atleast_2d atleast_3d expand_dims split array_split flip rot90 real imag ascontiguousarray fliplr "
    "flipud hsplit vsplit dsplit broadcast_arrays einsum nan_to_num real_if_close matrix_transpose permute_dims "
    "unstack asfortranarray require trim_zeros astype".split()
)
SHOWING = (*(getattr(np, v) for v in VIEWS), np.lib.stride_tricks.sliding_window_view, np.lib.stride_tricks.as_strided)
METHODS = frozenset(v for v in VIEWS if callable(getattr(np.ndarray, v, None))) | {"view"}
NOTHING = "nothing"  # an index that selects nothing


def root_of(x: Any) -> Any:
    """The array that owns the storage which an array shows."""
    while (base := _base_of(x)) is not None:
        x = base
    return x


def _base_of(x: Any) -> Any:
    """The array that another one shows; between windows and theirs is an object of NumPy's."""
    base = x.base if isinstance(x.base, np.ndarray) else getattr(x.base, "base", None)
    return base if isinstance(base, np.ndarray) else None


def places(x: Any, index: Any = ...) -> Any:
    """Where the elements of `x[index]` lie in the storage that x shows."""
    root = root_of(x)
    step = root.itemsize
    if x.dtype != root.dtype:
        raise UnsupportedError(
            "cannot differentiate a view of another dtype here", why="what it shows is written into",
            todo="Write into the array itself; for 'z.real' or 'z.imag', make a copy of it, or assign to 'z[...]'.",
        )  # fmt: skip
    ids = np.arange(max(root.size, 1))
    start = (x.__array_interface__["data"][0] - root.__array_interface__["data"][0]) // step
    strides = tuple(s // step * ids.itemsize for s in x.strides)
    return np.ndarray(x.shape, ids.dtype, ids, start * ids.itemsize, strides)[index]


def elements(flat: Any, x: Any, index: Any = ...) -> Any:
    """The elements of `x[index]`, of what the storage holds."""
    if _is_zero(flat):
        return np.zeros(np.shape(places(x, index)), _inexact(x))
    return flat[places(x, index)]


def spread(b: Any, x: Any, index: Any = ...) -> Any:
    """The transpose of `elements`."""
    where = places(x, index)
    if _is_zero(b):
        return np.zeros(root_of(x).size, _inexact(x))
    found = np.zeros(root_of(x).size, _inexact(np.asarray(b)))
    np.add.at(found, where, np.broadcast_to(b, np.shape(where)))
    return found


def cleared(flat: Any, x: Any, index: Any) -> Any:
    """What the storage holds, with zeros for `x[index]`."""
    if _is_zero(flat) or (isinstance(index, str) and index == NOTHING):
        return flat
    found = flat.copy()
    found[places(x, index)] = 0.0
    return found


def _inexact(x: Any) -> Any:
    """The dtype of an array of floats, or that of derivatives of any other."""
    return x.dtype if x.dtype.kind in "fc" else np.dtype(float)


def _is_zero(b: Any) -> bool:
    return bool(getattr(type(b), "is_zero_grad", False))


def is_view_function(found: Any) -> bool:
    """Whether what a library function gives may show what it is given."""
    return any(found is f for f in SHOWING)
