"""Plain statements: annotations, augmented and chained assignment, unpacking, decorators, `del`, docstrings.

s += v            ->  s = s + v
a = b = e         ->  t = e; a = t; b = t
a, b = b, a       ->  t = b; t2 = a; a = t; b = t2
(a, b), c = e     ->  t, c = e; a, b = t
f() if c else g() ->  if c: f()
                      else: g()
@d                ->  def f_plain(v): ...
def f(v): ...         f = d(f_plain)
"""

from __future__ import annotations

import ast

from tangent.normalise.context import Context
from tangent.runtime.objects import parent_attribute, parent_method
from tangent.source.resolve import MISSING
from tangent.syntax.quote import assign, at, call, constant, name
from tangent.syntax.rebuild import rebuild, replace, with_blocks
from tangent.syntax.uses import arguments, expression_reads, target_names
from tangent.syntax.walk import walk


def statements(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    f = _without_super(f, context)
    body = f.body[1:] if ast.get_docstring(f, clean=False) is not None else f.body
    return replace(f, body=_block(body, context))


def _without_super(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    """`super().m(x)` as a function that takes the object: `parent_method(C, self, "m")(self, x)`; so is `super().v`."""
    known = "super" not in context.scope.local and "__class__" in context.scope.cells
    if not known or not any(isinstance(n, ast.Name) and n.id == "super" for n in walk(f)):
        return f
    cls = context.scope.cells["__class__"].cell_contents
    parameters = [a for a in arguments(f.args) if a.arg != context.memory]
    called = {n.func for n in walk(f) if isinstance(n, ast.Call)}

    def change(e: ast.expr) -> ast.expr:
        match e:
            case ast.Attribute(value=ast.Call(func=ast.Name(id="super"), args=[]), attr=attr, ctx=ast.Load()) if (
                e not in called
            ):
                owner = name(parameters[0].arg)
                parent = [name(context.use(cls.__name__, cls)), owner, constant(attr)]
                found = call(context.use("parent_attribute", parent_attribute), *parent)
                return ast.copy_location(ast.Call(ast.copy_location(found, e), [owner], []), e)
            case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="super"), args=[]), attr=attr)):
                owner = name(parameters[0].arg)
                parent = [name(context.use(cls.__name__, cls)), owner, constant(attr)]
                found = call(context.use("parent_method", parent_method), *parent)
                return ast.copy_location(ast.Call(ast.copy_location(found, e), [owner, *e.args], e.keywords), e)
            case _:
                return e

    new = rebuild(f, change)
    if left := next((n for n in walk(new) if isinstance(n, ast.Name) and n.id == "super"), None):
        raise context.refuse(left, "'super()' here", "its methods and attributes are followed", "Call a method of it.")
    return new


def _block(body: list[ast.stmt], context: Context) -> list[ast.stmt]:
    return [new for s in body for new in _statement(s, context)]


def _statement(s: ast.stmt, context: Context) -> list[ast.stmt]:
    match s:
        case ast.With() | ast.Try():
            return [with_blocks(s, lambda body: _block(body, context))]
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
        case ast.Expr(value=ast.IfExp(test=test, body=one, orelse=other)):
            do, otherwise = (ast.copy_location(ast.Expr(e), s) for e in (one, other))
            return _statement(ast.copy_location(ast.If(test, [do], [otherwise]), s), context)
        case ast.Expr(value=ast.BoolOp(op=op, values=[first, *others])):
            rest = others[0] if len(others) == 1 else ast.copy_location(ast.BoolOp(op, others), s)
            test = first if isinstance(op, ast.And) else ast.copy_location(ast.UnaryOp(ast.Not(), first), s)
            then: list[ast.stmt] = [ast.copy_location(ast.Expr(rest), s)]
            return _statement(ast.copy_location(ast.If(test, then, []), s), context)
        case ast.Expr(value=ast.Call(func=func)) if context.scope.resolve(func) is exec:
            raise context.refuse(
                s, "'exec'", "what it computes cannot be followed", "Write the code out, or define a function with it."
            )
        case ast.Expr(value=ast.Call() as e) if not context.memory and (plain := _plainer(e, context)) is not e:
            return [replace(s, value=plain)]
        case ast.Expr(value=ast.Subscript() | ast.Attribute() as value) if context.memory:
            return [assign(context.names.numbered("dropped"), value, s)]  # reading may change what is read
        case ast.Delete(targets=targets) if all(isinstance(t, ast.Name) for t in targets):
            return []
        case ast.AugAssign(target=ast.Name(id=target), op=op, value=value):
            context.augmented[s.lineno, s.col_offset] = s
            step = ast.copy_location(ast.BinOp(ast.copy_location(name(target), s.target), op, value), s)
            return [assign(target, step, s)]
        case ast.Assign(targets=[target], value=value):
            return assign_target(target, value, s, context)
        case ast.Assign(targets=targets, value=ast.Constant() as value):
            return [n for t in targets for n in assign_target(t, value, s, context)]
        case ast.Assign(targets=targets, value=value):
            held = context.names.numbered("t")
            return [assign(held, value, s), *(n for t in targets for n in assign_target(t, name(held), s, context))]
        case _:
            return [s]


def _plainer(e: ast.Call, context: Context) -> ast.Call:
    """`d.update(k=v)` as `d.update({"k": v})`."""
    match e:
        case _ if context.scope.resolve(e.func) is not MISSING:
            return e
        case ast.Call(func=ast.Attribute(attr="update"), args=[], keywords=[_, *_] as keywords) if all(
            k.arg for k in keywords
        ):
            made = ast.Dict([constant(k.arg) for k in keywords], [k.value for k in keywords])
            return ast.fix_missing_locations(replace(e, args=[ast.copy_location(made, e)], keywords=[]))
        case _:
            return e


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
