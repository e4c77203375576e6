"""The two halves of a pair as one body, for rewrites that look at both, and taken apart again.

def g_fwd(x):                         t = np.exp(x)
    t = np.exp(x)                     result = t * x
    return t * x, (t, x)        ->    #
                                      bx = by * t + by * x * t
def g_bwd(saved, by):                 return result, bx
    t, x = saved
    bx = by * t + by * x * t
    return bx
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tangent.analysis.liveness import live_into, surely_bound
from tangent.optimise.context import Body
from tangent.optimise.held import is_new
from tangent.syntax.names import Names, identifiers
from tangent.syntax.print import Comment
from tangent.syntax.quote import assign, at, name
from tangent.syntax.rebuild import replace, statements
from tangent.syntax.uses import arguments, assigned_inside, writes
from tangent.transform.generated import Generated


class _Middle(Comment):
    """Where the forward pass ends."""


Halves = tuple[Body, Body]
Resolve = Callable[[ast.expr], Any]


@dataclass(frozen=True)
class Together:
    """Both bodies as one. `given` is what the second half is handed by its caller, `first` what the first half is."""

    body: Body
    first: list[str]
    given: list[str]
    handed: ast.Return
    unpack: ast.Assign
    returns: ast.Return | None

    @property
    def parameters(self) -> list[str]:
        return list(dict.fromkeys([*self.first, *self.given]))

    def apart(self, body: Body, resolve: Resolve) -> Halves | None:
        """The halves of a body that was rewritten; None where the second would need what others may have changed."""
        cut = next(i for i, s in enumerate(body) if isinstance(s, _Middle))
        first, second, last = body[:cut], body[cut + 1 : -1], body[-1]
        assert isinstance(last, ast.Return) and isinstance(last.value, ast.Tuple)
        if self.returns is not None:
            second = [*second, replace(self.returns, value=last.value.elts[1])]
        local = assigned_inside(first) | set(self.first)
        saved = sorted(live_into(second) & local - set(self.given))
        new = set(saved) - set(writes(self.unpack))
        if not new <= surely_bound(first, set()) or not all(_is_own(v, first, resolve) for v in new):
            return None
        result = last.value.elts[0]
        match first:
            case [*rest, ast.Assign(targets=[ast.Name(id=v)], value=value)] if v == ast.unparse(result):
                first, result = rest, value
        assert isinstance(self.handed.value, ast.Tuple)
        kept = ast.Tuple([name(v) for v in saved], ast.Load())
        first = [*first, replace(self.handed, value=replace(self.handed.value, elts=[result, kept]))]
        slots = ast.Tuple([ast.Name(v, ast.Store()) for v in saved], ast.Store())
        return first, [*([replace(self.unpack, targets=[slots])] if saved else []), *second]


def _is_own(v: str, body: Body, resolve: Resolve) -> bool:
    """Whether a name only ever stands for something that was made here, which nobody else holds."""
    made = [s for s in statements(body) if v in writes(s)]
    return all(isinstance(s, ast.Assign) and (isinstance(s.value, ast.List) or is_new(s.value, resolve)) for s in made)


def together(fwd: Generated, bwd: Generated) -> Together | None:
    """Both halves as one body; None where names do not mean the same in both."""
    assert fwd.tree is not None and bwd.tree is not None
    start = 0 if ast.get_docstring(bwd.tree, clean=False) is None else 1
    begin = 0 if ast.get_docstring(fwd.tree, clean=False) is None else 1
    match fwd.tree.body[begin:], bwd.tree.body[start:]:
        case [
            [*first, ast.Return(value=ast.Tuple(elts=[value, ast.Tuple(elts=values)])) as handed],
            [ast.Assign(targets=[ast.Tuple(elts=slots)], value=ast.Name(id=state)) as unpack, *second],
        ] if len(slots) == len(values) and len(set(writes(unpack))) == len(slots):
            pass
        case _:
            return None
    returns = second.pop() if second and isinstance(second[-1], ast.Return) else None
    assert returns is None or isinstance(returns, ast.Return)
    if any(isinstance(s, ast.Return) for s in statements([*first, *second])) or not _agree(fwd, bwd):
        return None
    parameters = [a.arg for a in arguments(fwd.tree.args)]
    given = [a.arg for a in arguments(bwd.tree.args) if a.arg != state]
    copied = _copied([s for s in slots if isinstance(s, ast.Name)], values, handed)
    last: Body = [] if returns is None else [returns]
    unknown = live_into([*second, *last]) - set(writes(unpack)) - set(given)
    bound = assigned_inside(first)
    if copied is None or unknown & (bound | set(parameters)) or bound & set(given):
        return None
    names = Names(identifiers(fwd.tree) | identifiers(bwd.tree) | fwd.externals.keys() | bwd.externals.keys())
    result = names.fresh("result")
    back = [] if returns is None or returns.value is None else [returns.value]
    end = at(ast.Return(ast.Tuple([name(result), *back], ast.Load())), handed)
    body = [*first, *copied, assign(result, value, handed), _Middle("", section=True), *second, end]
    return Together(body, parameters, given, handed, unpack, returns)


def _agree(fwd: Generated, bwd: Generated) -> bool:
    """Whether no name stands for different things outside of the two."""
    both = fwd.externals.keys() & bwd.externals.keys()
    local = _local(fwd) | _local(bwd)
    return all(fwd.externals[v] is bwd.externals[v] for v in both) and not local & (
        fwd.externals.keys() | bwd.externals.keys()
    )


def _local(g: Generated) -> set[str]:
    assert g.tree is not None
    return assigned_inside(g.tree.body) | {a.arg for a in arguments(g.tree.args)}


def _copied(slots: Sequence[ast.Name], values: list[ast.expr], like: ast.stmt) -> Body | None:
    """What is handed over under another name; None where one of these names is that of another value."""
    if len(slots) < len(values):
        return None
    pairs = [(s.id, v) for s, v in zip(slots, values) if not (isinstance(v, ast.Name) and v.id == s.id)]
    read = set().union(*(identifiers(v) for v in values)) if values else set()
    return None if any(v in read for v, _ in pairs) else [assign(v, e, like) for v, e in pairs]
