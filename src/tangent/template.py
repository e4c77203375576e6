"""Rules by users, in the notation of the rule files: how a function is differentiated, said where it is used.

@tangent.adjoint(numpy.multiply)
def adjoint_multiply(z, x, y):
    d[x] = y * d[z]
    d[y] = x * d[z]
"""

from __future__ import annotations

import ast
import dataclasses
import types
from collections.abc import Callable
from typing import Any, TypeVar

from tangent.errors import RuleError
from tangent.rules.notation import Rule, instantiate, local_names, parse_rule
from tangent.rules.table import table
from tangent.source.read import read
from tangent.syntax.names import Names
from tangent.syntax.print import print_body
from tangent.syntax.quote import assign, name

_Template = TypeVar("_Template", bound=Callable[..., Any])


def adjoint(function: Any) -> Callable[[_Template], _Template]:
    """Differentiate a function by the lines of a template in reverse mode.

    The template's parameters are the result and the arguments, `d[z]` is the adjoint of the result, `d[x] = ...` says
    that of an argument. It is never called. Broadcasting is undone for it.
    """

    def register(template: _Template) -> _Template:
        rule = template_rule(template)
        if not any(_is_derivative(s) for s in rule.adjoint):
            raise RuleError(f"malformed rule '{rule.name}'", rule.where, "no line 'd[argument] = ...'")
        old = _custom_rule(function)
        _bind(function, dataclasses.replace(rule, tangent=old.tangent if old else rule.tangent))
        return template

    return register


def tangent_(function: Any) -> Callable[[_Template], _Template]:
    """Differentiate a function by the lines of a template in forward mode: `d[z] = ...` reads `d[x]`."""

    def register(template: _Template) -> _Template:
        rule = template_rule(template)
        if not rule.tangent:
            raise RuleError(f"malformed rule '{rule.name}'", rule.where, "no line 'd[result] = ...'")
        old = _custom_rule(function)
        _bind(function, dataclasses.replace(rule, adjoint=old.adjoint if old else ()))
        return template

    return register


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
    return parse_rule(source.tree, "custom", source.file, [line.rstrip("\n") for line in source.lines])


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


def _bind(function: Any, rule: Rule) -> None:
    unique = f"{rule.name} of {getattr(function, '__qualname__', None) or getattr(function, '__name__', function)}"
    table().bind(function, dataclasses.replace(rule, name=unique))


__all__ = ["adjoint", "replace", "tangent_", "template_rule"]
