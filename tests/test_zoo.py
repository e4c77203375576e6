"""Every program of the zoo, at every sample: both modes and their mixtures against finite differences."""

import contextlib
import copy
import functools
import inspect
import io
import zlib
from collections.abc import Callable, Hashable, Iterator
from typing import Any

import numpy as np
import pytest

import programs
import tangent
from programs import inactive, numeric
from programs.registry import LATER, PROGRAMS, Case, Program, cases
from tangent.source.kept import keeping

programs.load()

FIRST, SECOND, SAME = 1e-6, 1e-4, 1e-9
KEPT = 16  # tests of one program come in a row
CASES = list(cases(PROGRAMS))
SMOOTH = [case for case in CASES if case.program.holds is None]
KINKS = [case for case in CASES if case.program.holds is not None]


def every(selection: list[Case], mode: str | None = None, orders: int = 1) -> pytest.MarkDecorator:
    """Parametrise a test by the cases that claim this mode and order."""
    chosen = [c for c in selection if c.program.orders >= orders and (mode is None or mode in c.program.modes)]
    return pytest.mark.parametrize("case", chosen, ids=str)


# -- the derivatives, each transformed once


def positions(program: Program) -> tuple[int, ...]:
    names = list(inspect.signature(program.function).parameters)
    return tuple(names.index(name) for name in program.wrt)


def made_once(make: Callable[..., Any]) -> Callable[..., Any]:
    """A derivative is made once, and the functions that several derivatives of a program are made of are read once."""

    @functools.lru_cache(maxsize=KEPT)
    def made(program: Program, *mixture: str, **options: bool) -> Callable[..., Any]:
        with keeping(read_of(program)):
            return make(program, *mixture, **options)

    return made


@functools.lru_cache(maxsize=2)  # trees of which some are large
def read_of(program: Program) -> dict[Hashable, Any]:
    return {}


@made_once
def reverse(program: Program) -> Callable[..., Any]:
    return tangent.vjp(program.function, wrt=positions(program))


@made_once
def raw_reverse(program: Program) -> Callable[..., Any]:
    """The code as it is before it is optimised; the value of the function comes with the gradients."""
    return tangent.vjp(program.function, wrt=positions(program), optimized=False, preserve_result=True)


@made_once
def forward(program: Program, optimized: bool = True) -> Callable[..., Any]:
    names = program.wrt if len(program.wrt) > 1 else program.wrt[0]
    return tangent.jvp(program.function, wrt=names, optimized=optimized)


@made_once
def mixed(program: Program, mixture: str) -> Callable[..., Any]:
    match mixture:
        case "reverse-reverse":
            return tangent.vjp(reverse(program), wrt=positions(program))
        case "forward-reverse":
            return tangent.jvp(reverse(program), wrt=positions(program))
        case "reverse-forward":
            return tangent.vjp(forward(program), wrt=program.wrt)
    raise ValueError(mixture)


# -- calling them


def call(program: Program, function: Callable[..., Any], arguments: dict[str, Any], *extra: Any) -> Any:
    """Call the primal or a derivative: the seed or the tangents last, by keyword where the arguments are variadic."""
    positional: list[Any] = []
    keywords: dict[str, Any] = {}
    parameters = inspect.signature(program.function).parameters
    for name, parameter in parameters.items():
        match parameter.kind:
            case parameter.VAR_POSITIONAL:
                positional.extend(arguments[name])
            case parameter.VAR_KEYWORD:
                keywords.update(arguments[name])
            case parameter.KEYWORD_ONLY:
                keywords[name] = arguments[name]
            case _:
                positional.append(arguments[name])
    if program.variadic or keywords:
        added = [name for name in inspect.signature(function).parameters if name not in parameters] if extra else []
        return function(*positional, **keywords, **dict(zip(added, extra, strict=True)))
    return function(*positional, *extra)


def single(entries: tuple[Any, ...]) -> Any:
    """One entry stands for itself, several for a tuple."""
    return entries[0] if len(entries) == 1 else entries


class Setting:
    """A case with its arguments, a random seed and random tangents, always the same ones."""

    def __init__(self, case: Case) -> None:
        rng = np.random.default_rng(zlib.crc32(str(case).encode()))
        self.program = case.program
        self.arguments = case.arguments()
        self.point = tuple(self.arguments[name] for name in self.program.wrt)
        self.result = self.primal(copy.deepcopy(self.point))
        self.seed = numeric.draw(self.result, rng)
        self.tangents = numeric.draw(self.point, rng)

    def at(self, point: tuple[Any, ...]) -> dict[str, Any]:
        return {**copy.deepcopy(self.arguments), **dict(zip(self.program.wrt, point, strict=True))}

    def primal(self, point: tuple[Any, ...]) -> Any:
        return call(self.program, self.program.function, self.at(point))

    def derivative(self, function: Callable[..., Any], *extra: Any, point: tuple[Any, ...] | None = None) -> Any:
        arguments = self.at(copy.deepcopy(self.point) if point is None else point)
        with keeping(read_of(self.program)):  # what is differentiated because of what it is called with
            return call(self.program, function, arguments, *extra)

    def gradient(self, function: Callable[..., Any]) -> tuple[Any, ...]:
        """What a reverse derivative gives for the seed, one entry per argument."""
        got = self.derivative(function, copy.deepcopy(self.seed))
        return got if len(self.program.wrt) > 1 else (got,)

    def tangent(self, function: Callable[..., Any]) -> Any:
        """What a forward derivative gives for the tangents."""
        return self.derivative(function, *copy.deepcopy(self.tangents))

    def tolerance(self, double: float) -> float:
        return numeric.tolerance(double, self.point, self.result)


@functools.lru_cache(maxsize=KEPT)
def slope(program: Program, index: int) -> np.ndarray:
    """Finite differences of <seed, f> at a sample, in double precision."""
    setting = Setting(Case(program, index))
    return numeric.gradient(setting.primal, numeric.widen(setting.point), setting.seed)


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Programs at kinks divide by zero on purpose; programs that print are heard by pytest only."""
    with np.errstate(all="ignore"):
        yield


def check(function: Callable[..., Any], got: np.ndarray, want: np.ndarray, tolerance: float) -> None:
    """Fail with both vectors and the code that was generated."""
    if not numeric.close(got, want, tolerance):
        pytest.fail(f"got  {got}\nwant {want}\n\n{inspect.getsource(function)}", pytrace=False)


# -- the zoo itself


def test_the_zoo_is_large() -> None:
    assert len(PROGRAMS) >= 300
    names = [str(case) for case in cases(PROGRAMS + LATER)]
    assert len(names) == len(set(names))


def test_the_checks_can_fail() -> None:
    setting = Setting(CASES[0])
    want = numeric.gradient(setting.primal, numeric.widen(setting.point), setting.seed)
    assert numeric.close(want * (1 + 1e-8), want, FIRST)
    assert not numeric.close(want * (1 + 1e-5), want, FIRST)
    assert not numeric.close(np.append(want, 0.0), want, FIRST)
    assert not numeric.close(want * np.nan, want, FIRST)


@pytest.mark.parametrize("case", [c for c in cases(PROGRAMS + LATER) if c.program.holds is None], ids=str)
def test_samples_are_smooth_points(case: Case) -> None:
    """Two step sizes agree: neither a kink nor a jump is near, and the reference can be trusted."""
    setting = Setting(case)
    coarse = slope(case.program, case.index)
    fine = numeric.gradient(setting.primal, numeric.widen(setting.point), setting.seed, numeric.STEP / 4)
    assert all(numeric.numeric(leaf) for leaf in numeric.leaves(setting.result))
    assert np.all(np.isfinite(coarse))
    assert numeric.close(coarse, fine, FIRST)


# -- first derivatives


@every(SMOOTH, "reverse")
def test_reverse(case: Case) -> None:
    setting = Setting(case)
    derivative = reverse(case.program)
    got = setting.gradient(derivative)
    want = slope(case.program, case.index)
    check(derivative, numeric.covector(got), want, setting.tolerance(FIRST))


@every(SMOOTH, "forward")
def test_forward(case: Case) -> None:
    setting = Setting(case)
    derivative = forward(case.program)
    got = setting.tangent(derivative)
    want = numeric.directional(setting.primal, numeric.widen(setting.point), setting.tangents)
    check(derivative, numeric.vector(got), want, setting.tolerance(FIRST))


@every([case for case in SMOOTH if len(case.program.modes) == 2])
def test_modes_are_transposes(case: Case) -> None:
    """<seed, J v> = <J' seed, v>, far more precisely than finite differences can tell."""
    setting = Setting(case)
    along = numeric.covector(setting.seed) @ numeric.vector(setting.tangent(forward(case.program)))
    back = numeric.covector(setting.gradient(reverse(case.program))) @ numeric.vector(setting.tangents)
    assert np.isclose(along, back, rtol=setting.tolerance(SAME), atol=setting.tolerance(SAME))


@every(KINKS)
def test_kinks(case: Case) -> None:
    """At kinks the documented value holds, in both modes."""
    setting = Setting(case)
    want = tuple(case.program.holds[name] for name in case.program.wrt)
    got = setting.derivative(reverse(case.program), numeric.ones(setting.result))
    check(reverse(case.program), numeric.vector(got), numeric.vector(want), setting.tolerance(FIRST))
    along = setting.derivative(forward(case.program), *numeric.ones(setting.point))
    total, expected = numeric.vector(along).sum(keepdims=True), numeric.vector(want).sum(keepdims=True)
    check(forward(case.program), total, expected, setting.tolerance(FIRST))


# -- second derivatives


@pytest.mark.parametrize("mixture", ["reverse-reverse", "forward-reverse", "reverse-forward"])
@every(SMOOTH, "reverse", orders=2)
def test_second_order(case: Case, mixture: str) -> None:
    """The Hessian of <seed, f>, times the tangents: the three mixtures are three ways to it."""
    if mixture == "reverse-forward" and "forward" not in case.program.modes:
        pytest.skip("no forward mode")
    setting = Setting(case)
    derivative = mixed(case.program, mixture)
    seed, tangents = copy.deepcopy((setting.seed, setting.tangents))
    match mixture:
        case "reverse-reverse":
            got = setting.derivative(derivative, seed, single(tangents))
        case "forward-reverse":
            got = setting.derivative(derivative, seed, *tangents)
        case _:
            got = setting.derivative(derivative, *tangents, seed)
    check(derivative, numeric.covector(got), curvature(case), setting.tolerance(SECOND))


@functools.lru_cache(maxsize=KEPT)
def curvature(case: Case) -> np.ndarray:
    """Finite differences of the first derivative along the tangents, in double precision."""
    setting = Setting(case)
    first, seed = reverse(case.program), numeric.widen(setting.seed)
    return numeric.directional(
        lambda point: setting.derivative(first, seed, point=point),
        numeric.widen(setting.point),
        setting.tangents,
        read=numeric.covector,
    )


# -- raw code, structure, effects


@every(CASES, "reverse")
def test_raw_reverse_gives_the_same(case: Case) -> None:
    setting = Setting(case)
    *gradients, value = setting.derivative(raw_reverse(case.program), copy.deepcopy(setting.seed))
    for _ in range(3):  # the third call has a version for its arguments
        tidy = setting.gradient(reverse(case.program))
    check(raw_reverse(case.program), numeric.vector(gradients), numeric.vector(tidy), setting.tolerance(SAME))
    check(raw_reverse(case.program), numeric.vector(value), numeric.vector(setting.result), setting.tolerance(SAME))


@every(CASES, "forward")
def test_raw_forward_gives_the_same(case: Case) -> None:
    setting = Setting(case)
    raw = setting.tangent(forward(case.program, optimized=False))
    for _ in range(3):
        tidy = setting.tangent(forward(case.program))
    check(forward(case.program, optimized=False), numeric.vector(raw), numeric.vector(tidy), setting.tolerance(SAME))


@every(CASES, "reverse")
def test_gradients_look_like_arguments(case: Case) -> None:
    """Structure, shape and dtype of the arguments; integers get floats."""
    setting = Setting(case)
    for gradient, argument in zip(setting.gradient(reverse(case.program)), setting.point, strict=True):
        alike(gradient, argument)


@every(CASES, "forward")
def test_tangents_look_like_results(case: Case) -> None:
    """Structure and shape of the result."""
    setting = Setting(case)
    got = setting.tangent(forward(case.program))
    assert [np.shape(t) for t in numeric.leaves(got)] == [np.shape(y) for y in numeric.leaves(setting.result)]
    assert skeleton(got) == skeleton(setting.result)


@every(CASES, "reverse")
def test_gradients_belong_to_nobody_else(case: Case) -> None:
    """No returned array shares memory with an argument, the seed or another returned array."""
    setting = Setting(case)
    arguments, seed = setting.at(copy.deepcopy(setting.point)), copy.deepcopy(setting.seed)
    returned = arrays(call(case.program, reverse(case.program), arguments, seed))
    others = arrays((tuple(arguments.values()), seed))
    for k, array in enumerate(returned):
        assert not any(np.shares_memory(array, other) for other in others + returned[:k])


@every(CASES)
def test_arguments_are_unchanged(case: Case) -> None:
    setting = Setting(case)
    arguments, seed, tangents = setting.at(copy.deepcopy(setting.point)), setting.seed, setting.tangents
    given = copy.deepcopy((arguments, seed, tangents))
    call(case.program, reverse(case.program), given[0], given[1])
    if "forward" in case.program.modes:
        call(case.program, forward(case.program), given[0], *given[2])
    unchanged(given, (arguments, seed, tangents))


@every([case for case in CASES if case.program.theme == "inactive"])
@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_effects_happen_once(case: Case, mode: str) -> None:
    """A derivative prints, appends and counts what its primal prints, appends and counts."""
    setting = Setting(case)
    want = effects(lambda: setting.primal(setting.point))
    if mode == "reverse":
        got = effects(lambda: setting.gradient(reverse(case.program)))
    else:
        got = effects(lambda: setting.tangent(forward(case.program)))
    assert got == want


def effects(action: Callable[[], Any]) -> tuple[Any, ...]:
    """What an action prints, and what it does to the globals of `inactive`."""
    count, calls = inactive.COUNTS["calls"], inactive.calls_made
    inactive.HISTORY.clear()
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        action()
    return printed.getvalue(), list(inactive.HISTORY), inactive.COUNTS["calls"] - count, inactive.calls_made - calls


def alike(gradient: Any, argument: Any) -> None:
    """Assert that a gradient has the structure, shapes and dtypes of its argument."""
    match argument:
        case dict():
            assert type(gradient) is type(argument) and gradient.keys() == argument.keys()
            for key in argument:
                alike(gradient[key], argument[key])
        case tuple() | list():
            assert type(gradient) is type(argument) and len(gradient) == len(argument)
            for part, item in zip(gradient, argument, strict=True):
                alike(part, item)
        case np.ndarray() | np.generic():
            wanted = argument.dtype if argument.dtype.kind in "fc" else np.dtype(np.float64)
            assert np.shape(gradient) == argument.shape
            assert isinstance(gradient, (np.ndarray, np.generic, float, complex))
            assert np.asarray(gradient).dtype == wanted
            assert argument.ndim == 0 or isinstance(gradient, np.ndarray)
        case complex():
            assert isinstance(gradient, (complex, np.complexfloating))
        case _ if numeric.is_object(argument):
            assert type(gradient) is type(argument)
            alike(vars(gradient), vars(argument))
        case None | str():
            assert gradient is None
        case _:
            assert isinstance(gradient, (float, np.floating))


def skeleton(structure: Any) -> Any:
    """A structure without its numbers; objects by their class and attributes."""
    bare = numeric.rebuild(structure, lambda _: 0)
    return (type(bare), vars(bare)) if numeric.is_object(bare) else bare


def arrays(structure: Any) -> list[np.ndarray]:
    return [leaf for leaf in numeric.leaves(structure) if isinstance(leaf, np.ndarray)]


def unchanged(got: Any, want: Any) -> None:
    """Assert that two structures hold the same types, shapes and numbers, bit for bit."""
    assert type(got) is type(want)
    match want:
        case dict():
            assert list(got) == list(want)
            unchanged(tuple(got.values()), tuple(want.values()))
        case tuple() | list():
            assert len(got) == len(want)
            for mine, other in zip(got, want, strict=True):
                unchanged(mine, other)
        case np.ndarray():
            assert got.dtype == want.dtype
            assert np.array_equal(got, want, equal_nan=want.dtype.kind in "fc")
        case _ if numeric.is_object(want):
            unchanged(vars(got), vars(want))
        case _:
            assert got == want
