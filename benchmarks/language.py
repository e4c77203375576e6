"""What objects, closures and state cost code that uses none of them: the search for state, and the text.

    python -m benchmarks.language

For plain numeric functions: the time that `needs_memory` takes beside the transformation, and whether the derivative
mentions anything of the memory. Ratios in one run: about a twentieth of the transformation.
"""

from __future__ import annotations

import time
import types
from collections.abc import Callable

import numpy as np

import tangent
from tangent.analysis import state
from tangent.options import Options
from tangent.pipeline import build
from tangent.rules.table import table

WORDS = ("memory", "remembered", "call_method", "contents", "call_fwd")


def recurrent(x, w, n):
    h = np.zeros_like(x)
    for _ in range(n):
        h = np.tanh(w * h + x)
    return np.sum(h * h)


def smoothed(x, steps):
    a = x * 1.0
    for _ in range(steps):
        a[1:-1] = (a[:-2] + a[2:]) / 2
    return np.sum(a * a)


def layer(x, w, b):
    return np.tanh(x @ w + b)


def network(x, w, b):
    return np.sum(layer(layer(x, w, b), w, b))


def newton(a):
    x = 1.0
    for _ in range(10):
        x = x - (x * x - a) / (2.0 * x)
    return x


def seconds(action: Callable[[], object], rounds: int = 7) -> float:
    """The least processor time of some rounds."""
    found = []
    for _ in range(rounds):
        start = time.process_time()
        action()
        found.append(time.process_time() - start)
    return min(found)


PLAIN = (recurrent, smoothed, network, newton)


def share_of_the_search(function: types.FunctionType) -> float:
    """The time of the search for state, in parts of the time of the whole transformation."""

    def search() -> None:
        state._known.pop(function, None)
        state.needs_memory(function, table().has_rule)

    first = function.__code__.co_varnames[0]
    return seconds(search) / seconds(lambda: build(function, Options(wrt=(first,))))


def has_state_in_it(function: types.FunctionType) -> bool:
    """Whether the derivative has words that only programs with state need."""
    return any(word in tangent.grad(function).source for word in WORDS)


def main() -> None:
    print("function     search / transformation   text with state")
    for f in PLAIN:
        print(f"{f.__name__:<12} {share_of_the_search(f):>10.3f} {has_state_in_it(f)!s:>26}")


if __name__ == "__main__":
    main()
