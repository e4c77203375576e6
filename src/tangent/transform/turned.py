"""Functions whose derivative is given for one mode: that for the other, by turning it around."""

from __future__ import annotations

import inspect
import types
from typing import Any

from tangent.runtime.calls import call_bwd, call_fwd, known_passes
from tangent.runtime.dispatch import init_grad
from tangent.runtime.linear import as_linear, probe
from tangent.source.adapt import define, parameter_texts

GIVEN = {
    "call_fwd_": call_fwd, "call_bwd_": call_bwd, "as_linear_": as_linear, "probe_": probe, "init_grad_": init_grad,
}  # fmt: skip
Function = types.FunctionType


def turned_tangent(
    function: Function, pair: tuple[Function, Function], parameters: list[str], seeds: dict[str, str],
    defaults: dict[str, Any], title: str,
) -> Function:  # fmt: skip
    """`f_jvp(x, y, *, dx) -> result, tangent`, from `f_fwd` and `f_bwd`."""
    known_passes(pair[1], (1,), 2, ())  # so that what cannot be turned around is known now
    given: dict[str, Any] = {**GIVEN, "fwd_": pair[0], "bwd_": pair[1], **defaults}
    _, passed = parameter_texts(inspect.signature(function), {})
    wanted = _listed(list(seeds.values()))
    text = (
        f"def {title}_jvp({', '.join([*parameters, *seeds.values()])}):\n"
        f"    result_, saved_ = fwd_({', '.join(passed)})\n"
        f"    probed_ = probe_(result_)\n"
        f"    given_, inner_ = call_fwd_(bwd_, (1,), saved_, probed_)\n"
        f"    tangent_ = as_linear_(call_bwd_(inner_, {wanted}), probed_, given_, {wanted}, {title!r})\n"
        f"    return result_, tangent_\n"
    )
    return define(f"{title}_jvp", text, given)


def turned_pair(
    function: Function, push: Function, seeds: dict[str, str], parameters: list[str], defaults: dict[str, Any],
    title: str,
) -> tuple[Function, Function]:  # fmt: skip
    """`f_fwd(x, y) -> result, saved` and `f_bwd(saved, b) -> adjoints of the active arguments`, from `f_jvp`."""
    signature = inspect.signature(function)
    count = sum(p.kind is not inspect.Parameter.KEYWORD_ONLY for p in signature.parameters.values())
    rest = tuple(n for n, p in signature.parameters.items() if p.kind is inspect.Parameter.KEYWORD_ONLY)
    known_passes(push, tuple(seeds.values()), count, (*rest, *seeds.values()))
    _, passed = parameter_texts(signature, {})
    probes = [f"{s}=probe_({p})" for p, s in seeds.items()]
    probed = _listed([f"probe_({p})" for p in seeds])
    forward = (
        f"def {title}_fwd({', '.join(parameters)}):\n"
        f"    both_, inner_ = call_fwd_(push_, {tuple(seeds.values())!r}, {', '.join([*passed, *probes])})\n"
        f"    result_, tangent_ = both_\n"
        f"    return result_, (inner_, result_, tangent_, {probed})\n"
    )
    backward = (
        f"def {title}_bwd(saved_, b_):\n"
        f"    inner_, result_, tangent_, probed_ = saved_\n"
        f"    found_ = call_bwd_(inner_, (init_grad_(result_), b_))\n"
        f"    return as_linear_(found_, probed_, tangent_, b_, {title!r})\n"
    )
    given: dict[str, Any] = {**GIVEN, "push_": push, **defaults}
    return define(f"{title}_fwd", forward, dict(given)), define(f"{title}_bwd", backward, dict(given))


def _listed(texts: list[str]) -> str:
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"
