"""What is compiled, as text: the derivative for the types of a call, as one would write it by hand."""

import math

import numpy as np
import pytest

import tangent

numba = pytest.importorskip("numba")


def source_for(f, *arguments, **options):
    derivative = tangent.grad(f, compile="numba", **options)
    plain = tangent.grad(f, **options)
    np.testing.assert_allclose(derivative(*arguments), plain(*arguments), rtol=1e-12, atol=1e-14)
    return derivative.source.splitlines()


def lines(text):
    return [line[4:] for line in text.splitlines() if line.strip()]


def recurrence(x, n):
    h = 0.1
    for _ in range(n):
        h = math.sin(h) * x
    return h


def test_numbers_need_no_dispatch_and_records_are_arrays():
    assert source_for(recurrence, 0.9, 5) == lines("""
    def drecurrencedx(x, n, bh=1.0):
        h = 0.1
        h_stack = np.empty(max(n, 0))
        t_stack = np.empty(max(n, 0))
        for _ in range(n):
            t = math.sin(h)
            h_stack[_] = h
            h = t * x
            t_stack[_] = t
        bx = 0.0
        for _ in range(n - 1, -1, -1):
            # Grad of: h = math.sin(h) * x
            bx += bh * t_stack[_]
            h = h_stack[_]
            bh = bh * x * math.cos(h)
        return bx
    """)


def smooth(a, steps):
    a = a.copy()
    for _ in range(steps):
        a[1:-1] = (a[:-2] + a[2:]) / 2
    return np.sum(a)


def test_slices_are_loops_with_buffers():
    text = "\n".join(source_for(smooth, np.arange(6.0), 2))
    assert "[1:-1]" not in text.replace("a[1:-1] = (a[:-2]", "")
    assert text.count("np.empty(") == 2


def products(x):
    s = 0.0
    for i in range(len(x) - 1):
        s = s + x[i] * x[i + 1]
    return s


def test_items_are_added_in_place():
    text = "\n".join(source_for(products, np.arange(4.0)))
    assert "bx[i + 1] += " in text and "bx[i] += " in text and "unbroadcast" not in text


def outer_sum(x, y):
    return np.sum(np.tanh(x * y))


def test_shapes_that_broadcast_get_another_version():
    """The first version takes arrays of one rank to have one shape; where they do not, there is another."""
    derivative = tangent.grad(outer_sum, wrt=(0, 1), compile="numba")
    plain = tangent.grad(outer_sum, wrt=(0, 1))
    wide, row, column = np.ones((3, 4)), np.full((1, 4), 0.5), np.full((3, 1), 0.25)
    for x, y in ((wide, wide), (wide, row), (column, row), (wide, wide)):
        for got, want in zip(derivative(x, y), plain(x, y), strict=True):
            assert got.shape == want.shape
            np.testing.assert_allclose(got, want, rtol=1e-12)


def scaled(x, y):
    return x * y


def test_versions_follow_the_types():
    derivative = tangent.vjp(scaled, compile="numba")
    assert derivative.compile_time == 0.0
    assert derivative(2.0, 3.0, 1.0) == 3.0
    first = derivative.compile_time
    np.testing.assert_allclose(derivative(2.0, np.array([1.0, 2.0]), np.ones(2)), 3.0)
    np.testing.assert_allclose(derivative(np.ones(2), 4.0, np.ones(2)), [4.0, 4.0])
    every = derivative.compile_time
    assert derivative(2.0, 3.0, 1.0) == 3.0
    assert 0.0 < first < every == derivative.compile_time


def guarded(x):
    return np.where(x != 0, 1.0 / x, 0.0)


def over(x, y):
    return x / y


def test_arrays_are_divided_as_numpy_does_it():
    derivative = tangent.vjp(guarded, compile="numba")
    np.testing.assert_allclose(derivative(np.array([2.0, 0.0]), np.ones(2)), [-0.25, 0.0])
    quotient = tangent.vjp(over, compile="numba")
    for _ in range(2):  # numbers are not
        with pytest.raises(ZeroDivisionError):
            quotient(1.0, 0.0, 1.0)


def fill(a, x):
    for i in range(len(a)):
        a[i] = math.sin(x * i) * a[i]


def filled(x, n):
    a = np.ones(n)
    fill(a, x)
    fill(a, x * x)
    return np.sum(a * a)


def test_functions_that_fill_their_arguments():
    source_for(filled, 0.5, 7)


def swapped(u, steps):
    u = u.copy()
    v = np.zeros_like(u)
    for _ in range(steps):
        for i in range(1, len(u) - 1):
            v[i] = 0.5 * u[i - 1] * u[i + 1] + u[i]
        u, v = v, u
    return np.sum(u * u)


def test_swapped_buffers():
    source_for(swapped, np.linspace(0.0, 1.0, 6), 3)


@numba.njit
def of_several_types(a, b):
    total = 0.0
    for v in numba.literal_unroll((a, b, 2.0)):
        total += np.sum(np.asarray(v) * a) * total + a
    return total + np.sum(v)


@pytest.mark.parametrize("f", [of_several_types, of_several_types.py_func])
def test_items_of_several_types(f):
    b = np.array([0.3, 0.4])
    of_a, of_b = tangent.grad(f, wrt=(0, 1))(1.3, b)
    step = 1e-20
    assert of_a == pytest.approx(of_several_types.py_func(1.3 + step * 1j, b).imag / step, rel=1e-12)
    for i in range(2):
        moved = b + step * 1j * np.eye(2)[i]
        assert of_b[i] == pytest.approx(of_several_types.py_func(1.3, moved).imag / step, rel=1e-12)


@numba.njit(parallel=True)
def in_parallel(x):
    s = 0.0
    for i in numba.prange(len(x)):
        s += x[i] * x[i]
    return s


@numba.njit(parallel=True)
def one_for_all(x):
    s = 0.0
    for i in numba.prange(len(x)):
        s += x[i] * x[0]
    return s


def test_parallel_loops_stay_parallel_where_each_iteration_has_its_own_elements():
    x = np.arange(3.0)
    derivative = tangent.grad(in_parallel)
    np.testing.assert_allclose(derivative(x), 2.0 * x)
    assert derivative.source.count("in prange(") == 1


@pytest.mark.filterwarnings("ignore::numba.NumbaPerformanceWarning")
def test_parallel_loops_that_add_to_one_element_run_one_after_the_other():
    derivative = tangent.grad(one_for_all)
    np.testing.assert_allclose(derivative(np.arange(3.0)), [3.0, 0.0, 0.0])
    assert "prange" not in derivative.source


@numba.njit(parallel=True)
def scaled_in_parallel(x, p):
    out = np.empty_like(x)
    for i in numba.prange(len(x)):
        out[i] = p * x[i]
    return np.sum(out * out)


@pytest.mark.filterwarnings("ignore::numba.NumbaPerformanceWarning")
def test_names_that_differ_by_underscores_are_not_mixed_up_in_parallel_loops():
    """Numba doubles underscores there: the seeds `bout_` and `bout__` would be one."""
    twice = tangent.vjp(tangent.vjp(scaled_in_parallel, wrt=(0, 1)), wrt=(0, 1))
    of_x, of_p = twice(np.ones(4), 2.0, 1.0, (np.ones(4), 1.0))
    np.testing.assert_allclose(of_x, np.full(4, 16.0))
    assert of_p == 40.0


def power(x, n):
    return 1.0 if n == 0 else x * power(x, n - 1)


def tree(w, k):
    if k >= w.shape[0]:
        return 0.3
    return math.tanh(w[k] * tree(w, 2 * k + 1) + other_tree(w, 2 * k + 2))


def other_tree(w, k):
    return 0.3 if k >= w.shape[0] else w[k] * tree(w, 2 * k + 1) + power(w[k], 2)


def test_recursion():
    """What calls keep is in lists; trees and functions that call each other included."""
    assert tangent.jvp(power, compile="numba")(2.0, 3, 1.0) == 12.0
    df = tangent.grad(power, compile="numba")
    assert df(2.0, 3) == 12.0
    assert "= power_kept[saved]" in df.source
    w = np.linspace(-1.0, 1.0, 9)
    np.testing.assert_allclose(tangent.grad(tree, compile="numba")(w, 0), tangent.grad(tree)(w, 0), rtol=1e-12)


def last_of_chain(x, i):
    return x[0] if i == 0 else x[i] * math.sin(last_of_chain(x, i - 1))


def test_recursion_in_single_precision():
    x = np.linspace(0.4, 1.2, 4).astype(np.float32)
    got = tangent.grad(last_of_chain, compile="numba")(x, 3)
    assert got.dtype == np.float32
    np.testing.assert_allclose(got, tangent.grad(last_of_chain)(x, 3), rtol=1e-5)


def integral(a, low, high, depth):
    """Halves intervals until two rules agree; what its helper keeps is kept, too."""
    middle = 0.5 * (low + high)
    width = high - low
    one = width * bell(middle, a)
    two = width / 6 * (bell(low, a) + 4 * bell(middle, a) + bell(high, a))
    if depth == 0 or abs(two - one) < 1e-4:
        return two
    return integral(a, low, middle, depth - 1) + integral(a, middle, high, depth - 1)


def bell(x, a):
    return math.exp(-a * x * x)


def test_recursion_with_helpers_at_first_and_second_order():
    for f, at in ((integral, (1.3, 0.0, 2.0, 3)), (tree, (np.linspace(-1.0, 1.0, 6), 0))):
        np.testing.assert_allclose(tangent.grad(f, compile="numba")(*at), tangent.grad(f)(*at), rtol=1e-12)
        second, direction = tangent.jvp(tangent.grad(f)), at[0] * 0 + 1.0
        compiled = tangent.jvp(tangent.grad(f), compile="numba")
        np.testing.assert_allclose(compiled(*at, 1.0, direction), second(*at, 1.0, direction), rtol=1e-12)


@pytest.mark.parametrize("f, at", ((power, (0.7, 4)), (last_of_chain, (np.linspace(0.4, 1.2, 4), 3))))
def test_gradients_of_gradients_of_recursion(f, at):
    """The gradient of what a call has kept is in a list, too, and made of nothing where no call was made."""
    twice, along = tangent.vjp(tangent.vjp(f)), np.cos(at[0])
    got = tangent.vjp(tangent.vjp(f), compile="numba")(*at, 1.3, along)
    np.testing.assert_allclose(got, twice(*at, 1.3, along), rtol=1e-12)


def sums_of_itself(x, n):
    s = 0.0
    for i in range(n):
        s += x * sums_of_itself(x, i) + i
    return s * x + 1.0


def test_gradients_of_gradients_of_recursion_in_loops_are_refused():
    with pytest.raises(
        tangent.errors.CompileError, match=r"test_forms.py:\d+: .*recursive function.*a type of its own"
    ):
        tangent.grad(tangent.grad(sums_of_itself), compile="numba")(2.0, 3)


def test_arguments_that_overlap_are_refused():
    def shift(a, b):
        a[1:] = b[:-1]
        return np.sum(a * b)

    a = np.arange(4.0)
    with pytest.raises(tangent.errors.InPlaceError):
        tangent.grad(shift, wrt=(0, 1), compile="numba")(a, a)


def states(x, n):
    h = np.zeros_like(x)
    for _ in range(n):
        h = np.tanh(0.5 * h + x) / 3
    s = 0.0
    for i in range(x.shape[0]):
        s += h[i] * 2.5 * math.sqrt(2.0)
    return s


def test_single_precision_stays_single():
    """Python's numbers do not widen arrays, as in NumPy; double precision is left alone."""
    x = np.array([0.3, 0.7, 1.1], np.float32)
    df = tangent.grad(states, compile="numba")
    got, want = df(x, 3), tangent.grad(states)(x, 3)
    assert got.dtype == want.dtype == np.float32
    np.testing.assert_allclose(got, want, rtol=2e-6)
    assert "np.float32(0.5)" in df.source
    got = df(x.astype(float), 3)
    assert got.dtype == np.float64 and "float32" not in df.source


@pytest.mark.parametrize(
    "f",
    [
        lambda x, w: np.sum(np.einsum("ij,jk->ik", x, w) ** 2),
        lambda x, w: np.einsum("ij,ij->", x, x) + np.sum(np.kron(x, w)),
        lambda x, w: np.sum(np.tensordot(x, w, axes=1) * np.hstack((x, x[:, :0]))),
    ],
)
def test_sums_of_products(f):
    x, w = np.linspace(-1.0, 1.0, 6).reshape(2, 3), np.linspace(0.0, 2.0, 9).reshape(3, 3)
    for mode, last in ((tangent.vjp, 1.0), (tangent.jvp, x[::-1] * 2.0)):
        np.testing.assert_allclose(mode(f, compile="numba")(x, w, last), mode(f)(x, w, last), rtol=1e-12, atol=1e-14)


def test_errors_inside_of_numba_name_the_line():
    """Whatever Numba raises while it compiles is told as a refusal."""
    with pytest.raises(tangent.errors.CompileError, match=r"test_forms.py:\d+: Numba does not compile"):
        tangent.grad(unheard_of, compile="numba")(np.ones(3))


def unheard_of(x):
    return np.sum(np.linalg.lstsq(np.outer(x, x), x, rcond=None)[0]) + np.sum(np.apply_along_axis(np.sum, 0, x))


def by_keyword(x, n=2, *, scale=1.0):
    return x * n * scale


def any_number(*xs, scale=2.0):
    return xs[0] * scale


def test_parameters_by_keyword_only():
    """Numba itself takes the default of another parameter for them."""

    def f(x):
        return x * by_keyword(3.0, 3) * by_keyword(3.0, scale=7.0)

    assert tangent.grad(f, compile="numba")(2.0) == by_keyword(3.0, 3) * by_keyword(3.0, scale=7.0)
    with pytest.raises(tangent.TangentError, match="'any_number', which it calls, takes any number"):
        tangent.grad(lambda x: x * any_number(3.0), compile="numba")(2.0)


def form_written(x):
    y = x * 1.0
    v = np.reshape(y[::2], (2, 2))
    v[0, 0] = x[1] * x[1]
    return np.sum(y * y * y)


def turned_form(x):
    y = np.reshape(x, (2, 4)).T
    return np.sum(np.reshape(y, (8,)) * x)


@pytest.mark.parametrize("f", [form_written, turned_form])
def test_forms_of_arrays_with_gaps_are_views_where_numpy_has_views(f):
    x = np.arange(1.0, 9.0) / 4.0
    assert tangent.jvp(f, compile="numba")(x, x) == pytest.approx(tangent.jvp(f)(x, x), rel=1e-12)
