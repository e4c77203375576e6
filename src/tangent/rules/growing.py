"""Lists that only grow and shrink at their end: as a record does, they need no memory of what they held."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator

from tangent.analysis.aliases import PUTTING
from tangent.normalise.context import Context
from tangent.runtime.dispatch import pop_grad
from tangent.syntax.inserted import Insertion
from tangent.syntax.rebuild import NESTED, statements
from tangent.syntax.uses import COMPREHENSIONS, expression_reads, header_reads, target_names, writes
from tangent.syntax.walk import walk

LISTS = frozenset("as_list init_grad add_item add_part add_cell scatter scatter_cell".split())  # run-time functions that give lists


def growing_lists(f: ast.FunctionDef, context: Context) -> dict[str, bool]:
    """Lists made here that only `append` and `pop` change; whether something else reads them, too."""
    made: set[str] = set()
    changed: set[str] = set()
    read: set[str] = set()
    grown: list[str] = []
    copied: list[tuple[str, str, int]] = []
    generated = context.source.file.startswith("<generated")
    spoiled: set[str] = {a.arg for a in walk(f.args) if isinstance(a, ast.arg)}
    for s in statements(f.body):
        match s:
            case ast.Assign(targets=[ast.Name(id=v)], value=value) if _makes_list(value, context):
                made.add(v)
                read |= expression_reads(value)
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=v), attr="append"), args=[item])):
                changed.add(v)
                grown.append(v)
                read |= expression_reads(item)
            case ast.Assign(
                targets=[ast.Name(id=target)],
                value=ast.Call(func=ast.Attribute(value=ast.Name(id=v), attr="pop"), args=[], keywords=[]),
            ):
                changed.add(v)
                spoiled.add(target)
            case ast.Assign(
                targets=[ast.Name(id=target)], value=ast.Call(func=func, args=[ast.Name(id=v), ast.Name(id=like)])
            ) if context.scope.resolve(func) is pop_grad:
                changed.add(v)
                read.add(like)
                spoiled.add(target)
            case ast.Assign(targets=[ast.Name(id=target)], value=ast.Name(id=v)):
                copied.append((v, target, len(grown)))
            case ast.Assign(targets=[ast.Tuple() as slots], value=ast.Name()):
                handed = set(target_names(slots))  # saved lists, handed from a forward to a backward pass
                made |= {v for v in handed if generated and v.rstrip("_0123456789").endswith("_stack")}
                spoiled |= {v for v in handed if v not in made}
            case ast.Assign(value=ast.Tuple()) | ast.Return() if generated:
                continue  # lists among the saved values
            case ast.If() | ast.While() | ast.For() | ast.Return() | ast.Assert() | ast.Expr() | Insertion():
                read |= header_reads(s)
                spoiled |= set(writes(s))
            case ast.Assign(targets=[ast.Name(id=target)], value=value) if not _has_scope(value):
                read |= expression_reads(value)
                spoiled.add(target)
            case _:
                spoiled |= header_reads(s) | set(writes(s))
    for v, target, seen in copied:  # a second name for a finished list is a reader like others
        if target in changed or v in grown[seen:]:
            spoiled |= {v, target}
        read.add(v)
    found = (changed & made) - spoiled
    if not generated and found:
        found -= kept_while_changing(f.body, found, _put)
    return {v: v in read for v in found}


def kept_while_changing(
    body: list[ast.stmt], lists: set[str], put: Callable[[ast.stmt], Iterable[str]]
) -> set[str]:  # fmt: skip
    """The lists that are put into something, which then sees how they change: `ys = [xs]; xs.append(v)`."""
    lost: set[str] = set()

    def before(block: list[ast.stmt], later: frozenset[str]) -> frozenset[str]:
        """The lists that change, before their variable is bound anew, from the start of a block on."""
        for s in reversed(block):
            later = stepped(s, later)
        return later

    def stepped(s: ast.stmt, later: frozenset[str]) -> frozenset[str]:
        lost.update(later.intersection(put(s)))
        if isinstance(s, ast.If):
            return before(s.body, later) | before(s.orelse, later)
        if isinstance(s, NESTED):
            while more := (before(s.body, later) | before(s.orelse, later)) - later:
                later |= more
            return later
        return (later - set(writes(s))) | lists.intersection(_changed(s))

    before(body, frozenset())
    return lost


def _put(s: ast.stmt) -> Iterator[str]:
    """What a statement puts into a list, tuple or dict, or into an item or attribute of something."""
    match s:
        case ast.Assign(value=ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Dict(values=parts)):
            yield from (e.id for e in parts if isinstance(e, ast.Name))
        case ast.Assign(targets=[ast.Subscript() | ast.Attribute()], value=ast.Name(id=v)):
            yield v
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=attr), args=args)) if attr in PUTTING:
            yield from (e.id for e in args if isinstance(e, ast.Name))


def _changed(s: ast.stmt) -> Iterator[str]:
    """The list that a statement makes longer or shorter."""
    match s:
        case (
            ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=v), attr="append" | "pop")))
            | ast.Assign(value=ast.Call(func=ast.Attribute(value=ast.Name(id=v), attr="append" | "pop")))
        ):
            yield v


def _makes_list(e: ast.expr, context: Context) -> bool:
    match e:
        case ast.List():
            return True
        case ast.Call(func=func):
            found = context.scope.resolve(func)
            ours = (getattr(found, "__module__", "") or "").startswith("tangent.runtime")
            return found is list or (ours and getattr(found, "__name__", "") in LISTS)
        case _:
            return False


def _has_scope(e: ast.expr) -> bool:
    return any(isinstance(n, (ast.Lambda, *COMPREHENSIONS)) for n in walk(e))
