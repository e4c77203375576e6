"""Arrays that are written in place, and what is made of them afterwards."""

import numpy as np

from programs.registry import program
from programs.samples import positive


@program({"a": positive(3), "w": positive(3, 2)})
def divided_by_its_own_part(a, w):
    w /= 1.5 + w[:, ::-1] ** 2
    a[1] = w[0, 1]
    return np.sum(np.tanh(a)) + np.sum(np.cos(w))


@program({"a": positive(3), "w": positive(3, 2)})
def divided_by_its_own_row(a, w):
    w /= w[1]
    a[1] = w[0, 1]
    return a * w[2, 0]
