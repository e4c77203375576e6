"""Fit a call to a rule: positional and keyword forms are one; what the rule does not list is refused by name."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from tangent.errors import Location, RuleError
from tangent.rules.notation import Binding, Rule


def bind(
    rule: Rule, args: Sequence[ast.expr], keywords: Sequence[ast.keyword], where: Location, shown: str = ""
) -> Binding:
    """The value of each parameter of a rule in one call, which errors show as `shown`."""
    shown = shown or rule.name
    values: dict[str, ast.expr] = {}
    positional = [p for p in rule.parameters if not p.keyword_only]
    rest = list(args)
    for p in positional:
        if p.star:
            values[p.name] = ast.Tuple(rest, ast.Load())
            rest = []
        elif rest:
            if isinstance(rest[0], ast.Starred):
                raise _refused(shown, "a starred argument", where, "Write the arguments out.")
            values[p.name] = rest.pop(0)
    if rest:
        raise _refused(shown, f"{len(args)} positional arguments", where, "Pass options by keyword.")
    known = {p.name: p for p in rule.parameters}
    for k in keywords:
        if k.arg is None:
            raise _refused(shown, "'**' arguments", where, "Write the keywords out.")
        if k.arg in known and k.arg not in values:
            values[k.arg] = k.value
        elif k.arg == "where":
            raise RuleError(
                f"cannot differentiate '{shown}' with the keyword 'where'", where,
                "it leaves the elements undefined where the condition does not hold",
                f"Write np.where(condition, {shown}(...), other).",
            )  # fmt: skip
        elif not _is_none(k.value):
            raise _refused(shown, f"the keyword '{k.arg}'", where, f"Leave '{k.arg}' out, or write the step by hand.")
    if "out" in values and not _is_none(values["out"]):
        raise RuleError(
            f"cannot differentiate '{shown}' with the keyword 'out'", where, "it writes into an array",
            "Assign the result instead.",
        )  # fmt: skip
    for name in values:
        if name.startswith("overwrite_") and not _is_constant(values[name], False):
            raise RuleError(
                f"cannot differentiate '{shown}' with the keyword '{name}'", where,
                "it leaves other numbers in its argument, and the derivative needs it as it was",
                "Leave it out: the result is the same.",
            )  # fmt: skip
    for p in rule.parameters:
        if p.name not in values and not p.star:
            if p.default is None:
                raise RuleError(f"cannot differentiate '{shown}'", where, f"'{p.name}' is missing", f"Pass '{p.name}'.")
            values[p.name] = p.default
    return Binding(rule, values)


def _is_none(e: ast.expr) -> bool:
    return _is_constant(e, None)


def _is_constant(e: ast.expr, value: object) -> bool:
    return isinstance(e, ast.Constant) and e.value is value


def _refused(shown: str, what: str, where: Location, todo: str) -> RuleError:
    return RuleError(f"cannot differentiate '{shown}' with {what}", where, "the rule does not handle it", todo)
