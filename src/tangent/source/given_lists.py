"""Lists of objects that a function is given, as lists of their attributes: these are read at the beginning.

def f(ps, dt, n):                          def f(ps, dt, n):
    for _ in range(n):                         ps_x, ps_v = [], []
        for p in ps:                           for q in ps:
            p.x += p.v * dt          ->            ps_x.append(+q.x); ps_v.append(q.v)
    return sum(p.x for p in ps)                for _ in range(n):
                                                   for p in range(len(ps_x)):
                                                       ps_x[p] += ps_v[p] * dt
                                               return sum(ps_x[p] for p in range(len(ps_x)))

As for lists that a function makes itself (columns.py). All objects are of one class, and hold the same.
"""

from __future__ import annotations

import ast
import types

from tangent.source.beginning import assigned_in, attribute_of, changed_in, copied_as, named_in, split
from tangent.source.called import located
from tangent.source.columns import Columns
from tangent.source.inlined import Body, CannotWriteOut, Definition, written_anew
from tangent.syntax.quote import assign, at, expression, name
from tangent.syntax.rebuild import replace


class GivenColumns(Columns):
    """One list, under a name that nothing else is bound to."""

    def __init__(
        self, tree: ast.FunctionDef, function: types.FunctionType, definition: Definition, v: str, path: str,
        apart: bool, held: dict[str, str],
    ) -> None:  # fmt: skip
        self.head, rest = split(tree.body, v)
        self.forms = held
        super().__init__(replace(tree, body=rest), function, definition, v, path, apart)
        self.attributes: dict[str, str] = {}  # none of them is one object
        self.needed: set[str] = set()
        body = self.body()
        changed = changed_in(body)
        self.changes = not (changed | assigned_in(body)).isdisjoint(self.columns.values())
        self.result = written_anew(self.tree, [*self.head, *self.beginning(body, changed), *body], self.relied)

    def find_attributes(self) -> None:
        if not self.forms:
            raise CannotWriteOut  # objects that hold nothing have no list that tells how many they are
        self.columns = {attr: self.names.fresh(f"{self.v}_{attr.strip('_') or 'value'}") for attr in self.forms}

    def beginning(self, body: Body, changed: set[str]) -> Body:
        """The lists of attributes."""
        used = {attr: v for attr, v in self.columns.items() if v in named_in(body)}
        one = self.names.fresh(self.v[0])
        found: Body = [assign(column, ast.List([], ast.Load()), self.tree) for column in used.values()]
        pushed: Body = []
        for attr, column in used.items():
            read = attribute_of(one, attr)
            item = copied_as(read, self.forms[attr]) if column in changed else read
            pushed.append(at(ast.Expr(expression("c.append(e)", c=column, e=item)), self.tree))
        loop = at(ast.For(ast.Name(one, ast.Store()), name(self.v), pushed, []), self.tree)
        return [*found, located(loop, self.tree)] if used else []
