"""Functions whose derivatives are given as functions: fitted to how generated code calls a callee."""

from __future__ import annotations

import ast
import inspect
import types
from collections.abc import Callable
from typing import Any, TypeVar

from tangent.analysis.state import needs_memory
from tangent.errors import InPlaceError, MissingRuleError, TangentError
from tangent.rules.table import Custom, table
from tangent.runtime.calls import known_passes
from tangent.runtime.dispatch import init_grad
from tangent.runtime.insert import adjoints, fit_grad, forward_pair
from tangent.source.adapt import define, parameter_texts
from tangent.source.remembering import remembering
from tangent.syntax.names import as_identifier
from tangent.syntax.rebuild import replace
from tangent.transform.calls import Groups
from tangent.transform.turned import turned_pair, turned_tangent
from tangent.transform.unit import Unit

KINDS = inspect.Parameter
Pair = tuple[types.FunctionType, types.FunctionType]
T = TypeVar("T")


def refuse_missing(unit: Unit, call: ast.Call, function: Any, mode: str, active: tuple[str, ...]) -> None:
    """A function with derivatives of its own has one for this mode, or one that can be turned around."""
    custom = table().custom_of(function)
    if custom is None or (custom.bwd if mode == "reverse" else custom.jvp) is not None:
        return
    why = f"its derivative is given by a function, and none for {mode} mode"
    if custom.bwd is not None or custom.jvp is not None:
        try:
            custom_pair(function, custom, active) if mode == "reverse" else custom_tangent(function, custom, active)
            return
        except TangentError as e:
            why += f"; the one for the other mode cannot be turned around ({e.what})"
    word = "defvjp" if mode == "reverse" else "defjvp"
    raise MissingRuleError(
        f"cannot differentiate '{function.__name__}' in {mode} mode", unit.source.locate(call), why,
        f"Give one with '{word}'.",
    )  # fmt: skip


def refuse_writer(unit: Unit, call: ast.Call, function: Any, groups: Groups) -> None:
    """A function with derivatives of its own makes new values: they say nothing of what it writes in place."""
    written = [p for group in groups for p in group]
    if written and table().custom_of(function) is not None:
        raise InPlaceError(
            f"cannot differentiate '{function.__name__}'", unit.source.locate(call),
            f"its derivative is given by a function, and it writes into its argument '{written[0]}'",
            "Let it return a new array instead.",
        )  # fmt: skip


def custom_pair(function: types.FunctionType, custom: Custom, active: tuple[str, ...]) -> Pair:
    """`f_fwd(x, y) -> result, saved` and `f_bwd(saved, b) -> adjoints of the active arguments`."""
    if custom.bwd is not None:
        return _given_pair(function, custom, active)
    return _kept(("reverse", active), custom, lambda: _turned_pair(function, custom, active))


def custom_tangent(function: types.FunctionType, custom: Custom, active: tuple[str, ...]) -> types.FunctionType:
    """`f_jvp(x, y, *, dx) -> result, tangent`."""
    if custom.jvp is not None:
        return _given_tangent(function, custom, active)
    return _kept(("forward", active), custom, lambda: _turned_tangent(function, custom, active))


def _kept(key: tuple[str, tuple[str, ...]], custom: Custom, make: Callable[[], T]) -> T:
    """A derivative that is made once for what a user gave."""
    if key not in custom.turned:
        custom.turned[key] = make()
    made: T = custom.turned[key]
    return made


def _turned_pair(function: types.FunctionType, custom: Custom, active: tuple[str, ...]) -> Pair:
    push = _given_tangent(function, custom, active)
    given: dict[str, Any] = {}
    parameters, _ = parameter_texts(inspect.signature(function), given)
    pair = turned_pair(function, push, _seeds(active), parameters, given, as_identifier(function.__name__))
    return _named_pair(pair)


def _turned_tangent(function: types.FunctionType, custom: Custom, active: tuple[str, ...]) -> types.FunctionType:
    pair = _given_pair(function, custom, active)
    parameters, given = _with_tangents(function)
    made = turned_tangent(function, pair, parameters, _seeds(active), given, as_identifier(function.__name__))
    made.name, made.seeds, made.adapted = made.__name__, _seeds(active), True  # type: ignore[attr-defined]
    return made


def turned_rule(function: Any, call: ast.Call, names: list[str], seeds: dict[str, str]) -> types.FunctionType:
    """`f_jvp(x, y, *, dx) -> result, tangent` of a call, by a rule that gives the adjoints of its operands."""
    title = as_identifier(getattr(function, "__name__", "function"))
    inner = replace(call, func=ast.Name("function_", ast.Load()))
    text = f"def {title}({', '.join(names)}):\n    return {ast.unparse(inner)}\n"
    plain = define(title, text, {"function_": function})
    active = tuple(i for i, v in enumerate(names) if v in seeds)
    made = turned_tangent(plain, known_passes(plain, active, len(names), ()), [*names, "*"], seeds, {}, title)
    made.name, made.seeds, made.adapted = made.__name__, seeds, True  # type: ignore[attr-defined]
    return made


def _named_pair(made: Pair) -> Pair:
    for f in made:
        f.name, f.adapted = f.__name__, True  # type: ignore[attr-defined]
    made[0].seeds = {}  # type: ignore[attr-defined]
    return made


def _given_pair(function: types.FunctionType, custom: Custom, active: tuple[str, ...]) -> Pair:
    title = as_identifier(function.__name__)
    signature = inspect.signature(function)
    given: dict[str, Any] = {
        "fwd_": _remembering(custom.fwd), "bwd_": _remembering(custom.bwd), "pair_": forward_pair,
        "adjoints_": adjoints, "fit_grad_": fit_grad,
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
    return _named_pair((define(f"{title}_fwd", forward, dict(given)), define(f"{title}_bwd", backward, dict(given))))


def _remembering(function: Any) -> Any:
    """A function of the user, with a memory where it makes or changes objects: it is differentiated, too."""
    if not isinstance(function, types.FunctionType) or hasattr(function, "origin"):
        return function
    found = needs_memory(function, table().has_rule)
    if not found:
        return function
    read = remembering(function, entry=True, arrays=found == "arrays")
    runs = types.FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )  # as it is: what it changes outside is changed
    runs.__kwdefaults__ = function.__kwdefaults__
    vars(runs).update(vars(read))
    return runs


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


def _seeds(active: tuple[str, ...]) -> dict[str, str]:
    return {p: f"d{p}_" for p in active}


def _with_tangents(function: types.FunctionType) -> tuple[list[str], dict[str, Any]]:
    """The parameters of a function up to where tangents follow by keyword, and the defaults that have no text."""
    given: dict[str, Any] = {}
    signature = inspect.signature(function)
    parameters, _ = parameter_texts(signature, given)
    keywords_only = any(p.kind in (KINDS.KEYWORD_ONLY, KINDS.VAR_POSITIONAL) for p in signature.parameters.values())
    return parameters if keywords_only else [p for p in parameters if p != "/"] + ["*"], given


def _given_tangent(function: types.FunctionType, custom: Custom, active: tuple[str, ...]) -> types.FunctionType:
    title = as_identifier(function.__name__)
    signature = inspect.signature(function)
    parameters, defaults = _with_tangents(function)
    given: dict[str, Any] = {"jvp_": _remembering(custom.jvp), "init_grad_": init_grad, **defaults}
    seeds = _seeds(active)
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
    made.name, made.seeds, made.adapted = made.__name__, seeds, True  # type: ignore[attr-defined]
    return made
