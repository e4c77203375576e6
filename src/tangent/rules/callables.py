"""Plain Python functions that stand for what is differentiated: methods, partials, objects, library functions."""

from __future__ import annotations

import ast
import functools
import inspect
import threading
import types
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from tangent.rules.table import table
from tangent.runtime.kernels.vectorize import vectorized, vectorized_with
from tangent.source.adapt import as_function, called, define, standing_for
from tangent.source.beforehand import left_to_give
from tangent.source.kept import keeping
from tangent.source.read import with_own_classes

_lock = threading.RLock()


@contextmanager
def making() -> Iterator[None]:
    """Held while something is made that is made once."""
    with _lock, keeping():
        yield


def plain_function(f: Any) -> types.FunctionType:
    """The plain Python function that stands for a callable; of a compiled derivative, the interpreted one."""
    if isinstance(f, types.FunctionType) and not any(hasattr(f, a) for a in ("__wrapped__", "__signature__", "interpreted", "within")):
        if (left := left_to_give(f)) is not None:
            return standing_for(f, lambda: left)
        if not table().has_rule(f) and table().written_out(f) is None:
            return with_own_classes(f)
    if table().has_rule(f) and isinstance(getattr(type(f), "__call__", None), types.FunctionType):
        return as_function(f, library_signature, table().has_rule)  # an object: with its rule the function changes
    with making():
        return standing_for(f, lambda: _written_as_function(f))


def _written_as_function(f: Any) -> types.FunctionType:
    within = getattr(f, "within", None)
    if within is not None:
        return called(within(), inspect.signature(f))
    if isinstance(f, np.vectorize) and (signature := _of_elements(f.pyfunc)) is not None:
        return called(_written_out(f), signature)
    if len(forms := _forms(f)) > 1:
        return _by_count(f, forms)
    if isinstance(f, functools.partial) and len(forms := _forms(f.func)) > 1:
        f = functools.partial(_by_count(f.func, forms), *f.args, **f.keywords)
    return as_function(_written_out(f), library_signature, table().has_rule)


def _forms(f: Any) -> set[tuple[str, ...]]:
    """The arguments without defaults that the rules of a library function tell apart: `log(x)` and `log(x, base)`."""
    rules = [table().rules[b.rule] for b in table().lookup(f)]
    return {tuple(f"*{p.name}" if p.star else p.name for p in r.parameters if p.default is None) for r in rules}


def _by_count(f: Any, forms: set[tuple[str, ...]]) -> types.FunctionType:
    """`def max(x, y=None, *others)`: the function whose rule depends on how many arguments it is given."""
    fixed = sorted((form for form in forms if not form[-1].startswith("*")), key=len)
    names, title, callee = fixed[-1], f.__name__, f"{f.__name__}_"
    several = ["*others"] if len(fixed) < len(forms) else []
    needed = min(len(fixed[0]), len(names) - bool(several))
    parameters = [*names[:needed], *(f"{v}=None" for v in names[needed:]), *several]
    lines = [f"def {title}({', '.join(parameters)}):"]
    lines += [
        f"    if {v} is None:\n        return {callee}({', '.join(names[:i])})"
        for i, v in enumerate(names)
        if i >= needed
    ]
    lines += [f"    if others:\n        return {callee}({', '.join([*names, *several])})"] if several else []
    lines += [f"    return {callee}({', '.join(names)})\n"]
    made = define(title, "\n".join(lines), {callee: f})
    made.__module__ = f.__module__
    return made


def _of_elements(f: Any) -> inspect.Signature | None:
    """The parameters of a function that is called for each element, where all of them are given by position."""
    found = inspect.signature(f) if isinstance(f, types.FunctionType) else inspect.Signature()
    kinds = inspect.Parameter
    plain = all(p.kind is kinds.POSITIONAL_OR_KEYWORD and p.default is kinds.empty for p in found.parameters.values())
    return found if plain and found.parameters else None


def call_form(f: Any, count: int, names: tuple[str, ...], unused: frozenset[str] = frozenset()) -> types.FunctionType:
    """The plain function that stands for calls of a library function with so many arguments and these keywords.

    Which rule is for it depends on them: `max` is of a sequence, or of several numbers. Those `unused` are None.
    """
    kinds = inspect.Parameter
    if not unused.isdisjoint(names):
        return _without(f, count, names, unused)
    before = [kinds(f"argument{i}", kinds.POSITIONAL_ONLY) for i in range(count)]
    return called(f, inspect.Signature([*before, *(kinds(k, kinds.KEYWORD_ONLY) for k in names)]))


def _without(f: Any, count: int, names: tuple[str, ...], unused: frozenset[str]) -> types.FunctionType:
    """The same with parameters that are None: `def add(a, b, *, out): return add_(a, b, out=None)`."""
    given, title = [f"argument{i}" for i in range(count)], getattr(f, "__name__", "function")
    passed = [*given, *(f"{k}={None if k in unused else k}" for k in names)]
    text = f"def {title}({', '.join([*given, '*', *names])}):\n    return {title}_({', '.join(passed)})\n"
    return define(title, text, {f"{title}_": f})


def method_form(f: types.MethodDescriptorType, count: int, names: tuple[str, ...]) -> types.FunctionType:
    """The plain function for calls of a method of arrays, which they give first.

    def sum(argument0, *, axis): return argument0.sum(axis=axis)
    """
    given = [f"argument{i}" for i in range(count)]
    parameters = [*given, *(["*", *names] if names else [])]
    passed = [*given[1:], *(f"{k}={k}" for k in names)]
    title = f.__name__
    return define(title, f"def {title}({', '.join(parameters)}):\n    return argument0.{title}({', '.join(passed)})\n", {})


def rule_modes(f: Any) -> tuple[str, ...]:
    """The modes in which a function is differentiated by what somebody said."""
    rules = table()
    if (custom := rules.custom_of(f)) is not None:
        return tuple(m for m, given in (("reverse", custom.bwd), ("forward", custom.jvp)) if given is not None)
    found = [rules.rules[b.rule] for b in rules.lookup(f)]
    if not found:
        return ("reverse", "forward") if rules.is_zero(f) else ()
    return tuple(
        m
        for m, has in (
            ("reverse", all(r.adjoint for r in found)),
            ("forward", all(r.tangent or r.kind != "custom" for r in found)),
        )
        if has
    )


def _written_out(f: Any) -> Any:
    """What stands for a library function that has no rule but is written out in Python."""
    if isinstance(f, np.vectorize):
        otypes = getattr(f, "otypes", None) or None
        by_place = not isinstance(f.pyfunc, types.FunctionType) or _of_elements(f.pyfunc) is not None
        if by_place and not f.excluded and f.signature is None:
            return functools.partial(vectorized, f.pyfunc, otypes)
        return functools.partial(vectorized_with, f.pyfunc, otypes, frozenset(f.excluded), f.signature)
    written = table().written_out(f) if not table().lookup(f) else None
    return f if written is None else written


def library_signature(f: Any) -> inspect.Signature | None:
    """The parameters of a library function, as its rule lists them."""
    bounds = table().lookup(f)
    if not bounds and table().is_zero(f):
        return _own_signature(f)
    if not bounds:
        return None
    kinds = inspect.Parameter
    found: list[inspect.Parameter] = []
    own = _own_signature(f)
    behind = False  # whether a parameter that is not for derivatives would stand before
    for p in max((table().rules[b.rule].parameters for b in bounds), key=len):
        default = kinds.empty if p.default is None else ast.literal_eval(p.default)
        mine = own.parameters.get(p.name) if own is not None else None
        if p.name in ("out", "overwrite_input") or (
            default is not kinds.empty and not _can_be_said(f, own, mine, default)
        ):
            behind = True
            continue
        hidden = isinstance(f, np.ufunc) and default is not kinds.empty
        keyword = p.keyword_only or behind or hidden or (mine is not None and mine.kind is kinds.KEYWORD_ONLY)
        if mine is not None and isinstance(mine.default, (bool, int, str)):
            default = mine.default
        kind = kinds.VAR_POSITIONAL if p.star else kinds.KEYWORD_ONLY if keyword else kinds.POSITIONAL_OR_KEYWORD
        found.append(kinds(p.name, kind, default=default))
    return inspect.Signature(found)


def _can_be_said(f: Any, own: inspect.Signature | None, mine: inspect.Parameter | None, default: Any) -> bool:
    """Whether a library function takes an option, and the rule's default for it means the function's own."""
    if own is None or isinstance(f, np.ufunc):
        return True
    if mine is None:
        return False
    if f is np.clip:  # without a bound, or with None for it
        return True
    return default is not None or mine.default is None or isinstance(mine.default, (bool, int, float, str))


def _own_signature(f: Any) -> inspect.Signature | None:
    """The parameters of a library function, as far as Python knows them."""
    kinds = inspect.Parameter
    if isinstance(f, np.ufunc):
        return inspect.Signature([kinds(f"x{i + 1}", kinds.POSITIONAL_OR_KEYWORD) for i in range(f.nin)])
    try:
        return inspect.signature(f)
    except ValueError:
        return None
