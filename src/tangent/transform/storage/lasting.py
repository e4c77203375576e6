"""Parts of arrays that are read after the array has changed: of a persistent array they stay as they were.

b = x[1]
x[1] = 2 * x[0]
y = b + x[1]        b is a view of a NumPy array, which changes with it; of a persistent array it is a copy

Derivatives take what is written into for NumPy arrays. Where the difference is seen, persistent ones need a memory.
"""

from __future__ import annotations

import ast
import types
from typing import Any

from tangent.analysis.operation import Operation
from tangent.analysis.storage import Storage
from tangent.errors import InPlaceError
from tangent.runtime.persistent import PersistentArray
from tangent.source.reachable import found_by, mentioned, reachable
from tangent.transform.unit import Unit

WHOLE = frozenset("copy pack closure push pop".split())  # what they give is, or holds, the array itself


def lasting_part(this: Unit, found: Storage, containers: frozenset[str]) -> ast.stmt | None:
    """The first statement that takes a part which is read after the array has changed, or is written through."""
    if this.source.file.startswith("<generated"):
        return None
    for s, op in this.operations.items():
        taken = found.handles.intersection(op.targets)
        if taken and not containers.issuperset(found.bases.get(s, ())) and _takes_part(op):
            return s
    return None


def _takes_part(op: Operation) -> bool:
    return op.kind not in WHOLE and not (op.kind == "rule" and op.rule.name == "attribute")


def makes_persistent(function: types.FunctionType) -> bool:
    """Whether a function, or one that it may come to, makes or finds a persistent array."""
    return any(_names_one(f) for f in (function, *reachable(function)))


def _names_one(function: types.FunctionType) -> bool:
    return any(v == PersistentArray.__name__ or _is_one(found_by(v, function)) for v in mentioned(function.__code__))


def _is_one(x: Any) -> bool:
    return x is PersistentArray or isinstance(x, PersistentArray)


def lasting_refused(this: Unit, s: ast.stmt) -> InPlaceError:
    error = InPlaceError(
        "cannot follow a part of a persistent array that changes afterwards", this.source.locate(s),
        "a part stays as it was, where that of a NumPy array would change", "Read the part again where it is needed.",
    )  # fmt: skip
    error.found_late = True  # with a memory it can be followed
    return error
