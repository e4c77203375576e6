"""What a star brings: the items of a tuple that is written out, one by one, for functions.

pair = (x, y)                 pair = (x, y)
z = f(*pair)           ->     a = pair[0]
                              b = pair[1]
                              z = f(a, b)

Functions of NumPy may be given an array to write into: there what stars bring is looked at first.

y = np.sin(x, *args)    ->    require_inputs(np.sin, x, *args)
                              y = np.sin(x, *args)
"""

from __future__ import annotations

import ast
import types
from collections import Counter
from collections.abc import Container
from typing import Any

from tangent.normalise.context import Context
from tangent.runtime.outputs import is_of_numpy, place_of_output, require_inputs
from tangent.source.signatures import own_signature
from tangent.syntax.quote import assign, at, constant, expression, name
from tangent.syntax.rebuild import rebuild, replace, statements, with_blocks
from tangent.syntax.uses import arguments, assigned_inside, writes
from tangent.syntax.walk import holds, walk


def spread(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    """Stars whose items have names are these: `pair = (x, y); np.add(*pair)` as `np.add(x, y)`."""
    if not holds(f, ast.Starred) or holds(f, ast.Lambda):
        return f
    parts = Tuples(f).parts

    def change(e: ast.expr) -> ast.expr:
        if not isinstance(e, ast.Call) or not any(_is_known(a, parts) for a in e.args):
            return e
        args = [x for a in e.args for x in _items_of(a, parts)]
        new = replace(e, args=args)
        found = context.scope.resolve(e.func)
        return new if not _is_function(found) or _fits(found, new) else e

    return rebuild(f, change) if parts else f


def starred(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    """Write out known arguments of functions; stop those that are told behind a star where to write."""
    if not holds(f, ast.Starred) and not any(isinstance(n, ast.keyword) and n.arg is None for n in walk(f)):
        return f
    tuples = Tuples(f)

    def block(body: list[ast.stmt]) -> list[ast.stmt]:
        return [new for s in body for new in statement(s)]

    def statement(s: ast.stmt) -> list[ast.stmt]:
        match s:
            case ast.Assign(value=ast.Call() as call) | ast.Expr(value=ast.Call() as call) if _may_be_told(
                call, context.scope.resolve(call.func)
            ):
                check = ast.Call(
                    name(context.use("require_inputs", require_inputs)), [call.func, *call.args], _stars(call)
                )
                return [at(ast.Expr(check), s), s]
            case ast.Assign(value=ast.Call() as call) | ast.Expr(value=ast.Call() as call) if any(
                _is_known(a, tuples.lengths) for a in call.args
            ) and _is_function(context.scope.resolve(call.func)):
                before, args = _written_out(call.args, tuples, context)
                new = replace(call, args=args)
                fits = _fits(context.scope.resolve(call.func), new)
                return [*(at(b, s) for b in before), replace(s, value=new)] if fits else [s]
            case _:
                return [with_blocks(s, block)]

    return replace(f, body=block(f.body))


def _may_be_told(e: ast.Call, found: object) -> bool:
    """Whether stars may bring something that a function of NumPy writes into."""
    several = place_of_output(found) is not None and any(isinstance(a, ast.Starred) for a in e.args)
    return several or (is_of_numpy(found) and bool(_stars(e)))


def _stars(e: ast.Call) -> list[ast.keyword]:
    """What `**` brings."""
    return [k for k in e.keywords if k.arg is None]


def _fits(function: Any, call: ast.Call) -> bool:
    """Whether a function takes such arguments; one that does not may stand in a branch that is never taken."""
    if any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords):
        return True
    try:
        own_signature(function).bind(*call.args, **{k.arg or "": k.value for k in call.keywords})
    except TypeError:
        return False
    return True


def _is_function(found: object) -> bool:
    """Whether something is a function of Python, or was compiled from one."""
    return isinstance(getattr(found, "py_func", found), types.FunctionType)


class Tuples:
    """The names in a function that only ever stand for tuples of one length, written out.

    Stars in these count by what they bring.
    """

    def __init__(self, f: ast.FunctionDef) -> None:
        known: dict[str, int] = {}
        while (more := _measured(f, known)) != known:
            known = more
        self.lengths = known
        made = [s for s in statements(f.body) if isinstance(s, ast.Assign) and set(writes(s)) & known.keys()]
        bound = Counter(v for s in statements(f.body) for v in writes(s))
        bound.update(a.arg for a in arguments(f.args))
        for loop in statements(f.body):  # each round binds anew
            bound.update(assigned_inside([loop]) if isinstance(loop, (ast.For, ast.While)) else ())
        self.parts = {
            v: s.value.elts
            for s in made
            for v in writes(s)
            if bound[v] == 1 and isinstance(s.value, ast.Tuple) and all(_is_steady(e, bound) for e in s.value.elts)
        }

    def items(self, e: ast.expr, context: Context) -> tuple[list[ast.stmt], list[ast.expr]]:
        """Names for the items of such a tuple, and the statements that these need."""
        assert isinstance(e, ast.Name)
        if e.id in self.parts:
            return [], self.parts[e.id]
        names = [context.names.numbered("t") for _ in range(self.lengths[e.id])]
        before: list[ast.stmt] = [assign(v, expression("e[k]", e=e, k=constant(k))) for k, v in enumerate(names)]
        return before, [name(v) for v in names]


def _is_steady(e: ast.expr, bound: Counter[str]) -> bool:
    """Whether an item is what it was when the tuple was made."""
    return isinstance(e, ast.Constant) or (isinstance(e, ast.Name) and bound[e.id] == 1)


def _measured(f: ast.FunctionDef, known: dict[str, int]) -> dict[str, int]:
    found: dict[str, set[int | None]] = {a.arg: {None} for a in arguments(f.args)}
    for s in statements(f.body):
        match s:
            case ast.Assign(targets=[ast.Name(id=v)], value=ast.Tuple(elts=elts)):
                found.setdefault(v, set()).add(_count(elts, known))
            case _:
                for v in writes(s):
                    found.setdefault(v, set()).add(None)
    return {v: n for v, (n, *more) in found.items() if n is not None and not more}


def _count(elts: list[ast.expr], known: dict[str, int]) -> int | None:
    """How many items a tuple has; None where a star brings what is not known."""
    if any(isinstance(e, ast.Starred) and not _is_known(e, known) for e in elts):
        return None
    return sum(known[e.value.id] if isinstance(e, ast.Starred) and isinstance(e.value, ast.Name) else 1 for e in elts)


def _is_known(a: ast.expr, lengths: Container[str]) -> bool:
    return isinstance(a, ast.Starred) and isinstance(a.value, ast.Name) and a.value.id in lengths


def _items_of(a: ast.expr, parts: dict[str, list[ast.expr]]) -> list[ast.expr]:
    match a:
        case ast.Starred(value=ast.Name(id=v)) if v in parts:
            return parts[v]
        case _:
            return [a]


def _written_out(args: list[ast.expr], tuples: Tuples, context: Context) -> tuple[list[ast.stmt], list[ast.expr]]:
    before: list[ast.stmt] = []
    done: list[ast.expr] = []
    for a in args:
        if isinstance(a, ast.Starred) and _is_known(a, tuples.lengths):
            first, items = tuples.items(a.value, context)
            before += first
            done += items
        else:
            done.append(a)
    return before, done
