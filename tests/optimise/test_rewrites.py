"""Rewrites of derivative trees: text in, text out; and what they must leave alone."""

import ast
import math
import re
import textwrap

import numpy as np
import pytest

import tangent
from tangent.optimise.accumulate import accumulate
from tangent.optimise.context import Optimisation
from tangent.optimise.hoist import hoist
from tangent.optimise.inline import inline
from tangent.optimise.recompute import recompute
from tangent.optimise.steady import steady
from tangent.optimise.uncopy import uncopy
from tangent.source.resolve import MISSING


def rewritten(step, text, **options):
    """The text after a rewrite, as Python prints it."""
    body = ast.parse(textwrap.dedent(text)).body
    done = step(body, Optimisation(lambda e: MISSING, **options))
    return "\n".join(ast.unparse(s) for s in done)


def same(text):
    return "\n".join(ast.unparse(s) for s in ast.parse(textwrap.dedent(text)).body)


LOOP = """
t_stack = []
for k in range(n):
    t = {value}
    y = y * t
    {extra}
    t_stack.append(t)
for k in reversed(range(n)):
    t = t_stack.pop()
    by = by * t
"""


@pytest.mark.parametrize("value", ["x[k]", "x[k + 1, 2:]", "a * b", "-a", "a + 1", "a / 6.0", "k > 3"])
def test_cheap_values_are_computed_again(value):
    found = rewritten(recompute, LOOP.format(value=value, extra="pass"))
    assert "t_stack" not in found and found.count(f"t = {ast.unparse(ast.parse(value))}") == 2


@pytest.mark.parametrize(
    "value, extra",
    [
        ("np.sin(a)", "pass"),  # not cheap
        ("1.0 / a", "pass"),  # may warn, or raise, once more
        ("a / 0.0", "pass"),
        ("y[k]", "pass"),  # another y by then
        ("x[k]", "x[0] = 1.0"),  # written into
        ("xs[-1]", "xs.append(y)"),  # grows
        ("a * b", "a = a + 1"),  # changes
        ("x[j]", "j = j + 1"),
        ("x[k]", "add_part(x, 1, y)"),
        ("x[k]", "x += y"),
        ("t * a", "pass"),  # made of itself
    ],
)
def test_what_may_have_changed_is_kept(value, extra):
    text = LOOP.format(value=value, extra=extra)
    assert rewritten(recompute, text) == same(text)


def test_storage_is_kept():
    text = LOOP.format(value="x[k]", extra="pass")
    assert rewritten(recompute, text, shared={"x": "x"}) == same(text)


def test_a_sum_is_not_put_off_behind_a_loop_that_reads_it():
    """Though it is summed up further there."""
    text = """
        b = 2.0 * a
        for k in range(n):
            bx = bx + b * x[k]
        b = b + c
        return b * b * bx
    """
    assert rewritten(inline, text) == same(text)


def test_a_restore_moves_up_for_what_is_made_of_it():
    found = rewritten(recompute, """
        x_stack = []
        t_stack = []
        for _ in range(n):
            t = x * w
            x_stack.append(x)
            x = np.sin(t)
            t_stack.append(t)
        for _ in reversed(range(n)):
            t = t_stack.pop()
            bt = bx * np.cos(t)
            x = x_stack.pop()
            bx = bt * w
    """)  # fmt: skip
    assert found == same("""
        x_stack = []
        for _ in range(n):
            t = x * w
            x_stack.append(x)
            x = np.sin(t)
        for _ in reversed(range(n)):
            x = x_stack.pop()
            t = x * w
            bt = bx * np.cos(t)
            bx = bt * w
    """)


def test_a_restore_does_not_move_before_a_read():
    text = """
        x_stack = []
        t_stack = []
        for _ in range(n):
            t = x * w
            x_stack.append(x)
            x = np.sin(t)
            t_stack.append(t)
        for _ in reversed(range(n)):
            t = t_stack.pop()
            bt = bx * np.cos(t) * x
            x = x_stack.pop()
            bx = bt * w
    """
    assert rewritten(recompute, text) == same(text)


def test_the_counter_of_another_loop_is_no_constant():
    text = """
        t_stack = []
        for k in range(n):
            t = x[k]
            t_stack.append(t)
        for _ in range(trips):
            t = t_stack.pop()
            by = by * t
    """
    assert rewritten(recompute, text) == same(text)


def bound_again(x, w, n):
    shifted = lambda v: v + w  # noqa: E731, F841  (what a lambda names keeps its name)
    for _ in range(n):
        x = np.sin(x * w)
    w = w * 1.1
    return w, x


def test_a_parameter_that_is_bound_again_is_no_constant():
    def f(x, w, n):
        w, x = bound_again(x, w, n)
        return np.sum(x) * np.sum(w)

    def g(x, w, n):
        for _ in range(n):
            x = np.sin(x * w)
        return np.sum(x) * np.sum(1.1 * w)

    x, w = np.linspace(0.1, 1.0, 4), np.linspace(0.5, 1.5, 4)
    np.testing.assert_allclose(tangent.grad(f, (0, 1))(x, w, 4), tangent.grad(g, (0, 1))(x, w, 4), rtol=1e-12)


def test_sums_in_place():
    text = """
        bw = init_grad(w)
        for t in reversed(range(n)):
            bw = bw + f(bz) - g(bz)
        return bw
    """
    found = rewritten(accumulate, text, accumulators=frozenset({"bw"}))
    assert "bw += f(bz)\n    bw -= g(bz)" in found
    assert rewritten(accumulate, text) == same(text)


@pytest.mark.parametrize(
    "line", ["bx = bw", "bw_stack.append(bw)", "bw = bw + h(bw)", "bw = f(bz)", "bx = bx + np.sum(bw)"]
)
def test_no_sums_in_place_into_what_is_read_elsewhere(line):
    text = f"""
        bw = init_grad(w)
        for t in reversed(range(n)):
            bw = bw + f(bz)
            {line}
        return bw
    """
    assert "+=" not in rewritten(accumulate, text, accumulators=frozenset({"bw"}))


def test_seeds_are_not_summed_into():
    text = """
        bw = bout
        for t in reversed(range(n)):
            bw = bw + f(bz)
        return bw
    """
    assert rewritten(accumulate, text, accumulators=frozenset({"bw"})) == same(text)


BRANCHES = """
x_stack = []
x_stack2 = []
for _ in range(n):
    if c:
        {extra}
        x_stack.append(x)
        x = x * a
    else:
        x_stack2.append(x)
        x = x + a
for _ in reversed(range(n)):
    if c:
        {back}
        x = x_stack.pop()
        bx = bx * a
    else:
        x = x_stack2.pop()
        ba = ba + bx
"""


def test_what_both_sides_keep_is_kept_once():
    found = rewritten(hoist, BRANCHES.format(extra="pass", back="pass"))
    assert "x_stack2" not in found and "    x_stack.append(x)\n    if c:" in found
    assert "    x = x_stack.pop()\n    if c:" in found


@pytest.mark.parametrize("extra, back", [("x = x + 1", "pass"), ("pass", "bx = bx * x")])
def test_what_is_not_the_same_on_both_sides_stays(extra, back):
    text = BRANCHES.format(extra=extra, back=back)
    assert rewritten(hoist, text) == same(text)


# Whole derivatives: right, and with nothing of the caller's changed


def rows(x, w):
    h = x[0] * 0.0
    for k in range(len(x)):
        if k % 2 == 0:
            h = np.tanh(h @ w + x[k] * w[0])
        else:
            h = h * x[k] + w[1]
    return np.sum(h * h)


def growing(x):
    xs = [x]
    for _ in range(3):
        t = xs[-1]
        xs.append(np.sin(t) * t)
    return xs[-1] * xs[1]


def bias(x, w, b):
    s = 0.0
    for _ in range(3):
        z = np.dot(x, w) + b
        s = s + np.sum(np.tanh(z) * z)
    return s


rng = np.random.default_rng(0)
WHOLE = [
    (rows, (rng.normal(size=(5, 3)), rng.normal(size=(3, 3))), (0, 1)),
    (growing, (0.7,), (0,)),
    (bias, (rng.normal(size=(4, 3)), rng.normal(size=(3, 2)), rng.normal(size=(5, 4, 2))), (0, 1, 2)),
    (bias, (rng.normal(size=3), rng.normal(size=(3, 2)), rng.normal(size=(4, 2))), (0, 1, 2)),
    (bias, (rng.normal(size=(4, 3)), rng.normal(size=3), rng.normal(size=(2, 4))), (0, 1, 2)),
    (bias, (rng.normal(size=3), rng.normal(size=3), rng.normal(size=(2, 4))), (0, 1, 2)),
]


@pytest.mark.parametrize("f, args, wrt", WHOLE)
def test_derivatives(f, args, wrt):
    kept = [np.array(a) for a in args]
    tangent.check_grads(f, args, wrt=wrt, order=2)
    g = tangent.grad(f, wrt=wrt)
    first, second = g(*args), g(*args)
    raw = tangent.grad(f, wrt=wrt, optimized=False)(*args)
    for a, b, c in zip(*((v,) if len(wrt) == 1 else v for v in (first, second, raw))):
        np.testing.assert_array_equal(a, b)
        np.testing.assert_allclose(a, c, rtol=1e-10)
        assert np.shape(a) == np.shape(c)
    for a, b in zip(args, kept):
        np.testing.assert_array_equal(a, b)


def prices(s, rate, n):
    for _ in range(n):
        for _ in range(2):
            s = s * math.exp(-rate) + math.sin(s)
    return s


def test_what_is_the_same_in_every_iteration_is_not_kept():
    df = tangent.grad(prices, wrt=(0, 1))
    assert df.source.count("_stack = []") == 1  # s
    for n in (0, 1, 3):
        h = 1e-6
        bs, brate = df(0.3, 0.2, n)
        assert bs == pytest.approx((prices(0.3 + h, 0.2, n) - prices(0.3 - h, 0.2, n)) / (2 * h), rel=1e-6)
        assert brate == pytest.approx((prices(0.3, 0.2 + h, n) - prices(0.3, 0.2 - h, n)) / (2 * h), rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("value", ["a ** 2", "1.0 / a", "a * b * c"])
def test_powers_that_are_the_same_in_every_iteration_are_not_kept(value):
    assert "t_stack." not in rewritten(steady, LOOP.format(value=value, extra="pass"))


def swept(x, n):
    q = np.zeros(n)
    d = 1.0 / n
    for _ in range(3):
        for j in range(1, n):
            q[j] = q[j - 1] * (1.0 + 2.0 * d) + x[j]
    return np.sum(q)


def test_single_sums_of_what_loops_make_alike_are_not_kept():
    df = tangent.grad(swept)
    assert re.findall(r"(\w+)\.append", df.source) == ["t6_stack"]  # for its shape
    version = df.version(np.ones(20), 20).source
    assert version.count("for ") == 2 and "_stack" not in version  # the forward loops have nothing to do
    expected = np.array([(swept(np.ones(20) + e, 20) - swept(np.ones(20) - e, 20)) / 2.0 for e in np.eye(20)])
    assert df(np.ones(20), 20) == pytest.approx(expected)


@pytest.mark.parametrize("value, extra", [("y ** 2", "pass"), ("a ** 2", "a = a + 1"), ("k ** 2", "pass")])
def test_what_differs_in_an_iteration_is_kept(value, extra):
    assert "t_stack.append(t)" in rewritten(steady, LOOP.format(value=value, extra=extra))


COPIED = """
b = ba.copy()
c = b * x
{between}
bw = bw - b * y
ba[0] = 0.0
"""


@pytest.mark.parametrize("between", ["pass", "bc += c", "y = c * c"])
def test_what_stays_as_it_is_is_read_without_a_copy(between):
    found = rewritten(uncopy, COPIED.format(between=between), shared={"ba": "a", "bc": "c"})
    assert "b = ba\n" in found


@pytest.mark.parametrize(
    "between",
    [
        "ba[1] = 2.0",  # the place changes
        "row += c",  # under another name
        "b += c",  # the copy changes
        "b[0] = 2.0",
        "b[...] = c",
        "kept.append(b)",  # somebody else holds the copy
        "z = b",
        "z = b[1:] * 2.0",  # a part, of which it is not known whether it is a view
        "if x > 0:\n    ba *= 2.0",
        "helper(ba)",  # may write
    ],
)
def test_what_changes_is_copied(between):
    shared = {"ba": "a", "row": "a"}
    assert "b = ba.copy()" in rewritten(uncopy, COPIED.format(between=between), shared=shared)
