"""Solutions of equations: differentiated by the equation that they solve, not by how they were found."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from tangent.api import grad, jvp, vjp
from tangent.custom import CustomFunction, custom_vjp
from tangent.errors import RuleError
from tangent.pipeline import plain_function
from tangent.source.adapt import define

Function = Callable[..., Any]


def implicit(
    solver: Function, residual: Function | None = None, *, fixed_point: Function | None = None,
    objective: Function | None = None,
) -> CustomFunction:  # fmt: skip
    """A solver as a function of its parameters, with derivatives by the implicit function theorem.

    `solver(*parameters)` gives a number or an array `x`, by whatever means; it is never differentiated. What `x` solves
    is said by one of

    * `residual(x, *parameters)`, which is zero there: a root
    * `fixed_point(x, *parameters)`, which gives `x` back
    * `objective(x, *parameters)`, a number that is stationary there: an `argmin`

    >>> root = implicit(lambda a: np.sqrt(a), lambda x, a: x * x - a)
    >>> float(root(4.0)), float(grad(root)(4.0)), float(jvp(root)(4.0, 1.0)), float(grad(grad(root))(4.0))
    (2.0, 0.25, 0.25, -0.03125)
    """
    given = [f for f in (residual, fixed_point, objective) if f is not None]
    if len(given) != 1:
        raise RuleError("implicit takes a residual, a fixed_point or an objective, and one of them")
    names = list(inspect.signature(plain_function(given[0])).parameters)
    if len(names) < 2:
        raise RuleError(
            f"'{given[0].__name__}' has no parameters", why="it takes the solution and then what the solver is given"
        )
    parameters = [f"p{i}" for i in range(len(names) - 1)]
    solved = custom_vjp(define("solution", _SOLUTION.format(p=", ".join(parameters)), {"solver": solver}))
    space = {"np": np, "solution": solved, **_derivatives(_equation(residual, fixed_point, objective, parameters))}
    solved.defvjp(*(_made(name, parameters, space) for name in ("forward", "backward")))
    solved.defjvp(_made("push", parameters, space))
    return solved


def _equation(
    residual: Function | None, fixed_point: Function | None, objective: Function | None, parameters: list[str]
) -> Function:
    """The function of x and the parameters that is zero at the solution."""
    given = ", ".join(["x", *parameters])
    if residual is not None:
        return define("equation", f"def equation({given}):\n    return residual({given})\n", {"residual": residual})
    if fixed_point is not None:
        text = f"def equation({given}):\n    return fixed_point({given}) - x\n"
        return define("equation", text, {"fixed_point": fixed_point})
    assert objective is not None
    slope = grad(objective)
    return define("equation", f"def equation({given}):\n    return slope({given})\n", {"slope": slope})


def _derivatives(equation: Function) -> dict[str, Any]:
    names = list(inspect.signature(equation).parameters)
    return {
        "pull": vjp(equation, "x", check_dims=False),
        "pull_parameters": vjp(equation, tuple(names[1:]), check_dims=False),
        "push_parameters": jvp(equation, tuple(names[1:]), check_dims=False),
    }


def _made(name: str, parameters: list[str], space: dict[str, Any]) -> Function:
    given = ", ".join(parameters)
    tangents = ", ".join(f"d{p}" for p in parameters)
    one = len(parameters) == 1
    text = _TEXTS[name].format(p=given, dp=tangents, wrap="({},)".format("found") if one else "found")
    return define(name, _JACOBIAN.format(p=given) + text, dict(space))


_SOLUTION = """\
def solution({p}):
    return solver({p})
"""

# The Jacobian of the equation by x, row by row; shapes are those of x, which may be a number.
_JACOBIAN = """\
def jacobian(x, {p}):
    n = np.size(x)
    rows = []
    for i in range(n):
        unit = np.reshape(np.eye(n)[i], np.shape(x))
        rows.append(np.reshape(pull(x, {p}, unit), (n,)))
    return np.stack(rows)


"""

_TEXTS = {
    "forward": """\
def forward({p}):
    x = solution({p})
    return x, (x, {p})
""",
    "backward": """\
def backward(saved, b):
    x, {p} = saved
    g = np.linalg.solve(jacobian(x, {p}).T, np.reshape(-1.0 * b, (-1,)))
    found = pull_parameters(x, {p}, np.reshape(g, np.shape(x)))
    return {wrap}
""",
    "push": """\
def push(primals, tangents):
    {p}, = primals
    {dp}, = tangents
    x = solution({p})
    r = push_parameters(x, {p}, {dp})
    g = np.linalg.solve(jacobian(x, {p}), np.reshape(-1.0 * r, (-1,)))
    return x, np.reshape(g, np.shape(x))
""",
}

__all__ = ["implicit"]
