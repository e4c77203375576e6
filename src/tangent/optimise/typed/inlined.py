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
import types
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tangent import runtime
from tangent.optimise.dead import popped, pushed
from tangent.syntax.inserted import InsertedCode
from tangent.syntax.names import Names, identifiers
from tangent.syntax.print import Comment
from tangent.syntax.quote import assign, at, expression
from tangent.syntax.rebuild import rebuild, rename, replace, statements
from tangent.syntax.uses import arguments, assigned_inside, writes
from tangent.transform.generated import Generated

LONGEST = 400


Wanted = Callable[["Site"], bool]


def inlined(functions: list[Generated], wanted: Wanted = lambda site: True) -> list[Generated]:
    """The functions of a module, the entry first; those that nobody calls any more are left out."""
    calling: set[Generated] = set()

    def visit(g: Generated) -> None:
        if g in calling:
            return
        calling.add(g)
        for other in [e for e in g.externals.values() if isinstance(e, Generated)]:
            visit(other)
        _into(g, wanted)

    for g in functions:
        visit(g)
    needed = [functions[0]]
    for g in needed:
        needed += [e for e in g.externals.values() if isinstance(e, Generated) and e not in needed]
    return [g for g in functions if g in needed]


@dataclass
class Site:
    """A call of a forward pass and that of its backward pass."""

    forward: ast.Assign
    backward: ast.stmt
    call: ast.Call
    saved: str
    fwd: Generated
    bwd: Generated


def _into(g: Generated, wanted: Wanted) -> None:
    assert g.tree is not None
    size = sum(1 for _ in statements(g.tree.body))
    waiting = list(filter(wanted, sites(g)))
    while waiting:
        before = size
        for site in waiting:
            added = sum(1 for f in (site.fwd, site.bwd) if f.tree is not None for _ in statements(f.tree.body))
            if size + added <= LONGEST and _fits(site, g):
                size += added
                _inline(site, g)
        new = [site for site in sites(g) if not _calls_itself(site.fwd)]  # in what was written out
        waiting = list(filter(wanted, new)) if size > before else []
    left = set().union(*(identifiers(s) for s in g.tree.body))
    g.externals = {v: e for v, e in g.externals.items() if not isinstance(e, Generated) or v in left}


def sites(g: Generated) -> Iterator[Site]:
    assert g.tree is not None
    every = list(statements(g.tree.body))
    for s in every:
        match s:
            case ast.Assign(
                targets=[ast.Tuple(elts=[ast.Name(), ast.Name(id=saved)])], value=ast.Call(func=ast.Name(id=f))
            ) if isinstance(fwd := g.externals.get(f), Generated) and fwd.backward is not None:
                users = [x for x in every if x is not s and saved in identifiers(_header(x))]
                calls = {x: call for x in users if (call := _backward_call(x, saved, fwd.backward, g)) is not None}
                kept = [x for x in users if x not in calls]
                if len(calls) == 1 and all(pushed(x) or popped(x) or _is_nothing(x) for x in kept):
                    yield Site(s, *calls.popitem(), saved, fwd, fwd.backward)


def _header(s: ast.stmt) -> ast.AST:
    match s:
        case ast.If(test=test) | ast.While(test=test):
            return test
        case ast.For(iter=iter):
            return iter
        case _:
            return s


def _is_nothing(s: ast.stmt) -> bool:
    return isinstance(s, ast.Assign) and isinstance(s.value, ast.Constant) and s.value.value is None


def _backward_call(s: ast.stmt, saved: str, bwd: Generated, g: Generated) -> ast.Call | None:
    """The call of a backward pass, where it makes no difference that the rest of the statement comes behind it."""
    if not isinstance(s, (ast.Assign, ast.AugAssign, ast.Expr)):
        return None
    if isinstance(s, ast.AugAssign) and not isinstance(s.target, ast.Name):
        return None
    calls = [n for n in ast.walk(s.value) if isinstance(n, ast.Call)]
    found = [n for n in calls if _is_call(n, saved, bwd, g)]
    if len(found) != 1:
        return None
    others = rebuild(s.value, lambda e: ast.Constant(None) if e is found[0] else e)
    if identifiers(others) & g.shared.keys() or any(isinstance(n, ast.Subscript) for n in ast.walk(others)):
        return None
    plain = all(_only_computes(n, g) for n in ast.walk(others) if isinstance(n, ast.Call))
    return found[0] if plain else None


def _is_call(n: ast.Call, saved: str, bwd: Generated, g: Generated) -> bool:
    match n:
        case ast.Call(func=ast.Name(id=f), args=[ast.Name(id=v), *_]):
            return v == saved and g.externals.get(f) is bwd
        case _:
            return False


def _only_computes(n: ast.Call, g: Generated) -> bool:
    found = g.externals.get(n.func.id) if isinstance(n.func, ast.Name) else None
    return any(found is f for f in (runtime.add_grad, runtime.unbroadcast))


def _fits(site: Site, g: Generated) -> bool:
    """Whether names outside mean the same in both functions, and the call is a plain one."""
    fwd, bwd = site.fwd, site.bwd
    assert fwd.tree is not None and bwd.tree is not None and isinstance(site.forward.value, ast.Call)
    if g in _reached(fwd) or fwd.primal.__globals__ is not g.primal.__globals__ or _captures(fwd) or _captures(bwd):
        return False
    if fwd.source is None or g.source is None or fwd.source.file != g.source.file:
        return False
    if any(isinstance(s, InsertedCode) for f in (fwd.tree, bwd.tree) for s in statements(f.body)):  # keeps its names
        return False
    args = fwd.tree.args
    call = site.forward.value
    if args.vararg or args.kwarg or args.kwonlyargs or call.keywords or len(call.args) != len(arguments(args)):
        return False
    if any(isinstance(a, ast.Starred) for a in call.args):
        return False
    names = identifiers(g.source.tree)
    taken = {v for f in (fwd, bwd) for v, e in f.externals.items() if v in names and not _is_module(v, e, g)}
    clash = {v for f in (fwd, bwd) for v, e in f.externals.items() if g.externals.get(v, e) is not e}
    outside = _free(fwd) | _free(bwd)
    mine = _local(g.tree) if g.tree is not None else set()
    if clash or taken or outside & (mine | set(g.externals)) - set(fwd.externals) - set(bwd.externals):
        return False
    if taken_over(bwd) is None or handed_over(fwd) is None:
        return False
    return not _lists(fwd) or not any(_jumps(s) for s in statements(g.tree.body if g.tree is not None else []))


def _captures(f: Generated) -> bool:
    """Whether a function finds names in a closure; one that was made from a tree has a cell for what runs."""
    cells = f.primal.__code__.co_freevars
    if len(cells) != 1 or getattr(f.primal, "captures", cells) != ():
        return bool(cells)
    return cells[0] in _free(f) - f.externals.keys()


def _jumps(s: ast.stmt) -> bool:
    return isinstance(s, InsertedCode) and bool(s.block.jumps)


def _is_module(v: str, value: object, g: Generated) -> bool:
    """Whether a name stands for a module that the function knows by it, too."""
    return isinstance(value, types.ModuleType) and g.primal.__globals__.get(v) is value


def _calls_itself(f: Generated) -> bool:
    return any(value is f for other in _reached(f) for value in other.externals.values())


def _reached(f: Generated) -> list[Generated]:
    """A function, its backward pass, and all that they call."""
    found = [f]
    for g in found:
        found += [e for e in (*g.externals.values(), g.backward) if isinstance(e, Generated) and e not in found]
    return found


def _local(tree: ast.FunctionDef) -> set[str]:
    return {a.arg for a in arguments(tree.args)} | assigned_inside(tree.body)


def _free(f: Generated) -> set[str]:
    assert f.tree is not None
    return set().union(*(identifiers(s) for s in f.tree.body)) - _local(f.tree)


def handed_over(fwd: Generated) -> tuple[ast.expr, list[str]] | None:
    """What a forward pass returns: its result, and the names that it hands over."""
    assert fwd.tree is not None
    match fwd.tree.body[-1]:
        case ast.Return(value=ast.Tuple(elts=[result, ast.Tuple(elts=elts)])):
            names = [e.id for e in elts if isinstance(e, ast.Name)]
            return (result, names) if len(names) == len(elts) else None
        case _:
            return None


def taken_over(bwd: Generated) -> list[str] | None:
    """The names that a backward pass is handed."""
    body = _without_doc(bwd)
    state = bwd.tree.args.args[0].arg if bwd.tree is not None else ""
    match body:
        case [ast.Assign(targets=[ast.Tuple(elts=elts)], value=ast.Name(id=v)), *rest] if v == state:
            rest_names = set().union(*(identifiers(s) for s in rest)) if rest else set()
            names = [e.id for e in elts if isinstance(e, ast.Name)]
            return names if len(names) == len(elts) and state not in rest_names else None
        case _:
            every = set().union(*(identifiers(s) for s in body)) if body else set()
            return [] if state not in every else None


def _without_doc(f: Generated) -> list[ast.stmt]:
    assert f.tree is not None
    return f.tree.body[1:] if ast.get_docstring(f.tree, clean=False) is not None else f.tree.body


def _inline(site: Site, g: Generated) -> None:
    assert g.tree is not None and site.fwd.tree is not None and site.bwd.tree is not None
    returned, handed = handed_over(site.fwd), taken_over(site.bwd)
    assert returned is not None and handed is not None
    taken = Names(identifiers(g.tree) | set(g.externals) | _free(site.fwd) | _free(site.bwd))
    assert g.source is not None
    taken.taken |= identifiers(g.source.tree)
    local = sorted(_local(site.fwd.tree) | (_local(site.bwd.tree) - {site.bwd.tree.args.args[0].arg}))
    new = {v: taken.numbered(v) for v in local}
    g.externals = {**g.externals, **site.fwd.externals, **site.bwd.externals}
    g.shared = _shared(site, g, new)
    lists = _lists(site.fwd)
    again = lists | _lasting(site, g)
    stacks = {new[v]: taken.numbered(f"{new[v]}_stack") for v in handed if v not in again}
    block = _Block(site, stacks, _forward(site, new, returned), _backward(site, new))
    made = [assign(new[v], ast.List([], ast.Load())) for v in sorted(lists)]
    doc = len(g.tree.body) - len(_without_doc(g))
    body = block.of(g.tree.body[doc:])
    g.tree = replace(g.tree, body=[*g.tree.body[:doc], *made, *block.made, *body])


def _given(site: Site) -> Iterator[tuple[str, ast.expr]]:
    """The parameters of both halves, and what they are called with."""
    forward = site.forward.value
    assert site.fwd.tree is not None and site.bwd.tree is not None and isinstance(forward, ast.Call)
    yield from zip((a.arg for a in arguments(site.fwd.tree.args)), forward.args)
    yield from zip((a.arg for a in site.bwd.tree.args.args[1:]), site.call.args[1:])


def _shared(site: Site, g: Generated, new: dict[str, str]) -> dict[str, str]:
    """What shares memory in a function that another is written into: parameters and results with what they are here."""
    inside = {**site.fwd.shared, **site.bwd.shared}
    found = {**g.shared, **{new[v]: f"{new[v]} {c}" for v, c in inside.items() if v in new}}
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


def _results(site: Site) -> Iterator[tuple[str, ast.expr]]:
    """The names that take what both halves return, each with what is returned."""
    returned = handed_over(site.fwd)
    target = site.forward.targets[0]
    assert returned is not None and isinstance(target, ast.Tuple) and isinstance(target.elts[0], ast.Name)
    yield target.elts[0].id, returned[0]
    last = _without_doc(site.bwd)[-1]
    if isinstance(last, ast.Return) and last.value is not None:
        yield from ((v, last.value) for v in writes(site.backward))


def _lasting(site: Site, g: Generated) -> set[str]:
    """Parameters of the forward pass that are called with what is the same at every call."""
    assert g.tree is not None and site.fwd.tree is not None and site.bwd.tree is not None
    made = Counter(v for s in statements(g.tree.body) for v in writes(s))
    once = {v for s in g.tree.body for v in writes(s) if isinstance(s, ast.Assign) and made[v] == 1}
    once |= {a.arg for a in arguments(g.tree.args) if not made[a.arg]}
    rebound = assigned_inside(site.fwd.tree.body) | {a.arg for a in site.bwd.tree.args.args[1:]}
    body = _without_doc(site.bwd)
    rebound |= assigned_inside(body[1:] if body and set(_targets_all(body[0])) else body)
    call = site.forward.value
    assert isinstance(call, ast.Call)
    return {
        a.arg
        for a, e in zip(arguments(site.fwd.tree.args), call.args)
        if isinstance(e, ast.Name) and e.id in once and a.arg not in rebound
    }


def _targets_all(s: ast.stmt) -> tuple[str, ...]:
    return writes(s) if isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Tuple) else ()


def _lists(fwd: Generated) -> set[str]:
    """Lists that a forward pass makes, at the top, and only puts things on."""
    found: dict[str, int] = {}
    other: set[str] = set()
    assert fwd.tree is not None
    for s in statements(fwd.tree.body[:-1]):
        match s:
            case ast.Assign(targets=[ast.Name(id=v)], value=ast.List(elts=[])):
                found[v] = found.get(v, 0) + 1
            case _ if v := pushed(s):
                other |= identifiers(s.value.args[0])  # type: ignore[attr-defined]
            case _:
                other |= identifiers(_header(s)) if not isinstance(s, Comment) else set()
    returned = handed_over(fwd)
    assert returned is not None
    handed = set(returned[1]) - identifiers(returned[0])
    return {v for v, times in found.items() if times == 1 and v not in other and v in handed}


def _forward(site: Site, new: dict[str, str], returned: tuple[ast.expr, list[str]]) -> list[ast.stmt]:
    tree, call, target = site.fwd.tree, site.forward.value, site.forward.targets[0]
    assert tree is not None and isinstance(call, ast.Call) and isinstance(target, ast.Tuple)
    parameters = [a.arg for a in arguments(tree.args)]
    done: list[ast.stmt] = [assign(new[p], a, site.forward) for p, a in zip(parameters, call.args)]
    lists = {new[v] for v in _lists(site.fwd)}
    for s in _without_doc(site.fwd)[:-1]:
        renamed = rename(s, new)
        if not (isinstance(s, ast.Assign) and isinstance(s.value, ast.List) and set(_targets(renamed)) & lists):
            done.append(renamed)
    return [*done, at(ast.Assign([target.elts[0]], rename(returned[0], new)), site.forward)]


def _targets(s: ast.stmt) -> list[str]:
    return [t.id for t in s.targets if isinstance(t, ast.Name)] if isinstance(s, ast.Assign) else []


def _backward(site: Site, new: dict[str, str]) -> list[ast.stmt]:
    tree = site.bwd.tree
    assert tree is not None
    seeds = [a.arg for a in tree.args.args[1:]]
    done: list[ast.stmt] = [assign(new[p], a, site.backward) for p, a in zip(seeds, site.call.args[1:])]
    body = _without_doc(site.bwd)
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
