"""The functions of NumPy that write: where each element came from."""

from __future__ import annotations

from typing import Any

import numpy as np

from tangent.backends.numba.kinds import (
    gradient_type,
    implements,
    is_array,
    is_complex,
    is_number,
    rank,
    value_of,
    written,
)
from tangent.runtime import gather_placed, placed, sources, with_imag, with_real


@implements(sources, prefer_literal=True)
def numbered(writer: Any, a: Any, v: Any, position: Any, *others: Any) -> Any:
    """Numbers in the order of v's elements, as the writer puts them into an array like a."""
    if len(others) == 1 and isinstance(others[0], tuple):
        others = others[0]
    place = value_of(position)
    if not is_array(a) or not isinstance(place, int):
        return None
    given = [f"others[{i}]" for i in range(len(others))]
    arguments = ", ".join([*given[:place], "numbers", *given[place:]])
    numbers = "0" if is_number(v) else "np.arange(v.size).reshape(v.shape)"
    text = [
        "def impl(writer, a, v, position, *others):",
        "    found = np.full(a.shape, -1)",
        f"    numbers = {numbers}",
        f"    writer(found, {arguments})",
        "    return found",
        "",
    ]
    return written("\n".join(text), np=np)


@implements(placed)
def put(a: Any, v: Any, taken: Any) -> Any:
    if not (is_array(a) and is_array(taken)):
        return None
    item = "v" if is_number(v) else "flat[taken[place]]"
    text = [
        "def impl(a, v, taken):",
        "    out = a.copy()",
        f"    flat = {'0' if is_number(v) else 'v.ravel()'}",
        "    for place in np.ndindex(a.shape):",
        "        if taken[place] >= 0:",
        f"            out[place] = {item}",
        "    return out",
        "",
    ]
    return written("\n".join(text), np=np)


@implements(gather_placed)
def gathered(b: Any, v: Any, taken: Any) -> Any:
    if not (is_array(b) and is_array(taken)):
        return None
    kind = gradient_type(b)
    size, back = ("1", "out[0]") if is_number(v) else ("v.size", "out.reshape(v.shape)" if rank(v) else "out[0]")
    text = [
        "def impl(b, v, taken):",
        f"    out = np.zeros({size}, kind)",
        "    for place in np.ndindex(b.shape):",
        "        if taken[place] >= 0:",
        "            out[taken[place]] += b[place]",
        f"    return {back}",
        "",
    ]
    return written("\n".join(text), np=np, kind=kind)


@implements(with_real)
def real_replaced(z: Any, v: Any) -> Any:
    return (lambda z, v: np.real(v) + 1j * z.imag) if is_complex(z) else (lambda z, v: np.real(v))


@implements(with_imag)
def imag_replaced(z: Any, v: Any) -> Any:
    return lambda z, v: z.real + 1j * np.real(v)
