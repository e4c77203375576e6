"""Nested functions that are only called, with defaults that are computed: each call says what it leaves open.

def g(n, w=x[0]):                      g_w = x[0]
    if n == 0: return w                def g(n, w):
    return g(n - 1, w * x[1])    ->        if n == 0: return w
return g(3)                                return g(n - 1, w * x[1])
                                       return g(3, w=g_w)

The definition and the value of its defaults are bound together, so a call sees those of the definition it calls.
Functions that are kept take their defaults along (defaults.py).
"""

from __future__ import annotations

import ast

from tangent.normalise.context import Context
from tangent.normalise.named import defined
from tangent.syntax.captured import bindings, own_functions
from tangent.syntax.quote import assign, name
from tangent.syntax.rebuild import rebuild, replace, with_blocks
from tangent.syntax.uses import arguments
from tangent.syntax.walk import walk


def filled(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    """Write computed defaults out where functions are called."""
    if not any(_is_computed(g.args) for g in walk(f) if isinstance(g, (ast.FunctionDef, ast.Lambda)) and g is not f):
        return f
    f = defined(f)
    chosen = {g.name: _Filled(g, f, context) for g in own_functions(f) if _fits(g, f)}
    if not chosen:
        return f

    def block(body: list[ast.stmt]) -> list[ast.stmt]:
        return [new for s in body for new in statement(s)]

    def statement(s: ast.stmt) -> list[ast.stmt]:
        if isinstance(s, ast.FunctionDef) and s.name in chosen:
            return [*chosen[s.name].values(s), replace(s, args=_without(s.args))]
        return [with_blocks(s, block)]

    def change(e: ast.expr) -> ast.expr:
        match e:
            case ast.Call(func=ast.Name(id=v)) if v in chosen:
                return chosen[v].call(e)
            case _:
                return e

    return replace(f, body=[rebuild(s, change) for s in block(f.body)])


def _is_computed(args: ast.arguments) -> bool:
    return not all(isinstance(e, ast.Constant) for e in (*args.defaults, *args.kw_defaults) if e is not None)


def _fits(g: ast.FunctionDef, f: ast.FunctionDef) -> bool:
    """Whether a function is bound once, and every call of it tells which parameters it leaves open."""
    if not _is_computed(g.args) or g.args.vararg or g.decorator_list or bindings(f)[g.name] != 1:
        return False
    calls = [n for n in walk(f) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id == g.name]
    if any(isinstance(a, ast.Starred) for n in calls for a in n.args) or not all(
        k.arg for n in calls for k in n.keywords
    ):
        return False
    called = {n.func for n in calls}
    return not any(_means(n, g) and n not in called for n in walk(f))


def _means(n: ast.AST, g: ast.FunctionDef) -> bool:
    """Whether a node reads, binds or declares a name like that of a function, other than its definition."""
    match n:
        case ast.Name(id=v) | ast.arg(arg=v) | ast.ExceptHandler(name=v) | ast.ClassDef(name=v):
            return v == g.name
        case ast.FunctionDef(name=v):
            return v == g.name and n is not g
        case ast.Nonlocal(names=names) | ast.Global(names=names):
            return g.name in names
        case _:
            return False


class _Filled:
    def __init__(self, g: ast.FunctionDef, f: ast.FunctionDef, context: Context) -> None:
        positional = [*g.args.posonlyargs, *g.args.args]
        self.positional = [a.arg for a in positional]
        with_default = positional[len(positional) - len(g.args.defaults) :]
        self.defaults = {a.arg: e for a, e in zip(with_default, g.args.defaults)}
        self.defaults |= {a.arg: e for a, e in zip(g.args.kwonlyargs, g.args.kw_defaults) if e is not None}
        stay = _staying(f)
        self.names: dict[str, str] = {}
        for v, e in self.defaults.items():
            if not (isinstance(e, ast.Constant) or (isinstance(e, ast.Name) and e.id in stay)):
                self.names[v] = context.names.fresh(f"{g.name}_{v}")
        context.scope.local |= set(self.names.values())

    def values(self, g: ast.FunctionDef) -> list[ast.stmt]:
        """The defaults, evaluated where the function is defined."""
        return [assign(held, self.defaults[v], g) for v, held in self.names.items()]

    def default(self, v: str, like: ast.expr) -> ast.expr:
        e = name(self.names[v]) if v in self.names else replace(self.defaults[v])
        return ast.copy_location(e, like)

    def call(self, e: ast.Call) -> ast.expr:
        given = {*self.positional[: len(e.args)], *(k.arg for k in e.keywords)}
        left_open = [v for v in self.defaults if v not in given]
        args = list(e.args)
        for v in self.positional[len(e.args) :]:
            if v not in left_open:
                break
            args.append(self.default(v, e))
            left_open.remove(v)
        more = [ast.keyword(v, self.default(v, e)) for v in left_open]
        return replace(e, args=args, keywords=[*e.keywords, *more])


def _staying(f: ast.FunctionDef) -> set[str]:
    """Parameters of a function that nothing rebinds, nor hides from a function inside."""
    inner = [n for g in walk(f) if isinstance(g, (ast.FunctionDef, ast.Lambda)) and g is not f for n in walk(g)]
    own = {a.arg for g in inner if isinstance(g, (ast.FunctionDef, ast.Lambda)) for a in arguments(g.args)}
    stored = {n.id for n in walk(f) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    return {a.arg for a in arguments(f.args) if bindings(f)[a.arg] == 1} - own - stored


def _without(args: ast.arguments) -> ast.arguments:
    """Parameters without defaults."""
    return replace(args, defaults=[], kw_defaults=[None for _ in args.kwonlyargs])
