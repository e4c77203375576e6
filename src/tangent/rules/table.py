"""The table: which object is differentiated by which rule."""

from __future__ import annotations

import ast
import copy
import importlib
import itertools
import os
import sys
import threading
import types
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any

from tangent.rules.notation import Kind, Rule, parse_rules
from tangent.rules.series import written_series
from tangent.rules.ufuncs import written_method

FOLDER = os.path.dirname(__file__)
KINDS: dict[str, Kind] = {"elementwise": "elementwise"}
FILES = (
    "elementwise reduce order accumulate methods calculus polynomial sequences linear index linalg fft dispatch storage "
    "memory kernels_index kernels_reduce kernels_linear"
).split()

OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "add", ast.Sub: "subtract", ast.Mult: "multiply", ast.Div: "divide", ast.Pow: "power",
    ast.MatMult: "matmul", ast.Mod: "mod", ast.USub: "negative", ast.UAdd: "positive",
}  # fmt: skip


@dataclass(frozen=True)
class Bound:
    """A library name bound to a rule: keywords it calls otherwise, defaults that differ, and which library it is."""

    rule: str
    renames: Mapping[str, str] = field(default_factory=dict)
    defaults: Mapping[str, ast.expr] = field(default_factory=dict)
    library: str = ""


@dataclass(frozen=True)
class Elsewhere:
    """A function that stands for one of a library, in a module that is imported when it is needed first."""

    module: str
    name: str


@dataclass
class Custom:
    """The derivatives of a function as functions: a pair for reverse mode, one for forward mode."""

    fwd: Any = None
    bwd: Any = None
    jvp: Any = None
    turned: dict[Any, Any] = field(default_factory=dict, compare=False)  # what was made of one mode for the other


@dataclass
class Table:
    """Rules by name, and the functions, methods and attributes that are bound to them."""

    rules: dict[str, Rule] = field(default_factory=dict)
    functions: dict[Any, list[Bound]] = field(default_factory=dict)
    written: dict[Any, types.FunctionType | Elsewhere] = field(default_factory=dict)
    methods: dict[str, list[Bound]] = field(default_factory=dict)
    attributes: dict[str, str] = field(default_factory=dict)
    zero: set[Any] = field(default_factory=set)
    zero_methods: set[str] = field(default_factory=set)
    zero_attributes: set[str] = field(default_factory=set)
    kept: list[Any] = field(default_factory=list)
    custom: dict[Any, Custom] = field(default_factory=dict)
    libraries: dict[str, Any] = field(default_factory=dict)
    version: int = 0
    imported: set[str] = field(default_factory=set)
    modules: int = 0  # how many were imported when it was looked last

    def lookup(self, function: Any) -> list[Bound]:
        """The rules of a function object, one for each form of call it has; empty if it has none."""
        try:
            return self.functions.get(function, [])
        except TypeError:  # unhashable, as functions of ctypes are
            return self.functions.get(_key(function), [])

    def written_out(self, function: Any) -> types.FunctionType | None:
        """What a function does, written in terms of functions that have rules; for those that a rule does not cover."""
        try:
            found = self.written.get(function)
        except TypeError:
            return None
        if isinstance(found, Elsewhere):
            found = self.written[function] = self.brought(found)
        return found or written_method(function) or written_series(function)

    def brought(self, there: Elsewhere) -> Any:
        """A function of a module whose derivatives are registered when it is imported, known to this table, too."""
        base = base_table()
        with using(base):
            module = importlib.import_module(there.module)
        for f in [f for f in vars(module).values() if isinstance(f, types.FunctionType)]:
            if f in base.custom:
                self.custom[f] = base.custom[f]
            if f in base.zero:
                self.zero.add(f)
        return getattr(module, there.name)

    def bind(self, function: Any, rule: Rule) -> None:
        """Differentiate a function by a rule of its own."""
        self.rules[rule.name] = rule
        self.forget(function)
        self.functions[_key(function)] = [Bound(rule.name)]
        self.kept.append(function)

    def forget(self, function: Any) -> None:
        """Differentiate a function by its source, if it has one, and by nothing else."""
        self.functions.pop(_key(function), None)
        self.custom.pop(_key(function), None)
        if _key(function) is function:
            self.zero.discard(function)
            self.written.pop(function, None)
        self.changed()

    def flatten(self, function: Any) -> None:
        """Let no derivative flow through a function."""
        self.forget(function)
        self.zero.add(function)

    def changed(self) -> None:
        """Derivatives that were made before do not know what the table says now."""
        self.version = next(_versions)

    def copied(self) -> Table:
        """A table with the same bindings, which can be changed without changing this one."""
        return Table(**{f.name: copy.copy(getattr(self, f.name)) for f in fields(self)})

    def custom_of(self, function: Any) -> Custom | None:
        """The derivatives that a user gave a function, as functions."""
        return self.custom.get(_key(function)) if self.custom else None

    def is_zero(self, function: Any) -> bool:
        """Whether no derivative flows through a function."""
        try:
            return function in self.zero or isinstance(getattr(function, "__self__", None), WITHOUT_DERIVATIVES)
        except TypeError:
            return False

    def has_rule(self, function: Any) -> bool:
        """Whether a function is differentiated by what somebody said, not by its source."""
        return bool(self.lookup(function)) or self.custom_of(function) is not None or self.is_zero(function)

    def attribute(self, name: str) -> Rule | None:
        found = self.attributes.get(name)
        return self.rules[found] if found else None

    def operator(self, op: ast.AST) -> Rule | None:
        found = OPERATORS.get(type(op))
        return self.rules[found] if found else None

WITHOUT_DERIVATIVES = (str, bytes, int)  # whose methods give text, and numbers that only jump


def _key(function: Any) -> Any:
    """What a function is filed under: itself, or who it is where it has no hash."""
    try:
        hash(function)
    except TypeError:
        return ("unhashable", id(function))
    return function


def read_rules() -> Iterator[Rule]:
    """All rules of the files in this folder."""
    for stem in FILES:
        path = os.path.join(FOLDER, f"{stem}.py")
        yield from parse_rules(text_of(path), KINDS.get(stem, "general"), path)


def text_of(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


_lock = threading.Lock()
_versions = itertools.count(1)
_base: list[Table] = []
_scoped: ContextVar[Table | None] = ContextVar("rules", default=None)


@cache
def _loaded() -> Table:
    from tangent.backends.names import fill_table  # the backends bind to this table, so they come after it

    return fill_table(Table({r.name: r for r in read_rules()}))


def base_table() -> Table:
    """The table of this process, read on first use; what was imported since is bound to it."""
    if not _base or _base[0].modules != len(sys.modules):
        from tangent.backends.imported import bind_imported  # as above

        with _lock:
            found = _loaded()
            bind_imported(found)
            found.modules = len(sys.modules)
            _base[:] = [found]
    return _base[0]


def table() -> Table:
    """The table that holds here: that of the scope, or that of the process."""
    return _scoped.get() or base_table()


@contextmanager
def using(rules: Table) -> Iterator[None]:
    """A scope in which another table holds, for this thread or task only."""
    token = _scoped.set(rules)
    try:
        yield
    finally:
        _scoped.reset(token)


def scope_rules() -> Table | None:
    """The table of the scope, if it says something else than that of the process."""
    here = _scoped.get()
    return here if here is not None and here.version != base_table().version else None
