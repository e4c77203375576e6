"""Cosine and sine transforms. The transpose of one is that of the type which stands for its inverse, up to weights at the edges."""

@linear
def dct(y, x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None):
    d[x] = dct_adjoint(d[y], x, type, axis, norm, orthogonalize)

@linear
def dst(y, x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None):
    d[x] = dst_adjoint(d[y], x, type, axis, norm, orthogonalize)
