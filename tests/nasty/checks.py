"""Right, or refused: both modes of a program, optimised and raw, against finite differences."""

import copy
import inspect
import os

import numpy as np
import pytest

import tangent
from tangent import grad, jvp, value_and_grad
from tangent.errors import RuleError, TangentError

PACKAGE = os.path.dirname(tangent.__file__)
NASTY = []
V = np.array([1.0, 2.0, 3.0])
M = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.5]])


def nasty(*args):
    """Registers a program with its arguments."""

    def register(f):
        NASTY.append(pytest.param(f, args, id=f.__name__))
        return f

    return register


def moved(args, k, h):
    """The arguments, deep copies, with one element of the first moved by h."""
    first, *rest = copy.deepcopy(args)
    if isinstance(first, np.ndarray):
        first.flat[k] += h
    elif isinstance(first, list):
        first[k] = first[k] + h
    else:
        first = first + h
    return first, *rest


def differences(f, *args, h=1e-6):
    """The gradient of f by its first argument, by central differences."""
    size = np.size(args[0])
    flat = [(f(*moved(args, k, h)) - f(*moved(args, k, -h))) / (2 * h) for k in range(size)]
    return np.reshape(flat, np.shape(args[0]))


def right_or_refused(f, *args):
    """Both modes, optimised and raw, give the number of finite differences or raise a TangentError; arguments stay."""
    expected = differences(f, *args)
    value = f(*copy.deepcopy(args))
    refused = 0

    def check(what, call, *given):
        nonlocal refused
        given = copy.deepcopy(given)
        before = copy.deepcopy(given)
        try:
            found, got = call(*given)
        except TangentError as error:
            blamed = error.where is not None if isinstance(error, RuleError) else PACKAGE not in str(error)
            assert blamed, f"not the user's program is at fault: {error}"
            refused += 1
            return
        assert np.iscomplexobj(found) <= np.iscomplexobj(expected), f"complex in {what}: {found}"
        np.testing.assert_allclose(
            np.array(found, complex if np.iscomplexobj(expected) else float),
            expected if what != "forward" else np.sum(expected),
            rtol=1e-5,
            atol=1e-6,
            err_msg=what,
        )
        np.testing.assert_allclose(got, value, err_msg=f"value in {what}")
        for a, b in zip(given, before):
            np.testing.assert_equal(a, b, err_msg=f"argument changed in {what}")

    def ones(x):
        return [1.0] * len(x) if isinstance(x, list) else np.ones(np.shape(x))[()]

    check("reverse", lambda *a: grad(f, preserve_result=True)(*a), *args)
    check("raw reverse", lambda *a: grad(f, optimized=False, preserve_result=True)(*a), *args)
    check("forward", lambda *a: _pushed(f, a, ones(a[0])), *args)
    check("value and reverse", lambda *a: value_and_grad(f)(*a)[::-1], *args)
    return refused


def _pushed(f, args, tangent):
    made = jvp(f, preserve_result=True)
    primal = inspect.signature(f).parameters
    (name,) = [n for n in inspect.signature(made).parameters if n not in primal]
    return made(*args, **{name: tangent})
