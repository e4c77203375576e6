"""Check one sample of a rule: every mode against finite differences and each other, shapes and dtypes."""

from __future__ import annotations

import builtins
import cmath
import copy
import inspect
import itertools
import linecache
import math
import operator
import re
import warnings
from collections.abc import Callable, Hashable, Iterator
from functools import cache, cached_property, lru_cache
from typing import Any

import numpy as np

import tangent
from rules.sample import Sample
from tangent import runtime
from tangent.rules.table import table
from tangent.source.kept import keeping
from tangent.testing import add, dot, leaves, map_leaves, scale
from tangent.testing import random_like as normal_like

Function = Callable[..., Any]
NAMES = {
    **{name: getattr(runtime, name) for name in dir(runtime) if not name.startswith("_")},
    "np": np, "math": math, "cmath": cmath, "operator": operator, "copy": copy, "runtime": runtime,
}  # fmt: skip
STEP = 1e-5
_count = itertools.count(1)


class Wrong(AssertionError):
    """A derivative that is not what it should be."""


def function_of(sample: Sample) -> Function:
    """The call as a function of its values, with source that can be read."""
    return made(f"def f({', '.join(sample.values)}):\n    return {sample.call}\n")


@cache
def made(text: str) -> Function:
    """The function `f` of a text, which can be read; samples of one call share it, and its derivatives."""
    file = f"<sample {next(_count)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names = dict(NAMES)
    exec(compile(text, file, "exec"), names)
    return names["f"]


def is_missing(sample: Sample) -> bool:
    """Whether the call is of a function that this version of Python or NumPy lacks."""
    paths = re.findall(r"\b(?:np|math|cmath|operator|copy)(?:\.[a-zA-Z_]\w*)+", sample.call)
    return any(not _exists(path.split(".")) for path in paths)


def _exists(parts: list[str]) -> bool:
    found = NAMES[parts[0]]
    for part in parts[1:]:
        if not hasattr(found, part):
            return False
        found = getattr(found, part)
    return True


def is_kernel(sample: Sample) -> bool:
    name = sample.call.removeprefix("runtime.").partition("(")[0]
    return name.isidentifier() and hasattr(runtime, name) and not hasattr(builtins, name)


def random_like(x: Any, rng: np.random.Generator) -> Any:
    """Random numbers in the structure of x, none of them near zero, where an error would be hidden."""
    return map_leaves(lambda v: v + np.where(np.real(v) < 0, -0.5, 0.5)[()], normal_like(x, rng))


class Case:
    """A function, its arguments, random tangents of those it is differentiated by, and a random seed of its result."""

    def __init__(self, sample: Sample) -> None:
        names = list(sample.values)
        self.sample = sample
        self._set(function_of(sample), list(sample.values.values()), sample.wrt, [names.index(n) for n in sample.wrt])

    def _set(self, f: Function, args: list[Any], wrt: tuple[str, ...], places: list[int]) -> None:
        self.f, self.args, self.wrt, self.places = f, args, wrt, places
        self._made: dict[Any, Function] = {}
        rng = np.random.default_rng(7)
        self.tangents = [random_like(args[i], rng) for i in places]
        with np.errstate(all="ignore"):
            self.value = f(*args)
        self.seed = random_like(self.value, rng)

    @cached_property
    def slope(self) -> Any:
        """The finite difference of the call along the tangents."""
        return difference(self.f, self.args, self.places, self.tangents)

    def vjp(self, optimized: bool = True) -> Function:
        return self._derivative(tangent.vjp, optimized)

    def jvp(self, optimized: bool = True) -> Function:
        return self._derivative(tangent.jvp, optimized)

    def _derivative(self, mode: Function, optimized: bool) -> Function:
        key = mode, optimized, table().version
        if key not in self._made:
            self._made[key] = mode(self.f, self.wrt, optimized=optimized, check_dims=False)
        return self._made[key]

    def gradients(self, args: list[Any] | None = None, optimized: bool = True, seed: Any = None) -> tuple[Any, ...]:
        got = self.vjp(optimized)(*(args or self.args), self.seed if seed is None else seed)
        return got if len(self.wrt) > 1 else (got,)

    @cached_property
    def reverse(self) -> Case:
        """The gradient, a function of the arguments and of the seed."""
        return OfDerivative(self, self.vjp(), [self.seed])

    @cached_property
    def forward(self) -> Case:
        """The tangent, a function of the arguments and of their tangents."""
        return OfDerivative(self, self.jvp(), self.tangents)


class OfDerivative(Case):
    """A derivative of a case as a function, by what the case is differentiated by and by its last parameters."""

    def __init__(self, case: Case, derivative: Function, last: list[Any]) -> None:
        args = [*case.args, *last]
        added = range(len(case.args), len(args))
        names = list(inspect.signature(derivative).parameters)
        self.sample = case.sample
        self._set(derivative, args, (*case.wrt, *(names[i] for i in added)), [*case.places, *added])


def difference(f: Function, args: list[Any], places: list[int], tangents: list[Any], step: float = STEP) -> Any:
    """The central finite difference of f along tangents of the arguments at some places, of fourth order."""

    def at(h: float) -> Any:
        moved = list(args)
        for i, t in zip(places, tangents):
            moved[i] = add(args[i], scale(t, h))
        return f(*moved)

    near = map_leaves(lambda a, b: (np.asarray(a) - np.asarray(b)) / (2 * step), at(step), at(-step))
    far = map_leaves(lambda a, b: (np.asarray(a) - np.asarray(b)) / (4 * step), at(2 * step), at(-2 * step))
    return map_leaves(lambda n, w: (4.0 * n - w) / 3.0, near, far)


def close(got: Any, expected: Any, what: str, tolerance: float = 2e-6) -> None:
    """Raise unless two structures of numbers agree, relative to the largest of them."""
    a, b = [np.asarray(x) for x in leaves(got)], [np.asarray(x) for x in leaves(expected)]
    if [x.shape for x in a] != [x.shape for x in b]:
        raise Wrong(f"{what}: shapes {[x.shape for x in a]}, expected {[x.shape for x in b]}")
    size = max([1.0, *(float(np.max(np.abs(np.nan_to_num(x)))) for x in b if x.size)])
    for x, y in zip(a, b):
        if not np.allclose(x, y, rtol=tolerance, atol=tolerance * size, equal_nan=True):
            raise Wrong(f"{what}: {got}, expected {expected}")


# First order


def check_reverse(case: Case) -> None:
    expected = dot(case.seed, case.slope)
    close(sum(dot(b, t) for b, t in zip(case.gradients(), case.tangents)), expected, "reverse")


def check_forward(case: Case) -> None:
    got = case.jvp()(*case.args, *case.tangents)
    close(got, case.slope, "forward")


def check_adjoint(case: Case) -> None:
    """<by, dy> = <bx, dx>"""
    down = sum(dot(b, t) for b, t in zip(case.gradients(), case.tangents))
    close(down, dot(case.seed, case.jvp()(*case.args, *case.tangents)), "<by, dy> = <bx, dx>", 1e-9)


def check_raw(case: Case) -> None:
    close(case.gradients(optimized=False), case.gradients(), "raw reverse", 1e-12)
    raw = case.jvp(False)(*case.args, *case.tangents)
    close(raw, case.jvp()(*case.args, *case.tangents), "raw forward", 1e-12)


def check_shapes(case: Case) -> None:
    """Gradients have the structure, shapes and dtypes of the arguments."""
    for name, b, i in zip(case.wrt, case.gradients(), case.places):
        _same_kind(name, b, case.args[i])


def _same_kind(name: str, b: Any, x: Any) -> None:
    if isinstance(x, list | tuple):
        if type(b) is not type(x) or len(b) != len(x):
            raise Wrong(f"the gradient of {name} is a {type(b).__name__}, expected a {type(x).__name__} of {len(x)}")
        for p, q in zip(b, x):
            _same_kind(name, p, q)
    elif isinstance(x, dict):
        for k in x:
            _same_kind(f"{name}[{k!r}]", b[k], x[k])
    elif np.shape(b) != np.shape(x) or np.asarray(b).dtype != np.asarray(x).dtype:
        have, want = np.asarray(b), np.asarray(x)
        raise Wrong(f"the gradient of {name} has {have.shape} {have.dtype}, expected {want.shape} {want.dtype}")


def check_integer(case: Case) -> None:
    """Integer arguments get the gradients of the same numbers as floats."""
    if not all(isinstance(case.args[i], np.ndarray) and case.args[i].dtype == np.float64 for i in case.places):
        return
    whole = [np.rint(a).astype(int) if i in case.places else a for i, a in enumerate(case.args)]
    floats = [a.astype(float) if i in case.places else a for i, a in enumerate(whole)]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            same = _equal(case.f(*whole), case.f(*floats)) and _alike(case.f(*floats), case.value)
    except Exception:
        return  # outside of the domain
    if not same:
        return
    try:
        expected = case.gradients(floats)
    except np.linalg.LinAlgError:
        return  # rounded, a matrix may be singular, and have no derivative
    if not all(np.all(np.isfinite(b)) for b in expected):
        return
    got = case.gradients(whole)
    for name, b, i in zip(case.wrt, got, case.places):
        _same_kind(name, b, floats[i])
    close(got, expected, "gradient of integers", 1e-9)
    close(case.jvp()(*whole, *case.tangents), case.jvp()(*floats, *case.tangents), "tangent of integers", 1e-9)


def check_own(case: Case) -> None:
    """What a derivative gives back is nobody else's: no part of an argument, of the seed or of a tangent."""
    if is_kernel(case.sample):
        return  # derivatives of calls copy what kernels give
    given = [a for a in leaves([*case.args, case.seed, *case.tangents]) if isinstance(a, np.ndarray)]
    for got in (case.gradients(), case.jvp()(*case.args, *case.tangents)):
        for b in leaves(got):
            if isinstance(b, np.ndarray) and any(np.shares_memory(a, b) for a in given):
                raise Wrong(f"a part of an argument is given back: {b}")


def check_layouts(case: Case) -> None:
    """Arrays that lie otherwise in memory, and may not be written to, have the same derivatives."""
    for layout in (_turned, _strided):
        args = [map_leaves(layout, a) if i in case.places else a for i, a in enumerate(case.args)]
        if not _equal(case.f(*args), case.value) or "'K'" in case.sample.call:
            continue  # what NumPy reads in the order of memory
        close(case.gradients(args), case.gradients(), f"reverse, {layout.__name__[1:]}", 1e-9)
        tangents = [map_leaves(layout, t) for t in case.tangents]
        plain = case.jvp()(*case.args, *case.tangents)
        close(case.jvp()(*args, *tangents), plain, f"forward, {layout.__name__[1:]}", 1e-9)


def _turned(x: Any) -> Any:
    """An array in Fortran's order that is read only."""
    if isinstance(x, np.ndarray):
        x = np.array(x, order="F")
        x.flags.writeable = False
    return x


def _strided(x: Any) -> Any:
    """An array that is every other element of a larger one, backwards."""
    if not isinstance(x, np.ndarray) or x.ndim == 0:
        return x
    out = np.zeros([2 * n for n in x.shape], x.dtype)[(slice(None, None, -2),) * x.ndim]
    out[...] = x
    return out


def _equal(x: Any, y: Any) -> bool:
    pairs = zip(leaves(x), leaves(y), strict=True)
    return all(np.shape(a) == np.shape(b) and np.allclose(a, b, equal_nan=True) for a, b in pairs)


def _alike(x: Any, y: Any) -> bool:
    return [np.shape(a) for a in leaves(x)] == [np.shape(a) for a in leaves(y)]


# Second order


def check_reverse_reverse(case: Case) -> None:
    check_reverse(case.reverse)


def check_forward_reverse(case: Case) -> None:
    check_forward(case.reverse)


def check_reverse_forward(case: Case) -> None:
    check_reverse(case.forward)


FIRST = (check_reverse, check_forward, check_adjoint, check_shapes, check_own, check_integer, check_layouts, check_raw)
SECOND = (check_reverse_reverse, check_forward_reverse)
MIXED = (check_reverse_forward,)


def check(sample: Sample, checks: tuple[Callable[[Case], None], ...]) -> None:
    """Raise `Wrong`, naming all checks that fail."""
    with np.errstate(all="ignore"), keeping(read_of(function_of(sample), table().version)):
        found = list(_failures(Case(sample), checks))
    if found:
        raise Wrong("\n".join(found))


@lru_cache(maxsize=16)
def read_of(function: Function, version: int) -> dict[Hashable, Any]:
    """What was read of a call, and of its derivatives, by these rules: the tests of one call come in a row."""
    return {}


def _failures(case: Case, checks: tuple[Callable[[Case], None], ...]) -> Iterator[str]:
    for one in checks:
        try:
            one(case)
        except Exception as e:
            yield f"{one.__name__[6:]}: {type(e).__name__}: {e}"
