"""The parameters of a function as its code has them."""

from __future__ import annotations

import inspect
import types
from typing import Any


def own_signature(function: Any) -> inspect.Signature:
    """The parameters that a function has, whatever it tells of them.

    A decorator may tell those of the function behind it, by `__wrapped__` or by `__signature__`.

    >>> def wrapper(*args): return args
    >>> wrapper.__signature__ = inspect.signature(lambda x, y: None)
    >>> inspect.signature(wrapper), own_signature(wrapper)
    (<Signature (x, y)>, <Signature (*args)>)
    """
    if not tells_parameters(function):
        return inspect.signature(function, follow_wrapped=False)
    plain = types.FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    plain.__kwdefaults__ = function.__kwdefaults__
    return inspect.signature(plain)


def tells_parameters(function: Any) -> bool:
    """Whether a function says itself what its parameters are."""
    return isinstance(function, types.FunctionType) and "__signature__" in vars(function)
