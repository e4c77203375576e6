"""A generated module for arguments of known kinds: callees written out, known calls settled, the rest made smaller."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from functools import partial

from tangent.optimise import optimise
from tangent.optimise.comments import tidy
from tangent.optimise.context import Body, Optimisation
from tangent.optimise.copies import copies
from tangent.optimise.dead import dead
from tangent.optimise.shaped.apart import apart
from tangent.optimise.shaped.attributes import by_attributes, in_blocks
from tangent.optimise.shaped.bodies import body_of, use, visible, with_body
from tangent.optimise.shaped.callees import Versions
from tangent.optimise.shaped.coalesced import coalesced
from tangent.optimise.shaped.collected import collected
from tangent.optimise.shaped.computed import Values
from tangent.optimise.shaped.direct import direct
from tangent.optimise.shaped.early import early
from tangent.optimise.shaped.finish import finish
from tangent.optimise.shaped.flow import Flow
from tangent.optimise.shaped.given_up import given_up
from tangent.optimise.shaped.infer import Inference, parameters_of
from tangent.optimise.shaped.inlined import Resolve, inlined, unpacked
from tangent.optimise.shaped.invariant import invariant
from tangent.optimise.shaped.kinds import INT, Attributes, Fields, Items, Kind, Number, is_float
from tangent.optimise.shaped.paired import paired
from tangent.optimise.shaped.records import records
from tangent.optimise.shaped.repeated import repeated
from tangent.optimise.shaped.rows import in_place, with_plain_tangents
from tangent.optimise.shaped.shown import shown
from tangent.optimise.shaped.tuples import read_by_index
from tangent.optimise.stored import stored
from tangent.optimise.typed.saved import saved
from tangent.syntax.blocks import MARKS, Attempt
from tangent.syntax.inserted import InsertedCode
from tangent.syntax.names import Names, identifiers
from tangent.syntax.quote import assign
from tangent.syntax.rebuild import rename, replace, statements
from tangent.syntax.uses import arguments, assigned_inside, expression_reads, writes
from tangent.transform.generated import Generated

ROUNDS = 4


def version(entry: Generated, given: list[Kind], resolve: Resolve, sizes: Mapping[str, int]) -> list[Generated]:
    """Copies of a function and of those it calls, itself first, for arguments of these kinds.

    `sizes` are lengths of axes as they are now, which tell what is large.
    """
    made = inlined(paired(reachable(entry)), resolve)
    _join_rows(made, entry, given, resolve)
    _make_smaller([made], resolve)
    _collect(made, given, resolve)
    named = read_by_index(reachable(made), resolve)
    for _ in range(ROUNDS):
        versions = Versions(resolve, named=named)
        made, _ = versions.version(made, tuple(given))
        functions = reachable(made)
        changed = [g for g in functions if _sum_early(g)]
        if not changed:
            break
    for g, flow in versions.flows.items():
        with_body(g, in_blocks(body_of(g), flow.ever, _names(g), flow.resolved, partial(use, g)))
    _coalesce(functions, resolve, False)
    _change_rows(made, given, resolve, with_plain_tangents)
    _make_smaller(functions, resolve)
    _sum_in_place(versions.flows)
    _coalesce(functions, resolve, True)
    _change_rows(made, given, resolve, in_place)
    for g, flow in versions.flows.items():
        _show_again(g, flow)
        _compute_once(g, flow)
    versions = Versions(resolve, sizes, named)
    made, _ = versions.version(made, tuple(given))
    functions = reachable(made)
    _name_apart(functions)
    backward = {g.backward for g in functions if g.backward in functions}
    for g in functions:
        if g not in backward:
            whole = {v for v, k in zip(parameters_of(g), given) if g is made and k == INT}
            finish(g, versions.flows, whole, resolve)
    return functions


def _collect(g: Generated, given: list[Kind], resolve: Resolve) -> None:
    """Gradients of tuples and dicts by their items."""
    body = apart(body_of(g))
    kinds = {v: k for v, k in zip(parameters_of(g), given) if v not in assigned_inside(body)}
    dicts = {v for v, k in kinds.items() if isinstance(k, Fields)}
    tuples = {v for v, k in kinds.items() if isinstance(k, Items) and not k.listed and all(map(is_float, k.items))}
    if any(isinstance(k, (Attributes, Items)) for k in kinds.values()):
        body = by_attributes(body, kinds, _names(g), lambda e: resolve(e, g), partial(use, g))
    if dicts or tuples:
        body = collected(body, dicts, tuples, lambda e: resolve(e, g), partial(use, g))
    with_body(g, body)


def _names(g: Generated) -> Names:
    """All names that a function has, so that new ones are others."""
    assert g.tree is not None
    return Names({*identifiers(g.tree), *g.externals, *g.seen, *g.primal.__globals__})


def _join_rows(made: Generated, entry: Generated, given: list[Kind], resolve: Resolve) -> None:
    """Rows of arrays that are written into, from callees that are written out here, are known to be parts of them."""
    assert entry.tree is not None
    own, rows = identifiers(entry.tree), dict(made.shared)
    for s in statements(body_of(made)):
        match s:
            case ast.Assign(targets=[ast.Name(id=v)], value=ast.Subscript(value=ast.Name(id=a))) if a in rows:
                if v not in own:
                    rows[v] = rows[a]
    if rows.keys() <= made.shared.keys():
        return
    versions = Versions(resolve)
    other, _ = versions.version(made, tuple(given))
    kinds = versions.flows[other].env
    numbers = {v for v, k in kinds.items() if isinstance(k, Number) and not k.rank}
    made.shared = {v: c for v, c in rows.items() if v in made.shared or v not in numbers}


def _make_smaller(functions: list[Generated], resolve: Resolve) -> None:
    bodies = {g: body_of(g) for g in functions}
    for _ in range(2):
        bodies = {g: records(body, {*g.externals, *g.seen}) for g, body in bodies.items()}
        bodies = saved({g: _smaller(_apart(body, g), g, resolve) for g, body in bodies.items()})
    for g, body in bodies.items():
        with_body(g, body)


def _coalesce(functions: list[Generated], resolve: Resolve, adjoints: bool) -> None:
    for g in functions:
        with_body(g, coalesced(body_of(g), lambda e, g=g: resolve(e, g), adjoints))  # type: ignore[misc]


def _sum_in_place(flows: Mapping[Generated, Flow]) -> None:
    for g, flow in flows.items():
        assert g.tree is not None
        kinds = Inference(g, flow.ever, flow.local, flow.versions.resolve, flow.made)
        body = given_up(replace(g.tree, body=body_of(g)), kinds.of, flow.resolved, partial(use, g))
        with_body(g, body)


def _show_again(g: Generated, flow: Flow) -> None:
    kinds = Inference(g, flow.ever, flow.local, flow.versions.resolve, flow.made)
    with_body(g, shown(body_of(g), kinds.of, flow.resolved))


def _compute_once(g: Generated, flow: Flow) -> None:
    """Share what is computed again and again; `flow` knows the kinds of the values."""
    assert g.tree is not None
    body = body_of(g)
    parameters = frozenset(parameters_of(g))
    local = parameters | assigned_inside(body)
    names = Names({*identifiers(g.tree), *g.externals, *g.seen, *g.primal.__globals__})
    written = frozenset(stored(body)) | (g.shared.keys() & local)
    known = Values(flow.of, flow.resolved, parameters, local, written, names, body)
    o = Optimisation(flow.resolved, shared=g.shared)
    if not any(isinstance(s, (*MARKS, Attempt, InsertedCode)) for s in statements(body)):
        body = copies(repeated(direct(body, flow.of, g.shared), known), o)
        body = repeated(invariant(body, known), known)
    with_body(g, dead(copies(body, o), o))


def _change_rows(g: Generated, given: list[Kind], resolve: Resolve, change: Callable[..., Body]) -> None:
    """Rewrite the versions of arrays in a function, of which the kinds of the arguments are known."""
    kinds = dict(zip(parameters_of(g), given))
    with_body(g, change(body_of(g), kinds, lambda e: resolve(e, g), partial(use, g)))


def _sum_early(g: Generated) -> bool:
    body = body_of(g)
    new = early(body)
    with_body(g, new)
    return new is not body


def reachable(g: Generated) -> list[Generated]:
    """A generated function and those that it calls, itself first."""
    found = [g]
    for other in found:
        called = identifiers(other.tree) if other.tree is not None else set()
        found += [e for v, e in other.externals.items() if isinstance(e, Generated) and v in called and e not in found]
    return [f for f in found if f.tree is not None]


def _name_apart(functions: list[Generated]) -> None:
    """Versions of one function in one module have different names."""
    taken: set[str] = set()
    for g in functions:
        chosen, n = g.name, 2
        while chosen in taken:
            chosen, n = f"{g.name}_{n}", n + 1
        taken.add(chosen)
        assert g.tree is not None
        g.name, g.tree = chosen, replace(g.tree, name=chosen)
    for g in functions:
        _call_by_name(g)


def _call_by_name(g: Generated) -> None:
    """Functions of the module are called by the names that they have there."""
    assert g.tree is not None
    used = identifiers(g.tree)
    g.externals = {v: x for v, x in g.externals.items() if v in used or not isinstance(x, Generated)}
    names = {
        v: x.name
        for v, x in g.externals.items()
        if isinstance(x, Generated) and v in used and v != x.name and g.externals.get(x.name, x) is x
    }
    free = {v: n for v, n in names.items() if n not in used or n in g.externals}
    g.externals |= {n: g.externals[v] for v, n in free.items()}
    g.tree = rename(g.tree, free)


def _apart(body: Body, g: Generated) -> Body:
    """Tuples that are made and taken apart again, as their items."""
    assert g.tree is not None
    parameters = {a.arg for a in arguments(g.tree.args)}
    names = Names({*identifiers(g.tree), *g.externals, *g.seen, *(v for s in body for v in identifiers(s))})
    for _ in range(3):
        body = unpacked(_split(body, names), parameters)
    return body


def _split(body: Body, names: Names) -> Body:
    """`a, b = p, q` as two statements, where neither reads the other's target; items of tuples with names."""
    done: Body = []
    for s in body:
        match s:
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)) if (
                len(targets) == len(values)
                and all(isinstance(t, ast.Name) for t in targets)
                and not any(isinstance(v, ast.Starred) for v in values)
                and not set(writes(s)) & set().union(*(expression_reads(v) for v in values))
                and len(set(writes(s))) == len(targets)
            ):
                done += [ast.copy_location(ast.Assign([t], v), s) for t, v in zip(targets, values)]
            case ast.Assign(targets=[ast.Name()], value=ast.Tuple(elts=[_, *_]) as value) if _is_nested(value):
                items: Body = []
                new = _named(value, names, items, s)
                done += [*items, replace(s, value=new)]
            case _:
                done.append(s)
    return done


def _is_nested(e: ast.Tuple) -> bool:
    """Whether a tuple holds a tuple, as what forward passes return does, and something that is not a name."""
    inner = any(isinstance(x, ast.Tuple) for x in e.elts)
    return inner and not any(isinstance(x, ast.Starred) for x in e.elts)


def _named(e: ast.Tuple, names: Names, items: Body, s: ast.stmt) -> ast.Tuple:
    """A tuple of names, which statements before it define."""
    found: list[ast.expr] = []
    for x in e.elts:
        if isinstance(x, ast.Tuple):
            found.append(_named(x, names, items, s))
        elif isinstance(x, (ast.Name, ast.Starred)):
            found.append(x)
        else:
            held = names.numbered("t")
            items.append(assign(held, x, s))
            found.append(ast.Name(held, ast.Load()))
    return replace(e, elts=found)


def _smaller(body: Body, g: Generated, resolve: Resolve) -> Body:
    assert g.source is not None
    summed = frozenset(v for s in statements(body) for v in writes(s)) - identifiers(g.source.tree)
    o = Optimisation(lambda e: resolve(e, g), visible(g), g.shared, summed)
    return tidy(optimise(body, o))
