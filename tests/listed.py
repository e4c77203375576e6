"""Lists of names of Python's, each with a function that shows it: it works, or it is refused with a reason."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tangent

PAGE = Path(__file__).parent.parent / "docs" / "python.md"
Function = Callable[[float], Any]


class Listed:
    """Names that work, and names that are refused."""

    def __init__(self) -> None:
        self.working: dict[str, Function] = {}
        self.refusing: dict[str, Function] = {}

    def works(self, names: str) -> Callable[[Function], Function]:
        return lambda function: self._put(self.working, names, function)

    def refused(self, names: str) -> Callable[[Function], Function]:
        return lambda function: self._put(self.refusing, names, function)

    @staticmethod
    def _put(table: dict[str, Function], names: str, function: Function) -> Function:
        table.update(dict.fromkeys(names.split(), function))
        return function

    def page(self, title: str) -> list[set[str]]:
        """The names in the lines of the page that begin with a title: those that work, and those that are refused."""
        lines = [line for line in PAGE.read_text().splitlines() if line.startswith(f"| {title}")]
        return [set(re.findall(r"`([\w.]+)`", line.split(" | ", 1)[1])) for line in lines]


def check_working(function: Function) -> None:
    """Both modes, against finite differences."""
    x, e = 0.7, 1e-6
    slope = (function(x + e) - function(x - e)) / (2.0 * e)
    assert tangent.grad(function)(x) == pytest.approx(slope, rel=1e-6, abs=1e-7)
    assert tangent.jvp(function)(x, 1.0) == pytest.approx(slope, rel=1e-6, abs=1e-7)


def check_refused(function: Function) -> None:
    for derivative in (lambda: tangent.grad(function)(0.7), lambda: tangent.jvp(function)(0.7, 1.0)):
        with pytest.raises(tangent.TangentError, match=r"cannot differentiate|no rule|is async"):
            derivative()
