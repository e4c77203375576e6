"""Functions that a function calls, written into it, so that small arrays need not be made to be handed over.

p = turned(r, x)      ->      w = r / angle
                              ...
                              p = t + t2
"""

from __future__ import annotations

import ast
import types
from typing import Any

import numpy as np

from tangent.analysis.operation import Operation
from tangent.errors import TangentError
from tangent.optimise.small.places import AWAY, another_place, place_of
from tangent.rules.table import table
from tangent.source.naming import is_library
from tangent.source.resolve import MISSING
from tangent.syntax.print import Comment
from tangent.syntax.quote import assign
from tangent.syntax.rebuild import rename, replace, statements
from tangent.syntax.uses import assigned_inside, expression_reads
from tangent.transform.unit import Unit, unit

PLAIN = (ast.Assign, ast.AugAssign, ast.If, ast.For, ast.While, ast.Return, ast.Break, ast.Expr, ast.Pass, Comment)
MOST = 120
OUTSIDE = (types.ModuleType, types.FunctionType, types.BuiltinFunctionType, type, np.ufunc, int, float)


def with_helpers(this: Unit) -> list[ast.stmt]:
    """The body of a function, without its `return`."""
    return _Writer(this).body(this, {}, (this.source.function,))


def is_plain(body: list[ast.stmt]) -> bool:
    """Whether a block has nothing but assignments, branches and loops in it."""
    return all(isinstance(s, PLAIN) for s in statements(body))


class _Writer:
    def __init__(self, into: Unit) -> None:
        self.context = into.context
        self.left = 4 * MOST

    def body(self, this: Unit, names: dict[str, str], inside: tuple[Any, ...]) -> list[ast.stmt]:
        return self.block(this.core.body[:-1], this, names, inside)

    def block(self, body: list[ast.stmt], this: Unit, names: dict[str, str], inside: tuple[Any, ...]) -> list[ast.stmt]:
        done: list[ast.stmt] = []
        for s in body:
            op = this.operations.get(s)
            match s:
                case ast.If(test=test, body=then, orelse=other):
                    parts = [self.block(b, this, names, inside) for b in (then, other)]
                    done.append(replace(s, test=rename(test, names), body=parts[0], orelse=parts[1]))
                case ast.For(target=target, iter=iter, body=inner):
                    new = self.block(inner, this, names, inside)
                    done.append(replace(s, target=rename(target, names), iter=rename(iter, names), body=new))
                case ast.While(test=test, body=inner):
                    done.append(replace(s, test=rename(test, names), body=self.block(inner, this, names, inside)))
                case ast.Assign() if op is not None and op.kind == "call":
                    done += self.call(rename(s, names), op, inside) or [rename(s, names)]
                case _:
                    done.append(rename(s, names))
        return done

    def call(self, s: ast.Assign, op: Operation, inside: tuple[Any, ...]) -> list[ast.stmt]:
        """The statements of a callee; none where it stays a call."""
        callee, value, target = op.callee, s.value, s.targets[0]
        if not isinstance(callee, types.FunctionType) or callee in inside or not isinstance(value, ast.Call):
            return []
        if callee.__closure__ or table().custom_of(callee) is not None or is_library(callee):
            return []
        try:
            inner = unit(callee)
        except TangentError:  # has no source that can be read: its derivative says so, where one is needed
            return []
        size = sum(1 for _ in statements(inner.core.body))
        given = _arguments(value, inner)
        if given is None or not is_plain(inner.core.body) or size > min(MOST, self.left):
            return []
        names = self.names(inner)
        if names is None or not isinstance(target, ast.Name):
            return []
        self.left -= size
        return self.written(s, target.id, inner, given, names, (*inside, callee))

    def names(self, inner: Unit) -> dict[str, str] | None:
        """What the callee's names are called here; None where one of them means something that may change."""
        local = {*inner.parameters, *assigned_inside(inner.core.body)}
        free = set().union(*(expression_reads(s) for s in inner.core.body)) - local
        names: dict[str, str] = {}
        for v in sorted(free):
            value = inner.context.scope.lookup(v)
            if value is MISSING or not isinstance(value, OUTSIDE):
                return None
            if v not in self.context.scope.local and self.context.scope.lookup(v) is value:
                continue
            names[v] = self.context.use(v, value)
        for v in sorted(local):
            names[v] = self.context.names.numbered(v)
        return names

    def written(
        self, s: ast.Assign, target: str, inner: Unit, given: dict[str, ast.expr], names: dict[str, str],
        inside: tuple[Any, ...],
    ) -> list[ast.stmt]:  # fmt: skip
        assigned = assigned_inside(inner.core.body) | _changed_in_place(inner)
        done: list[ast.stmt] = []
        for p, a in given.items():
            if isinstance(a, ast.Name) and p not in assigned:
                names[p] = a.id
            else:
                done.append(assign(names[p], a, s))
        result = inner.core.body[-1]
        assert isinstance(result, ast.Return) and result.value is not None
        read = {a.id for a in given.values() if isinstance(a, ast.Name)}
        if isinstance(result.value, ast.Name) and result.value.id not in inner.parameters and target not in read:
            names[result.value.id] = target
            return [*done, *(self.at(x, s, inner) for x in self.body(inner, names, inside))]
        value = rename(result.value, names)
        body = [self.at(x, s, inner) for x in self.body(inner, names, inside)]
        return [*done, *body, assign(target, value, s)]

    def at(self, s: ast.stmt, like: ast.stmt, inner: Unit) -> ast.stmt:
        """The statement of a callee at the line of the call: lines of other functions are not in this one.

        Augmented assignments get places of their own.
        """
        changes = {
            field: [self.at(x, like, inner) for x in getattr(s, field)]
            for field in ("body", "orelse")
            if isinstance(s, (ast.If, ast.For, ast.While))
        }
        new = replace(s, **changes)
        place = place_of(s)
        old = self.context.augmented.get(place) if place[1] >= AWAY else inner.context.augmented.get(place)
        new.lineno, new.col_offset = like.lineno, like.col_offset
        if old is not None and _is_change(s, old):
            new.lineno, new.col_offset = another_place(self.context, like.lineno, old)
        return new


def _changed_in_place(inner: Unit) -> set[str]:
    """Parameters w of which there is `w2 = w - t` for `w -= t`.

    They get names of their own here, so that they are known for other names of the arrays that they change.
    """
    found: set[str] = set()
    for s in statements(inner.core.body):
        old = inner.context.augmented.get(place_of(s))
        if isinstance(s, ast.Assign) and isinstance(s.value, ast.BinOp) and old is not None and _is_change(s, old):
            assert isinstance(s.value.left, ast.Name)
            found.add(s.value.left.id)
    return found


def _is_change(s: ast.stmt, old: ast.AugAssign) -> bool:
    """Whether a statement is what has become of `w -= t`, not what computes t, which has the same place."""
    match s, old.target:
        case ast.Assign(value=ast.BinOp(left=ast.Name(id=v))), ast.Name(id=w):
            return v.rstrip("0123456789_") == w.rstrip("0123456789_")
        case _:
            return not isinstance(old.target, ast.Name)


def _arguments(value: ast.Call, inner: Unit) -> dict[str, ast.expr] | None:
    """What each parameter is given; None where it is not one argument for each."""
    args = inner.core.args
    if args.vararg or args.kwarg or any(isinstance(a, ast.Starred) for a in value.args):
        return None
    given = dict(zip(inner.parameters, value.args)) | {k.arg: k.value for k in value.keywords if k.arg}
    return given if set(given) == set(inner.parameters) else None
