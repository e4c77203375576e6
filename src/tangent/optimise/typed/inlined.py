"""Functions that are called, written into their callers: forward and backward pass keep what they share there.

y, g_saved = g_fwd(x)                 t = math.sin(x)
...                                   y = t * x
bx = g_bwd(g_saved, by)        ->     ...
                                      bx = by * t + by * x * math.cos(x)

In loops, what a call has saved goes onto a list; then each value does. What the call itself keeps on lists stays
there: the backward calls come in the opposite order, and take off what they have put on. Where a block of the user
leaves backward calls out, they would not, and such calls stay.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator

from tangent import runtime
from tangent.analysis.storage import AROUND
from tangent.optimise.typed.call_sites import (
    Resolve,
    Site,
    calls_itself,
    fits,
    free_names,
    handed_over,
    is_fixed,
    local_names,
    outside_names,
    own_lists,
    sites,
    taken_over,
    without_doc,
)
from tangent.optimise.typed.given import passed
from tangent.optimise.typed.infer import is_unset
from tangent.syntax.names import Names, identifiers
from tangent.syntax.print import Comment
from tangent.syntax.quote import assign, at, expression
from tangent.syntax.rebuild import rebuild, rename, replace, statements, with_blocks
from tangent.syntax.records import popped, pushed
from tangent.syntax.uses import arguments, assigned_inside, writes
from tangent.transform.generated import Generated

LONGEST = 400
Wanted = Callable[[Site], bool]


def inlined(functions: list[Generated], resolve: Resolve, wanted: Wanted = lambda site: True) -> list[Generated]:
    """The functions of a module, the entry first; those that nobody calls any more are left out."""
    calling: set[Generated] = set()

    def visit(g: Generated) -> None:
        if g in calling:
            return
        calling.add(g)
        for other in [e for e in g.externals.values() if isinstance(e, Generated)]:
            visit(other)
        _into(g, resolve, wanted)

    for g in functions:
        visit(g)
    needed = [functions[0]]
    for g in needed:
        needed += [e for e in g.externals.values() if isinstance(e, Generated) and e not in needed]
    return [g for g in functions if g in needed]


def _into(g: Generated, resolve: Resolve, wanted: Wanted) -> None:
    assert g.tree is not None
    size = sum(1 for _ in statements(g.tree.body))
    waiting = list(filter(wanted, sites(g)))
    while waiting:
        before = size
        for site in waiting:
            added = sum(1 for f in (site.fwd, site.bwd) if f.tree is not None for _ in statements(f.tree.body))
            if size + added <= LONGEST and fits(site, g):
                size += added
                _inline(site, g, resolve)
        new = [site for site in sites(g) if not calls_itself(site.fwd)]  # in what was written out
        waiting = list(filter(wanted, new)) if size > before else []
        g.shared = _with_copies(g.tree.body, g.shared)
    left = set().union(*(identifiers(s) for s in g.tree.body))
    g.externals = {v: e for v, e in g.externals.items() if not isinstance(e, Generated) or v in left}


def _inline(site: Site, g: Generated, resolve: Resolve) -> None:
    assert g.tree is not None and site.fwd.tree is not None and site.bwd.tree is not None
    returned, handed = handed_over(site.fwd), taken_over(site.bwd)
    assert returned is not None and handed is not None
    taken = Names(identifiers(g.tree) | set(g.externals) | free_names(site.fwd) | free_names(site.bwd))
    assert g.source is not None
    taken.taken |= identifiers(g.source.tree)
    local = sorted(local_names(site.fwd.tree) | (local_names(site.bwd.tree) - {site.bwd.tree.args.args[0].arg}))
    new = {v: taken.numbered(v) for v in local}
    others, found = outside_names(site, g, resolve, taken)
    g.externals = {**g.externals, **found}
    g.shared = _shared(site, g, new, others)
    lists = own_lists(site.fwd)
    again = lists | _lasting(site, g)
    stacks = {new[v]: taken.numbered(f"{new[v]}_stack") for v in handed if v not in again}
    every = {**others, **new}
    forward, backward = _forward(site, every, returned), _backward(site, every)
    if is_fixed(site.fwd):  # their lines are of another file
        forward, backward = _placed(forward, site.forward), _placed(backward, site.backward)
    block = _Block(site, stacks, forward, backward)
    made = [assign(new[v], ast.List([], ast.Load())) for v in sorted(lists)]
    doc = len(g.tree.body) - len(without_doc(g))
    body = block.of(g.tree.body[doc:])
    g.tree = replace(g.tree, body=[*g.tree.body[:doc], *made, *block.made, *body])


def _placed(body: list[ast.stmt], like: ast.stmt) -> list[ast.stmt]:
    """Copies of statements that tell the place of another one; what their comments say is of no use there."""
    body = [s for s in body if not isinstance(s, Comment)]
    return [s if is_unset(s) else at(with_blocks(replace(s), lambda b: _placed(b, like)), like) for s in body]


def _given(site: Site) -> Iterator[tuple[str, ast.expr]]:
    """The parameters of both halves, and what they are called with."""
    forward = site.forward.value
    assert site.fwd.tree is not None and site.bwd.tree is not None and isinstance(forward, ast.Call)
    yield from zip((a.arg for a in arguments(site.fwd.tree.args)), _passed(site))
    yield from zip((a.arg for a in site.bwd.tree.args.args[1:]), site.call.args[1:])


def _shared(site: Site, g: Generated, new: dict[str, str], others: dict[str, str]) -> dict[str, str]:
    """What shares memory in a function that another is written into: parameters and results with what they are here."""
    inside = {**site.fwd.shared, **site.bwd.shared}
    around = {others.get(v, v): c for v, c in inside.items() if c.startswith(AROUND)}
    found = {**g.shared, **around, **{new[v]: f"{new[v]} {c}" for v, c in inside.items() if v in new}}
    classes: dict[str, str] = {}
    for v, c in inside.items():
        if v in new:
            found[new[v]] = classes.setdefault(c, found[new[v]])
    for p, e in _given(site):
        if p in inside:
            found = _joined(found, [new[p], *(n for n in identifiers(e) if n in g.shared or isinstance(e, ast.Name))])
    for v, e in _results(site):
        names = [new[n] for n in identifiers(e) if n in new and (n in inside or isinstance(e, ast.Name))]
        if any(n in found for n in (v, *names)):
            found = _joined(found, [v, *names])
    for v, shade in _mirrors(g):
        if v in found or shade in found:
            found = _joined(found, [v, shade])
    return found


def _mirrors(g: Generated) -> Iterator[tuple[str, str]]:
    """Names that stand for parts of shadows, each with that shadow."""
    assert g.tree is not None
    for s in statements(g.tree.body):
        match s:
            case ast.Assign(
                targets=[ast.Name(id=v)], value=ast.Call(func=ast.Name(id=f), args=[_, _, ast.Name(id=shade)])
            ) if g.externals.get(f) is runtime.mirror:
                yield v, shade


def _joined(found: dict[str, str], names: list[str]) -> dict[str, str]:
    """The classes with those of some names as one."""
    found = {**{n: n for n in names}, **found}
    joined = {found[n] for n in names}
    return {v: min(joined) if c in joined else c for v, c in found.items()}


def _with_copies(body: list[ast.stmt], shared: dict[str, str]) -> dict[str, str]:
    """The classes, with those as one that a copy has on both sides: what a callee gives back has other names there.

    y = p2     what is written into p2, by the backward pass of the callee, too, is written into y
    """
    found = shared
    copies = [names for s in statements(body) if (names := _copied(s))]
    size = -1
    while size != len(found):
        size = len(found)
        for names in copies:
            if len({found.get(n) for n in names}) > 1:
                found = _joined(found, names)
    return found


def _results(site: Site) -> Iterator[tuple[str, ast.expr]]:
    """The names that take what both halves return, each with what is returned."""
    returned = handed_over(site.fwd)
    target = site.forward.targets[0]
    assert returned is not None and isinstance(target, ast.Tuple) and isinstance(target.elts[0], ast.Name)
    yield target.elts[0].id, returned[0]
    last = without_doc(site.bwd)[-1]
    if isinstance(last, ast.Return) and last.value is not None:
        yield from ((v, last.value) for v in writes(site.backward))


def _lasting(site: Site, g: Generated) -> set[str]:
    """Parameters of the forward pass that are called with what is the same at every call."""
    assert g.tree is not None and site.fwd.tree is not None and site.bwd.tree is not None
    made = Counter(v for s in statements(g.tree.body) for v in writes(s))
    once = {v for s in g.tree.body for v in writes(s) if isinstance(s, ast.Assign) and made[v] == 1}
    once |= {a.arg for a in arguments(g.tree.args) if not made[a.arg]}
    rebound = assigned_inside(site.fwd.tree.body) | {a.arg for a in site.bwd.tree.args.args[1:]}
    body = without_doc(site.bwd)
    rebound |= assigned_inside(body[1:] if body and set(_targets_all(body[0])) else body)
    return {
        a.arg
        for a, e in zip(arguments(site.fwd.tree.args), _passed(site))
        if isinstance(e, ast.Name) and e.id in once and a.arg not in rebound
    }


def _passed(site: Site) -> list[ast.expr]:
    """What the forward pass is called with."""
    assert site.fwd.tree is not None and isinstance(site.forward.value, ast.Call)
    return passed(site.forward.value, site.fwd.tree.args) or []


def _targets_all(s: ast.stmt) -> tuple[str, ...]:
    return writes(s) if isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Tuple) else ()


def _forward(site: Site, new: dict[str, str], returned: tuple[ast.expr, list[str]]) -> list[ast.stmt]:
    tree, target = site.fwd.tree, site.forward.targets[0]
    assert tree is not None and isinstance(target, ast.Tuple)
    parameters = [a.arg for a in arguments(tree.args)]
    done: list[ast.stmt] = [assign(new[p], a, site.forward) for p, a in zip(parameters, _passed(site))]
    lists = {new[v] for v in own_lists(site.fwd)}
    for s in without_doc(site.fwd)[:-1]:
        renamed = rename(s, new)
        if not (isinstance(s, ast.Assign) and isinstance(s.value, ast.List) and set(_targets(renamed)) & lists):
            done.append(renamed)
    return [*done, at(ast.Assign([target.elts[0]], rename(returned[0], new)), site.forward)]


def _copied(s: ast.stmt) -> list[str]:
    """The names on both sides of a copy."""
    match s:
        case ast.Assign(targets=[ast.Name(id=v)], value=ast.Name(id=w)):
            return [v, w]
        case _:
            return []


def _targets(s: ast.stmt) -> list[str]:
    return [t.id for t in s.targets if isinstance(t, ast.Name)] if isinstance(s, ast.Assign) else []


def _backward(site: Site, new: dict[str, str]) -> list[ast.stmt]:
    tree = site.bwd.tree
    assert tree is not None
    seeds = [a.arg for a in tree.args.args[1:]]
    done: list[ast.stmt] = [assign(new[p], a, site.backward) for p, a in zip(seeds, site.call.args[1:])]
    body = without_doc(site.bwd)
    unpacks = bool(body) and isinstance(body[0], ast.Assign) and isinstance(body[0].targets[0], ast.Tuple)
    first = body[0] if unpacks else None
    state = tree.args.args[0].arg
    if isinstance(first, ast.Assign) and isinstance(first.value, ast.Name) and first.value.id == state:
        body = body[1:]
    result: ast.expr | None = None
    for s in body:
        if isinstance(s, ast.Return):
            result = rename(s.value, new) if s.value is not None else None
        elif not isinstance(s, ast.Pass):
            done.append(rename(s, new))
    return [*done, *_given_back(site.backward, site.call, result)]


def _given_back(s: ast.stmt, call: ast.Call, result: ast.expr | None) -> list[ast.stmt]:
    """The statement of the call, with what it returned."""
    match s, result:
        case ast.Expr(), _:
            return []
        case ast.Assign(targets=[ast.Tuple(elts=targets)]), ast.Tuple(elts=values) if len(targets) == len(values):
            return [at(ast.Assign([t], v), s) for t, v in zip(targets, values)]
        case ast.Assign() | ast.AugAssign(), ast.expr():
            return [rebuild(s, lambda e: result if e is call else e)]
        case _:
            raise AssertionError("a backward pass without result")


class _Block:
    """Puts both bodies in place of the calls, and the names that were saved in place of what held them."""

    def __init__(self, site: Site, stacks: dict[str, str], forward: list[ast.stmt], backward: list[ast.stmt]) -> None:
        self.site, self.stacks, self.forward, self.backward = site, stacks, forward, backward
        self.made: list[ast.stmt] = []

    def of(self, body: list[ast.stmt]) -> list[ast.stmt]:
        return [new for s in body for new in self.statement(s)]

    def statement(self, s: ast.stmt) -> list[ast.stmt]:
        saved = self.site.saved
        match s:
            case _ if s is self.site.forward:
                return self.forward
            case _ if s is self.site.backward:
                return self.backward
            case ast.If(body=then, orelse=other):
                return [replace(s, body=self.of(then) or [ast.Pass()], orelse=self.of(other))]
            case ast.For(body=inner) | ast.While(body=inner):
                return [replace(s, body=self.of(inner) or [ast.Pass()])]
            case ast.Assign(targets=[ast.Name(id=v)], value=ast.Constant(value=None)) if v == saved:
                return [assign(n, s.value, s) for n in self.stacks]
            case ast.Expr(value=ast.Call(args=[ast.Name(id=v)])) if pushed(s) and v == saved:
                self.made = [assign(k, ast.List([], ast.Load())) for k in self.stacks.values()]
                return [at(ast.Expr(expression("k.append(v)", k=k, v=v)), s) for v, k in self.stacks.items()]
            case ast.Assign(targets=[ast.Name(id=v)]) if popped(s) and v == saved:
                return [assign(v, expression("k.pop()", k=k), s) for v, k in reversed(self.stacks.items())]
            case _:
                return [s]
