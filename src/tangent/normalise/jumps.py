"""Structured control flow: early `return`, `break`, `continue` and `else` of loops become branches and flags.

if c: return a        if c: out = a
rest             ->   else: rest
return b                    out = b
                      return out

for i in xs:          stop = False
    if c: break       for i in xs:
    rest         ->       if c: stop = True
else: other               else: rest
                          if stop: break
                      if not stop: other
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from tangent.normalise.context import Context
from tangent.syntax.blocks import Attempt
from tangent.syntax.quote import assign, at, constant, name
from tangent.syntax.rebuild import BLOCKS, replace, walk_scope
from tangent.syntax.walk import children, fact, holds

JUMPS = (ast.Return, ast.Break, ast.Continue)
LOOPS = (ast.For, ast.While)


def jumps(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    for s in f.body if holds(f, ast.Try, ast.AsyncFor, ast.AsyncWith) else ():
        _refuse_hidden(s, context)
    body = f.body
    if falls_through(body):
        body = [*body, _located(ast.Return(constant(None)), f)]
    match body:
        case [*start, ast.Return(value=value) as last] if not any(_jumps(s) or _leaves(s) for s in start):
            plain = _Lowering(context, "", tested=set()).block(start)
            if isinstance(value, ast.Name):
                return replace(f, body=[*plain, last])
            out = context.names.fresh("out")
            return replace(f, body=[*plain, assign(out, value or constant(None), last), _return(out, last)])
    out = _common_result(body) or context.names.fresh("out")
    flag = context.names.fresh("returned")
    trial = _Lowering(context, out, flag=flag)
    trial.block(body)
    final = _Lowering(context, out, flag=flag, tested=trial.tested, loops=trial.loops)
    lowered = final.block(body)
    start = [assign(flag, constant(False), f)] if flag in trial.tested else []
    return replace(f, body=[*start, *lowered, _return(out, body[-1])])


def _common_result(body: list[ast.stmt]) -> str:
    """The variable that every `return` returns, if it is always the same."""
    found = {ast.dump(n.value) if n.value else "" for s in body for n in (s, *_inside(s)) if isinstance(n, ast.Return)}
    last = body[-1]
    match last:
        case ast.Return(value=ast.Name(id=v)) if len(found) == 1:
            return v
        case _:
            return ""


def _located(node: ast.Return, like: ast.AST) -> ast.Return:
    return at(node, like)


def _return(out: str, like: ast.AST) -> ast.Return:
    return at(ast.Return(name(out)), like)


def falls_through(body: list[ast.stmt]) -> bool:
    """Whether control can reach the end of the block."""
    for s in body:
        match s:
            case ast.Return() | ast.Raise() | ast.Break() | ast.Continue():
                return False
            case ast.If(body=then, orelse=other) if other and not falls_through(then) and not falls_through(other):
                return False
            case ast.While(test=ast.Constant(value=value)) if value and not own_breaks(s):
                return False
            case ast.With(body=inner) | ast.Try(body=inner) if not falls_through(inner):
                return False
    return True


def own_breaks(loop: ast.stmt) -> bool:
    assert isinstance(loop, (ast.For, ast.While))
    return ast.Break in own_jumps(loop.body)


def own_jumps(body: list[ast.stmt]) -> set[type[ast.stmt]]:
    """Which of `break` and `continue` a block does for the loop around it, also in the `else` of a loop inside."""
    found: set[type[ast.stmt]] = set()
    for s in body:
        if isinstance(s, (ast.Break, ast.Continue)):
            found.add(type(s))
        elif isinstance(s, LOOPS):
            found |= own_jumps(s.orelse)
        elif not isinstance(s, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            for block in _blocks(s):
                found |= own_jumps(block)
    return found


def _blocks(s: ast.AST) -> Iterator[list[ast.stmt]]:
    for field_ in BLOCKS:
        for inner in (block := getattr(s, field_, None) or []):
            if isinstance(inner, (ast.ExceptHandler, ast.match_case)):
                yield inner.body
        if block and isinstance(block[0], ast.stmt):
            yield block


def leaves_loop(loop: ast.For) -> bool:
    """Whether a loop may end before its iterable does."""
    return own_breaks(loop) or any(isinstance(n, ast.Return) for n in _inside(loop))


@fact
def _inside(s: ast.AST) -> list[ast.AST]:
    """The statements inside a statement, in its own function."""
    found: list[ast.AST] = []
    for child in children(s):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.expr)):
            continue
        found.append(child)
        found += _inside(child)
    return found


def _jumps(s: ast.stmt) -> bool:
    """Whether the statement may leave the block it stands in other than by its end."""
    if isinstance(s, JUMPS):
        return True
    if isinstance(s, LOOPS):
        return any(isinstance(n, ast.Return) for n in _inside(s)) or bool(own_jumps(s.orelse))
    if isinstance(s, ast.If):
        return any(_jumps(x) for x in (*s.body, *s.orelse))
    if isinstance(s, (ast.With, ast.Try)):
        return any(_jumps(x) for x in s.body)
    return False


def _leaves(s: ast.stmt) -> bool:
    """Whether a loop inside the statement has jumps of its own or an else clause."""
    return any(isinstance(n, LOOPS) and (n.orelse or any(isinstance(m, JUMPS) for m in _inside(n)))
               for n in (s, *_inside(s)))  # fmt: skip


def _refuse_hidden(s: ast.stmt, context: Context) -> None:
    """Jumps out of `finally` and of asynchronous blocks cannot be restructured."""
    for node in (s, *walk_scope(s)):
        match node:
            case ast.Try(finalbody=block):
                word = "finally"
            case ast.AsyncFor(body=block) | ast.AsyncWith(body=block):
                word = "async"
            case _:
                continue
        for inner in (n for x in block for n in (x, *_inside(x))):
            loops = [n for x in block for n in (x, *_inside(x)) if isinstance(n, LOOPS)]
            own = isinstance(inner, ast.Return) or not any(inner in _inside(n) for n in loops)
            if isinstance(inner, JUMPS) and own:
                raise context.refuse(
                    inner, f"'{type(inner).__name__.lower()}' inside '{word}'",
                    f"the way out of '{word}' is not part of the derivative",
                    f"Assign to a variable inside the '{word}' and leave after it.",
                )  # fmt: skip


@dataclass
class _Lowering:
    """One walk over the body; a first, trial walk finds out which flags are tested."""

    context: Context
    out: str
    flag: str = "returned"
    tested: set[str] = field(default_factory=set)
    loops: dict[ast.stmt, tuple[str, str]] = field(default_factory=dict)
    current: tuple[str, str] | None = None

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        done: list[ast.stmt] = []
        for position, s in enumerate(body):
            rest = body[position + 1 :]
            if isinstance(s, JUMPS):
                return done + self.jump(s)
            if isinstance(s, LOOPS):
                done += self.loop(s)
                if _jumps(s) and rest:
                    return done + self.guarded(self.flags(s), rest)
            elif isinstance(s, (Attempt, ast.With, ast.Try)):
                done.append(replace(s, body=self.block(s.body) or [at(ast.Pass(), s)]))
                if _jumps(s) and rest:
                    return done + self.guarded(self.flags(s), rest)
            elif isinstance(s, ast.If) and _jumps(s):
                return done + self.branch(s, rest)
            elif isinstance(s, ast.If):
                done.append(replace(s, body=self.block(s.body), orelse=self.block(s.orelse)))
            else:
                done.append(s)
        return done

    def jump(self, s: ast.stmt) -> list[ast.stmt]:
        stop, skip = self.current or ("", "")
        match s:
            case ast.Return(value=value):
                same = isinstance(value, ast.Name) and value.id == self.out
                kept = [] if same else [assign(self.out, value or constant(None), s)]
                return [*kept, *self.raise_flag(self.flag, s)]
            case ast.Break():
                return self.raise_flag(stop, s)
            case _:
                return self.raise_flag(skip, s)

    def raise_flag(self, flag: str, s: ast.stmt) -> list[ast.stmt]:
        return [assign(flag, constant(True), s)] if flag in self.tested else []

    def branch(self, s: ast.If, rest: list[ast.stmt]) -> list[ast.stmt]:
        """A branch that jumps takes the rest of the block into its other side, or guards it."""
        then_ends, other_ends = not falls_through(s.body), not falls_through(s.orelse)
        then_jumps, other_jumps = any(map(_jumps, s.body)), any(map(_jumps, s.orelse))
        if then_ends and (other_ends or not other_jumps or not rest):
            return [replace(s, body=self.block(s.body), orelse=self.block([*s.orelse, *([] if other_ends else rest)]))]
        if other_ends and (not then_jumps or not rest):
            return [replace(s, body=self.block([*s.body, *rest]), orelse=self.block(s.orelse))]
        both = replace(s, body=self.block(s.body), orelse=self.block(s.orelse))
        return [both, *self.guarded(self.flags(s), rest)] if rest else [both]

    def flags(self, s: ast.stmt) -> list[str]:
        """The flags that the jumps inside a statement raise."""
        stop, skip = self.current or ("", "")
        kinds = own_jumps([s])
        found = [f for f, kind in ((stop, ast.Break), (skip, ast.Continue)) if kind in kinds]
        return [self.flag, *found] if any(isinstance(n, ast.Return) for n in _inside(s)) else found

    def guarded(self, flags: list[str], rest: list[ast.stmt]) -> list[ast.stmt]:
        """`if not flag: rest`."""
        self.tested.update(flags)
        return [at(ast.If(_negation(flags), self.block(rest), []), rest[0])]

    def loop(self, s: ast.stmt) -> list[ast.stmt]:
        assert isinstance(s, (ast.For, ast.While))
        if s not in self.loops:
            self.loops[s] = (self.context.names.numbered("stop"), self.context.names.numbered("skip"))
        stop, skip = self.loops[s]
        outer, self.current = self.current, (stop, skip)
        breaks, returns = own_breaks(s), any(isinstance(n, ast.Return) for n in _inside(s))
        leaving = [*([stop] if breaks else []), *([self.flag] if returns else [])]
        self.tested.update(leaving)
        body = self.block(s.body)
        if skip in self.tested:
            body = [assign(skip, constant(False), s), *body]
        if leaving:
            test = name(leaving[0]) if len(leaving) == 1 else ast.BoolOp(ast.Or(), [name(n) for n in leaving])
            body = [*body, at(ast.If(test, [at(ast.Break(), s)], []), s)]
        self.current = outer
        before = [assign(stop, constant(False), s)] if breaks else []
        after = self.block(s.orelse)
        if s.orelse and leaving:
            after = [at(ast.If(_negation(leaving), after, []), s.orelse[0])]
        return [*before, replace(s, body=body, orelse=[]), *after]


def _negation(flags: list[str]) -> ast.expr:
    if len(flags) == 1:
        return ast.UnaryOp(ast.Not(), name(flags[0]))
    return ast.UnaryOp(ast.Not(), ast.BoolOp(ast.Or(), [name(f) for f in flags]))
