"""Why a derivative cannot flow through a statement."""

from __future__ import annotations

import ast

from tangent.analysis.operation import Operation
from tangent.errors import MissingRuleError, RuleError, TangentError, UnsupportedError
from tangent.rules.forms import is_ufunc_method
from tangent.runtime.classes import stands_for
from tangent.source.conflicts import READ
from tangent.source.resolve import is_stencil, is_vectorized
from tangent.transform.unit import Unit

TODO = "Give it a rule with @tangent.adjoint, or keep it away from what the derivative depends on."
DRAW = (
    "Draw standard numbers, or indices, and compute with them: mean + scale * rng.standard_normal(n), "
    "x[rng.permutation(n)]."
)
INSTEAD = {
    "poly1d": "Use np.polyval(c, x), np.polyder(c) and their family instead of an object.",
    "matrix": "Use arrays, and the operator @.",
    "nditer": "Loop over np.ndindex(x.shape), or over x.ravel().",
    "as_strided": "Use np.lib.stride_tricks.sliding_window_view, or indices.",
}


def _builtin_base(cls: type) -> str:
    """The builtin kind that a class of the user's is one of, or stands for."""
    return next((c.__name__ for c in cls.__mro__[1:-1] if c.__module__ == "builtins"), stands_for(cls))


def refusal(unit: Unit, s: ast.stmt, op: Operation) -> TangentError:
    """Why a derivative cannot flow through an operation."""
    where = unit.source.locate(op.value if op.value is not None and hasattr(op.value, "lineno") else s)
    if isinstance(op.callee, RuleError):
        return op.callee
    what = ast.unparse(op.value) if op.value is not None else ast.unparse(s)
    if op.why == "no rule":
        shown = getattr(op.callee, "__qualname__", repr(op.callee))
        module = getattr(op.callee, "__module__", "") or ""
        if is_vectorized(op.callee):
            return MissingRuleError(
                f"no rule for '{op.callee.__name__}'", where, "numba.vectorize and numba.guvectorize have compiled it",
                "Call the function that it was made of, in a loop or on arrays (numba.njit compiles it, too).",
            )  # fmt: skip
        if is_stencil(op.callee):
            return MissingRuleError(
                f"no rule for '{what}'", where, "numba.stencil has made a loop of its kernel",
                "Write the loop over the elements, or slices of the array.",
            )  # fmt: skip
        if is_ufunc_method(op.callee):
            shown, module = f"{getattr(op.callee.__self__, '__name__', '')}.{op.callee.__name__}", "numpy"
        if module.startswith("numpy.random") or shown.startswith(("Generator.", "RandomState.")):
            return MissingRuleError(
                f"cannot differentiate '{op.callee.__name__}', which draws random numbers", where,
                "they may depend on what the derivative is taken by", DRAW,
            )  # fmt: skip
        if isinstance(op.callee, type) and (base := _builtin_base(op.callee)):
            return MissingRuleError(
                f"cannot differentiate the making of a '{shown}'", where, f"its class is a kind of {base}",
                f"Use a plain {base}, or an object that has one as an attribute.",
            )  # fmt: skip
        if module == "itertools" or (module, shown) == ("builtins", "next"):
            return MissingRuleError(
                f"cannot differentiate '{what}'", where,
                "how far an iterator has been read is only followed where one variable holds it",
                "Loop over it where it is made, or keep a list and an index into it.",
            )  # fmt: skip
        return MissingRuleError(
            f"no rule for '{module + '.' if module else ''}{shown}'", where,
            "it has no Python source and nobody has said what its derivative is",
            INSTEAD.get(shown if module.startswith("numpy") else "", TODO),
        )  # fmt: skip
    if op.why == "global":
        free = unit.source.function.__code__.co_freevars
        kind = "global" if op.targets[0] not in free else "variable of the function around,"
        error = UnsupportedError(
            f"cannot differentiate the assignment to the {kind} '{op.targets[0]}'", where,
            "the result depends on it", "Compute with a local variable, and assign it to the other at the end.",
        )  # fmt: skip
        error.meet(READ, unit.read_beside(op.targets[0], s))
        return error
    if op.why == "method":
        return MissingRuleError(
            f"cannot differentiate the method call '{what}'", where, "there is no rule for this method",
            "Use a NumPy function, or give the method a rule with @tangent.adjoint.",
        )  # fmt: skip
    if op.why == "attribute":
        return UnsupportedError(
            f"cannot differentiate '{what}'", where, "there is no rule for this attribute",
            "Pass the value as an argument of its own.",
        )  # fmt: skip
    if op.why == "iterator":
        return UnsupportedError(
            f"cannot differentiate a loop over '{what}'", where, "it is not a sequence that can be walked backward",
            "Wrap it in list(...) before the loop.",
        )  # fmt: skip
    if op.why in ("with", "try", "match", "classdef"):
        word = op.why.replace("classdef", "class")
        return UnsupportedError(
            f"cannot differentiate what happens inside '{word}'", unit.source.locate(s),
            f"'{', '.join(t for t in op.targets)}' depends on the input and is computed there",
            f"Move the computation out of the '{word}'.",
        )  # fmt: skip
    kind = type(op.value).__name__
    return UnsupportedError(
        f"cannot differentiate '{what}'", where, f"derivatives do not flow through {_describe(kind)}",
        "Write it as a loop or as a function of its own.",
    )  # fmt: skip


def _describe(kind: str) -> str:
    return {
        "Lambda": "a lambda that is made here", "ListComp": "a list comprehension", "DictComp": "a dict comprehension",
        "SetComp": "a set comprehension", "GeneratorExp": "a generator expression", "Yield": "'yield'",
    }.get(kind, f"'{kind}'")  # fmt: skip
