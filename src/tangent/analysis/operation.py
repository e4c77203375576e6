"""What a Core assignment does, as far as derivatives are concerned."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

OperationKind = Literal[
    "copy",  # y = x
    "constant",  # y = 3.0, y = np.pi, an inactive read
    "zero",  # y = x > 0, y = len(x): no derivative flows
    "rule",  # y = np.sin(x), y = a * b
    "call",  # y = g(x), with Python source
    "dynamic",  # y = h(x), h known at run time only
    "pack",  # y = (a, b), [a, b], {k: a}
    "unpack",  # a, b = y
    "push",  # stack.append(x)
    "pop",  # y = stack.pop()
    "store",  # a[i] = v, a.w = v
    "augment",  # a[i] += v, a += v in place, np.add.at(a, i, v)
    "shadow",  # ba = shadow(a): keeps the adjoint of storage beside it
    "closure",  # def g(...): ..., y = lambda ...: ..., capturing x
    "insert",  # with insert_grad_of(x) as dx: ...
    "opaque",  # anything else
]

MAY_BE_LISTS = "lists"  # why an operator is looked at when it runs: it may join or repeat lists


@dataclass(frozen=True)
class Operation:
    """One assignment: its targets, and the names through which a derivative can reach them."""

    kind: OperationKind
    targets: tuple[str, ...]
    operands: tuple[str, ...] = ()
    value: ast.expr | None = None
    rule: Any = None
    values: Mapping[str, ast.expr] = field(default_factory=dict)
    callee: Any = None
    library: str = "numpy"
    why: str = ""
    in_place: bool = False  # y = y + v, written as y += v


Operations = dict[ast.stmt, Operation]
