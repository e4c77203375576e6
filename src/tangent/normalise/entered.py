"""Objects of the user's classes that `with` enters and leaves: calls of their methods.

with Scaled(x) as y:        scaled = Scaled(x); y = scaled.__enter__()
    z = y * y         ->    try: z = y * y
                            finally: scaled.__exit__(None, None, None)

One that asks what went wrong is told, and may go on after it:

with Quiet(x) as y:         quiet = Quiet(x); y = quiet.__enter__(); well = True
    z = y * y               try:
                                try: z = y * y
                      ->        except BaseException as e:
                                    well = False
                                    if not quiet.__exit__(type(e), e, e.__traceback__): raise
                            finally:
                                if well: quiet.__exit__(None, None, None)
"""

from __future__ import annotations

import ast

from tangent.normalise.context import Context
from tangent.runtime.checks import traceback_of
from tangent.source.read import read
from tangent.syntax.quote import assign, at, call, constant, name
from tangent.syntax.rebuild import walk_scope
from tangent.syntax.uses import expression_reads


def watches(cls: type) -> bool:
    """Whether leaving an object of a class that is written in Python depends on an exception, or swallows it."""
    values = [n.value for n in walk_scope(_leaving(cls)) if isinstance(n, ast.Return) and n.value is not None]
    return any(_read(cls)) or not all(isinstance(e, ast.Constant) and not e.value for e in values)


def _leaving(cls: type) -> ast.FunctionDef:
    return read(cls.__exit__).tree  # type: ignore[attr-defined]


def _read(cls: type) -> tuple[bool, ...]:
    """Which of the class of an exception, itself and its traceback leaving an object looks at."""
    tree = _leaving(cls)
    names = set().union(*(expression_reads(s) for s in tree.body))
    _, *given = [a.arg for a in (*tree.args.posonlyargs, *tree.args.args)]
    others = tree.args.vararg is not None and tree.args.vararg.arg in names
    return tuple(given[i] in names if i < len(given) else others for i in range(3))


def entered(item: ast.withitem, body: list[ast.stmt], s: ast.With, cls: type, context: Context) -> list[ast.stmt]:
    """The calls that `with` makes."""
    start: list[ast.stmt] = []
    manager = item.context_expr
    if not isinstance(manager, ast.Name):
        held = context.names.numbered("manager")
        context.scope.local.add(held)
        start.append(at(ast.Assign([ast.Name(held, ast.Store())], manager), s))
        manager = name(held)

    def called(method: str, *args: ast.expr) -> ast.expr:
        function = ast.copy_location(ast.Attribute(manager, method, ast.Load()), s)
        return ast.copy_location(ast.Call(function, list(args), []), s)

    enter = called("__enter__")
    target = item.optional_vars
    start.append(at(ast.Assign([target], enter) if target is not None else ast.Expr(enter), s))
    leave = at(ast.Expr(called("__exit__", constant(None), constant(None), constant(None))), s)
    if not watches(cls):
        return [*start, at(ast.Try(body, [], [], [leave]), s)]
    well, error = context.names.numbered("well"), context.names.numbered("error")
    context.scope.local |= {well, error}
    told = [
        call(context.builtin("type"), name(error)), name(error),
        call(context.use("traceback_of", traceback_of), name(error)),
    ]  # fmt: skip
    swallowed = called("__exit__", *(e if read else constant(None) for e, read in zip(told, _read(cls))))
    again = at(ast.If(ast.UnaryOp(ast.Not(), swallowed), [at(ast.Raise(None, None), s)], []), s)
    everything = name(context.builtin("BaseException"))
    handler = ast.copy_location(ast.ExceptHandler(everything, error, [assign(well, constant(False), s), again]), s)
    tried = at(ast.Try(body, [handler], [], []), s)
    last = at(ast.If(name(well), [leave], []), s)
    return [*start, assign(well, constant(True), s), at(ast.Try([tried], [], [], [last]), s)]
