"""What a template has to be: found out when it is registered, and told with its line."""

from __future__ import annotations

import ast
import builtins
import types
from typing import Any

from tangent import runtime
from tangent.errors import Location, RuleError
from tangent.rules.notation import NOTATION
from tangent.source.cells import cells_of
from tangent.source.read import Source
from tangent.syntax.rebuild import walk_scope
from tangent.syntax.uses import arguments, assigned_inside, expression_reads


def check_template(source: Source) -> dict[str, Any]:
    """Refuse a malformed template; otherwise what the names in it mean that are not its own."""
    tree = source.tree
    parameters = [a.arg for a in arguments(tree.args)]
    if tree.args.kwarg is not None:
        raise _refusal(source, tree, "a template lists the keywords that it handles; '**' is none of them")
    for default in (*tree.args.defaults, *(d for d in tree.args.kw_defaults if d is not None)):
        if not _is_literal(default):
            raise _refusal(source, default, "defaults in a template are literals")
    for node in walk_scope(tree):
        match node:
            case ast.Return() | ast.Yield() | ast.YieldFrom() | ast.Global() | ast.Nonlocal():
                raise _refusal(source, node, "a rule is made of assignments to d[...] and to local names")
    local = assigned_inside(tree.body)
    for v in sorted(local & set(parameters)):
        raise _refusal(source, _first(tree, v), f"'{v}' is a parameter: give the new value another name")
    _check_derivatives(source, set(parameters))
    _check_order(source, local)
    return _outside(source, local | set(parameters) | {"d"})


def _check_derivatives(source: Source, parameters: set[str]) -> None:
    """`d[...]` is of the result or of an argument, and each is said once."""
    said: set[str] = set()
    notation: set[ast.expr] = set()
    for s in source.tree.body:
        for node in ast.walk(s):
            match node:
                case ast.Subscript(value=ast.Name(id="d") as d, slice=ast.Name(id=who), ctx=ctx):
                    notation.add(d)
                    if who not in parameters:
                        raise _refusal(source, node, f"d[{who}]: '{who}' is neither the result nor a parameter")
                    if isinstance(ctx, ast.Del):
                        raise _refusal(source, node, f"d[{who}] is said, never deleted")
                case ast.Subscript(value=ast.Name(id="d")):
                    raise _refusal(source, node, "d[...] takes the result or a parameter")
                case ast.Name(id="d") if node not in notation:
                    raise _refusal(source, node, "'d' alone means nothing: it stands in d[...] only")
        match s:
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id="d"), slice=ast.Name(id=who))]):
                if who in said:
                    raise _refusal(source, s, f"d[{who}] is said twice")
                said.add(who)


def _check_order(source: Source, local: set[str]) -> None:
    """Local names are assigned before they are read; with control flow, that is found out when the lines run."""
    known: set[str] = set()
    for s in source.tree.body:
        if not isinstance(s, ast.Assign):
            known |= assigned_inside([s])
            continue
        for v in sorted((expression_reads(s.value) & local) - known - assigned_inside([s.value])):
            raise _refusal(source, _first(s.value, v), f"'{v}' is read before it is assigned")
        known |= assigned_inside([s])


def _outside(source: Source, own: set[str]) -> dict[str, Any]:
    """The meanings of free names, as the template's surroundings have them now."""
    function = source.function
    cells = cells_of(function)
    found: dict[str, Any] = {}
    for s in source.tree.body:
        for v in sorted(expression_reads(s) - own):
            if v in cells:
                found[v] = cells[v].cell_contents
            elif v in function.__globals__:
                found[v] = function.__globals__[v]
            elif not hasattr(runtime, v) and not hasattr(builtins, v):
                raise _refusal(source, _first(s, v), f"'{v}' is not defined")
    for node in ast.walk(source.tree):
        match node:
            case ast.Attribute(value=ast.Name(id=v), attr=attr) if isinstance(found.get(v), types.ModuleType):
                if not hasattr(found[v], attr):
                    raise _refusal(source, node, f"'{v}.{attr}' is not defined")
    return found


def _first(node: ast.AST, v: str) -> ast.AST:
    return next(n for n in ast.walk(node) if isinstance(n, ast.Name) and n.id == v)


def _is_literal(e: ast.expr) -> bool:
    try:
        ast.literal_eval(e)
    except ValueError:
        return False
    return True


def _refusal(source: Source, node: ast.AST, why: str) -> RuleError:
    where: Location = source.locate(node)
    return RuleError(f"malformed rule '{source.tree.name}'", where, why, NOTATION)
