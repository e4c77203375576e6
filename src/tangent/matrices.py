"""Jacobians, Hessians and products with them: arrays, in the structure of the result and then of the argument."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tangent.api import Function, Wrt, compiling, derivative, grad, jvp, wrt_names
from tangent.errors import OptionError, SeedError, UnsupportedError, caller
from tangent.options import Compiler, Mode, Options
from tangent.rules.callables import plain_function
from tangent.runtime.dispatch import map_structure
from tangent.runtime.library import EAGER
from tangent.runtime.objects import is_object


def jacrev(f: Function, wrt: Wrt = (0,), compile: Compiler | None = None, **jit: Any) -> Function:
    """The Jacobian by reverse mode, a row for each element of the result: shape `result.shape + argument.shape`.

    A tuple, a dict or an object as result has a Jacobian for each of its parts, and in it one for each part of such an
    argument. A list of numbers is an array.

    >>> def f(x): return np.array([x[0] * x[1], x[1]])
    >>> jacrev(f)(np.array([2.0, 3.0]))
    array([[3., 2.],
           [0., 1.]])
    >>> jacrev(lambda p: p["a"] * p["b"])({"a": 2.0, "b": 3.0})
    {'a': array(3.), 'b': array(2.)}
    """
    names = wrt_names(f, wrt)
    pullback = derivative(f, names, compiling(f, Options(check_dims=False), compile, jit))
    plain = plain_function(f)

    def jacobian_of(*args: Any, **kwargs: Any) -> Any:
        bound = _bound(f, args, kwargs)
        result = _result(plain(*bound.args, **bound.kwargs))
        arguments = [_Parts.of(bound.arguments[n]) for n in names]

        def block(k: int, value: Any) -> Any:
            rows = [_call(pullback, bound, [result.zero_but(k, unit)]) for unit in _basis(value)]
            columns = zip(*(row if len(names) > 1 else (row,) for row in rows)) if rows else [()] * len(names)
            return _one_or_all([_stacked(value, a, column) for a, column in zip(arguments, columns)])

        return result.each(block)

    return _described(jacobian_of, f, "Jacobian", names, jacobian)


def _stacked(value: Any, argument: _Parts, rows: Sequence[Any]) -> Any:
    """The Jacobian of one part of a result, given the gradients of its elements."""
    gradients = [_Parts.of(row, argument.whole).parts for row in rows]

    def block(j: int, part: Any) -> Any:
        stacked = np.array([np.asarray(each[j]) for each in gradients]) if gradients else np.zeros((0,))
        return np.reshape(stacked, np.shape(value) + np.shape(part))

    return argument.each(block)


def jacfwd(f: Function, wrt: Wrt = (0,), compile: Compiler | None = None, **jit: Any) -> Function:
    """The Jacobian by forward mode, a column for each element of the argument: shape `result.shape + argument.shape`.

    >>> def f(x): return np.array([x[0] * x[1], x[1]])
    >>> jacfwd(f)(np.array([2.0, 3.0]))
    array([[3., 2.],
           [0., 1.]])
    """
    names = wrt_names(f, wrt)
    pushes = [jvp(f, n, check_dims=False, compile=compile, **jit) for n in names]
    plain = plain_function(f)

    def jacobian_of(*args: Any, **kwargs: Any) -> Any:
        bound = _bound(f, args, kwargs)
        result = _result(plain(*bound.args, **bound.kwargs))
        arguments = [_Parts.of(bound.arguments[n]) for n in names]
        moved = [_columns(result, a, push, bound) for a, push in zip(arguments, pushes)]

        def block(k: int, value: Any) -> Any:
            return _one_or_all([_side_by_side(k, value, a, columns) for a, columns in zip(arguments, moved)])

        return result.each(block)

    return _described(jacobian_of, f, "Jacobian", names, jacobian)


def _columns(result: _Parts, argument: _Parts, push: Function, bound: inspect.BoundArguments) -> list[list[Any]]:
    """For each part of an argument, the parts of the result that each of its elements moves."""
    return [
        [_Parts.of(_call(push, bound, [argument.zero_but(j, unit)]), result.whole).parts for unit in _basis(part)]
        if _is_numeric(part) else []
        for j, part in enumerate(argument.parts)
    ]  # fmt: skip


def _side_by_side(k: int, value: Any, argument: _Parts, columns: list[list[Any]]) -> Any:
    """The Jacobian of one part of a result, given what each element of an argument moves."""

    def block(j: int, part: Any) -> Any:
        stacked = np.stack([c[k] for c in columns[j]], axis=-1) if columns[j] else np.zeros((*np.shape(value), 0))
        return np.reshape(stacked, np.shape(value) + np.shape(part))

    return argument.each(block)


def jacobian(
    f: Function, wrt: Wrt = (0,), mode: Mode = "reverse", compile: Compiler | None = None, **jit: Any
) -> Function:
    """The Jacobian, `result.shape + argument.shape`, by reverse mode or by forward mode."""
    if mode not in ("reverse", "forward"):
        raise OptionError(f"mode={mode!r}", caller(), "there are two modes", "Pass 'reverse' or 'forward'.")
    return jacrev(f, wrt, compile, **jit) if mode == "reverse" else jacfwd(f, wrt, compile, **jit)


def hessian(f: Function, wrt: Wrt = (0,), compile: Compiler | None = None, **jit: Any) -> Function:
    """The matrix of second derivatives of a function with one number as result: forward over reverse.

    With several arguments in `wrt` a tuple of tuples of blocks; by a dict a dict of dicts of blocks.

    >>> def f(x): return x[0] * x[0] * x[1]
    >>> hessian(f)(np.array([2.0, 3.0]))
    array([[6., 4.],
           [4., 0.]])
    """
    names = wrt_names(f, wrt)
    rows = [jacfwd(grad(f, n, compile=compile, **jit), names, compile, **jit) for n in names]

    def hessian_of(*args: Any, **kwargs: Any) -> Any:
        bound = _bound(f, args, kwargs)
        return _one_or_all([row(*bound.args, **bound.kwargs) for row in rows])

    return _described(hessian_of, f, "Hessian", names, hessian)


def hvp(f: Function, wrt: Wrt = (0,), compile: Compiler | None = None, **jit: Any) -> Function:
    """Hessian-vector products, forward over reverse: `hvp(f, wrt)(*args, *vectors)`.

    >>> def f(x): return x[0] * x[0] * x[1]
    >>> hvp(f)(np.array([2.0, 3.0]), np.array([1.0, 0.0]))
    array([6., 4.])
    """
    names = wrt_names(f, wrt)
    pushed = jvp(grad(f, names, compile=compile, **jit), names, check_dims=False, compile=compile, **jit)

    def product(*args: Any, **kwargs: Any) -> Any:
        arguments, vectors = args[: max(len(args) - len(names), 0)], args[-len(names) :]
        try:
            bound = _bound(f, arguments, kwargs)
        except TypeError as e:
            raise SeedError(
                f"{len(args)} arguments and vectors do not fit", caller(),
                f"{e}; a Hessian is multiplied with a vector for each of wrt, which is {', '.join(names)}",
                "Pass the vectors after the arguments.",
            ) from None  # fmt: skip
        return _call(pushed, bound, vectors)

    return _described(product, f, "Hessian-vector product", names, None)


# Values and their parts


@dataclass(frozen=True)
class _Parts:
    """A value and the arrays, numbers and other things in it, in the order of its structure."""

    whole: Any
    parts: list[Any]

    @classmethod
    def of(cls, value: Any, like: Any = None) -> _Parts:
        """The parts of a value; those of a gradient are divided like its argument."""
        found: list[Any] = []

        def take(whole: Any, x: Any) -> None:
            if _has_parts(whole):
                map_structure(take, whole, x)
            else:
                found.append(x)

        whole = value if like is None else like
        take(whole, value)
        return cls(whole, found)

    def each(self, made: Callable[[int, Any], Any]) -> Any:
        """What is made of each part that consists of numbers, in their structure; nothing of others."""
        return self.holding([made(k, part) if _is_numeric(part) else None for k, part in enumerate(self.parts)])

    def holding(self, parts: Sequence[Any]) -> Any:
        """Others in the structure of these."""
        rest = iter(parts)

        def put(x: Any) -> Any:
            return map_structure(put, x) if _has_parts(x) else next(rest)

        return put(self.whole)

    def zero_but(self, k: int, unit: Any) -> Any:
        """Zeros in the structure of these, but for one part."""
        return self.each(lambda j, part: unit if j == k else np.zeros(np.shape(part), _dtype(part))[()])


def _has_parts(x: Any) -> bool:
    """Whether a value is divided: a list of numbers is an array."""
    return isinstance(x, (tuple, dict)) or is_object(x) or (isinstance(x, list) and not _is_numeric(x))


def _is_numeric(x: Any) -> bool:
    try:
        return np.asarray(x).dtype.kind in "fciub"
    except ValueError:  # lists of several lengths
        return False


def _result(value: Any) -> _Parts:
    found = _Parts.of(value)
    if not any(map(_is_numeric, found.parts)):
        kind = "None" if value is None else type(value).__name__
        raise SeedError(
            f"the result is {kind}", caller(), "a Jacobian is that of numbers",
            "Return a float or an array of floats, or take the derivative by each part with vjp or jvp.",
        )  # fmt: skip
    return found


def _basis(value: Any) -> Iterator[Any]:
    """Arrays like the value with a single one in them, each in turn."""
    for index in np.ndindex(np.shape(value)):
        unit = np.zeros(np.shape(value), _dtype(value))
        unit[index] = 1.0
        yield unit if unit.shape else unit[()]


def _dtype(value: Any) -> np.dtype[Any]:
    found = np.asarray(value).dtype
    return found if found.kind in "fc" else np.dtype(np.float64)


def _one_or_all(blocks: list[Any]) -> Any:
    return tuple(blocks) if len(blocks) > 1 else blocks[0]


def _bound(f: Function, args: tuple[Any, ...], kwargs: dict[str, Any]) -> inspect.BoundArguments:
    """All arguments, fitted to the parameters."""
    bound = inspect.signature(plain_function(f), follow_wrapped=False).bind(*args, **kwargs)
    bound.apply_defaults()
    return bound


def _call(derivative: Function, bound: inspect.BoundArguments, seeds: Sequence[Any]) -> Any:
    """A derivative with the arguments of its primal and seeds or tangents behind them."""
    names = list(derivative.seeds.values())  # type: ignore[attr-defined]
    return derivative(*bound.args, **bound.kwargs, **dict(zip(names, seeds)))


def _described(function: Function, f: Function, what: str, names: tuple[str, ...], form: Function | None) -> Function:
    """What a matrix of derivatives tells of itself; `form` is the function whose form for differentiation it has."""
    plain = plain_function(f)
    if form is not None:
        function.__signature__ = inspect.signature(plain, follow_wrapped=False)  # type: ignore[attr-defined]

    def within() -> Function:
        """The same in terms that can be differentiated."""
        if form is None or len(names) > 1:
            raise UnsupportedError(
                f"cannot differentiate '{function.__name__}'", caller(),
                why=f"a {what} is differentiated by one argument, inside a function",
                todo="Write a function that calls it, and differentiate that.",
            )  # fmt: skip
        made: Function = EAGER[form](f, names[0])
        return made

    function.within = within  # type: ignore[attr-defined]
    function.__name__ = function.__qualname__ = f"{plain.__name__}_{what.lower().replace(' ', '_').replace('-', '_')}"
    function.__doc__ = f"The {what} of '{plain.__name__}'. By Tangent."
    return function


__all__ = ["hessian", "hvp", "jacfwd", "jacobian", "jacrev"]
