"""Kernels of the Fourier transforms: lengths, and the weights of half spectra."""

from __future__ import annotations

from typing import Any

import numpy as np

from tangent.runtime.fit import unbroadcast


def fit(b: Any, x: Any) -> Any:
    """b cropped, or padded with zeros at the end, to the shape of x, and real if x is."""
    shape = np.shape(x)
    if np.shape(b) != shape:
        b = b[tuple([slice(0, n) for n in shape])]
        b = np.pad(b, [(0, shape[k] - np.shape(b)[k]) for k in range(len(shape))])
    return unbroadcast(b, x)


def length(x: Any, n: Any = None, axis: int = -1) -> int:
    """The length of a transform of x along an axis."""
    return int(np.shape(x)[axis] if n is None else n)


def pair_weights(b: Any, n: int, axis: int, weight: float) -> Any:
    """Factors for a half spectrum b of n numbers: 1 for frequencies that stand alone, else weight."""
    size = np.shape(b)[axis]
    k = np.arange(size)
    weights = np.where((k == 0) | (2 * k == n), 1.0, weight).astype(np.finfo(np.result_type(b)).dtype)
    return np.reshape(weights, [size if i == axis % np.ndim(b) else 1 for i in range(np.ndim(b))])


def halve_pairs(b: Any, n: int, axis: int) -> Any:
    """A half spectrum with half of what stands for a conjugate pair."""
    return b * pair_weights(b, n, axis, 0.5)


def double_pairs(b: Any, n: int, axis: int) -> Any:
    """A half spectrum with twice what stands for a conjugate pair."""
    return b * pair_weights(b, n, axis, 2.0)


def transform_axes(x: Any, s: Any, axes: Any) -> list[int]:
    """The axes of a transform of x."""
    if axes is None:
        return list(range(np.ndim(x)))[0 if s is None else -len(s) :]
    return [axis % np.ndim(x) for axis in axes]


def rfftn_adjoint(b: Any, x: Any, s: Any = None, axes: Any = None, norm: Any = None) -> Any:
    """The adjoint of x in `np.fft.rfftn(x, s, axes, norm)`."""
    axes = transform_axes(x, s, axes)
    n = length(x, None if s is None or s[-1] == -1 else s[-1], axes[-1])
    b = np.fft.fftn(b, axes=axes[:-1], norm=norm)
    return fit(np.fft.hfft(halve_pairs(b, n, axes[-1]), n, axis=axes[-1], norm=norm), x)


def irfftn_adjoint(b: Any, x: Any, s: Any = None, axes: Any = None, norm: Any = None) -> Any:
    """The adjoint of x in `np.fft.irfftn(x, s, axes, norm)`."""
    axes = transform_axes(x, s, axes)
    half = double_pairs(np.fft.ihfft(b, axis=axes[-1], norm=norm), np.shape(b)[axes[-1]], axes[-1])
    return fit(np.fft.ifftn(half, axes=axes[:-1], norm=norm), x)
