"""Drop what nothing needs: assignments, records with their restores, branches and loops left empty.

y = x * x
h_stack.append(h)             (nothing)
...                     ->
h = h_stack.pop()
return by
"""

from __future__ import annotations

import ast
import functools
from dataclasses import dataclass, field

from tangent.analysis.watched import watched
from tangent.optimise.context import Body, Optimisation
from tangent.optimise.purity import is_pure
from tangent.syntax.blocks import Attempt, Enter, Leave
from tangent.syntax.inserted import InsertedCode, RestoringFor, RestoringIf, root
from tangent.syntax.print import Comment
from tangent.syntax.rebuild import NESTED, all_writes, replace, same, statements
from tangent.syntax.records import popped, pushed
from tangent.syntax.uses import expression_reads, header_reads, may_skip, writes
from tangent.syntax.walk import children, fact, walk


def dead(body: Body, o: Optimisation) -> Body:
    """Unneeded by anyone anywhere first (this finds cycles), then overwritten before read; until neither finds more."""
    size = -1
    while size != (size := _size(body)):
        stacks = local_stacks(body)
        swept = _sweep(body, _needed(body, o, stacks))
        body = _Overwritten(o, swept, stacks if same(body, swept) else local_stacks(swept)).run()
    return body


def _size(body: Body) -> int:
    return sum(1 for _ in statements(body))


# Lists that only keep records


@dataclass
class Stack:
    pushes: list[ast.stmt] = field(default_factory=list)
    pops: list[ast.stmt] = field(default_factory=list)
    inits: int = 0


Stacks = dict[str, Stack]


def local_stacks(body: Body) -> Stacks:
    """Lists made here that are only pushed to and popped from."""
    every = [(s, *_of_stacks(s)) for s in statements(body)]
    found = {v: Stack() for _, does, v, _ in every if does == "make"}
    if not found:
        return found
    other: set[str] = set()
    for s, does, v, names in every:
        other |= names
        if v in found:
            stack = found[v]
            stack.inits += does == "make"
            if does != "make":
                (stack.pushes if does == "push" else stack.pops).append(s)
    return {v: stack for v, stack in found.items() if stack.inits == 1 and v not in other}


@fact
def _of_stacks(s: ast.stmt) -> tuple[str, str, frozenset[str]]:
    """What a statement does with a list, with which one, and the names that it uses otherwise."""
    match s:
        case ast.Assign(targets=[ast.Name(id=v)], value=ast.List(elts=[])):
            return "make", v, frozenset()
        case ast.Expr(value=ast.Call(args=[value])) if v := pushed(s):
            return "push", v, expression_reads(value)
        case _ if v := popped(s):  # into an item: what it is an item of, and where
            return "pop", v, frozenset(writes(s)) or header_reads(s) - {v}
        case _:
            return "", "", header_reads(s).union(writes(s))


# What contributes to the result at all


def _needed(body: Body, o: Optimisation, stacks: Stacks) -> set[ast.stmt]:
    """Statements that a result or an effect depends on, whatever the order."""
    readers = _Readers(o, stacks, watched(body, o.resolve))
    readers.block(body, ())
    needed: set[ast.stmt] = set()
    waiting = list(readers.roots)
    while waiting:
        s = waiting.pop()
        if s in needed:
            continue
        needed.add(s)
        waiting += [owner for owner in readers.owners[s] if owner not in needed]
        for v in header_reads(s):
            waiting += readers.writers.pop(v, [])
        if isinstance(s, (ast.For, ast.While)):
            waiting += readers.breaks.get(s, [])
    return needed


class _Readers:
    """Who writes each name, which blocks a statement stands in, and which statements count by themselves."""

    def __init__(self, o: Optimisation, stacks: Stacks, watched: set[ast.stmt]) -> None:
        self.o, self.watched = o, watched
        self.roots: list[ast.stmt] = []
        self.writers: dict[str, list[ast.stmt]] = {}
        self.owners: dict[ast.stmt, tuple[ast.stmt, ...]] = {}
        self.breaks: dict[ast.stmt, list[ast.stmt]] = {}
        self.stacks = stacks
        self.declared: set[str] = set()

    def block(self, body: Body, owners: tuple[ast.stmt, ...]) -> None:
        for s in body:
            self.owners[s] = owners
            if isinstance(s, (ast.Global, ast.Nonlocal)):
                self.declared.update(s.names)
            for v in writes(s):
                self.writers.setdefault(v, []).append(s)
            if self.stacks and (stack := pushed(s) or popped(s)) in self.stacks:
                self.writers.setdefault(stack, []).append(s)  # whoever takes from a list hangs on all who change it
            match s:
                case ast.If(body=[ast.Break()]):
                    loop = next(x for x in reversed(owners) if isinstance(x, (ast.For, ast.While)))
                    self.breaks.setdefault(loop, []).append(s)
                case ast.If(body=then, orelse=other):
                    self.block(then, (*owners, s))
                    self.block(other, (*owners, s))
                case ast.For(body=inner) | ast.While(body=inner):
                    self.block(inner, (*owners, s))
                case Comment():
                    continue
            if self.is_root(s) or s in self.watched:
                self.roots.append(s)

    def is_root(self, s: ast.stmt) -> bool:
        stacks = self.stacks
        match s:
            case _ if stacks and (pushed(s) in stacks or (popped(s) in stacks and writes(s))):
                return False
            case ast.FunctionDef(decorator_list=[], args=ast.arguments(defaults=[], kw_defaults=[])):
                return s.name in self.declared
            case ast.Assign(value=value) if _binds_names(s):
                return not is_pure(value, self.o) or not self.declared.isdisjoint(writes(s))
            case ast.If(test=test):
                return not is_pure(test, self.o) and s.body != [] and not isinstance(s.body[0], ast.Break)
            case ast.While(test=test):
                return not is_pure(test, self.o)
            case ast.For(iter=iter):
                return not is_pure(iter, self.o)
            case ast.Pass():
                return False
            case _:
                return True


@fact
def _binds_names(s: ast.Assign) -> bool:
    return all(isinstance(t, (ast.Name, ast.Tuple)) for t in s.targets)


def _sweep(body: Body, needed: set[ast.stmt]) -> Body:
    done: Body = []
    for s in body:
        if isinstance(s, Comment):
            done.append(s)
        elif isinstance(s, Leave) and _is_empty(done):
            while not isinstance(done[-1], Enter):
                done.pop()
            done.pop()
        elif s in needed:
            match s:
                case ast.If(body=[ast.Break()]):
                    done.append(s)
                case ast.If(body=then, orelse=other):
                    done += _branch(s, _sweep(then, needed), _sweep(other, needed))
                case ast.For(body=inner) | ast.While(body=inner):
                    done += _loop(s, _sweep(inner, needed))
                case _:
                    done.append(s)
    return done


def _is_empty(done: Body) -> bool:
    """Whether what comes last is a quiet block without statements."""
    last = next((x for x in reversed(done) if not isinstance(x, Comment)), None)
    return isinstance(last, Enter) and last.quiet


def _branch(s: ast.If, then: Body, other: Body) -> Body:
    """The branch with new sides: gone if both are empty, turned round if only the first is."""
    if same(then, s.body) and same(other, s.orelse):
        return [s]
    full_then, full_other = _has_code(then), _has_code(other)
    if isinstance(s, Attempt):
        return [replace(s, body=then, orelse=other)]
    if full_then:
        return [replace(s, body=then, orelse=other if full_other else [])]
    if full_other:
        return [replace(s, test=_negated(s.test), body=other, orelse=[])]
    return []


def _loop(s: ast.stmt, inner: Body) -> Body:
    assert isinstance(s, (ast.For, ast.While))
    if not any(not isinstance(x, Comment) and not _is_break(x) for x in inner) and isinstance(s, ast.For):
        return []
    return [s] if same(inner, s.body) else [replace(s, body=inner or [ast.Pass()])]


def _is_break(s: ast.stmt) -> bool:
    return isinstance(s, ast.If) and len(s.body) == 1 and isinstance(s.body[0], ast.Break)


def _has_code(body: Body) -> bool:
    return any(not isinstance(s, Comment) for s in body)


def _negated(e: ast.expr) -> ast.expr:
    match e:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return operand
        case _:
            return ast.UnaryOp(ast.Not(), e)


# What is overwritten before it is read


def read_when_called(body: Body) -> set[str]:
    """The variables that functions defined here read when they are called."""
    read: set[str] = set().union(*map(_named_inside, body))
    return read and read & {v for s in body for v in all_writes(s)}


@fact
def _named_inside(s: ast.AST) -> frozenset[str]:
    """The names that functions in a statement use."""
    if isinstance(s, NESTED):
        return frozenset().union(*map(_named_inside, children(s)))
    inner = [n for n in walk(s) if isinstance(n, (ast.Lambda, ast.FunctionDef))]
    return frozenset(n.id for f in inner for n in walk(f) if isinstance(n, ast.Name))


class _Overwritten:
    """Liveness, backward; a restore that nothing reads goes together with its record."""

    def __init__(self, o: Optimisation, body: Body, stacks: Stacks) -> None:
        self.o, self.body, self.all_stacks = o, body, stacks
        self.stacks = [v for v in stacks.values() if len(v.pushes) == 1]
        self.pops = {v.pops[0]: v.pushes[0] for v in self.stacks if len(v.pops) == 1}
        self.several = {pop for v in self.stacks if len(v.pops) > 1 for pop in v.pops}
        self.unread: set[ast.stmt] = set()
        self.gone: set[ast.stmt] = set()
        self.heads: list[set[str]] = []
        self.known: dict[tuple[ast.stmt, frozenset[str], int], set[str]] = {}
        self.declared = {v for s in body if isinstance(s, (ast.Global, ast.Nonlocal)) for v in s.names}
        self.captured = read_when_called(body)
        self.watched = watched(body, o.resolve)

    def is_needless(self, s: ast.stmt, live: set[str]) -> bool:
        """Whether nobody reads what a statement binds or stores into: here, or where arrays of a caller are."""
        into = self.stored_into(s)
        return live.isdisjoint(all_writes(s) | into) and self.given.isdisjoint(into)

    @functools.cached_property
    def given(self) -> set[str]:
        """What comes from outside."""
        return _Overwritten(self.o, self.body, self.all_stacks).block(self.body, set(), drop=False)

    def stored_into(self, s: ast.stmt) -> set[str]:
        """The variables that share what a statement stores into."""
        stores = [root(t) for x in statements([s]) if isinstance(x, ast.Assign) for t in x.targets]
        shared = self.o.shared
        into = {v for v in stores if v} - all_writes(s)
        return into | {v for v in shared if shared[v] in {shared.get(w, "") for w in into}}

    def run(self) -> Body:
        self.block(self.body, set(), drop=True)
        for v in self.stacks:
            if v.pops and self.unread.issuperset(v.pops):
                self.gone.update(v.pushes, v.pops)
        return self.rebuilt(self.body) if self.gone else self.body

    def block(self, body: Body, live: set[str], drop: bool) -> set[str]:
        for s in reversed(body):
            live = self.statement(s, live, drop)
        return live

    def statement(self, s: ast.stmt, live: set[str], drop: bool) -> set[str]:
        match s:
            case ast.Assign():  # most are
                return self.simple(s, live, drop)
            case Comment():
                return live
            case RestoringFor() | RestoringIf() if drop and not self.heads and self.is_needless(s, live):
                self.gone.add(s)  # the lists of a loop that runs once may stay half full
                return live
            case ast.If(body=then, orelse=other):
                second = self.block(other, set(live), drop)
                return self.block(then, live, drop) | second | expression_reads(s.test)
            case ast.For(body=inner) | ast.While(body=inner):
                head = self.head(s, live)
                if drop:
                    self.heads.append(head)
                    self.block(inner, set(head), True)
                    self.heads.pop()
                return head | header_reads(s)
            case _:
                return self.simple(s, live, drop)

    def simple(self, s: ast.stmt, live: set[str], drop: bool) -> set[str]:
        """What is live before a statement without blocks."""
        if drop and self.is_dead(s, live):
            self.gone.add(s)
            if s in self.pops:
                self.gone.add(self.pops[s])
            return live
        if s in self.gone:
            return live
        if isinstance(s, InsertedCode) and s.block.jumps:
            live |= self.heads[-1]
        if drop and s in self.several and writes(s) and live.isdisjoint(writes(s)):
            self.unread.add(s)
        if not may_skip(s):
            live.difference_update(writes(s))
        live |= header_reads(s)
        if self.captured and self.calls_back(s):
            live |= self.captured
        return live

    def calls_back(self, s: ast.stmt) -> bool:
        """Whether a statement may call functions defined here, or their backward passes: these read what it is then."""
        calls = [n for n in walk(s) if isinstance(n, ast.Call)]
        return any("_bwd" in ast.unparse(n.func) or not is_pure(n, self.o) for n in calls)

    def head(self, s: ast.For | ast.While, live: set[str]) -> set[str]:
        """What is live before each iteration, if `live` is behind the loop; loops around it ask again and again."""
        key = s, frozenset(live), len(self.gone)
        if key not in self.known:
            head = live | (header_reads(s) if isinstance(s, ast.While) else set())
            self.heads.append(head)
            while not (entry := self.block(s.body, set(head), False) - set(writes(s))) <= head:
                head |= entry
            self.heads.pop()
            self.known[key] = head
        return set(self.known[key])

    def is_dead(self, s: ast.stmt, live: set[str]) -> bool:
        if not isinstance(s, ast.Assign) or not _binds_names(s) or s in self.watched:
            return False
        if not live.isdisjoint(writes(s)) or not self.declared.isdisjoint(writes(s)):
            return False
        return s in self.pops or (is_pure(s.value, self.o) and not popped(s))

    def rebuilt(self, body: Body) -> Body:
        done: Body = []
        for s in body:
            match s:
                case _ if s in self.gone:
                    continue
                case ast.If(body=[ast.Break()]):
                    done.append(s)
                case ast.If(body=then, orelse=other):
                    done += _branch(s, self.rebuilt(then), self.rebuilt(other))
                case ast.For(body=inner) | ast.While(body=inner):
                    done += _loop(s, self.rebuilt(inner))
                case _:
                    done.append(s)
        return done
