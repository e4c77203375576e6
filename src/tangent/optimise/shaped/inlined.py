"""Short functions of the module, written out where they are called.

t, g_saved = g_fwd(x)                  t2 = np.exp(x)
...                               ->   t = t2 * 3.0
bx = g_bwd(g_saved, bt)                ...
                                       bx = bt * 3.0 * t2
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable
from dataclasses import replace as with_changes
from typing import Any

from tangent.analysis.storage import RESULT
from tangent.optimise.context import Body, Optimisation
from tangent.optimise.purity import calls_unknown, is_pure
from tangent.source.resolve import MISSING
from tangent.syntax.names import Names, identifiers
from tangent.syntax.print import Comment
from tangent.syntax.quote import assign, at, name
from tangent.syntax.rebuild import rebuild, rename, replace, statements
from tangent.syntax.uses import COMPREHENSIONS, arguments, assigned_inside, header_reads, writes
from tangent.syntax.walk import walk
from tangent.transform.generated import Generated

Resolve = Callable[[ast.expr, Generated], Any]
SCOPED = (ast.Lambda, ast.NamedExpr, ast.Global, ast.Nonlocal, *COMPREHENSIONS)
LONGEST = 15  # statements of a function that is written out


def inlined(g: Generated, resolve: Resolve, depth: int = 4) -> Generated:
    """A copy of the function in which short callees are written out, and what these call."""
    new = with_changes(g, externals=dict(g.externals))
    for _ in range(depth):
        assert new.tree is not None
        work = _Inlined(new, resolve)
        body = work.block(new.tree.body)
        if not work.found:
            break
        new.tree = replace(new.tree, body=unpacked(body, {a.arg for a in arguments(new.tree.args)}))
    return new


class _Inlined:
    def __init__(self, g: Generated, resolve: Resolve) -> None:
        assert g.tree is not None
        self.g, self.resolve, self.found = g, resolve, 0
        here = {*identifiers(g.tree), *g.primal.__code__.co_freevars}
        self.names = Names({*here, *g.externals, *g.seen, *g.primal.__globals__})
        self.o = Optimisation(lambda e: resolve(e, g))

    def block(self, body: Body) -> Body:
        done: Body = []
        for s in body:
            match s:
                case ast.If(body=[ast.Break()]):
                    done.append(s)
                case ast.If(body=then, orelse=other):
                    done.append(replace(s, body=self.block(then), orelse=self.block(other)))
                case ast.For(body=inner) | ast.While(body=inner):
                    done.append(replace(s, body=self.block(inner)))
                case ast.Assign(value=value) | ast.AugAssign(value=value):
                    done += self.statement(s, value)
                case _:
                    done.append(s)
        return done

    def statement(self, s: ast.Assign | ast.AugAssign, value: ast.expr) -> Body:
        if isinstance(value, ast.Call) and (callee := self.callee(value)) is not None:
            before, result = self.written_out(value, callee, s)
            return [*before, *_assigned(s, result)]
        before = []

        def change(e: ast.expr) -> ast.expr:
            if not isinstance(e, ast.Call) or (callee := self.callee(e)) is None:
                return e
            lines, result = self.written_out(e, callee, s)
            held = self.names.numbered("t")
            before.extend([*lines, assign(held, result, s)])
            return name(held)

        hidden = rebuild(value, lambda e: name("t") if isinstance(e, ast.Call) and self.callee(e) is not None else e)
        if hidden is value or not is_pure(hidden, self.o):
            return [s]
        return [*before, replace(s, value=new)] if (new := rebuild(value, change)) is not value else [s]

    def callee(self, e: ast.Call) -> Generated | None:
        """The function behind a call, if it is short and knows no names that the caller does not."""
        found = self.resolve(e.func, self.g)
        written = any(RESULT not in c for c in self.g.shared.values())
        if not isinstance(found, Generated) or found.tree is None or found.shared or written:
            return None
        args = found.tree.args
        if args.vararg or args.kwarg or any(isinstance(a, ast.Starred) for a in e.args):
            return None
        named = [*(a.arg for a in (*args.posonlyargs, *args.args)[: len(e.args)]), *(k.arg for k in e.keywords)]
        if sorted(map(str, named)) != sorted(a.arg for a in arguments(args)):
            return None
        if found.primal.__globals__ is not self.g.primal.__globals__ or self.captured(found) is None:
            return None
        if any(isinstance(n, SCOPED) for n in walk(found.tree)):  # what closures capture is known by its name
            return None
        if self.may_write(e, found):
            return None
        whole = _is_short(found) and (found.backward is None or _is_short(found.backward))
        return found if whole else None  # of a pair both or none

    def may_write(self, e: ast.Call, callee: Generated) -> bool:
        """Whether a function hands something on that has other names here: its own names for it are not known here."""
        assert callee.tree is not None
        given = {a.id for a in (*e.args, *(k.value for k in e.keywords)) if isinstance(a, ast.Name)}
        inside = Optimisation(lambda x: self.resolve(x, callee))
        return not given.isdisjoint(self.g.shared) and any(calls_unknown(s, inside) for s in callee.tree.body)

    def captured(self, callee: Generated) -> dict[str, Any] | None:
        """What a function finds in its closure, where that never changes; else None."""
        assert callee.tree is not None
        used = identifiers(callee.tree) - callee.externals.keys() - _local(callee)
        free = sorted(used & set(callee.primal.__code__.co_freevars))
        found = {v: self.resolve(ast.Name(v, ast.Load()), callee) for v in free}
        return None if any(x is MISSING for x in found.values()) else found

    def written_out(self, e: ast.Call, callee: Generated, s: ast.stmt) -> tuple[Body, ast.expr]:
        self.found += 1
        assert callee.tree is not None
        parameters = [a.arg for a in arguments(callee.tree.args)]
        local = dict.fromkeys([*parameters, *sorted(assigned_inside(callee.tree.body))])
        names = {v: self.names.numbered(v) for v in local}
        for v, value in {**callee.externals, **(self.captured(callee) or {})}.items():
            if v in local:
                continue
            known = next((w for w, x in self.g.externals.items() if x is value), None)
            if known is None and (v in self.g.externals or v in self.names.taken):
                known = self.names.fresh(v)
            names[v] = known or v
            self.names.taken.add(names[v])
            self.g.externals[names[v]] = value
        values = [*zip(parameters, e.args), *((str(k.arg), k.value) for k in e.keywords)]
        given: Body = [assign(names[p], a, s) for p, a in values]
        body = callee.tree.body[1:] if ast.get_docstring(callee.tree) is not None else callee.tree.body
        lines = [x if isinstance(x, Comment) else at(rename(x, names), s) for x in body]
        last = lines[-1]
        assert isinstance(last, ast.Return) and last.value is not None
        return [*given, *lines[:-1]], last.value


def _is_short(g: Generated) -> bool:
    """Whether a function consists of few statements, one behind the other."""
    assert g.tree is not None
    body = [s for s in g.tree.body if not isinstance(s, Comment)]
    simple = all(isinstance(s, (ast.Assign, ast.AugAssign, ast.Expr)) for s in body[:-1])
    return simple and len(body) <= LONGEST and isinstance(body[-1], ast.Return)


def _local(g: Generated) -> set[str]:
    assert g.tree is not None
    return {a.arg for a in arguments(g.tree.args)} | assigned_inside(g.tree.body)


def _assigned(s: ast.Assign | ast.AugAssign, value: ast.expr) -> Body:
    """`a, b = p, q` in two statements: what is assigned first is nowhere in the second."""
    match s:
        case ast.Assign(targets=[ast.Tuple(elts=targets)]) if isinstance(value, ast.Tuple):
            pairs = list(zip(targets, value.elts))
            if len(targets) == len(value.elts) and all(isinstance(t, ast.Name) for t in targets):
                return [assign(t.id, e, s) for t, e in pairs if isinstance(t, ast.Name)]
    return [replace(s, value=value)]


def unpacked(body: Body, parameters: set[str]) -> Body:
    """Tuples that are made once, taken apart; those with tuples inside, which are one thing each, if that is all."""
    made = Counter(v for s in statements(body) for v in writes(s))
    read = _read_whole(body)
    tuples: dict[str, ast.Tuple] = {}
    for s in body:  # outside of loops, where each name has one value
        match s:
            case ast.Assign(targets=[ast.Name(id=v)], value=ast.Tuple(elts=elts) as value) if made[v] == 1:
                leaves = [n.id for e in elts for n in walk(e) if isinstance(n, ast.Name)]
                whole = all(isinstance(e, ast.Name) or (isinstance(e, ast.Tuple) and v not in read) for e in elts)
                if whole and all(made[n] + (n in parameters) == 1 for n in leaves):
                    tuples[v] = value
            case ast.Assign(targets=[ast.Name(id=v)], value=ast.Name(id=w)) if made[v] == 1 and w in tuples:
                tuples[v] = tuples[w]
    done: Body = []
    for s in body:
        match s:
            case ast.Assign(targets=[ast.Tuple()], value=ast.Name(id=v)) if v in tuples:
                done += _assigned(s, tuples[v])
            case _:
                done.append(s)
    return done


def _read_whole(body: Body) -> set[str]:
    """Variables of which something other than taking them apart reads the value, under whatever name."""
    named: list[tuple[str, str]] = []
    read: set[str] = set()
    for s in statements(body):
        match s:
            case ast.Assign(targets=[ast.Name(id=v)], value=ast.Name(id=w)):
                named.append((v, w))
            case ast.Assign(targets=[ast.Tuple()], value=ast.Name()):
                pass
            case _:
                read |= header_reads(s)
    while more := {w for v, w in named if v in read} - read:
        read |= more
    return read
