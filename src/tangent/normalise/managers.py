"""Context managers that are written as generators are written out where they are used.

@contextmanager                          v = x * x
def changed(d, v):                       old = d["a"]
    old = d["a"]                         d["a"] = v
    d["a"] = v                     ->    try:
    try: yield                               y = d["a"] * 2.0
    finally: d["a"] = old                finally:
                                             d["a"] = old

with changed(d, x * x):
    y = d["a"] * 2.0

So are methods that are written so. Objects of the user's classes are entered and left by calls of their methods
(entered.py). Those that are given nothing of the function's own, and give nothing to it, are entered as they stand
(contexts.py).
"""

from __future__ import annotations

import ast
import contextlib
import inspect
import types
from typing import Any

from tangent.errors import TangentError
from tangent.normalise.context import Context
from tangent.normalise.contexts import may_swallow
from tangent.normalise.entered import entered, watches
from tangent.normalise.jumps import own_jumps
from tangent.normalise.stacked import stacked
from tangent.runtime.checks import require_method
from tangent.source.generators import is_generator
from tangent.source.giving import methods_named
from tangent.source.naming import is_library
from tangent.source.read import read
from tangent.source.resolve import MISSING, Scope
from tangent.syntax.captured import bindings, own_functions
from tangent.syntax.quote import at, call, constant, name
from tangent.syntax.rebuild import rename, replace, walk_scope, with_blocks
from tangent.syntax.uses import arguments, assigned_inside, expression_reads
from tangent.syntax.walk import holds, walk

OWN_SCOPES = ast.FunctionDef | ast.Lambda | ast.ClassDef | ast.Return | ast.YieldFrom | ast.Await | ast.Global


def managers(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    """Write out the generators behind `with`."""
    if not holds(f, ast.With):
        return f
    context.managers = _known_managers(f, context)
    context.opened = {g.name: g for g in own_functions(f) if bindings(f)[g.name] == 1 and _is_manager(g, context)}
    new = replace(f, body=_block(f.body, context))
    left = {n.id for n in walk(new) if isinstance(n, ast.Name)}
    return replace(new, body=_without(new.body, set(context.opened) - left))


def _block(body: list[ast.stmt], context: Context) -> list[ast.stmt]:
    return [new for s in body for new in _statement(with_blocks(s, lambda b: _block(b, context)), context)]


def _statement(s: ast.stmt, context: Context) -> list[ast.stmt]:
    if isinstance(s, ast.With) and (opened := stacked(s, context)) is not None:
        return _block(opened, context)
    match s:
        case ast.With(items=[item], body=body):
            if (cls := _class_of(item, context)) is not None:
                return entered(item, body, s, cls, context)
            found = _generator(item, context)
            if found is None and (nested := _nested(item, context)) is not None:
                return _opened(nested, item, body, s, context) or [s]
            if found is None and (asked := _method(item, context)) is not None:
                return _asked(asked, item, body, s, context) or [s]
            return [s] if found is None else _written_out(found, item, body, s, context) or [s]
        case ast.With(items=[first, *rest]) if any(_is_opened(item, context) for item in s.items):
            return _statement(replace(s, items=[first], body=_statement(replace(s, items=rest), context)), context)
        case _:
            return [s]


def _is_opened(item: ast.withitem, context: Context) -> bool:
    e = item.context_expr
    known = isinstance(e, ast.Call) and context.scope.resolve(e.func) in (contextlib.ExitStack, contextlib.closing)
    made = _generator(item, context) or _method(item, context) or _nested(item, context)
    return known or made is not None or _class_of(item, context) is not None


def _class_of(item: ast.withitem, context: Context) -> type | None:
    """The class of the user's that says what a context does, where the function has to do with it."""
    e = item.context_expr
    if isinstance(e, ast.Name):
        return context.managers.get(e.id)
    made = _made_class(e, context) if isinstance(e, ast.Call) else None
    given = isinstance(e, ast.Call) and (e.args or e.keywords)
    concerns = given or item.optional_vars is not None
    return made if made is not None and (concerns or watches(made)) else None


def _made_class(e: ast.Call, context: Context) -> type | None:
    found = context.scope.resolve(e.func)
    return found if isinstance(found, type) and _is_written(found) else None


def _is_written(cls: type) -> bool:
    """Whether a class says in Python how to enter and leave."""
    methods = [inspect.getattr_static(cls, v, None) for v in ("__enter__", "__exit__")]
    if is_library(cls) or not all(isinstance(m, types.FunctionType) for m in methods):
        return False
    try:
        return all(read(m).tree is not None for m in methods)
    except TangentError:  # no source to look at
        return False


def _known_managers(f: ast.FunctionDef, context: Context) -> dict[str, type]:
    """Variables that only ever are objects of one class that can be entered."""
    made: dict[str, set[Any]] = {}
    counts: dict[str, int] = {}
    for n in ast.walk(f):
        match n:
            case ast.Assign(targets=[ast.Name(id=v)], value=ast.Call() as value):
                made.setdefault(v, set()).add(_made_class(value, context))
            case ast.Name(id=v, ctx=ast.Store() | ast.Del()) | ast.arg(arg=v):
                counts[v] = counts.get(v, 0) + 1
    sole = {v: next(iter(kinds)) for v, kinds in made.items() if len(kinds) == 1 and counts.get(v) == 1}
    return {v: cls for v, cls in sole.items() if cls is not None}


def _generator(item: ast.withitem, context: Context) -> types.FunctionType | None:
    """The generator function behind a context manager that has to do with variables of this function, or catches."""
    e = item.context_expr
    if not isinstance(e, ast.Call):
        return None
    behind = _behind(context.scope.resolve(e.func))
    if behind is None:
        return None
    given = any(context.scope.lookup(v) is MISSING for a in (*e.args, *e.keywords) for v in expression_reads(a))
    concerns = given or item.optional_vars is not None or may_swallow(context.scope.resolve(e.func))
    return behind if concerns and not behind.__code__.co_freevars else None


def _behind(found: Any) -> types.FunctionType | None:
    """The generator function that `contextlib.contextmanager` was given."""
    behind = getattr(found, "__wrapped__", None)
    made = isinstance(found, types.FunctionType) and found.__code__.co_filename == contextlib.__file__
    return behind if made and isinstance(behind, types.FunctionType) and is_generator(behind) else None


def _method(item: ast.withitem, context: Context) -> types.FunctionType | None:
    """The same of a method, where all classes in sight mean one function by its name."""
    e = item.context_expr
    if not isinstance(e, ast.Call) or not isinstance(e.func, ast.Attribute):
        return None
    if context.scope.resolve(e.func) is not MISSING:
        return None
    known = set(methods_named(e.func.attr, context.source.function))
    behind = _behind(next(iter(known))) if len(known) == 1 else None
    return behind if behind is not None and not behind.__code__.co_freevars else None


def _is_manager(g: ast.FunctionDef, context: Context) -> bool:
    """Whether a function that is defined inside is a context manager that can be written out."""
    if [context.scope.resolve(d) for d in g.decorator_list] != [contextlib.contextmanager] or not _is_simple(g):
        return False
    return not any(isinstance(n, ast.Nonlocal) for n in walk_scope(g))


def _nested(item: ast.withitem, context: Context) -> ast.FunctionDef | None:
    e = item.context_expr
    return context.opened.get(e.func.id) if isinstance(e, ast.Call) and isinstance(e.func, ast.Name) else None


def _opened(
    g: ast.FunctionDef, item: ast.withitem, body: list[ast.stmt], s: ast.With, context: Context
) -> list[ast.stmt] | None:
    """A function that is defined inside, written out: what it captures are the variables themselves."""
    e, args = item.context_expr, g.args
    assert isinstance(e, ast.Call)
    if _leaves(body) and _goes_on(g.body):
        return None
    plain = not (e.keywords or args.vararg or args.kwarg or args.defaults or args.kwonlyargs)
    if not plain or len(e.args) != len(arguments(args)) or any(isinstance(a, ast.Starred) for a in e.args):
        return None
    given = {a.arg: value for a, value in zip(arguments(args), e.args)}
    names = {v: context.names.numbered(v) for v in sorted(set(given) | assigned_inside(g.body))}
    context.scope.local |= set(names.values())
    inner = [rename(x, names) for x in context.placed(g.body, s)]
    start = [at(ast.Assign([ast.Name(names[v], ast.Store())], value), s) for v, value in given.items()]
    return [*start, *_filled(inner, item, body, s)]


def _without(body: list[ast.stmt], taken: set[str]) -> list[ast.stmt]:
    """The statements without the functions that nothing names any longer."""
    kept = [s for s in body if not (isinstance(s, ast.FunctionDef) and s.name in taken)]
    return [with_blocks(s, lambda block: _without(block, taken) or block) for s in kept] or body


def _asked(
    behind: types.FunctionType, item: ast.withitem, body: list[ast.stmt], s: ast.With, context: Context
) -> list[ast.stmt] | None:
    """The method of an object written out, which is its first argument."""
    e = item.context_expr
    assert isinstance(e, ast.Call) and isinstance(e.func, ast.Attribute)
    owner = context.names.numbered("owner")
    called = replace(item, context_expr=replace(e, args=[name(owner), *e.args]))
    written = _written_out(behind, called, body, s, context)
    if written is None:
        return None
    context.scope.local.add(owner)
    place = [constant(context.source.file), constant(s.lineno), constant(context.source.line(s.lineno).strip())]
    check = context.use("require_method", require_method)
    known = context.use(behind.__name__, behind)
    asked = at(ast.Expr(call(check, name(owner), constant(e.func.attr), name(known), *place)), s)
    return [at(ast.Assign([ast.Name(owner, ast.Store())], e.func.value), s), asked, *written]


def _written_out(
    generator: types.FunctionType, item: ast.withitem, body: list[ast.stmt], s: ast.With, context: Context
) -> list[ast.stmt] | None:
    """The body of a generator with that of `with` in place of its `yield`; None where that does not say the same."""
    try:
        tree = read(generator).tree
    except TangentError:  # no source to look at
        return None
    if not _is_simple(tree) or (_leaves(body) and _goes_on(tree.body)):
        return None
    given = bound_arguments(generator, item.context_expr, context)
    names = renamed_variables(generator, tree, context)
    if given is None or names is None:
        return None
    inside, outside = assigned_inside(tree.body), assigned_inside(body)
    same = {v: e.id for v, e in given.items() if isinstance(e, ast.Name) and v not in inside and e.id not in outside}
    names |= same  # a variable that stays what it is needs no other name
    given = {v: e for v, e in given.items() if v not in same}
    inner = [rename(x, names) for x in context.placed(tree.body, s)]
    start = [at(ast.Assign([ast.Name(names[v], ast.Store())], e), s) for v, e in given.items()]
    context.scope.local |= {names[v] for v in inside | set(given)}
    return [*start, *_filled(inner, item, body, s)]


def _filled(inner: list[ast.stmt], item: ast.withitem, body: list[ast.stmt], s: ast.With) -> list[ast.stmt]:
    """The body of a generator, with that of `with` in the place of its `yield`."""

    def filled(block: list[ast.stmt]) -> list[ast.stmt]:
        return [new for x in block for new in opened(x)]

    def opened(x: ast.stmt) -> list[ast.stmt]:
        match x:
            case ast.Expr(value=ast.Yield()):
                return [*bound(x), *body]
            case ast.Try(body=[ast.Expr(value=ast.Yield()) as given, *_], handlers=[_, *_]):
                return [*bound(given), replace(x, body=[*body, *filled(x.body[1:])])]  # what it gives may raise
            case ast.Expr(value=ast.Constant()):
                return []
            case _:
                return [with_blocks(x, filled)]

    def bound(x: ast.Expr) -> list[ast.stmt]:
        assert isinstance(x.value, ast.Yield)
        value, target = x.value.value or constant(None), item.optional_vars
        return [at(ast.Assign([target], value), s)] if target is not None else []

    return filled(inner)


def _is_simple(tree: ast.FunctionDef) -> bool:
    """One `yield`, as a statement and outside of loops and handlers, and nothing with a scope of its own.

    Where exceptions are caught around it, it comes first: what fails before it is no matter of the block.
    """
    nodes = list(walk_scope(tree))
    loops = [n for n in nodes if isinstance(n, (ast.For, ast.While, ast.ExceptHandler, ast.comprehension))]
    hidden = {x for loop in loops for x in walk(loop)}
    yields = [n for n in nodes if isinstance(n, ast.Expr) and isinstance(n.value, ast.Yield)]
    every = [n for n in nodes if isinstance(n, ast.Yield)]
    if len(every) != 1 or len(yields) != 1 or any(isinstance(n, OWN_SCOPES) for n in nodes):
        return False
    tried = [n for n in nodes if isinstance(n, ast.Try) and n.handlers and every[0] in set(walk(n))]
    return every[0] not in hidden and all(n.body[0] is yields[0] for n in tried)


def _leaves(body: list[ast.stmt]) -> bool:
    """Whether a block may be left before its end, other than by an exception."""
    return bool(own_jumps(body)) or any(isinstance(n, ast.Return) for s in body for n in (s, *walk_scope(s)))


def _goes_on(body: list[ast.stmt]) -> bool:
    """Whether a generator does something after its `yield`, other than in `finally`: also where the block is left."""
    for i, s in enumerate(body):
        if not any(isinstance(n, ast.Yield) for n in walk_scope(s)):
            continue
        more = isinstance(s, ast.Try) and bool(s.orelse)
        inner = [block for block in (getattr(s, k, []) for k in ("body", "orelse")) if isinstance(block, list)]
        return more or i < len(body) - 1 or any(_goes_on(block) for block in inner)
    return False


def bound_arguments(generator: types.FunctionType, e: ast.expr, context: Context) -> dict[str, ast.expr] | None:
    """What each parameter is given."""
    assert isinstance(e, ast.Call)
    if any(isinstance(a, ast.Starred) for a in e.args) or any(k.arg is None for k in e.keywords):
        return None
    try:
        bound = inspect.signature(generator).bind(*e.args, **{str(k.arg): k.value for k in e.keywords})
    except TypeError:
        return None
    given: dict[str, Any] = dict(bound.arguments)
    if not all(isinstance(v, ast.expr) for v in given.values()):
        return None
    for p in inspect.signature(generator).parameters.values():
        if p.name not in given and p.default is p.empty:
            return None
        given.setdefault(p.name, name(context.use(f"{p.name}_default", p.default)))
    return given


def renamed_variables(generator: types.FunctionType, tree: ast.FunctionDef, context: Context) -> dict[str, str] | None:
    """Names for the variables of a generator, and for what it refers to outside."""
    local = {a.arg for a in arguments(tree.args)} | assigned_inside(tree.body)
    names = {v: context.names.numbered(v) for v in sorted(local)}
    scope = Scope(generator, local)
    for v in sorted(set().union(*(expression_reads(x) for x in tree.body)) - local):
        value = scope.lookup(v)
        if value is MISSING:
            return None
        if context.scope.lookup(v) is not value:
            names[v] = context.use(v, value)
    return names
