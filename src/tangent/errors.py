"""The errors of Tangent: what, where, why, and what to do."""

from __future__ import annotations

import linecache
import os
import sys
import types
from dataclasses import dataclass

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep
_GENERATED = "<generated"


@dataclass(frozen=True)
class Location:
    """A place in the user's source: file, line, the line itself and the columns to underline."""

    file: str
    line: int
    text: str = ""
    start: int = 0
    end: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"

    def excerpt(self) -> str:
        """The source line with a caret line below it."""
        shown = self.text.strip("\n")
        stripped = shown.lstrip()
        if not stripped:
            return ""
        indent = len(shown) - len(stripped)
        start = max(self.start - indent, 0)
        width = max(min(self.end, len(shown)) - max(self.start, indent), 1)
        return f"    {stripped}\n    {' ' * start}{'^' * width}"


def caller(outside: bool = False) -> Location | None:
    """The call in the user's code that has led here; None from inside a derivative, which has a place of its own.

    With `outside`, the call of the derivative, from inside of it, too.
    """
    skipped = (_PACKAGE, _GENERATED) if outside else (_PACKAGE,)
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(skipped):
        frame = frame.f_back
    return None if frame.f_code.co_filename.startswith(_GENERATED) else _place(frame)


def names_in_derivative(value: object) -> tuple[list[str], bool]:
    """What the derivative that has led here calls a value, and whether these are globals."""
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None and not frame.f_code.co_filename.startswith(_GENERATED):
        frame = frame.f_back
    if frame is None:
        return [], False
    around = [v for v in frame.f_code.co_names if frame.f_globals.get(v) is value]
    return around or [v for v, known in frame.f_locals.items() if known is value], bool(around)


def _place(frame: types.FrameType) -> Location:
    file, line = frame.f_code.co_filename, frame.f_lineno
    text = linecache.getline(file, line, frame.f_globals).rstrip("\n")
    spans = list(frame.f_code.co_positions())
    first, last, start, end = spans[frame.f_lasti // 2] if frame.f_lasti // 2 < len(spans) else (None,) * 4
    whole = first == last == line and start is not None and end is not None
    return Location(file, line, text, start if whole else 0, end if whole else len(text))  # type: ignore[arg-type]


class TangentError(Exception):
    """Base of all errors that Tangent raises."""

    def __init__(self, what: str, where: Location | None = None, why: str = "", todo: str = "") -> None:
        self.what, self.where, self.why, self.todo = what, where, why, todo
        self.called: Location | None = None
        self.other: tuple[str, Location] | None = None
        super().__init__(self._message())

    def place(self, where: Location) -> None:
        """Tell where it happened, if that was not known where the error was raised."""
        if self.where is None:
            self.where = where
            self.args = (self._message(),)

    def come_from(self, called: Location) -> None:
        """Tell which call of the user's has led to a line of a library."""
        self.called = called
        self.args = (self._message(),)

    def meet(self, said: str, other: Location | None) -> None:
        """Name the second statement that a conflict is about, with what it does; the first one told stays."""
        if self.other is None and other is not None:
            self.other = said, other
            self.args = (self._message(),)

    @property
    def in_derivative(self) -> bool:
        """Whether it happened in code that Tangent has written."""
        return self.where is not None and self.where.file.startswith(_GENERATED)

    def _message(self) -> str:
        head = f"{self.where}: {self.what}" if self.where else self.what
        lines = [head + (f": {self.why}" if self.why else "")]
        if self.where and (excerpt := self.where.excerpt()):
            lines.append(excerpt)
        if self.other:
            said, place = self.other
            lines.append(f"{said} at {place}:\n{place.excerpt()}".rstrip())
        if self.called:
            lines.append(f"That is called at {self.called}:\n{self.called.excerpt()}")
        if self.todo:
            lines.append(self.todo)
        return "\n".join(lines)


class SourceError(TangentError):
    """The source of a function cannot be found or read."""


class UnsupportedError(TangentError):
    """A construct that influences the derivative is outside of what Tangent differentiates."""


class MissingRuleError(UnsupportedError):
    """A function on the way of the derivative has neither a rule nor Python source."""


class InPlaceError(UnsupportedError):
    """A value that the derivative needs is written in place."""

    needs_memory = False  # whether it could be followed with a memory of lists and objects
    needs_tangents = False  # whether it could be followed through forward mode
    found_late = False  # whether a callee that is known only when it is called turns out to write
    about = ""  # the variable that the other statement of the conflict reads, where it is known


class CaptureError(UnsupportedError):
    """A variable changes while a function that captured it is kept."""

    needs_memory = needs_tangents = False  # as above


class OwnerError(UnsupportedError):
    """A method that arrays have is called on what may be no array."""


class RuleError(TangentError):
    """A rule is malformed, or a call does not fit it."""


class WrtError(TangentError, ValueError):
    """`wrt` names no differentiable argument of the function."""


class OptionError(TangentError, ValueError, TypeError):
    """An option of a derivative has a value that it cannot have."""


class SeedError(TangentError, ValueError):
    """The seed (or tangent) does not fit the result (or argument), or is needed and missing."""


class ArgumentError(TangentError, TypeError):
    """An argument is of a kind that the derivative was not made for."""

    written = ""  # the argument that is written into, where it may not be for that


class ShapeError(TangentError, ValueError):
    """A row or a part does not fit into a persistent array."""


class VersionError(TangentError, IndexError):
    """A version of a persistent array that is not there: rows deleted past the start, a handle that was freed."""


class CompileError(TangentError):
    """A derivative cannot be compiled; as Python code it may well run."""


class GradientError(TangentError, AssertionError):
    """A derivative disagrees with finite differences."""
