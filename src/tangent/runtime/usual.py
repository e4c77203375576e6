"""Classes that say themselves what it means to read, store or take out items."""

from __future__ import annotations

import types
import weakref
from collections import ChainMap, Counter, OrderedDict, UserDict, UserList, defaultdict, deque
from typing import Any

from tangent.errors import UnsupportedError

PLAIN = frozenset((list, dict, tuple, set, deque, defaultdict, OrderedDict, Counter))
WRAPPERS = (UserDict, UserList, ChainMap)
OF_ITEMS = frozenset(  # what says which items there are, and what becomes of them
    "__getitem__ __setitem__ __delitem__ __missing__ __contains__ __iter__ __len__ __iadd__ __ior__ get keys values "
    "items append extend insert pop popitem remove clear sort reverse update setdefault copy __init__ __new__".split()
)
_told: weakref.WeakKeyDictionary[type, bool] = weakref.WeakKeyDictionary()


def tells_of_items(cls: type) -> bool:
    """Whether a class of lists or dicts says itself what some operation on items means.

    >>> tells_of_items(dict), tells_of_items(UserDict)
    (False, True)
    """
    if cls in PLAIN or not issubclass(cls, (list, dict, deque, *WRAPPERS)):
        return False
    if cls not in _told:
        _told[cls] = _tells(cls)
    return _told[cls]


def _tells(cls: type) -> bool:
    own = [c for c in cls.__mro__ if c not in PLAIN and c is not object and not _is_ours(c)]
    written = [name for c in own for name, member in vars(c).items() if isinstance(member, types.FunctionType)]
    return not OF_ITEMS.isdisjoint(written)


def _is_ours(cls: type) -> bool:
    """Whether a class is one of Tangent's own, which tells of memories and tangents and keeps items as usual."""
    return cls.__module__.startswith("tangent.")


def require_usual_items(x: Any) -> None:
    """Stop before a list or dict is changed whose class says itself what that means."""
    cls = type(x)
    if cls in PLAIN or not tells_of_items(cls):
        return
    base = "list" if issubclass(cls, (list, UserList, deque)) else "dict"
    raise UnsupportedError(
        f"cannot differentiate a change of a '{cls.__name__}'",
        why=f"it is a kind of {base} whose class says what its items are",
        todo=f"Use a plain {base}, or an object that has one as an attribute.",
    )
