"""One function of a generated module."""

from __future__ import annotations

import ast
import types
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tangent.errors import Location
from tangent.source.read import Source


@dataclass(eq=False)
class Generated:
    """One generated function: its tree, the function it comes from, and what its free names stand for."""

    name: str
    primal: types.FunctionType
    tree: ast.FunctionDef | None = None
    source: Source | None = None
    externals: dict[str, Any] = field(default_factory=dict)
    seeds: dict[str, str] = field(default_factory=dict)
    seen: dict[str, Any] = field(default_factory=dict)
    check: tuple[str, ...] | None = None
    dtypes: tuple[str, ...] = ()
    exact: bool = False
    numbers: tuple[str, ...] = ()
    apart: tuple[tuple[str, tuple[str, ...], Location], ...] = ()  # parameters that may not be one of some others
    arrays: frozenset[str] = frozenset()  # parameters that NumPy takes for arrays, should they be lists
    items: frozenset[str] = frozenset()  # parameters whose items it does
    presumed: Mapping[str, str] = field(default_factory=dict)  # parameters that are taken for numbers, or hold some
    written: tuple[str, ...] = ()  # those that are differentiated by, where they, or copies of them, are written into
    owned: tuple[str, ...] = ()  # those that are copied, since they are written into
    stored: tuple[tuple[str, tuple[Any, ...]], ...] = ()  # ways to parts of them whose items are assigned
    augmented: tuple[tuple[str, tuple[Any, ...]], ...] = ()  # and to those whose items operators in place change
    joined: tuple[tuple[str, tuple[Any, ...]], ...] = ()  # ways to what operators in place would join, of lists
    parts: bool = False  # whether parts are read after the array has changed: of persistent arrays they stay
    backward: Generated | None = None
    shared: dict[str, str] = field(default_factory=dict)
    fresh: str = ""
    kept: str = ""  # the parameter of a backward pass that is the tuple of what was kept for it
    carries: bool = False
    sharing: tuple[tuple[str, ...], ...] = ()  # names in what was kept for a backward pass that share storage
    outside: dict[str, Any] = field(default_factory=dict)  # the kinds of numbers and arrays of modules and closures
    caught: bool = False  # a caller may catch what it raises
    once: bool = False  # only in forward mode can it be differentiated again
