"""What is written in place, and which variables must be followed as handles of it.

Variables that may share what a statement writes into form a class. Most of them are read before anyone writes, as if
they were copies: values. A handle is a variable that is written through, or read after a write by another name; its
adjoint is a shadow that shares memory as the variable does.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field

from tangent.analysis.aliases import Aliases
from tangent.analysis.effects import Write
from tangent.analysis.operation import Operations
from tangent.analysis.recorded import Block
from tangent.syntax.rebuild import statements
from tangent.syntax.uses import header_reads, writes

Path = tuple[Block, ...]
RESULT = "result "  # begins the name of a class that nothing writes into but the backward pass of one call
AROUND = "around "  # begins the name of a class that any function of the user's may write into: it is found by name


@dataclass
class Storage:
    """The classes of written variables, their handles, and the classes that each statement writes into."""

    classes: dict[str, str] = field(default_factory=dict)
    handles: frozenset[str] = frozenset()
    written: dict[ast.stmt, frozenset[str]] = field(default_factory=dict)
    bases: dict[ast.stmt, tuple[str, ...]] = field(default_factory=dict)
    local: frozenset[str] = frozenset()
    between: dict[str, str] = field(default_factory=dict)

    @property
    def carried(self) -> bool:
        """Whether handles are bound anew, so that their shadows go along in the forward pass."""
        return not self.handles <= self.local

    def members(self, names: Iterable[str]) -> set[str]:
        """All variables of the classes that some variables belong to."""
        chosen = {self.classes[v] for v in names if v in self.classes}
        return {v for v, c in self.classes.items() if c in chosen}

    def follow(self, held: str, handle: str, first: ast.stmt, second: ast.stmt, bases: tuple[str, ...]) -> None:
        """A binding was split in two: the name between is a handle, too."""
        self.between[held] = handle
        if handle in self.classes:  # also where it names a new array: both names are names of it
            self.classes[held] = self.classes[handle]
        if bases and handle in self.handles:
            self.handles |= {held}
            self.bases |= {first: bases, second: (held,)}


def storage(
    f: ast.FunctionDef, operations: Operations, found: list[Write], aliases: Aliases,
    parameters: Iterable[str], arrays: frozenset[str], given: frozenset[str] = frozenset(),
) -> Storage:  # fmt: skip
    """Classes and handles of a Core function, given its writes, what is surely an array, and what its caller holds."""
    names = {v for op in operations.values() for v in (*op.targets, *op.operands)} | set(parameters)
    names |= {w.root for w in found}
    groups = [frozenset(aliases.same(w.root, names, w.deep)) for w in found]
    classes = merged(groups)
    classes |= {p: p for p in sorted(given) if p not in classes}  # the caller holds a shadow of it
    written: dict[ast.stmt, set[str]] = {}
    touched: dict[ast.stmt, set[str]] = {}
    for w, group in zip(found, groups):
        written.setdefault(w.statement, set()).add(classes[w.root])
        touched.setdefault(w.statement, set()).update(group)
    table = Storage(classes, written={s: frozenset(c) for s, c in written.items()})
    table.bases = {
        s: tuple(v for v in aliases.bases.get(s, ()) if v in classes and any(t in classes for t in op.targets))
        for s, op in operations.items()
    }
    handles = {w.root for w in found} | _dirty_reads(f.body, touched, classes) | (given & set(classes))
    for w in found:  # a call that writes sees all its arguments change
        if w.construct == "call":
            handles |= {v for v in header_reads(w.statement) if classes.get(v) in written[w.statement]}
    table.handles = frozenset(_with_bases(handles, operations, table.bases))
    table.local = frozenset(v for v in table.handles if _is_local(v, f, operations, table, set(parameters), arrays))
    return table


def merged(groups: list[frozenset[str]]) -> dict[str, str]:
    """Each variable's class, named after one of its members."""
    found: dict[str, str] = {}
    for group in groups:
        old = {found[v] for v in group if v in found}
        chosen = min(old | {min(group)}) if group else ""
        for v in (*group, *(v for v, c in found.items() if c in old)):
            found[v] = chosen
    return found


def _dirty_reads(body: list[ast.stmt], touched: dict[ast.stmt, set[str]], classes: dict[str, str]) -> set[str]:
    """Variables that may be read after something they share was written by another name."""
    found: set[str] = set()

    def block(statements_: list[ast.stmt], dirty: set[str]) -> set[str]:
        for s in statements_:
            found.update(v for v in header_reads(s) if v in dirty)
            dirty = dirty | touched.get(s, set())
            match s:
                case ast.If(body=then, orelse=other):
                    dirty = block(then, set(dirty)) | block(other, set(dirty))
                case ast.For(body=inner) | ast.While(body=inner):
                    once = block(inner, set(dirty))
                    dirty = dirty | block(inner, dirty | once)
                    found.update(v for v in header_reads(s) if v in dirty and isinstance(s, ast.While))
                case _:
                    dirty = dirty - {v for v in writes(s) if s not in touched or not isinstance(s, ast.AugAssign)}
        return dirty

    block(body, set())
    return {v for v in found if v in classes}


def _with_bases(handles: set[str], operations: Operations, bases: dict[ast.stmt, tuple[str, ...]]) -> set[str]:
    """What a handle is a view or a second name of is a handle, too, and so is what comes from a list of handles."""
    changed = True
    while changed:
        changed = False
        for s, op in operations.items():
            if op.kind == "pop" and op.operands[0] in handles and not handles.issuperset(op.targets):
                handles |= set(op.targets)
                changed = True
            if op.kind not in ("store", "augment") and any(t in handles for t in op.targets):
                new = set(bases.get(s, ())) - handles
                handles |= new
                changed = changed or bool(new)
    return handles


def binding(v: str, f: ast.FunctionDef, operations: Operations) -> list[ast.stmt]:
    """The statements that bind a variable."""
    return [s for s in statements(f.body) if v in writes(s) and not isinstance(s, ast.AugAssign)]


def _is_local(
    v: str, f: ast.FunctionDef, operations: Operations, table: Storage, parameters: set[str], arrays: frozenset[str]
) -> bool:
    """Whether a handle is bound once, in the block that holds all its uses, so that it can be bound there again."""
    bound = binding(v, f, operations)
    if v in parameters:
        return not bound
    if len(bound) != 1 or bound[0] not in operations:
        return not bound
    s = bound[0]
    path = path_of(s, f.body)
    assert path is not None
    block = block_at(path, f.body)
    position = next(i for i, x in enumerate(block) if x is s)
    inside = set(statements(block[position + 1 :]))
    users = {x for x in statements(f.body) if x is not s and v in header_reads(x)}
    if not users <= inside:
        return False
    needed = (header_reads(s) - {v}) if table.bases.get(s) else set()
    changed = {t for x in inside for t in writes(x) if not isinstance(x, ast.AugAssign) or t not in arrays}
    return not needed & changed


def path_of(s: ast.stmt, body: list[ast.stmt], path: Path = ()) -> Path | None:
    """The blocks that a statement stands in, outermost first."""
    for x in body:
        if x is s:
            return path
        if isinstance(x, (ast.If, ast.For, ast.While)):
            for part in ("body", "orelse"):
                found = path_of(s, getattr(x, part), (*path, (x, part)))
                if found is not None:
                    return found
    return None


def block_at(path: Path, body: list[ast.stmt]) -> list[ast.stmt]:
    if not path:
        return body
    owner, part = path[-1]
    found: list[ast.stmt] = getattr(owner, part)
    return found
