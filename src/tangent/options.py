"""What can be asked of a transformation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from tangent.errors import OptionError, caller

Mode = Literal["reverse", "forward"]
Motion = Literal["joint", "split"]
Compiler = Literal["numba"]
Memory = Literal["", "objects", "lists", "arrays"]
Copied = tuple[tuple[str, tuple[str, ...]], ...]
ITEMS = "[]"  # ends the path to a list of objects, for which the path stands
EACH = "[:]"  # ends the path to a short list of objects of several classes, which have paths of their own: `layers.0`
Given = tuple[tuple[str, type, tuple[tuple[str, str], ...]], ...]


@dataclass(frozen=True)
class Options:
    """One derivative is asked for by one of these; equal options give the same derivative."""

    mode: Mode = "reverse"
    wrt: tuple[str, ...] = ()
    optimized: bool = True
    preserve_result: bool = False
    check_dims: bool = True
    summed: bool = False  # one number as seed stands for as many as the result has
    has_aux: bool = False
    value_first: bool = False
    paths: tuple[tuple[str, str], ...] = ()  # what is given back, where it is a part of an argument: ('p', '.w')
    objects: tuple[str, ...] = ()  # the operators that the classes of arguments define
    scalars: tuple[tuple[Any, frozenset[str]], ...] = ()  # variables that are numbers, by function
    numbers: tuple[Any, ...] = ()  # what follows from taking arguments for numbers (transform/presumed.py)
    anything: bool = False  # no argument is taken for a number
    checkpoint: int | bool | None = None  # how many states the loops of the function keep; True: by their length
    lists: bool = False  # arguments may be lists or tuples where NumPy takes arrays
    copied: Copied = ()  # arguments that are lists or dicts, and written into: these are copied first
    buffers: tuple[str, ...] = ()  # arrays around the function that it fills: it works on copies
    given: Given = ()  # arguments that are objects and change, with what they hold: these are read at the beginning
    silent: bool = False  # it is run again: what it prints was printed
    caught: bool = False  # a caller may catch what it raises
    turned: bool = False  # gradients among the callees are differentiated through forward mode
    memory: Memory = ""  # what is kept in a memory: objects that change, or lists and dicts, or arrays, too
    compile: Compiler | None = None
    jit: tuple[tuple[str, Any], ...] = ()


COMPILER = frozenset("boundscheck cache debug error_model fastmath forceinline inline locals nogil parallel".split())


def further(options: dict[str, Any]) -> dict[str, Any]:
    """Keywords that no option of a derivative has: those of the compiler, as they are."""
    for option, value in options.items():
        if option not in COMPILER:
            todo = "See help(tangent.grad) for the options of a derivative; mode and motion are options of autodiff."
            if option in ("argnums", "argnum"):
                todo = f"Pass wrt={value!r}: it holds positions or names of arguments."
            raise OptionError(f"{option}={value!r}", caller(), "there is no such option here", todo)
    return options
