"""Shapes, joins and structure: the kernels of the linear rules, and what Numba lacks of NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from tangent.backends.numba.functions import (
    LEFT_OUT,
    Broadcast,
    require_inside,
    require_regular,
    require_same,
    require_unset,
    span,
)
from tangent.backends.numba.kinds import (
    element,
    gradient_type,
    implements,
    is_array,
    is_list,
    is_nothing,
    is_number,
    is_tuple,
    jitable,
    per_item,
    rank,
    value_of,
    written,
)
from tangent.errors import TangentError
from tangent.runtime import (
    along_diagonal,
    inverse_axes,
    join_like,
    like,
    on_diagonal,
    restructure,
    scatter,
    split_like,
    unbroadcast,
    uncast,
    uncompress,
    undiag,
    unstack_like,
    untake,
)


@implements(like)
def alike(b: Any, x: Any) -> Any:
    if (is_number(x) and is_number(b)) or (is_array(x) and is_number(b)):
        return lambda b, x: unbroadcast(b, x)
    if is_number(x):
        return lambda b, x: unbroadcast(b.ravel()[0], x)
    if rank(b) == rank(x):
        return lambda b, x: unbroadcast(b, x)
    return lambda b, x: unbroadcast(np.ascontiguousarray(b).reshape(x.shape), x)


@implements(uncast)
def cast_back(b: Any, dtype: Any = None) -> Any:
    kind = getattr(dtype, "dtype", None)
    if is_nothing(dtype) or (kind is not None and kind == gradient_type(kind)):
        return lambda b, dtype=None: b
    return lambda b, dtype=None: b * 0.0


@implements(restructure)
def structured(b: Any, x: Any, dtype: Any = None) -> Any:
    if is_array(x) or is_number(x):
        return lambda b, x, dtype=None: like(uncast(b, dtype), x)
    if is_tuple(x):
        return per_item(x, "b, x, dtype=None", "restructure(b[{i}], x[{i}], dtype)", restructure=restructure)
    if is_list(x):
        return lambda b, x, dtype=None: [restructure(b[i], x[i], dtype) for i in range(len(x))]
    return None


@implements(inverse_axes)
def undone(axes: Any) -> Any:
    """A permutation of known axes is inverted beforehand."""
    if is_nothing(axes):
        return lambda axes: None
    known = value_of(axes, default=...)
    if not isinstance(known, tuple) or any(not isinstance(i, int) for i in known):
        return None
    order = sorted(range(len(known)), key=lambda i: known[i] % len(known))
    return written(f"def impl(axes):\n    return ({''.join(f'{i}, ' for i in order)})\n")


@implements(split_like)
def pieces(b: Any, xs: Any, axis: Any = 0) -> Any:
    """b cut into pieces as long as the xs along an axis; one of lower rank is a slice."""
    along = value_of(axis, default=...)
    if not is_tuple(xs) or not isinstance(along, int) or not all(is_array(x) for x in xs.types):
        return None
    along %= rank(b)
    if any(rank(x) != rank(b) and rank(x) != rank(b) - 1 for x in xs.types):
        return None
    lines = ["def impl(b, xs, axis=0):", "    end0 = 0"]
    parts = []
    for i in range(len(xs)):
        whole = rank(xs.types[i]) == rank(b)
        lines.append(f"    end{i + 1} = end{i} + {f'xs[{i}].shape[{along}]' if whole else '1'}")
        place = f"end{i}:end{i + 1}" if whole else f"end{i}"
        cut = ", ".join(place if k == along else ":" for k in range(rank(b)))
        parts.append(f"unbroadcast(b[{cut}], xs[{i}]), ")
    lines += [f"    return ({''.join(parts)})", ""]
    return written("\n".join(lines), unbroadcast=unbroadcast)


@implements(join_like)
def joined_like(parts: Any, x: Any, axis: Any = 0) -> Any:
    """The parts of a tuple side by side in an array like x; one of lower rank fills one place along the axis."""
    along = value_of(axis, default=...)
    if not is_tuple(parts) or not isinstance(along, int) or not all(is_array(p) for p in parts.types):
        return None
    along %= rank(x)
    lines = ["def impl(parts, x, axis=0):", "    out, end = np.empty(x.shape, parts[0].dtype), 0"]
    for i, part in enumerate(parts.types):
        whole = rank(part) == rank(x)
        cut = ", ".join(("end:stop" if whole else "end") if k == along else ":" for k in range(rank(x)))
        lines.append(f"    stop = end + {f'parts[{i}].shape[{along}]' if whole else '1'}")
        lines += [f"    out[{cut}] = parts[{i}]", "    end = stop"]
    return written("\n".join([*lines, "    return out", ""]), np=np)


@implements(unstack_like)
def layers(b: Any, xs: Any, axis: Any = 0) -> Any:
    along = value_of(axis, default=...)
    if not isinstance(along, int):
        return None
    along %= rank(b)
    if is_list(xs) and along == 0:
        return lambda b, xs, axis=0: [unbroadcast(b[i], xs[i]) for i in range(len(xs))]
    if not is_tuple(xs):
        return None
    cut = ", ".join("{i}" if k == along else ":" for k in range(rank(b)))
    return per_item(xs, "b, xs, axis=0", f"unbroadcast(b[{cut}], xs[{{i}}])", unbroadcast=unbroadcast)


@implements(undiag)
def of_diagonal(b: Any, x: Any, k: Any = 0) -> Any:
    if rank(x) == 1:
        return lambda b, x, k=0: unbroadcast(np.diag(b, k).copy(), x)
    return lambda b, x, k=0: diagonal_matrix(b, x, k)


@implements(on_diagonal)
def along_both(b: Any, x: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1) -> Any:
    if rank(x) != 2 or value_of(axis1) != 0 or value_of(axis2) != 1:
        return None
    return lambda b, x, offset=0, axis1=0, axis2=1: diagonal_matrix(b, x, offset)


@implements(along_diagonal)
def one_number(b: Any, x: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1) -> Any:
    if rank(x) != 2:
        return None

    def impl(b: Any, x: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1) -> Any:
        n = min(x.shape[0] + min(offset, 0), x.shape[1] - max(offset, 0))
        return diagonal_matrix(np.full(n, b), x, offset)

    return impl


@jitable
def diagonal_matrix(b: Any, x: Any, k: Any) -> Any:
    """Zeros like the matrix x with b on diagonal k."""
    out = np.zeros(x.shape, b.dtype)
    row, column = max(-k, 0), max(k, 0)
    for i in range(len(b)):
        out[row + i, column + i] = b[i]
    return out


@implements(untake)
def taken_back(b: Any, x: Any, indices: Any, axis: Any = None, mode: Any = "raise") -> Any:
    along = value_of(axis, default=...)
    if value_of(mode) != "raise":
        return None
    if along is None or (rank(x) == 1 and along in (0, -1)):
        if is_number(indices):
            return lambda b, x, indices, axis=None, mode="raise": scatter(b, x.ravel(), indices).reshape(x.shape)
        return lambda b, x, indices, axis=None, mode="raise": scatter(b, x.ravel(), np.asarray(indices)).reshape(
            x.shape
        )
    if along == 0 or (isinstance(along, int) and along % rank(x) == 0):
        return lambda b, x, indices, axis=None, mode="raise": scatter(b, x, indices)
    return None


@implements(uncompress)
def decompressed(b: Any, x: Any, condition: Any, axis: Any = None) -> Any:
    along = value_of(axis, default=...)
    if along is not None and not (rank(x) == 1 and along in (0, -1)):
        return None

    def impl(b: Any, x: Any, condition: Any, axis: Any = None) -> Any:
        return scatter(b, x.ravel(), np.flatnonzero(np.asarray(condition))).reshape(x.shape)

    return impl


@implements(np.reshape)
def reshaped_number(a: Any, newshape: Any) -> Any:
    """A number in the shape of a number, which rules ask for where they cannot know."""
    if is_number(a) and is_tuple(newshape) and len(newshape) == 0:
        return lambda a, newshape: a
    if is_array(a) and a.layout != "C" and (is_number(newshape) or is_tuple(newshape)):
        return strided_form(newshape)
    return (lambda a, newshape: np.full(newshape, a)) if is_number(a) and is_tuple(newshape) else None


def strided_form(newshape: Any) -> Any:
    """A view where NumPy has one, since others may write into it, else a copy: Numba knows arrays in one piece only."""
    sizes = "newshape" if is_tuple(newshape) else "(newshape,)"
    count = len(newshape) if is_tuple(newshape) else 1
    shape = "".join(f"sizes[{k}], " for k in range(count))
    steps = "".join(f"steps[{k}], " for k in range(count))
    text = [
        "def impl(a, newshape):",
        f"    sizes = all_sizes(np.array({sizes}, np.intp) if {count} else np.empty(0, np.intp), a.size)",
        "    shape, strides = np.array(a.shape), np.array(a.strides)",
        "    steps = np.zeros(len(sizes) + 1, np.intp)",
        "    if steps_of_view(shape, strides, sizes, a.itemsize, steps):",
        f"        return as_strided(a, ({shape}), ({steps}))",
        f"    return np.ascontiguousarray(a).reshape(({shape}))",
        "",
    ]
    return written("\n".join(text), np=np, as_strided=np.lib.stride_tricks.as_strided,
                   all_sizes=all_sizes, steps_of_view=steps_of_view)  # fmt: skip


@jitable
def all_sizes(sizes: Any, total: int) -> Any:
    """Lengths of axes with that of the axis for which -1 stands."""
    rest = 1
    for n in sizes:
        rest *= n if n >= 0 else 1
    if rest > 0:
        for k in range(len(sizes)):
            sizes[k] = total // rest if sizes[k] < 0 else sizes[k]
    if np.prod(sizes) != total:
        raise ValueError("cannot reshape an array into a shape of another size")
    return sizes


@jitable
def steps_of_view(shape: Any, strides: Any, sizes: Any, item: int, steps: Any) -> bool:
    """Fill in the strides of a view of another shape; False where there is none, as NumPy decides.

    Axes are taken in groups of one size, before and after; those of a group must follow each other without gaps.
    """
    if np.prod(shape) == 0:
        return False
    old = [k for k in range(len(shape)) if shape[k] != 1]
    i, j = 0, 0
    while i < len(old) and j < len(sizes):
        end, last = i + 1, j + 1
        have, want = shape[old[i]], sizes[j]
        while have != want:
            if have < want:
                have *= shape[old[end]]
                end += 1
            else:
                want *= sizes[last]
                last += 1
        for k in range(i, end - 1):
            if strides[old[k]] != shape[old[k + 1]] * strides[old[k + 1]]:
                return False
        step = strides[old[end - 1]]
        for k in range(last - 1, j - 1, -1):
            steps[k] = step
            step *= sizes[k]
        i, j = end, last
    step = steps[j - 1] if j > 0 else item
    for k in range(j, len(sizes)):
        steps[k] = step
    return True


@implements(np.array)
def copied(object: Any, dtype: Any = None) -> Any:
    """Numba makes arrays of lists only."""
    return (lambda object, dtype=None: object.copy()) if is_array(object) and is_nothing(dtype) else None


@implements(np.ndim)
def axes_counted(a: Any) -> Any:
    n = rank(a)
    return (lambda a: n) if is_array(a) or is_number(a) else None


# Loops over arrays


@implements(require_same)
def agreeing(m: Any, n: Any) -> Any:
    def impl(m: Any, n: Any) -> Any:
        if m != n:
            raise Broadcast("shapes differ")

    return impl


@implements(require_inside)
def inside(low: Any, high: Any, size: Any) -> Any:
    def impl(low: Any, high: Any, size: Any) -> Any:
        if not (0 <= low <= high <= size or -size <= low <= high < 0):
            raise Broadcast("a part is not inside of its array")

    return impl


@implements(require_regular)
def regular(determinant: Any) -> Any:
    def impl(determinant: Any) -> Any:
        if not 1e-200 < abs(determinant) < 1e200:
            raise Broadcast("a matrix is singular, or its elements are very large or small")

    return impl


@implements(require_unset)
def unset(place: Any) -> Any:
    def impl(place: Any) -> Any:
        if place != 0:
            raise TangentError(LEFT_OUT)

    return impl


@implements(span)
def spanned(size: Any, low: Any, high: Any, step: Any = 1) -> Any:
    def impl(size: Any, low: Any, high: Any, step: Any = 1) -> Any:
        start, stop, by = slice(low, high, step).indices(size)
        return start, len(range(start, stop, by))

    return impl


@implements(np.expand_dims)
def with_axes(a: Any, axis: Any) -> Any:
    """Of numbers, and with several axes at once."""
    axes = value_of(axis, default=...)
    known = (axes,) if isinstance(axes, int) else axes
    if not isinstance(known, tuple) or any(not isinstance(k, int) for k in known):
        return None
    if is_number(a):
        shape, kind = (1,) * len(known), element(a)
        return lambda a, axis: np.full(shape, a, kind)
    if not is_array(a) or isinstance(axes, int):
        return None
    n = rank(a) + len(known)
    index = ", ".join("None" if i in {k % n for k in known} else ":" for i in range(n))
    return written(f"def impl(a, axis):\n    return a[{index}]\n")
