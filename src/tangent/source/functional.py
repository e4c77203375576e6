"""Whether a function may give a function, or something that holds one, as far as its text tells.

def twice(f):                      def area(f, a, b):
    return lambda v: f(f(v))           return (b - a) * f((a + b) / 2)      no: a number
"""

from __future__ import annotations

import ast
import types
from typing import Any

from tangent.errors import TangentError
from tangent.source.read import read
from tangent.source.resolve import MISSING, Scope
from tangent.syntax.rebuild import walk_scope
from tangent.syntax.uses import arguments, assigned_inside, writes

NUMBERS = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.Constant, ast.JoinedStr)
DEPTH = 4


def may_give_function(callee: Any, depth: int = DEPTH) -> bool:
    """Whether what a call gives may be a function, or hold one."""
    if not isinstance(callee, types.FunctionType):
        return (getattr(callee, "__module__", None) or "").split(".")[0] not in ("numpy", "math", "scipy")
    if (callee.__module__ or "").split(".")[0] == "numpy":
        return False
    try:
        tree = read(callee).tree
    except TangentError:
        return True
    own = assigned_inside(tree.body) | {a.arg for a in arguments(tree.args)}
    given = _Given(tree, Scope(callee, own), depth)
    return any(given.value(n.value, frozenset()) for n in walk_scope(tree) if isinstance(n, ast.Return))


class _Given:
    def __init__(self, tree: ast.FunctionDef, scope: Scope, depth: int) -> None:
        self.tree, self.scope, self.depth = tree, scope, depth

    def value(self, e: ast.expr | None, asked: frozenset[str]) -> bool:
        match e:
            case None:
                return False
            case ast.Name(id=v):
                return v not in asked and self.variable(v, asked | {v})
            case ast.IfExp(body=body, orelse=orelse):
                return self.value(body, asked) or self.value(orelse, asked)
            case ast.Tuple(elts=items) | ast.List(elts=items) | ast.BoolOp(values=items):
                return any(self.value(x, asked) for x in items)
            case ast.Call(func=func):
                found = self.scope.resolve(func)
                return found is MISSING or self.depth == 0 or may_give_function(found, self.depth - 1)
            case _:
                return not isinstance(e, NUMBERS)

    def variable(self, v: str, asked: frozenset[str]) -> bool:
        """Whether something that a variable is bound to is, or may be, a function."""
        if v in {a.arg for a in arguments(self.tree.args)}:
            return True
        bound = [n for n in walk_scope(self.tree) if isinstance(n, ast.stmt) and v in writes(n)]
        plain = [n for n in bound if isinstance(n, (ast.Assign, ast.AugAssign, ast.AnnAssign))]
        return len(plain) < len(bound) or not bound or any(self.value(n.value, asked) for n in plain)
