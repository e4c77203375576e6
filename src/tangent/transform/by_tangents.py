"""Gradients that are differentiated in reverse mode through forward mode: <c, J'b> is <b, Jc>, whatever c and b are.

def dfdx(x, bout=1.0): ...                    a gradient J'b that has no backward pass of its own

def backward(saved, b):                       the backward pass it gets
    x, bout = saved
    return df_jvpdx(x, b, bout), f_jvp(x, b)
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tangent.options import Options
from tangent.rules.table import Custom
from tangent.source.adapt import define

Derive = Callable[[types.FunctionType, Options], Any]


def by_tangents(gradient: types.FunctionType, wrt: tuple[str, ...], derive: Derive) -> Custom:
    """The passes of a gradient by some of its arguments."""
    f, options = gradient.origin  # type: ignore[attr-defined]
    *names, seed = inspect.signature(gradient).parameters
    varied = tuple(v for v in names if v in wrt)
    tangent = derive(f, replace(options, mode="forward"))
    known: dict[str, Any] = {"gradient": gradient, "tangent": tangent}
    if varied:
        known["mixed"] = derive(tangent, replace(options, mode="reverse", wrt=varied))
    every = ", ".join([*names, seed])
    given = ", ".join([*names, *(["b"] if len(options.wrt) == 1 else [f"b[{i}]" for i in range(len(options.wrt))])])
    adjoints = [f"b_{v}" if v in varied else "None" for v in names]
    backward = [
        f"def backward(saved, b):\n    {every} = saved\n",
        f"    {', '.join(f'b_{v}' for v in varied)} = mixed({given}, {seed})\n" if varied else "",
        f"    return {', '.join([*adjoints, f'tangent({given})' if seed in wrt else 'None'])},\n",
    ]
    forward = f"def forward({every}):\n    return gradient({every}), ({every})\n"
    return Custom(fwd=define("forward", forward, {**known}), bwd=define("backward", "".join(backward), {**known}))


def is_gradient(function: Any) -> bool:
    """Whether a function is a gradient by arguments that have a position, and nothing beside it."""
    origin = getattr(function, "origin", None)
    if origin is None or origin[1].mode != "reverse":
        return False
    more = origin[1].preserve_result, origin[1].has_aux, origin[1].paths, origin[1].summed, origin[1].compile
    kinds = {p.kind for p in inspect.signature(function).parameters.values()}
    return not any(more) and kinds <= {inspect.Parameter.POSITIONAL_OR_KEYWORD}
