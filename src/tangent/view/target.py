"""Find what the command line names: a function in a file, what to differentiate it by, and arguments to try it with."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import sys
import types
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tangent.api import Wrt
from tangent.errors import TangentError


class TargetError(TangentError):
    """What the command line names is not there."""


@dataclass(frozen=True)
class Target:
    """A function, the arguments to differentiate it by, and arguments to call it with, if there are any."""

    function: Callable[..., Any]
    wrt: Wrt
    arguments: tuple[Any, ...] | None


def find(place: str, wrt: str | None = None, arguments: str | None = None) -> Target:
    """The target that `FILE.py:function` (or `package.module:function`) names.

    The file may hold `EXAMPLE = {"function": {"argument": value}}` and `WRT = {"function": ("argument",)}`; what the
    command line says goes before them.
    """
    file, _, name = place.rpartition(":")
    if not file or not name:
        raise TargetError(f"'{place}' names no function", why="it should read FILE.py:function")
    module = _module(file)
    function = _function(module, name)
    return Target(function, _wrt(module, name, wrt), _arguments(module, name, arguments, function))


def _module(file: str) -> types.ModuleType:
    path = Path(file)
    if path.suffix != ".py":
        return importlib.import_module(file)
    if not path.is_file():
        raise TargetError(f"no file '{file}'")
    return _load(path)


def _load(path: Path) -> types.ModuleType:
    """Run a file as a module of its own; it may import its neighbours."""
    sys.path.insert(0, str(path.resolve().parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = sys.modules[path.stem] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _function(module: types.ModuleType, name: str) -> Callable[..., Any]:
    found = getattr(module, name, None)
    if callable(found):
        return found  # type: ignore[no-any-return]
    own = [n for n, v in vars(module).items() if inspect.isfunction(v) and v.__module__ == module.__name__]
    raise TargetError(f"no function '{name}' in '{module.__name__}'", why=f"it has {', '.join(own) or 'none'}")


def _wrt(module: types.ModuleType, name: str, asked: str | None) -> Wrt:
    if asked is not None:
        return tuple(int(v) if v.lstrip("-").isdigit() else v for v in asked.replace(" ", "").split(","))
    return getattr(module, "WRT", {}).get(name, (0,))  # type: ignore[no-any-return]


def _arguments(
    module: types.ModuleType, name: str, asked: str | None, function: Callable[..., Any]
) -> tuple[Any, ...] | None:
    if asked is not None:
        sample = eval(f"dict({asked})", {"np": np, **vars(module)})
    else:
        sample = getattr(module, "EXAMPLE", {}).get(name)
    return None if sample is None else _bound(function, sample)


def _bound(function: Callable[..., Any], sample: dict[str, Any]) -> tuple[Any, ...]:
    try:
        bound = inspect.signature(function).bind(**sample)
    except TypeError as error:
        raise TargetError(f"the arguments do not fit '{function.__name__}'", why=str(error)) from None
    bound.apply_defaults()
    if bound.kwargs:
        raise TargetError("keyword-only arguments cannot be sampled", todo="Give them defaults, or wrap the function.")
    return bound.args
