"""What nothing reads is not kept; what storage still holds is read again."""

from __future__ import annotations

import ast
from typing import Any

from tangent import runtime
from tangent.syntax.inserted import InsertedCode
from tangent.syntax.print import Comment
from tangent.syntax.quote import assign
from tangent.syntax.rebuild import replace, statements
from tangent.syntax.uses import expression_reads, header_reads, writes
from tangent.transform.content import READ_AGAIN
from tangent.transform.stores.jumps import Jumps

# Arguments of which a run-time function reads the shape, and perhaps the dtype, alone: by their place, the functions.
FORMS: dict[tuple[int, ...], tuple[Any, ...]] = {
    (): (runtime.rest,),
    (0,): (runtime.init_grad, runtime.lazy_zero, runtime.unread, runtime.shadow, runtime.count),
    (0, 1): (runtime.mirror,),
    (1,): (
        runtime.unbroadcast, runtime.refit, runtime.settled, runtime.scatter, runtime.add_item, runtime.broadcast_like,
        runtime.spread, runtime.fit, runtime.at_rank, runtime.sum_behind,
        runtime.matmul_adjoint_x, runtime.dot_adjoint_a, runtime.inner_adjoint_a, runtime.outer_adjoint_a,
        runtime.kron_adjoint_a, runtime.tensordot_adjoint_a, runtime.split_like, runtime.unstack_like,
        runtime.sum_windows, runtime.sum_tiles, runtime.sum_repeats, runtime.sum_cycles, runtime.undiag,
        runtime.on_diagonal, runtime.along_diagonal, runtime.untake, runtime.untake_along_axis, runtime.undelete,
        runtime.uncompress, runtime.undiff,
    ),
    (1, 2): (runtime.fit_matmul, runtime.fit_dot),
    (2,): (
        runtime.matmul_adjoint_y, runtime.dot_adjoint_b, runtime.inner_adjoint_b, runtime.outer_adjoint_b,
        runtime.kron_adjoint_b, runtime.tensordot_adjoint_b, runtime.einsum_adjoint_only, runtime.einsum_adjoint_x,
        runtime.unpermute,
    ),
    (3,): (runtime.einsum_adjoint_y,),
}  # fmt: skip
SHAPE_ONLY = {function: places for places, functions in FORMS.items() for function in functions}


class Stores(Jumps):
    """The part of the reverse transformation that deals with storage."""

    def remembered(self, body: list[ast.stmt]) -> None:
        """Values read from storage by index or in another form, which are read again rather than kept."""
        for s in body:
            op = self.owner.operations.get(s)
            if (
                op is not None
                and op.kind == "rule"
                and op.rule.name in READ_AGAIN
                and op.targets[0] not in self.table.handles
            ):
                if op.operands[0] in self.table.classes:
                    self.shown[op.targets[0]] = s

    def read_again(self, s: ast.stmt, code: list[ast.stmt], body: list[ast.stmt], ready: set[str]) -> list[ast.stmt]:
        """The adjoint of s, with statements that read what it needs from storage, where that holds what it held."""
        if self.owner.records.everything or not self.table.classes:
            return code
        reads = {v for x in statements(code) for v in header_reads(x)}
        last = max((i for i, x in enumerate(code) if x in self.pairs), default=-1)  # what s has overwritten is back
        early: list[ast.stmt] = []
        late: list[ast.stmt] = []

        def read(v: str) -> None:
            source = self.shown.get(v)
            if source is None or not any(x is source for x in body):
                return
            ready.add(v)  # it is read here or kept, and so is there for what comes before, too
            if not self.holds(source, s, body):
                return
            assert isinstance(source, ast.Assign)
            overwritten = self.class_of(self.owner.operations[source].operands[0]) in self.table.written.get(s, ())
            if overwritten and (last < 0 or any(v in header_reads(x) for x in statements(code[: last + 1]))):
                return
            for u in sorted(expression_reads(source.value) - ready):
                read(u)
            (late if overwritten else early).append(assign(v, source.value, s))

        for v in sorted(reads - ready):
            read(v)
        return [*early, *code[: last + 1], *late, *code[last + 1 :]]

    def holds(self, source: ast.stmt, s: ast.stmt, body: list[ast.stmt]) -> bool:
        """Whether nothing between two statements of a block changes what the first reads."""
        start = next(i for i, x in enumerate(body) if x is source)
        stop = next((i for i, x in enumerate(body) if x is s), len(body))
        if stop < start:
            return False
        assert isinstance(source, ast.Assign)
        needed = expression_reads(source.value)
        between = list(statements(body[start + 1 : stop]))
        stored = set().union(*(self.table.written.get(x, frozenset()) for x in between))
        if any(self.class_of(v) in stored for v in needed):
            return False
        changed = {v for x in statements(body[start + 1 : stop + 1]) for v in writes(x)}
        own = set(writes(source))
        return not (needed | own) & (changed - (own if body[start] is s else set()))

    def without_useless(
        self, forward: list[ast.stmt], backward: list[ast.stmt]
    ) -> tuple[list[ast.stmt], list[ast.stmt]]:
        """Both passes without keeping and putting back content that no adjoint reads afterwards."""
        if not self.saves or self.owner.records.everything:
            return forward, backward
        self.forms = self.only_for_shape(backward)
        live = {self.class_of(p) for p in self.given} if self.restored else set()
        live |= {self.class_of(v) for v in self.unpacked_from_saved()}
        kept: set[ast.stmt] = set()  # what is put back in one place is put back in all, so that lists keep in step
        while True:
            needed: set[ast.stmt] = set()
            self.find_needed(backward, set(live), needed, kept)
            if (more := {self.pairs[s] for s in needed}) <= kept:
                break
            kept |= more
        drop = {s for s in self.saves if self.pairs.get(s, s) not in kept} - self.forced
        for stack, push in list(self.stacks.items()):
            if push in drop:
                del self.stacks[stack]
        return _without(forward, drop), _without(backward, drop)

    def unpacked_from_saved(self) -> set[str]:
        """In a backward pass: what its forward pass has kept, which others may still read afterwards."""
        unit = self.settled.unit
        kept = getattr(unit.source.function, "fresh", "")
        found = [op.targets for op in unit.operations.values() if op.kind == "unpack" and op.operands[0] == kept]
        return {v for targets in found for v in targets}

    def find_needed(self, body: list[ast.stmt], live: set[str], needed: set[ast.stmt], kept: set[ast.stmt]) -> set[str]:
        """Restores after which something reads what they put back; the classes whose content is read from here on."""
        for s in reversed(body):
            if s in self.saves:
                if self.saves[s] in live or self.pairs.get(s) in kept:
                    needed.add(s)
                    live = live | {self.class_of(v) for v in self.content_reads(s)}
                continue
            if s in self.rebuilt:
                continue
            match s:
                case ast.If(body=then, orelse=other):
                    one = self.find_needed(then, set(live), needed, kept)
                    live = one | self.find_needed(other, set(live), needed, kept)
                case ast.For(body=inner) | ast.While(body=inner):
                    anew = self.bound_anew(inner)
                    while True:
                        entry = self.find_needed(inner, set(live), needed, kept) - anew
                        if entry <= live:
                            break
                        live = live | entry
            live = live | {self.class_of(v) for v in self.content_reads(s)}
        return live - {""}

    def bound_anew(self, body: list[ast.stmt]) -> set[str]:
        """The classes of arrays that each iteration of the loop makes, and binds again on the way back."""
        bound = {v for s in statements(body) if isinstance(s, ast.Assign) for v in writes(s)}
        classes = {self.class_of(v) for v in bound & self.table.local if not self.is_container(v)}
        members = self.table.members(bound & self.table.local)
        others = {self.class_of(v) for v in members if v not in bound or v not in self.table.local}
        return classes - others - {""}

    def only_for_shape(self, body: list[ast.stmt]) -> set[str]:
        """Names that a pass reads for their shape alone."""
        read = {v for s in statements(body) for v in self.names_read(s, set())}
        return {v for s in statements(body) for v in writes(s)} - read

    def content_reads(self, s: ast.stmt) -> set[str]:
        """Variables of storage whose content a statement reads; shapes alone do not count."""
        found = self.names_read(s, self.forms)
        return {v for v in self.with_held(found) if v in self.table.classes}

    def names_read(self, s: ast.stmt, forms: set[str]) -> set[str]:
        """Names that a statement reads for more than their shape; of `forms` nothing else is looked at later."""
        if isinstance(s, InsertedCode):
            return set(s.block.reads)
        found: set[str] = set()
        externals = self.owner.scribe.externals

        def visit(node: ast.AST) -> None:
            match node:
                case ast.Name(id=v, ctx=ast.Load()):
                    found.add(v)
                case ast.Attribute(value=ast.Name(), attr="shape" | "ndim" | "dtype" | "size"):
                    return
                case ast.Call(func=ast.Name(id=f), args=args) if externals.get(f) in SHAPE_ONLY:
                    for i, a in enumerate(args):
                        if i not in SHAPE_ONLY[externals[f]] or self.is_item(a):
                            visit(a)
                case ast.Call(func=ast.Attribute(attr="shape" | "zeros_like" | "ones_like"), args=[ast.Name()]):
                    return
                case ast.Assign(targets=[ast.Name(id=t)], value=ast.Subscript(value=ast.Name(), slice=index) as e) if (
                    t in forms and not self.is_item(e)
                ):
                    visit(index)
                case ast.Assign(targets=[ast.Subscript(value=ast.Name(), slice=index)], value=value):
                    visit(index)
                    visit(value)
                case ast.If(test=test) | ast.While(test=test):
                    visit(test)
                case ast.For(iter=iter):
                    visit(iter)
                case _:
                    for child in ast.iter_child_nodes(node):
                        visit(child)

        if not isinstance(s, Comment):
            visit(s)
        return found

    def is_item(self, e: ast.expr) -> bool:
        """Whether an expression is an item of a list or dict: it may have another shape before it is put back."""
        while isinstance(e, ast.Subscript):
            if isinstance(e.value, ast.Name) and self.is_flat(e.value.id):
                return True
            e = e.value
        return False


def _without(body: list[ast.stmt], drop: set[ast.stmt]) -> list[ast.stmt]:
    done: list[ast.stmt] = []
    for s in body:
        match s:
            case _ if s in drop:
                continue
            case ast.If(body=[ast.Break()]):
                done.append(s)
            case ast.If(body=then, orelse=other):
                one, two = _without(then, drop), _without(other, drop)
                if one or two:
                    test = s.test if one else ast.UnaryOp(ast.Not(), s.test)
                    done.append(replace(s, test=test, body=one or two, orelse=two if one else []))
            case ast.For(body=inner) | ast.While(body=inner):
                left = _without(inner, drop)
                if any(not isinstance(x, Comment) for x in left):
                    done.append(replace(s, body=left))
            case _:
                done.append(s)
    return done
