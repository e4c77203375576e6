"""The defaults that a function has: they may be others than those in its text (`f.__defaults__ = (2.0,)`)."""

from __future__ import annotations

import ast
import types
from typing import Any

from tangent.source.constructed import PLAIN
from tangent.syntax.quote import constant, expression
from tangent.syntax.rebuild import replace

UNTOLD = "object()"  # stands for a default that is no number or text: its value is the function's own


def with_set_defaults(tree: ast.FunctionDef, function: types.FunctionType) -> ast.FunctionDef:
    """The definition with the defaults that the function has now.

    def f(x, p=2.0): ...        # f.__defaults__ = (3.0,)
    def f(x, p=3.0): ...
    """
    args = tree.args
    positional = len(args.posonlyargs) + len(args.args)
    own = function.__defaults__ or ()
    texts = [None] * (len(own) - len(args.defaults)) + args.defaults[len(args.defaults) - len(own) :]
    plain = [_default(text, value) for text, value in zip(texts, own)]
    named = function.__kwdefaults__ or {}
    keyword = [
        _default(text, named[a.arg]) if a.arg in named else None for a, text in zip(args.kwonlyargs, args.kw_defaults)
    ]
    if len(own) > positional or (_are_one_by_one(plain, args.defaults) and _are_one_by_one(keyword, args.kw_defaults)):
        return tree
    return replace(tree, args=replace(args, defaults=plain, kw_defaults=keyword))


def _are_one_by_one(found: list[Any], others: list[Any]) -> bool:
    return len(found) == len(others) and all(a is b for a, b in zip(found, others))


def _default(text: ast.expr | None, value: Any) -> ast.expr:
    """The expression for a default: that of the text, unless it is a constant of another value."""
    if text is not None and not (isinstance(text, ast.Constant) and not _is_value(text, value)):
        return text
    made = constant(value) if type(value) in PLAIN else expression(UNTOLD)
    return made if text is None else ast.copy_location(made, text)


def _is_value(text: ast.Constant, value: Any) -> bool:
    return type(text.value) is type(value) and (text.value == value or value != value)
