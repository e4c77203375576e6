"""The peers, asked the same: a gradient of a function written with their array module.

`by(f, args, wrt)` gives for each peer that is installed an action that computes the gradients.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from benchmarks import elsewhere
from benchmarks.measure import Action, peer

Function = Callable[..., Any]
TENSORFLOW = ("TensorFlow", "tf.function")


def autograd_peer(f: Function, args: Sequence[Any], wrt: Sequence[int]) -> dict[str, Action]:
    """`f(np, *args)` with autograd's NumPy."""
    library = peer("autograd")
    if library is None:
        return {}
    anp = peer("autograd.numpy")
    gradient = library.grad(lambda *a: f(anp, *a), argnum=tuple(wrt))
    return {"autograd": lambda: gradient(*args)}


def torch_peer(f: Function, args: Sequence[Any], wrt: Sequence[int]) -> dict[str, Action]:
    """`f(torch, *args)`, eager."""
    torch = peer("torch")
    if torch is None:
        return {}
    torch.set_num_threads(1)
    tensors = [torch.tensor(a) if isinstance(a, np.ndarray | float) else a for a in args]
    if all(isinstance(a, float) for a in args):
        tensors = [torch.tensor(a, dtype=torch.float64) for a in args]

    def action() -> Any:
        leaves = list(tensors)
        for k in wrt:
            leaves[k] = tensors[k].detach().requires_grad_(True)
        out = f(torch, *leaves)
        return [g.numpy() for g in torch.autograd.grad(out, [leaves[k] for k in wrt])]

    return {"PyTorch": action}


def jax_peer(f: Function, args: Sequence[Any], wrt: Sequence[int], static: Sequence[int] = ()) -> dict[str, Action]:
    """`f(jax.numpy, *args)` under `jax.jit`; compiled by the first call, which is not measured."""
    jax = peer("jax")
    if jax is None:
        return {}
    jax.config.update("jax_enable_x64", True)
    jnp = peer("jax.numpy")
    gradient = jax.jit(jax.grad(lambda *a: f(jnp, *a), argnums=tuple(wrt)), static_argnums=tuple(static))
    arrays = [jnp.asarray(a) if isinstance(a, np.ndarray) else a for a in args]
    return {"jax.jit": lambda: jax.block_until_ready(gradient(*arrays))}


def by(
    f: Function, args: Sequence[Any], wrt: Sequence[int], leave_out: str = "", tools: Sequence[str] = (),
    primal: Function | None = None,
) -> dict[str, Action]:  # fmt: skip
    """All peers that are installed, and those of `tools` that have an environment of their own.

    `tangent-ad` takes the primal as it is.
    """
    found = {**autograd_peer(f, args, wrt), **torch_peer(f, args, wrt)}
    if "jax" not in leave_out:
        found |= jax_peer(f, args, wrt)
    for tool in tools:
        g = f if tool in TENSORFLOW or primal is None else primal
        found |= elsewhere.peers([tool], f"{g.__module__}:{g.__qualname__}", args, wrt)
    return found
