"""Parts of arrays that are only looked at element by element, in terms of the whole array.

cam = cams[i]
f = cam[6]            ->      f = cams[i, 6]
c = cam[3:6]                  c = cams[i, 3:6]
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from tangent.optimise.typed.kinds import Number
from tangent.syntax.rebuild import rebuild, replace, statements
from tangent.syntax.uses import expression_reads, header_reads, writes


def rows(f: ast.FunctionDef, kind: Callable[[ast.expr], Any]) -> ast.FunctionDef:
    found = _rows(f.body, kind)
    if not found:
        return f

    def change(e: ast.expr) -> ast.expr:
        match e:
            case ast.Subscript(value=ast.Name(id=v), slice=index) if v in found:
                row = found[v]
                parts = list(index.elts) if isinstance(index, ast.Tuple) else [index]
                return replace(e, value=row.value, slice=ast.Tuple([*_parts(row.slice), *parts], ast.Load()))
            case _:
                return e

    return replace(f, body=_block(f.body, found, change))


def _block(
    body: list[ast.stmt], found: dict[str, ast.Subscript], change: Callable[[ast.expr], ast.expr]
) -> list[ast.stmt]:
    done: list[ast.stmt] = []
    for s in body:
        match s:
            case ast.Assign(targets=[ast.Name(id=v)]) if v in found:
                continue
            case ast.If(body=then, orelse=other):
                test = rebuild(s.test, change)
                done.append(
                    replace(s, test=test, body=_block(then, found, change), orelse=_block(other, found, change))
                )
            case ast.For(body=inner):
                done.append(replace(s, iter=rebuild(s.iter, change), body=_block(inner, found, change)))
            case ast.While(body=inner):
                done.append(replace(s, test=rebuild(s.test, change), body=_block(inner, found, change)))
            case _:
                done.append(rebuild(s, change))
    return done


def _rows(body: list[ast.stmt], kind: Callable[[ast.expr], Any]) -> dict[str, ast.Subscript]:
    """Parts by numbers, set once, of arrays that keep their names as long as the part is used."""
    times: dict[str, int] = {}
    for s in statements(body):
        for v in writes(s):
            times[v] = times.get(v, 0) + 1
    found: dict[str, ast.Subscript] = {}
    for block in [body, *_inner(body)]:
        for i, s in enumerate(block):
            match s:
                case ast.Assign(targets=[ast.Name(id=v)], value=ast.Subscript(value=ast.Name(id=base)) as row) if (
                    times[v] == 1 and base not in found and _is_row(row, kind)
                ):
                    fixed = expression_reads(row)
                    rest = list(statements(block[i + 1 :]))
                    if _uses(v, rest) == _uses(v, list(statements(body))) and _only_elements(v, rest):
                        if not any(fixed & set(writes(x)) for x in rest if not isinstance(x, ast.AugAssign)):
                            found[v] = row
    return found


def _inner(body: list[ast.stmt]) -> list[list[ast.stmt]]:
    return [b for s in statements(body) for b in (getattr(s, "body", []), getattr(s, "orelse", [])) if b]


def _parts(index: ast.expr) -> list[ast.expr]:
    return list(index.elts) if isinstance(index, ast.Tuple) else [index]


def _is_row(row: ast.Subscript, kind: Callable[[ast.expr], Any]) -> bool:
    whole, numbers = kind(row.value), [kind(p) if not isinstance(p, ast.Slice) else None for p in _parts(row.slice)]
    plain = all(isinstance(k, Number) and k.scalar and k.dtype == "i8" for k in numbers)
    return plain and isinstance(whole, Number) and whole.rank > len(numbers)


def _uses(v: str, body: list[ast.stmt]) -> int:
    return sum(1 for s in body if v in header_reads(s))


def _only_elements(v: str, body: list[ast.stmt]) -> bool:
    """Whether an array is only read by index."""
    for s in body:
        owners = {id(n.value) for n in ast.walk(s) if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Load)}
        if any(isinstance(n, ast.Name) and n.id == v and id(n) not in owners for n in ast.walk(s)):
            return False
    return True
