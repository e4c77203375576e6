"""Pairs of functions that are called in one place, written out there; what is given to them keeps its name.

dropped, heat_saved = heat_fwd(u, steps)          for _ in range(steps):
...                                         ->        u[1:-1] += ...
heat_bwd(heat_saved, u, bu)                       ...
                                                  for _ in reversed(range(steps)):
                                                      bu[2:] += ...
"""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import replace as with_changes

from tangent import runtime
from tangent.analysis.storage import AROUND
from tangent.optimise.context import Body
from tangent.optimise.dead import local_stacks
from tangent.optimise.typed.call_sites import Site, sites
from tangent.optimise.typed.given import passed
from tangent.optimise.typed.inlined import inlined
from tangent.source.naming import is_library
from tangent.syntax.inserted import InsertedCode
from tangent.syntax.rebuild import rebuild, rename, replace, statements
from tangent.syntax.records import popped, pushed
from tangent.syntax.uses import COMPREHENSIONS, SCOPES, arguments, expression_reads, writes
from tangent.syntax.walk import walk
from tangent.transform.generated import Generated

SCOPED = (ast.FunctionDef, ast.Lambda, ast.NamedExpr, *COMPREHENSIONS)
READERS = (runtime.init_grad, runtime.add_item, runtime.add_part)  # they hold on to no list
SHORT = 15  # statements of a half that is written out however often it is called


def paired(functions: list[Generated]) -> Generated:
    """A copy of the first function, with pairs written out that are short or called once."""
    made = {g: with_changes(g, externals=dict(g.externals)) for g in functions}
    for g in made.values():
        g.externals = {v: made.get(e, e) if isinstance(e, Generated) else e for v, e in g.externals.items()}
        g.backward = made.get(g.backward) if g.backward is not None else None
        g.tree = _given_all(g)
    times = Counter(site.fwd for g in made.values() for site in sites(g))

    def wanted(site: Site) -> bool:
        halves = site.fwd, site.bwd
        if is_library(site.fwd.primal):
            return False
        return all(map(_is_plain, halves)) and (times[site.fwd] == 1 or all(map(_is_short, halves)))

    entry = inlined(list(made.values()), _found, wanted)[0]
    assert entry.tree is not None
    entry.tree = replace(entry.tree, body=_given_up(entry.tree.body, entry))
    parameters = [a.arg for a in arguments(entry.tree.args)]
    moving = {v for v, c in entry.shared.items() if c.startswith(AROUND)}
    names = _second_names(entry.tree.body, parameters, moving)
    if names:
        body = [rename(s, names) for s in entry.tree.body]
        entry.tree = replace(entry.tree, body=_without_nothing(body))
        entry.shared = {names.get(v, v): c for v, c in entry.shared.items()}
    return entry


def _found(e: ast.expr, g: Generated) -> object:
    """What a name stands for in the module of a function."""
    return g.primal.__globals__.get(e.id) if isinstance(e, ast.Name) else None


def _given_up(body: Body, g: Generated) -> Body:
    """The body in which a backward pass empties the lists of its forward pass, where these stand here and nobody else
    has them: `xs = as_list(xs)` is left out."""
    copied = {v for s in body if (v := _copied_list(s, g))}
    if not copied:
        return body
    stacks = local_stacks(body)
    kept: dict[str, set[str]] = {}  # by list of records, the variables that go onto it and come off it
    for s in statements(body):
        if (record := pushed(s) or popped(s)) in stacks and (v := _recorded(s)):
            kept.setdefault(record, set()).add(v)
        else:
            copied -= _shown(s, g)
    copied -= set().union(*(names for names in kept.values() if len(names) > 1))
    return [s for s in body if _copied_list(s, g) not in copied]


def _recorded(s: ast.stmt) -> str:
    """The variable that a statement puts on a list, or takes off it."""
    match s:
        case ast.Expr(value=ast.Call(args=[ast.Name(id=v)])) | ast.Assign(targets=[ast.Name(id=v)]):
            return v
        case _:
            return ""


def _copied_list(s: ast.stmt, g: Generated) -> str:
    match s:
        case ast.Assign(targets=[ast.Name(id=v)], value=ast.Call(func=ast.Name(id=f), args=[ast.Name(id=w)])) if v == w:
            return v if g.externals.get(f) is runtime.as_list else ""
        case _:
            return ""


def _shown(s: ast.stmt, g: Generated) -> set[str]:
    """The variables that a statement lets others hold, or binds to what others may hold."""
    if _copied_list(s, g):
        return set()
    own: set[ast.AST] = set()
    match s:
        case ast.Assign(targets=[ast.Name() as target], value=ast.List()):
            own.add(target)
    nodes = walk(s.test if isinstance(s, (ast.If, ast.While)) else s.iter if isinstance(s, ast.For) else s)
    for n in nodes:
        match n:
            case ast.Call(func=ast.Name(id=f), args=args) if f == "len" or g.externals.get(f) in READERS:
                own |= {*args}
            case ast.Attribute(value=owner, attr="append" | "pop") | ast.Subscript(value=owner):
                own.add(owner)
    return {n.id for n in nodes if isinstance(n, ast.Name) and n not in own}


def _given_all(g: Generated) -> ast.FunctionDef | None:
    """A function that gives its callees all arguments in order, those that it leaves to defaults, too."""

    def change(e: ast.expr) -> ast.expr:
        match e:
            case ast.Call(func=ast.Name(id=f), args=args) if (
                isinstance(callee := g.externals.get(f), Generated) and callee.tree is not None
            ):
                given = passed(e, callee.tree.args)
                return e if given is None or len(given) == len(args) else replace(e, args=given, keywords=[])
            case _:
                return e

    return None if g.tree is None else replace(g.tree, body=[rebuild(s, change) for s in g.tree.body])


def _is_plain(g: Generated) -> bool:
    """Whether a function makes no functions: what these capture is known by its name."""
    return g.tree is not None and not any(isinstance(n, SCOPED) for s in g.tree.body for n in walk(s))


def _is_short(g: Generated) -> bool:
    return g.tree is not None and sum(1 for _ in statements(g.tree.body)) <= SHORT


def _second_names(body: Body, parameters: list[str], moving: set[str]) -> dict[str, str]:
    """Names that only ever stand for what another name stands for all the time, which those around it do not."""
    made: dict[str, list[ast.stmt | None]] = {v: [None] for v in parameters}
    for s in statements(body):
        for v in writes(s):
            made.setdefault(v, []).append(s)
    top = {s for s in body if isinstance(s, ast.Assign)}
    once = {v for v, found in made.items() if len(found) == 1 and (found[0] is None or found[0] in top)}
    lasting = once - moving
    shadows = {v for v, found in made.items() if found[0] in top and _is_shadow(found)}
    lasting |= shadows
    kept = {v for s in statements(body) for n in walk(s) if _is_named(n) for v in expression_reads(n)}
    found = {v: w for v, all_of in made.items() if (w := _meant(all_of, shadows)) in lasting and v != w}
    return {v: _last(v, found) for v in found if v not in kept}


def _is_named(n: ast.AST) -> bool:
    """Whether what something reads is known by its name: to the user's lines, and where gradients of captures are."""
    return isinstance(n, (InsertedCode, *SCOPES))


def _is_shadow(made: list[ast.stmt | None]) -> bool:
    """Whether a name is bound to a shadow, which sums in place do not bind anew."""
    match made:
        case [ast.Assign(targets=[ast.Name()], value=ast.Call(func=ast.Name(id=maker))), *rest]:
            return maker.rstrip("_") == "shadow" and all(isinstance(s, ast.AugAssign) for s in rest)
        case _:
            return False


def _meant(made: list[ast.stmt | None], shadows: set[str]) -> str:
    """The name that all statements bind a name to."""
    names = {_copied(s) for s in made if not isinstance(s, ast.AugAssign)}
    sums = any(isinstance(s, ast.AugAssign) for s in made)
    return names.pop() if len(names) == 1 and (not sums or names <= shadows) else ""


def _copied(s: ast.stmt | None) -> str:
    match s:
        case ast.Assign(targets=[ast.Name()], value=ast.Name(id=w)):
            return w
        case _:
            return ""


def _last(v: str, names: dict[str, str]) -> str:
    while v in names:
        v = names[v]
    return v


def _without_nothing(body: Body) -> Body:
    """The body without `x = x`."""
    done: Body = []
    for s in body:
        match s:
            case ast.Assign(targets=[ast.Name(id=v)], value=ast.Name(id=w)) if v == w:
                continue
            case ast.If(body=[ast.Break()]):
                pass
            case ast.If(body=then, orelse=other):
                s = replace(s, body=_without_nothing(then) or [ast.Pass()], orelse=_without_nothing(other))
            case ast.For(body=inner) | ast.While(body=inner):
                s = replace(s, body=_without_nothing(inner) or [ast.Pass()])
        done.append(s)
    return done
