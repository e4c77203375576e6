"""Derivatives of the functions that work on a memory: made once, and called by all modules that need them.

    memory3, call_store_saved = call_store_fwd(memory2, prices, 'b', t)

`call_store` is Tangent's own, and so is all that it calls: its passes are the same wherever it is called. They are in
a module of their own, so that the text of a derivative has the functions of its user alone.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any

from tangent.source.naming import home_of, is_generated
from tangent.transform.generated import Generated

if TYPE_CHECKING:  # a module makes the derivatives of what its functions call
    from tangent.transform.module import Module

MOST = 4096  # rules of users make others

_made: dict[Hashable, Any] = {}


def is_common(function: types.FunctionType) -> bool:
    """Whether a function works on a memory, or is a derivative of such a function that all modules call."""
    if hasattr(function, "common"):
        return True
    own = home_of(function).startswith("tangent.") and not is_generated(function) and not function.__closure__
    return own and function.__code__.co_varnames[:1] == ("memory",)


def common_passes(module: Module, function: types.FunctionType, key: Hashable, build: Callable[[Module], Any]) -> Any:
    """The passes that all modules call, if the function has such; what is not made yet is, with all that it calls."""
    if module.bind is None or not is_common(function):
        return None
    if (key, module.state) not in _made and not module.is_common:
        for other, functions in _built(module, function, build).items():
            _made.setdefault((other, module.state), functions)
        while len(_made) > MOST:
            _made.pop(next(iter(_made)))
    return _made.get((key, module.state))


def _built(module: Module, function: types.FunctionType, build: Callable[[Module], Any]) -> dict[Hashable, Any]:
    """All that a module of their own has of passes, by what they were asked for."""
    apart = module.for_all()
    apart.given_lists |= module.given_lists & {function}
    build(apart)
    apart.finish()
    assert apart.bind is not None
    functions = apart.bind(apart)
    for g, f in functions.items():
        f.name, f.seeds, f.common = f.__name__, g.seeds, True  # type: ignore[attr-defined]
    pairs = {key: made for key, made in apart.made.items() if isinstance(made, tuple) and functions.keys() >= {*made}}
    return {key: tuple(functions[g] for g in pair) for key, pair in pairs.items()} | {
        key: functions[made] for key, made in apart.made.items() if isinstance(made, Generated) and made in functions
    }
