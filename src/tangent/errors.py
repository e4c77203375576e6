"""The errors of Tangent: what, where, why, and what to do."""

from __future__ import annotations

from dataclasses import dataclass


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


class TangentError(Exception):
    """Base of all errors that Tangent raises."""

    def __init__(self, what: str, where: Location | None = None, why: str = "", todo: str = "") -> None:
        self.what, self.where, self.why, self.todo = what, where, why, todo
        super().__init__(self._message())

    def _message(self) -> str:
        head = f"{self.where}: {self.what}" if self.where else self.what
        lines = [head + (f": {self.why}" if self.why else "")]
        if self.where and (excerpt := self.where.excerpt()):
            lines.append(excerpt)
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


class CaptureError(UnsupportedError):
    """A variable changes while a function that captured it is kept."""

    needs_memory = False  # as above


class RuleError(TangentError):
    """A rule is malformed, or a call does not fit it."""


class WrtError(TangentError, ValueError):
    """`wrt` names no differentiable argument of the function."""


class SeedError(TangentError, ValueError):
    """The seed (or tangent) does not fit the result (or argument), or is needed and missing."""


class ArgumentError(TangentError, TypeError):
    """An argument is of a kind that the derivative was not made for."""


class ShapeError(TangentError, ValueError):
    """A row or a part does not fit into a persistent array."""


class VersionError(TangentError, IndexError):
    """A version of a persistent array that is not there: rows deleted past the start, a handle that was freed."""


class CompileError(TangentError):
    """A derivative cannot be compiled; as Python code it may well run."""


class GradientError(TangentError, AssertionError):
    """A derivative disagrees with finite differences."""
