"""A name that is assigned again gets a new name, so that its old value stays available.

    y = x * x                  y = x * x
    y = np.sin(y)      ->      y2 = np.sin(y)
    return y                   return y2

Definitions that reach a common use (the two sides of a branch, a loop-carried variable) keep one name.
"""

from __future__ import annotations

import ast
from typing import TypeGuard

from tangent.normalise.context import Context
from tangent.syntax.blocks import Attempt, Enter, Leave, Otherwise, Watch
from tangent.syntax.inserted import Insertion, root
from tangent.syntax.print import Comment
from tangent.syntax.rebuild import rename, replace
from tangent.syntax.uses import COMPREHENSIONS, arguments, assigned_inside, header_reads, writes
from tangent.syntax.walk import walk

Definitions = frozenset[int]
Environment = dict[str, Definitions]
OPERATIONS = frozenset(
    (ast.Name, ast.Constant, ast.Attribute, ast.Subscript, ast.Call, ast.BinOp, ast.UnaryOp, ast.Compare, ast.Tuple,
     ast.Assign, ast.Expr, ast.keyword)
)  # fmt: skip
SIMPLE = (
    ast.Assign,
    ast.AugAssign,
    ast.If,
    ast.For,
    ast.While,
    ast.Return,
    ast.Expr,
    ast.Break,
    ast.Assert,
    ast.Raise,
    Comment,
    Leave,
    Otherwise,
)


def versions(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    webs = _Webs(_pinned(f) | _asked_in_place(f, context) | _cut_in_place(f, context))
    start = {a.arg: webs.define(a, a.arg) for a in arguments(f.args)}
    webs.block(f.body, start)
    names = webs.choose(context)
    return replace(f, body=[_renamed(s, webs, names) for s in f.body])


def _pinned(f: ast.FunctionDef) -> set[str]:
    """Names that keep their one name: loop variables, and those that opaque code with scopes of its own touches."""
    found: set[str] = set()
    for node in walk(f):
        if type(node) in OPERATIONS:
            continue
        if isinstance(node, ast.For):
            found |= {n.id for n in walk(node.target) if isinstance(n, ast.Name)}
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):  # in place: the name stays
            found.add(node.target.id)
        scoped = isinstance(node, (ast.Lambda, ast.NamedExpr, *COMPREHENSIONS))
        if scoped or (isinstance(node, ast.stmt) and not isinstance(node, (*SIMPLE, Insertion)) and node is not f):
            found |= {n.id for n in walk(node) if isinstance(n, ast.Name)} | assigned_inside([node])
            found |= {a.arg for a in walk(node) if isinstance(a, ast.arg)}
        if isinstance(node, Attempt):
            found |= {n.id for part in (node.test, node.types) for n in walk(part) if isinstance(n, ast.Name)}
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            found |= set(node.names)
        if isinstance(node, Insertion):  # its lines stay as they are
            found |= node.block.reads | node.block.own
    return found


def _asked_in_place(f: ast.FunctionDef, context: Context) -> set[str]:
    """Variables whose gradient a block asks for, and that operators in place may change: one name is one array."""
    asked = {root(p) for node in walk(f) if isinstance(node, Insertion) for p in node.places}
    found = (n for n in walk(f) if isinstance(n, ast.Assign) and (n.lineno, n.col_offset) in context.augmented)
    return asked & {t.id for n in found for t in n.targets if isinstance(t, ast.Name)} if asked else set()


def _cut_in_place(f: ast.FunctionDef, context: Context) -> set[str]:
    """Where blocks cut loops short: variables that may hold what is written in place, which keeps its gradient there
    by name."""
    if not any(isinstance(node, Insertion) and node.block.jumps for node in walk(f)):
        return set()
    assigns = [n for n in walk(f) if isinstance(n, ast.Assign)]
    found = {root(t) for n in assigns for t in n.targets if isinstance(t, ast.Subscript)}
    found |= {t.id for n in assigns if (n.lineno, n.col_offset) in context.augmented for t in n.targets if _is_name(t)}
    copies = [{n.targets[0].id, n.value.id} for n in assigns if _is_name(n.targets[0]) and _is_name(n.value)]
    while more := set().union(*(pair for pair in copies if pair & found)) - found:
        found |= more
    return found


def _is_name(e: ast.expr) -> TypeGuard[ast.Name]:
    return isinstance(e, ast.Name)


class _Webs:
    """Definitions joined by the uses they reach."""

    def __init__(self, pinned: set[str]) -> None:
        self.pinned = pinned
        self.parent: list[int] = []
        self.variable: list[str] = []
        self.ids: dict[tuple[ast.AST, str], int] = {}
        self.reads: dict[ast.stmt, dict[str, int]] = {}
        self.defined: dict[ast.stmt, dict[str, int]] = {}
        self.catching: list[Environment] = []

    def define(self, node: ast.AST, variable: str) -> Definitions:
        key = (node, variable)
        if key not in self.ids:
            self.ids[key] = len(self.parent)
            self.parent.append(len(self.parent))
            self.variable.append(variable)
        return frozenset([self.ids[key]])

    def find(self, i: int) -> int:
        while self.parent[i] != i:
            self.parent[i] = self.parent[self.parent[i]]
            i = self.parent[i]
        return i

    def use(self, s: ast.stmt, names: frozenset[str], env: Environment) -> None:
        found = self.reads.setdefault(s, {})
        for variable in names:
            reaching = env.get(variable)
            if not reaching or variable in self.pinned:
                continue
            first = min(reaching)
            for other in reaching:
                a, b = self.find(first), self.find(other)
                self.parent[max(a, b)] = min(a, b)
            found[variable] = first

    def write(self, s: ast.stmt, names: tuple[str, ...], env: Environment) -> None:
        found = self.defined.setdefault(s, {})
        for variable in names:
            if variable not in self.pinned:
                env[variable] = self.define(s, variable)
                found[variable] = min(env[variable])
        for caught in self.catching:
            _merge(caught, env)

    def block(self, body: list[ast.stmt], env: Environment) -> None:
        marks: list[tuple[Environment, Environment] | None] = []
        for s in body:
            self.use(s, header_reads(s), env)
            match s:
                case Enter():
                    marks.append(None)
                    self.write(s, writes(s), env)
                    if s.value is None and not isinstance(s, Watch):
                        self.catching.append(dict(env))
                case Otherwise():
                    marks[-1] = self.reached(env)
                case Leave():
                    _left(env, marks.pop())
                case Attempt(body=then, orelse=other):
                    self.attempt(then, other, env)
                case ast.If(body=then, orelse=other):
                    second = dict(env)
                    self.block(then, env)
                    self.block(other, second)
                    _merge(env, second)
                case ast.For(body=inner) | ast.While(body=inner):
                    while True:
                        end = dict(env)
                        self.block(inner, end)
                        if not _merge(env, end):
                            break
                        self.use(s, header_reads(s), env)
                case _:
                    self.write(s, writes(s), env)

    def attempt(self, body: list[ast.stmt], handler: list[ast.stmt], env: Environment) -> None:
        """Any assignment of the body may be the last before something is caught."""
        self.catching.append(dict(env))
        self.block(body, env)
        second = self.catching.pop()
        self.block(handler, second)
        _merge(env, second)

    def reached(self, env: Environment) -> tuple[Environment, Environment]:
        """What reaches the statement behind a block with `finally`, and what `finally` itself: any assignment of the
        block may be the last before it."""
        ended = dict(env)
        _merge(env, self.catching.pop())
        return ended, dict(env)

    def choose(self, context: Context) -> dict[int, str]:
        """A name for each web: its own for the first, a numbered one for the others."""
        names: dict[int, str] = {}
        taken: set[str] = set()
        for i, variable in enumerate(self.variable):
            root = self.find(i)
            if root not in names:
                names[root] = variable if variable not in taken else context.names.numbered(variable)
                taken.add(variable)
        return names


def _merge(env: Environment, other: Environment) -> bool:
    """Add what reaches on the other way; whether anything was new."""
    changed = False
    for variable, reaching in other.items():
        old = env.get(variable)
        if old is None:
            env[variable], changed = reaching, True
        elif not reaching <= old:
            env[variable], changed = old | reaching, True
    return changed


def _left(env: Environment, marked: tuple[Environment, Environment] | None) -> None:
    """Behind a block with `finally`: it ran to its end."""
    if marked is not None:
        ended, merged = marked
        env.update({v: reaching for v, reaching in ended.items() if env[v] == merged[v]})


def _renamed(s: ast.stmt, webs: _Webs, names: dict[int, str]) -> ast.stmt:
    def to(found: dict[str, int]) -> dict[str, str]:
        return {k: new for k, i in found.items() if (new := names[webs.find(i)]) != k}

    reads, defined = to(webs.reads.get(s, {})), to(webs.defined.get(s, {}))
    match s:
        case ast.If(test=test, body=body, orelse=orelse):
            inner = [_renamed(x, webs, names) for x in body]
            other = [_renamed(x, webs, names) for x in orelse]
            return replace(s, test=rename(test, reads), body=inner, orelse=other)
        case ast.While(test=test, body=body):
            return replace(s, test=rename(test, reads), body=[_renamed(x, webs, names) for x in body])
        case ast.For(iter=iter, body=body):
            return replace(s, iter=rename(iter, reads), body=[_renamed(x, webs, names) for x in body])
        case ast.Assign(targets=targets, value=value):
            if all(isinstance(t, (ast.Name, ast.Tuple)) for t in targets):
                return replace(s, targets=[rename(t, defined) for t in targets], value=rename(value, reads))
            return rename(s, reads)
        case _:
            return rename(s, reads)
