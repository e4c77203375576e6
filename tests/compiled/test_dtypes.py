"""Arrays whose dtype is asked for, and arrays of records, in compiled derivatives."""

import numpy as np
import pytest

import tangent

pytest.importorskip("numba")
POINT = np.dtype([("x", np.float64), ("m", np.float64)])


def without_dtype(x):
    out = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        t = x[i] * 2.0
        t *= x[i]
        out[i] = t
    y = out[1:] * out[:-1] + x[1:]
    return np.sum(y * y)


def by_keyword(x):
    out = np.zeros(x.shape[0], dtype=np.float64)
    for i in range(x.shape[0]):
        t = x[i] * 2.0
        t *= x[i]
        out[i] = t
    y = out[1:] * out[:-1] + x[1:]
    return np.sum(y * y)


def by_argument(x):
    out = np.zeros(x.shape[0], x.dtype)
    for i in range(x.shape[0]):
        t = x[i] * 2.0
        t *= x[i]
        out[i] = t
    y = out[1:] * out[:-1] + x[1:]
    return np.sum(y * y)


def text_for(f, x):
    derivative = tangent.grad(f, compile="numba")
    np.testing.assert_allclose(derivative(x), tangent.grad(f)(x), rtol=1e-12 if x.dtype == np.float64 else 1e-5)
    assert derivative(x).dtype == x.dtype
    return derivative.source


@pytest.mark.parametrize("f", [by_keyword, by_argument])
def test_an_array_of_a_dtype_that_is_asked_for_is_known_as_others_are(f):
    x = np.linspace(0.5, 1.5, 5)
    text = text_for(f, x)
    assert "unbroadcast" not in text
    assert len(text.splitlines()) == len(text_for(without_dtype, x).splitlines())
    text_for(f, x.astype(np.float32))


def element_of_integers(x):
    a = np.array([1, 2, 3], dtype=np.float64)
    r = a[1]
    r *= x
    a[0] = r * x
    return np.sum(a * x)


def complex_identity(x):
    a = np.eye(2, dtype=np.complex128)
    a[0, 0] = x * 1j
    t = a[0, 0]
    t *= x
    return np.real(t * np.conj(t))


@pytest.mark.parametrize("f", [element_of_integers, complex_identity])
def test_elements_of_such_an_array_are_numbers(f):
    assert tangent.grad(f, compile="numba")(1.5) == pytest.approx(tangent.grad(f)(1.5), rel=1e-12)


def record_of_an_argument(w, p):
    q = p[0]
    q["x"] = w * w
    return p["x"][0]


def records_in_a_loop(w, p):
    out = np.zeros_like(p)
    for i in range(p.size):
        out[i]["x"] += w * p[i]["x"]
    return out["x"].sum()


def records_that_fill(w, p):
    q = np.full(3, p[0])
    q[0]["x"] = w
    return q[0]["x"] * w


@pytest.mark.parametrize("f", [record_of_an_argument, records_in_a_loop, records_that_fill])
@pytest.mark.parametrize("mode", [tangent.grad, tangent.jvp])
def test_records_that_are_written_are_refused(f, mode):
    """Their items were taken for numbers, which nothing can be written into: derivatives were 0."""
    p = np.ones(3, POINT)
    seeds = () if mode is tangent.grad else (1.0,)
    with pytest.raises(tangent.TangentError, match=r"test_dtypes\.py:\d+"):
        mode(f, wrt=0, compile="numba")(1.5, p, *seeds)


def records_that_are_read(w, p):
    s = 0.0
    for i in range(p.shape[0]):
        s += w * p[i]["x"] * p[i]["m"]
    return s + w * np.sum(p["x"])


def test_records_that_are_read_are_constants():
    p = np.ones(3, POINT)
    assert tangent.grad(records_that_are_read, compile="numba")(1.5, p) == pytest.approx(6.0)


def from_the_next(x):
    a = x.copy()
    for _ in range(2):
        a[:-1] -= a[1:]
        a[0] = a[0] * a[1]
    return a


def with_its_transpose(x):
    a = x.copy()
    a[0] = 2.0
    a += a.T
    return a


def add_to(a, b):
    a += b


def by_a_callee(x):
    a = x.copy()
    add_to(a[:-1], a[1:])
    return a


OVERLAPS = [(from_the_next, np.float32), (with_its_transpose, np.float64), (by_a_callee, np.float64)]


@pytest.mark.parametrize("f, dtype", OVERLAPS)
def test_an_array_is_updated_by_what_was_in_its_memory_before(f, dtype):
    """Numba itself reads elements that it has written already."""
    x = np.arange(9.0).reshape(3, 3).astype(dtype) / 4
    w = np.cos(x)
    for mode in (tangent.vjp, tangent.jvp):
        np.testing.assert_allclose(mode(f, compile="numba")(x, w), mode(f)(x, w), rtol=1e-6)
