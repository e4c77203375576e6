"""Maxima that cancel have no adjoint; those that do not have one."""

import numpy as np
import pytest

import tangent


def logsumexp(x):
    m = x.max(axis=1)
    return m + np.log(np.exp(x - m[:, None]).sum(axis=1))


def logsumexp_of_all(x):
    m = np.max(x)
    return m + np.log(np.sum(np.exp(x - m), axis=0))


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def softmax_of_columns(x):
    e = np.exp(x - x.max(0))
    e /= e.sum(0)
    return e


def log_softmax(x):
    d = x - np.max(x, axis=1, keepdims=True)
    return d - np.log(np.sum(np.exp(d), axis=1, keepdims=True))


def weighted(x):
    top = np.max(x, axis=1, keepdims=True)
    e = np.exp(2.0 * (x - top))
    return (e * x) / np.sum(e, axis=1, keepdims=True) + (top[:, 0] * 2.0 + np.log(np.sum(e, axis=1)))


def in_a_loop(x):
    total = 0.0
    for i in range(3):
        row = x[i]
        m = np.max(row)
        total = total + m + np.log(np.sum(np.exp(row - m)))
    return total


CANCEL = [logsumexp, logsumexp_of_all, softmax, softmax_of_columns, log_softmax, weighted, in_a_loop]


def outer_sum(x):
    m = np.max(x, axis=1, keepdims=True)
    return m + np.log(np.sum(np.exp(x - m), axis=1))


def other_axis(x):
    m = np.max(x, axis=1)
    return m + np.log(np.sum(np.exp(x - m), axis=1))


def one_sum_for_all(x):
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    return e / np.sum(e)


def read_twice(x):
    m = np.max(x)
    return m + np.log(np.sum(np.exp(x - m))) + m


def not_divided(x):
    return np.exp(x - np.max(x))


def written_between(x):
    x = x.copy()
    m = np.max(x, axis=1, keepdims=True)
    x[0, 0] = x[1, 1]
    return np.log(np.sum(np.exp(x - m), axis=1, keepdims=True)) + m


def in_a_branch(x):
    m = np.max(x, axis=1, keepdims=True)
    e = np.exp(x - m)
    s = np.sum(e, axis=1, keepdims=True)
    if s[0, 0] > 1.0:
        return e / s
    return s


STAY = [outer_sum, other_axis, one_sum_for_all, read_twice, not_divided, written_between, in_a_branch]
X = np.random.default_rng(0).normal(size=(3, 3))


@pytest.mark.parametrize("f", [*CANCEL, *STAY], ids=lambda f: f.__name__)
def test_maxima(f):
    assert ("winners" in tangent.vjp(f).source) == (f in STAY)
    tangent.check_grads(f, (X,), order=2)


def test_what_is_not_a_number_stays_so():
    x = np.array([[0.0, np.inf, 1.0], [1.0, 2.0, 3.0], [np.nan, 0.0, 1.0]])
    with np.errstate(invalid="ignore"):
        found = tangent.vjp(logsumexp)(x, np.ones(3))
    assert np.isnan(found[0]).any() and np.isnan(found[2]).any() and np.isclose(found[1].sum(), 1.0)
