"""Modules that Tangent does without: they are bound when somebody has imported them."""

from __future__ import annotations

import importlib
import sys

from tangent.backends.scipy import bind_scipy
from tangent.rules.table import Table


def bind_imported(table: Table) -> None:
    """Bind what has been imported since the last time."""
    bind_scipy(table)
    if "statistics" in sys.modules and "statistics" not in table.imported:
        table.imported.add("statistics")
        importlib.import_module("tangent.backends.statistics").bind_statistics(table)  # it imports the library's
        table.changed()
