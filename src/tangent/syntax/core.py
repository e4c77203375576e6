"""Core Python: the subset that the transformations read and write, and the checker that keeps it.

    function  := def name(params): block return name
    block     := statement*
    statement := name = operation              one operation, operands are atoms
               | name, ..., *name = atom       unpacking
               | if test: block else: block    tests are any inactive expression
               | for name in iterable: block   ends with `if test: break` at most
               | while test: block             likewise
               | with insert_grad_of(place) as name, ...: block    code for the backward pass, kept as it is
               | try: block except E: block    the first takes effect as a whole, or nothing of it is read
               | with value as name: ...       marks around statements of the same block; `try ... finally`, too
               | opaque                        any other Python, as long as no derivative flows through it
    operation := atom | atom op atom | op atom | callee(atom, ..., key=atom) | atom.attribute | atom[index]
               | (atom, ...) | [atom, ...] | {atom: atom, ...} | opaque expression
    atom      := name | constant
    place     := name | place.attribute | place[index]

It is Python, so the output of one differentiation is the input of the next.
"""

from __future__ import annotations

import ast

from tangent.errors import TangentError
from tangent.syntax.inserted import Insertion, root
from tangent.syntax.print import Comment
from tangent.syntax.rebuild import walk_scope
from tangent.syntax.uses import COMPREHENSIONS

OPAQUE_EXPRESSIONS = (
    ast.Compare, ast.BoolOp, ast.JoinedStr, ast.Lambda, *COMPREHENSIONS, ast.NamedExpr, ast.Await, ast.Yield,
    ast.YieldFrom, ast.Set, ast.FormattedValue, ast.Slice, ast.IfExp,
)  # fmt: skip


def is_literal(e: ast.expr) -> bool:
    """A constant, or a tuple of constants: an operand that needs no name.

    >>> is_literal(ast.parse("(0, -1)", mode="eval").body)
    True
    """
    match e:
        case ast.Constant():
            return True
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=ast.Constant()):
            return True
        case ast.Tuple(elts=elts) | ast.List(elts=elts):
            return isinstance(e, ast.Tuple) and all(is_literal(x) for x in elts)
        case _:
            return False


def is_atom(e: ast.expr) -> bool:
    return isinstance(e, ast.Name) or is_literal(e)


def is_range(e: ast.expr) -> bool:
    """A range, or a reversed one, as the iterable of a Core loop; other iterables have names."""
    return isinstance(e, ast.Call) and isinstance(e.func, ast.Name) and e.func.id.rstrip("_") in ("range", "reversed")


def is_plain_range(e: ast.expr) -> bool:
    """A range that is walked as it is."""
    return isinstance(e, ast.Call) and isinstance(e.func, ast.Name) and e.func.id.rstrip("_") == "range"


def is_path(e: ast.expr) -> bool:
    """A dotted name: `np.linalg.norm`."""
    return isinstance(e, ast.Name) or (isinstance(e, ast.Attribute) and is_path(e.value))


def is_opaque_expression(e: ast.expr) -> bool:
    return isinstance(e, OPAQUE_EXPRESSIONS) or (isinstance(e, ast.UnaryOp) and isinstance(e.op, ast.Not))


def is_operation(e: ast.expr) -> bool:
    match e:
        case ast.BinOp(left=left, right=right):
            return is_atom(left) and is_atom(right)
        case ast.UnaryOp(operand=operand):
            return is_atom(operand) or is_opaque_expression(e)
        case ast.Call(func=func, args=args, keywords=keywords):
            inner = [a.value if isinstance(a, ast.Starred) else a for a in args] + [k.value for k in keywords]
            callee = is_path(func) or (isinstance(func, ast.Attribute) and is_atom(func.value))
            return callee and all(is_atom(a) for a in inner)
        case ast.Attribute(value=value):
            return is_atom(value) or is_path(e)
        case ast.Subscript(value=value):
            return is_atom(value)
        case ast.Tuple(elts=elts) | ast.List(elts=elts):
            return all(is_atom(x.value if isinstance(x, ast.Starred) else x) for x in elts)
        case ast.Dict(keys=keys, values=values):
            return all(is_atom(x) for x in [*(k for k in keys if k), *values])
        case _:
            return is_atom(e) or is_opaque_expression(e)


def check_core(f: ast.FunctionDef) -> None:
    """Raise if the function is not Core Python: a bug in normalisation or in a transformation."""
    match f.body:
        case [*body, ast.Return(value=ast.Name() | ast.Tuple() | ast.Constant())]:
            _check_block(body, loop=False)
        case _:
            raise _fault(f"'{f.name}' does not end with 'return name'")


def _fault(what: str) -> TangentError:
    return TangentError(
        f"not Core Python: {what}", why="a pass has left it", todo="This is a fault of Tangent: please report it."
    )


def _check_block(body: list[ast.stmt], loop: bool) -> None:
    for position, s in enumerate(body):
        _check_statement(s, loop and position == len(body) - 1)


def _check_statement(s: ast.stmt, may_break: bool) -> None:
    match s:
        case ast.If(body=[ast.Break()], orelse=[]) if may_break:
            return
        case ast.If(body=body, orelse=orelse):
            _check_block(body, False)
            _check_block(orelse, False)
        case ast.For(target=ast.Name(), body=body, orelse=[]) | ast.While(body=body, orelse=[]):
            _check_block(body, True)
        case ast.Assign(targets=[ast.Name()], value=value) if is_operation(value):
            return
        case ast.Assign(targets=[ast.Tuple(elts=elts)], value=value) if is_atom(value) and all(map(_is_slot, elts)):
            return
        case ast.Return() | ast.Break() | ast.Continue() | ast.AugAssign(target=ast.Name()):
            raise _fault(f"{ast.unparse(s)}")
        case Comment():
            return
        case Insertion(places=places):
            if not all(root(p) for p in places):
                raise _fault(f"insert_grad_of({ast.unparse(places[0])})")
        case _:
            scope = isinstance(s, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
            inner = None if scope else next((n for n in walk_scope(s) if isinstance(n, ast.Return)), None)
            if inner is not None:
                raise _fault(f"return inside {ast.unparse(s)}")


def _is_slot(e: ast.expr) -> bool:
    return isinstance(e, ast.Name) or (isinstance(e, ast.Starred) and isinstance(e.value, ast.Name))
