"""Fourier transforms. The matrix of a transform is symmetric, so the transpose is the transform itself, with the same norm.

Half spectra: `rfft` and `hfft` are transposes of each other up to the weight 2 of what stands for a conjugate pair, and so are
`irfft` and `ihfft`. `fit(b, a)` crops or pads b with zeros to the shape of a, which undoes the argument `n` or `s`.
"""


@linear
def fft(y, a, n=None, axis=-1, norm=None):           d[a] = fit(np.fft.fft(d[y], axis=axis, norm=norm), a)
@linear
def ifft(y, a, n=None, axis=-1, norm=None):          d[a] = fit(np.fft.ifft(d[y], axis=axis, norm=norm), a)
@linear
def fft2(y, a, s=None, axes=(-2, -1), norm=None):    d[a] = fit(np.fft.fft2(d[y], axes=axes, norm=norm), a)
@linear
def ifft2(y, a, s=None, axes=(-2, -1), norm=None):   d[a] = fit(np.fft.ifft2(d[y], axes=axes, norm=norm), a)
@linear
def fftn(y, a, s=None, axes=None, norm=None):        d[a] = fit(np.fft.fftn(d[y], s=s, axes=axes, norm=norm), a)
@linear
def ifftn(y, a, s=None, axes=None, norm=None):       d[a] = fit(np.fft.ifftn(d[y], s=s, axes=axes, norm=norm), a)
@linear
def rfft(y, a, n=None, axis=-1, norm=None):
    m = length(a, n, axis)
    d[a] = fit(np.fft.hfft(halve_pairs(d[y], m, axis), m, axis=axis, norm=norm), a)
@linear
def ihfft(y, a, n=None, axis=-1, norm=None):
    m = length(a, n, axis)
    d[a] = fit(np.fft.irfft(halve_pairs(d[y], m, axis), m, axis=axis, norm=norm), a)
@linear
def irfft(y, a, n=None, axis=-1, norm=None):         d[a] = fit(double_pairs(np.fft.ihfft(d[y], axis=axis, norm=norm), np.shape(d[y])[axis], axis), a)
@linear
def hfft(y, a, n=None, axis=-1, norm=None):          d[a] = fit(double_pairs(np.fft.rfft(d[y], axis=axis, norm=norm), np.shape(d[y])[axis], axis), a)
@linear
def rfftn(y, a, s=None, axes=None, norm=None):       d[a] = rfftn_adjoint(d[y], a, s=s, axes=axes, norm=norm)
@linear
def rfft2(y, a, s=None, axes=(-2, -1), norm=None):   d[a] = rfftn_adjoint(d[y], a, s, axes, norm)
@linear
def irfftn(y, a, s=None, axes=None, norm=None):      d[a] = irfftn_adjoint(d[y], a, s=s, axes=axes, norm=norm)
@linear
def irfft2(y, a, s=None, axes=(-2, -1), norm=None):  d[a] = irfftn_adjoint(d[y], a, s, axes, norm)
@linear
def fftshift(y, x, axes=None):                       d[x] = np.fft.ifftshift(d[y], axes=axes)
@linear
def ifftshift(y, x, axes=None):                      d[x] = np.fft.fftshift(d[y], axes=axes)
