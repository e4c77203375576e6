"""What is known of the result of an operation."""

from __future__ import annotations

import ast

from tangent.analysis.operation import Operation
from tangent.analysis.shapes.facts import ANY, ANYTHING, DOUBLE, NO_ATOMS, SCALAR, UNKNOWN, Fact, union
from tangent.analysis.shapes.numbers import numbers_in
from tangent.analysis.shapes.table import Shapes

FULL_REDUCTIONS = frozenset(
    "sum mean prod max min var std ptp median nansum nanmean nanmax nanmin nanprod nanvar nanstd linalg_norm "
    "add_reduce multiply_reduce maximum_reduce minimum_reduce".split()
)
TO_REAL = frozenset("real imag abs angle real_if_close".split())
CASTS = frozenset(["builtin_float", "builtin_complex"])
WIDENING = frozenset(["float_power"])  # to double precision at least
LIKE_FIRST = frozenset(
    "own beside shadow content "
    "zeros_like ones_like empty_like init_grad lazy_zero copy_grad copy copy_method dense astype".split()
)
LIKE_SECOND = frozenset("unbroadcast broadcast_like spread settled as_given refit scatter".split())
NUMERIC = frozenset("matmul dot inner outer vdot tensordot einsum reshape transpose T concatenate stack cumsum".split())
MAKING = frozenset("outer reshape concatenate stack cumsum".split())
ROW_RULES = frozenset({"append_row", "setitem"})
LIKE_ADJOINT = frozenset("add_part with_part add_cell with_cell clear_item cleared".split())
CHOOSING = frozenset({"builtin_max_of_two", "builtin_max_of_several"})
OF_ITEMS = frozenset("builtin_sum builtin_max math_fsum math_prod".split())
LIKE_ONE = LIKE_FIRST | LIKE_SECOND | ROW_RULES | LIKE_ADJOINT | CHOOSING
LIKE_ONE |= {"new_list", "check_seed", "add_item", "add_grad"}


def result_of(op: Operation, table: Shapes) -> Fact:
    """What is known of a result, at the statement that makes it."""
    match op.kind:
        case "copy":
            return table.of(op.value) if op.value is not None else UNKNOWN
        case "constant":
            return table.of(op.value) if isinstance(op.value, (ast.Constant, ast.UnaryOp)) else UNKNOWN
        case "zero":
            return _made(op, table)
        case "rule":
            return _by_rule(op, table)
        case "call":
            return table.results(op.callee)
        case "push":  # a stack has the fact of what is on it
            return table.of(op.value) if op.value is not None and not op.why else UNKNOWN
        case "pop":
            return table.of(ast.Name(op.operands[0], ast.Load())) if not op.why else UNKNOWN
        case "pack":
            return Fact(sequence=isinstance(op.value, (ast.List, ast.Tuple)), numbers=_holds_numbers(op.value, table))
        case "unpack":
            return _item_of(table.of(ast.Name(op.operands[0], ast.Load())))
        case _:
            return UNKNOWN


def _holds_numbers(e: ast.expr | None, table: Shapes) -> bool:
    """Whether a display is a tuple of nothing but numbers."""
    return isinstance(e, ast.Tuple) and all((fact := table.of(x)).scalar or fact.shape == ANY for x in e.elts)


def _item_of(whole: Fact) -> Fact:
    """What is known of an item of a tuple of numbers."""
    return ANYTHING if whole.shape == ANY else SCALAR if whole.numbers else UNKNOWN


def _made(op: Operation, table: Shapes) -> Fact:
    """`np.zeros_like(x)` and its kind."""
    match op.value:
        case ast.Call(func=ast.Attribute(attr=attr) | ast.Name(id=attr), args=[first, *_], keywords=[]) if (
            attr.rstrip("_") in LIKE_FIRST
        ):
            like = table.of(first)
            library = attr.endswith("_like")
            stored = like.stored or library
            return Fact(like.shape, like.dtype, like.number or library, like.array or library, stored=stored)
        case ast.Call(func=ast.Attribute(attr="zeros" | "ones" | "empty"), args=[_], keywords=[]):
            return Fact(None, DOUBLE, True, True, stored=True)
        case ast.Call(func=ast.Name(id="len" | "int")):
            return SCALAR
        case ast.Compare(left=left, comparators=[right]):
            return Fact(union([table.of(e).shape for e in (left, right)]))
        case _:
            return UNKNOWN


def _by_rule(op: Operation, table: Shapes) -> Fact:
    if op.library == "math":
        return SCALAR
    rule = op.rule
    facts = [
        table.of(v)
        for k, v in op.values.items()
        if k in rule.operands and not (rule.kind == "elementwise" and _is_left_out(v))
    ]
    if rule.name in LIKE_ONE and (known := _like_one(op, facts, table)) is not None:
        return known
    dtype = union([f.dtype for f in facts])
    if rule.name in TO_REAL or rule.name in CASTS or makes_complex(op) or _says_dtype(op.value):
        dtype = None
    if rule.name in WIDENING:
        dtype = union([dtype, DOUBLE])
    if table.joins(op):  # lists, if both are: an array and a list are added
        return Fact(sequence=all(f.sequence for f in facts))
    if table.repeats(op):
        return Fact(sequence=any(f.sequence for f in facts))
    match op.value:
        case ast.BinOp(left=ast.Name(id=v) as whole) if op.in_place and v in table.made:
            return table.of(whole)  # NumPy keeps the shape and the dtype, or raises
    if rule.kind == "elementwise":
        decided = [f for f in facts if f.shape != ANY]  # of others nothing is said yet
        called = isinstance(op.value, ast.Call) and not all(f.scalar for f in decided)  # of numbers it gives a number
        array = called or any(f.array for f in decided)
        if isinstance(op.value, ast.Call) and dtype == NO_ATOMS and not called:
            dtype = DOUBLE
        others = [table.of(v) for k, v in op.values.items() if k not in rule.operands and isinstance(v, ast.Name)]
        shape = union([f.shape for f in (*facts, *others)])  # the condition of np.where broadcasts, too
        return Fact(shape, dtype, array or _is_number(op, facts), array, stored=any(f.stored for f in decided))
    if rule.name in FULL_REDUCTIONS and _is_full(op):
        return Fact(NO_ATOMS, dtype, True)
    if rule.name == "sequence" and facts[0].numbers:
        return facts[0]
    if rule.name in OF_ITEMS and facts and all(f.numbers or f.scalar for f in facts):
        return ANYTHING if any(f.shape == ANY for f in facts) else SCALAR
    if facts and facts[0].numbers and (rule.name in ("attribute", "get_attribute") or _is_item(op, table)):
        return _item_of(facts[0])
    if rule.name == "getitem" and isinstance(op.values["x"], ast.Name) and facts[0].number and facts[0].shape != ANY:
        return table.item(op.values["x"].id, op.values["index"])
    numeric = rule.name in NUMERIC
    stored = rule.name in MAKING or (rule.name in ("T", "transpose") and facts[0].stored)
    return Fact(None, dtype if rule.name not in ("getitem", "sequence") else None, numeric, numeric, stored=stored)


def _like_one(op: Operation, facts: list[Fact], table: Shapes) -> Fact | None:
    """What is known of a result that is like one of the operands, if it is."""
    rule, values = op.rule, list(op.values.values())
    if rule.name == "shadow" and table.of(values[0]).scalar:
        return UNKNOWN  # of a number it is an array without axes
    if rule.name in ("shadow", "beside"):
        return table.of(values[0])._replace(sequence=False)
    if rule.name == "new_list":
        return Fact(sequence=table.of(values[0]).sequence)
    if rule.name in LIKE_FIRST:
        return facts[0] if rule.name != "astype" else facts[0]._replace(dtype=None)
    if rule.name in LIKE_SECOND and len(values) >= 2:
        return table.of(values[1])._replace(sequence=False)
    if rule.name == "check_seed" and isinstance(values[1], ast.Tuple) and len(values[1].elts) == 1:
        return table.of(values[1].elts[0])
    if rule.name == "add_item":
        return table.of(op.values["x"])
    if rule.name in LIKE_ADJOINT:
        return table.of(op.values["b"])
    if rule.name in ROW_RULES:
        whole = table.of(op.values["x"])
        return Fact(ANY if whole.shape == ANY else None, whole.dtype, True, True, stored=True)
    if rule.name in CHOOSING and isinstance(op.value, ast.Call):
        return _chosen([table.of(e) for e in op.value.args])
    if rule.name == "add_grad":
        return facts[0] if facts[0].number else facts[-1]
    return None


def _is_left_out(e: ast.expr) -> bool:
    """Whether an operand is none, as a bound of `np.clip` may be."""
    return isinstance(e, ast.Constant) and e.value is None


def _chosen(facts: list[Fact]) -> Fact:
    """What is known of one of several values, whichever it is."""
    if any(f.shape == ANY for f in facts):
        return ANYTHING
    return SCALAR if all(f.scalar for f in facts) else UNKNOWN


def _is_item(op: Operation, table: Shapes) -> bool:
    return op.rule.name == "getitem" and _is_place(op.values["index"], table)


def _is_place(index: ast.expr, table: Shapes) -> bool:
    """Whether an index, or a key, stands for one item."""
    match index:
        case ast.Constant(value=value):
            return type(value) in (int, str)
        case ast.Name():
            return table.of(index).scalar
        case ast.BinOp(left=left, right=right):
            return _is_place(left, table) and _is_place(right, table)
        case ast.UnaryOp(operand=operand):
            return _is_place(operand, table)
        case _:
            return False


def makes_complex(op: Operation) -> bool:
    """Whether real numbers give complex ones."""
    return op.rule.name == "builtin_complex" or op.library == "cmath"


def _says_dtype(e: ast.expr | None) -> bool:
    return isinstance(e, ast.Call) and any(k.arg == "dtype" for k in e.keywords)


def _is_full(op: Operation) -> bool:
    """A reduction over everything, without kept dimensions."""
    options = {k: v for k, v in op.values.items() if k in ("axis", "keepdims")}
    return all(isinstance(v, ast.Constant) and (v.value is None or v.value is False) for v in options.values())


def _is_number(op: Operation, facts: list[Fact]) -> bool:
    match op.value:
        case ast.BinOp(op=ast.Add()):
            return any(f.number for f in facts) or bool(op.value is not None and numbers_in(op.value))
        case ast.BinOp(op=ast.Mult(), left=left, right=right):
            literal = any(isinstance(e, ast.Constant) and isinstance(e.value, float) for e in (left, right))
            same = isinstance(left, ast.Name) and isinstance(right, ast.Name) and left.id == right.id
            return literal or same or all(f.number for f in facts)
        case _:
            return True
