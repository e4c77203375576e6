"""Writes random programs of the whole language: objects, closures, containers, generators, exceptions, slopes inside.

As `writer.py`. A program takes a few of the `WORLDS` and mixes their statements, so that what one of them changes is
read by another one. Values are numbers, or arrays of one shape, as the argument `x` is; all of them stay of order one.
"""

from __future__ import annotations

import random
import re
import textwrap

import numpy as np
from hypothesis import strategies as st

from property.worlds import CONDITIONS, EXPRESSIONS, HELPERS, PLAIN, WORLDS
from property.writer import Below, Choices, Program

PRELUDE = """\
import collections
import dataclasses
import functools
import io
import itertools
import operator
import typing

import numpy as np

import tangent

sink = io.StringIO()
SCALE = 0.7
"""
STYLES = ("all", "numbers", "arrays", *WORLDS)
NAMES = ("a", "b", "s")


def numbered(seed: int, style: str = "all", size: int = 12) -> Program:
    """The program with this number."""
    return write(random.Random(seed).randrange, style, size)


@st.composite
def programs(draw: st.DrawFn, style: str = "all", size: int = 6) -> Program:
    return write(lambda n: draw(st.integers(0, n - 1)), style, size)


def write(below: Below, style: str = "all", size: int = 12) -> Program:
    """A program of about `size` statements; a style that is a world is in it."""
    choices = Choices(below)
    worlds = {style} & set(WORLDS)
    for _ in range(choices.number(1, 3)):
        worlds.add(choices.pick(tuple(WORLDS)))
    writer = _Writer(choices, sorted(worlds))
    function = writer.function(size)
    arrays = style == "arrays" or (style != "numbers" and choices.chance(25))
    numbers = np.round(np.random.default_rng(choices.below(1000)).uniform(-1.2, 1.2, 5), 3)
    x = numbers[:3] if arrays else float(numbers[0])
    texts = [PRELUDE, HELPERS, *(WORLDS[name].module for name in writer.worlds), function]
    source = "\n\n\n".join(text.strip() for text in texts if text.strip()) + "\n"
    features = frozenset(worlds | ({"array argument"} if arrays else set()))
    return Program(source, (x, float(numbers[3]), choices.below(4)), (0, 1), ("x", "y", "n"), features)


class _Writer:
    def __init__(self, choices: Choices, worlds: list[str]) -> None:
        self.choices, self.worlds = choices, worlds
        self.reads = ["x", "y * x", *NAMES]
        self.statements = _parts(PLAIN)
        self.depth = 0

    def function(self, size: int) -> str:
        lines = ["a, b, s, turns = x * y, np.tanh(x), x - 0.4 * y, []"]
        lines += [self.filled(WORLDS[name].start.strip()) for name in self.worlds]
        for name in self.worlds:
            self.statements += _parts(WORLDS[name].statements)
            self.reads += WORLDS[name].reads.split("\n")
        lines += [self.statement() for _ in range(self.choices.number(2, max(2, size // 2)))]
        lines.append(f"return np.sum({self.value()} * {self.value()} + a - b * s + {' - '.join(self.last_reads())})")
        return "def f(x, y, n):\n" + textwrap.indent("\n".join(line for line in lines if line), "    ")

    def last_reads(self) -> list[str]:
        return [self.choices.pick(WORLDS[name].reads.split("\n")) for name in self.worlds]

    def statement(self) -> str:
        self.depth += 1
        parts = [s for s in self.statements if "<s>" not in s] if self.depth > 3 else self.statements
        text = self.filled(self.choices.pick(parts))
        self.depth -= 1
        return text

    def filled(self, text: str) -> str:
        """A template with all that stands for something replaced."""
        text = re.sub(r"^( *)<s>$", lambda found: textwrap.indent(self.statement(), found[1]), text, flags=re.M)
        makers = {"e": self.expression, "c": self.condition, "v": self.value, "n": lambda: self.choices.pick(NAMES)}
        return re.sub(r"<([ecvn])>", lambda found: makers[found[1]](), text)

    def value(self) -> str:
        return self.choices.pick(self.reads)

    def expression(self) -> str:
        return f"({self.filled(self.choices.pick(EXPRESSIONS))})"

    def condition(self) -> str:
        return self.filled(self.choices.pick(CONDITIONS))


def _parts(text: str) -> list[str]:
    return [part.strip("\n") for part in text.strip("\n").split("\n\n")]
