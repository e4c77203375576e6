"""Put a value that is read once back into the expression that reads it, while the line stays readable.

t = w * h                        h = np.tanh(w * h + x)
t2 = t + x                 ->
h = np.tanh(t2)

bx = by * x                      bx = by * x + by * x
bx = bx + by * x           ->
"""

from __future__ import annotations

import ast
from collections import Counter

from tangent.analysis.storage import RESULT
from tangent.optimise.compared import asked_by_identity
from tangent.optimise.context import Body, Optimisation
from tangent.optimise.dead import read_when_called
from tangent.optimise.purity import calls_in, calls_unknown, changed_inside, is_pure, root_of
from tangent.syntax.blocks import MARKS, Attempt
from tangent.syntax.core import is_literal
from tangent.syntax.inserted import InsertedCode
from tangent.syntax.print import WIDTH, Comment, text_of
from tangent.syntax.quote import constant
from tangent.syntax.rebuild import NESTED, all_writes, rebuild, replace, statements
from tangent.syntax.records import pushed
from tangent.syntax.uses import COMPREHENSIONS, expression_reads, writes
from tangent.syntax.walk import fact, walk

SCOPED = (ast.Lambda, *COMPREHENSIONS)
IN_PLACE_FUNCTIONS = frozenset("pop_grad add_item add_part add_cell clear_item".split())


def inline(body: Body, o: Optimisation) -> Body:
    reads: Counter[str] = Counter()
    defined: Counter[str] = Counter()
    for s in statements(body):
        for v, n in _occurrences(s).items():
            reads[v] += n
        for v in writes(s):
            defined[v] += 1
    return _Inline(o, reads, defined, _single(body, reads, defined), asked_by_identity(body)).block(body, 4)


def _single(body: Body, reads: Counter[str], defined: Counter[str]) -> set[ast.stmt]:
    """Definitions with one use, of names with several lives: each use is in the block of its definition, behind it.

    t = -x                         t = -x
    y = np.exp(t)                  y = np.exp(t)
    ...                            ...
    t = -x                         by = by * -x
    by = by * t              ->
    """
    lives: dict[str, list[tuple[ast.stmt, int]]] = {}
    names = {v for v, n in defined.items() if n > 1} - read_when_called(body)
    if names:
        _lives(body, names, lives)
    return {
        s
        for v, found in lives.items()
        if v in names and len(found) == defined[v] and sum(n for _, n in found) == reads[v]
        for s, n in found
        if n == 1
    }


def _lives(body: Body, names: set[str], lives: dict[str, list[tuple[ast.stmt, int]]]) -> None:
    """The assignments to names, with the number of reads behind them in their block, up to the next one."""
    last: dict[str, tuple[ast.stmt, int]] = {}
    for s in body:
        inside = statements([s]) if isinstance(s, NESTED) else [s]
        written = all_writes(s) & names
        for v, n in _occurrences_in(inside).items():
            if v in last and len(inside) > 1 and v in written:  # which value is read there is not looked into
                names.discard(v)
            elif v in last:
                last[v] = last[v][0], last[v][1] + n
        for v in written & names:
            if v in last:
                lives.setdefault(v, []).append(last.pop(v))
            if isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name):
                last[v] = s, 0
        if isinstance(s, (ast.If, ast.For, ast.While)):
            _lives(s.body, names, lives)
            _lives(s.orelse, names, lives)
    for v, life in last.items():
        lives.setdefault(v, []).append(life)


def _occurrences_in(body: Body) -> dict[str, int]:
    if len(body) == 1:
        return _occurrences(body[0])
    found: dict[str, int] = {}
    for s in body:
        for v, n in _occurrences(s).items():
            found[v] = found.get(v, 0) + n
    return found


@fact
def _occurrences(s: ast.stmt) -> dict[str, int]:
    """How often a statement itself reads each name; twice inside loops headers' tests and nested scopes."""
    found: dict[str, int] = {}
    match s:
        case ast.If(test=test):
            roots: list[ast.AST] = [test]
        case ast.While(test=test):
            roots = [test, test]
        case ast.For(iter=iter):
            roots = [iter]
        case _:
            roots = [s]
    for root in roots:
        for node in walk(root):
            if isinstance(node, ast.Name):
                if isinstance(node.ctx, ast.Load):
                    found[node.id] = found.get(node.id, 0) + 1
            elif isinstance(node, SCOPED):
                for v in expression_reads(node):
                    found[v] = found.get(v, 0) + 1
    return found


class _Inline:
    def __init__(
        self, o: Optimisation, reads: Counter[str], defined: Counter[str], single: set[ast.stmt],
        compared: frozenset[str],
    ) -> None:  # fmt: skip
        self.o, self.reads, self.defined, self.single, self.compared = o, reads, defined, single, compared

    def block(self, body: Body, indent: int, attempted: bool = False) -> Body:
        """One walk: candidates wait for their use, and stay where they are if it never comes."""
        done: list[ast.stmt | None] = []
        waiting: dict[str, int] = {}
        free: dict[str, set[str]] = {}
        for s in body:
            if isinstance(s, Comment):
                done.append(s)
                continue
            if _holds_code(s):  # nothing moves across the user's code
                waiting, free = {}, {}
            if isinstance(s, MARKS) or (attempted and pushed(s)):  # what may raise stays on its side
                waiting.clear()
            s = self.absorb(s, waiting, free, done, indent)
            for v in _read_inside(s) if isinstance(s, NESTED) else ():  # what is replaced behind it is needed in it
                waiting.pop(v, None)
            changed = self.changes(s).union(map(_shape_of, all_writes(s))) if free or waiting else frozenset()
            for v in free.keys() & changed:
                for candidate in free.pop(v):
                    waiting.pop(candidate, None)
            for v in waiting.keys() & changed:
                del waiting[v]
            s = self.inner(s, indent, attempted)
            done.append(s)
            if self.is_candidate(s):
                assert isinstance(s, ast.Assign)
                target = writes(s)[0]
                waiting[target] = len(done) - 1
                for v in _needed(s.value):
                    free.setdefault(v, set()).add(target)
        return [s for s in done if s is not None]

    def changes(self, s: ast.stmt) -> frozenset[str]:
        """Names whose value, or what it holds, may be another after the statement."""
        return changed_inside(s, self.o) | all_writes(s) | _all_changed_lists(s)

    def inner(self, s: ast.stmt, indent: int, attempted: bool) -> ast.stmt:
        match s:
            case ast.If(body=[ast.Break()]):
                return s
            case ast.If(body=then, orelse=other):
                inside = attempted or isinstance(s, Attempt)
                return replace(s, body=self.block(then, indent + 4, inside), orelse=self.block(other, indent + 4))
            case ast.For(body=inner) | ast.While(body=inner):
                return replace(s, body=self.block(inner, indent + 4, attempted))
            case _:
                return s

    def is_candidate(self, s: ast.stmt) -> bool:
        match s:
            case ast.Assign(targets=[ast.Name(id=v)], value=value):
                literal = v in self.compared and is_literal(value)
                return is_pure(value, self.o) and not isinstance(value, (ast.List, ast.Dict)) and not literal
            case _:
                return False

    def absorb(
        self, s: ast.stmt, waiting: dict[str, int], free: dict[str, set[str]], done: list[ast.stmt | None], indent: int
    ) -> ast.stmt:
        """The statement with the values of waiting candidates that only it reads."""
        here = _occurrences(s) if not isinstance(s, Attempt) else {}
        for v in [v for v in here if v in waiting]:
            position = waiting.pop(v)
            held = done[position]
            if here[v] != 1 or not isinstance(held, ast.Assign) or not self.fits(v, s, held):
                continue
            changed = _changed_lists(s)
            if self.is_beside_writer(v, s, held.value):
                continue  # compiled code may compute it after the call
            if v not in changed and changed & expression_reads(held.value):
                continue  # it would be read after the change
            new = _substituted(s, v, held.value)
            if len(_shown(new)) + indent > WIDTH:
                continue
            s, done[position] = new, None
            self.reads[v] -= 1
            self.defined[v] -= 1
            for w in _needed(held.value):
                free.get(w, set()).discard(v)
        return s

    def is_beside_writer(self, v: str, s: ast.stmt, value: ast.expr) -> bool:
        """Whether a statement reads a name beside a call that may write into what the value of the name is made of."""
        if not isinstance(s, (ast.Assign, ast.AugAssign, ast.Expr)) or not calls_unknown(s, self.o):
            return False
        written = {n for n in changed_inside(s, self.o) if not self.o.shared.get(n, RESULT).startswith(RESULT)}
        if not written & expression_reads(value):
            return False
        plain = rebuild(s.value, lambda e: constant(None) if isinstance(e, ast.Call) else e)
        return v in expression_reads(plain)

    def is_stored_into(self, v: str, s: ast.stmt) -> bool:
        """Whether a statement stores into a variable: what it changes is told by its name."""
        match s:
            case ast.Assign(targets=[ast.Subscript() | ast.Attribute() as place]) | ast.AugAssign(target=place):
                return root_of(place) == v
            case _:
                return False

    def fits(self, v: str, s: ast.stmt, held: ast.Assign) -> bool:
        """A temporary with this one use, or a value that this statement replaces."""
        if isinstance(s, ast.While) or (self.is_stored_into(v, s) and not root_of(held.value)):
            return False
        if v in writes(s) and isinstance(s, ast.Assign):
            return isinstance(s.targets[0], ast.Name)
        once = self.reads[v] == 1 and self.defined[v] == 1
        return v not in self.o.visible and (once or held in self.single)


@fact
def _needed(e: ast.expr) -> frozenset[str]:
    """What an expression reads: of `x.shape` that alone, since stores into an array do not change it."""
    shapes: set[str] = set()

    def change(x: ast.expr) -> ast.expr:
        match x:
            case ast.Attribute(value=ast.Name(id=v), attr="shape"):
                shapes.add(_shape_of(v))
                return constant(None)
            case _:
                return x

    return frozenset(expression_reads(rebuild(e, change)) | shapes)


def _shape_of(v: str) -> str:
    return f"{v}.shape"


def _holds_code(s: ast.stmt) -> bool:
    return isinstance(s, InsertedCode) or (isinstance(s, NESTED) and _holds_code_inside(s))


@fact
def _holds_code_inside(s: ast.stmt) -> bool:
    return any(isinstance(x, InsertedCode) for x in statements([s]))


@fact
def _read_inside(s: ast.stmt) -> frozenset[str]:
    """What the blocks of a statement read."""
    return frozenset(v for x in statements([s])[1:] for v in _occurrences(x))


@fact
def _all_changed_lists(s: ast.stmt) -> frozenset[str]:
    """Lists that a statement and the blocks inside it change in place."""
    return frozenset(v for x in statements([s]) for v in _changed_lists(x))


@fact
def _changed_lists(s: ast.stmt) -> frozenset[str]:
    """Lists and gradients that a statement changes in place: what reads them must not move across it."""
    if not isinstance(s, (ast.Expr, ast.Assign, ast.AugAssign, ast.Return)) or s.value is None:
        return frozenset()
    return frozenset(v for n in calls_in(s.value) if (v := _changed_list(n)))


def _changed_list(n: ast.Call) -> str:
    match n:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=v), attr="append" | "pop")):
            return v
        case ast.Call(func=ast.Name(id=function), args=[ast.Name(id=v), *_]):
            return v if function.rstrip("_") in IN_PLACE_FUNCTIONS else ""
        case _:
            return ""


def _shown(s: ast.stmt) -> str:
    match s:
        case ast.If(test=e) | ast.For(iter=e):
            return "for __ in " + ast.unparse(e)
        case _:
            return text_of(s)


def _substituted(s: ast.stmt, v: str, value: ast.expr) -> ast.stmt:
    def change(e: ast.expr) -> ast.expr:
        return value if isinstance(e, ast.Name) and isinstance(e.ctx, ast.Load) and e.id == v else e

    match s:
        case ast.If(test=test):
            return replace(s, test=rebuild(test, change))
        case ast.For(iter=iter):
            return replace(s, iter=rebuild(iter, change))
        case _:
            return rebuild(s, change)
