"""Plain statements: annotations, augmented and chained assignment, unpacking, `del`, docstrings.

s += v            ->  s = s + v
a = b = e         ->  t = e; a = t; b = t
a, b = b, a       ->  t = b; t2 = a; a = t; b = t2
(a, b), c = e     ->  t, c = e; a, b = t
"""

from __future__ import annotations

import ast

from tangent.normalise.context import Context
from tangent.syntax.quote import assign, at, name
from tangent.syntax.rebuild import replace
from tangent.syntax.uses import expression_reads, target_names


def statements(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    body = f.body[1:] if ast.get_docstring(f, clean=False) is not None else f.body
    return replace(f, body=_block(body, context))


def _block(body: list[ast.stmt], context: Context) -> list[ast.stmt]:
    return [new for s in body for new in _statement(s, context)]


def _statement(s: ast.stmt, context: Context) -> list[ast.stmt]:
    match s:
        case ast.If(test=test, body=body, orelse=orelse):
            return [replace(s, test=test, body=_block(body, context), orelse=_block(orelse, context))]
        case ast.For(body=body, orelse=orelse) | ast.While(body=body, orelse=orelse):
            return [replace(s, body=_block(body, context), orelse=_block(orelse, context))]
        case ast.AnnAssign(target=ast.Name(), value=None) | ast.Pass():
            return []
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            return _statement(ast.copy_location(ast.Assign([target], value), s), context)
        case ast.Expr(value=ast.Constant()):
            return []
        case ast.Delete(targets=targets) if all(isinstance(t, ast.Name) for t in targets):
            return []
        case ast.AugAssign(target=ast.Name(id=target), op=op, value=value):
            context.augmented[s.lineno, s.col_offset] = s
            step = ast.copy_location(ast.BinOp(ast.copy_location(name(target), s.target), op, value), s)
            return [assign(target, step, s)]
        case ast.Assign(targets=[target], value=value):
            return assign_target(target, value, s, context)
        case ast.Assign(targets=targets, value=value):
            held = context.names.numbered("t")
            return [assign(held, value, s), *(n for t in targets for n in assign_target(t, name(held), s, context))]
        case _:
            return [s]


def assign_target(target: ast.expr, value: ast.expr, s: ast.stmt, context: Context) -> list[ast.stmt]:
    match target, value:
        case ast.Tuple(elts=slots) | ast.List(elts=slots), ast.Tuple(elts=parts) | ast.List(elts=parts) if len(
            slots
        ) == len(parts) and not any(isinstance(e, ast.Starred) for e in (*slots, *parts)):
            return _parallel(slots, parts, s, context)
        case ast.Tuple(elts=slots) | ast.List(elts=slots), _:
            return _unpack(slots, value, s, context)
        case _:
            return [at(ast.Assign([target], value), s)]


def _parallel(slots: list[ast.expr], parts: list[ast.expr], s: ast.stmt, context: Context) -> list[ast.stmt]:
    """All right-hand sides first, then the targets; a temporary only where the order matters."""
    before: list[ast.stmt] = []
    after: list[ast.stmt] = []
    for position, (slot, part) in enumerate(zip(slots, parts)):
        later_reads = set().union(*(expression_reads(p) for p in parts[position + 1 :]))
        clash = not isinstance(slot, ast.Name) or slot.id in later_reads or bool(after)
        if isinstance(part, ast.Constant) or not clash:
            held = part
            if not clash:
                before += assign_target(slot, held, s, context)
                continue
        else:
            temporary = context.names.numbered("t")
            before.append(assign(temporary, part, s))
            held = name(temporary)
        after += assign_target(slot, held, s, context)
    return before + after


def _unpack(slots: list[ast.expr], value: ast.expr, s: ast.stmt, context: Context) -> list[ast.stmt]:
    """One level of unpacking from a name; inner levels follow."""
    flat: list[ast.expr] = []
    inner: list[ast.stmt] = []
    for slot in slots:
        if isinstance(slot, ast.Name) or (isinstance(slot, ast.Starred) and isinstance(slot.value, ast.Name)):
            flat.append(slot)
        else:
            part = context.names.numbered("t")
            target = slot.value if isinstance(slot, ast.Starred) else slot
            plain: ast.expr = ast.Name(part, ast.Store())
            flat.append(ast.Starred(plain, ast.Store()) if isinstance(slot, ast.Starred) else plain)
            inner += assign_target(target, name(part), s, context)
    if isinstance(value, ast.Name) and value.id not in target_names(ast.Tuple(flat, ast.Store())):
        source, first = value, []
    else:
        held = context.names.numbered("t")
        source, first = name(held), [assign(held, value, s)]
    return [*first, at(ast.Assign([ast.Tuple(flat, ast.Store())], source), s), *inner]
