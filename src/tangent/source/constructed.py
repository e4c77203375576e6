"""What the initialiser of a class does, as a definition; that of a dataclass, which stands nowhere, is made."""

from __future__ import annotations

import ast
import dataclasses
import types
from typing import Any

from tangent.source.inlined import CannotWriteOut, Definition
from tangent.source.members import Members
from tangent.syntax.quote import constant, expression

PLAIN = (int, float, complex, str, bool, type(None))
EMPTY: dict[Any, str] = {list: "[]", dict: "{}"}


def initialiser_of(
    members: Members, definition: Definition, frozen: bool = False
) -> tuple[ast.FunctionDef, types.FunctionType | None]:  # fmt: skip
    """The definition of an initialiser, and the function, where there is one; `frozen` where nothing else assigns."""
    found = members.initialiser()
    if found is None:
        return _parsed("def __init__(self): pass"), None
    own = vars(members.cls).get("__init__") is found
    if own and dataclasses.is_dataclass(members.cls) and found.__code__.co_filename == "<string>":
        return _of_dataclass(members.cls, frozen), None
    return definition(found), found


def _of_dataclass(cls: type, frozen: bool) -> ast.FunctionDef:
    """`def __init__(self, x, v=0.0): self.x = x; self.v = v`."""
    kinds = {str(f._field_type) for f in cls.__dataclass_fields__.values()}  # type: ignore[attr-defined]
    fields = dataclasses.fields(cls)
    missing = dataclasses.MISSING
    if any("INITVAR" in kind for kind in kinds) or (cls.__dataclass_params__.frozen and not frozen):  # type: ignore[attr-defined]
        raise CannotWriteOut
    if not all(f.init and (f.default is missing or type(f.default) in PLAIN) for f in fields):
        raise CannotWriteOut
    more = ["self.__post_init__()"] if hasattr(cls, "__post_init__") else []
    lines = [f"self.{f.name} = {f.name}" for f in fields] + more
    tree = _parsed(f"def __init__(self): {'; '.join(lines) or 'pass'}")
    plain = [f for f in fields if not f.kw_only]
    named = [f for f in fields if f.kw_only]
    tree.args.args += [ast.arg(f.name) for f in plain]
    tree.args.defaults = [e for f in plain if (e := _default(f)) is not None]
    tree.args.kwonlyargs = [ast.arg(f.name) for f in named]
    tree.args.kw_defaults = [_default(f) for f in named]
    return tree


def _default(f: dataclasses.Field[Any]) -> ast.expr | None:
    """What a field holds that is not given."""
    if f.default is not dataclasses.MISSING:
        return constant(f.default)
    if f.default_factory is dataclasses.MISSING:
        return None
    factory: Any = f.default_factory
    if factory not in EMPTY:
        raise CannotWriteOut
    return expression(EMPTY[factory])


def _parsed(text: str) -> ast.FunctionDef:
    found = ast.parse(text).body[0]
    assert isinstance(found, ast.FunctionDef)
    return found
