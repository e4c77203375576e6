"""What Numba refuses, said in one line of the primal instead of a trace of its typing."""

from __future__ import annotations

import os
import re
import traceback

import numba
from numba.core.errors import NumbaError

from tangent.codegen.emit import Text
from tangent.codegen.load import place_of
from tangent.codegen.notes import annotate, primal_place
from tangent.errors import CompileError, Location
from tangent.transform.generated import Generated

_AT = re.compile(r'File "(<[^"]*>|[^"]*)", line (\d+)')
_NUMBA = os.path.join(os.path.dirname(numba.__file__ or ""), "")
_NOISE = ("Failed in nopython mode", "During:", "File ", "<source", "- Resolution", "There are", "Overload", "Rejected")


def explain(error: BaseException, text: Text, entry: Generated) -> None:
    """Raise the short form of an error of Numba; other errors get the note that they always get."""
    if not isinstance(error, NumbaError) and not _while_compiling(error):
        return annotate(error, place_of(entry))
    message = str(error)
    lines = [int(n) for file, n in _AT.findall(message) if file == text.file]
    shown = text.text.splitlines()
    line = lines[-1] if lines else 0
    place = primal_place(text.file, line) if line else None
    if place is None:
        source = entry.source
        assert source is not None
        place, line = (source.file, source.tree.lineno, source.line(source.tree.lineno).strip()), 0
    where = Location(*place, 0, len(place[2]))
    at = f" in '{shown[line - 1].strip()}'" if 0 < line <= len(shown) else ""
    raise CompileError(
        f"Numba does not compile the derivative{at}", where, _reason(message),
        "Without compile='numba' the derivative runs as Python code; the cause of this error is Numba's full message.",
    ) from error  # fmt: skip


def _while_compiling(error: BaseException) -> bool:
    """Whether an error comes from Numba's own code: what it does not know how to compile, it may say in any way."""
    frames = traceback.extract_tb(error.__traceback__)
    return not isinstance(error, KeyboardInterrupt | MemoryError) and any(
        frame.filename.startswith(_NUMBA) for frame in frames
    )


def _reason(message: str) -> str:
    """The line that says most."""
    lines = [line.strip() for line in message.splitlines()]
    if any("pyobject" in line for line in lines):
        return "an argument is of a type that Numba does not know"
    for pattern in (r"No implementation of function (.*?) found for signature", r"Unknown attribute .*", r"Untyped .*",
                    r"Cannot unify .*", r"cannot unify .*", r"Use of unsupported .*", r".*not supported.*",
                    r"No conversion .*", r"Invalid use of .*", r".*is not defined.*"):  # fmt: skip
        for i, line in enumerate(lines):
            if re.search(pattern, line):
                signature = next((x for x in lines[i + 1 : i + 4] if x.startswith(">>>")), "")
                return f"no implementation of {signature[4:]}" if signature else line
    return next((x for x in lines if x and not x.startswith(_NOISE)), "no reason given")
