"""Numbers to hold derivatives against: structures as vectors, and finite differences on them.

A complex number z counts as two coordinates, (re, im). A gradient g follows the convention of autograd and JAX,
d/dre - 1j * d/dim, so that the change of a real loss is Re(sum(g * dz)); as a vector it is (re, -im).
"""

import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

STEP = 1e-3


def leaves(value: Any) -> Iterator[Any]:
    """The numbers and arrays in a structure, in order; dicts in the order of their keys."""
    match value:
        case tuple() | list():
            for item in value:
                yield from leaves(item)
        case dict():
            for key in sorted(value, key=repr):
                yield from leaves(value[key])
        case _ if is_object(value):
            yield from leaves(vars(value))
        case _:
            yield value


def rebuild(value: Any, convert: Callable[[Any], Any]) -> Any:
    """The same structure with every leaf converted."""
    match value:
        case tuple() if hasattr(value, "_fields"):
            return type(value)(*(rebuild(item, convert) for item in value))
        case tuple():
            return tuple(rebuild(item, convert) for item in value)
        case list():
            return [rebuild(item, convert) for item in value]
        case dict():
            built = {key: rebuild(value[key], convert) for key in sorted(value, key=repr)}
            return {key: built[key] for key in value}
        case _ if is_object(value):
            made = type(value).__new__(type(value))
            vars(made).update(rebuild(vars(value), convert))
            return made
        case _:
            return convert(value)


def is_object(value: Any) -> bool:
    """Whether a value is an object of one of the zoo's classes, which counts by its attributes."""
    return type(value).__module__.startswith("programs.") or isinstance(value, types.SimpleNamespace)


def numeric(leaf: Any) -> bool:
    """Whether a leaf is a number or an array of numbers."""
    return isinstance(leaf, (int, float, complex, np.ndarray, np.generic)) and np.asarray(leaf).dtype.kind in "iufc"


def vector(value: Any) -> np.ndarray:
    """A structure as a vector of its real coordinates."""
    parts = [_coordinates(np.asarray(leaf)) for leaf in leaves(value) if numeric(leaf)]
    return np.concatenate([np.zeros(0), *parts])


def covector(gradient: Any) -> np.ndarray:
    """A gradient (or a seed) as a vector: its dot product with `vector(dz)` is Re(sum(g * dz))."""
    return vector(rebuild(gradient, lambda leaf: np.conj(leaf) if numeric(leaf) else leaf))


def structure(like: Any, coordinates: np.ndarray) -> Any:
    """The inverse of `vector`: coordinates in the structure of `like`."""
    rest = iter(np.asarray(coordinates, dtype=np.float64))

    def fill(leaf: Any) -> Any:
        if not numeric(leaf):
            return leaf
        array = np.asarray(leaf)
        count = array.size * (2 if array.dtype.kind == "c" else 1)
        flat = np.array([next(rest) for _ in range(count)], dtype=np.float64)
        if array.dtype.kind == "c":
            flat = flat[0::2] + 1j * flat[1::2]
        filled = flat.reshape(array.shape)
        return filled if isinstance(leaf, np.ndarray) else filled.item()

    return rebuild(like, fill)


def widen(value: Any) -> Any:
    """The same numbers in double precision; integers as floats."""
    return structure(value, vector(value))


def narrow(value: Any, like: Any) -> Any:
    """The numbers of a structure in the types of another; floats where that one has integers."""
    other = leaves(like)

    def cast(leaf: Any) -> Any:
        target = next(other)
        if isinstance(target, np.generic) and target.dtype.kind in "fc":
            return target.dtype.type(leaf)
        if isinstance(target, np.ndarray) and target.dtype.kind in "fc":
            return leaf.astype(target.dtype)
        return leaf

    return rebuild(value, cast)


def draw(like: Any, rng: np.random.Generator) -> Any:
    """Random numbers in the structure, shapes and floating types of `like`."""
    size = vector(like).size
    return narrow(structure(like, rng.uniform(0.3, 1.3, size) * rng.choice([-1, 1], size)), like)


def ones(like: Any) -> Any:
    """Ones in the structure, shapes and floating types of `like`; of complex leaves the real part."""
    zeros = structure(like, vector(like) * 0.0)
    return narrow(rebuild(zeros, lambda leaf: leaf + 1.0 if numeric(leaf) else leaf), like)


def tolerance(double: float, *values: Any) -> float:
    """What to ask for: as told in double precision, less where a leaf is of single or half precision."""
    kinds = [leaf.dtype for leaf in leaves(values) if hasattr(leaf, "dtype") and leaf.dtype.kind in "fc"]
    coarsest = max([np.finfo(kind).eps for kind in kinds], default=0.0)
    return double if coarsest < 1e-12 else 1e-3 if coarsest < 1e-5 else 5e-2


def slope(f: Callable[[float], np.ndarray], step: float = STEP) -> np.ndarray:
    """The derivative of a vector-valued function of one number at 0: central differences of fourth order."""
    near, far = f(step) - f(-step), f(2 * step) - f(-2 * step)
    return (8.0 * near - far) / (12.0 * step)


def directional(f: Callable[[Any], Any], at: Any, along: Any, step: float = STEP, read=vector) -> np.ndarray:
    """The derivative of f at a point along a direction, as a vector; f maps structures to structures."""
    start, direction = vector(at), vector(along)
    return slope(lambda t: read(f(structure(at, start + t * direction))), step)


def gradient(f: Callable[[Any], Any], at: Any, seed: Any, step: float = STEP) -> np.ndarray:
    """The gradient of <seed, f> at a point, as the covector of its coordinates."""
    weights, units = covector(seed), np.eye(vector(at).size)
    return np.array([weights @ directional(f, at, structure(at, unit), step) for unit in units])


def close(got: np.ndarray, want: np.ndarray, tolerance: float) -> bool:
    """Equal up to a relative tolerance, and a hundredth of it of the largest entry."""
    if got.shape != want.shape:
        return False
    scale = 1.0 + np.max(np.abs(want[np.isfinite(want)]), initial=0.0)
    return bool(np.allclose(got, want, rtol=tolerance, atol=0.01 * tolerance * scale, equal_nan=True))


def _coordinates(array: np.ndarray) -> np.ndarray:
    if array.dtype.kind == "c":
        return array.reshape(-1).astype(np.complex128).view(np.float64)
    return array.reshape(-1).astype(np.float64)
