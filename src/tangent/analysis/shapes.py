"""What is known of a value's shape, dtype and kind before it exists.

A shape is a set of atoms: the variables whose shapes it is broadcast from. The empty set is a scalar. Elementwise
results have the union of their operands' atoms, so `x * x` has the shape of `x` whatever that is. Dtypes likewise.
`x[i]` stands for a row of `x`: what an integer picks out of an array.
An atom is only good while its variable keeps its value. A variable with several definitions (or carried around a loop)
has a shape beyond one statement only if all of them agree on atoms that last; the analysis assumes they do and takes
it back where they do not.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from tangent.analysis.liveness import Liveness
from tangent.analysis.operation import Operation, Operations
from tangent.syntax.core import is_range
from tangent.syntax.rebuild import statements
from tangent.syntax.uses import arguments, header_reads, writes

Atoms = frozenset[str]
NO_ATOMS: Atoms = frozenset()
FULL_REDUCTIONS = frozenset(
    "sum mean prod max min var std ptp median nansum nanmean nanmax nanmin nanprod nanvar nanstd linalg_norm "
    "add_reduce multiply_reduce maximum_reduce minimum_reduce".split()
)
TO_REAL = frozenset("real imag abs angle real_if_close".split())
LIKE_FIRST = frozenset(
    "own beside shadow content "
    "zeros_like ones_like empty_like init_grad lazy_zero copy_grad copy copy_method dense astype".split()
)
LIKE_SECOND = frozenset("unbroadcast broadcast_like spread settled as_given refit scatter".split())
NUMERIC = frozenset("matmul dot inner outer vdot tensordot einsum reshape transpose T concatenate stack cumsum".split())
ROW_RULES = frozenset({"append_row", "setitem"})
ANY: Atoms = frozenset(["<any>"])


@dataclass(frozen=True)
class Fact:
    """A value's shape and dtype atoms (None: unknown), and whether it is surely a number or an array."""

    shape: Atoms | None = None
    dtype: Atoms | None = None
    number: bool = False
    array: bool = False
    sequence: bool = False

    @property
    def scalar(self) -> bool:
        return self.number and self.shape == NO_ATOMS


SCALAR = Fact(NO_ATOMS, NO_ATOMS, True)
UNKNOWN = Fact()
ANYTHING = Fact(ANY, ANY, True, True, True)


@dataclass
class Shapes:
    facts: dict[str, Fact] = field(default_factory=dict)
    shifting: frozenset[str] = frozenset()
    lasting: frozenset[str] = frozenset()
    numbers: frozenset[str] = frozenset()
    results: Callable[[object], Fact] = lambda _: UNKNOWN
    arrays: frozenset[str] = frozenset()
    steady: frozenset[str] = frozenset()

    def of(self, e: ast.expr) -> Fact:
        """What is known of an operand at the statement that reads it."""
        match e:
            case ast.Name(id=v):
                fact = self.facts.get(v, UNKNOWN)
                own = frozenset([v])
                shape = own if fact.shape is None else fact.shape
                dtype = own if fact.dtype is None else fact.dtype
                array = fact.array or v in self.arrays
                return Fact(shape, dtype, fact.number or array or v in self.numbers, array, fact.sequence)
            case ast.Constant(value=value):
                return _constant(value)
            case ast.UnaryOp(operand=operand):
                return self.of(operand)
            case _:
                return UNKNOWN

    def item(self, v: str, index: ast.expr) -> Fact:
        """What is known of `v[index]`: of an array, how many axes are left, and how much shorter they are."""
        whole = self.of(ast.Name(v, ast.Load()))
        array = whole.array or (whole.number and whole.shape != NO_ATOMS)
        parts = _axes(index, self) if array else None
        if parts is None or whole.shape is None:
            return Fact(None, whole.dtype if array else None, array)
        while parts and parts[-1] == "-0":
            parts.pop()
        if not parts:
            return whole
        root = next(iter(whole.shape)) if len(whole.shape) == 1 else v
        return Fact(frozenset([f"{root}[{','.join(parts)}]"]), whole.dtype, True, any(p != "i" for p in parts))

    def result(self, op: Operation) -> Fact:
        """What is known of the result of an operation, at the statement that makes it."""
        return _result(op, self)

    def joins(self, op: Operation) -> bool:
        """Whether an operation may join lists: it adds, and one operand surely is a list or tuple."""
        if not (isinstance(op.value, ast.BinOp) and isinstance(op.value.op, ast.Add)):
            return False
        facts = [self.of(op.value.left), self.of(op.value.right)]
        return any(f.sequence and f is not ANYTHING and f.shape != ANY for f in facts)

    def operand(self, e: ast.Name, op: Operation) -> Fact:
        """What is known of an operand, given that the operation went through."""
        fact = self.of(e)
        proven = op.value is not None and e.id in numbers_in(op.value)
        return replace(fact, number=True) if proven else fact


def picks_one(index: ast.expr, table: Shapes) -> bool:
    """Whether an index consists of integers only, so that it names nothing twice."""
    parts = _axes(index, table)
    return parts is not None and all(p == "i" for p in parts)


def _axes(index: ast.expr, table: Shapes) -> list[str] | None:
    """For each axis that an index names: `i` if a number selects from it, or by how much a slice shortens it."""
    found: list[str] = []
    for part in index.elts if isinstance(index, ast.Tuple) else [index]:
        match part:
            case ast.Slice(lower=lower, upper=upper, step=None):
                first, last = _offset(lower, 0), _offset(upper, 0)
                if first is None or last is None or first < 0 or last > 0 or (upper is not None and last == 0):
                    return None
                found.append(f"-{first - last}")
            case ast.Constant(value=int() as value) if not isinstance(value, bool):
                found.append("i")
            case ast.Name() | ast.BinOp() | ast.UnaryOp() if _is_scalar(part, table):
                found.append("i")
            case _:
                return None
    return found


def _is_scalar(e: ast.expr, table: Shapes) -> bool:
    match e:
        case ast.BinOp(left=left, right=right):
            return _is_scalar(left, table) and _is_scalar(right, table)
        case ast.UnaryOp(operand=operand):
            return _is_scalar(operand, table)
        case _:
            return table.of(e).scalar


def _offset(e: ast.expr | None, default: int) -> int | None:
    match e:
        case None:
            return default
        case ast.Constant(value=int() as value) if not isinstance(value, bool):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as value)):
            return -value
        case _:
            return None


def _constant(value: object) -> Fact:
    if isinstance(value, complex):
        return Fact(NO_ATOMS, frozenset(["<complex>"]), True)
    return SCALAR if isinstance(value, float | int) else UNKNOWN


def shapes(
    f: ast.FunctionDef, operations: Operations, live: Liveness, results: Callable[[object], Fact] = lambda _: UNKNOWN,
    numbers: frozenset[str] = frozenset(), given: Mapping[str, Atoms] | None = None,
    arrays: frozenset[str] = frozenset(),
) -> Shapes:  # fmt: skip
    """The facts of all variables of a Core function.

    `results` tells what a callee returns, `numbers` which parameters are known to be numbers or arrays, `given` the
    shapes of parameters by those of others, `arrays` what is written into by index.
    """
    shifting, lasting = _kinds(f, live)
    steady = _steady(operations)
    table = Shapes({}, shifting, lasting, _used_as_numbers(f, operations) | numbers, results, arrays, steady)
    parameters = {a.arg: _annotated(a, given or {}) for a in arguments(f.args)}
    parameters |= dict.fromkeys(_counts(f.body, f.body) & lasting & parameters.keys(), SCALAR)
    defined: list[tuple[Operation | None, ast.stmt | None]]
    defined = [
        (operations[s], None) if s in operations else (None, s)
        for s in statements(f.body)
        if s not in operations or operations[s].kind not in ("store", "augment")
    ]
    names = [v for op, s in defined for v in (op.targets if op is not None else writes(s) if s is not None else ())]
    table.facts = dict.fromkeys(names, ANYTHING) | parameters
    for _ in range(20):
        before = dict(table.facts)
        table.facts = _pass(defined, parameters, table)
        if table.facts == before:
            break
    else:
        table.facts = {v: parameters.get(v, UNKNOWN) for v in table.facts}
    table.facts = {v: _without_any(fact) for v, fact in table.facts.items()}
    return table


def _annotated(a: ast.arg, given: Mapping[str, Atoms]) -> Fact:
    own = frozenset([a.arg])
    if a.arg in given:
        return Fact(given[a.arg], given[a.arg])
    match a.annotation:
        case ast.Name(id="float" | "int") | ast.Constant(value="float" | "int"):
            return SCALAR
        case ast.Attribute(attr="ndarray") | ast.Constant(value="np.ndarray"):
            return Fact(own, own, True, True)
        case _:
            return Fact(own, own)


def _kinds(f: ast.FunctionDef, live: Liveness) -> tuple[frozenset[str], frozenset[str]]:
    """Variables that take several values (defined twice, carried around a loop), and those that keep one for good."""
    seen: set[str] = {a.arg for a in arguments(f.args)}
    shifting: set[str] = set()
    inside: set[str] = set()
    for s in statements(f.body):
        for v in writes(s) if not isinstance(s, ast.AugAssign) else ():
            (shifting if v in seen else seen).add(v)
        if isinstance(s, ast.For | ast.While):
            inner = {v for x in statements(s.body) for v in writes(x)}
            inside |= inner | set(writes(s))
            shifting |= inner & live.entry.get(s, frozenset())
    return frozenset(shifting), frozenset(seen - shifting - inside)


def _counts(body: list[ast.stmt], whole: list[ast.stmt]) -> set[str]:
    """Names that `range` proves to be integers wherever they are used: all uses are in the block of such a loop."""
    found: set[str] = set()
    for s in body:
        if isinstance(s, ast.For) and is_range(s.iter) and isinstance(s.iter, ast.Call):
            inside = set(statements(body))
            for v in {a.id for a in s.iter.args if isinstance(a, ast.Name)}:
                if all(x in inside for x in statements(whole) if v in header_reads(x)):
                    found.add(v)
        if isinstance(s, ast.For | ast.While):
            found |= _counts(s.body, whole)
    return found


def _steady(operations: Operations) -> frozenset[str]:
    """Variables that change by `x = append(x, row)` and `x = setitem(x, i, v)` only: dtype and rows stay alike."""
    steps: dict[str, bool] = {}
    for op in operations.values():
        for v in op.targets:
            steps[v] = steps.get(v, True) and _is_step(op, v)
    return frozenset(v for v, only in steps.items() if only)


def _is_step(op: Operation, v: str) -> bool:
    if op.kind != "rule" or op.rule.name not in ROW_RULES:
        return False
    x = op.values["x"]
    return isinstance(x, ast.Name) and x.id == v


def _used_as_numbers(f: ast.FunctionDef, operations: Operations) -> frozenset[str]:
    """Variables in operations that only numbers and arrays have, on the way that is always taken."""
    found: set[str] = set()
    for s in f.body:
        op = operations.get(s)
        if op is not None and op.value is not None:
            found |= numbers_in(op.value)
    return frozenset(found)


def numbers_in(e: ast.expr) -> set[str]:
    """Operands that an operation proves to be numbers or arrays: lists have no `x - 1`, `x * 2.0`, `x * x`, `-x`."""
    match e:
        case ast.UnaryOp(op=ast.USub(), operand=ast.Name(id=a)):
            return {a}
        case ast.BinOp(left=ast.Name(id=a), right=ast.Name(id=b)) if a == b and not isinstance(e.op, ast.Add):
            return {a}
        case ast.BinOp(op=ast.Mult(), left=ast.Name(id=a), right=ast.Constant(value=float())):
            return {a}
        case ast.BinOp(op=ast.Mult(), left=ast.Constant(value=float()), right=ast.Name(id=a)):
            return {a}
        case ast.BinOp(op=op, left=ast.Name(id=a), right=ast.Constant(value=float() | int())):
            return {a} if not isinstance(op, ast.Mult | ast.Mod) else set()
        case ast.BinOp(op=op, left=ast.Constant(value=float() | int()), right=ast.Name(id=a)):
            return {a} if not isinstance(op, ast.Mult) else set()
        case _:
            return set()


def _pass(
    defined: list[tuple[Operation | None, ast.stmt | None]], parameters: dict[str, Fact], table: Shapes
) -> dict[str, Fact]:
    """One round: the join of what all definitions of each variable say."""
    found: dict[str, Fact] = dict(parameters)
    stacks = {op.targets[0] for op, _ in defined if op is not None and op.kind == "push" and not op.why}
    for op, s in defined:
        if op is None:
            assert s is not None
            for v in writes(s):
                counts = isinstance(s, ast.For) and is_range(s.iter)
                found[v] = SCALAR if counts else UNKNOWN
            continue
        if op.kind == "pack" and op.targets[0] in stacks:
            continue
        fact = _result(op, table) if len(op.targets) == 1 or op.kind == "call" else UNKNOWN
        for v in op.targets:
            new = _lasting(fact, v, table)
            found[v] = _join(found[v], new, v) if v in found else new
            if v not in table.shifting:
                table.facts[v] = found[v]
    for v in table.shifting:
        if v in found:
            found[v] = _lasting(found[v], v, table)
    return found


def _lasting(fact: Fact, v: str, table: Shapes) -> Fact:
    """Atoms that do not hold as long as the variable does are replaced by the variable itself."""
    own = frozenset([v])

    def kept(atoms: Atoms | None, shifting: frozenset[str], lasting: frozenset[str]) -> Atoms:
        if atoms is None:
            return own
        if atoms == ANY:
            return ANY
        foreign = {_variable(a, table) for a in atoms if not a.startswith("<")} - {v}
        if v in shifting:
            return atoms if foreign <= lasting and v not in atoms else own
        return own if foreign & shifting else atoms

    if not table.shifting and fact.shape is not None and fact.dtype is not None:
        return fact
    kinds = table.shifting - table.steady, table.lasting | table.steady
    return replace(fact, shape=kept(fact.shape, table.shifting, table.lasting), dtype=kept(fact.dtype, *kinds))


def _variable(atom: str, table: Shapes) -> str:
    """The variable that an atom depends on; rows of a steady variable are all alike, whatever its length."""
    base, _, axes = atom.partition("[")
    return "" if axes.startswith("i") and base in table.steady else base


def _join(a: Fact, b: Fact, v: str) -> Fact:
    own = frozenset([v])

    def meet(p: Atoms | None, q: Atoms | None) -> Atoms | None:
        if p == ANY:
            return q
        return p if q == ANY or p == q else own

    return Fact(
        meet(a.shape, b.shape), meet(a.dtype, b.dtype), a.number and b.number, a.array and b.array,
        a.sequence and b.sequence,
    )  # fmt: skip


def _without_any(fact: Fact) -> Fact:
    return UNKNOWN if ANY in (fact.shape, fact.dtype) else fact


def _result(op: Operation, table: Shapes) -> Fact:
    match op.kind:
        case "copy":
            return table.of(op.value) if op.value is not None else UNKNOWN
        case "constant":
            return table.of(op.value) if isinstance(op.value, ast.Constant | ast.UnaryOp) else UNKNOWN
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
            return Fact(sequence=isinstance(op.value, ast.List | ast.Tuple))
        case _:
            return UNKNOWN


def _made(op: Operation, table: Shapes) -> Fact:
    """`np.zeros_like(x)` and its kind."""
    match op.value:
        case ast.Call(func=ast.Attribute(attr=attr) | ast.Name(id=attr), args=[first, *_], keywords=[]) if (
            attr.rstrip("_") in LIKE_FIRST
        ):
            like = table.of(first)
            library = attr.endswith("_like")
            return Fact(like.shape, like.dtype, like.number or library, like.array or library)
        case ast.Call(func=ast.Attribute(attr="zeros" | "ones" | "empty"), keywords=[]):
            return Fact(None, frozenset(["<float64>"]), True, True)
        case ast.Call(func=ast.Name(id="len" | "int")):
            return SCALAR
        case ast.Compare(left=left, comparators=[right]):
            return Fact(_union([table.of(e).shape for e in (left, right)]))
        case _:
            return UNKNOWN


def _by_rule(op: Operation, table: Shapes) -> Fact:
    rule = op.rule
    values = list(op.values.values())
    facts = [table.of(v) for k, v in op.values.items() if k in rule.operands]
    dtype = _union([f.dtype for f in facts])
    if op.library == "math":
        return SCALAR
    if rule.name in ("shadow", "beside"):
        return replace(table.of(values[0]), sequence=False)
    if rule.name in LIKE_FIRST:
        return facts[0] if rule.name != "astype" else replace(facts[0], dtype=None)
    if rule.name in LIKE_SECOND and len(values) >= 2:
        return replace(table.of(values[1]), sequence=False)
    if rule.name == "check_seed" and isinstance(values[1], ast.Tuple) and len(values[1].elts) == 1:
        return table.of(values[1].elts[0])
    if rule.name == "add_item":
        return table.of(op.values["x"])
    if rule.name in ("add_part", "with_part", "clear_item", "cleared"):
        return table.of(op.values["b"])
    if rule.name in ("append_row", "setitem"):
        return Fact(ANY if table.of(op.values["x"]).shape == ANY else None, table.of(op.values["x"]).dtype, True, True)
    if rule.name == "add_grad":
        return facts[0] if facts[0].number else facts[-1]
    if rule.name in TO_REAL or _says_dtype(op.value):
        dtype = None
    if table.joins(op):  # lists, if both are: an array and a list are added
        return Fact(sequence=all(f.sequence for f in facts))
    if rule.kind == "elementwise":
        array = isinstance(op.value, ast.Call) or any(f.array for f in facts)
        others = [table.of(v) for k, v in op.values.items() if k not in rule.operands and isinstance(v, ast.Name)]
        shape = _union([f.shape for f in (*facts, *others)])  # the condition of np.where broadcasts, too
        return Fact(shape, dtype, array or _is_number(op, facts), array)
    if rule.name in FULL_REDUCTIONS and _is_full(op):
        return Fact(NO_ATOMS, dtype, True, True)
    if rule.name == "getitem" and isinstance(op.values["x"], ast.Name) and facts[0].number and facts[0].shape != ANY:
        return table.item(op.values["x"].id, op.values["index"])
    numeric = rule.name in NUMERIC
    return Fact(None, dtype if rule.name not in ("getitem", "sequence") else None, numeric, numeric)


def _says_dtype(e: ast.expr | None) -> bool:
    return isinstance(e, ast.Call) and any(k.arg == "dtype" for k in e.keywords)


def _union(parts: list[Atoms | None]) -> Atoms | None:
    """The atoms of all parts; one that is not known yet is taken to add nothing."""
    if any(p is None for p in parts):
        return None
    known = [p for p in parts if p is not None and p != ANY]
    return frozenset().union(*known) if known or not parts else ANY


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
