"""The persistent array: assignment, appending and deleting rows make a version, and the versions before stay.

>>> x = PersistentArray([1.0, 2.0, 3.0])
>>> before = copy.copy(x)
>>> x[1] = 7.0
>>> before
PersistentArray([1., 2., 3.])
>>> before[0] = 5.0
>>> x, before
(PersistentArray([1., 7., 3.]), PersistentArray([5., 2., 3.]))

There is one array in memory, that of the version used last; the others are kept as differences (`versions.py`). Writing
costs what is written. Reading a version costs the differences between it and the one used last: nothing for the
newest, and one step back at a time where versions are read in reverse order, as a backward pass does.

Any number of threads may use handles of one array: reading moves the array in memory, under a lock that all its
versions share. One handle that several threads write to needs a lock of the user's own, as a list does.
"""

from __future__ import annotations

import copy
import weakref
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from tangent.errors import ShapeError, VersionError, caller
from tangent.runtime.versions import Array, Buffer, Cut, Grow, Put, Version, part_of


class PersistentArray(NDArrayOperatorsMixin):
    """A handle of one version of an array; `copy.copy` gives another handle of it, at no cost."""

    __slots__ = ("__weakref__", "_version")
    _version: Version | None

    def __init__(self, values: Any, dtype: Any = None) -> None:
        data = np.array(values, dtype)
        if data.ndim == 0:
            raise ShapeError(
                "a persistent array has rows", caller(), "this is a single number", "Pass a list or array."
            )
        self._version = Version(Buffer(data))

    # What it is

    @property
    def shape(self) -> tuple[int, ...]:
        version = self._held()
        return (version.length, *version.buffer.data.shape[1:])

    @property
    def dtype(self) -> np.dtype[Any]:
        found: np.dtype[Any] = self._held().buffer.data.dtype
        return found

    @property
    def ndim(self) -> int:
        return self._held().buffer.data.ndim

    @property
    def size(self) -> int:
        return int(np.prod(self.shape))

    def __len__(self) -> int:
        return self._held().length

    def __bool__(self) -> bool:
        """As of an array: whether the one number is not zero."""
        return bool(np.asarray(self))

    def __repr__(self) -> str:
        if self._version is None:
            return "PersistentArray(freed)"
        return repr(np.asarray(self)).replace("array(", "PersistentArray(", 1).replace("\n", "\n" + 10 * " ")

    # Handles

    def __copy__(self) -> PersistentArray:
        made = object.__new__(PersistentArray)
        made._version = self._held()
        return made

    copy = __copy__

    def __deepcopy__(self, memo: Any) -> PersistentArray:
        return PersistentArray(np.asarray(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return PersistentArray, (np.asarray(self),)

    def free(self) -> None:
        """Give the version up: its differences go now if nobody else needs them."""
        self._version = None

    def _held(self) -> Version:
        version = self._version
        if version is None:
            raise VersionError("this version was freed", caller(), "'free' was called on its handle", "Copy it before.")
        return version

    # Reading

    def __getitem__(self, index: Any) -> Any:
        """A part, as an array of its own that cannot be written to: `x[i][j] = v` would not reach x."""
        index = _plain(index)
        version = self._version or self._held()
        buffer = version.buffer
        with buffer.lock:
            found = (buffer.rows() if version.next is None else version.rows())[index]
            if isinstance(found, np.void):  # a row of fields shows the array
                found = np.asarray(found.copy())
            elif not isinstance(found, np.ndarray):
                return found
            elif found.base is not None:
                found = found.copy()
            found.setflags(write=False)
        return found if found.ndim or found.dtype.names is None else found[()]

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        if copy is False:
            raise ValueError("a persistent array is copied when it becomes an array: its memory holds other versions")
        version = self._held()
        with version.buffer.lock:
            return np.array(version.rows(), dtype)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, out: Any = None, **options: Any) -> Any:
        if method == "at":
            target, index, *rest = (inputs[0], *map(_plain, inputs[1:]))
            if not isinstance(target, PersistentArray):
                return _with_arrays(ufunc.at, (target, index, *rest), options)
            return target._write(index, lambda rows: ufunc.at(rows, index, *rest))
        if out is None:
            return _with_arrays(getattr(ufunc, method), inputs, options)
        made = tuple(o if o is None else np.array(o) for o in out)  # what a mask leaves out keeps its value
        given = _with_arrays(getattr(ufunc, method), inputs, {**options, "out": made})
        results = given if isinstance(given, tuple) else (given,)
        for target, result in zip(out, made):
            if target is not None:
                target[...] = result
        found = tuple(result if target is None else target for target, result in zip(out, results))
        return found[0] if len(found) == 1 else found

    def __array_function__(self, function: Callable[..., Any], types: Any, args: Any, options: Any) -> Any:
        if function in _METADATA and len(args) == 1 and not options:
            return _METADATA[function](args[0])
        return _with_arrays(function, args, options)

    # Writing

    def __setitem__(self, index: Any, value: Any) -> None:
        index, value = _plain(index), _plain(value)

        def put(rows: Array) -> None:
            try:
                rows[index] = value
            except ValueError as e:
                raise ShapeError(
                    f"cannot assign to x[{index}]", caller(), str(e), "Give the value the shape of the place."
                ) from None

        self._write(index, put)

    def _write(self, index: Any, action: Callable[[Array], None]) -> None:
        """Let an action change the part at an index; what was there is kept if another handle has it."""
        held = self._held()
        with held.buffer.lock:
            rows, new = held.rows(), Version(held.buffer)
            old = self._leave(held, new)
            del held
            version = old()
            if version is not None:
                self._version = version  # as long as the old part is not kept
                back = Put(_fixed(index), part_of(rows, index))
                version.difference, version.next, self._version = back, new, new
            action(rows)

    def _leave(self, held: Version, new: Version) -> weakref.ref[Version]:
        old = weakref.ref(held)
        self._version = new
        return old

    def append(self, row: Any) -> None:
        """One more row; the time is that of the row, on average.

        >>> x = PersistentArray(np.zeros((0, 2)))
        >>> x.append([1.0, 2.0])
        >>> x
        PersistentArray([[1., 2.]])
        """
        held = self._held()
        row = fitting(row, held.buffer.data.shape[1:], held.buffer.data.dtype, "row")
        with held.buffer.lock:
            held.rows()
            length = held.length
            held.buffer.extend(row[None])
            new = Version(held.buffer)
            old = self._leave(held, new)
            del held
            version = old()
            if version is not None:
                version.difference, version.next = Cut(length), new

    def pop(self) -> Any:
        """Delete the last row, and give it back."""
        row = self[-1] if len(self) else None
        self.delete(1)
        return row

    def delete(self, count: int) -> None:
        """Delete rows at the end.

        >>> x = PersistentArray([1.0, 2.0, 3.0])
        >>> x.delete(2)
        >>> x
        PersistentArray([1.])
        """
        held = self._held()
        if not 0 <= count <= held.length:
            raise VersionError(
                f"cannot delete {count} rows", caller(), f"the array has {held.length}", "Delete so many at most."
            )
        with held.buffer.lock:
            held.rows()
            length = held.length - count
            rows = held.buffer.data[length : held.length]
            held.buffer.length = length
            new = Version(held.buffer)
            old = self._leave(held, new)
            del held
            version = old()
            if version is not None:
                version.difference, version.next = Grow(rows.copy()), new

    def __delitem__(self, index: Any) -> None:
        """`del x[-1]` and `del x[k:]`: rows at the end."""
        self.delete(rows_at(self, index))


def rows_at(x: Any, index: Any) -> int:
    """How many rows `del x[index]` deletes at the end of x.

    >>> rows_at(PersistentArray([1.0, 2.0, 3.0]), slice(1, None))
    2
    """
    n = len(x)
    if isinstance(index, slice) and index.step in (None, 1) and (index.stop is None or index.stop >= n):
        start = index.start or 0
        return int(n - min(max(start + n if start < 0 else start, 0), n))
    if isinstance(index, (int, np.integer)) and index in (-1, n - 1):
        return 1
    raise VersionError(
        f"cannot delete x[{index}]", caller(), "only rows at the end can be deleted",
        "Make an array of the others with np.delete.",
    )  # fmt: skip


def has_rows(x: Any) -> bool:
    """Whether something is a persistent array."""
    return isinstance(x, PersistentArray)


def append(x: Any, row: Any) -> Any:
    """The array with one more row. x stays as it is: a persistent array is shared with it, a NumPy array is copied.

    >>> append(np.array([1.0, 2.0]), 3.0)
    array([1., 2., 3.])
    """
    if isinstance(x, PersistentArray):
        made = copy.copy(x)
        made.append(row)
        return made
    _require_array(x, "append")
    return np.concatenate([x, fitting(row, x.shape[1:], x.dtype, "row")[None]], dtype=x.dtype)


def shortened(x: Any, count: int) -> Any:
    """The array without rows at the end. x stays as it is, as for `append`.

    >>> shortened(np.array([1.0, 2.0, 3.0]), 2)
    array([1.])
    """
    made = copy.copy(x) if isinstance(x, PersistentArray) else PersistentArray(x)
    made.delete(count)
    return made if isinstance(x, PersistentArray) else np.asarray(made)


def setitem(x: Any, index: Any, value: Any) -> Any:
    """The array with another value, of the same shape, at an index. x stays as it is, as for `append`.

    >>> setitem(np.array([1.0, 2.0]), 0, 5.0)
    array([5., 2.])
    """
    if isinstance(x, PersistentArray):
        held = x._version or x._held()
        index, value = _plain(index), _plain(value)
        with held.buffer.lock:
            rows = held.rows()
            old = part_of(rows, index)
            value = fitting(value, np.shape(old), rows.dtype, "value")
            made = object.__new__(PersistentArray)
            new = made._version = Version(held.buffer)
            held.difference, held.next = Put(_fixed(index), old), new
            rows[index] = value
        return made
    _require_array(x, "setitem")
    value = fitting(value, np.shape(x[index]), x.dtype, "value")
    made_ = x.copy()
    made_[index] = value
    return made_


def _require_array(x: Any, function: str) -> None:
    if not isinstance(x, np.ndarray) or x.ndim == 0:
        raise ShapeError(
            f"'{function}' takes an array, not a {type(x).__name__}", caller(), "it has no rows", "Pass np.array(...)."
        )


def fitting(value: Any, shape: tuple[int, ...], dtype: np.dtype[Any], what: str) -> Array:
    """The value as an array, if it has the shape and can have the dtype."""
    found = value if type(value) is np.ndarray else np.asarray(value)
    if found.shape == shape and found.dtype == dtype:
        return found
    if found.shape != shape:
        raise ShapeError(
            f"the {what} has shape {found.shape}, the place for it {shape}", caller(), "nothing is broadcast here",
            "Use np.broadcast_to or np.reshape.",
        )  # fmt: skip
    if not np.can_cast(found.dtype, dtype, "same_kind"):
        raise ShapeError(
            f"the {what} is {found.dtype}, the array {dtype}", caller(), "the array cannot hold such numbers",
            "Convert one of them with 'astype'.",
        )  # fmt: skip
    return found


def _plain(x: Any) -> Any:
    """An index or value without persistent arrays: reading one may move the memory that is about to be used."""
    if isinstance(x, PersistentArray):
        return np.asarray(x)
    if isinstance(x, tuple):
        return tuple([_plain(v) for v in x])
    return [_plain(v) for v in x] if isinstance(x, list) else x


def _fixed(index: Any) -> Any:
    """An index that does not change when its owner changes it."""
    if isinstance(index, tuple):
        return tuple(_fixed(i) for i in index)
    return np.array(index) if isinstance(index, (np.ndarray, list)) else index


# Functions of NumPy


def _with_arrays(function: Callable[..., Any], args: Any, options: dict[str, Any]) -> Any:
    """Call a function on the arrays themselves, which it cannot write to; views of them do not get out."""
    handles: list[PersistentArray] = []
    _collect((args, options), handles)
    versions = {id(h._held()): h._held() for h in handles}
    buffers = {id(v.buffer): v.buffer for v in versions.values()}
    shared = len(buffers) < len(versions)
    with ExitStack() as locks:
        for k in sorted(buffers):
            locks.enter_context(buffers[k].lock)
        arrays = {k: _read_only(v.rows().copy() if shared else v.rows().view()) for k, v in versions.items()}
        plain = _replaced((args, options), arrays)
        result = function(*plain[0], **plain[1])
        return _own(result, list(buffers.values()))


def _read_only(rows: Array) -> Array:
    rows.flags.writeable = False
    return rows


def _collect(x: Any, found: list[PersistentArray]) -> None:
    if isinstance(x, PersistentArray):
        found.append(x)
    elif isinstance(x, (list, tuple)):
        for v in x:
            _collect(v, found)
    elif isinstance(x, dict):
        for v in x.values():
            _collect(v, found)


def _replaced(x: Any, arrays: dict[int, Array]) -> Any:
    if isinstance(x, PersistentArray):
        return arrays[id(x._held())]
    if type(x) in (list, tuple):
        return type(x)(_replaced(v, arrays) for v in x)
    return {k: _replaced(v, arrays) for k, v in x.items()} if type(x) is dict else x


def _own(result: Any, buffers: list[Buffer]) -> Any:
    """The result, copied where it is a view of memory that will hold other versions."""
    if isinstance(result, np.ndarray):
        return result.copy() if any(np.may_share_memory(result, b.data) for b in buffers) else result
    return type(result)(_own(r, buffers) for r in result) if type(result) in (list, tuple) else result


_METADATA: dict[Any, Callable[[PersistentArray], Any]] = {
    np.shape: lambda x: x.shape, np.ndim: lambda x: x.ndim, np.size: lambda x: x.size,
}  # fmt: skip
