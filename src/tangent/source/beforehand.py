"""Functions that were given arguments beforehand, inside a differentiated function, with parameters that have names.

f = partial_of(h, a, k=b)    ->    def h(v, **more): return function(*[*given, v], **{**named, **more})
f = with_defaults(h, ...)    ->    def h(v, k=...): return function(v, k=defaults["k"] if k is ... else k)

They capture what the closures that the runtime makes capture (`function`, `given`, `named`), so that the one may stand
for the other.
"""

from __future__ import annotations

import inspect
import types
from typing import Any

from tangent.runtime.library.beforehand import held_by, parameters_left
from tangent.source.adapt import defined_once, parameter_texts


def left_to_give(f: types.FunctionType) -> types.FunctionType | None:
    """The function of the parameters that are left, if f is one that was given some."""
    held = held_by(f)
    if held is None or not isinstance(held["function"], types.FunctionType):
        return None
    behind = held["function"]
    while (inner := held_by(behind)) is not None:
        behind = inner["function"]
    title = behind.__name__ if getattr(behind, "__name__", "").isidentifier() else "function"
    namespace: dict[str, Any] = {}
    parameters, passed = parameter_texts(inspect.Signature(parameters_left(f)), namespace)
    if "defaults" in held:
        text = _of_defaults(title, parameters, passed, set(held["defaults"]))
    else:
        text = _of_partial(title, parameters, passed)
    cells = dict(zip(f.__code__.co_freevars, f.__closure__ or ()))
    made = defined_once(held["function"], title, text, namespace, cells)
    made.__module__ = behind.__module__
    return made


def _of_partial(title: str, parameters: list[str], passed: list[str]) -> str:
    by_position = [e for e in passed if "=" not in e]
    by_name = [f"'{v}': {v}" for v in (e.split("=")[0] for e in passed if "=" in e)]
    return (
        f"def {title}({', '.join([*parameters, '**more'])}):\n"
        f"    every = [{', '.join(['*given', *by_position])}]\n"
        f"    names = {{{', '.join(['**named', *by_name, '**more'])}}}\n"
        "    return function(*every, **names)\n"
    )


def _of_defaults(title: str, parameters: list[str], passed: list[str], defaulted: set[str]) -> str:
    names = [e.split("=")[0] for e in passed]
    given = [e for v, e in zip(names, passed) if v not in defaulted]
    others = [f"{v}=defaults['{v}'] if {v} is ... else {v}" for v in names if v in defaulted]
    return (
        f"def {title}({', '.join(parameters)}):\n"
        "    names\n"  # captured like the others
        f"    return function({', '.join([*given, *others])})\n"
    )
