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
from tangent.runtime.dispatch import add_grad
from tangent.source.adapt import define

Derive = Callable[[types.FunctionType, Options], Any]


def by_tangents(gradient: types.FunctionType, wrt: tuple[str, ...], derive: Derive) -> Custom:
    """The passes of a gradient by some of its arguments."""
    f, options = gradient.origin  # type: ignore[attr-defined]
    plain = replace(options, preserve_result=False, value_first=False)
    *names, seed = inspect.signature(gradient).parameters
    varied = tuple(v for v in names if v in wrt)
    tangent = derive(f, replace(plain, mode="forward"))
    known: dict[str, Any] = {"gradient": gradient, "tangent": tangent, "add_grad": add_grad}
    if varied:
        known["mixed"] = derive(tangent, replace(plain, mode="reverse", wrt=varied))
        known["pulled"] = derive(f, replace(plain, wrt=varied))
    whole = "b[1]" if options.value_first else "b"
    every, given = ", ".join([*names, seed]), ", ".join([*names, *_of(whole, options.wrt)])
    lines = [f"def backward(saved, b):\n    {every} = saved\n"]
    if varied:
        lines += [f"    found = mixed({given}, {seed})\n"]
        lines += [f"    b_{v} = {w}\n" for v, w in zip(varied, _of("found", varied))]
    if varied and options.value_first:
        lines += [f"    found = pulled({', '.join(names)}, b[0])\n"]
        lines += [f"    b_{v} = add_grad(b_{v}, {w})\n" for v, w in zip(varied, _of("found", varied))]
    adjoints = [f"b_{v}" if v in varied else "None" for v in names]
    lines += [f"    return {', '.join([*adjoints, f'tangent({given})' if seed in wrt else 'None'])},\n"]
    forward = f"def forward({every}):\n    return gradient({every}), ({every})\n"
    return Custom(fwd=define("forward", forward, {**known}), bwd=define("backward", "".join(lines), {**known}))


def _of(found: str, names: tuple[str, ...]) -> list[str]:
    """The parts of what is given back for some names: of one, that itself."""
    return [found] if len(names) == 1 else [f"{found}[{i}]" for i in range(len(names))]


def is_gradient(function: Any) -> bool:
    """Whether a function is a gradient by arguments that have a position, and nothing beside it."""
    origin = getattr(function, "origin", None)
    if origin is None or origin[1].mode != "reverse":
        return False
    options = origin[1]
    more = options.preserve_result and not options.value_first, options.has_aux, options.paths, options.summed
    kinds = {p.kind for p in inspect.signature(function).parameters.values()}
    return not any(more) and not options.compile and kinds <= {inspect.Parameter.POSITIONAL_OR_KEYWORD}
