"""What is known of what functions give, before they are compiled: rank and dtype are those of what they give."""

import numpy as np
import pytest

from tangent import runtime
from tangent.optimise.typed.kinds import UNKNOWN, kind_of
from tangent.optimise.typed.results import RULES, result

V, M = np.array([0.3, 1.2, 0.7]), np.arange(1.0, 7.0).reshape(2, 3)
SQUARE = np.array([[2.0, 0.3], [0.1, 1.0]])
CALLS = [
    (runtime.turned, (1.0, 1.0, 2.0)), (runtime.turned, (V, V, V)),
    (runtime.undiag, (V[:2], M)), (runtime.undiag, (np.ones((3, 3)), V)),
    (runtime.undiff, (V[:2], V)), (runtime.undiff, (M[:, :2], M)),
    (runtime.winners, (1.2, V)), (runtime.winners, (V, M, 0)),
    (runtime.about_mean, (V,)), (runtime.about_mean, (M,)),
    (runtime.product_of_others, (V, 1.0)), (runtime.product_of_others, (M, 1.0)),
    (runtime.length_slope, (V, 1.0)), (runtime.length_slope, (M, 1.0)),
    (runtime.columns, (V, V)), (runtime.columns, (SQUARE, SQUARE)),
    (runtime.solve_columns, (SQUARE, V[:2], V[:2])), (runtime.solve_columns, (SQUARE, SQUARE, SQUARE)),
    (runtime.uncast, (V,)), (runtime.cross_adjoint, (V, V, V)), (runtime.mT, (M,)),
    (np.searchsorted, (V, 0.5)), (np.searchsorted, (V, V)), (np.argsort, (V,)), (np.real, (M,)), (np.size, (M,)),
    (np.shape, (M,)), (np.clip, (V, 0.0, 1.0)), (np.clip, (V, M, M + 1.0)), (np.diag, (V,)), (np.diag, (M,)),
    (np.reshape, (M, (3, 2))), (np.concatenate, ((V, V),)), (np.stack, ((V, V),)), (np.trace, (M,)),
    (np.linalg.cholesky, (SQUARE @ SQUARE.T,)), (np.arange, (3,)), (np.arange, (0.0, 3.0)), (np.argmax, (V,)),
]  # fmt: skip


@pytest.mark.parametrize("function, arguments", CALLS, ids=lambda x: getattr(x, "__name__", None))
def test_kinds_are_those_of_results(function, arguments):
    assert function in RULES
    told = result(function, [kind_of(a) for a in arguments])
    assert told != UNKNOWN
    assert told == kind_of(function(*arguments))
