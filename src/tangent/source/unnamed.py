"""Objects that are made and asked for something at once get a name of their own.

return np.sum(Net(w)(x))        ->     net = Net(w)
                                       return np.sum(net(x))
"""

from __future__ import annotations

import ast
import builtins
import types
from collections.abc import Callable

from tangent.source.inlined import Body, CannotWriteOut, Steps, written_anew
from tangent.syntax.names import Names, identifiers
from tangent.syntax.quote import assign, name
from tangent.syntax.rebuild import replace, walk_scope, with_blocks
from tangent.syntax.uses import arguments, assigned_inside
from tangent.syntax.walk import walk

IsOwn = Callable[[type, types.FunctionType], bool]


def with_objects_named(tree: ast.FunctionDef, function: types.FunctionType, is_own: IsOwn) -> ast.FunctionDef:
    """The definition with names for such objects of the user's own classes."""
    own = {a.arg for a in arguments(tree.args)} | assigned_inside(tree.body) | {*function.__code__.co_freevars}
    makers = {n for n in walk_scope(tree) if _makes(n, function, own, is_own)}
    asked = {n.func if isinstance(n.func, ast.Call) else n.func.value for n in walk_scope(tree) if _asks(n)}  # type: ignore[attr-defined]
    chosen = makers & asked
    if not chosen:
        return tree
    names = Names(identifiers(tree) | set(function.__globals__) | set(dir(builtins)))

    def block(body: Body) -> Body:
        return [new for s in body for new in statement(with_blocks(s, block))]

    def statement(s: ast.stmt) -> Body:
        match s:
            case ast.Assign(targets=[ast.Name() | ast.Tuple()]) | ast.AugAssign(target=ast.Name()) | ast.Return():
                pass
            case ast.Expr():
                pass
            case _:
                return [s]
        inside = {n for n in walk(s) if n in chosen}
        if not inside or s.value is None:
            return [s]
        steps = Steps(s, names, inside, lambda x: named(x, s))
        try:
            value = steps.expression(s.value)
        except CannotWriteOut:
            return [s]
        return [*steps.before, replace(s, value=value)]

    def named(x: ast.expr, s: ast.stmt) -> tuple[Body, ast.expr]:
        assert isinstance(x, ast.Call)
        made = x.func if x.func in chosen else x
        assert isinstance(made, ast.Call) and isinstance(made.func, ast.Name)
        v = names.fresh(made.func.id.lower())
        after = name(v) if made is x else replace(x, func=ast.copy_location(name(v), made))
        return [assign(v, made, s)], ast.copy_location(after, x)

    return written_anew(tree, block(tree.body))


def _makes(n: ast.AST, function: types.FunctionType, own: set[str], is_own: IsOwn) -> bool:
    match n:
        case ast.Call(func=ast.Name(id=path)) if path not in own:
            found = function.__globals__.get(path)
            return isinstance(found, type) and is_own(found, function)
        case _:
            return False


def _asks(n: ast.AST) -> bool:
    match n:
        case ast.Call(func=ast.Call() | ast.Attribute(value=ast.Call())):
            return True
        case _:
            return False
