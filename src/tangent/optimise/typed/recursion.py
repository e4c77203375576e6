"""What calls of a recursive function keep, in lists that they share: so it has a type.

def fib_fwd(x, n):                                  def fib_fwd(x, n, fib_kept):
    ...                                                 ...
    a, fib_saved = fib_fwd(x, n - 1)           ->       a, fib_saved = fib_fwd(x, n - 1, fib_kept)
    ...                                                 fib_kept.append((a, fib_saved))
    return out, (a, fib_saved)                          return out, len(fib_kept) - 1

def fib_bwd(saved, bout):                           def fib_bwd(saved, bout, fib_kept):
    a, fib_saved = saved                                a, fib_saved = fib_kept[saved]

What is kept of a call is known by its place in a list, an integer. The entry makes the lists. In forward mode over
this, how it changes is in a list of its own, and so is its gradient in reverse mode. At the place 0 is nothing.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import Any, TypeGuard

import numpy as np

from tangent.backends.numba.functions import require_unset
from tangent.errors import CompileError, Location
from tangent.optimise.typed.decided import is_kernel
from tangent.optimise.typed.infer import Inference
from tangent.optimise.typed.kinds import Items, Kind, Number, Stack, join
from tangent.optimise.typed.nesting import Nesting, Origin, is_nothing, reached
from tangent.syntax.names import Names, identifiers
from tangent.syntax.quote import assign, at, constant, expression, name
from tangent.syntax.rebuild import rebuild, replace, statements
from tangent.syntax.uses import header_reads, writes
from tangent.transform.generated import Generated

Resolve = Callable[[ast.expr, Generated], Any]
Where = Callable[[Generated], Location | None]
Bodies = dict[Generated, list[ast.stmt]]
WHY = "what each call keeps would need a type of its own"


def refusal(g: Generated, why: str, where: Location | None = None) -> CompileError:
    source = g.source
    assert source is not None
    return CompileError(
        "Numba does not compile the backward pass of a recursive function", where or source.locate(source.tree), why,
        "Write the recursion as a loop, use forward mode, or leave compile='numba' out.",
    )  # fmt: skip


def refuse_recursion(functions: list[Generated], where: Where) -> None:
    """Where Tangent's own functions call themselves: what they keep is of many types."""
    for g in functions:
        if g.backward is not None and is_kernel(g) and g in reached(g):
            raise refusal(g, WHY, where(g))


def with_lists(functions: list[Generated], given: list[Kind], resolve: Resolve, where: Where) -> frozenset[str]:
    """Rewrite the functions of a module in place: they are copies that nobody else has. The names of the lists."""
    if not any(g in reached(g) for g in functions):
        return frozenset()
    nesting = Nesting(functions)
    if not nesting.states:
        return frozenset()
    if nesting.spell_out():
        nesting = Nesting(functions)
    if nesting.conflicts:
        raise refusal(functions[0], WHY, where(functions[0]))
    lists = _Lists(nesting, where)
    lists.write(given, resolve)
    return frozenset(lists.kept.values())


class _Lists:
    def __init__(self, nesting: Nesting, where: Where) -> None:
        self.nesting, self.functions, self.where = nesting, nesting.functions, where
        taken: set[str] = set()
        for g in self.functions:
            assert g.tree is not None
            taken |= identifiers(g.tree) | set(g.externals)
        names = Names(taken)
        self.made = [o for o in nesting.states if not any(_is_part(other, o) for other in nesting.states)]
        first = dict.fromkeys(nesting.one_of(o) for o in self.made)
        self.kept = {o: names.numbered(f"{_title(o[0])}_kept") for o in first}
        self.unset: dict[Generated, set[str]] = {}
        self.nothing: dict[ast.stmt, tuple[str, Origin]] = {}

    def write(self, given: list[Kind], resolve: Resolve) -> None:
        for g in self.functions:
            self.check(g)
        handling = {g for g in self.functions if self.handles(g)}
        users = {g for g in self.functions if {g, *reached(g)} & handling}
        literals = [(o, self.nesting.literals[o]) for o in self.made]
        for g in users:
            g.tree = self.rewritten(g, users)
        entry = self.functions[0]
        self.make(entry, {v: ast.List([], ast.Load()) for v in self.kept.values()})
        found = Inference(self.functions, given, resolve, set(self.kept.values()))
        kinds: dict[Origin, Kind] = {}
        for o, e in literals:
            one = self.nesting.one_of(o)
            kinds[one] = join(kinds.get(one), found.of(e, o[0]))
        starts = {o: self.default(kind, o[0], resolve, entry) for o, kind in kinds.items()}
        assert entry.tree is not None
        entry.tree = replace(entry.tree, body=entry.tree.body[len(self.kept) :])
        self.make(entry, {self.kept[o]: ast.List([e], ast.Load()) for o, e in starts.items()})
        self.guard({o for o, kind in kinds.items() if _has_arrays(kind)}, users)
        for g, unset in self.unset.items():
            assert g.tree is not None
            first = [assign(v, self.default(found.kinds[g].get(v), g, resolve, entry)) for v in sorted(unset)]
            g.tree = replace(g.tree, body=[*first, *g.tree.body])

    def state(self, g: Generated, e: ast.expr) -> Origin | None:
        """What an expression holds, if a list keeps it."""
        found = self.nesting.of(g, e.id) if isinstance(e, ast.Name) else None
        return found if found in self.kept else None

    def handles(self, g: Generated) -> bool:
        """Whether a function keeps something, or takes it out again."""
        assert g.tree is not None
        taken = (self.state(g, s.value) for s in statements(g.tree.body) if _takes_apart(s))
        return any(o[0] is g for o in self.made) or any(o is not None for o in taken)

    def check(self, g: Generated) -> None:
        """What is kept is handed on and taken apart, and nothing else."""
        assert g.tree is not None
        for s in statements(g.tree.body):
            for v in header_reads(s):
                origin = self.nesting.origin.get((g, v))
                if origin is None or self.nesting.one_of(origin) not in self.kept:
                    continue
                handed_on = self.nesting.nothing_of(s, g) or _only_handed_on(s, v, g)
                if (g, v) in self.nesting.unclear or not handed_on:
                    raise refusal(g, WHY, self.where(g))

    def rewritten(self, g: Generated, users: set[Generated]) -> ast.FunctionDef:
        assert g.tree is not None
        own = {self.nesting.literals[o]: self.kept[self.nesting.one_of(o)] for o in self.made if o[0] is g}
        body = [new for s in g.tree.body for new in self.statement(s, g, own)]
        handed = {e.id for o, x in self.nesting.literals.items() if o[0] is g for e in x.elts if _is_name(e)}
        self.unset[g] = {v for s in body if is_nothing(s) for v in writes(s)} & handed
        body = [s for s in body if not is_nothing(s)]
        tree = rebuild(replace(g.tree, body=body), lambda e: self.called(e, g, users))
        if g is self.functions[0]:
            return tree
        new, args = [ast.arg(v) for v in self.kept.values()], tree.args
        if _takes_more_by_place(g):
            return replace(tree, args=replace(args, args=[*args.args, *new]))
        by_name = replace(
            args, kwonlyargs=[*args.kwonlyargs, *new], kw_defaults=[*args.kw_defaults, *[None] * len(new)]
        )
        return replace(tree, args=by_name)

    def statement(self, s: ast.stmt, g: Generated, own: dict[ast.Tuple, str]) -> list[ast.stmt]:
        match s:
            case ast.If(body=then, orelse=other):
                parts = [[new for x in b for new in self.statement(x, g, own)] for b in (then, other)]
                return [replace(s, body=parts[0], orelse=parts[1])]
            case ast.For(body=inner) | ast.While(body=inner):
                return [replace(s, body=[new for x in inner for new in self.statement(x, g, own)])]
            case ast.Assign(targets=[ast.Name(id=target)]) if (v := self.nesting.nothing_of(s, g)) and (
                o := self.state(g, name(target))
            ) is not None:
                new = replace(s, value=constant(0))
                self.nothing[new] = v, o
                return [new]
            case ast.Assign(value=ast.Name() as value) if _takes_apart(s) and (o := self.state(g, value)) is not None:
                return [replace(s, value=expression("k[p]", k=self.kept[o], p=value))]
            case ast.Assign(value=ast.Subscript(value=value)) if (o := self.state(g, value)) is not None:
                item = replace(s.value, value=expression("k[p]", k=self.kept[o], p=value))
                return [replace(s, value=item)]
            case ast.Assign() | ast.Return():
                return self.keeping(s, own)
            case _:
                return [s]

    def keeping(self, s: ast.stmt, own: dict[ast.Tuple, str]) -> list[ast.stmt]:
        """Puts a tuple on its list, where there is one for it, and goes on with its place."""
        before: list[ast.stmt] = []

        def change(e: ast.expr) -> ast.expr:
            found = own.get(e) if isinstance(e, ast.Tuple) else None
            if found is None:
                return e
            before.append(at(ast.Expr(expression("k.append(v)", k=found, v=e)), s))
            return expression("len(k) - 1", k=found)

        made = rebuild(s, change) if own else s
        return [*before, made]

    def called(self, e: ast.expr, g: Generated, users: set[Generated]) -> ast.expr:
        match e:
            case ast.Call(func=ast.Name(id=f), args=args, keywords=keywords) if (
                isinstance(callee := g.externals.get(f), Generated) and callee in users
            ):
                if _takes_more_by_place(callee):
                    return replace(e, args=[*args, *(name(v) for v in self.kept.values())])
                return replace(e, keywords=[*keywords, *(ast.keyword(v, name(v)) for v in self.kept.values())])
            case _:
                return e

    def make(self, entry: Generated, lists: dict[str, ast.expr]) -> None:
        assert entry.tree is not None
        made = [assign(v, e) for v, e in lists.items()]
        entry.tree = replace(entry.tree, body=[*made, *entry.tree.body])

    def guard(self, arrays: set[Origin], users: set[Generated]) -> None:
        """Nothing of what a call has kept is what the list begins with; that has no shape for arrays."""

        def change(s: ast.stmt) -> list[ast.stmt]:
            match s:
                case ast.If(body=then, orelse=other):
                    return [replace(s, body=inside(then), orelse=inside(other))]
                case ast.For(body=inner) | ast.While(body=inner):
                    return [replace(s, body=inside(inner))]
                case _ if s in self.nothing and self.nothing[s][1] in arrays:
                    return [at(ast.Expr(expression("require_unset(v)", v=self.nothing[s][0])), s), s]
                case _:
                    return [s]

        def inside(body: list[ast.stmt]) -> list[ast.stmt]:
            return [new for s in body for new in change(s)]

        for g in users:
            assert g.tree is not None
            if (body := inside(g.tree.body)) != g.tree.body:
                g.tree = replace(g.tree, body=body)
                g.externals = {**g.externals, "require_unset": require_unset}

    def default(self, kind: Kind, g: Generated, resolve: Resolve, entry: Generated) -> ast.expr:
        """Something of a kind."""
        match kind:
            case Number(rank=0, dtype="f8"):
                return constant(0.0)
            case Number(rank=0, dtype="i8"):
                return constant(0)
            case Number(rank=0, dtype="b1"):
                return constant(False)
            case Number(rank=rank, dtype="f8" | "f4" | "i8" | "c16" as dtype):
                for h in (g, entry):
                    h.externals = {**h.externals, "np_": np}
                made = f"np_.empty(s, np_.{np.dtype(dtype).name})" if rank else f"np_.{np.dtype(dtype).name}(0)"
                return expression(made, s=ast.Tuple([constant(0)] * rank, ast.Load()))
            case Items(items=parts, fields=()):
                return ast.Tuple([self.default(part, g, resolve, entry) for part in parts], ast.Load())
            case Stack(item=item):
                return ast.List([self.default(item, g, resolve, entry)], ast.Load())
            case _:
                raise refusal(g, WHY, self.where(g))


def _has_arrays(kind: Kind) -> bool:
    match kind:
        case Number(rank=rank):
            return rank > 0
        case Items(items=parts):
            return any(_has_arrays(part) for part in parts)
        case Stack(item=item):
            return _has_arrays(item)
        case _:
            return False


def _is_name(e: ast.expr) -> TypeGuard[ast.Name]:
    return isinstance(e, ast.Name)


def _title(g: Generated) -> str:
    return re.sub(r"_fwd\d*$", "", g.primal.__name__)


def _is_part(part: Origin, o: Origin) -> bool:
    return part != o and part[0] is o[0] and part[1][: len(o[1])] == o[1]


def _takes_more_by_place(g: Generated) -> bool:
    """Whether parameters behind the others can be given by their place."""
    assert g.tree is not None
    args = g.tree.args
    return not (args.defaults or args.vararg or args.kwonlyargs)


def _takes_apart(s: ast.stmt) -> TypeGuard[ast.Assign]:
    return isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Tuple) and isinstance(s.value, ast.Name)


def _only_handed_on(s: ast.stmt, v: str, g: Generated) -> bool:
    """Whether a statement names or returns a value, puts it into a tuple or on a list, or calls a function with it."""
    plain: set[ast.expr] = set()
    header = s.test if isinstance(s, (ast.If, ast.While)) else s.iter if isinstance(s, ast.For) else s
    for n in ast.walk(header):
        match n:
            case ast.Assign(value=e) | ast.Subscript(value=e, slice=ast.Constant()) | ast.Return(value=ast.Name() as e):
                plain.add(e)
            case ast.Tuple(elts=elts):
                plain.update(elts)
            case ast.Call(func=ast.Name(id=f)) if isinstance(g.externals.get(f), Generated):
                plain.update([*n.args, *(k.value for k in n.keywords)])
            case ast.Call(func=ast.Attribute(value=stack, attr="append" | "pop")):
                plain.update([stack, *n.args])
    reads = (n for n in ast.walk(header) if isinstance(n, ast.Name) and n.id == v and isinstance(n.ctx, ast.Load))
    return all(n in plain for n in reads)


def without_unread(bodies: Bodies, lists: frozenset[str]) -> Bodies:
    """What no backward pass reads is not kept."""
    for k in lists:
        bodies = _shorter(bodies, k)
    return bodies


def _shorter(bodies: Bodies, k: str) -> Bodies:
    read: set[int] = set()
    for body in bodies.values():
        names = {v for s in statements(body) for v in header_reads(s)}
        for s in statements(body):
            match s:
                case ast.Assign(targets=[ast.Tuple(elts=slots)], value=ast.Subscript(value=ast.Name(id=found))) if (
                    found == k
                ):
                    read |= {i for i, e in enumerate(slots) if not isinstance(e, ast.Name) or e.id in names}
                case ast.Assign(value=ast.Subscript(value=ast.Subscript(value=ast.Name(id=found)))) if found == k:
                    return bodies

    def fewer(e: ast.expr) -> ast.expr:
        assert isinstance(e, ast.Tuple)
        return replace(e, elts=[x for i, x in enumerate(e.elts) if i in read or (not read and not i)])

    def change(s: ast.stmt) -> ast.stmt:
        match s:
            case ast.If(body=then, orelse=other):
                return replace(s, body=[change(x) for x in then], orelse=[change(x) for x in other])
            case ast.For(body=inner) | ast.While(body=inner):
                return replace(s, body=[change(x) for x in inner])
            case ast.Assign(targets=[ast.Tuple() as slots], value=ast.Subscript(value=ast.Name(id=found))) if (
                found == k
            ):
                return replace(s, targets=[fewer(slots)])
            case ast.Assign(targets=[ast.Name(id=found)], value=ast.List(elts=[e])) if found == k:
                return replace(s, value=ast.List([fewer(e)], ast.Load()))
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=found), attr="append"), args=[e])) if (
                found == k
            ):
                return replace(s, value=replace(s.value, args=[fewer(e)]))
            case _:
                return s

    return {g: [change(s) for s in body] for g, body in bodies.items()}
