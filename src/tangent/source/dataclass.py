"""The initialiser of a dataclass as text: Python makes it without any."""

from __future__ import annotations

import dataclasses
from typing import Any

from tangent.runtime.classes import DATACLASSES, NOT_GIVEN
from tangent.source.adapt import define


def initialiser(cls: Any) -> Any:
    """What the initialiser of a dataclass does.

    >>> @dataclasses.dataclass
    ... class Point: x: float; y: float = 0.0
    >>> import inspect; print(inspect.getsource(initialiser(Point)), end="")
    def __init__(self, x, y=default_y):
        object.__setattr__(self, 'x', x)
        object.__setattr__(self, 'y', y)
    """
    given: dict[str, Any] = {}
    plain: list[str] = []
    named: list[str] = []
    body: list[str] = []
    handed: list[str] = []  # what only `__post_init__` is given
    for f in cls.__dataclass_fields__.values():
        if f._field_type is dataclasses._FIELD_CLASSVAR:  # type: ignore[attr-defined]
            continue
        value = f.name
        if f.default is not NOT_GIVEN:
            given[f"default_{f.name}"] = f.default
        if f.default_factory is not NOT_GIVEN:
            given[f"make_{f.name}"] = f.default_factory
            given["NOT_GIVEN"] = NOT_GIVEN
        if f.init:
            default = (
                f"=default_{f.name}" if f.default is not NOT_GIVEN
                else "=NOT_GIVEN" if f.default_factory is not NOT_GIVEN else ""
            )  # fmt: skip
            (named if f.kw_only else plain).append(f.name + default)
            if f.default_factory is not NOT_GIVEN:
                body += [f"if {f.name} is NOT_GIVEN:", f"    {f.name} = make_{f.name}()"]
        elif f.default_factory is not NOT_GIVEN:
            value = f"make_{f.name}()"
        elif f.default is not NOT_GIVEN:
            value = f"default_{f.name}"
        else:
            continue
        if f._field_type is dataclasses._FIELD_INITVAR:  # type: ignore[attr-defined]
            handed.append(value)
        else:
            body.append(f"object.__setattr__(self, {f.name!r}, {value})")
    if hasattr(cls, "__post_init__"):
        body.append(f"self.__post_init__({', '.join(handed)})")
    parameters = ", ".join(["self", *plain, *(["*", *named] if named else [])])
    lines = "".join(f"    {line}\n" for line in body or ["pass"])
    made = define("__init__", f"def __init__({parameters}):\n{lines}", given)
    made.__module__ = cls.__module__
    return made


DATACLASSES.append(initialiser)
