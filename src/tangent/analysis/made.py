"""Variables that only ever hold what is made here, or by a callee: lists, tuples and dicts; generators of numbers."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping

from tangent.analysis.operation import Operation, Operations
from tangent.runtime.draws import gives_numbers
from tangent.runtime.library import items_of, made_dict, values_of
from tangent.syntax.cells import Cell

Made = dict[str, list[Operation]]
Gives = Mapping[str, frozenset[str]]  # as Summary.gives, by variable

CONTAINER_COPIES = frozenset("builtin_list builtin_tuple builtin_dict builtin_sorted tolist".split())
SECTIONS = frozenset("split hsplit vsplit dsplit unstack broadcast_arrays meshgrid".split())  # they give several arrays
DICT_COPIES = frozenset("copied_dict copied_grad copied_tangent".split())
BESIDE = frozenset("beside init_grad mirror".split())  # derivatives of containers; items of shadows are parts of them


def containers_made(operations: Operations, parameters: frozenset[str], gives: Gives) -> frozenset[str]:
    """Variables that only ever hold lists, tuples and dicts made here or by a callee; and rows of such lists."""
    made = _bindings(operations)
    given = {t for t in gives if "" in gives[t]} | set(_given_items(operations, gives))
    found = {t: None for t in made if t not in parameters}  # in order of the program, so that few rounds are enough
    while True:
        size = len(found)
        for t in [*found]:
            if t not in given and not all(_makes_container(op, found) or _repeats(op, found, made) for op in made[t]):
                del found[t]
        if len(found) == size:
            rows = {f"{t}[]" for t in found if any(makes_rows(op) for op in made[t])}
            rows |= {f"{t}[]" for t in gives if "[]" in gives[t]}
            rows |= {f"{t}[{i}]" for t in gives for i in gives[t] if i.isdigit()}
            return frozenset(found) | rows


def _given_items(operations: Operations, gives: Gives) -> Iterator[str]:
    """Variables that are bound once, to an item of what a callee gives, which is a list, too."""
    bound = _bindings(operations)
    for op in operations.values():
        if op.kind == "unpack" and op.operands[0] in gives:
            items = gives[op.operands[0]]
            yield from (t for i, t in enumerate(op.targets) if len(bound[t]) == 1 and str(i) in items)


def _bindings(operations: Operations) -> Made:
    """The operations that bind each variable."""
    made: Made = {}
    for op in operations.values():
        for t in op.targets if op.kind not in ("store", "augment", "push") else ():
            made.setdefault(t, []).append(op)
    return made


def makes_rows(op: Operation) -> bool:
    """Whether an operation makes a list of numbers, or of lists that nobody else holds."""
    return op.kind == "rule" and op.rule.name == "tolist"


def _makes_container(op: Operation, known: Collection[str]) -> bool:
    match op.value:
        case ast.Dict() | ast.List() | ast.ListComp() | ast.DictComp():
            return True
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            return all(isinstance(e, ast.Name) and e.id in known for e in (left, right))
        case ast.BinOp(op=ast.BitOr(), left=left, right=right):  # a dict is joined with dicts alone
            return any(isinstance(e, ast.Name) and e.id in known for e in (left, right))
        case ast.Call(func=ast.Name(id=function), args=[ast.Name(id=v), *_]) if function.rstrip("_") in BESIDE:
            return v in known
        case _ if is_slice(op) or op.kind == "copy":
            return op.operands[0] in known
        case _:
            made = op.kind == "rule" and op.rule.name in ("mutated", "fresh_rows", "number_rows", "dict_of")
            return op.kind == "pack" or copies_container(op) or makes_sections(op) or made


def makes_sections(op: Operation) -> bool:
    """Whether an operation makes a list of arrays, which may be parts of one: `np.split(a, 3)`."""
    return op.kind == "rule" and op.rule.name in SECTIONS


def is_slice(op: Operation) -> bool:
    if op.kind != "rule" or op.rule.name != "getitem":
        return False
    index = op.values["index"]
    return isinstance(index.elts[-1] if isinstance(index, Cell) else index, ast.Slice)


def _repeats(op: Operation, known: Collection[str], made: Made) -> bool:
    """Whether an operation repeats a list: `[0.0] * n`, where n counts; a list times an array is an array."""
    found = _repeated(op)
    return found is not None and found[0] in known and (_has_one_item(found[0], made) or _is_count(found[1], made))


def assumed_counts(operations: Operations, counted: Collection[str]) -> dict[ast.stmt, ast.expr]:
    """Statements that repeat a list of one item by something that may be no number, and that."""
    made = _bindings(operations)
    repeated = {s: found for s, op in operations.items() if (found := _repeated(op)) is not None}
    return {
        s: count for s, (v, count) in repeated.items() if _has_one_item(v, made) and not _is_count(count, made, counted)
    }


def _repeated(op: Operation) -> tuple[str, ast.expr] | None:
    match op.value:
        case ast.BinOp(op=ast.Mult(), left=ast.Name(id=v), right=count) if op.kind == "rule":
            return v, count
        case _:
            return None


def _has_one_item(v: str, made: Made) -> bool:
    """Whether a variable is a list of one item, as `[0.0]` is: nobody multiplies these by arrays."""
    return v in made and all(isinstance(op.value, ast.List) and len(op.value.elts) == 1 for op in made[v])


def _is_count(e: ast.expr | None, made: Made, counted: Collection[str] = (), depth: int = 8) -> bool:
    match e:
        case ast.Constant(value=int()) | ast.Call(func=ast.Name(id="len" | "int")):
            return True
        case ast.BinOp(left=left, right=right):
            return _is_count(left, made, counted, depth) and _is_count(right, made, counted, depth)
        case ast.Name(id=v) if v in counted:
            return True
        case ast.Name(id=v) if depth and v in made:
            return all(_is_count(op.value, made, counted, depth - 1) for op in made[v])
        case _:
            return False


def copies_container(op: Operation) -> bool:
    """Whether an operation makes a new list or dict of what another holds."""
    if op.kind == "call":
        return op.callee in (values_of, items_of, made_dict)
    return op.kind == "rule" and op.rule.name in (*CONTAINER_COPIES, *DICT_COPIES)


def draws(e: ast.expr | None, operations: Operations) -> bool:
    """Whether random numbers are drawn, by a generator that is made here: that changes nothing else."""
    match e:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=v), attr=attr)):
            made = [op for op in operations.values() if v in op.targets]
            return bool(made) and all(op.kind == "opaque" and gives_numbers(op.callee, attr) for op in made)
        case _:
            return False
