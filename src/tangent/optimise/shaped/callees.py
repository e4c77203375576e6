"""Versions of the functions of a generated module, one for each combination of the kinds of their arguments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace as with_changes

from tangent.optimise.shaped.flow import Flow
from tangent.optimise.shaped.infer import Resolve, parameters_of
from tangent.optimise.shaped.kinds import UNKNOWN, Kind
from tangent.transform.generated import Generated

MOST = 3  # versions of a callee


class Versions:
    """Versions of the functions of a module by the kinds of their arguments; each is made once.

    `named`: what is known of named tuples may be used, since gradients of these are read by index alone.
    """

    def __init__(self, resolve: Resolve, sizes: Mapping[str, int] | None = None, named: bool = False) -> None:
        self.resolve, self.sizes, self.named = resolve, sizes, named
        self.made: dict[tuple[Generated, tuple[Kind, ...]], tuple[Generated, Kind | None]] = {}
        self.origin: dict[Generated, Generated] = {}
        self.flows: dict[Generated, Flow] = {}

    def version(self, g: Generated, kinds: tuple[Kind, ...]) -> tuple[Generated, Kind]:
        """The version of a function, and the kind of its result."""
        if (g, kinds) not in self.made and sum(other is g for other, _ in self.made) >= MOST:
            kinds = (UNKNOWN,) * len(kinds)  # what a recursive function hands over may have kinds without end
        key = (g, kinds)
        if key not in self.made:
            new = with_changes(g, externals=dict(g.externals))
            self.origin[new] = g
            self.made[key] = new, None  # while it is being made, for recursion
            flow = Flow(new, self, dict(zip(parameters_of(g), kinds)), len(self.made) == 1)
            self.made[key] = new, flow.result or UNKNOWN
            self.flows[new] = flow
            self.pair_up()
        new, result = self.made[key]
        return new, result or UNKNOWN

    def pair_up(self) -> None:
        """The two halves of a pair know each other, where there is one version of each."""
        versions: dict[Generated, list[Generated]] = {}
        for new, g in self.origin.items():
            versions.setdefault(g, []).append(new)
        for g, found in versions.items():
            halves = versions.get(g.backward, []) if g.backward is not None else []
            for new in found:
                new.backward = halves[0] if len(found) == len(halves) == 1 else None
