"""What calls write into, as far as the text of the functions tells, and which give something new."""

from __future__ import annotations

import ast
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from tangent.errors import SourceError
from tangent.runtime.places import VIEWS
from tangent.runtime.writers import WRITING_METHODS
from tangent.source.kept import kept
from tangent.source.naming import is_library
from tangent.source.outputs import in_one_form, may_have_form
from tangent.source.read import read
from tangent.source.resolve import MISSING, Scope
from tangent.syntax.held import Sharing, held, root_of, written_into
from tangent.syntax.uses import arguments, assigned_inside
from tangent.syntax.walk import walk

Resolve = Callable[[ast.expr], Any]
Asked = dict[types.CodeType, bool]

SHOWING = frozenset(VIEWS) | {"sliding_window_view", "as_strided"}
NEW_METHODS = frozenset(
    "copy sum mean max min dot item tolist std var prod cumsum cumprod astype flatten round clip argmax argmin any all "
    "trace repeat take index count".split()
)
NEW_BUILTINS = frozenset((abs, bool, complex, float, int, len, pow, range, round, str, sum))
READING = frozenset(m for t in (np.ndarray, list, dict, tuple, set, str, float) for m in dir(t)) - WRITING_METHODS
WRITERS = frozenset(
    "copyto put putmask place put_along_axis fill_diagonal at shuffle setattr delattr setitem delitem iadd isub imul "
    "itruediv heappush heappop heapify heapreplace heappushpop insort insort_left insort_right next".split()
)


def writes_by_iterator(found: Any, e: ast.Call) -> bool:
    """Whether a call makes an iterator over arrays that may be told to write: `np.nditer(a, op_flags=...)`."""
    return found is np.nditer and (len(e.args) > 1 or bool(e.keywords))


def gives_new(e: ast.Call, resolve: Resolve) -> bool:
    """Whether what a call gives is held by nobody else: that of a library function which makes no view."""
    found = resolve(e.func)
    if found is MISSING:
        return isinstance(e.func, ast.Attribute) and e.func.attr in NEW_METHODS
    if isinstance(found, np.ufunc) or (getattr(found, "__module__", None) or "").split(".")[0] in ("numpy", "math"):
        return getattr(found, "__name__", "") not in SHOWING
    return isinstance(found, (type, types.BuiltinFunctionType)) and found in NEW_BUILTINS


def written_by(e: ast.Call, resolve: Resolve, unknown: bool = True, asked: Asked | None = None) -> set[str]:
    """The variables that a call may write into; with `unknown` also where nobody knows which function it calls."""
    found = resolve(e.func)
    told = in_one_form(e, found) if may_have_form(e) else e
    if told is not e:
        outputs = {v for k in told.keywords if k.arg == "out" for v in held(k.value, lambda call: False)}
        return outputs | written_by(told, resolve, unknown, asked)
    given = set().union(*(held(a, lambda call: False) for a in (*e.args, *(k.value for k in e.keywords))))
    if found is MISSING:
        if isinstance(e.func, ast.Attribute):
            root = root_of(e.func.value)
            return {root, *given} if unknown and e.func.attr not in READING and root is not None else set()
        return given if unknown else set()
    if isinstance(found, types.FunctionType) and not is_library(found):
        return given | set(found.__code__.co_freevars) if may_write(found, asked) else set()
    return given if getattr(found, "__name__", "") in WRITERS else set()


def may_write(function: types.FunctionType, asked: Asked | None = None) -> bool:
    """Whether a function may write into its arguments, or into what it finds around itself.

    `asked` holds what is known of the functions that are looked at on the way, which may call each other.
    """
    if asked is None:
        return kept(("may write", function, function.__code__), lambda: may_write(function, {}))
    code = function.__code__
    if code not in asked:
        asked[code] = False
        asked[code] = _writes(function, asked)
    return asked[code]


def _writes(function: types.FunctionType, asked: Asked) -> bool:
    try:
        tree = read(function).tree
    except SourceError:
        return True
    own = assigned_inside(tree.body) | {a.arg for a in arguments(tree.args)}
    return writes_outside(tree, Scope(function, own).resolve, asked)


def writes_outside(tree: ast.FunctionDef, resolve: Resolve, asked: Asked | None = None) -> bool:
    """Whether a definition writes into its parameters, or into variables around it."""
    if any(isinstance(n, (ast.Nonlocal, ast.Global)) for n in walk(tree)):
        return True
    stored, augmented = written_into(tree.body, lambda call: written_by(call, resolve, False, asked))
    made = assigned_inside(tree.body) - {a.arg for a in arguments(tree.args)}
    sharing = Sharing(tree.body, lambda call: gives_new(call, resolve))
    return not sharing.around(stored | augmented) <= made
