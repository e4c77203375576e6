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

from tangent.errors import RuleError
from tangent.rules.notation import Rule, instantiate, local_names, parse_rule
from tangent.rules.outlined import outlined
from tangent.rules.table import table
from tangent.rules.wellformed import check_template
from tangent.source.read import read
from tangent.syntax.names import Names
from tangent.syntax.print import print_body
from tangent.syntax.quote import assign, name

_Template = TypeVar("_Template", bound=Callable[..., Any])
_Function = TypeVar("_Function")
Forward = Literal["elementwise", "linear"]


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
            raise RuleError(f"malformed rule '{rule.name}'", rule.where, "no line 'd[argument] = ...'")
        _check_arguments(function, rule)
        if forward not in (None, "elementwise", "linear"):
            raise RuleError(f"forward is 'elementwise' or 'linear', not {forward!r}", rule.where)
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
            raise RuleError(f"malformed rule '{rule.name}'", rule.where, "no line 'd[result] = ...'")
        _check_arguments(function, rule)
        old = _custom_rule(function)
        _bind(function, _joined(old, rule) if old is not None else dataclasses.replace(rule, adjoint=()))
        return template

    return register


@contextmanager
def rules(
    replaced: Mapping[Any, Callable[..., Any] | None] | None = None, forward: Forward | None = None
) -> Iterator[None]:
    """Rules for the derivatives that are made inside a `with`; outside, all is as it was.

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
    known = table()
    saved = known.saved()
    try:
        for function, template in (replaced or {}).items():
            _replace(function, template, forward)
        yield
    finally:
        known.restore(saved)


def _replace(function: Any, template: Callable[..., Any] | None, forward: Forward | None) -> None:
    if template is None:
        table().forget(function)
    elif template is non_differentiable:
        table().flatten(function)
    else:
        rule = template_rule(template)
        table().forget(function)
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
        table().flatten(f)
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
        raise RuleError(f"the template '{rule.name}' has no parameter '{unknown[0]}'", rule.where)
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
        raise RuleError(f"a template is a plain function, not {template!r}")
    source = read(template)
    scope = check_template(source)
    tree = source.tree
    if made := outlined(source, scope):
        tree, scope = made
    rule = parse_rule(tree, "custom", source.file, [line.rstrip("\n") for line in source.lines])
    return dataclasses.replace(rule, scope=scope)


def _check_arguments(function: Any, rule: Rule) -> None:
    """A template that does not fit the function it is for would be refused at every call."""
    given = [p.name for p in rule.parameters]
    if isinstance(function, np.ufunc) and len([p for p in rule.parameters if not p.keyword_only]) != function.nin:
        expected: list[str] | None = [f"x{i + 1}" for i in range(function.nin)]
    elif isinstance(function, types.FunctionType):
        expected = list(inspect.signature(function).parameters)
    else:
        expected = None
    if expected is not None and given != expected:
        raise RuleError(
            f"malformed rule '{rule.name}'", rule.where,
            f"after the result its parameters are those of '{function.__name__}': {', '.join(expected)}",
        )  # fmt: skip


def _is_derivative(s: ast.Assign) -> str:
    match s.targets[0]:
        case ast.Subscript(value=ast.Name(id="d"), slice=ast.Name(id=who)):
            return who
        case _:
            return ""


def _custom_rule(function: Any) -> Rule | None:
    bounds = table().lookup(function)
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
        )  # fmt: skip
    scope = {**forward.scope, **reverse.scope}
    if any(reverse.scope.get(k, v) is not v for k, v in forward.scope.items()):
        raise RuleError(
            f"malformed rule '{forward.name}'", forward.where, "a name in it means something else in the other template"
        )
    operands = reverse.operands | forward.operands
    return dataclasses.replace(reverse, tangent=forward.tangent, scope=scope, operands=operands)


def _bind(function: Any, rule: Rule) -> None:
    unique = f"{rule.name} of {getattr(function, '__qualname__', None) or getattr(function, '__name__', function)}"
    table().bind(function, dataclasses.replace(rule, name=unique))


__all__ = ["adjoint", "non_differentiable", "replace", "rules", "tangent_", "template_rule"]
