"""Clip a gradient on its way: the listing of the paper.

python examples/surgery/clipping.py
"""

import tangent
from tangent import insert_grad_of


# fmt: off
def f(x):
    with insert_grad_of(x) as dx:
        if dx > 10:
            print('Warning, large gradient', dx)
            dx = 10
    return x * x
# fmt: on


SHOWN = (f, "x")

if __name__ == "__main__":
    df = tangent.grad(f)
    print("f(8) =", f(8.0), "and its gradient, clipped:", df(8.0))
