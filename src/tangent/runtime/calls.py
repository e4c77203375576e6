"""Calls whose callee is known only when they happen: it is transformed then, once, and remembered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol


class Service(Protocol):
    """Makes derivatives; installed by the pipeline, since the runtime knows nothing of syntax."""

    def pair(self, function: Any, active: tuple[Any, ...]) -> tuple[Callable[..., Any], Callable[..., Any]]: ...

    def tangent(self, function: Any, active: tuple[Any, ...]) -> Callable[..., Any]: ...


class _Holder:
    service: Service | None = None


def install(service: Service) -> None:
    _Holder.service = service


def _service() -> Service:
    assert _Holder.service is not None, "import tangent"
    return _Holder.service


def call_fwd(function: Any, active: tuple[Any, ...], *args: Any, **kwargs: Any) -> tuple[Any, Any]:
    """The result of a call, and what its backward pass needs."""
    forward, backward = _service().pair(function, active)
    result, saved = forward(*args, **kwargs)
    return result, (backward, saved)


def call_bwd(saved: Any, b: Any) -> Any:
    """The adjoints of the active arguments of a call."""
    backward, inner = saved
    return backward(inner, b)


def call_jvp(function: Any, active: tuple[Any, ...], tangents: tuple[Any, ...], *args: Any, **kwargs: Any) -> Any:
    """The result of a call and its tangent."""
    return _service().tangent(function, active)(tangents, *args, **kwargs)
