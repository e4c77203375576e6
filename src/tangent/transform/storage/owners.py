"""Methods that arrays have, called with what no method of an array takes: their owner is a module or an object.

s = lib.sum(x)          (`lib` came out of a list: an array would have an axis here)
"""

from __future__ import annotations

import ast

import numpy as np

from tangent.errors import OwnerError
from tangent.runtime.objects import MEMBERS
from tangent.source.resolve import MISSING
from tangent.syntax.rebuild import statements
from tangent.transform.unit import Unit

TAKE_NUMBERS = frozenset({"searchsorted", "fill", "put", "itemset"})


def refuse_owners(this: Unit, varied: frozenset[str]) -> None:
    """Stop where a derivative would be lost in an argument that the rule of a method knows nothing of."""
    if MEMBERS in this.context.objects:  # what owners are is looked at when they are used
        return
    for s in statements(this.core.body):
        op = this.operations.get(s)
        match op.value if op is not None and op.kind in ("rule", "zero", "opaque") else None:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=v), attr=attr) as method, args=args, keywords=keywords):
                known = set(op.operands) if op is not None else set()
                given = {a.id for a in (*args, *(k.value for k in keywords)) if isinstance(a, ast.Name)} & varied
                if hasattr(np.ndarray, attr) and attr not in TAKE_NUMBERS and _is_local(this, v) and given - known:
                    raise OwnerError(
                        f"cannot differentiate '{ast.unparse(method)}'", this.source.locate(s),
                        f"'{v}' may be no array, since '{min(given)}' is given to it",
                        f"Call the function by its name, instead of '{v}'.",
                    )  # fmt: skip


def _is_local(this: Unit, v: str) -> bool:
    return this.context.scope.lookup(v) is MISSING
