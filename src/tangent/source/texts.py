"""Functions that write numbers as text, and functions that read numbers from text: their source tells it.

def shown(x):                       def value(text):
    return f"{x:.17g}"                  return float(text.strip())
"""

from __future__ import annotations

import ast
import decimal
import dis
import fractions
import json
import types
from typing import Any

import numpy as np

from tangent.errors import SourceError
from tangent.source.naming import is_library
from tangent.source.read import read
from tangent.source.resolve import Scope
from tangent.source.writing import Resolve
from tangent.syntax.rebuild import walk_scope
from tangent.syntax.uses import arguments, assigned_inside
from tangent.syntax.walk import walk

MAKING = (str, repr, format, ascii, bytes, bytearray, json.dumps)
TEXTUAL = frozenset("tobytes format join tostring dumps hex".split())  # methods, and functions of modules
FORMATTING = TEXTUAL | {"str", "repr", "ascii", "bytes", "bytearray"}
READING: tuple[Any, ...] = (float, int, complex, decimal.Decimal, fractions.Fraction, eval, exec, ast.literal_eval)
READING += (np.frombuffer, np.fromstring, np.genfromtxt, np.loadtxt, np.array, np.asarray, json.loads)


def is_reading(found: Any) -> bool:
    """Whether a function makes numbers of text."""
    return any(found is f for f in READING) or (isinstance(found, type) and issubclass(found, np.number))


def makes_text(e: ast.expr, resolve: Resolve) -> bool:
    """Whether an expression is text that is made here: `str(x)`, `f"{x}"`, `"%f" % x`, `",".join(xs)`, `shown(x)`."""
    match e:
        case ast.JoinedStr() | ast.BinOp(left=ast.Constant(value=str()), op=ast.Mod()):
            return True
        case ast.Call(func=ast.Attribute(attr=attr)) if attr in TEXTUAL:
            return True
        case ast.Call(func=func):
            found = resolve(func)
            return any(found is f for f in MAKING) or (isinstance(found, types.FunctionType) and gives_text(found))
        case _:
            return False


def gives_text(function: types.FunctionType, asked: frozenset[Any] = frozenset()) -> bool:
    """Whether a function of the user's gives text that it makes."""
    if not _formats(function, set()) or (body := _body(function, asked)) is None:
        return False
    nodes, resolve = body
    values = [n.value for n in nodes if isinstance(n, ast.Return) and n.value is not None]
    named = {v.id for v in values if isinstance(v, ast.Name)}
    for n in nodes:
        match n:
            case ast.Assign(targets=[ast.Name(id=v)], value=value) if v in named:
                values.append(value)
    known = asked | {function.__code__}
    calls = [n for value in values for n in walk(value) if isinstance(n, ast.Call)]
    called = [found for n in calls if isinstance(found := resolve(n.func), types.FunctionType)]
    if any(gives_text(found, known) for found in called):
        return True
    parts = [n for value in values for n in walk(value) if isinstance(n, ast.expr)]
    return any(makes_text(n, resolve) for n in parts if not _is_own_call(n, resolve))


def reads_text(function: types.FunctionType, asked: frozenset[Any] = frozenset()) -> bool:
    """Whether a function of the user's, or one that it calls, makes numbers of text."""
    if (body := _body(function, asked)) is None:
        return False
    nodes, resolve = body
    called = [resolve(n.func) for n in nodes if isinstance(n, ast.Call)]
    known = asked | {function.__code__}
    return any(map(is_reading, called)) or any(
        reads_text(found, known) for found in called if isinstance(found, types.FunctionType)
    )


def _formats(function: types.FunctionType, asked: set[types.CodeType]) -> bool:
    """Whether text is made anywhere in a function of the user's, or in those that it names, by the compiled code."""
    code = function.__code__
    if code in asked or is_library(function):
        return False
    asked.add(code)
    if not FORMATTING.isdisjoint(code.co_names) or any(isinstance(c, str) and "%" in c for c in code.co_consts):
        return True
    if any(i.opname.startswith("FORMAT_") for i in dis.get_instructions(code)):
        return True
    named = [function.__globals__.get(v) for v in code.co_names]
    return any(_formats(f, asked) for f in named if isinstance(f, types.FunctionType))


def _is_own_call(n: ast.expr, resolve: Resolve) -> bool:
    found = resolve(n.func) if isinstance(n, ast.Call) else None
    return isinstance(found, types.FunctionType) and not is_library(found)


def _body(function: types.FunctionType, asked: frozenset[Any]) -> tuple[list[ast.AST], Resolve] | None:
    """The nodes of a function of the user's, and what names mean there; None of one that was looked at already."""
    if function.__code__ in asked or is_library(function):
        return None
    try:
        tree = read(function).tree
    except SourceError:
        return None
    own = assigned_inside(tree.body) | {a.arg for a in arguments(tree.args)}
    return list(walk_scope(tree)), Scope(function, own).resolve
