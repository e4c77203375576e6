"""Attempts that take effect as a whole: what an attempt has assigned is read only where it ran to its end.

y = y * x              part = None
y = y + sqrt(x)        try: y = y * x
                 ->    except ValueError: part = error_raised()
                       if part is None:
                           part2 = None
                           try: y = y + sqrt(x)
                           except ValueError: part2 = error_raised()
                           caught = part2
                       else: caught = part

(the body of a `try` whose handler reads `y`). What is read outside is assigned at the end of the body, after
all that may raise: so what the forward pass keeps is kept only by attempts that succeed.
"""

from __future__ import annotations

import ast
from typing import Protocol

from tangent.analysis.liveness import live_into, liveness, surely_bound
from tangent.normalise.context import Context
from tangent.syntax.blocks import MARKS, Attempt, Enter, Leave
from tangent.syntax.core import is_atom
from tangent.syntax.print import Comment
from tangent.syntax.quote import assign, at, constant, expression, name
from tangent.syntax.rebuild import rename, replace, statements
from tangent.syntax.uses import arguments, assigned_inside, expression_reads, header_reads, writes

Body = list[ast.stmt]


class Located(Protocol):
    """What can say where it is."""

    def refuse(self, node: ast.AST, construct: str, why: str, todo: str = "") -> Exception: ...


def settle_attempts(core: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    found = [s for s in statements(core.body) if isinstance(s, Attempt)]
    if not found:
        return core
    visible = {a: _visible(a, core, context) for a in found}
    split = replace(core, body=_Split(context, visible).block(core.body))
    unsure: set[str] = set()
    late = _late(split.body, split, context, unsure)
    bound = {a.arg for a in arguments(core.args)} | _bound_at_start(late)
    done = replace(split, body=[*(assign(v, constant(None), core.body[0]) for v in sorted(unsure - bound)), *late])
    context.scope.local |= assigned_inside(done.body) - context.declared
    return done


# What may raise, and what it would leave behind


def may_raise(s: ast.stmt) -> bool:
    match s:
        case Comment() | ast.Pass() | ast.Global() | ast.Nonlocal():
            return False
        case ast.Assign(targets=[ast.Name()], value=value):
            return not is_atom(value) and not (isinstance(value, (ast.List, ast.Tuple)) and not value.elts)
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(), attr="append"))):
            return False
        case ast.If(body=[ast.Break()], test=test):
            return _test_may_raise(test)
        case ast.If(test=test, body=body, orelse=orelse):
            return _test_may_raise(test) or any(map(may_raise, (*body, *orelse)))
        case ast.For(body=body):
            return any(map(may_raise, body))
        case _:
            return True


def _test_may_raise(e: ast.expr) -> bool:
    return not all(isinstance(n, (ast.Name, ast.Constant, ast.Compare, ast.BoolOp, ast.UnaryOp)) or not isinstance(
        n, ast.expr) for n in ast.walk(e))  # fmt: skip


STORED = "[]"  # stands for whatever a statement writes in place


def _assigned(body: Body) -> set[str]:
    return {v for s in statements(body) for v in writes(s)}


def _changed(body: Body, context: Context, made: set[str]) -> set[str]:
    """What a block assigns, and whether it may write in place; not into lists that were made for it."""
    stored = any(_stores(s, made) or (s.lineno, s.col_offset) in context.augmented for s in statements(body))
    return _assigned(body) | ({STORED} if stored else set())


def _lists_made(body: Body) -> set[str]:
    """Lists that a block makes itself, as comprehensions do."""
    made = [s for s in statements(body) if isinstance(s, ast.Assign) and isinstance(s.value, ast.List)]
    return {v for s in made for v in writes(s)}


def _stores(s: ast.stmt, made: set[str]) -> bool:
    match s:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=v), attr="append"))) if v in made:
            return False
        case ast.Assign(targets=targets) if any(isinstance(t, (ast.Subscript, ast.Attribute)) for t in targets):
            return True
        case ast.AugAssign() | ast.Delete():
            return True
        case ast.Expr(value=ast.Call(func=func, args=args)):
            return isinstance(func, ast.Attribute) or any(isinstance(a, ast.Name) for a in args)
        case ast.Assign(value=ast.Call(keywords=keywords)):
            return any(k.arg == "out" for k in keywords)
        case _:
            return False


def _visible(a: Attempt, core: ast.FunctionDef, context: Context) -> set[str]:
    """What of that which an attempt has done can be seen where it failed."""
    live = live_on_failure(core, a)
    seen = (live & _bound_before(a, core)) - expression_reads(a.test)
    return _changed(a.body, context, _lists_made(a.body)) & (live | {STORED} if seen else live)


def live_on_failure(core: ast.FunctionDef, attempt: Attempt) -> frozenset[str]:
    """What is read after an attempt that failed."""
    caught = next(iter(expression_reads(attempt.test)))

    def block(body: Body) -> Body:
        found = [new for s in body for new in statement(s)]
        end = next((i for i, s in enumerate(found) if isinstance(s, ast.Raise)), len(found))
        return found[: end + 1]

    def statement(s: ast.stmt) -> Body:
        match s:
            case Attempt():
                return [s] if s is attempt else [replace(s, body=block(s.body))]
            case ast.If(test=ast.Compare(left=ast.Name(id=v), ops=[ast.Is()]), orelse=other) if v == caught:
                return block(other)
            case ast.If(test=ast.Compare(left=ast.Name(id=v), ops=[ast.IsNot()]), body=then) if v == caught:
                return block(then)
            case ast.If(body=then, orelse=other):
                return [replace(s, body=block(then), orelse=block(other))]
            case ast.For(body=inner) | ast.While(body=inner):
                return [replace(s, body=block(inner))]
            case _:
                return [s]

    return liveness(replace(core, body=block(core.body)), frozenset([attempt])).after[attempt]


# Attempts in parts


class _Split:
    def __init__(self, context: Context, visible: dict[Attempt, set[str]]) -> None:
        self.context, self.visible = context, visible
        self.made: set[str] = set()

    def block(self, body: Body) -> Body:
        return [new for s in body for new in self.statement(s)]

    def statement(self, s: ast.stmt) -> Body:
        match s:
            case Attempt(body=body):
                names = self.visible[s]
                self.made |= _lists_made(body)
                new = replace(s, body=self.block(body))
                return self.parts(new, names) if not self.is_whole(new.body, names) else [new]
            case ast.If(body=[ast.Break()]):
                return [s]
            case ast.If(body=then, orelse=other):
                return [replace(s, body=self.block(then), orelse=self.block(other))]
            case ast.For(body=inner) | ast.While(body=inner):
                return [replace(s, body=self.block(inner))]
            case _:
                return [s]

    def parts(self, s: Attempt, names: set[str]) -> Body:
        caught = next(iter(expression_reads(s.test)))
        return self.sequence(s.body, names, s, caught)

    def sequence(self, body: Body, names: set[str], s: Attempt, caught: str) -> Body:
        """The first part; if it went well the others, if not what was caught."""
        first, rest = self.cut(self.asked(body, names), names, s)
        if isinstance(first, ast.stmt):  # a branch or a loop, attempted from the inside
            opened = self.opened(first, names, s, caught)
            if not rest:
                return [opened]
            before = self.context.names.numbered("part")  # what is caught may change inside
            others = self.sequence(rest, names, s, caught)
            go_on = at(ast.If(expression("c is None", c=before), others, []), rest[0])
            return [opened, assign(before, name(caught), rest[0]), go_on]
        part = self.context.names.numbered("part")
        checks = [x for x in s.orelse[:-1] if not _is_push(x)]
        counted, first = _counted(first, {v for x in checks for v in header_reads(x)})
        store = replace(s.orelse[-1], targets=[ast.Name(part, ast.Store())])
        handler = [*checks, store]
        attempt = at(Attempt(test=expression("c is None", c=part), body=first, orelse=handler, types=s.types), first[0])
        start = [*counted, assign(part, constant(None), first[0])]
        failed = [*filter(_is_push, s.orelse[:-1]), assign(caught, name(part), first[0])]
        if not rest:
            last = (
                failed if len(failed) == 1 else [at(ast.If(expression("c is not None", c=part), failed, []), first[0])]
            )
            return [*start, attempt, *last]
        others = self.sequence(rest, names, s, caught)
        after = at(ast.If(expression("c is None", c=part), others, failed), first[0])
        return [*start, attempt, after]

    def cut(self, body: Body, names: set[str], s: Attempt) -> tuple[Body | ast.stmt, Body]:
        """What runs up to the first assignment of one of the names, or a compound statement with such; and the rest."""
        for position, x in enumerate(body):
            inside = _changed([x], self.context, self.made) & names
            if isinstance(x, MARKS):
                raise self.refusal(x, "a block with 'with' or 'finally' inside 'try'", s)
            if not inside:
                continue
            compound = isinstance(x, (ast.If, ast.For, ast.While)) and not isinstance(x, Attempt)
            if compound and position:
                return body[:position], body[position:]
            if compound:
                return x, body[1:]
            end = position + 1
            while end < len(body) and not may_raise(body[end]):
                end += 1
            return body[:end], body[end:]
        return body, []

    def asked(self, body: Body, names: set[str]) -> Body:
        """The block where loops that assign one of the names ask for what may raise in statements of their own.

        while f(x) < 1.0:          go = f(x) < 1.0
            x = x * 2.0      ->    while go:
                                       x = x * 2.0
                                       go = f(x) < 1.0
        """
        done: Body = []
        for x in body:
            if isinstance(x, ast.While) and _test_may_raise(x.test) and _changed([x], self.context, self.made) & names:
                go = self.context.names.numbered("go")
                ask = assign(go, x.test, x)
                *inner, last = x.body
                again = [*x.body, ask]
                if isinstance(last, ast.If) and _leaves(last):  # then it is not asked
                    again = [*inner, at(ast.If(ast.UnaryOp(ast.Not(), last.test), [ask], []), last), last]
                done += [ask, replace(x, test=name(go), body=again)]
            else:
                done.append(x)
        return done

    def opened(self, x: ast.stmt, names: set[str], s: Attempt, caught: str) -> ast.stmt:
        match x:
            case ast.If(body=then, orelse=other):
                sides = [self.sequence(b, names, s, caught) if b else [] for b in (then, other)]
                return replace(x, body=sides[0], orelse=sides[1])
            case ast.For(body=inner) | ast.While(body=inner):
                *rest, last = inner
                leaves = _leaves(last)
                test: ast.expr = expression("c is not None", c=caught)
                if leaves and isinstance(last, ast.If):
                    test = ast.BoolOp(ast.Or(), [test, last.test])
                body = self.sequence(rest if leaves else inner, names, s, caught)
                return replace(x, body=[*body, at(ast.If(test, [ast.Break()], []), last)])
            case _:
                raise AssertionError("not a compound statement")

    def is_whole(self, body: Body, names: set[str]) -> bool:
        """Whether nothing may raise after one of the names was assigned."""
        for position, s in enumerate(body):
            if not (_changed([s], self.context, self.made) & names):
                continue
            if any(map(may_raise, body[position + 1 :])):
                return False
            match s:
                case Attempt():
                    continue
                case ast.If(body=then, orelse=other):
                    if not (self.is_whole(then, names) and self.is_whole(other, names)):
                        return False
                case ast.For() | ast.While():
                    if may_raise(s):
                        return False
        return True

    def refusal(self, x: ast.stmt, what: str, s: Attempt) -> Exception:
        return self.context.refuse(
            x, what, "what it has assigned is read after an exception", "Move it into a function of its own."
        )


def _leaves(s: ast.stmt) -> bool:
    """Whether a statement is the one that ends a loop."""
    match s:
        case ast.If(body=[ast.Break()]):
            return True
        case _:
            return False


def _is_push(s: ast.stmt) -> bool:
    """Whether a handler keeps what it is about to overwrite."""
    match s:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(), attr="append"))):
            return True
        case _:
            return False


def _counted(body: Body, asked: set[str]) -> tuple[Body, Body]:
    """What a part begins with that its handler asks for, which is counted before; and what is attempted."""
    end = 0
    while end < len(body) - 1 and isinstance(body[end], ast.Assign) and {*writes(body[end])} <= asked:
        end += 1
    return body[:end], body[end:]


# Assignments at the end


def _late(body: Body, core: ast.FunctionDef, context: Context, unsure: set[str]) -> Body:
    done: Body = []
    for s in body:
        match s:
            case Attempt(body=inner):
                new = replace(s, body=_late(inner, core, context, unsure))
                done.append(_assigned_at_the_end(new, s, core, context, unsure))
            case ast.If(body=[ast.Break()]):
                done.append(s)
            case ast.If(body=then, orelse=other):
                sides = [_late(b, core, context, unsure) for b in (then, other)]
                done.append(replace(s, body=sides[0], orelse=sides[1]))
            case ast.For(body=inner) | ast.While(body=inner):
                done.append(replace(s, body=_late(inner, core, context, unsure)))
            case _:
                done.append(s)
    return done


def _assigned_at_the_end(
    s: Attempt, original: Attempt, core: ast.FunctionDef, context: Context, unsure: set[str]
) -> Attempt:
    inside = {id(x) for x in statements(original.body)}
    outside = {v for x in statements(core.body) if id(x) not in inside for v in (*header_reads(x), *writes(x))}
    names = sorted(_assigned(s.body) & outside & _bound_before(original, core))
    if not names or not any(map(may_raise, s.body)):
        return s
    now: dict[str, str] = {}
    done: Body = []
    for x in s.body:
        match x:
            case ast.Assign(targets=targets, value=value) if all(isinstance(t, (ast.Name, ast.Tuple)) for t in targets):
                read = rename(value, now)
                now |= {v: context.names.numbered("t") for v in writes(x) if v in names}
                done.append(replace(x, targets=[rename(t, now) for t in targets], value=read))
            case _:
                inner = [v for v in names if v in _assigned([x]) and v not in now]
                now |= {v: context.names.numbered("t") for v in inner}
                kept = [v for v in inner if v in live_into([x]) or v not in surely_bound([x], set())]
                sides = [v for v in kept if v not in live_into([x]) and _is_on_one_side(x, v)]
                done += [assign(now[v], name(v), x) for v in kept if v not in sides]
                done.append(_on_both_sides(rename(x, now), {now[v]: v for v in sides}))
                unsure.update(kept)
    last = [assign(v, name(now[v]), s.body[-1]) for v in names]
    return replace(s, body=[*done, *last])


def _bound_at_start(body: Body) -> set[str]:
    """Variables that get their first value before the first branch or loop."""
    simple = next((i for i, s in enumerate(body) if isinstance(s, (ast.If, ast.For, ast.While))), len(body))
    return surely_bound(body[:simple], set())


def _is_on_one_side(s: ast.stmt, v: str) -> bool:
    """Whether one side of a branch always assigns a variable, and the other one never."""
    if not isinstance(s, ast.If) or isinstance(s, Attempt):
        return False
    return all(v in surely_bound(side, set()) or v not in _assigned(side) for side in (s.body, s.orelse))


def _on_both_sides(s: ast.stmt, old: dict[str, str]) -> ast.stmt:
    """A branch that gives variables their old values on the side where it assigns them nothing."""
    if not isinstance(s, ast.If):
        return s
    sides = [
        [*b, *(assign(v, name(w), s) for v, w in old.items() if v not in _assigned(b))] for b in (s.body, s.orelse)
    ]
    return replace(s, body=sides[0], orelse=sides[1])


def _bound_before(s: ast.stmt, core: ast.FunctionDef) -> set[str]:
    """Names that may have a value where a statement begins."""
    found = {a.arg for a in arguments(core.args)}
    for x in statements(core.body):
        if x is s:
            break
        found.update(writes(x))
    loops = [x for x in statements(core.body) if isinstance(x, (ast.For, ast.While)) and s in statements(x.body)]
    return found | {v for x in loops for v in _assigned(x.body)}


def refuse_early_records(unit: Located, s: Attempt, stacks: set[str]) -> None:
    """What a failed attempt has kept nobody takes back: so nothing may raise after it."""
    kept = False
    for x in statements(s.body):
        match x:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=v), attr="append"))) if v in stacks:
                kept = True
            case ast.If() | ast.For():
                continue
            case _ if kept and may_raise(x):
                raise unit.refuse(
                    s, "a 'try' of this form inside a loop", "it keeps values before it may fail",
                    "Move the body of the 'try' into a function of its own.",
                )  # fmt: skip
    if any(isinstance(x, (ast.For, ast.While)) and _keeps(x, stacks) and may_raise(x) for x in statements(s.body)):
        raise unit.refuse(
            s, "a loop inside 'try' inside a loop", "it keeps values before it may fail",
            "Move the body of the 'try' into a function of its own.",
        )  # fmt: skip


def _keeps(loop: ast.For | ast.While, stacks: set[str]) -> bool:
    return any(isinstance(n, ast.Name) and n.id in stacks for x in loop.body for n in ast.walk(x))


# Blocks in the backward pass


def reentered(mark: Enter | Leave, body: Body, local: set[str]) -> Body:
    """The marks of a block that the backward pass runs under, too: those that only say how NumPy warns."""
    if isinstance(mark, Enter):
        return [at(Leave(), mark)] if mark.quiet and not expression_reads(mark.value) & local else []
    depth = 0
    for x in reversed(body[: next(i for i, s in enumerate(body) if s is mark)]):
        if isinstance(x, Leave):
            depth += 1
        elif isinstance(x, Enter) and depth == 0:
            return [x] if x.quiet and not expression_reads(x.value) & local else []
        elif isinstance(x, Enter):
            depth -= 1
    return []
