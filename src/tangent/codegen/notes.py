"""Tell an exception in a derivative its primal line, and keep the machinery out of its traceback."""

from __future__ import annotations

import os
import types
from collections.abc import Iterator
from dataclasses import dataclass

from tangent.errors import Location, SeedError, TangentError
from tangent.source.conflicts import tell_other

_origins: dict[str, dict[int, Location]] = {}
_definitions: dict[str, Location] = {}
_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_NOTE = "In the derivative of"


@dataclass(frozen=True)
class Entry:
    """Where the function behind a derivative is defined, and what a seed belongs to."""

    definition: Location
    result: Location


def remember(file: str, origins: dict[int, Location], definition: Location) -> None:
    """Keep the primal places of the lines of a generated file; all others belong to the definition."""
    _origins[file], _definitions[file] = origins, definition


def annotate(error: BaseException, entry: Entry) -> None:
    """Tell an error of Tangent where it happened; give another a note with the primal statement. Once.

    What the checks before the first line find belongs to the definition, or to the result if the seed does not fit.
    """
    _trim(error)
    if any(note.startswith(_NOTE) for note in getattr(error, "__notes__", ())):
        return
    checked = entry.result if isinstance(error, SeedError) else entry.definition
    places = [p for p in _places(error) if not _is_ours(p.file)]
    where = places[-1] if places else users_location(checked)
    if isinstance(error, TangentError):
        if places and error.where is not None and _is_ours(error.where.file):
            error.where = None
        if error.where is not None and error.where.file in _origins:  # of a function that is defined in a derivative
            where = primal_place(error.where.file, error.where.line) or where
            error.where = None
        error.place(where)
        tell_other(error)
    else:
        error.add_note(f"{_NOTE} {where}\n{where.excerpt()}")


def _places(error: BaseException) -> Iterator[Location]:
    """The primal places of the generated lines that an exception went through, outermost first."""
    for at in _traceback(error):
        found = primal_place(at.tb_frame.f_code.co_filename, at.tb_lineno)
        if found is not None:
            yield found


def primal_place(file: str, line: int) -> Location | None:
    """File, line and text of the primal statement that a line of a generated file comes from."""
    found = _origins.get(file, {}).get(line)
    return None if found is None else users_location(found)


def users_location(place: Location) -> Location:
    """Of a place in a derivative, the place in the user's function."""
    while place.file in _origins:
        place = _origins[place.file].get(place.line, _definitions[place.file])
    return place


def _is_ours(file: str) -> bool:
    return file.startswith(_PACKAGE) or (file.startswith("<generated") and file not in _origins)


def _traceback(error: BaseException) -> Iterator[types.TracebackType]:
    at = error.__traceback__
    while at is not None:
        yield at
        at = at.tb_next


def _trim(error: BaseException) -> None:
    """Take frames of Tangent itself out, once a derivative has begun."""
    begun = None
    for at in list(_traceback(error)):
        file = at.tb_frame.f_code.co_filename
        if begun is not None and file.startswith(_PACKAGE):
            begun.tb_next = at.tb_next
        elif begun is not None or file in _origins:
            begun = at
