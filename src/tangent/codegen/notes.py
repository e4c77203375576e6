"""Tell an exception in a derivative its primal line, and keep the machinery out of its traceback."""

from __future__ import annotations

import os
import types

_origins: dict[str, dict[int, tuple[str, int, str]]] = {}
_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_NOTE = "In the derivative of"


def remember(file: str, origins: dict[int, tuple[str, int, str]]) -> None:
    """Keep the primal places of the lines of a generated file."""
    _origins[file] = origins


def annotate(error: BaseException) -> None:
    """Add a note with file, line and text of the primal statement, once."""
    last = None
    at: types.TracebackType | None = error.__traceback__
    while at is not None:
        if at.tb_frame.f_code.co_filename in _origins:
            last = at
        at = at.tb_next
    if last is None or any(note.startswith(_NOTE) for note in getattr(error, "__notes__", ())):
        return
    _trim(last)
    found = primal_place(last.tb_frame.f_code.co_filename, last.tb_lineno)
    if found is not None:
        file, line, text = found
        error.add_note(f"{_NOTE} {file}:{line}: {text}")


def primal_place(file: str, line: int) -> tuple[str, int, str] | None:
    """File, line and text of the primal statement that a line of a generated file comes from."""
    found = _origins.get(file, {}).get(line)
    while found is not None and found[0] in _origins and found[1] in _origins[found[0]]:
        found = _origins[found[0]][found[1]]  # a derivative of a derivative: on to the user's line
    return found


def _trim(at: types.TracebackType) -> None:
    """Cut frames of Tangent itself off the end."""
    inner = at.tb_next
    frames = []
    while inner is not None:
        frames.append(inner.tb_frame.f_code.co_filename)
        inner = inner.tb_next
    if frames and all(f.startswith(_PACKAGE) for f in frames):
        at.tb_next = None
