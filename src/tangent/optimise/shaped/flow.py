"""The kinds of all values of a function, statement by statement, and the function rewritten by what they tell.

Branches are joined, loops are gone through until nothing new comes up. Functions of the generated module that
are called get versions of their own, one for each combination of kinds.
"""

from __future__ import annotations

import ast
import math
from collections import Counter
from dataclasses import replace as with_changes
from typing import TYPE_CHECKING, Any

import numpy as np

from tangent import runtime
from tangent.optimise.shaped.containers import is_plain, shrinking
from tangent.optimise.shaped.contracted import contracted
from tangent.optimise.shaped.first import begun_by_zeros, first_term, plain_zeros, zeroed
from tangent.optimise.shaped.formed import Formed
from tangent.optimise.shaped.infer import Env, parameters_of
from tangent.optimise.shaped.kinds import (
    INT,
    NOT_ONE,
    UNKNOWN,
    UNSURE,
    Attributes,
    Axis,
    Fields,
    Items,
    Kind,
    Listed,
    Number,
    Stack,
    alike,
    any_of,
    broadcast,
    is_float,
    join,
    not_one,
    reaches,
    renamed,
    without,
)
from tangent.optimise.shaped.known import Known
from tangent.optimise.shaped.merged import merged
from tangent.optimise.shaped.mirrored import mirrored
from tangent.optimise.shaped.multiplied import fitting
from tangent.optimise.shaped.places import added, places
from tangent.optimise.shaped.reuse import LARGE, dying, reused
from tangent.optimise.shaped.stored import Stores, loaded
from tangent.optimise.shaped.subscripts import subscripts
from tangent.optimise.shaped.thinned import thinned
from tangent.optimise.shaped.twice import doubled
from tangent.optimise.typed.infer import is_unset
from tangent.source.resolve import MISSING
from tangent.syntax.core import is_range
from tangent.syntax.names import identifiers
from tangent.syntax.quote import at, expression
from tangent.syntax.rebuild import blocks, rebuild, replace, statements
from tangent.syntax.uses import COMPREHENSIONS, assigned_inside, header_reads, writes
from tangent.syntax.walk import walk
from tangent.transform.generated import Generated

if TYPE_CHECKING:
    from tangent.optimise.shaped.callees import Versions

Body = list[ast.stmt]
ROUNDS = 12
LOOKING = (  # at a list, and at numbers in it, of which they keep nothing
    len, sum, max, min, sorted, np.array, np.sum, np.mean, runtime.each, runtime.shares_of, runtime.scaled,
    runtime.init_grad, runtime.as_list,
)  # fmt: skip
SCOPED = (ast.Lambda, ast.NamedExpr, *COMPREHENSIONS)


class Flow(Stores):
    """One function, gone through from its arguments on and rewritten on the way."""

    looking = LOOKING

    def __init__(self, g: Generated, versions: Versions, env: Env, entry: bool) -> None:
        assert g.tree is not None
        local = assigned_inside(g.tree.body) | set(parameters_of(g))
        super().__init__(g, env, local, versions.resolve, versions.made)
        self.versions, self.named = versions, versions.named
        self.result: Kind | None = None
        bound = Counter(v for s in statements(g.tree.body) for v in writes(s))
        bound.update(parameters_of(g))
        last = versions.sizes is not None
        once = {v for v, n in bound.items() if n == 1} | begun_by_zeros(g.tree.body, self.resolve)
        self.lasting = [v for s in g.tree.body if isinstance(s, ast.Assign) for v in writes(s) if v in once]
        self.known = Known(self.of, self.resolve, self.use, self.length, last, once, g.shared)
        self.user = identifiers(g.source.tree) if g.source is not None else set()
        self.fixed = env.keys() - assigned_inside(g.tree.body) if entry else set()
        self.dying = dying(g.tree.body, self.resolved) if last else {}
        self.formed = Formed(g.tree, self.fixed, self.of, self.resolved, self.length) if last else None
        self.now: set[str] = set()
        self.made_up: dict[str, str] = {}
        self.zeros: dict[str, ast.stmt] = {}  # adjoints that are zero so far
        self.loops: dict[tuple[ast.stmt, frozenset[tuple[str, Kind]]], tuple[ast.stmt, Env, dict[str, ast.stmt]]] = {}
        self.mirrored = mirrored(g.tree.body)
        self.times = Counter(n.id for n in walk(g.tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
        self.handed = {v for n in walk(g.tree) if isinstance(n, ast.Call) for v in self.given_to(n)}
        self.depth = 0
        self.bindings: dict[ast.Name, int] = {}
        self.ever: Env = dict(env)  # the kinds that variables have wherever they are bound
        self.exact: dict[str, bool] = {}  # by their text, whether stores are of values that have the form of the place
        for v in env.keys() & g.shared.keys() if not entry else ():
            if isinstance(env[v], (Listed, Fields, Attributes)):  # it is written into
                env[v] = UNKNOWN
        for v in env.keys() - assigned_inside(g.tree.body):
            if env[v] == INT:
                env[v] = with_changes(INT, size=f"{UNSURE}{v}")
        env |= {v: k for v, k in g.outside.items() if v not in local}
        self.plain = is_plain(g.tree.body)
        self.shrinking = shrinking(g.tree.body) if self.plain else local
        body = self.block(g.tree.body)
        g.tree = replace(g.tree, body=body)

    def resolved(self, e: ast.expr) -> Any:
        found = self.resolve(e)
        return MISSING if found is None else found

    def given_to(self, e: ast.Call) -> set[str]:
        """Names that a call is given, which may ask for the layout of an array."""
        if self.resolve(e.func) is runtime.settled:
            return set()
        return {a.id for a in (*e.args, *(k.value for k in e.keywords)) if isinstance(a, ast.Name)}

    def use(self, value: Any, short: str) -> str:
        """A name for something from outside."""
        for path, seen in (*self.g.seen.items(), *self.g.externals.items()):
            if seen is value and "." not in path and path not in self.local:
                return path
        chosen = short
        there = self.g.primal.__globals__
        while chosen in self.local or chosen in self.g.externals or there.get(chosen, value) is not value:
            chosen += "_"
        self.g.externals[chosen] = value
        return chosen

    def length(self, n: Axis) -> ast.expr | None:
        """The length of an axis, as an expression."""
        if isinstance(n, int):
            return ast.Constant(n)
        v, _, i = n.partition(".")
        if v in self.fixed and i.isdigit():
            return expression(f"x.shape[{i}]", x=v)
        return None if n.startswith((UNSURE, NOT_ONE)) else self.length_of_another(n)

    def length_of_another(self, n: Axis) -> ast.expr | None:
        """The length of an axis that a variable has which was bound once, for all that follows."""
        for v in self.lasting:
            if isinstance(kind := self.env.get(v), Number) and n in kind.axes:
                return expression(f"x.shape[{kind.axes.index(n)}]", x=v)
        return None

    # Statements

    def block(self, body: Body) -> Body:
        done: Body = []
        self.zeros = {}
        for i, s in enumerate(body):
            new = first_term(s, self) or self.statement(thinned(body, i, self))
            read = {v for x in (s, *new) for y in statements([x]) for v in (*header_reads(y), *writes(y))}
            self.zeros = {v: x for v, x in self.zeros.items() if v not in read} | zeroed(new, self.handed)
            for v in {v for x in (s, *new) if not is_unset(x) for v in writes(x)}:
                self.ever[v] = join(self.ever.get(v), self.env.get(v, UNKNOWN)) or UNKNOWN
            done += [x for x in new if not self.is_sum(x) or not doubled(done, x, self.g.shared)]
        return merged(done, self) if self.versions.sizes is not None else done

    def is_read_outside(self, v: str) -> bool:
        """Whether a variable is read elsewhere than in the one block that defines it."""
        assert self.g.tree is not None
        defining = [b for b in blocks(self.g.tree.body) if any(v in writes(s) for s in b)]
        if len(defining) != 1:
            return True
        inside = set(statements(defining[0]))
        return any(v in header_reads(s) for s in statements(self.g.tree.body) if s not in inside)

    def fresh(self, base: str, why: str) -> str:
        """A name that is not used yet; the same for the same purpose."""
        n = 2
        while why not in self.made_up:
            if (chosen := f"{base}{n}") not in self.local | self.g.externals.keys() | self.user:
                self.made_up[why] = chosen
                self.local.add(chosen)
            n += 1
        return self.made_up[why]

    def is_sum(self, s: ast.stmt) -> bool:
        """Whether a statement adds to an array."""
        if not isinstance(s, ast.AugAssign):
            return False
        kinds = self.of(loaded(s.target)), self.of(s.value)
        return all(isinstance(k, Number) and k.real for k in kinds)

    def statement(self, s: ast.stmt) -> Body:
        match s:
            case ast.Assign(targets=[ast.Name(id=v)]) if is_unset(s):  # a loop sets it, if it runs
                self.forget(v)
                self.env.pop(v, None)
                return [s]
            case ast.Assign(targets=[target], value=value):
                self.now = self.dying.get(s, set())
                value = self.rewritten(plain_zeros(target, value, self))
                new = s if value is s.value else replace(s, value=value)
                if isinstance(target, ast.Name) and (parts := places(new, self)) is not None:
                    return parts
                if isinstance(target, ast.Subscript):
                    text = ast.unparse(new)
                    self.exact[text] = self.exact.get(text, True) and fits(self.of(loaded(target)), self.of(value))
                filled = self.finished(value)
                self.env |= {v: k for v, k in fitting(value, self.of, self.resolve) if v in self.local}
                self.store(target, filled or self.of(value))
                self.forget_lists(value)
                if filled is not None and isinstance(value, ast.Name):
                    self.env[value.id] = filled
                return [new]
            case ast.AugAssign(target=ast.Name(id=v), value=value):
                value = self.rewritten(value)
                old, term = self.of(ast.Name(v, ast.Load())), self.of(value)
                if grows(old, term):  # what was summed in place does not fit there
                    return self.statement(at(ast.Assign([s.target], ast.BinOp(loaded(s.target), s.op, value)), s))
                self.forget(v)
                self.env[v] = self.augmented(old, term)
                return [replace(s, value=value)]
            case ast.AugAssign(target=target, value=value):
                value = self.rewritten(value)
                self.store(target, self.of(value))
                return [replace(s, value=value)]
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=v), attr="append"), args=[old]) as call):
                item = self.rewritten(old)
                stack = self.env.get(v)
                if isinstance(stack, (Stack, Items)):
                    known = stack.item if isinstance(stack, Stack) else any_of(stack)
                    kind = self.of(item)
                    self.written(v, kind)
                    some = v not in self.shrinking and not is_float(kind)
                    self.env[v] = Stack(join(known, kind if v in self.mirrored else without(kind, "@")), some)
                    self.ever[v] = join(self.ever.get(v), self.env[v]) or UNKNOWN
                elif isinstance(stack, Listed):
                    self.forget(v)
                self.forget_lists(item)
                return [s if item is old else replace(s, value=replace(call, args=[item]))]
            case ast.Expr(value=value):
                value = self.rewritten(value)
                self.forget_lists(value)
                self.forget_changed(value)
                done = s if value is s.value else replace(s, value=value)
                total = added(done, self)
                return [done] if total is None else self.statement(total)
            case ast.Return(value=value) if value is not None:
                value = self.rewritten(value)
                self.result = join(self.result, self.of(value))
                return [replace(s, value=value)]
            case ast.If(body=[ast.Break()]):
                return [s]
            case ast.If() if type(s) is ast.If:
                return self.branch(s)
            case ast.For() | ast.While() if not s.orelse:
                return [self.loop(s)]
            case _:
                for v in assigned_inside([s]):
                    self.env[v] = UNKNOWN
                return [s]

    def branch(self, s: ast.If) -> Body:
        test = self.rewritten(s.test)
        if isinstance(test, ast.Constant) and isinstance(test.value, bool):
            return self.block(s.body if test.value else s.orelse)
        start = dict(self.env)
        then = self.block(s.body)
        first, self.env = self.env, start
        other = self.block(s.orelse)
        self.env = joined(first, self.env)
        return [replace(s, test=test, body=then or [ast.Pass()], orelse=other)]

    def loop(self, s: ast.For | ast.While) -> ast.stmt:
        """A loop, gone through once for what is known before it: loops around it ask for it again and again."""
        key = s, frozenset(self.env.items())
        if key not in self.loops:
            self.loops[key] = self.rewritten_loop(s), self.env, self.zeros
        new, env, zeros = self.loops[key]
        self.env, self.zeros = dict(env), dict(zeros)
        return new

    def rewritten_loop(self, s: ast.For | ast.While) -> ast.stmt:
        if isinstance(s, ast.For):
            s = replace(s, iter=self.rewritten(s.iter))
        self.finish_lists(s)
        self.depth += 1
        for _ in range(ROUNDS):
            start = dict(self.env)
            self.target(s)
            self.block(s.body)
            self.env = joined(start, self.behind())
            if self.env == start:
                break
        else:
            self.env |= dict.fromkeys(assigned_inside([s]), UNKNOWN)
        start = dict(self.env)
        self.target(s)
        test = self.rewritten(s.test) if isinstance(s, ast.While) else None
        body = self.block(s.body) or [ast.Pass()]
        self.env = joined(start, self.behind())
        self.depth -= 1
        return replace(s, body=body, test=test) if isinstance(s, ast.While) else replace(s, body=body)

    def behind(self) -> Env:
        """What is known after an iteration: nothing in terms of the loop's own counter."""
        return {v: without(k, f"@{self.depth}<") for v, k in self.env.items()}

    def target(self, s: ast.For | ast.While) -> None:
        if isinstance(s, ast.For):
            inner = s.iter.args[0] if isinstance(s.iter, ast.Call) and len(s.iter.args) == 1 else s.iter
            found = next((e for e in (inner, s.iter) if is_range(e)), None)
            self.store(s.target, UNKNOWN if found is None else self.counter(s, found))

    def counter(self, s: ast.For, count: ast.expr) -> Kind:
        """The kind of a loop's counter, which has a name as long as the loop does not change it."""
        if not isinstance(s.target, ast.Name) or not isinstance(count, ast.Call):
            return INT
        if s.target.id in assigned_inside(s.body):
            return INT
        kinds = [self.of(a) for a in count.args]
        sizes = [k.size if isinstance(k, Number) else None for k in kinds]
        over = ":".join(map(str, sizes)) if None not in sizes else f"at {id(s.body)}"
        return with_changes(INT, size=f"{UNSURE}{s.target.id}@{self.depth}<{over}>")

    def augmented(self, old: Kind, value: Kind) -> Kind:
        """In place an array keeps its axes and its dtype."""
        if isinstance(old, Number) and old.rank and old.real:
            return old
        return broadcast(old, value)

    # Expressions

    def rewritten(self, e: ast.expr) -> ast.expr:
        if any(isinstance(n, SCOPED) for n in walk(e)):  # names mean something else inside
            return e
        return rebuild(e, self.changed)

    def changed(self, e: ast.expr) -> ast.expr:
        if isinstance(e, ast.Call) and isinstance(found := self.resolve(e.func), Generated) and found.tree is not None:
            return self.versioned(e, found)
        new = self.known.change(e)
        if isinstance(new, ast.BinOp) and self.now:
            new = reused(new, self.now, self.use(np, "np"), self.is_large_like)
        if self.formed is None:
            return new
        if isinstance(new, ast.Call):
            new = self.formed.changed(new, self.use)
        new = contracted(new, self.of, self.resolve, self.is_large)
        return subscripts(new, self.of, self.resolve, self.is_large, lambda: self.use(np, "np"))

    def is_large_like(self, v: str, e: ast.expr) -> bool:
        """Whether the result of an operation has the form of an operand, and is large."""
        kind, result = self.env.get(v), self.of(e)
        if not isinstance(kind, Number) or not isinstance(result, Number) or not kind.real:
            return False
        fits = kind.dtype == result.dtype and kind.rank == result.rank and all(map(alike, kind.axes, result.axes))
        return fits and self.is_large(kind.axes)

    def is_large(self, axes: tuple[Axis, ...]) -> bool:
        sizes = self.versions.sizes or {}
        return math.prod(n if isinstance(n, int) else sizes.get(n, 1) for n in axes) >= LARGE

    def versioned(self, e: ast.Call, callee: Generated) -> ast.expr:
        callee = self.versions.origin.get(callee, callee)
        kinds = self.given(e, callee)
        if kinds is None:
            return e
        new, _ = self.versions.version(callee, renamed(kinds, parameters_of(callee))[0])
        held = next((v for v, x in self.g.externals.items() if x is new), None)
        if held is None:
            held = callee.name
            while held in self.g.externals or held in self.local:
                held += "_"
            self.g.externals[held] = new
        return replace(e, func=ast.Name(held, ast.Load()))


def fits(place: Kind, value: Kind) -> bool:
    """Whether a place that a value is stored in gives the very value back."""
    if not isinstance(place, Number) or not isinstance(value, Number) or not place.real or value.weak is not False:
        return False
    return place.dtype == value.dtype and place.rank == value.rank and all(
        alike(n, m) or reaches(n, m) for n, m in zip(place.axes, value.axes)
    )


def grows(old: Kind, value: Kind) -> bool:
    """Whether a sum has more elements than what is added to."""
    if not isinstance(old, Number) or not isinstance(value, Number) or not old.rank:
        return False
    pairs = zip(reversed(old.axes), reversed(value.axes))
    return value.rank > old.rank or any(n == 1 and not_one(m) for n, m in pairs)


def joined(a: Env, b: Env) -> Env:
    """What holds after one way or the other; a name that only one of them binds is read there alone."""
    return {v: join(a.get(v), b.get(v)) or UNKNOWN for v in {**a, **b}}
