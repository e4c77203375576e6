"""Whether a call has changed what it was given, where its function calls others that nobody knows beforehand."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import numpy as np

from tangent.errors import InPlaceError
from tangent.runtime.storage.held import parts_of


def unchanged(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The result of a call that has to leave alone what it is given and what its function captured.

    >>> float(unchanged(np.sum, (np.ones(2),), {}))
    2.0
    """
    before = [(x, _state(x)) for x in parts_of((args, kwargs, _captured(function)))]
    try:
        return function(*args, **kwargs)
    finally:
        written = [x for x, state in before if _differs(x, state)]
        if written:
            for x, state in before:
                _put_back(x, state)
            title = getattr(function, "__name__", type(function).__name__)
            error = InPlaceError(
                f"cannot differentiate a call of '{title}'",
                why="something that it calls writes into what it is given, which is found out only when that happens",
                todo="Call the function that writes by its own name, or let it return a new array.",
            )
            error.found_late = True
            raise error


def _captured(function: Any) -> tuple[Any, ...]:
    behind = getattr(function, "__func__", function)
    cells = getattr(behind, "__closure__", None) or ()
    held = [cell.cell_contents for cell in cells if not _is_empty(cell)]
    return (*held, getattr(function, "__self__", None), None if behind is not function else _called(function))


def _called(function: Any) -> Any:
    """An object that is called holds what it holds."""
    return None if isinstance(function, (types.FunctionType, types.BuiltinFunctionType, type)) else function


def _is_empty(cell: types.CellType) -> bool:
    try:
        return cell.cell_contents is None
    except ValueError:
        return True


def _state(x: Any) -> Any:
    match x:
        case np.ndarray():
            return x.copy()
        case list() | dict() | set():
            return x.copy()
        case _:
            return dict(getattr(x, "__dict__", {}))


def _differs(x: Any, state: Any) -> bool:
    match x:
        case np.ndarray():
            return bool(x.shape != state.shape or x.tobytes() != state.tobytes())
        case list():
            return len(x) != len(state) or any(v is not w for v, w in zip(x, state))
        case set():
            return bool(x != state)
        case _:
            now = x if isinstance(x, dict) else getattr(x, "__dict__", {})
            return len(now) != len(state) or any(k not in state or state[k] is not v for k, v in now.items())


def _put_back(x: Any, state: Any) -> None:
    match x:
        case np.ndarray():
            if x.flags.writeable:
                x[...] = state
        case list():
            x[:] = state
        case dict() | set():
            x.clear()
            x.update(state)
        case _:
            vars(x).clear()
            vars(x).update(state)
