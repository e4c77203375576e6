"""Makes a failing program smaller, while it still fails: fewer statements, parts of expressions for wholes."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import replace

from property.writer import Program


def shrink(program: Program, fails: Callable[[Program], bool], attempts: int = 400) -> Program:
    """The smallest program found by that many attempts; `fails` must not raise."""
    left = attempts
    improved = True
    while improved and left > 0:
        improved = False
        for smaller in candidates(program.source):
            left -= 1
            if len(smaller) < len(program.source) and fails(replace(program, source=smaller)):
                program, improved = replace(program, source=smaller), True
                break
            if left <= 0:
                break
    return program


def candidates(source: str) -> Iterator[str]:
    """Texts with one thing left out, the largest first."""
    edits = sorted(_edits(ast.parse(source)), key=lambda edit: -edit[0])
    for _, number in edits:
        tree = ast.parse(source)
        _apply(tree, number)
        try:
            yield ast.unparse(ast.fix_missing_locations(tree)) + "\n"
        except ValueError:
            continue


def _edits(tree: ast.AST) -> list[tuple[int, int]]:
    """Size and number of each edit."""
    return [(size, number) for number, (size, _) in enumerate(_each(tree))]


def _apply(tree: ast.AST, number: int) -> None:
    for n, (_, act) in enumerate(_each(tree)):
        if n == number:
            act()
            return


def _each(tree: ast.AST) -> Iterator[tuple[int, Callable[[], None]]]:
    for node in ast.walk(tree):
        for name, value in ast.iter_fields(node):
            if isinstance(value, list) and value and all(isinstance(item, ast.stmt) for item in value):
                yield from _without_statements(node, name, value)
            elif (
                isinstance(value, ast.expr)
                and not isinstance(node, ast.Attribute)
                and not (isinstance(node, ast.Call) and name == "func")
            ):
                yield from _parts(node, name, value)
            elif (
                isinstance(value, list)
                and name in ("args", "elts")
                and not isinstance(getattr(node, "ctx", None), ast.Store)
            ):
                yield from _parts_of_items(value)


def _without_statements(node: ast.AST, name: str, body: list[ast.stmt]) -> Iterator[tuple[int, Callable[[], None]]]:
    for k, statement in enumerate(body):
        size = len(ast.unparse(statement))
        rest = body[:k] + body[k + 1 :]
        if rest or name in ("orelse", "finalbody"):
            yield size, lambda rest=rest: setattr(node, name, rest)  # type: ignore[misc]
        for inner in ("body", "orelse"):
            if not isinstance(statement, ast.FunctionDef) and (lines := getattr(statement, inner, None)):
                yield size // 2, lambda k=k, lines=lines: setattr(node, name, body[:k] + lines + body[k + 1 :])  # type: ignore[misc]


def _smaller(value: ast.expr) -> list[ast.expr]:
    parts = [part for part in ast.iter_child_nodes(value) if isinstance(part, ast.expr)]
    return [
        part
        for part in parts
        if not isinstance(getattr(part, "ctx", None), ast.Store) and ast.unparse(part) not in ("np", "math")
    ]


def _parts(node: ast.AST, name: str, value: ast.expr) -> Iterator[tuple[int, Callable[[], None]]]:
    if isinstance(getattr(value, "ctx", None), ast.Store):
        return
    for part in _smaller(value):
        yield len(ast.unparse(value)) - len(ast.unparse(part)), lambda part=part: setattr(node, name, part)  # type: ignore[misc]


def _parts_of_items(items: list[ast.expr]) -> Iterator[tuple[int, Callable[[], None]]]:
    for k, item in enumerate(items):
        if isinstance(item, ast.expr):
            for part in _smaller(item):
                yield len(ast.unparse(item)) - len(ast.unparse(part)), lambda k=k, part=part: items.__setitem__(k, part)  # type: ignore[misc]
