"""Functions that are given a memory and give it back, around those that know of none."""

from __future__ import annotations

import types
from typing import Any

from tangent.options import Options
from tangent.runtime.memory import current
from tangent.runtime.memory_captured import object_slots, undone_slots
from tangent.runtime.memory_views import as_now, require_unchanged
from tangent.runtime.stateful import call_class
from tangent.runtime.writers import require_reader
from tangent.source.adapt import define, defined_once

CLASS = "def made(memory, /, *args, **named):\n    return {help}(memory, function, *args, **named)\n"
METHOD = "def bound(memory, /, *args, **named):\n    return {help}(memory, given0, *args, **named)\n"
PLAIN = (
    "def plain(memory, /, *args, **named):\n"
    "    args = {help}(memory, args)\n    named = {help}(memory, named)\n"
    "    require_reader(function, args, named)\n"
    "    return function(*args, **named), memory\n"
)
GIVEN = """\
def given(memory, /, *args, **named):
    shown = as_now(memory, args)
    shown_named = as_now(memory, named)
    result = given0(*shown, **shown_named)
    unchanged(memory, args, shown, 'args', title)
    unchanged(memory, named, shown_named, 'named', title)
    return result, memory
"""
RESULT_AND_CHANGES = """\
slots = object_slots(memory, after, behind)
    memory = undone_slots(memory, after, slots)
    return result, memory"""
# What a derivative gives beside the memory after it: alone, after the value, or before it.
SLOPES = "result, after = given0(memory, *shown, **shown_named)"
VALUE_FIRST = "(value, after), slopes = given0(memory, *shown, **shown_named)\n    result = (value, slopes)"
VALUE_LAST = "slopes, value, after = given0(memory, *shown, **shown_named)\n    result = (slopes, value)"
VALUE_AFTER_SEVERAL = VALUE_LAST.replace("(slopes, value)", "(*slopes, value)")


def threaded_derivative(
    derivative: types.FunctionType, options: Options, title: str, behind: types.FunctionType | None, changes: bool
) -> types.FunctionType:
    """A derivative of a function that takes a memory: it sees what the function captured as that is now.

    `derivative` gives its memory as what else the function returns (`has_aux`). Where it `changes` something, that
    stays so: lists do that a function adds to, and variables that it rebinds; objects that the function `behind` it
    captures are what they were, as behind any derivative.
    """
    found = SLOPES
    if options.value_first:
        found = VALUE_FIRST
    elif options.preserve_result:
        found = VALUE_LAST if len(options.wrt) == 1 else VALUE_AFTER_SEVERAL
    text = GIVEN.replace("result = given0(*shown, **shown_named)", found)
    known = {**_shown(derivative), "title": title}
    if changes and behind is not None:
        text = text.replace("return result, memory", RESULT_AND_CHANGES)
        known |= {"object_slots": object_slots, "undone_slots": undone_slots, "behind": behind}
    elif changes:
        text = text.replace("return result, memory", "return result, after")
    return define("given", text, known, {"given0": types.CellType(derivative)})


def threaded_given(function: types.FunctionType) -> types.FunctionType:
    """A function whose derivatives are given, or that is one: it sees objects as they are, and leaves them so."""
    return define("given", GIVEN, _shown(function), {"given0": types.CellType(function)})


def threaded_ruled(function: types.FunctionType) -> types.FunctionType:
    """The same for a function that has a rule, which says nothing of what it captures."""
    return define("given", GIVEN, {**_shown(function), "given0": function})


def _shown(function: types.FunctionType) -> dict[str, Any]:
    return {"as_now": as_now, "unchanged": require_unchanged, "title": f"'{function.__name__}'"}


def threaded_class(cls: type) -> types.FunctionType:
    return _threaded(CLASS, "call_class", call_class, cls)


def threaded_library(function: Any) -> types.FunctionType:
    """A function that is called with what its arguments hold now, and changes nothing."""
    return _threaded(PLAIN, "current", current, function)


def threaded_method(function: types.FunctionType, owner: Any) -> types.FunctionType:
    cells = {"given0": types.CellType(owner)}
    return defined_once(function, "bound", METHOD.format(help="function"), {"function": function}, cells)


def _threaded(text: str, title: str, helper: Any, function: Any) -> types.FunctionType:
    name = text[4 : text.index("(")]
    known = {title: helper, "function": function, "require_reader": require_reader}
    return define(name, text.format(help=title), known)
