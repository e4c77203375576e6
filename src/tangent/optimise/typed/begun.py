"""Lists that begin empty and give their names to other lists later, or begin in several places, have a type from the
start: by an item never put in.

window = []                                             window = []
for v in x:                                             if len(window) < 0:
    window.append(v * v)                                    window.append(np.nan)
    window = mutated(window, 'pop', 0, None)    ->      for v in x:
                                                            ...
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable

from tangent.optimise.typed.kinds import FLOAT, UNKNOWN, Kind, join
from tangent.optimise.typed.unset import value_of
from tangent.syntax.quote import at, quote
from tangent.syntax.rebuild import replace, statements
from tangent.syntax.uses import writes


def begun(body: list[ast.stmt], kind: Callable[[ast.expr], Kind], np_name: str) -> list[ast.stmt]:
    untold = _bound_to_calls(body) | _begun_twice(body)
    items = {v: value_of(found, np_name) for v, found in _appended(body, kind).items() if v in untold}

    def block(stmts: list[ast.stmt]) -> list[ast.stmt]:
        done: list[ast.stmt] = []
        for s in stmts:
            match s:
                case ast.Assign(targets=[ast.Name(id=v)], value=ast.List(elts=[])) if item := items.get(v):
                    typed = quote("if len(v) < 0:\n    v.append(e)", v=v, e=item)
                    for new in statements([typed]):
                        at(new, s)
                    done += [s, typed]
                case ast.If(body=then, orelse=other):
                    done.append(replace(s, body=block(then), orelse=block(other)))
                case ast.For(body=inner) | ast.While(body=inner):
                    done.append(replace(s, body=block(inner)))
                case _:
                    done.append(s)
        return done

    return block(body) if any(items.values()) else body


def _appended(body: list[ast.stmt], kind: Callable[[ast.expr], Kind]) -> dict[str, Kind]:
    """By list, the kind of what is appended to it."""
    found: dict[str, Kind] = {}
    for s in statements(body):
        match s:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=v), attr="append"), args=[item])):
                found[v] = _of_one(found.get(v), kind(item))
    return found


def _of_one(a: Kind, b: Kind) -> Kind:
    """What of two items is known to be a float tells their type, if nothing is known of the other."""
    known = [k for k in (a, b) if k != UNKNOWN]
    return known[0] if known == [FLOAT] else join(a, b)


def _bound_to_calls(body: list[ast.stmt]) -> set[str]:
    """Names that what a call gives is bound to, in one statement or another."""
    calls = (s for s in statements(body) if isinstance(s, ast.Assign) and isinstance(s.value, ast.Call))
    return {v for s in calls for v in writes(s)}


def _begun_twice(body: list[ast.stmt]) -> set[str]:
    """Lists that are made empty in several places, as in both branches of which one fills them."""
    empty = (s for s in statements(body) if isinstance(s, ast.Assign) and _is_empty(s.value))
    made = Counter(v for s in empty for v in writes(s))
    return {v for v, times in made.items() if times > 1}


def _is_empty(e: ast.expr) -> bool:
    return isinstance(e, ast.List) and not e.elts
