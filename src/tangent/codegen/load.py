"""Make functions from text: the text that people read is the text that runs.

Free names that the user's function has (globals, closure cells) are found where the user's function finds them, when the
derivative runs. Names that Tangent adds (runtime functions, derivatives of callees) are closure cells of their own.
"""

from __future__ import annotations

import ast
import linecache
import types
from collections.abc import Mapping
from typing import Any

from tangent.codegen.emit import Text
from tangent.transform.module import Generated


def load(text: Text, functions: list[Generated]) -> dict[str, types.FunctionType]:
    """The functions of a generated module, by name."""
    register(text)
    tree = ast.parse(text.text, text.file)
    nodes = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}
    made: dict[str, types.FunctionType] = {}
    cells: dict[Generated, types.CellType] = {g: types.CellType() for g in functions}
    for g in functions:
        made[g.name] = make(nodes[g.name], g, cells, text.file)
    for g in functions:
        cells[g].cell_contents = made[g.name]
    return made


def register(text: Text) -> None:
    """Let tracebacks, `inspect`, `pdb` and profilers find the text."""
    lines = text.text.splitlines(keepends=True)
    linecache.cache[text.file] = (len(text.text), None, lines, text.file)


def make(
    node: ast.FunctionDef, g: Generated, cells: Mapping[Generated, types.CellType], file: str
) -> types.FunctionType:
    """One function: compiled inside a scope that holds its free names, then given the real cells."""
    primal_cells = dict(zip(g.primal.__code__.co_freevars, g.primal.__closure__ or ()))
    free = [*g.externals, *(n for n in primal_cells if n not in g.externals)]
    code = _code(node, free, file)
    contents: list[types.CellType] = []
    for v in code.co_freevars:
        if v in g.externals:
            value = g.externals[v]
            contents.append(cells[value] if isinstance(value, Generated) else types.CellType(value))
        else:
            contents.append(primal_cells[v])
    function = types.FunctionType(code, g.primal.__globals__, node.name, None, tuple(contents))
    function.__module__ = g.primal.__module__
    function.__qualname__ = node.name
    function.__defaults__, function.__kwdefaults__ = _defaults(node, g.primal)
    return function


def _code(node: ast.FunctionDef, free: list[str], file: str) -> types.CodeType:
    outer = ast.FunctionDef(
        "scope", ast.arguments([], [ast.arg(v) for v in free], None, [], [], None, []), [node], [], None, None,
        **({"type_params": []} if "type_params" in ast.FunctionDef._fields else {}),
    )  # fmt: skip
    module = ast.fix_missing_locations(ast.Module([outer], []))
    code = compile(module, file, "exec")
    scope = next(c for c in code.co_consts if isinstance(c, types.CodeType))
    return next(c for c in scope.co_consts if isinstance(c, types.CodeType) and c.co_name == node.name)


def _defaults(
    node: ast.FunctionDef, primal: types.FunctionType
) -> tuple[tuple[Any, ...] | None, dict[str, Any] | None]:
    """The primal's own default objects for its parameters, 1.0 for seeds."""
    own = dict(primal.__kwdefaults__ or {})
    code = primal.__code__
    positional = code.co_varnames[: code.co_argcount]
    defaults = primal.__defaults__ or ()
    known = dict(zip(positional[len(positional) - len(defaults) :], defaults)) | own
    plain = [*node.args.posonlyargs, *node.args.args][len(node.args.posonlyargs) + len(node.args.args) - len(node.args.defaults) :]
    given = tuple(known.get(a.arg, 1.0) for a in plain)
    keyword = {
        a.arg: known.get(a.arg, 1.0) for a, default in zip(node.args.kwonlyargs, node.args.kw_defaults) if default
    }
    return given or None, keyword or None
