"""Writes random programs that write in place: stores, views, swaps, `out=`, functions that fill their arguments.

As `writer.py`, with arrays of several shapes: the kind of an array is its shape, and a list or dict of arrays is
`Items` of that shape, never empty. What NumPy makes of overlapping views decides what the program means; nothing is
avoided, except that views are never empty, that nothing is stored where NumPy forbids it, and that global arrays are
not touched.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

from property.storage_phrases import EXCHANGE, STEADY, STORE, phrase
from property.templates import BOUNDED, CONSTANTS, LOOP_NAMES
from property.writer import Below, Choices, FunctionWriter, Parameter, Program, text_of, tidy

Shape = tuple[int, ...]


class Items(NamedTuple):
    """A list, or a dict with the keys 'w' and 'b', of arrays of one shape."""

    form: str
    shape: Shape


Kind = Any  # "S", "I", a Shape or Items


@dataclass(frozen=True)
class Steady:
    """An array or list that no derivative flows through, for arrays of a length."""

    length: int


class Place(NamedTuple):
    """Something that can be stored into, or read: `a`, `a[1:]`, `xs[-1]`, `d['w'][0]`."""

    text: str
    shape: Shape


class Helper(NamedTuple):
    name: str
    parameters: tuple[Parameter, ...]
    result: Kind  # None: it fills its arguments
    cost: int


@st.composite
def programs(draw: st.DrawFn, style: str = "all", size: int = 12) -> Program:
    """A strategy for programs of a style; examples shrink towards few, short, flat statements."""
    return write(lambda n: draw(st.integers(0, n - 1)), style, size)


def numbered(seed: int, style: str = "all", size: int = 12) -> Program:
    """The program with this number."""
    return write(random.Random(seed).randrange, style, size)


# --------------------------------------------------------------------------------------------- templates

PRELUDE = """\
import io
import math

import numpy as np

sink = io.StringIO()
SCALE = 0.7
TABLE = np.array([0.2, -0.4, 0.6])
"""

CONTROL = ("loop", "repeat", "branch", "guard", "idiom")
CONTAINERS = ("gather", "grow_list", "item", "entry")
STYLES: dict[str, tuple[str, ...]] = {  # the statements that a style does without
    "stores": ("view", "alias", "swap", "calls", *CONTAINERS, *CONTROL),
    "views": ("calls", *CONTAINERS, *CONTROL),
    "loops": ("calls", *CONTAINERS),
    "calls": CONTAINERS,
    "containers": ("calls", "idiom"),
    "all": (),
}

ELEMENTWISE = (
    "np.sin({})",
    "0.5 * {}",
    "np.tanh({})",
    "-{}",
    "{} ** 2",
    "np.cos({})",
    "{} * 1",
    "np.sqrt({} ** 2 + 1.0)",
    "np.exp(-({} ** 2))",
    "np.abs({} + 2.5)",
)
BINARY = (
    "{} + {}",
    "{} * {}",
    "{} - {}",
    "{} / ({} ** 2 + 1.5)",
    "np.multiply({}, {})",
    "np.maximum({}, {})",
    "np.add({}, {})",
)
SCALARS = (
    "{S} * {S}",
    "{S} + {S}",
    "np.sin({S})",
    "math.tanh({S})",
    "{S} - 0.5",
    "{S} if {C} else {S}",
    "float({S})",
    "{S} / ({S} ** 2 + 1.5)",
)
REDUCTIONS = ("np.sum({})", "np.mean({})", "{}.sum()", "np.max({})", "{}.mean()")
CONDITIONS = (
    ("{S} > {K}", "{S} < {S}", "{K} < {S} < 1.4"),
    ("{I} > 1", "{I} % 2 == 0", "{I}"),
    ("{C} and {C}", "{C} or {C}", "not {C}"),
)
GROWING = ("+= {}", "-= {}")
SHRINKING = ("*= np.cos({})", "/= 1.5 + ({}) ** 2", "*= 0.5 + 0.3 * np.sin({})", "*= np.tanh({})")
UNARY_OUT = ("np.sin({a}, out={t})", "np.tanh({a}, out={t})", "np.negative({a}, out={t})", "np.cos({a}, {t})")
BINARY_OUT = (
    "np.add({a}, {b}, out={t})",
    "np.multiply({a}, {b}, out={t})",
    "np.subtract({a}, {b}, {t})",
    "np.maximum({a}, {b}, out={t})",
)

RANGES = (
    ("<I> in range(3)", 3),
    ("<I> in range({I} % 4)", 3),
    ("<I> in range(2, -1, -1)", 3),
    ("<I> in range(1, 3)", 2),
    ("<I> in range(0)", 1),
    ("<I> in reversed(range(3))", 3),
    ("<I> in range({I} % 3, {I} % 5)", 4),
)

IDIOMS_1D = (  # for arrays a, b of one length; c is a float
    "for p in range(1, len({a})):\n    {a}[p] = 0.5 * {a}[p - 1] + np.sin({a}[p])",
    "for p in range(1, len({a})):\n    {a}[p] += 0.3 * {a}[p - 1] * np.cos({b}[p])",
    "for _ in range(2):\n    {a}[1:-1] = ({a}[:-2] + {a}[2:]) / 2",
    "for p in range(len({a}) - 2, -1, -1):\n    {a}[p] -= {c} * {a}[p + 1]",
    "for _ in range(3):\n    np.multiply({a}, 0.5, out={b})\n    {b}[1:] += {a}[:-1]\n    {a}, {b} = {b}, {a}",
    "for _ in range(2):\n    {b}[:] = {a}\n    {a} += 0.5 * np.sin({b})",
    "{a}[1:] = np.sin({a}[:-1] * {a}[1:])",
    "p, q = 0, len({a}) - 1\nwhile p < q:\n    {a}[p], {a}[q] = {a}[q], {a}[p]\n    p += 1\n    q -= 1",
    "run = 0.0\nfor p in range(len({a})):\n    run += np.sin({a}[p]) * {b}[p]\n    {b}[p] = np.tanh(run)",
    "run = np.zeros_like({a})\nfor p in range(len({a})):\n    run[p] = {a}[p] * {b}[-1]\n    {b}[-1] = np.sin(run[p])",
)
IDIOMS_2D = (
    "for line in {a}:\n    line *= 0.5\n    line[0] = np.sin(line[-1])",
    "for p in range({a}.shape[0]):\n    line = {a}[p]\n    line += {c}\n    {a}[0] = np.tanh(line)",
    "for p in (0, 1, 2):\n    for q in (1, 2):\n        {a}[p, q] = 0.4 * ({a}[p, q - 1] + {a}[p - 1, q])",
    "for line in {a}.T:\n    line[1:] += np.sin(line[:-1])",
    "flat = {a}.ravel()\nflat[1:] -= 0.5 * flat[:-1]\nflat = {a}.T.ravel()\nflat[0] = {c}",
    "{a}[1:], {a}[0] = 0.5 * {a}[:-1], np.sin({a}[-1])",
)

DESCENTS = (  # bodies of recursions over shorter and shorter views
    "a[1:] += np.sin(a[:-1])",
    "a[0] = np.tanh(a[0] * a[-1])",
    "a[0], a[-1] = a[-1], 0.5 * a[0]",
    "half = a[: len(a) // 2]\nhalf *= c",
    "a -= 0.3 * a[::-1]",
)

ARRAYS = ("a", "b", "u", "v", "ba", "da", "work", "a_stack")
MATRICES = ("m", "w", "bm", "table")
FLOATS = ("s", "t", "bs", "ds")


def subscripts(shape: Shape) -> list[tuple[str, Shape, bool]]:
    """Index texts for an array of this shape, what they select, and whether that is a view."""
    if len(shape) == 1:
        (n,) = shape
        found = [
            ("[0]", (), True),
            ("[-1]", (), True),
            (f"[{{I}} % {n}]", (), True),
            ("[:]", (n,), True),
            ("[...]", (n,), True),
            ("[::-1]", (n,), True),
            ("[[0, -1]]", (2,), False),
            ("[[0, 0, -1]]", (3,), False),
            ("[np.array([-1, 0])]", (2,), False),
            ("[None]", (1, n), True),
        ]
        if n > 1:
            found += [
                ("[1:]", (n - 1,), True),
                ("[:-1]", (n - 1,), True),
                ("[::2]", ((n + 1) // 2,), True),
                ("[-2:]", (2,), True),
            ]
        return found + ([("[1:-1]", (n - 2,), True)] if n > 2 else [])
    m, n = shape
    found = [
        ("[0]", (n,), True),
        ("[-1]", (n,), True),
        (f"[{{I}} % {m}]", (n,), True),
        ("[:, 0]", (m,), True),
        (f"[:, {{I}} % {n}]", (m,), True),
        ("[0, -1]", (), True),
        (f"[{{I}} % {m}, {{I}} % {n}]", (), True),
        ("[...]", (m, n), True),
        ("[::-1]", (m, n), True),
        ("[:, ::-1]", (m, n), True),
        ("[..., 0]", (m,), True),
        ("[[0, -1]]", (2, n), False),
        ("[[0, -1], [-1, 0]]", (2,), False),
        ("[:, [0, 0]]", (m, 2), False),
    ]
    if m > 1:
        found += [("[1:]", (m - 1, n), True), ("[:-1]", (m - 1, n), True)]
    if n > 1:
        found += [("[:, 1:]", (m, n - 1), True), ("[0, :-1]", (n - 1,), True)]
    return found


def views(shape: Shape) -> list[tuple[str, Shape]]:
    """Other ways to another handle of an array, or to a copy where NumPy cannot do otherwise."""
    if len(shape) == 1:
        found = [
            ("{}", shape),
            ("np.asarray({})", shape),
            ("{}.ravel()", shape),
            ("{}.reshape(-1)", shape),
            ("{}.T", shape),
            ("{}.reshape(1, -1)", (1, *shape)),
        ]
        return found + ([("{}.reshape(2, -1)", (2, shape[0] // 2))] if shape[0] % 2 == 0 else [])
    m, n = shape
    return [
        ("{}.T", (n, m)),
        ("{}", shape),
        ("{}.reshape(-1)", (m * n,)),
        ("{}.ravel()", (m * n,)),
        (f"np.reshape({{}}, ({n}, {m}))", (n, m)),
        ("np.transpose({})", (n, m)),
        ("{}.T.ravel()", (m * n,)),
        ("np.asarray({})", shape),
        ("{}.swapaxes(0, 1)", (n, m)),
    ]


# --------------------------------------------------------------------------------------------- functions


@dataclass
class StorageWriter(FunctionWriter):
    """Writes one function over arrays; the control flow is that of `FunctionWriter`."""

    # -- reading

    def expression(self, kind: Kind, depth: int = 1) -> str:
        if kind == "C":
            return self.condition(depth)
        if kind == "K":
            return self.choices.pick(CONSTANTS["K"])
        if kind == "I":
            return self.choices.pick([n for n, of in self.scope.items() if of == "I"] + ["1", "0", "2"])
        if kind == "S":
            return self.number(depth)
        return self.items(kind) if isinstance(kind, Items) else self.array(kind, depth)

    def condition(self, depth: int = 1) -> str:
        return self.fill(self.choices.pick(self.choices.pick(CONDITIONS if depth > 0 else CONDITIONS[:2])), 0)

    def number(self, depth: int) -> str:
        form = self.choices.weigh(
            {"name": 3, "item": 4, "formula": 3 * (depth > 0), "reduce": 2 * (depth > 0), "constant": 1}
        )
        names = [n for n, of in self.scope.items() if of == "S"]
        if form == "name" and names:
            return self.choices.pick(names)
        if form == "formula":
            return self.fill(self.choices.pick(SCALARS), depth - 1)
        if form == "reduce":
            return self.choices.pick(REDUCTIONS).format(self.whole().text)
        return self.choices.pick(CONSTANTS["S"][:4]) if form == "constant" else self.part(())

    def array(self, shape: Shape, depth: int = 1) -> str:
        """An expression with this shape: a part of what there is, or a formula of such."""
        if shape == ():
            return self.number(depth)
        if depth <= 0 or self.choices.chance(30):
            return self.part(shape)
        if self.choices.chance(50):
            return self.choices.pick(ELEMENTWISE).format(f"({self.array(shape, depth - 1)})", f"({self.part(shape)})")
        operands = [
            self.array(shape, depth - 1),
            self.array(shape, depth - 1) if self.choices.chance(60) else self.number(0),
        ]
        return self.choices.pick(BINARY).format(*(f"({operand})" for operand in operands))

    def part(self, shape: Shape) -> str:
        """A read of this shape: `v`, `m[1]`, `m[:, 0]`; ones where nothing in scope has it."""
        found = [place.text for place in self.wholes() if place.shape == shape]
        for place in self.wholes():
            found += [place.text + index for index, of, _ in subscripts(place.shape) if of == shape]
        constant = "0.5" if shape == () else f"np.ones({shape})"
        return self.fill(self.choices.pick(found), 0) if found else constant

    def wholes(self) -> list[Place]:
        """Every array that a name or an item of a container holds, the latest first."""
        found = []
        for name, of in reversed(self.scope.items()):
            if isinstance(of, Items):
                ways = ("[0]", "[-1]") if of.form == "list" else ("['w']", "['b']")
                found += [Place(name + way, of.shape) for way in ways]
            elif isinstance(of, tuple):
                found.append(Place(name, of))
        return found

    def whole(self, shape: Shape | None = None) -> Place:
        found = [place for place in self.wholes() if shape in (None, place.shape)]
        return self.choices.pick(found)

    def names(self, *dimensions: int) -> list[str]:
        return [
            n
            for n, of in self.scope.items()
            if isinstance(of, tuple) and not isinstance(of, Items) and len(of) in dimensions
        ]

    def place(self) -> Place:
        """Where to store: a part of an array, sometimes a part of a part."""
        place = self.whole()
        index, shape, view = self.choices.pick(subscripts(place.shape))
        first = Place(place.text + self.fill(index, 0), shape)
        if view and shape and self.choices.chance(15):
            index, shape, _ = self.choices.pick(subscripts(shape))
            return Place(first.text + self.fill(index, 0), shape)
        return first

    def value(self, shape: Shape, depth: int = 1) -> str:
        """What to store: of the shape, or a number that is broadcast; of order one in loops."""
        text = self.array(shape, depth) if self.choices.below(4) else self.number(depth)
        return self.choices.pick(BOUNDED).format(f"({text})") if self.trips > 1 or self.choices.chance(30) else text

    def bounded_array(self, shape: Shape) -> str:
        return self.choices.pick(BOUNDED).format(f"({self.array(shape)})")

    def mask(self, shape: Shape) -> str:
        return f"{self.part(shape)} {self.choices.pick(('>', '<'))} {self.choices.pick(CONSTANTS['K'])}"

    # -- statements

    def statement(self) -> None:
        self.budget -= 1
        nesting = 2 if self.budget > 0 and self.depth < 3 and self.trips <= 9 else 0
        weights = {
            "store": 6,
            "add_to_item": 4,
            "add_to_name": 3,
            "make": 3,
            "assign": 2,
            "view": 4,
            "alias": 1,
            "masked": 2,
            "swap": 2,
            "swap_items": 1,
            "chain": 1,
            "out": 3,
            "at": 2,
            "library": 2,
            "spoken": 4,
            "steady": 4,
            "branch": 2 * nesting,
            "loop": 3 * nesting,
            "repeat": nesting,
            "guard": 2 if self.loops else 1,
            "calls": 6 if self.helpers else 0,
            "idiom": nesting,
            "gather": 1,
            "grow_list": 2,
            "item": 2,
            "entry": 1,
            "inert": 1,
        }
        getattr(self, self.choices.weigh(weights, self.without))()

    def note(self, feature: str) -> None:
        self.features.add(feature)
        if self.loops:
            self.features.add(f"{feature} in loop")

    def store(self) -> None:
        place = self.place()
        self.add(f"{place.text} = {self.value(place.shape)}")
        self.note("store")

    def add_to_item(self) -> None:
        place = self.place()
        self.add(f"{place.text} {self.operation(place.shape)}")
        self.note("augmented item")

    def add_to_name(self) -> None:
        names = self.names(1, 2) + [n for n, of in self.scope.items() if of == "S" and n not in self.fixed]
        name = self.choices.pick(names)
        kind = self.scope[name]
        self.add(f"{name} {self.operation(() if kind == 'S' else kind)}")
        self.note("augmented name")

    def operation(self, shape: Shape) -> str:
        if self.choices.chance(40):
            return self.choices.pick(SHRINKING).format(self.array(shape))
        return self.choices.pick(GROWING).format(self.choices.pick(BOUNDED).format(f"({self.value(shape)})"))

    def target(self, kind: Kind) -> str:
        """A name to bind: within a block, names of the surroundings keep their kind."""
        pool = (
            ("xs", "ys")
            if isinstance(kind, Items)
            else FLOATS
            if kind == "S"
            else ARRAYS
            if len(kind) == 1
            else MATRICES
        )
        names = [n for n in pool if n not in self.fixed and (self.depth == 0 or self.scope.get(n, kind) == kind)]
        return self.choices.pick(names) if names else f"t{len(self.lines)}"

    def assign(self) -> None:
        value = self.value(())
        name = self.target("S")
        self.add(f"{name} = {value}")
        self.bind(name, "S")

    def make(self) -> None:
        """A new array: zeros, a copy, or the result of an operation."""
        place = self.whole()
        shape = place.shape
        fresh = (
            f"np.zeros({shape})",
            f"{place.text}.copy()",
            f"np.zeros_like({place.text})",
            f"np.sin({place.text})",
            f"{place.text} * 1.0",
            f"np.full({shape}, {self.number(0)})",
            f"np.array({place.text})",
            self.array(shape, 2),
        )
        self.hold(self.choices.pick(fresh), shape)

    def hold(self, value: str, kind: Kind) -> None:
        name = self.target(kind)
        self.add(f"{name} = {value}")
        self.bind(name, kind)

    def view(self) -> None:
        place = self.whole()
        ways = [("{}" + index, shape) for index, shape, view in subscripts(place.shape) if view and shape] + views(
            place.shape
        )
        way, shape = self.choices.pick(ways)
        self.hold(self.fill(way.replace("{}", place.text), 0), shape)
        self.note("view")

    def alias(self) -> None:
        place = self.whole()
        names = [self.target(place.shape), self.target(place.shape)]
        self.add(f"{' = '.join(dict.fromkeys(names))} = {place.text}")
        for name in names:
            self.bind(name, place.shape)
        self.note("alias")

    def masked(self) -> None:
        place = self.whole()
        mask, other = self.mask(place.shape), self.part(place.shape)
        lines = (
            f"{place.text}[{mask}] = {self.value(())}",
            f"{place.text}[{mask}] {self.operation(())}",
            f"mask = {mask}\n{place.text}[mask] = np.sin({other})[mask]",
            f"mask = {mask}\n{place.text}[mask] -= 0.5 * ({other})[mask]",
        )
        self.add(self.choices.pick(lines))
        self.note("mask")

    def swap(self) -> None:
        name = self.choices.pick(self.names(1, 2) or [""])
        others = [n for n in self.names(1, 2) if n != name and self.scope[n] == self.scope[name]]
        if not others:
            return self.view()
        other = self.choices.pick(others)
        self.add(f"{name}, {other} = {other}, {name}")
        self.note("swap")

    def swap_items(self) -> None:
        place = self.whole()
        index = [(i, shape) for i, shape, _ in subscripts(place.shape)]
        first, shape = self.choices.pick(index)
        second = self.choices.pick([i for i, of in index if of == shape])
        a, b = place.text + self.fill(first, 0), place.text + self.fill(second, 0)
        self.add(self.choices.pick((f"{a}, {b} = {b}, {a}", f"{a}, {b} = {self.value(shape)}, {a}")))
        self.note("swap of items")

    def chain(self) -> None:
        place, other = self.place(), self.place()
        value = self.value(())
        self.add(f"{place.text} = {other.text} = {value}")
        self.note("chained store")

    def out(self) -> None:
        place = self.whole()
        index, shape, view = self.choices.pick(subscripts(place.shape))
        target = Place(place.text + self.fill(index, 0), shape) if view and shape and self.choices.chance(40) else place
        parts = {"a": self.array(target.shape), "b": self.array(target.shape), "t": target.text}
        if self.choices.chance(50):
            self.add(self.choices.pick(UNARY_OUT).format(**parts))
        else:
            parts["b"] = self.choices.pick(BOUNDED).format(f"({parts['b']})")
            parts["a"] = self.choices.pick(BOUNDED).format(f"({parts['a']})") if self.trips > 1 else parts["a"]
            self.add(self.choices.pick(BINARY_OUT).format(**parts))
        self.note("out=")

    def at(self) -> None:
        place = self.whole()
        index, shape = self.choices.pick((("[0, 0, -1]", (3,)), ("[-1, 0]", (2,)), ("np.array([0, 0])", (2,))))
        values = self.choices.pick(BOUNDED).format(f"({self.value((*shape, *place.shape[1:]))})")
        form = self.choices.pick(
            ("np.add.at({}, {}, {})", "np.subtract.at({}, {}, {})", "np.multiply.at({}, {}, np.cos({}))")
        )
        self.add(form.format(place.text, index, values))
        self.note("at")

    def library(self) -> None:
        """The functions of NumPy that write: copyto, fill, put and their like."""
        place = self.whole()
        a, v, s = place.text, self.value(place.shape), self.value(())
        lines = [
            f"{a}.fill({s})",
            f"np.copyto({a}, {v})",
            f"np.copyto({a}, {v}, where={self.mask(place.shape)})",
            f"np.put({a}, [0, -1], {s})",
            f"np.putmask({a}, {self.mask(place.shape)}, {self.array(place.shape)})",
            f"{a}.flat[1] = {s}",
        ]
        lines += [f"np.fill_diagonal({a}, {s})"] if len(place.shape) == 2 and min(place.shape) > 1 else [f"{a}.sort()"]
        if np.prod(place.shape) == 1:
            lines = lines[:3]
        self.add(self.choices.pick(lines))
        self.note("library")

    def spoken(self) -> None:
        """A phrase of `storage_phrases.py`."""
        places = [place for place in self.wholes() if min(place.shape) > 2 - (len(place.shape) == 2)]
        if not places:
            return self.store()
        a = self.choices.pick(places)
        b = self.choices.pick([place for place in places if place.shape == a.shape])
        template = phrase(self.choices, len(a.shape))
        values = {
            hole: self.hole(hole, a.shape) for hole in sorted(set(re.findall(r"\{([a-z])\}", template)) - set("ab"))
        }
        self.add(template.format(a=a.text, b=b.text, **values))
        self.note("phrase")

    def steady(self) -> None:
        """Indices, masks and weights are made, used and changed: adjoints read them as they were."""
        places = [place for place in self.wholes() if place.shape[0] > 1 and "[" not in place.text]
        if not places:
            return self.store()
        a = self.choices.pick(places)
        form = self.choices.pick(sorted(STEADY))
        phrases, (n, *rest) = STEADY[form], a.shape
        names = [v for v, of in self.scope.items() if v.startswith(form) and of == Steady(n)]
        free = {"a": a.text, "n": n}
        if not names or self.choices.chance(10):
            name = f"{form}{len(self.lines)}"
            self.add(f"{name} = {self.choices.pick(phrases['make']).format(**free)}")
            self.bind(name, Steady(n))
            names = [name]
        k = self.choices.pick(names)
        for kind in self.choices.pick((("use",), ("change",), ("use", "change"), ("use", "change", "use"))):
            template = self.choices.pick(phrases[kind])
            if "{a} =" in template and (a.text in self.fixed or a.text not in self.scope):
                continue
            shapes = {"s": (), "v": (3, *rest), "e": a.shape}
            values = {
                hole: f"({self.choices.pick(BOUNDED).format(f'({self.array(of)})')})"
                for hole, of in shapes.items()
                if f"{{{hole}}}" in template
            }
            self.add(template.format(k=k, **free, **values))
        self.note(f"steady {form}")

    def hole(self, hole: str, shape: Shape) -> str:
        """What stands for `{s}`, `{e}`, `{n}` and the like in a phrase about an array of this shape."""
        if hole in "nrc":
            return str(shape[0] if hole in "nr" else shape[1])
        if hole == "i":
            return f"({self.expression('I')})"
        of = {"s": (), "t": (), "e": shape, "g": shape, "u": shape[:1], "v": shape[1:]}[hole]
        return f"({self.choices.pick(BOUNDED).format(f'({self.array(of)})')})"

    # -- containers

    def items(self, kind: Items) -> str:
        entries = [self.choices.pick((self.part(kind.shape), self.array(kind.shape))) for _ in range(2)]
        return f"[{', '.join(entries)}]" if kind.form == "list" else f"{{'w': {entries[0]}, 'b': {entries[1]}}}"

    def gather(self, form: str = "") -> None:
        """A list or dict of arrays, which it shares with the names that hold them."""
        kind = Items(form or self.choices.pick(("list", "dict")), self.whole().shape)
        self.hold(self.items(kind), kind)
        self.note(kind.form)

    def containers(self, form: str) -> list[str]:
        return [n for n, of in self.scope.items() if isinstance(of, Items) and of.form == form]

    def container(self, form: str) -> str:
        """The name of a list or dict, made here where there is none."""
        if not self.containers(form):
            self.gather(form)
        return self.choices.pick(self.containers(form))

    def grow_list(self) -> None:
        name = self.container("list")
        shape = self.scope[name].shape
        value = self.choices.pick((self.part(shape), self.bounded_array(shape)))
        into = self.target(shape)
        lines = (
            f"{name}.append({value})",
            f"{name}.insert(0, {value})",
            f"{name}.extend([{value}, {self.part(shape)}])",
            f"if len({name}) > 1:\n    {into} = {name}.pop()",
            f"if len({name}) > 1:\n    del {name}[0]",
            f"{name} += [{value}]",
            f"{name}.append({value})\n{into} = {name}.pop()",
        )
        line = self.choices.pick(lines)
        self.add(line)
        if line.endswith(f"\n{into} = {name}.pop()"):
            self.bind(into, shape)
        elif line.endswith("pop()") and self.scope.get(into, shape) != shape:
            del self.scope[into]
        self.note("list grows")

    def item(self) -> None:
        name = self.container("list")
        shape, k = self.scope[name].shape, self.choices.pick(("0", "-1", f"({self.expression('I')}) % len({name})"))
        lines = (
            f"{name}[{k}] = {self.bounded_array(shape)}",
            f"{name}[{k}] {self.operation(shape)}",
            f"{name}[0], {name}[-1] = {name}[-1], {name}[0]",
            f"{name}[{k}][0] = {self.value(shape[1:])}",
            f"{name}.reverse()",
        )
        self.add(self.choices.pick(lines))
        self.note("list item")

    def entry(self) -> None:
        name = self.container("dict")
        shape, key = self.scope[name].shape, self.choices.pick(("'w'", "'b'"))
        lines = (
            f"{name}[{key}] = {self.bounded_array(shape)}",
            f"{name}[{key}] {self.operation(shape)}",
            f"{name}[{key}][-1] = {self.value(shape[1:])}",
            f"{name}['w'], {name}['b'] = {name}['b'], {name}['w']",
        )
        self.add(self.choices.pick(lines))
        self.note("dict entry")

    # -- calls

    def calls(self) -> None:
        helpers = [h for h in self.helpers if self.trips * h.cost <= 60]
        if not helpers:
            return self.store()
        helper: Helper = self.choices.pick(helpers)  # type: ignore[assignment]
        self.cost += self.trips * helper.cost
        passed = [self.number(0) if p.kind == "S" else self.part(p.kind) for p in helper.parameters]  # type: ignore[arg-type]
        text = f"{helper.name}({', '.join(passed)})"
        if helper.result is None:
            self.add(text)
            self.note("call that fills")
        else:
            self.hold(text, helper.result)
            self.note("call")

    def idiom(self) -> None:
        """A loop as people write it."""
        name = self.choices.pick(self.names(1, 2))
        shape = self.scope[name]
        other = self.choices.pick([n for n in self.names(1, 2) if self.scope[n] == shape and n != name] or [name])
        if min(shape) < 3:
            return self.store()
        template = self.choices.pick(IDIOMS_1D if len(shape) == 1 else IDIOMS_2D)
        self.add(template.format(a=name, b=other, c=f"({self.choices.pick(BOUNDED).format(f'({self.number(0)})')})"))
        self.features.add("idiom")

    def inert(self) -> None:
        lines = (
            "pass",
            f"print('inside', {self.expression('I')}, file=sink)",
            f"print(round(float({self.part(())}), 6), file=sink)",
            "assert SCALE > 0",
        )
        self.add(self.choices.pick(lines))

    # -- control

    def loop(self) -> None:
        """Over a range, the rows of a matrix, which are views, or the arrays of a list."""
        self.features.add("for")
        before = dict(self.scope)
        header, trips, bound = self.header()
        self.add(f"for {header}:")
        for name, kind in bound.items():
            self.bind(name, kind)
        self.body(trips, "continue")
        self.scope = before
        self.otherwise()

    def header(self) -> tuple[str, int, dict[str, Kind]]:
        form = self.choices.weigh({"range": 4, "rows": 3, "list": 2, "numbers": 1})
        if form == "rows" and (names := self.names(2)):
            name, row = self.choices.pick(names), self.loop_target(("row", "ro"))
            shape = self.scope[name]
            self.features.add("loop over rows")
            plain = self.choices.chance(60)
            return (
                (f"{row} in {name}" if plain else f"k, {row} in enumerate({name})"),
                shape[0],
                {row: shape[1:], **({} if plain else {"k": "I"})},
            )
        if form == "list" and (names := self.containers("list")):
            name, item = self.choices.pick(names), self.loop_target(("each", "one"))
            return (
                f"{item} in reversed({name}[:3])" if self.choices.chance(30) else f"{item} in {name}[:3]",
                3,
                {item: self.scope[name].shape},
            )
        if form == "numbers" and (names := self.names(1)):
            name, number = self.choices.pick(names), self.loop_target(("x", "y"))
            return f"{number} in {name}", self.scope[name][0], {number: "S"}
        template, trips = self.choices.pick(RANGES)
        index = self.loop_target(LOOP_NAMES["I"])
        return re.sub("<I>", index, self.fill(template, 0)), trips, {index: "I"}

    def loop_target(self, names: Sequence[str]) -> str:
        free = [n for n in names if n not in self.scope]
        return self.choices.pick(free) if free else f"{names[0]}{self.depth}{len(self.lines)}"

    def outcome(self) -> str:
        if self.result is None:
            return ""
        if self.result == "S":
            return self.total()
        if self.result == "several":
            return f"{self.total()}, {self.whole().text}"
        return self.part(self.result) if self.choices.chance(60) else self.array(self.result)

    def total(self) -> str:
        """A number that depends on every array in scope, differently on each element."""
        places = self.wholes()[:5]
        terms = [
            f"np.sum({self.choices.pick(BOUNDED).format(f'({place.text} + 0.{3 * k + 1})')})"
            for k, place in enumerate(places)
        ]
        return " + ".join([*terms, f"np.sin({self.number(0)})"])


# --------------------------------------------------------------------------------------------- programs


def write(below: Below, style: str = "all", size: int = 12) -> Program:
    """A program of about `size` statements."""
    choices, without = Choices(below), STYLES[style]
    features: set[str] = set()
    n, m = choices.pick((4, 3, 5)), choices.pick((3, 2, 4))
    helpers: list[Helper] = []
    texts: list[str] = []
    for k in range(0 if "calls" in without else choices.number(style == "calls", 3)):
        writer = choices.pick((write_helper, write_helper, write_helper, write_descent))
        texts.append(writer(choices, helpers, f"h{k}", (m, n), without, features))
    parameters = write_parameters(choices, (m, n))
    main = storage_writer(
        choices,
        helpers,
        parameters,
        choices.pick(("S", "S", (n,), "several")),
        choices.number(1, size),
        without,
        features,
    )
    main.finish()
    texts.append(text_of("f", parameters, main.lines))
    args = tuple(argument(choices, p.kind) for p in parameters)
    active = [k for k, p in enumerate(parameters) if p.kind != "I"]
    wrt = tuple(k for k in active if not choices.chance(20)) or (active[0],)
    if any("Store(" in text for text in texts):
        texts.insert(0, STORE)
    if any("exchange" in text for text in texts):
        texts.insert(0, EXCHANGE)
    return Program(
        tidy(PRELUDE + "\n\n".join(texts)), args, wrt, tuple(p.name for p in parameters), frozenset(features)
    )


def storage_writer(
    choices: Choices,
    helpers: Sequence[Helper],
    parameters: Sequence[Parameter],
    result: Kind,
    budget: int,
    without: tuple[str, ...],
    features: set[str],
) -> StorageWriter:
    scope = {p.name: p.kind for p in parameters}
    return StorageWriter(choices, list(helpers), result, budget, scope, (), without, features)  # type: ignore[arg-type]


def write_parameters(choices: Choices, shape: Shape) -> list[Parameter]:
    m, n = shape
    kinds = choices.pick(
        (
            (("a", (n,)),),
            (("a", (n,)), ("b", (n,))),
            (("m", (m, n)), ("v", (n,))),
            (("m", (m, n)),),
            (("a", (n,)), ("w", (m, n)), ("u", (m,))),
        )
    )
    floats = [("s", "S")] if choices.chance(50) else []
    ints = [("n", "I")] if choices.chance(50) else []
    return [Parameter(name, kind) for name, kind in (*kinds, *floats, *ints)]  # type: ignore[arg-type]


def argument(choices: Choices, kind: Kind) -> Any:
    if kind == "I":
        return choices.below(5)
    value = np.round(np.random.default_rng(choices.below(1000)).uniform(-1.4, 1.4, () if kind == "S" else kind), 3)
    return float(value) if kind == "S" else value


def write_helper(
    choices: Choices, helpers: list[Helper], name: str, shape: Shape, without: tuple[str, ...], features: set[str]
) -> str:
    """A function that fills its arguments, and returns nothing, a number, or one of them or a part of it."""
    m, n = shape
    kinds = [choices.pick(((n,), (m, n), (m,)))] + [choices.pick(((n,), "S", (m, n))) for _ in range(choices.below(3))]
    names = {"S": ("c", "d", "e"), 1: ("a", "g", "v"), 2: ("m", "z", "w")}
    parameters = [Parameter(names["S" if kind == "S" else len(kind)][k], kind) for k, kind in enumerate(kinds)]  # type: ignore[arg-type, index]
    result = choices.pick((None, None, "S", kinds[0], (n,)))
    writer = storage_writer(choices, helpers, parameters, result, choices.number(1, 4), without, features)
    writer.trips = 2  # it may be called in a loop: what it stores is of order one
    writer.finish()
    helpers.append(Helper(name, tuple(parameters), result, writer.cost))
    return text_of(name, parameters, writer.lines)


def write_descent(
    choices: Choices, helpers: list[Helper], name: str, shape: Shape, without: tuple[str, ...], features: set[str]
) -> str:
    """A function that works on its argument, then on a shorter view of it."""
    parameters = (Parameter("a", (shape[1],)), Parameter("c", "S"))  # type: ignore[arg-type]
    body = "\n".join(choices.pick(DESCENTS) for _ in range(choices.number(1, 2)))
    text = f"if len(a) < 2:\n    return\n{body}\n{name}({choices.pick(('a[1:]', 'a[:-1]', 'a[::2]'))}, np.sin(c))"
    helpers.append(Helper(name, parameters, None, 12))
    features.add("recursion over views")
    return text_of(name, parameters, ["    " + line for line in text.split("\n")])
