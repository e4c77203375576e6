"""Functions with several results, and builtins over sequences. See docs/rules.md for the notation."""

# Elementwise functions with several results

@fitted
def modf(y, x):
    d[x] = d[y][0]
    d[y] = (broadcast_like(d[x], y[0]), init_grad(y[1]))

@fitted
def frexp(y, x):
    d[x] = np.ldexp(d[y][0], -y[1])
    d[y] = (np.ldexp(d[x], -y[1]), init_grad(y[1]))

@fitted
def divmod(z, x, y):
    d[x] = d[z][1]
    d[y] = -d[z][1] * (x // y)
    d[z] = divmod_tangent(d[x], d[y], z, x, y)

@fitted
def cmath_polar(y, x):
    d[x] = d[y][0] * conj_sign(x) - 1j * d[y][1] * inverse(x, 1)
    d[y] = (float(np.real(d[x] * conj_sign(x))), float(np.imag(d[x] * inverse(x, 1))))

# Builtins and `math` over sequences: the adjoint of a sequence is a sequence of the same kind

def builtin_sum(y, iterable, start=0):
    d[iterable] = each(d[y], iterable)
    d[start] = d[y]
    d[y] = total(d[iterable]) + d[start]

@linear
def math_fsum(y, seq):
    d[seq] = each(d[y], seq)

def builtin_max(y, iterable):
    w = shares_of(y, iterable)
    d[iterable] = scaled(d[y], w, iterable)
    d[y] = weighted(w, d[iterable])

def builtin_max_of_two(z, x, y):
    m = z == x
    n = z == y
    d[x] = share(d[z], m, n)
    d[y] = share(d[z], n, m)
    d[z] = share(d[x], m, n) + share(d[y], n, m)

def builtin_max_of_several(y, *args):
    w = shares_of(y, args)
    d[args] = scaled(d[y], w, args)
    d[y] = weighted(w, d[args])

def builtin_sorted(y, iterable, *, key=None, reverse=False):
    i = sorted_order(iterable, key, reverse)
    d[iterable] = put_back(d[y], i, iterable)
    d[y] = picked(d[iterable], i)

def math_prod(y, iterable, *, start=1):
    w = products_of_others(iterable, start)
    d[iterable] = scaled(d[y], w, iterable)
    d[start] = d[y] * product(iterable)
    d[y] = weighted(w, d[iterable]) + d[start] * product(iterable)

@linear
def math_sumprod(y, p, q):
    d[p] = scaled(d[y], q, p)
    d[q] = scaled(d[y], p, q)

def math_dist(y, p, q):
    u = sides(gaps(p, q), y)
    d[p] = scaled(d[y], u, p)
    d[q] = scaled(-d[y], u, q)
    d[y] = float(np.real(weighted(u, d[p]))) - float(np.real(weighted(u, d[q])))

def math_hypot(y, *coordinates):
    u = sides(coordinates, y)
    d[coordinates] = scaled(d[y], u, coordinates)
    d[y] = float(np.real(weighted(u, d[coordinates])))
