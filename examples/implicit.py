"""The derivative of a root: by SciPy and the implicit function theorem, and by a Newton loop, step by step.

python -m tangent show examples/implicit.py:newton
python examples/implicit.py
"""

import numpy as np

import tangent


def residual(x, a):
    return np.array([x[0] ** 3 + x[1] - a, x[0] + 0.7 * x[1] + 0.3 * x[1] ** 3 - 1.0])


def newton(a):
    x = np.array([1.0, 1.0])
    for _ in range(10):
        slopes = np.array([[3.0 * x[0] ** 2, 1.0], [1.0, 0.7 + 0.9 * x[1] ** 2]])
        x = x - np.linalg.solve(slopes, residual(x, a))
    return x


def by_scipy(a):
    from scipy import optimize

    return optimize.root(residual, np.array([1.0, 1.0]), args=(a,), tol=1e-13).x


root = tangent.implicit(by_scipy, residual)

EXAMPLE = {"newton": {"a": 2.0}}

if __name__ == "__main__":
    print("root", newton(2.0))
    print("derivative through the loop  ", tangent.jvp(newton)(2.0, 1.0))
    try:
        print("derivative through scipy.root", tangent.jvp(root)(2.0, 1.0), "by", root(2.0))
    except ImportError:
        print("SciPy is not installed: no second way to compare with")
