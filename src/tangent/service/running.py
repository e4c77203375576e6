"""Functions that were made from trees, where they are called and no derivative flows."""

from __future__ import annotations

import types
import weakref
from collections.abc import Callable
from typing import Any

from tangent.codegen.emit import emit
from tangent.codegen.load import bind, definitions, register
from tangent.rules.callables import making
from tangent.rules.table import table
from tangent.source.inlined import install_ruled
from tangent.source.resolve import install_silent
from tangent.source.stubs import install_runner
from tangent.transform.generated import Generated
from tangent.transform.unit import unit


def run_from_core(stub: types.FunctionType) -> Callable[..., Any]:
    """What runs in place of a function that was made from a tree, where no derivative flows."""
    with making():
        if stub not in _running:
            this = unit(stub)
            made = Generated(this.core.name, stub, this.core, this.source)
            made.externals = dict(this.context.externals)
            text = emit([made])
            register(text)
            _running[stub] = bind(definitions(text), [made], text.file)[made]
        return _running[stub]


_running: weakref.WeakKeyDictionary[Any, types.FunctionType] = weakref.WeakKeyDictionary()
install_runner(run_from_core)
install_silent(lambda function: table().is_zero(function))
install_ruled(lambda function: table().has_rule(function) or table().custom_of(function) is not None)
