"""Look at a part of an array, instead of copying it, as long as nothing is stored there.

bt = ba[j + 1:, j].copy()            bt = ba[j + 1:, j]
bu = bt / t                   ->     bu = bt / t
ba[j + 1:, j] = bu                   ba[j + 1:, j] = bu
"""

from __future__ import annotations

import ast
from collections import Counter

from tangent.optimise.context import Body
from tangent.optimise.shaped.sections import Facts, Sections, sections
from tangent.optimise.stored import stored
from tangent.syntax.rebuild import replace, statements, with_blocks
from tangent.syntax.uses import expression_reads, header_reads, writes


def looked(body: Body, facts: Facts) -> Body:
    if not any(_copied(s) is not None for s in statements(body)):
        return body
    known, changed = sections(body, facts, True), stored(body)
    times = Counter(v for s in statements(body) for v in writes(s))
    reads = Counter(v for s in statements(body) for v in header_reads(s))

    def block(body: Body) -> Body:
        done: Body = []
        for i, s in enumerate(body):
            place = _copied(s)
            if place is not None and isinstance(s, ast.Assign) and times[v := writes(s)[0]] == 1 and v not in changed:
                readers = [x for x in body[i + 1 :] if v in header_reads(x)]
                if len(readers) == reads[v] and all(_only_reads(x, v, facts) for x in readers):
                    if _is_quiet(s, place, readers, known):
                        s = replace(s, value=place)
            done.append(with_blocks(s, block))
        return done

    return block(body)


def _copied(s: ast.stmt) -> ast.Subscript | None:
    match s:
        case ast.Assign(
            targets=[ast.Name()],
            value=ast.Call(
                func=ast.Attribute(value=ast.Subscript(value=ast.Name()) as place, attr="copy"), args=[], keywords=[]
            ),
        ):
            return place
        case _:
            return None


def _only_reads(s: ast.stmt, v: str, facts: Facts) -> bool:
    """Whether a statement computes from an array, and nothing refers to it afterwards."""
    match s:
        case ast.Assign(targets=[ast.Name()], value=value):
            return not facts.holds(value, v)
        case ast.AugAssign(target=ast.Subscript() as target, value=value):
            own = isinstance(value, ast.Name)  # what is added is not held
            return (own or not facts.holds(value, v)) and v not in expression_reads(target)
        case _:
            return False


def _is_quiet(s: ast.Assign, place: ast.Subscript, readers: list[ast.stmt], known: Sections) -> bool:
    """Whether nothing is stored in a place from a statement on until the last that reads what was there."""
    seen = next((x for x in known.reads if x.statement is s and x.index is not None), None)
    if seen is None or not readers:
        return False
    names = expression_reads(place.slice)
    end = max(known.positions[x] for x in readers)
    between = [x for x in known.stores if x.array == seen.array and seen.position < x.position <= end]
    return not any(known.meets(seen, x) for x in between) and not any(
        names & set(writes(x)) for x, position in known.positions.items() if seen.position < position <= end
    )
