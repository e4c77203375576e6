"""Linear functions: each line is the transpose. Forward mode is the function itself (see docs/rules.md).

A sequence operand (`arrays`) is one operand; its adjoint is a sequence of the same structure. So is a variadic one (`*xi`).
A function that is linear in several operands jointly, as `append`, is not bilinear and says its tangent.
`k=k` in a template is passed only to functions with the same default for `k`, so it may be left out where the call leaves it out.
"""

# Shapes


@linear
def reshape(y, a, shape):                        d[a] = np.reshape(d[y], np.shape(a))
@linear
def ravel(y, a):                                 d[a] = np.reshape(d[y], np.shape(a))
def reshape_ordered(y, a, shape, order="C", copy=None):
    d[a] = np.reshape(d[y], np.shape(a), order=layout(a, order))
    d[y] = np.reshape(d[a], np.shape(y), order=layout(a, order))
def ravel_ordered(y, a, order="C"):
    d[a] = unravelled(d[y], a, order)
    d[y] = ravelled(d[a], a, order)
@linear
def view(y, a):                                  d[a] = d[y]
def view_as(y, a, dtype):
    d[a] = seen_back(d[y], a, y)
    d[y] = seen_as(d[a], a, y)
@linear
def T(y, a):                                     d[a] = np.transpose(d[y])
@linear
def transpose(y, a, axes=None):                  d[a] = np.transpose(d[y], inverse_axes(axes))
@linear
def matrix_transpose(y, x):                      d[x] = np.swapaxes(d[y], -1, -2)
@linear
def swapaxes(y, a, axis1, axis2):                d[a] = np.swapaxes(d[y], axis1, axis2)
@linear
def moveaxis(y, a, source, destination):         d[a] = np.moveaxis(d[y], destination, source)
@linear
def rollaxis(y, a, axis, start=0):               d[a] = np.moveaxis(d[y], rolled_axis(np.ndim(a), axis, start), axis)
@linear
def squeeze(y, a, axis=None):                    d[a] = np.reshape(d[y], np.shape(a))
@linear
def expand_dims(y, a, axis):                     d[a] = np.reshape(d[y], np.shape(a))
@linear
def atleast_1d(y, x):                            d[x] = np.reshape(d[y], np.shape(x))
@linear
@fitted
def broadcast_to(y, array, shape, subok=False):  d[array] = d[y]
@linear
def broadcast_arrays(ys, *args, subok=False):    d[args] = unbroadcast_each(d[ys], args)
@linear
def meshgrid(ys, *xi, copy=True, sparse=False, indexing="xy"):  d[xi] = sum_grids(d[ys], xi, indexing=indexing)

def ix_(ys, *args):
    d[args] = off_mesh(d[ys], args)
    d[ys] = on_mesh(d[args], ys)


# Joins and splits


@linear
def concatenate(y, arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):  d[arrays] = split_like(d[y], arrays, axis=axis)
@linear
def stack(y, arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):        d[arrays] = unstack_like(d[y], arrays, axis=axis)
@linear
def vstack(y, tup, dtype=None, casting="same_kind"):                  d[tup] = split_like(d[y], tup)
@linear
def hstack(y, tup, dtype=None, casting="same_kind"):                  d[tup] = hsplit_like(d[y], tup)
@linear
def dstack(y, tup):                                                   d[tup] = split_like(d[y], tup, axis=2)
@linear
def column_stack(y, tup):                                             d[tup] = split_like(d[y], tup, axis=1)
@linear
def block(y, arrays):                                                 d[arrays] = unblock(d[y], arrays)
@linear
def split(ys, ary, indices_or_sections, axis=0):                      d[ary] = rejoined(d[ys], ary, indices_or_sections, axis=axis)
@linear
def vsplit(ys, ary, indices_or_sections):                             d[ary] = rejoined(d[ys], ary, indices_or_sections)
@linear
def hsplit(ys, ary, indices_or_sections):                             d[ary] = rejoined(d[ys], ary, indices_or_sections, axis=min(np.ndim(ary) - 1, 1))
@linear
def dsplit(ys, ary, indices_or_sections):                             d[ary] = rejoined(d[ys], ary, indices_or_sections, axis=2)
@linear
def unstack(ys, x, axis=0):                                           d[x] = stacked_like(d[ys], x, axis=axis)


def append(y, arr, values, axis=None):
    d[arr] = unappended(d[y], arr, axis=axis)
    d[values] = appended(d[y], arr, values, axis=axis)
    d[y] = np.append(d[arr], d[values], axis=axis)


def insert(y, arr, obj, values, axis=None):
    d[arr] = uninserted(d[y], arr, obj, axis=axis)
    d[values] = inserted(d[y], arr, obj, values, axis=axis)
    d[y] = np.insert(d[arr], obj, past_cut(d[values], arr, values), axis=axis)


# Repetition and rearrangement


@linear
def tile(y, A, reps):                       d[A] = sum_tiles(d[y], A, reps)
@linear
def repeat(y, a, repeats, axis=None):       d[a] = sum_repeats(d[y], a, repeats, axis=axis)
@linear
def resize(y, a, new_shape):                d[a] = sum_cycles(d[y], a)
@linear
def roll(y, a, shift, axis=None):           d[a] = np.roll(d[y], np.negative(shift), axis=axis)
@linear
def flip(y, m, axis=None):                  d[m] = np.flip(d[y], axis=axis)
@linear
def fliplr(y, m):                           d[m] = np.fliplr(d[y])
@linear
def flipud(y, m):                           d[m] = np.flipud(d[y])
@linear
def rot90(y, m, k=1, axes=(0, 1)):          d[m] = np.rot90(d[y], -k, axes=axes)


def pad(y, array, pad_width, mode="constant", stat_length=None, constant_values=0, end_values=0, reflect_type="even"):
    d[array] = unpad(d[y], array, pad_width, mode=mode, stat_length=stat_length, reflect_type=reflect_type)
    d[constant_values] = pad_value_sums(d[y], array, pad_width, constant_values)
    d[end_values] = ramp_end_sums(d[y], array, pad_width, end_values)
    d[y] = (pad_tangent(d[array], array, pad_width, mode=mode, stat_length=stat_length, reflect_type=reflect_type)
            + np.pad(init_grad(array), pad_width, constant_values=past_cut(d[constant_values], array, constant_values))
            + np.pad(init_grad(array), pad_width, mode="linear_ramp", end_values=past_cut(d[end_values], array, end_values)))


# Diagonals and triangles


@linear
def diag(y, v, k=0):                                            d[v] = undiag(d[y], v, k=k)
@linear
def diagflat(y, v, k=0):                                        d[v] = np.reshape(np.diagonal(d[y], k), np.shape(v))
@linear
def diagonal(y, a, offset=0, axis1=0, axis2=1):                 d[a] = on_diagonal(d[y], a, offset=offset, axis1=axis1, axis2=axis2)
@linear
def trace(y, a, offset=0, axis1=0, axis2=1, dtype=None, out=None):        d[a] = along_diagonal(d[y], a, offset=offset, axis1=axis1, axis2=axis2)
@linear
@fitted
def tril(y, m, k=0):                                            d[m] = np.tril(d[y], k=k)
@linear
@fitted
def triu(y, m, k=0):                                            d[m] = np.triu(d[y], k=k)


# Windows and copies


@linear
def sliding_window_view(y, x, window_shape, axis=None, *, subok=False, writeable=False):  d[x] = sum_windows(d[y], x, window_shape, axis=axis)
@linear
def deepcopy(y, x, memo=None):                                  d[x] = d[y]


# Making arrays of scalars, lists and arrays


@linear
def array(y, object, dtype=None, copy=True, order="K", subok=False, ndmin=0, ndmax=0):  d[object] = restructure(d[y], object, dtype=dtype)
@linear
def asarray(y, a, dtype=None, order=None, device=None, copy=None):             d[a] = restructure(d[y], a, dtype=dtype)
@linear
def require(y, a, dtype=None, requirements=None):                              d[a] = restructure(d[y], a, dtype=dtype)
@linear
def ascontiguousarray(y, a, dtype=None):                                       d[a] = restructure(d[y], a, dtype=dtype)
@linear
def copy(y, a, order="K", subok=False):                                        d[a] = restructure(d[y], a)
@linear
def copy_method(y, a, order="C"):                                              d[a] = d[y]
@linear
@fitted
def astype(y, x, dtype, order="K", casting="unsafe", subok=True, copy=True, device=None):  d[x] = uncast(d[y], dtype)
@linear
@fitted
def full(y, shape, fill_value, dtype=None, order="C", device=None):            d[fill_value] = uncast(d[y], dtype=dtype)
@linear
@fitted
def full_like(y, a, fill_value, dtype=None, order="K", subok=True, shape=None, device=None):  d[fill_value] = uncast(d[y], y.dtype)
@linear
@fitted
def builtin_float(y, x):                                                       d[x] = d[y]
@linear
@fitted
def item(y, a):                                                                d[a] = np.reshape(d[y], np.shape(a))
@linear
def item_at(y, a, index):                                                      d[a] = item_adjoint(d[y], a, index)
@linear
@fitted
def tolist(y, a):                                                              d[a] = np.reshape(np.array(d[y]), np.shape(a))


# Selection


@linear
def take(y, a, indices, axis=None, out=None, mode="raise"):      d[a] = untake(d[y], a, indices, axis=axis, mode=mode)
@linear
def take_along_axis(y, arr, indices, axis=-1):         d[arr] = untake_along_axis(d[y], arr, indices, axis=axis)
@linear
def compress(y, condition, a, axis=None, out=None):              d[a] = uncompress(d[y], a, condition, axis=axis)
@linear
def compress_method(y, a, condition, axis=None, out=None):       d[a] = uncompress(d[y], a, condition, axis=axis)
@linear
def extract(y, condition, arr):                        d[arr] = uncompress(d[y], arr, condition)
@linear
def delete(y, arr, obj, axis=None):                    d[arr] = undelete(d[y], arr, obj, axis=axis)
@linear
def choose(y, a, choices, out=None, mode="raise"):               d[choices] = unchoose(d[y], a, choices, mode=mode)


def trim_zeros(y, filt, trim="fb", axis=None):
    i = trimmed_slices(filt, trim=trim, axis=axis)
    d[filt] = restructure(scatter(np.asarray(d[y]), np.asarray(filt), i), filt)
    d[y] = trimmed(d[filt], i)


@cast
def select(y, condlist, choicelist, default=0):
    d[choicelist] = unselect(d[y], condlist, choicelist)
    d[default] = np.select(condlist, [0.0] * len(condlist), d[y])
    d[y] = (
        np.select(condlist, d[choicelist], init_grad(default))
        + np.select(condlist, [0.0] * len(condlist), d[default])
    )


# Products (bilinear). Complex products are not conjugated, except where the function itself conjugates its first operand.


@linear
def matmul(z, x, y):                d[x] = matmul_adjoint_x(d[z], x, y);  d[y] = matmul_adjoint_y(d[z], x, y)
@linear
def dot(z, a, b, out=None):                   d[a] = dot_adjoint_a(d[z], a, b);     d[b] = dot_adjoint_b(d[z], a, b)
@linear
def inner(z, a, b):                 d[a] = inner_adjoint_a(d[z], a, b);   d[b] = inner_adjoint_b(d[z], a, b)
@linear
def outer(z, a, b, out=None):                 d[a] = outer_adjoint_a(d[z], a, b);   d[b] = outer_adjoint_b(d[z], a, b)
@linear
@fitted
def vdot(z, a, b):                  d[a] = np.conj(d[z] * np.reshape(b, np.shape(a)));  d[b] = d[z] * np.conj(np.reshape(a, np.shape(b)))
@linear
def vecdot(z, x, y, axis=-1):       d[x] = np.conj(vecdot_adjoint(d[z], x, y, axis=axis));  d[y] = vecdot_adjoint(d[z], y, np.conj(x), axis=axis)
@linear
@fitted
def matvec(z, x, y):                d[x] = np.expand_dims(d[z], -1) * np.expand_dims(y, -2);  d[y] = np.matvec(mT(x), d[z])
@linear
@fitted
def vecmat(z, x, y):                d[x] = np.conj(np.matvec(y, d[z]));  d[y] = np.expand_dims(np.conj(x), -1) * np.expand_dims(d[z], -2)
@linear
def tensordot(z, a, b, axes=2):     d[a] = tensordot_adjoint_a(d[z], a, b, axes=axes);  d[b] = tensordot_adjoint_b(d[z], a, b, axes=axes)
@linear
def kron(z, a, b):                  d[a] = kron_adjoint_a(d[z], a, b);  d[b] = kron_adjoint_b(d[z], a, b)
def einsum_one(z, subscripts, x, *, optimize=False, dtype=None, order="K"):
    d[subscripts] = einsum_adjoint_first(d[z], subscripts, (x,))
    d[x] = einsum_adjoint_only(d[z], subscripts, x)
    d[z] = einsum_tangent_first(d[subscripts], z, subscripts, (x,)) + np.einsum(subscripts, d[x], optimize=optimize)
def einsum_two(z, subscripts, x, y, *, optimize=False, dtype=None, order="K"):
    d[subscripts] = einsum_adjoint_first(d[z], subscripts, (x, y))
    d[x] = einsum_adjoint_x(d[z], subscripts, x, y, optimize=optimize)
    d[y] = einsum_adjoint_y(d[z], subscripts, x, y, optimize=optimize)
    d[z] = einsum_tangent_first(d[subscripts], z, subscripts, (x, y)) + np.einsum(subscripts, d[x], y, optimize=optimize) + np.einsum(subscripts, x, d[y], optimize=optimize)


def einsum(z, subscripts, *operands, optimize=False, dtype=None, order="K"):
    d[operands] = einsum_adjoints(d[z], subscripts, operands, asked=asked, optimize=optimize)
    d[subscripts] = einsum_adjoint_first(d[z], subscripts, operands, optimize=optimize)
    d[z] = einsum_tangent(d[operands], subscripts, operands, asked=asked, optimize=optimize) + einsum_tangent_first(d[subscripts], z, subscripts, operands, optimize=optimize)


@linear
def cross(z, a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    d[a] = cross_adjoint(b, d[z], a, axisb=axisb, axisc=axisc, axisa=axisa, axis=axis)
    d[b] = -cross_adjoint(a, d[z], b, axisb=axisa, axisc=axisc, axisa=axisb, axis=axis)
