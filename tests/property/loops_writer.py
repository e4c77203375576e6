"""Writes random programs as one writes them for Numba: loop nests over arrays with shifts, buffers that are swapped,
arrays bound anew in each step, row views, branches, `break`, helpers that fill their arguments.

Every decision goes through `below(n)`, as in `writer.py`. An array has a tuple of axes as its kind: "n" and "k" are the
lengths of the arguments, numbers are fixed lengths. A loop variable knows its axis, and how far it stays away from both
ends, so that no index is outside. Numbers stay of order one: what is stored goes through a bounded function.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

from property.writer import Below, Choices, Program, tidy

Axes = tuple[str | int, ...]


class Index(NamedTuple):
    """A loop variable: `low <= i` and `i < length of the axis - high`."""

    axis: str | int
    low: int
    high: int


Kind = Axes | Index | None  # None is a float
VECTOR, ROW, MATRIX, SMALL, POINTS = ("n",), ("k",), ("n", "k"), (3,), ("n", 3)
NAMES: dict[Any, tuple[str, ...]] = {
    None: ("s", "t", "r"),
    VECTOR: ("a", "b", "h", "work"),
    ROW: ("row", "q"),
    MATRIX: ("m", "w"),
    SMALL: ("p", "v"),
    POINTS: ("z",),
}
PARAMETERS: tuple[tuple[str, Kind], ...] = (("x", VECTOR), ("y", VECTOR), ("u", MATRIX), ("c", None))
GIVEN = ("x", "y", "u")
SIZES = ({"n": 5, "k": 4}, {"n": 7, "k": 3}, {"n": 4, "k": 6})
PRELUDE = "import io\nimport math\n\nimport numpy as np\n\nsink = io.StringIO()\n"
STYLES: dict[str, tuple[str, ...]] = {  # the statements that a style does without
    "numbers": ("rebind", "slices", "swap", "calls", "small", "view"),
    "arrays": ("small", "calls"),
    "small": ("slices", "swap"),
    "all": (),
}

NUMBERS = (
    "{} * {}", "{} + {}", "{} - {}", "math.sin({})", "0.5 * {}", "np.tanh({})", "max({}, {})", "abs({})",
    "{} / (1.5 + {} ** 2)", "math.exp(-abs({}))", "-{}", "({} if {} > 0.2 else {})",
)  # fmt: skip
ARRAYS = ("np.sin({})", "{} * {}", "{} + {}", "0.5 * {}", "np.tanh({})", "{} - {}", "-{}", "np.maximum({}, 0.1)",
          "{} / (1.5 + {} ** 2)", "np.where({} > 0.1, {}, 0.3)", "np.abs({})", "{} ** 2")  # fmt: skip
BOUNDED = ("math.sin({})", "0.5 * math.cos({})", "math.tanh({})")
BOUNDED_ARRAYS = ("np.sin({})", "0.5 * np.cos({})", "np.tanh({})")
CHANGES = ("+= 0.3 * {}", "-= 0.2 * {}", "*= {}", "+= {}", "/= 1.2 + {}")
RANGES = (("range({low}, {n} - {high})", 1, 1), ("range({n})", 0, 0), ("range({low}, {n})", 1, 0),
          ("range({n} - {high})", 0, 1), ("range({n} - {up}, {down}, -1)", 1, 1), ("range({n} - 1, -1, -1)", 0, 0),
          ("range(0, {n} - {high}, 2)", 0, 2), ("range({low}, {n} - {high})", 2, 1))  # fmt: skip


@st.composite
def programs(draw: st.DrawFn, style: str = "all", size: int = 12) -> Program:
    """A strategy for programs of a style."""
    return write(lambda n: draw(st.integers(0, n - 1)), style, size)


def numbered(seed: int, style: str = "all", size: int = 12) -> Program:
    """The program with this number."""
    return write(random.Random(seed).randrange, style, size)


def write(below: Below, style: str = "all", size: int = 12) -> Program:
    choices = Choices(below)
    helpers = []
    text = PRELUDE
    for k in range(choices.below(3) if "calls" not in STYLES[style] else 0):
        helper, lines = write_helper(choices, k, STYLES[style])
        helpers.append(helper)
        text += f"\n\n{lines}"
    writer = LoopWriter(choices, dict(PARAMETERS), STYLES[style], helpers, size)
    writer.add("n, k = u.shape")
    for name in ("x", "y", "u"):
        if choices.chance(60):
            kind = dict(PARAMETERS)[name]
            writer.bind(choices.pick(NAMES[kind]), kind, f"{name}.copy()")
    writer.bind("s", None, "0.1")
    while writer.budget > 0:
        writer.statement()
    writer.add(f"return {writer.outcome()}")
    text += "\n\ndef f(x, y, u, c, steps):\n" + "\n".join(writer.lines)
    names = ("x", "y", "u", "c", "steps")
    return Program(tidy(text), arguments(choices.below(10**6), SIZES[0]), (0, 1, 2, 3), names, frozenset())


def arguments(seed: int, sizes: dict[str, int]) -> tuple[Any, ...]:
    """Arguments of other sizes are found in the same way."""
    rng = np.random.default_rng(seed)
    arrays = [rng.uniform(-1.5, 1.5, [sizes[axis] for axis in kind]) for kind in (VECTOR, VECTOR, MATRIX)]  # type: ignore[index]
    return (*arrays, 0.7, 3)


class Helper(NamedTuple):
    name: str
    parameters: tuple[Kind, ...]
    gives: bool  # a float; else it fills its arguments


def write_helper(choices: Choices, number: int, without: Sequence[str]) -> tuple[Helper, str]:
    """`def g(a, m, r): ...`, with a float as result or none."""
    kinds: tuple[Kind, ...] = (choices.pick((VECTOR, MATRIX)), choices.pick((VECTOR, MATRIX, ROW)), None)
    names = [f"{NAMES[kind][0]}{i}" for i, kind in enumerate(kinds)]
    writer = LoopWriter(choices, dict(zip(names, kinds)), (*without, "calls"), [], 3)
    lengths = {axis: f"{v}.shape[{i}]" for v, kind in zip(names, kinds) for i, axis in enumerate(kind or ())}
    for axis in ("n", "k"):
        writer.add(f"{axis} = {lengths.get(axis, 3)}")
    writer.bind("s", None, "0.2")
    while writer.budget > 0:
        writer.statement()
    gives = choices.chance(50)
    if gives:
        writer.add(f"return {writer.outcome()}")
    name = f"g{number}"
    return Helper(name, kinds, gives), f"def {name}({', '.join(names)}):\n" + "\n".join(writer.lines)


@dataclass
class LoopWriter:
    """Writes one function, statement by statement, and knows which names are bound to what at each place."""

    choices: Choices
    scope: dict[str, Kind]
    without: Sequence[str]
    helpers: list[Helper]
    budget: int
    lines: list[str] = field(default_factory=list)
    depth: int = 1
    loops: list[str] = field(default_factory=list)  # the kinds of loop around: "for", "while"

    def add(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def bind(self, name: str, kind: Kind, text: str) -> None:
        self.add(f"{name} = {text}")
        self.scope[name] = kind

    @contextmanager
    def block(self) -> Iterator[None]:
        """Lines within; what is bound there for the first time is unknown afterwards."""
        before = dict(self.scope)
        self.depth += 1
        yield
        self.depth -= 1
        self.scope = {v: kind for v, kind in before.items() if self.scope.get(v) == kind}

    # -- reading

    def index(self, axis: str | int) -> str:
        """An index that is inside."""
        found = [(v, of) for v, of in self.scope.items() if isinstance(of, Index) and of.axis == axis]
        if found and self.choices.chance(85):
            v, of = self.choices.pick(found)
            shift = self.choices.number(-of.low - self.choices.chance(12), of.high)  # seldom one that wraps around
            return f"{v} + {shift}" if shift > 0 else f"{v} - {-shift}" if shift < 0 else v
        return self.choices.pick(("0", "-1") if "small" in self.without else ("0", "1", "-1", "2"))

    def names(self, kind: Kind) -> list[str]:
        return [v for v, of in self.scope.items() if of == kind and not isinstance(of, Index)]

    def arrays(self) -> list[tuple[str, Axes]]:
        return [(v, of) for v, of in self.scope.items() if isinstance(of, tuple) and not isinstance(of, Index)]

    def element(self) -> str:
        v, axes = self.choices.pick(self.arrays())
        return f"{v}[{', '.join(self.index(axis) for axis in axes)}]"

    def number(self, depth: int = 2) -> str:
        if depth <= 0 or self.choices.chance(25):
            form = self.choices.weigh({"element": 5, "name": 3, "constant": 1, "sum": 1})
            if form == "element":
                return self.element()
            if form == "sum":
                return f"np.sum({self.array(self.choices.pick(self.arrays())[1], 1)})"
            return self.choices.pick(self.names(None)) if form == "name" else self.choices.pick(("0.4", "1.3", "0.7"))
        template = self.choices.pick(NUMBERS)
        return f"({template.format(*(self.number(depth - 1) for _ in range(template.count('{}'))))})"

    def bounded(self, depth: int = 2) -> str:
        return self.choices.pick(BOUNDED).format(self.number(depth))

    def condition(self) -> str:
        if self.choices.chance(30) and (found := [v for v, of in self.scope.items() if isinstance(of, Index)]):
            return f"{self.choices.pick(found)} % 2 == {self.choices.below(2)}"
        return f"{self.number(1)} {self.choices.pick(('>', '<'))} {self.choices.pick(('0.1', '-0.3', '0.45'))}"

    def parts(self, kind: Axes) -> list[str]:
        """Reads of this kind: `a`, `m[i]`, `m[:, j]`, `x[i:i + 3]`."""
        found = self.names(kind)
        for v, axes in self.arrays():
            if len(axes) == 2:
                found += [f"{v}[{self.index(axes[0])}]"] if axes[1:] == kind else []
                found += [f"{v}[:, {self.index(axes[1])}]"] if axes[:1] == kind else []
            if kind == SMALL and axes == VECTOR:
                near = [i for i, of in self.scope.items() if isinstance(of, Index) and of.axis == "n" and of.high >= 2]
                found += [f"{v}[{i}:{i} + 3]" for i in near] + [f"{v}[1:4]"]
        return found

    def array(self, kind: Axes, depth: int = 2) -> str:
        parts = self.parts(kind)
        if not parts:
            return f"np.ones({self.shape(kind)})"
        if depth <= 0 or self.choices.chance(25):
            return self.choices.pick(parts)
        template = self.choices.pick(ARRAYS)
        operands = [self.array(kind, depth - 1)]
        while len(operands) < template.count("{}"):
            operands.append(self.array(kind, depth - 1) if self.choices.chance(75) else self.number(0))
        return f"({template.format(*operands)})"

    def bounded_array(self, kind: Axes) -> str:
        return self.choices.pick(BOUNDED_ARRAYS).format(self.array(kind))

    def shape(self, kind: Axes) -> str:
        return str(kind[0]) if len(kind) == 1 else f"({', '.join(map(str, kind))})"

    # -- statements

    def statement(self) -> None:
        self.budget -= 1
        nested = 5 if self.budget > 0 and self.depth < 5 else 0
        weights = {
            "loop": 2 * nested, "store": 6 + 6 * bool(self.loops), "change": 4, "assign": 4, "rebind": 4, "slices": 4,
            "swap": 2, "branch": nested, "calls": 4 * bool(self.helpers), "small": 3, "view": 2, "steps": nested,
            "repeat": nested // 2, "leave": 2 * bool(self.loops), "around": 2 * bool(self.loops),
        }  # fmt: skip
        getattr(self, self.choices.weigh(weights, self.without))()

    def body(self, most: int = 4) -> None:
        before = len(self.lines)
        for _ in range(self.choices.number(1, most)):
            self.statement()
        if len(self.lines) == before:
            self.assign()

    def target(self) -> str | None:
        """An element of an array that may be written."""
        found = [(v, axes) for v, axes in self.arrays() if v not in GIVEN]
        if not found:
            return None
        v, axes = self.choices.pick(found)
        return f"{v}[{', '.join(self.index(axis) for axis in axes)}]"

    def store(self) -> None:
        if (target := self.target()) is not None:
            self.add(f"{target} = {self.bounded()}")

    def change(self) -> None:
        target = self.target() if self.choices.chance(60) else self.choices.pick(self.names(None))
        if target is not None and target != "c":
            self.add(f"{target} {self.choices.pick(CHANGES).format(self.bounded())}")

    def assign(self) -> None:
        self.bind(self.choices.pick(NAMES[None]), None, self.bounded())

    def around(self) -> None:
        """An index that is computed from a loop variable, as at the edge of a ring."""
        found = [(v, of) for v, of in self.scope.items() if isinstance(of, Index) and not v.startswith("at_")]
        if found:
            v, of = self.choices.pick(found)
            ways = (f"({v} + 1) % {of.axis}", f"({v} - 1) % {of.axis}", f"min({v} + 1, {of.axis} - 1)",
                    f"{v} - 1 if {v} > 0 else {of.axis} - 1")  # fmt: skip
            self.bind(f"at_{of.axis}", Index(of.axis, 0, 0), self.choices.pick(ways))

    def bind_kind(self) -> Axes:
        return self.choices.pick((VECTOR, VECTOR, VECTOR, MATRIX, ROW))

    def rebind(self) -> None:
        """A name bound anew: to memory of its own, to what is computed, to another array."""
        kind = self.choices.pick((VECTOR, VECTOR, VECTOR, MATRIX, ROW))
        others = self.names(kind)
        own = [v for v in others if v not in GIVEN]
        ways = [
            *(self.bounded_array(kind) for _ in range(3)),
            f"np.{self.choices.pick(('zeros', 'ones'))}({self.shape(kind)})",
            *(f"{self.choices.pick(others)}.copy()" for _ in others[:1]),
            *(f"np.zeros_like({self.choices.pick(others)})" for _ in others[:1]),
            *(self.choices.pick(own) for _ in own[:1]),
        ]
        self.bind(self.choices.pick(NAMES[kind]), kind, self.choices.pick(ways))

    def slices(self) -> None:
        found = [(v, axes) for v, axes in self.arrays() if v not in GIVEN and axes != SMALL]
        if not found:
            return
        v, axes = self.choices.pick(found)
        e = self.choices.pick(self.names(axes))
        if len(axes) == 2:
            form = self.choices.pick((
                f"{v}[{self.index(axes[0])}] = {self.bounded_array(axes[1:])}",
                f"{v}[:, {self.index(axes[1])}] {self.choices.pick(CHANGES).format(self.bounded_array(axes[:1]))}",
                f"{v}[1:] = np.sin({e}[:-1] * {self.number(1)})",
                f"{v}[:, 1:] += 0.3 * np.tanh({e}[:, :-1])",
                f"{v}[1:-1] = ({e}[:-2] + {e}[2:]) / 2",
                f"{v}[:] = {self.bounded_array(axes)}",
            ))  # fmt: skip
        else:
            form = self.choices.pick((
                f"{v}[1:-1] = ({e}[:-2] + {e}[2:]) / 2",
                f"{v}[1:] += 0.3 * np.sin({e}[:-1])",
                f"{v}[:] = {self.bounded_array(axes)}",
                f"{v}[:-1] = {e}[1:] * np.cos({v}[:-1])",
                f"{v} {self.choices.pick(CHANGES).format(self.bounded_array(axes))}",
                f"{v}[::2] *= 0.5",
            ))  # fmt: skip
        self.add(form)

    def swap(self) -> None:
        found = [kind for kind in (VECTOR, ROW, MATRIX) if len([v for v in self.names(kind) if v not in GIVEN]) > 1]
        if found:
            names = [v for v in self.names(self.choices.pick(found)) if v not in GIVEN]
            first = self.choices.pick(names)
            second = self.choices.pick([v for v in names if v != first])
            self.add(f"{first}, {second} = {second}, {first}")

    def small(self) -> None:
        v = self.choices.pick(NAMES[SMALL])
        forms = [
            f"np.array([{self.bounded(1)}, {self.bounded(1)}, {self.bounded(0)}])",
            "np.zeros(3)",
            self.bounded_array(SMALL),
            f"0.3 * np.cross({self.array(SMALL, 1)}, {self.array(SMALL, 1)})",
        ]
        self.bind(v, SMALL, self.choices.pick(forms))

    def view(self) -> None:
        found = [v for v in self.names(MATRIX) if v != "u"]
        if found:
            v = self.choices.pick(found)
            self.bind(self.choices.pick(NAMES[ROW]), ROW, f"{v}[{self.index('n')}]")

    def branch(self) -> None:
        self.add(f"if {self.condition()}:")
        with self.block():
            self.body(2)
        if self.choices.chance(40):
            self.add("else:")
            with self.block():
                self.body(2)

    def leave(self) -> None:
        word = self.choices.pick(("break", "continue")) if self.loops[-1] == "for" else "break"
        self.add(f"if {self.condition()}:")
        self.depth += 1
        if self.choices.chance(40):
            self.store()
        self.add(word)
        self.depth -= 1

    def loop_name(self) -> str | None:
        free = [v for v in ("i", "j", "l") if v not in self.scope]
        return free[0] if free else None

    def loop(self) -> None:
        """Over an axis: upward, downward, in steps, a triangle."""
        name = self.loop_name()
        if name is None:
            return
        axis = self.choices.pick(("n", "n", "n", "k") if "small" in self.without else ("n", "n", "k", 3, 3))
        outer = [(v, of) for v, of in self.scope.items() if isinstance(of, Index) and of.axis == axis]
        if outer and self.choices.chance(40):
            v, of = self.choices.pick(outer)
            text, low, high = self.choices.pick((
                (f"range({v})", 0, of.high + 1), (f"range({v} + 1, {axis} - {of.high})", of.low + 1, of.high),
                (f"range({v} - 1, -1, -1)", 0, of.high + 1),
            ))  # fmt: skip
        else:
            template, low, high = self.choices.pick(RANGES)
            text = template.format(n=axis, low=low, high=high, up=high + 1, down=low - 1)
        self.walk(f"for {name} in {text}:", name, Index(axis, low, high))

    def walk(self, header: str, name: str, of: Index | None) -> None:
        self.add(header)
        with self.block():
            if of is not None:
                self.scope[name] = of
            self.loops.append("for")
            self.body()
            self.loops.pop()

    def steps(self) -> None:
        """Time steps, which bind arrays anew."""
        counts = ("3", "2", *(("steps", "steps + 1") if "x" in self.scope else ()))
        if len(self.loops) < 2:
            self.walk(f"for _ in range({self.choices.pick(counts)}):", "", None)

    def repeat(self) -> None:
        """A loop with `while` that counts."""
        if "e" in self.scope:
            return
        self.add("e = 0")
        self.add(f"while e < n - 1 and {self.number(1)} < 3.0:")
        with self.block():
            self.scope["e"] = Index("n", 0, 1)
            self.loops.append("while")
            self.body(3)
            self.loops.pop()
            del self.scope["e"]
            self.add("e += 1")

    def calls(self) -> None:
        helper = self.choices.pick(self.helpers)
        arguments = []
        for kind in helper.parameters:
            own = [v for v in self.names(kind) if v not in GIVEN and v not in arguments]
            if kind is not None and not own:
                return
            arguments.append(self.number(1) if kind is None else self.choices.pick(own))
        call = f"{helper.name}({', '.join(arguments)})"
        self.add(f"{self.choices.pick(NAMES[None])} = math.sin({call})" if helper.gives else call)
        if helper.gives:
            self.scope[self.lines[-1].split(" = ")[0].strip()] = None

    def outcome(self) -> str:
        """All that there is, or one number as the last loop has left it."""
        if self.choices.chance(25):
            return self.choices.pick(self.names(None))
        parts = [f"np.sum(np.sin({v}))" for v, _ in self.arrays() if v not in GIVEN]
        return " + ".join([*self.names(None), *parts])
