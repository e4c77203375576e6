"""Lists that are joined to by what a call gives: `+=` extends them; `|=` updates dicts, whoever holds them.

out = []                          out = []
out += layer.parameters()   ->    out.extend(layer.parameters())
out += [v] if c else (v, w) ->    out.extend([v] if c else (v, w))
d |= {"k": v}               ->    d.update({"k": v})
d.update([("k", v)])        ->    d.update(dict([("k", v)]))
d |= e                      ->    if isinstance(d, dict): d.update(e)      where nothing tells what they are
                                  else: d |= e

Not where an array is added: a list and an array make an array.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable

from tangent.normalise.context import Context
from tangent.source.naming import home_of
from tangent.syntax.captured import bindings
from tangent.syntax.quote import at, expression, name
from tangent.syntax.rebuild import replace, walk_scope, with_blocks
from tangent.syntax.uses import arguments, target_names
from tangent.syntax.walk import walk

PAIRS = (zip, enumerate, map, list, tuple, sorted)


def extended(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    """Extend lists that are known as such where `+=` does not say what it joins, and update dicts."""
    found = [n for n in walk(f) if isinstance(n, ast.AugAssign)]
    lists = _lists(f) if any(isinstance(n.value, (ast.Call, ast.IfExp)) for n in found) else set()
    merging = any(isinstance(n.op, ast.BitOr) for n in found) and not context.overloads("__ior__")
    listing = any(isinstance(n, ast.Attribute) and n.attr == "update" for n in walk(f))
    values = _values(f)
    dicts = _dicts(f, values, context) if merging or listing else set()
    if not lists and not merging and not dicts:
        return f

    def is_dict(e: ast.expr) -> bool:
        return makes_dict(e, dicts, context)

    def as_dict(e: ast.expr) -> ast.expr:
        return ast.copy_location(expression("f(e)", f=builtin(dict), e=e), e) if lists_pairs(e) else e

    def builtin(f: type | Callable[..., bool]) -> ast.expr:
        return name(context.use(f.__name__, f))

    def is_open(e: ast.Name) -> bool:
        """Whether nothing tells what a variable holds: it is given, or something that others hold."""
        bound = values[e.id]
        given = any(a.arg == e.id for a in arguments(f.args))
        return (given or bool(bound)) and all(isinstance(x, (ast.Name, ast.Subscript, ast.Attribute)) for x in bound)

    def lists_pairs(e: ast.expr) -> bool:
        if isinstance(e, ast.Call):
            return any(context.scope.resolve(e.func) is known for known in PAIRS)
        return isinstance(e, (ast.List, ast.Tuple, ast.ListComp, ast.GeneratorExp))

    def block(body: list[ast.stmt]) -> list[ast.stmt]:
        return [new for s in body for new in statement(s)]

    def method(owner: ast.expr, attr: str, given: ast.expr, s: ast.stmt) -> ast.stmt:
        func = ast.copy_location(ast.Attribute(loaded(owner), attr, ast.Load()), s)
        return at(ast.Expr(ast.copy_location(ast.Call(func, [given], []), s)), s)

    def statement(s: ast.stmt) -> list[ast.stmt]:
        match s:
            case ast.AugAssign(target=ast.Name(id=v), op=ast.Add(), value=ast.Call(func=func) as value) if (
                v in lists and not home_of(context.scope.resolve(func)).startswith("numpy")
            ):
                return [method(name(v), "extend", value, s)]
            case ast.AugAssign(target=ast.Name(id=v), op=ast.Add(), value=ast.IfExp() as value) if (
                v in lists and _gives_items(value)
            ):
                return [method(name(v), "extend", value, s)]
            case ast.AugAssign(target=target, op=ast.BitOr(), value=value) if merging and (
                is_dict(value) or is_dict(target)
            ):
                return [method(target, "update", as_dict(value), s)]
            case ast.AugAssign(target=ast.Name() as target, op=ast.BitOr(), value=ast.Name() as value) if (
                merging and is_open(target) and is_open(value)
            ):
                test = expression("f(d, kind)", f=builtin(isinstance), d=loaded(target), kind=builtin(dict))
                return [at(ast.If(test, [method(target, "update", value, s)], [s]), s)]
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner, attr="update"), args=[value]) as e) if (
                is_dict(owner) and lists_pairs(value) and not e.keywords
            ):
                return [method(owner, "update", as_dict(value), s)]
            case ast.FunctionDef() | ast.ClassDef():
                return [s]
            case _:
                return [with_blocks(s, block)]

    return replace(f, body=block(f.body))


def _gives_items(e: ast.expr) -> bool:
    """Whether an expression gives a list or a tuple, whichever way it goes."""
    if isinstance(e, ast.IfExp):
        return _gives_items(e.body) and _gives_items(e.orelse)
    return isinstance(e, (ast.List, ast.Tuple, ast.ListComp))


def loaded(target: ast.expr) -> ast.expr:
    """A place that is written, as one that is read."""
    return replace(target, ctx=ast.Load())


def makes_dict(e: ast.expr, dicts: set[str], context: Context) -> bool:
    """Whether an expression surely gives a dict, some variables being known as such."""
    match e:
        case ast.Dict() | ast.DictComp():
            return True
        case ast.Name(id=v):
            return v in dicts
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return makes_dict(left, dicts, context) or makes_dict(right, dicts, context)
        case ast.Call(func=ast.Attribute(value=ast.Name(id=v), attr="copy"), args=[]):
            return v in dicts
        case ast.Call(func=func):
            return context.scope.resolve(func) is dict
        case _:
            return False


def _values(f: ast.FunctionDef) -> defaultdict[str, list[ast.expr]]:
    """What variables are assigned."""
    bound: defaultdict[str, list[ast.expr]] = defaultdict(list)
    for n in walk_scope(f):
        match n:
            case ast.Assign(targets=[ast.Name(id=v)], value=value):
                bound[v].append(value)
            case ast.AugAssign(target=ast.Name(id=v), op=ast.BitOr()):
                bound[v].append(n.target)
    return bound


def _dicts(f: ast.FunctionDef, bound: dict[str, list[ast.expr]], context: Context) -> set[str]:
    """Variables that are bound to dicts, and to nothing else."""
    once = bindings(f)
    found = {v for v, made in bound.items() if len(made) == once[v]}
    while (left := {v for v in found if all(makes_dict(e, found, context) for e in bound[v])}) != found:
        found = left
    return found


def _lists(f: ast.FunctionDef) -> set[str]:
    """Variables that are bound to empty lists, and to nothing else."""
    made: dict[str, int] = {}
    for n in walk_scope(f):
        match n:
            case (
                ast.Assign(targets=[ast.Name(id=v)], value=ast.List(elts=[]))
                | ast.AugAssign(target=ast.Name(id=v), op=ast.Add())
            ):
                made[v] = made.get(v, 0) + 1
    once = bindings(f)
    assigned = {v for n in walk_scope(f) if isinstance(n, ast.Assign) for v in target_names(n.targets[0])}
    said = {v for n in walk_scope(f) if isinstance(n, (ast.Global, ast.Nonlocal)) for v in n.names}
    return {v for v, count in made.items() if count == once[v] and v in assigned} - said
