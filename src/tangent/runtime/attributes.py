"""What reading an attribute of an object gives, where that is just what the object holds under this name."""

from __future__ import annotations

import types
from collections.abc import Collection
from typing import Any

from tangent.runtime.objects import fields_of, is_object

UNUSUAL = ("__set__", "__delete__")


def held_under(x: Any, names: Collection[str]) -> dict[str, Any]:
    """The attributes among `names` that an object holds, and that its class does not compute.

    >>> held_under(types.SimpleNamespace(k=2.0, c=1.0, name="spring"), {"k", "c", "m"})
    {'k': 2.0, 'c': 1.0}
    """
    cls: Any = type(x)
    if not is_object(x) or (cls.__getattribute__ is not object.__getattribute__ and cls is not types.SimpleNamespace):
        return {}
    return {v: held for v, held in fields_of(x).items() if v in names and is_held(cls, v)}


def is_held(cls: type, name: str) -> bool:
    """Whether an object of a class that holds something under a name gives it, when it is asked."""
    for c in cls.__mro__:
        if name in c.__dict__:
            found = type(c.__dict__[name])
            return found is types.MemberDescriptorType or not any(hasattr(found, way) for way in UNUSUAL)
    return True
