"""Templates with control flow: the lines become a function of their own, and the rule is a call of it.

def clipped(y, x, limit=1.0):            def clipped_lines(by, y, x, limit):
    d[x] = d[y]                              bx = init_grad(x)
    if limit > 0.0:                ->        bx = by
        d[x] = np.clip(d[y], ...)            if limit > 0.0:
                                                 bx = np.clip(by, ...)
                                             return bx

                                         def clipped(y, x, limit=1.0):
                                             d[x] = clipped_lines(d[y], y, x, limit)
"""

from __future__ import annotations

import ast
from typing import Any

from tangent.errors import RuleError
from tangent.rules.notation import NOTATION
from tangent.runtime.dispatch import init_grad
from tangent.source.adapt import define
from tangent.source.read import Source
from tangent.syntax.names import Names, identifiers
from tangent.syntax.quote import assign, expression, name
from tangent.syntax.rebuild import rebuild, replace
from tangent.syntax.uses import arguments

Outlined = tuple[ast.FunctionDef, dict[str, Any]]


def outlined(source: Source, scope: dict[str, Any]) -> Outlined | None:
    """The template as a plain one that calls a function, and what its names mean; None if it is plain already."""
    tree = source.tree
    if all(_is_plain(s) for s in tree.body):
        return None
    parameters = [a.arg for a in arguments(tree.args)]
    result = parameters[0] if parameters else ""
    said = list(dict.fromkeys(w for s in tree.body for n in ast.walk(s) if (w := _said(n))))
    if not said:
        raise RuleError(f"malformed rule '{tree.name}'", source.locate(tree), "no line 'd[...] = ...'", NOTATION)
    if result in said and len(said) > 1:
        raise RuleError(
            f"malformed rule '{tree.name}'", source.locate(tree),
            "adjoints and the tangent stand together: with control flow each mode has a template of its own",
            NOTATION,
        )  # fmt: skip
    given = parameters[1:] if said == [result] else [result]
    names = Names(identifiers(tree) | {tree.name} | set(scope))
    derivatives = {p: names.fresh(("d" if said == [result] else "b") + p) for p in [*said, *given]}
    title = names.fresh(f"{tree.name}_lines")
    return _calling(tree, title, said, given), {
        **scope, title: _function(tree, title, said, given, derivatives, scope, names)
    }


def _is_plain(s: ast.stmt) -> bool:
    match s:
        case ast.Assign(targets=[ast.Name() | ast.Tuple() | ast.Subscript()]):
            return True
        case ast.Expr(value=ast.Constant()) | ast.Pass():
            return True
        case _:
            return False


def _said(n: ast.AST) -> str:
    match n:
        case ast.Subscript(value=ast.Name(id="d"), slice=ast.Name(id=who), ctx=ast.Store()):
            return who
        case _:
            return ""


def _function(
    tree: ast.FunctionDef, title: str, said: list[str], given: list[str], derivatives: dict[str, str],
    scope: dict[str, Any], names: Names,
) -> Any:  # fmt: skip
    """The lines as a function of derivatives and values; what is not said on the way taken is zero."""

    def change(e: ast.expr) -> ast.expr:
        match e:
            case ast.Subscript(value=ast.Name(id="d"), slice=ast.Name(id=who), ctx=ctx):
                return ast.Name(derivatives[who], ctx) if who in derivatives else e
            case _:
                return e

    zero = names.fresh("init_grad")
    start = [assign(derivatives[p], expression("z(p)", z=zero, p=p)) for p in said]
    results = [name(derivatives[p]) for p in said]
    last = ast.Return(results[0] if len(results) == 1 else ast.Tuple(list(results), ast.Load()))
    values = [a.arg for a in arguments(tree.args)]
    args = ast.arguments([], [ast.arg(v) for v in (*(derivatives[p] for p in given), *values)], None, [], [], None, [])
    made = replace(tree, name=title, args=args, body=[*start, *(rebuild(s, change) for s in tree.body), last])
    text = ast.unparse(ast.fix_missing_locations(replace(made, decorator_list=[], returns=None))) + "\n"
    return define(title, text, {**scope, zero: init_grad})


def _calling(tree: ast.FunctionDef, title: str, said: list[str], given: list[str]) -> ast.FunctionDef:
    """The template that calls the function."""
    values = ", ".join([*(f"d[{p}]" for p in given), *(a.arg for a in arguments(tree.args))])
    if len(said) == 1:
        lines = [f"d[{said[0]}] = {title}({values})"]
    else:
        lines = [f"parts = {title}({values})", *(f"d[{p}] = parts[{i}]" for i, p in enumerate(said))]
    body = ast.parse("\n".join(lines)).body
    for s in body:
        for n in ast.walk(s):
            ast.copy_location(n, tree)
    return replace(tree, body=body)
