"""Names for imaginary parts that are written in place stand for the array that they look at.

im = z.imag           im_of = z
im[0] = v       ->    im_of.imag[0] = v
y = im[1] + im        y = im_of[1].imag + im_of.imag
im *= a               im_of.imag *= a

where some item of it is stored. Without one it may be a number, which is asked when the code runs:

im *= a         ->    if isinstance(im_of, np.ndarray): im_of.imag *= a
                      else: im_of = with_imag(im_of, im_of.imag * a)

The adjoint of `z.imag` is the negative of the imaginary part of that of z: there is no view of it that could be written
into. A store into the part of an array has an adjoint (writers.py). An index may come before or after: `z.imag[1:]` is
`z[1:].imag`. Where a memory keeps arrays whole, there is no view of a real part either.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

import numpy as np

from tangent.normalise.context import Context
from tangent.runtime.storage.writers import with_imag, with_real
from tangent.syntax.captured import bindings, declared, own_functions, own_variables
from tangent.syntax.quote import at, expression, name, quote
from tangent.syntax.rebuild import rebuild, replace, walk_scope, with_blocks
from tangent.syntax.uses import arguments, expression_reads
from tangent.syntax.walk import walk


def imaginary(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    """Where every binding of the name looks at an imaginary part, and something is written in place."""
    if not any(_part(n, context) for n in walk(f)):
        return f
    f = replace(f, body=_apart(f.body, context))
    chosen = {v: (context.names.fresh(f"{v}_of"), part) for v, part in _chosen(f, context).items()}
    if not chosen:
        return f
    context.scope.local |= {held for held, _ in chosen.values()}
    return replace(f, body=_Parts(chosen, _arrays(f, context), context).block(f.body))


def _part(n: ast.AST, context: Context) -> str:
    """The part of an array that an expression shows; of real parts there are views, but in a memory."""
    match n:
        case ast.Attribute(attr="imag", ctx=ast.Load()):
            return "imag"
        case ast.Attribute(attr="real", ctx=ast.Load()) if context.memory:
            return "real"
        case ast.Call(func=func, args=[_], keywords=[]):
            found = context.scope.resolve(func)
            return "imag" if found is np.imag else "real" if found is np.real and context.memory else ""
        case ast.Subscript(value=whole):
            return _part(whole, context)
        case _:
            return ""


def _owner(e: ast.expr, context: Context) -> ast.expr | None:
    """What an expression shows a part of: z of `z.imag`, z[1:] of `z.imag[1:]`."""
    match e:
        case ast.Attribute(value=z) | ast.Call(args=[z]) if _part(e, context):
            return z
        case ast.Subscript(value=whole):
            shown = _owner(whole, context)
            return None if shown is None else replace(e, value=shown)
        case _:
            return None


def _apart(body: list[ast.stmt], context: Context) -> list[ast.stmt]:
    """`re, im = z.real, z.imag` as two statements."""

    def statement(s: ast.stmt) -> list[ast.stmt]:
        match s:
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)) if (
                len(targets) == len(values)
                and all(isinstance(t, ast.Name) for t in targets)
                and any(_owner(e, context) is not None for e in values)
                and expression_reads(s.value).isdisjoint(t.id for t in targets if isinstance(t, ast.Name))
            ):
                return [ast.copy_location(ast.Assign([t], e), s) for t, e in zip(targets, values)]
            case _:
                return [with_blocks(s, lambda inner: _apart(inner, context))]

    return [new for s in body for new in statement(s)]


def _chosen(f: ast.FunctionDef, context: Context) -> dict[str, str]:
    """Names for parts, of which one may see what is written in place; functions inside do not bind such names."""
    found: Counter[str] = Counter()
    owners: dict[str, set[str]] = {}
    parts: dict[str, set[str]] = {}
    for v, owner, part in _bound(f, context):
        found[v] += 1
        owners.setdefault(v, set()).update(expression_reads(owner))
        parts.setdefault(v, set()).add(part)
    inside = {v for g in own_functions(f) for v in own_variables(g)} | declared(f)
    inside |= {a.arg for n in walk(f) if isinstance(n, ast.Lambda) for a in arguments(n.args)}
    written = written_names(f)
    updates = [s.target for s in walk_scope(f) if isinstance(s, ast.AugAssign)]
    updated = Counter(target.id for target in updates if isinstance(target, ast.Name))
    return {
        v: min(parts[v]) for v, count in found.items()
        if bindings(f)[v] == count + updated[v] and v not in inside and not written.isdisjoint({v, *owners[v]})
        and len(parts[v]) == 1
    }  # fmt: skip


def _bound(f: ast.FunctionDef, context: Context) -> Iterator[tuple[str, ast.expr, str]]:
    """Names that are bound to parts of arrays, whose these are, and which."""
    for s in walk_scope(f):
        match s:
            case ast.Assign(targets=[ast.Name(id=v)], value=e) | ast.For(target=ast.Name(id=v), iter=e):
                if (owner := _owner(e, context)) is not None:
                    yield v, owner, _part(e, context)


def written_names(f: ast.FunctionDef) -> set[str]:
    """Names that occur in a place which is written: a target of an operator or a store, `out=`, a method."""
    found: set[str] = set()
    for n in walk(f):
        match n:
            case ast.AugAssign(target=place):
                found |= {x.id for x in walk(place) if isinstance(x, ast.Name)}
            case ast.Subscript(ctx=ast.Store()) | ast.Attribute(ctx=ast.Store()):
                found |= expression_reads(n.value)
            case ast.keyword(arg="out", value=value):
                found |= expression_reads(value)
            case ast.Expr(value=ast.Call() as e):
                found |= expression_reads(e)
    return found


def _arrays(f: ast.FunctionDef, context: Context) -> set[str]:
    """Names that are arrays for sure: some item of theirs is stored, or they are slices."""
    places = [n for n in walk(f) if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store)]
    stored = {n.value.id for n in places if isinstance(n.value, ast.Name)}
    slices = {v for v, owner, _ in _bound(f, context) if isinstance(owner, ast.Subscript) and _has_slice(owner.slice)}
    return stored | slices


def _has_slice(index: ast.expr) -> bool:
    return any(isinstance(i, ast.Slice) for i in (index.elts if isinstance(index, ast.Tuple) else [index]))


class _Parts:
    def __init__(self, chosen: dict[str, tuple[str, str]], arrays: set[str], context: Context) -> None:
        self.chosen, self.arrays, self.context = chosen, arrays, context

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        return [new for s in body for new in self.statement(s)]

    def statement(self, s: ast.stmt) -> list[ast.stmt]:
        match s:
            case ast.Assign(targets=[ast.Name(id=v) as target], value=e) if v in self.chosen:
                owner = _owner(e, self.context)
                assert owner is not None
                return [replace(s, targets=[replace(target, id=self.chosen[v][0])], value=rebuild(owner, self.read))]
            case ast.For(target=ast.Name(id=v) as target, iter=e) if v in self.chosen:
                owner = _owner(e, self.context)
                assert owner is not None
                head = replace(s, target=replace(target, id=self.chosen[v][0]), iter=rebuild(owner, self.read))
                return [with_blocks(head, self.block)]
            case ast.AugAssign(target=ast.Name(id=v)) if v in self.chosen:
                return [self.updated(v, s)]
            case _:
                return [rebuild(with_blocks(s, self.block), self.read)]

    def read(self, e: ast.expr) -> ast.expr:
        match e:
            case ast.Name(id=v, ctx=ast.Load()) if v in self.chosen:
                held, part = self.chosen[v]
                return ast.copy_location(ast.Attribute(name(held), part, ast.Load()), e)
            case ast.Subscript(value=ast.Attribute(value=ast.Name(id=held) as z, attr=part), ctx=ast.Load()) if (
                (held, part) in self.chosen.values()
            ):
                return ast.copy_location(ast.Attribute(replace(e, value=z), part, ast.Load()), e)
            case _:
                return e

    def updated(self, v: str, s: ast.AugAssign) -> ast.stmt:
        """`im *= a`, of an array or of a number."""
        held, part = self.chosen[v]
        whole = replace(s, target=ast.Attribute(name(held), part, ast.Store()), value=rebuild(s.value, self.read))
        if v in self.arrays:
            return ast.fix_missing_locations(whole)
        array, kind = name(self.context.use("ndarray", np.ndarray)), self.context.builtin("isinstance")
        new = ast.BinOp(ast.Attribute(name(held), part, ast.Load()), s.op, rebuild(s.value, self.read))
        function = with_real if part == "real" else with_imag
        number = quote("z = f(z, new)", z=held, new=new, f=self.context.use(function.__name__, function))
        made = ast.If(expression("kind(z, array)", kind=kind, z=held, array=array), [whole], [at(number, s)])
        return ast.fix_missing_locations(ast.copy_location(made, s))
