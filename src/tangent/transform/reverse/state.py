"""What the backward pass knows of adjoints at one point, and what both passes come to."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any

from tangent.analysis.shapes.table import Shapes
from tangent.transform.stores.useful import Stores


@dataclass
class State:
    """Which adjoints hold something, which of those arrays are nobody else's, which may be lazy zeros."""

    held: set[str] = field(default_factory=set)
    owned: set[str] = field(default_factory=set)
    lazy: set[str] = field(default_factory=set)

    def copy(self) -> State:
        return State(set(self.held), set(self.owned), set(self.lazy))

    def become(self, other: State) -> None:
        self.held, self.owned, self.lazy = other.held, other.owned, other.lazy


@dataclass
class Passes:
    """The two halves of a derivative, and what the adjoints hold at the end."""

    forward: list[ast.stmt]
    backward: list[ast.stmt]
    state: State
    shape: frozenset[str] | None
    facts: Shapes
    flows: bool
    stores: Stores
    ends: list[str]  # flags that say that a checkpointed loop ends here


Site = tuple[Any, str]
