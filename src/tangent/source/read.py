"""Read the source of a function: the tree of its definition, and the lines around it."""

from __future__ import annotations

import ast
import dataclasses
import functools
import inspect
import linecache
import textwrap
import types
import weakref
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

from tangent.errors import Location, SourceError
from tangent.runtime.generic import by_class, is_generic, method_behind
from tangent.source.callbacks import with_callbacks
from tangent.source.changing import written_out
from tangent.source.classes import with_classes_outside
from tangent.source.counting import with_plain_dicts
from tangent.source.dissolved import dissolved
from tangent.source.fields import with_fields_said
from tangent.source.function_attributes import with_variables
from tangent.source.gathered import with_displays
from tangent.source.generic_functions import with_choices_by_class
from tangent.source.inlined import CannotWriteOut
from tangent.source.kept import kept
from tangent.source.kept_lists import with_lists
from tangent.source.memos import with_memos
from tangent.source.named_attributes import with_attributes_named
from tangent.source.namespaces import with_attributes_written_out
from tangent.source.naming import is_generated
from tangent.source.queues import with_queues
from tangent.source.set_defaults import with_set_defaults
from tangent.source.side_by_side import one_by_one
from tangent.source.typed_containers import with_plain_containers
from tangent.source.unset import with_unset
from tangent.syntax.rebuild import function_node, replace
from tangent.syntax.walk import fact, walk

FUTURE = annotations.compiler_flag  # as `from __future__ import annotations` sets it


@dataclass(frozen=True)
class Source:
    """A function with its definition, as a `def` whatever it was, and the file it stands in."""

    function: types.FunctionType
    tree: ast.FunctionDef
    file: str
    lines: tuple[str, ...] = field(repr=False)

    @property
    def name(self) -> str:
        return self.tree.name

    def locate(self, node: ast.AST) -> Location:
        """Where a node of the tree (or one made from it) stands in the file."""
        line = getattr(node, "lineno", 0) or self.tree.lineno
        text = self.line(line)
        start = getattr(node, "col_offset", 0)
        if start > len(text):  # what was written out there
            return Location(self.file, line, text, len(text) - len(text.lstrip()), len(text.rstrip()))
        same_line = getattr(node, "end_lineno", line) == line
        end = getattr(node, "end_col_offset", None) if same_line else None
        return Location(self.file, line, text, start, end if end is not None else len(text.rstrip()))

    def place(self, line: int, column: int) -> Location:
        """A place in the file, with the end of what begins there; of a statement with blocks, its first line."""
        text = self.line(line)
        if column > len(text):  # what was written out there
            return Location(self.file, line, text, len(text) - len(text.lstrip()), len(text.rstrip()))
        end = self._ends.get((line, column), 0)
        return Location(self.file, line, text, column if end else 0, end or len(text.rstrip()))

    @cached_property
    def _ends(self) -> dict[tuple[int, int], int]:
        found: dict[tuple[int, int], int] = {}
        for node in walk(self.tree):
            if isinstance(node, (ast.stmt, ast.expr)) and not hasattr(node, "body") and hasattr(node, "lineno"):
                whole = node.end_lineno == node.lineno and node.end_col_offset
                found.setdefault((node.lineno, node.col_offset), whole or len(self.line(node.lineno).rstrip()))
        return found

    def statement_text(self, node: ast.AST) -> str:
        """The first line of the statement that a node comes from, without its comment."""
        line, column = getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
        texts = self._statement_lines.get(line, {})
        if not texts:
            return self.line(line).strip()
        written = column <= len(self.line(line))  # where it stands there itself, the last one that begins before it
        return texts[max((c for c in texts if written and c <= column), default=min(texts))]

    @cached_property
    def _statement_lines(self) -> dict[int, dict[int, str]]:
        """The statements that begin in a line, by their columns."""
        found: dict[int, dict[int, str]] = {}
        shown = getattr(self.tree, "before", self.tree)
        for node in walk(shown):
            if isinstance(node, ast.stmt) and node is not shown:
                text = ast.unparse(replace(node, body=[], orelse=[])) if hasattr(node, "body") else ast.unparse(node)
                found.setdefault(node.lineno, {}).setdefault(node.col_offset, text.split("\n")[0])
        return found

    def shown(self, v: str) -> str:
        """What a variable is called in the user's text: `p_x` may stand for `p.x`."""
        return getattr(self.tree, "shown", {}).get(v, v)  # type: ignore[no-any-return]

    def line(self, number: int) -> str:
        return self.lines[number - 1].rstrip("\n") if 0 < number <= len(self.lines) else ""


def read(function: types.FunctionType) -> Source:
    """The source of a plain Python function; one that was made from a tree brings its tree along."""
    if isinstance(tree := getattr(function, "tree", None), ast.FunctionDef):
        return Source(function, tree, function.__code__.co_filename, _lines(function, function.__code__))
    return kept(("source", function, function.__code__), lambda: _written_out(function))


def _written_out(function: types.FunctionType) -> Source:
    """The source, with what objects, lists and helpers do that change them as statements of the function itself."""
    found = _read(function, function.__code__)
    tree = with_lists(dissolved(found.tree, function, definition), function)
    tree = with_lists(written_out(tree, function, definition), function)
    tree = with_queues(with_plain_dicts(with_displays(tree, function), function), function)
    tree = with_fields_said(tree, function)
    return dataclasses.replace(found, tree=tree)


def _read(function: types.FunctionType, code: types.CodeType) -> Source:
    lines = _lines(function, code)
    node = _lambda(code, lines) if code.co_name == "<lambda>" else _def(code, lines, function)
    if isinstance(node, ast.Lambda):
        body: ast.stmt = ast.copy_location(ast.Return(node.body), node.body)
        node = ast.copy_location(function_node("lambda_", node.args, [body]), node)
    tree = replace(node, decorator_list=[])
    if not _is_source_of(tree, code):
        raise _changed(code, lines, function)
    tree = with_set_defaults(tree, function)
    tree = with_plain_containers(with_choices_by_class(tree, function), function)
    tree = with_variables(with_memos(tree, function))
    if is_generated(function):
        tree = with_unset(tree, code.co_filename)
    else:  # in generated code it gives names alone
        tree = with_attributes_named(tree, function)
        tree = with_callbacks(with_attributes_written_out(one_by_one(tree), lambda e: _kept(e, code, lines)))
    return Source(function, tree, code.co_filename, lines)


def _kept(e: ast.AST, code: types.CodeType, lines: tuple[str, ...]) -> SourceError:
    """The error for attributes of an object that are kept as a dict."""
    place = Location(code.co_filename, line := getattr(e, "lineno", 0), lines[line - 1] if line else "")
    return SourceError(
        f"cannot differentiate '{ast.unparse(e)}' here", place, "it is a dict that changes with the object",
        "Take the attributes out at once: dict(vars(x)), or ask for them by their names.",
    )  # fmt: skip


def definition(method: types.FunctionType) -> ast.FunctionDef:
    """The definition of a method as it stands there; where there is none that can be read, objects stay objects."""
    try:
        return _read(method, method.__code__).tree
    except SourceError as e:
        raise CannotWriteOut from e


def _is_source_of(tree: ast.FunctionDef, code: types.CodeType) -> bool:
    """Whether the text in the file still is what the function was compiled from.

    Tools that rewrite code on import (assertions, coverage) change it knowingly; where they may have, names decide.
    """
    kept_in_memory = code.co_filename.startswith("<")
    if kept_in_memory or code.co_name == "<lambda>" or any(isinstance(n, ast.Assert) for n in walk(tree)):
        return True
    plain = replace(tree, returns=None, args=_bare(tree.args))
    outer = function_node(
        "outer", ast.arguments([], [ast.arg(v) for v in code.co_freevars], None, [], [], None, []), [plain]
    )
    module = ast.fix_missing_locations(ast.Module([ast.copy_location(outer, tree)], []))
    try:
        compiled = compile(module, code.co_filename, "exec", code.co_flags & FUTURE, dont_inherit=True)
    except SyntaxError:  # a method that uses super(), a future statement: not comparable in isolation
        return True
    scope = next(c for c in compiled.co_consts if isinstance(c, types.CodeType))
    found = next((c for c in scope.co_consts if isinstance(c, types.CodeType) and c.co_name == code.co_name), None)
    return found is None or _numbers(found) == _numbers(code)


def _bare(args: ast.arguments) -> ast.arguments:
    """Parameters without annotations and defaults, which are evaluated elsewhere."""
    return ast.arguments(
        [ast.arg(a.arg) for a in args.posonlyargs], [ast.arg(a.arg) for a in args.args],
        ast.arg(args.vararg.arg) if args.vararg else None, [ast.arg(a.arg) for a in args.kwonlyargs],
        [None] * len(args.kwonlyargs), ast.arg(args.kwarg.arg) if args.kwarg else None, [],
    )  # fmt: skip


def _numbers(code: types.CodeType) -> tuple[object, ...]:
    """What the meaning of a piece of code hangs on: its names and constants."""
    constants = tuple(sorted(repr(c) for c in code.co_consts if isinstance(c, (int, float, complex, str))))
    names = {*code.co_names, *code.co_freevars} - {code.co_name}  # a function that calls itself in a comprehension
    return names, code.co_varnames, constants


def _changed(code: types.CodeType, lines: tuple[str, ...], function: types.FunctionType) -> SourceError:
    first = code.co_firstlineno
    return SourceError(
        f"the source of '{function.__name__}' has changed",
        Location(code.co_filename, first, lines[first - 1] if first <= len(lines) else ""),
        "the file no longer holds this definition at this line",
        "Import the module again.",
    )


def _lines(function: types.FunctionType, code: types.CodeType) -> tuple[str, ...]:
    file = code.co_filename
    if file.startswith("<frozen "):  # a module of Python itself, which came without its file
        file = function.__globals__.get("__file__") or file
    linecache.checkcache(file)
    lines = linecache.getlines(file, function.__globals__)
    if len(lines) < code.co_firstlineno:
        raise SourceError(
            f"no source for '{function.__name__}'",
            Location(file, code.co_firstlineno),
            "the file or cell that defines it is not available"
            if not file.startswith("<")
            else "it was made by exec, eval or an interactive session that keeps no source",
            "Define it in a file or a notebook cell, or give it a rule with @tangent.adjoint.",
        )
    return tuple(lines)


def _def(code: types.CodeType, lines: tuple[str, ...], function: types.FunctionType) -> ast.FunctionDef:
    first = code.co_firstlineno
    try:
        if is_generated(function):  # so are the others of its module
            tree, first = _module("".join(lines)), 1
        else:
            tree, first = _block(lines, first)
    except (SyntaxError, IndentationError):
        tree, first = _module("".join(lines)), 1
    for node in _definitions(tree).get(code.co_name, []):
        start = min([node.lineno, *(d.lineno for d in node.decorator_list)]) + first - 1
        if start == code.co_firstlineno:
            if isinstance(node, ast.AsyncFunctionDef):
                raise SourceError(
                    f"'{node.name}' is async", Location(code.co_filename, start, lines[start - 1]),
                    "it does not run from start to end", "Write a plain function that does the computation.",
                )  # fmt: skip
            return _shift(node, first - 1) if first > 1 else node
    raise _changed(code, lines, function)


@fact
def _definitions(tree: ast.Module) -> dict[str, list[ast.FunctionDef | ast.AsyncFunctionDef]]:
    """The definitions in a module by their names; it is asked for all functions of a derivative."""
    found: dict[str, list[ast.FunctionDef | ast.AsyncFunctionDef]] = {}
    for n in walk(tree):
        if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found.setdefault(n.name, []).append(n)
    return found


def _block(lines: tuple[str, ...], first: int) -> tuple[ast.Module, int]:
    """The block that begins in a line, and the line that its positions count from."""
    block = "".join(inspect.getblock(list(lines[first - 1 :])))
    if block[:1].isspace():  # under a line of its own, so that strings over several lines keep their indentation
        block, first = f"if True:\n{block}", first - 1
    return ast.parse(block), first


def _shift(node: ast.FunctionDef, lines: int) -> ast.FunctionDef:
    """Positions in the file instead of positions in the block."""
    for child in ast.walk(node):
        for attribute in ("lineno", "end_lineno"):
            if getattr(child, attribute, None) is not None:
                setattr(child, attribute, getattr(child, attribute) + lines)
    return node


def _lambda(code: types.CodeType, lines: tuple[str, ...]) -> ast.Lambda:
    """The lambda whose body covers exactly the positions of the code object."""
    found = [n for n in _lambdas("".join(lines)) if span(n.body) == code_span(code)]
    if len(found) != 1:
        found = [n for n in _lambdas("".join(lines)) if n.lineno == code.co_firstlineno]
    if len(found) != 1:  # a lambda that returns a constant keeps no positions: any with this constant is the same
        returned = repr(code.co_consts[-1]) if code.co_consts else ""
        constants = [n for n in found if isinstance(n.body, ast.Constant) and repr(n.body.value) == returned]
        found = constants[:1] if not code.co_names and len(code.co_code) <= 8 else found
    if len(found) != 1:
        raise SourceError(
            "the source of a lambda cannot be told apart",
            Location(code.co_filename, code.co_firstlineno, lines[code.co_firstlineno - 1]),
            "several lambdas stand here and Python kept no positions",
            "Write it as a def.",
        )
    return found[0]


def span(node: ast.expr) -> tuple[int, int, int, int]:
    return node.lineno, node.end_lineno or 0, node.col_offset, node.end_col_offset or 0


def code_span(code: types.CodeType) -> tuple[int, int, int, int]:
    spans = [p for p in code.co_positions() if None not in p and (p[2], p[3]) != (0, 0)]
    start = min((p[0], p[2]) for p in spans) if spans else (0, 0)
    end = max((p[1], p[3]) for p in spans) if spans else (0, 0)
    return start[0] or 0, end[0] or 0, start[1] or 0, end[1] or 0


@lru_cache(maxsize=64)
def _module(text: str) -> ast.Module:
    return ast.parse(textwrap.dedent(text))


@lru_cache(maxsize=64)
def _lambdas(text: str) -> tuple[ast.Lambda, ...]:
    return tuple(n for n in ast.walk(_module(text)) if isinstance(n, ast.Lambda))


def outermost(source: Source) -> ast.FunctionDef | None:
    """The function that a function stands in, with all that stands in it; None where the file does not tell."""
    try:
        blocks = [_module("".join(source.lines)).body]
    except SyntaxError:
        return None
    while blocks:
        for s in blocks.pop():
            if s.lineno <= source.tree.lineno <= (s.end_lineno or 0):
                if isinstance(s, ast.FunctionDef):
                    return s
                blocks = [getattr(s, part) for part in ("body", "orelse", "finalbody") if getattr(s, part, None)]
    return None


def comments(source: Source) -> dict[int, str]:
    """The user's comments: the line of the statement they belong to, and their text."""
    first = source.tree.lineno
    last = getattr(source.tree, "end_lineno", first) or first
    found: dict[int, str] = {}
    waiting: list[str] = []
    for number, text in _comment_tokens(source.lines, first, last):
        code = source.line(number).strip()
        if code.startswith("#"):
            waiting.append(text)
        else:
            found[number] = text
            waiting = []
        if waiting:
            following = _next_code_line(source, number, last)
            if following:
                found[following] = "\n".join(waiting)
                if source.line(number + 1).strip()[:1] != "#":
                    waiting = []
    return found


def _next_code_line(source: Source, number: int, last: int) -> int:
    for n in range(number + 1, last + 1):
        stripped = source.line(n).strip()
        if stripped and not stripped.startswith("#"):
            return n
    return 0


def _comment_tokens(lines: tuple[str, ...], first: int, last: int) -> Iterator[tuple[int, str]]:
    import tokenize  # heavy, and only needed where there are comments

    if not any("#" in line for line in lines[first - 1 : last]):
        return
    block = iter(textwrap.dedent("".join(lines[first - 1 : last])).splitlines(keepends=True))
    try:
        for token in tokenize.generate_tokens(lambda: next(block, "")):
            if token.type == tokenize.COMMENT:
                yield token.start[0] + first - 1, token.string.lstrip("#").strip()
    except (tokenize.TokenError, IndentationError):
        return  # a lambda in the middle of a line: its comments belong to the line, not to it


def unwrapped(function: object) -> object:
    """Look through wrappers that only forward: caches and compiled functions."""
    if hasattr(function, "py_func"):
        behind: object = function.py_func
        if isinstance(behind, types.FunctionType) and hasattr(function, "targetoptions"):
            _compiled[behind] = function
        return behind
    if hasattr(function, "interpreted"):
        return function.interpreted()
    if isinstance(function, functools._lru_cache_wrapper):
        return function.__wrapped__
    if is_generic(function):
        return by_class(function)
    if (method := method_behind(function)) is not None:
        return method
    if isinstance(function, types.FunctionType):
        return with_own_classes(function)
    return function.__func__ if isinstance(function, staticmethod) else function


def with_own_classes(function: types.FunctionType) -> types.FunctionType:
    """The function, which captures the classes that it defines (classes.py)."""
    return with_classes_outside(function, _tree_of)


def _tree_of(function: types.FunctionType) -> ast.FunctionDef | None:
    try:
        return _read(function, function.__code__).tree
    except SourceError:
        return None


_compiled: weakref.WeakKeyDictionary[types.FunctionType, Any] = weakref.WeakKeyDictionary()


def compiled_from(function: types.FunctionType) -> Any:
    """The compiled function that a Python function was taken from, or None."""
    return _compiled.get(function)


def is_derivative(function: types.FunctionType) -> bool:
    """Whether a function is generated code itself, not one that was defined inside of it."""
    return is_generated(function) and function.__qualname__.count("<locals>") < 2
