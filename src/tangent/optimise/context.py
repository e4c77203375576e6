"""What the rewrites are told: what names mean, and which of them a reader should see."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Body = list[ast.stmt]


@dataclass
class Optimisation:
    resolve: Callable[[ast.expr], Any]
    visible: frozenset[str] = frozenset()
    shared: dict[str, str] = field(default_factory=dict)
    accumulators: frozenset[str] = frozenset()
    kept_shapes: frozenset[str] = frozenset()  # arrays of the function that only ever change in place
    stacks: frozenset[str] = frozenset()  # lists of records, which nothing but the function itself holds
    pure: dict[ast.AST, bool] = field(default_factory=dict)
    calling: dict[ast.stmt, bool] = field(default_factory=dict)
    changing: dict[ast.stmt, frozenset[str]] = field(default_factory=dict)
