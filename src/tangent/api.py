"""The public functions: each a few lines over the pipeline."""

from __future__ import annotations

import functools
import re
import types
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tangent.errors import OptionError, UnsupportedError, WrtError, caller
from tangent.options import Compiler, Mode, Motion, Options, further
from tangent.rules.callables import plain_function
from tangent.runtime.calls import HANDED_ON, Service, install
from tangent.runtime.objects import is_object
from tangent.source.signatures import own_signature

Wrt = int | str | Sequence[int | str]
Function = Callable[..., Any]
Checkpoint = int | bool | None


def autodiff(
    f: Function, wrt: Wrt = (0,), optimized: bool = True, motion: Motion = "joint", mode: Mode = "reverse",
    preserve_result: bool = False, check_dims: bool = True, verbose: int = 0, has_aux: bool = False,
    compile: Compiler | None = None, checkpoint: Checkpoint = None, **jit: Any,
) -> Function:  # fmt: skip
    """The derivative of `f`, in either mode.

    >>> def f(x): return x * x * x
    >>> autodiff(f)(2.0), autodiff(f, mode="forward")(2.0, 1.0)
    (12.0, 12.0)
    """
    if motion not in ("joint", "split"):
        raise OptionError(
            f"motion={motion!r}", caller(), "the two passes are one function or two", "Pass 'joint' or 'split'."
        )
    if mode not in ("reverse", "forward"):
        raise OptionError(f"mode={mode!r}", caller(), "there are two modes", "Pass 'reverse' or 'forward'.")
    options = Options(
        mode=mode, optimized=optimized, preserve_result=preserve_result, check_dims=check_dims, has_aux=has_aux,
        summed=mode == "reverse" and not check_dims,
        checkpoint=_snapshots(checkpoint) if mode == "reverse" else None,
    )  # fmt: skip
    return derivative(f, wrt, compiling(f, options, compile, jit), verbose)


def grad(
    f: Function, wrt: Wrt = (0,), optimized: bool = True, preserve_result: bool = False, check_dims: bool = True,
    verbose: int = 0, has_aux: bool = False, compile: Compiler | None = None, checkpoint: Checkpoint = None, **jit: Any,
) -> Function:  # fmt: skip
    """The gradient of a function of numbers or arrays with one number as result.

    `wrt` holds positions or names of arguments, or paths into them (`"params.layers[0].w"`, of a method also
    `"self.w"`); one gives the gradient itself, several a tuple. The derivative takes
    the arguments of `f` and then the seed, the adjoint of the result, which is 1.0 by default. `preserve_result=True`
    appends the value of `f`; with `has_aux=True` the function returns a pair, of which the first is differentiated and
    the second is appended. An array as result needs a seed of its shape, which `check_dims` makes sure of; without it
    a number as seed is that of every element: `grad(f, check_dims=False)(x)` is the gradient of the sum.
    `optimized=False` gives the raw code, `verbose=1` prints the source. `compile="numba"` compiles the derivative;
    further keywords (`cache`, `fastmath`, `nogil`, ...) are handed to `numba.njit`. `checkpoint=10` lets each loop of
    `f` keep 10 states and run its steps again from them; `True` as many as its length asks for.

    >>> def f(x): return x * x
    >>> grad(f)(3)
    6.0
    """
    return autodiff(
        f, wrt, optimized, "joint", "reverse", preserve_result, check_dims, verbose, has_aux, compile, checkpoint,
        **further(jit),
    )  # fmt: skip


def value_and_grad(
    f: Function, wrt: Wrt = (0,), optimized: bool = True, check_dims: bool = True, verbose: int = 0,
    has_aux: bool = False, compile: Compiler | None = None, checkpoint: Checkpoint = None, **jit: Any,
) -> Function:  # fmt: skip
    """The value and the gradient of a function; with `has_aux` the value is the pair `(value, aux)`.

    >>> def f(x): return x * x
    >>> value_and_grad(f)(3.0)
    (9.0, 6.0)
    """
    options = Options(
        optimized=optimized, check_dims=check_dims, preserve_result=True, value_first=True, has_aux=has_aux,
        summed=not check_dims, checkpoint=_snapshots(checkpoint),
    )  # fmt: skip
    return derivative(f, wrt, compiling(f, options, compile, jit), verbose)


def vjp(
    f: Function, wrt: Wrt = (0,), optimized: bool = True, preserve_result: bool = False, check_dims: bool = True,
    verbose: int = 0, has_aux: bool = False, compile: Compiler | None = None, checkpoint: Checkpoint = None, **jit: Any,
) -> Function:  # fmt: skip
    """Vector-Jacobian products: `vjp(f, wrt)(*args, seed)`, the seed being of the shape of the result.

    >>> def f(x): return x * x
    >>> vjp(f)(np.array([1.0, 2.0]), np.array([1.0, 10.0]))
    array([ 2., 40.])
    """
    return autodiff(
        f, wrt, optimized, "joint", "reverse", preserve_result, check_dims, verbose, has_aux, compile, checkpoint,
        **further(jit),
    )  # fmt: skip


def jvp(
    f: Function, wrt: Wrt = (0,), optimized: bool = True, preserve_result: bool = False, check_dims: bool = True,
    verbose: int = 0, has_aux: bool = False, compile: Compiler | None = None, **jit: Any,
) -> Function:  # fmt: skip
    """Jacobian-vector products: `jvp(f, wrt)(*args, *tangents)`, one tangent for each of `wrt`.

    >>> def f(x, y): return x * y
    >>> jvp(f, wrt=(0, 1))(2.0, 3.0, 1.0, 10.0)
    23.0
    """
    return autodiff(
        f, wrt, optimized, "joint", "forward", preserve_result, check_dims, verbose, has_aux, compile,
        **further(jit),
    )  # fmt: skip


def wrt_names(f: Function, wrt: Wrt) -> tuple[str, ...]:
    """The names of the arguments that `wrt` means."""
    plain = plain_function(f)
    _refuse_handing_on(plain)
    parameters = list(own_signature(plain).parameters)
    if isinstance(wrt, (int, str, np.integer)):
        entries = [wrt]
    elif isinstance(wrt, (list, tuple, range, np.ndarray)):
        entries = list(wrt)
    else:
        raise _no_wrt(wrt, "it holds positions or names", plain.__name__, parameters)
    if not entries:
        raise _no_wrt(wrt, "it is empty", plain.__name__, parameters)
    names = tuple(_one(entry, parameters, plain.__name__) for entry in entries)
    if len(set(names)) != len(names):
        raise _no_wrt(wrt, f"it names an argument twice: {', '.join(names)}", plain.__name__, parameters)
    return names


def _refuse_handing_on(plain: types.FunctionType) -> None:
    """Stop at functions that hand on whatever they are given: what their first argument is, they do not tell."""
    captured = set(plain.__code__.co_freevars)
    if plain.__code__.co_name == "bound" and ({"names", "defaults"} <= captured or {"given", "named"} <= captured):
        raise UnsupportedError(
            "cannot differentiate a derivative of this function", caller(),
            why="defaults or further arguments are given to it here, by variables",
            todo="Write 'lambda v: f(v, k)', which captures them.",
        )  # fmt: skip
    if HANDED_ON in plain.__code__.co_varnames:
        raise UnsupportedError(
            f"cannot differentiate a derivative of the wrapper '{plain.__name__}'", caller(),
            why="it takes '*args', and the parameters of the function that it wraps are not known here",
            todo="Write 'lambda v: f(v)' around it.",
        )  # fmt: skip


def _no_wrt(wrt: Any, why: str, title: str, parameters: list[str]) -> WrtError:
    known = f"Name some of the arguments of '{title}': {', '.join(parameters)}."
    return WrtError(f"wrt={wrt!r}", caller(), why, known if parameters else f"'{title}' takes no arguments.")


def _one(entry: int | str, parameters: list[str], title: str) -> str:
    if isinstance(entry, bool) or not isinstance(entry, (int, str, np.integer)):
        raise _no_wrt(entry, "it holds positions or names", title, parameters)
    if isinstance(entry, (int, np.integer)):
        if not -len(parameters) <= entry < len(parameters):
            raise _no_wrt(entry, f"'{title}' has {len(parameters)} arguments", title, parameters)
        return parameters[entry]
    if entry not in parameters:
        raise _no_wrt(entry, f"'{title}' has no such argument", title, parameters)
    return entry


def _snapshots(count: Checkpoint) -> Checkpoint:
    """How many states loops keep: a number, True for as many as their length asks for, False or None for all."""
    if count is None or isinstance(count, bool):
        return count or None
    if not isinstance(count, (int, np.integer)) or count < 1:
        raise OptionError(
            f"checkpoint={count!r}", caller(), "it is a number of snapshots", "Pass a number from 1 on, or True."
        )
    return int(count)


def compiling(f: Function, options: Options, compile: Compiler | None, jit: dict[str, Any]) -> Options:
    """The options with those of the compiler; the derivative of something compiled is compiled with the same ones."""
    further(jit)
    if compile not in (None, "numba"):
        raise OptionError(f"compile={compile!r}", caller(), "there is one compiler", "Pass 'numba' or None.")
    given = getattr(f, "targetoptions", None) if hasattr(f, "py_func") else None
    if given is not None:
        known = {k: v for k, v in given.items() if k in PASSED_ON}
        return replace(options, compile="numba", jit=tuple(sorted((known | jit).items())))
    origin = getattr(f, "origin", None)
    if compile is None and origin is not None and origin[1].compile is not None:
        compile, jit = origin[1].compile, dict(origin[1].jit) | jit
    if compile is None and jit:
        raise OptionError(
            f"{next(iter(jit))}={next(iter(jit.values()))!r}", caller(), "it is an option of the compiler",
            "Pass compile='numba', too.",
        )  # fmt: skip
    return replace(options, compile=compile, jit=tuple(sorted(jit.items())))


PASSED_ON = frozenset("fastmath nogil error_model boundscheck cache parallel".split())


def derivative(f: Function, wrt: Wrt, options: Options, verbose: int = 0) -> Function:
    """The derivative that some options ask for, by what `wrt` means."""
    f, owner = _by_owner(f, wrt)
    paths = _paths(f, wrt)
    if paths and options.mode == "forward":
        raise WrtError(
            f"wrt={wrt!r}", caller(), "it names a part of an argument, which is for reverse mode",
            "Name the argument, and pass a tangent of the whole.",
        )  # fmt: skip
    names = tuple(dict.fromkeys(root for root, _ in paths)) or wrt_names(f, wrt)
    from tangent.service import derive

    made = derive(plain_function(f), replace(options, wrt=names, paths=paths))
    if verbose > 0:
        print(made.source, end="")  # type: ignore[attr-defined]
    return _bound_to(made, owner) if owner is not None else made


def _on_demand() -> Service:
    from tangent.service import SERVICE

    return SERVICE


install(_on_demand)


def _by_owner(f: Function, wrt: Wrt) -> tuple[Function, Any]:
    """A method or a callable object by the attributes of its object: the function behind it, and the object."""
    first = wrt if isinstance(wrt, str) else next((w for w in wrt if isinstance(w, str)), "") if isinstance(
        wrt, (list, tuple)
    ) else ""  # fmt: skip
    owner = f.__self__ if isinstance(f, types.MethodType) else f if is_object(f) else None
    behind = f.__func__ if isinstance(f, types.MethodType) else getattr(type(f), "__call__", None)
    if owner is None or not isinstance(behind, types.FunctionType):
        return f, None
    name = behind.__code__.co_varnames[0]
    return (behind, owner) if re.match(rf"{name}\b", first) else (f, None)


def _bound_to(made: Function, owner: Any) -> Function:
    """A derivative whose first argument is known."""

    @functools.wraps(made)
    def bound(*args: Any, **kwargs: Any) -> Any:
        return made(owner, *args, **kwargs)

    return bound


def _paths(f: Function, wrt: Wrt) -> tuple[tuple[str, str], ...]:
    """Arguments and paths inside them, if `wrt` names any: `("params", ".layers[0].w")`."""
    entries = list(wrt) if isinstance(wrt, (list, tuple)) else [wrt]
    if not any(isinstance(e, str) and re.search(r"[.\[]", e) for e in entries):
        return ()
    found: list[tuple[str, str]] = []
    for entry in entries:
        root, path = re.match(r"(\w*)(.*)", entry, re.S).groups() if isinstance(entry, str) else (entry, "")  # type: ignore[union-attr]
        if not re.fullmatch(r"(\.\w+|\[\s*(-?\d+|'[^']*'|\"[^\"]*\")\s*\])*", path):
            raise WrtError(
                f"wrt={entry!r}", caller(), "it is not a path of attributes and items",
                "Write it as in 'params.layers[0].w'.",
            )  # fmt: skip
        found.append((wrt_names(f, root)[0], path))
    return tuple(found)


for _maker in (autodiff, grad, value_and_grad, vjp, jvp):
    # What they return captures what their argument captures.
    setattr(_maker, "makes_derivatives", True)  # noqa: B010  (functions have no declared attributes)

__all__ = ["autodiff", "grad", "jvp", "value_and_grad", "vjp"]
