"""Random programs that mix `try`, `with`, loops, branches, closures and comprehensions: right, or refused."""

import itertools
import linecache
import math
import random

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tangent
from programs import numeric

_count = itertools.count()
POINTS = ((0.7, 1.2), (-0.8, 0.6), (0.3, -1.1))
ATOMS = ("x", "y", "a", "b", "a", "b", "0.5", "1.3")


def helper(v):
    if v < -0.5:
        raise ValueError("low")
    return v * v * 0.5


class Writer:
    """Writes a function of x and y that computes with a and b, and may fail on the way."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def function(self) -> str:
        body = "\n".join(self.block(3, False))
        return f"def f(x, y):\n    a = x * y\n    b = x - 0.4 * y\n{body}\n    return a * 0.9 + b\n"

    def block(self, depth: int, loop: bool) -> list[str]:
        lines = [s for _ in range(self.random.choice([1, 2, 2, 3])) for s in self.statement(depth, loop)]
        return [f"    {line}" for line in lines]

    def atom(self) -> str:
        return self.random.choice(ATOMS)

    def expression(self) -> str:
        p, q = self.atom(), self.atom()
        return self.random.choice(
            [
                f"{p} * {q}", f"{p} + {q} * 0.7", f"{p} - {q}", f"math.sqrt({p})", f"helper({p})", f"math.sin({p})",
                f"sum([v * {p} for v in (a, b)]) * 0.3", f"(lambda v: v * {p} + y)({q})",
            ]
        )  # fmt: skip

    def statement(self, depth: int, loop: bool) -> list[str]:
        kind = self.random.random()
        if depth <= 0 or kind < 0.45:
            return [f"{self.random.choice('ab')} = {self.expression()}"]
        inner = self.block(depth - 1, loop)
        if kind < 0.6:
            other = ["else:", *self.block(depth - 1, loop)] if self.random.random() < 0.5 else []
            return [f"if {self.atom()} > {self.random.choice(['0.2', 'a', '1.0'])}:", *inner, *other]
        if kind < 0.72:
            return [f"for i{depth} in range(3):", *self.block(depth - 1, True)]
        if kind < 0.8:
            return ["with np.errstate(all='ignore'):", *inner]
        return self.attempt(inner, depth, loop)

    def attempt(self, inner: list[str], depth: int, loop: bool) -> list[str]:
        caught = self.random.choice(["ValueError", "(ValueError, KeyError)", "Exception", "KeyError"])
        handler = self.block(depth - 1, loop) if self.random.random() < 0.8 else ["    pass"]
        leave = [f"    {self.random.choice(['continue', 'break'])}"] if loop and self.random.random() < 0.25 else []
        other = ["else:", *self.block(depth - 1, loop)] if self.random.random() < 0.3 else []
        last = ["finally:", *self.block(0, False)] if self.random.random() < 0.2 else []
        return ["try:", *inner, f"except {caught}:", *handler, *leave, *other, *last]


def compiled(text: str):
    file = f"<random program {next(_count)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names = {"__name__": "random_programs", "math": math, "np": np, "helper": helper}
    exec(compile(text, file, "exec"), names)
    return names["f"]


def smooth_gradient(f, at):
    """Finite differences, or None where the program fails or two step sizes disagree."""
    try:
        if not abs(f(*at)) < 1e4:
            return None
        want = numeric.gradient(lambda p: f(*p), at, 1.0)
        fine = numeric.gradient(lambda p: f(*p), at, 1.0, numeric.STEP / 4)
    except (ValueError, OverflowError):
        return None
    return want if numeric.close(want, fine, 1e-6) else None


@settings(max_examples=30, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 10**6))
def test_right_or_refused(seed: int) -> None:
    text = Writer(seed).function()
    f = compiled(text)
    for at in POINTS:
        want = smooth_gradient(f, at)
        if want is None:
            continue
        for optimized in (True, False):
            try:
                back = tangent.grad(f, wrt=(0, 1), optimized=optimized)
                along = tangent.jvp(f, wrt=(0, 1), optimized=optimized)
            except tangent.TangentError:
                continue
            got = [np.array(back(*at), float), np.array([along(*at, 1.0, 0.0), along(*at, 0.0, 1.0)], float)]
            for found in got:
                assert numeric.close(found, want, 1e-5), f"{text}\n{at}: {found}, not {want}"
