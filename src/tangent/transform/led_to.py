"""Errors in the text of a library: which call of the user's has led there."""

from __future__ import annotations

import ast
import types
from collections.abc import Callable, Iterator

from tangent.errors import Location, TangentError
from tangent.source.naming import home_of, is_library
from tangent.transform.unit import Unit

Read = Callable[[types.FunctionType], Unit]


def tell_call(error: TangentError, function: types.FunctionType, read: Read) -> None:
    """Tell an error in the text of a library which call in the user's functions has led there."""
    if error.where is None or error.called is not None:
        return
    for where, file in _calls(function, read, set()):
        if file == error.where.file or _package(file) == _package(error.where.file) != "":
            error.come_from(where)
            return


def _calls(function: types.FunctionType, read: Read, seen: set[types.FunctionType]) -> Iterator[tuple[Location, str]]:
    """The calls of library functions in some function and those that it calls, and the files of these."""
    seen.add(function)
    try:
        this = read(function)
    except TangentError:  # that is told by itself
        return
    for s, op in this.operations.items():
        callee = op.callee
        if not isinstance(callee, types.FunctionType) or callee in seen or not isinstance(s, ast.stmt):
            continue
        if not is_library(callee):
            yield from _calls(callee, read, seen)
        elif home_of(callee).split(".")[0] != "tangent":
            yield this.source.locate(s), callee.__code__.co_filename


def _package(file: str) -> str:
    """The folder of a library that a file belongs to."""
    _, found, inside = file.replace("\\", "/").rpartition("/site-packages/")
    return inside.split("/")[0] if found else ""
