"""The places of `out` are those that NumPy says, for every function and method of it that has one."""

import inspect

import numpy as np

from tangent.runtime.outputs import METHOD_PLACES, PLACES

DATES = {"busday_count", "busday_offset", "is_busday"}


def test_functions():
    found = {}
    for name in dir(np):
        function = getattr(np, name)
        if callable(function) and not isinstance(function, (np.ufunc, type)):
            found |= _place(name, function)
    found |= {m: p for m in ("reduce", "accumulate", "reduceat") for p in _place(m, getattr(np.add, m)).values()}
    assert {k: v for k, v in found.items() if k not in DATES} == {k: v for k, v in PLACES.items() if k in found}
    assert PLACES.keys() - found.keys() <= {"reduce", "accumulate", "reduceat", "dot", "concatenate", "concat"}


def test_methods():
    """What is given there is filled with what the method gives."""
    x = np.ones((2, 2))
    given = {"compress": [[True, True]], "take": [[[0, 1], [1, 0]]], "clip": [0.0, 1.0], "dot": [x], "round": [2]}
    for name in METHOD_PLACES.keys() - {"choose"}:
        first = given.get(name, [0, 0, 1] if name == "trace" else [])
        args = [*first, *[None] * (METHOD_PLACES[name] - len(first))]
        expected = getattr(x, name)(*args)
        out = np.zeros_like(expected)
        assert getattr(x, name)(*args, out) is out, name
        assert np.array_equal(out, expected)


def _place(name, function):
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return {}
    place = list(parameters).index("out") if "out" in parameters else -1
    told = place >= 0 and parameters["out"].kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
    return {name: place} if told else {}
