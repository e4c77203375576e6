"""Lists, dicts, sets, deques and counters that steer, and that operators and methods change while others hold them."""

from __future__ import annotations

from collections import Counter, defaultdict, deque

import numpy as np

from programs.registry import program
from programs.samples import signed


class Plan:
    def __init__(self, steps):
        self.steps = steps


@program({"x": 0.7})
def sets_that_operators_change_under_another_name(x):
    seen = {0, 1}
    other = seen
    for i in range(2):
        x = np.sin(x) * len(seen)
        other |= {i + 3}
        for j in sorted(seen):
            x = x + np.cos(x * j)
        other -= {0, 9}
        other ^= {1}
    return x * len(seen)


def without(known, key):
    known.remove(key)
    known &= {1, 2, 3}
    return len(known)


@program({"x": 0.7})
def sets_that_objects_and_helpers_hold(x):
    plan = Plan({0, 1, 2, 5})
    held = {"q": plan.steps}
    n = without(held["q"], 0)
    plan.steps |= {7}
    while held["q"]:
        x = np.sin(x * n) + len(plan.steps)
        held["q"].discard(max(held["q"]))
    return x


@program({"x": 0.7})
def counters_and_deques_that_operators_change(x):
    hits, todo = Counter([0, 1]), deque([0, 1], 4)
    same, queue = hits, todo
    same += Counter([1, 1, 3])
    queue += [2, 3, 4]
    for k in todo:
        x = np.sin(x + hits[k])
    return x * len(todo)


@program({"x": 0.7})
def defaults_that_reading_makes(x):
    sums = defaultdict(int)
    same = sums
    for i in range(3):
        if len(same) > 1:
            break
        x = np.sin(x) * (1.0 + len(sums))
        x = x + sums[i]
    return x * len(sums)


@program({"x": 0.7, "seen": {1, 2}, "todo": deque([2, 1])}, wrt="x")
def sets_and_deques_of_the_caller(x, seen, todo):
    seen.add(4)
    todo.append(3)
    for k in sorted(seen):
        x = np.sin(x * k)
    return x * len(todo)


@program({"x": 0.7})
def loops_over_a_deque_before_and_after_it_is_emptied(x):
    todo = deque([1, 2, 0])
    same = todo
    if len(same) % 2 == 0:
        for j, _ in zip(todo, range(3)):
            x = np.sin(x + 0.2 * j)
    while len(same) > 1:
        x = x * np.cos(x + todo.pop())
    return x + sum([np.sin(x + j) for j in todo])


@program({"x": signed(5)})
def places_seen_by_a_function_that_calls_itself(x):
    seen, y = set(), x * 1.0

    def visit(k):
        if k in seen:
            return 0.0
        seen.add(k)
        y[k] *= y[k - 1]
        return y[k] + visit((2 * k + 1) % 5) + visit((k + 3) % 5)

    return visit(0) * y


def _first_seen(x, k, seen):
    if k in seen:
        return 0.0
    seen.add(k)
    return x[k] * x[k - 1]


@program({"x": signed(4)})
def sets_that_helpers_fill_and_ask(x):
    seen = {2}
    return _first_seen(x, 0, seen) + _first_seen(x, 2, seen) * _first_seen(x, 0, seen) + _first_seen(x, 1, seen) * x
