"""The kinds of what functions of linear algebra give, from those of matrices.

np.linalg.solve(a, b)    of b's form
np.linalg.slogdet(a)     two numbers
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tangent.optimise.shaped.kinds import UNKNOWN, Items, Kind, Number, promoted, same

LIKE_MATRIX = (np.linalg.inv, np.linalg.cholesky)
SOLVED = (*LIKE_MATRIX, np.linalg.solve, np.linalg.det, np.linalg.slogdet, np.linalg.eigh, np.linalg.qr)


def solved(function: Any, kinds: list[Kind]) -> Kind:
    """The kind of a call of one of these, with nothing but matrices and right sides."""
    numbers = [k for k in kinds if isinstance(k, Number) and k.real and k.rank]
    found = promoted(numbers)
    if len(numbers) != len(kinds) or found is None or len(numbers[0].axes) < 2:
        return UNKNOWN
    a, dtype = numbers[0], found[0]
    number, matrix = Number(a.axes[:-2], dtype), Number(a.axes, dtype)
    if function in LIKE_MATRIX:
        return matrix
    if function is np.linalg.det:
        return number
    if function is np.linalg.slogdet:
        return Items((number, number))
    if function is np.linalg.eigh:
        return Items((Number(a.axes[:-1], dtype), matrix))
    if function is np.linalg.qr:
        return Items((matrix, matrix)) if same(a.axes[-1], a.axes[-2]) else UNKNOWN
    b = numbers[1]
    return Number(b.axes, dtype) if a.rank == 2 and b.rank <= 2 else UNKNOWN
