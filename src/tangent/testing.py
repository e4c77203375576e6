"""Check derivatives against finite differences, and the modes against each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tangent.api import Wrt, grad, jvp, vjp, wrt_names
from tangent.errors import GradientError, OptionError, RuleError, SeedError, caller
from tangent.rules.callables import rule_modes
from tangent.source.adapt import define


def check_grads(
    f: Callable[..., Any], args: Sequence[Any], wrt: Wrt | None = None, modes: Sequence[str] = ("reverse", "forward"),
    order: int = 1, rtol: float = 1e-5, atol: float = 1e-7, eps: float = 1e-6, seed: int = 0,
) -> None:  # fmt: skip
    """Raise `GradientError` if a derivative of `f` at `args` disagrees with central finite differences.

    Compares <seed, df> along random tangents, so that results and arguments of any structure can be checked.

    >>> check_grads(lambda x, y: np.sin(x) * y, (0.5, 2.0), order=2)
    """
    if not isinstance(args, (list, tuple)):
        raise OptionError(f"args={args!r}", caller(), "it holds all arguments of the function", "Pass a tuple: (x,).")
    rng = np.random.default_rng(seed)
    names = wrt_names(f, tuple(range(len(args))) if wrt is None else wrt)
    every = wrt_names(f, tuple(range(len(args))))
    places = [every.index(n) for n in names]
    tangents = [random_like(args[i], rng) for i in places]
    _check_order(f, list(args), names, places, tangents, modes, rtol, atol, eps, rng, "")
    if order > 1:
        derivative = grad(f, names, check_dims=False)
        result_seed = random_like(f(*args), rng)
        _check_order(
            derivative, [*args, result_seed], names, places, tangents, modes, rtol * 10, atol * 10, eps * 10, rng,
            "second-order ",
        )  # fmt: skip


def check_rule(function: Any, *args: Any, **options: Any) -> None:
    """Raise `GradientError` if the rule of a function disagrees with finite differences of the function at `args`.

    Both modes, as far as the rule says them, and second order. Positional arguments that hold floating-point numbers
    are differentiated by; `options` are keyword arguments of the function.

    >>> check_rule(np.clip, np.array([0.5, 2.0]), a_min=0.0, a_max=1.0)
    """
    title = getattr(function, "__name__", repr(function))
    modes = rule_modes(function)
    if not modes:
        raise RuleError(
            f"'{title}' has no rule",
            caller(),
            "nothing is said of it",
            "Give it one with @tangent.adjoint or tangent.custom_vjp.",
        )
    names = [f"a{i}" for i in range(len(args))]
    passed = ", ".join([*names, *(f"{k}={k}" for k in options)])
    text = f"def checked({', '.join(names)}):\n    return function({passed})\n"
    called = define("checked", text, {"function": function, **options})
    wrt = [i for i, a in enumerate(args) if any(np.asarray(x).dtype.kind in "fc" for x in leaves(a))]
    _check_value(called, args, wrt, modes)
    check_grads(called, args, wrt, modes=modes, order=2 if "reverse" in modes else 1)
    if "forward" in modes:
        _check_pushed(called, list(args), wrt, modes)


def _check_value(f: Callable[..., Any], args: Sequence[Any], wrt: list[int], modes: Sequence[str]) -> None:
    """Where derivatives are given as functions, these give the value, too: that of the function."""
    value = f(*args)
    names = wrt_names(f, tuple(wrt))
    zeros = [scale(args[i], 0.0) for i in wrt]
    for mode in modes:
        made = vjp if mode == "reverse" else jvp
        seeds = [scale(value, 0.0)] if mode == "reverse" else zeros
        found = seeded(made(f, names, preserve_result=True, check_dims=False), args, seeds)[-1]
        for got, expected in zip(leaves(found), leaves(value), strict=True):
            if not np.allclose(got, expected, rtol=1e-10, atol=0.0, equal_nan=True):
                raise GradientError(
                    f"the value in {mode} mode is wrong", caller(), f"it is {got}, the function's {expected}",
                    "Let the rule give what the function gives.",
                )  # fmt: skip


def _check_pushed(f: Callable[..., Any], args: list[Any], wrt: list[int], modes: Sequence[str]) -> None:
    """The second order that begins with forward mode."""
    rng = np.random.default_rng(1)
    names = wrt_names(f, tuple(wrt))
    tangents, again = ([random_like(args[i], rng) for i in wrt] for _ in range(2))
    pushed = jvp(f, names, check_dims=False)
    _check_order(pushed, [*args, *tangents], names, wrt, again, modes, 1e-4, 1e-6, 1e-5, rng, "second-order ")


def _check_order(
    f: Callable[..., Any], args: list[Any], names: tuple[str, ...], places: list[int], tangents: list[Any],
    modes: Sequence[str], rtol: float, atol: float, eps: float, rng: Any, what: str,
) -> None:  # fmt: skip
    moved = [
        f(*_replaced(args, places, [add(args[i], scale(t, h)) for i, t in zip(places, tangents)])) for h in (eps, -eps)
    ]
    if not leaves(moved[0]):
        raise SeedError(
            "the result holds no numbers",
            caller(),
            "there is nothing to compare",
            "Return a float or an array of floats.",
        )
    seed = random_like(moved[0], rng)
    expected = (dot(seed, moved[0]) - dot(seed, moved[1])) / (2 * eps)
    if "reverse" in modes:
        got = seeded(vjp(f, names, check_dims=False), args, [seed])
        parts = got if len(names) > 1 else (got,)
        _compare(sum(dot(b, t) for b, t in zip(parts, tangents)), expected, f"{what}reverse", rtol, atol)
    if "forward" in modes:
        pushed = seeded(jvp(f, names, check_dims=False), args, tangents)
        _compare(dot(seed, pushed), expected, f"{what}forward", rtol, atol)


def seeded(derivative: Callable[..., Any], args: Sequence[Any], seeds: Sequence[Any]) -> Any:
    """A derivative with seeds or tangents by name, so that arguments left at their defaults are no trouble."""
    names: dict[str, str] = derivative.seeds  # type: ignore[attr-defined]
    return derivative(*args, **dict(zip(names.values(), seeds)))


def _replaced(args: list[Any], places: list[int], values: list[Any]) -> list[Any]:
    changed = list(args)
    for i, v in zip(places, values):
        changed[i] = v
    return changed


def _compare(got: Any, expected: Any, what: str, rtol: float, atol: float) -> None:
    if not np.allclose(got, expected, rtol=rtol, atol=atol, equal_nan=True):
        raise GradientError(
            f"the {what} derivative is wrong", caller(), f"it gives {got}, finite differences give {expected}",
            "Look at the rules that it goes by, and at kinks: there are no finite differences there.",
        )  # fmt: skip


def leaves(x: Any) -> list[Any]:
    """The numbers and arrays in a structure."""
    if isinstance(x, dict):
        return [leaf for v in x.values() for leaf in leaves(v)]
    if isinstance(x, (list, tuple)):
        return [leaf for v in x for leaf in leaves(v)]
    return [] if x is None or isinstance(x, (str, bytes)) else [x]


def dot(a: Any, b: Any) -> float:
    """The real inner product of two structures; the real part, where they are complex, of the plain product."""
    return float(sum(np.real(np.sum(np.asarray(p) * np.asarray(q))) for p, q in zip(leaves(a), leaves(b), strict=True)))


def map_leaves(function: Callable[..., Any], x: Any, *others: Any) -> Any:
    """Apply a function to the leaves of structures of one shape."""
    if isinstance(x, dict):
        return {k: map_leaves(function, v, *(o[k] for o in others)) for k, v in x.items()}
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return type(x)(*(map_leaves(function, *parts) for parts in zip(x, *others)))
    if isinstance(x, (list, tuple)):
        return type(x)(map_leaves(function, *parts) for parts in zip(x, *others))
    return x if x is None or isinstance(x, (str, bytes)) else function(x, *others)


def add(x: Any, y: Any) -> Any:
    return map_leaves(lambda a, b: a + b, x, y)


def scale(x: Any, factor: float) -> Any:
    return map_leaves(lambda a: a * factor, x)


def random_like(x: Any, rng: Any) -> Any:
    """Normal numbers in the structure of x."""

    def one(leaf: Any) -> Any:
        array = np.asarray(leaf)
        value = rng.normal(size=array.shape)
        if array.dtype.kind == "c":
            value = value + 1j * rng.normal(size=array.shape)
        return value if array.shape else value[()] if hasattr(value, "shape") else value

    return map_leaves(one, x)
