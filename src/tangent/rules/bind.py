"""Fit a call to a rule: positional and keyword forms are one; what the rule does not list is refused by name."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from tangent.errors import Location, RuleError
from tangent.rules.notation import Binding, Rule


def bind(rule: Rule, args: Sequence[ast.expr], keywords: Sequence[ast.keyword], where: Location) -> Binding:
    """The value of each parameter of a rule in one call."""
    values: dict[str, ast.expr] = {}
    positional = [p for p in rule.parameters if not p.keyword_only]
    rest = list(args)
    for p in positional:
        if p.star and len(rest) == 1 and isinstance(first := rest[0], ast.Starred):
            values[p.name] = first.value  # a sequence of arguments, whose adjoint is one, too
            rest = []
        elif p.star:
            if any(isinstance(e, ast.Starred) for e in rest):
                raise _refused(rule, "a starred argument beside others", where, "Put them into one list.")
            values[p.name] = ast.Tuple(rest, ast.Load())
            rest = []
        elif rest:
            if isinstance(rest[0], ast.Starred):
                raise _refused(rule, "a starred argument", where, "Write the arguments out.")
            values[p.name] = rest.pop(0)
    if rest:
        raise _refused(rule, f"{len(args)} positional arguments", where, "Pass options by keyword.")
    known = {p.name: p for p in rule.parameters}
    for k in keywords:
        if k.arg is None:
            raise _refused(rule, "'**' arguments", where, "Write the keywords out.")
        if k.arg in known and k.arg not in values:
            values[k.arg] = k.value
        elif not _is_default(k.value):
            raise _refused(rule, f"the keyword '{k.arg}'", where, f"Leave '{k.arg}' out, or write the step by hand.")
    for p in rule.parameters:
        if p.name not in values and not p.star:
            if p.default is None:
                raise RuleError(f"'{rule.name}' is called without '{p.name}'", where)
            values[p.name] = p.default
    return Binding(rule, values)


def _is_default(e: ast.expr) -> bool:
    return isinstance(e, ast.Constant) and e.value is None


def _refused(rule: Rule, what: str, where: Location, todo: str) -> RuleError:
    return RuleError(f"cannot differentiate '{rule.name}' with {what}", where, "the rule does not handle it", todo)


