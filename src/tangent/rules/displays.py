"""Lists and tuples that NumPy takes for arrays: what is made of active numbers becomes an array first.

y = np.sin([a, b])   ->   t = [a, b]; t2 = np.array(t); y = np.sin(t2)

Functions that take sequences of arrays (`np.stack`) have rules that know sequences, and keep them.
"""

from __future__ import annotations

import ast
import types
from dataclasses import replace as changed
from typing import Any

import numpy as np

from tangent.analysis.operation import Operation, Operations
from tangent.normalise.context import Context
from tangent.rules.bind import bind
from tangent.rules.table import Table
from tangent.syntax.quote import assign, expression, name
from tangent.syntax.rebuild import rebuild, replace

SEQUENCES = frozenset(
    "concatenate stack vstack hstack dstack column_stack block array asarray require ascontiguousarray copy multi_dot "
    "choose select".split()
)


def arrays_of_displays(
    f: ast.FunctionDef, operations: Operations, context: Context, table: Table
) -> tuple[ast.FunctionDef, Operations]:
    """The function with arrays in the place of lists of numbers, and its operations."""
    found = dict(operations)
    return replace(f, body=_Displays(found, context, table).block(f.body)), found


class _Displays:
    def __init__(self, operations: Operations, context: Context, table: Table) -> None:
        self.operations, self.context, self.table = operations, context, table

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        done: list[ast.stmt] = []
        made: set[str] = set()
        for s in body:
            op = self.operations.get(s)
            match s:
                case ast.If(body=[ast.Break()]):
                    done.append(s)
                case ast.If(body=then, orelse=other):
                    done.append(self.like(s, replace(s, body=self.block(then), orelse=self.block(other))))
                case ast.For(body=inner) | ast.While(body=inner):
                    done.append(self.like(s, replace(s, body=self.block(inner))))
                case ast.Assign(value=ast.Call() as call) if op is not None and op.kind == "rule":
                    done += self.statement(s, call, op, made)
                case _:
                    done.append(s)
            for t in op.targets if op is not None else ():
                (made.add if op is not None and op.kind == "pack" and op.operands else made.discard)(t)
        return done

    def like(self, old: ast.stmt, new: ast.stmt) -> ast.stmt:
        if old in self.operations:
            self.operations[new] = self.operations[old]
        return new

    def statement(self, s: ast.Assign, call: ast.Call, op: Operation, made: set[str]) -> list[ast.stmt]:
        module = self.numpy_name(call.func)
        lists = [k for k, v in op.values.items() if k in op.rule.operands and isinstance(v, ast.Name) and v.id in made]
        if not module or not lists or op.rule.name in SEQUENCES:
            return [s]
        before: list[ast.stmt] = []
        names: dict[int, ast.expr] = {}
        renamed: dict[str, str] = {}
        for k in lists:
            old = op.values[k]
            assert isinstance(old, ast.Name)
            new = name(self.context.names.numbered("t"))
            before.append(self.array(new.id, module, old, s))
            names[id(old)], renamed[old.id] = new, new.id
        value = rebuild(call, lambda e: names.get(id(e), e))
        values = {k: names.get(id(v), v) for k, v in op.values.items()}
        after = replace(s, value=value)
        operands = tuple(renamed.get(v, v) for v in op.operands)
        self.operations[after] = changed(op, operands=operands, value=value, values=values)
        return [*before, after]

    def array(self, target: str, module: str, old: ast.Name, like: ast.stmt) -> ast.stmt:
        """`target = np.array(old)`."""
        value = expression("np.array(v)", np=module, v=old)
        assert isinstance(value, ast.Call)
        s = assign(target, value, like)
        rule = self.table.rules["array"]
        values = bind(rule, value.args, [], self.context.source.locate(like)).values
        operand = value.args[0]
        assert isinstance(operand, ast.Name)
        self.operations[s] = Operation("rule", (target,), (operand.id,), value, rule, values)
        return s

    def numpy_name(self, func: ast.expr) -> str:
        """The user's name for NumPy in a call of one of its functions."""
        root: Any = func
        while isinstance(root, ast.Attribute):
            root = root.value
        found = self.context.scope.resolve(root) if isinstance(root, ast.Name) else None
        return root.id if isinstance(found, types.ModuleType) and found is np else ""
