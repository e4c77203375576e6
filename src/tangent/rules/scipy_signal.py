"""Convolutions, and the filter that feeds back what it gave. `signal` is the module."""

@linear
@fitted
def convolve(y, in1, in2, mode="full", method="auto"):
    d[in1] = turned_convolution(d[y], in2, in1, mode, None)
    d[in2] = turned_convolution(d[y], in1, in2, mode, None)

@linear
@fitted
def fftconvolve(y, in1, in2, mode="full", axes=None):
    d[in1] = turned_convolution(d[y], in2, in1, mode, axes)
    d[in2] = turned_convolution(d[y], in1, in2, mode, axes)

@linear
@fitted
def oaconvolve(y, in1, in2, mode="full", axes=None):
    d[in1] = turned_convolution(d[y], in2, in1, mode, axes)
    d[in2] = turned_convolution(d[y], in1, in2, mode, axes)

@fitted
def all_pole(y, a, u):
    g = all_pole_turned(a, d[y])
    d[a] = -lagged_products(g, y, np.size(a))
    d[u] = g
    d[y] = all_pole(a, d[u]) - all_pole(a, shifted_sum(d[a], y, np.shape(y)[-1] + np.size(a) - 1)[..., : np.shape(y)[-1]])
