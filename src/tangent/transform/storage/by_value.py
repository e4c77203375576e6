"""Containers that nobody else holds are made anew where they are changed."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from tangent.analysis.aliases import Aliases, put_by_method
from tangent.analysis.effects import Write
from tangent.analysis.liveness import liveness
from tangent.analysis.made import copies_container
from tangent.analysis.operation import Operation
from tangent.analysis.shapes.table import Shapes
from tangent.syntax.quote import assign, at, name
from tangent.syntax.rebuild import replace, statements
from tangent.syntax.uses import expression_reads, writes
from tangent.transform.containers import held_elsewhere, rebinding
from tangent.transform.storage.refusals import refusal
from tangent.transform.storage.rewriting import reclassified, replaced, runtime_function
from tangent.transform.storage.summaries import is_key
from tangent.transform.unit import Unit


def containers_by_value(
    this: Unit, found: list[Write], aliases: Aliases, left: frozenset[str], around: frozenset[str]
) -> tuple[Unit, list[Write], tuple[str, ...]]:
    """Containers and objects that nobody else holds are made anew where they are changed; not what is `around`."""
    asked = frozenset(w.statement for w in found)
    live = liveness(this.core, asked)
    names = {v for op in this.operations.values() for v in (*op.targets, *op.operands)} | set(this.parameters)
    changed: dict[ast.stmt, list[ast.stmt]] = {}
    operations = dict(this.operations)
    kept: list[Write] = []
    rebound: list[str] = []
    for w in found:
        local = w.root in this.context.scope.local or w.root in this.parameters
        after = live.after.get(w.statement, frozenset())
        new = None
        if local and w.root not in left and _is_container(w, aliases):
            if not held_elsewhere(w, aliases, after, names) and not aliases.of(w.root) & around:
                new = rebinding(w, this, aliases, runtime_function)
        if new is None or w.statement in changed:
            kept.append(w)
            continue
        changed[w.statement] = new
        operations |= {s: op for s in new if (op := reclassified(s, this)) is not None}
        if w.root in this.parameters:
            rebound.append(w.root)
    return replaced(this, changed, operations) if changed else this, kept, tuple(dict.fromkeys(rebound))


def _is_container(w: Write, aliases: Aliases) -> bool:
    """Whether what a statement writes into is a list, a dict or an object, as far as the statement tells."""
    s = w.statement
    match s:
        case ast.Assign(targets=[ast.Attribute(attr=attr)]) | ast.AugAssign(target=ast.Attribute(attr=attr)):
            return attr not in ("shape", "strides", "dtype", "real", "imag", "flat", "T")
        case ast.Assign(targets=[ast.Subscript(slice=index)]) | ast.AugAssign(target=ast.Subscript(slice=index)):
            return w.root in aliases.containers or is_key(index)
        case ast.Delete():
            return True
        case _:
            return w.construct == "call" and w.root in aliases.containers


def deep_stacks(this: Unit, found: list[Write], aliases: Aliases) -> Iterator[Write]:
    """`xs.append(v)` and `xs.pop()` where something that the list holds is written in place."""
    if this.source.file.startswith("<generated"):
        return
    written = set().union(*(aliases.reach(w.root) if w.deep else aliases.of(w.root) for w in found))
    for s in statements(this.core.body):
        op = this.operations.get(s)
        if op is not None and op.kind in ("push", "pop"):
            root = op.targets[0] if op.kind == "push" else op.operands[0]
            if written & (aliases.reach(root) - aliases.of(root)):
                yield Write(s, root, frozenset(op.operands), "call", nested=False)


def kept_apart(this: Unit, found: list[Write], shapes: Shapes) -> Unit:
    """`stack.append(a)` of a derivative, where a may be a number that is added to: what is kept has a name of its own.

    A number that is kept stays what it was, so its shadow is not that of the variable, which goes on changing.
    """
    if not this.source.file.startswith("<generated"):
        return this
    written = {w.root for w in found}
    changed: dict[ast.stmt, list[ast.stmt]] = {}
    operations = dict(this.operations)
    for s, op in this.operations.items():
        match s:
            case ast.Expr(value=ast.Call(args=[ast.Name(id=v)]) as call) if (
                op.kind == "push" and not op.why and v in written and not shapes.of(call.args[0]).stored
            ):
                held = this.context.names.numbered(v)
                this.context.scope.local |= {held}
                first, second = assign(held, name(v), s), replace(s, value=replace(call, args=[name(held)]))
                changed[s] = [first, second]
                operations[first] = Operation("copy", (held,), (v,), name(v))
                operations[second] = Operation("push", op.targets, (held,), name(held))
    return replaced(this, changed, operations) if changed else this


def _shares_items(
    this: Unit, s: ast.stmt, root: str, aliases: Aliases, given: frozenset[str], every: list[Write]
) -> bool:  # fmt: skip
    """Whether an item of a container may be something that another variable, or another place in it, refers to.

    A variable that an operator in place gave a new name (`a2 = a * v` for `a *= v`) refers to what it referred to.
    """
    items = set().union(*(aliases.holds.get(o, set()) for o in aliases.of(root)))
    names = {v for op in this.operations.values() for v in op.targets} | set(this.parameters)
    live = liveness(this.core, frozenset([s])).after.get(s, frozenset())
    before = [(w.root, *writes(w.statement)) for w in every if w.construct == "augmented"]
    while more := {v for v, *now in before if not live.isdisjoint(now)} - live:
        live |= more
    if any((n in live or n in given) and aliases.of(n) & items for n in names if n != root):
        if root not in aliases.containers and _takes_others(this, root, aliases, live | given):
            error = refusal(this, Write(s, root, frozenset(), "store"), root)
            error.needs_memory = True
            raise error
        return True
    inner = aliases.of(root) | _began_as(this, root, aliases, live)
    holders = {o for o, held in aliases.holds.items() if held & items} - items
    if holders - inner - _gone(this, aliases, live, given):
        return True
    if root not in aliases.containers and _takes_others(this, root, aliases, live | given):
        return True
    while feeding := [(site, aliases.of(v)) for site, v in _put_into(this, inner) if aliases.of(v) & holders - inner]:
        if not all(_takes_over(this.operations[site]) for site, _ in feeding):
            return True
        inner = inner.union(*(found for _, found in feeding))
    seen: set[str] = set()
    put = [(site, aliases.of(v)) for site, v in _put_into(this, inner)]
    for site, found in (*put, *_put_by_methods(this, inner, aliases)):
        if found & seen or not all(_made_with(this, site, o) for o in found):
            return True
        seen |= found
    return False


def _takes_over(op: Operation) -> bool:
    """Whether each item of a list is put into another one, once."""
    return op.kind == "pack" or copies_container(op)


def _gone(this: Unit, aliases: Aliases, live: frozenset[str], given: frozenset[str]) -> set[str]:
    """Lists and dicts made here that no variable leads to any more, as those that comprehensions fill."""
    names = {v for op in this.operations.values() for v in (*op.targets, *op.operands)}
    left = {n for n in names if n in live or n in given or n not in this.context.scope.local} | set(this.parameters)
    return set(aliases.containers).difference(*(aliases.reach(n) for n in left))


def _takes_others(this: Unit, root: str, aliases: Aliases, held: frozenset[str]) -> bool:
    """Whether what is put into a dict, which its keys alone tell to be one, is there already, or is held by others."""
    others = aliases.of(root).union(*(aliases.of(n) for n in held))
    return any(aliases.of(v) & others for _, v in _put_into(this, aliases.of(root)))


def _began_as(this: Unit, root: str, aliases: Aliases, live: frozenset[str]) -> set[str]:
    """The lists that a table is a copy of, and their rows, where nobody reads them any more."""
    made = [op for op in this.operations.values() if root in op.targets and op.kind == "rule"]
    copied = [op.operands[0] for op in made if op.rule.name == "fresh_rows"]
    found = set().union(
        *(aliases.of(v) | set().union(*(aliases.holds.get(o, set()) for o in aliases.of(v))) for v in copied)
    )
    found &= aliases.containers
    return found if not any(found & aliases.reach(n) for n in live if n != root) else set()


def _put_into(this: Unit, containers: set[str]) -> Iterator[tuple[ast.stmt, str]]:
    """The statements that put something into one of some containers, and what."""
    for s in statements(this.core.body):
        op = this.operations.get(s)
        if op is None or op.kind == "augment" or not containers & set(op.targets):
            continue
        parts = _parts(op.value) if op.kind == "pack" else [v for v in op.operands if v not in op.targets]
        for v in parts:
            yield s, v


def _put_by_methods(this: Unit, containers: set[str], aliases: Aliases) -> Iterator[tuple[ast.stmt, set[str]]]:
    """The same for `xs.append(v)`, `xs.extend(vs)` and their like, with what `v`, and the items of `vs`, refer to."""
    for s in statements(this.core.body):
        put = put_by_method(s) if s not in this.operations else None
        if put is not None and aliases.of(put[0]) & containers:
            for v in put[2]:
                yield s, aliases.of(v) if put[1] else aliases.items(v)


def _parts(e: ast.expr | None) -> list[str]:
    match e:
        case ast.Dict(values=values):
            elts = values
        case ast.Tuple(elts=elts) | ast.List(elts=elts) | ast.Set(elts=elts):
            pass
        case _:
            elts = []
    return [n for x in elts for n in expression_reads(x)]


def _made_with(this: Unit, site: ast.stmt, made: str) -> bool:
    """Whether something is made anew whenever a statement runs: in every loop around it."""
    makers = [s for s in statements(this.core.body) if made in (op.targets if (op := this.operations.get(s)) else ())]
    for loop in statements(this.core.body):
        if isinstance(loop, (ast.For, ast.While)):
            inside = set(statements(loop.body))
            if site in inside and not (makers and all(m in inside for m in makers)):
                return False
    return True


def items_by_value(this: Unit, found: list[Write], aliases: Aliases, given: frozenset[str]) -> tuple[Unit, list[Write]]:
    """`xs[i] += v` on an item of a list or dict, in steps: `t = xs[i]; t += v; xs[i] = t`.

    Where nobody else refers to the item, `t = t + v` means the same.
    """
    changed: dict[ast.stmt, list[ast.stmt]] = {}
    operations = dict(this.operations)
    kept: list[Write] = []
    for w in found:
        op = operations.get(w.statement)
        s = w.statement
        if op is None or op.kind != "augment" or not isinstance(s, ast.AugAssign) or not _is_container(w, aliases):
            kept.append(w)
            continue
        old, new = (this.context.names.numbered("t") for _ in range(2))
        this.context.scope.local |= {old, new}
        this.context.scalars |= {old, new} if w.root in this.context.listed else set()
        place: Any = s.target
        first = assign(old, replace(place, ctx=ast.Load()), s)
        second = assign(new, ast.BinOp(name(old), s.op, s.value), s)
        store = at(ast.Assign([place], name(new)), s)
        changed[s] = [first, second, store]
        for x in (first, second, store):
            made = reclassified(x, this)
            assert made is not None
            operations[x] = made
        if _shares_items(this, s, w.root, aliases, given, found):
            kept.append(Write(second, old, w.reads, "augmented"))
        kept.append(Write(store, w.root, frozenset([new]), "store", nested=False))
    kept += _taken_apart(this, found, aliases, given)
    return replaced(this, changed, operations) if changed else this, kept


def _taken_apart(this: Unit, found: list[Write], aliases: Aliases, given: frozenset[str]) -> Iterator[Write]:
    """The operators in place of `xs[i] **= v`, which comes here as `t = xs[i]; t2 = t ** v; xs[i] = t2`."""
    for w in found:
        s = w.statement
        place = s.lineno, s.col_offset
        if place not in this.context.apart or w.root not in aliases.containers or not isinstance(s, ast.Assign):
            continue
        for x, op in this.operations.items():
            if (x.lineno, x.col_offset) != place or not isinstance(op.value, ast.BinOp):
                continue
            if isinstance(s.value, ast.Name) and s.value.id in op.targets and isinstance(op.value.left, ast.Name):
                if _shares_items(this, s, w.root, aliases, given, found):
                    yield Write(x, op.value.left.id, frozenset(expression_reads(op.value.right)), "augmented")
