"""Rules by users, in the notation of the rule files: how a function is differentiated, said where it is used.

@tangent.adjoint(numpy.multiply)
def adjoint_multiply(z, x, y):
    d[x] = y * d[z]
    d[y] = x * d[z]
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import types
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal, TypeVar

import numpy as np

from tangent.errors import Location, RuleError, caller
from tangent.rules.notation import NOTATION, Parameter, Rule, instantiate, local_names, parse_rule
from tangent.rules.outlined import outlined
from tangent.rules.table import table, using
from tangent.rules.wellformed import check_template
from tangent.source.naming import is_library
from tangent.source.read import read, unwrapped
from tangent.syntax.names import Names
from tangent.syntax.print import print_body
from tangent.syntax.quote import assign, name

_Template = TypeVar("_Template", bound=Callable[..., Any])
_Function = TypeVar("_Function")
Forward = Literal["elementwise", "linear"]
LITERALS = (bool, int, float, complex, str, tuple, types.NoneType)


def adjoint(function: Any, forward: Forward | None = None) -> Callable[[_Template], _Template]:
    """Differentiate a function by the lines of a template in reverse mode.

    The template's parameters are the result and the arguments, `d[z]` is the adjoint of the result, `d[x] = ...` says
    that of an argument. It is never called. Broadcasting is undone for it. With `forward="elementwise"` the lines say
    forward mode, too; with `forward="linear"` the tangent is the function itself, applied to the tangents.

    >>> import tangent
    >>> def cube(x): return x * x * x
    >>> with tangent.rules():
    ...     @tangent.adjoint(cube, forward="elementwise")
    ...     def adjoint_cube(y, x):
    ...         d[x] = 3.0 * d[y] * x * x
    ...     tangent.grad(cube)(2.0), tangent.jvp(cube)(2.0, 1.0)
    (12.0, 12.0)
    """

    def register(template: _Template) -> _Template:
        rule = template_rule(template)
        if not any(_is_derivative(s) for s in rule.adjoint):
            raise RuleError(f"malformed rule '{rule.name}'", rule.where, "no line 'd[argument] = ...'", NOTATION)
        rule = _fitting(function, rule)
        if forward not in (None, "elementwise", "linear"):
            raise RuleError(
                f"forward={forward!r}", rule.where, "forward is 'elementwise' or 'linear'",
                "Leave it out and say the tangent with @tangent.tangent_.",
            )  # fmt: skip
        old = _custom_rule(function)
        if forward is not None:
            rule = dataclasses.replace(rule, kind=forward, tangent=())
        elif old is not None and not rule.tangent:
            rule = _joined(rule, old)
        _bind(function, rule)
        return template

    return register


def tangent_(function: Any) -> Callable[[_Template], _Template]:
    """Differentiate a function by the lines of a template in forward mode: `d[z] = ...` reads `d[x]`.

    >>> import tangent
    >>> def cube(x): return x * x * x
    >>> with tangent.rules():
    ...     @tangent.tangent_(cube)
    ...     def tangent_cube(y, x):
    ...         d[y] = 3.0 * d[x] * x * x
    ...     tangent.jvp(cube)(2.0, 1.0)
    12.0
    """

    def register(template: _Template) -> _Template:
        rule = template_rule(template)
        if not rule.tangent:
            raise RuleError(f"malformed rule '{rule.name}'", rule.where, "no line 'd[result] = ...'", NOTATION)
        rule = _fitting(function, rule)
        old = _custom_rule(function)
        _bind(function, _joined(old, rule) if old is not None else dataclasses.replace(rule, adjoint=()))
        return template

    return register


@contextmanager
def rules(
    replaced: Mapping[Any, Callable[..., Any] | None] | None = None, forward: Forward | None = None
) -> Iterator[None]:
    """Rules for the derivatives that are made inside a `with`; outside, and in other threads, all is as it was.

    What such a derivative makes when it runs (of functions that it is given, for lists, for objects) goes by them, too.

    A function is given a template, or None, which takes its rule away: then it is differentiated by its source, or
    refused. `tangent.non_differentiable` in the place of a template lets no derivative through.

    >>> import tangent
    >>> def straight_through(y, x):
    ...     d[x] = d[y]
    >>> with tangent.rules({np.round: straight_through}):
    ...     df = tangent.grad(lambda x: np.round(x) * 3.0)
    >>> df(1.2), tangent.grad(lambda x: np.round(x) * 3.0)(1.2)
    (3.0, 0.0)
    """
    with using(table().copied()):
        for function, template in (replaced or {}).items():
            _replace(function, template, forward)
        yield


def _replace(function: Any, template: Callable[..., Any] | None, forward: Forward | None) -> None:
    if template is None:
        table().forget(_behind(function))
    elif template is non_differentiable:
        non_differentiable(function)
    else:
        rule = template_rule(template)
        table().forget(_behind(function))
        if any(_is_derivative(s) for s in rule.adjoint):
            adjoint(function, forward)(template)
        else:
            tangent_(function)(template)


def non_differentiable(function: _Function, *others: Any) -> _Function:
    """Let no derivative flow through a function, of one's own or of a library; a decorator.

    >>> import tangent
    >>> @tangent.non_differentiable
    ... def level(x): return x * x
    >>> tangent.grad(lambda x: x * level(x))(3.0)
    9.0
    """
    for f in (function, *others):
        table().flatten(_behind(f))
    return function


def replace(template: Callable[..., Any], **names: str) -> str:
    """The statements of a template in terms of other names, `b` standing for adjoints.

    >>> def adjoint_multiply(z, x, y):
    ...     d[x] = y * d[z]
    ...     d[y] = x * d[z]
    >>> print(replace(adjoint_multiply, z="c", x="a", y="b"))
    ba = b * bc
    bb = a * bc
    """
    rule = template_rule(template)
    parameters = [rule.result, *(p.name for p in rule.parameters)]
    unknown = sorted(set(names) - set(parameters))
    if unknown:
        raise RuleError(
            f"cannot show the template '{rule.name}'", rule.where, f"it has no parameter '{unknown[0]}'",
            f"Name some of {', '.join(parameters)}.",
        )  # fmt: skip
    shown = {p: names.get(p, p) for p in parameters}
    wanted = [w for s in rule.adjoint if (w := _is_derivative(s))]
    fresh = Names({*shown.values(), *(f"b{v}" for v in shown.values())})
    local = {n: fresh.fresh(n) for n in local_names(rule.adjoint, wanted)}
    values = {p: name(v) for p, v in shown.items()}
    before, found = instantiate(rule.adjoint, wanted, values, {rule.result: name(f"b{shown[rule.result]}")}, local)
    return print_body([*before, *(assign(f"b{shown[k]}", e) for k, e in found.items())])


def template_rule(template: Callable[..., Any]) -> Rule:
    """A template as a rule; anything malformed is refused, with its line."""
    if not isinstance(template, types.FunctionType):
        raise RuleError(f"cannot read {template!r} as a template", caller(), "a template is a plain function", NOTATION)
    source = read(template)
    scope = check_template(source)
    tree = source.tree
    if made := outlined(source, scope):
        tree, scope = made
    rule = parse_rule(tree, "custom", source.file, [line.rstrip("\n") for line in source.lines])
    return dataclasses.replace(rule, scope=scope)


def _fitting(function: Any, rule: Rule) -> Rule:
    """A rule for the function behind; one that does not fit it would be refused at every call."""
    behind = _behind(function, rule.where)
    if behind is not function and isinstance(function, types.MethodType):
        first = next(iter(inspect.signature(behind).parameters))
        rule = dataclasses.replace(rule, parameters=(Parameter(first), *rule.parameters))
    if isinstance(behind, np.ufunc) and len([p for p in rule.parameters if not p.keyword_only]) != behind.nin:
        expected = ", ".join(f"x{i + 1}" for i in range(behind.nin))
    elif isinstance(behind, types.FunctionType) and not _fits(rule, inspect.signature(behind)):
        expected = str(inspect.signature(behind))[1:-1]
    elif not isinstance(behind, types.FunctionType) and not _is_covered(rule, theirs := _signature(behind)):
        expected = str(theirs)[1:-1]
    else:
        return rule
    raise RuleError(
        f"malformed rule '{rule.name}'", rule.where,
        f"after the result its parameters are those of '{behind.__name__}': {expected}",
        NOTATION,
    )  # fmt: skip


def _signature(function: Any) -> inspect.Signature | None:
    try:
        return inspect.signature(function)
    except (ValueError, TypeError):
        return None


def _is_covered(rule: Rule, signature: inspect.Signature | None) -> bool:
    """Whether a function that is not written in Python takes what a rule names; what things are called is open."""
    every = [] if signature is None else list(signature.parameters.values())
    kinds = {p.kind for p in every}
    places = [p for p in every if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    keywords = {p.name for p in every if p.kind is not p.POSITIONAL_ONLY}
    plain = [p for p in rule.parameters if not p.keyword_only and not p.star]
    few = inspect.Parameter.VAR_POSITIONAL in kinds or len(plain) <= len(places)
    known = inspect.Parameter.VAR_KEYWORD in kinds or all(p.name in keywords for p in rule.parameters if p.keyword_only)
    return signature is None or (few and known)


def _fits(rule: Rule, signature: inspect.Signature) -> bool:
    """Whether a rule has the parameters of a function: names, kinds, defaults as far as they are literals.

    Of a function that takes any keyword it names those that it handles.
    """
    every = list(signature.parameters.values())
    theirs = [p for p in every if p.kind is not p.VAR_KEYWORD]
    further = rule.parameters[len(theirs) :]
    if len(theirs) > len(rule.parameters) or (further and len(theirs) == len(every)):
        return False
    return all(p.keyword_only for p in further) and all(map(_agree, rule.parameters, theirs))


def _agree(p: Parameter, other: inspect.Parameter) -> bool:
    kinds = (p.star, p.keyword_only) == (other.kind is other.VAR_POSITIONAL, other.kind is other.KEYWORD_ONLY)
    if p.name != other.name or not kinds:
        return False
    if other.default is not other.empty and not isinstance(other.default, LITERALS):
        return True
    if p.default is None or other.default is other.empty:
        return (p.default is None) == (other.default is other.empty)
    return repr(ast.literal_eval(p.default)) == repr(other.default)


def _behind(function: Any, where: Location | None = None) -> Any:
    """What a rule is filed under: the function of a class method, of a cache, of a compiled function."""
    if isinstance(function, types.MethodType) and isinstance(function.__self__, type):
        return function.__func__
    if isinstance(function, types.MethodType) and not is_library(function.__func__):
        raise RuleError(
            f"'{function.__qualname__}' is bound to an object", where, "a rule is for all objects of a class",
            f"Give it to '{type(function.__self__).__name__}.{function.__name__}', with 'self' as first argument.",
        )  # fmt: skip
    if not callable(function):
        raise RuleError(
            f"a rule is for a function, not for {function!r}", where, "it cannot be called",
            "Give the rule to the function that is called.",
        )  # fmt: skip
    if getattr(function, "__objclass__", None) is np.ndarray:
        raise RuleError(
            f"'{function.__name__}' of arrays cannot have a rule of its own", where,
            "methods of arrays are differentiated as the functions of the same name",
            f"Give the rule to 'np.{function.__name__}'.",
        )  # fmt: skip
    return unwrapped(function)


def _is_derivative(s: ast.Assign) -> str:
    match s.targets[0]:
        case ast.Subscript(value=ast.Name(id="d"), slice=ast.Name(id=who)):
            return who
        case _:
            return ""


def _custom_rule(function: Any) -> Rule | None:
    bounds = table().lookup(_behind(function))
    rule = table().rules[bounds[0].rule] if bounds else None
    return rule if rule is not None and rule.kind == "custom" else None


def _joined(reverse: Rule, forward: Rule) -> Rule:
    """One rule from a template for each mode, in the names of the first."""
    names = dict(zip([p.name for p in forward.parameters], [p.name for p in reverse.parameters]))
    if forward.result != reverse.result or any(k != v for k, v in names.items()):
        raise RuleError(
            f"malformed rule '{forward.name}'", forward.where,
            f"the other template of this function calls its result and arguments "
            f"{', '.join([reverse.result, *names.values()])}",
            "Use the same names in both.",
        )  # fmt: skip
    scope = {**forward.scope, **reverse.scope}
    if any(reverse.scope.get(k, v) is not v for k, v in forward.scope.items()):
        raise RuleError(
            f"malformed rule '{forward.name}'", forward.where,
            "a name in it means something else in the other template", "Use the same names in both.",
        )  # fmt: skip
    operands = reverse.operands | forward.operands
    return dataclasses.replace(reverse, tangent=forward.tangent, scope=scope, operands=operands)


def _bind(function: Any, rule: Rule) -> None:
    title = f"{rule.name} of {getattr(function, '__qualname__', None) or getattr(function, '__name__', function)}"
    unique, count = title, 1
    while unique in table().rules:  # functions and templates of one name are many
        count += 1
        unique = f"{title}, {count}"
    table().bind(_behind(function), dataclasses.replace(rule, name=unique))


__all__ = ["adjoint", "non_differentiable", "replace", "rules", "tangent_", "template_rule"]
