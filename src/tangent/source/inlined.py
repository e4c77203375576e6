"""Functions that are written out where they are called: what holds for all of them.

Their variables get names of their own, their statements places of their own, in the line of the call.
"""

from __future__ import annotations

import ast
import builtins
import types
from collections.abc import Callable, Set
from typing import Any, TypeVar

import numpy as np

from tangent.syntax.core import is_path
from tangent.syntax.names import Names
from tangent.syntax.quote import assign, constant, name
from tangent.syntax.rebuild import rebuild, replace
from tangent.syntax.uses import COMPREHENSIONS, arguments, assigned_inside, expression_reads
from tangent.syntax.walk import ENDS, walk

Body = list[ast.stmt]
Node = TypeVar("Node", bound=ast.AST)
Write = Callable[[ast.expr], tuple[Body, ast.expr]]
Definition = Callable[[types.FunctionType], ast.FunctionDef]
FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, np.ufunc)
SOMETIMES = (*COMPREHENSIONS, ast.Lambda, ast.IfExp, ast.BoolOp)
REFUSED = (
    ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.Try, ast.TryStar, ast.With, ast.Match,
    ast.Global, ast.Nonlocal, ast.Yield, ast.YieldFrom, ast.Await, ast.NamedExpr, ast.Import, ast.ImportFrom,
    ast.GeneratorExp,
)  # fmt: skip
UNORDERED = (*SOMETIMES, ast.Dict, ast.Starred, ast.JoinedStr)
BEYOND = 10_000  # columns of what is written out: past the end of any line
_ruled: list[Callable[[Any], bool]] = []


def install_ruled(has_rule: Callable[[Any], bool]) -> None:
    """Who tells which functions have rules: they are called, not written out."""
    _ruled[:] = [has_rule]


class CannotWriteOut(Exception):
    """Somebody else may see an object, or a function is not read from top to bottom."""


def written_anew(
    tree: ast.FunctionDef, body: Body, relied: dict[str, Any] | None = None, shown: dict[str, str] | None = None
) -> ast.FunctionDef:
    """A definition with another body: comments show what stood there; `relied` is what it takes for granted.

    `shown` has what variables of ours stand for, in the user's words.
    """
    new = replace(tree, body=body)
    new.before = getattr(tree, "before", tree)  # type: ignore[attr-defined]
    new.relied = {**getattr(tree, "relied", {}), **(relied or {})}  # type: ignore[attr-defined]
    new.shown = {**getattr(tree, "shown", {}), **(shown or {})}  # type: ignore[attr-defined]
    return new


class Places:
    """Places in the line of a statement, for what is written out there: other passes tell statements by them."""

    def __init__(self, tree: ast.AST) -> None:
        columns = [n.col_offset for n in walk(tree) if isinstance(n, (ast.stmt, ast.expr)) and hasattr(n, "col_offset")]
        self.next = max([BEYOND, *(c + 1 for c in columns)])

    def placed(self, body: Body, s: ast.stmt) -> Body:
        """Fresh statements, moved to the line of another one; parts that began at one place still do."""
        known: dict[tuple[int, int], int] = {}
        for n in (n for x in body for n in ast.walk(x) if isinstance(n, (ast.stmt, ast.expr))):
            column = known.setdefault((n.lineno, n.col_offset), self.next + len(known))
            n.lineno, n.col_offset, n.end_lineno, n.end_col_offset = s.lineno, column, s.lineno, column
        self.next += len(known)
        return body


def is_readable(
    tree: ast.FunctionDef, f: types.FunctionType, also: type[ast.AST] = ast.ListComp,
    relied: dict[str, Any] | None = None,
) -> bool:  # fmt: skip
    """Whether a function does nothing else than what stands there, and is given its arguments one by one.

    Where it can be noted in `relied`, parameters may have functions for defaults, and one takes the rest: `*layers`.
    """
    args = tree.args
    defaults = [e for e, value in _defaults(args, f) if not _is_function(e, value, f, relied)]
    refused = [n for n in walk(tree) if n is not tree and isinstance(n, REFUSED) and not isinstance(n, also)]
    return not (
        any(not _is_simple(n, tree) for n in refused)
        or (args.vararg and relied is None) or args.kwarg or f.__dict__
        or not all(isinstance(e, ast.Constant) for e in defaults)
        or "insert_grad_of" in names_outside(tree) or (_ruled and _ruled[0](f))
    )  # fmt: skip


def _defaults(args: ast.arguments, f: types.FunctionType) -> list[tuple[ast.expr, Any]]:
    """The defaults of parameters, as they stand there, and what they are."""
    given = f.__defaults__ or ()
    found = list(zip(args.defaults, given if len(given) == len(args.defaults) else [None] * len(args.defaults)))
    named = f.__kwdefaults__ or {}
    return found + [(e, named.get(a.arg)) for a, e in zip(args.kwonlyargs, args.kw_defaults) if e is not None]


def _is_function(e: ast.expr, value: Any, f: types.FunctionType, relied: dict[str, Any] | None) -> bool:
    """Whether a default is a function under the name, or path, by which it can be found still: `act=np.tanh`."""
    if relied is None or not isinstance(value, FUNCTIONS) or not is_path(e):
        return False
    root, *rest = ast.unparse(e).split(".")
    found = f.__globals__.get(root, getattr(builtins, root, None))
    for part in rest:
        found = getattr(found, part, None) if isinstance(found, types.ModuleType) else None
    if found is value:
        relied[ast.unparse(e)] = value
    return found is value


def _is_simple(node: ast.AST, tree: ast.FunctionDef) -> bool:
    """Whether a lambda is called by the function and gone with it, or has to do with its own parameters alone."""
    if not isinstance(node, ast.Lambda) or any(isinstance(n, SOMETIMES) for n in walk(node.body)):
        return False
    args, own = node.args, {a.arg for a in arguments(node.args)}
    local = {a.arg for a in arguments(tree.args)} | assigned_inside(tree.body)
    if own & local or args.defaults or args.kw_defaults or args.vararg or args.kwarg:
        return False
    return not expression_reads(node) & local or _is_only_called(node, tree)


def _is_only_called(node: ast.Lambda, tree: ast.FunctionDef) -> bool:
    """Whether a lambda has one name, which stands for nothing else, and is called by it."""
    made = [s.targets for s in walk(tree) if isinstance(s, ast.Assign) and s.value is node]
    match made:
        case [[ast.Name(id=v)]]:
            called = {n.func for n in walk(tree) if isinstance(n, ast.Call)}
            named = [n for n in walk(tree) if isinstance(n, ast.Name) and n.id == v]
            return sum(isinstance(n.ctx, ast.Store) for n in named) == 1 and all(
                n in called for n in named if isinstance(n.ctx, ast.Load)
            )
        case _:
            return False


def names_outside(tree: ast.FunctionDef) -> frozenset[str]:
    """The names that a function finds around it."""
    return expression_reads(tree)


def bound_by_comprehensions(tree: ast.AST) -> set[str]:
    """The variables of comprehensions."""
    targets = [g.target for n in walk(tree) if isinstance(n, COMPREHENSIONS) for g in n.generators]
    return {n.id for t in targets for n in walk(t) if isinstance(n, ast.Name)}


def with_constants(s: Node, fixed: dict[str, ast.Constant]) -> Node:
    """A statement or expression with constants in place of variables."""

    def change(e: ast.expr) -> ast.expr:
        return ast.copy_location(replace(fixed[e.id]), e) if isinstance(e, ast.Name) and e.id in fixed else e

    return rebuild(s, change) if fixed else s


def copied(body: Body) -> Body:
    """Some statements once more, without their text at the head."""
    first = body[1:] if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant) else body
    return ast.parse(ast.unparse(ast.Module(first, []))).body or [ast.copy_location(ast.Pass(), body[0])]


def given_to(
    args: ast.arguments, parameters: list[str], given: list[ast.expr], keywords: list[ast.keyword]
) -> dict[str, ast.expr]:
    """What each parameter of a function is given by a call."""
    several = len(given) > len(parameters) and args.vararg is None
    if several or any(isinstance(a, ast.Starred) for a in given) or not all(k.arg for k in keywords):
        raise CannotWriteOut
    rest = {args.vararg.arg: ast.Tuple(given[len(parameters) :], ast.Load())} if args.vararg else {}
    given = given[: len(parameters)]
    found = dict(zip(parameters, given)) | {k.arg or "": k.value for k in keywords}
    names = [*parameters, *(a.arg for a in args.kwonlyargs)]
    if set(found) - set(names) or len(found) != len(given) + len(keywords):
        raise CannotWriteOut
    defaults = dict(zip(reversed(parameters), reversed(args.defaults)))
    defaults |= {a.arg: e for a, e in zip(args.kwonlyargs, args.kw_defaults) if e is not None}
    if any(v not in found and v not in defaults for v in names):
        raise CannotWriteOut
    return found | {v: replace(defaults[v]) for v in names if v not in found} | rest


class Steps:
    """Expressions of which some parts are written out: what is computed before them is held in variables."""

    def __init__(self, s: ast.stmt, names: Names, chosen: Set[ast.AST], write: Write) -> None:
        self.s, self.names, self.chosen, self.write = s, names, chosen, write
        self.before: Body = []
        self.left = 0

    def expression(self, e: ast.expr) -> ast.expr:
        """The expression; `before` has what is done first, in the order of Python."""
        self.left = sum(n in self.chosen for n in walk(e))
        return self.visit(e) if self.left else e

    def visit(self, x: ast.expr, hold: bool = True) -> ast.expr:
        if not any(n in self.chosen for n in walk(x)):
            return self.held(x) if self.left and hold and not isinstance(x, (*ENDS, ast.Lambda)) else x
        if x in self.chosen or (isinstance(x, ast.Call) and x.func in self.chosen):
            return self.written(x)
        if isinstance(x, UNORDERED) or (isinstance(x, ast.Compare) and len(x.ops) > 1):
            raise CannotWriteOut
        changes: dict[str, Any] = {}
        for field in x._fields:
            old = getattr(x, field, None)
            if field == "func" and isinstance(old, ast.Attribute) and old not in self.chosen:
                changes[field] = replace(old, value=self.visit(old.value))
            elif isinstance(old, ast.expr):
                changes[field] = self.visit(old)
            elif isinstance(old, list):
                changes[field] = [self.part(y) if isinstance(y, ast.AST) else y for y in old]
        return replace(x, **changes)

    def part(self, x: ast.AST, hold: bool = True) -> ast.AST:
        match x:
            case ast.keyword(value=value):
                return replace(x, value=self.visit(value, hold))
            case ast.expr():
                return self.visit(x, hold)
            case _:
                return x

    def written(self, x: ast.expr) -> ast.expr:
        if isinstance(x, ast.Call):
            args = [self.part(a, self.left > 1) for a in x.args]
            x = replace(x, args=args, keywords=[self.part(k, self.left > 1) for k in x.keywords])
        self.left -= 1
        more, result = self.write(x)
        self.before += more
        return result

    def held(self, x: ast.expr) -> ast.expr:
        v = self.names.numbered("t")
        self.before.append(assign(v, x, self.s))
        return name(v)


def returning(body: Body, result: str, s: ast.stmt) -> Body:
    """Statements with `result = v` in place of `return v`, where each way through them has one end."""
    for i, x in enumerate(body):
        rest = body[i + 1 :]
        if isinstance(x, ast.Return):
            return [*body[:i], assign(result, x.value or constant(None), x)]
        if not _returns(x):
            continue
        if not isinstance(x, ast.If):
            raise CannotWriteOut
        then, other = (side if _ends(side) else [*side, *rest] for side in (x.body, x.orelse))
        if rest and not (_ends(x.body) or _ends(x.orelse)):
            raise CannotWriteOut
        sides = [returning(side, result, s) for side in (then, other)]
        return [*body[:i], replace(x, body=sides[0], orelse=sides[1])]
    return [*body, assign(result, constant(None), s)]


def _returns(s: ast.stmt) -> bool:
    return any(isinstance(n, ast.Return) for n in walk(s))


def _ends(body: Body) -> bool:
    """Whether a block returns or raises, whichever way it goes."""
    match body[-1] if body else None:
        case ast.Return() | ast.Raise():
            return True
        case ast.If(body=then, orelse=other):
            return _ends(then) and _ends(other)
        case _:
            return False
