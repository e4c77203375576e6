"""An item of an item, as one place: `x[i][j]`."""

from __future__ import annotations

import ast


class Cell(ast.Tuple):
    """The indices of `x[i][j]`, in this order; only among what is known of an operation, never in a tree."""


def cell(*indices: ast.expr) -> Cell:
    return Cell(list(indices), ast.Load())


def place_in(owner: ast.expr, index: ast.expr, ctx: ast.expr_context | None = None) -> ast.Subscript:
    """`owner[index]`; of a cell `owner[i][j]`."""
    *outer, last = index.elts if isinstance(index, Cell) else [index]
    for i in outer:
        owner = ast.Subscript(owner, i, ast.Load())
    return ast.Subscript(owner, last, ctx or ast.Load())


def is_table_of_constants(e: ast.expr) -> bool:
    """Whether a comprehension gives a list of constants, or a list of such lists, all of them new.

    >>> is_table_of_constants(ast.parse("[[0.0] * n for _ in range(n + 1)]", mode="eval").body)
    True
    """
    match e:
        case ast.ListComp(elt=elt, generators=[ast.comprehension(target=ast.Name(), iter=iter, ifs=[], is_async=0)]):
            return is_count(iter) and (isinstance(elt, ast.Constant) or is_row_of_constants(elt))
        case _:
            return False


def is_row_of_constants(e: ast.expr) -> bool:
    match e:
        case ast.List(elts=elts):
            return bool(elts) and all(isinstance(x, ast.Constant) for x in elts)
        case ast.BinOp(left=ast.List(elts=elts), op=ast.Mult(), right=count):
            return all(isinstance(x, ast.Constant) for x in elts) and is_count(count)
        case ast.ListComp(elt=ast.Constant()):
            return is_table_of_constants(e)
        case _:
            return False


def is_count(e: ast.expr) -> bool:
    """Whether an expression is made of numbers, lengths and ranges: evaluating it does nothing else."""
    match e:
        case ast.Call(func=ast.Name(id="range" | "len"), args=args, keywords=[]):
            return all(map(is_count, args))
        case ast.BinOp(left=left, right=right):
            return is_count(left) and is_count(right)
        case ast.Subscript(value=ast.Name(), slice=ast.Constant()):
            return True
        case _:
            return isinstance(e, (ast.Name, ast.Constant))
