"""Arrays: broadcasting, products, reductions, shapes, indexing, joining; functions, methods and attributes."""

import numpy
import numpy as np

from programs.registry import program
from programs.samples import positive, signed

# -- broadcasting


@program({"x": 1.5, "y": signed(3)}, {"x": signed(3), "y": 1.5})
def broadcast_scalar(x, y):
    return x * y + x / (y + 3.0)


@program({"x": signed(3), "y": signed(2, 3)}, {"x": signed(2, 3), "y": signed(3)})
def broadcast_leading(x, y):
    return x * y - y


@program({"x": signed(2, 1), "y": signed(2, 3)}, {"x": signed(1, 3), "y": signed(2, 3)}, {"x": signed(1, 1), "y": signed(2, 3)})
def broadcast_ones(x, y):
    return x * y + x * x


@program({"x": signed(2, 1), "y": signed(1, 3)}, {"x": signed(2, 1), "y": signed(3)})
def broadcast_both(x, y):
    return np.sin(x * y) + x - y


@program({"x": signed(2, 1, 3), "y": signed(2, 1)}, {"x": signed(1), "y": signed(2, 1, 2)})
def broadcast_three_axes(x, y):
    return x * y * y


@program({"x": np.array(1.5), "y": signed(2)}, {"x": np.array(1.5), "y": np.array(0.5)})
def broadcast_zero_dimensional(x, y):
    return x * y + x


@program({"x": np.float64(1.5), "y": signed(2)}, {"x": signed(2), "y": np.float64(0.5)})
def broadcast_numpy_scalar(x, y):
    return x / (2.0 + y) + x * y


@program({"x": positive(2, 1), "y": positive(3)})
def broadcast_power(x, y):
    return x**y


@program({"x": signed(2, 1), "y": signed(3)})
def broadcast_in_functions(x, y):
    return np.arctan2(x, y) + np.hypot(x, y) + np.logaddexp(x, y) + np.maximum(x, y)


@program({"x": signed(3), "y": signed(2, 3), "z": 0.5})
def broadcast_in_a_chain(x, y, z):
    return np.sum((x * z + y) * (x - z))


@program({"x": signed(3)})
def broadcast_against_itself(x):
    return x[:, None] * x[None, :]


@program({"x": signed(2, 1), "y": signed(1, 3)})
def broadcast_to_explicit(x, y):
    return np.broadcast_to(x, (2, 3)) * np.broadcast_to(y, (2, 3))


# -- products


@program({"a": signed(2, 3), "b": signed(3, 2)})
def matmul_matrices(a, b):
    return a @ b


@program({"a": signed(2, 3), "b": signed(3)})
def matmul_matrix_vector(a, b):
    return np.matmul(a, b)


@program({"a": signed(3), "b": signed(3, 2)})
def matmul_vector_matrix(a, b):
    return a @ b


@program({"a": signed(3), "b": signed(3, shift=1.0)})
def matmul_vectors(a, b):
    return (a @ b) ** 2


@program({"a": signed(2, 2, 3), "b": signed(2, 3, 2)}, {"a": signed(2, 2, 3), "b": signed(3, 2)}, {"a": signed(2, 3), "b": signed(2, 3, 1)})
def matmul_batches(a, b):
    return a @ b


@program({"a": signed(2, 2, 3), "b": signed(3)})
def matmul_batch_and_vector(a, b):
    return a @ b


@program({"a": signed(3), "b": signed(3, shift=1.0)}, {"a": signed(2, 3), "b": signed(3)}, {"a": signed(2, 3), "b": signed(3, 2)}, {"a": 1.5, "b": signed(3)})
def dot(a, b):
    return np.dot(a, b)


@program({"a": signed(2, 2, 3), "b": signed(3, 2)})
def dot_of_many_axes(a, b):
    return np.dot(a, b)


@program({"a": signed(3), "b": signed(2)})
def outer_product(a, b):
    return np.outer(a, b) * np.outer(a, a)[:, :2]


@program({"a": signed(2, 3), "x": signed(3)})
def quadratic_form(a, x):
    return x @ a.T @ a @ x


@program({"a": signed(2, 3), "x": signed(3)})
def dot_method(a, x):
    return a.dot(x) * 2.0


@program({"a": signed(2, 2)})
def matrix_polynomial(a):
    return a @ a @ a - 2.0 * a @ a + a


# -- reductions


@program({"x": signed(2, 3)}, {"x": signed(3)}, {"x": 1.5})
def sum_of_all(x):
    return np.sum(x * x)


@program({"x": signed(2, 3)})
def sum_over_axes(x):
    return np.sum(x * x, axis=0), np.sum(np.sin(x), axis=1), np.sum(x, axis=-1)


@program({"x": signed(2, 1, 3)})
def sum_over_several_axes(x):
    return np.sum(x * x, axis=(0, 2)), np.sum(x**3, axis=(1, -1))


@program({"x": signed(2, 3)})
def sum_keeping_dimensions(x):
    return x / np.sum(np.exp(x), axis=1, keepdims=True) + np.sum(x, keepdims=True)


@program({"x": signed(2, 3)})
def mean_over_axes(x):
    return np.mean(x * x) * np.mean(x, axis=0) + np.mean(x, axis=1, keepdims=True)[0]


@program({"x": signed(2, 3)})
def max_and_min(x):
    return np.max(x) * np.min(x) + np.max(x, axis=0) - np.min(x, axis=1)[0]


@program({"x": signed(2, 3)})
def max_keeping_dimensions(x):
    return np.exp(x - np.max(x, axis=1, keepdims=True))


@program({"x": signed(2, 3)})
def amax_and_amin(x):
    return np.amax(x, axis=0) * np.amin(x)


@program({"x": signed(2, 3)})
def reduction_methods(x):
    return x.sum() + x.mean(axis=0) * x.max() - x.min(axis=0) + x.sum(axis=1, keepdims=True)[1]


@program({"x": signed(2, 3)})
def sum_with_positional_axis(x):
    return np.sum(x * x, 0) * x.sum(0) + np.mean(x, 0)


@program({"x": signed(2, 3)})
def reduction_in_two_steps(x):
    return np.sum(np.sum(x * x, axis=0) ** 2)


@program({"x": signed(2, 3)})
def variance_by_hand(x):
    m = np.mean(x, axis=0)
    return np.mean((x - m) ** 2, axis=0)


@program({"xs": [1.0, 2.5, -0.5]})
def builtin_sum(xs):
    return sum(xs) ** 2


@program({"x": signed(3)})
def builtin_sum_of_array(x):
    return sum(x) * sum(x * x)


@program({"x": signed(4)})
def dynamic_axis(x):
    s = 0.0
    for axis in (0, 1):
        s = s + np.sum(np.sum(x.reshape(2, 2), axis=axis) ** 3)
    return s


# -- shapes


@program({"x": signed(2, 3)})
def reshape_function(x):
    return np.reshape(x, (3, 2)) * np.reshape(x, (3, -1))


@program({"x": signed(2, 3)})
def reshape_method(x):
    return x.reshape(3, 2) @ x.reshape((2, 3)) + x.reshape(-1)[0]


@program({"x": signed(2, 3)})
def reshape_to_computed_shape(x):
    n, m = x.shape
    return x.reshape(m, n) * n


@program({"x": signed(2, 3)})
def ravel_and_flatten(x):
    return np.ravel(x) * x.ravel() + x.flatten()


@program({"x": signed(2, 3)})
def transpose_function(x):
    return np.transpose(x) @ x


@program({"x": signed(2, 3, 1)})
def transpose_with_axes(x):
    return np.transpose(x, (2, 0, 1)) * x.transpose(2, 0, 1) + x.transpose((2, 0, 1))


@program({"x": signed(2, 3)})
def transpose_attribute(x):
    return x.T @ x + x.T[:, :1]


@program({"x": signed(2, 1, 3)})
def squeeze_and_expand(x):
    y = np.squeeze(x, axis=1)
    return np.expand_dims(y * y, 0) + x.squeeze()


@program({"x": signed(2, 3)})
def swap_axes(x):
    return np.swapaxes(x, 0, 1) * np.moveaxis(x, 0, -1)


@program({"x": signed(2, 3)})
def shape_attributes_are_constants(x):
    return x * x.shape[0] / x.size + x.ndim * len(x)


@program({"x": signed(3)})
def size_by_function(x):
    return np.sum(x * x) / np.size(x) * np.shape(x)[0]


# -- indexing


@program({"x": signed(4)})
def index_integer(x):
    return x[0] * x[1] + x[-1] ** 2


@program({"x": signed(2, 3)})
def index_integers(x):
    return x[0, 1] * x[1, -1] + x[1][2]


@program({"x": signed(2, 3)})
def index_rows_and_columns(x):
    return x[0, :] * x[1] + x[:, 0][1]


@program({"x": signed(5)})
def index_slices(x):
    return x[1:4] * x[:3] + x[2:] - x[-3:]


@program({"x": signed(5)})
def index_steps(x):
    return x[::2] * x[::-2] + x[4:1:-1]


@program({"x": signed(3, 4)})
def index_slices_of_two_axes(x):
    return x[:2, 1:3] * x[1:, ::2] + x[::-1, :][:2, 2:]


@program({"x": signed(3)})
def index_new_axis(x):
    return x[:, None] * x[np.newaxis, :] + x[None]


@program({"x": signed(2, 3, 2)})
def index_ellipsis(x):
    return x[..., 0] * x[..., -1] + x[0, ...][:, 1]


@program({"x": signed(4)})
def index_integer_array(x):
    i = np.array([2, 0, 3])
    return x[i] * i


@program({"x": signed(4)})
def index_integer_array_with_repeats(x):
    return x[np.array([1, 1, 3, 1])] ** 2


@program({"x": signed(4)})
def index_list_with_repeats(x):
    return x[[0, 0, 2]] * x[[1, 2, 2]]


@program({"x": signed(3, 3)})
def index_pairs_of_arrays(x):
    rows = np.array([0, 1, 1])
    return x[rows, np.array([2, 0, 0])] * x[rows, 1]


@program({"x": signed(3, 3)})
def index_array_and_slice(x):
    return x[[0, 2, 2], 1:] * x[:, [1, 1]]


@program({"x": signed(3, 3)})
def index_matrix_of_indices(x):
    return x[0][np.array([[0, 1], [1, 2]])] * 2.0


@program({"x": signed(5)})
def index_mask(x):
    return np.sum(x[x > 0] ** 2) + np.sum(np.sin(x[x <= 0]))


@program({"x": signed(2, 3), "mask": np.array([[True, False, True], [False, False, True]])})
def index_mask_given(x, mask):
    return x[mask] * 3.0 * x[mask]


@program({"x": signed(3, 2), "rows": np.array([True, False, True])})
def index_mask_of_rows(x, rows):
    return np.sum(x[rows], axis=0) * x[~rows][0]


@program({"x": signed(4), "i": 2}, {"x": signed(4), "i": -1})
def index_at_run_time(x, i):
    return x[i] * x[0] + np.sum(x[:i])


@program({"x": signed(4)})
def index_by_argmax(x):
    return x[np.argmax(x)] ** 2 + x[np.argsort(x)[0]]


@program({"x": signed(3, 3)})
def index_diagonal(x):
    n = np.arange(3)
    return np.sum(x[n, n] ** 2)


@program({"x": signed(4)})
def index_of_a_result(x):
    return np.sin(x)[1] * (x * x)[2:].sum()


@program({"x": signed(2, 2), "logits": signed(3, 4), "labels": np.array([1, 3, 1])}, wrt="logits")
def index_labels(x, logits, labels):
    return logits[np.arange(3), labels] * x[0, 0]


@program({"x": signed(4)})
def index_with_a_slice_object(x):
    part = slice(1, 3)
    return x[part] * 2.0 * x[part]


# -- choosing, joining, making


@program({"x": signed(4)})
def where_on_itself(x):
    return np.where(x > 0, x * x, np.sin(x))


@program({"x": signed(2, 1), "y": signed(3)})
def where_broadcasting(x, y):
    return np.where(x > y, x * y, y)


@program({"x": signed(4)})
def where_with_a_constant(x):
    return np.where(x > 0, x, 0.0) * np.where(x < 1, 2.0, x)


@program({"x": 1.5}, {"x": -1.5})
def where_on_a_scalar(x):
    return np.where(x > 0, x * x, x)


@program({"x": signed(3), "y": signed(3, shift=1.0)}, {"x": signed(3), "y": 0.5})
def maximum_and_minimum(x, y):
    return np.maximum(x, y) * np.minimum(x, 2.0 * y)


@program({"x": signed(4)})
def relu(x):
    return np.maximum(x, 0.0) * x


@program({"x": signed(4)}, {"x": 0.5}, {"x": 2.5})
def clip(x):
    return np.clip(x, -1.0, 1.0) * x


@program({"x": signed(3), "y": signed(2)})
def concatenate_vectors(x, y):
    return np.concatenate([x, y * y, x]) ** 2


@program({"x": signed(2, 2), "y": signed(2, 1)})
def concatenate_axis(x, y):
    return np.concatenate((x, y), axis=1) * np.concatenate((y, x), axis=-1)


@program({"x": signed(3), "y": signed(3, shift=1.0)})
def stack_vectors(x, y):
    return np.stack([x, y]) * np.stack((y, x * y), axis=0) + np.stack([x, y], axis=1).T


@program({"x": signed(3), "y": signed(3, shift=1.0)})
def stack_horizontally_and_vertically(x, y):
    return np.vstack([x, y]) @ np.hstack([x[:2], y[:1]])


@program({"x": 0.5, "y": -1.5})
def array_of_scalars(x, y):
    return np.array([x, y, x * y]) * np.array([1.0, 2.0, 3.0])


@program({"x": 0.5, "y": -1.5})
def array_of_rows(x, y):
    r = np.array([[np.cos(x), -np.sin(x)], [np.sin(x), np.cos(x)]])
    return r @ np.array([y, 1.0])


@program({"xs": [0.5, -1.5, 2.0]})
def array_of_a_list(xs):
    x = np.array(xs)
    return np.sum(x * x * x)


@program({"x": signed(3)})
def asarray_of_array(x):
    return np.asarray(x) * np.array(x)


@program({"x": signed(2, 3)})
def constructors_are_constants(x):
    a = np.ones((2, 3)) + np.zeros(3) + np.full((2, 1), 2.0) + np.eye(2, 3) + np.arange(3.0)
    return a * x + np.ones_like(x) * x - np.zeros_like(x)


@program({"x": 1.5})
def full_of_active(x):
    return np.full((2, 2), x * x)


@program({"x": 1.5})
def ones_times_active(x):
    return np.ones(3) * x * np.linspace(0.0, 1.0, 3)


@program({"x": signed(3)})
def copies(x):
    return x.copy() * np.copy(x)


@program({"x": signed(3)})
def astype_method(x):
    return x.astype(np.float64) * 2.0 * x.astype(float)


@program({"x": np.array([2.5])})
def conversion_to_float(x):
    y = float(x[0])
    return y * y


@program({"x": np.array([2.5])})
def item_method(x):
    return x.item() ** 2 + x.sum().item()


# -- methods chained, and whole expressions


@program({"x": signed(2, 3)})
def chained_methods(x):
    return (x * x).sum(axis=0).reshape(3, 1).T.mean()


@program({"x": signed(2, 3)})
def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


@program({"x": signed(2, 3)})
def layer_norm(x):
    m = x.mean(axis=-1, keepdims=True)
    v = ((x - m) ** 2).mean(axis=-1, keepdims=True)
    return (x - m) / np.sqrt(v + 1e-3)


@program({"x": signed(3, 2)})
def pairwise_distances(x):
    d = x[:, None, :] - x[None, :, :]
    return np.sum(d * d, axis=-1)


@program({"x": signed(4)})
def finite_difference_operator(x):
    return (x[2:] - 2 * x[1:-1] + x[:-2]) ** 2


@program({"x": signed(5), "w": signed(3)})
def convolution_by_slices(x, w):
    return w[0] * x[:-2] + w[1] * x[1:-1] + w[2] * x[2:]


@program({"x": signed(2, 3), "y": signed(2, 3, shift=1.0)})
def cosine_similarity(x, y):
    return np.sum(x * y, axis=1) / (np.sqrt(np.sum(x * x, axis=1)) * np.sqrt(np.sum(y * y, axis=1)))


@program({"x": signed(2, 3)})
def numpy_without_alias(x):
    return numpy.sum(numpy.tanh(x) * numpy.transpose(x).T, axis=0)


@program({"a": signed(2, 2), "b": signed(2)})
def solve_by_cramer(a, b):
    det = a[0, 0] * a[1, 1] - a[0, 1] * a[1, 0]
    return np.array([b[0] * a[1, 1] - b[1] * a[0, 1], a[0, 0] * b[1] - a[1, 0] * b[0]]) / det


@program({"x": signed(2, 3)})
def arrays_as_results(x):
    return {"rows": x.sum(axis=1), "columns": x.sum(axis=0)}, [x * x, x[0]]


@program({"x": signed(2, 3)})
def shape_broadcast_by_hand(x):
    return x * np.ones(x.shape) + np.zeros(x.shape[1]) * x


@program({"x": signed(3, 2)})
def rows_unpacked(x):
    a, b, c = x
    return a * b + c


@program({"x": signed(3)})
def entries_unpacked(x):
    a, b, c = x
    return a * b / c


@program({"x": signed(2, 3)})
def average_pool(x):
    return np.mean(x.reshape(2, 1, 3), axis=(0, 2))


@program({"x": positive(4)})
def normalised(x):
    p = x / x.sum()
    return -np.sum(p * np.log(p))


@program({"a": np.array(1.5), "b": np.array([2.0]), "c": np.array([[3.0]])})
def item_of_an_array_without_axes(a, b, c):
    e = a * c
    e *= b
    return e.item() * a[()] + b[0] * a[()]


@program({"x": positive(4)})
def divided_by_its_first(x):
    y = x * x
    y /= y[0]
    return y


@program({"x": positive(4)})
def divided_by_a_sum_of_items(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i] * x[i]
    return x / s


@program({"x": positive(2, 3)})
def tables_divided_by_a_cell(x):
    r = np.exp(x / x[0, 0]) / x
    return r / x[1][2] + r[1] / r[0][1]


@program({"x": positive(4)})
def complex_numbers_seen_as_pairs(x):
    z = x + 1j * x * x
    pairs = z.view(float)
    rest = z[1:].view(np.float64).reshape(-1, 2)
    return np.sum(pairs[::2] * pairs[1::2] ** 2) + rest[:, 1] * rest[:, 0]


@program({"x": positive(4)})
def pairs_seen_as_complex_numbers(x):
    z = (x * x).view(dtype=complex) ** 2
    return np.abs(z) * z.real * z.imag


@program({"x": positive(4)})
def view_of_the_same_numbers(x):
    return (x * x).view(np.float64) ** 3
