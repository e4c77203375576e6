"""What calls of a recursive function keep, in lists that they share: so it has a type.

def fib_fwd(x, n):                                  def fib_fwd(x, n, fib_a, fib_saved_kept):
    ...                                                 ...
    a, fib_saved = fib_fwd(x, n - 1)           ->       a, fib_saved = fib_fwd(x, n - 1, fib_a, fib_saved_kept)
    ...                                                 fib_a.append(a)
    return out, (a, fib_saved)                          fib_saved_kept.append(fib_saved)
                                                        return out, len(fib_a) - 1

def fib_bwd(saved, bout):                           def fib_bwd(saved, bout, fib_a, fib_saved_kept):
    a, fib_saved = saved                                a = fib_a[saved]
    ...                                                 fib_saved = fib_saved_kept[saved]

What is kept of a call is known by its place in the lists, an integer. The entry makes the lists.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from tangent.errors import CompileError, Location
from tangent.optimise.typed.call_sites import handed_over, taken_over
from tangent.optimise.typed.infer import Inference
from tangent.optimise.typed.kinds import Kind, Number
from tangent.syntax.names import Names, identifiers
from tangent.syntax.quote import assign, at, constant, expression, name
from tangent.syntax.rebuild import rebuild, replace
from tangent.syntax.uses import writes
from tangent.transform.generated import Generated

Resolve = Callable[[ast.expr, Generated], Any]


def reached(g: Generated) -> list[Generated]:
    """The functions that a function calls, one way or another."""
    found = [e for e in g.externals.values() if isinstance(e, Generated)]
    for other in found:
        found += [e for e in other.externals.values() if isinstance(e, Generated) and e not in found]
    return found


def recursive(functions: list[Generated]) -> list[Generated]:
    """Forward passes that call themselves, and keep something for a backward pass."""
    return [g for g in functions if g.backward is not None and g in reached(g)]


def refusal(g: Generated, why: str, where: Location | None = None) -> CompileError:
    source = g.source
    assert source is not None
    return CompileError(
        "Numba does not compile the backward pass of a recursive function", where or source.locate(source.tree), why,
        "Write the recursion as a loop, use forward mode, or leave compile='numba' out.",
    )  # fmt: skip


def with_lists(functions: list[Generated], given: list[Kind], resolve: Resolve) -> None:
    """Rewrite the functions of a module in place: they are copies that nobody else has."""
    if passes := recursive(functions):
        _Lists(functions, passes).write(given, resolve)


class _Lists:
    def __init__(self, functions: list[Generated], passes: list[Generated]) -> None:
        self.functions, self.passes = functions, passes
        taken: set[str] = set()
        for g in functions:
            assert g.tree is not None
            taken |= identifiers(g.tree) | set(g.externals)
        names = Names(taken)
        self.kept: dict[tuple[Generated, str], str] = {}
        self.names: dict[Generated, list[str]] = {}
        self.unset: dict[Generated, set[str]] = {}
        for g in passes:
            if handed_over(g) is None or g.backward is None or taken_over(g.backward) is None:
                raise refusal(g, "what a call keeps is not known by name")
            self.names[g] = self.saved(g)
            for v in self.names[g]:
                self.kept[g, v] = names.numbered(f"{g.primal.__name__}_{v}")

    def saved(self, g: Generated) -> list[str]:
        found = handed_over(g)
        assert found is not None
        return found[1] or ["_nothing"]

    def write(self, given: list[Kind], resolve: Resolve) -> None:
        users = {g for g in self.functions if {g, *reached(g)} & self.ends()}
        self.backward = {g.backward: g for g in self.passes}
        for g in users:
            assert g.tree is not None
            tree = rebuild(g.tree, lambda e, g=g: self.called(e, g, users))  # type: ignore[misc]
            if g in self.passes:
                tree = self.forward(tree, g)
            elif g in self.backward:
                tree = self.taken(tree, self.backward[g])
            if g is not self.functions[0]:
                parameters = [*tree.args.args, *(ast.arg(v) for v in self.kept.values())]
                tree = replace(tree, args=replace(tree.args, args=parameters))
            g.tree = tree
        entry = self.functions[0]
        self.make(entry, {v: ast.List([], ast.Load()) for v in self.kept.values()})
        found = Inference(self.functions, given, resolve)
        start = {k: self.default(found.kinds[k[0]].get(k[1]), k[0], resolve, entry) for k in self.kept}
        assert entry.tree is not None
        entry.tree = replace(entry.tree, body=entry.tree.body[len(self.kept) :])
        self.make(entry, {self.kept[k]: ast.List([e], ast.Load()) for k, e in start.items()})
        for g in self.passes:
            assert g.tree is not None
            named = {v: start[h, v] for h, v in self.kept if h is g and v in self.unset[g]}
            g.tree = replace(g.tree, body=[*(assign(v, e) for v, e in named.items()), *g.tree.body])

    def ends(self) -> set[Generated]:
        return {*self.passes, *(g.backward for g in self.passes if g.backward is not None)}

    def called(self, e: ast.expr, g: Generated, users: set[Generated]) -> ast.expr:
        match e:
            case ast.Call(func=ast.Name(id=f), args=args) if g.externals.get(f) in users:
                return replace(e, args=[*args, *(name(v) for v in self.kept.values())])
            case _:
                return e

    def forward(self, tree: ast.FunctionDef, g: Generated) -> ast.FunctionDef:
        """Keeps in lists; names that may not be set begin with something of their type."""
        found = handed_over(g)
        assert found is not None
        self.unset[g] = {v for s in tree.body if _is_nothing(s) for v in writes(s)}
        *body, last = [s for s in tree.body if not _is_nothing(s)]
        first = self.kept[g, self.saved(g)[0]]
        kept = [
            at(ast.Expr(expression("k.append(v)", k=self.kept[g, v], v=v if found[1] else constant(0))), last)
            for v in self.saved(g)
        ]
        place = expression("len(k) - 1", k=first)
        result = at(ast.Return(ast.Tuple([found[0], place], ast.Load())), last)
        return replace(tree, body=[*body, *kept, result])

    def taken(self, tree: ast.FunctionDef, g: Generated) -> ast.FunctionDef:
        """Reads from the lists."""
        state = tree.args.args[0].arg
        doc = tree.body[:1] if ast.get_docstring(tree, clean=False) is not None else []
        rest = tree.body[len(doc) :]
        match rest:
            case [ast.Assign(targets=[ast.Tuple(elts=elts)], value=ast.Name(id=v)) as s, *others] if v == state:
                names = [e.id for e in elts if isinstance(e, ast.Name)]
                reads = [
                    assign(w, expression("k[p]", k=self.kept[g, old], p=state), s)
                    for w, old in zip(names, self.names[g])
                ]
                return replace(tree, body=[*doc, *reads, *others])
            case _:
                return tree

    def make(self, entry: Generated, lists: dict[str, ast.expr]) -> None:
        assert entry.tree is not None
        made = [assign(v, e) for v, e in lists.items()]
        entry.tree = replace(entry.tree, body=[*made, *entry.tree.body])

    def default(self, kind: Kind, g: Generated, resolve: Resolve, entry: Generated) -> ast.expr:
        """Something of a kind."""
        match kind:
            case Number(rank=0, dtype="f8"):
                return constant(0.0)
            case Number(rank=0, dtype="i8"):
                return constant(0)
            case Number(rank=0, dtype="b1"):
                return constant(False)
            case Number(rank=rank, dtype="f8" | "f4" | "i8" as dtype):
                for h in (g, entry):
                    h.externals = {**h.externals, "np_": np}
                made = f"np_.empty(s, np_.{np.dtype(dtype).name})" if rank else f"np_.{np.dtype(dtype).name}(0)"
                return expression(made, s=ast.Tuple([constant(0)] * rank, ast.Load()))
            case _:
                raise refusal(g, "what each call keeps would need a type of its own")


def _is_nothing(s: ast.stmt) -> bool:
    match s:
        case ast.Assign(targets=[ast.Name()], value=ast.Constant(value=None)):
            return True
        case _:
            return False
