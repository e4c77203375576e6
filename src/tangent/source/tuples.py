"""Named tuples: the functions that make them, for calls that do not list their fields.

p = Point(*xs)    ->    def Point(x, y=0.0):
                            return tuple_of(Point, x, y)
"""

from __future__ import annotations

import inspect
import types
from functools import cache

from tangent.runtime.classes import tuple_of
from tangent.source.adapt import define, parameter_texts


@cache
def tuple_maker(cls: type) -> types.FunctionType:
    """The function that makes a named tuple of a class."""
    title, names = cls.__name__, {"tuple_of": tuple_of}
    parameters, passed = parameter_texts(inspect.signature(cls), names)
    text = f"def {title}({', '.join(parameters)}):\n    return tuple_of({', '.join((title, *passed))})\n"
    made = define(title, text, names)
    made.__globals__[title] = cls
    made.captures = ()  # type: ignore[attr-defined]
    return made
