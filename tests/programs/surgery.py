"""Blocks in the backward pass that only look, or set what is there: the derivative is that of the function without them.

And what their jumps rest on: flags that branches change, lists from which more is taken than is used.
"""

import numpy as np

from programs.registry import program
from programs.samples import positive, signed
from tangent import insert_grad_of

SEEN = []


@program({"x": 0.7})
def looks(x):
    y = np.sin(x)
    with insert_grad_of(y) as dy:
        SEEN.append((y, dy))
    return y * x


@program({"x": signed(3), "n": 3}, {"x": signed(3), "n": 0}, modes=("reverse",))
def sets_the_same(x, n):
    y = x
    for i in range(n):
        y = np.tanh(y * x)
        with insert_grad_of(y) as dy:
            dy = dy * 1.0
            if i < 0:
                break
    return np.sum(y)


@program({"x": signed(3), "w": 0.4, "n": 4}, modes=("reverse",))
def jumps_that_change_nothing(x, w, n):
    total = np.cos(x)
    for s in range(2):
        h = total
        for t in range(n):
            h = np.tanh(h * w)
            with insert_grad_of(h):
                if t > 100:
                    continue
                if t < 0:
                    break
            h = h * h + x
        total = total * h
    return np.sum(total)


@program({"x": 1.3}, {"x": -0.4}, modes=("reverse",))
def in_a_branch_of_a_loop(x):
    y = x
    k = 0
    while k < 4:
        if k % 2:
            y = y * y + 0.1
            with insert_grad_of(y) as dy:
                dy = 1.0 * dy
                if k < 0:
                    continue
        else:
            y = np.sin(y)
        k = k + 1
    return y


@program({"params": {"w": signed(3), "b": 0.5}, "x": signed(3)}, modes=("reverse",))
def items(params, x):
    h = x
    for _ in range(2):
        with insert_grad_of(params["w"]) as dw, insert_grad_of(params["b"]) as db, insert_grad_of(x[1:]) as dx:
            dw, db, dx = dw + 0.0, db + 0.0, dx.copy()
        h = np.tanh(params["w"] * h + params["b"])
    return np.sum(h * x)


@program({"x": 1.5, "flag": True}, {"x": 1.5, "flag": False})
def a_flag_that_the_branch_changes(x, flag):
    for i in range(3):
        if flag:
            flag = False
            x = x * x
        else:
            x = x * 3.0
            flag = i < 2
    return x


@program({"x": 1.5})
def items_that_are_thrown_away(x):
    stack = []
    stack.append(x)
    stack.append(x * x)
    stack.append(x * 3.0)
    dropped = stack.pop()
    kept = stack.pop()
    return kept * 2.0


@program({"x": positive(3)})
def items_thrown_away_in_a_loop(x):
    stack = []
    for i in range(6):
        stack.append(np.sqrt(x) * i)
    total = x
    for i in range(3):
        dropped = stack.pop()
        total = total * stack.pop()
    return total


@program({"x": 0.7})
def strings_over_several_lines(x):
    """A docstring
    of two lines."""
    text = """and
        a text"""
    return x * x * len(text)


@program({"x": signed(4), "n": 3})
def looks_at_storage(x, n):
    a = np.zeros(4)
    for i in range(n):
        a[i] = np.sin(x[i]) + a[i - 1]
        with insert_grad_of(a) as da:
            SEEN.append((a.copy(), da))
    return np.sum(a * a)


@program({"x": signed(4), "n": 3}, modes=("reverse",))
def sets_the_same_in_storage(x, n):
    a = x * 1.0
    for i in range(n):
        with insert_grad_of(a) as da, insert_grad_of(a[i]) as di:
            da, di = da * 1.0, di + 0.0
        a[i] = a[i] * np.sin(a[i + 1])
    return np.sum(a * a)


@program({"x": 0.7, "y": 0.4}, wrt="x")
def looks_at_what_nobody_asked_for(x, y):
    with insert_grad_of(y) as dy:
        SEEN.append(dy)
    return x * y


@program({"x": 0.7, "y": 0.4}, wrt="x")
def looks_at_second_names(x, y):
    a = y
    b = a
    with insert_grad_of(b) as db:
        SEEN.append((a, b, db))
    return x * b
