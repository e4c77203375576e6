"""`scipy.fft`: the transforms that NumPy has, too, by the same rules."""

TRANSFORMS = {
    name: name for name in "fft ifft fft2 ifft2 fftn ifftn rfft irfft rfft2 irfft2 rfftn irfftn hfft ihfft".split()
}
PLACES = {"fftshift": "fftshift", "ifftshift": "ifftshift", "fftfreq": "fftfreq", "rfftfreq": "fftfreq"}
