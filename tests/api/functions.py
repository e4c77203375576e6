"""What several tests of the public functions share."""

import functools
import inspect

import numpy as np

from tangent import jvp

close = functools.partial(np.testing.assert_allclose, rtol=1e-9, atol=1e-12)


def square(x):
    return x * x


def cube(x):
    return x * x * x


def product(x, y, z):
    return x * y * y * z


def norm(v):
    return np.sum(v * v)


def cubes(x):
    return np.sum(x * x * x)


def scaled(v, k=3.0):
    return np.sum(v * v) * k


def pushed(f):
    """The derivative along x by forward mode, as a function of x alone."""
    push = jvp(f)

    def along(x):
        return push(x, dx=1.0)

    return along


def names_of(f):
    return list(inspect.signature(f).parameters)
