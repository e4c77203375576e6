"""Solutions of equations: differentiated by the equation that they solve, not by how they were found."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from tangent.api import grad, jvp, vjp
from tangent.custom import CustomFunction, custom_vjp
from tangent.errors import RuleError, caller
from tangent.rules.callables import plain_function
from tangent.runtime import from_vector, to_vector
from tangent.source.adapt import define, parameter_texts

Function = Callable[..., Any]


def implicit(
    solver: Function, residual: Function | None = None, *, fixed_point: Function | None = None,
    objective: Function | None = None,
) -> CustomFunction:  # fmt: skip
    """A solver as a function of its parameters, with derivatives by the implicit function theorem.

    `solver(*parameters)` gives `x`, by whatever means; it is never differentiated. It is a number, an array, or a list,
    dict or object of them. What `x` solves is said by one of

    * `residual(x, *parameters)`, which is zero there: a root
    * `fixed_point(x, *parameters)`, which gives `x` back
    * `objective(x, *parameters)`, a number that is stationary there: an `argmin`

    >>> root = implicit(lambda a: np.sqrt(a), lambda x, a: x * x - a)
    >>> float(root(4.0)), float(grad(root)(4.0)), float(jvp(root)(4.0, 1.0)), float(grad(grad(root))(4.0))
    (2.0, 0.25, 0.25, -0.03125)
    """
    given = [f for f in (residual, fixed_point, objective) if f is not None]
    if len(given) != 1:
        raise RuleError(
            f"'implicit' is given {len(given)} equations", caller(), "a solution is that of one of them",
            "Pass a residual, a fixed point or an objective.",
        )  # fmt: skip
    parameters = _parameters(given[0])
    equation = _equation(residual, fixed_point, objective, parameters)
    outside: dict[str, Any] = {"solver": solver}
    texts, _ = parameter_texts(parameters, outside)
    text = f"def solution({', '.join(texts)}):\n    return solver({', '.join(parameters.parameters)})\n"
    solved = custom_vjp(define("solution", text, outside))
    space: dict[str, Any] = {"np_": np, "to_vector": to_vector, "from_vector": from_vector, "solution": solved}
    space |= _derivatives(equation)
    solved.defvjp(*(_made(name, parameters, space) for name in ("forward", "backward")))
    solved.defjvp(_made("push", parameters, space))
    return solved


def _parameters(equation: Function) -> inspect.Signature:
    """What the solver is given: what the equation is given after the solution."""
    kinds = inspect.Parameter
    names = list(inspect.signature(plain_function(equation)).parameters.values())[1:]
    title = getattr(equation, "__name__", repr(equation))
    if not names:
        raise RuleError(
            f"'{title}' has no parameters", caller(), "it takes the solution and then what the solver is given",
            "Add the parameters by which the solution is differentiated.",
        )  # fmt: skip
    for p in names:
        if p.kind in (kinds.VAR_POSITIONAL, kinds.VAR_KEYWORD):
            raise RuleError(
                f"'{title}' takes any number of parameters", caller(), f"'{p}' has no name for each of them",
                "List the parameters.",
            )  # fmt: skip
    return inspect.Signature([p.replace(kind=kinds.POSITIONAL_OR_KEYWORD, annotation=kinds.empty) for p in names])


def _equation(
    residual: Function | None, fixed_point: Function | None, objective: Function | None, parameters: inspect.Signature
) -> Function:
    """The function of x and the parameters that is a vector of zeros at the solution."""
    given = ", ".join(["x_", *parameters.parameters])
    space: dict[str, Any] = {"to_vector": to_vector}
    if residual is not None:
        space["said"], value = residual, f"to_vector(said({given}))"
    elif fixed_point is not None:
        space["said"], value = fixed_point, f"to_vector(said({given})) - to_vector(x_)"
    else:
        assert objective is not None
        space["said"], value = grad(objective), f"to_vector(said({given}))"
    return define("equation", f"def equation({given}):\n    return {value}\n", space)


def _derivatives(equation: Function) -> dict[str, Any]:
    names = list(inspect.signature(equation).parameters)
    return {
        "pull": vjp(equation, "x_", check_dims=False),
        "pull_parameters": vjp(equation, tuple(names[1:]), check_dims=False),
        "push_parameters": jvp(equation, tuple(names[1:]), check_dims=False),
    }


def _made(name: str, parameters: inspect.Signature, space: dict[str, Any]) -> Function:
    space = dict(space)
    texts, _ = parameter_texts(parameters, space)
    names = list(parameters.parameters)
    text = (_JACOBIAN + _TEXTS[name]).format(
        parameters=", ".join(texts), p=", ".join(names), dp=", ".join(f"d_{p}" for p in names),
        wrap="(found_,)" if len(names) == 1 else "found_",
    )  # fmt: skip
    return define(name, text, space)


# The Jacobian of the equation by x, row by row.
_JACOBIAN = """\
def jacobian(x_, {p}):
    units = np_.eye(len(to_vector(x_)))
    rows = []
    for i in range(len(units)):
        rows.append(to_vector(pull(x_, {p}, units[i])))
    return np_.stack(rows)


"""

_TEXTS = {
    "forward": """\
def forward({parameters}):
    x_ = solution({p})
    return x_, (x_, {p})
""",
    "backward": """\
def backward(saved_, b_):
    x_, {p} = saved_
    g_ = np_.linalg.solve(jacobian(x_, {p}).T, -1.0 * to_vector(b_))
    found_ = pull_parameters(x_, {p}, g_)
    return {wrap}
""",
    "push": """\
def push(primals_, tangents_):
    {p}, = primals_
    {dp}, = tangents_
    x_ = solution({p})
    r_ = push_parameters(x_, {p}, {dp})
    g_ = np_.linalg.solve(jacobian(x_, {p}), -1.0 * r_)
    return x_, from_vector(g_, x_)
""",
}

__all__ = ["implicit"]
