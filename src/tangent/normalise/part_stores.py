"""Real and imaginary parts of arrays that are written where there is no view of an adjoint for them.

A function that writes into the part that it is given gets a copy, which is stored when it is done:

fill(z.imag, a)          ->    part_of = z
                               part = part_of.imag.copy()
                               fill(part, a)
                               part_of.imag[...] = part

A memory keeps arrays whole. What has a part may be an object with such an attribute, so that is asked:

o.z.imag[i] *= a         ->    part_of = o.z
                               if isinstance(part_of, np.ndarray):
                                   part_of[i] = with_imag(part_of[i], part_of[i].imag * a)
                               else:
                                   part_of.imag[i] *= a
"""

from __future__ import annotations

import ast
import types

import numpy as np

from tangent.normalise.context import Context
from tangent.normalise.imaginary import written_names
from tangent.runtime.storage.copies import require_apart
from tangent.runtime.storage.writers import with_imag, with_real
from tangent.source.naming import is_library
from tangent.source.read import read
from tangent.syntax.quote import assign, at, constant, expression, name, quote
from tangent.syntax.rebuild import replace, with_blocks
from tangent.syntax.uses import arguments, expression_reads
from tangent.syntax.walk import walk

PARTS = ("real", "imag")
Part = tuple[ast.expr, str, ast.expr]


def part_stores(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    if not any(isinstance(n, ast.Attribute) and n.attr in PARTS for n in walk(f)):
        return f
    return replace(f, body=_Parts(context).block(f.body))


class _Parts:
    def __init__(self, context: Context) -> None:
        self.context = context

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        return [new for s in body for new in self.statement(s)]

    def statement(self, s: ast.stmt) -> list[ast.stmt]:
        match s:
            case ast.Expr(value=ast.Call(func=func, args=args, keywords=[]) as e) if (
                isinstance(callee := self.context.scope.resolve(func), types.FunctionType)
                and any(map(_owner, args))
                and _takes(callee, args)
            ):
                return self.given(e, callee, s)
            case ast.Assign(targets=[target], value=value) if self.context.memory and (part := _place(target)):
                held = self.fresh("part_value")
                return [assign(held, value, s), *self.stored(part, replace(s, value=name(held)), s)]
            case ast.AugAssign(target=target) if self.context.memory and (part := _place(target)):
                return self.stored(part, s, s)
            case _:
                return [with_blocks(s, self.block)]

    def fresh(self, v: str) -> str:
        made = self.context.names.numbered(v)
        self.context.scope.local.add(made)
        return made

    def given(self, e: ast.Call, callee: types.FunctionType, s: ast.Expr) -> list[ast.stmt]:
        """A call of a function that writes into a part."""
        parameters = [a.arg for a in arguments(read(callee).tree.args)]
        written = written_names(read(callee).tree)
        before: list[ast.stmt] = []
        after: list[ast.stmt] = []
        new = list(e.args)
        for i, (p, a) in enumerate(zip(parameters, e.args)):
            if (owner := _owner(a)) is None or p not in written:
                continue
            whole, part = self.fresh("part_of"), self.fresh("part")
            shown = _with_owner(a, name(whole))
            before += [assign(whole, owner, s), at(quote("v = x.copy()", v=part, x=shown), s)]
            others = [x for k, x in enumerate(e.args) if k != i and not isinstance(x, ast.Constant)]
            if others:
                before.append(self.checked(whole, others, s))
            place = shown if isinstance(shown, ast.Subscript) else ast.Subscript(shown, constant(Ellipsis), ast.Load())
            after.append(ast.Assign([replace(place, ctx=ast.Store())], name(part)))
            new[i] = name(part)
        call = replace(s, value=replace(e, args=new))
        done = [x for new in after for x in self.statement(ast.fix_missing_locations(ast.copy_location(new, s)))]
        return [*before, call, *done]

    def checked(self, whole: str, others: list[ast.expr], s: ast.stmt) -> ast.stmt:
        """What else the function is given may not show the array: it would not see what is written."""
        source = self.context.source
        place = [constant(source.file), constant(s.lineno), constant(source.line(s.lineno).strip())]
        check = name(self.context.use("require_apart", require_apart))
        call = ast.Call(check, [name(whole), ast.Tuple(others, ast.Load()), *place], [])
        return ast.fix_missing_locations(ast.copy_location(ast.Expr(call), s))

    def stored(self, part: Part, s: ast.Assign | ast.AugAssign, at_: ast.stmt) -> list[ast.stmt]:
        """A store into a part of what is an array, or of an object that has such an attribute."""
        owner, attr, index = part
        whole = owner.id if isinstance(owner, ast.Name) else self.fresh("part_of")
        old = expression("z[i]", z=whole, i=index)
        value = s.value
        if isinstance(s, ast.AugAssign):
            value = ast.BinOp(ast.Attribute(old, attr, ast.Load()), s.op, s.value)
        function = with_real if attr == "real" else with_imag
        use = self.context.use(function.__name__, function)
        store = quote("z[i] = f(old, v)", z=whole, i=index, f=use, old=old, v=value)
        plain = _with_target(s, name(whole))
        kind, array = self.context.builtin("isinstance"), name(self.context.use("ndarray", np.ndarray))
        choice = ast.If(expression("kind(z, array)", kind=kind, z=whole, array=array), [at(store, at_)], [plain])
        named = [] if isinstance(owner, ast.Name) else [assign(whole, owner, at_)]
        return [*named, ast.fix_missing_locations(ast.copy_location(choice, at_))]


def _owner(e: ast.expr) -> ast.expr | None:
    """What an argument shows the imaginary part of."""
    match e:
        case ast.Attribute(value=z, attr="imag") | ast.Subscript(value=ast.Attribute(value=z, attr="imag")):
            return z
        case _:
            return None


def _with_owner(e: ast.expr, owner: ast.expr) -> ast.Attribute | ast.Subscript:
    if isinstance(e, ast.Subscript):
        return replace(e, value=_with_owner(e.value, owner))
    assert isinstance(e, ast.Attribute)
    return replace(e, value=owner)


def _takes(callee: types.FunctionType, args: list[ast.expr]) -> bool:
    """Whether a function of the user's writes into a part of an array that it knows by no other way."""
    if is_library(callee) or callee.__closure__ or any(isinstance(a, ast.Starred) for a in args):
        return False
    parameters, written = arguments(read(callee).tree.args), written_names(read(callee).tree)
    shown = [(p.arg, _owner(a)) for p, a in zip(parameters, args)]
    names = [frozenset() if isinstance(a, (ast.BinOp, ast.UnaryOp)) else expression_reads(a) for a in args]
    apart = all(sum(bool(expression_reads(z) & v) for v in names) == 1 for _, z in shown if z is not None)
    return apart and any(z is not None and p in written for p, z in shown)


def _place(target: ast.expr) -> Part | None:
    """Owner, part and index of a store into a part; the index may be computed twice."""
    match target:
        case ast.Attribute(value=owner, attr=("real" | "imag") as part):
            return owner, part, constant(Ellipsis)
        case ast.Subscript(value=ast.Attribute(value=owner, attr=("real" | "imag") as part), slice=index) if not any(
            isinstance(n, (ast.Call, ast.NamedExpr)) for n in walk(index)
        ):
            return owner, part, index
        case _:
            return None


def _with_target(s: ast.Assign | ast.AugAssign, owner: ast.expr) -> ast.stmt:
    old = s.targets[0] if isinstance(s, ast.Assign) else s.target
    if isinstance(old, ast.Attribute):
        new: ast.expr = replace(old, value=owner)
    else:
        assert isinstance(old, ast.Subscript)
        new = replace(old, value=replace(old.value, value=owner))
    return replace(s, targets=[new]) if isinstance(s, ast.Assign) else replace(s, target=new)
