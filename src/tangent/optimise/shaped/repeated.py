"""What a block computes twice is computed once.

bt3 = bt5[:, None] * x                 bt3 = bt5[:, None] * x
bB = bt3 * beta                        bB = bt3 * beta
bt = bt5[:, None] * x           ->     bA = bt3 * alpha
bA = bt * alpha

An expression without a name gets one where it is an array, calls a function, or is computed three times.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from tangent.optimise.context import Body
from tangent.optimise.shaped.computed import Values, text, times, with_name
from tangent.syntax.quote import assign
from tangent.syntax.rebuild import replace, statements
from tangent.syntax.uses import expression_reads, writes
from tangent.syntax.walk import walk

OFTEN = 3  # uses of a number that pay for a name


@dataclass
class _Use:
    """An expression, the places in a block where it is computed, and the variable that has its value."""

    e: ast.expr
    places: list[int] = field(default_factory=list)
    holder: str = ""


def repeated(body: Body, known: Values) -> Body:
    done = [_inside(s, known) for s in body]
    while (use := _best(done, known)) is not None:
        done = _once(done, use, known)
    return done


def _inside(s: ast.stmt, known: Values) -> ast.stmt:
    match s:
        case ast.If(body=[ast.Break()]):
            return s
        case ast.If(body=then, orelse=other) if type(s) is ast.If:
            return replace(s, body=repeated(then, known), orelse=repeated(other, known))
        case ast.For(body=inner) | ast.While(body=inner):
            return replace(s, body=repeated(inner, known))
        case _:
            return s


def _best(body: Body, known: Values) -> _Use | None:
    """The largest expression that is worth a name."""
    worth = [use for use in _uses(body, known) if _is_worth(use, known)]
    return max(worth, key=lambda use: len(walk(use.e)), default=None)


def _is_worth(use: _Use, known: Values) -> bool:
    if len(use.places) < 2 or use.holder:
        return len(use.places) > 1
    calls = any(isinstance(n, ast.Call) for n in walk(use.e))
    return calls or not known.is_number(use.e) or len(use.places) >= OFTEN


def _uses(body: Body, known: Values) -> list[_Use]:
    """The expressions of a block, each as long as its value stays the same."""
    now: dict[str, _Use] = {}
    done: list[_Use] = []
    for i, s in enumerate(body):
        found = list(known.operands(s))
        for e in found:
            if sum(text(x) == text(e) for x in found) == times(s, e):
                now.setdefault(text(e), _Use(e)).places.append(i)
        changed = {v for x in statements([s]) for v in writes(x)}
        for key in [k for k, use in now.items() if changed & {use.holder, *expression_reads(use.e)}]:
            done.append(now.pop(key))
        match s:
            case ast.Assign(targets=[ast.Name(id=v)], value=value) if (use := now.get(text(value))) is not None:
                use.holder = use.holder or (v if use.places == [i] else "")
    return [*done, *now.values()]


def _once(body: Body, use: _Use, known: Values) -> Body:
    """The block with an expression computed at its first place alone."""
    first = use.places[0]
    v = use.holder or known.names.numbered("t")
    made = [] if use.holder else [assign(v, use.e, body[first])]
    places = set(use.places) - ({first} if use.holder else set())
    done = [with_name(s, use.e, v) if i in places else s for i, s in enumerate(body)]
    return [*done[:first], *made, *done[first:]]
