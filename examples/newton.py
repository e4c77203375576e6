"""A `while` loop that runs until it converges, differentiated: how the root moves with the parameter.

python -m tangent show examples/newton.py:root
python examples/newton.py
"""

import tangent


def root(a, x=1.0, tolerance=1e-12):
    """Newton's method for x ** 3 = a."""
    while abs(x * x * x - a) > tolerance:
        x = x - (x * x * x - a) / (3.0 * x * x)
    return x


EXAMPLE = {"root": {"a": 2.0}}

if __name__ == "__main__":
    droot = tangent.grad(root)
    for a in (0.5, 2.0, 8.0):
        print(f"a = {a}: root {root(a):.6f}, derivative {droot(a):.6f}, by hand {1 / 3 * a ** (-2 / 3):.6f}")
