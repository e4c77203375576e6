"""What Numba refuses, said in one line of the primal instead of a trace of its typing."""

from __future__ import annotations

import os
import re
import traceback

import numba
from numba.core.errors import NumbaError

from tangent.codegen.emit import Text
from tangent.codegen.load import place_of
from tangent.codegen.notes import annotate, primal_place, users_location
from tangent.errors import CompileError
from tangent.syntax.uses import arguments
from tangent.transform.generated import Generated

_AT = re.compile(r'File "(<[^"]*>|[^"]*)", line (\d+)')
_ARGUMENT = re.compile(r"argument (\d+): Cannot determine Numba type of <class '([^']*)'>", re.IGNORECASE)
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
        place, line = users_location(source.place(source.tree.lineno, 0)), 0
    at = f" in '{shown[line - 1].strip()}'" if 0 < line <= len(shown) else ""
    raise CompileError(
        f"Numba does not compile the derivative{at}", place, _argument(message, entry) or _reason(message),
        "Without compile='numba' the derivative runs as Python code; the cause of this error is Numba's full message.",
    ) from error  # fmt: skip


def _while_compiling(error: BaseException) -> bool:
    """Whether an error comes from Numba's own code: what it does not know how to compile, it may say in any way."""
    frames = traceback.extract_tb(error.__traceback__)
    return not isinstance(error, KeyboardInterrupt | MemoryError) and any(
        frame.filename.startswith(_NUMBA) for frame in frames
    )


def _argument(message: str, entry: Generated) -> str:
    """The argument that Numba has no type for, if that is it."""
    found = _ARGUMENT.search(message)
    if found is None or entry.tree is None:
        return ""
    names = [a.arg for a in arguments(entry.tree.args)]
    place, kind = int(found[1]), found[2].split(".")[-1]
    return f"Numba has no type for the argument '{names[place]}', a {kind}" if place < len(names) else ""


def _reason(message: str) -> str:
    """The line that says most."""
    lines = [line.strip() for line in message.splitlines()]
    if any("pyobject" in line for line in lines):
        return "an argument is of a type that Numba does not know"
    if found := re.search(r"Untyped global name '(\w+)': .*<class 'function'>", message):
        return f"'{found[1]}' has no compiled form"
    if any("UndefinedType" in line for line in lines):
        return "Numba cannot tell the type of a variable"
    for pattern in (r"No implementation of function (.*?) found for signature", r"Unknown attribute .*", r"Untyped .*",
                    r"Cannot unify .*", r"cannot unify .*", r"Use of unsupported .*", r".*not supported.*",
                    r"No conversion .*", r"Invalid use of .*", r".*is not defined.*"):  # fmt: skip
        for i, line in enumerate(lines):
            if re.search(pattern, line):
                signature = next((x for x in lines[i + 1 : i + 4] if x.startswith(">>>")), "")
                return f"no implementation of {signature[4:]}" if signature else line
    return next((x for x in lines if x and not x.startswith(_NOISE)), "no reason given")
