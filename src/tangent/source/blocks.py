"""Where users' code stands in generated files: the lines of blocks that may change parts of the gradients they have."""

from __future__ import annotations

from typing import NamedTuple


class BlockSpan(NamedTuple):
    """A block in a generated file: its lines, the gradients of which it changes parts, and what else it changes.

    What is `viewed` it must leave as it is, which is checked after it.
    """

    first: int
    last: int
    parts: tuple[str, ...]
    changed: tuple[str, ...]
    viewed: tuple[str, ...]


_known: dict[str, tuple[BlockSpan, ...]] = {}


def remember_blocks(file: str, spans: tuple[BlockSpan, ...]) -> None:
    """Keep where blocks stand in a generated file."""
    if spans:
        _known[file] = spans


def blocks_in(file: str) -> tuple[BlockSpan, ...]:
    return _known.get(file, ())
