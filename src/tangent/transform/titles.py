"""What derivatives are called, and what they say of themselves."""

from __future__ import annotations

import types

from tangent.options import Options
from tangent.syntax.names import as_identifier


def title_of(function: types.FunctionType, options: Options) -> str:
    """`dfdx`, or `f_jvp` in forward mode."""
    base = as_identifier(function.__name__)
    if options.mode == "forward":
        return f"{base}_jvp"
    full = f"d{base}d{'_'.join(options.wrt)}"
    return full if len(full) <= 60 else f"d{base}"


def description(function: types.FunctionType, options: Options) -> str:
    """The docstring of a derivative."""
    by = ", ".join(f"'{v}'" for v in options.wrt)
    if options.mode == "forward":
        return f"The tangent of '{function.__name__}' along tangents of {by}, which follow its arguments. By Tangent."
    return f"The gradient of '{function.__name__}' by {by}; the seed is the last argument. By Tangent."
