"""The version of a derivative for arguments of known kinds: made from its trees, and loaded beside it."""

from __future__ import annotations

import ast
import builtins
import types
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from tangent.codegen.choice import DEPTH, Load, held, is_generated, parameters_of
from tangent.codegen.rebind import Pairing, rebound
from tangent.optimise.shaped.kinds import FLOAT, UNKNOWN, Attributes, Fields, Items, Kind, Listed, Number, join, kind_of
from tangent.optimise.shaped.version import version
from tangent.runtime.attributes import held_under
from tangent.runtime.storage.held import is_of_objects, is_of_several
from tangent.source.kept import keeping
from tangent.source.resolve import MISSING
from tangent.transform.generated import Generated

CONTAINERS = (Listed, Items, Fields, Attributes)


@keeping()
def made(entry: Generated, given: Mapping[str, Kind], sizes: Mapping[str, int], load: Load) -> types.FunctionType:
    """The version for arguments of these kinds."""
    kinds = dict(given)
    plain = [k for v, k in kinds.items() if v not in entry.seeds.values()]
    settled = UNKNOWN not in plain
    sure = settled and seed_is_sure(entry, kinds)
    if not sure:
        kinds |= {v: seed_kind(entry, v, kinds) for v in entry.seeds.values()}
    functions = version(entry, list(kinds.values()), resolve, sizes)
    return load(functions, settled, sure)


def made_again(old: Any, entry: Generated, load: Load) -> types.FunctionType | None:
    """The version that was made for another function of the same code, for this one; None where there is none."""
    if old is None:
        return None
    again = rebound(old.bound, Pairing(next(iter(old.bound)).primal, entry.primal))
    return load.again(old, again) if again is not None else None


def kinds_of(entry: Generated, args: tuple[Any, ...], names: Collection[str]) -> dict[str, Kind]:
    """The kinds of arguments; of objects, those of the attributes that have some names."""
    apart = entry.arrays | {*entry.owned}  # lists for which there is other code, or copies
    given = {v: _kind(a, v, names, DEPTH) for v, a in zip(parameters_of(entry), args)}
    unlike = {v for v, k in given.items() if v in apart or (v in entry.items and not _is_of_arrays(k))}
    return {v: UNKNOWN if isinstance(k, CONTAINERS) and v in unlike else k for v, k in given.items()}


def _is_of_arrays(kind: Kind) -> bool:
    """Whether a value is a list or tuple of arrays and of nothing that NumPy would take for one."""
    return isinstance(kind, Items) and all(isinstance(k, Number) for k in kind.items)


def _kind(value: Any, v: str, names: Collection[str], depth: int) -> Kind:
    if depth and is_of_objects(value):
        return _listed(value, v, names, depth)
    if depth and is_of_several(value):
        items = tuple(_kind(x, f"{v}:{i}", names, depth - 1) for i, x in enumerate(value))
        return Items(items, listed=True) if any(isinstance(k, Attributes) for k in items) else UNKNOWN
    held = held_under(value, names) if depth else {}
    found = ((name, _kind(x, f"{v}:{name}", names, depth - 1)) for name, x in held.items())
    known = tuple((name, kind) for name, kind in found if kind != UNKNOWN)
    return Attributes(known) if known else kind_of(value, v)


def _listed(values: list[Any], v: str, names: Collection[str], depth: int) -> Kind:
    """The kind of a list of objects: what holds for all of them."""
    kind: Kind | None = None
    for i, x in enumerate(values):
        kind = join(kind, _kind(x, f"{v}:{i}", names, depth - 1))
    return Listed(kind) if isinstance(kind, Attributes) else UNKNOWN


def all_unknown(kinds: tuple[Kind, ...]) -> bool:
    return all(k == UNKNOWN for k in kinds)


def sizes_of(entry: Generated, args: tuple[Any, ...]) -> dict[str, int]:
    """The lengths of the axes of arrays."""
    shapes = {v: a.shape for v, a in zip(parameters_of(entry), args) if isinstance(a, np.ndarray)}
    return {f"{v}.{i}": n for v, shape in shapes.items() for i, n in enumerate(shape)}


def seed_is_sure(entry: Generated, kinds: dict[str, Kind]) -> bool:
    """Whether the default seed fits whatever the values are."""
    if "" not in entry.seeds or kinds[entry.seeds[""]] != FLOAT:
        return False
    fits = _is_real if entry.exact else _is_not_complex
    return entry.check is None or (not entry.check and all(map(fits, _of_numbers(entry, kinds))))


def seed_kind(entry: Generated, seed: str, kinds: dict[str, Kind]) -> Kind:
    """The kind of a seed behind its check, which casts it where the dtype of the result is known."""
    given = kinds[seed]
    if isinstance(given, Attributes):
        return _tangent(given)
    if "" not in entry.seeds or entry.check is None or not isinstance(given, Number):
        return given if "" not in entry.seeds and isinstance(given, Number) and given.dtype == "f8" else UNKNOWN
    given_by = [k for k in _of_numbers(entry, kinds) if not _is_whole(k)]
    dtypes = {k.dtype if isinstance(k, Number) and k.real else "" for k in given_by}
    if not entry.exact or dtypes <= {"f8"}:
        return given if given.dtype == "f8" else UNKNOWN
    return Number(given.axes, "f4") if dtypes == {"f4"} else UNKNOWN


def _tangent(kind: Attributes) -> Attributes:
    """The kind of an object that holds tangents, those of double precision."""
    inner = ((v, _tangent(k) if isinstance(k, Attributes) else k) for v, k in kind.items)
    return Attributes(tuple((v, k) for v, k in inner if not isinstance(k, Number) or k.dtype == "f8"))


def _of_numbers(entry: Generated, kinds: dict[str, Kind]) -> list[Kind]:
    """The kinds of arguments that may say what dtype the seed has: objects are not asked."""
    return [kinds[v] for v in entry.dtypes if not isinstance(kinds[v], Attributes)]


def _is_whole(kind: Kind) -> bool:
    """Whether a value is of integers, or of what is true: next to others these say nothing of a dtype."""
    return isinstance(kind, Number) and kind.dtype[:1] in "biu"


def _is_real(kind: Kind) -> bool:
    return isinstance(kind, Number) and kind.real and kind.rank > 0


def _is_not_complex(kind: Kind) -> bool:
    return isinstance(kind, Number) and not kind.dtype.startswith("c")


GIVING = ("accumulate", "reduceat", "reduce", "outer")  # methods of ufuncs that write nothing


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
            known = isinstance(owner, types.ModuleType) or (isinstance(owner, np.ufunc) and attr in GIVING)
            return getattr(owner, attr, MISSING) if known else MISSING
        case _:
            return MISSING
