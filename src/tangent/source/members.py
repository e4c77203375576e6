"""What the attributes of a class are: methods, properties or values, where nothing unusual gives them."""

from __future__ import annotations

import inspect
import types
from collections.abc import Collection

from tangent.source.inlined import CannotWriteOut

UNUSUAL = ("__getattr__", "__getattribute__", "__setattr__", "__delattr__", "__del__", "__new__", "__init_subclass__")


def is_plain(cls: type, function: types.FunctionType, unusual: Collection[str] = UNUSUAL) -> bool:
    """Whether a class of the same module makes its objects, and assigns their attributes, in the usual way."""
    written = [c for c in cls.__mro__ if c is not object]
    return all(
        c.__module__ == function.__module__ and type(c) is type and not c.__dict__.keys() & set(unusual)
        for c in written
    )


def is_value(cls: type, function: types.FunctionType) -> bool:
    """The same of a class whose objects nobody changes: a dataclass that is frozen says so."""
    settings = cls.__dict__.get("__dataclass_params__")
    frozen = settings is not None and settings.frozen
    return is_plain(cls, function, [a for a in UNUSUAL if not (frozen and a in ("__setattr__", "__delattr__"))])


class Members:
    """The members of one class."""

    def __init__(self, cls: type) -> None:
        self.cls = cls

    def initialiser(self) -> types.FunctionType | None:
        found = inspect.getattr_static(self.cls, "__init__")
        return found if isinstance(found, types.FunctionType) else None

    def kind(self, attr: str, held: Collection[str]) -> str:
        """What an attribute is: a `method`, a `property`, one of the `class`, or one that the object `holds`."""
        found = inspect.getattr_static(self.cls, attr, None)
        if isinstance(found, types.FunctionType):
            return "method"
        if isinstance(found, property):
            return "property"
        if found is None or isinstance(found, types.MemberDescriptorType):
            return "holds"
        if hasattr(type(found), "__get__") or hasattr(type(found), "__set__") or attr in held:
            raise CannotWriteOut
        return "class"

    def method(self, attr: str) -> types.FunctionType:
        found = inspect.getattr_static(self.cls, attr, None)
        if not isinstance(found, types.FunctionType):
            raise CannotWriteOut
        return found

    def getter(self, attr: str) -> types.FunctionType:
        found = inspect.getattr_static(self.cls, attr, None)
        if not isinstance(found, property) or not isinstance(found.fget, types.FunctionType):
            raise CannotWriteOut
        return found.fget

    def setter(self, attr: str) -> types.FunctionType:
        found = inspect.getattr_static(self.cls, attr, None)
        if not isinstance(found, property) or not isinstance(found.fset, types.FunctionType):
            raise CannotWriteOut
        return found.fset

    def above(self, definer: type, attr: str) -> types.FunctionType | None:
        """The method behind `super().attr`; None for what `object` does, which is nothing."""
        later = self.cls.__mro__[self.cls.__mro__.index(definer) + 1 :]
        found = next((vars(c)[attr] for c in later if attr in vars(c)), None)
        if found is object.__init__:
            return None
        if not isinstance(found, types.FunctionType):
            raise CannotWriteOut
        return found

    def definer(self, method: types.FunctionType) -> type:
        for c in self.cls.__mro__:
            for member in vars(c).values():
                if any(method is x for x in (member, getattr(member, "fget", None), getattr(member, "fset", None))):
                    return c
        raise CannotWriteOut
