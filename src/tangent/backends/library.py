"""Another array library, from outside: its names bound to the rule table, its type to the run-time functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tangent.errors import RuleError, caller
from tangent.rules.table import Bound, table
from tangent.runtime.dispatch import ArrayType, register_array_type

TODO = "docs/functions.md lists the rules."


def bind_library(
    library: Any, names: Mapping[str, str | tuple[str, Mapping[str, str]]], *, zero: Iterable[str] = (),
    types: Mapping[type, ArrayType] | None = None, find: Callable[[Any, str], Any] = getattr,
) -> None:  # fmt: skip
    """Differentiate the functions of a library by the rules that NumPy's have.

    `names` says for each function of the library which rule it goes by (docs/functions.md lists them), and, where its
    keywords have other names, a pair of the rule and `{keyword: the rule's keyword}`. `np.` in a rule then means the
    library, so it has the functions that these rules call. `zero` names functions without derivative. `types` tells for
    each array class how zeros are made, gradients added, broadcasting undone.
    """
    known = table()
    title = getattr(library, "__name__", None) or type(library).__name__
    for name, said in names.items():
        rule, renames = (said, {}) if isinstance(said, str) else said
        if rule not in known.rules:
            raise RuleError(f"'{title}.{name}' cannot be bound to '{rule}'", caller(), "there is no such rule", TODO)
        unknown = sorted(set(renames.values()) - {p.name for p in known.rules[rule].parameters})
        if unknown:
            raise RuleError(
                f"'{title}.{name}' cannot be bound to '{rule}'", caller(), f"the rule has no '{unknown[0]}'", TODO
            )
        function = find(library, name)
        known.forget(function)
        known.functions[function] = [Bound(rule, dict(renames), library=title)]
    for name in zero:
        known.flatten(find(library, name))
    known.libraries[title] = library
    known.changed()
    for cls, array_type in (types or {}).items():
        register_array_type(cls, array_type)


__all__ = ["bind_library"]
