"""What calls write into, as far as the text of the functions tells, and which give something new."""

from __future__ import annotations

import ast
import types
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from tangent.errors import SourceError
from tangent.runtime.places import VIEWS
from tangent.source.read import read
from tangent.source.resolve import MISSING, Scope, is_library
from tangent.syntax.held import Sharing, held, root_of, written_into
from tangent.syntax.uses import WRITING_METHODS, arguments, assigned_inside

Resolve = Callable[[ast.expr], Any]

SHOWING = frozenset(VIEWS) | frozenset(
    "fliplr flipud hsplit vsplit dsplit broadcast_arrays sliding_window_view as_strided einsum nan_to_num "
    "real_if_close matrix_transpose permute_dims unstack asfortranarray require".split()
)
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


def gives_new(e: ast.Call, resolve: Resolve) -> bool:
    """Whether what a call gives is held by nobody else: that of a library function which makes no view."""
    found = resolve(e.func)
    if found is MISSING:
        return isinstance(e.func, ast.Attribute) and e.func.attr in NEW_METHODS
    if isinstance(found, np.ufunc) or (getattr(found, "__module__", None) or "").split(".")[0] in ("numpy", "math"):
        return getattr(found, "__name__", "") not in SHOWING
    return isinstance(found, type | types.BuiltinFunctionType) and found in NEW_BUILTINS


def written_by(e: ast.Call, resolve: Resolve, unknown: bool = True) -> set[str]:
    """The variables that a call may write into; with `unknown` also where nobody knows which function it calls."""
    found = resolve(e.func)
    given = set().union(*(held(a, lambda call: False) for a in (*e.args, *(k.value for k in e.keywords))))
    if found is MISSING:
        if isinstance(e.func, ast.Attribute):
            root = root_of(e.func.value)
            return {root, *given} if unknown and e.func.attr not in READING and root is not None else set()
        return given if unknown else set()
    if isinstance(found, types.FunctionType) and not is_library(found):
        return given | set(found.__code__.co_freevars) if may_write(found) else set()
    return given if getattr(found, "__name__", "") in WRITERS else set()


_known: weakref.WeakKeyDictionary[types.CodeType, bool] = weakref.WeakKeyDictionary()


def may_write(function: types.FunctionType) -> bool:
    """Whether a function may write into its arguments, or into what it finds around itself."""
    code = function.__code__
    if code not in _known:
        _known[code] = False  # where it calls itself
        try:
            tree = read(function).tree
        except SourceError:
            _known[code] = True
        else:
            own = assigned_inside(tree.body) | {a.arg for a in arguments(tree.args)}
            _known[code] = writes_outside(tree, Scope(function, own).resolve)
    return _known[code]


def writes_outside(tree: ast.FunctionDef, resolve: Resolve) -> bool:
    """Whether a definition writes into its parameters, or into variables around it."""
    if any(isinstance(n, ast.Nonlocal | ast.Global) for n in ast.walk(tree)):
        return True
    stored, augmented = written_into(tree.body, lambda call: written_by(call, resolve, unknown=False))
    made = assigned_inside(tree.body) - {a.arg for a in arguments(tree.args)}
    sharing = Sharing(tree.body, lambda call: gives_new(call, resolve))
    return not sharing.around(stored | augmented) <= made
