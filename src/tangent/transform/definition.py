"""The text of a generated function: parameters and seeds, body, the user's comments."""

from __future__ import annotations

import ast
import copy

from tangent.source.read import comments
from tangent.syntax.print import Comment, comment
from tangent.syntax.quote import constant
from tangent.syntax.rebuild import function_node, replace
from tangent.syntax.uses import arguments
from tangent.transform.unit import Unit


def definition(
    this: Unit, title: str, body: list[ast.stmt], seeds: list[str], default: ast.expr | None = None,
    keywords: bool = False,
) -> ast.FunctionDef:  # fmt: skip
    """The generated function: the primal's parameters, then the seeds."""
    args = copy.deepcopy(this.core.args)
    for a in arguments(args):
        a.annotation = None
    for seed in seeds:
        if args.vararg or keywords:
            args.kwonlyargs.append(ast.arg(seed))
            args.kw_defaults.append(default)
        else:
            args.args.append(ast.arg(seed))
            if default is not None or args.defaults:
                args.defaults.append(default or constant(None))
    outside = [s for s in body if isinstance(s, (ast.Global, ast.Nonlocal))]
    body = [*outside, *(s for s in body if s not in outside)]
    return function_def(title, args, "", user_comments(body, this))


def function_def(title: str, args: ast.arguments, doc: str, body: list[ast.stmt]) -> ast.FunctionDef:
    start: list[ast.stmt] = [ast.Expr(constant(doc))] if doc else []
    return function_node(title, args, [*start, *body])


def user_comments(body: list[ast.stmt], this: Unit) -> list[ast.stmt]:
    """The user's comments, above the forward statements they belong to."""
    waiting = comments(this.source)
    if not waiting:
        return body

    def place(block: list[ast.stmt]) -> list[ast.stmt]:
        done: list[ast.stmt] = []
        for s in block:
            if isinstance(s, Comment):
                done.append(s)
                continue
            text = waiting.pop(getattr(s, "lineno", 0), None)
            if text is not None:
                done.append(comment(text, s))
            match s:
                case ast.If(body=then, orelse=other):
                    s = replace(s, body=place(then), orelse=place(other))
                case ast.For(body=inner) | ast.While(body=inner):
                    s = replace(s, body=place(inner))
            done.append(s)
        return done

    return place(body)
