"""Writes random programs whose functions keep numbers and tuples in lists and dicts of their caller.

As `writer.py`: `xs` is a list of values that is never empty, `ps` one of pairs, `d` a dict with the keys 'a', 'b', 0,
1 and more. Values are numbers, or arrays of one shape, as the argument `x` is; all of them stay of order one.
"""

from __future__ import annotations

import random

import numpy as np

from property.writer import Below, Choices, Program

PRELUDE = """\
import io

import numpy as np

sink = io.StringIO()
SCALE = 0.7
"""
VALUES = ("np.tanh({a})", "{a} * {b}", "np.sin({a} + {b})", "SCALE * {a} - {b}", "{a} / (2.0 + {b} * {b})", "{a}")
STYLES = ("all", "numbers", "arrays")
KEYS = ("'a'", "'b'", "0", "1")

# What helpers do to a list xs, to a list of pairs ps, to a dict d, given values v and w, and what they give.
TO_LISTS = (
    "xs.append({e})", "xs[-1] = {e}", "xs[0] += {e}", "xs[0], xs[-1] = xs[-1], xs[0]", "xs.insert(0, {e})",
    "xs.extend([v, {e}])", "xs[len(xs) // 2] = xs[0] * {e}", "xs.append(xs[-1])", "t = xs.pop()\nxs.append(t * {e})",
    "for k in range(len(xs)):\n    xs[k] = xs[k] * SCALE + {e}", "xs.reverse()", "xs[-1] *= {e}",
    "if len(xs) > 3:\n    xs.pop(0)", "if len(xs) > 4:\n    del xs[1:3]\nelse:\n    xs.append({e})",
)  # fmt: skip
TO_PAIRS = (
    "ps.append((v, {e}))", "p, q = ps[-1]\nps[-1] = (q, p * {e})", "ps[0] = ({e}, ps[0][0])", "ps.append(ps[0])",
    "if len(ps) > 3:\n    ps.pop()", "for k in range(len(ps)):\n    ps[k] = (ps[k][0] * SCALE, ps[k][1] + {e})",
)  # fmt: skip
TO_DICTS = (
    "d[{k}] = {e}", "d[{k}] += {e}", "d[{k}] = d.get({k}, v) * SCALE + {e}", "d['a'], d[1] = d[1], d['a']",
    "d.update({{{k}: {e}}})", "d['n'] = d.get('n', 0) + 1", "t = d.pop({k})\nd[{k}] = t * {e}", "d[{k}] *= {e}",
    "d.setdefault('c', v)\nd['c'] = d['c'] * SCALE + {e}", "for k in (0, 1):\n    d[k] = d[k] * SCALE + {e}",
)  # fmt: skip
KINDS = {"xs": TO_LISTS, "ps": TO_PAIRS, "d": TO_DICTS}
READS = {"xs": ("xs[0]", "xs[-1]", "sum(xs) / len(xs)"), "ps": ("ps[-1][0]", "ps[0][1]"), "d": ("d['a']", "d[1]")}


def numbered(seed: int, style: str = "all", size: int = 12) -> Program:
    """The program with this number."""
    return write(random.Random(seed).randrange, style, size)


def write(below: Below, style: str = "all", size: int = 12) -> Program:
    """A program of about `size` statements."""
    writer = _Writer(Choices(below), set())
    texts = [writer.helper(f"h{k}") for k in range(writer.choices.number(1, 4))]
    texts.append(writer.main(size))
    arrays = style == "arrays" or (style == "all" and writer.choices.chance(30))
    numbers = np.round(np.random.default_rng(writer.choices.below(1000)).uniform(-1.2, 1.2, 5), 3)
    x = numbers[:3] if arrays else float(numbers[0])
    features = frozenset(writer.features | ({"arrays"} if arrays else set()))
    source = PRELUDE + "\n\n" + "\n\n\n".join(texts) + "\n"
    return Program(source, (x, float(numbers[3]), writer.choices.below(5)), (0, 1), ("x", "y", "n"), features)


class _Writer:
    def __init__(self, choices: Choices, features: set[str]) -> None:
        self.choices, self.features = choices, features
        self.helpers: list[tuple[str, tuple[str, ...], bool]] = []

    def value(self, *names: str) -> str:
        a, b = self.choices.pick(names), self.choices.pick(names)
        return self.choices.pick(VALUES).format(a=a, b=b)

    def change(self, container: str, *names: str) -> str:
        text = self.choices.pick(KINDS[container])
        self.features.add(text.split("\n")[0].split("(")[0])
        return text.format(e=f"({self.value(*names)})", k=self.choices.pick(KEYS))

    def helper(self, title: str) -> str:
        """A function that changes what it is given, by itself or by another one, and may give something."""
        given = tuple(c for c in KINDS if self.choices.chance(50)) or (self.choices.pick(tuple(KINDS)),)
        lines = [self.change(c, "v", "w") for c in given for _ in range(self.choices.number(1, 2))]
        callable_ = [h for h in self.helpers if set(h[1]) <= set(given)]
        if callable_ and self.choices.chance(40):
            name, others, _ = self.choices.pick(callable_)
            lines.append(f"{name}({', '.join(others)}, {self.value('v', 'w')}, w)")
            self.features.add("helper of a helper")
        gives = self.choices.chance(50)
        if gives and self.choices.chance(40):
            lines.insert(1, f"if np.sum(v) > 0.3:\n    return {self.value('v', 'w')}")
            self.features.add("early return")
        if gives:
            lines.append(f"return {self.choices.pick(READS[given[0]])} * SCALE")
        self.helpers.append((title, given, gives))
        return _function(f"{title}({', '.join(given)}, v, w=0.5)", lines)

    def main(self, size: int) -> str:
        head = ["xs = [x, x * y]", "ps = [(x, y * x)]", "d = {'a': x, 'b': x * y, 0: x + y, 1: y * x}", "s = x * 0.5"]
        if self.choices.chance(25):
            head.append("ys = xs")
            self.features.add("two names")
        body = [self.statement("x", "s", "y * s") for _ in range(self.choices.number(1, max(1, size // 3)))]
        loop = [self.statement("x", "s", "s * i * 0.3") for _ in range(self.choices.number(1, max(1, size // 3)))]
        body.insert(self.choices.below(len(body) + 1), "for i in range(n):\n" + _indented(loop))
        reads = [self.choices.pick(READS[c]) for c in KINDS]
        if "two names" in self.features:
            reads.append("ys[-1]")
        return _function("f(x, y, n)", [*head, *body, f"return np.sum(s + {' * '.join(reads[:2])} - {reads[-1]})"])

    def statement(self, *names: str) -> str:
        kind = self.choices.weigh({"call": 6, "change": 2, "read": 2, "branch": 1})
        if kind == "call":
            title, given, gives = self.choices.pick(self.helpers)
            more = f", w={self.value(*names)}" if self.choices.chance(40) else ""
            call = f"{title}({', '.join(given)}, {self.value(*names)}{more})"
            return self.choices.pick((f"s = np.tanh(s + {call})", f"s = {call} * np.cos(s)")) if gives else call
        if kind == "change":
            text = self.change(self.choices.pick(tuple(KINDS)), *names)
            return text.replace("v,", "x,").replace("(v", "(x").replace(" v)", " x)")
        if kind == "read":
            return f"s = np.tanh(s - {self.choices.pick(READS[self.choices.pick(tuple(KINDS))])})"
        return f"if np.sum(s) > 0.1:\n{_indented([self.statement(*names)])}"


def _indented(lines: list[str]) -> str:
    return "\n".join("    " + line for text in lines for line in text.split("\n"))


def _function(head: str, lines: list[str]) -> str:
    return f"def {head}:\n{_indented(lines)}"
