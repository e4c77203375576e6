"""Very large and very small arguments: where a call is homogeneous, its derivatives scale as it does.

Powers of two round nothing, so what differs from the derivative at arguments of usual size has overflowed, or lost its
digits to an underflow, on the way.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tangent
from rules.check import Case, close
from rules.sample import S, Sample, real, spd
from tangent.testing import leaves, map_leaves

pytestmark = pytest.mark.filterwarnings("ignore")

SQUARE = real(3, 3) + 2.0 * np.eye(3)

# A call, and the degrees of its result by its arguments.
CALLS: list[tuple[Sample, tuple[int, ...]]] = [
    (S("np.linalg.lstsq(x, y)[0]", x=real(4, 2), y=real(4)), (-1, 1)),
    (S("np.linalg.lstsq(x, y)[0]", x=real(2, 4), y=real(2)), (-1, 1)),
    (S("np.linalg.lstsq(x, y)[3]", x=real(4, 2), y=real(4)), (1, 0)),
    (S("np.linalg.pinv(x)", x=real(4, 2)), (-1,)),
    (S("np.linalg.cond(x, 1)", x=SQUARE[:3, :3]), (0,)),
    (S("np.linalg.solve(x, y)", x=SQUARE[:3, :3], y=real(3)), (-1, 1)),
    (S("np.linalg.svdvals(x)", x=real(3, 2)), (1,)),
    (S("cofactors(x)", x=SQUARE[:2, :2]), (1,)),
    (S("eigen_sum(y, x, np.linalg.eigh(x))", x=spd(3), y=real(3)), (0, 1)),
    (S("singular_sum(y, x, thin_svd(x))", x=real(3, 2), y=real(2)), (0, 1)),
    (S("general_sum(y, x, np.linalg.eig(x))", x=SQUARE[:2, :2], y=real(2)), (0, 1)),
    (S("np.gradient(x, y)", x=real(5), y=np.sort(real(5))), (1, -1)),
    (S("np.cov(x, ddof=0, aweights=y)", x=real(2, 3), y=1.0 + real(3) ** 2), (2, 0)),
    (S("np.divide.reduce(x)", x=real(3)), (-1,)),
    (S("deviation_direction(x, np.std(x) * 2.0)", x=real(4)), (0,)),
]


def scaled(value: Any, exponent: float) -> Any:
    return map_leaves(lambda v: np.ldexp(1.0, int(exponent)) * v, value)


@pytest.mark.parametrize("exponent", [520, -520])
@pytest.mark.parametrize(("sample", "degrees"), CALLS, ids=[s.call for s, _ in CALLS])
def test_derivatives_scale_with_the_function(sample: Sample, degrees: tuple[int, ...], exponent: int) -> None:
    """One argument is large or small, or all of them; the tangents are as large as they are."""
    case = Case(sample)
    for chosen in {(True,) * len(degrees), *(tuple(i == k for i in range(len(degrees))) for k in range(len(degrees)))}:
        args = [scaled(a, exponent) if c else a for a, c in zip(case.args, chosen)]
        size = exponent * sum(p for p, c in zip(degrees, chosen) if c)
        with np.errstate(all="ignore"):
            if abs(size) > 1000 or not np.allclose(scaled(case.f(*args), -size), case.value):
                continue  # NumPy's own value is lost
            tangents = [scaled(t, exponent) if c else t for t, c in zip(case.tangents, chosen)]
            pushed, plain = case.jvp()(*args, *tangents), case.jvp()(*case.args, *case.tangents)
            gradients = case.gradients(args)
        close(scaled(pushed, -size), plain, "forward", 1e-9)
        for b, expected, c in zip(gradients, case.gradients(), chosen):
            if abs(shift := exponent * c - size) < 1000:
                close(scaled(b, shift), expected, "reverse", 1e-9)


def test_determinants_that_underflow() -> None:
    """The cofactors are normal numbers where the determinant has lost its digits."""
    a = SQUARE[:3, :3]
    expected = tangent.grad(lambda x: np.linalg.det(x))(a)
    got = tangent.grad(lambda x: np.linalg.det(x))(a * 2.0**-356)
    assert all(np.all(np.abs(v) > 0) for v in leaves(got))
    np.testing.assert_allclose(scaled(got, 712), expected, rtol=1e-12)
