"""Writes random programs of values: functions of floats and arrays that write nothing in place.

A program is a module text with a function `f`, its helpers, and arguments for it. Every decision goes through one
primitive, `below(n)`, where 0 is the simplest answer: `random.Random(seed).randrange` writes programs by number, and
Hypothesis writes and shrinks them by drawing integers.

Values have a kind: S a float, V an array of shape (3,), M one of shape (2, 3), I a small int, or a `Box` of these.
Expressions and loops are templates (`templates.py`): `{S}` is any expression of that kind, `{C}` a condition, `{K}` a
constant to compare with, `<S>` a name that the loop binds.

Numbers stay of order one: what is assigned in a loop goes through a bounded function. A name that is updated by `+=`
holds a value that nothing else holds, so that the update means `s = s + v`; programs that write in place have a writer
of their own (`storage_writer.py`).
"""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

import numpy as np
from hypothesis import strategies as st

from property.templates import (
    BOUNDED,
    CONSTANTS,
    COUNTERS,
    EXPRESSIONS,
    INERT,
    LIFTS,
    LOOP_NAMES,
    LOOPS,
    OWN_NAMES,
    PLAIN_NAMES,
    PRELUDE,
    READS,
    STYLES,
    UNSHARED,
    UPDATES,
)

T = TypeVar("T")
Below = Callable[[int], int]


class Box(NamedTuple):
    """A tuple, list or dict of values; the keys of a dict are the first of KEYS."""

    form: str
    items: tuple[str, ...]


Kind = str | Box
KEYS = ("w", "b", "gain")


@dataclass(frozen=True)
class Program:
    """The text of a module whose function `f` is to be differentiated at `args` by the arguments `wrt`."""

    source: str
    args: tuple[Any, ...]
    wrt: tuple[int | str, ...]
    names: tuple[str, ...]
    features: frozenset[str] = frozenset()

    @property
    def positions(self) -> tuple[int, ...]:
        return tuple(w if isinstance(w, int) else self.names.index(w) for w in self.wrt)

    def __str__(self) -> str:
        args = "".join(f"#   {name} = {value!r}".replace("\n", "") + "\n" for name, value in zip(self.names, self.args))
        return f"{self.source}\n# differentiated by {self.wrt} at\n{args}"


@st.composite
def programs(draw: st.DrawFn, style: str = "all", size: int = 12) -> Program:
    """A strategy for programs of a style; examples shrink towards few, short, flat statements."""
    return write(lambda n: draw(st.integers(0, n - 1)), style, size)


def numbered(seed: int, style: str = "all", size: int = 12) -> Program:
    """The program with this number."""
    return write(random.Random(seed).randrange, style, size)


# --------------------------------------------------------------------------------------------- choices


@dataclass(frozen=True)
class Choices:
    below: Below

    def pick(self, options: Sequence[T]) -> T:
        return options[self.below(len(options))]

    def weigh(self, weights: dict[str, int], without: Sequence[str] = ()) -> str:
        return self.pick([name for name, weight in weights.items() if name not in without for _ in range(weight)])

    def chance(self, percent: int) -> bool:
        return self.below(100) >= 100 - percent

    def number(self, low: int, high: int) -> int:
        return low + self.below(high - low + 1)


# --------------------------------------------------------------------------------------------- functions


class Parameter(NamedTuple):
    name: str
    kind: Kind
    default: str | None = None
    annotation: str = ""


@dataclass(frozen=True)
class Signature:
    """What a caller needs to know of a helper; `cost` is about the number of statements that a call runs."""

    name: str
    parameters: tuple[Parameter, ...]
    result: Kind
    cost: int
    spread: bool = False  # takes any number of further floats


Scope = dict[str, Kind]


@dataclass
class FunctionWriter:
    """Writes one function, statement by statement, and knows which names are bound to what at each place."""

    choices: Choices
    helpers: list[Signature]
    result: Kind
    budget: int
    scope: Scope
    plain: tuple[str, ...]
    without: tuple[str, ...]
    features: set[str] = field(default_factory=set)
    lines: list[str] = field(default_factory=list)
    own: set[str] = field(default_factory=set)  # names in scope whose values nobody else holds
    fixed: set[str] = field(default_factory=set)  # counters, which only their loop changes
    loops: list[str] = field(default_factory=list)  # enclosing loops: may their bodies `continue`?
    depth: int = 0
    trips: int = 1
    cost: int = 0

    # -- text

    def add(self, text: str) -> None:
        self.lines += ["    " * (self.depth + 1) + line for line in text.split("\n")]
        self.cost += self.trips

    @contextmanager
    def indented(self) -> Iterator[None]:
        self.depth += 1
        yield
        self.depth -= 1

    # -- expressions

    def fill(self, template: str, depth: int = 1) -> str:
        """The template with an expression in each hole: `"{S} + 1"` gives `"(a * b) + 1"`."""
        holed = re.sub(r"\{([A-Z])\}", lambda hole: f"({self.expression(hole[1], depth)})", template)
        return holed.replace("{{", "{").replace("}}", "}")

    def expression(self, kind: Kind, depth: int = 2) -> str:
        if isinstance(kind, Box):
            return self.box(kind, depth)
        if kind == "C":
            return self.condition(depth)
        if kind == "K" or depth <= 0 or self.choices.below(10) < 3:
            return self.leaf(kind)
        if kind in "SVM" and self.choices.chance(12) and (callable_ := self.callable_helpers(kind)):
            return self.call(self.choices.pick(callable_))
        return self.fill(self.choices.pick(self.choices.pick(EXPRESSIONS[kind])), depth - 1)

    def condition(self, depth: int = 1) -> str:
        groups = EXPRESSIONS["C"] if depth > 0 else EXPRESSIONS["C"][:2]
        return self.fill(self.choices.pick(self.choices.pick(groups)), min(depth, 1) - 1)

    def leaf(self, kind: str) -> str:
        atoms = self.atoms(kind)
        if kind in LIFTS and not atoms:
            atoms = [lift.format(f"({atom})") for other, lift in LIFTS[kind] for atom in self.atoms(other)]
        if atoms and not self.choices.chance(10):
            return self.choices.pick(atoms)
        return self.choices.pick(CONSTANTS[kind])

    def atoms(self, kind: str) -> list[str]:
        """Reads of names, and of items of containers, that have this kind: the latest first."""
        found: list[str] = []
        for name, of in reversed(self.scope.items()):
            if of == kind:
                found.append(self.choices.pick(READS).format(name) if name in self.own else name)
            elif isinstance(of, Box):
                found += [f"{name}[{key!r}]" for key, item in zip(keys(of), of.items) if item == kind]
        return found

    def box(self, kind: Box, depth: int = 1) -> str:
        whole = [name for name, of in self.scope.items() if of == kind]
        if whole and self.choices.chance(30):
            return self.choices.pick(whole)
        items = [self.expression(item, depth - 1) for item in kind.items]
        if kind.form == "dict":
            return "{" + ", ".join(f"{key!r}: {item}" for key, item in zip(KEYS, items)) + "}"
        return f"({', '.join(items)},)" if kind.form == "tuple" else f"[{', '.join(items)}]"

    def bounded(self, kind: Kind, depth: int = 2) -> str:
        """An expression for an assignment: of order one where it may be repeated."""
        if isinstance(kind, Box) or kind == "I":
            return self.expression(kind, depth if kind != "I" else 1)
        if self.trips > 1 or self.choices.chance(35):
            return self.choices.pick(BOUNDED).format(f"({self.expression(kind, depth)})")
        return self.expression(kind, depth)

    # -- calls

    def callable_helpers(self, kind: Kind | None = None) -> list[Signature]:
        return [h for h in self.helpers if self.trips * h.cost <= 60 and (kind is None or h.result == kind)]

    def call(self, helper: Signature, depth: int = 1) -> str:
        """A call with some arguments by keyword, in any order, and some defaults left out."""
        self.features.add("call")
        self.cost += self.trips * helper.cost
        positional: list[str] = []
        keywords: list[str] = []
        for p in helper.parameters:
            if p.default is not None and self.choices.chance(40):
                self.features.add("default")
                keywords.append("")
            elif not helper.spread and (keywords or self.choices.chance(25)):
                self.features.add("keyword")
                keywords.insert(self.choices.below(len(keywords) + 1), f"{p.name}={self.expression(p.kind, depth)}")
            elif p.default is not None and (keywords or helper.spread):
                keywords.append(f"{p.name}={self.expression(p.kind, depth)}")
            else:
                positional.append(self.expression(p.kind, depth))
        if helper.spread:
            positional += [self.expression("S", 0) for _ in range(self.choices.below(3))]
            positional += ["*" + self.choices.pick(("PAIR", self.expression("V", 0)))] * self.choices.chance(40)
        return f"{helper.name}({', '.join(filter(None, positional + keywords))})"

    # -- statements

    def block(self, most: int = 3) -> bool:
        """A few statements, indented; whether control may reach their end."""
        with self.indented():
            for _ in range(self.choices.number(1, most)):
                self.statement()
            return not self.leave(10)

    def statement(self) -> None:
        self.budget -= 1
        nesting = 2 if self.budget > 0 and self.depth < 3 and self.trips <= 12 else 0
        weights = {
            "assign": 8,
            "update": 6 if self.loops else 4,
            "unpack": 2,
            "swap": 2,
            "branch": 2 * nesting,
            "loop": 3 * nesting,
            "repeat": nesting,
            "pack": 2,
            "inert": 1,
            "calls": 4 if self.helpers else 0,
            "guard": 4 if self.loops else 1,
            "chain": 1,
            "forget": 1,
            "grow": 1 if nesting else 0,
            "count": 1,
        }
        getattr(self, self.choices.weigh(weights, self.without))()

    def kind(self) -> str:
        return self.choices.pick("SSVVM")

    def target(self, kind: Kind) -> str:
        """A name to bind: within a block, names of the surroundings keep their kind."""
        names = [n for n in self.plain if n not in self.fixed and (self.depth == 0 or self.scope.get(n, kind) == kind)]
        return self.choices.pick(names) if names else f"t{len(self.lines)}"

    def bind(self, name: str, kind: Kind) -> None:
        self.scope.pop(name, None)
        self.scope[name] = kind

    def assign(self) -> None:
        kind = self.kind()
        value = self.bounded(kind)
        name = self.target(kind)
        self.add(f"{name} = {value}")
        self.bind(name, kind)

    def chain(self) -> None:
        kind = self.kind()
        value = self.bounded(kind)
        names = [self.target(kind), self.target(kind)]
        self.add(f"{names[0]} = {names[1]} = {value}")
        for name in names:
            self.bind(name, kind)
        self.features.add("chained assignment")

    def count(self) -> None:
        """An int that changes: `k = (k + 1) % 4`, or the loop's own variable bound again."""
        value = self.expression("I", 1)
        name = self.target("I")
        if self.loops and self.choices.chance(40):
            name = self.choices.pick([n for n, of in self.scope.items() if of == "I" and n not in self.fixed] or [name])
        self.add(f"{name} = ({value}) % 5")
        self.bind(name, "I")

    def update(self) -> None:
        """`acc += v`, making `acc` first where there is none."""
        if self.choices.chance(25) or not self.own & set(self.scope):
            self.create()
        mine = [n for n in self.scope if n in self.own]
        if not mine:
            return
        name = self.choices.pick(mine)
        operation = self.fill(self.choices.pick(UPDATES[self.scope[name]]), 1)  # type: ignore[index]
        sign, value = operation.split(" ", 1)
        if sign in ("+=", "-=") and self.trips > 1:
            value = self.choices.pick(BOUNDED).format(f"({value})")
        self.add(f"{name} {sign} {value}")
        self.bind(name, self.scope[name])
        self.features.add("update in loop" if self.loops else "update")

    def create(self) -> None:
        kind = self.kind()
        names = [n for n in OWN_NAMES if self.scope.get(n, kind) == kind]
        if not names:
            return self.assign()
        name = self.choices.pick(names)
        self.add(f"{name} = {self.fill(self.choices.pick(UNSHARED[kind]))}")
        self.own.add(name)
        self.bind(name, kind)

    def unpack(self) -> None:
        """Tuples taken apart: flat, nested, starred, from arrays and from calls."""
        several = [h for h in self.callable_helpers() if isinstance(h.result, Box) and h.result.form != "dict"]
        if several and self.choices.chance(40):
            helper = self.choices.pick(several)
            pattern, value = ", ".join(f"<{k}>" for k in helper.result.items), self.call(helper)  # type: ignore[union-attr]
        else:
            pattern, value = self.choices.pick(
                (
                    ("<S>, <S>", "{S}, {S}"),
                    ("<S>, <V>", "{S}, {V}"),
                    ("<S>, <S>, <S>", "{V}"),
                    ("<V>, <V>", "{M}"),
                    ("(<S>, <M>), <V>", "({S}, {M}), {V}"),
                    ("[<S>, <S>]", "PAIR"),
                    ("<S>, *<*>", "{V}"),
                    ("*<*>, <S>", "[{S}, {S}, {S}]"),
                    ("<V>, <V>", "{V}, {V}"),
                )
            )
            value = self.fill(value, 1)
        taken: Scope = {}
        while hole := re.search("<(.)>", pattern):
            kind: Kind = Box("list", ("S", "S")) if hole[1] == "*" else hole[1]
            taken[name := self.fresh(kind, taken)] = kind
            pattern = pattern.replace(hole[0], name, 1)
        self.add(f"{pattern} = {value}")
        for name, kind in taken.items():
            self.bind(name, kind)
        self.features.add("unpacking")

    def fresh(self, kind: Kind, taken: Scope) -> str:
        name = self.target(kind)
        return name if name not in taken else f"{name}{len(taken)}"

    def swap(self) -> None:
        kind = self.kind()
        names = [n for n, of in self.scope.items() if of == kind and n not in self.own and n not in self.fixed]
        if len(names) < 2:
            return self.assign()
        a = self.choices.pick(names)
        b = self.choices.pick([n for n in names if n != a])
        self.add(f"{a}, {b} = {b}, {a}" if self.choices.chance(70) else f"{a}, {b} = {b}, {self.expression(kind, 1)}")
        self.features.add("swap")

    def pack(self) -> None:
        kind = box_kind(self.choices)
        value = self.expression(kind)
        name = self.target(kind)
        self.add(f"{name} = {value}")
        self.bind(name, kind)
        self.features.add(kind.form)

    def calls(self) -> None:
        helpers = self.callable_helpers()
        if not helpers:
            return self.assign()
        helper = self.choices.pick(helpers)
        value = self.call(helper)
        if self.choices.chance(10):
            return self.add(value)
        name = self.target(helper.result)
        self.add(f"{name} = {value}")
        self.bind(name, helper.result)

    def inert(self) -> None:
        self.add(self.fill(self.choices.pick(INERT), 0))
        self.features.add("inert")

    def forget(self) -> None:
        names = [n for n in self.scope if n not in self.fixed]
        if self.depth or len(names) < 4:
            return self.inert()
        name = self.choices.pick(names)
        self.add(f"del {name}")
        del self.scope[name]
        self.own.discard(name)

    # -- control

    def branch(self) -> None:
        self.features.add("branch")
        arms = self.choices.number(0, 2) if self.choices.chance(60) else 0
        otherwise = self.choices.chance(60)
        before, ends = dict(self.scope), []
        for n in range(arms + 1 + otherwise):
            self.scope = dict(before)
            last = n == arms + 1
            self.add("else:" if last else f"{'elif' if n else 'if'} {self.condition()}:")
            if self.block() or last:
                ends.append(self.scope)
        self.scope = common(ends if otherwise else [*ends, before])

    def loop(self) -> None:
        """A `for` loop over a range, an array, a list, or several at once; names bound in its body end with it."""
        self.features.add("for")
        template, trips, certain = self.choices.pick((*LOOPS, *self.loops_over_boxes()))
        header = self.fill(template, 0)
        before = dict(self.scope)
        bound: Scope = {}
        while hole := re.search("<(.)>", header):
            bound[name := self.loop_name(hole[1], bound)] = hole[1]
            header = header.replace(hole[0], name, 1)
        self.add(f"for {header}:")
        for name, kind in bound.items():
            self.bind(name, kind)
        self.body(trips, "continue")
        self.scope = before
        self.otherwise()
        if certain and self.choices.chance(25):
            for name, kind in bound.items():
                self.bind(name, kind)
            self.features.add("loop variable after loop")

    def loops_over_boxes(self) -> list[tuple[str, int, bool]]:
        found = []
        for name, of in self.scope.items():
            if isinstance(of, Box) and len(set(of.items)) == 1:
                item, n = f"<{of.items[0]}>", len(of.items)
                found += (
                    [(f"{item} in {name}.values()", n, True), (f"_key, {item} in {name}.items()", n, True)]
                    if of.form == "dict"
                    else [
                        (f"{item} in {name}", n, True),
                        (f"<I>, {item} in enumerate({name})", n, True),
                        (f"{item} in reversed({name})", n, True),
                    ]
                )
        return [loop for loop in found if "<M>" not in loop[0]]

    def loop_name(self, kind: str, taken: Scope) -> str:
        names = [n for n in LOOP_NAMES[kind] if n not in taken and self.scope.get(n, kind) == kind]
        return self.choices.pick(names) if names else f"{LOOP_NAMES[kind][0]}{self.depth}{len(taken)}"

    def body(self, trips: int, leaving: str) -> None:
        self.loops.append(leaving)
        if len(self.loops) > 1:
            self.features.add("nested loop")
        self.trips *= trips
        self.block()
        self.trips //= trips
        self.loops.pop()

    def otherwise(self) -> None:
        """Sometimes an `else` clause; what it binds ends with it."""
        if self.choices.chance(12):
            before = dict(self.scope)
            self.add("else:")
            self.block(2)
            self.scope = before
            self.features.add("loop else")

    def repeat(self) -> None:
        """A `while` loop that ends: by a counter, by a condition as well, by `break`, or by a growing float."""
        counters = [c for c in COUNTERS if c not in self.fixed and (self.depth == 0 or c not in self.scope)]
        if not counters:
            return self.assign()
        self.features.add("while")
        before, name = dict(self.scope), self.choices.pick(counters)
        form = self.choices.pick((self.while_counting, self.while_leaving, self.while_falling, self.while_growing))
        self.fixed.add(name)
        form(name)
        self.scope = before
        if form is not self.while_leaving:
            self.otherwise()
        self.fixed.discard(name)
        if self.choices.chance(50):
            self.bind(name, "S" if form == self.while_growing else "I")
        else:
            self.scope.pop(name, None)

    def while_counting(self, name: str) -> None:
        condition = f" and ({self.condition()})" if self.choices.chance(30) else ""
        self.add(
            f"{name} = 0\nwhile {name} < {self.choices.pick(('3', '2', 'len(TABLE)'))}{condition}:\n    {name} += 1"
        )
        self.bind(name, "I")
        self.body(3, "continue")

    def while_leaving(self, name: str) -> None:
        self.add(f"{name} = {self.expression('I', 0)} % 4\nwhile True:\n    {name} = {name} - 1")
        self.add(f"    if {name} < 0:\n        break")
        self.bind(name, "I")
        self.body(3, "continue")

    def while_falling(self, name: str) -> None:
        self.add(f"{name} = {self.expression('I', 1)} % 4\nwhile {name} > 0:")
        self.bind(name, "I")
        self.body(3, "break")
        self.add(f"    {name} -= 1")

    def while_growing(self, name: str) -> None:
        """The float that decides is active: `while s < 1.3: s = s + 0.8`."""
        self.add(f"{name} = np.sin({self.expression('S', 1)})\nwhile {name} < 1.3:")
        self.add(f"    {name} = {name} + 0.8 + 0.3 * np.sin({self.expression('S', 0)}) ** 2")
        self.bind(name, "S")
        self.body(3, "continue")

    def grow(self) -> None:
        """A float that becomes an array in the first trip: `acc = 0.0`, then `acc = acc + row`."""
        names = [n for n in OWN_NAMES if n not in self.scope]
        if not names:
            return self.assign()
        name, row = self.choices.pick(names), self.loop_name("V", {})
        self.add(f"{name} = {self.choices.pick(('0.0', '0', 'SCALE * 1.0'))}\nfor {row} in {self.expression('M', 1)}:")
        self.add(
            "    "
            + self.choices.pick(
                (f"{name} = {name} + {row}", f"{name} += {row}", f"{name} = np.sin({row} * {row}) + {name}")
            )
        )
        self.own.add(name)
        self.bind(name, "V")
        self.features.update(("for", "grow"))

    def guard(self) -> None:
        """A statement that leaves: `if c: break`, `continue` or `return`."""
        self.add(f"if {self.condition()}:")
        before = dict(self.scope)
        with self.indented():
            if self.choices.chance(50):
                self.assign()
            self.leave(100)
        self.scope = before

    def leave(self, percent: int) -> bool:
        """Perhaps `break`, `continue` or `return`; whether it did. Never at the end of the function itself."""
        if self.depth == 0 or not self.choices.chance(percent):
            return False
        ways = (
            {"break": ("break", "return"), "continue": ("break", "continue", "return")}[self.loops[-1]]
            if self.loops
            else ("return",)
        )
        way = self.choices.pick(ways)
        self.add(f"return {self.outcome()}" if way == "return" else way)
        self.features.add("early return" if way == "return" else way)
        return True

    # -- the end

    def outcome(self) -> str:
        if isinstance(self.result, Box) and self.choices.chance(80):
            parts = [self.digest(item) for item in self.result.items]
            if self.result.form == "dict":
                return "{" + ", ".join(f"{key!r}: {part}" for key, part in zip(KEYS, parts)) + "}"
            return ", ".join(parts) if self.result.form == "tuple" else f"[{', '.join(parts)}]"
        return self.expression(self.result) if isinstance(self.result, Box) else self.digest(self.result)

    def digest(self, kind: str) -> str:
        """A result that depends on much of what is in scope; sometimes just a name."""
        names = [n for n, of in self.scope.items() if of == kind]
        if names and self.choices.below(8) == 1:
            return self.choices.pick(names)
        terms = [self.expression(kind, 1)]
        reads = [(sort, atom) for sort in "SVM" for atom in self.atoms(sort)[:5]]
        for _ in range(self.choices.number(1, 4) if reads else 0):
            sort, read = self.choices.pick(reads)
            fits = kind == sort or sort == "S" or kind + sort == "MV"
            terms.append(
                self.choices.pick(BOUNDED).format(f"({read})")
                if fits
                else f"np.sum({self.choices.pick(BOUNDED).format(f'({read})')})"
            )
        return " + ".join(f"({term})" for term in terms)

    def finish(self) -> None:
        while self.budget > 0:
            self.statement()
        if self.choices.chance(20):
            self.add(f"if {self.condition()}:\n    return {self.outcome()}\nelse:\n    return {self.outcome()}")
            self.features.add("branch")
        elif self.choices.chance(30) and isinstance(self.result, str):
            self.add(f"out = {self.outcome()}\nreturn out")
        else:
            self.add(f"return {self.outcome()}")

    def descend(self, callee: str, passed: Sequence[Parameter]) -> None:
        """The body of a recursive function: it ends where `depth` does, and passes bounded values on."""
        self.fixed.add("depth")
        self.add(f"if depth <= 0:\n    return {self.outcome()}")
        while self.budget > 0:
            self.statement()
        values = [self.choices.pick(BOUNDED).format(f"({self.expression(p.kind, 1)})") for p in passed]
        self.add(f"deep = {callee}({', '.join(values)}, depth - 1)")
        self.bind("deep", self.result)
        self.add(f"return np.tanh(deep) + {self.choices.pick(BOUNDED).format(f'({self.expression(self.result, 1)})')}")


def common(ends: list[Scope]) -> Scope:
    """What is bound to one kind whichever way control came; the order of names is that of the first."""
    return {name: kind for name, kind in ends[0].items() if all(end.get(name) == kind for end in ends)}


def keys(kind: Box) -> Sequence[Any]:
    return KEYS[: len(kind.items)] if kind.form == "dict" else range(len(kind.items))


def box_kind(choices: Choices) -> Box:
    form = choices.pick(("tuple", "list", "dict"))
    items = choices.pick((("S", "S"), ("S", "V"), ("V", "V", "V"), ("S", "S", "S"), ("M", "S"), ("V", "M")))
    return Box(form, items)


def result_kind(choices: Choices) -> Kind:
    return box_kind(choices) if choices.chance(20) else choices.pick("SSSVM")


# --------------------------------------------------------------------------------------------- programs


def write(below: Below, style: str = "all", size: int = 12) -> Program:
    """A program of about `size` statements."""
    choices, without = Choices(below), STYLES[style]
    features: set[str] = set()
    helpers: list[Signature] = []
    texts: list[str] = []
    for n in range(0 if "calls" in without else choices.number(style == "calls", 3)):
        writer = choices.pick((write_helper, write_helper, write_helper, write_recursion, write_pair))
        texts.append(writer(choices, helpers, f"h{n}", without, features))
    parameters = write_parameters(choices)
    main = function_writer(
        choices, helpers, parameters, result_kind(choices), choices.number(1, size), without, features
    )
    main.finish()
    texts.append(text_of("f", parameters, main.lines))
    args = tuple(argument(choices, p.kind) for p in parameters)
    wrt = choose_wrt(choices, parameters)
    return Program(
        tidy(PRELUDE + "\n\n".join(texts)), args, wrt, tuple(p.name for p in parameters), frozenset(features)
    )


def tidy(source: str) -> str:
    """One layout for all: no needless parentheses, two empty lines between functions."""
    return re.sub(r"\n\ndef ", "\n\n\ndef ", ast.unparse(ast.parse(source))) + "\n"


def text_of(name: str, parameters: Sequence[Parameter], lines: list[str], spread: bool = False) -> str:
    plain = [p.name + p.annotation for p in parameters if p.default is None]
    defaults = [f"{p.name}={p.default}" for p in parameters if p.default is not None]
    return f"def {name}({', '.join(plain + ['*rest'] * spread + defaults)}):\n" + "\n".join(lines)


def plain_names(choices: Choices, parameters: Sequence[Parameter]) -> tuple[str, ...]:
    """Few names, so that they are bound again and again; those of parameters among them."""
    start = choices.below(len(PLAIN_NAMES))
    others = [PLAIN_NAMES[(start + 5 * k) % len(PLAIN_NAMES)] for k in range(4)]
    return tuple(dict.fromkeys(others + [p.name for p in parameters if p.kind != "I"]))


def write_parameters(choices: Choices) -> list[Parameter]:
    letters = choices.pick(("SVM", "SV", "VM", "SS", "V", "S", "SSV", "VV", "MVS"))
    names = choices.pick((("x", "y", "w"), ("a", "bx", "x"), ("dx", "f_", "m"), ("type", "x", "y")))
    noted = {"S": ": float", "V": ": np.ndarray", "M": ""} if choices.chance(15) else {"S": "", "V": "", "M": ""}
    found = [Parameter(name, kind, annotation=noted[kind]) for name, kind in zip(names, letters)]
    if choices.chance(25):
        found.append(Parameter("params", box_kind(choices)))
    if choices.chance(60):
        found.append(Parameter("n", "I"))
    return found


def choose_wrt(choices: Choices, parameters: Sequence[Parameter]) -> tuple[int | str, ...]:
    active = [k for k, p in enumerate(parameters) if p.kind != "I"]
    some = [k for k in active if choices.chance(70)] or active[:1]
    return tuple(parameters[k].name if choices.chance(20) else k for k in some)


def argument(choices: Choices, kind: Kind) -> Any:
    if kind == "I":
        return choices.below(5)
    if isinstance(kind, Box):
        items = [argument(choices, item) for item in kind.items]
        return dict(zip(KEYS, items)) if kind.form == "dict" else (tuple(items) if kind.form == "tuple" else items)
    rng = np.random.default_rng(choices.below(1000))
    shape = {"S": (), "V": (3,), "M": (2, 3)}[kind]
    value = np.round(rng.uniform(-1.4, 1.4, shape), 3)
    return value if shape else float(value)


def helper_parameters(choices: Choices, *first: Parameter) -> list[Parameter]:
    found = list(first)
    for name in ("p", "q", "r")[: choices.number(1, 3)]:
        found.append(Parameter(name, choices.pick("SVSM")))
    if choices.chance(35):
        found.append(Parameter("scale", "S", choices.pick(("0.5", "SCALE", "-1.0"))))
    if choices.chance(20):
        found.append(Parameter("times", "I", choices.pick(("2", "0"))))
    return found


def function_writer(
    choices: Choices,
    helpers: list[Signature],
    parameters: list[Parameter],
    result: Kind,
    budget: int,
    without: tuple[str, ...],
    features: set[str],
) -> FunctionWriter:
    scope = {p.name: p.kind for p in parameters}
    return FunctionWriter(
        choices, list(helpers), result, budget, scope, plain_names(choices, parameters), without, features
    )


def write_helper(
    choices: Choices, helpers: list[Signature], name: str, without: tuple[str, ...], features: set[str]
) -> str:
    parameters, spread = helper_parameters(choices), choices.chance(10)
    writer = function_writer(
        choices, helpers, parameters, result_kind(choices), choices.number(0, 4), without, features
    )
    if spread:
        writer.add("spread = 0.0\nfor extra in rest:\n    spread = spread + np.sin(extra)")
        writer.bind("spread", "S")
        features.add("star arguments")
    writer.finish()
    helpers.append(Signature(name, tuple(parameters), writer.result, writer.cost, spread))
    return text_of(name, parameters, writer.lines, spread)


def write_recursion(
    choices: Choices, helpers: list[Signature], name: str, without: tuple[str, ...], features: set[str]
) -> str:
    """A helper that calls itself with a smaller int."""
    return write_descents(choices, helpers, {name: name}, without, features)


def write_pair(
    choices: Choices, helpers: list[Signature], name: str, without: tuple[str, ...], features: set[str]
) -> str:
    """Two helpers that call each other with a smaller int."""
    features.add("mutual recursion")
    return write_descents(choices, helpers, {name: name + "_other", name + "_other": name}, without, features)


def write_descents(
    choices: Choices, helpers: list[Signature], callees: dict[str, str], without: tuple[str, ...], features: set[str]
) -> str:
    parameters = [*(p for p in helper_parameters(choices) if p.default is None), Parameter("depth", "I")]
    result, texts, cost = choices.pick("SVM"), [], 0
    for name, callee in callees.items():
        writer = function_writer(choices, helpers, parameters, result, choices.number(0, 2), without, features)
        writer.descend(callee, parameters[:-1])
        texts.append(text_of(name, parameters, writer.lines))
        cost = max(cost, writer.cost)
    features.add("recursion")
    helpers.append(Signature(next(iter(callees)), tuple(parameters), result, 5 * cost))
    return "\n\n".join(texts)
