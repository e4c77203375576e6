"""A function of mathematics is called once for one value, also where the backward pass asks for it again.

for _ in range(n):                              for _ in range(n):
    t = math.sin(x)                                 t = math.sin(x)
    t2 = math.cos(x)                                t2 = math.cos(x)
    x_stack.append(x)                               x_stack.append(x)
    x = t * t2                                      x = t * t2
    t_stack.append(t)                    ->         t_stack.append(t)
    ...                                             ...
for _ in reversed(range(n)):                    for _ in reversed(range(n)):
    t = t_stack.pop()                               t = t_stack.pop()
    x = x_stack.pop()                               x = x_stack.pop()
    bx = bt * math.cos(x) - bt2 * math.sin(x)       bx = bt * t2 - bt2 * t

Values have numbers: equal numbers, equal values. What a list gives back has the number that it was given with, where
the block that takes is the mirror image of the block that gave: both lists of a block are taken from in one other.
"""

from __future__ import annotations

import ast
import math
from collections import Counter
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, TypeGuard

import numpy as np

from tangent import runtime
from tangent.optimise.context import Body, Optimisation
from tangent.optimise.dead import local_stacks
from tangent.optimise.purity import calls_in, changed_in_place, changes, written_in_place
from tangent.optimise.stored import stored
from tangent.source.resolve import MISSING
from tangent.syntax.blocks import MARKS, Attempt
from tangent.syntax.inserted import InsertedCode
from tangent.syntax.print import Comment
from tangent.syntax.rebuild import replace, statements
from tangent.syntax.records import popped, pushed
from tangent.syntax.uses import COMPREHENSIONS, expression_reads, writes

NAMES = "sin cos tan exp log sqrt tanh sinh cosh expm1 log1p log2 log10 exp2 cbrt hypot"
OF_NUMBERS = frozenset(
    getattr(math, n)
    for n in f"{NAMES} asin acos atan atan2 asinh acosh atanh erf erfc gamma lgamma".split()
    if hasattr(math, n)
)
OF_ARRAYS = frozenset(
    getattr(np, n) for n in f"{NAMES} arcsin arccos arctan arctan2 arcsinh arccosh arctanh logaddexp".split()
)
REDUCING = (np.sum, np.mean, np.max, np.min, np.prod, np.dot, np.matmul, runtime.ratio, runtime.times)
LOOKING = (runtime.unbroadcast, runtime.spread)  # at the shape of what comes behind
SIMPLE = (ast.Assign, ast.AugAssign, ast.Expr, ast.Return)
OPERATIONS = (ast.BinOp, ast.UnaryOp, ast.Compare)

Key = tuple[Any, ...]


def once(body: Body, o: Optimisation) -> Body:
    calls = [mathematics(n, o) for s in statements(body) if isinstance(s, SIMPLE) for n in calls_in(s)]
    if max(Counter(f for f in calls if f is not None).values(), default=0) < 2:
        return body
    return _Numbering(body, o).block(body, None)


def mathematics(e: ast.AST, o: Optimisation) -> Any:
    """The function of mathematics that an expression calls."""
    if not isinstance(e, ast.Call) or e.keywords or any(isinstance(a, ast.Starred) for a in e.args):
        return None
    f = o.resolve(e.func)
    try:
        return f if f in OF_NUMBERS or f in OF_ARRAYS else None
    except TypeError:  # of something that has no hash
        return None


@dataclass(eq=False)
class _Place:
    """A block while it is walked: what stands around it, and the counter of its loop with its number."""

    around: _Place | None
    counter: str = ""
    number: int = 0
    attempted: bool = False


@dataclass(eq=False)
class _Numbering:
    body: Body
    o: Optimisation
    values: dict[Key, int] = field(default_factory=dict)  # by operation and numbers of operands
    now: dict[str, int] = field(default_factory=dict)  # by variable, at this point
    last: int = 0
    given: dict[str, tuple[int, _Place]] = field(default_factory=dict)  # by list: what went onto it, and where
    mirror: dict[_Place, _Place] = field(default_factory=dict)

    def __post_init__(self) -> None:
        records = local_stacks(self.body)
        self.records = records.keys()
        self.stacks = {v for v, s in records.items() if len(s.pushes) == len(s.pops) == 1}
        found = stored(self.body)
        classes = {self.o.shared[v] for v in found if v in self.o.shared}
        self.stored = found | {v for v, c in self.o.shared.items() if c in classes}
        self.opaque = _rebound_elsewhere(self.body)
        self.handed_on = frozenset(v for s in statements(self.body) for v in _handed_on(s, self.o))

    def fresh(self) -> int:
        self.last += 1
        return self.last

    def block(self, body: Body, place: _Place | None) -> Body:
        here = place or _Place(None)
        return [self.statement(s, here) for s in self.known_names_first(body)]

    def known_names_first(self, body: Body) -> Body:
        """Of variables that are restored side by side with one value, that of the user comes first."""
        done: Body = []
        for restoring, run in groupby(body, lambda s: popped(s) in self.given):
            several = list(run)
            if restoring and len({writes(s) for s in several}) == len(several):
                numbers = [self.given[popped(s)][0] for s in several]
                first = {n: numbers.index(n) for n in numbers}
                several.sort(key=lambda s: (first[self.given[popped(s)][0]], self.o.visible.isdisjoint(writes(s))))
            done += several
        return done

    def statement(self, s: ast.stmt, here: _Place) -> ast.stmt:
        match s:
            case Comment():
                return s
            case ast.If(body=[ast.Break()]):
                return s
            case ast.If(test=test, body=then, orelse=other):
                return self.branch(s, test, then, other, here)
            case ast.For(target=target, body=inner):
                self.forget(s)
                at = _Place(here, attempted=here.attempted)
                if isinstance(target, ast.Name) and not any(target.id in writes(x) for x in statements(inner)):
                    at.counter, at.number = target.id, self.fresh()
                    self.now[target.id] = at.number
                new: ast.stmt = replace(s, body=self.block(inner, at))
            case ast.While(body=inner):
                self.forget(s)
                new = replace(s, body=self.block(inner, _Place(here, attempted=here.attempted)))
            case InsertedCode():
                self.now.clear()
                return s
            case _ if isinstance(s, SIMPLE):
                return self.simple(s, here)
            case _:
                new = s
        self.forget(s)
        if isinstance(s, MARKS):
            self.now.clear()
        return new

    def branch(self, s: ast.If, test: ast.expr, then: Body, other: Body, here: _Place) -> ast.stmt:
        attempted = here.attempted or isinstance(s, Attempt)
        if attempted and isinstance(s, Attempt):
            self.forget(s)
        before = dict(self.now)
        first = self.block(then, _Place(here, attempted=attempted))
        self.now = before
        second = self.block(other, _Place(here, attempted=attempted))
        self.now = before
        self.forget(s)
        new = test if isinstance(s, Attempt) else self.read(test)
        return replace(s, test=new, body=first, orelse=second)

    def forget(self, s: ast.stmt) -> None:
        """What a statement may change has another value from now on."""
        for v in changes(s, self.o):
            self.now.pop(v, None)
        if not _changed_in_place(s, self.o) <= self.o.shared.keys() | self.records:  # maybe an item of another one
            self.values = {key: n for key, n in self.values.items() if key[0] != "item"}

    def simple(self, s: ast.stmt, here: _Place) -> ast.stmt:
        match s:
            case ast.Assign(targets=[ast.Name(id=v)]) if (stack := popped(s)) in self.stacks:
                self.now.pop(v, None)
                if stack not in self.given or v in self.stored or not self.mirrors(here, self.given[stack][1]):
                    return s
                self.now[v], holder = self.given[stack][0], self.holder(self.given[stack][0])
                return replace(s, value=ast.Name(holder, ast.Load())) if holder is not None else s
            case ast.Expr(value=ast.Call(args=[e])) if (stack := pushed(s)) in self.stacks:
                number = self.number(e) if not expression_reads(e) & self.stored else None
                if number is not None and not here.attempted:
                    self.given[stack] = number, here
                return s
            case ast.Assign(targets=[ast.Name(id=v)], value=value):
                number = self.number(value)
                new = self.defined(s, v, value, number)
                self.forget(s)
                if number is not None and v not in self.opaque:
                    self.now[v] = number
                return new
            case _:
                assert isinstance(s, SIMPLE)
                new = replace(s, value=self.read(s.value)) if s.value is not None else s
                self.forget(s)
                return new

    def defined(self, s: ast.Assign, v: str, value: ast.expr, number: int | None) -> ast.stmt:
        """The assignment; of another variable where that has the value, and nobody tells the two apart."""
        f = mathematics(value, self.o)
        holder = self.holder(number) if f is not None else None
        if holder is None:
            return replace(s, value=self.read(value, whole=False))
        alone = f in OF_NUMBERS or not (v in self.o.visible or {v, holder} & (self.stored | self.handed_on))
        return replace(s, value=ast.Name(holder, ast.Load())) if alone else s

    def mirrors(self, here: _Place, there: _Place) -> bool:
        """Whether a block takes back what another one gave, run by run, and so do the blocks around them."""
        known = self.mirror.get(there)
        if known is not None:
            return known is here
        if here is there or here in self.mirror.values() or (here.around is None) != (there.around is None):
            return False
        if here.around is not None and there.around is not None:
            top = here.around.around is None and there.around.around is None
            if not top and not self.mirrors(here.around, there.around):
                return False
        self.mirror[there] = here
        if here.counter and here.counter == there.counter and self.now.get(here.counter) == here.number:
            self.now[here.counter] = there.number
        return True

    def number(self, e: ast.expr) -> int | None:
        """The number of a value; none for what is not looked into."""
        key: Key
        match e:
            case ast.Name(id=v):
                if v in self.opaque or self.o.resolve(e) is not MISSING:
                    return None
                if v not in self.now:
                    self.now[v] = self.fresh()
                return self.now[v]
            case ast.Constant(value=value):
                key = (type(value), repr(value))
            case ast.BinOp(left=left, op=op, right=right):
                key = (type(op), self.number(left), self.number(right))
            case ast.UnaryOp(op=op, operand=operand):
                key = (type(op), self.number(operand))
            case ast.Subscript(value=value, slice=index):
                key = ("item", self.number(value), self.number(index))
            case ast.Tuple(elts=elts):
                key = ("tuple", *map(self.number, elts))
            case ast.Call(args=args) if (f := mathematics(e, self.o)) is not None:
                key = (f, *map(self.number, args))
            case _:
                return None
        if None in key[1:]:
            return None
        if key not in self.values:
            self.values[key] = self.fresh()
        return self.values[key]

    def holder(self, number: int | None) -> str | None:
        return next((v for v, n in self.now.items() if n == number), None) if number is not None else None

    def read(self, e: ast.expr, whole: bool = True) -> ast.expr:
        """An expression in which calls have given way to the variables that have their values."""
        if isinstance(e, (ast.Lambda, *COMPREHENSIONS)):
            return e
        f = mathematics(e, self.o)
        if f is not None and (holder := self.holder(self.number(e))) is not None:
            if f in OF_NUMBERS or (not whole and holder not in self.stored):
                return ast.Name(holder, ast.Load())
        return self.inside(e, whole=not (isinstance(e, OPERATIONS) or f is not None))

    def inside(self, e: ast.expr, whole: bool) -> ast.expr:
        new: dict[str, Any] = {}
        for name, old in ast.iter_fields(e):
            if isinstance(old, ast.expr):
                new[name] = self.read(old, whole)
            elif isinstance(old, list):
                new[name] = [self.read(x, whole) if isinstance(x, ast.expr) else x for x in old]
        same = all(
            a is b or (isinstance(a, list) and all(x is y for x, y in zip(a, b)))
            for n in new
            for a, b in [(new[n], getattr(e, n))]
        )
        return e if same else replace(e, **new)


def _changed_in_place(s: ast.stmt, o: Optimisation) -> set[str]:
    return {v for x in statements([s]) for v in written_in_place(x, o)} | changed_in_place(s)


def _rebound_elsewhere(body: Body) -> frozenset[str]:
    """Variables that other functions may bind."""
    nodes = [n for s in statements(body) for n in (ast.walk(s) if isinstance(s, ast.FunctionDef) else [s])]
    return frozenset(v for n in nodes if isinstance(n, (ast.Global, ast.Nonlocal)) for v in n.names)


def _handed_on(s: ast.stmt, o: Optimisation) -> list[str]:
    """Variables that a statement hands on as they are: neither to what makes new values, nor to a record."""
    if pushed(s) or not isinstance(s, SIMPLE) or s.value is None:
        return []
    found: list[str] = []
    waiting: list[tuple[ast.AST, bool]] = [(s.value, True)]
    while waiting:
        e, handed = waiting.pop()
        if isinstance(e, ast.Name):
            found += [e.id] if handed else []
        elif _calls(e, LOOKING, o):
            waiting += [(child, i == 0) for i, child in enumerate(e.args)]
        else:
            inner = not (isinstance(e, OPERATIONS) or _makes_new(e, o))
            waiting += [(child, inner) for child in ast.iter_child_nodes(e)]
    return found


def _makes_new(e: ast.AST, o: Optimisation) -> bool:
    return mathematics(e, o) is not None or _calls(e, REDUCING, o)


def _calls(e: ast.AST, functions: tuple[Any, ...], o: Optimisation) -> TypeGuard[ast.Call]:
    if not isinstance(e, ast.Call):
        return False
    found = o.resolve(e.func)
    return any(found is f for f in functions)
