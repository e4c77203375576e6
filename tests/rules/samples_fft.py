"""Samples of the Fourier transforms: even and odd lengths, cropped and padded, every norm."""

from __future__ import annotations

from rules.sample import S, Sample, cplx, real


def whole(name: str) -> list[Sample]:
    """A transform along one axis between spectra of the same length."""
    return [
        S(f"np.fft.{name}(x)", x=cplx(4)),
        S(f"np.fft.{name}(x)", x=real(3)),
        S(f"np.fft.{name}(x, n=3)", x=cplx(4)),
        S(f"np.fft.{name}(x, 5, norm='ortho')", x=cplx(3)),
        S(f"np.fft.{name}(x, axis=0, norm='forward')", x=cplx(3, 2)),
    ]


def whole_of_many(name: str) -> list[Sample]:
    """A transform along several axes."""
    return [
        S(f"np.fft.{name}(x)", x=cplx(2, 3)),
        S(f"np.fft.{name}(x, s=(3, 2), axes=(0, 1))", x=cplx(2, 3)),
        S(f"np.fft.{name}(x, axes=(0, -1), norm='ortho')", x=real(2, 2, 3)),
        S(f"np.fft.{name}(x, norm='forward')", x=cplx(2, 2, 2)),
    ]


def half(name: str, domain: object) -> list[Sample]:
    """A transform between a real signal and half a spectrum."""
    return [
        S(f"np.fft.{name}(x)", x=domain(4)),  # type: ignore[operator]
        S(f"np.fft.{name}(x, n=5)", x=domain(3)),  # type: ignore[operator]
        S(f"np.fft.{name}(x, 3, norm='ortho')", x=domain(5)),  # type: ignore[operator]
        S(f"np.fft.{name}(x, n=6, axis=0, norm='forward')", x=domain(4, 2)),  # type: ignore[operator]
        S(f"np.fft.{name}(x, axis=-2)", x=domain(3, 2)),  # type: ignore[operator]
    ]


def half_of_many(name: str, domain: object) -> list[Sample]:
    """The same along several axes."""
    return [
        S(f"np.fft.{name}(x)", x=domain(2, 4)),  # type: ignore[operator]
        S(f"np.fft.{name}(x, s=(3, 5), axes=(0, 1))", x=domain(2, 4)),  # type: ignore[operator]
        S(f"np.fft.{name}(x, axes=(-1, 0), norm='ortho')", x=domain(3, 3)),  # type: ignore[operator]
        S(f"np.fft.{name}(x, norm='forward')", x=domain(2, 2, 3)),  # type: ignore[operator]
    ]


SAMPLES: dict[str, list[Sample]] = {
    "fft": whole("fft"),
    "ifft": whole("ifft"),
    "fft2": whole_of_many("fft2"),
    "ifft2": whole_of_many("ifft2"),
    "fftn": whole_of_many("fftn"),
    "ifftn": whole_of_many("ifftn"),
    "rfft": half("rfft", real),
    "ihfft": half("ihfft", real),
    "irfft": half("irfft", cplx),
    "hfft": half("hfft", cplx),
    "rfftn": half_of_many("rfftn", real),
    "rfft2": half_of_many("rfft2", real),
    "irfftn": half_of_many("irfftn", cplx),
    "irfft2": half_of_many("irfft2", cplx),
    "fftshift": [S("np.fft.fftshift(x)", x=real(2, 3)), S("np.fft.fftshift(x, axes=1)", x=cplx(2, 3))],
    "ifftshift": [S("np.fft.ifftshift(x)", x=real(2, 3)), S("np.fft.ifftshift(x, axes=(0,))", x=cplx(3, 2))],
}
