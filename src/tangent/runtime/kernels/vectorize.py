"""`np.vectorize` in terms of what has rules: one call for each element, or for each array of a signature's rank."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from tangent.runtime.kernels.reduce import as_dtype


def vectorized(pyfunc: Callable[..., Any], otypes: str | None, *args: Any) -> Any:
    """`np.vectorize(pyfunc)(*args)`: the arguments are broadcast together."""
    wide = np.broadcast_arrays(*args)
    results: Any = []
    for index in np.ndindex(np.shape(wide[0])):
        items: tuple[Any, ...] = ()
        for one in wide:
            items = (*items, one[index])
        results.append(pyfunc(*items))
    return gathered_results(results, np.shape(wide[0]), result_types(results, otypes))


def vectorized_with(
    pyfunc: Callable[..., Any], otypes: str | None, excluded: Any, signature: str | None, *args: Any, **kwargs: Any
) -> Any:
    """The same with keywords, arguments that every call gets whole, and a signature such as `(n),(n)->()`."""
    places, names = spread_arguments(args, kwargs, excluded)
    given: tuple[Any, ...] = ()
    for k in places:
        given = (*given, args[k])
    for key in names:
        given = (*given, kwargs[key])
    ranks = core_ranks(signature, len(given))
    shape = loop_shape(given, ranks)
    results: Any = []
    for index in np.ndindex(shape):
        items: tuple[Any, ...] = ()
        for k in range(len(args)):
            items = (*items, element(args[k], index, shape, ranks[places.index(k)]) if k in places else args[k])
        results.append(pyfunc(*items, **named_items(kwargs, names, index, shape, ranks[len(places) :])))
    return gathered_results(results, shape, result_types(results, otypes))


def vectorize_of(
    pyfunc: Callable[..., Any], otypes: Any = None, doc: str | None = None, excluded: Any = None, cache: bool = False,
    signature: str | None = None,
) -> Callable[..., Any]:  # fmt: skip
    """`np.vectorize` of a function that captures what is differentiated by."""
    codes, whole = type_codes(otypes), frozenset(excluded or ())

    def elements(*args: Any, **kwargs: Any) -> Any:
        return vectorized_with(pyfunc, codes, whole, signature, *args, **kwargs)

    return elements


def type_codes(otypes: Any) -> str | None:
    """The letters of the dtypes that `np.vectorize` is asked for, of which there may be a list."""
    return None if otypes is None else np.vectorize(abs, otypes).otypes


def named_items(kwargs: Any, names: Any, index: Any, shape: Any, ranks: Any) -> Any:
    """The keywords of one call: elements of those with a name among names, the others whole."""
    return {
        key: element(value, index, shape, ranks[names.index(key)]) if key in names else value
        for key, value in kwargs.items()
    }


def element(x: Any, index: Any, shape: Any, rank: int) -> Any:
    """What a call gets of an argument that is broadcast to the shape of the loop."""
    return np.broadcast_to(x, shape + np.shape(x)[np.ndim(x) - rank :])[index]


def spread_arguments(args: Any, kwargs: Any, excluded: Any) -> tuple[list[int], list[str]]:
    """The places and names of the arguments that are not given whole."""
    return [k for k in range(len(args)) if k not in excluded], [k for k in kwargs if k not in excluded]


def result_types(results: Any, otypes: str | None) -> Any:
    """The dtype of each result: as asked for, or that of the first call's; a tuple if there are several results."""
    if not results:
        types = tuple(np.dtype(t) for t in otypes or "")
        return types if len(types) > 1 else types[0]
    if isinstance(results[0], tuple):
        return tuple(np.dtype(otypes[k]) if otypes else np.asarray(r).dtype for k, r in enumerate(results[0]))
    return np.dtype(otypes[0]) if otypes else np.asarray(results[0]).dtype


def gathered_results(results: Any, shape: Any, types: Any) -> Any:
    """The results of all calls as one array, or as a tuple of them."""
    if isinstance(types, tuple):
        return tuple(gathered_results([r[k] for r in results], shape, t) for k, t in enumerate(types))
    return (
        np.reshape(np.stack(results).astype(types), shape + np.shape(results[0])) if results else np.zeros(shape, types)
    )


def gathered_tangents(tangents: Any, results: Any, shape: Any, types: Any) -> Any:
    """The tangent of the results of all calls; zero where floats were made integers."""
    if isinstance(types, tuple):
        rows = [([d[k] for d in tangents], [r[k] for r in results], t) for k, t in enumerate(types)]
        return tuple(gathered_tangents(d, r, shape, t) for d, r, t in rows)
    whole = np.reshape(np.stack(tangents), shape + np.shape(results[0])) if results else np.zeros(shape)
    return np.zeros_like(whole) if is_truncated(results, types) else as_dtype(whole, np.empty(0, types))


def scattered_results(b: Any, results: Any, shape: Any, types: Any) -> Any:
    """What each call receives from the arrays of all results: the transpose of `gathered_tangents`."""
    if isinstance(types, tuple):
        parts = [scattered_results(b[k], [r[k] for r in results], shape, t) for k, t in enumerate(types)]
        return list(zip(*parts, strict=True))
    flat: Any = np.reshape(b, (len(results), *np.shape(results[0]))) if results else []
    return list(np.zeros_like(flat) if is_truncated(results, types) else flat)


def is_truncated(results: Any, dtype: Any) -> bool:
    return dtype.kind not in "fc" and any(np.asarray(r).dtype.kind in "fc" for r in results)


def core_ranks(signature: str | None, n: int) -> list[int]:
    """How many axes of each of n arguments a call gets."""
    if signature is None:
        return [0] * n
    inputs = re.findall(r"\(([^)]*)\)", signature.split("->")[0])
    return [len([d for d in dims.split(",") if d.strip()]) for dims in inputs]


def loop_shape(given: Any, ranks: list[int]) -> tuple[int, ...]:
    """The shape of what is looped over: that of the other axes, broadcast together."""
    return np.broadcast_shapes(*(np.shape(v)[: np.ndim(v) - r] for v, r in zip(given, ranks, strict=True)))
