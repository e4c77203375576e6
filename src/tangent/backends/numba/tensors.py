"""Sums of products over labelled axes, as loops: `np.einsum`, `np.tensordot`, `np.kron` and their adjoints.

'ij,jk->ik' is

for i in range(x.shape[0]):
    for j in range(x.shape[1]):
        for k in range(y.shape[1]):
            out[i, k] += x[i, j] * y[j, k]
"""

from __future__ import annotations

import string
from typing import Any

import numpy as np

from tangent.backends.numba.kinds import implements, is_array, is_complex, is_number, rank, types, value_of, written
from tangent.runtime import (
    einsum_adjoint_only,
    einsum_adjoint_x,
    einsum_adjoint_y,
    hsplit_like,
    kron_adjoint_a,
    kron_adjoint_b,
    split_like,
    sum_repeats,
    tensordot_adjoint_a,
    tensordot_adjoint_b,
)

Term = tuple[str, str]  # the text of an array, and its labels


def labels_of(subscripts: str, operands: int) -> tuple[list[str], str] | None:
    """The labels of each operand and of the result; None for what is not written in letters."""
    left, arrow, right = subscripts.replace(" ", "").partition("->")
    inputs = left.split(",")
    if not arrow:
        every = "".join(inputs)
        right = "".join(sorted(c for c in set(every) if every.count(c) == 1))
    plain = all(c in string.ascii_letters for c in "".join(inputs) + right)
    return (inputs, right) if plain and len(inputs) == operands else None


def summed(head: str, into: Term, terms: list[Term], shape: str = "", scalar: bool = False) -> Any:
    """A function that adds the products of terms into a new array; its shape is that of an array, or of the terms."""
    sizes: dict[str, str] = {}
    lines = [head]
    for text, labels in terms:
        for k, c in enumerate(labels):
            if c in sizes:
                lines += [f"    if {sizes[c]} != {text}.shape[{k}]:", "        raise ValueError('shapes do not fit')"]
            sizes.setdefault(c, f"{text}.shape[{k}]")
    if shape:
        sizes |= {c: f"{shape}.shape[{k}]" for k, c in enumerate(into[1]) if c not in sizes}
    wanted = f"{shape}.shape" if shape else "(" + "".join(f"{sizes[c]}, " for c in into[1]) + ")"
    lines.append(f"    out = np.zeros({wanted})")
    for depth, c in enumerate(sizes):
        lines.append("    " * (depth + 1) + f"for {c}_ in range({sizes[c]}):")
    product = " * ".join(_at(*term) for term in terms)
    lines += ["    " * (len(sizes) + 1) + f"{_at('out', into[1])} += {product}", f"    return out{'[()]' * scalar}", ""]
    return written("\n".join(lines), np=np)


def _at(text: str, labels: str) -> str:
    return f"{text}[{', '.join(f'{c}_' for c in labels) or '()'}]"


def are_real(*operands: Any) -> bool:
    return all(is_array(o) and not is_complex(o) for o in operands)


def fits(found: tuple[list[str], str] | None, *operands: Any) -> bool:
    return found is not None and are_real(*operands) and all(len(a) == rank(o) for a, o in zip(found[0], operands))


@implements(np.einsum, prefer_literal=True)
def contracted(subscripts: Any, *operands: Any) -> Any:
    given = operands[0] if len(operands) == 1 and isinstance(operands[0], (types.BaseTuple, tuple)) else operands
    text, parts = value_of(subscripts), tuple(given)
    found = labels_of(text, len(parts)) if isinstance(text, str) else None
    if found is None or not fits(found, *parts):
        return None
    terms = [(f"operands[{i}]", labels) for i, labels in enumerate(found[0])]
    return summed("def impl(subscripts, *operands):", ("out", found[1]), terms, scalar=not found[1])


@implements(einsum_adjoint_only, prefer_literal=True)
def of_only(b: Any, subscripts: Any, x: Any) -> Any:
    text = value_of(subscripts)
    found = labels_of(text, 1) if isinstance(text, str) else None
    if found is None or not fits(found, x) or not (is_number(b) or are_real(b)):
        return None
    term = ("b", found[1]) if is_array(b) else ("np.full((), b)", "")
    return summed("def impl(b, subscripts, x):", ("out", found[0][0]), [term], shape="x")


def of_pair(first: bool) -> Any:
    def adjoint(b: Any, subscripts: Any, x: Any, y: Any, optimize: Any = False) -> Any:
        text = value_of(subscripts)
        found = labels_of(text, 2) if isinstance(text, str) else None
        if found is None or not fits(found, x, y) or not (is_number(b) or are_real(b)):
            return None
        mine, other = found[0] if first else found[0][::-1]
        terms = [("y" if first else "x", other), ("b", found[1]) if is_array(b) else ("np.full((), b)", "")]
        head = "def impl(b, subscripts, x, y, optimize=False):"
        return summed(head, ("out", mine), terms, shape="x" if first else "y")

    return adjoint


implements(einsum_adjoint_x, prefer_literal=True)(of_pair(True))
implements(einsum_adjoint_y, prefer_literal=True)(of_pair(False))


# np.tensordot


def tensor_labels(a: Any, b: Any, axes: Any) -> tuple[str, str, str] | None:
    """The labels of both operands and of the result."""
    given = value_of(axes)
    m, n = rank(a), rank(b)
    if isinstance(given, int):
        over = tuple(range(m - given, m)), tuple(range(given))
    elif isinstance(given, tuple) and len(given) == 2:
        one, two = ((p,) if isinstance(p, int) else p for p in given)
        if not all(isinstance(p, tuple) and all(isinstance(k, int) for k in p) for p in (one, two)):
            return None
        over = tuple(k % m for k in one), tuple(k % n for k in two)
    else:
        return None
    letters = string.ascii_lowercase
    first = letters[:m]
    second = "".join(first[over[0][over[1].index(k)]] if k in over[1] else letters[m + k] for k in range(n))
    free = [c for k, c in enumerate(first) if k not in over[0]] + [c for k, c in enumerate(second) if k not in over[1]]
    return first, second, "".join(free)


@implements(np.tensordot, prefer_literal=True)
def tensor_product(a: Any, b: Any, axes: Any = 2) -> Any:
    if not are_real(a, b) or (found := tensor_labels(a, b, axes)) is None:
        return None
    terms = [("a", found[0]), ("b", found[1])]
    return summed("def impl(a, b, axes=2):", ("out", found[2]), terms)


def of_tensors(first: bool) -> Any:
    def adjoint(b: Any, x: Any, y: Any, axes: Any = 2) -> Any:
        if not are_real(x, y) or not (is_number(b) or are_real(b)) or (found := tensor_labels(x, y, axes)) is None:
            return None
        mine, other = found[:2] if first else found[1::-1]
        terms = [("y" if first else "x", other), ("b", found[2]) if is_array(b) else ("np.full((), b)", "")]
        return summed("def impl(b, x, y, axes=2):", ("out", mine), terms, shape="x" if first else "y")

    return adjoint


implements(tensordot_adjoint_a, prefer_literal=True)(of_tensors(True))
implements(tensordot_adjoint_b, prefer_literal=True)(of_tensors(False))


@implements(np.inner)
def inner_product(a: Any, b: Any) -> Any:
    if not are_real(a, b) or rank(a) > 2 or rank(b) > 2:
        return None
    return (lambda a, b: np.dot(a, b)) if rank(b) == 1 else lambda a, b: np.dot(a, np.ascontiguousarray(b.T))


# np.kron, np.hstack, np.repeat


def of_blocks(first: bool) -> Any:
    def adjoint(b: Any, x: Any, y: Any) -> Any:
        if not are_real(b, x, y) or not rank(x) == rank(y) == rank(b) <= 2:
            return None
        n = rank(x)
        names = [f"i{k}" for k in range(n)], [f"j{k}" for k in range(n)]
        lines = ["def impl(b, x, y):", f"    out = np.zeros({'x' if first else 'y'}.shape)"]
        loops = [(v, f"{a}.shape[{k}]") for a, of in zip("xy", names) for k, v in enumerate(of)]
        lines += ["    " * (d + 1) + f"for {v} in range({size}):" for d, (v, size) in enumerate(loops)]
        place = ", ".join(f"{i} * y.shape[{k}] + {j}" for k, (i, j) in enumerate(zip(*names)))
        mine, other = names if first else names[::-1]
        step = f"out[{', '.join(mine)}] += b[{place}] * {'y' if first else 'x'}[{', '.join(other)}]"
        return written("\n".join([*lines, "    " * (2 * n + 1) + step, "    return out", ""]), np=np)

    return adjoint


implements(kron_adjoint_a)(of_blocks(True))
implements(kron_adjoint_b)(of_blocks(False))


@implements(hsplit_like)
def split_in_columns(b: Any, xs: Any) -> Any:
    if rank(b) == 1:
        return lambda b, xs: split_like(b, xs, 0)
    return lambda b, xs: split_like(b, xs, 1)


@implements(sum_repeats)
def repeats_summed(b: Any, x: Any, repeats: Any, axis: Any = None) -> Any:
    if rank(x) != 1 or rank(b) != 1 or not is_number(repeats) or is_complex(b):
        return None

    def impl(b: Any, x: Any, repeats: Any, axis: Any = None) -> Any:
        out = np.zeros(x.size)
        for k in range(b.size):
            out[k // repeats] += b[k]
        return out

    return impl
