"""What a derivative checks when it is called: that the seed fits the result."""

from __future__ import annotations

import dis
import functools
import inspect
import itertools
import sys
import types
from typing import Any

import numpy as np

from tangent.errors import ArgumentError, Location, OptionError, SeedError, TangentError, UnsupportedError
from tangent.runtime.dispatch import map_structure
from tangent.runtime.fit import broadcast_like, unbroadcast
from tangent.runtime.memory import Memory
from tangent.runtime.objects import NUMBERS, OPERATORS, is_object
from tangent.runtime.zeros import ZeroGrad

_ATTRIBUTES = ("LOAD_ATTR", "STORE_ATTR", "DELETE_ATTR", "LOAD_METHOD")
_NO_NUMBERS = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, set, frozenset, range)
_FLOAT = np.dtype(np.float64)
_OPERATIONS = OPERATORS.union(
    ("__setitem__", "__array_ufunc__", "__array_function__"), (v for v in dir(np.ndarray) if not v.startswith("__"))
)
_TODO = "Pass a seed of the result's shape as the last argument, or reduce the result to a number with np.sum."
_ALIKE = "each part of the result has a seed"
_FLOATS = "Return a float or an array of floats (has_aux=True for further results)."
_FILLED = "Return a float or an array of floats; of a function that fills its arguments, one of those: 'return a'."


def check_seed(seed: Any, *results: Any) -> Any:
    """The seed in the dtype of the result, which is broadcast from the values given."""
    if type(seed) is float and len(results) == 1 and isinstance(results[0], float):
        return seed
    if seed is None or isinstance(seed, (str, bytes)):
        raise SeedError(f"the seed is {type(seed).__name__}, not a number", why="gradients are added up", todo=_TODO)
    if len(results) == 1 and not isinstance(results[0], (np.ndarray, np.generic, float, int, complex)):
        return _check_structure(seed, results[0])
    if any(isinstance(r, (list, tuple, dict)) for r in results):
        return seed
    arrays = [np.asarray(r) for r in results]
    shape = np.broadcast_shapes(*(a.shape for a in arrays))
    if isinstance(seed, (dict, list, tuple)):
        raise SeedError(f"the seed is a {type(seed).__name__}, the result a number or an array", why=_ALIKE, todo=_TODO)
    if np.shape(seed) != shape:
        if isinstance(seed, float) and seed == 1.0:
            raise SeedError(
                f"the result has shape {shape}, not a single number", why="its gradient needs a seed", todo=_TODO
            )
        raise SeedError(f"the seed has shape {np.shape(seed)}, the result {shape}", why=_ALIKE, todo=_TODO)
    return _cast(seed, [a.dtype for a in arrays])


def check_constant(seed: Any, result: Any) -> Any:
    """The seed of a result that does not depend on the arguments: an integer, which has no gradient, needs one."""
    integer = isinstance(result, (int, np.integer)) or (isinstance(result, np.ndarray) and result.dtype.kind in "iu")
    if integer and type(seed) is float and seed == 1.0 and not isinstance(result, bool):
        kind = type(result).__name__ if np.ndim(result) == 0 else f"an array of {result.dtype}"
        raise SeedError(f"the result is {kind}, not a float", why="integers do not change gradually", todo=_FLOATS)
    return check_seed(seed, result)


def check_seed_by(seed: Any, shapes: tuple[Any, ...], dtypes: tuple[Any, ...], exact: bool) -> Any:
    """The seed of a result that is broadcast from arguments, and has their dtype (`exact`) or one that follows from it.

    Whatever is no number at all is left to the derivative, which does with it what the function does.
    """
    if type(seed) is float and not shapes and all(getattr(a, "dtype", None) is _FLOAT for a in dtypes):
        return seed
    numbers = [float(a) if isinstance(a, (bool, np.bool_)) else a for a in shapes]
    if not all(isinstance(a, (np.ndarray, np.generic, float, int, complex)) for a in numbers):
        return seed
    given = [np.asarray(a).dtype for a in dtypes if isinstance(a, (np.ndarray, np.generic, float, int, complex))]
    found = check_seed(seed, *(np.zeros(np.shape(a)) for a in numbers or [0.0]))
    if any(d.kind == "c" for d in given) and isinstance(seed, float) and seed == 1.0:
        return _cast(seed, [np.dtype(complex)])
    return _cast(found, [d for d in given if d.kind in "fc"] or [np.dtype(float)]) if exact else found


def _cast(seed: Any, dtypes: list[np.dtype[Any]]) -> Any:
    dtype = np.result_type(*dtypes)
    if dtype.kind == "c" and isinstance(seed, float) and seed == 1.0:
        raise SeedError(
            "the result is complex", why="its gradient needs a seed",
            todo="Pass a complex seed, or take np.real, np.imag or np.abs of the result.",
        )  # fmt: skip
    if dtype.kind not in "fciu":
        raise SeedError(f"the result is {dtype}, not a float", why="only numbers have gradients", todo=_FLOATS)
    if isinstance(seed, int):
        return float(seed)
    if dtype.kind == "f" and dtype != np.float64 and getattr(seed, "dtype", None) != dtype:
        return dtype.type(seed) if np.ndim(seed) == 0 else np.asarray(seed, dtype)
    return seed


def _check_structure(seed: Any, result: Any) -> Any:
    if result is None or isinstance(result, (str, bytes, bool)):
        kind = "None" if result is None else type(result).__name__
        todo = _FILLED if result is None else _FLOATS
        raise SeedError(f"the result is {kind}, not a float", why="only numbers have gradients", todo=todo)
    if isinstance(result, (list, tuple, dict)):
        if not isinstance(seed, (list, tuple, dict)) or len(seed) != len(result):
            raise SeedError(
                f"the result is a {type(result).__name__} of {len(result)}, not a single number",
                why="its gradient needs a seed of the same structure",
                todo="Pass such a seed as the last argument, or return one number (has_aux=True for further results).",
            )
        keys = result if isinstance(result, dict) else range(len(result))
        for k in itertools.islice(keys, len(result)):
            if isinstance(seed, dict) and k not in seed:
                raise SeedError(f"the seed has no item {k!r}, the result has", why=_ALIKE, todo=_TODO)
            if isinstance(result[k], (np.ndarray, np.generic, float, int, complex)) and not isinstance(
                result[k], bool
            ) and seed[k] is not None:  # fmt: skip
                check_seed(_not_default(seed[k]), result[k])
            elif isinstance(result[k], (list, tuple, dict)) and seed[k] is not None:
                _check_structure(seed[k], result[k])
    elif type(seed) is float and (isinstance(result, _NO_NUMBERS) or is_object(result)):
        raise SeedError(
            f"the result is a {type(result).__name__}, not a single number",
            why="its gradient needs a seed of the same structure", todo=_FLOATS,
        )  # fmt: skip
    return seed


def _not_default(seed: Any) -> Any:
    """A number inside a structure was surely given: it is not the default seed."""
    return np.float64(seed) if type(seed) is float else seed


def seed_each(seed: Any, result: Any) -> Any:
    """A number as the seed of every number in a result of any structure; another seed as it is.

    >>> seed_each(1.0, (2.0, [3.0, "text"]))
    (1.0, [1.0, None])
    """
    if isinstance(seed, (list, tuple, dict)) or np.ndim(seed):
        return seed
    if isinstance(result, (list, tuple, dict)) or is_object(result):
        return map_structure(lambda part: seed_each(seed, part), result)
    if result is None or isinstance(result, (str, bytes, bool)):
        return None
    return broadcast_like(seed, result)


def sum_each(b: Any, seed: Any) -> Any:
    """The adjoint of `seed_each`, like the seed: the sum over all numbers, unless that was one of the structure."""
    if isinstance(seed, (list, tuple, dict)) or (np.ndim(seed) and not isinstance(b, np.ndarray)):
        return b
    if isinstance(b, (list, tuple, dict)):
        return sum((sum_each(v, seed) for v in (b.values() if isinstance(b, dict) else b)), 0.0)
    return 0.0 if b is None else unbroadcast(b, seed)


def require_pair(result: Any) -> None:
    """With has_aux=True a function returns two things.

    >>> require_pair((1.0, "epoch 3"))
    """
    if isinstance(result, (tuple, list)) and len(result) == 2:
        return
    what = "nothing" if result is None else f"a {type(result).__name__}"
    if isinstance(result, (tuple, list, np.ndarray)):
        what = "an array" if isinstance(result, np.ndarray) else f"{len(result)} things"
    raise OptionError(
        f"has_aux=True: the function returned {what}",
        why="it is for functions that return two things, what is differentiated and what goes along",
        todo="Return such a pair, or leave has_aux out.",
    )


def check_tangent(tangent: Any, argument: Any, name: str) -> Any:
    """A tangent has the shape of its argument; that of a text or a function may be None."""
    if tangent is None and (argument is None or isinstance(argument, (str, bytes)) or callable(argument)):
        return None
    if tangent is None:
        raise SeedError(
            f"the tangent of '{name}' is missing",
            why="forward mode starts with it",
            todo="Pass one tangent per wrt argument, after all arguments (those with a default, too) or by keyword.",
        )
    if isinstance(argument, (np.ndarray, np.generic, float, int, complex)):
        is_list = isinstance(tangent, (list, tuple))
        if is_list or np.shape(tangent) != np.shape(argument):
            what = f"is a {type(tangent).__name__}" if is_list else f"has shape {np.shape(tangent)}"
            kind = "a number or an array" if is_list else np.shape(argument)
            raise SeedError(
                f"the tangent of '{name}' {what}, the argument {kind}", why="each element of the argument has one",
                todo="Pass one tangent per wrt argument, after the arguments, each of its argument's shape.",
            )  # fmt: skip
    if isinstance(argument, (dict, list, tuple)) and not isinstance(tangent, ZeroGrad):
        _check_parts(tangent, argument, name)
    return tangent


def _check_parts(tangent: Any, argument: Any, name: str) -> None:
    """The tangent of a container has one for each of its items, which may be None for what has none."""
    keys = list(argument) if isinstance(argument, dict) else range(len(argument))
    if isinstance(argument, dict):
        fits = isinstance(tangent, dict) and all(k in tangent for k in keys)
    else:
        fits = isinstance(tangent, (list, tuple, np.ndarray)) and len(tangent) == len(argument)
    if not fits:
        raise SeedError(
            f"the tangent of '{name}' is not like the argument, a {type(argument).__name__} of {len(argument)}",
            why="each item of the argument has one", todo="Pass a tangent of the same structure.",
        )  # fmt: skip
    for k in keys:
        if type(argument[k]) is not float and tangent[k] is not None:
            check_tangent(tangent[k], argument[k], f"{name}[{k!r}]")


def check_arguments(
    arguments: dict[str, Any], numbers: tuple[str, ...], arrays: frozenset[str] | None = None,
    items: frozenset[str] = frozenset(), written: tuple[str, ...] = (),
) -> bool:  # fmt: skip
    """No masked arrays, matrices and others of that kind; lists and tuples are no operands of arithmetic.

    Whether an argument in `arrays`, which NumPy or an operator takes for an array, is a list, or one in `items` holds
    lists of numbers: for these there is other code, and where there is not (None) they are refused.
    """
    for name, value in arguments.items():
        if name in written and isinstance(value, np.ndarray) and value.dtype.kind in "iub":
            error = ArgumentError(
                f"the argument '{name}' is an array of {value.dtype}, and the function writes into it or a copy of it",
                why="no derivative passes through what integers hold", todo=f"Pass {name}.astype(float).",
            )  # fmt: skip
            error.written = name
            raise error
        if type(value) in NUMBERS:
            continue
        if isinstance(value, np.ndarray) and has_own_operations(value):
            raise ArgumentError(
                f"the argument '{name}' is a {type(value).__name__}", why="its operations are not those of arrays",
                todo=f"Pass np.asarray({name}).",
            )  # fmt: skip
        if not isinstance(value, (list, tuple, dict)):
            continue
        if arrays is not None and (name in arrays or (name in items and holds_lists(value))):
            return True
        if name in numbers:
            todo = "Compute with its items." if isinstance(value, dict) else f"Pass np.array({name})."
            raise ArgumentError(
                f"the argument '{name}' is a {type(value).__name__}, and the function computes with it",
                why="its operators are those of numbers and arrays", todo=todo,
            )  # fmt: skip
    return False


def has_own_operations(x: Any) -> bool:
    """Whether the class of an array says itself what its operations mean."""
    cls: Any = type(x)
    return _redefines(cls)


@functools.lru_cache(maxsize=256)
def _redefines(cls: Any) -> bool:
    own = {name for c in cls.__mro__[: cls.__mro__.index(np.ndarray)] for name in vars(c)}
    return bool(own & _OPERATIONS)


HOLDING = (list, tuple, dict, Memory)


def holds_lists(value: Any) -> bool:
    """Whether a list of numbers is among the items of a container."""
    if isinstance(value, Memory):
        return value.lists
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    inside = [v for v in parts if isinstance(v, HOLDING)]
    return any(holds_lists(v) or (isinstance(v, (list, tuple)) and _has_numbers(v)) for v in inside)


def _has_numbers(items: Any) -> bool:
    return any(isinstance(v, (float, int, complex, np.generic)) for v in items)


def error_raised() -> BaseException | None:
    """The exception that is being handled; one of Tangent's own is not the program's to handle."""
    error = sys.exception()
    if isinstance(error, TangentError):
        raise error
    return error


def without_numbers(error: BaseException | None) -> BaseException | None:
    """An exception that its handler looks into: what it brings along is not followed, so it may hold no numbers.

    Nor may the one that it was raised from.
    """
    if error is None:
        return None
    held = [*error.args, *getattr(error, "__dict__", {}).values()]
    without_numbers(error.__cause__)
    if any(map(_holds_numbers, held)):
        raise UnsupportedError(
            f"cannot differentiate what a '{type(error).__name__}' brings to its handler",
            why="the derivative of a value does not travel with an exception",
            todo="Assign it to a variable before 'raise', or return it.",
        )  # fmt: skip
    return error


def traceback_of(error: BaseException) -> types.TracebackType | None:
    return error.__traceback__


def new_context(manager: Any) -> Any:
    """Enter a context, as `with` does."""
    return type(manager).__enter__(manager)


def error_left(manager: Any, error: BaseException | None) -> BaseException | None:
    """Leave a context, as `with` does: what goes on to be raised, if anything."""
    told = (None, None, None) if error is None else (type(error), error, error.__traceback__)
    return None if type(manager).__exit__(manager, *told) else error


def error_told(cls: type[BaseException], given: tuple[Any, ...]) -> BaseException:
    """The exception that a function has told about."""
    return cls(*given)


def place_told(names: tuple[tuple[str, int], ...], key: str) -> int | None:
    """Which of the values that an exception was made from one of its attributes is.

    >>> place_told((("value", 0),), "value")
    0
    """
    return dict(names).get(key)


def require_no_numbers(x: Any, file: str, line: int, text: str) -> None:
    """Stop where a context manager is given something with numbers that it may change."""
    if isinstance(x, (list, dict, np.ndarray)) and _holds_numbers(x):
        raise UnsupportedError(
            f"cannot differentiate 'with' of a manager that is given a {type(x).__name__}",
            Location(file, line, text, 0, len(text)), "it may change what it is given",
            "Write it as a generator with contextlib.contextmanager, or do before and after what it does.",
        )  # fmt: skip


def require_no_state(x: Any, used: bool, file: str, line: int, text: str) -> None:
    """Stop where a context manager is an object of the user's with numbers that it may change, or that it may keep.

    What is `used` beside the `with` may be given something to keep, which its methods are not told.
    """
    if is_object(x) and (_holds_numbers(x) or (used and _keeps(type(x)))):
        raise UnsupportedError(
            f"cannot differentiate 'with' of a {type(x).__name__} here", Location(file, line, text, 0, len(text)),
            "it may hold numbers, and its class is not known before the function runs",
            "Make it in the function, or call what it does before and after.",
        )  # fmt: skip


def _keeps(cls: Any) -> bool:
    """Whether a class of the user's looks at attributes when an object is entered or left."""
    if cls.__module__.split(".")[0] in sys.stdlib_module_names:
        return False
    methods = [inspect.getattr_static(cls, v, None) for v in ("__enter__", "__exit__")]
    code = [m.__code__ for m in methods if isinstance(m, types.FunctionType)]
    return any(i.opname in _ATTRIBUTES for c in code for i in dis.get_instructions(c))


def require_method(x: Any, name: str, function: Any, file: str, line: int, text: str) -> None:
    """Stop where a method of an object is another function than the one that its name was taken for."""
    found = inspect.getattr_static(type(x), name, None)
    if getattr(found, "__wrapped__", None) is not function or name in getattr(x, "__dict__", {}):
        raise UnsupportedError(
            f"cannot differentiate 'with' of '{name}' of a {type(x).__name__}",
            Location(file, line, text, 0, len(text)), "its class is not known before the function runs",
            "Import the class by its name, or give the method a name that no other class has.",
        )  # fmt: skip


def _holds_numbers(x: Any, depth: int = 3) -> bool:
    """Whether x is, or holds, a number or array of the kind that derivatives have."""
    if isinstance(x, (float, complex)):
        return True
    if isinstance(x, (np.ndarray, np.generic)):
        return x.dtype.kind in "fcO"
    if depth == 0 or isinstance(x, (str, bytes, int, type)):
        return False
    if isinstance(x, dict):
        x = list(x.values())
    inner = x if isinstance(x, (list, tuple, set, frozenset)) else getattr(x, "__dict__", {}).values()
    return any(_holds_numbers(v, depth - 1) for v in inner)


class unbroken:
    """A context manager around another, which may not end the block with an exception and go on after it."""

    def __init__(self, manager: Any, file: str, line: int, text: str) -> None:
        self.manager, self.where = manager, Location(file, line, text, 0, len(text))

    def __enter__(self) -> Any:
        return self.manager.__enter__()

    def __exit__(self, *error: Any) -> None:
        if self.manager.__exit__(*error) and error[1] is not None:
            raise UnsupportedError(
                "cannot differentiate a block that its context manager has cut short", self.where,
                "an exception was raised inside and went no further",
                "Use 'try' and 'except', or contextlib.suppress.",
            ) from error[1]  # fmt: skip
