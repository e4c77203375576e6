"""Generators of random numbers: what they give is new, and depends on nothing that has a derivative."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

import numpy as np

from tangent.errors import InPlaceError, UnsupportedError
from tangent.runtime.dispatch import init_grad, lazy_zero

DRAWING = frozenset(  # methods of generators that no array, list or dict has
    "beta binomial chisquare choice dirichlet exponential gamma geometric gumbel integers laplace logistic lognormal "
    "multinomial multivariate_normal normal pareto permutation permuted poisson rand randint randn random "
    "random_sample rayleigh standard_cauchy standard_exponential standard_gamma standard_normal standard_t triangular "
    "uniform vonmises wald weibull zipf".split()
)


def is_drawing(cls: Any) -> bool:
    """Whether a class, or what makes its objects, is one of NumPy's for random numbers."""
    named = getattr(cls, "__name__", "") in ("RandomState", "Generator", "default_rng")
    return named and (getattr(cls, "__module__", None) or "").startswith("numpy.random")


NUMBERS = frozenset(  # methods of Python's generators that give numbers
    "random uniform triangular gauss normalvariate lognormvariate expovariate vonmisesvariate gammavariate betavariate "
    "paretovariate weibullvariate randint randrange getrandbits".split()
)


def gives_numbers(cls: Any, name: str) -> bool:
    """Whether a method of what a class makes gives new random numbers, or arrays of these."""
    return name in NUMBERS if cls is random.Random else is_drawing(cls) and name in DRAWING


def draws_number(function: Any) -> bool:
    """Whether a function is a method of a generator of Python's that gives a number: it writes into nothing."""
    owner = getattr(function, "__self__", None)
    return type(owner) is random.Random and function.__name__ in NUMBERS


def draws(x: Any, name: str) -> bool:
    """Whether `x.name(...)` draws random numbers."""
    return is_drawing(type(x)) and name != "shuffle"


SIZES = {  # where methods that draw are told how many numbers they give
    name: place
    for place, names in enumerate((
        "random random_sample standard_cauchy standard_exponential standard_normal",
        "chisquare choice dirichlet exponential geometric pareto poisson power rayleigh standard_gamma standard_t "
        "weibull zipf",
        "beta binomial gamma gumbel laplace logistic lognormal multinomial multivariate_normal noncentral_chisquare "
        "normal uniform vonmises wald",
        "triangular",
    ))
    for name in names.split()
}  # fmt: skip
WHOLE = frozenset("rand randn integers randint".split())  # those that are given whole numbers only


def takes_sizes(function: Any, places: Iterable[int | str]) -> bool:
    """Whether a function draws random numbers, and the arguments in some places only tell how many."""
    name = getattr(function, "__name__", "")
    if not is_drawing(type(getattr(function, "__self__", None))) or name not in WHOLE | SIZES.keys():
        return False
    return all(p != "out" if name in WHOLE else p in ("size", SIZES[name]) for p in places)


def are_numbers(args: Any, named: Any) -> bool:
    """Whether no arrays, lists and dicts are given, which may have been changed."""
    return not any(isinstance(v, (np.ndarray, list, dict)) for v in (*args, *named.values()))


def drawn(x: Any, name: str, args: Any, named: Any) -> Any:
    """`x.name(...)`, of a generator of random numbers."""
    if "out" in named:
        raise UnsupportedError(
            f"cannot differentiate '{name}' of a {type(x).__name__} with 'out'", why="it writes into an array",
            todo="Assign what it gives.",
        )  # fmt: skip
    return getattr(x, name)(*args, **named)


def require_generator(x: Any, name: str) -> None:
    """Stop where something was taken for a generator of NumPy's that is none."""
    if not is_drawing(type(x)):
        raise InPlaceError(
            f"cannot differentiate '{name}' of a {type(x).__name__} that writes in place",
            why="it was taken for a generator of random numbers of NumPy's", todo="Let it return what it writes.",
        )  # fmt: skip


def require_shuffled(x: Any) -> None:
    """Stop where something is shuffled that is no array."""
    if not isinstance(x, np.ndarray):
        raise InPlaceError(
            f"cannot differentiate 'shuffle' of a {type(x).__name__}", why="it was taken for an array",
            todo="Make it a list or an array in the function: x = list(x).",
        )  # fmt: skip


def require_filled_in_order(x: Any) -> None:
    """Stop where random numbers would fill an array in another order than that of its elements."""
    if isinstance(x, np.ndarray) and not x.flags.c_contiguous:
        raise InPlaceError(
            "cannot differentiate random numbers that are written into an array",
            why="its rows do not lie one after the other", todo="Assign what is drawn: x[...] = rng.random(x.shape).",
        )  # fmt: skip


def undrawn(args: Any, name: str) -> Any:
    """The gradient of what numbers are drawn with: that of sizes is zero."""
    if _has_parameters(args):
        raise UnsupportedError(
            f"cannot differentiate '{name}', which draws random numbers",
            why="they may depend on what the derivative is taken by",
            todo="Draw standard ones and compute with them: mean + scale * rng.standard_normal(n).",
        )  # fmt: skip
    return lazy_zero(args)


def drawn_tangent(dargs: Any, dnamed: Any, y: Any, args: Any, named: Any, name: str) -> Any:
    """The tangent of numbers that are drawn."""
    undrawn((args, named), name)
    return init_grad(y)


def _has_parameters(args: Any) -> bool:
    if isinstance(args, (list, tuple, dict)):
        return any(map(_has_parameters, args.values() if isinstance(args, dict) else args))
    return isinstance(args, (float, complex)) or (
        isinstance(args, (np.ndarray, np.generic)) and args.dtype.kind in "fcO"
    )
