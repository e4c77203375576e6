"""The time of a transformation grows with the length of the text, and not faster."""

import importlib.util
import sys

import numpy as np
import pytest

import tangent


def module_of(path, text):
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def chain(depth):
    """Functions that call each other, one inside the other."""
    lines = ["import numpy as np", "", "def h0(x):", "    return np.tanh(x)", ""]
    for i in range(1, depth):
        lines += [f"def h{i}(x):", f"    y = np.tanh(x * {i}.5)", f"    return (h{i - 1}(y) * y + x) / (1.0 + y)", ""]
    return "\n".join(lines)


def test_deep_calls(tmp_path):
    """Each level twice would be a million times at this depth."""
    f = module_of(tmp_path / "deep.py", chain(20)).h19
    x = np.float64(0.3)
    assert tangent.grad(f)(x) == pytest.approx((f(x + 1e-6) - f(x - 1e-6)) / 2e-6, rel=1e-6)
    assert tangent.jvp(f)(x, 1.0) == pytest.approx(tangent.grad(f)(x), rel=1e-12)


MUTUAL = """
def even(x, n):
    return x if n == 0 else odd(x * x, n - 1) + x

def odd(x, n):
    return 1.0 if n == 0 else 0.5 * even(x + 1.0, n - 1)

def both(x, n):
    return even(x, n) * odd(x, n)
"""


def test_functions_that_call_each_other(tmp_path):
    f = module_of(tmp_path / "mutual.py", MUTUAL).both
    slope = (f(0.3 + 1e-6, 5) - f(0.3 - 1e-6, 5)) / 2e-6
    assert tangent.grad(f)(0.3, 5) == pytest.approx(slope, rel=1e-6)


def test_many_alternatives(tmp_path):
    """Each 'elif' is inside the one before: twice for each would be a billion times."""
    lines = ["def pick(x):"]
    for i in range(30):
        lines += [f"    {'el' if i else ''}if x > {30 - i}:", f"        x = x * x * {i}.5"]
    f = module_of(tmp_path / "pick.py", "\n".join([*lines, "    return x"])).pick
    assert tangent.grad(f)(10.25) == pytest.approx(2 * 10.25 * 20.5, rel=1e-12)
    assert tangent.jvp(f)(10.25, 1.0) == pytest.approx(2 * 10.25 * 20.5, rel=1e-12)


def test_deep_loops(tmp_path):
    """Each loop twice for the one around it would be half a million times at this depth."""
    depth = 18
    lines = ["import numpy as np", "def nest(x, n):", "    s = 0.0"]
    lines += [f"{'    ' * (k + 1)}for i{k} in range(n):" for k in range(depth)]
    lines += [f"{'    ' * (depth + 1)}s = s + np.sin(x[i0]) * x[i{depth - 1}]", "    return s"]
    f = module_of(tmp_path / "nest.py", "\n".join(lines)).nest
    x, df = np.array([0.3, 0.7]), tangent.grad(f)
    for _ in range(4):
        np.testing.assert_allclose(df(x, 1), [np.cos(0.3) * 0.3 + np.sin(0.3), 0.0])


def test_a_sum_of_many_terms(tmp_path):
    """Trees are as deep as sums are long; the limit of calls inside each other is that of before."""
    terms = " + ".join(f"x * {k}.5" for k in range(450))
    f = module_of(tmp_path / "many_terms.py", f"def f(x):\n    return {terms}\n").f
    limit = sys.getrecursionlimit()
    assert tangent.grad(f)(2.0) == sum(k + 0.5 for k in range(450))
    assert sys.getrecursionlimit() == limit
