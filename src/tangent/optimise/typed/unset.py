"""Names that are unset until a loop or a branch sets them keep their type.

t = None                              t = np.nan
for i in range(n):                    for i in range(n):
    if i == 0:                  ->        if i == 0:
        t_stack[i] = t                        t_stack[i] = t
        t = x                                 t = x
"""

from __future__ import annotations

import ast

from tangent.optimise.typed.infer import is_unset
from tangent.optimise.typed.kinds import Kind, Number
from tangent.syntax.quote import assign, constant, expression
from tangent.syntax.rebuild import replace, statements
from tangent.syntax.uses import header_reads, writes


def with_types(body: list[ast.stmt], kinds: dict[str, Kind], np_name: str) -> list[ast.stmt]:
    """A value of the type that a name gets, in place of nothing, where nothing would be kept before it is set."""
    done = without_nothing(body)
    return [_typed(s, kinds, np_name) if s in done else s for s in body]


def _typed(s: ast.stmt, kinds: dict[str, Kind], np_name: str) -> ast.stmt:
    match s:
        case ast.Assign(targets=[ast.Name(id=v)]) if is_unset(s) and (value := value_of(kinds.get(v), np_name)):
            return assign(v, value)
        case _:
            return s


def value_of(kind: Kind, np_name: str) -> ast.expr | None:
    """A value of a kind that nobody computes with: numbers that would show, arrays without elements."""
    match kind:
        case Number(rank=0, dtype="f8"):
            return expression("np.nan", np=np_name)
        case Number(rank=0, dtype="i8"):
            return constant(0)
        case Number(rank=0, dtype="b1"):
            return constant(False)
        case Number(rank=rank, dtype="f8"):
            return expression("np.empty(s)", np=np_name, s=ast.Tuple([constant(0)] * rank, ast.Load()))
        case _:
            return None


def without_nothing(body: list[ast.stmt]) -> list[ast.stmt]:
    """Drop `t = None` for what may stay unset and is never looked at then: a name keeps its type.

    Numba takes a name that is set on some ways only, as long as the text sets it before it reads it.
    """
    done: list[ast.stmt] = []
    for i, s in enumerate(body):
        match s:
            case ast.Assign(targets=[ast.Name(id=v)]) if is_unset(s):
                if not _set_first(v, body[i + 1 :]):
                    done.append(s)
            case ast.If(body=then, orelse=other):
                done.append(replace(s, body=without_nothing(then) or [ast.Pass()], orelse=without_nothing(other)))
            case ast.For(body=inner) | ast.While(body=inner):
                done.append(replace(s, body=without_nothing(inner) or [ast.Pass()]))
            case _:
                done.append(s)
    return done


def _set_first(v: str, body: list[ast.stmt]) -> bool:
    """Whether the first mention of a name sets it."""
    for s in statements(body):
        if v in header_reads(s):
            return False
        if v in writes(s):
            return True
    return False
