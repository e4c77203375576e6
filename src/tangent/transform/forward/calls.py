"""Calls of functions that have no rule, and containers."""

from __future__ import annotations

import ast
from typing import Any

from tangent.analysis.operation import Operation
from tangent.runtime.calls import CAUGHT, SILENT
from tangent.syntax.quote import at, constant, name
from tangent.syntax.rebuild import replace
from tangent.transform.calls import Groups, fit_arguments, items_beside
from tangent.transform.custom import refuse_missing, refuse_writer
from tangent.transform.forward.frame import Frame
from tangent.transform.reverse.calls import unbound_method


class Calls(Frame):
    """Tangents of calls, tuples, lists and dicts."""

    def packed(self, op: Operation, s: ast.stmt) -> ast.expr:
        def part(e: ast.expr) -> ast.expr:
            if isinstance(e, ast.Starred):
                return ast.Starred(self.tangents_of_items(e.value), ast.Load())
            return self.tangent_of(e)

        match op.value:
            case ast.Dict(keys=keys, values=values):
                return ast.Dict(keys, [part(e) for e in values])
            case ast.Tuple(elts=elts) | ast.List(elts=elts) as e:
                return replace(e, elts=[part(x) for x in elts])
            case _:
                raise AssertionError("not a container display")

    def unpacked(self, op: Operation, s: ast.stmt) -> list[ast.stmt]:
        assert isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Tuple)
        slots: list[ast.expr] = []
        for slot in s.targets[0].elts:
            inner = slot.value if isinstance(slot, ast.Starred) else slot
            assert isinstance(inner, ast.Name)
            known = inner.id in self.active
            plain: ast.expr = ast.Name(
                self.tangent(inner.id) if known else self.scribe.names.numbered("_"), ast.Store()
            )
            slots.append(ast.Starred(plain, ast.Store()) if isinstance(slot, ast.Starred) else plain)
        source = self.tangents_of_items(name(op.operands[0]))
        return [s, at(ast.Assign([ast.Tuple(slots, ast.Store())], source), s)]

    def call(self, op: Operation, s: ast.stmt) -> list[ast.stmt]:
        assert isinstance(op.value, ast.Call)
        target, value = op.targets[0], op.value
        arguments = fit_arguments(self.unit, value, op.callee) if op.kind == "call" else None
        slots = ast.Tuple([ast.Name(target, ast.Store()), ast.Name(self.tangent(target), ast.Store())], ast.Store())
        if arguments is None:
            return [at(ast.Assign([slots], self.dynamic(value, s in self.caught)), s)]
        groups = self.groups(s, arguments.values)
        refuse_writer(self.unit, value, op.callee, groups)
        stored = {p for group in groups for p in group}
        wanted = tuple(p for p in arguments.values if p in stored or p in arguments.active(self.active))
        refuse_missing(self.unit, value, op.callee, "forward", wanted)
        known = frozenset(
            p for p, v in arguments.values.items() if isinstance(v, ast.expr) and self.shapes.of(v).number
        )
        derivative = self.derivatives.tangent(op.callee, wanted, known, groups, arguments.known, s in self.caught)
        tangents = [ast.keyword(f"d{p}", self.structured(arguments.values[p])) for p in wanted]
        function = name(self.scribe.use(derivative.name, derivative))
        names = [ast.keyword(derivative.seeds[k.arg[1:]], k.value) for k in tangents if k.arg]
        return [at(ast.Assign([slots], replace(value, func=function, keywords=[*value.keywords, *names])), s)]

    def groups(self, s: ast.stmt, values: dict[str, Any]) -> Groups:
        """The parameters that get storage which the call writes into, by what they share."""
        written = self.table.written.get(s, frozenset())
        found: dict[str, list[str]] = {}
        for p, value in values.items():
            if isinstance(value, ast.Name) and value.id in self.shadowed and self.table.classes[value.id] in written:
                found.setdefault(self.table.classes[value.id], []).append(p)
        return Groups(tuple(tuple(group) for group in found.values()), known=True)

    def structured(self, value: Any) -> ast.expr:
        """The tangent of an argument, also of those that `*args` and `**kwargs` collect."""
        if isinstance(value, tuple):
            return ast.Tuple([self.structured(v) for v in value], ast.Load())
        if isinstance(value, dict):
            return ast.Dict([constant(k) for k in value], [self.structured(v) for v in value.values()])
        return self.tangent_of(value)

    def dynamic(self, value: ast.Call, caught: bool = False) -> ast.expr:
        """`call_jvp(f, active, tangents, *args)`: the callee is asked for its derivative when the call happens."""
        value = unbound_method(self.unit, value, self.active, self.scribe)
        active: list[ast.expr] = [constant(SILENT)] if self.derivatives.options.silent else []
        active += [constant(CAUGHT)] if caught else []
        tangents: list[ast.expr] = []
        if isinstance(value.func, ast.Name) and value.func.id in self.active:
            active.append(constant("f"))
            tangents.append(self.tangent_of(value.func))
        for i, a in enumerate(value.args):
            inner = a.value if isinstance(a, ast.Starred) else a
            if isinstance(inner, ast.Name) and inner.id in self.active:
                star = isinstance(a, ast.Starred)
                active.append(constant(f"*{i}" if star else i))
                tangents.append(self.tangents_of_items(inner) if star else self.tangent_of(inner))
        for k in value.keywords:
            if isinstance(k.value, ast.Name) and k.value.id in self.active:
                active.append(constant(k.arg or items_beside(value)))
                tangents.append(self.tangent_of(k.value))
        function = name(self.scribe.runtime("call_jvp"))
        head = [value.func, ast.Tuple(active, ast.Load()), ast.Tuple(tangents, ast.Load())]
        return ast.Call(function, [*head, *value.args], value.keywords)
