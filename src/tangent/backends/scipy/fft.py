"""`scipy.fft`: the transforms that NumPy has, too, by the same rules; the others in terms of `dct` and `dst`."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import fft

from tangent.backends.scipy.kernels_fft import TURNED, axes_and_lengths

TRANSFORMS = {
    name: name for name in "fft ifft fft2 ifft2 fftn ifftn rfft irfft rfft2 irfft2 rfftn irfftn hfft ihfft".split()
}
PLACES = {"fftshift": "fftshift", "ifftshift": "ifftshift", "fftfreq": "fftfreq", "rfftfreq": "fftfreq"}

OTHER_NORM = {None: "forward", "backward": "forward", "ortho": "ortho", "forward": "backward"}


def idct(
    x: Any, type: int = 2, n: Any = None, axis: int = -1, norm: Any = None, overwrite_x: bool = False,
    workers: Any = None, orthogonalize: Any = None,
) -> Any:  # fmt: skip
    return fft.dct(x, TURNED[type], n, axis, OTHER_NORM[norm], workers=workers, orthogonalize=orthogonalize)


def idst(
    x: Any, type: int = 2, n: Any = None, axis: int = -1, norm: Any = None, overwrite_x: bool = False,
    workers: Any = None, orthogonalize: Any = None,
) -> Any:  # fmt: skip
    return fft.dst(x, TURNED[type], n, axis, OTHER_NORM[norm], workers=workers, orthogonalize=orthogonalize)


def dctn(
    x: Any, type: int = 2, s: Any = None, axes: Any = None, norm: Any = None, overwrite_x: bool = False,
    workers: Any = None, *, orthogonalize: Any = None,
) -> Any:  # fmt: skip
    """The transforms along all axes, one after the other."""
    x = np.asarray(x)
    for axis, n in axes_and_lengths(np.ndim(x), s, axes):
        x = fft.dct(x, type, n, axis, norm, workers=workers, orthogonalize=orthogonalize)
    return x


def dstn(
    x: Any, type: int = 2, s: Any = None, axes: Any = None, norm: Any = None, overwrite_x: bool = False,
    workers: Any = None, orthogonalize: Any = None,
) -> Any:  # fmt: skip
    """The same with sines."""
    x = np.asarray(x)
    for axis, n in axes_and_lengths(np.ndim(x), s, axes):
        x = fft.dst(x, type, n, axis, norm, workers=workers, orthogonalize=orthogonalize)
    return x


def idctn(
    x: Any, type: int = 2, s: Any = None, axes: Any = None, norm: Any = None, overwrite_x: bool = False,
    workers: Any = None, orthogonalize: Any = None,
) -> Any:  # fmt: skip
    return dctn(x, TURNED[type], s, axes, OTHER_NORM[norm], workers=workers, orthogonalize=orthogonalize)


def idstn(
    x: Any, type: int = 2, s: Any = None, axes: Any = None, norm: Any = None, overwrite_x: bool = False,
    workers: Any = None, orthogonalize: Any = None,
) -> Any:  # fmt: skip
    return dstn(x, TURNED[type], s, axes, OTHER_NORM[norm], workers=workers, orthogonalize=orthogonalize)
