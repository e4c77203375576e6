"""What an operator of the user's gives, where that is changed in place afterwards.

    tot += v         ->   tot = unheld(plus(tot, v), tot, v)          where tot or v is an object
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tangent.errors import InPlaceError
from tangent.runtime.objects import fields_of, is_object


def unheld(y: Any, *operands: Any) -> Any:
    """An object or a number; an array or a list that is no part of the operands.

    >>> unheld(3.0, 1.0, 2.0)
    3.0
    """
    if isinstance(y, (np.ndarray, list)) and any(_holds(x, y, set()) for x in operands):
        raise InPlaceError(
            "cannot follow what an operator gives here", why="an operand holds it, and it is changed in place",
            todo="Let the method of the class give a copy, or write 'v = v + e' instead of 'v += e'.",
        )  # fmt: skip
    return y


def _holds(x: Any, y: Any, seen: set[int]) -> bool:
    """Whether y is x, or is held by it or shares memory with what it holds."""
    if x is y:
        return True
    if id(x) in seen:
        return False
    seen.add(id(x))
    if isinstance(x, np.ndarray):
        return isinstance(y, np.ndarray) and np.may_share_memory(x, y)
    if isinstance(x, (list, tuple, dict)):
        return any(_holds(v, y, seen) for v in (x.values() if isinstance(x, dict) else x))
    return is_object(x) and any(_holds(v, y, seen) for v in fields_of(x).values())
