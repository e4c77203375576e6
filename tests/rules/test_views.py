"""Results that share memory with an argument: what is written into them is seen through it, in both modes."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tangent
from rules.check import function_of, made
from rules.sample import Sample
from rules.test_rules import CASES
from tangent import runtime

pytestmark = pytest.mark.filterwarnings("ignore")
WRITES = {
    "stored": "{y}[...] = 2.0 * np.tanh(own).mean()",
    "scaled": "z = {y}\n    z *= 1.5",
    "seen": "held[...] = np.sin(held)",
}
OVERLAPPING = frozenset({"broadcast_arrays", "starred"})  # NumPy warns of writes into what is stretched


def arrays(value: Any, path: str = "") -> Iterator[tuple[str, np.ndarray]]:
    """The arrays in a structure, and where they are."""
    if isinstance(value, np.ndarray):
        yield path, value
    items = value.items() if isinstance(value, dict) else enumerate(value) if type(value) in (list, tuple) else ()
    for k, v in items:
        yield from arrays(v, f"{path}[{k!r}]")


def shared(sample: Sample) -> tuple[str, str, str] | None:
    """An array in the result, an argument, and an array in it that the first is a view of."""
    values = copy.deepcopy(sample.values)
    with np.errstate(all="ignore"):
        result = function_of(sample)(**values)
    for path, part in arrays(result):
        for v in sample.wrt if part.flags.writeable and part.dtype.kind == "f" and part.size else ():
            for inside, a in arrays(values[v]):
                if a.dtype.kind == "f" and np.shares_memory(part, a):
                    return path, v, inside
    return None


def views() -> Iterator[tuple[str, Sample, tuple[str, str, str]]]:
    seen: set[str] = set()
    for rule, _, sample in CASES:
        internal = any(hasattr(runtime, word.split("(")[0]) for word in sample.call.split("."))
        form = sample.call.split("(")[0]
        if form not in seen and rule not in OVERLAPPING and not internal and (found := shared(sample)) is not None:
            seen.add(form)
            yield f"{rule}-{form}", sample, found


def written(value: Any, path: str, at: str) -> str:
    """A structure as text, with `held` at one place."""
    if path == at:
        return "held"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k!r}: {written(v, f'{path}[{k!r}]', at)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        parts = ", ".join(written(v, f"{path}[{i}]", at) for i, v in enumerate(value))
        return f"[{parts}]" if isinstance(value, list) else f"({parts},)"
    return f"np.array({value.tolist()!r})" if isinstance(value, np.ndarray) else repr(value)


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize(("sample", "place"), [pytest.param(s, p, id=rule) for rule, s, p in views()])
def test_writes_are_seen(sample: Sample, place: tuple[str, str, str], write: str) -> None:
    path, v, inside = place
    others = {k: a for k, a in sample.values.items() if k != v}
    body = [
        "held = own * 1.0", f"{v} = {written(sample.values[v], '', inside)}", f"result = {sample.call}",
        WRITES[write].format(y=f"result{path}"), f"return np.sum(result{path} ** 2) + np.sum(held * held * own)",
    ]  # fmt: skip
    f = made("\n    ".join([f"def f({', '.join(['own', *others])}):", *body, ""]))
    x = np.array(dict(arrays(sample.values[v]))[inside])
    want = np.zeros_like(x)
    for i in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[i] = 1e-6
        want[i] = (f(x + step, **copy.deepcopy(others)) - f(x - step, **copy.deepcopy(others))) / 2e-6
    assert np.allclose(tangent.grad(f)(x, **copy.deepcopy(others)), want, 1e-6, 1e-6)
    assert np.isclose(tangent.jvp(f)(x, **copy.deepcopy(others), down=np.ones_like(x)), want.sum(), 1e-6, 1e-6)
