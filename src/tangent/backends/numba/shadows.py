"""Shadows at second order and among arguments: what reads them, and what fills them again."""

from __future__ import annotations

import operator
from typing import Any

from tangent.backends.numba.kinds import (
    gradient_type,
    implements,
    is_array,
    is_list,
    is_number,
    is_tuple,
    jitable,
    rank,
    types,
    written,
)
from tangent.backends.numba.memory import extent, refuse_reaching_out
from tangent.errors import InPlaceError
from tangent.runtime import (
    assigned,
    cut_shares,
    refill,
    refilled,
    shadow,
    shadow_among,
)


@implements(assigned)
def placed(b: Any, like: Any, index: Any) -> Any:
    def impl(b: Any, like: Any, index: Any) -> Any:
        found = shadow(like)
        found[index] = b
        return found

    return impl if is_array(like) else None


@implements(refill)
def filled_again(b: Any, other: Any) -> Any:
    if is_array(b):

        def of_array(b: Any, other: Any) -> Any:
            b[...] = other

        return of_array
    if is_list(b) and is_array(b.dtype):

        def of_list(b: Any, other: Any) -> Any:
            for i in range(len(b)):
                b[i][...] = other[i]

        return of_list
    if is_tuple(b):
        lines = "".join(f"    refill(b[{i}], other[{i}])\n" for i in range(len(b)))
        return written(f"def impl(b, other):\n{lines or '    pass'}\n", refill=refill)
    return (lambda b, other: None) if is_number(b) else None


@implements(refilled)
def itself_filled(b: Any, other: Any) -> Any:
    if is_list(b) or is_tuple(b):

        def impl(b: Any, other: Any) -> Any:
            refill(b, other)
            return b

        return impl
    return lambda b, other: other


@implements(shadow_among)
def own_shadow(x: Any, *others: Any) -> Any:
    """A shadow; arguments that reach out of x's memory would need their places in one block with it."""
    if len(others) == 1 and isinstance(others[0], tuple):
        others = others[0]
    if not is_array(x) or gradient_type(x) != x.dtype:
        return lambda x, *others: shadow(x)
    text = "def impl(x, *others):\n"
    for i, other in enumerate(others):
        if is_array(other) and other.dtype == x.dtype:
            text += f"    refuse_reaching_out(x, others[{i}])\n"
    text += "    return shadow(x)\n"
    return written(text, shadow=shadow, refuse_reaching_out=refuse_reaching_out)


@implements(cut_shares)
def shared_out(asked: Any, *shades: Any) -> Any:
    if len(shades) == 1 and isinstance(shades[0], tuple):
        shades = shades[0]
    half = len(shades) // 2
    if not all(is_array(b) for b in shades):
        return None
    old, new = [f"shades[{i}]" for i in range(half)], [f"shades[{i + half}]" for i in range(half)]
    same = " and ".join(f"extent({b}) == extent({c})" for b, c in zip(old, new))
    lines = [f"if {same}:", f"    return ({''.join(f'{_first_of(old, i)}, ' for i in range(half))})"]
    lines += [f"refuse_other_shape({b}, {c})" for b, c in zip(old, new)]
    for i in range(half):
        others = [j for j in range(half) if j != i]
        parts = [f"share({old[i]}, {old[j]}, {new[i]}, {new[j]}, asked[{i}], asked[{j}], {i < j})" for j in others]
        lines.append(f"share{i} = {' * '.join(parts) or 1.0}")
    lines.append(f"return ({''.join(f'share{i}, ' for i in range(half))})")
    text = "def impl(asked, *shades):\n" + "".join(f"    {line}\n" for line in lines)
    return written(text, extent=extent, refuse_other_shape=refuse_other_shape, share=share)


def _first_of(old: list[str], i: int) -> str:
    """1.0 for the first of the names of an array, 0.0 for others."""
    earlier = " or ".join(f"extent({old[i]}) == extent({b})" for b in old[:i])
    return f"0.0 if {earlier} else 1.0" if earlier else "1.0"


@jitable
def share(x: Any, other: Any, before: Any, beside: Any, asked: bool, asked_too: bool, first: bool) -> float:
    there = _overlap(x, other)
    if there == 0 and _overlap(before, beside) != 1:
        return 1.0
    if there == 2 and _overlap(before, beside) == 2:
        return 1.0 if first else 0.0
    if _overlap(before, beside) != 0:
        raise InPlaceError(
            "cannot cut the backward loop short: two names shared a part of an array before, and do not there\n"
            "Give one of them a copy, or set the gradient to zero instead of jumping."
        )
    if asked == asked_too or there == 1:
        raise InPlaceError(
            "cannot cut the backward loop short: two names share an array there that had one each before, and its "
            "gradient can stay with one only\n"
            "Ask for the gradient of that one, or set the gradient to zero instead of jumping."
        )
    return 1.0 if asked else 0.0


@jitable
def _overlap(x: Any, other: Any) -> int:
    """0: apart, 2: the same, 1: something between."""
    low, high = extent(x)
    start, end = extent(other)
    if low >= end or start >= high:
        return 0
    return 2 if low == start and high == end else 1


@jitable
def refuse_other_shape(x: Any, other: Any) -> Any:
    if x.shape != other.shape:
        raise InPlaceError(
            "cannot cut the backward loop short: an array that it binds anew has another shape there\n"
            "Bind arrays of one shape, or set the gradient to zero instead of jumping."
        )


@implements(operator.setitem)
def all_of_a_number(a: Any, index: Any, v: Any) -> Any:
    """`a[:] = v` of an array without axes, as `a[...] = v` is written."""
    if not (is_array(a) and rank(a) == 0 and isinstance(index, types.SliceType)):
        return None

    def impl(a: Any, index: Any, v: Any) -> Any:
        a[()] = v

    def of_array(a: Any, index: Any, v: Any) -> Any:
        a[()] = v[()]

    return of_array if is_array(v) else impl


@implements(operator.getitem)
def itself(a: Any, index: Any) -> Any:
    return (lambda a, index: a) if is_array(a) and rank(a) == 0 and isinstance(index, types.SliceType) else None
