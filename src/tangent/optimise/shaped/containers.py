"""What run-time functions do with lists of floats and dicts of numbers.

init_grad(xs)        ->   [0.0] * len(xs)
each(b, xs)          ->   [b] * len(xs)
settled(bxs, xs)     ->   bxs.copy()
"""

from __future__ import annotations

import ast
from typing import Any

from tangent import runtime
from tangent.optimise.dead import local_stacks
from tangent.optimise.settled import OWN
from tangent.optimise.shaped.kinds import (
    BOOL,
    FLOAT,
    INT,
    UNKNOWN,
    Fields,
    Items,
    Kind,
    Listed,
    Number,
    Stack,
    is_float,
    join,
)
from tangent.syntax.quote import constant, expression
from tangent.syntax.rebuild import blocks, statements
from tangent.syntax.records import pushed
from tangent.syntax.uses import expression_reads, header_reads, writes
from tangent.syntax.walk import walk

FLOATS = Listed(FLOAT)


def is_container(kind: Kind) -> bool:
    return isinstance(kind, (Listed, Fields, Stack)) or is_of_numbers(kind)


def is_of_floats(kind: Kind) -> bool:
    """Whether a value is a list of Python's floats."""
    if isinstance(kind, Items):
        return kind.listed and all(k == FLOAT for k in kind.items)
    return isinstance(kind, (Listed, Stack)) and kind.item == FLOAT


def is_of_numbers(kind: Kind) -> bool:
    """Whether a value is a list of floats, of Python's or NumPy's."""
    if isinstance(kind, Items):
        return kind.listed and all(map(is_float, kind.items))
    return isinstance(kind, (Listed, Stack)) and kind.item is not None and is_float(kind.item)


def is_filled(v: str, body: list[ast.stmt]) -> bool:
    """Whether a list is made, filled, and given other names only behind that, all in one block.

    parts = []
    for x in xs: parts.append(x * x)
    ys = parts
    """
    for block in blocks(body):
        made = [i for i, s in enumerate(block) if _makes(s, v)]
        if len(made) == 1:
            uses = [i for i, s in enumerate(block) if any(v in {*header_reads(x), *writes(x)} for x in statements([s]))]
            inside = [x for i in uses for x in statements([block[i]])]
            filling = [i for i in uses if any(_appends(x, v) for x in statements([block[i]]))]
            naming = [i for i in uses if i not in filling and i != made[0]]
            elsewhere = [x for x in statements(body) if v in {*header_reads(x), *writes(x)} and x not in set(inside)]
            whole = all(_appends(x, v) or v not in header_reads(x) for i in filling for x in statements([block[i]]))
            return whole and not elsewhere and made[0] <= min(uses) and max(filling, default=0) < min(naming, default=0)
    return False


GROWING = frozenset({"append", "extend", "insert", "remove", "sort", "reverse", "clear"})


def is_plain(body: list[ast.stmt]) -> bool:
    """Whether all lists that grow are stacks, or filled before they have another name."""
    stacks = local_stacks(body)
    grown: set[str] = set()
    for s in statements(body):
        match s:
            case ast.AugAssign(target=ast.Name(), value=ast.List() | ast.ListComp()) | ast.Delete():
                return False
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner, attr=attr))) if attr in GROWING:
                if attr != "append" or not isinstance(owner, ast.Name):
                    return False
                grown.add(owner.id)
            case _:
                pass
    return all(v in stacks or is_filled(v, body) for v in grown)


def shrinking(body: list[ast.stmt]) -> set[str]:
    """The lists that something is taken from."""
    owners = [n.value for s in body for n in walk(s) if isinstance(n, ast.Attribute) and n.attr == "pop"]
    return {e.id for e in owners if isinstance(e, ast.Name)}


def _makes(s: ast.stmt, v: str) -> bool:
    match s:
        case ast.Assign(targets=[ast.Name(id=w)], value=ast.List()):
            return v == w
        case _:
            return False


def _appends(s: ast.stmt, v: str) -> bool:
    """Whether a statement appends to a list, and only that: what is appended does not come from it."""
    return pushed(s) == v and isinstance(s, ast.Expr) and v not in expression_reads(s.value.args[0])  # type: ignore[attr-defined]


def is_of_floats_each(kind: Kind | None) -> bool:
    """Whether a value is a tuple of a few floats, of Python's or NumPy's."""
    return isinstance(kind, Items) and kind.fixed and not kind.names and all(map(is_float, kind.items))


def is_table(kind: Kind) -> bool:
    """Whether a value is a list of lists of floats, of Python's or NumPy's."""
    return isinstance(kind, (Listed, Stack)) and isinstance(kind.item, Listed) and is_of_numbers(kind.item)


def zeros_like(kind: Kind) -> Kind:
    """The kind of zeros in the form of a list or a dict."""
    match kind:
        case Listed(item=Number() as item) | Stack(item=Number() as item):
            return FLOATS if not item.rank else Listed(Number(item.axes, item.dtype)) if item.real else UNKNOWN
        case Listed(item=Items(items=items, fixed=True)) | Stack(item=Items(items=items, fixed=True)) if (
            all(map(is_float, items))
        ):
            return Listed(Items((FLOAT,) * len(items), False, True))
        case Listed() if is_table(kind):
            return Listed(FLOATS)
        case Fields(items=items):
            return Fields(tuple((v, FLOAT if k in (INT, BOOL) else zeros_like(k)) for v, k in items))
        case _:
            return kind


def result_of(function: Any, kinds: list[Kind]) -> Kind:
    """The kind of what a function gives, of which one of the first two arguments is a list or a dict."""
    first, last = kinds[0], kinds[-1]
    if function is runtime.init_grad:
        return zeros_like(first)
    if function in (runtime.fresh_rows, runtime.number_rows):
        return Listed(first.item) if is_table(first) else UNKNOWN  # type: ignore[union-attr, arg-type]
    if function is runtime.each and is_float(first) and is_of_numbers(last):
        return Listed(first)
    if function is runtime.scaled and first == FLOAT and is_of_floats(last):
        return FLOATS
    if function is runtime.shares_of and is_of_floats(last):
        return FLOATS
    if function is runtime.pop_grad and is_of_numbers(first) and is_float(last):
        return FLOAT if is_of_floats(first) and last == FLOAT else Number((), "f8", None)
    if function in (runtime.sequence, runtime.copy):
        return first
    if function is runtime.unsequence and all(isinstance(k, (Listed, Stack)) for k in (first, last)):
        return first
    if function is runtime.restructure and len(kinds) == 2:
        return rows_like(first, last) or UNKNOWN
    if function is runtime.as_list and isinstance(first, (Listed, Stack)):
        return first
    if function is runtime.add_part and isinstance(first, Listed) and not is_float(first.item):
        item = join(first.item, last)
        return Listed(item, first.some) if isinstance(item, (Number, Items)) else UNKNOWN
    if function in (runtime.settled, runtime.as_given, runtime.unsequence, runtime.as_list, runtime.add_grad):
        return first if first == last else FLOATS if is_of_floats(first) and is_of_floats(last) else UNKNOWN
    if function is runtime.repack and is_of_floats(first):
        return FLOATS if all(k == FLOAT for k in kinds[1:]) else UNKNOWN
    if function is runtime.repack_from:
        return kinds[1] if is_of_floats(first) and kinds[1] == FLOATS else UNKNOWN
    if function in (runtime.add_part, runtime.add_cell, runtime.add_item):
        return first if last == FLOAT else UNKNOWN
    if function is runtime.scatter and first == FLOAT and is_of_numbers(kinds[1]):
        return FLOATS
    return UNKNOWN


def rows_like(b: Kind, xs: Kind) -> Listed | None:
    """The kind of the list of the rows of an array, the adjoint of one that was made of a list of such rows."""
    match b, xs:
        case Number(axes=(_, *rest), dtype="f8"), Listed(item=Number() as item) | Stack(item=Number() as item) if (
            item.dtype == "f8" and item.rank == len(rest)
        ):
            return Listed(FLOAT if item == FLOAT else Number(tuple(rest), "f8"))
        case _:
            return None


def written_out(function: Any, e: ast.Call, kinds: list[Kind]) -> ast.expr:
    """A call of such a function as what it does, where that is known."""
    first, last = kinds[0], kinds[-1]
    known = isinstance(last, (Listed, Stack)) or is_of_numbers(last)
    if known and function in (runtime.sequence, runtime.unsequence):
        return e.args[0]
    if function is runtime.repack and is_of_floats(first) and not any(isinstance(a, ast.Starred) for a in e.args):
        return ast.List(e.args[1:], ast.Load())
    if function is runtime.each and is_float(first) and is_of_numbers(last):
        return expression("[b] * len(x)", b=e.args[0], x=e.args[1])
    if function is runtime.repack_from and is_of_floats(first) and last == FLOATS:
        return e.args[1]
    if function is runtime.restructure and len(kinds) == 2 and (rows := rows_like(first, last)) is not None:
        return expression("b.tolist()" if rows == FLOATS else "list(b)", b=e.args[0])
    if function is runtime.as_list and (is_of_numbers(first) or isinstance(first, (Listed, Stack))):
        return e.args[0] if _is_new_list(e.args[0]) else expression("b.copy()", b=e.args[0])
    if function is runtime.init_grad and is_of_numbers(first):
        return expression("[0.0] * len(x)", x=e.args[0])
    if function is runtime.init_grad and isinstance(first, (Listed, Stack)) and is_of_floats_each(first.item):
        zeros = ast.Tuple([constant(0.0) for _ in first.item.items], ast.Load())  # type: ignore[union-attr]
        return expression("[z] * len(x)", z=zeros, x=e.args[0])
    if function is runtime.init_grad and is_table(first):
        return expression("[[0.0] * len(row) for row in x]", x=e.args[0])
    if function in OWN and first == last == Listed(FLOATS):
        return expression("[row.copy() for row in b]", b=e.args[0])
    if function in OWN and is_of_floats(first) and is_of_floats(last):
        return e.args[0] if isinstance(e.args[0], ast.List) else expression("b.copy()", b=e.args[0])
    if function in OWN and first == last and _is_of_numbers(first):
        return expression("b.copy()", b=e.args[0])
    if function is runtime.add_grad and is_of_floats(first) and is_of_floats(last):
        return _added(e.args[0], e.args[1], first, last)
    return displayed(function, e, kinds) or e


def _is_new_list(e: ast.expr) -> bool:
    match e:
        case ast.Subscript(slice=ast.Slice()) | ast.BinOp() | ast.List() | ast.ListComp():
            return True
        case ast.Call(func=ast.Name(id="list") | ast.Attribute(attr="tolist")):
            return True
        case _:
            return False


SHORT = 4  # items that are written one by one


def displayed(function: Any, e: ast.Call, kinds: list[Kind]) -> ast.List | None:
    """A sum at a place of a short list of floats, as a list.

    scatter(v, x, 1)         ->   [0.0, v]
    add_part([u, v], 0, w)   ->   [u + w, v]
    """
    match e.args:
        case [v, ast.Name(), ast.Constant(value=int(i))] if function is runtime.scatter:
            many = kinds[1]
            if not isinstance(many, Items) or len(many.items) > SHORT:
                return None
            if kinds[0] != FLOAT or not is_of_floats(many):
                return None
            elts: list[ast.expr] = [constant(0.0) for _ in many.items]
        case [ast.List(elts=elts), ast.Constant(value=int(i)), v] if function is runtime.add_part:
            if not is_of_floats(kinds[0]) or kinds[2] != FLOAT:
                return None
        case _:
            return None
    if not -len(elts) <= i < len(elts):
        return None
    new = list(elts)
    new[i] = v if ast.unparse(new[i]) == "0.0" else ast.BinOp(new[i], ast.Add(), v)
    return ast.List(new, ast.Load())


def _added(a: ast.expr, b: ast.expr, first: Kind, last: Kind) -> ast.expr:
    """The sums of two lists of floats, which are gradients of one value."""
    short = isinstance(first, Items) and isinstance(last, Items) and len(first.items) == len(last.items) <= SHORT
    if short and isinstance(first, Items) and all(isinstance(x, (ast.Name, ast.List)) for x in (a, b)):
        pairs = [(_item(a, k), _item(b, k)) for k in range(len(first.items))]
        return ast.List([ast.BinOp(p, ast.Add(), q) for p, q in pairs], ast.Load())
    terms = [*(summed_lists(a) or [a]), *(summed_lists(b) or [b])]
    return _sum_of(terms) if len(terms) <= len(LETTERS) else _sum_of([a, b])


LETTERS = "pqrstuvw"


def _sum_of(lists: list[ast.expr]) -> ast.expr:
    """`[p + q for p, q in zip(a, b)]`"""
    letters = LETTERS[: len(lists)]
    given = {f"list{k}": x for k, x in enumerate(lists)}
    return expression(f"[{' + '.join(letters)} for {', '.join(letters)} in zip({', '.join(given)})]", **given)


def _item(e: ast.expr, k: int) -> ast.expr:
    return e.elts[k] if isinstance(e, ast.List) else ast.Subscript(e, constant(k), ast.Load())


def summed_lists(e: ast.expr) -> list[ast.expr]:
    """The lists that a comprehension adds item by item; none, if it does something else."""
    match e:
        case ast.ListComp(generators=[ast.comprehension(iter=ast.Call(func=ast.Name(id="zip"), args=lists), ifs=[])]):
            return lists if len(lists) > 1 and ast.unparse(e) == ast.unparse(_sum_of(lists)) else []
        case _:
            return []


def _is_of_numbers(kind: Kind) -> bool:
    """Whether a value is a dict of floats."""
    return isinstance(kind, Fields) and all(k == FLOAT for _, k in kind.items)
