"""A function and options in, a derivative out: made once and remembered; others for arguments of other kinds."""

from __future__ import annotations

import inspect
import types
import weakref
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Literal

from tangent.analysis.state import classes_of, forget, needs_memory
from tangent.codegen.emit import emit
from tangent.codegen.guards import asked_names
from tangent.codegen.late import Late, makes_derivatives
from tangent.codegen.load import Others, load, load_again
from tangent.codegen.rebind import Pairing, rebound
from tangent.errors import CaptureError, InPlaceError, Location, TangentError
from tangent.normalise.named_operators import operators_given
from tangent.options import Copied, Memory, Options
from tangent.rules.callables import making
from tangent.rules.table import scope_rules, table, using
from tangent.runtime.layouts import layout_of, remembered
from tangent.runtime.objects import holds_filling, operators_in
from tangent.runtime.storage.copies import own_any
from tangent.runtime.storage.forms import form_of, holds_arrays, holds_lists, refuse_shared
from tangent.runtime.storage.held import are_apart, holds_in_objects, holds_persistent
from tangent.runtime.storage.shadows import item_shadow
from tangent.source.adapt import called
from tangent.source.buffers import buffers_of
from tangent.source.read import read
from tangent.stages import generated, optimiser, over_arguments
from tangent.taken_apart import Objects, for_attributes, for_shared, primal_of
from tangent.transform.following import following
from tangent.transform.generated import Generated
from tangent.transform.module import Module
from tangent.transform.presumed import Presumed, annotated_numbers, number_like, required_numbers
from tangent.transform.repeatable import is_repeatable
from tangent.transform.titles import description

Derivative = Callable[..., Any]
Attempt = Callable[[], Derivative]
Scalars = Callable[[list[Generated]], tuple[tuple[Any, frozenset[str]], ...]]
Small = Callable[[types.FunctionType], types.FunctionType]
Copies = Callable[[dict[str, Any], tuple[Any, ...]], Derivative | None]
Kind = Literal["objects", "lists"]
Key = tuple[Any, ...]
_made: weakref.WeakKeyDictionary[Any, weakref.WeakValueDictionary[Key, Any]] = weakref.WeakKeyDictionary()
_alike: weakref.WeakKeyDictionary[types.CodeType, deque[weakref.ref[Any]]] = weakref.WeakKeyDictionary()
_recent: deque[Derivative | None] = deque(maxlen=512)  # derivatives hold their functions: not all are kept for ever


def derive(function: types.FunctionType, options: Options) -> Derivative:
    """The derivative of a function, made on first demand; of a derivative from a scope of rules, by these rules."""
    own = getattr(function, "rules", None)
    if own is not None and scope_rules() is None:
        with using(own):
            return derive(function, options)
    with making():
        made = _made.setdefault(function, weakref.WeakValueDictionary()).get(_key(function, options))
        if made is not None and _is_outdated(made):
            return _renewed(function, options)
        return made or _keep(_shared(function, options) or _fresh(function, options), function, options)


def _keep(made: Derivative, function: types.FunctionType, options: Options) -> Derivative:
    """Remember a derivative by what it depends on."""
    _made.setdefault(function, weakref.WeakValueDictionary())[_key(function, options)] = made
    made.given = function.__defaults__, function.__kwdefaults__  # type: ignore[attr-defined]
    return made


def _is_outdated(made: Derivative) -> bool:
    """Whether a helper was redefined since a derivative was made."""
    return hasattr(made, "loaded") and made.loaded.changed()


def _fresh(function: types.FunctionType, options: Options) -> Derivative:
    """A derivative that is written anew."""
    made = _built(function, options)
    _remember(made, function)
    return made


def _remember(made: Derivative, function: types.FunctionType) -> None:
    _recent.append(made)
    if hasattr(made, "loaded"):
        _alike.setdefault(function.__code__, deque(maxlen=8)).appendleft(weakref.ref(made))


def _shared(function: types.FunctionType, options: Options) -> Derivative | None:
    """The derivative of another function of the same code, over what this one captures."""
    for old in [known() for known in _alike.get(function.__code__, ())]:
        if old is None:
            continue
        (behind, others), loaded = old.origin, old.loaded
        if others != options or behind is function or old.made_with != table().version or loaded.changed():
            continue
        again = rebound(loaded.functions, Pairing(behind, function))
        if again is not None:
            made = load_again(old, again, _other_ways(function, options, next(iter(again))))
            made.source, made.sure = old.source, getattr(old, "sure", False)  # type: ignore[attr-defined]
            if old.versions is not None and made.versions is not None:  # type: ignore[attr-defined]
                made.versions.share(old.versions)  # type: ignore[attr-defined]
            if old in _recent:
                _recent[_recent.index(old)] = None  # what it captured is not kept any longer
            _remember(made, function)
            return _seen_by_numba(_described(made, function, options), hasattr(old, "__numba__"))
    return None


def _key(function: types.FunctionType, options: Options) -> Key:
    """What a derivative depends on beside the functions it was made from."""
    defaults = id(function.__defaults__), id(function.__kwdefaults__)
    return function.__code__, defaults, options, table().version


def _built(function: types.FunctionType, options: Options) -> Derivative:
    """The derivative: for arguments that are taken for numbers where that makes a difference, or for any."""
    if options.compile is not None:  # the kinds of arguments are seen when it is called
        return _for_any(behind(function, anything=True), options)
    if options.anything:
        return _for_any(function, options)
    said, required = annotated_numbers(function), _required(function, options)
    if said | required:
        sure = said.items() <= required.items() or getattr(function, "sure", False)
        made = _for_numbers(function, said | required, options, sure)
        if said:
            return made or _for_any(behind(function, anything=True), options)
        if made is not None and not _changes_arguments(made):
            return made
    try:
        general = build(function, options)
    except (InPlaceError, CaptureError) as e:
        return _for_numbers(function, said, options, compiles=False) or _other_way(function, options, e)
    if not _changes_arguments(general):
        return general
    others = None
    if not hasattr(function, "origin"):  # it is what others call for arguments that are no numbers
        wide = replace(options, anything=True)
        others = _keep(_with_ways(general, function, wide), function, wide)
    made = _for_numbers(function, said, options)
    if made is None or _changes_arguments(made):
        return general
    if others is not None:
        made.general = others  # type: ignore[attr-defined]  # as long as there is the one, there is the other
    return made


def _with_ways(made: Derivative, function: types.FunctionType, options: Options) -> Derivative:
    """A derivative whose other ways, for arguments of other kinds, are by these options."""
    assert isinstance(made, types.FunctionType)
    functions = made.loaded.functions  # type: ignore[attr-defined]
    again = load_again(made, functions, _other_ways(function, options, next(iter(functions))))
    again.source, again.sure = made.source, getattr(made, "sure", False)  # type: ignore[attr-defined]
    return _described(again, function, options)


def _required(function: types.FunctionType, options: Options) -> Presumed:
    """Parameters that have to be numbers, or to hold some, if one that the derivative is by is among them."""
    if hasattr(function, "origin"):  # what is known of the function behind goes for its derivatives
        return {}
    try:
        found = required_numbers(function, Module(options, optimiser(options.optimized)).read)
    except TangentError:
        return {}
    return found if found.keys() & set(options.wrt) else {}


def _changes_arguments(derivative: Derivative) -> bool:
    """Whether a derivative asks what kind of thing it is that it changes, or that a list holds which it changes."""
    functions = derivative.loaded.functions  # type: ignore[attr-defined]
    return any(value in (own_any, item_shadow) for g in functions for value in g.externals.values() if callable(value))


def _for_numbers(
    function: types.FunctionType, said: Presumed, options: Options, sure: bool = False, compiles: bool = True
) -> Derivative | None:
    """The derivative for parameters that are numbers, as they seem to be; it calls another for anything else."""
    module = Module(options, optimiser(options.optimized), derive)
    try:
        plain = function if hasattr(function, "origin") else over_arguments(function, options)
        presumed = said or number_like(plain, module.read)
        numbers = following(plain, presumed, module.read, module.summaries) if presumed else ()
        if not numbers:
            return None
        module = generated(function, replace(options, numbers=numbers), derive)
    except TangentError:
        return None
    module.functions[0].presumed = presumed
    made = _described(_loaded(module, function, options), function, options)
    made.sure = sure  # type: ignore[attr-defined]
    return _seen_by_numba(made, compiles and not _is_unseen(function))


def _seen_by_numba(made: Derivative, compiles: bool) -> Derivative:
    """Compiled code that calls a derivative for numbers may have arrays, if it can: it compiles that for anything."""
    if hasattr(made, "anything") and not made.sure:  # type: ignore[attr-defined]
        general = _general(*made.origin) if compiles else None  # type: ignore[attr-defined]
        made.plain = getattr(general, "plain", None)  # type: ignore[attr-defined]
        made.general = general  # type: ignore[attr-defined]  # as long as there is the one, there is the other
        if made.plain is None:  # type: ignore[attr-defined]
            del made.__numba__  # type: ignore[attr-defined]
    return made


def _is_unseen(function: types.FunctionType) -> bool:
    """Whether a function is a derivative that Numba cannot compile."""
    return hasattr(function, "origin") and not hasattr(function, "__numba__")


def _general(function: types.FunctionType, options: Options) -> Derivative | None:
    """The derivative for any arguments, where it needs no memory: with one it would not compile."""
    wide = replace(options, anything=True)
    try:
        plain = behind(function, anything=True)
        known = _made.setdefault(plain, weakref.WeakValueDictionary()).get(_key(plain, wide))
        current = known is not None and not _is_outdated(known)
        return known if current else _keep(build(plain, wide), plain, wide)
    except TangentError:
        return None


def _for_any(function: types.FunctionType, options: Options) -> Derivative:
    """The derivative; where lists or objects are held by several, or change across calls, that with a memory."""
    try:
        return build(function, options)
    except (InPlaceError, CaptureError) as e:
        return _other_way(function, options, e)


def _other_way(function: types.FunctionType, options: Options, e: InPlaceError | CaptureError) -> Derivative:
    for other in _others(function, options, e):
        try:
            return other()
        except TangentError:
            pass
    raise e


def _others(function: types.FunctionType, options: Options, e: InPlaceError | CaptureError) -> Iterator[Attempt]:
    """Other ways to a derivative: gradients through forward mode, lists and objects in a memory."""
    if options.compile is not None:
        return
    filled = () if options.buffers else buffers_of(primal_of(function))
    if isinstance(e, InPlaceError) and filled:
        yield lambda: build(*_over(function, options, buffers=filled))
    turned = (e.needs_tangents or e.in_derivative or hasattr(function, "origin")) and not options.turned
    if turned and options.mode == "reverse":
        yield lambda: _by_tangents(function, options)
    memory: Memory = "lists" if isinstance(e, InPlaceError) else options.memory or "objects"
    if e.needs_memory and options.memory != memory:
        yield lambda: build(*_over(function, options, memory=memory))
    written = isinstance(e, InPlaceError) and (e.found_late or needs_memory(function, table().has_rule))
    if written and options.memory != "arrays":
        yield lambda: build(*_over(function, options, objects=options.objects, memory="arrays"))
    if turned and options.mode == "forward":
        yield lambda: _by_tangents(function, options)


def _by_tangents(function: types.FunctionType, options: Options) -> Derivative:
    """The derivative in which gradients go through forward mode."""
    behind = called(function, inspect.signature(function)) if hasattr(function, "origin") else function
    made = build(behind, replace(options, turned=True))
    made.origin = (function, options)  # type: ignore[attr-defined]
    return made


def build(function: types.FunctionType, options: Options) -> Derivative:
    """Read, normalise, transform, optimise, print and load."""
    return _described(_loaded(generated(function, options, derive), function, options), function, options)


def _described(made: types.FunctionType, function: types.FunctionType, options: Options) -> Derivative:
    made.__doc__ = description(function, options)
    made.origin, made.made_with = (function, options), table().version  # type: ignore[attr-defined]
    return made


def again(function: types.FunctionType, options: Options, **changes: Any) -> Derivative:
    """The derivative with other options, made of derivatives with these options, too."""
    return derive(*_over(function, options, **changes))


def _over(function: types.FunctionType, options: Options, **changes: Any) -> tuple[types.FunctionType, Options]:
    """A function and options with changes; those of a derivative may give its seed another name."""
    made = behind(function, **changes)
    names = dict(zip(inspect.signature(function).parameters, inspect.signature(made).parameters))
    return made, replace(options, wrt=tuple(names.get(v, v) for v in options.wrt), **changes)


def behind(function: types.FunctionType, **changes: Any) -> types.FunctionType:
    """A function; of a derivative, the one with other options."""
    origin = getattr(function, "origin", None)
    if origin is None or all(getattr(origin[1], option) == value for option, value in changes.items()):
        return function
    made = again(*origin, **changes)
    assert isinstance(made, types.FunctionType)
    return made


def for_containers(function: types.FunctionType, options: Options, entry: Generated) -> Copies:
    """What gives other code for arguments that are lists or dicts of numbers, or of such, and written into.

    Where items of lists in them are assigned that are arrays, or lists again, and where operators in place
    join lists or tuples, that is code with a memory.
    """
    known: dict[Copied, Derivative | None] = {}

    def other(written: dict[str, Any], every: tuple[Any, ...]) -> Derivative | None:
        assigned = any(v in written and holds_arrays(written[v], path) for v, path in entry.stored)
        assigned |= any(v in written and holds_lists(written[v], path) for v, path in entry.joined)
        if assigned or not are_apart(every):
            refuse_shared(every, lambda: _place(function))
            memory: Memory = "arrays"
            return again(function, options, memory=memory)
        copied: Copied = tuple((v, form) for v, x in written.items() if (form := form_of(x)))
        if copied and copied not in known:
            try:
                known[copied] = again(function, options, copied=copied)
            except TangentError:  # what is not known of a list is refused where it is written into
                known[copied] = None
        if (made := known.get(copied)) is not None:
            refuse_shared(every, lambda: _place(function))
        return made

    return other


def _place(function: types.FunctionType) -> Location:
    """Where the function behind some derivatives stands."""
    source = read(primal_of(function))
    return source.locate(source.tree)


def for_arguments(function: types.FunctionType, options: Options, entry: Generated) -> Objects:
    """What tells whether other code is needed for some arguments: objects whose classes define operators or change,
    or that hold arrays which are written into under other names (`w = self.w; w *= a`), and dicts that reading fills.
    """

    over, shared = for_attributes(function, options, again), for_shared(function)
    names = asked_names(entry, entry.tree.args) if entry.tree is not None else []

    def written(values: tuple[Any, ...]) -> bool:
        return any(p in entry.owned and holds_in_objects(x) for p, x in zip(names, values, strict=False))

    def other(values: tuple[Any, ...]) -> Derivative | None:
        if entry.parts and holds_persistent(values):
            return again(function, options, memory="arrays")
        layout = layout_of(values)
        if holds_filling(values):
            return filled(values, layout)
        if (found := over(values, layout)) is not None:
            return found
        return (together if shared(values) or written(values) else apart)(values, layout)

    @remembered
    def apart(values: tuple[Any, ...]) -> Derivative | None:
        return by_classes(values, options.memory or needs_memory(function, table().has_rule, classes_of(values)))

    @remembered
    def together(values: tuple[Any, ...]) -> Derivative | None:
        return by_classes(values, "arrays")

    @remembered
    def filled(values: tuple[Any, ...]) -> Derivative | None:
        return by_classes(values, "arrays", frozenset([defaultdict]))

    def by_classes(values: tuple[Any, ...], memory: Memory, more: frozenset[type] = frozenset()) -> Derivative | None:
        named = operators_in(values) | operators_given(values)
        classes, objects = more | classes_of(values), tuple(sorted({*options.objects, *named}))
        if (not classes and not objects) or (objects, memory) == (options.objects, options.memory):
            return None
        return again(function, options, objects=objects, memory=memory)

    return other


def _loaded(module: Module, function: types.FunctionType, options: Options) -> types.FunctionType:
    others = _other_ways(function, options, module.functions[0])
    if options.compile is not None:
        from tangent.codegen.compiled.entry import load_compiled  # loads Numba

        here = table()

        def typed(scalars: Scalars, small: Small) -> list[Generated] | None:
            with making(), using(here):
                return _with_scalars(function, replace(options, compile=None, jit=()), module, scalars, small)

        def other(values: tuple[Any, ...]) -> Derivative | None:
            """The one for named tuples whose fields are called as members of arrays are, and for operators."""
            objects = {*options.objects, *operators_in(values)}
            return again(function, options, objects=tuple(sorted(objects))) if objects > set(options.objects) else None

        compiled = load_compiled(module.functions, typed, others, dict(options.jit), other)
        compiled.interpreted = lambda: derive(function, replace(options, compile=None, jit=()))  # type: ignore[attr-defined]
        return compiled
    text = emit(module.functions)
    made = load(text, module.functions, others)
    made.source = text.text  # type: ignore[attr-defined]
    return made


def _other_ways(function: types.FunctionType, options: Options, entry: Generated) -> Others:
    """What a derivative calls in its place, for arguments of other kinds."""
    wide = replace(options, anything=True)
    return Others(
        renew=lambda: _renewed(function, options),
        objects=None if options.given else for_arguments(function, options, entry),
        lists=None if options.lists else lambda: again(function, options, lists=True),
        copies=None if options.copied else for_containers(function, options, entry),
        anything=lambda: derive(behind(function, anything=True), wide),
        late=_where_callees_write(function, options),
        versions=options.optimized,  # raw code is there to be looked at, and stays what it is
    )


def _where_callees_write(function: types.FunctionType, options: Options) -> Late | None:
    """The derivative that allows for callees that write; a function that draws numbers is not begun again."""
    if options.memory == "arrays" or options.compile is not None:
        return None
    primal = primal_of(function)
    return Late(
        lambda: again(function, options, memory="arrays"),
        lambda: is_repeatable(primal) and not makes_derivatives(primal),
    )


def _with_scalars(
    function: types.FunctionType, options: Options, module: Module, scalars: Scalars, small: Small
) -> list[Generated] | None:
    """The module made with what is known of numbers; None where that changes nothing."""
    behind = for_scalars(function, scalars, small)
    if behind is not function:
        module = generated(behind, options, derive, whole=True)
    known = scalars(module.functions)
    if known:
        return generated(behind, replace(options, scalars=known), derive, whole=True).functions
    return module.functions if behind is not function else None


def for_scalars(function: types.FunctionType, scalars: Scalars, small: Small) -> types.FunctionType:
    """A function, with numbers for small arrays; of a derivative, the one that takes variables for numbers."""
    origin = getattr(function, "origin", None)
    if origin is None:
        return small(function)
    behind = for_scalars(origin[0], scalars, small)
    known = scalars(generated(behind, origin[1], derive, whole=True).functions)
    if behind is origin[0] and not known:
        return function
    made = derive(behind, replace(origin[1], scalars=known))
    assert isinstance(made, types.FunctionType)
    return made


def _renewed(function: types.FunctionType, options: Options) -> Derivative:
    """The derivative as of now, after a helper was redefined; of derivatives, from the function behind."""
    with making():
        origin = getattr(function, "origin", None)
        if origin is not None:
            fresh = _renewed(*origin)
            assert isinstance(fresh, types.FunctionType)
            return derive(fresh, options)
        known = _made.setdefault(function, weakref.WeakValueDictionary())
        made: Derivative | None = known.get(_key(function, options))
        if made is not None and hasattr(made, "loaded") and not _is_outdated(made):
            return made  # it was made anew by an earlier call
        known.pop(_key(function, options), None)
        _alike.pop(function.__code__, None)
        forget(function)
        return derive(function, options)
