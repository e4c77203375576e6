"""Writes random programs that containers steer which change in place while they run: how often loops run, which way
branches go, which items are read and written. No derivative flows through them.

As `writer.py`: `s` is a number and `v` an array of length 3 that the derivative flows through, `x` an argument by which
it is taken, `n` a small integer. The containers have other names, or are held by objects, lists, dicts and tuples; they
are changed by the function, by functions that are given them or capture them, by methods, and by functions that are
known late. What is an argument is left as it was.
"""

from __future__ import annotations

import random
import re

import numpy as np

from property.steering_phrases import (
    ARRAY_STEPS,
    CLASS,
    GROWING,
    KINDS,
    PRELUDE,
    STEP_FUNCTIONS,
    STEPS,
)
from property.writer import Below, Choices, Program, tidy

STYLES = ("all", "plain", "numbers")
LOOPS = ("for i in range(2):", "for i in range(n):", "turn = 0\nwhile turn < 2:\n    turn += 1")


def numbered(seed: int, style: str = "all", size: int = 12) -> Program:
    """The program with this number."""
    return write(random.Random(seed).randrange, style, size)


def write(below: Below, style: str = "all", size: int = 12) -> Program:
    """A program of about `size` statements."""
    writer = _Writer(Choices(below), style)
    text = writer.program(size)
    rng = np.random.default_rng(writer.choices.below(1000))
    x, n = float(np.round(rng.uniform(-1.2, 1.2), 3)), writer.choices.below(4)
    args: list[object] = [x, np.round(rng.uniform(-1.2, 1.2, 3), 3), n, *writer.given.values()]
    wrt = writer.choices.pick(((0, 1), (0,), (1,)))
    return Program(tidy(text), tuple(args), wrt, ("x", "v", "n", *writer.given), frozenset(writer.features))


class _Writer:
    def __init__(self, choices: Choices, style: str) -> None:
        self.choices, self.style = choices, style
        self.features: set[str] = set()
        self.places: dict[str, list[str]] = {}  # for each kind of container, where such ones are held
        self.given: dict[str, object] = {}
        self.helpers: list[tuple[str, str]] = []
        self.inner: list[str] = []
        self.arrays = style != "numbers" and choices.chance(60)

    def program(self, size: int) -> str:
        texts = [STEP_FUNCTIONS]
        for k in range(0 if self.style == "plain" else self.choices.number(0, 2)):
            texts.append(self.helper(f"h{k}"))
        self.kinds = [self.choices.pick(tuple(KINDS)) for _ in range(self.choices.number(1, 3))]
        head = [line for kind in dict.fromkeys(self.kinds) for line in self.made(kind)]
        head = [*head, "s = 0.5 * x", *(self.second_names() if self.style != "plain" else [])]
        if self.style != "plain" and self.choices.chance(25):
            texts.append(self.plan())
            kind = self.plan_kind
            if kind in self.places:
                head.append(f"o = Plan({self.choices.pick(self.places[kind])})")
                self.places[kind].append("o.k")
                self.inner.append("s = o.step(s, x)")
        if self.style != "plain" and self.choices.chance(30):
            head.append(self.closure())
        body = [self.statement(2) for _ in range(self.choices.number(2, max(2, size // 2)))]
        texts.append(_function(f"f({', '.join(('x', 'v', 'n', *self.given))})", [*head, *body, self.outcome()]))
        return PRELUDE + "\n" + "\n\n\n".join(texts) + "\n"

    # -- containers

    def made(self, kind: str) -> list[str]:
        name = kind
        self.places[kind] = [name]
        if kind in ("ks", "d") and self.choices.chance(25):
            self.given[name] = [2, 0, 1] if kind == "ks" else {"a": 2, "b": 1}
            self.features.add("argument")
            return []
        return [f"{name} = {self.choices.pick(KINDS[kind][0])}"]

    def second_names(self) -> list[str]:
        """Other ways to the containers: `ls = ks`, `box = [ks, d]`, `held = {'q': ks}`."""
        found = []
        for kind, places in self.places.items():
            form = self.choices.weigh({"none": 5, "name": 2, "list": 1, "dict": 1, "tuple": 1, "method": 1})
            name, of = f"{kind}_", places[0]
            if form == "name":
                found.append(f"{name} = {of}")
                places.append(name)
            elif form == "list":
                found.append(f"{name} = [{of}, {of}]")
                places.append(f"{name}[0]")
            elif form == "dict":
                found.append(f"{name} = {{'q': {of}}}")
                places.append(f"{name}['q']")
            elif form == "tuple":
                found.append(f"{name} = ({of}, 1)")
                places.append(f"{name}[0]")
            elif form == "method" and kind == "ks":
                found.append(f"add = {of}.append")
                self.inner.append("if len(ks) < 5:\n    add(1)")
            if form != "none":
                self.features.add(f"second {form}")
        return found

    def place(self) -> tuple[str, str]:
        kind = self.choices.pick(tuple(self.places))
        return kind, self.choices.pick(self.places[kind])

    # -- statements

    def integer(self) -> str:
        return self.choices.pick(("1", "0", "2", "3", "n"))

    def step(self, a: str = "j") -> str:
        steps = (*STEPS, *ARRAY_STEPS) if self.arrays else STEPS
        return self.choices.pick(steps).format(a=a)

    def filled(self, template: str, place: str) -> str:
        template = template.replace("{w}", self.integer())
        while "{i}" in template:
            template = template.replace("{i}", self.integer(), 1)
        lines = template.replace("{{", "\0").replace("}}", "\1").replace("{k}", place).split("\n")
        found = []
        for line in lines:
            indent = line[: len(line) - len(line.lstrip())]
            found.append(indent + self.step() if line.strip() == "{u}" else line)
        return "\n".join(found).replace("\0", "{").replace("\1", "}")

    def change(self, kind: str, place: str, loops: bool, binds: bool = True) -> str:
        templates = [t for t in KINDS[kind][1] if binds or not re.match(r"\{k\} ?([|&^+-]?)=", t)]
        if place.endswith("_[0]"):  # an item of a tuple is not assigned
            templates = [t for t in templates if not re.match(r"\{k\} ?([|&^+-]?)=", t)]
        template = self.choices.pick(templates)
        text = self.filled(template, place)
        if loops and any(g in template for g in GROWING):
            return f"if len({place}) < 5:\n{_indented([text])}"
        return text

    def use(self, kind: str, place: str) -> str:
        return self.filled(self.choices.pick(KINDS[kind][2]), place)

    def statement(self, depth: int, loops: bool = False) -> str:
        form = self.choices.weigh(
            {
                "change": 5,
                "use": 6,
                "loop": 2 * (depth > 0 and not loops),
                "branch": 2 * (depth > 0),
                "walk": 2 * (depth > 0 and not loops),
                "attempt": depth > 0,
                "call": 4 * bool(self.helpers),
                "inner": 3 * bool(self.inner),
                "print": 1,
            }
        )
        kind, place = self.place()
        if form == "change":
            return self.change(kind, place, loops)
        if form == "use":
            return self.use(kind, place)
        self.features.add(form)
        if form == "print":
            return f"print(len({place}), file=sink)"
        if form == "call":
            return self.call()
        if form == "inner":
            return self.choices.pick(self.inner)
        body = [self.statement(depth - 1, loops or form in ("loop", "walk")) for _ in range(self.choices.number(1, 3))]
        if form == "branch":
            other = [self.statement(depth - 1, loops)] if self.choices.chance(50) else []
            text = f"if {self.condition(kind, place)}:\n{_indented(body)}"
            return text + (f"\nelse:\n{_indented(other)}" if other else "")
        if form == "attempt":
            error = self.choices.pick(("[][0]", "{}['z']", f"len({place}) > 2 and [][0]"))
            ending = self.choices.pick(("except (IndexError, KeyError):\n    s = s * 0.9", "finally:\n    s = s * 0.9"))
            first = f"try:\n{_indented(body)}"
            return f"{first}\n{ending}" if ending[0] == "f" else f"{first}\n    {error}\n{ending}"
        if form == "walk":
            return self.walk(kind, place, body)
        header = self.choices.pick((*LOOPS, f"for i in range(min(len({place}), 4)):"))
        text = f"{header}\n{_indented(body)}"
        if header.startswith("for") and self.choices.chance(30):
            stop = self.condition(kind, place)
            text += f"\n    if {stop}:\n        break\nelse:\n    {self.step('n')}"
        return text

    def walk(self, kind: str, place: str, body: list[str]) -> str:
        """A loop that is steered by a container, which its body changes."""
        walked = place if kind == "ks" and self.choices.chance(30) else f"list({place})[:4]"
        if kind not in ("ks", "todo"):
            walked = f"sorted({place})[:4]"
        turns = f"turn = 0\nfor j in {walked}:\n    turn += 1\n    if turn > 5:\n        break"
        if kind in ("ks", "todo") and self.choices.chance(50):
            turns = f"turn = 0\nwhile {place} and turn < 5:\n    turn += 1\n    j = {place}.pop()"
        step = "" if kind == "d" else "\n    " + self.step()
        return f"{turns}{step}\n{_indented(body)}"

    def condition(self, kind: str, place: str) -> str:
        general = [f"len({place}) > 1", f"{place}", f"len({place}) % 2 == 0", "s > 0.1", f"not {place}"]
        own = {
            "ks": f"sum({place}) > 2", "d": f"'b' in {place}", "todo": f"{place} and {place}[0] > 1",
            "seen": f"2 in {place}", "hits": f"{place}[1] > 0", "sums": f"{place}[1] > 0",
        }  # fmt: skip
        return self.choices.pick((*general, own[kind]))

    # -- functions

    def helper(self, title: str) -> str:
        """A function that changes what it is given, and gives a number that is steered by it."""
        kind = self.choices.pick(tuple(KINDS))
        saved, self.arrays = self.arrays, False
        lines = []
        for _ in range(self.choices.number(1, 3)):
            text = self.change(kind, "k", True) if self.choices.chance(50) else self.use(kind, "k")
            lines.append(text)
        self.arrays = saved
        callable_ = [name for name, of in self.helpers if of == kind]
        if callable_ and self.choices.chance(40):
            lines.append(f"s = {self.choices.pick(callable_)}(k, s, x, n)")
        if self.choices.chance(20):
            lines.insert(1, "if len(k) > 2:\n    return 0.5 * s")
        self.helpers.append((title, kind))
        return _function(f"{title}(k, s, x, n)", [*lines, "return s"])

    def call(self) -> str:
        able = [(name, kind) for name, kind in self.helpers if kind in self.places]
        if not able:
            return self.step("n")
        name, kind = self.choices.pick(able)
        place = self.choices.pick(self.places[kind])
        alike = [other for other, of in able if of == kind]
        form = self.choices.weigh({"direct": 4, "loop": 1, "choice": 1, "dict": 1})
        self.features.add(f"call {form}")
        if form == "loop":
            return f"for g in ({', '.join(alike)},):\n    s = g({place}, s, x, n)"
        if form == "choice":
            return f"g = {alike[0]} if len({place}) > 1 else {alike[-1]}\ns = g({place}, s, x, n)"
        if form == "dict":
            return f"table = {{'g': {name}}}\ns = table['g']({place}, s, x, n)"
        return f"s = {name}({place}, s, x, n)"

    def plan(self) -> str:
        """A class whose method changes a container that it holds."""
        self.plan_kind = self.choices.pick(tuple(dict.fromkeys(self.kinds)))
        saved, self.arrays, lines = self.arrays, False, []
        for _ in range(self.choices.number(1, 2)):
            changes = self.choices.chance(50)
            text = self.change(self.plan_kind, "self.k", True) if changes else self.use(self.plan_kind, "self.k")
            lines.append(re.sub(r"\bn\b", "self.n", text) if self.choices.chance(50) else re.sub(r"\bn\b", "2", text))
        self.arrays = saved
        self.features.add("method")
        return CLASS.format(body=_indented([_indented(lines)]))

    def closure(self) -> str:
        """A function inside that changes a container which it captures."""
        kind, place = self.place()
        saved, self.arrays = self.arrays, False
        lines = [self.change(kind, place, True, binds=False)]
        if self.choices.chance(50):
            lines.append(self.use(kind, place))
        self.arrays = saved
        self.inner.append("s = turned(s)")
        self.features.add("closure")
        return _function("turned(s)", [*lines, "return np.sin(s)"])

    def outcome(self) -> str:
        sizes = " + ".join(f"len({places[0]})" for places in self.places.values())
        whole = " + np.sum(np.sin(v))" if self.choices.chance(80) else " + v[0] * x"
        return f"return s * (1.0 + 0.1 * ({sizes})){whole}"


def _indented(lines: list[str]) -> str:
    return "\n".join("    " + line for text in lines for line in text.split("\n"))


def _function(head: str, lines: list[str]) -> str:
    return f"def {head}:\n{_indented(lines)}"
