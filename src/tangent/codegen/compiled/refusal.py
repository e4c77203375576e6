"""What Numba refuses, said in one line of the primal instead of a trace of its typing."""

from __future__ import annotations

import os
import re
import traceback

import numba
from numba.core.errors import NumbaError
from numba.core.ir import AbstractRHS, Inst, Loc

from tangent.codegen.emit import Text
from tangent.codegen.load import place_of
from tangent.codegen.notes import annotate, primal_place, users_location
from tangent.errors import CompileError
from tangent.syntax.uses import arguments
from tangent.transform.generated import Generated

_AT = re.compile(r'File "(<[^"]*>|[^"]*)", line (\d+)')
_ARGUMENT = re.compile(r"argument (\d+): Cannot determine Numba type of <class '([^']*)'>", re.IGNORECASE)
_NUMBA = os.path.join(os.path.dirname(numba.__file__ or ""), "")
_COMPILER = os.path.join(_NUMBA, "core", "")
_NOISE = ("Failed in ", "During:", "File ", "<source", "- Resolution", "There are", "Overload", "Rejected")
_UNKNOWN = (  # what Numba says where it knows no type, and what is meant
    (r"Cannot infer the type of variable '([^']*)'[^\n]*(?:list|Dict|Set)",
     "{} is empty where it is made, and what goes into it does not tell Numba its type"),
    (r"(?:Type of|Cannot infer the type of) variable '([^']*)'", "Numba cannot tell the type of {}"),
    (r"non-constant value associated with variable '([^']*)'",
     "a function that captures {} is kept or handed on: give it an argument for that, or call it where it is defined"),
    (r"UndefinedType", "Numba cannot tell the type of a value there, maybe of a list or dict that is empty at first"),
)  # fmt: skip


def explain(error: BaseException, text: Text, entry: Generated) -> None:
    """Raise the short form of an error of Numba; other errors get the note that they always get."""
    if not isinstance(error, NumbaError) and not _while_compiling(error):
        return annotate(error, place_of(entry))
    message = str(error)
    lines = [int(n) for file, n in _AT.findall(message) if file == text.file] or _lines_of(error, text.file)
    shown = text.text.splitlines()
    line = next((n for n in reversed(lines) if primal_place(text.file, n) is not None), 0)
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
    """Whether an error comes from Numba's compiler: what it does not know how to compile, it may say in any way.

    What Numba has compiled of its own (`np.linalg.inv`) raises as NumPy does, and has a frame in Numba too.
    """
    frames = traceback.extract_tb(error.__traceback__)
    return not isinstance(error, (KeyboardInterrupt, MemoryError)) and any(
        frame.filename.startswith(_COMPILER) for frame in frames
    )


def _lines_of(error: BaseException, file: str) -> list[int]:
    """The lines that Numba was at when it failed without saying so: its own frames know them."""
    found: list[int] = []
    at = error.__traceback__
    while at is not None:
        if at.tb_frame.f_code.co_filename.startswith(_NUMBA):
            for value in [*at.tb_frame.f_locals.values()]:
                loc = getattr(value, "loc", None) if isinstance(value, (Inst, AbstractRHS)) else value
                if isinstance(loc, Loc) and loc.filename == file:
                    found.append(int(loc.line))
        at = at.tb_next
    return found


def _argument(message: str, entry: Generated) -> str:
    """The argument that Numba has no type for, if that is it."""
    found = _ARGUMENT.search(message)
    if found is None or entry.tree is None:
        return ""
    names = [a.arg for a in arguments(entry.tree.args)]
    place, kind = int(found[1]), found[2].split(".")[-1]
    return f"Numba has no type for the argument '{names[place]}', a {kind}" if place < len(names) else ""


def _named(v: str) -> str:
    """A variable; what Numba numbers itself is no name to anybody."""
    return f"'{v.split('.')[0]}'" if v and v[0] != "$" else "a value"


def _reason(message: str) -> str:
    """The line that says most."""
    lines = [line.strip() for line in message.splitlines()]
    if any("pyobject" in line for line in lines):
        return "an argument is of a type that Numba does not know"
    if found := re.search(r"Untyped global name '(\w+)': .*<class 'function'>", message):
        if found[1].startswith("call_"):
            return "it calls a function that is known only when it is called"
        return f"'{found[1]}' has no compiled form"
    if found := re.search(r"Unknown attribute '(\w+)' of type Module\(<module '([\w.]+)'", message):
        return f"Numba has no '{found[2]}.{found[1]}'"
    for pattern, reason in _UNKNOWN:
        if found := re.search(pattern, message):
            return reason.format(*(_named(v) for v in found.groups()))
    for pattern in (r"No implementation of function (.*?) found for signature", r"Unknown attribute .*", r"Untyped .*",
                    r"Cannot unify .*", r"cannot unify .*", r"Use of unsupported .*", r".*not supported.*",
                    r"No conversion .*", r"Invalid use of .*", r".*is not defined.*"):  # fmt: skip
        for i, line in enumerate(lines):
            if re.search(pattern, line):
                signature = next((x for x in lines[i + 1 : i + 4] if x.startswith(">>>")), "")
                return f"no implementation of {signature[4:]}" if signature else line
    return next((x for x in lines if x and not x.startswith(_NOISE)), "no reason given")
