"""Compiled derivatives kept on disk: Numba's cache needs a file that stays, and a module of that name.

The file is called after everything that its machine code depends on: the text, the functions and constants it refers
to, and Tangent's own overloads. So whatever changes gives another file, and nothing old is ever found.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
import tempfile
import types
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from tangent.codegen.compiled.surroundings import LIBRARIES
from tangent.codegen.emit import Text
from tangent.transform.generated import Generated

PACKAGE = Path(__file__).resolve().parent.parent.parent


def on_disk(text: Text, entry: Generated, surroundings: list[dict[str, Any]]) -> tuple[Text, str]:
    """The text with a file of its own, written, and the name of its module, registered."""
    digest = hashlib.sha256(text.text.encode())
    for part in _facts(surroundings, frozenset(re.findall(r"\w+", text.text))):
        digest.update(part)
    title = f"{entry.name}_{digest.hexdigest()[:16]}"
    file = _folder(entry) / f"{title}.py"
    if not file.exists():
        _write(file, text.text)
    module = f"tangent_generated_{title}"
    sys.modules.setdefault(module, types.ModuleType(module))
    return replace(text, file=str(file)), module


def _facts(surroundings: list[dict[str, Any]], words: frozenset[str]) -> Iterator[bytes]:
    """What compiled code depends on beside its text, which has these words in it."""
    yield _overloads()
    for namespace in surroundings:
        for v in sorted(namespace):
            yield v.encode()
            yield from _fact(namespace[v], set(), words)


def _fact(value: Any, seen: set[tuple[int, frozenset[str]]], names: frozenset[str]) -> Iterator[bytes]:
    """What a value is; of a module, what the names beside it may take from it."""
    if (id(value), names) in seen:
        return
    function = getattr(value, "py_func", value)
    if isinstance(function, types.FunctionType):
        seen.add((id(value), names))
        yield from _code(function.__code__)
        names = _names(function.__code__)
        inside = {v: function.__globals__.get(v) for v in function.__code__.co_names}
        cells = zip(function.__code__.co_freevars, function.__closure__ or ())
        for v, part in sorted((inside | {v: cell.cell_contents for v, cell in cells}).items()):
            yield v.encode()
            yield from _fact(part, seen, names)
    elif isinstance(value, types.ModuleType):
        seen.add((id(value), names))
        yield value.__name__.encode()
        for v in sorted(names & set(vars(value))) if value.__name__.split(".")[0] not in LIBRARIES else ():
            yield v.encode()
            yield from _fact(vars(value)[v], seen, names)
    elif isinstance(value, np.ndarray):
        yield repr((value.dtype, value.shape)).encode() + value.tobytes()
    elif isinstance(value, (int, float, complex, str, bytes, tuple, np.generic, type(None))):
        yield repr(value).encode()
    else:
        yield repr(type(value)).encode()


def _names(code: types.CodeType) -> frozenset[str]:
    """The names of globals and attributes in a function, and in those defined inside."""
    inner = (c for c in code.co_consts if isinstance(c, types.CodeType))
    return frozenset(code.co_names).union(*(_names(c) for c in inner))


def _code(code: types.CodeType) -> Iterator[bytes]:
    yield code.co_code
    for c in code.co_consts:
        if isinstance(c, types.CodeType):
            yield from _code(c)
        else:
            yield repr(c).encode()
    yield repr(code.co_names).encode()


@lru_cache(maxsize=1)
def _overloads() -> bytes:
    """Tangent's own part of the machine code."""
    files = sorted((PACKAGE / "backends" / "numba").glob("*.py"))
    return b"".join(hashlib.sha256(f.read_bytes()).digest() for f in files)


def _folder(entry: Generated) -> Path:
    """Beside the user's bytecode, or in the user's cache where that cannot be written."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    beside = Path(entry.primal.__code__.co_filename).parent / "__pycache__"
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    for base in (Path(chosen) if chosen else beside, home, Path(tempfile.gettempdir())):
        if base is beside and not beside.parent.is_dir():
            continue
        folder = base / "tangent"
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return folder
    return Path(tempfile.mkdtemp(prefix="tangent"))


def _write(file: Path, text: str) -> None:
    """All or nothing: another process may read it meanwhile."""
    handle, name = tempfile.mkstemp(dir=file.parent, suffix=".tmp")
    with os.fdopen(handle, "w", encoding="utf-8") as f:
        f.write(text)
    os.replace(name, file)
