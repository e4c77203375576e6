# fmt: off
# ruff: noqa: E704
"""PyTorch, bound to Tangent: the tensors know nothing of it, and nothing of autograd is used."""

import torch

import tangent

NAMES = "sin cos exp tanh log sqrt".split()


def unbroadcast(b, x):
    b = torch.as_tensor(b, dtype=x.dtype)
    return b.expand(torch.broadcast_shapes(b.shape, x.shape)).sum_to_size(x.shape)


TYPE = tangent.ArrayType(
    zeros=torch.zeros_like, add=torch.add, copy=torch.clone, total=torch.sum, unbroadcast=unbroadcast,
    broadcast_like=lambda b, x: torch.as_tensor(b, dtype=x.dtype).expand(x.shape).clone(),
)


def register():
    zero = ["ones_like", "zeros_like", "argmax"]
    tangent.bind_library(torch, {name: name for name in NAMES}, zero=zero, types={torch.Tensor: TYPE})

    @tangent.adjoint(torch.sum, forward="linear")
    def adjoint_sum(y, input): d[input] = torch.ones_like(input) * d[y]  # noqa: F821
