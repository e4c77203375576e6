"""The kinds of random numbers, by the generator that draws them and what it is asked for.

gen = random.Random(seed)       gen.gauss(0.0, 1.0)          a float
rng = np.random.default_rng()   rng.normal(size=(n, 3))      an array of n rows
"""

from __future__ import annotations

import ast
import random
from typing import Any

import numpy as np

from tangent.optimise.shaped.kinds import FLOAT, INT, UNKNOWN, Drawing, Items, Kind, Number
from tangent.optimise.shaped.making import made
from tangent.optimise.shaped.parts import Of
from tangent.runtime.draws import NUMBERS

WHOLE = frozenset("randint randrange getrandbits".split())
SIZED = {  # methods of NumPy's generators that give floats, and the place of their size
    "random": 0, "random_sample": 0, "standard_normal": 0, "standard_exponential": 0, "standard_cauchy": 0,
    "exponential": 1, "rayleigh": 1, "normal": 2, "uniform": 2, "lognormal": 2, "laplace": 2, "logistic": 2,
    "gumbel": 2,
}  # fmt: skip
GENERATORS = (np.random.default_rng, np.random.RandomState, np.random.Generator)


def generator(function: Any) -> Drawing | None:
    """The kind of what a call of a function makes, if that draws random numbers."""
    if function is random.Random:
        return Drawing("random")
    return Drawing("numpy") if any(function is g for g in GENERATORS) else None


def drawn(owner: Drawing, attr: str, e: ast.Call, of: Of) -> Kind:
    """The kind of what `owner.attr(...)` draws."""
    if owner.library == "random":
        return INT if attr in WHOLE else FLOAT if attr in NUMBERS else UNKNOWN
    if attr in ("rand", "randn"):
        return FLOAT if not e.args else made(Items(tuple(of(a) for a in e.args)))
    if attr not in SIZED or any(k.arg not in ("loc", "scale", "low", "high", "size") for k in e.keywords):
        return UNKNOWN
    return _of_size(e, SIZED[attr], of)


def _of_size(e: ast.Call, place: int, of: Of) -> Kind:
    named = {k.arg: k.value for k in e.keywords}
    parameters = [*e.args[:place], *(x for k, x in named.items() if k != "size")]
    size = named.get("size", e.args[place] if len(e.args) > place else None)
    kinds = [of(x) for x in parameters]
    if len(e.args) > place + 1 or not all(isinstance(k, Number) and not k.rank for k in kinds):
        return UNKNOWN
    return FLOAT if size is None else made(of(size))


def by_module(function: Any, e: ast.Call, of: Of) -> Kind:
    """The kind of what a function of `random` or `np.random` draws."""
    owner = getattr(function, "__self__", None)
    name = getattr(function, "__name__", "")
    if isinstance(owner, random.Random):
        return drawn(Drawing("random"), name, e, of)
    return drawn(Drawing("numpy"), name, e, of) if isinstance(owner, np.random.RandomState) else UNKNOWN
