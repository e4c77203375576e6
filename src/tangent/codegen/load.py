"""Make functions from text: the text that people read is the text that runs.

Free names that the user's function has (globals, closure cells) are found where the user's function finds them, when
the derivative runs. Names that Tangent adds (runtime functions, derivatives of callees) are closure cells of their own.

The function that was asked for has three lines more than its text: it looks whether a function it was made from has
been redefined since, whether arguments and seed fit, and it tells an exception which primal line it comes from.
"""

from __future__ import annotations

import ast
import linecache
import types
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from tangent.codegen.changes import Changes, dependencies
from tangent.codegen.choice import Choice, Objects, for_objects, looking, worthwhile
from tangent.codegen.compiled.callee import with_compiled_callees
from tangent.codegen.emit import Text, emit
from tangent.codegen.guards import (
    NUMBERS,
    by_place,
    guarded,
    is_presumed,
    kinds_checked,
    shapes_checked,
    stale,
)
from tangent.codegen.late import Late, calls_what_it_finds
from tangent.codegen.notes import Entry, annotate, remember
from tangent.errors import TangentError
from tangent.rules.table import scope_rules, using
from tangent.runtime.calls import unrepeated
from tangent.runtime.checks import check_arguments, check_seed_by, check_tangent
from tangent.runtime.storage.copies import require_apart
from tangent.source.blocks import remember_blocks
from tangent.source.cells import cells_of
from tangent.source.naming import home_of
from tangent.source.reached import root_of
from tangent.source.unset import remember_unset
from tangent.syntax.rebuild import function_node
from tangent.transform.generated import Generated

Renew = Callable[[], Callable[..., Any]]
Copies = Callable[[dict[str, Any], tuple[Any, ...]], Any]
CHECKS: dict[str, Any] = {
    "_type": type, "_float": float, "_list": list, "_dict": dict, "_tuple": tuple, "_Exception": Exception,
    "_check_seed": check_seed_by, "_check_tangent": check_tangent, "_require_apart": require_apart,
    "_check_arguments": check_arguments, "_by_place": by_place, "_TangentError": TangentError,
    "_unrepeated": unrepeated,
}  # fmt: skip


@dataclass(frozen=True)
class Others:
    """What a derivative calls in its place: itself made anew, those for objects, for lists, for lists that are written
    into, for anything at all, and where callees turn out to write; `versions`, if there are some for known kinds."""

    renew: Renew
    objects: Callable[[tuple[Any, ...]], Any] | None = None
    lists: Renew | None = None
    copies: Copies | None = None
    anything: Renew | None = None
    late: Late | None = None
    versions: bool = True


def load(text: Text, functions: list[Generated], others: Others) -> types.FunctionType:
    """The first function of a generated module, ready to be called."""
    register(text)
    nodes = definitions(text)
    loaded = Loaded(text, bind(nodes, functions, text.file))
    return _entry(loaded, nodes[functions[0].name], others)


def load_again(
    old: types.FunctionType, made: dict[Generated, types.FunctionType], others: Others
) -> types.FunctionType:
    """The same for functions of the same code that are bound to something else."""
    return _entry(Loaded(old.loaded.text, made), old, others)  # type: ignore[attr-defined]


class Loaded:
    """A generated module, its functions as they are bound, and whether names mean something else since then."""

    def __init__(self, text: Text | None, functions: dict[Generated, types.FunctionType]) -> None:
        self.text, self.functions = text, functions
        every = [*functions]
        seen = [(g.primal, path, value) for g in every for path, value in g.seen.items()]
        self.changed = Changes([*seen, *dependencies(every)])

    def __reduce__(self) -> tuple[type[Loaded], tuple[None, dict[Generated, types.FunctionType]]]:
        """In another process nothing is bound again."""
        return Loaded, (None, {})


def _entry(loaded: Loaded, form: ast.FunctionDef | types.FunctionType, others: Others) -> types.FunctionType:
    """The function that is called, with its checks, from its definition or from one of the same code."""
    functions, text = [*loaded.functions], loaded.text
    assert text is not None
    entry, *callees = functions
    extra: dict[str, Any] = {**CHECKS, "_renew": others.renew, "_annotate": Notes(text, place_of(entry))}
    if others.objects is not None:
        extra |= {"_objects": others.objects, "_holds_objects": looking(entry)}
    if others.lists is not None and (entry.arrays or entry.items):
        extra |= {"_lists": others.lists, "_arrays": entry.arrays, "_items": entry.items}
    if others.copies is not None and entry.owned:
        extra["_copying"] = others.copies
    if others.anything is not None and entry.presumed:
        extra |= {"_anything": others.anything, "_numbers": NUMBERS, "_is_presumed": is_presumed}
    if others.late is not None and calls_what_it_finds(functions):
        extra["_late"] = others.late
    if (rules := scope_rules()) is not None:
        extra["_rules"] = partial(using, rules)
    if found := dependencies(functions):  # versions look at the names as they are now, whenever they are made
        extra["_changed"] = Changes(found)
    choice = None
    if others.versions and worthwhile(functions):
        choice = extra["_version"] = Choice(functions, VersionLoader(functions, dict(extra)), others.objects)
        extra["_annotate"] = Notes(text, place_of(entry), choice)
    cells = {g: types.CellType(f) for g, f in with_compiled_callees(loaded.functions).items()}
    if isinstance(form, ast.FunctionDef):
        function = make(guarded(form, entry, callees, extra), entry, cells, text.file, extra)
    else:
        stale(entry, callees, extra)
        function = over(form.__code__, entry, cells, {**entry.externals, **extra})
        function.__defaults__, function.__kwdefaults__ = form.__defaults__, form.__kwdefaults__
    describe(function, entry, functions, loaded.functions[entry])
    function.loaded = loaded  # type: ignore[attr-defined]
    function.rules = rules  # type: ignore[attr-defined]
    if "_anything" in extra:
        function.anything, function.numbers = others.anything, entry.presumed  # type: ignore[attr-defined]
    function.versions = choice  # type: ignore[attr-defined]
    function.version = VersionOf(function, others.objects)  # type: ignore[attr-defined]
    return function


@dataclass(frozen=True)
class Notes:
    """Tells exceptions where they come from; brings the text along where the derivative goes to another process."""

    text: Text
    entry: Entry
    choice: Choice | None = None

    def __call__(self, error: BaseException) -> None:
        if self.choice is not None:
            self.choice.begin_anew()
        annotate(error, self.entry)

    def __reduce__(self) -> tuple[Callable[[Text, Entry], Notes], tuple[Text, Entry]]:
        return _registered, (self.text, self.entry)


def _registered(text: Text, entry: Entry) -> Notes:
    register(text)
    return Notes(text, entry)


def place_of(g: Generated) -> Entry:
    """Where the function behind a derivative stands; the seed of a gradient belongs to what it returns."""
    assert g.source is not None and g.tree is not None
    first = g.source.tree.lineno
    last = getattr(g.tree.body[-1], "lineno", first) if "" in g.seeds else first
    result = g.source.place(last, getattr(g.tree.body[-1], "col_offset", 0))
    return Entry(g.source.place(first, 0), result)


class VersionOf:
    """The version of a derivative for some arguments, or itself where there is none."""

    def __init__(self, derivative: types.FunctionType, objects: Objects | None = None) -> None:
        self._derivative, self._objects = weakref.ref(derivative), objects

    def __reduce__(self) -> tuple[type[VersionOf], tuple[types.FunctionType | None]]:
        return VersionOf, (self._derivative(),)

    def __call__(self, *args: Any) -> types.FunctionType:
        function = self._derivative()
        assert function is not None
        choice = function.versions  # type: ignore[attr-defined]
        given = zip(function.__code__.co_varnames, args)
        presumed = getattr(function, "numbers", {})
        if not all(is_presumed(presumed[p], a) for p, a in given if p in presumed):
            return function.anything().version(*args)  # type: ignore[attr-defined, no-any-return]
        missing = function.__code__.co_argcount - len(args)
        every = (*args, *((function.__defaults__ or ())[-missing:] if missing else ()))
        entry = next(iter(function.loaded.functions), None)  # type: ignore[attr-defined]
        if entry is not None and (other := for_objects(entry, self._objects, every)) is not None:
            return other.version(*every)  # type: ignore[no-any-return]
        found = choice.version(*every) if choice is not None else None
        return found or function


class VersionLoader:
    """Makes a callable of a version of a module; what the kinds of the arguments make sure of is not checked."""

    def __init__(self, functions: list[Generated], extra: dict[str, Any]) -> None:
        self._callees = functions[1:]
        self._extra = {k: v for k, v in extra.items() if k not in ("_anything", "_objects")}

    def __call__(self, version: list[Generated], settled: bool, sure: bool) -> types.FunctionType:
        text = emit(version)
        register(text)
        nodes, entry, own = definitions(text), version[0], dict(self._extra)
        made = bind(nodes, version, text.file)
        checks = [] if settled else kinds_checked(entry, nodes[entry.name].args, "_lists" in own)
        checks += [] if sure else shapes_checked(entry)
        node = guarded(nodes[entry.name], entry, self._callees, own, checks)
        cells = {g: types.CellType(f) for g, f in with_compiled_callees(made).items()}
        function = make(node, entry, cells, text.file, own)
        function.source, function.bound = text.text, made  # type: ignore[attr-defined]
        return function

    def again(self, old: Any, made: dict[Generated, types.FunctionType]) -> types.FunctionType:
        """The same for functions of the same code as those of another version that are bound to something else."""
        entry, own = next(iter(made)), dict(self._extra)
        stale(entry, self._callees, own)
        cells = {g: types.CellType(f) for g, f in with_compiled_callees(made).items()}
        function = over(old.__code__, entry, cells, {**entry.externals, **own})
        function.__defaults__, function.__kwdefaults__ = old.__defaults__, old.__kwdefaults__
        function.source, function.bound = old.source, made  # type: ignore[attr-defined]
        return function


def describe(
    function: types.FunctionType, entry: Generated, functions: list[Generated], plain: types.FunctionType
) -> None:
    """What a derivative tells about itself."""
    function.__numba__ = "plain"  # type: ignore[attr-defined]  # what Numba compiles instead of the function
    function.plain = plain  # type: ignore[attr-defined]
    function.made_from = dependencies(functions)  # type: ignore[attr-defined]
    function.seeds = dict(entry.seeds)  # type: ignore[attr-defined]
    function.arrays = entry.arrays  # type: ignore[attr-defined]
    function.items = entry.items  # type: ignore[attr-defined]
    function.owned = entry.owned  # type: ignore[attr-defined]
    function.stored, function.augmented = entry.stored, entry.augmented  # type: ignore[attr-defined]
    function.joined = entry.joined  # type: ignore[attr-defined]
    function.parts = entry.parts  # type: ignore[attr-defined]
    function.shapes = _known_shapes(entry)  # type: ignore[attr-defined]


def _known_shapes(entry: Generated) -> dict[str, frozenset[str]]:
    """What the checks of the entry make sure of: the shape of the seed, or of the tangents."""
    if "" in entry.seeds:
        return {entry.seeds[""]: frozenset(entry.check)} if entry.check is not None else {}
    return {seed: frozenset([v]) for v, seed in entry.seeds.items()}


def definitions(text: Text) -> dict[str, ast.FunctionDef]:
    return {n.name: n for n in ast.parse(text.text, text.file).body if isinstance(n, ast.FunctionDef)}


def bind(
    nodes: Mapping[str, ast.FunctionDef], functions: list[Generated], file: str
) -> dict[Generated, types.FunctionType]:
    """All functions of a module, without the checks of an entry point; they refer to each other."""
    cells: dict[Generated, types.CellType] = {g: types.CellType() for g in functions}
    made: dict[Generated, types.FunctionType] = {}
    for g in functions:
        made[g] = make(nodes[g.name], g, cells, file)
    for g, function in with_compiled_callees(made).items():
        cells[g].cell_contents = function
    return made


def register(text: Text) -> None:
    """Let tracebacks, `inspect`, `pdb` and profilers find the text."""
    lines = text.text.splitlines(keepends=True)
    linecache.cache[text.file] = (len(text.text), None, lines, text.file)
    remember(text.file, text.origins, text.definition)
    remember_unset(text.file, lines, set(text.origins))
    remember_blocks(text.file, text.blocks)


def make(
    node: ast.FunctionDef, g: Generated, cells: Mapping[Generated, types.CellType], file: str,
    extra: Mapping[str, Any] | None = None,
) -> types.FunctionType:  # fmt: skip
    """One function: compiled inside a scope that holds its free names, then given the real cells."""
    outside = {**g.externals, **(extra or {})}
    code = _code(node, [*outside, *(n for n in g.primal.__code__.co_freevars if n not in outside)], file)
    function = over(code, g, cells, outside)
    function.__defaults__, function.__kwdefaults__ = _defaults(node, g.primal)
    return function


def over(
    code: types.CodeType, g: Generated, cells: Mapping[Generated, types.CellType], outside: Mapping[str, Any]
) -> types.FunctionType:
    """A function of this code: `outside` are the free names that are not the primal's."""
    primal_cells = cells_of(g.primal)

    def bound(v: str) -> types.CellType:
        if v not in outside:
            return primal_cells[v]
        value = outside[v]
        if isinstance(value, types.CellType):  # a variable of a function that is called (source/reached.py)
            return value
        return cells[value] if isinstance(value, Generated) else types.CellType(value)

    contents = tuple(map(bound, code.co_freevars))
    function = types.FunctionType(code, g.primal.__globals__, code.co_name, None, contents)
    function.__module__ = home_of(g.primal) or None  # type: ignore[assignment]
    function.__qualname__ = code.co_name
    captures = getattr(g.primal, "captures", g.primal.__code__.co_freevars)  # what the user's function captured
    further = tuple(v for v, value in g.externals.items() if isinstance(value, types.CellType))
    function.captures = (*captures, *further)  # type: ignore[attr-defined]
    function.root = root_of(g.primal)  # type: ignore[attr-defined]
    function.fresh, function.carries, function.once = g.fresh, g.carries, g.once  # type: ignore[attr-defined]
    function.sharing, function.apart = g.sharing, g.apart  # type: ignore[attr-defined]
    function.kept = g.kept or getattr(g.primal, "kept", "")  # type: ignore[attr-defined]
    return function


def _code(node: ast.FunctionDef, free: list[str], file: str) -> types.CodeType:
    parameters = ast.arguments([], [ast.copy_location(ast.arg(v), node) for v in free], None, [], [], None, [])
    outer = ast.copy_location(function_node("scope", parameters, [node]), node)
    code = compile(ast.Module([outer], []), file, "exec")
    scope = next(c for c in code.co_consts if isinstance(c, types.CodeType))
    return next(c for c in scope.co_consts if isinstance(c, types.CodeType) and c.co_name == node.name)


def _defaults(
    node: ast.FunctionDef, primal: types.FunctionType
) -> tuple[tuple[Any, ...] | None, dict[str, Any] | None]:
    """The primal's own default objects for its parameters, those of the text for seeds."""
    code = primal.__code__
    positional = code.co_varnames[: code.co_argcount]
    defaults = primal.__defaults__ or ()
    known = dict(zip(positional[len(positional) - len(defaults) :], defaults)) | (primal.__kwdefaults__ or {})

    def value(a: ast.arg, default: ast.expr) -> Any:
        return known[a.arg] if a.arg in known else ast.literal_eval(default)

    plain = [*node.args.posonlyargs, *node.args.args]
    with_default = plain[len(plain) - len(node.args.defaults) :]
    given = tuple(value(a, d) for a, d in zip(with_default, node.args.defaults))
    keyword = {a.arg: value(a, d) for a, d in zip(node.args.kwonlyargs, node.args.kw_defaults) if d is not None}
    return given or None, keyword or None
