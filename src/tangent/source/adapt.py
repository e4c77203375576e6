"""Callables that are not plain functions, as plain functions: partials, bound methods, library functions, wrappers."""

from __future__ import annotations

import ast
import functools
import inspect
import itertools
import linecache
import math
import types
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from tangent.errors import SourceError, caller
from tangent.source.naming import home_of
from tangent.source.read import unwrapped
from tangent.source.signatures import tells_parameters
from tangent.syntax.rebuild import function_node

_count = itertools.count()


def as_function(
    f: Any, signature_of: Callable[[Any], inspect.Signature | None], ruled: Callable[[Any], bool] = lambda f: False
) -> types.FunctionType:
    """A plain function that does what f does.

    `signature_of` tells the parameters of library functions, `ruled` whether a function is not differentiated by its
    source: then it is called.
    """
    f = unwrapped(f)
    if isinstance(f, types.FunctionType) and not ruled(f):
        return _with_own_signature(f)
    if not callable(f):
        raise SourceError(
            f"{_told(f)} is not a function", caller(), "a derivative is taken of something that can be called",
            "Pass a function, a method or a callable object.",
        )  # fmt: skip
    signature = signature_of(f) if not isinstance(f, types.FunctionType) else inspect.signature(f)
    if signature is None and isinstance(f, functools.partial):
        signature = _remaining(f, signature_of)
    if signature is None and isinstance(f, types.MethodType):
        signature = inspect.signature(f)
    if signature is None and hasattr(type(f), "__call__") and isinstance(type(f).__call__, types.FunctionType):
        signature = inspect.signature(f.__call__)
    if signature is None and isinstance(f, type):
        raise SourceError(
            f"'{f.__qualname__}' is a class", caller(), "what it makes is an object, and only numbers have gradients",
            "Write a function that makes the object and returns a number, and pass that.",
        )  # fmt: skip
    if signature is None:
        raise SourceError(
            f"no source for '{getattr(f, '__qualname__', None) or getattr(f, '__name__', f)}'",
            caller(),
            why="it is not written in Python and has no rule",
            todo="Use np.vectorize, which takes Python functions, too."
            if isinstance(f, np.ufunc) and f.__name__.endswith("(vectorized)")
            else "Give it a rule with @tangent.adjoint, or wrap what it does in a Python function.",
        )
    return _forwarding(f, signature, *((f, ()) if ruled(f) else _behind(f)))


def _told(f: Any) -> str:
    """What was passed for a function, in few words."""
    if isinstance(f, types.ModuleType):
        return f"the module '{f.__name__}'"
    text = repr(f)
    if " object at 0x" in text:
        return f"an object of the class '{type(f).__qualname__}'"
    return text if len(text) < 60 else f"{text[:56]} ..."


_standing: dict[tuple[int, int], tuple[weakref.ref[types.FunctionType], Callable[[], Any]]] = {}


def standing_for(f: Any, make: Callable[[], types.FunctionType]) -> types.FunctionType:
    """The function that stands for a callable, one as long as it is used; callables that are equal are still two."""
    owner, part = (f.__self__, f.__func__) if isinstance(f, types.MethodType) else (f, None)
    key = id(owner), id(part)  # methods are bound anew whenever they are asked for
    made, holder = _standing.get(key, (_nothing, _nothing))
    known = made()
    if known is None or holder() is not owner:
        known = make()
        _standing[key] = weakref.ref(known, lambda _: _standing.pop(key, None)), _reference(owner)
    return known


def _reference(f: Any) -> Callable[[], Any]:
    try:
        return weakref.ref(f)
    except TypeError:  # as of ufuncs
        return lambda: f


def _nothing() -> Any:
    return None


def _remaining(f: functools.partial[Any], signature_of: Callable[[Any], inspect.Signature | None]) -> inspect.Signature:
    """The parameters that a partial leaves open."""
    inner = signature_of(f.func)
    if inner is None:
        return inspect.signature(f)
    rest = list(inner.parameters.values())[len(f.args) :]
    return inspect.Signature([p.replace(default=f.keywords[p.name]) if p.name in f.keywords else p for p in rest])


def _behind(f: Any) -> tuple[Any, tuple[Any, ...]]:
    """The function that a partial or a bound method calls, and what it is given beforehand."""
    match f:
        case functools.partial():
            return f.func, f.args
        case types.MethodType():
            return f.__func__, (f.__self__,)
        case _ if isinstance(getattr(type(f), "__call__", None), types.FunctionType):
            return type(f).__call__, (f,)
        case _:
            return f, ()


def _with_own_signature(f: types.FunctionType) -> types.FunctionType:
    """A wrapper that takes `*args, **kwargs` for a function of known parameters gets those parameters."""
    flags = f.__code__.co_flags
    starred = flags & inspect.CO_VARARGS or flags & inspect.CO_VARKEYWORDS
    told = hasattr(f, "__wrapped__") or tells_parameters(f)
    if not (starred and told and f.__code__.co_argcount == 0):
        return f
    return _forwarding(f, inspect.signature(f), f, ())


def called(f: Any, signature: inspect.Signature) -> types.FunctionType:
    """A plain function of these parameters that calls f."""
    return _forwarding(f, signature, f, ())


def _forwarding(f: Any, signature: inspect.Signature, behind: Any, first: tuple[Any, ...]) -> types.FunctionType:
    """`def f(x, y=2): return callee(x, y)`."""
    title = getattr(f, "__name__", None) or getattr(getattr(f, "func", None), "__name__", None) or type(f).__name__
    title = title if title.isidentifier() else "function"
    given: dict[str, Any] = {f"given{i}": value for i, value in enumerate(first)}
    before = list(given)
    parameters, passed = parameter_texts(signature, given)
    callee = f"{title}_"
    text = f"def {title}({', '.join(parameters)}):\n    return {callee}({', '.join([*before, *passed])})\n"
    cells = {v: types.CellType(given.pop(v)) for v in before}
    made = defined_once(behind, title, text, {callee: behind, **given}, cells)
    made.__module__ = home_of(f) or "tangent"
    return made


_defined: weakref.WeakKeyDictionary[Any, dict[str, weakref.ref[types.FunctionType]]] = weakref.WeakKeyDictionary()


def defined_once(
    behind: Any, title: str, text: str, namespace: dict[str, Any], cells: dict[str, types.CellType]
) -> types.FunctionType:
    """A function from its text; those of one method, or of lambdas of one line, have one code whatever they hold."""
    if not cells or not isinstance(behind, types.FunctionType):
        return define(title, text, namespace, cells)
    known = _defined.setdefault(behind.__code__, {})
    first = known[text]() if text in known else None
    if first is None or any(first.__globals__.get(v) is not value for v, value in namespace.items()):
        made = define(title, text, namespace, cells)
        known[text] = weakref.ref(made)
        return made
    made = types.FunctionType(
        first.__code__,
        first.__globals__,
        title,
        first.__defaults__,
        tuple(cells[v] for v in first.__code__.co_freevars),
    )
    made.__kwdefaults__ = first.__kwdefaults__
    return made


def parameter_texts(signature: inspect.Signature, given: dict[str, Any]) -> tuple[list[str], list[str]]:
    """Parameters as they stand in a definition, and as they are passed on; `given` gets defaults that have no text."""
    parameters: list[str] = []
    passed: list[str] = []
    kinds = inspect.Parameter
    previous = None
    for p in signature.parameters.values():
        if previous is kinds.POSITIONAL_ONLY and p.kind is not kinds.POSITIONAL_ONLY:
            parameters.append("/")
        if p.kind is kinds.KEYWORD_ONLY and previous not in (kinds.KEYWORD_ONLY, kinds.VAR_POSITIONAL):
            parameters.append("*")
        previous = p.kind
        star = "*" if p.kind is kinds.VAR_POSITIONAL else "**" if p.kind is kinds.VAR_KEYWORD else ""
        default = "" if p.default is kinds.empty else f"={_literal(p.default, p.name, given)}"
        parameters.append(f"{star}{p.name}{default}")
        keyword = p.kind is kinds.KEYWORD_ONLY
        passed.append(f"{p.name}={p.name}" if keyword else f"{star}{p.name}")
    if previous is kinds.POSITIONAL_ONLY:
        parameters.append("/")
    return parameters, passed


def define(
    title: str, text: str, namespace: dict[str, Any], cells: dict[str, types.CellType] | None = None
) -> types.FunctionType:
    """A function from its text, with the text kept where `inspect` finds it; `cells` are variables it captures."""
    file = f"<generated by tangent call {title} {next(_count)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    if not cells:
        exec(compile(text, file, "exec"), namespace)
        made: types.FunctionType = namespace[title]
        return made
    captured = cells
    outer = ast.arguments([], [ast.arg(v) for v in captured], None, [], [], None, [])
    module = ast.parse(text, file)
    scope = ast.copy_location(function_node("scope", outer, module.body), module.body[0])
    code = compile(ast.fix_missing_locations(ast.Module([scope], [])), file, "exec")
    for wanted in ("scope", title):
        code = next(c for c in code.co_consts if isinstance(c, types.CodeType) and c.co_name == wanted)
    plain = types.FunctionType(code, namespace, title, None, tuple(captured[v] for v in code.co_freevars))
    return _with_defaults(plain, module.body[0], namespace)


def _with_defaults(function: types.FunctionType, node: ast.AST, namespace: dict[str, Any]) -> types.FunctionType:
    """The defaults that the text says."""
    assert isinstance(node, ast.FunctionDef)

    def value(e: ast.expr) -> Any:
        return namespace[e.id] if isinstance(e, ast.Name) else ast.literal_eval(e)

    function.__defaults__ = tuple(value(e) for e in node.args.defaults) or None
    named = {a.arg: value(e) for a, e in zip(node.args.kwonlyargs, node.args.kw_defaults) if e is not None}
    function.__kwdefaults__ = named or None
    return function


def _literal(value: Any, name: str, given: dict[str, Any]) -> str:
    """A default as text: itself where its text means it, a name otherwise."""
    finite = not isinstance(value, float) or math.isfinite(value)
    if value is ...:
        return "..."
    if value is None or (isinstance(value, (bool, int, float, str)) and finite):
        return repr(value)
    given[f"default_{name}"] = value
    return f"default_{name}"
