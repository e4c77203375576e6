"""Stop in the backward pass: a debugger in a block sees the gradient, and the values of that moment.

python examples/surgery/debugging.py
"""

import io
import pdb

import numpy as np

import tangent
from tangent import insert_grad_of


def loss(x, w, debugger):
    for t in range(3):
        x = np.sqrt(x - w)
        with insert_grad_of(x) as dx:
            if not np.all(np.isfinite(dx)):
                debugger.set_trace()
    return np.sum(x)


SHOWN = (loss, "x")


def session(commands):
    """What a debugger prints that is given some commands."""
    shown = io.StringIO()
    debugger = pdb.Pdb(stdin=io.StringIO(commands), stdout=shown, nosigint=True, readrc=False)
    with np.errstate(divide="ignore", invalid="ignore"):
        tangent.grad(loss)(np.array([4.0, 1.0]), 0.0, debugger)
        tangent.grad(loss)(np.array([4.0, 0.0]), 0.0, debugger)
    return shown.getvalue()


if __name__ == "__main__":
    print(session("p t, x, dx\nlist\ncontinue\ncontinue\n"))
