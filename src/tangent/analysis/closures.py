"""Nested functions: what they capture must stay what it was, as long as they can be called."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tangent.analysis.liveness import liveness
from tangent.analysis.operation import Operation, Operations
from tangent.runtime.stateful.calls import call_function
from tangent.source.functional import may_give_function
from tangent.syntax.rebuild import statements
from tangent.syntax.uses import arguments, expression_reads, writes

CALLING = frozenset("call_chosen_by call_sorted_by call_sort".split())
KEEPING = frozenset({"pack", "push", "opaque"})
HANDING = frozenset({*KEEPING, "copy", "call", "dynamic", "closure"})
CHANGING = frozenset(
    {"changed", "initialised", "new_list", "new_deque", "new_default_dict", "new_ordered_dict", "new_counter",
     "new_counter_tangent"}
)


@dataclass(frozen=True)
class Conflict:
    """A statement that a derivative through closures cannot follow, and why."""

    statement: ast.stmt
    name: str
    why: str
    made: ast.stmt | None = None  # the statement that makes the function, if it is another one


def _only_calls(op: Operation) -> bool:
    """Whether a function of ours calls the functions that it is given, and keeps none."""
    return op.kind == "call" and getattr(op.callee, "__name__", "") in CALLING


def closure_conflicts(
    f: ast.FunctionDef, operations: Operations, again: bool = False, memory: bool = False
) -> Iterator[Conflict]:
    """Captured variables that change while the function that captured them lives on, and other hidden ways.

    `memory` where objects and lists are kept in one; `again` where f is a derivative: its backward pass calls
    functions again, through what it saved.
    """
    made = {s: op for s, op in operations.items() if op.kind == "closure"}
    if not made:
        return
    order = {s: i for i, s in enumerate(statements(f.body))}
    assignments = [s for s in order if writes(s)]
    live = liveness(f, frozenset(assignments))
    keeping = {*KEEPING, "call"} if memory else KEEPING  # what is called may keep a function in an object
    plain = {op.targets[0] for s, op in made.items() if _is_plain(_function(s))}
    kept = {v for op in operations.values() if op.kind in keeping and not _only_calls(op) for v in _handed(op, plain)}
    kept |= {v for op in operations.values() if op.kind == "rule" and op.rule.name in CHANGING for v in op.operands}
    giving = [op for op in operations.values() if op.kind == "copy"]  # under another name, or a derivative of it
    giving += [] if again else _giving(operations)
    for s, op in made.items():
        node = _function(s)
        target = op.targets[0]
        holders = {target, *_holders(target, [*made.values(), *giving])}
        escapes = bool(holders & kept)  # into a container: it may be called at any later time
        for n in ast.walk(node):
            if isinstance(n, ast.Nonlocal):
                for v in n.names:
                    yield Conflict(s, v, f"'{target}' rebinds it")
        for v in sorted(_default_reads(node)):
            yield Conflict(s, v, f"it is a default argument of '{target}'")
        for a in assignments:
            later = order[a] > order[s] or _same_loop(f, a, s)
            restored = again and _is_restored(a)
            if a is s or not later or not (escapes or restored or holders & live.after.get(a, frozenset())):
                continue
            for v in writes(a):
                if v in op.operands:
                    yield Conflict(a, v, f"'{target}' captured it before and may be called after", s)


def _is_plain(node: ast.FunctionDef | ast.Lambda) -> bool:
    """Whether a function hands on neither itself nor functions of its own, when it is called."""
    own = node.name if isinstance(node, ast.FunctionDef) else ""
    inner = [n for n in ast.walk(node) if isinstance(n, (ast.FunctionDef, ast.Lambda)) and n is not node]
    return not inner and own not in expression_reads(node)


def _handed(op: Operation, plain: set[str]) -> list[str]:
    """What an operation is given; what it calls is not, where that hands nothing of itself on."""
    match op.value:
        case ast.Call(args=[_, ast.Name(id=called), *rest], keywords=more) if op.callee is call_function:
            pass
        case ast.Call(func=ast.Name(id=called), args=rest, keywords=more):
            pass
        case _:
            return list(op.operands)
    given = set().union(*(expression_reads(e) for e in (*rest, *more)))
    return [v for v in op.operands if v != called or v in given or v not in plain]


def _is_restored(a: ast.stmt) -> bool:
    """Whether an assignment takes back what a variable was before."""
    match a:
        case ast.Assign(value=ast.Call(func=ast.Attribute(attr="pop"), args=[])):
            return True
        case _:
            return False


def _holders(target: str, made: Sequence[Operation]) -> set[str]:
    """The functions that captured a function, or that were made of it, directly or through others."""
    found: set[str] = set()
    while more := {op.targets[0] for op in made if {target, *found} & set(op.operands)} - found - {target}:
        found |= more
    return found


def _giving(operations: Operations) -> list[Operation]:
    """The calls that give what is called later, or handed on: `w = decorate(g)`."""
    calls = [op for op in operations.values() if op.kind in ("call", "dynamic") and op.targets]
    used = {v for op in operations.values() if op.kind in HANDING for v in op.operands}
    used |= {v for op in calls if (v := _asked(op.value)) is not None}
    return [op for op in calls if op.targets[0] in used and may_give_function(op.callee)]


def _asked(e: ast.expr | None) -> str | None:
    """The variable that is called, or a method of which is."""
    match e:
        case ast.Call(func=ast.Name(id=v) | ast.Attribute(value=ast.Name(id=v))):
            return v
        case _:
            return None


def _function(s: ast.stmt) -> ast.FunctionDef | ast.Lambda:
    if isinstance(s, ast.FunctionDef):
        return s
    assert isinstance(s, ast.Assign) and isinstance(s.value, ast.Lambda)
    return s.value


def _default_reads(node: ast.FunctionDef | ast.Lambda) -> set[str]:
    defaults = [*node.args.defaults, *(d for d in node.args.kw_defaults if d is not None)]
    return set().union(*(expression_reads(d) for d in defaults))


def _same_loop(f: ast.FunctionDef, a: ast.stmt, b: ast.stmt) -> bool:
    return any(
        isinstance(loop, (ast.For, ast.While)) and {a, b} <= set(statements(loop.body)) for loop in statements(f.body)
    )


def inner_writes(node: ast.AST) -> Iterator[str]:
    """Captured variables that a nested function writes into: `y[i] = v`, `ys.append(v)`."""
    own = {a.arg for a in arguments(node.args)} if isinstance(node, (ast.FunctionDef, ast.Lambda)) else set()
    for n in ast.walk(node):
        targets: list[ast.expr] = []
        match n:
            case ast.Assign(targets=found):
                targets = found
            case ast.AugAssign(target=found):
                targets = [found]
            case ast.Call(func=ast.Attribute(value=value, attr=attr)) if attr in MUTATORS:
                targets = [ast.Subscript(value, ast.Constant(0), ast.Store())]
        for t in targets:
            base: ast.AST = t
            stored = isinstance(t, (ast.Subscript, ast.Attribute))
            while isinstance(base, (ast.Subscript, ast.Attribute)):
                base = base.value
            if isinstance(base, ast.Name) and (stored or isinstance(n, ast.AugAssign)):
                yield f"*{base.id}" if base.id in own else base.id


MUTATORS = frozenset(
    "append pop extend insert remove clear sort reverse update fill put resize shuffle setdefault".split()
)
