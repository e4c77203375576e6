"""Where `pickle` finds derivatives: modules under this one are named by what is asked for (see `source/naming.py`)."""

from __future__ import annotations

import importlib
import operator
import sys
import types
from collections.abc import Sequence
from functools import partial
from importlib.machinery import ModuleSpec
from typing import Any

from tangent.api import hessian, hvp, jacfwd, jacrev
from tangent.options import Options
from tangent.pipeline import derive, plain_function
from tangent.source.naming import PREFIX, living, read_name

__path__: list[str] = []  # a package, of modules that no file holds
MATRICES = {m.__name__: m for m in (jacfwd, jacrev, hessian, hvp)}


class Requests:
    """Imports the modules of derivatives."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> ModuleSpec | None:
        return ModuleSpec(name, self) if name.startswith(PREFIX) else None  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: types.ModuleType) -> None:
        module.__getattr__ = partial(asked, module.__name__)  # type: ignore[method-assign]


def asked(module: str, name: str) -> Any:
    """The derivative that the name of a module asks for: the one that is there, unless its function is another now."""
    if name.startswith("__"):
        raise AttributeError(name)
    sys.modules.pop(module, None)  # tools that pickle by value take what is imported for what is everywhere
    globals().pop(module.removeprefix(PREFIX), None)
    request = read_name(module)
    made = living(module)
    if made is None or plain_function(_made(request[1])) is not made.made_of:
        made = _made(request)
    if name != made.__name__:
        raise AttributeError(f"{module!r} has no {name!r}")
    return made


def _made(request: Any) -> Any:
    if isinstance(request, str):
        module, path = request.split(":")
        return operator.attrgetter(path)(importlib.import_module(module))
    maker, behind, options = request
    function = _made(behind)
    return MATRICES[maker](function, **options) if maker in MATRICES else derive(
        plain_function(function), Options(**options)
    )  # fmt: skip


sys.meta_path.append(Requests())
