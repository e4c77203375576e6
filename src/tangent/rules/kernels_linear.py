"""The kernels of the linear rules, differentiated again: the transpose of a transpose is the function itself.

A product `x * y` of any kind, paired with an adjoint b, is linear in each of the three; so the adjoints of its operands are those
of each other's, with the new adjoint in the place of the operand.
"""

# Products


@linear
def mT(y, x):  d[x] = mT(d[y])
@linear
def mH(y, x):  d[x] = mH(d[y])
@linear
def from_triangle(y, x, UPLO="L"):  d[x] = in_triangle(d[y], UPLO=UPLO)
@linear
def in_triangle(y, b, UPLO="L"):    d[b] = from_triangle(d[y], UPLO=UPLO)
@linear
def half_triangle(y, x):            d[x] = half_triangle(d[y])
@linear
def fit_matmul(z, b, x, y):        d[b] = broadcast_like(d[z], b)
@linear
def fit_dot(z, b, x, y):           d[b] = broadcast_like(d[z], b)
@linear
def matmul_adjoint_x(z, b, x, y):  d[b] = d[z] @ y;  d[y] = matmul_adjoint_y(b, d[z], y)
@linear
def matmul_adjoint_y(z, b, x, y):  d[b] = x @ d[z];  d[x] = matmul_adjoint_x(b, x, d[z])
@linear
def dot_adjoint_a(z, b, x, y):     d[b] = np.dot(d[z], y);     d[y] = dot_adjoint_b(b, d[z], y)
@linear
def dot_adjoint_b(z, b, x, y):     d[b] = np.dot(x, d[z]);     d[x] = dot_adjoint_a(b, x, d[z])
@linear
def inner_adjoint_a(z, b, x, y):   d[b] = np.inner(d[z], y);   d[y] = inner_adjoint_b(b, d[z], y)
@linear
def inner_adjoint_b(z, b, x, y):   d[b] = np.inner(x, d[z]);   d[x] = inner_adjoint_a(b, x, d[z])
@linear
def outer_adjoint_a(z, b, x, y):   d[b] = np.outer(d[z], y);   d[y] = outer_adjoint_b(b, d[z], y)
@linear
def outer_adjoint_b(z, b, x, y):   d[b] = np.outer(x, d[z]);   d[x] = outer_adjoint_a(b, x, d[z])
@linear
def kron_adjoint_a(z, b, x, y):    d[b] = np.kron(d[z], y);    d[y] = kron_adjoint_b(b, d[z], y)
@linear
def kron_adjoint_b(z, b, x, y):    d[b] = np.kron(x, d[z]);    d[x] = kron_adjoint_a(b, x, d[z])
@linear
def tensordot_adjoint_a(z, b, x, y, axes=2):  d[b] = np.tensordot(d[z], y, axes=axes);  d[y] = tensordot_adjoint_b(b, d[z], y, axes=axes)
@linear
def tensordot_adjoint_b(z, b, x, y, axes=2):  d[b] = np.tensordot(x, d[z], axes=axes);  d[x] = tensordot_adjoint_a(b, x, d[z], axes=axes)
@linear
def vecdot_adjoint(z, b, x, y, axis=-1):      d[b] = np.vecdot(np.conj(d[z]), y, axis=axis);  d[y] = vecdot_adjoint(b, y, d[z], axis=axis)
@linear
def cross_adjoint(z, y, b, x, axisb=-1, axisc=-1, axisa=-1, axis=None):
    d[b] = np.cross(d[z], y, axisa=axisa, axisb=axisb, axisc=axisc, axis=axis)
    d[y] = -cross_adjoint(d[z], b, y, axisb=axisa, axisc=axisc, axisa=axisb, axis=axis)
@linear
def einsum_adjoint_only(z, b, subscripts, x):                   d[b] = np.einsum(subscripts, d[z])
@linear
def einsum_adjoint_x(z, b, subscripts, x, y, optimize=False):   d[b] = np.einsum(subscripts, d[z], y, optimize=optimize);  d[y] = einsum_adjoint_y(b, subscripts, d[z], y, optimize=optimize)
@linear
def einsum_adjoint_y(z, b, subscripts, x, y, optimize=False):   d[b] = np.einsum(subscripts, x, d[z], optimize=optimize);  d[x] = einsum_adjoint_x(b, subscripts, x, d[z], optimize=optimize)


def einsum_of(z, subscripts, operands, optimize=False):
    d[operands] = einsum_adjoints(d[z], subscripts, operands, optimize=optimize)
    d[z] = einsum_tangent(d[operands], subscripts, operands, optimize=optimize)


# Joins, repetitions, diagonals, padding


@linear
def to_vector(y, x):                        d[x] = from_vector(d[y], x)
@linear
def from_vector(y, v, like):                d[v] = vector_like(d[y], like)
@linear
def vector_like(y, b, like):                d[b] = from_vector(d[y], like)
@linear
def along_labels(y, b, x):                  d[b] = along_labels(d[y], b)
@linear
def like(y, b, x):                          d[b] = like(d[y], b)
@linear
def all_elements(y, x):                     d[x] = d[y]
@linear
def given_array(y, x):                      d[x] = restructure(d[y], x)
@linear
def restructure(y, b, x, dtype=None):       d[b] = like(uncast(np.array(d[y]), dtype=dtype), b)
@linear
def past_cut(y, b, x, v):                   d[b] = past_cut(d[y], x, v)
@linear
def uncast(y, b, dtype=None):               d[b] = uncast(d[y], dtype=dtype)
@linear
def unbroadcast_each(ys, b, xs):            d[b] = broadcast_each(d[ys], b)
@linear
def broadcast_each(ys, b, xs):              d[b] = unbroadcast_each(d[ys], b)
@linear
def sum_grids(ys, b, xs, indexing="xy"):    d[b] = spread_grids(d[ys], b, indexing=indexing)
@linear
def spread_grids(ys, xs, grids, indexing="xy"): d[xs] = sum_grids(d[ys], xs, indexing=indexing)
@linear
def split_like(ys, b, xs, axis=0):          d[b] = join_like(d[ys], b, axis=axis)
@linear
def seen_as(y, t, x, like):                 d[t] = seen_back(d[y], x, like)
@linear
def seen_back(y, b, x, like):               d[b] = seen_as(d[y], x, like)
@linear
def rejoined(y, b, x, indices, axis=0):     d[b] = np.array_split(d[y], indices, axis=axis)
@linear
def join_like(y, parts, x, axis=0):         d[parts] = split_like(d[y], parts, axis=axis)
@linear
def hsplit_like(ys, b, xs):                 d[b] = np.hstack(d[ys])
@linear
def unstack_like(ys, b, xs, axis=0):        d[b] = np.stack(d[ys], axis=axis)
@linear
def unblock(ys, b, blocks):                 d[b] = np.block(dense(d[ys]))
def gathered_results(y, results, shape, types):
    d[results] = scattered_results(d[y], results, shape, types)
    d[y] = gathered_tangents(d[results], results, shape, types)
@linear
def gathered_tangents(y, b, results, shape, types):   d[b] = scattered_results(d[y], results, shape, types)
@linear
def scattered_results(ys, b, results, shape, types):  d[b] = gathered_tangents(d[ys], results, shape, types)
@linear
def sum_windows(y, b, x, window_shape, axis=None):  d[b] = np.lib.stride_tricks.sliding_window_view(d[y], window_shape, axis=axis)
@linear
def sum_tiles(y, b, x, reps):               d[b] = np.tile(d[y], reps)
@linear
def sum_repeats(y, b, x, repeats, axis=None):  d[b] = np.repeat(d[y], repeats, axis=axis)
@linear
def sum_cycles(y, b, x):                    d[b] = np.resize(d[y], np.shape(b))
@linear
def undiag(y, b, x, k=0):                   d[b] = np.diag(d[y], k=k)
@linear
def on_diagonal(y, b, x, offset=0, axis1=0, axis2=1):     d[b] = np.diagonal(d[y], offset=offset, axis1=axis1, axis2=axis2)
@linear
def along_diagonal(y, b, x, offset=0, axis1=0, axis2=1):  d[b] = np.trace(d[y], offset=offset, axis1=axis1, axis2=axis2)
@linear
def unpad(y, b, x, pad_width, mode="constant", stat_length=None, reflect_type="even"):       d[b] = pad_tangent(d[y], x, pad_width, mode=mode, stat_length=stat_length, reflect_type=reflect_type)
@linear
def pad_zero_ended(y, x, pad_width, mode="constant", stat_length=None, reflect_type="even"): d[x] = unpad(d[y], x, pad_width, mode=mode, stat_length=stat_length, reflect_type=reflect_type)
@linear
def pad_tangent(y, t, x, pad_width, mode="constant", stat_length=None, reflect_type="even"):    d[t] = unpad(d[y], x, pad_width, mode=mode, stat_length=stat_length, reflect_type=reflect_type)
@linear
def pad_value_sums(y, b, x, pad_width, values):  d[b] = past_cut(np.pad(init_grad(x), pad_width, constant_values=d[y]), x, values)
@linear
def ramp_end_sums(y, b, x, pad_width, values):   d[b] = past_cut(np.pad(init_grad(x), pad_width, mode="linear_ramp", end_values=d[y]), x, values)


# Selection


@linear
def untake(y, b, x, indices, axis=None, mode="raise"):  d[b] = np.take(d[y], indices, axis=axis, mode=mode)
@linear
def untake_along_axis(y, b, x, indices, axis=-1):       d[b] = np.take_along_axis(d[y], indices, axis=axis)
@linear
def undelete(y, b, x, obj, axis=None):                  d[b] = np.delete(d[y], obj, axis=axis)
@linear
def uncompress(y, b, x, condition, axis=None):          d[b] = np.compress(np.ravel(condition), d[y], axis=axis)
@linear
def unchoose(ys, b, a, choices, mode="raise"):          d[b] = np.choose(a, d[ys], mode=mode)
@linear
def unselect(ys, b, conditions, choices):               d[b] = np.select(conditions, d[ys])


# Fourier transforms


@linear
def fit(y, b, x):                                             d[b] = fit(d[y], b)
@linear
def halve_pairs(y, b, n, axis):                               d[b] = halve_pairs(d[y], n, axis)
@linear
def double_pairs(y, b, n, axis):                              d[b] = double_pairs(d[y], n, axis)
@linear
def rfftn_adjoint(y, b, x, s=None, axes=None, norm=None):     d[b] = np.fft.rfftn(d[y], s=s, axes=axes, norm=norm)
@linear
def irfftn_adjoint(y, b, x, s=None, axes=None, norm=None):    d[b] = np.fft.irfftn(d[y], s=s, axes=axes, norm=norm)
