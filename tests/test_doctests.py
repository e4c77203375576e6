"""The examples in docstrings run. Rule files are notation, which is read as text and never imported."""

import doctest
import importlib
import linecache
from pathlib import Path

import numpy as np
import pytest

import tangent

PACKAGE = Path(tangent.__file__).resolve().parent
CODE_BESIDE_RULES = ("__init__.py", "bind.py", "classify.py", "notation.py", "table.py")


def is_notation(path):
    return path.parent == PACKAGE / "rules" and path.name not in CODE_BESIDE_RULES


def module_name(path):
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = [p for p in sorted(PACKAGE.rglob("*.py")) if not is_notation(p) and p.name != "__main__.py"]


def test_the_notation_files_are_known():
    code = {p.name for p in (PACKAGE / "rules").glob("*.py") if not is_notation(p)}
    assert code == set(CODE_BESIDE_RULES)


def of_one_file(check):
    """Each example makes a debugger, which looks whether any of the files changed that were ever read: thousands."""
    return lambda filename=None: check(filename) if filename is not None else None


@pytest.mark.parametrize("name", [module_name(p) for p in FILES])
def test_docstrings(name, monkeypatch):
    monkeypatch.setattr(linecache, "checkcache", of_one_file(linecache.checkcache))
    if name.startswith(("tangent.backends.numba", "tangent.codegen.compiled")):
        pytest.importorskip("numba")
    module = importlib.import_module(name)
    failures, _ = doctest.testmod(module, extraglobs={"np": np})
    assert failures == 0
