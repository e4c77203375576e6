"""What a function captured."""

from __future__ import annotations

import types
from typing import Any


def cells_of(function: types.FunctionType) -> dict[str, types.CellType]:
    """The variables a function captured, by name."""
    return dict(zip(function.__code__.co_freevars, function.__closure__ or ()))


def content_of(cell: types.CellType, empty: Any = None) -> Any:
    """What a captured variable holds; `empty` before it is assigned, as a function that is not defined yet."""
    try:
        return cell.cell_contents
    except ValueError:
        return empty
