"""What the passes share: the names taken so far, and what names mean outside the function."""

from __future__ import annotations

import ast
import builtins
import keyword
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tangent.errors import UnsupportedError
from tangent.source.imports import local_imports
from tangent.source.inlined import Places, copied
from tangent.source.moving import moving_values
from tangent.source.naming import home_of
from tangent.source.read import Source
from tangent.source.resolve import Scope
from tangent.syntax.names import Names, identifiers
from tangent.syntax.uses import arguments, assigned_inside
from tangent.syntax.walk import walk


@dataclass
class Context:
    source: Source
    names: Names
    scope: Scope
    declared: frozenset[str] = frozenset()
    moving: frozenset[str] = frozenset()  # numbers and texts of the module that its functions bind anew
    caught: set[str] = field(default_factory=set)
    objects: frozenset[str] = frozenset()  # the operators that classes of the user's define
    displays: frozenset[str] = frozenset()  # variables that are lists or tuples which are written out
    scalars: frozenset[str] = frozenset()  # variables that are numbers, where the types of arguments are known
    listed: frozenset[str] = frozenset()  # variables that are lists of numbers, likewise
    presumed: Mapping[str, Any] = field(default_factory=dict)  # facts of parameters (transform/presumed.py)
    memory: str = ""
    properties: frozenset[str] = frozenset()
    has_rule: Callable[[Any], bool] = lambda f: False
    externals: dict[str, Any] = field(default_factory=dict)
    generators: set[str] = field(default_factory=set)  # generator functions inside, which give lists by now
    iterators: set[str] = field(default_factory=set)  # variables in which nothing may read ahead
    kept: set[str] = field(default_factory=set)  # iterators that are read in parts (generators/)
    augmented: dict[tuple[int, int], ast.AugAssign] = field(default_factory=dict)
    managers: dict[str, type] = field(default_factory=dict)  # variables that are objects which can be entered
    reads: Counter[str] = field(default_factory=Counter)  # how often names and attributes are read
    opened: dict[str, ast.FunctionDef] = field(default_factory=dict)  # context managers that are defined inside
    # `xs[i] **= v` taken apart: where xs[i] is stored, and the names of what was there and of what is stored
    apart: dict[tuple[int, int], tuple[str, str]] = field(default_factory=dict)
    asked: set[tuple[int, int]] = field(default_factory=set)  # stores into variables that may be numbers
    shown: set[str] = field(default_factory=set)  # variables that hold what a block for the backward pass asks for
    steady: set[str] = field(default_factory=set)  # dicts, sets and deques that loops look at (steady.py)
    lifted: dict[str, Any] = field(default_factory=dict)  # nested functions that were taken out (lifting.py)
    places: Places | None = None

    @classmethod
    def of(cls, source: Source) -> Context:
        tree = source.tree
        parameters = {a.arg for a in arguments(tree.args)}
        declared = {n for s in walk(tree) if isinstance(s, (ast.Global, ast.Nonlocal)) for n in s.names}
        imports = local_imports(tree)
        local = (parameters | assigned_inside(tree.body)) - declared
        scope = Scope(source.function, local, {k: v for k, v in imports.items() if k not in parameters})
        names = Names({*identifiers(tree), tree.name, *scope.cells})
        return cls(source, names, scope, frozenset(declared), moving_values(source.function, tree))

    def builtin(self, identifier: str) -> str:
        """A name for a builtin, also where the user's code has taken its own."""
        value = getattr(builtins, identifier)
        return identifier if self.scope.lookup(identifier) is value else self.use(identifier, value)

    def placed(self, body: list[ast.stmt], s: ast.stmt) -> list[ast.stmt]:
        """Statements of another function in the line of one that they stand for, each at a place of its own."""
        self.places = self.places or Places(self.source.tree)
        return self.places.placed(copied(body), s)

    def overloads(self, *operators: str) -> bool:
        """Whether a class of the user's defines one of some operators; not in functions of Tangent's own."""
        own = home_of(self.source.function).split(".")[0] == "tangent"
        return not own and not self.objects.isdisjoint(operators)

    def use(self, base: str, value: Any) -> str:
        """A name for an object from outside."""
        for known, held in self.externals.items():
            if held is value:
                return known
        base = base if base.isidentifier() and not keyword.iskeyword(base) else "function"  # a lambda has no name
        fresh = base if base not in self.names.taken else self.names.fresh(base)
        self.names.taken.add(fresh)
        self.externals[fresh] = value
        self.scope.externals[fresh] = value
        return fresh

    def refuse(self, node: ast.AST, construct: str, why: str, todo: str = "") -> UnsupportedError:
        """The error for a construct that cannot be normalised."""
        return UnsupportedError(f"cannot differentiate {construct}", self.source.locate(node), why, todo)
