"""Kernels of the rules of `scipy.fft`."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import fft

from tangent.runtime.kernels.fft import fit

TURNED = {1: 1, 2: 3, 3: 2, 4: 4}
ROOT = 2.0**0.5


def dct_adjoint(b: Any, x: Any, type: int, axis: int, norm: Any, orthogonalize: Any) -> Any:
    """The transpose of a cosine transform: that of the other type, with weights where it is not orthogonal."""
    plain = not is_orthogonal(norm, orthogonalize)
    before, after = edge_weights(type, plain, (0,) if type > 1 else (0, -1))
    turned = fft.dct(weighted(b, before, axis), TURNED[type], axis=axis, norm=norm, orthogonalize=True)
    return fit(weighted(turned, after, axis), x)


def dst_adjoint(b: Any, x: Any, type: int, axis: int, norm: Any, orthogonalize: Any) -> Any:
    """The same of a sine transform."""
    plain = not is_orthogonal(norm, orthogonalize) and type > 1
    before, after = edge_weights(type, plain, (-1,))
    turned = fft.dst(weighted(b, before, axis), TURNED[type], axis=axis, norm=norm, orthogonalize=True)
    return fit(weighted(turned, after, axis), x)


def is_orthogonal(norm: Any, orthogonalize: Any) -> bool:
    """Whether the matrix of a transform is orthogonal, up to a factor."""
    return bool(norm == "ortho" if orthogonalize is None else orthogonalize)


Weights = tuple[float, tuple[int, ...]]


def edge_weights(type: int, plain: bool, edges: tuple[int, ...]) -> tuple[Weights, Weights]:
    """What the transpose of a plain transform multiplies edges with, before and after an orthogonal one."""
    before = ROOT if plain and type in (1, 2) else 1.0
    after = 1.0 / ROOT if plain and type in (1, 3) else 1.0
    return (before, edges), (after, edges)


def weighted(b: Any, weights: Weights, axis: int) -> Any:
    """An array with some of its slices multiplied by a factor."""
    factor, edges = weights
    if factor == 1.0:
        return b
    n = np.shape(b)[axis]
    places = [e % n for e in edges]
    line = np.array([factor if i in places else 1.0 for i in range(n)], np.real(b).dtype)
    return b * np.reshape(line, [n if i == axis % np.ndim(b) else 1 for i in range(np.ndim(b))])

def axes_and_lengths(ndim: int, s: Any, axes: Any) -> list[tuple[int, Any]]:
    """Along which axes a transform goes, and how long it is there."""
    lengths = None if s is None else [s] if np.ndim(s) == 0 else list(s)
    if axes is None:
        places = list(range(ndim)) if lengths is None else list(range(ndim - len(lengths), ndim))
    else:
        places = [axes] if np.ndim(axes) == 0 else list(axes)
    return list(zip(places, [None] * len(places) if lengths is None else lengths))
