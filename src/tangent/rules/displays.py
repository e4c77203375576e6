"""Lists and tuples that NumPy takes for arrays: what may be a list of active numbers becomes an array first.

y = np.sin([a, b])   ->   t = [a, b]; t2 = np.array(t); y = np.sin(t2)

Functions that take sequences of arrays (`np.stack`) have rules that know sequences, and keep them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import replace as changed

from tangent import runtime
from tangent.analysis.operation import MAY_BE_LISTS, Operation, Operations
from tangent.normalise.context import Context
from tangent.rules.bind import bind
from tangent.rules.lists import Lists, array_operands, find_lists, numpy_name, operator_operands, operators_on_lists
from tangent.rules.table import Table
from tangent.syntax.quote import assign, expression, name
from tangent.syntax.rebuild import rebuild, replace
from tangent.syntax.uses import arguments


def arrays_of_displays(
    f: ast.FunctionDef, operations: Operations, context: Context, table: Table, given: bool = False
) -> tuple[ast.FunctionDef, Operations, Lists]:
    """The function with arrays in the place of lists of numbers, its operations, and which variables may be lists."""
    lists = find_lists([a.arg for a in arguments(f.args)], operations, context, given)
    found = dict(operations)
    names = [a.arg for a in arguments(f.args)] if given else []
    names += _read_from_memory(found)
    _mark_operators(found, operators_on_lists(names, found, lists))
    return replace(f, body=_Displays(found, context, table, lists).block(f.body)), found, lists


def _read_from_memory(operations: Operations) -> list[str]:
    """Lists as a memory holds them, which are repeated: `[0.0] * n`."""
    lists = {
        op.targets[0]
        for op in operations.values()
        if op.kind == "rule" and op.rule.name == "new_list" and isinstance(op.value, ast.Call)
    }
    return [
        op.targets[0]
        for op in operations.values()
        if op.kind == "rule" and op.rule.name == "contents" and any(v in lists for v in op.operands)
    ]


def _mark_operators(operations: Operations, lists: set[str]) -> None:
    """Operators whose operands may be lists are looked at when they run."""
    for s, op in operations.items():
        if lists & operator_operands(op):
            operations[s] = changed(op, why=MAY_BE_LISTS)


class _Displays:
    def __init__(self, operations: Operations, context: Context, table: Table, lists: Lists) -> None:
        self.operations, self.context, self.table, self.lists = operations, context, table, lists
        self.displays = displayed(operations.values())

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        done: list[ast.stmt] = []
        for s in body:
            match s:
                case ast.If(body=[ast.Break()]):
                    done.append(s)
                case ast.If(body=then, orelse=other):
                    done.append(self.like(s, replace(s, body=self.block(then), orelse=self.block(other))))
                case ast.For(body=inner) | ast.While(body=inner):
                    done.append(self.like(s, replace(s, body=self.block(inner))))
                case ast.Assign(value=ast.Call() as call) if s in self.operations:
                    done += self.statement(s, call, self.operations[s])
                case _:
                    done.append(s)
        return done

    def like(self, old: ast.stmt, new: ast.stmt) -> ast.stmt:
        if old in self.operations:
            self.operations[new] = self.operations[old]
        return new

    def statement(self, s: ast.Assign, call: ast.Call, op: Operation) -> list[ast.stmt]:
        taken = [k for k, v in array_operands(op, self.context).items() if v in self.lists.names]
        before: list[ast.stmt] = []
        names: dict[int, ast.expr] = {}
        renamed: dict[str, str] = {}
        for k in taken:
            old = op.values[k]
            assert isinstance(old, ast.Name)
            if old.id not in renamed:
                renamed[old.id] = self.context.names.numbered("t")
                before.append(self.array(renamed[old.id], self.making(op, k, call, old), old, s))
            names[id(old)] = name(renamed[old.id])
        if not taken:
            return [s]
        value = rebuild(call, lambda e: names.get(id(e), e))
        values = {k: names.get(id(v), v) for k, v in op.values.items()}
        after = replace(s, value=value)
        operands = tuple(renamed.get(v, v) for v in op.operands)
        self.operations[after] = changed(op, operands=operands, value=value, values=values)
        return [*before, after]

    def making(self, op: Operation, k: str, call: ast.Call, old: ast.Name) -> tuple[str, ast.expr]:
        """What makes an array of a list: it copies no array, and leaves None where that stands for no operand."""
        if old.id in self.displays:
            return "array", expression("np.array", np=numpy_name(call.func, self.context))
        if _may_be_none(op, k):
            return "given_array", name(self.context.use("given_array", runtime.given_array))
        return "asarray", expression("np.asarray", np=numpy_name(call.func, self.context))

    def array(self, target: str, making: tuple[str, ast.expr], old: ast.Name, like: ast.stmt) -> ast.stmt:
        """`target = np.array(old)`."""
        value = expression("f(v)", f=making[1], v=old)
        assert isinstance(value, ast.Call)
        s = assign(target, value, like)
        rule = self.table.rules[making[0]]
        values = bind(rule, value.args, [], self.context.source.locate(like)).values
        operand = value.args[0]
        assert isinstance(operand, ast.Name)
        self.operations[s] = Operation("rule", (target,), (operand.id,), value, rule, values)
        return s


def _may_be_none(op: Operation, k: str) -> bool:
    """Whether an operand of a rule is None by default."""
    defaults = {p.name: p.default for p in op.rule.parameters}
    return isinstance(d := defaults.get(k), ast.Constant) and d.value is None


def displayed(operations: Iterable[Operation]) -> set[str]:
    """Variables that only ever hold lists that are written out."""
    made = {v for op in operations if op.kind == "pack" for v in op.targets}
    return made - {v for op in operations if op.kind != "pack" for v in op.targets}
