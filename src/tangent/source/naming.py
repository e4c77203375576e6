"""Names under which `pickle` finds derivatives again: a derivative is what was asked for of a function.

`pickle` writes a function as the name of a module and a name in there. The module that a derivative says it is from
spells out the request: `tangent.pickled.("model:loss", {"wrt": ("w",)})`, with dots in there written otherwise. To
import it, here or in another process, is to look up `loss` in `model` and to ask for its derivative again.
"""

from __future__ import annotations

import ast
import types
import weakref
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from tangent.options import Options

PREFIX = "tangent.pickled."
_named: weakref.WeakValueDictionary[str, Any] = weakref.WeakValueDictionary()
_PLAIN = Options()


def home_of(function: Any) -> str:
    """The module that a function belongs to; of a derivative, that of its function."""
    own = function.__dict__.get("home") if isinstance(function, types.FunctionType) else None
    return own or getattr(function, "__module__", None) or ""


def name_derivative(made: Any, function: types.FunctionType, options: Options) -> None:
    """Let a derivative be found by what it is the derivative of, where the function can be found itself."""
    asked = {f.name: value for f in fields(options) if (value := getattr(options, f.name)) != getattr(_PLAIN, f.name)}
    name_made(made, "derivative", function, asked)


def name_made(made: Any, maker: str, function: types.FunctionType, asked: Mapping[str, Any]) -> None:
    if function.__module__ and function.__module__.startswith(PREFIX):
        behind = read_name(function.__module__)
    elif "<" in function.__qualname__ or hasattr(function, "adapted"):
        return
    else:
        behind = f"{function.__module__}:{function.__qualname__}"
    made.home, made.made_of = made.__module__, function
    made.__module__ = _written((maker, behind, dict(asked)))
    _named[made.__module__] = made


def living(module: str) -> Any:
    """The derivative of this name, if there is one in this process."""
    return _named.get(module)


def read_name(module: str) -> Any:
    """What the name of a module asks for: `(maker, function, options)`."""
    return ast.literal_eval(module.removeprefix(PREFIX).replace("%2E", ".").replace("%25", "%"))


def _written(asked: tuple[str, Any, dict[str, Any]]) -> str:
    return PREFIX + repr(asked).replace("%", "%25").replace(".", "%2E")
