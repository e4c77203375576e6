"""Compiled functions as helpers, and arrays that tuples and lists hold: what is written and shared is known."""

import numpy as np
import pytest

import tangent
from tangent.errors import InPlaceError
from tangent.runtime import broadcast_like, mirror, mutated, shadow

numba = pytest.importorskip("numba")


@numba.njit
def fill(a, x):
    for i in range(len(a)):
        a[i] = x * i + a[i - 1] * 0.5


@numba.njit
def first_set(a, x):
    a[0] = x * a[1]
    return a


def filled_by_a_helper(x):
    a = np.ones(4)
    fill(a, x)
    return (a * a).sum()


def returned_by_a_helper(x):
    a = np.ones(4)
    b = first_set(a, x)
    b *= x
    return (a * b).sum()


@pytest.mark.parametrize("f", [filled_by_a_helper, returned_by_a_helper])
def test_what_a_compiled_helper_writes_is_written_once(f):
    """Also where the caller is Python code, which hands its arrays to a compiled backward pass."""
    want = (f(0.7 + 1e-6) - f(0.7 - 1e-6)) / 2e-6
    assert tangent.grad(f)(0.7) == pytest.approx(want, rel=1e-8)
    assert tangent.jvp(f)(0.7, 1.0) == pytest.approx(want, rel=1e-8)
    assert tangent.grad(f, compile="numba")(0.7) == pytest.approx(want, rel=1e-8)


def halves(w):
    n = len(w) // 2
    return w[:n], w[n:]


def halves_written(x):
    w = x * 1.0
    q, p = halves(w)
    q += 0.1 * p
    p -= 0.1 * q * q
    return np.sum(w * w)


def test_views_in_a_tuple():
    x = np.linspace(0.2, 0.9, 6)
    want = tangent.grad(halves_written)(x)
    np.testing.assert_allclose(tangent.grad(halves_written, compile="numba")(x), want, rtol=1e-12)


def with_its_reverse(r):
    y = r * 2.0
    back = y[::-1]
    y[0] *= r[1]
    return y, back


def two_results_that_overlap(x):
    y, back = with_its_reverse(x)
    keep = back + 1.0
    back[1:3] *= y[:2]
    return np.sum(y * keep * x)


def test_results_that_overlap_are_refused():
    x = np.linspace(0.2, 0.9, 4)
    with pytest.raises(InPlaceError, match="share memory"):
        tangent.jvp(two_results_that_overlap, compile="numba")(x, x)


def stopped(a, x):
    """A sum that is returned from inside of the loop, and behind it."""
    total = 0.0
    for i in range(5):
        j = 0
        while j < 5:
            if x[j] * a > 1.4:
                break
            total += x[j] * a * (i + 1)
            j += 1
        if total > 30.0:
            return total * a
    return total


def distance(x):
    return np.sum(np.abs(x) * x)


@pytest.mark.parametrize(
    "f, arguments", [(stopped, (1.7, np.linspace(0.2, 1.0, 5))), (distance, (np.array([0.3, -0.5]),))]
)
def test_second_derivatives_agree(f, arguments):
    want = tangent.hessian(f)(*arguments)
    np.testing.assert_allclose(tangent.hessian(f, compile="numba")(*arguments), want, rtol=1e-12, atol=1e-12)


def first_item_set(a, e):
    a[0] = e


def read_before_a_helper_writes(a):
    s = a[0]
    first_item_set(a, s * s)
    return np.sum(a * a)


def test_what_a_helper_overwrites_is_put_back_for_what_is_read_again():
    x = np.array([0.3, 0.7])
    want = tangent.grad(read_before_a_helper_writes)(x)
    np.testing.assert_allclose(want, [4 * 0.3**3, 1.4], rtol=1e-12)
    np.testing.assert_allclose(tangent.grad(read_before_a_helper_writes, compile="numba")(x), want, rtol=1e-12)


@numba.njit
def shadows_of_views(p, k):
    """The shadow of p, reached through views of it, and through a tuple that hides it among others."""
    b = shadow(p)
    mirror(p[1:, ::2], p, b)[...] = 1.0
    again = mirror(p, p, b)
    column = mirror(p[::-1, k], (2.0, ([0.5], p)), (0.0, ([0.0], again)))
    column += p[::-1, k]
    mirror(p.T, [p], [again])[0, 1:] += 3.0
    return b


def test_a_view_has_its_part_of_the_shadow_wherever_it_is_found():
    p = np.arange(1.0, 13.0).reshape(3, 4)
    want = np.zeros((3, 4))
    want[1:, ::2] = 1.0
    want[:, 3] += p[:, 3]
    want.T[0, 1:] += 3.0
    assert np.array_equal(shadows_of_views(p, 3), want)


@numba.njit
def with_a_view(xs, a):
    """A list of contiguous arrays that is given a column: the column stays one."""
    changed = mutated(xs, "__setitem__", 1, a[:, 0])
    changed[1][0] = 5.0
    return changed[0][1] + a[0, 0]


def test_lists_of_arrays_take_views():
    assert with_a_view(numba.typed.List([np.ones(2), np.ones(2)]), np.zeros((2, 3))) == 6.0


@numba.njit
def added_to_an_element(b, x):
    b[0] += broadcast_like(x, b[0])
    return b


def test_arrays_without_axes_are_numbers_beside_elements():
    assert np.array_equal(added_to_an_element(np.ones(2), np.array(0.5)), [1.5, 1.0])


@numba.njit
def levinson(r):
    """Keeps turned parts: the one of a single element is contiguous, the others are not."""
    y = np.empty_like(r)
    alpha, beta = -r[0], 1.0
    y[0] = -r[0]
    for k in range(1, r.shape[0]):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + np.dot(np.flip(r[:k]), y[:k])) / beta
        y[:k] += alpha * np.flip(y[:k])
        y[k] = alpha
    return y


def of_a_compiled_function(r):
    return np.sum(levinson(r))


@pytest.mark.filterwarnings("ignore:.*faster on contiguous arrays")
def test_arrays_of_several_layouts_that_a_compiled_function_has_kept():
    """Numba takes no list of them from Python: it crashed."""
    r = 0.1 * np.arange(1.0, 6.0)
    tangent.testing.check_grads(of_a_compiled_function, (r,))
    want = tangent.vjp(levinson)(r, np.ones(5))
    np.testing.assert_allclose(tangent.grad(of_a_compiled_function)(r), want, rtol=1e-12)


@numba.njit
def square(x):
    return x * x


def slopes_of_a_variable_that_changes(x):
    s = x

    def g(y):
        return np.sin(y * s) * x

    for _ in range(2):
        s = s + 0.3 * tangent.grad(tangent.grad(g))(s)
    return s


def test_what_numba_holds_is_not_looked_through():
    """A memory is looked for in what functions hold; derivatives lead to all that was compiled."""
    assert tangent.grad(square)(2.0) == 4.0
    f = slopes_of_a_variable_that_changes
    expected = (f(0.7 + 1e-6) - f(0.7 - 1e-6)) / 2e-6
    np.testing.assert_allclose(tangent.grad(f)(0.7), expected, rtol=1e-6)
