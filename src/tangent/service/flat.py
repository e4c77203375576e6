"""Functions without derivative, where they are called as others: their adjoints and tangents are zero."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tangent.runtime.dispatch import init_grad


def flat_pair(function: Any, active: tuple[int | str, ...]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The halves of a function without derivative."""

    def forward(*args: Any, **kwargs: Any) -> tuple[Any, Any]:
        return function(*args, **kwargs), (args, kwargs)

    def backward(saved: Any, b: Any) -> Any:
        args, kwargs = saved
        parts = tuple(_zero_at(a, args, kwargs) for a in active)
        return parts[0] if len(parts) == 1 else parts

    forward.is_flat = backward.is_flat = True  # type: ignore[attr-defined]
    return forward, backward


def _zero_at(place: int | str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The adjoint of what a call takes from one place, where nothing flows."""
    if isinstance(place, int):
        return init_grad(args[place])
    if place == "f":
        return {}
    if place.startswith("**"):
        return {k: init_grad(v) for k, v in kwargs.items() if k not in place[2:].split(",")}
    if place.startswith("*"):
        return tuple(init_grad(v) for v in args[int(place[1:]) :])
    return init_grad(kwargs[place])


def flat_tangent(function: Any) -> Callable[..., Any]:
    """A function without derivative, and the tangent of its result."""

    def push(tangents: tuple[Any, ...], *args: Any, **kwargs: Any) -> Any:
        value = function(*args, **kwargs)
        return value, init_grad(value)

    push.is_flat = True  # type: ignore[attr-defined]
    return push
