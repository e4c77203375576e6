"""Names that a loop binds anew to something new, while what they stood for is kept, and written into later."""

import numpy as np

from programs.registry import program
from programs.samples import positive

BOTH = {"m": positive(2, 3), "v": positive(3)}


@program(BOTH)
def steps_kept_in_a_list(m, v):
    kept = []
    x = m
    for _ in range(3):
        x = x + 1.0
        kept.append(x)
    kept[0][0] *= v
    kept[2][1] *= kept[0][0]
    return np.sum(kept[0] * kept[1] * kept[2] * m)


@program(BOTH)
def steps_kept_in_a_dict(m, v):
    kept = {}
    x = m
    for k in range(3):
        x = x - 0.5
        kept[k] = x
    x[0] *= v
    return np.sum(kept[0] * kept[1] * kept[2] * m)


@program(BOTH)
def step_before_beside_the_step(m, v):
    x = m + 0.0
    y = x
    for _ in range(2):
        y = x
        x = x + 1.0
        x[0] *= v
    return np.sum(x * y * m)


@program(BOTH)
def steps_that_turn_around(m, v):
    x = m * 1.0
    kept = []
    for _ in range(3):
        kept.append(x)
        x = -x
        x[1] += v
    return np.sum(kept[0] * kept[1] * x)


@program(BOTH)
def state_of_a_dict_that_steps(m, v):
    state = {"x": m * 1.0, "v": m + 0.0}
    kept = []
    for _ in range(3):
        state["x"] = state["x"] + 0.1 * state["v"]
        kept.append(state["x"])
        state["v"] = state["v"] + 1.0
        state["v"][0] -= v
    kept[0][1] *= v
    return sum(np.sum(x * x) for x in kept) + np.sum(state["v"] * state["x"])


@program(BOTH)
def steps_stored_in_an_array(m, v):
    x = m * 1.0
    kept = np.zeros((3, 2, 3))
    for k in range(3):
        x = x + 1.0
        kept[k] = x
        x[0] = v
    y = x
    y *= v
    return np.sum(kept * x)
