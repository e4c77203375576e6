"""What must hold for the derivatives of a program, whoever wrote it.

`trial(program)` runs the program and its finite differences; None where those are not to be trusted: a step away the
program takes another branch, or bends too much. `check(trial)` compares both modes with them.
"""

from __future__ import annotations

import copy
import hashlib
import linecache
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from types import FunctionType
from typing import Any

import numpy as np

from property.writer import Program
from tangent.source.kept import keeping

STEP = 1e-3
Derivative = Callable[..., Any]


def define(source: str, name: str) -> FunctionType:
    """The function of that name in a module with this text; `inspect.getsource` finds it."""
    filename = f"<program {hashlib.sha256(source.encode()).hexdigest()[:12]}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    namespace: dict[str, Any] = {"__name__": filename[1:-1].replace(" ", "_")}
    exec(compile(source, filename, "exec", dont_inherit=True), namespace)
    function: FunctionType = namespace[name]
    return function


# --------------------------------------------------------------------------------------------- structures


def leaves(value: Any) -> Iterator[Any]:
    """The floats and arrays in nested containers, in order."""
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, list | tuple):
        yield value
        return
    for item in value:
        yield from leaves(item)


def flatten(value: Any) -> np.ndarray:
    return np.concatenate([np.ravel(np.asarray(leaf, float)) for leaf in leaves(value)] or [np.zeros(0)])


def fill(like: Any, numbers: np.ndarray) -> Any:
    """The structure of `like` with these numbers in it: the inverse of `flatten`."""
    rest = iter(numbers)

    def build(part: Any) -> Any:
        if isinstance(part, dict):
            return {key: build(item) for key, item in part.items()}
        if isinstance(part, list | tuple):
            return type(part)(build(item) for item in part)
        if np.ndim(part) == 0 and not isinstance(part, np.ndarray):
            return float(next(rest))
        return np.array([next(rest) for _ in range(part.size)]).reshape(part.shape)

    return build(like)


def shapes(value: Any) -> Any:
    """The structure with a shape for each leaf: what a gradient must share with its argument."""
    if isinstance(value, dict):
        return {key: shapes(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [shapes(item) for item in value]
    return np.shape(value)


# --------------------------------------------------------------------------------------------- the truth


@dataclass(frozen=True)
class Trial:
    """A program that ran, with its Jacobian by finite differences: a row per number of the result."""

    program: Program
    f: FunctionType
    result: Any
    printed: str | None  # None where steps may be run again
    jacobian: np.ndarray

    @property
    def chosen(self) -> tuple[Any, ...]:
        return tuple(self.program.args[k] for k in self.program.positions)


def trial(program: Program) -> Trial | None:
    f = define(program.source, "f")
    with np.errstate(all="ignore"):
        printed, result = listen(f, copy.deepcopy(program.args))
        result = copy.deepcopy(result)
        jacobian = differences(
            lambda *chosen: f(*replace(program, chosen)), tuple(program.args[k] for k in program.positions)
        )
    if jacobian is None or not np.all(np.isfinite(flatten(result))) or overflows(f, program.args):
        return None
    return Trial(program, f, result, printed, jacobian)


def overflows(f: Callable[..., Any], args: tuple[Any, ...]) -> bool:
    """Whether a number on the way is too large: the result may be finite, its derivative is a product with infinity."""
    try:
        with np.errstate(all="ignore", over="raise"):
            listen(f, copy.deepcopy(args))
    except FloatingPointError:
        return True
    return False


def replace(program: Program, chosen: tuple[Any, ...]) -> list[Any]:
    args = copy.deepcopy(list(program.args))
    for k, value in zip(program.positions, chosen):
        args[k] = value
    return args


def listen(f: Callable[..., Any], args: tuple[Any, ...] | list[Any], sink: Any = None) -> tuple[str, Any]:
    """What the call wrote to the module's `sink`, and what it returned."""
    sink = f.__globals__["sink"] if sink is None else sink  # type: ignore[attr-defined]
    sink.seek(0)
    sink.truncate()
    result = f(*args)
    return sink.getvalue(), result


def differences(f: Callable[..., Any], args: tuple[Any, ...]) -> np.ndarray | None:
    """The Jacobian by central differences of fourth order; None where two step sizes disagree."""
    at = flatten(args)
    columns = [_column(f, args, at, direction) for direction in np.eye(at.size)]
    if any(column is None for column in columns):
        return None
    return np.stack(columns, axis=1) if columns else None  # type: ignore[arg-type]


def _column(f: Callable[..., Any], args: tuple[Any, ...], at: np.ndarray, direction: np.ndarray) -> np.ndarray | None:
    def along(t: float) -> np.ndarray:
        return flatten(f(*fill(args, at + t * direction)))

    values = {k: along(k * STEP / 2) for k in (-4, -2, -1, 0, 1, 2, 4)}
    if len({value.size for value in values.values()}) > 1 or not all(np.all(np.isfinite(v)) for v in values.values()):
        return None
    fine, coarse = (_slope(values, k) for k in (1, 2))
    bend, wide_bend = (_bend(values, k) for k in (1, 2))
    scale = 1 + np.max(np.abs(fine), initial=0.0)
    if scale > 1e3 or np.max(np.abs(fine - coarse), initial=0.0) > 1e-7 * scale:
        return None
    if np.max(np.abs(bend - wide_bend), initial=0.0) > 1e-2 * (1 + np.max(np.abs(bend), initial=0.0)):
        return None  # a kink at this very place
    return fine


def _slope(values: dict[int, np.ndarray], k: int) -> np.ndarray:
    return (8 * (values[k] - values[-k]) - (values[2 * k] - values[-2 * k])) / (12 * k * STEP / 2)


def _bend(values: dict[int, np.ndarray], k: int) -> np.ndarray:
    return (values[k] - 2 * values[0] + values[-k]) / (k * STEP / 2) ** 2


# --------------------------------------------------------------------------------------------- the checks


class Wrong(AssertionError):
    """A derivative that is not what it should be."""


@dataclass(frozen=True)
class Engine:
    """How derivatives are made; tests put a broken one here to see it caught."""

    vjp: Callable[..., Derivative]
    jvp: Callable[..., Derivative]


def tangent_engine() -> Engine:
    import tangent

    return Engine(tangent.vjp, tangent.jvp)


def sharing(engine: Engine) -> Engine:
    """The engine that reads the functions of one program once for all of its derivatives."""
    read: dict[Hashable, Any] = {}

    def shared(mode: Callable[..., Derivative]) -> Callable[..., Derivative]:
        def made(*args: Any, **options: Any) -> Derivative:
            with keeping(read):
                return mode(*args, **options)

        return made

    return Engine(shared(engine.vjp), shared(engine.jvp))


def compiled_engine() -> Engine:
    """Derivatives as they are written for Numba; inside of `as_python` nothing is compiled."""
    import tangent

    def made(mode: Callable[..., Derivative]) -> Callable[..., Derivative]:
        return lambda f, wrt, optimized=True: mode(f, wrt, compile="numba")

    return Engine(made(tangent.vjp), made(tangent.jvp))


def checkpointed_engine(count: int) -> Engine:
    """Derivatives that keep so many states of their loops and compute the others again."""
    import tangent

    return Engine(partial(tangent.vjp, checkpoint=count), tangent.jvp)


@contextmanager
def as_python() -> Iterator[None]:
    """What is written for Numba runs as Python code, where reading memory that nothing was stored in gives nan."""
    import numba

    plain, empty = numba.config.DISABLE_JIT, np.empty

    def without_numbers(*args: Any, **options: Any) -> np.ndarray:
        made = empty(*args, **options)
        if made.dtype.kind == "f":
            made.fill(np.nan)
        return made

    numba.config.DISABLE_JIT, np.empty = True, without_numbers  # type: ignore[assignment]
    try:
        yield
    finally:
        numba.config.DISABLE_JIT, np.empty = plain, empty  # type: ignore[assignment]


def numbers(trial: Trial) -> tuple[Any, Any, np.random.Generator]:
    """A seed shaped as the result, tangents shaped as the chosen arguments: the same for the same program."""
    rng = np.random.default_rng(len(trial.program.source))
    seed = fill(
        trial.result,
        rng.uniform(0.3, 1.0, flatten(trial.result).size) * rng.choice([-1, 1], flatten(trial.result).size),
    )
    return seed, fill(trial.chosen, rng.uniform(-1, 1, flatten(trial.chosen).size)), rng


def check(trial: Trial, engine: Engine, optimized: tuple[bool, ...] = (True, False), times: int = 1) -> None:
    """Both modes against finite differences and against each other, optimised, which are called some times, and raw."""
    seed, tangents, _ = numbers(trial)
    engine, found = sharing(engine), []
    for choice in optimized:
        name = "optimised" if choice else "raw"
        gradient = call(
            trial,
            engine.vjp(trial.f, trial.program.wrt, optimized=choice),
            (seed,),
            f"vjp, {name}",
            shape=single(trial.chosen),
            times=times if choice else 1,
        )
        tangent = call(
            trial,
            engine.jvp(trial.f, trial.program.wrt, optimized=choice),
            tangents,
            f"jvp, {name}",
            shape=trial.result,
            times=times if choice else 1,
        )
        compare(flatten(gradient), flatten(seed) @ trial.jacobian, 1e-6, f"vjp, {name}, against finite differences")
        compare(flatten(tangent), trial.jacobian @ flatten(tangents), 1e-6, f"jvp, {name}, against finite differences")
        compare(
            flatten(gradient) @ flatten(tangents),
            flatten(seed) @ flatten(tangent),
            1e-10,
            f"<bx, dx> against <by, dy>, {name}",
        )
        found.append((flatten(gradient), flatten(tangent)))
    for other in found[1:]:
        compare(other[0], found[0][0], 1e-12, "vjp, raw against optimised")
        compare(other[1], found[0][1], 1e-12, "jvp, raw against optimised")


def check_second(trial: Trial, engine: Engine) -> None:
    """Derivatives of derivatives: three ways to one Hessian-vector product, and finite differences of the gradient."""
    seed, tangents, _ = numbers(trial)
    wrt, args, engine = trial.program.wrt, trial.program.args, sharing(engine)
    gradient, push = engine.vjp(trial.f, wrt), engine.jvp(trial.f, wrt)

    def slope(*chosen: Any) -> Any:
        return gradient(*replace(trial.program, chosen), copy.deepcopy(seed))

    hessian = differences(slope, trial.chosen)
    shape = single(trial.chosen)
    reverse = call(trial, engine.vjp(gradient, wrt), (seed, single(tangents)), "vjp of vjp", shape=shape)
    forward = call(trial, engine.jvp(gradient, wrt), (seed, *tangents), "jvp of vjp", shape=shape)
    mixed = call(trial, engine.vjp(push, wrt), (*tangents, seed), "vjp of jvp", shape=shape)
    scale = 1 + np.max(np.abs(flatten(reverse)), initial=0.0)
    compare(flatten(forward) / scale, flatten(reverse) / scale, 1e-9, "jvp of vjp against vjp of vjp")
    compare(flatten(mixed) / scale, flatten(forward) / scale, 1e-9, "vjp of jvp against jvp of vjp")
    if hessian is not None:
        compare(
            flatten(reverse),
            flatten(tangents) @ hessian,
            1e-5,
            f"vjp of vjp against differences of the gradient at {args!r}",
        )


def single(values: tuple[Any, ...]) -> Any:
    return values[0] if len(values) == 1 else values


def call(
    trial: Trial, derivative: Derivative, extra: tuple[Any, ...], what: str, shape: Any, times: int = 1
) -> Any:  # fmt: skip
    """Calls a derivative, and sees that it leaves its arguments alone, prints what `f` prints, and shares nothing.

    Called again, when versions for its arguments have been made, it gives the same.
    """
    first = _called(trial, derivative, extra, what, shape)
    for _ in range(times - 1):
        again = _called(trial, derivative, extra, f"{what}, called again", shape)
        compare(flatten(again), flatten(first), 1e-12, f"{what}, called again")
    return first


def _called(trial: Trial, derivative: Derivative, extra: tuple[Any, ...], what: str, shape: Any) -> Any:
    given = (*trial.program.args, *extra)
    before = copy.deepcopy(given)
    with np.errstate(all="ignore"):
        printed, result = listen(derivative, given, trial.f.__globals__["sink"])
    expect(same(given, before), f"{what}: an argument was changed")
    expect(trial.printed in (printed, None), f"{what}: printed {printed!r}, not {trial.printed!r}")
    expect(shapes(result) == shapes(shape), f"{what}: the shape is {shapes(result)}, not {shapes(shape)}")
    expect(not shared(result, given), f"{what}: the result shares memory with an argument or with itself")
    return result


def same(a: Any, b: Any) -> bool:
    """Equal to the last bit, and of the same types."""
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
    return np.array_equal(a, b) and getattr(a, "dtype", None) == getattr(b, "dtype", None)


def shared(result: Any, given: Any) -> bool:
    arrays = [leaf for leaf in leaves(result) if isinstance(leaf, np.ndarray)]
    others = [leaf for leaf in leaves(given) if isinstance(leaf, np.ndarray)]
    pairs = [(a, b) for a in arrays for b in others] + [(a, b) for k, a in enumerate(arrays) for b in arrays[:k]]
    return any(np.may_share_memory(a, b) for a, b in pairs)


def compare(found: Any, expected: Any, tolerance: float, what: str) -> None:
    gap = np.max(np.abs(np.asarray(found) - expected), initial=0.0)
    scale = 1 + np.max(np.abs(expected), initial=0.0)
    expect(bool(gap <= tolerance * scale), f"{what}: {found} is not {expected}")


def expect(holds: bool, message: str) -> None:
    if not holds:
        raise Wrong(message)
