"""The operators, for operands that may be objects of classes that define them; plain Python that Tangent reads."""

from __future__ import annotations

import copy
import math
from typing import Any

import numpy as np

from tangent.errors import TangentError, UnsupportedError
from tangent.runtime.classes import ENDED, listing_of, step_of, yields
from tangent.runtime.objects import has_method, holds_objects, is_object


def plus(a: Any, b: Any) -> Any:
    """`a + b`."""
    if has_method(a, "__add__"):
        out = a.__add__(b)
        if out is not NotImplemented:
            return out
        return b.__radd__(a)
    if has_method(b, "__radd__"):
        require_handed_over(a, b)
        return b.__radd__(a)
    return a + b


def minus(a: Any, b: Any) -> Any:
    """`a - b`."""
    if has_method(a, "__sub__"):
        out = a.__sub__(b)
        if out is not NotImplemented:
            return out
        return b.__rsub__(a)
    if has_method(b, "__rsub__"):
        require_handed_over(a, b)
        return b.__rsub__(a)
    return a - b


def times(a: Any, b: Any) -> Any:
    """`a * b`."""
    if has_method(a, "__mul__"):
        out = a.__mul__(b)
        if out is not NotImplemented:
            return out
        return b.__rmul__(a)
    if has_method(b, "__rmul__"):
        require_handed_over(a, b)
        return b.__rmul__(a)
    return a * b


def over_by(a: Any, b: Any) -> Any:
    """`a / b`."""
    if has_method(a, "__truediv__"):
        out = a.__truediv__(b)
        if out is not NotImplemented:
            return out
        return b.__rtruediv__(a)
    if has_method(b, "__rtruediv__"):
        require_handed_over(a, b)
        return b.__rtruediv__(a)
    return a / b


def floored(a: Any, b: Any) -> Any:
    """`a // b`."""
    if has_method(a, "__floordiv__"):
        out = a.__floordiv__(b)
        if out is not NotImplemented:
            return out
        return b.__rfloordiv__(a)
    if has_method(b, "__rfloordiv__"):
        require_handed_over(a, b)
        return b.__rfloordiv__(a)
    return a // b


def modulo(a: Any, b: Any) -> Any:
    """`a % b`."""
    if has_method(a, "__mod__"):
        out = a.__mod__(b)
        if out is not NotImplemented:
            return out
        return b.__rmod__(a)
    if has_method(b, "__rmod__"):
        require_handed_over(a, b)
        return b.__rmod__(a)
    return a % b


def to_the(a: Any, b: Any) -> Any:
    """`a ** b`."""
    if has_method(a, "__pow__"):
        out = a.__pow__(b)
        if out is not NotImplemented:
            return out
        return b.__rpow__(a)
    if has_method(b, "__rpow__"):
        require_handed_over(a, b)
        return b.__rpow__(a)
    return a**b


def require_handed_over(a: Any, b: Any) -> None:
    """Stop where NumPy does not leave an operator to an object, but asks it for each element of an array."""
    whole = isinstance(a, np.ndarray) and a.ndim and not hasattr(b, "__array_ufunc__")
    if whole and not getattr(b, "__array_priority__", -1.0) > a.__array_priority__:
        raise UnsupportedError(
            f"cannot differentiate an operator between an array and a {type(b).__name__}",
            why="NumPy asks the object for each element of the array, and makes an array of objects",
            todo=f"Write '__array_ufunc__ = None' in the class {type(b).__name__}, or put the object first.",
        )


def divided_whole(a: Any, b: Any) -> Any:
    """`divmod(a, b)`."""
    if has_method(a, "__divmod__"):
        out = a.__divmod__(b)
        if out is not NotImplemented:
            return out
        return b.__rdivmod__(a)
    if has_method(b, "__rdivmod__"):
        require_handed_over(a, b)
        return b.__rdivmod__(a)
    return divmod(a, b)


def matrix_times(a: Any, b: Any) -> Any:
    """`a @ b`."""
    if has_method(a, "__matmul__"):
        out = a.__matmul__(b)
        if out is not NotImplemented:
            return out
        return b.__rmatmul__(a)
    if has_method(b, "__rmatmul__"):
        require_handed_over(a, b)
        return b.__rmatmul__(a)
    return a @ b


def shifted_left(a: Any, b: Any) -> Any:
    """`a << b`."""
    if has_method(a, "__lshift__"):
        out = a.__lshift__(b)
        if out is not NotImplemented:
            return out
        return b.__rlshift__(a)
    if has_method(b, "__rlshift__"):
        require_handed_over(a, b)
        return b.__rlshift__(a)
    return a << b


def shifted_right(a: Any, b: Any) -> Any:
    """`a >> b`."""
    if has_method(a, "__rshift__"):
        out = a.__rshift__(b)
        if out is not NotImplemented:
            return out
        return b.__rrshift__(a)
    if has_method(b, "__rrshift__"):
        require_handed_over(a, b)
        return b.__rrshift__(a)
    return a >> b


def both(a: Any, b: Any) -> Any:
    """`a & b`."""
    if has_method(a, "__and__"):
        out = a.__and__(b)
        if out is not NotImplemented:
            return out
        return b.__rand__(a)
    if has_method(b, "__rand__"):
        require_handed_over(a, b)
        return b.__rand__(a)
    return a & b


def one_of(a: Any, b: Any) -> Any:
    """`a | b`."""
    if has_method(a, "__or__"):
        out = a.__or__(b)
        if out is not NotImplemented:
            return out
        return b.__ror__(a)
    if has_method(b, "__ror__"):
        require_handed_over(a, b)
        return b.__ror__(a)
    return a | b


def either_of(a: Any, b: Any) -> Any:
    """`a ^ b`."""
    if has_method(a, "__xor__"):
        out = a.__xor__(b)
        if out is not NotImplemented:
            return out
        return b.__rxor__(a)
    if has_method(b, "__rxor__"):
        require_handed_over(a, b)
        return b.__rxor__(a)
    return a ^ b


def negated(a: Any) -> Any:
    """`-a`."""
    if has_method(a, "__neg__"):
        return a.__neg__()
    return -a


def positive(a: Any) -> Any:
    """`+a`."""
    if has_method(a, "__pos__"):
        return a.__pos__()
    return +a


def inverted(a: Any) -> Any:
    """`~a`."""
    if has_method(a, "__invert__"):
        return a.__invert__()
    return ~a


def size_of(a: Any) -> Any:
    """`abs(a)`."""
    if has_method(a, "__abs__"):
        return a.__abs__()
    return abs(a)


def number_of(a: Any) -> Any:
    """`float(a)`."""
    if has_method(a, "__float__"):
        return a.__float__()
    return float(a)


def double_of(a: Any) -> Any:
    """`np.float64(a)`."""
    if has_method(a, "__float__"):
        return np.float64(a.__float__())
    return np.float64(a)


def complex_of(a: Any) -> Any:
    """`complex(a)`."""
    if has_method(a, "__complex__"):
        return a.__complex__()
    if has_method(a, "__float__"):
        return complex(a.__float__())
    return complex(a)


def rounded(a: Any, *digits: Any) -> Any:
    """`round(a, digits)`."""
    if has_method(a, "__round__"):
        return a.__round__(*digits)
    return round(a, *digits)


def shallow_copy(a: Any) -> Any:
    """`copy.copy(a)`."""
    if has_method(a, "__copy__"):
        return a.__copy__()
    return copy.copy(a)


def deep_copy(a: Any) -> Any:
    """`copy.deepcopy(a)`."""
    if has_method(a, "__deepcopy__"):
        return a.__deepcopy__({})
    require_plain_parts(a)
    return copy.deepcopy(a)


def require_plain_parts(a: Any, depth: int = 6) -> None:
    """Stop at a deep copy of what holds an object whose class says what a copy is."""
    held = vars(a) if is_object(a) else a
    for v in held.values() if isinstance(held, dict) else held if isinstance(held, (list, tuple)) else ():
        if has_method(v, "__deepcopy__"):
            raise UnsupportedError(
                f"cannot differentiate a deep copy of a {type(a).__name__}",
                why=f"it holds a {type(v).__name__}, whose class says what a copy is", todo="Copy its parts.",
            )  # fmt: skip
        if depth:
            require_plain_parts(v, depth - 1)


def item_of(x: Any, index: Any) -> Any:
    """`x[index]`."""
    if has_method(x, "__getitem__"):
        return x.__getitem__(index)
    return x[index]


def iterated(x: Any) -> Any:
    """What a loop over x runs over."""
    if has_method(x, "__iter__"):
        listed = listing_of(x)
        return listed(x)
    if has_method(x, "__getitem__"):
        return items_by_index(x)
    return x


def items_by_index(x: Any) -> Any:
    """The items of an object that gives them by index, to its length, or until there is none."""
    if has_method(x, "__len__"):
        return [x.__getitem__(k) for k in range(x.__len__())]
    items = []
    k = 0
    more = True
    while more:
        try:
            item = x.__getitem__(k)
        except IndexError:
            more = False
        else:
            items.append(item)
            k += 1
    return items


def items_for(owner: Any, x: Any) -> Any:
    """What `owner.extend(x)` reads, of a list; an object gets x itself."""
    return x if is_object(owner) else iterated(x)


def pairs_for(owner: Any, x: Any) -> Any:
    """What `owner.update(x)` reads, of a dict."""
    if is_object(owner) or not has_method(x, "__iter__"):
        return x
    if has_method(x, "keys"):
        raise UnsupportedError(
            f"cannot differentiate 'update' by a {type(x).__name__}", why="what its methods give is not followed there",
            todo="Write a dict: {k: x[k] for k in x.keys()}.",
        )  # fmt: skip
    return dict(iterated(x))


class AllOrNothing:
    """Around what reads all items of an object, where exceptions are caught: some items were there before one."""

    def __init__(self, title: str) -> None:
        self.title = title

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if error is not None and not isinstance(error, TangentError):
            raise UnsupportedError(
                f"cannot differentiate a loop inside 'try' over a {self.title} that raises a {kind.__name__} half-way",
                why="its items are all read before the loop begins, and those before the exception are lost",
                todo=f"Loop over an object of a class that is named here: items = {self.title}(...).",
            ) from error


def iterated_where_caught(x: Any) -> Any:
    """What a loop over x runs over, inside `try`."""
    if yields(x):
        listed = listing_of(x)
        title = type(x).__name__
        with AllOrNothing(title):
            return listed(x)
    return x


def iterated_in_part(x: Any) -> Any:
    """What a loop over x runs over that may be left before the end."""
    if has_method(x, "__next__"):
        raise UnsupportedError(
            f"cannot differentiate a loop over a {type(x).__name__} that may be left early",
            why="its items are all read before the loop begins, and the rest of them is lost",
            todo="Read as many as are needed: for _ in range(n): v = it.__next__().",
        )
    return iterated(x)


def iterated_early(x: Any) -> Any:
    """What an iterator of x runs over that is kept where objects change."""
    if has_method(x, "__iter__"):
        raise UnsupportedError(
            f"cannot differentiate an iterator of a {type(x).__name__} that is kept where objects change",
            why="its items are all read when it is made",
            todo="Loop over the object, or keep list(...) of it.",
        )
    return x


def reversed_of(x: Any) -> Any:
    """What a loop over `reversed(x)` runs over."""
    if has_method(x, "__reversed__"):
        listed = listing_of(x, "__reversed__")
        return listed(x)
    return list(reversed(x))


def drained(x: Any) -> Any:
    """All that an iterator gives."""
    if not has_method(x, "__next__"):
        return iterated(x)
    step = step_of(x)
    items = []
    item = step(x)
    while item is not ENDED:
        items.append(item)
        given = item
        item = step(x)
        again = item is given
        if again:
            require_no_array(item, type(x).__name__)
    return items


def require_no_array(item: Any, title: str) -> None:
    """Stop where an iterator gives one array again: what it has given before changes with it."""
    if isinstance(item, np.ndarray):
        raise UnsupportedError(
            f"cannot differentiate a loop over a {title}",
            why="it gives one array again and again, and its items are all read before the loop begins",
            todo="Give a new array each time: 'self.x = self.x * k' instead of 'self.x *= k'.",
        )


def summed(items: Any, start: Any = 0) -> Any:
    """`sum(items, start)`."""
    if not holds_objects(items):
        return sum(items, start)
    total = start
    for v in items:
        total = plus(total, v)
    return total


def multiplied(items: Any, start: Any = 1) -> Any:
    """`math.prod(items, start=start)`."""
    if not holds_objects(items):
        return math.prod(items, start=start)
    total = start
    for v in items:
        total = times(total, v)
    return total
