"""Tell an exception in a derivative its primal line, and keep the machinery out of its traceback."""

from __future__ import annotations

import os
import types
from collections.abc import Iterator
from dataclasses import dataclass

from tangent.errors import Location, SeedError

Place = tuple[str, int, str]
_origins: dict[str, dict[int, Place]] = {}
_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_NOTE = "In the derivative of"


@dataclass(frozen=True)
class Entry:
    """Where the function behind a derivative is defined, and what a seed belongs to."""

    definition: Place
    result: Place


def remember(file: str, origins: dict[int, Place]) -> None:
    """Keep the primal places of the lines of a generated file."""
    _origins[file] = origins


def annotate(error: BaseException, entry: Entry) -> None:
    """Add a note with file, line and text of the primal statement, once.

    What the checks before the first line find belongs to the definition, or to the result if the seed does not fit.
    """
    _trim(error)
    if any(note.startswith(_NOTE) for note in getattr(error, "__notes__", ())):
        return
    checked = entry.result if isinstance(error, SeedError) else entry.definition
    places = [p for p in _places(error) if not _is_ours(p[0])]
    file, line, text = places[-1] if places else _users(checked)
    error.add_note(f"{_NOTE} {file}:{line}: {text}")


def _places(error: BaseException) -> Iterator[Place]:
    """The primal places of the generated lines that an exception went through, outermost first."""
    for at in _traceback(error):
        found = primal_place(at.tb_frame.f_code.co_filename, at.tb_lineno)
        if found is not None:
            yield found


def primal_place(file: str, line: int) -> Place | None:
    """File, line and text of the primal statement that a line of a generated file comes from."""
    found = _origins.get(file, {}).get(line)
    return None if found is None else _users(found)


def _users(place: Place) -> Place:
    """Of a place in a derivative, the place in the user's function."""
    while (found := _origins.get(place[0], {}).get(place[1])) is not None:
        place = found
    return place


def users_location(where: Location) -> Location:
    """Of a place in a derivative, the place in the user's function that the next line with a place comes from."""
    origins = _origins.get(where.file, {})
    line = min((k for k in origins if k >= where.line), default=None)
    if line is None:
        return where
    file, number, text = _users(origins[line])
    return Location(file, number, text, 0, len(text))


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
