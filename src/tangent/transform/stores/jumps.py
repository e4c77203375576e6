"""Loops that blocks for the backward pass cut short: what is left out is put back, but has no adjoint."""

from __future__ import annotations

import ast
import copy

from tangent.syntax.quote import assign, at, constant, expression, name
from tangent.syntax.rebuild import statements
from tangent.syntax.uses import writes
from tangent.transform.stores.calls import Calls


class Jumps(Calls):
    """What storage needs where a backward loop is cut short."""

    def restored_only(self, s: ast.stmt) -> list[ast.stmt]:
        """What a statement has overwritten, put back where its adjoint is left out."""
        done = self.restore(s)
        if any(isinstance(x, ast.Expr) for x in done):
            raise self.owner.unit.refuse(
                s, "a jump in a block for the backward pass", "the loop writes into what may be no array",
                "Make new values in the loop instead of changing old ones, or set the gradient to zero.",
            )  # fmt: skip
        return done

    def again(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """A copy of statements, of which the same is known."""
        made = copy.deepcopy(body)
        for old, new in zip(statements(body), statements(made)):
            for known in (self.saves, self.pairs):
                if old in known:
                    known[new] = known[old]  # type: ignore[assignment]
        return made

    def handed_over(self, loop: ast.stmt, restores: list[ast.stmt], asked: set[str]) -> list[ast.stmt]:
        """Where a loop binds storage anew, what the shadows hold stays with the names, whatever those refer to.

        bb = bb_stack.pop()   ->   bb_cut = bb; bb = bb_stack.pop(); bb[...] = shares[1] * bb_cut

        Where several do, two of them may have been one array before, whose gradient is the sum.
        """
        names = self.kept_by_name(loop)
        bound = {v for x in statements(restores) for v in writes(x)}
        if bound.isdisjoint({self.adjoint(v) for v in names}):
            return restores
        cut = {v: self.owner.scribe.names.numbered(f"{self.adjoint(v)}_cut") for v in names}
        self.owner.scribe.kept.update({cut[v]: self.adjoint(v) for v in names})
        held: list[ast.stmt] = [assign(cut[v], name(self.adjoint(v)), loop) for v in names]
        every = [name(n) for n in (*cut.values(), *(self.adjoint(v) for v in names))]
        shares = self.owner.scribe.names.numbered("shares")
        flags = ast.Tuple([constant(v in asked) for v in names], ast.Load())
        over: list[ast.stmt] = [assign(shares, self.owner.scribe.call("cut_shares", flags, *every), loop)]
        over += [assign(cut[v], self.copy_of_shadow(v, cut[v], shares, i), loop) for i, v in enumerate(names)]
        arrays = [v for v in names if not self.is_container(v) and not self.is_flat(v)]
        summed = arrays if len(arrays) > 1 else []
        done: list[ast.stmt] = [at(self.whole(v, constant(0.0)), loop) for v in summed]
        done += [
            at(ast.AugAssign(ast.Name(self.adjoint(v), ast.Store()), ast.Add(), name(cut[v])), loop) for v in summed
        ]
        return [*held, *restores, *over, *done, *(self.filled(v, cut[v], loop) for v in names if v not in summed)]

    def whole(self, v: str, value: ast.expr) -> ast.Assign:
        """`bv[...] = value`."""
        index: ast.expr = ast.Slice() if self.is_flat(v) else constant(Ellipsis)
        return ast.Assign([ast.Subscript(name(self.adjoint(v)), index, ast.Store())], value)

    def kept_by_name(self, loop: ast.stmt) -> list[str]:
        """The handles that a loop binds anew and reads again later, and others that may be of the same storage."""
        assert isinstance(loop, (ast.For, ast.While))
        if not self.carried:
            return []
        entry, operations = self.owner.live.entry[loop], self.owner.operations
        bound = {v for x in statements(loop.body) for v in self.bound(x, operations.get(x))} & entry
        classes = {self.class_of(v) for v in bound}
        return sorted(v for v in self.shadowed & entry if self.class_of(v) in classes)

    def copy_of_shadow(self, v: str, b: str, shares: str, i: int) -> ast.expr:
        if self.is_flat(v):
            return expression("b.copy()", b=b)
        if not self.is_container(v):
            return expression("s[i] * b", s=shares, i=constant(i), b=b)
        return self.owner.scribe.call("content", name(b))

    def filled(self, v: str, b: str, like: ast.stmt) -> ast.stmt:
        """Give the shadow of a handle another content."""
        if self.is_dict(v):
            return assign(self.adjoint(v), name(b), like)
        if self.is_container(v) and not self.is_flat(v):
            return at(ast.Expr(self.owner.scribe.call("refill", name(self.adjoint(v)), name(b))), like)
        return at(self.whole(v, name(b)), like)


def _sum(b: str, part: str) -> ast.AugAssign:
    """`b += part`."""
    return ast.AugAssign(ast.Name(b, ast.Store()), ast.Add(), name(part))
