"""`compile="numba"`: the derivative as machine code agrees with the derivative as Python code."""

import math
import os
import subprocess
import sys
import tomllib
import types
from pathlib import Path

import numpy as np
import pytest

import tangent

numba = pytest.importorskip("numba")

ROOT = Path(__file__).resolve().parent.parent.parent


def square(x):
    return x * x


def recurrence(x, n):
    h = 0.1
    for _ in range(n):
        h = math.sin(h * x) + 0.5 * x
    return h


def slope(x):
    return math.exp(-x) * x


def area(x, y):
    if x > y:
        return slope(x) * y
    return slope(y)


def recurrent(x, w, n):
    h = np.zeros_like(x)
    for _ in range(n):
        h = np.tanh(w * h + x)
    return np.sum(h * h)


def doubled(x):
    while x < 100.0:
        x = x * 1.5 + slope(x)
    return x


def products(x):
    s = 0.0
    for i in range(len(x) - 1):
        s = s + x[i] * x[i + 1]
    return s


VECTOR = np.array([0.3, -0.2, 0.9])
CASES = [
    (square, (3.0,)),
    (recurrence, (0.3, 20)),
    (area, (2.0, 1.0)),
    (recurrent, (VECTOR, 0.5, 4)),
    (doubled, (1.5,)),
    (products, (VECTOR,)),
]


def same(a, b):
    np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("f, arguments", CASES, ids=[f.__name__ for f, _ in CASES])
def test_agrees_with_the_interpreted_derivative(f, arguments):
    compiled = tangent.grad(f, compile="numba")
    same(compiled(*arguments), tangent.grad(f)(*arguments))
    direction = np.ones_like(arguments[0]) if isinstance(arguments[0], np.ndarray) else 1.0
    same(tangent.jvp(f, compile="numba")(*arguments, direction), tangent.jvp(f)(*arguments, direction))
    assert compiled.versions.latest.dispatcher.nopython_signatures


def test_other_derivatives():
    point = np.array([0.5, 1.5, -1.0])
    value, gradient = tangent.value_and_grad(products, compile="numba")(point)
    assert value == products(point)
    same(gradient, tangent.grad(products)(point))
    same(tangent.hessian(products, compile="numba")(point), tangent.hessian(products)(point))
    same(tangent.hvp(products, compile="numba")(point, VECTOR), tangent.hvp(products)(point, VECTOR))
    same(tangent.jacobian(np.sin, compile="numba")(point), np.diag(np.cos(point)))


def test_the_source_is_what_is_compiled():
    derivative = tangent.grad(products, compile="numba")
    assert "def dproductsdx(x, bs=1.0):" in derivative.source
    assert derivative.plain.__code__ is derivative.dispatcher.py_func.__code__


def test_options_go_to_numba():
    derivative = tangent.grad(square, compile="numba", fastmath=True, nogil=True)
    assert derivative.dispatcher.targetoptions["fastmath"] is True
    with pytest.raises(TypeError, match="Pass compile='numba'"):
        tangent.grad(square, fastmath=True)
    with pytest.raises(ValueError, match="Pass 'numba' or None"):
        tangent.grad(square, compile="cython")


@numba.njit
def jitted_slope(x):
    return math.exp(-x) * x


@numba.njit(fastmath=True)
def jitted(x):
    return jitted_slope(x) * x


def test_derivatives_of_compiled_functions_are_compiled():
    derivative = tangent.grad(jitted)
    x = 0.7
    same(derivative(x), (2 * x - x * x) * math.exp(-x))
    assert derivative.dispatcher.targetoptions["fastmath"] is True
    same(tangent.grad(derivative)(x), tangent.grad(tangent.grad(lambda x: math.exp(-x) * x * x))(x))


def test_numba_by_hand():
    by_hand = numba.njit(tangent.grad(recurrence))
    same(by_hand(0.3, 20, 1.0), tangent.grad(recurrence)(0.3, 20))
    same(by_hand(0.3, 20), tangent.grad(recurrence)(0.3, 20))


def strange(x, table):
    return x * table["a"]


def test_a_function_that_numba_lacks_is_named():
    def remainder(a, b):
        return math.fmod(b, a) * a

    with pytest.raises(tangent.errors.CompileError, match=r"test_compile.py:\d+.*Numba has no 'math.fmod'"):
        tangent.grad(remainder, compile="numba")(0.3, 1.2)


def test_a_refusal_names_the_line():
    derivative = tangent.grad(strange, compile="numba")
    with pytest.raises(tangent.errors.CompileError) as caught:
        derivative(2.0, {"a": 3.0})
    message = str(caught.value)
    assert "test_compile.py" in message and len(message.splitlines()) <= 5
    assert tangent.grad(strange)(2.0, {"a": 3.0}) == 3.0


RATE = 2.0


def with_a_global(x):
    return RATE * x * x


def test_globals_that_change_are_seen():
    global RATE
    derivative = tangent.grad(with_a_global, compile="numba")
    assert derivative(3.0) == 12.0
    RATE = 5.0
    try:
        assert derivative(3.0) == 30.0
    finally:
        RATE = 2.0
    assert derivative(3.0) == 12.0


rates = types.ModuleType("rates")
rates.FIRST, rates.SECOND = 2.0, 3.0


def helped_by_a_module(x):
    return x * rates.SECOND


def with_a_module(x):
    return helped_by_a_module(x) * x * rates.FIRST


def test_attributes_of_modules_that_change_are_seen():
    derivative = tangent.grad(with_a_module, compile="numba")
    same(derivative(0.5), 6.0)
    rates.FIRST = 4.0
    same(derivative(0.5), 12.0)
    rates.SECOND = 1.0
    same(derivative(0.5), 4.0)


def test_arguments_are_checked():
    derivative = tangent.vjp(np.sin, compile="numba")
    with pytest.raises(tangent.errors.SeedError):
        derivative(VECTOR)


def whole_number(x):
    return int(x) * 3


def truth(x):
    return x > 1.0


def nothing(x):
    x * 2.0


def a_turn(x):
    return x * (1.0 + 2.0j)


def two_numbers(x):
    return x, 2.0 * x


def whole_numbers(x):
    return (x * np.ones(2)).astype(np.int64)


@pytest.mark.parametrize(
    "f, says",
    [
        (whole_number, "the result is int, not a float"), (truth, "the result is bool, not a float"),
        (nothing, "the result is None, not a float"), (a_turn, "the result is complex"),
        (two_numbers, "not a single number"), (whole_numbers, "the result is an array of int64, not a float"),
    ],
    ids=lambda p: getattr(p, "__name__", ""),
)  # fmt: skip
def test_results_without_gradient_are_refused(f, says):
    """As in Python code, at the line of the result."""
    for compile in ({}, {"compile": "numba"}):
        with pytest.raises(tangent.errors.SeedError, match=says) as found:
            tangent.grad(f, **compile)(2.5)
        assert found.value.where.file == __file__


def test_whole_numbers_have_no_gradient_where_a_seed_is_given():
    assert tangent.grad(whole_number, compile="numba")(2.5, 2.0) == 0.0


@numba.njit
def jitted_loop(x, n):
    s = x
    for i in range(n):
        s = math.sin(s) * x + i
    return s


def in_python(x, names):
    scale = {"a": 2.0}[names]
    return jitted_loop(x, 3) * scale


def test_callees_that_are_compiled_have_compiled_derivatives():
    """Also where the caller is Python code that Numba would not take."""
    plain = tangent.grad(lambda x: jitted_loop.py_func(x, 3) * 2.0)
    same(tangent.grad(in_python)(0.7, "a"), plain(0.7))
    same(tangent.jvp(in_python)(0.7, "a", 1.0), plain(0.7))
    same(tangent.grad(tangent.grad(in_python))(0.7, "a"), tangent.grad(plain)(0.7))


CACHED = """
import math
import rates

def helper(x):
    return math.exp(-x) * {factor} * rates.RATE

def f(x):
    return helper(x) * x

import tangent
df = tangent.grad(f, compile="numba", cache=True)
print(df(0.5), sum(df.versions.latest.dispatcher.stats.cache_hits.values()))
"""


def test_the_cache_on_disk(tmp_path):
    """Found again by another process, and not found once a helper has changed, or what it takes from a module."""

    def run(factor, rate="1.0"):
        file = tmp_path / "cached.py"
        (tmp_path / "rates.py").write_text(f"RATE = {rate}")
        file.write_text(CACHED.format(factor=factor))
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p), "NUMBA_CACHE_DIR": str(tmp_path)}
        done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, env=env, check=False)
        assert done.returncode == 0, done.stderr
        value, hits = done.stdout.split()
        return float(value), int(hits)

    first, again, other, faster = run(2.0), run(2.0), run(3.0), run(2.0, "1.25")
    assert (first[1], again[1], other[1], faster[1]) == (0, 1, 0, 0)
    assert first[0] == again[0]
    same(other[0], first[0] * 1.5)
    same(faster[0], first[0] * 1.25)


def applied_twice(f, x):
    return f(f(x))


def test_functions_that_a_call_names_are_compiled():
    def f(x):
        return applied_twice(np.sin, x) + applied_twice(slope, x) + applied_twice(lambda v: v * v, x)

    same(tangent.grad(f, compile="numba")(0.7), tangent.grad(f)(0.7))
    same(tangent.jvp(f, compile="numba")(0.7, 1.0), tangent.jvp(f)(0.7, 1.0))


def test_closures_over_variables_are_compiled_where_they_are_only_called():
    def f(x, k):
        return applied_twice(lambda v: v * k, x)

    same(tangent.grad(f, wrt=(0, 1), compile="numba")(0.7, 2.0), tangent.grad(f, wrt=(0, 1))(0.7, 2.0))


def test_closures_over_variables_that_are_kept_are_refused_with_their_place():
    def f(x, k):
        kept = [lambda v: v * k]
        return kept[0](x)

    with pytest.raises(tangent.errors.CompileError, match=r"test_compile.py:\d+.*kept = \[lambda") as caught:
        tangent.grad(f, wrt=(0, 1), compile="numba")(0.7, 2.0)
    assert "Without compile='numba'" in str(caught.value)


WITHOUT = """
import sys
sys.modules["numba"] = None
import numpy as np, tangent
from tangent.backends.numba import init
print(tangent.grad(np.sum)(np.ones(2)), [m for m in sys.modules if m.startswith(("numba.", "tangent.backends.numba."))])
"""


def test_the_entry_point_costs_nothing_without_numba():
    """Numba finds it under this name, and calls it; nothing of it is loaded where there is no Numba."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert project["project"]["entry-points"]["numba_extensions"] == {"init": "tangent.backends.numba:init"}
    run = [sys.executable, "-c", WITHOUT]
    out = subprocess.run(run, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT / "src")})
    assert out.stdout == "[1. 1.] []\n", out.stderr
