"""Arithmetic that is known beforehand: only what holds for nan, inf and signed zero, and keeps dtype and shape.

2 * x ** (2 - 1)   ->   2 * x
a + -b             ->   a - b
ba[i] += -b        ->   ba[i] -= b
ba[i].copy() * c   ->   ba[i] * c
unbroadcast(-b, x) ->   -unbroadcast(b, x)
if "relu" == mode  ->   what happens there, where the mode is known
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any, TypeVar

from tangent.optimise.context import Body, Optimisation
from tangent.optimise.lazy import computed, makes_new
from tangent.syntax.inserted import InsertedCode
from tangent.syntax.quote import constant
from tangent.syntax.rebuild import rebuild, replace, statements
from tangent.syntax.walk import fact, walk

_Node = TypeVar("_Node", bound=ast.AST)

COMPARED: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}  # fmt: skip
FOLDED: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
}  # fmt: skip


def simplify(body: Body, o: Optimisation) -> Body:
    return _block(body, computed(body) if any(map(_holds_copies, body)) else frozenset())


def _simple(node: _Node, dense: frozenset[str]) -> _Node:
    """A statement or an expression with all its parts simplified."""
    return node if _is_simple(node) else rebuild(node, lambda e: simplified(e, dense))


@fact
def _is_simple(node: ast.AST) -> bool:
    """Whether nothing is simpler, whatever variables are: what copies stand for hangs on these."""
    return not _holds_copies(node) and rebuild(node, simplified) is node


@fact
def _holds_copies(node: ast.AST) -> bool:
    return any(map(_is_copy, walk(node)))


def _block(body: Body, dense: frozenset[str]) -> Body:
    done: Body = []
    for s in body:
        match s:
            case ast.Assign(targets=[ast.Name(id=a)], value=ast.Name(id=b)) if a == b:
                continue
            case ast.If(test=test, body=then, orelse=other):
                new = _simple(test, dense)
                decided = type(s) is ast.If and isinstance(_value(new), bool) and not isinstance(then[0], ast.Break)
                if decided and not _holds_block(other if _value(new) else then):
                    done += _block(then if _value(new) else other, dense)
                else:
                    done.append(
                        replace(s, test=new, body=_block(then, dense) or [ast.Pass()], orelse=_block(other, dense))
                    )
            case ast.For(iter=iter, body=inner):
                done.append(replace(s, iter=_simple(iter, dense), body=_block(inner, dense) or [ast.Pass()]))
            case ast.While(test=test, body=inner):
                done.append(replace(s, test=_simple(test, dense), body=_block(inner, dense) or [ast.Pass()]))
            case ast.AugAssign(op=ast.Add()):
                s = _simple(s, dense)
                s = replace(s, value=_unchanged(s.value) or s.value)
                plain = positive(s.value)
                done.append(s if plain is None else replace(s, op=ast.Sub(), value=plain))
            case _:
                done.append(_simple(s, dense))
    return done


def _holds_block(body: Body) -> bool:
    """Whether code of the user stands there, which stays, whether it runs or not."""
    return any(isinstance(s, InsertedCode) for s in statements(body))


def simplified(e: ast.expr, dense: frozenset[str] = frozenset()) -> ast.expr:
    """One expression whose parts are simple already; `dense` are variables that are no lazy zeros.

    >>> ast.unparse(simplified(ast.parse("a + -b", mode="eval").body))
    'a - b'
    """
    match e:
        case ast.Name() | ast.Constant() | ast.Attribute():
            return e
        case ast.Subscript(value=ast.Tuple(elts=items), slice=ast.Constant(value=int(i))) if (
            0 <= i < len(items) and all(_is_plain(x) for k, x in enumerate(items) if k != i)
            and not isinstance(items[i], ast.Starred)
        ):  # fmt: skip
            return items[i]
        case ast.BinOp(left=left, right=right) if _is_number(left) and _is_number(right):
            return _folded(e)
        case ast.Compare(left=left, ops=[op], comparators=[right]) if (known := _compared(left, op, right)) is not None:
            return constant(known)
        case ast.BoolOp(op=op, values=[ast.Constant(value=bool() as known) as first, *rest]):
            if known == isinstance(op, ast.Or):
                return first
            return rest[0] if len(rest) == 1 else simplified(replace(e, values=rest), dense)
        case ast.UnaryOp(op=ast.Not(), operand=ast.Constant(value=bool() as known)):
            return constant(not known)
        case ast.BinOp(left=left) if _is_copy(left) and makes_new(e, left, dense):
            return simplified(replace(e, left=_original(left)), dense)
        case ast.BinOp(right=right) if _is_copy(right) and makes_new(e, right, dense):
            return simplified(replace(e, right=_original(right)), dense)
        case ast.BinOp(left=left) if (inner := _unchanged(left)) is not None:
            return simplified(replace(e, left=inner), dense)
        case ast.BinOp(right=right) if (inner := _unchanged(right)) is not None:
            return simplified(replace(e, right=inner), dense)
        case ast.BinOp() | ast.UnaryOp() if (inner := _unchanged(e)) is not None and _is_arithmetic(inner):
            return inner
        case ast.BinOp(left=left, op=ast.Add(), right=right) if (inner := positive(right)) is not None:
            return ast.BinOp(left, ast.Sub(), inner)
        case ast.BinOp(left=left, op=ast.Sub(), right=ast.UnaryOp(op=ast.USub(), operand=inner)):
            return ast.BinOp(left, ast.Add(), inner)
        case ast.UnaryOp(op=ast.USub(), operand=ast.BinOp() as product) if (inner := positive(product)) is not None:
            return inner
        case ast.Call(func=ast.Name(id=function), args=[ast.UnaryOp(op=ast.USub(), operand=inner), x]) if (
            function.rstrip("_") == "unbroadcast"
        ):  # the smaller array is negated
            return ast.UnaryOp(ast.USub(), replace(e, args=[inner, x]))
        case _:
            return e


def _unchanged(e: ast.expr) -> ast.expr | None:
    """What `-(-x)` and `x ** 1` are equal to: an array is a new one, unless it goes into arithmetic."""
    match e:
        case ast.BinOp(left=left, op=ast.Pow(), right=right) if _value(right) == 1:
            return left
        case ast.UnaryOp(op=ast.USub(), operand=ast.UnaryOp(op=ast.USub(), operand=inner)):
            return inner
        case _:
            return None


def _is_arithmetic(e: ast.expr) -> bool:
    return isinstance(e, (ast.BinOp, ast.UnaryOp, ast.Constant))


def _is_copy(e: ast.AST) -> bool:
    """A copy of a part of an array: arithmetic makes a new array anyway."""
    match e:
        case ast.Call(func=ast.Attribute(value=ast.Subscript(), attr="copy"), args=[], keywords=[]):
            return True
        case _:
            return False


def _original(e: ast.expr) -> ast.expr:
    return e.func.value if _is_copy(e) and isinstance(e, ast.Call) and isinstance(e.func, ast.Attribute) else e


def positive(e: ast.expr) -> ast.expr | None:
    """A product or quotient without the minus sign of a factor.

    >>> ast.unparse(positive(ast.parse("-a * b / c", mode="eval").body))
    'a * b / c'
    >>> ast.unparse(positive(ast.parse("a * -b", mode="eval").body))
    'a * b'
    """
    match e:
        case ast.UnaryOp(op=ast.USub(), operand=inner) if not isinstance(inner, ast.Constant):
            return inner
        case ast.BinOp(left=left, op=ast.Mult() | ast.Div() as op, right=right):
            if (first := positive(left)) is not None:
                return ast.BinOp(first, op, right)
            match right:
                case ast.UnaryOp(op=ast.USub(), operand=inner) if not isinstance(inner, ast.Constant):
                    return ast.BinOp(left, op, inner)
            return None
        case _:
            return None


def _compared(left: ast.expr, op: ast.cmpop, right: ast.expr) -> bool | None:
    """The outcome of a comparison of what is known; None where it is not."""
    match left, op, right:
        case ast.Constant(value=value), ast.Is() | ast.IsNot(), ast.Constant(value=None):
            return (value is None) == isinstance(op, ast.Is)
        case _ if type(op) in COMPARED and (
            (_is_number(left) and _is_number(right)) or (_is_text(left) and _is_text(right))
        ):
            return bool(COMPARED[type(op)](_value(left), _value(right)))
        case _:
            return None


def _is_text(e: ast.expr) -> bool:
    return isinstance(_value(e), str)


def _is_number(e: ast.expr) -> bool:
    return isinstance(_value(e), (int, float)) and not isinstance(_value(e), bool)


def _value(e: ast.expr) -> Any:
    match e:
        case ast.Constant(value=value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -value
        case _:
            return None


def _folded(e: ast.BinOp) -> ast.expr:
    fold = FOLDED.get(type(e.op))
    if fold is None:
        return e
    value = fold(_value(e.left), _value(e.right))
    if value < 0:
        return ast.UnaryOp(ast.USub(), constant(-value))
    return constant(value)


def _is_plain(e: ast.expr) -> bool:
    """Whether an expression does nothing but give its value: a name, a number, a zero like something."""
    match e:
        case ast.Name() | ast.Constant():
            return True
        case ast.Call(func=ast.Name(id="init_grad" | "lazy_zero"), args=[ast.Name()], keywords=[]):
            return True
        case _:
            return False
