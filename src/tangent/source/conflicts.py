"""The other statement of a conflict about storage, found in the text of the user's file.

A write in place that cannot be followed is a matter of two statements: one gives an array a second name, view or
holder, or reads it, and one writes into it. An error stands at one of them; the other is looked for when it is told.
"""

from __future__ import annotations

import ast
import linecache
import types
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tangent.errors import ArgumentError, CaptureError, InPlaceError, Location, TangentError
from tangent.runtime.writers import WRITING_METHODS
from tangent.syntax.uses import arguments, expression_reads, target_names

WRITTEN = "It is written into"
SAME = "What it changes has another name or holder"
READ = "What it changes is read"
VIEWS = frozenset(
    "T real imag flat reshape ravel transpose swapaxes squeeze diagonal view asarray asanyarray ascontiguousarray "
    "atleast_1d atleast_2d atleast_3d broadcast_to split array_split hsplit vsplit expand_dims moveaxis rot90 flip "
    "as_strided sliding_window_view nditer get setdefault pop items values copy".split()
)
FIRST = frozenset("copyto put place putmask put_along_axis fill_diagonal shuffle setattr setitem at".split())
PUTTING = frozenset("append insert extend add update setdefault appendleft extendleft".split())


@dataclass(frozen=True)
class Writing:
    """A statement that writes into what a name refers to; where a call does it, the statement that is called."""

    statement: ast.stmt
    name: str
    inside: ast.stmt | None = None


def tell_other(error: TangentError) -> None:
    """Name the second statement in an error about storage, if it was not told where it was raised."""
    if error.where is None or error.other is not None:
        return
    if isinstance(error, ArgumentError) and error.written:
        error.meet(WRITTEN, _written_at(error.where.file, error.where.line, error.written))
    if isinstance(error, (InPlaceError, CaptureError)):
        about = error.about if isinstance(error, InPlaceError) else ""
        if (found := _other_statement(error.where, about)) is not None:
            error.meet(*found)


def _other_statement(where: Location, about: str) -> tuple[str, Location] | None:
    """What else a write in place, or a view, at a place of the user's file is in conflict with."""
    if (file := _file(where.file)) is None:
        return None
    for scope in file.around(where.line):
        text = _Text(file, scope)
        here = text.at(where.line)
        found = (text.reading(here, about) or text.other(here)) if here else None
        if found is not None:
            said, s = found
            return said, file.locate(s)
    return None


def writing_statement(function: types.FunctionType, v: str) -> Location | None:
    """The first statement of a function that writes into a parameter or a captured variable."""
    return _written_at(function.__code__.co_filename, function.__code__.co_firstlineno, v)


def _written_at(name: str, line: int, v: str) -> Location | None:
    if (file := _file(name)) is None:
        return None
    writings = [w for scope in file.around(line)[:1] for w in _Text(file, scope).writes_into({v})]
    return file.locate(writings[0].inside or writings[0].statement) if writings else None


@dataclass
class _File:
    """A file of the user's: its tree, the names of its modules and its functions."""

    name: str
    tree: ast.Module

    def __post_init__(self) -> None:
        nodes = list(ast.walk(self.tree))
        self.modules = {
            (a.asname or a.name).split(".")[0] for n in nodes if isinstance(n, ast.Import) for a in n.names
        }  # fmt: skip
        self.outside = {child: n for n in nodes for child in ast.iter_child_nodes(n)}
        self.functions = [n for n in nodes if isinstance(n, ast.FunctionDef)]

    def function(self, v: str, scope: ast.FunctionDef) -> ast.FunctionDef | None:
        """The function that a name means in another, unless it is a parameter there."""
        around: ast.AST | None = scope
        while around is not None:
            if isinstance(around, ast.FunctionDef) and v in {a.arg for a in arguments(around.args)}:
                return None
            if not isinstance(around, ast.ClassDef) and (found := self.defined(v, around)):
                return found
            around = self.outside.get(around)
        return None

    def method(self, v: str) -> ast.FunctionDef | None:
        """A method of one of the classes, or a function of the module that stands behind a dot."""
        classes = [n for n in self.outside if isinstance(n, ast.ClassDef)]
        return next((f for c in (*classes[::-1], self.tree) if (f := self.defined(v, c))), None)

    def defined(self, v: str, around: ast.AST) -> ast.FunctionDef | None:
        """The last definition of a function in the blocks of a module, a class or a function."""
        return next((f for f in reversed(self.functions) if f.name == v and self.block(f) is around), None)

    def block(self, f: ast.AST) -> ast.AST:
        """The module, class or function in which a function is defined."""
        around = self.outside[f]
        return around if isinstance(around, (ast.Module, ast.ClassDef, ast.FunctionDef)) else self.block(around)

    def around(self, line: int) -> list[ast.FunctionDef]:
        """The functions that a line stands in, innermost first."""
        found = [f for f in self.functions if _first(f) <= line <= _last(f)]
        return sorted(found, key=lambda f: _last(f) - _first(f))

    def locate(self, s: ast.stmt) -> Location:
        text = linecache.getline(self.name, s.lineno).rstrip("\n")
        whole = s.end_lineno == s.lineno and s.end_col_offset is not None
        return Location(self.name, s.lineno, text, s.col_offset, s.end_col_offset if whole else len(text))  # type: ignore[arg-type]


def _file(name: str) -> _File | None:
    try:
        return _File(name, ast.parse("".join(linecache.getlines(name))))
    except SyntaxError:  # a cell with magic: nothing is found in it
        return None


def _first(f: ast.FunctionDef) -> int:
    return min([f.lineno, *(d.lineno for d in f.decorator_list)])


def _last(s: ast.stmt) -> int:
    return s.end_lineno or s.lineno


class _Text:
    """The statements of one function, functions inside included, and which of its names may share something."""

    def __init__(self, file: _File, scope: ast.FunctionDef, seen: tuple[str, ...] = ()) -> None:
        self.file, self.scope, self.seen = file, scope, (*seen, scope.name)
        self.statements = [s for s in ast.walk(scope) if isinstance(s, ast.stmt) and s is not scope]
        self.statements.sort(key=lambda s: (s.lineno, s.col_offset))

    @cached_property
    def classes(self) -> dict[str, frozenset[str]]:
        """The names that each name may share something with."""
        found: dict[str, frozenset[str]] = {}
        for s in self.statements:
            for group in self.joins(s):
                whole = frozenset().union(group, *(found.get(v, frozenset()) for v in group))
                found |= dict.fromkeys(whole, whole)
        return found

    @cached_property
    def writings(self) -> list[Writing]:
        return [w for s in self.statements for w in self.written(s)]

    def sharing(self, names: set[str]) -> set[str]:
        return set(names).union(*(self.classes.get(v, frozenset()) for v in names))

    def at(self, line: int) -> list[ast.stmt]:
        """The statements that stand in a line, or of which the line is the head."""
        return [s for s in self.statements if s.lineno <= line <= _head_end(s)]

    def other(self, here: list[ast.stmt]) -> tuple[str, ast.stmt] | None:
        """A statement that those of one line are in conflict with, and what it does."""
        mine = [w for w in self.writings if w.statement in here]
        by_call = [w.inside for w in mine if w.inside is not None]
        if by_call:
            return WRITTEN, by_call[0]
        names = {w.name for w in mine} or set().union(*(self.names(s) for s in here))
        rest = self.following(here)
        if not mine:
            found = [w for s in rest for w in self.writings if w.statement is s and w.name in self.sharing(names)]
            if found or not any(isinstance(n, ast.Call) for s in here for h in _heads(s) for n in ast.walk(h)):
                return (WRITTEN, found[0].inside or found[0].statement) if found else None
        before = [s for s in rest if s.lineno < here[0].lineno][::-1]
        for known in (names, self.sharing(names)):
            for s in (*before, *rest):
                if not _stores_item(s) and any(group & known for group in self.joins(s)):
                    return SAME, s
            for s in rest:
                if self.names(s) & known and not isinstance(s, ast.FunctionDef):
                    return READ, s
        return None

    def reading(self, here: list[ast.stmt], v: str) -> tuple[str, ast.stmt] | None:
        """A statement that reads a variable."""
        found = [s for s in self.following(here) if v in self.names(s)]
        return (f"'{v}' is read", found[0]) if found else None

    def following(self, here: list[ast.stmt]) -> list[ast.stmt]:
        """The other statements: those that follow, then those before."""
        others = [s for s in self.statements if s not in here]
        return sorted(others, key=lambda s: s.lineno < here[0].lineno)

    def writes_into(self, names: set[str]) -> Iterator[Writing]:
        shared = self.sharing(names)
        yield from (w for w in self.writings if w.name in shared)

    def names(self, s: ast.stmt) -> set[str]:
        """The names that the head of a statement reads or binds."""
        if isinstance(s, ast.FunctionDef):
            return set(expression_reads(s)) - self.file.modules
        return {n.id for h in _heads(s) for n in ast.walk(h) if isinstance(n, ast.Name)} - self.file.modules

    def joins(self, s: ast.stmt) -> Iterator[frozenset[str]]:
        """Names that share something after a statement: one is bound to it, or holds it, and others refer to it."""
        match s:
            case ast.Assign(targets=targets, value=value):
                bound, given = {v for t in targets for v in (*target_names(t), *_roots(t))}, self.sources(value)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                bound, given = {*target_names(target), *_roots(target)}, self.sources(value)
            case ast.For(target=target, iter=value):
                bound, given = set(target_names(target)), self.sources(value)
            case ast.FunctionDef(name=v):
                bound, given = {v}, set(expression_reads(s)) - self.file.modules
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner, attr=attr), args=args)) if attr in PUTTING:
                bound, given = self.sources(owner), set().union(*map(self.sources, args))
            case _:
                return
        if bound and given - bound:
            yield frozenset(bound | given)

    def sources(self, e: ast.expr) -> set[str]:
        """The names that a value may be, show or hold."""
        match e:
            case ast.Name(id=v):
                return {v} - self.file.modules
            case ast.Attribute(value=value) | ast.Subscript(value=value) | ast.Starred(value=value):
                return self.sources(value)
            case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Dict(values=parts):
                return set().union(*map(self.sources, parts))
            case ast.IfExp(body=one, orelse=two) | ast.BinOp(left=ast.List() as one, right=two):
                return self.sources(one) | self.sources(two)
            case ast.NamedExpr(value=value):
                return self.sources(value)
            case ast.Lambda() | ast.ListComp() | ast.GeneratorExp() | ast.DictComp():
                return set(expression_reads(e)) - self.file.modules
            case ast.Call(func=ast.Attribute(value=owner, attr=attr), args=args):
                library = hasattr(np.ndarray, attr) or not self.sources(owner)
                parts = [owner, *args] if attr in VIEWS or not library else []
                return set().union(*map(self.sources, parts))
            case ast.Call(func=ast.Name(), args=args):
                return set().union(*map(self.sources, args))
            case _:
                return set()

    def written(self, s: ast.stmt) -> Iterator[Writing]:
        """What a statement writes into."""
        match s:
            case ast.Assign(targets=targets) | ast.Delete(targets=targets):
                yield from (Writing(s, v) for t in targets for v in _roots(t))
            case ast.AugAssign(target=target):
                yield from (Writing(s, v) for v in (*_roots(target), *target_names(target)))
        for call in (n for h in _heads(s) for n in ast.walk(h) if isinstance(n, ast.Call)):
            yield from self.written_by(call, s)

    def written_by(self, call: ast.Call, s: ast.stmt) -> Iterator[Writing]:
        outs = [k.value for k in call.keywords if k.arg == "out"]
        match call.func:
            case ast.Attribute(value=owner, attr=attr) if attr in WRITING_METHODS and self.sources(owner):
                outs.append(owner)
            case (ast.Attribute(attr=attr) | ast.Name(id=attr)) if attr in FIRST:
                outs += call.args[:1]
            case ast.Name(id=v) if v not in self.seen and (callee := self.file.function(v, self.scope)):
                yield from self.written_inside(callee, call.args, s)
            case ast.Attribute(value=owner, attr=v) if v not in self.seen and (callee := self.file.method(v)):
                yield from self.written_inside(callee, [owner, *call.args], s)
        yield from (Writing(s, v) for e in outs for v in self.sources(e))

    def written_inside(self, callee: ast.FunctionDef, args: list[ast.expr], s: ast.stmt) -> Iterator[Writing]:
        """What a function of the same file writes into that it is given."""
        text = _Text(self.file, callee, self.seen)
        for p, e in zip(arguments(callee.args), args):
            for w in text.writes_into({p.arg}):
                yield from (Writing(s, v, w.inside or w.statement) for v in self.sources(e))
                break


def _heads(s: ast.stmt) -> list[ast.AST]:
    """The parts of a statement that are no blocks."""
    match s:
        case ast.For(target=target, iter=value):
            return [target, value]
        case ast.If(test=test) | ast.While(test=test):
            return [test]
        case ast.With(items=items):
            return [*items]
        case ast.FunctionDef() | ast.ClassDef() | ast.Try():
            return []
        case _:
            return [s]


def _stores_item(s: ast.stmt) -> bool:
    return isinstance(s, ast.Assign) and all(isinstance(t, ast.Subscript) for t in s.targets)


def _head_end(s: ast.stmt) -> int:
    inside = [x.lineno - 1 for x in getattr(s, "body", ()) if isinstance(x, ast.stmt)]
    return max(s.lineno, inside[0]) if inside else _last(s)


def _roots(target: ast.expr) -> Iterator[str]:
    """The names into whose items or attributes an assignment stores."""
    match target:
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            for part in parts:
                yield from _roots(part)
        case ast.Subscript(value=value) | ast.Attribute(value=value):
            while isinstance(value, (ast.Subscript, ast.Attribute)):
                value = value.value
            parts = value.args if isinstance(value, ast.Call) else [value]  # memoryview(y)[0] = v
            yield from (part.id for part in parts if isinstance(part, ast.Name))
