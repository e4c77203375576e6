"""The names of NumPy, `math`, `operator` and the builtins, bound to the rule table."""

from __future__ import annotations

import ast
import bisect
import builtins
import cmath
import copy
import math
import operator
import os
import types
from typing import Any

import numpy as np

from tangent import runtime
from tangent.errors import RuleError
from tangent.rules.notation import NOTATION
from tangent.rules.table import FOLDER, Bound, Table, text_of
from tangent.syntax.uses import expression_reads

ROOTS: dict[str, Any] = {
    "np": np, "math": math, "cmath": cmath, "operator": operator, "bisect": bisect, "copy": copy, "runtime": runtime,
}  # fmt: skip


def fill_table(table: Table) -> Table:
    """Bind every function whose name a rule carries, then the listed aliases."""
    for line in text_of(os.path.join(os.path.dirname(__file__), "names.txt")).splitlines():
        rule, _, bound = line.partition("#")[0].partition(":")
        for path in bound.split():
            _bind(table, rule.strip(), path)
    for name in table.rules:
        function = getattr(runtime, name, None)
        if function is not None and function not in table.functions:
            table.functions[function] = [Bound(name)]
    _bind_zero(table)
    _check_names(table)
    return table


def _check_names(table: Table) -> None:
    """Every name in a rule is one of its own, a kernel, a builtin, or of the array library."""
    for rule in table.rules.values():
        lines = (*rule.adjoint, *rule.tangent)
        own = {rule.result, "d", "np", "math", *(p.name for p in rule.parameters)}
        own |= {n.id for s in lines for n in ast.walk(s.targets[0]) if isinstance(n, ast.Name)}
        for name in sorted(set().union(*(expression_reads(s.value) for s in lines)) - own):
            if not hasattr(runtime, name) and not hasattr(builtins, name):
                raise RuleError(f"malformed rule '{rule.name}'", rule.where, f"'{name}' is not a kernel", NOTATION)


def _bind(table: Table, rule: str, path: str) -> None:
    """`np.clip(min>a_min)` renames a keyword, `np.add.reduce(axis=0)` changes a default."""
    if rule not in table.rules:
        _bind_written(table, rule, path)
        return
    path, _, notes = path.rstrip(")").partition("(")
    adapted = Bound(
        rule, _pairs(notes, ">"), {k: ast.parse(v, mode="eval").body for k, v in _pairs(notes, "=").items()}
    )
    if path.startswith("."):
        table.methods.setdefault(path[1:], []).append(adapted)
    elif path.startswith("@"):
        table.attributes[path[1:]] = rule
    elif (found := find(path)) is not None:
        table.functions.setdefault(found, []).append(adapted)


def _bind_written(table: Table, name: str, path: str) -> None:
    """A function of the runtime that says in Python what a library function does."""
    if not isinstance(written := getattr(runtime, name, None), types.FunctionType):
        raise KeyError(f"names.txt binds '{path}' to '{name}', which is neither a rule nor a kernel")
    if (found := find(path)) is not None:
        table.written[found] = written


def _pairs(notes: str, sign: str) -> dict[str, str]:
    return {k: v for k, found, v in (n.partition(sign) for n in notes.split(",")) if found}


def find(path: str) -> Any:
    """The object of a dotted name, or None where this version of the library lacks it."""
    root, *rest = path.split(".")
    found = ROOTS.get(root, getattr(builtins, root, None))
    for part in rest:
        found = getattr(found, part, None)
    return found


def _bind_zero(table: Table) -> None:
    for s in [
        s for file in ("zero.py", "zero_kernels.py") for s in ast.parse(text_of(os.path.join(FOLDER, file))).body
    ]:
        if isinstance(s, ast.Expr) and not isinstance(s.value, ast.Constant):
            path = ast.unparse(s.value)
            if path.startswith("ndarray."):
                (table.zero_methods if hasattr(getattr(np.ndarray, path[8:], None), "__call__")
                 else table.zero_attributes).add(path[8:])  # fmt: skip
            elif (found := find(path)) is not None:
                table.zero.add(found)
                if path.startswith(("list.", "float.")):
                    table.zero_methods.add(path.partition(".")[2])
