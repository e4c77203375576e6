"""Functions that keep what objects hold in a memory: as entry a function of the same arguments, else one that takes the
memory first and gives a pair, its result and the memory after it.

Such a function has the definition of the one it stands for; `normalise/memory/` rewrites it. What runs where no
derivative flows is made from that on first demand.
"""

from __future__ import annotations

import ast
import inspect
import types
import weakref
from typing import Any

from tangent.source.cells import cells_of, content_of
from tangent.source.read import read, with_own_classes
from tangent.source.stubs import stub
from tangent.syntax.names import Names, identifiers
from tangent.syntax.rebuild import replace

Known = weakref.WeakKeyDictionary[types.FunctionType, dict[tuple[Any, ...], types.FunctionType]]
_known: Known = weakref.WeakKeyDictionary()


_shared: weakref.WeakKeyDictionary[types.CodeType, dict[Any, tuple[str, types.FunctionType]]]
_shared = weakref.WeakKeyDictionary()
_written_out: weakref.WeakKeyDictionary[types.CodeType, dict[Any, tuple[Any, dict[str, Any]]]]
_written_out = weakref.WeakKeyDictionary()


def remembering(
    function: types.FunctionType, entry: bool = False, lists: bool = False, arrays: bool = False
) -> types.FunctionType:
    """The function that keeps a memory in place of another one.

    With `lists` of all lists, not only of those that others hold, too; with `arrays` of arrays, as well.
    """
    function = with_own_classes(function)
    known = _known.setdefault(function, {})
    key = (function.__code__, entry, lists, arrays, _relied(function))
    if key not in known:
        known[key] = _made(function, entry)
        known[key].lists = lists  # type: ignore[attr-defined]
        known[key].in_place = arrays  # type: ignore[attr-defined]
    return known[key]


def _relied(function: types.FunctionType) -> tuple[tuple[str, int], ...]:
    """Which functions are written out in a definition: where one is defined anew, it is another definition.

    Every call that a memory goes through asks; the definition is read again only where a name leads elsewhere.
    """
    tree = getattr(function, "tree", None)
    known = _written_out.setdefault(function.__code__, {})
    key = (function.__code__.co_filename, id(tree))
    _, found = known.get(key, (None, None))
    if found is None or any(_at(function, path) is not value for path, value in found.items()):
        found = getattr(read(function).tree, "relied", {})
        known[key] = tree, found
    return tuple(sorted((path, id(f)) for path, f in found.items()))


def _at(function: types.FunctionType, path: str) -> Any:
    """What a path leads to in a function."""
    root, *rest = path.split(".")
    cell = cells_of(function).get(root)
    found = function.__globals__.get(root) if cell is None else content_of(cell)
    for attr in rest:
        found = inspect.getattr_static(found, attr, None)
    return found


def named_after(function: types.FunctionType, cls: type) -> types.FunctionType:
    """An initialiser under the name of its class."""
    function.__name__ = cls.__name__
    return function


def _made(function: types.FunctionType, entry: bool) -> types.FunctionType:
    memory, first = _first(function, entry)
    cells = cells_of(function)
    made = stub(function, first.tree, cells, first.__code__.co_filename, first.__code__)  # type: ignore[attr-defined]
    made.captures = getattr(function, "captures", function.__code__.co_freevars)  # type: ignore[attr-defined]
    made.__kwdefaults__ = function.__kwdefaults__
    made.__qualname__ = function.__qualname__
    made.memory = memory  # type: ignore[attr-defined]
    made.entry = entry  # type: ignore[attr-defined]
    made.remembers = function  # type: ignore[attr-defined]
    made.lifted = getattr(function, "lifted", {})  # type: ignore[attr-defined]
    return made


def _first(function: types.FunctionType, entry: bool) -> tuple[str, types.FunctionType]:
    """The name of the memory, and the first function of this code that was made: others share its text."""
    known = _shared.setdefault(function.__code__, {})
    key = (function.__code__.co_filename, entry, id(getattr(function, "tree", None)), _relied(function))
    if key not in known:
        source = read(function)
        memory = Names(identifiers(source.tree)).fresh("memory")
        tree = source.tree if entry else replace(source.tree, args=_with_memory(source.tree.args, memory))
        known[key] = memory, stub(function, tree, cells_of(function), source.file)
    return known[key]


def _with_memory(args: ast.arguments, memory: str) -> ast.arguments:
    first = ast.arg(memory)
    if args.posonlyargs or args.kwarg:
        return replace(args, posonlyargs=[first, *args.posonlyargs])
    return replace(args, args=[first, *args.args])
