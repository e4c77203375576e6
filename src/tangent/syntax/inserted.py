"""Code of the user for the backward pass: a statement of Core Python, and the same code where it ends up."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

LOOPS = (ast.For, ast.While, ast.AsyncFor)


class BlockLine(NamedTuple):
    """A line of the user: its text without indentation, its number in the file, and whether it begins in a string."""

    text: str
    number: int
    raw: bool = False


@dataclass(frozen=True, eq=False)
class Block:
    """The body of `with insert_grad_of(x) as dx:`, as text and as what the analyses ask of it."""

    names: tuple[str, ...]  # what the gradients are bound to, "" where that is nothing
    body: tuple[ast.stmt, ...]
    lines: tuple[BlockLine, ...]
    reads: frozenset[str]  # variables of the function
    own: frozenset[str]  # names that the block binds or `as` binds for it
    binds: frozenset[str]  # names that the block itself binds
    jumps: frozenset[str]  # "break", "continue": they act on the backward loop
    viewed: tuple[str, ...] = ()  # variables of the function that may be objects whose attributes are in a memory


class Insertion(ast.stmt):
    """`with insert_grad_of(place) as name, ...: block`, in a Core function; with the memory of objects, if any."""

    _fields = ("places", "block", "memory")
    places: list[ast.expr]
    block: Block
    memory: ast.expr | None

    def __init__(self, places: list[ast.expr], block: Block, memory: ast.expr | None = None) -> None:
        super().__init__()
        self.places, self.block, self.memory = places, block, memory


class InsertedCode(ast.stmt):
    """The lines of the block in a backward pass. Nothing looks inside them, moves them or drops them.

    `parts` are the gradients that may be lists, dicts or objects, of which the block may change parts; where there are
    some, `changed` are the variables of the function that it may change.
    """

    _fields = ("block", "parts", "changed")
    block: Block
    parts: tuple[str, ...]
    changed: tuple[str, ...]

    def __init__(self, block: Block, parts: tuple[str, ...] = (), changed: tuple[str, ...] = ()) -> None:
        super().__init__()
        self.block, self.parts, self.changed = block, parts, changed


class Once(ast.For):
    """A loop of one trip: a step of a checkpointed loop, which jumps of blocks leave."""


class RestoringIf(ast.If):
    """Restores what is left of an iteration of a backward loop that was cut short."""


class RestoringFor(ast.For):
    """Restores what is left of a backward loop that was cut short."""


def root(place: ast.expr) -> str:
    """The variable behind a place: `params` for `params["w"]`.

    >>> root(ast.parse("params['layers'][0].w", mode="eval").body)
    'params'
    """
    while isinstance(place, (ast.Subscript, ast.Attribute)):
        place = place.value
    return place.id if isinstance(place, ast.Name) else ""


def outer_places(place: ast.expr) -> Iterator[ast.expr]:
    """What holds a place, from the inside: `params["layers"][0]`, `params["layers"]`, `params`."""
    while isinstance(place, (ast.Subscript, ast.Attribute)):
        place = place.value
        yield place


def jumps_of(body: Iterable[ast.stmt]) -> Iterator[str]:
    """The jumps of a block that act on the loop around it."""
    for s in body:
        match s:
            case ast.Break():
                yield "break"
            case ast.Continue():
                yield "continue"
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                continue
            case _ if isinstance(s, LOOPS):
                yield from jumps_of(s.orelse)
            case _:
                for field in ("body", "orelse", "finalbody"):
                    yield from jumps_of(getattr(s, field, []))
                for part in (*getattr(s, "handlers", ()), *getattr(s, "cases", ())):
                    yield from jumps_of(part.body)
