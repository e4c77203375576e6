"""Derivatives of the functions that work on a memory: made once, and called by all modules that need them.

    memory3, call_store_saved = call_store_fwd(memory2, prices, 'b', t)

`call_store` is Tangent's own, and so is all that it calls: its passes are the same wherever it is called. They are in
a module of their own, so that the text of a derivative has the functions of its user alone.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Hashable, Mapping
from typing import Any

from tangent.source.naming import home_of, is_generated

_made: dict[Hashable, Any] = {}


def is_common(function: types.FunctionType) -> bool:
    """Whether a function works on a memory, or is a derivative of such a function that all modules call."""
    if hasattr(function, "common"):
        return True
    own = home_of(function).startswith("tangent.") and not is_generated(function) and not function.__closure__
    return own and function.__code__.co_varnames[:1] == ("memory",)


def common(key: Hashable, make: Callable[[], Mapping[Hashable, Any]] | None) -> Any:
    """What was made for a key; else it is made now, with what it calls, where there is something to make it with."""
    if key not in _made and make is not None:
        for other, functions in make().items():
            _made.setdefault(other, functions)
    return _made.get(key)
