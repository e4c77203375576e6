"""A sample in other precisions: dtypes of gradients and tangents, <by, dy> = <bx, dx>, and the digits there are."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from rules.check import Case, Wrong, difference, is_kernel
from tangent.codegen import choice
from tangent.errors import UnsupportedError
from tangent.testing import leaves, map_leaves


@dataclass(frozen=True)
class Kind:
    """A dtype, what doubles become in it, and how far its derivatives may be off beside the largest number."""

    dtype: Any
    made: Callable[[Any], Any]
    tolerance: float

    @property
    def is_whole(self) -> bool:
        return np.dtype(self.dtype).kind in "biu"


def _with_imaginary_parts(x: Any) -> Any:
    return x + 0.1j * np.cos(1.7 * np.arange(x.size).reshape(x.shape) + 1.0)


KINDS = {
    "float16": Kind(np.float16, lambda x: x, 3e-2),
    "float32": Kind(np.float32, lambda x: x, 1e-4),
    "longdouble": Kind(np.longdouble, lambda x: x, 1e-9),
    "complex64": Kind(np.complex64, _with_imaginary_parts, 1e-4),
    "complex128": Kind(np.complex128, _with_imaginary_parts, 1e-5),
    "int64": Kind(np.int64, lambda x: np.rint(3 * x), 1e-9),
    "int8": Kind(np.int8, lambda x: np.rint(60 * x), 3e-2),
    "uint8": Kind(np.uint8, lambda x: np.rint(60 * np.abs(x)), 3e-2),
    "bool": Kind(np.bool_, lambda x: x > 0, 3e-2),
}
WIDE = {np.float16: np.complex64, np.float32: np.complex64, np.complex64: np.complex64, np.longdouble: np.clongdouble}

# Second derivatives lose more digits.
SECOND = {"float16": 1e-1, "float32": 1e-3, "longdouble": 1e-8, "complex64": 1e-3, "complex128": 1e-4}

NOT_TAKEN = object()

# Calls whose values are others for these numbers: truth values are added by `or`, their matrices are singular and
# their eigenvalues repeat, integers are not cut by a cast to integers, and complex numbers have no order.
OTHERWISE = {"b": r"trapezoid|linalg|\.item\(|\bint\b", "i": r"\bint\b", "u": r"\bint\b", "c": "unique_values"}


def check_dtypes(case: Case) -> None:
    """Raise `Wrong`, naming all kinds that fail."""
    if is_kernel(case.sample):
        return  # these see the dtypes that rules give them
    with first_calls():
        found = [f"{name}: {fault}" for name, kind in KINDS.items() for fault in faults(case, kind)]
    if found:
        raise Wrong("\n".join(found))


def check_second_dtypes(case: Case) -> None:
    """The same of the gradient, differentiated in both modes, for which nothing is made anew."""
    if is_kernel(case.sample):
        return
    with first_calls():
        found = [f"{name}: {fault}" for name in KINDS for fault in second_faults(case, name)]
    if found:
        raise Wrong("\n".join(found))


@contextmanager
def first_calls() -> Iterator[None]:
    """No call is the third of its kind: no version is made for it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(choice, "AFTER", sys.maxsize)
        yield


def faults(case: Case, kind: Kind, calls: int = 1, places: list[int] | None = None) -> Iterator[str]:
    """What is wrong with a sample whose arguments, or those at some places, are of another kind."""
    if (args := taken(case, kind, places)) is not None:
        for _ in range(calls):
            yield from refused_or(_faults(case, kind, args))


def second_faults(case: Case, name: str, calls: int = 1) -> Iterator[str]:
    """What is wrong with the derivatives of the gradient of a sample, with arguments of another kind."""
    kind = replace(KINDS[name], tolerance=SECOND.get(name, KINDS[name].tolerance))
    if (args := taken(case, kind)) is not None:
        rng = np.random.default_rng(5)
        value = case.f(*args)
        if [v.shape for v in arrays(value)] != [v.shape for v in arrays(case.f(*in_double(case, args)))]:
            return  # a polynomial of which less is left
        seed = map_leaves(lambda v: numbers_like(v, rng), value)
        for _ in range(calls):
            yield from refused_or(_faults(case.reverse, kind, [*args, seed]))


def refused_or(found: Iterator[str]) -> Iterator[str]:
    """What is found, unless a derivative is refused: vectors that fill up a basis, views of half precision."""
    with suppress(UnsupportedError):
        yield from found


def taken(case: Case, kind: Kind, places: list[int] | None = None) -> list[Any] | None:
    """The arguments, some of them in another kind; None where NumPy does not take them, or gives something else."""
    if re.search(OTHERWISE.get(np.dtype(kind.dtype).kind, "$^"), case.sample.call):
        return None
    args = given(case, kind, places)
    value = value_at(case, args)
    if value is NOT_TAKEN or dtypes_of(args) == dtypes_of(case.args):
        return None
    return args if not kind.is_whole or is_kept(case, args, value) else None


def given(case: Case, kind: Kind, places: list[int] | None = None) -> list[Any]:
    """The arguments, some of them in a kind."""
    return [map_leaves(in_kind(kind), a) if i in (places or case.places) else a for i, a in enumerate(case.args)]


def value_at(case: Case, args: list[Any]) -> Any:
    """The value for other arguments, or `NOT_TAKEN` where NumPy itself does not take them."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", np.exceptions.ComplexWarning)
            return case.f(*args)
    except Exception:
        return NOT_TAKEN


def is_kept(case: Case, args: list[Any], value: Any) -> bool:
    """Whether integers give what floats do: nothing wraps around or overflows, and no float is cut."""
    whole = [all(dtype.kind in "biu" for dtype in dtypes_of(args[i])) for i in case.places]
    if any(dtype.kind in "biu" for dtype in dtypes_of(value)) and not all(whole):
        return False
    if any(np.any(np.abs(np.asarray(v, complex)) > 1e30) for v in arrays(value)):  # in half precision 1e30 is infinite
        return False
    try:
        return far(value, case.f(*in_double(case, args)), 1e-2) is None
    except Exception:
        return False


def in_double(case: Case, args: list[Any]) -> list[Any]:
    return [map_leaves(as_double, a) if i in case.places else a for i, a in enumerate(args)]


def _faults(case: Case, kind: Kind, args: list[Any]) -> Iterator[str]:
    rng = np.random.default_rng(3)
    value, doubles = case.f(*args), in_double(case, args)
    seed = map_leaves(lambda v: numbers_like(v, rng), value)
    got = case.gradients(args, seed=seed)
    tangents = [map_leaves(lambda v, b: numbers_like(v, rng, b), args[i], b) for i, b in zip(case.places, got)]
    pushed = case.jvp()(*args, *tangents)
    for name, b, i in zip(case.wrt, got, case.places):
        if [(x.shape, x.dtype) for x in arrays(b)] != [(x.shape, grad_dtype(x, b)) for x in arrays(args[i])]:
            yield f"the gradient of {name} is {dtypes_of(b)}, its argument {dtypes_of(args[i])}"
    if not kind.is_whole and any(p != v for p, v in zip(dtypes_of(pushed), dtypes_of(value)) if v.kind in "fc"):
        yield f"the tangent is {dtypes_of(pushed)}, the result {dtypes_of(value)}"
    if (down := product(got, tangents)) is not None and (ahead := product(seed, pushed)) is not None:
        if abs(down[0] - ahead[0]) > kind.tolerance * (down[1] + ahead[1]):
            yield f"<bx, dx> is {down[0]}, <by, dy> {ahead[0]}"
    if far(value, case.f(*doubles), kind.tolerance) is None:
        expected = case.gradients(doubles, seed=map_leaves(as_double, seed))
        if fault := far(got, expected, kind.tolerance):
            yield f"reverse: {fault}"
        if fault := far(pushed, case.jvp()(*doubles, *(map_leaves(as_double, t) for t in tangents)), kind.tolerance):
            yield f"forward: {fault}"
    if kind.dtype is np.complex128 and (fault := far(pushed, difference(case.f, args, case.places, tangents), 1e-5)):
        yield f"forward, against finite differences: {fault}"


# Numbers of other kinds


def in_kind(kind: Kind) -> Callable[[Any], Any]:
    """Arrays of doubles in the kind, those of complex numbers in the precision next to it."""

    def cast(v: Any) -> Any:
        if isinstance(v, np.ndarray) and v.dtype == np.float64:
            return kind.made(v).astype(kind.dtype)
        return v.astype(WIDE.get(kind.dtype, complex)) if isinstance(v, np.ndarray) and v.dtype == complex else v

    return cast


def as_double(v: Any) -> Any:
    """The same numbers in double precision."""
    if not isinstance(v, np.ndarray | np.generic) or v.dtype.kind not in "biufc":
        return v
    return v.astype(complex if v.dtype.kind == "c" else float)


def numbers_like(v: Any, rng: np.random.Generator, b: Any = None) -> Any:
    """Random numbers in the dtype of v, none of them near zero; those of integers in that of their gradient b."""
    dtype = np.asarray(v).dtype
    out = rng.uniform(0.5, 1.5, np.shape(v)) * rng.choice([-1.0, 1.0], np.shape(v))
    if dtype.kind == "c":
        out = out + 1j * rng.uniform(0.5, 1.5, np.shape(v))
    if dtype.kind not in "fc":
        dtype = np.dtype(float) if b is None else np.asarray(b).dtype
    out = np.asarray(out, dtype)
    return out if isinstance(v, np.ndarray) else type(v)(out) if isinstance(v, float | complex) else out[()]


# What they are compared by


def arrays(x: Any) -> list[Any]:
    return [np.asarray(v) for v in leaves(x)]


def dtypes_of(x: Any) -> list[Any]:
    return [v.dtype for v in arrays(x)]


def grad_dtype(x: Any, b: Any) -> Any:
    """The dtype that a gradient of x has; integers have real ones, in the precision they are computed in."""
    return x.dtype if x.dtype.kind in "fc" else next((d for d in dtypes_of(b) if d.kind == "f"), None)


def product(x: Any, y: Any) -> tuple[Any, Any] | None:
    """The real part of the sum of products, and the size of what is summed; none where it is not finite."""
    terms = [np.ravel(np.asarray(a, np.clongdouble) * np.asarray(b)) for a, b in zip(leaves(x), leaves(y))]
    total = np.concatenate([*terms, np.zeros(1)])
    return (np.sum(np.real(total)), np.sum(np.abs(total))) if np.all(np.isfinite(total)) else None


def far(got: Any, expected: Any, tolerance: float) -> str | None:
    """What differs by more than a part of the largest number, if anything does that the dtype has digits for."""
    a = arrays(got)
    b = [y.astype(x.dtype) if x.dtype.kind == y.dtype.kind else y for x, y in zip(a, arrays(expected), strict=True)]
    if [x.shape for x in a] != [x.shape for x in b]:
        return f"{got}, expected {expected}"
    size = max((float(np.max(np.abs(np.nan_to_num(x, posinf=0, neginf=0)), initial=0.0)) for x in b), default=0.0)
    tiny = max((np.finfo(x.dtype).tiny for x in a if x.dtype.kind in "fc"), default=0.0)
    near = all(np.allclose(x, y, rtol=tolerance, atol=tolerance * size + tiny, equal_nan=True) for x, y in zip(a, b))
    return None if near else f"{got}, expected {expected}"
