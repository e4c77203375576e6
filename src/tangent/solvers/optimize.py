"""`scipy.optimize`: roots, fixed points and minima, by the implicit function theorem.

SciPy's function finds the solution, as it would; the derivative is that of the equation there. Where the search begins
has no influence on the solution.
"""

from __future__ import annotations

import types
from typing import Any

import numpy as np
from scipy import optimize

from tangent.errors import UnsupportedError
from tangent.implicit import implicit
from tangent.template import non_differentiable

# The equations: `found` is the solution, `f` a function of it and of further arguments.


def _found(found: Any, f: Any, args: Any) -> Any:
    return found


def _zero(x: Any, found: Any, f: Any, args: Any) -> Any:
    return f(x, *args)


def _cost(x: Any, found: Any, f: Any, args: Any) -> Any:
    return cost(f(x, *args))


def _squares(x: Any, found: Any, f: Any, args: Any) -> Any:
    r = f(x, *args)
    return 0.5 * np.sum(r * r)


root_of = implicit(_found, _zero)
fixed_point_of = implicit(_found, fixed_point=_zero)
minimum_of = implicit(_found, objective=_cost)
least_squares_of = implicit(_found, objective=_squares)


def cost(value: Any) -> Any:
    """A number, given as one, as an array of one, or before its gradient."""
    return np.sum(value[0] if isinstance(value, tuple) else value)


class Solution:
    """What a solver tells, as far as it is followed: not what it knows of derivatives."""

    def __init__(self, x: Any, fun: Any, success: Any, message: Any, status: Any, nfev: Any) -> None:
        self.x, self.fun, self.success, self.message, self.status, self.nfev = x, fun, success, message, status, nfev


class LeastSquares(Solution):
    """The same of `least_squares`."""

    @property
    def cost(self) -> Any:
        return 0.5 * np.sum(self.fun * self.fun)


class ScalarRoot:
    """The same of `root_scalar`."""

    def __init__(self, root: Any, converged: Any, flag: Any, iterations: Any, function_calls: Any) -> None:
        self.root, self.converged, self.flag = root, converged, flag
        self.iterations, self.function_calls = iterations, function_calls


# The solvers


def brentq(f: Any, a: Any, b: Any, args: Any = (), *options: Any, **named: Any) -> Any:
    return root_of(value_found(optimize.brentq, f, a, b, args, *options, **named), f, as_tuple(args))


def brenth(f: Any, a: Any, b: Any, args: Any = (), *options: Any, **named: Any) -> Any:
    return root_of(value_found(optimize.brenth, f, a, b, args, *options, **named), f, as_tuple(args))


def bisect(f: Any, a: Any, b: Any, args: Any = (), *options: Any, **named: Any) -> Any:
    return root_of(value_found(optimize.bisect, f, a, b, args, *options, **named), f, as_tuple(args))


def ridder(f: Any, a: Any, b: Any, args: Any = (), *options: Any, **named: Any) -> Any:
    return root_of(value_found(optimize.ridder, f, a, b, args, *options, **named), f, as_tuple(args))


def toms748(f: Any, a: Any, b: Any, args: Any = (), *options: Any, **named: Any) -> Any:
    return root_of(value_found(optimize.toms748, f, a, b, args, *options, **named), f, as_tuple(args))


def newton(func: Any, x0: Any, fprime: Any = None, args: Any = (), *options: Any, **named: Any) -> Any:
    return root_of(value_found(optimize.newton, func, x0, fprime, args, *options, **named), func, as_tuple(args))


def fsolve(
    func: Any, x0: Any, args: Any = (), fprime: Any = None, full_output: Any = False, *options: Any, **named: Any
) -> Any:
    require_value_alone("fsolve", full_output)
    x, told, flag, message = all_found(optimize.fsolve, func, x0, args, fprime, True, *options, **named)
    require_success("fsolve", flag == 1 or np.max(np.abs(told["fvec"])) < NOTHING, message)
    return root_of(x, func, as_tuple(args))


def fixed_point(func: Any, x0: Any, args: Any = (), *options: Any, **named: Any) -> Any:
    return fixed_point_of(value_found(optimize.fixed_point, func, x0, args, *options, **named), func, as_tuple(args))


def root_scalar(f: Any, args: Any = (), *options: Any, **named: Any) -> Any:
    found = result_found(optimize.root_scalar, f, args, *options, **named)
    require_success("root_scalar", found.converged, found.flag)
    root = root_of(found.root, with_value(f, named.get("fprime")), as_tuple(args))
    return ScalarRoot(root, found.converged, found.flag, found.iterations, found.function_calls)


def root(fun: Any, x0: Any, args: Any = (), method: Any = "hybr", jac: Any = None, *options: Any, **named: Any) -> Any:
    found = result_found(optimize.root, fun, x0, args, method, jac, *options, **named)
    require_success("root", found.success or np.max(np.abs(found.fun)) < NOTHING, found.message)
    x = root_of(found.x, with_value(fun, jac), as_tuple(args))
    return Solution(x, found.fun, found.success, found.message, found.status, found.nfev)


def minimize(fun: Any, x0: Any, args: Any = (), method: Any = None, *options: Any, **named: Any) -> Any:
    found = result_found(optimize.minimize, fun, x0, args, method, *options, **named)
    require_success("minimize", found.success or found.status == PRECISION_LOSS, found.message)
    require_no_constraints("minimize", named.get("constraints"))
    require_interior("minimize", meets(found.x, named.get("bounds")))
    x = minimum_of(found.x, fun, as_tuple(args))
    return Solution(x, cost(fun(x, *as_tuple(args))), found.success, found.message, found.status, found.nfev)


def minimize_scalar(
    fun: Any, bracket: Any = None, bounds: Any = None, args: Any = (), *options: Any, **named: Any
) -> Any:
    found = result_found(optimize.minimize_scalar, fun, bracket, bounds, args, *options, **named)
    require_success("minimize_scalar", found.success, found.message)
    require_interior("minimize_scalar", meets(found.x, bounds))
    x = minimum_of(found.x, fun, as_tuple(args))
    return Solution(x, cost(fun(x, *as_tuple(args))), found.success, found.message, None, found.nfev)


def least_squares(fun: Any, x0: Any, *options: Any, args: Any = (), kwargs: Any = None, **named: Any) -> Any:
    if kwargs or named.get("loss", "linear") != "linear":
        raise UnsupportedError(
            "cannot differentiate 'scipy.optimize.least_squares' with 'kwargs', or another 'loss'",
            why="the equation is that of the sum of squares, and of 'args'",
            todo="Pass what the function needs by 'args', or minimise its loss with scipy.optimize.minimize.",
        )
    found = result_found(optimize.least_squares, fun, x0, *options, args=args, **named)
    require_success("least_squares", found.success, found.message)
    require_interior("least_squares", np.any(found.active_mask))
    x = least_squares_of(found.x, fun, as_tuple(args))
    r = np.atleast_1d(fun(x, *as_tuple(args)))
    return LeastSquares(x, r, found.success, found.message, found.status, found.nfev)


NOTHING = 1e-9  # what is left of an equation where no step is an improvement
PRECISION_LOSS = 2  # a line search that finds no lower value, which is at a minimum


def as_tuple(args: Any) -> Any:
    return args if isinstance(args, tuple) else (args,)


def with_value(f: Any, slope: Any) -> Any:
    """The function itself, of one that gives its derivative, too."""
    if slope is True:
        return lambda x, *args: f(x, *args)[0]
    return f


@non_differentiable
def value_found(solver: Any, *args: Any, **named: Any) -> Any:
    """What SciPy's solver gives: the solution alone."""
    if named.get("disp", True) is False:
        raise UnsupportedError(
            f"cannot differentiate 'scipy.optimize.{solver.__name__}' with 'disp=False'",
            why="what is no solution has no derivative, and it would not tell",
            todo="Leave it out: an error says where there is none.",
        )
    found = solver(*args, **named)
    require_value_alone(solver.__name__, isinstance(found, tuple))
    return found


@non_differentiable
def all_found(solver: Any, *args: Any, **named: Any) -> Any:
    """What SciPy's solver gives: the solution, and what it tells of it."""
    return solver(*args, **named)


def require_value_alone(solver: str, full_output: Any) -> None:
    if full_output:
        raise UnsupportedError(
            f"cannot differentiate 'scipy.optimize.{solver}' with the keyword 'full_output'",
            why="the derivative is that of the solution",
            todo="Leave it out.",
        )


@non_differentiable
def result_found(solver: Any, *args: Any, **named: Any) -> Any:
    """What SciPy's solver gives, as an object that is no dictionary."""
    found = solver(*args, **named)
    return types.SimpleNamespace(**{"status": None, "nfev": None, **found})


def require_success(solver: str, success: bool, message: str) -> None:
    if not success:
        raise UnsupportedError(
            f"cannot differentiate 'scipy.optimize.{solver}' where it finds no solution",
            why=f"the derivative is that of the equation which a solution fulfils; it says: {message}",
            todo="Begin elsewhere, or allow for more steps.",
        )


def require_interior(solver: str, met: Any) -> None:
    """Stop where bounds that are met take part in the equation."""
    if met:
        raise UnsupportedError(
            f"cannot differentiate 'scipy.optimize.{solver}' where the solution meets a bound",
            why="it is not the minimum of the function there",
            todo="Leave the bound out, or fix the variable.",
        )


def require_no_constraints(solver: str, constraints: Any) -> None:
    if constraints:
        raise UnsupportedError(
            f"cannot differentiate 'scipy.optimize.{solver}' with the keyword 'constraints'",
            why="they take part in the equation that the solution fulfils",
            todo="Eliminate them, or state the equation for tangent.implicit.",
        )


@non_differentiable
def meets(x: Any, bounds: Any) -> bool:
    """Whether a solution is at one of its bounds: a pair for each variable, pairs of None for none."""
    if bounds is None:
        return False
    if isinstance(bounds, optimize.Bounds):
        bounds = np.stack(np.broadcast_arrays(bounds.lb, bounds.ub), axis=-1)
    pairs = np.reshape(np.array(bounds, float), (-1, 2))  # None is nan, to which nothing is near
    return bool(np.any(np.abs(np.reshape(x, (-1, 1)) - pairs) <= 1e-5 * np.maximum(1.0, np.abs(pairs))))
