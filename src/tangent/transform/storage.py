"""Storage: writes in place. Until they are differentiated they are refused wherever they could matter."""

from __future__ import annotations

from tangent.transform.unit import Unit


def refuse_in_place(this: Unit, varied: frozenset[str], useful: frozenset[str]) -> None:
    """Raise where a statement writes into something that the derivative reads or flows through."""
