"""The last rewrites of a version, some of both halves of a pair: less is kept, values stand where they are read."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import partial
from typing import Any

from tangent.optimise.comments import tidy
from tangent.optimise.context import Body, Optimisation
from tangent.optimise.dead import dead
from tangent.optimise.inline import inline
from tangent.optimise.shaped.again import again
from tangent.optimise.shaped.at_once import at_once
from tangent.optimise.shaped.bodies import body_of, use, visible, with_body
from tangent.optimise.shaped.displays import displays, made_dicts
from tangent.optimise.shaped.filled import filled
from tangent.optimise.shaped.flow import Flow
from tangent.optimise.shaped.halves import halves
from tangent.optimise.shaped.infer import Inference, Resolve, parameters_of
from tangent.optimise.shaped.kinds import FLOAT, Listed, Number
from tangent.optimise.shaped.listed import listed
from tangent.optimise.shaped.looked import looked
from tangent.optimise.shaped.masks import masks
from tangent.optimise.shaped.owned import owned
from tangent.optimise.shaped.renumbered import renumbered
from tangent.optimise.shaped.reread import reread
from tangent.optimise.shaped.sections import Facts
from tangent.optimise.shaped.signs import signs
from tangent.optimise.shaped.sized import sized
from tangent.optimise.shaped.together import together
from tangent.optimise.shaped.unread import unread
from tangent.optimise.shaped.unspaced import unspaced
from tangent.source.resolve import MISSING
from tangent.syntax.names import Names, identifiers
from tangent.syntax.rebuild import statements
from tangent.syntax.records import popped, pushed
from tangent.transform.generated import Generated


def finish(g: Generated, flows: Mapping[Generated, Flow], whole: set[str], resolve: Resolve) -> None:
    """The last rewrites, some of both halves of a pair together. `whole`: parameters that are integers."""
    bwd = g.backward if g.backward in flows and g in flows else None
    both, split = (together(g, bwd) if bwd is not None else None), None
    if bwd is not None and both is not None:
        body = _recorded([g, bwd], both.body, both.parameters, flows, whole, resolve)
        split = both.apart(body, lambda e: _resolved(e, [g, bwd], resolve))
        for half, new in zip((g, bwd), split or ()):
            half.externals = {**g.externals, **bwd.externals}
            with_body(half, new)
    for half in (g, *([bwd] if bwd is not None else [])):
        if split is None:
            with_body(half, _recorded([half], body_of(half), parameters_of(half), flows, whole, resolve))
        _write(half, flows, whole, resolve)


def _recorded(
    functions: list[Generated], body: Body, parameters: list[str], flows: Mapping[Generated, Flow], whole: set[str],
    resolve: Resolve,
) -> Body:  # fmt: skip
    """A body, which is that of one function or of two, with fewer records and stores."""
    g = functions[0]
    known = [flows[f] for f in functions if f in flows]
    o = Optimisation(lambda e: _resolved(e, functions, resolve), shared=g.shared)
    facts = Facts(parameters, whole, _ranks(known), o.resolve, g.shared)
    body = sized(body, facts.ranks, parameters, o)
    body = _fewer(dead(body, o), facts, o, {v for f in functions for v in (*f.externals, *f.seen)})
    body = again(body, facts, g.shared)
    body = reread(body, facts, [text for flow in known for text, fits in flow.exact.items() if fits])
    return dead(listed(body, parameters, _lists_of_floats(known)), o)  # what is read again has to be put back


def _write(g: Generated, flows: Mapping[Generated, Flow], whole: set[str], resolve: Resolve) -> None:
    """The text as it stands at the end: values where they are read, parts looked at instead of copied."""
    o = Optimisation(lambda e: resolve(e, g), visible(g), g.shared, stacks=_stacks(g))
    parameters = parameters_of(g)
    facts = Facts(parameters, whole, _ranks([flows[g]] if g in flows else []), o.resolve, g.shared)
    kinds = flows[g].ever if g in flows else {}
    body = body_of(g)
    if g not in flows:
        body = looked(inline(body, o), facts)
    else:
        of = Inference(g, kinds, flows[g].local, resolve, flows[g].made).of
        whole_dicts = displays(body, of, o.resolve, partial(use, g))
        dicts = made_dicts(body, whole_dicts)
        body = looked(unspaced(signs(inline(whole_dicts, o), kinds), kinds), facts)
        body = filled(body, kinds, dicts, of, o.resolve)
    taken = Names({*g.externals, *g.seen, *parameters, *set().union(*(identifiers(s) for s in body))})
    body = halves(owned(body, parameters, o.resolve), taken, o.resolve, partial(use, g))
    body = at_once(body, o.resolve, partial(use, g))
    with_body(g, tidy(renumbered(body)))


def _resolved(e: ast.expr, functions: list[Generated], resolve: Resolve) -> Any:
    """What a name means in one of some functions that agree on names."""
    found = [x for f in functions if (x := resolve(e, f)) is not MISSING]
    return found[0] if found else MISSING


def _ranks(flows: list[Flow]) -> dict[str, int]:
    """The ranks of what is a number or an array wherever it is bound."""
    kinds = [{v: k.rank for v, k in flow.ever.items() if isinstance(k, Number)} for flow in flows]
    every = {v: r for ranks in kinds for v, r in ranks.items()}
    return {v: r for v, r in every.items() if all(ranks.get(v, r) == r for ranks in kinds)}


def _lists_of_floats(flows: list[Flow]) -> set[str]:
    """The variables that are lists of floats wherever they are bound."""
    found = {v for flow in flows for v, k in flow.ever.items() if k == Listed(FLOAT)}
    return {v for v in found if all(flow.ever.get(v, Listed(FLOAT)) == Listed(FLOAT) for flow in flows)}


def _fewer(body: Body, facts: Facts, o: Optimisation, taken: set[str]) -> Body:
    """The body with fewer records and stores."""
    plain = dead(unread(body, facts), o)
    other = masks(body, taken, o.shared)
    if other is body:
        return plain
    other = dead(unread(dead(other, o), facts), o)
    return other if _records(other) <= _records(plain) else plain


def _records(body: Body) -> int:
    return sum(bool(pushed(s)) for s in statements(body))


def _stacks(g: Generated) -> frozenset[str]:
    """The lists that records are kept in."""
    assert g.source is not None
    kept = {v for s in statements(body_of(g)) if (v := pushed(s) or popped(s))}
    return frozenset(v for v in kept - identifiers(g.source.tree) if v.rstrip("0123456789").endswith("_stack"))
