"""Tuples, lists and dicts that are made, taken apart, grown and shrunk; functions that capture."""

from __future__ import annotations

import ast

from tangent.analysis.operation import Operation
from tangent.syntax.print import comment
from tangent.syntax.quote import assign, at, constant, expression, name
from tangent.transform.reverse.rules import Rules
from tangent.transform.reverse.state import State
from tangent.transform.rows import Part


class Containers(Rules):
    def unpack_adjoint(self, op: Operation, s: ast.stmt) -> tuple[list[ast.stmt], dict[str, list[Part]]]:
        """The adjoint of a tuple, list or dict falls apart into those of its items."""
        b = self.adjoint(op.targets[0])
        parts: dict[str, list[Part]] = {}
        match op.value:
            case ast.Dict(keys=keys, values=values):
                for key, e in zip(keys, values):
                    if isinstance(e, ast.Name) and e.id in self.active:
                        if key is None:
                            item: ast.expr = self.scribe.call(
                                "items_like", name(b), e, self.later_keys(keys, values, e)
                            )
                        elif self.stores.is_dict(op.targets[0]):
                            item = self.scribe.call("item_grad", expression("b.get(k)", b=b, k=key), e)
                        else:
                            item = expression("b[k]", b=b, k=key)
                        parts.setdefault(e.id, []).append(Part(item))
            case ast.Tuple(elts=elts) | ast.List(elts=elts):
                for i, e in enumerate(elts):
                    inner = e.value if isinstance(e, ast.Starred) else e
                    if isinstance(inner, ast.Name) and inner.id in self.active:
                        if isinstance(e, ast.Starred):
                            item = self.scribe.call("repack_from", inner, self.items_between(b, elts, i))
                        else:
                            item = expression("b[i]", b=b, i=self.offset(elts[:i]))
                        parts.setdefault(inner.id, []).append(Part(item))
        return [], parts

    def later_keys(self, keys: list[ast.expr | None], values: list[ast.expr], merged: ast.expr) -> ast.expr:
        """What comes after a merged dict in a display and may replace its items: keys and dicts."""
        position = next(i for i, v in enumerate(values) if v is merged)
        later = list(zip(keys, values))[position + 1 :]
        return ast.Tuple([ast.Tuple([k], ast.Load()) if k is not None else v for k, v in later], ast.Load())

    def pack_adjoint(self, op: Operation, s: ast.stmt, state: State) -> ast.expr:
        """The adjoint of what was unpacked is packed from those of the targets."""
        assert isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Tuple) and isinstance(s.value, ast.Name)
        elts: list[ast.expr] = []
        # what generated code keeps holds lists that get shorter: a zero like it takes the form of what is added
        zero = "lazy_zero" if self.unit.source.file.startswith("<generated") else "init_grad"
        if any(s.value.id in made.targets and made.rule and made.rule.unread for made in self.operations.values()):
            zero = "unread"
        for slot in s.targets[0].elts:
            inner = slot.value if isinstance(slot, ast.Starred) else slot
            assert isinstance(inner, ast.Name)
            held = inner.id in state.held
            part: ast.expr = name(self.adjoint(inner.id)) if held else self.scribe.call(zero, name(inner.id))
            if inner.id in self.stores.shadowed:
                part = self.stores.value(inner.id)
            elts.append(ast.Starred(part, ast.Load()) if isinstance(slot, ast.Starred) else part)
        if s.value.id in self.tuples:
            return ast.Tuple(elts, ast.Load())
        if any(isinstance(e, ast.Starred) for e in elts):
            return self.scribe.call("repack_from", s.value, ast.Tuple(elts, ast.Load()))
        return ast.Call(name(self.scribe.runtime("repack")), [s.value, *elts], [])

    def adjoint_push(self, op: Operation, s: ast.stmt, state: State) -> list[ast.stmt]:
        """`stack.append(x)`: its adjoint pops."""
        stack = op.targets[0]
        shrinks = op.why == "read" and stack not in self.complete
        undo: list[ast.stmt] = [at(ast.Expr(expression("v.pop()", v=stack)), s)] if shrinks else []
        if stack not in self.active or stack not in state.held:
            return undo
        popped = expression("b.pop()", b=self.adjoint(stack))
        if stack in self.handed and op.operands:
            popped = self.scribe.call("pop_grad", name(self.adjoint(stack)), name(op.operands[0]))
        mark = comment(f"Grad of: {self.primal(s)}", s)
        if self.cuts.restoring:
            popped = expression("b.pop()", b=self.adjoint(stack))
        if op.operands and op.operands[0] in self.active and not self.cuts.restoring:
            held = self.scribe.names.numbered("b" + op.operands[0])
            first = assign(held, popped, s)
            return [mark, first, self.accumulate(op.operands[0], Part(name(held)), state, s), *undo]
        return [mark, at(ast.Expr(popped), s), *undo]

    def gives_back(self, op: Operation, heard: bool, state: State) -> bool:
        """Whether the adjoint of a pop pushes; one of several pops does for all, since the way taken may be another."""
        stack = op.operands[0]
        return stack in self.active and (heard or stack in state.held or stack in self.forked)

    def adjoint_pop(self, op: Operation, s: ast.stmt, state: State) -> tuple[list[ast.stmt], dict[str, list[Part]]]:
        """`x = stack.pop()`: its adjoint pushes."""
        stack, target = op.operands[0], op.targets[0]
        before: list[ast.stmt] = []
        if stack not in state.held:
            state.held.add(stack)
            before.append(assign(self.adjoint(stack), self.no_items(stack), s))
        item: ast.expr = self.scribe.call("init_grad", name(target))
        if target in self.stores.shadowed:
            item = self.stores.value(target)
        elif target in state.held:
            item = name(self.adjoint(target))
        before.append(at(ast.Expr(expression("b.append(v)", b=self.adjoint(stack), v=item)), s))
        if op.why == "read":
            before.append(at(ast.Expr(expression("s.append(v)", s=stack, v=target)), s))
        return before, {}

    def captured_adjoint(self, op: Operation) -> dict[str, list[Part]]:
        """The gradient of a closure falls apart into those of what it captured."""
        b = name(self.adjoint(op.targets[0]))
        captured = [v for v in op.operands if v in self.active]
        return {v: [Part(self.scribe.call("captured", b, constant(v), name(v)))] for v in captured}
