"""What `match` asks of a value, and what it takes from one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def is_sequence(x: Any, length: int, more: bool = False) -> bool:
    """Whether a sequence pattern of this length fits; with `more`, of at least this length.

    >>> is_sequence((1, 2), 2), is_sequence("ab", 2), is_sequence([1, 2, 3], 2, True)
    (True, False, True)
    """
    if not isinstance(x, Sequence) or isinstance(x, (str, bytes, bytearray)):
        return False
    return len(x) >= length if more else len(x) == length


def is_mapping(x: Any) -> bool:
    """Whether a mapping pattern fits."""
    return isinstance(x, Mapping)


def other_keys(x: Any, taken: Any) -> list[Any]:
    """The keys of a mapping that a pattern does not name."""
    return [k for k in x if k not in taken]
