"""Gradients that are differentiated through forward mode: <c, J'b> is <b, Jc>, whatever c and b are.

def dfdx(x, bout=1.0): ...                    a gradient J'b that has no derivative of its own

def backward(saved, b):                       the backward pass it gets
    x, bout = saved
    return df_jvpdx(x, b, bout), f_jvp(x, b)

def jvp(primals, tangents):                   the tangent it gets: that of J'b along dx is the gradient of <b, J dx>
    x, bout = primals
    dx, dbout = tangents
    return dfdx(x, bout), add_grad(df_jvpdx(x, dx, bout), dfdx(x, dbout))

What runs besides the gradient itself prints nothing: that was printed.
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
from tangent.runtime.fit import unbroadcast
from tangent.source.adapt import define
from tangent.syntax.names import Names

TAKEN = "saved b found gradient tangent mixed pulled add_grad unbroadcast".split()
FORWARD = "primals tangents gradient tangent mixed pulled add_grad".split()
Derive = Callable[[types.FunctionType, Options], Any]


def pair_by_tangents(gradient: types.FunctionType, wrt: tuple[str, ...], derive: Derive) -> Custom:
    """The passes of a gradient by some of its arguments."""
    f, options = gradient.origin  # type: ignore[attr-defined]
    plain = replace(options, preserve_result=False, value_first=False, checkpoint=None, silent=True)
    *names, seed = inspect.signature(gradient).parameters
    varied = tuple(v for v in names if v in wrt)
    free = Names([*names, seed])
    saved, b, found, whole, first, second, third, add, fit = map(free.fresh, TAKEN)
    known: dict[str, Any] = {whole: gradient, add: add_grad, fit: unbroadcast}
    known[first] = derive(f, replace(plain, mode="forward", summed=False))
    if varied:
        known[second] = derive(known[first], replace(plain, mode="reverse", wrt=varied))
        known[third] = derive(f, replace(plain, wrt=varied))
    parts = _of(f"{b}[1]" if options.value_first else b, options.wrt)
    every, given = ", ".join([*names, seed]), ", ".join([*names, *parts])
    adjoints = {v: free.fresh(f"b{v}") for v in varied}
    lines = [f"def backward({saved}, {b}):\n    {every} = {saved}\n"]
    if varied:
        lines += [f"    {found} = {second}({given}, {seed})\n"]
        lines += [f"    {adjoints[v]} = {part}\n" for v, part in zip(varied, _of(found, varied))]
    if varied and options.value_first:
        lines += [f"    {found} = {third}({', '.join(names)}, {b}[0])\n"]
        lines += [f"    {adjoints[v]} = {add}({adjoints[v]}, {p})\n" for v, p in zip(varied, _of(found, varied))]
    slope = f"{fit}({first}({given}), {seed})" if options.summed else f"{first}({given})"
    results = [*(adjoints.get(v, "None") for v in names), slope if seed in wrt else "None"]
    lines += [f"    return {', '.join(results)},\n"]
    forward = f"def forward({every}):\n    return {whole}({every}), ({every})\n"
    return Custom(fwd=define("forward", forward, {**known}), bwd=define("backward", "".join(lines), {**known}))


def tangent_by_tangents(gradient: types.FunctionType, wrt: tuple[str, ...], derive: Derive) -> Custom:
    """The tangent of a gradient along some of its arguments."""
    f, options = gradient.origin  # type: ignore[attr-defined]
    plain = replace(options, preserve_result=False, value_first=False, checkpoint=None, silent=True)
    *names, seed = inspect.signature(gradient).parameters
    varied = tuple(v for v in names if v in wrt)
    free = Names([*names, seed])
    primals, tangents, whole, first, second, third, add = map(free.fresh, FORWARD)
    along = {v: free.fresh(f"d{v}") for v in [*names, seed]}
    known: dict[str, Any] = {whole: gradient, add: add_grad}
    before, after = ", ".join(names), ", ".join(along[v] for v in varied)
    parts = []
    if varied:
        known[first] = derive(f, replace(plain, mode="forward", wrt=varied, summed=False))
        known[second] = derive(known[first], replace(plain, mode="reverse"))
        parts += [f"{second}({before}, {after}, {seed})"]
    if seed in wrt:
        known[third] = derive(f, plain)
        parts += [f"{third}({before}, {along[seed]})"]
    change = f"{add}({', '.join(parts)})" if len(parts) == 2 else parts[0]
    if options.value_first:
        change = f"({f'{first}({before}, {after})' if varied else '0.0'}, {change})"
    text = (
        f"def jvp({primals}, {tangents}):\n"
        f"    {before}, {seed} = {primals}\n"
        f"    {', '.join(along.values())} = {tangents}\n"
        f"    return {whole}({before}, {seed}), {change}\n"
    )
    return Custom(jvp=define("jvp", text, known))


def _of(found: str, names: tuple[str, ...]) -> list[str]:
    """The parts of what is given back for some names: of one, that itself."""
    return [found] if len(names) == 1 else [f"{found}[{i}]" for i in range(len(names))]


def is_gradient(function: Any) -> bool:
    """Whether a function is a gradient by arguments that have a position, and nothing beside it."""
    origin = getattr(function, "origin", None)
    if origin is None or origin[1].mode != "reverse":
        return False
    options = origin[1]
    more = options.preserve_result and not options.value_first, options.has_aux, options.paths
    kinds = {p.kind for p in inspect.signature(function).parameters.values()}
    return not any(more) and not options.compile and kinds <= {inspect.Parameter.POSITIONAL_OR_KEYWORD}
