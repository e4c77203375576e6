"""The module that a function belongs to."""

from __future__ import annotations

from typing import Any


def home_of(function: Any) -> str:
    """The name of a function's module; nothing for what has none."""
    return getattr(function, "__module__", None) or ""
