"""What makes derivatives when calls happen, and keeps them."""

from __future__ import annotations

import ast
import functools
import operator
import threading
import types
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tangent.analysis.state import changes_objects, needs_memory
from tangent.codegen.changes import Changes
from tangent.codegen.rebind import Pairing, rebound
from tangent.errors import InPlaceError, OwnerError, TangentError, UnsupportedError
from tangent.normalise.counted import with_counted
from tangent.options import Options
from tangent.pipeline import derive
from tangent.rules.callables import call_form, method_form, plain_function
from tangent.rules.table import table
from tangent.runtime import descriptors, library, objects
from tangent.runtime.calls import CAUGHT, LISTS, SILENT, Active, is_given, note_unrepeated, require_reading
from tangent.runtime.classes import is_made_by_class
from tangent.runtime.draws import takes_sizes
from tangent.runtime.generic import by_class
from tangent.runtime.library import applied_function, partial_of
from tangent.runtime.memory_captured import refuse_unseen, sees_changeable, sees_kept
from tangent.runtime.objects import MEMBERS, is_object
from tangent.runtime.writers import may_be_writer
from tangent.service.alike import Alike
from tangent.service.class_writers import refuse_class_writer
from tangent.service.closed import is_closed
from tangent.service.flat import flat_pair, flat_tangent
from tangent.service.places import places
from tangent.service.rearranged import pushed, rearranged
from tangent.service.threaded import (
    threaded_class,
    threaded_derivative,
    threaded_given,
    threaded_library,
    threaded_method,
    threaded_ruled,
)
from tangent.source.conflicts import WRITTEN, writing_statement
from tangent.source.constants import writing_constants
from tangent.source.kept import keeping
from tangent.source.makers import maker
from tangent.source.naming import home_of, is_library
from tangent.source.read import unwrapped
from tangent.source.remembering import remembering
from tangent.stages import as_functions, keeping_memory, optimiser
from tangent.taken_apart import primal_of
from tangent.transform.generated import Generated
from tangent.transform.module import Module
from tangent.transform.repeatable import unrepeatable
from tangent.transform.storage.module_state import read_by_derivatives
from tangent.transform.storage.summaries import summaries
from tangent.transform.unit import unit

NO_NAMES: frozenset[str] = frozenset()
Wanted = tuple[str, ...]
Marks = frozenset[Any]


@dataclass
class Made:
    """Functions of a generated module, bound to one function object, and whether they are out of date."""

    functions: tuple[Callable[..., Any], ...]
    seeds: dict[str, str]
    changed: Callable[[], bool]
    module: dict[Generated, types.FunctionType] = field(default_factory=dict)
    around: frozenset[tuple[int, str]] = frozenset()  # the variables around it that get something of the input

    def over(self, old: types.FunctionType, new: types.FunctionType) -> Made | None:
        """The same for another function of the same code, where it relies on nothing else."""
        if not self.module or self.changed():
            return None
        again = rebound(self.module, Pairing(old, new))
        if again is None:
            return None
        chosen: dict[Any, types.FunctionType] = dict(zip(self.module.values(), again.values()))
        return Made(tuple(chosen[f] for f in self.functions), self.seeds, _changed(again), again, self.around)


@dataclass(frozen=True, slots=True)
class Asked:
    """What was made for calls of one form, what the function was then, and what is known of it."""

    state: tuple[Any, ...]
    made: Any
    changed: Callable[[], bool]
    is_repeatable: bool
    may_write: bool
    read: int  # how many variables around functions derivatives read

    def holds(self, function: Any) -> bool:
        """Whether the function is what it was, and all that it calls."""
        now = _state(function)
        same = all(map(operator.is_, now, self.state)) and self.read == len(read_by_derivatives)
        return same and not self.changed()


def _state(function: Any) -> tuple[Any, ...]:
    if type(function) is not types.FunctionType:
        return (table().version,)
    return function.__code__, function.__defaults__, function.__kwdefaults__, table().version


def _is_lasting(function: Any) -> bool:
    """Whether what a function does, it does as long as it is the same object: it has no owner that changes."""
    if type(function) in (types.FunctionType, np.ufunc, types.MethodDescriptorType):
        return True
    return type(function) is types.BuiltinFunctionType and isinstance(function.__self__, types.ModuleType)


def _changed(functions: Iterable[Generated]) -> Callable[[], bool]:
    return Changes([(g.primal, path, value) for g in functions for path, value in g.seen.items()])


class DerivativesOnDemand:
    """Keeps derivatives by code object; each closure gets functions of its own over the same code."""

    def __init__(self) -> None:
        self._made: dict[tuple[Any, ...], tuple[Made, types.FunctionType, Any]] = {}
        self._others: dict[tuple[Any, ...], list[tuple[Made, types.FunctionType]]] = {}  # by code alone
        self._asked: dict[tuple[Any, ...], Asked] = {}
        self._adapted: dict[Any, tuple[types.FunctionType, Any]] = {}
        self._written: Alike[frozenset[str]] = Alike()
        self._readers: Alike[bool] = Alike()
        self._repeatable: Alike[str] = Alike()
        self._lock = threading.RLock()

    def made_for(self, kind: str, function: Any, active: Active, args: Any, kwargs: Any) -> Any:
        """The passes or the pushforward of a function for a call; those of the last call of this form, while the
        function is what it was then. One that would write into what it is given is refused."""
        count, names = len(args), tuple(kwargs)
        if not _is_lasting(function):
            require_reading(function, args, kwargs)
            if self.unrepeatable(function):
                note_unrepeated()
            return self._make(kind, function, active, count, names)[0]
        key = (kind, function, active, count, names)
        found = self._asked.get(key)
        if found is None or not found.holds(function):
            require_reading(function, args, kwargs)
            made, changed = self._make(kind, function, active, count, names)
            repeatable, writes = not self.unrepeatable(function), self.may_write(function)
            found = Asked(_state(function), made, changed, repeatable, writes, len(read_by_derivatives))
            _keep(self._asked, key, found, 1024)
        elif found.may_write:
            require_reading(function, args, kwargs)
        if not found.is_repeatable:
            note_unrepeated()
        return found.made

    def _make(
        self, kind: str, function: Any, active: Active, count: int, names: tuple[str, ...]
    ) -> tuple[Any, Callable[[], bool]]:  # fmt: skip
        return (self._pair if kind == "pair" else self._tangent)(function, active, count, names)

    def may_write(self, function: Any) -> bool:
        """Whether what a function is given tells, or else the memory, if it writes into that."""
        if type(function) is not types.FunctionType or hasattr(function, "remembers"):
            return True
        return may_be_writer(function) or bool(self.written(function))

    def _pair(self, function: Any, active: Active, count: int, names: tuple[str, ...]) -> tuple[Any, Any]:
        absent = _unused(function, active)
        marks, active = _marks(active)
        if _is_flat(function, active):
            return flat_pair(function, active), _never
        plain = self.plain(function, count, names, absent)
        where = places(plain, active, count, names, function)
        made = self.made(plain, where.wanted, "pair", marks)
        forward, backward = made.functions
        if not where.is_plain:
            key = ("rearranged", backward, repr(where))
            backward = self.kept(key, lambda: rearranged(made.functions[1], where))
        return (forward, backward), made.changed

    def _tangent(self, function: Any, active: Active, count: int, names: tuple[str, ...]) -> tuple[Any, Any]:
        absent = _unused(function, active)
        marks, active = _marks(active)
        if _is_flat(function, active):
            return flat_tangent(function), _never
        plain = self.plain(function, count, names, absent)
        where = places(plain, active, count, names, function)
        made = self.made(plain, where.wanted, "tangent", marks)
        key = ("pushed", made.functions[0], repr(where), count, names, _cell_ids(plain), plain.__code__)
        push = self.kept(key, lambda: pushed(made.functions[0], made.seeds, where, plain, count, names), plain)
        return push, made.changed

    def plain(
        self, function: Any, count: int, names: tuple[str, ...], unused: frozenset[str] = frozenset()
    ) -> types.FunctionType:  # fmt: skip
        """The function that is differentiated: itself, where its derivatives are given."""
        if isinstance(getattr(function, "__self__", None), CONTAINERS):
            self.refuse_writer(function)
        if (made := maker(function)) is not None:
            return made
        if table().custom_of(function) is not None:
            return function  # type: ignore[no-any-return]
        if isinstance(function, types.MethodDescriptorType) and function.__name__ in table().methods:
            return self.kept(("method", function, count, names), lambda: method_form(function, count, names))
        if table().lookup(function) and is_library(function):
            key = ("form", id(function), count, names, unused)
            return self.kept(key, lambda: call_form(function, count, names, unused), function)
        return with_counted(plain_function(function), count)

    def kept(self, key: Any, make: Callable[[], types.FunctionType], *alive: Any) -> types.FunctionType:
        """A function that is made once, so that its derivatives are, too; `alive` is what its key tells by address."""
        with self._lock:
            if key not in self._adapted:
                made = make()
                made.adapted = True  # type: ignore[attr-defined]
                _keep(self._adapted, key, (made, alive), 1024)
            return self._adapted[key][0]

    def refuse_writer(self, function: Any) -> bool:
        """Stop before a function that writes into its arguments is called for its effects.

        Whether all that it does is known: it calls nothing that is found out later.
        """
        behind = getattr(function, "__func__", function)
        method = isinstance(function, types.MethodType)
        while (inner := applied_function(behind)) is not None:
            behind = inner
        made = vars(behind).get("__init__") if isinstance(behind, type) else getattr(type(behind), "__call__", None)
        if not isinstance(behind, types.FunctionType) and isinstance(made, types.FunctionType):
            behind, method = made, True  # a class, or an object that is called
        if not isinstance(behind, types.FunctionType) or is_library(behind):
            return True
        owner = getattr(function, "__self__", None)
        listed = isinstance(owner, CONTAINERS)

        def find() -> bool:
            self._refuse_writer(behind, owner, method and not listed)
            return is_closed(behind)

        return self._readers.known(behind, find, method, listed, isinstance(owner, type), len(read_by_derivatives))

    def _refuse_writer(self, behind: types.FunctionType, owner: Any, method: bool) -> None:
        own = set(behind.__code__.co_varnames[:1]) if method else set()
        self.refuse_changer(behind)
        refuse_class_writer(unit(behind), owner)
        summary = summaries(unit)(behind)
        captured = {v for _, v in summary.outside} & set(behind.__code__.co_freevars)
        captured |= {v for _, v in summary.outside & read_by_derivatives}
        for kind, written in (("argument", summary.written - own), ("variable", captured)):
            for v in sorted(written):
                raise _found_late(behind, f"writes into its {kind} '{v}'", v)

    def written(self, function: types.FunctionType) -> frozenset[str]:
        """The parameters that a function of the user's writes into, by its text."""
        if any(hasattr(function, a) for a in ("origin", "adapted", "defvjp")) or is_library(function):
            return NO_NAMES
        ruled = table().has_rule(function) or table().is_zero(function)
        if ruled:
            return NO_NAMES
        return self._written.known(function, lambda: frozenset(summaries(unit)(function).written))

    def refuse_unrepeatable(self, function: Any) -> None:
        """Stop before a function is run again that would not give the same."""
        if why := self.unrepeatable(function):
            title = getattr(getattr(function, "func", function), "__name__", function)
            raise UnsupportedError(
                f"cannot differentiate a call of '{title}' under 'checkpoint'",
                why=f"it is run again in the backward pass, and {why}",
                todo="Call it before, and pass on what it gives.",
            )

    def unrepeatable(self, function: Any) -> str:
        """Why a function would not give the same if it were run again; empty where it would."""
        if isinstance(function, functools.partial):
            return self.unrepeatable(function.func)
        behind, method = getattr(function, "__func__", function), getattr(function, "__self__", None) is not None
        made = getattr(type(behind), "__call__", None)
        if isinstance(made, types.FunctionType) and not isinstance(behind, types.FunctionType):
            behind, method = made, True
        if not isinstance(behind, types.FunctionType):
            return unrepeatable(behind, method)
        return self._repeatable.known(primal_of(behind), lambda: unrepeatable(behind, method), method, _made_by(behind))

    def is_own(self, function: Any) -> bool:
        """Whether the class of a method, or of an object that is called, is the user's, and nothing else says more."""
        behind = getattr(function, "__func__", function)
        cls = type(function.__self__ if isinstance(function, types.MethodType) else function)
        if is_library(cls) or any(hasattr(behind, a) for a in ("within", "interpreted", "__wrapped__")):
            return False
        here = table()
        return not here.has_rule(function) and (behind is function or not here.has_rule(behind))

    def threaded(self, function: Any, arrays: bool, over: bool = False) -> Any:
        """The function with a memory as first argument and last result; `over` it, a derivative is taken again."""
        function = unwrapped(function)
        if isinstance(function, types.FunctionType) and table().is_zero(function):
            function = writing_constants(function) or function
        changes = sees_changeable(function) and changes_outside(function)
        if over or changes:
            return self.over_memory(function, arrays, changes)
        if is_given(function):
            return self.kept(("given", function), lambda: threaded_given(function))
        if isinstance(function, types.FunctionType) and not is_library(function) and table().has_rule(function):
            refuse_ruled_writer(function)
            return self.kept(("ruled", function), lambda: threaded_ruled(function))
        if isinstance(function, types.FunctionType) and is_followed(function):
            return remembering(function, arrays=arrays)
        if isinstance(function, functools.partial):
            return self.threaded(partial_of(function.func, *function.args, **function.keywords), arrays)
        if isinstance(function, types.MethodType) and isinstance(function.__func__, types.FunctionType):
            return self.bound(function.__func__, function.__self__, arrays)
        if isinstance(function, type) and not is_made_by_class(function):
            return self.kept(("class", function), lambda: threaded_class(function))
        behind = getattr(type(function), "__call__", None)
        if is_object(function) and isinstance(behind, types.FunctionType):
            return self.bound(behind, function, arrays)
        try:
            return self.kept(("plain", function), lambda: threaded_library(function))
        except TypeError:  # it cannot be told by what it is
            made = threaded_library(function)
            made.adapted = True  # type: ignore[attr-defined]
            return made

    def over_memory(self, function: types.FunctionType, arrays: bool, changes: bool) -> types.FunctionType:
        """A derivative that is taken of the function with a memory: what that captured has changed since."""
        refuse_unseen(function)
        made, title = self.derived(function, arrays), f"'{function.__name__}'"
        behind, options = function.origin  # type: ignore[attr-defined]
        objects = behind if needs_memory(behind, table().has_rule) else None
        return self.kept(("over", made, changes), lambda: threaded_derivative(made, options, title, objects, changes))

    def derived(self, function: types.FunctionType, arrays: bool) -> types.FunctionType:
        """The derivative of a function, or of a derivative, that takes a memory and gives it back behind its result."""
        behind, options = function.origin  # type: ignore[attr-defined]
        inner = self.derived(behind, arrays) if hasattr(behind, "origin") else self.threaded(behind, arrays)
        made = derive(inner, replace(options, has_aux=True, anything=True))
        return made.plain  # type: ignore[attr-defined, no-any-return]

    def bound(self, function: types.FunctionType, owner: Any, arrays: bool) -> types.FunctionType:
        """A method of an object, with a memory."""
        key = ("bound", function, id(owner), arrays)
        return self.kept(key, lambda: threaded_method(self.threaded(function, arrays), owner), owner)

    def made(self, plain: types.FunctionType, wanted: Wanted, kind: str, marks: Marks) -> Made:
        with self._lock:
            again = getattr(plain, "checkpointed", False)
            code = (*_code(plain), id(plain.__globals__), wanted, kind, marks, again, table().version)
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
            for _, v in sorted(found[0].around & read_by_derivatives):
                raise _found_late(plain, f"writes into its variable '{v}'", v)
            return found[0]

    def refuse_changer(self, plain: types.FunctionType) -> None:
        """Stop before a function changes an object that it is given, where no memory would know."""
        if any(hasattr(plain, a) for a in ("remembers", "origin", "adapted")) or is_library(plain):
            return
        if v := changes_objects(plain):
            todo = "Name the class of the object in the function that is differentiated."
            raise _found_late(plain, f"changes '{v}', an object that it is given", v, todo)

    @keeping()
    def _build(self, plain: types.FunctionType, wanted: Wanted, kind: str, marks: Marks) -> Made:
        """The derivative; where lists are held by several, or change across calls, that with a memory of all lists."""
        self.refuse_changer(plain)
        try:
            return self._built(keeping_memory(plain, ""), wanted, kind, marks)
        except OwnerError:
            operators = _operators(marks)
            if MEMBERS in operators:
                raise
            return self._build(plain, wanted, kind, (marks - {operators}) | {operators | {MEMBERS}})
        except InPlaceError as e:
            turned = e.needs_tangents or e.in_derivative
            if not e.needs_memory and not turned:
                raise
            try:
                if turned:
                    return self._built(plain, wanted, kind, marks, turned=True)
                return self._built(with_lists(plain), wanted, kind, marks)
            except TangentError:
                pass
            raise

    def _built(
        self, plain: types.FunctionType, wanted: Wanted, kind: str, marks: Marks, turned: bool = False
    ) -> Made:  # fmt: skip
        operators = tuple(sorted(_operators(marks)))
        options = Options(wrt=wanted, objects=operators, turned=turned, silent=SILENT in marks, caught=CAUGHT in marks)
        module = Module(options, optimiser(True), derive, as_functions)
        if LISTS in marks:
            module.given_lists.add(plain)
        first: Any = (
            module.pair(plain, wanted, caught=options.caught)
            if kind == "pair"
            else (module.tangent(plain, wanted, caught=options.caught),)
        )
        if not isinstance(first[0], Generated):  # of a function whose derivatives are given
            return Made(first, first[0].seeds, lambda: False)
        module.finish()
        functions = as_functions(module)
        around = module.written_around()
        return Made(tuple(functions[g] for g in first), first[0].seeds, _changed(functions), functions, around)


BY_NAME = "Call it by its own name, or let it return a new array."


def _found_late(function: types.FunctionType, what: str, v: str, todo: str = BY_NAME) -> InPlaceError:
    """What a function known only when it is called does to something that it is given, or that is around it."""
    error = InPlaceError(
        f"cannot differentiate a call of '{function.__name__}'",
        why=f"it {what}, which is found out only when the call happens", todo=todo,
    )  # fmt: skip
    error.meet(WRITTEN, writing_statement(function, v))
    error.found_late = True
    return error


def _is_flat(function: Any, active: Active) -> bool:
    """Whether no derivative flows through a function from some places."""
    return table().is_zero(function) or takes_sizes(function, active) or getattr(function, "is_flat", False)


def _unused(function: Any, active: Active) -> frozenset[str]:
    """The keywords of a library function that are None and stand for operands which are not given, or for `out`."""
    absent = {k for a in active if isinstance(a, tuple) for k in a}
    optional = {"out"}
    for bound in table().lookup(function) if absent else ():
        rule = table().rules[bound.rule]
        given = [p.name for p in rule.parameters if p.name in rule.operands and _is_none(p.default)]
        optional |= {*given, *(k for k, p in bound.renames.items() if p in given)}
    return frozenset(absent & optional)


def _is_none(e: ast.expr | None) -> bool:
    return isinstance(e, ast.Constant) and e.value is None


def _marks(active: Active) -> tuple[Marks, Active]:
    """What is known of the arguments, and the places of the active ones."""
    active = tuple(a for a in active if not isinstance(a, tuple))
    marks = frozenset(a for a in active if a in (CAUGHT, LISTS, SILENT) or isinstance(a, frozenset))
    return marks, tuple(a for a in active if a not in marks)


def _operators(marks: Marks) -> frozenset[str]:
    return next((m for m in marks if isinstance(m, frozenset)), frozenset())


def _made_by(function: types.FunctionType) -> tuple[Options, ...]:
    """The options by which a derivative was made of a function, of any order; nothing for the function itself."""
    origin = getattr(function, "origin", None)
    return () if origin is None else (*_made_by(origin[0]), origin[1])


def _never() -> bool:
    return False


def refuse_ruled_writer(function: types.FunctionType) -> None:
    """A function that is not differentiated by its source, and writes: what its rule says is no word about that."""
    for v in sorted(summaries(unit)(function).written):
        why = f"its derivative is given, and it changes its argument '{v}'"
        if table().is_zero(function):
            why = f"it has no derivative, and changes its argument '{v}' by more than stores of new values"
        error = InPlaceError(
            f"cannot differentiate a call of '{function.__name__}'", why=why,
            todo="Write by stores (a[i] = v) into a new value, and return that.",
        )  # fmt: skip
        error.meet(WRITTEN, writing_statement(function, v))
        raise error


CONTAINERS = (list, dict, deque, set)  # what such owners of methods hold are no attributes
ABOUT_FUNCTIONS = library.__name__, by_class.__module__, descriptors.__name__, objects.__name__


def is_followed(function: types.FunctionType) -> bool:
    """Whether a function is read where it is called with a memory."""
    own = not is_library(function) or home_of(function).startswith(ABOUT_FUNCTIONS)
    return own and not table().has_rule(function) and not getattr(function, "makes_derivatives", False)


def changes_outside(derivative: types.FunctionType) -> bool:
    """Whether a function writes into what it captured, and its derivative does; it leaves objects as they are."""
    function = primal_of(derivative)
    kept = not needs_memory(function, table().has_rule) or sees_kept(derivative)
    return kept and bool(summaries(unit)(function).outside)


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


def _code(plain: Any) -> tuple[Any, ...]:
    """What functions have in common that differ only in what they capture."""
    if not hasattr(plain, "remembers"):
        return (plain.__code__,)
    return plain.remembers.__code__, plain.entry, plain.lists, plain.in_place


def _cell_ids(plain: types.FunctionType) -> tuple[int, ...]:
    return tuple(id(cell) for cell in plain.__closure__ or ())
