"""Derivatives go to other processes by value, with tools that do so."""

import pickle

import numpy as np
import pytest

import tangent


def helper(x):
    return np.sin(x) * 2.0


def test_by_value():
    cloudpickle = pytest.importorskip("numba.cloudpickle")
    nameless = (lambda k: tangent.grad(lambda x: k * helper(x)))(3.0)
    copied = pickle.loads(cloudpickle.dumps(nameless))
    assert copied is not nameless and copied.source == nameless.source
    for x in (0.3, np.float64(0.4), np.array(0.5), 0.3, 0.3):
        assert copied(x) == nameless(x)
    assert tangent.grad(copied)(0.3) == tangent.grad(nameless)(0.3)
    compiled = pickle.loads(cloudpickle.dumps(tangent.grad(lambda x: x * x, compile="numba")))
    assert compiled.versions is not None
