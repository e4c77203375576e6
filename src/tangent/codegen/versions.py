"""A derivative that is called again and again with arguments of the same kinds has a version for these.

What the run-time functions decide by types and shapes is decided in the version once. It is made when a call is about
to repeat what others did, and chosen by the types of the arguments, and by dtype and shape of arrays.
"""

from __future__ import annotations

import ast
import builtins
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from tangent.codegen.emit import emit
from tangent.optimise.shaped.kinds import FLOAT, UNKNOWN, Kind, Number, kind_of
from tangent.optimise.shaped.known import is_settled
from tangent.optimise.shaped.version import version
from tangent.runtime.persistent import PersistentArray
from tangent.source.resolve import MISSING
from tangent.syntax.uses import arguments
from tangent.syntax.walk import walk
from tangent.transform.generated import Generated

ENOUGH = 2  # calls of run-time functions for which a choice pays
AFTER = 2  # calls with the same kinds, before a version is made for them
MOST = 8  # versions of one derivative
REMEMBERED = 256  # combinations of types and shapes
ARRAYS = (np.ndarray, PersistentArray)
Load = Callable[[list[Generated], bool, bool], types.FunctionType]


def worthwhile(functions: list[Generated]) -> bool:
    """Whether a derivative asks the run-time functions more often than a choice of versions costs."""
    entry = functions[0]
    assert entry.tree is not None
    args = entry.tree.args
    if args.vararg or args.kwarg or args.kwonlyargs or args.posonlyargs:
        return False
    return sum(_asked(g) for g in functions) >= ENOUGH


def _asked(g: Generated) -> int:
    """How often a function asks, a loop counted as ten times."""
    assert g.tree is not None
    names = {v for v, x in g.externals.items() if is_settled(x)}
    if is_generated(g.primal):
        names |= {v for v in g.primal.__code__.co_freevars if is_settled(held(g.primal, v))}

    def count(body: list[ast.stmt]) -> int:
        found = 0
        for s in body:
            if isinstance(s, ast.If | ast.For | ast.While):
                found += (1 if isinstance(s, ast.If) else 10) * count([*s.body, *s.orelse])
            else:
                found += sum(isinstance(n, ast.Name) and n.id in names for n in walk(s))
        return found

    return count(g.tree.body)


class Choice:
    """Gives the version for some arguments, or None where there is none."""

    def __init__(self, functions: list[Generated], load: Load | None) -> None:
        self._functions, self._load = functions, load
        self._found: dict[Any, Any] = {}
        self.versions: dict[tuple[Kind, ...], types.FunctionType] = {}

    def __reduce__(self) -> tuple[type[Choice], tuple[list[Generated], None]]:
        """Without what versions are made from, in another process: there the code serves that serves all kinds."""
        return Choice, ([], None)

    def __call__(self, *args: Any) -> types.FunctionType | None:
        key: tuple[Any, ...] = tuple(map(type, args))
        if np.ndarray in key or PersistentArray in key:
            key += tuple([(a.shape, a.dtype) for a in args if type(a) in ARRAYS])
        found = self._found.get(key, 0)
        if type(found) is not int:
            return found  # type: ignore[no-any-return]
        if found < AFTER:
            if len(self._found) >= REMEMBERED:
                self._found.clear()
            self._found[key] = found + 1
            return None
        made = self._found[key] = self.version(*args)
        return made

    def version(self, *args: Any) -> types.FunctionType | None:
        """The version for arguments of these kinds, made if there is none yet and they are not too many."""
        if not self._functions:
            return None
        entry = self._functions[0]
        assert entry.tree is not None
        names = [a.arg for a in arguments(entry.tree.args)]
        kinds = tuple(kind_of(a, v) for a, v in zip(args, names))
        if kinds not in self.versions:
            if len(self.versions) >= MOST or all(k == UNKNOWN for k in kinds):
                return None
            shapes = {v: a.shape for v, a in zip(names, args) if isinstance(a, np.ndarray)}
            sizes = {f"{v}.{i}": n for v, shape in shapes.items() for i, n in enumerate(shape)}
            self.versions[kinds] = self.made(dict(zip(names, kinds)), sizes)
        return self.versions[kinds]

    def made(self, kinds: dict[str, Kind], sizes: dict[str, int]) -> types.FunctionType:
        entry = self._functions[0]
        plain = [k for v, k in kinds.items() if v not in entry.seeds.values()]
        settled = UNKNOWN not in plain
        sure = settled and seed_is_sure(entry, kinds)
        if not sure:
            kinds |= {v: seed_kind(entry, v, kinds) for v in entry.seeds.values()}
        functions = version(entry, list(kinds.values()), resolve, sizes)
        assert self._load is not None
        made = self._load(functions, settled, sure)
        made.source = emit(functions).text  # type: ignore[attr-defined]
        return made


def seed_is_sure(entry: Generated, kinds: dict[str, Kind]) -> bool:
    """Whether the default seed fits whatever the values are."""
    if "" not in entry.seeds or kinds[entry.seeds[""]] != FLOAT:
        return False
    fits = _is_real if entry.exact else _is_not_complex
    return entry.check is None or (not entry.check and all(fits(kinds[v]) for v in entry.dtypes))


def seed_kind(entry: Generated, seed: str, kinds: dict[str, Kind]) -> Kind:
    """The kind of a seed behind its check, which casts it where the dtype of the result is known."""
    given = kinds[seed]
    if "" not in entry.seeds or entry.check is None or not isinstance(given, Number):
        return given if "" not in entry.seeds and isinstance(given, Number) and given.dtype == "f8" else UNKNOWN
    dtypes = {k.dtype if isinstance(k, Number) and k.real else "" for v in entry.dtypes for k in [kinds[v]]}
    if not entry.exact or dtypes == {"f8"}:
        return given if given.dtype == "f8" else UNKNOWN
    return Number(given.axes, "f4") if dtypes == {"f4"} else UNKNOWN


def _is_real(kind: Kind) -> bool:
    return isinstance(kind, Number) and kind.real and kind.rank > 0


def _is_not_complex(kind: Kind) -> bool:
    return isinstance(kind, Number) and not kind.dtype.startswith("c")


def held(primal: types.FunctionType, v: str) -> Any:
    """A run-time function that a derivative of lower order was given under a name; that one never changes."""
    cell = (primal.__closure__ or ())[primal.__code__.co_freevars.index(v)]
    try:
        found = cell.cell_contents
    except ValueError:  # not bound yet
        return MISSING
    ours = isinstance(found, types.FunctionType) and (found.__module__ or "").startswith("tangent.runtime")
    return found if ours else MISSING


def is_generated(function: types.FunctionType) -> bool:
    return function.__code__.co_filename.startswith("<generated by tangent")


def resolve(e: ast.expr, g: Generated) -> Any:
    """What a free name of a generated function stands for now."""
    match e:
        case ast.Name(id=v) if v in g.externals:
            return g.externals[v]
        case ast.Name(id=v) if v not in g.primal.__code__.co_freevars:
            return g.primal.__globals__.get(v, getattr(builtins, v, MISSING))
        case ast.Name(id=v) if is_generated(g.primal):
            return held(g.primal, v)
        case ast.Attribute(value=value, attr=attr):
            owner = resolve(value, g)
            return getattr(owner, attr, MISSING) if isinstance(owner, types.ModuleType) else MISSING
        case _:
            return MISSING
