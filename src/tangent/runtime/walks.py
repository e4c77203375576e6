"""Loops over lists that change meanwhile: what a loop runs over must be what it was when it began."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import KeysView
from typing import Any

import numpy as np

from tangent.errors import InPlaceError, UnsupportedError
from tangent.runtime.memory import contents
from tangent.runtime.objects import fields_of, is_object
from tangent.runtime.zeros import ZeroGrad

PYTHON_SAYS = {
    OrderedDict: "OrderedDict mutated during iteration", dict: "dictionary changed size during iteration",
    set: "Set changed size during iteration", deque: "deque mutated during iteration",
}  # fmt: skip
KEYED = (dict, KeysView, set, frozenset, str, bytes, range, type)  # loops over these run over keys and other constants


def require_same(memory: Any, x: Any, items: Any) -> None:
    """Stop where a list has grown or shrunk while a loop ran over it."""
    if isinstance(x, (list, dict, set, deque)) and len(contents(memory, x)) != len(items):
        raise _changed_length(x)


def _changed_length(x: Any) -> Exception:
    """What stops a loop over something that has grown or shrunk: Python's own error, or Tangent's where it goes on."""
    if isinstance(x, list):
        return UnsupportedError(
            "cannot differentiate a loop over a list that changes inside it", why="its length changes while it runs",
            todo="Loop over a copy of the list.",
        )  # fmt: skip
    return RuntimeError(next(says for kind, says in PYTHON_SAYS.items() if isinstance(x, kind)))


def require_coming(memory: Any, x: Any, items: Any, k: int) -> None:
    """Stop where a loop comes to an item of a list that was another one when it began."""
    if not isinstance(x, (list, deque)):
        return
    now = contents(memory, x)
    if k < len(now) and now[k] is not items[k]:
        error = InPlaceError(
            "cannot differentiate a loop over a list that changes inside it",
            why="an item that it comes to was another one when it began", todo="Loop over a copy of the list.",
        )  # fmt: skip
        error.found_late = True
        raise error


def length_of(x: Any) -> int:
    """How long a list is that a loop runs over; anything else keeps its length."""
    return len(x) if isinstance(x, (list, deque)) else 0


def require_length(x: Any, length: int) -> None:
    """Stop where a list has grown or shrunk while a loop runs over it."""
    if length_of(x) != length:
        raise _changed_length(x)


def require_unwritten(x: Any) -> None:
    """Stop before a loop that writes into items of a list which are still to come."""
    if isinstance(x, list):
        raise InPlaceError(
            "cannot differentiate a loop over a list that it writes into",
            why="the items to come are read before the loop begins",
            todo="Loop over an index: for i in range(len(xs)): v = xs[i].",
        )  # fmt: skip


def require_followed(b: Any, xs: Any) -> None:
    """Stop where the items of a loop have a derivative, and what gives them is not followed."""
    if not isinstance(xs, KEYED) and not is_nothing(b):
        raise UnsupportedError(
            f"cannot differentiate a loop over a {type(xs).__name__} here",
            why="what it computes its items of is not known",
            todo="Give it a method that returns a list, and loop over that, or loop over list(...) where it is made.",
        )  # fmt: skip


def is_nothing(b: Any) -> bool:
    """Whether a gradient is zero throughout."""
    if b is None or isinstance(b, ZeroGrad):
        return True
    if isinstance(b, (list, tuple, deque)):
        return all(map(is_nothing, b))
    if isinstance(b, dict):
        return all(map(is_nothing, b.values()))
    if isinstance(b, (int, float, complex, np.generic, np.ndarray)):
        return not np.any(b)
    return is_object(b) and all(map(is_nothing, fields_of(b).values()))
