"""Random programs that mix objects, closures, containers, generators and exceptions: right, or refused."""

import random
import re

import numpy as np
import pytest

import tangent
from programs import numeric
from property.test_language import POINTS, compiled, smooth_gradient

HEAD = """import functools

class Cell:
    def __init__(self, w):
        self.w = w
        self.h = 0.0
        self.log = []

    def step(self, v):
        self.h = self.h * 0.5 + v * self.w
        self.log.append(self.h)
        return self.h

    def items(self, n):
        for i in range(n):
            self.w = self.w * 1.1
            yield self.w * i

    @functools.cached_property
    def area(self):
        return self.w * self.w

    def __add__(self, other):
        return Cell(self.w + other.w)

def each(function, items):
    for v in items:
        function(v)

def growing(v):
    while True:
        yield v
        v = v * 0.7 + 0.4

def steps(v, n):
    for i in range(n):
        v = v * 0.8 + i
        if v > 6.0:
            return
        yield v

def low(v):
    if v < -0.3:
        raise ValueError("low")
    return v * 0.5

"""
START = """def f(x, y):
    a, b, total = x * y, x - 0.4 * y, 0.0
    xs, d, fs = [x], {'k': y, 'm': x}, [lambda v: v * x]
    o = Cell(y)
    buf = np.zeros(2)

    def add(v):
        nonlocal total
        total = total * 0.5 + v * x

    def fill(i, v):
        buf[i] = v + y

"""
END = "    return a * 0.9 + b + total + o.h * 0.5 + sum(xs) * 0.3 + d['k'] + buf[0] * buf[1]\n"
STATEMENTS = """
a = <e>
b = <e>
xs.append(<e>)
d["k"] = <e>
d["m"] = d["k"] * <p>
o.w = <e>
o.h = o.h + <p>
a = o.step(<p>)
b = o.area * 0.3 + <p>
a = sum(xs) * 0.2 + <p>
b = xs[-1] * <p>
o = o + Cell(<p>)
q = o; q.h = <e>
add(<p>)
each(add, [<p>, <p>])
each(lambda v: fill(0, v * <p>), [a, b])
fs.append(lambda v: v * <p> + a)
fs.append(lambda v, k=<p>: v * k)
a = fs[-1](<p>)
b = sum(f(<p>) for f in fs) * 0.3
a = {"s": lambda: a * b, "t": lambda: a - b}["st"[len(xs) % 2]]()
buf[0] = <e>
buf[1] += <p>
fill(1, <e>)
a = buf[0] * <p> + buf[1]
a = total * <p>
b = float(np.sum(buf)) * 0.4
b = d["k"] * d["m"] * 0.2
xs.append(o.log[-1] if o.log else <p>)
a = max(xs) * 0.3 + min(o.h, <p>)
b = sum(o.items(2)) * 0.2
""".strip().splitlines()
BLOCKS = """
for v in growing(<p>):|if v > 1.0 or len(xs) > 9: break|xs.append(v)
for v in steps(<p>, 4):|<s>|if v > 2.0: continue|a = a * 0.6 + v
for v in o.items(3):|<s>|if v > 1.5: break
for i in range(3):|<s>|<s>
for v in xs[-2:]:|<s>
if <p> > 0.3:|<s>|<s>
while len(xs) < 5:|xs.append(<p>)|<s>
""".strip().splitlines()
ATOMS = "x y a b a b 0.5 1.3 o.w o.h xs[0] d['k']".split()


class Writer:
    """Writes a function of x and y over one object, a list, a dict, an array and functions."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def function(self, most: int) -> str:
        lines = [line for _ in range(self.random.randint(2, most)) for line in self.part()]
        body = "\n".join(f"    {line}" for line in lines)
        return f"{HEAD}{START}{body}\n{END}"

    def part(self) -> list[str]:
        kind = self.random.random()
        if kind < 0.6:
            return [self.statement()]
        if kind < 0.9:
            head, *body = self.random.choice(BLOCKS).split("|")
            return [self.filled(head), *(f"    {self.filled(line)}" for line in body)]
        inner = [f"    {self.statement()}" for _ in range(2)]
        return ["try:", *inner, f"    a = low({self.atom()})", "except ValueError:", f"    {self.statement()}"]

    def statement(self) -> str:
        return self.filled(self.random.choice(STATEMENTS))

    def filled(self, text: str) -> str:
        makers = {"s": self.statement, "e": self.expression, "p": self.atom}
        return re.sub(r"<(.)>", lambda found: makers[found[1]](), text)

    def atom(self) -> str:
        return self.random.choice(ATOMS)

    def expression(self) -> str:
        p, q = self.atom(), self.atom()
        return self.random.choice(
            [f"{p} * {q}", f"{p} + {q} * 0.7", f"math.sin({p})", f"np.tanh({p}) * {q}", f"[{p}, {q}][len(xs) % 2]"]
        )


def check(seed: int, points: tuple[tuple[float, float], ...] = POINTS[:2], most: int = 7) -> str:
    """What became of a program: right, refused, or nothing to compare with."""
    text = Writer(seed).function(most)
    f = compiled(text)
    outcome = "no slope"
    for at in points:
        want = smooth_gradient(f, at)
        if want is None:
            continue
        try:
            back = tangent.grad(f, wrt=(0, 1))(*at)
            along = tangent.jvp(f, wrt=(0, 1))
            tangents = [along(*at, 1.0, 0.0), along(*at, 0.0, 1.0)]
        except tangent.TangentError as e:
            return f"refused: {e}"
        for found in (back, tangents):
            assert numeric.close(np.array(found, float), want, 1e-5), f"{text}\n{at}: {found}, not {want}"
        outcome = "right"
    return outcome


@pytest.mark.parametrize("seed", range(8))
def test_right_or_refused(seed: int) -> None:
    check(seed, POINTS[:1], most=3)
