"""`scipy.integrate`: integrals of functions, and solutions of differential equations.

SciPy computes the values. An integral is differentiated under its sign, and by its limits. A solution is differentiated
in forward mode by the equation that its tangent fulfils, in reverse mode by the same for each parameter if there are
few, else by that of its adjoint, which runs from the end to the beginning. These integrals and equations are solved by
the same function of SciPy with the options that it was given, so that derivatives are as accurate as these ask for, and
they are differentiated again as the others are.
"""

from __future__ import annotations

import types
from typing import Any

import numpy as np
from scipy import integrate

from tangent.api import jvp, vjp
from tangent.custom import custom_vjp
from tangent.errors import UnsupportedError
from tangent.runtime import from_vector, to_vector
from tangent.template import non_differentiable

# Integrals


def applied(s: Any, g: Any, args: Any) -> Any:
    return g(s, *args)


pull_applied = vjp(applied, ("g", "args"), check_dims=False)
push_applied = jvp(applied, ("g", "args"), check_dims=False)


def flat_pull(s: Any, g: Any, args: Any, b: Any) -> Any:
    """What the function and its arguments receive at a place, as a vector."""
    return to_vector(pull_applied(s, g, args, b))


def flat_push(s: Any, g: Any, args: Any, dg: Any, dargs: Any) -> Any:
    """The tangent of the function at a place."""
    return push_applied(s, g, args, dg, dargs)


@custom_vjp
def integral(found: Any, g: Any, a: Any, b: Any, args: Any, how: Any) -> Any:
    """The integral of g from a to b, which is found already."""
    return found


def integral_forward(found: Any, g: Any, a: Any, b: Any, args: Any, how: Any) -> Any:
    return integral(found, g, a, b, args, how), (g, a, b, args, how)


def integral_backward(saved: Any, seed: Any) -> Any:
    g, a, b, args, how = saved
    like = pull_applied(between(a, b), g, args, seed)
    received: Any = like
    if len(to_vector(like)) > 0:
        given = (g, args, seed)
        received = from_vector(integral(integrated(how, flat_pull, a, b, given), flat_pull, a, b, given, how), like)
    return None, received[0], -edge(g, a, args, seed), edge(g, b, args, seed), received[1], None


def integral_push(primals: Any, tangents: Any) -> Any:
    found, g, a, b, args, how = primals
    _, dg, da, db, dargs, _ = tangents
    given = (g, args, dg, dargs)
    inside = integral(integrated(how, flat_push, a, b, given), flat_push, a, b, given, how)
    moved = inside + edge_tangent(g, b, args, db) - edge_tangent(g, a, args, da)
    return integral(found, g, a, b, args, how), moved


integral.defvjp(integral_forward, integral_backward)
integral.defjvp(integral_push)


def edge(g: Any, at: Any, args: Any, seed: Any) -> Any:
    """What a limit receives: by the function there, nothing where it is infinite."""
    return np.sum(g(at, *args) * seed) if np.isfinite(at) else 0.0


def edge_tangent(g: Any, at: Any, args: Any, moved: Any) -> Any:
    """What a limit that moves adds to the integral."""
    return g(at, *args) * moved if np.isfinite(at) else 0.0


@non_differentiable
def between(a: Any, b: Any) -> Any:
    """A place inside of limits, of which each may be infinite."""
    if np.isfinite(a) and np.isfinite(b):
        return 0.5 * (a + b)
    return a + 1.0 if np.isfinite(a) else b - 1.0 if np.isfinite(b) else 0.5


@non_differentiable
def integrated(how: Any, g: Any, a: Any, b: Any, args: Any) -> Any:
    """The integral of what may be an array: each component by `quad`, at the same places as far as it goes."""
    solver, options = how
    if solver is integrate.quad_vec:
        return solver(lambda s: g(s, *args), a, b, **options)[0]
    known: dict[float, Any] = {}

    def component(s: float, i: int) -> Any:
        if s not in known:
            known[s] = np.ravel(g(s, *args))
        return known[s][i]

    shape = np.shape(g(between(a, b), *args))
    parts = [solver(component, a, b, (i,), **options)[0] for i in range(int(np.prod(shape)))]
    return np.reshape(np.array(parts), shape)[()]


def quad(
    func: Any, a: Any, b: Any, args: Any = (), full_output: Any = 0, epsabs: Any = 1.49e-8, epsrel: Any = 1.49e-8,
    limit: Any = 50, points: Any = None, weight: Any = None, wvar: Any = None, wopts: Any = None, maxp1: Any = 50,
    limlst: Any = 50, complex_func: Any = False,
) -> Any:  # fmt: skip
    refuse_keyword("quad", "full_output", full_output)
    refuse_keyword("quad", "weight", weight)
    refuse_keyword("quad", "complex_func", complex_func)
    options = {"epsabs": epsabs, "epsrel": epsrel, "limit": limit, "points": points}
    given = args if isinstance(args, tuple) else (args,)
    found = called(integrate.quad, func, a, b, given, options)
    return integral(found[0], func, a, b, given, (integrate.quad, options)), found[1]


def quad_vec(
    f: Any, a: Any, b: Any, epsabs: Any = 1e-200, epsrel: Any = 1e-8, norm: Any = "2", cache_size: Any = 100e6,
    limit: Any = 10000, workers: Any = 1, points: Any = None, quadrature: Any = None, full_output: Any = False, *,
    args: Any = (),
) -> Any:  # fmt: skip
    refuse_keyword("quad_vec", "full_output", full_output)
    options = {
        "epsabs": epsabs, "epsrel": epsrel, "norm": norm, "cache_size": cache_size, "limit": limit, "workers": workers,
        "points": points, "quadrature": quadrature,
    }  # fmt: skip
    found = called(integrate.quad_vec, with_arguments(f, args), a, b, None, options)
    return integral(found[0], f, a, b, args, (integrate.quad_vec, options)), found[1]


def dblquad(
    func: Any, a: Any, b: Any, gfun: Any, hfun: Any, args: Any = (), epsabs: Any = 1.49e-8, epsrel: Any = 1.49e-8
) -> Any:
    """An integral of integrals, whose limits may depend on the outer variable."""

    def inner(x: Any) -> Any:
        low = gfun(x) if callable(gfun) else gfun
        high = hfun(x) if callable(hfun) else hfun
        return quad(func, low, high, (x, *args), epsabs=epsabs, epsrel=epsrel)[0]

    return quad(inner, a, b, epsabs=epsabs, epsrel=epsrel)


@non_differentiable
def called(solver: Any, f: Any, a: Any, b: Any, args: Any, options: Any) -> Any:
    """What SciPy's function gives."""
    return solver(f, a, b, **options) if args is None else solver(f, a, b, args, **options)


@non_differentiable
def with_arguments(f: Any, args: Any) -> Any:
    return lambda s: f(s, *args)


def refuse_keyword(solver: str, name: str, value: Any) -> None:
    if is_given(value):
        raise UnsupportedError(
            f"cannot differentiate 'scipy.integrate.{solver}' with the keyword '{name}'",
            why="its rule does not handle it",
            todo=f"Leave '{name}' out.",
        )


@non_differentiable
def is_given(value: Any) -> bool:
    return value is not None and value is not False and value != 0


# Differential equations: f(t, y, *args) is the rate of y


def rate(t: Any, y: Any, f: Any, args: Any) -> Any:
    return np.ravel(np.asarray(f(t, y, *args)))


pull_rate = vjp(rate, ("y", "f", "args"), check_dims=False)
push_rate = jvp(rate, ("y", "f", "args"), check_dims=False)


@custom_vjp
def trajectory(found: Any, f: Any, y0: Any, t: Any, args: Any, how: Any) -> Any:
    """The solution at the times t, a row for each, which is found already; at the first of them it is y0."""
    return found


def solved(f: Any, y0: Any, t: Any, args: Any, how: Any) -> Any:
    """The same, to be found."""
    return trajectory(numbers(f, y0, t, args, how), f, y0, t, args, how)


def with_tangent(t: Any, z: Any, f: Any, args: Any, df: Any, dargs: Any) -> Any:
    """The rate of a solution and its tangent."""
    n = len(z) // 2
    y, dy = z[:n], z[n:]
    return np.concatenate([rate(t, y, f, args), push_rate(t, y, f, args, dy, df, dargs)])


def with_adjoint(t: Any, z: Any, f: Any, args: Any, n: int, bound: float) -> Any:
    """The rate of a solution, its adjoint, and what the parameters have received."""
    y, adjoint = z[:n], z[n : 2 * n]
    require_same(y, 0.0, bound)
    return np.concatenate([rate(t, y, f, args), -to_vector(pull_rate(t, y, f, args, adjoint))])


def trajectory_forward(found: Any, f: Any, y0: Any, t: Any, args: Any, how: Any) -> Any:
    y = trajectory(found, f, y0, t, args, how)
    return y, (y, f, t, args, how)


def trajectory_backward(saved: Any, seed: Any) -> Any:
    y, f, t, args, how = saved
    like = pull_rate(t[0], y[0], f, args, seed[0])
    count = len(to_vector(like))
    if np.shape(y)[1] * count <= FEW or how[1].get("method") in BY_SLOPES:
        found = received_by_sensitivities(y, f, t, args, how, seed, count)
    else:
        found = received_by_adjoint(y, f, t, args, how, seed, count)
    received = from_vector(found, like)
    moved = np.stack([seed[i] @ rate(t[i], y[i], f, args) for i in range(len(t))])
    start = received[0] @ rate(t[0], y[0], f, args)
    btimes = np.concatenate([np.reshape(moved[0] - start, (1,)), moved[1:]])
    return None, received[1], received[0], btimes, received[2], None


BY_SLOPES = ("BDF", "Radau")  # which cannot find these of a rate that does not depend on all that it moves
FEW = 64  # how many derivatives are followed along with a solution, rather than the adjoint back from its end


def received_by_sensitivities(y: Any, f: Any, t: Any, args: Any, how: Any, seed: Any, count: int) -> Any:
    """What the first state and the parameters receive, by the derivatives of the solution by them."""
    n = np.shape(y)[1]
    start = np.concatenate([y[0], np.ravel(np.eye(n, count))])
    moved = np.reshape(solved(with_sensitivities, start, t, (f, args, n), how)[:, n:], (len(t), n, count))
    return np.einsum("ti,tij->j", seed, moved)


def with_sensitivities(t: Any, z: Any, f: Any, args: Any, n: int) -> Any:
    """The rate of a solution, and of its derivatives by its first state and by the parameters."""
    y = z[:n]
    slopes = np.stack([to_vector(pull_rate(t, y, f, args, unit)) for unit in np.eye(n)])
    moved = slopes[:, :n] @ np.reshape(z[n:], (n, -1))
    forced = np.concatenate([moved[:, :n], moved[:, n:] + slopes[:, n:]], axis=1)
    return np.concatenate([rate(t, y, f, args), np.ravel(forced)])


def received_by_adjoint(y: Any, f: Any, t: Any, args: Any, how: Any, seed: Any, count: int) -> Any:
    """The same, by the adjoint of the solution, from its end back to its beginning."""
    n = np.shape(y)[1]
    adjoint, parameters = np.zeros(n), np.zeros(count - n)
    bound, close = reach(y, how)
    for i in range(len(t) - 1, 0, -1):
        state = np.concatenate([y[i], adjoint + seed[i], parameters])
        z = solved(with_adjoint, state, t[i - 1 : i + 1][::-1], (f, args, n, bound), how)[1]
        require_same(z[:n], y[i - 1], close)
        adjoint, parameters = z[n : 2 * n], z[2 * n :]
    return np.concatenate([adjoint + seed[0], parameters])


def trajectory_push(primals: Any, tangents: Any) -> Any:
    found, f, y0, t, args, how = primals
    _, df, dy0, dt, dargs, _ = tangents
    y = trajectory(found, f, y0, t, args, how)
    n = np.shape(y)[1]
    start = np.concatenate([y0, dy0 - rate(t[0], y0, f, args) * dt[0]])
    moved = solved(with_tangent, start, t, (f, args, df, dargs), how)[:, n:]
    return y, moved + np.stack([rate(t[i], y[i], f, args) * dt[i] for i in range(len(t))])


trajectory.defvjp(trajectory_forward, trajectory_backward)
trajectory.defjvp(trajectory_push)


@non_differentiable
def numbers(f: Any, y0: Any, t: Any, args: Any, how: Any) -> Any:
    """The solution by SciPy, with the options that are not about what the solution has for components."""
    solver, options, n = how
    options = {k: for_more(v, n, len(y0)) if k in ("rtol", "atol") else v for k, v in options.items() if v is not None}
    if solver is integrate.odeint:
        return integrate.odeint(lambda t, y: rate(t, y, f, args), y0, t, tfirst=True, **options)
    span = (t[0], t[-1])
    found = integrate.solve_ivp(lambda t, y: rate(t, y, f, args), span, y0, t_eval=t, **options)
    require_success(found.success, found.message)
    return found.y.T


def for_more(tolerance: Any, n: int, size: int) -> Any:
    """Tolerances of n components, for as many as there are now."""
    if np.ndim(tolerance) == 0 or size <= n:
        return tolerance
    return np.concatenate([tolerance, np.full(size - n, np.min(tolerance))])


@non_differentiable
def reach(y: Any, how: Any) -> Any:
    """How large a solution may get that is followed backwards, and how far from where it was."""
    largest = np.max(np.abs(y))
    return 1e3 * (1.0 + largest), 1e-2 * largest + 1e3 * np.max(how[1].get("atol") or 1e-8)


@non_differentiable
def is_near(again: Any, before: Any, allowed: float) -> bool:
    return bool(np.all(np.abs(again - before) <= allowed))


def require_same(again: Any, before: Any, allowed: float) -> None:
    """Stop where the solution runs away from itself when it is followed backwards, as that of a stiff equation does."""
    if not is_near(again, before, allowed):
        raise UnsupportedError(
            "cannot differentiate the solution of a differential equation in reverse mode",
            why="followed backwards it does not find its beginning: it is too stiff, or the tolerances are too wide",
            todo="Use forward mode (tangent.jvp, tangent.jacfwd), or smaller tolerances.",
        )


def require_success(success: bool, message: str) -> None:
    if not success:
        raise UnsupportedError(
            "cannot differentiate the solution of a differential equation that SciPy does not find",
            why=f"it says: {message}",
            todo="Change the equation, the span or the options.",
        )


def odeint(
    func: Any, y0: Any, t: Any, args: Any = (), Dfun: Any = None, col_deriv: Any = 0, full_output: Any = 0,
    ml: Any = None, mu: Any = None, rtol: Any = None, atol: Any = None, tcrit: Any = None, h0: Any = 0.0,
    hmax: Any = 0.0, hmin: Any = 0.0, ixpr: Any = 0, mxstep: Any = 0, mxhnil: Any = 0, mxordn: Any = 12,
    mxords: Any = 5, printmessg: Any = 0, tfirst: Any = False,
) -> Any:  # fmt: skip
    refuse_keyword("odeint", "full_output", full_output)
    y0 = np.atleast_1d(np.asarray(y0))
    options = {
        "rtol": rtol, "atol": atol, "tcrit": tcrit, "h0": h0, "hmax": hmax, "hmin": hmin, "mxstep": mxstep,
        "mxordn": mxordn, "mxords": mxords,
    }  # fmt: skip
    f = func if tfirst else lambda t, y, *more: func(y, t, *more)
    given = args if isinstance(args, tuple) else (args,)
    return solved(f, y0, np.asarray(t), given, (integrate.odeint, options, len(y0)))


class Solution:
    """What `solve_ivp` tells, as far as it is followed."""

    def __init__(self, t: Any, y: Any, message: str, status: int) -> None:
        self.t, self.y, self.success, self.message, self.status = t, y, True, message, status


def solve_ivp(
    fun: Any, t_span: Any, y0: Any, method: Any = "RK45", t_eval: Any = None, dense_output: Any = False,
    events: Any = None, vectorized: Any = False, args: Any = None, **options: Any,
) -> Any:  # fmt: skip
    refuse_keyword("solve_ivp", "dense_output", dense_output)
    refuse_keyword("solve_ivp", "events", events)
    given = () if args is None else args
    y0 = np.atleast_1d(np.asarray(y0))
    own = {"method": method, **{k: v for k, v in options.items() if k in KEPT}}
    found = solution_found(fun, t_span, y0, method, t_eval, vectorized, args, options)
    how = (integrate.solve_ivp, own, len(y0))
    first, last = t_span
    if t_eval is None:
        times = np.concatenate([[first], found.t[1:-1], [last]])
        return Solution(times, trajectory(found.y.T, fun, y0, times, given, how).T, found.message, found.status)
    times = np.asarray(t_eval)
    if times[0] == first:
        return Solution(times, trajectory(found.y.T, fun, y0, times, given, how).T, found.message, found.status)
    rows, longer = np.concatenate([[found.start], found.y.T]), np.concatenate([[first], times])
    y = trajectory(rows, fun, y0, longer, given, how)
    return Solution(times, y[1:].T, found.message, found.status)


KEPT = ("rtol", "atol", "max_step", "first_step")


@non_differentiable
def solution_found(
    fun: Any, t_span: Any, y0: Any, method: Any, t_eval: Any, vectorized: Any, args: Any, options: Any
) -> Any:
    found = integrate.solve_ivp(fun, t_span, y0, method, t_eval, vectorized=vectorized, args=args, **options)
    require_success(found.success, found.message)
    return types.SimpleNamespace(t=found.t, y=found.y, start=y0, message=found.message, status=found.status)
