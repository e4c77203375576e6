"""Defaults of nested functions that are computed here become what the function is given beforehand.

f = lambda v, k=x: v * k    ->   f = with_defaults(lambda v, k: v * k, ("v", "k"), {"k": x})
"""

from __future__ import annotations

import ast

from tangent.normalise.context import Context
from tangent.runtime.library import with_defaults
from tangent.source.resolve import MISSING
from tangent.syntax.core import is_literal
from tangent.syntax.quote import assign, call, constant, name
from tangent.syntax.rebuild import rebuild, replace, with_blocks
from tangent.syntax.uses import arguments, expression_reads
from tangent.syntax.walk import walk


def defaults(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    inner = [n for s in f.body for n in walk(s) if isinstance(n, (ast.Lambda, ast.FunctionDef))]
    if not any(_computed(n.args, context) for n in inner):
        return f
    return replace(f, body=_block(f.body, context))


def _block(body: list[ast.stmt], context: Context) -> list[ast.stmt]:
    return [new for s in body for new in _statement(s, context)]


def _statement(s: ast.stmt, context: Context) -> list[ast.stmt]:
    if isinstance(s, ast.FunctionDef):
        computed = _computed(s.args, context)
        if not computed or s.decorator_list:
            return [s]
        if s.name in expression_reads(s):
            raise context.refuse(
                s, f"the defaults of '{s.name}', which calls itself and is kept", "it is defined before it has them",
                f"Let '{s.name}' have no defaults that are computed, or write a lambda that calls it.",
            )  # fmt: skip
        plain = context.names.numbered(f"{s.name}_plain")
        made = _call(name(plain), s.args, computed, context)
        return [replace(s, name=plain, args=_without(s.args)), assign(s.name, made, s)]

    def change(e: ast.expr) -> ast.expr:
        if isinstance(e, ast.Lambda) and (computed := _computed(e.args, context)):
            return ast.copy_location(_call(replace(e, args=_without(e.args)), e.args, computed, context), e)
        return e

    blocks = with_blocks(s, lambda body: _block(body, context))
    if blocks is s:
        return [rebuild(s, change)]
    fields = {k: rebuild(v, change) for k, v in ast.iter_fields(blocks) if isinstance(v, ast.expr)}
    return [replace(blocks, **fields)]


def _computed(args: ast.arguments, context: Context) -> dict[str, ast.expr]:
    """The defaults, where one of them reads a local variable and all parameters have names a caller can use."""
    plain = args.args[len(args.args) - len(args.defaults) :] if not args.posonlyargs else []
    found = {a.arg: e for a, e in zip(plain, args.defaults)}
    found |= {a.arg: e for a, e in zip(args.kwonlyargs, args.kw_defaults) if e is not None}
    reads = set().union(*(expression_reads(e) for e in found.values()))
    local = any(context.scope.lookup(v) is MISSING for v in reads)
    return found if local and not args.vararg and not all(map(is_literal, found.values())) else {}


def _call(function: ast.expr, args: ast.arguments, computed: dict[str, ast.expr], context: Context) -> ast.expr:
    names = ast.Tuple([constant(a.arg) for a in arguments(args) if a is not args.kwarg], ast.Load())
    given = ast.Dict([constant(k) for k in computed], list(computed.values()))
    return call(context.use("with_defaults", with_defaults), function, names, given)


def _without(args: ast.arguments) -> ast.arguments:
    """Parameters without defaults."""
    return ast.arguments(
        args.posonlyargs, args.args, args.vararg, args.kwonlyargs, [None for _ in args.kwonlyargs], args.kwarg, []
    )
