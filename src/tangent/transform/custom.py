"""Functions whose derivatives are given as functions: fitted to how generated code calls a callee."""

from __future__ import annotations

import ast
import inspect
import types
from typing import Any

from tangent.errors import MissingRuleError
from tangent.rules.table import Custom, table
from tangent.runtime.dispatch import init_grad
from tangent.runtime.insert import adjoints, fit_grad, forward_pair
from tangent.source.adapt import define, parameter_texts
from tangent.syntax.names import as_identifier
from tangent.transform.unit import Unit

KINDS = inspect.Parameter


def refuse_missing(unit: Unit, call: ast.Call, function: Any, mode: str) -> None:
    """A function with derivatives of its own has one for this mode."""
    custom = table().custom_of(function)
    if custom is None or (custom.bwd if mode == "reverse" else custom.jvp) is not None:
        return
    word = "defvjp" if mode == "reverse" else "defjvp"
    raise MissingRuleError(
        f"cannot differentiate '{function.__name__}' in {mode} mode", unit.source.locate(call),
        f"its derivative is given by a function, and none for {mode} mode", f"Give one with '{word}'.",
    )  # fmt: skip


def custom_pair(
    function: types.FunctionType, custom: Custom, active: tuple[str, ...]
) -> tuple[types.FunctionType, types.FunctionType]:
    """`f_fwd(x, y) -> result, saved` and `f_bwd(saved, b) -> adjoints of the active arguments`."""
    title = as_identifier(function.__name__)
    signature = inspect.signature(function)
    given: dict[str, Any] = {
        "fwd_": custom.fwd, "bwd_": custom.bwd, "pair_": forward_pair, "adjoints_": adjoints, "fit_grad_": fit_grad,
    }  # fmt: skip
    parameters, passed = parameter_texts(signature, given)
    names = list(signature.parameters)
    everything = "".join(f", {p}" for p in names)
    forward = (
        f"def {title}_fwd({', '.join(parameters)}):\n"
        f"    result_, kept_ = pair_(fwd_({', '.join(passed)}), {title!r})\n"
        f"    return result_, (kept_{everything})\n"
    )
    results = ", ".join(f"fit_grad_(parts_{_place(p, signature)}, {p})" for p in active)
    backward = (
        f"def {title}_bwd(saved_, b_):\n"
        f"    kept_{everything} = saved_\n"
        f"    parts_ = adjoints_(bwd_(kept_, b_), {_count(signature)}, {title!r})\n"
        f"    return {results}\n"
    )
    made = define(f"{title}_fwd", forward, dict(given)), define(f"{title}_bwd", backward, dict(given))
    for f in made:
        f.name = f.__name__  # type: ignore[attr-defined]
    made[0].seeds = {}  # type: ignore[attr-defined]
    return made


def _count(signature: inspect.Signature) -> str:
    """How many adjoints there are: one for each argument, also for those that a starred parameter collects."""
    kinds = [p.kind for p in signature.parameters.values()]
    star = next((p.name for p in signature.parameters.values() if p.kind is KINDS.VAR_POSITIONAL), None)
    return f"{len(kinds) - 1} + len({star})" if star else str(len(kinds))


def _place(name: str, signature: inspect.Signature) -> str:
    names = list(signature.parameters)
    i = names.index(name)
    star = next((k for k, n in enumerate(names) if signature.parameters[n].kind is KINDS.VAR_POSITIONAL), len(names))
    if i < star:
        return f"[{i}]"
    after = len(names) - 1 - i
    if i == star:
        return f"[{i}:len(parts_) - {after}]" if after else f"[{i}:]"
    return f"[len(parts_) - {after + 1}]"


def custom_tangent(function: types.FunctionType, custom: Custom, active: tuple[str, ...]) -> types.FunctionType:
    """`f_jvp(x, y, *, dx) -> result, tangent`."""
    title = as_identifier(function.__name__)
    signature = inspect.signature(function)
    given: dict[str, Any] = {"jvp_": custom.jvp, "init_grad_": init_grad}
    parameters, _ = parameter_texts(signature, given)
    seeds = {p: f"d{p}_" for p in active}
    keywords_only = any(p.kind in (KINDS.KEYWORD_ONLY, KINDS.VAR_POSITIONAL) for p in signature.parameters.values())
    if not keywords_only:
        parameters = [p for p in parameters if p != "/"] + ["*"]
    primals, tangents = [], []
    for p in signature.parameters.values():
        star = "*" if p.kind is KINDS.VAR_POSITIONAL else ""
        primals.append(f"{star}{p.name}")
        tangents.append(f"{star}{seeds[p.name]}" if p.name in seeds else f"{star}init_grad_({p.name})")
    text = (
        f"def {title}_jvp({', '.join([*parameters, *seeds.values()])}):\n"
        f"    result_, tangent_ = jvp_(({', '.join(primals)},), ({', '.join(tangents)},))\n"
        f"    return result_, tangent_\n"
    )
    made = define(f"{title}_jvp", text, given)
    made.name, made.seeds = made.__name__, seeds  # type: ignore[attr-defined]
    return made
