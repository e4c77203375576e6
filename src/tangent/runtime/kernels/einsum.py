"""Kernels of `np.einsum`: each adjoint is one `np.einsum`, with subscripts as text or as lists of axes."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from tangent.runtime.fit import unbroadcast
from tangent.runtime.kernels.products import with_item


def einsum_of(subscripts: str, operands: Any, optimize: Any = False) -> Any:
    """`np.einsum(subscripts, *operands)`."""
    return np.einsum(subscripts, *operands, optimize=optimize)


def einsum_adjoint(b: Any, i: int, subscripts: str, operands: Any, optimize: Any = False) -> Any:
    """The adjoint of operand i of `np.einsum(subscripts, *operands)`, as one `np.einsum`."""
    transposed, constants = einsum_transposed(subscripts, i, operands)
    others = alike((b, *operands[:i], *operands[i + 1 :], *constants))
    return along_labels(einsum_of(transposed, others, order_of(optimize, others)), operands[i])


def along_labels(b: Any, x: Any) -> Any:
    """b as an adjoint of x: summed along the axes of length 1 that other operands stretched, and stretched along those
    that are of length 1 in all others."""
    return unbroadcast(b, x)


def alike(operands: Any) -> tuple[Any, ...]:
    """The operands in the dtype of their product: a path may multiply narrow ones first, which have no room for it."""
    dtype = dtype_of_product(operands)
    out: tuple[Any, ...] = ()
    for p in operands:
        out = (*out, np.asarray(p, dtype))
    return out


def dtype_of_product(operands: Any) -> Any:
    """The dtype of a product of floats; None for one of integers."""
    dtype = np.result_type(*[np.asarray(p) if isinstance(p, (list, tuple)) else p for p in operands])
    return None if dtype.kind in "biu" else dtype


def order_of(optimize: Any, operands: Any) -> Any:
    """The option `optimize` for other operands: a path does not fit them, and the best one takes long to find for many.

    Large ones are worth a matrix product.
    """
    if isinstance(optimize, (list, tuple, str)):
        return "greedy"
    return optimize or sum(np.size(p) for p in operands) > 10_000


def einsum_transposed(subscripts: str, i: int, operands: Any) -> tuple[str, list[Any]]:
    """The subscripts of the adjoint of operand i, and the ones and identities that go with them."""
    transposed, lone, twins = einsum_transpose(subscripts, i, tuple(np.ndim(p) for p in operands))
    shape = np.shape(operands[i])
    return transposed, [*(np.ones(shape[k]) for k in lone), *(np.eye(shape[k]) for k in twins)]


def einsum_adjoint_only(b: Any, subscripts: str, x: Any) -> Any:
    """The adjoint of x in `np.einsum(subscripts, x)`."""
    return einsum_adjoint(b, 0, subscripts, (x,))


def einsum_adjoint_x(b: Any, subscripts: str, x: Any, y: Any, optimize: Any = False) -> Any:
    """The adjoint of x in `np.einsum(subscripts, x, y)`."""
    return einsum_adjoint(b, 0, subscripts, (x, y), optimize)


def einsum_adjoint_y(b: Any, subscripts: str, x: Any, y: Any, optimize: Any = False) -> Any:
    """The adjoint of y in `np.einsum(subscripts, x, y)`."""
    return einsum_adjoint(b, 1, subscripts, (x, y), optimize)


# With any number of operands. `np.einsum(x, [0, 1], y, [1, 2], [0, 2])` has arrays and lists of axes by turns.


def einsum_adjoints(
    b: Any, subscripts: Any, operands: Any, asked: Any = None, optimize: Any = False
) -> tuple[Any, ...]:
    """The adjoints of what follows the first argument of `np.einsum`; lists of axes have none.

    `asked` names the places of those that are wanted, where not all are.
    """
    text, places = einsum_spelled(subscripts, operands)
    arrays = einsum_arrays(subscripts, operands, places)
    first = len(arrays) - len(places)
    out: tuple[Any, ...] = ()
    for k in range(len(operands)):
        is_asked = k in places and (asked is None or k in asked)
        part = einsum_adjoint(b, first + places.index(k), text, arrays, optimize) if is_asked else None
        out = (*out, part)
    return out


def einsum_adjoint_first(b: Any, subscripts: Any, operands: Any, optimize: Any = False) -> Any:
    """The adjoint of the first argument of `np.einsum`, where that is an array and not the subscripts."""
    if isinstance(subscripts, str):
        return None
    text, places = einsum_spelled(subscripts, operands)
    return einsum_adjoint(b, 0, text, einsum_arrays(subscripts, operands, places), optimize)


def einsum_tangent(t: Any, subscripts: Any, operands: Any, asked: Any = None, optimize: Any = False) -> Any:
    """The tangent of `np.einsum`: the sum over the operands, each replaced by its tangent in turn."""
    text, places = einsum_spelled(subscripts, operands)
    arrays = einsum_arrays(subscripts, operands, places)
    first = len(arrays) - len(places)
    out: Any = 0.0
    for i in range(len(places)):
        if asked is None or places[i] in asked:
            out = out + einsum_of(text, with_item(arrays, first + i, t[places[i]]), optimize)
    return out


def einsum_tangent_first(t: Any, z: Any, subscripts: Any, operands: Any, optimize: Any = False) -> Any:
    """The tangent of z, what `np.einsum` gives, for the tangent t of its first argument; text has none."""
    if isinstance(subscripts, str):
        return np.zeros_like(z)
    text, places = einsum_spelled(subscripts, operands)
    return einsum_of(text, with_item(einsum_arrays(subscripts, operands, places), 0, t), optimize)


def einsum_arrays(subscripts: Any, operands: Any, places: tuple[int, ...]) -> tuple[Any, ...]:
    """The arrays among the arguments of `np.einsum`."""
    arrays: tuple[Any, ...] = () if isinstance(subscripts, str) else (subscripts,)
    for k in places:
        arrays = (*arrays, operands[k])
    return arrays


def einsum_spelled(subscripts: Any, operands: Any) -> tuple[str, tuple[int, ...]]:
    """The subscripts as text, and the places of arrays behind the first argument.

    >>> einsum_spelled(np.ones((2, 2)), ([0, 1], np.ones((2, 2)), [1, ...], [0, ...]))
    ('AB,B...->A...', (1,))
    """
    if isinstance(subscripts, str):
        return subscripts, tuple(range(len(operands)))
    places = tuple(range(1, len(operands) - 1, 2))
    text = ",".join(_spell(operands[2 * k]) for k in range(len(places) + 1))
    return (text + "->" + _spell(operands[-1]) if len(operands) % 2 == 0 else text), places


def _spell(axes: Any) -> str:
    """A list of axes as letters, which sort as the axes do."""
    return "".join("..." if k is Ellipsis else sorted(LETTERS)[int(k)] for k in axes)


@lru_cache(maxsize=1024)
def einsum_transpose(subscripts: str, i: int, ranks: tuple[int, ...]) -> tuple[str, tuple[int, ...], tuple[int, ...]]:
    """The subscripts of the adjoint of operand i, and its axes that need ones (summed alone) or an identity (repeated).

    >>> einsum_transpose("ij,jk->ik", 0, (2, 2))
    ('ik,jk->ij', (), ())
    >>> einsum_transpose("ii->", 0, (2,))
    (',i,ai->ia', (0,), (1,))
    """
    inputs, output = einsum_labels(subscripts, ranks)
    unused = iter([c for c in LETTERS if c not in "".join(inputs) + output])
    given = [output] + [labels for j, labels in enumerate(inputs) if j != i]
    known = set("".join(given))
    lone: list[int] = []
    twins: list[int] = []
    target, eyes = "", []
    for k, label in enumerate(inputs[i]):
        if label in target:
            twins.append(k)
            target += next(unused)
            eyes.append(target[-1] + label)
            continue
        if label not in known:
            lone.append(k)
        target += label
    ones = [inputs[i][k] for k in lone]
    return ",".join(given + ones + eyes) + "->" + target, tuple(lone), tuple(twins)


LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def einsum_labels(subscripts: str, ranks: tuple[int, ...]) -> tuple[list[str], str]:
    """The labels of the operands and of the result, with ellipses and the implicit result written out."""
    text = subscripts.replace(" ", "")
    left, arrow, output = text.partition("->")
    terms = left.split(",")
    unused = [c for c in LETTERS if c not in text]
    extra = max([0] + [rank - len(term) + 3 for term, rank in zip(terms, ranks) if "..." in term])
    dots = "".join(unused[:extra])
    inputs = [
        term.replace("...", dots[extra - (rank - len(term) + 3) :]) if "..." in term else term
        for term, rank in zip(terms, ranks)
    ]
    if not arrow:
        every = left.replace(",", "").replace(".", "")
        output = dots + "".join(sorted(c for c in set(every) if every.count(c) == 1))
    return inputs, output.replace("...", dots)
