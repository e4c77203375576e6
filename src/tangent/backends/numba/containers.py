"""Lists and dicts that change, and the parts of joined ones."""

from __future__ import annotations

from typing import Any

from tangent.backends.numba.functions import listed
from tangent.backends.numba.kinds import (
    implements,
    is_array,
    is_dict,
    is_list,
    is_nothing,
    is_number,
    is_tuple,
    rank,
    value_of,
    written,
)
from tangent.backends.numba.memory import any_layout
from tangent.errors import InPlaceError
from tangent.runtime import (
    fresh_rows,
    init_grad,
    item_shadow,
    left_part,
    mutated,
    mutated_part,
    number_rows,
    right_part,
    shadow,
    unbroadcast,
    unmutated,
)

CHANGES = {  # by method, what is done to a list or dict
    "append": "changed.append(value)", "extend": "changed.extend(value)", "insert": "changed.insert(key, value)",
    "__setitem__": "changed[key] = value", "__delitem__": "changed.pop(key)", "pop": "changed.pop()",
    "reverse": "changed.reverse()",
}  # fmt: skip
BACK = {  # by method, what the old list receives, and what the new item does
    "append": ("b[:len(x)]", "b[len(b) - 1]"), "extend": ("b[:len(x)]", "b[len(x):]"),
    "insert": ("b[:key] + b[key + 1:]", "b[key]"), "__setitem__": ("b.copy()", "b[key]"),
    "reverse": ("b[::-1]", "0.0"),
}  # fmt: skip
NOT_NUMBERS = (
    "cannot differentiate an operator in place on items of lists in a list or dict: they are arrays, which others may "
    "hold, too\nWrite 't[i][j] = t[i][j] + v'."
)


@implements(mutated, prefer_literal=True)
def changed(x: Any, method: Any, key: Any, value: Any) -> Any:
    step = CHANGES.get(value_of(method))
    if step is None or not (is_list(x) or is_dict(x)):
        return None
    if value_of(method) == "pop" and is_number(key):
        step = "changed.pop(key)"
    anew = "{k: any_layout(v) for k, v in x.items()}" if is_dict(x) else "[any_layout(v) for v in x]"
    copied = anew if _laid_out_otherwise(x, value) else "x.copy()"
    text = f"def impl(x, method, key, value):\n    changed = {copied}\n    {step}\n    return changed\n"
    return written(text, any_layout=any_layout)


def _laid_out_otherwise(x: Any, value: Any) -> bool:
    """Whether a list or dict of contiguous arrays is given a view, which its type has no room for."""
    value, item = value.dtype if is_list(value) else value, row_type(x)
    return is_array(item) and is_array(value) and item.layout not in ("A", value.layout)


@implements(listed)
def of_any_layout(v: Any) -> Any:
    return (lambda v: any_layout(v)) if is_array(v) and rank(v) else (lambda v: v)


@implements(unmutated, prefer_literal=True)
def before(b: Any, x: Any, method: Any, key: Any, value: Any) -> Any:
    name = value_of(method)
    if is_dict(x) and name == "__setitem__":

        def without(b: Any, x: Any, method: Any, key: Any, value: Any) -> Any:
            found = {k: b[k] for k in x}
            if key in found:
                found[key] = init_grad(value)
            return found

        return without
    if is_list(x) and name == "pop":
        return before_last if is_nothing(key) else before_taken
    if not is_list(x) or name not in BACK:
        return None
    cut = "    found[key] = init_grad(value)\n" if name == "__setitem__" else ""
    text = f"def impl(b, x, method, key, value):\n    found = {BACK[name][0]}\n{cut}    return found\n"
    return written(text, init_grad=init_grad)


def before_last(b: Any, x: Any, method: Any, key: Any, value: Any) -> Any:
    return [*b, init_grad(x[len(x) - 1])]


def before_taken(b: Any, x: Any, method: Any, key: Any, value: Any) -> Any:
    place = key if key >= 0 else key + len(x)
    return [*b[:place], init_grad(x[place]), *b[place:]]


@implements(mutated_part, prefer_literal=True)
def of_the_new(b: Any, x: Any, method: Any, key: Any, value: Any) -> Any:
    name = value_of(method)
    if is_dict(x) and name == "__setitem__":
        return lambda b, x, method, key, value: b[key]
    if not is_list(x) or name not in BACK:
        return None
    return written(f"def impl(b, x, method, key, value):\n    return {BACK[name][1]}\n")


@implements(fresh_rows)
def rows_of_its_own(xs: Any) -> Any:
    row = row_type(xs)
    copied = "row.copy()" if is_list(row) or is_array(row) else "row"
    if is_list(xs):
        return written(f"def impl(xs):\n    return [{copied} for row in xs]\n")
    return written(f"def impl(xs):\n    return {{k: {copied} for k, row in xs.items()}}\n") if is_dict(xs) else None


@implements(number_rows)
def rows_of_numbers(xs: Any) -> Any:
    row = row_type(xs)
    if is_list(row) and not is_number(row.dtype):

        def refuse(xs: Any) -> Any:
            if len(xs) > 0:
                raise InPlaceError(NOT_NUMBERS)
            return fresh_rows(xs)

        return refuse
    return lambda xs: fresh_rows(xs)


def row_type(xs: Any) -> Any:
    """The type of what a list or dict holds."""
    return xs.value_type if is_dict(xs) else getattr(xs, "dtype", None)


@implements(item_shadow)
def shadow_of_item(x: Any, shade: Any = None) -> Any:
    if is_nothing(x):
        return lambda x, shade=None: None
    if is_nothing(shade) or is_number(x):
        return lambda x, shade=None: shadow(x)
    return lambda x, shade=None: shade


# Joined sequences


@implements(left_part)
def of_the_left(b: Any, x: Any, y: Any) -> Any:
    if is_tuple(x) and is_tuple(y):
        return written(f"def impl(b, x, y):\n    return ({''.join(f'b[{i}], ' for i in range(len(x)))})\n")
    if is_list(x) and is_list(y):
        return lambda b, x, y: b[: len(x)]
    return lambda b, x, y: unbroadcast(b, x)


@implements(right_part)
def of_the_right(b: Any, x: Any, y: Any) -> Any:
    if is_tuple(x) and is_tuple(y):
        places = "".join(f"b[{len(x) + i}], " for i in range(len(y)))
        return written(f"def impl(b, x, y):\n    return ({places})\n")
    if is_list(x) and is_list(y):
        return lambda b, x, y: b[len(x) :]
    return lambda b, x, y: unbroadcast(b, y)
