"""Derivatives on demand, for calls whose callee is known only at run time."""

from __future__ import annotations

import functools
import inspect
import threading
import types
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from tangent.codegen.emit import emit
from tangent.codegen.load import bind, changed_elsewhere, definitions, register
from tangent.codegen.rebind import Pairing, rebound
from tangent.errors import ArgumentError, InPlaceError, TangentError
from tangent.options import Options
from tangent.pipeline import keeping_memory, optimiser, plain_function
from tangent.rules.table import table
from tangent.runtime.calls import LISTS, OBJECTS, Active, captured, closure_of
from tangent.runtime.classes import is_made_by_class
from tangent.runtime.dispatch import init_grad
from tangent.runtime.library import partial_of
from tangent.runtime.memory import current
from tangent.runtime.objects import is_object
from tangent.runtime.stateful import call_class
from tangent.source.adapt import define
from tangent.source.cells import cells_of, content_of
from tangent.source.read import unwrapped
from tangent.source.remembering import remembering
from tangent.source.resolve import is_library
from tangent.syntax.names import Names
from tangent.transform.generated import Generated
from tangent.transform.module import Module
from tangent.transform.storage.summaries import summaries
from tangent.transform.unit import unit

Wanted = tuple[str, ...]
Marks = frozenset[Any]
MARKS: Marks = frozenset((OBJECTS, LISTS))


@dataclass
class Made:
    """Functions of a generated module, bound to one function object, and whether they are out of date."""

    functions: tuple[Callable[..., Any], ...]
    seeds: dict[str, str]
    changed: Callable[[], bool]
    module: dict[Generated, types.FunctionType] = field(default_factory=dict)

    def over(self, old: types.FunctionType, new: types.FunctionType) -> Made | None:
        """The same for another function of the same code, where it relies on nothing else."""
        if not self.module or self.changed():
            return None
        again = rebound(self.module, Pairing(old, new))
        if again is None:
            return None
        chosen: dict[Any, types.FunctionType] = dict(zip(self.module.values(), again.values()))
        return Made(tuple(chosen[f] for f in self.functions), self.seeds, _changed(again), again)


def _changed(functions: Iterable[Generated]) -> Callable[[], bool]:
    return changed_elsewhere([(g.primal, path, value) for g in functions for path, value in g.seen.items()])


class DerivativesOnDemand:
    """Keeps derivatives by code object; each closure gets functions of its own over the same code."""

    def __init__(self) -> None:
        self._made: dict[tuple[Any, ...], tuple[Made, types.FunctionType, Any]] = {}
        self._others: dict[tuple[Any, ...], list[tuple[Made, types.FunctionType]]] = {}  # by code alone
        self._adapted: dict[Any, tuple[types.FunctionType, Any]] = {}
        self._lock = threading.RLock()

    def pair(self, function: Any, active: Active, count: int, names: tuple[str, ...]) -> tuple[Any, Any]:
        if table().is_zero(function):
            return _flat_pair(function, active)
        plain, kinds = _own(function), frozenset(active) & MARKS
        active = tuple(a for a in active if a not in MARKS)
        places = _places(plain, active, count, names, function)
        made = self.made(plain, places.wanted, "pair", kinds)
        forward, backward = made.functions
        if places.is_plain:
            return forward, backward
        key = ("rearranged", backward, repr(places))
        return forward, self.kept(key, lambda: rearranged(backward, places))

    def tangent(self, function: Any, active: Active, count: int, names: tuple[str, ...]) -> Any:
        if table().is_zero(function):
            return _FlatTangent(function)
        plain, kinds = _own(function), frozenset(active) & MARKS
        active = tuple(a for a in active if a not in MARKS)
        places = _places(plain, active, count, names, function)
        made = self.made(plain, places.wanted, "tangent", kinds)
        key = ("pushed", made.functions[0], repr(places), count, names, _cell_ids(plain), plain.__code__)
        return self.kept(key, lambda: pushed(made.functions[0], made.seeds, places, plain, count, names), plain)

    def kept(self, key: Any, make: Callable[[], types.FunctionType], *alive: Any) -> types.FunctionType:
        """A function that is made once, so that its derivatives are, too; `alive` is what its key tells by address."""
        with self._lock:
            if key not in self._adapted:
                made = make()
                made.adapted = True  # type: ignore[attr-defined]
                _keep(self._adapted, key, (made, alive), 1024)
            return self._adapted[key][0]

    def refuse_writer(self, function: Any) -> None:
        """Stop before a function that writes into its arguments is called for its effects."""
        behind = getattr(function, "__func__", function)
        if not isinstance(behind, types.FunctionType) or is_library(behind):
            return
        own = {behind.__code__.co_varnames[0]} if behind is not function else set()
        written = sorted(summaries(unit)(behind).written - own)
        if written:
            raise InPlaceError(
                f"cannot differentiate a call of '{behind.__name__}'",
                why=f"it writes into its argument '{written[0]}', which is found out only when the call happens",
                todo="Call it by its own name, or let it return a new array.",
            )

    def threaded(self, function: Any, arrays: bool) -> Any:
        """The function with a memory as first argument and last result."""
        function = unwrapped(function)
        if isinstance(function, types.FunctionType) and is_followed(function):
            return remembering(function, arrays=arrays)
        if isinstance(function, functools.partial):
            return self.threaded(partial_of(function.func, *function.args, **function.keywords), arrays)
        if isinstance(function, types.MethodType) and isinstance(function.__func__, types.FunctionType):
            return self.bound(function.__func__, function.__self__, arrays)
        if isinstance(function, type) and not is_made_by_class(function):
            return self.kept(("class", function), lambda: _threaded(CLASS, "call_class", call_class, function))
        behind = getattr(type(function), "__call__", None)
        if is_object(function) and isinstance(behind, types.FunctionType):
            return self.bound(behind, function, arrays)
        try:
            return self.kept(("plain", function), lambda: _threaded(PLAIN, "current", current, function))
        except TypeError:  # it cannot be told by what it is
            made = _threaded(PLAIN, "current", current, function)
            made.adapted = True  # type: ignore[attr-defined]
            return made

    def bound(self, function: types.FunctionType, owner: Any, arrays: bool) -> types.FunctionType:
        """A method of an object, with a memory."""
        key = ("bound", function, id(owner), arrays)
        return self.kept(key, lambda: _threaded_method(self.threaded(function, arrays), owner), owner)

    def made(self, plain: types.FunctionType, wanted: Wanted, kind: str, marks: Marks) -> Made:
        with self._lock:
            again = getattr(plain, "checkpointed", False)
            code = (plain.__code__, id(plain.__globals__), wanted, kind, marks, again, table().version)
            given = plain.__defaults__, plain.__kwdefaults__
            key = (*code, _cell_ids(plain), *map(id, given))
            found = self._made.get(key)
            if found is None or found[0].changed():
                others = self._others.get(code, [])
                shared = next(filter(None, (made.over(old, plain) for made, old in others)), None)
                found = shared or self._build(plain, wanted, kind, marks), plain, given
                if shared is None:
                    _keep(self._others, code, [found[:2], *others[:3]], 1024)
                _keep(self._made, key, found, 1024)
            return found[0]

    def _build(self, plain: types.FunctionType, wanted: Wanted, kind: str, marks: Marks) -> Made:
        """The derivative; where lists are held by several, or change across calls, that with a memory of all lists."""
        try:
            return self._built(keeping_memory(plain, ""), wanted, kind, marks)
        except InPlaceError as e:
            if not e.concerns_a_container:
                raise
            try:
                return self._built(with_lists(plain), wanted, kind, marks)
            except TangentError:
                pass
            raise

    def _built(self, plain: types.FunctionType, wanted: Wanted, kind: str, marks: Marks) -> Made:
        module = Module(Options(wrt=wanted, objects=OBJECTS in marks), optimiser(True))
        if LISTS in marks:
            module.given_lists.add(plain)
        first: Any = module.pair(plain, wanted) if kind == "pair" else (module.tangent(plain, wanted),)
        if table().custom_of(plain) is not None:
            return Made(first, first[0].seeds, lambda: False)
        module.finish()
        text = emit(module.functions)
        register(text)
        functions = bind(definitions(text), module.functions, text.file)
        shared = {} if hasattr(plain, "remembers") else functions
        return Made(tuple(functions[g] for g in first), first[0].seeds, _changed(functions), shared)


CLASS = "def made(memory, /, *args, **named):\n    return {help}(memory, function, *args, **named)\n"
METHOD = "def bound(memory, /, *args, **named):\n    return {help}(memory, given0, *args, **named)\n"
PLAIN = (
    "def plain(memory, /, *args, **named):\n"
    "    args = {help}(memory, args)\n    named = {help}(memory, named)\n"
    "    return function(*args, **named), memory\n"
)


def _threaded(text: str, title: str, helper: Any, function: Any) -> types.FunctionType:
    name = text[4 : text.index("(")]
    return define(name, text.format(help=title), {title: helper, "function": function})


def _threaded_method(function: types.FunctionType, owner: Any) -> types.FunctionType:
    return define("bound", METHOD.format(help="function"), {"function": function}, {"given0": types.CellType(owner)})


def is_followed(function: types.FunctionType) -> bool:
    """Whether a function is read where it is called with a memory."""
    own = not is_library(function) or function.__module__ == partial_of.__module__
    return own and not table().has_rule(function) and not getattr(function, "makes_derivatives", False)


def with_lists(function: types.FunctionType) -> types.FunctionType:
    """The function with a memory of all lists."""
    if hasattr(function, "remembers"):
        arrays: bool = function.in_place  # type: ignore[attr-defined]
        return remembering(function.remembers, entry=function.entry, lists=True, arrays=arrays)  # type: ignore[attr-defined]
    return keeping_memory(function, "lists")


def _keep(kept: dict[Any, Any], key: Any, value: Any, most: int) -> None:
    """Let go of what was made long ago."""
    kept[key] = value
    while len(kept) > most:
        kept.pop(next(iter(kept)))


def _own(function: Any) -> types.FunctionType:
    """The function that is differentiated: itself, where its derivatives are given."""
    return function if table().custom_of(function) is not None else plain_function(function)


def _cell_ids(plain: types.FunctionType) -> tuple[int, ...]:
    return tuple(id(cell) for cell in plain.__closure__ or ())


@dataclass(frozen=True)
class Places:
    """Where the active arguments of a call end up: for each, the parameter and the place inside it."""

    wanted: Wanted
    routes: tuple[Any, ...]

    @property
    def is_plain(self) -> bool:
        """Whether the adjoints of the wanted parameters are, in order, what the caller asks for."""
        return self.routes == tuple((p, None) for p in self.wanted)


def _places(
    plain: types.FunctionType, active: Active, count: int, names: tuple[str, ...], function: Any
) -> Places:  # fmt: skip
    signature = inspect.signature(plain, follow_wrapped=False)
    kinds = inspect.Parameter
    positional = [
        p.name for p in signature.parameters.values() if p.kind in (kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD)
    ]
    every = {p.name: p.kind for p in signature.parameters.values()}
    star = next((p for p, kind in every.items() if kind is kinds.VAR_POSITIONAL), None)
    stars = next((p for p, kind in every.items() if kind is kinds.VAR_KEYWORD), None)

    def at(i: int) -> tuple[str, Any]:
        if i < len(positional):
            return positional[i], None
        if star is None:
            raise ArgumentError(f"'{plain.__name__}' takes {len(positional)} positional arguments, {count} were given")
        return star, i - len(positional)

    def keyword(k: str) -> tuple[str, Any]:
        if k in every and every[k] not in (kinds.VAR_KEYWORD, kinds.VAR_POSITIONAL):
            return k, None
        if stars is None:
            raise ArgumentError(f"'{plain.__name__}' has no parameter '{k}'")
        return stars, k

    routes: list[Any] = []
    named = [a for a in active if isinstance(a, str) and a not in ("f", "**") and not a.startswith("*")]
    for a in active:
        if isinstance(a, int):
            routes.append(at(a))
        elif a == "f" and (isinstance(function, types.MethodType) or is_object(function)):
            routes.append((plain.__code__.co_freevars[0], None))  # the object behind it, as `_forwarding` captures it
        elif a == "f":
            own = getattr(plain, "remembers", plain)  # a function that calls itself finds itself where it runs
            cells = closure_of(plain)
            routes.append({v: (v, None) for v, value in cells.items() if value is not own and _may_vary(value)})
        elif a == "**":
            routes.append({k: keyword(k) for k in names if k not in named})
        elif a.startswith("*"):
            routes.append([at(i) for i in range(int(a[1:]), count)])
        else:
            routes.append(keyword(a))
    wanted = dict.fromkeys(p for r in routes for p, _ in _pairs(r))
    return Places(tuple(wanted), tuple(routes))


def _pairs(route: Any) -> list[tuple[str, Any]]:
    if isinstance(route, dict):
        return list(route.values())
    return list(route) if isinstance(route, list) else [route]


def _may_vary(value: Any) -> bool:
    """Whether a captured value can carry a derivative."""
    if isinstance(value, types.FunctionType):
        return bool(value.__closure__)
    if is_object(value):
        return True
    if isinstance(value, list | tuple):
        return any(_may_vary(v) for v in value)
    if isinstance(value, dict):
        return any(_may_vary(v) for v in value.values())
    return isinstance(value, float | int | complex) or getattr(getattr(value, "dtype", None), "kind", "") in tuple(
        "fciub"
    )


def rearranged(backward: Callable[..., Any], places: Places) -> types.FunctionType:
    """A backward pass whose adjoints are sorted into the places the caller asks for, as text that can be read again."""
    slots = {p: f"p{i}" for i, p in enumerate(places.wanted)}

    def take(place: tuple[str, Any]) -> str:
        p, inside = place
        return slots[p] if inside is None else f"{slots[p]}[{inside!r}]"

    parts = []
    for r in places.routes:
        if isinstance(r, dict):
            parts.append("{" + ", ".join(f"{k!r}: {take(place)}" for k, place in r.items()) + "}")
        elif isinstance(r, list):
            parts.append("(" + "".join(f"{take(place)}, " for place in r) + ")")
        else:
            parts.append(take(r))
    unpack = f"    {', '.join(slots.values())} = backward(saved, b)\n" if slots else ""
    text = f"def rearranged(saved, b):\n{unpack}    return {', '.join(parts)}\n"
    return define("rearranged", text, {"backward": backward})


def pushed(
    function: Callable[..., Any], seeds: dict[str, str], places: Places, plain: types.FunctionType, count: int,
    names: tuple[str, ...],
) -> types.FunctionType:  # fmt: skip
    """A function with value and tangent whose tangents come by place, as text that can be read again."""
    cells = cells_of(plain)
    free = Names([*cells, *names])
    positional = [free.fresh(f"a{i}") for i in range(count)]
    callee, held, take, zeros = (free.fresh(v) for v in ("function", "tangents", "captured", "init_grad"))
    given: dict[str, str] = {}
    inside: dict[str, dict[Any, str]] = {}

    def put(place: tuple[str, Any], text: str) -> None:
        p, key = place
        if key is None:
            given[p] = text
        else:
            inside.setdefault(p, {})[key] = text

    for i, r in enumerate(places.routes):
        if isinstance(r, dict):
            for k, place in r.items():
                put(place, f"{take}({held}[{i}], {k!r}, {k})" if k in cells else f"{held}[{i}][{k!r}]")
        elif isinstance(r, list):
            for j, place in enumerate(r):
                put(place, f"{held}[{i}][{j}]")
        else:
            put(r, f"{held}[{i}]")
    fixed = plain.__code__.co_argcount
    for p, known in inside.items():
        if all(isinstance(k, int) for k in known):
            rest = [known.get(j, f"{zeros}({positional[fixed + j]})") for j in range(count - fixed)]
            given[p] = "(" + "".join(f"{t}, " for t in rest) + ")"
        else:
            given[p] = "{" + ", ".join(f"{k!r}: {t}" for k, t in known.items()) + "}"
    keywords = [*(f"{k}={k}" for k in names), *(f"{seeds[p]}={t}" for p, t in given.items())]
    own = getattr(plain, "captures", tuple(cells))
    unread = [
        v for v, c in cells.items() if v in own and f" {v})" not in "".join(given.values()) and _may_vary(content_of(c))
    ]
    text = (
        f"def pushed({', '.join([held, *positional, *names])}):\n"
        f"{'    ' + ', '.join(unread) + ',' + chr(10) if unread else ''}"  # what the function captures, this does, too
        f"    return {callee}({', '.join([*positional, *keywords])})\n"
    )
    return define("pushed", text, {callee: function, take: captured, zeros: init_grad}, cells)


def _flat_pair(function: Any, active: Active) -> tuple[Any, Any]:
    """A function without derivative: its adjoints are zero."""

    def forward(*args: Any, **kwargs: Any) -> tuple[Any, Any]:
        return function(*args, **kwargs), (args, kwargs)

    def backward(saved: Any, b: Any) -> Any:
        args, kwargs = saved
        parts = tuple(
            init_grad(args[a]) if isinstance(a, int) else {} if a == "f" else init_grad(kwargs.get(a)) for a in active
        )
        return parts[0] if len(parts) == 1 else parts

    return forward, backward


class _FlatTangent:
    def __init__(self, function: Any) -> None:
        self.function = function

    def __call__(self, tangents: tuple[Any, ...], *args: Any, **kwargs: Any) -> Any:
        value = self.function(*args, **kwargs)
        return value, init_grad(value)
