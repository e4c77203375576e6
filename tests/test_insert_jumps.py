"""`break` and `continue` of blocks in loops that bind storage anew or hand it to functions that write.

What is left out is put back but has no adjoint, and a name keeps the gradient that it has where the block jumps. Each
program stands beside its backward loop by hand.
"""

import numpy as np
import pytest

from tangent import grad, hvp, insert_grad_of, jvp, stop_gradient
from tangent.errors import InPlaceError

X = np.array([0.5, 0.8, 1.1])


def swapped(x, n, k, ends):
    a, b = x.copy(), np.zeros(3)
    q = np.sum(a * a * a)
    for t in range(n):
        b[:] = a * a * x
        a, b = b, a
        with insert_grad_of(a) as da:
            if t < n - k:
                da = da * 0.5
                if ends:
                    break
                continue
        a *= x
    return np.sum(a) * q


def swapped_by_hand(x, n, k, ends):
    a, before, between = x, [], []
    for _ in range(n):
        before.append(a)
        a = a * a * x
        between.append(a)
        a = a * x
    ba, bb, bx = np.full(3, np.sum(x**3)), 0.0 * x, 0.0 * x
    for t in reversed(range(n)):
        bx, ba = bx + ba * between[t], ba * x
        if t < n - k:
            ba = ba * 0.5
            if ends:
                break
            continue
        ba, bb = bb, ba
        bx, ba, bb = bx + bb * before[t] ** 2, ba + bb * 2 * before[t] * x, 0.0 * x
    return bx + ba + np.sum(a) * 3 * x * x


def bound_anew(x, n, k, ends):
    a = x.copy()
    q = np.sum(a * a * a)
    for t in range(n):
        b = np.zeros(3)
        b[:] = a * a * x
        b[0] = b[1]
        a = b
        with insert_grad_of(x):
            if t < n - k and ends:
                break
            if t < n - k:
                continue
        a *= x
    return np.sum(a) * q


def bound_anew_by_hand(x, n, k, ends):
    a, before, between = x, [], []
    for _ in range(n):
        before.append(a)
        a = (a * a * x)[[1, 1, 2]]
        between.append(a)
        a = a * x
    ba, bx = np.full(3, np.sum(x**3)), 0.0 * x
    for t in reversed(range(n)):
        bx, ba = bx + ba * between[t], ba * x
        if t < n - k and ends:
            break
        if t < n - k:
            continue
        bb = np.array([0.0, ba[0] + ba[1], ba[2]])
        bx, ba = bx + bb * before[t] ** 2, bb * 2 * before[t] * x
    return bx + ba + np.sum(a) * 3 * x * x


def scale(out, a):
    out[:] = np.sin(a) * out


def by_a_writer(x, n, k, ends):
    a, b = x.copy(), np.ones(3)
    q = np.sum(a * a * a)
    for t in range(n):
        scale(b, a)
        a, b = b, a
        with insert_grad_of(x):
            if t < n - k and ends:
                break
            if t < n - k:
                continue
        row = a[1:]
        row *= x[1:]
    return np.sum(a * b) * q


def by_a_writer_by_hand(x, n, k, ends):
    a, b, kept, w = x, np.ones(3), [], np.array([1.0, x[1], x[2]])
    for _ in range(n):
        kept.append((a, b))
        a, b = np.sin(a) * b, a
        kept[-1] += (a,)
        a = a * w
    ba, bb, bw = np.sum(x**3) * b, np.sum(x**3) * a, 0.0 * x
    total = np.sum(a * b)
    for t in reversed(range(n)):
        a, b, between = kept[t]
        bw, ba = bw + ba * between, ba * w
        if t < n - k and ends:
            break
        if t < n - k:
            continue
        ba, bb = bb, ba
        ba, bb = ba + bb * np.cos(a) * b, bb * np.sin(a)
    return np.array([0.0, bw[1], bw[2]]) + ba + total * 3 * x * x


PROGRAMS = [(swapped, swapped_by_hand), (bound_anew, bound_anew_by_hand), (by_a_writer, by_a_writer_by_hand)]


@pytest.mark.parametrize("f, by_hand", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("optimized", [True, False])
def test_names_keep_their_gradients(f, by_hand, optimized):
    df = grad(f, optimized=optimized)
    for n, k in [(0, 0), (1, 0), (3, 1), (3, 2), (4, 2), (4, 4)]:
        for ends in (True, False):
            np.testing.assert_allclose(df(X, n, k, ends), by_hand(X, n, k, ends), rtol=1e-10)


@pytest.mark.parametrize("f, by_hand", PROGRAMS, ids=lambda f: f.__name__)
def test_second_order(f, by_hand):
    v, h = np.array([1.0, -0.5, 2.0]), 1e-6

    def along(x, ends):
        return np.sum(grad(f)(x, 4, 2, ends) * v)

    for ends in (True, False):
        numeric = (np.sum(by_hand(X + h * v, 4, 2, ends) * v) - np.sum(by_hand(X - h * v, 4, 2, ends) * v)) / (2 * h)
        assert np.isclose(np.sum(grad(along)(X, ends) * v), numeric, rtol=1e-5)
        assert np.isclose(jvp(along)(X, ends, v), numeric, rtol=1e-5)


def three_buffers(x, n, k):
    a, b, c = x * 0.8, x + 0.8, np.zeros(3)
    for _s in range(2):
        for t in range(n):
            scale(c, a)
            c += a * x + b
            a, b, c = b, c, a
            with insert_grad_of(a) as da, insert_grad_of(b) as db, insert_grad_of(c) as dc:
                if t == k:
                    da, db, dc = da * 0.0, db * 0.0, dc * 0.0
                    break
            b *= x
        c *= 0.5
    else:
        a[0] = b[1] * c[2]
    return np.sum(a * b + c)


def three_buffers_by_cutting(x, n, k):
    a, b, c = x * 0.8, x + 0.8, np.zeros(3)
    for _s in range(2):
        for t in range(n):
            c = np.sin(a) * c + a * x + b
            a, b, c = b, c, a
            if t == k:
                a, b, c = stop_gradient(a), stop_gradient(b), stop_gradient(c)
            b = b * x
        c = c * 0.5
    a = np.array([b[1] * c[2], a[1], a[2]])
    return np.sum(a * b + c)


@pytest.mark.parametrize("n, k", [(3, 0), (4, 2), (2, 5)])
def test_what_a_block_sets_to_zero_is_cut(n, k):
    np.testing.assert_allclose(three_buffers(X, n, k), three_buffers_by_cutting(X, n, k), rtol=1e-12)
    want = grad(three_buffers_by_cutting)(X, n, k)
    np.testing.assert_allclose(grad(three_buffers)(X, n, k), want, rtol=1e-11)
    np.testing.assert_allclose(grad(three_buffers, optimized=False)(X, n, k), want, rtol=1e-11)


def one_array_of_two_names(x, n, k):
    a, b = x.copy(), x * 2.0
    for t in range(n):
        b = b * x
        b[:] = a * x + b
        a = b
        with insert_grad_of(a):
            if t == k:
                break
        a *= x
    return np.sum(a * b)


def one_array_by_hand(x, n, k):
    a, b, kept = x, x * 2.0, []
    for _ in range(n):
        kept.append((a, b))
        a = b = (a * x + b * x) * x
    ba, bb, bx = a, b, 0.0 * x
    for t in reversed(range(n)):
        a, b = kept[t]
        both = (ba + bb) * x
        bx = bx + (ba + bb) * (a + b) * x
        if t == k:
            ba, bb = both, 0.0 * x
            break
        bx, ba, bb = bx + both * (a + b), both * x, both * x
    return bx + ba + 2.0 * bb


@pytest.mark.parametrize("optimized", [True, False])
def test_one_array_of_two_names_stays_with_the_one_that_the_block_asks_for(optimized):
    df = grad(one_array_of_two_names, optimized=optimized)
    for n, k in [(3, 0), (4, 2), (3, 9)]:
        np.testing.assert_allclose(df(X, n, k), one_array_by_hand(X, n, k), rtol=1e-11)


def two_arrays_of_one(x, n, k, ends):
    a = x.copy()
    b = a
    for t in range(n):
        b = b * 2.0
        b[:] = b * x
        a = a * x
        a[:] = np.sin(a)
        with insert_grad_of(a) as da, insert_grad_of(b) as db:
            if t == k:
                da, db = da * 0.5, db * 3.0
                if ends:
                    break
                continue
        a[:] = a * b
        b = a
    return np.sum(a * b)


def two_arrays_of_one_by_hand(x, n, k, ends):
    a = b = x
    kept = []
    for _ in range(n):
        kept.append((a, b))
        a, b = np.sin(a * x), b * 2.0 * x
        kept[-1] += (a, b)
        a = b = a * b
    ba, bb, bx = a, a, 0.0 * x
    for t in reversed(range(n)):
        a, b, between, beside = kept[t]
        ba, bb = (ba + bb) * beside, (ba + bb) * between
        if t == k:
            ba, bb = ba * 0.5, bb * 3.0
            if ends:
                break
            continue
        ba = ba * np.cos(a * x)
        bx, ba, bb = bx + ba * a + bb * 2.0 * b, ba * x, bb * 2.0 * x
    return bx + ba + bb


@pytest.mark.parametrize("optimized", [True, False])
def test_one_array_before_has_the_sum_of_the_gradients_of_two(optimized):
    df = grad(two_arrays_of_one, optimized=optimized)
    for n, k in [(1, 0), (3, 0), (4, 2), (3, 9)]:
        for ends in (True, False):
            np.testing.assert_allclose(df(X, n, k, ends), two_arrays_of_one_by_hand(X, n, k, ends), rtol=1e-11)


def grown(a, x, n, k):
    for t in range(n):
        a[:] = np.sin(a) * x
        with insert_grad_of(a) as da:
            if t == k:
                da = da * 0.5
                break
        a[1:] = a[1:] * a[:-1]


def by_a_function_that_jumps(x, n, k):
    a = x * x
    q = np.sum(a * a)
    grown(a, x, n, k)
    return np.sum(a) * q


def by_a_function_by_cutting(x, n, k):
    first = a = x * x
    for t in range(n):
        a = np.sin(a) * x
        if t == k:
            a = stop_gradient(a) + 0.5 * (first - stop_gradient(first))
        a = np.concatenate([a[:1], a[1:] * a[:-1]])
    return np.sum(a) * np.sum(first * first)


def test_arrays_of_the_caller_are_put_back():
    plain = grad(by_a_function_by_cutting)
    for df in (grad(by_a_function_that_jumps), grad(by_a_function_that_jumps, optimized=False)):
        for n, k in [(1, 0), (3, 0), (5, 2), (4, 3)]:
            np.testing.assert_allclose(df(X, n, k), plain(X, n, k), rtol=1e-11)


def test_one_array_of_two_names_is_refused_where_the_block_asks_for_none():
    def f(x, n):
        a, b = x.copy(), np.zeros(3)
        for t in range(n):
            b[:] = a * x
            a = b
            with insert_grad_of(x):
                if t < 2:
                    break
            a *= x
        return np.sum(a * b)

    with pytest.raises(InPlaceError, match="cannot cut the backward loop short here"):
        grad(f)(X, 2)


def steps(h, w, m):
    for _ in range(m):
        h = np.tanh(h * w) + h * h * 0.1
    return h


def test_callees_keep_their_own_lists_where_their_backward_passes_are_left_out():
    """Versions for known kinds write the callee out: its records must not be taken by the call before."""

    def f(w, x):
        h = x
        for t in range(5):
            h = steps(h, w, t + 1) * x
            with insert_grad_of(h):
                if t == 2 or t == 4:
                    continue
        return np.sum(h)

    df, raw = grad(f, (0, 1)), grad(f, (0, 1), optimized=False)
    first = df(0.7, X)
    for _ in range(4):
        for got, want in zip((*df(0.7, X), *raw(0.7, X)), (*first, *first)):
            np.testing.assert_allclose(got, want, rtol=1e-12)


def fill(out, a):
    out[:] = np.sin(a)


def read_before_it_is_filled(x):
    out = x * 3.0
    q = np.sum(out * x)
    fill(out, x)
    return np.sum(out * x) + q


def test_what_a_writer_puts_back_is_not_what_was_there():
    """`bout * out` before the backward pass of the writer and after it are two things, at every order."""

    def plain(x):
        return np.sum(np.sin(x) * x) + np.sum(3.0 * x * x)

    v = np.array([1.0, -0.5, 2.0])
    np.testing.assert_allclose(hvp(read_before_it_is_filled)(X, v), hvp(plain)(X, v), rtol=1e-12)
