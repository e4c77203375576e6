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
from collections import Counter
from collections.abc import Callable, Mapping

from tangent.analysis.liveness import Liveness
from tangent.analysis.operation import Operation, Operations
from tangent.analysis.shapes.facts import ANY, ANYTHING, SCALAR, UNKNOWN, Atoms, Fact
from tangent.analysis.shapes.lists import Held
from tangent.analysis.shapes.numbers import numbers_in
from tangent.analysis.shapes.results import ROW_RULES, result_of
from tangent.analysis.shapes.table import Shapes
from tangent.syntax.core import is_range
from tangent.syntax.rebuild import statements
from tangent.syntax.uses import arguments, header_reads, writes

MAKERS = frozenset("zeros ones empty zeros_like ones_like empty_like".split())
COPYING = frozenset("array copy full full_like".split())


def shapes(
    f: ast.FunctionDef, operations: Operations, live: Liveness, results: Callable[[object], Fact] = lambda _: UNKNOWN,
    numbers: frozenset[str] = frozenset(), given: Mapping[str, Atoms] | None = None,
    arrays: frozenset[str] = frozenset(), presumed: Mapping[str, Fact] | None = None,
    lists: Mapping[str, Held] | None = None, listed: Callable[[object, str], bool] = lambda _, __: False,
) -> Shapes:  # fmt: skip
    """The facts of all variables of a Core function.

    `results` tells what a callee returns, `numbers` which parameters are known to be numbers or arrays, `given` the
    shapes of parameters by those of others, `arrays` what is written into by index, `presumed` what else
    is known of parameters, `lists` what is put into lists, `listed` whether a callee puts numbers only into one.
    """
    shifting, lasting = _kinds(f, live)
    steady = _steady(operations)
    used = _used_as_numbers(f, operations) | numbers
    made = _made_here(f, operations)
    table = Shapes({}, shifting, lasting, used, results, arrays, steady, lists or {}, listed, made)
    parameters = {a.arg: _annotated(a, given or {}, shifting) for a in arguments(f.args)}
    parameters |= dict.fromkeys(_counts(f.body, f.body) & lasting & parameters.keys(), SCALAR)
    parameters |= {p: fact for p, fact in (presumed or {}).items() if p in parameters}
    defined: list[tuple[Operation | None, ast.stmt | None]]
    defined = [
        (operations[s], None) if s in operations else (None, s)
        for s in statements(f.body)
        if s not in operations or operations[s].kind not in ("store", "augment")
    ]
    names = [v for op, s in defined for v in (op.targets if op is not None else writes(s) if s is not None else ())]
    table.facts = dict.fromkeys(names, ANYTHING) | parameters
    pushed = any(op is not None and op.kind == "push" for op, _ in defined)
    ordered = not (shifting or table.lists or pushed)  # defined once, then read
    for _ in range(20):
        before = dict(table.facts)
        table.facts = _pass(defined, parameters, table)
        if ordered or table.facts == before:
            break
    else:
        table.facts = {v: parameters.get(v, UNKNOWN) for v in table.facts}
    table.undecided = frozenset(v for v, fact in table.facts.items() if ANY in (fact.shape, fact.dtype))
    table.facts = {v: UNKNOWN if v in table.undecided else fact for v, fact in table.facts.items()}
    return table


def _annotated(a: ast.arg, given: Mapping[str, Atoms], shifting: frozenset[str]) -> Fact:
    """What is known of a parameter; `<x>` is the shape that x has when the function is called, if x is bound anew."""
    own = _at_entry(frozenset([a.arg]), shifting)
    if a.arg in given:
        known = _at_entry(given[a.arg], shifting)
        return Fact(known, known)
    match a.annotation:
        case ast.Attribute(attr="ndarray") | ast.Constant(value="np.ndarray"):
            return Fact(own, own, True, True, stored=True)
        case _:
            return Fact(own, own)


def _at_entry(atoms: Atoms, shifting: frozenset[str]) -> Atoms:
    return frozenset(f"<{v}>" if v in shifting else v for v in atoms)


def _kinds(f: ast.FunctionDef, live: Liveness) -> tuple[frozenset[str], frozenset[str]]:
    """Variables that take several values (defined twice, carried around a loop), and those that keep one for good."""
    seen: set[str] = {a.arg for a in arguments(f.args)}
    shifting: set[str] = set()
    inside: set[str] = set()
    for s in statements(f.body):
        for v in writes(s) if not isinstance(s, ast.AugAssign) else ():
            (shifting if v in seen else seen).add(v)
        if isinstance(s, (ast.For, ast.While)):
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
        if isinstance(s, (ast.For, ast.While)):
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


def _made_here(f: ast.FunctionDef, operations: Operations) -> frozenset[str]:
    """Variables that are surely arrays, if only without axes: made by NumPy, and changed by operators in place."""
    found = {v for op in operations.values() for v in op.targets} - {a.arg for a in arguments(f.args)}
    found -= {v for s in statements(f.body) if s not in operations for v in writes(s)}
    while lost := {v for op in operations.values() for v in op.targets if v in found and not _makes_array(op, found)}:
        found -= lost
    return frozenset(found)


def _makes_array(op: Operation, made: set[str]) -> bool:
    match op.value:
        case ast.BinOp(left=ast.Name(id=v)):
            return op.in_place and v in made
        case ast.Call(func=ast.Attribute(attr=attr)) if op.kind == "zero":
            return attr in MAKERS
        case ast.Call(func=ast.Attribute()):
            return op.kind == "rule" and op.rule.name in COPYING
        case _:
            return False


def keeping_shape(operations: Operations, table: Shapes) -> frozenset[str]:
    """Variables whose values all have one shape: arrays made in one place that change in place from there."""
    makers = Counter(v for op in operations.values() if not op.in_place for v in op.targets)
    return frozenset(v for op in operations.values() if op.in_place for v in op.targets if makers[v] == 1) & table.made


def _used_as_numbers(f: ast.FunctionDef, operations: Operations) -> frozenset[str]:
    """Variables in operations that only numbers and arrays have, on the way that is always taken."""
    found: set[str] = set()
    for s in f.body:
        op = operations.get(s)
        if op is not None and op.value is not None:
            found |= numbers_in(op.value)
    return frozenset(found)


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
                if v not in table.shifting:
                    table.facts[v] = found[v]
            continue
        if op.kind == "pack" and op.targets[0] in stacks:
            continue
        fact = result_of(op, table) if len(op.targets) == 1 or op.kind in ("call", "unpack") else UNKNOWN
        for v in op.targets:
            new = _lasting(table.listed(v) if v in table.lists and v not in stacks else fact, v, table)
            found[v] = _join(found[v], new, v) if v in found else new
            if v not in table.shifting:
                table.facts[v] = found[v]
    for v in table.shifting:
        if v in found:
            found[v] = _lasting(found[v], v, table)
    return found


def _lasting(fact: Fact, v: str, table: Shapes) -> Fact:
    """Atoms that do not hold as long as the variable does are replaced by the variable itself."""
    if not table.shifting and fact.shape is not None and fact.dtype is not None:
        return fact
    shape = _kept(fact.shape, v, (table.shifting, table.lasting), table)
    dtype = _kept(fact.dtype, v, table.kinds, table)
    return fact if shape is fact.shape and dtype is fact.dtype else fact._replace(shape=shape, dtype=dtype)


def _kept(atoms: Atoms | None, v: str, kinds: tuple[frozenset[str], frozenset[str]], table: Shapes) -> Atoms:
    """The atoms of a variable's shape or dtype, if they hold as long as it does: by what shifts and what lasts."""
    if not atoms or atoms == ANY:
        return frozenset([v]) if atoms is None else atoms
    shifting, lasting = kinds
    foreign = {_variable(a, table) for a in atoms if not a.startswith("<")} - {v}
    if v in shifting:
        return atoms if foreign <= lasting and v not in atoms else frozenset([v])
    return atoms if foreign.isdisjoint(shifting) else frozenset([v])


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
        a.sequence and b.sequence, a.numbers and b.numbers, a.stored and b.stored, a.listed or b.listed,
    )  # fmt: skip
