"""What Numba's types say of a value, and functions made for them."""

from __future__ import annotations

import itertools
import linecache
from collections.abc import Callable
from typing import Any, TypeVar

from numba.core import types as numba_types
from numba.extending import overload, register_jitable
from numba.typed.typedobjectutils import _nonoptional

types: Any = numba_types  # Numba has no annotations
not_none: Any = _nonoptional  # what may be None, and is not
Function = TypeVar("Function", bound=Callable[..., Any])
_count = itertools.count()


def jitable(function: Function) -> Function:
    """A Python function that overloads may call."""
    register_jitable(function)
    return function


def implements(function: Any, **options: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare what Numba compiles for a function: given types, a Python function for them, or None."""
    register: Callable[[Callable[..., Any]], Callable[..., Any]] = overload(function, strict=False, **options)
    return register


def is_number(t: Any) -> bool:
    return isinstance(plain(t), (types.Number, types.Boolean))


def is_array(t: Any) -> bool:
    return isinstance(plain(t), types.Array)


def is_tuple(t: Any) -> bool:
    return isinstance(t, types.BaseTuple)


def is_list(t: Any) -> bool:
    return isinstance(t, (types.List, types.ListType))


def is_dict(t: Any) -> bool:
    return isinstance(t, types.DictType)


def is_record(t: Any) -> bool:
    """A dict whose keys are known texts, and whose values may differ in type."""
    return isinstance(t, types.LiteralStrKeyDict)


def is_nothing(t: Any) -> bool:
    """Left out, or None."""
    return isinstance(plain(t), types.NoneType) or t is None


def plain(t: Any) -> Any:
    """The type behind a literal, a default that was left out, or something that may be None."""
    if isinstance(t, types.Optional):
        return plain(t.type)
    if isinstance(t, types.Omitted):
        t = t.value
    if not isinstance(t, types.Type):
        kinds = {bool: types.boolean, int: types.intp, float: types.float64, complex: types.complex128}
        return kinds.get(type(t), types.none)
    return getattr(t, "literal_type", t)


def element(t: Any) -> Any:
    """The type of one number: of an array's elements, or the type itself."""
    t = plain(t)
    return t.dtype if isinstance(t, types.Array) else t


def gradient_type(t: Any) -> Any:
    """The type of the derivative of such a number: its own, or float64 for integers and booleans."""
    t = element(t)
    return t if isinstance(t, (types.Float, types.Complex)) else types.float64


def is_complex(t: Any) -> bool:
    return isinstance(element(t), types.Complex)


def rank(t: Any) -> int:
    return int(plain(t).ndim) if is_array(t) else 0


def value_of(t: Any, default: Any = None) -> Any:
    """What is known of an argument when types are: a literal, a default, or a tuple of them."""
    if isinstance(t, types.Omitted):
        return t.value
    if isinstance(t, types.Literal):
        return t.literal_value
    if isinstance(t, types.NoneType):
        return None
    if isinstance(t, types.BaseTuple):
        return tuple(value_of(part, default) for part in t.types)
    return t if not isinstance(t, types.Type) else default


def written(text: str, **names: Any) -> Callable[..., Any]:
    """A function from its text: for ranks and lengths that are known only when types are."""
    file = f"<overload of tangent {next(_count)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    namespace = dict(names)
    exec(compile(text, file, "exec"), namespace)
    made: Callable[..., Any] = namespace["impl"]
    return made


def per_item(t: Any, parameters: str, item: str, first: str = "pass", **names: Any) -> Callable[..., Any]:
    """A function that makes a tuple like t; `item` is the text of one entry, at index `{i}`, `first` comes before."""
    parts = "".join(item.format(i=i) + ", " for i in range(len(t)))
    head = f"def impl({parameters}):\n    {first}\n"
    if isinstance(t, types.BaseNamedTuple):
        return written(f"{head}    return cls({parts})\n", cls=t.instance_class, **names)
    return written(f"{head}    return ({parts})\n", **names)


def per_key(t: Any, parameters: str, item: Callable[[str], str], **names: Any) -> Callable[..., Any]:
    """A function that makes a dict like t; `item` gives the text of the value at a key."""
    parts = ", ".join(f"{key!r}: {item(key)}" for key in t.fields)
    return written(f"def impl({parameters}):\n    return {{{parts}}}\n", **names)
