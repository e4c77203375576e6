"""The correlation that all filters of `scipy.ndimage` are written in."""

@linear
@fitted
def correlated(y, x, w):
    d[x] = correlated(surrounded(d[y], w), np.flip(w))
    d[w] = tap_products(x, d[y])

@linear
@fitted
def tap_products(w, x, b):
    d[x] = correlated(surrounded(b, d[w]), np.flip(d[w]))
    d[b] = correlated(x, d[w])
