"""Whether what a loop does takes turns with what its iterator does: then items are not collected before the loop.

for v in steps(buf):         the generator reads what the body writes: a list made beforehand would hold other items
    buf[0] = v
"""

from __future__ import annotations

import ast
import itertools
import types
from collections.abc import Iterable
from functools import cached_property

from tangent.normalise.context import Context
from tangent.runtime import library
from tangent.source.generators import does_something, has_effects, is_generator
from tangent.source.giving import methods_named
from tangent.source.resolve import MISSING
from tangent.source.writing import gives_new, written_by
from tangent.syntax.held import Sharing, rebound_in, written_into
from tangent.syntax.rebuild import walk_scope
from tangent.syntax.uses import SCOPES, assigned_inside, expression_reads, target_names
from tangent.syntax.walk import children, walk

LATE = (map, filter, itertools.chain, itertools.starmap, itertools.filterfalse, itertools.compress)

READING_FIRST = (
    itertools.product, itertools.combinations, itertools.combinations_with_replacement, itertools.permutations,
)  # fmt: skip


def generator_methods(e: ast.Call, context: Context) -> list[types.FunctionType]:
    """The generators among the methods that a call of one may mean, by what the module names."""
    if not isinstance(e.func, ast.Attribute) or context.scope.resolve(e.func) is not MISSING:
        return []
    return [m for m in methods_named(e.func.attr, context.source.function) if is_generator(m)]


class Turns:
    """What iterators of a function read, and what its statements change."""

    def __init__(self, f: ast.FunctionDef, context: Context) -> None:
        self.f, self.context = f, context

    @cached_property
    def sharing(self) -> Sharing:
        return Sharing(self.f.body, lambda call: gives_new(call, self.context.scope.resolve))

    @cached_property
    def functions(self) -> dict[str, ast.FunctionDef]:
        """The functions that are defined inside."""
        return {s.name: s for s in walk_scope(self.f) if isinstance(s, ast.FunctionDef)}

    @cached_property
    def nested(self) -> dict[str, frozenset[str]]:
        """What the functions that are defined inside read, by name."""
        return {v: expression_reads(s) for v, s in self.functions.items()}

    def taken(self, iterable: ast.expr, target: ast.expr | None, doing: Iterable[ast.AST]) -> bool:
        """Whether code that runs between the items of an iterable changes what the iterable reads, or sees it work."""
        calls = self.asked_later(iterable)
        if not any(self.is_late(c) for c in calls):
            return False
        doing = list(doing)
        if any(self.works(c, doing) for c in calls):
            return True
        late = self.read_late(iterable)
        reads = self.sharing.around(expression_reads(iterable) | late)
        resolve = self.context.scope.resolve
        stored, augmented = written_into(doing, lambda call: written_by(call, resolve))
        items = set(target_names(target)) if target is not None else set()
        if late & rebound_in(doing) or (reads - items) & (stored | augmented):
            return True
        stored, augmented = written_into(doing, lambda call: written_by(call, resolve, unknown=False))
        return bool(reads & (stored | augmented))

    def asked_later(self, node: ast.AST) -> list[ast.Call]:
        """The calls of which something may happen between the items: not those that are read whole beforehand."""
        if self.reads_first(node):
            return []
        inner = [c for child in children(node) for c in self.asked_later(child)]
        return [node, *inner] if isinstance(node, ast.Call) else inner

    def reads_first(self, e: ast.AST) -> bool:
        """Whether an iterator reads all that it is given when it is made."""
        return isinstance(e, ast.Call) and any(self.context.scope.resolve(e.func) is known for known in READING_FIRST)

    def is_late(self, e: ast.Call) -> bool:
        """Whether a call gives an iterator that reads something when it is asked for the next item."""
        found = self.context.scope.resolve(e.func)
        if (isinstance(e.func, ast.Name) and e.func.id in self.nested) or generator_methods(e, self.context):
            return True
        try:
            return (
                found in LATE or found == itertools.chain.from_iterable or found in library.LAZY or is_generator(found)
            )
        except TypeError:  # what is not hashable is no iterator that is known here
            return False

    def works(self, e: ast.Call, doing: list[ast.AST]) -> bool:
        """Whether a call gives an iterator that does something which can be seen between its items."""
        if (g := self.asked(e)) is not None:
            return bool(self.changed_by(g) & set().union(*(expression_reads(n) for n in doing)))
        found = self.context.scope.resolve(e.func)
        return any(map(has_effects, [found] if is_generator(found) else generator_methods(e, self.context)))

    def asked(self, e: ast.Call) -> ast.FunctionDef | None:
        """The function defined inside that runs between the items: a generator, or what `map` and `filter` call."""
        called = e.args[0] if e.args and self.context.scope.resolve(e.func) in (map, filter) else e.func
        g = self.functions.get(called.id) if isinstance(called, ast.Name) else None
        yields = g is not None and any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in walk_scope(g))
        return g if yields or called is not e.func else None

    def changed_by(self, g: ast.FunctionDef) -> frozenset[str]:
        """The variables around a function, or what they hold, that may change while it runs."""
        if not does_something(g, self.context.scope.resolve):
            return frozenset()
        stored, _ = written_into(g.body, lambda call: written_by(call, self.context.scope.resolve))
        named = {v for n in walk_scope(g) if isinstance(n, ast.Nonlocal) for v in n.names}
        free = expression_reads(g) | named
        inside = assigned_inside(g.body) - named
        return free if stored & inside else frozenset((stored | named) & free)

    def read_late(self, iterable: ast.expr) -> set[str]:
        """Variables that are read when items are asked for: those of lambdas and of nested functions."""
        found = {v for n in walk(iterable) if isinstance(n, SCOPES) for v in expression_reads(n)}
        waiting = expression_reads(iterable)
        while more := {v for g in waiting if g in self.nested for v in self.nested[g]} - found:
            found |= more
            waiting |= more
        return found
