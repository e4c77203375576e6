"""Objects, lists and dicts as the memory says that they are: for results, for functions whose derivative is given, and
for code of the user in the backward pass."""

from __future__ import annotations

import dis
import operator
import types
import weakref
from collections import deque
from typing import Any

import numpy as np

from tangent.errors import UnsupportedError
from tangent.runtime.filling import looked_at
from tangent.runtime.memory import NUMBERS, Memory, contents, holds_some, is_changed
from tangent.runtime.objects import fields_of, hold, is_object, is_of_compiler, remade
from tangent.runtime.persistent import PersistentArray

BLOCK = "the block for the backward pass"


def memory_of(memory: Any, *captured: Any) -> Any:
    """A memory that begins with what lists and dicts hold that a function captures: they change at its end."""
    todo, seen = list(captured), set[int]()
    while todo:
        x = todo.pop()
        if isinstance(x, (list, dict, deque, set)) and id(x) not in seen:
            seen.add(id(x))
            if (id(x), None) in memory:  # a function around has begun
                continue
            memory = memory.having(x, None, begun := x.copy())
            memory.owners.begun[id(x)] = begun
            todo += x.values() if isinstance(x, dict) else x
    return memory


def tell_outside(memory: Any, *captured: Any) -> None:
    """Change lists and dicts that a function captures as it has changed them; arguments and objects stay."""
    seen: set[int] = set()
    for x in captured:
        _tell(memory, x, seen)


def _tell(memory: Any, x: Any, seen: set[int]) -> Any:
    if not isinstance(x, (list, dict, deque, set)) or id(x) in seen:
        return as_now(memory, x)
    seen.add(id(x))
    now = contents(memory, x)
    if not _is_as_begun(memory, x):
        memory.owners.begun.pop(id(x), None)
    if isinstance(now, dict):
        parts: Any = {k: _tell(memory, v, seen) for k, v in now.items()}
    else:
        parts = [_tell(memory, v, seen) for v in now]
    if (id(x), None) in memory:
        x.clear()
        x.update(parts) if isinstance(x, (dict, set)) else x.extend(parts)
    return x


def _is_as_begun(memory: Any, x: Any) -> bool:
    """Whether a captured list or dict holds what it did at first: nothing but code of the user has changed it since."""
    begun = memory.owners.begun.get(id(x)) if isinstance(memory, Memory) else None
    return begun is not None and memory.get((id(x), None)) is begun


def as_now(memory: Any, x: Any) -> Any:
    """An object, list, dict or array as it is now: a copy, where the memory says more than it."""
    return _as_now(memory, x, {})


def _as_now(memory: Any, x: Any, made: dict[int, Any]) -> Any:
    if id(x) in made:
        return made[id(x)]
    if not reaches_slot(memory, x):
        return x
    if isinstance(x, (np.ndarray, PersistentArray, set)):
        return contents(memory, x)
    parts = parts_now(memory, x)
    if isinstance(x, tuple):
        items = [_as_now(memory, v, made) for v in parts.values()]
        return type(x)(*items) if hasattr(x, "_fields") else tuple(items)
    new = _empty(x, len(parts))
    made[id(x)] = new
    for k, v in parts.items():
        if isinstance(x, (list, dict, deque)):
            new[k] = _as_now(memory, v, made)
        else:
            hold(new, k, _as_now(memory, v, made))
    return new


def _empty(x: Any, count: int) -> Any:
    """A container or object of the same kind, for what is put into it next."""
    if isinstance(x, deque):
        return deque([None] * count, x.maxlen)
    if isinstance(x, dict):
        made = x.copy()
        made.clear()
        return made
    return [None] * count if isinstance(x, list) else remade(x, {})


ASKED = tuple(f"__{word}__" for word in "bool len contains eq ne lt le gt ge".split())
_asking_only: weakref.WeakSet[type] = weakref.WeakSet()


def asked_now(memory: Any, x: Any) -> Any:
    """What a condition asks, as it is now; not where the answer of an object changes it, which a copy would give."""
    for v in (x, *x) if isinstance(x, (list, tuple, deque)) else (x,):
        if is_object(v):
            _require_asking_only(type(v))
    return as_now(memory, x)


def _require_asking_only(cls: type) -> None:
    if cls in _asking_only:
        return
    for title in ASKED:
        method = getattr(cls, title, None)
        if isinstance(method, types.FunctionType) and any(
            i.opname == "STORE_ATTR" for i in dis.get_instructions(method)
        ):
            raise UnsupportedError(
                f"cannot differentiate a condition that asks an object of '{cls.__name__}'",
                why=f"its '{title}' changes it",
                todo="Change it in a method that is called by its name, and ask for what that returns.",
            )  # fmt: skip
    _asking_only.add(cls)


COMPARED: dict[str, Any] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
    "in": lambda a, b: a in b, "not in": lambda a, b: a not in b,
}  # fmt: skip


def compared(memory: Any, a: Any, how: str, b: Any) -> Any:
    """`a < b` and the like, of what both are now."""
    if how in ("in", "not in") and isinstance(b, dict) and _is_plain_key(a):
        return (a in contents(memory, b)) is (how == "in")  # keys are what they were
    left, right = asked_now(memory, (a, b))
    return COMPARED[how](left, right)


def _is_plain_key(x: Any) -> bool:
    """Whether a key is a number, a text or a tuple of such: no memory says something else of it."""
    return all(map(_is_plain_key, x)) if type(x) is tuple else type(x) in NUMBERS or isinstance(x, (int, float, str))


def shown(memory: Any, x: Any) -> Any:
    """A list, dict or array as it is now; an object, too, where its class says what it is taken for."""
    if type(x) in NUMBERS:
        return x
    return asked_now(memory, x) if is_object(x) else contents(memory, x)


def peeked(memory: Any, x: Any) -> Any:
    """A list, dict or array as it is now, of which an item is read that no derivative flows through."""
    return looked_at(contents(memory, x))


def parts_now(memory: Any, x: Any) -> dict[Any, Any]:
    """What an object, list, dict or tuple holds now, by attribute, index or key."""
    if isinstance(x, (list, tuple, deque)):
        return dict(enumerate(contents(memory, x)))
    if isinstance(x, dict):
        return dict(contents(memory, x))
    if not is_object(x):
        return {}
    return {**fields_of(x), **memory.slots_of(x)} if memory else fields_of(x)


def reaches_slot(memory: Any, x: Any) -> bool:
    """Whether the memory says something of a value, or of what it holds."""
    return _reaches_slot(memory, x, set())


def _reaches_slot(memory: Any, x: Any, seen: set[int]) -> bool:
    if isinstance(x, (np.ndarray, PersistentArray)):
        return is_changed(memory, x)
    if id(x) in seen or not (isinstance(x, (list, dict, tuple, deque, set)) or is_object(x)):
        return False
    if is_of_compiler(x):  # a derivative leads to those that Numba has compiled
        return False
    seen.add(id(x))
    if holds_some(memory, x) and not _is_as_begun(memory, x):
        return True
    return any(_reaches_slot(memory, v, seen) for v in parts_now(memory, x).values())


def require_unchanged(
    memory: Any, x: Any, shown: Any, title: str, who: str = "the block for the backward pass"
) -> None:
    """Stop where code of the user has changed what it was shown: that was a copy."""
    if shown is x:
        return
    if place := _difference(_as_now(memory, x, {}), shown, title, set()):
        raise UnsupportedError(
            f"{who} changes '{place}'", why="the function itself makes or changes it",
            todo="Collect in a list, dict or object that the function leaves alone.",
        )  # fmt: skip


def _difference(a: Any, b: Any, title: str, seen: set[int]) -> str:
    """Where two copies differ; nothing where they do not."""
    if a is b or id(b) in seen:
        return ""
    seen.add(id(b))
    ours, theirs = parts_now({}, a), parts_now({}, b)
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return "" if np.array_equal(a, b, equal_nan=a.dtype.kind in "fc") else title
    if type(a) is not type(b) or (not ours and not theirs and not isinstance(a, (list, dict, tuple, deque))):
        return title
    for k in {**ours, **theirs}:
        place = f"{title}[{k!r}]" if isinstance(b, (list, dict, tuple, deque)) else f"{title}.{k}"
        if k not in ours or k not in theirs:
            return title if isinstance(b, (list, dict, tuple, deque)) else place
        if found := _difference(ours[k], theirs[k], place, seen):
            return found
    return ""
