"""What a function imports for itself."""

from __future__ import annotations

import ast
import importlib
from typing import Any


def local_imports(tree: ast.FunctionDef) -> dict[str, Any]:
    """Modules and names that the function imports for itself, once, at its top level; not those that are not there."""
    found: dict[str, Any] = {}
    for s in tree.body:
        try:
            found |= _imported(s)
        except ImportError:  # it fails when the function gets there, if it does
            continue
    return found


def _imported(s: ast.stmt) -> dict[str, Any]:
    found: dict[str, Any] = {}
    match s:
        case ast.Import(names=names):
            for alias in names:
                module = importlib.import_module(alias.name)
                root = importlib.import_module(alias.name.split(".")[0])
                found[alias.asname or alias.name.split(".")[0]] = module if alias.asname else root
        case ast.ImportFrom(module=str(module_name), names=names, level=0):
            owner = importlib.import_module(module_name)
            for alias in names:
                if hasattr(owner, alias.name):
                    found[alias.asname or alias.name] = getattr(owner, alias.name)
    return found
