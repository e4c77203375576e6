"""Functions that call nothing but what can be seen in their text: what they write into is known beforehand."""

from __future__ import annotations

import ast
import types
import weakref

from tangent.errors import TangentError
from tangent.source.imports import local_imports
from tangent.source.naming import is_library
from tangent.source.read import read, unwrapped
from tangent.source.resolve import MISSING, Scope
from tangent.syntax.uses import arguments, assigned_inside
from tangent.transform.storage.watched import METHODS

_known: weakref.WeakKeyDictionary[types.CodeType, bool] = weakref.WeakKeyDictionary()


def is_closed(function: types.FunctionType, begun: frozenset[types.CodeType] = frozenset()) -> bool:
    """Whether all that a function calls is known, and so on in what it calls."""
    code = function.__code__
    if code in begun or is_library(function):
        return True
    if code.co_freevars:
        return _looks_closed(function, begun | {code})
    if code not in _known:
        _known[code] = _looks_closed(function, begun | {code})
    return _known[code]


def _looks_closed(function: types.FunctionType, begun: frozenset[types.CodeType]) -> bool:
    try:
        tree = read(function).tree
    except TangentError:
        return False
    own = {a.arg for a in arguments(tree.args)}
    scope = Scope(function, own | assigned_inside(tree.body), local_imports(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            found = unwrapped(scope.resolve(node.func))
            if found is MISSING and not (isinstance(node.func, ast.Attribute) and node.func.attr in METHODS):
                return False
            if isinstance(found, types.FunctionType) and not is_closed(found, begun):
                return False
            if isinstance(found, type) and not is_library(found):
                return False
    return True
