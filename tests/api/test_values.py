"""Seeds and structures, shapes and dtypes; what is returned is nobody else's, arguments stay as they are."""

import functools
import math

import numpy as np
import pytest

import tangent
from api.functions import close, cubes, norm, product, scaled, square
from tangent import grad, hvp, jvp, value_and_grad, vjp
from tangent.errors import SeedError

# Seeds


def test_the_default_seed_is_one():
    assert grad(square)(3.0) == vjp(square)(3.0, 1.0) == 6.0


def test_an_explicit_seed_scales():
    close(grad(norm)(np.array([1.0, 2.0]), 10.0), [20.0, 40.0])
    close(vjp(np.sin)(np.zeros(3), np.array([1.0, 2.0, 3.0])), [1.0, 2.0, 3.0])


def test_a_vectorised_function_takes_a_seed():
    each = np.vectorize(lambda x, y: x * y)
    close(vjp(each)(np.array([1.0, 2.0]), 3.0, np.array([1.0, 10.0])), [3.0, 30.0])
    close(vjp(each, wrt="y")(np.array([1.0, 2.0]), 3.0, np.array([1.0, 10.0])), 21.0)


def doubled(x):
    return x * 2.0


@pytest.mark.parametrize("seed", [np.ones(2), np.ones((3, 1)), np.ones((1, 3)), 2.0, np.ones((3, 3)), np.ones(0)])
def test_a_seed_of_another_shape_is_refused(seed):
    with pytest.raises(SeedError):
        vjp(doubled)(np.ones(3), seed)


def test_an_array_as_seed_of_a_number_is_refused():
    with pytest.raises(SeedError):
        grad(norm)(np.ones(3), np.ones(3))
    with pytest.raises(SeedError):
        grad(square)(3.0, np.ones(2))


@pytest.mark.parametrize("seed", ["text", None, [1.0], (1.0,), {"a": 1.0}])
def test_a_seed_that_is_no_number_is_refused(seed):
    with pytest.raises(SeedError):
        grad(square)(2.0, seed)


def test_a_missing_tangent_is_refused():
    with pytest.raises((SeedError, TypeError), match=r"tangent|argument"):
        jvp(doubled)(np.ones(3))
    with pytest.raises((SeedError, TypeError), match=r"missing|needs"):
        jvp(scaled)(np.ones(3), 2.0)


@pytest.mark.parametrize("tangent", [np.ones(2), np.ones((3, 1)), 1.0])
def test_a_tangent_of_another_shape_is_refused(tangent):
    with pytest.raises(SeedError):
        jvp(doubled)(np.ones(3), tangent)


def test_an_array_result_without_a_seed_is_refused():
    with pytest.raises(SeedError, match="seed"):
        grad(doubled)(np.ones(3))


def test_an_array_result_of_one_element_is_not_a_number():
    with pytest.raises(SeedError):
        grad(doubled)(np.ones(1))


def test_check_dims_off_takes_the_sum():
    def added(x, y):
        return x + y

    np.testing.assert_array_equal(grad(doubled, check_dims=False)(np.ones(3)), [2.0, 2.0, 2.0], strict=True)
    np.testing.assert_array_equal(grad(added, 1, check_dims=False)(np.ones((2, 3)), np.ones(3)), [2.0] * 3, strict=True)
    second = grad(grad(lambda x: np.sum(x * x)), check_dims=False)
    np.testing.assert_array_equal(second(np.ones(3)), [2.0] * 3, strict=True)


def test_check_dims_off_takes_the_sum_over_a_structure():
    def several(x):
        return {"a": x, "b": [x * x, "text"]}

    def called(f, x):
        return f(x)

    np.testing.assert_array_equal(grad(several, check_dims=False)(np.ones(3)), [3.0] * 3, strict=True)
    assert grad(several, check_dims=False)(2.0) == 5.0
    assert tangent.value_and_grad(lambda x: (x, x * x), check_dims=False)(2.0) == ((2.0, 4.0), 5.0)
    assert grad(called, 1, check_dims=False)(lambda x: (x, x * 2.0), 1.0) == 3.0
    gradient = grad(lambda p: p[0], check_dims=False)([np.ones(2), 3.0])
    np.testing.assert_array_equal(gradient[0], np.ones(2), strict=True)
    assert gradient[1] == 0.0
    second = grad(grad(several, check_dims=False), check_dims=False)
    np.testing.assert_array_equal(second(np.ones(3)), [2.0] * 3, strict=True)


def test_a_seed_of_a_structure_has_its_structure():
    def f(x):
        return x * 2.0, {"a": x * x, "b": [x, 1.0]}

    assert vjp(f)(3.0, (1.0, {"a": 10.0, "b": [100.0, 0.0]})) == 2.0 + 60.0 + 100.0
    with pytest.raises(SeedError):
        vjp(f)(3.0, (1.0, {"a": 10.0}))
    with pytest.raises(SeedError):
        vjp(f)(3.0, (1.0,))
    with pytest.raises(SeedError):
        vjp(f)(3.0, 1.0)


def test_the_seed_of_an_array_inside_a_structure_is_checked():
    def f(x):
        return x * 2.0, x

    with pytest.raises(SeedError):
        vjp(f)(np.ones(3), (np.ones(3), np.ones(2)))


# Structures


def deep(tree, k):
    return tree["a"] * tree["b"][0] + np.sum(tree["b"][1][0] * k) * tree["b"][1][1]


def test_gradients_have_the_structure_of_the_argument():
    tree = {"a": 2.0, "b": [3.0, (np.array([1.0, 2.0]), 5.0)], "unused": np.ones((2, 2))}
    found = grad(deep)(tree, 10.0)
    assert set(found) == {"a", "b", "unused"}
    assert found["a"] == 3.0 and found["b"][0] == 2.0
    assert type(found["b"]) is list and type(found["b"][1]) is tuple
    close(found["b"][1][0], [50.0, 50.0])
    assert found["b"][1][1] == 30.0
    close(found["unused"], np.zeros((2, 2)))


def test_tangents_have_the_structure_of_the_result():
    def f(x):
        return {"square": x * x, "both": [x, (2.0 * x, 1.0)]}

    found = jvp(f)(3.0, 1.0)
    assert found == {"square": 6.0, "both": [1.0, (2.0, 0.0)]}


def test_named_tuples_are_kept():
    from collections import namedtuple

    Point = namedtuple("Point", "x y")

    def f(p):
        return p.x * p.y

    assert grad(f)(Point(2.0, 3.0)) == Point(3.0, 2.0)


def test_tangent_of_a_structured_argument():
    def f(p):
        return p[0] * p[1]["k"]

    assert jvp(f)((2.0, {"k": 3.0}), (1.0, {"k": 10.0})) == 23.0


# Shapes and dtypes


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.longdouble])
@pytest.mark.parametrize("shape", [(), (1,), (3,), (0,), (2, 0), (2, 3)])
def test_gradients_have_dtype_and_shape_of_the_argument(dtype, shape):
    x = np.full(shape, 2.0, dtype)
    for make in (grad, lambda f: grad(f, optimized=False)):
        found = make(cubes)(x)
        assert found.dtype == dtype and found.shape == shape
        close(found, np.full(shape, 12.0, dtype))
    pushed = jvp(cubes)(x, np.ones(shape, dtype))
    assert pushed.dtype == dtype and pushed.shape == ()


def test_a_0d_array_has_a_0d_gradient():
    for f in (cubes, square, np.sin):
        found = grad(f)(np.array(2.0))
        assert np.shape(found) == () and found.dtype == np.float64


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_numpy_scalars_keep_their_dtype(dtype):
    found = grad(square)(dtype(3.0))
    assert found == 6.0 and np.asarray(found).dtype == dtype
    found = grad(np.exp)(dtype(0.0))
    assert found == 1.0 and np.asarray(found).dtype == dtype


def test_python_numbers_give_floats():
    for x in (3, 3.0):
        assert isinstance(grad(square)(x), float)
        assert grad(square)(x) == 6.0
    assert isinstance(grad(product, 1)(1, 2, 3), float)


def test_integers_get_float_gradients():
    for x in (np.int32(3), np.int64(3), np.uint8(3)):
        found = grad(square)(x)
        assert found == 6.0 and np.asarray(found).dtype.kind == "f"
    found = grad(norm)(np.array([1, 2, 3]))
    assert found.dtype.kind == "f"
    close(found, [2.0, 4.0, 6.0])


def test_an_integer_seed_gives_a_float_gradient():
    assert isinstance(grad(square)(2, 1), float)
    found = vjp(doubled)(np.array([1, 2]), np.array([1, 2]))
    assert found.dtype.kind == "f"
    close(found, [2.0, 4.0])


def test_integer_gradients_are_not_rounded():
    def f(x):
        return np.sum(np.sqrt(x))

    close(grad(f)(np.array([1, 4, 9])), [0.5, 0.25, 1 / 6])
    close(grad(f)(4), 0.25)


def test_booleans_as_numbers():
    assert grad(square)(True) == 2.0


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.longdouble])
def test_numbers_of_python_on_the_way_leave_the_dtype(dtype):
    def f(x):
        return math.sin(x * 2.0) + np.arctan2(x, 2.0)

    for x in (dtype(0.5), np.array(0.5, dtype)):
        found = grad(f)(x)
        assert found.dtype == dtype and found == pytest.approx(2 * math.cos(1.0) + 2 / 4.25, rel=1e-3)
    assert jvp(lambda x: np.arctan2(x, 2.0))(dtype(0.5), dtype(1.0)).dtype == dtype


def test_mixed_precision_gives_each_its_own_dtype():
    def f(x, y):
        return np.sum(x * y)

    bx, by = grad(f, (0, 1))(np.ones(3, np.float32), np.full((2, 3), 2.0))
    assert (bx.dtype, bx.shape) == (np.float32, (3,))
    assert (by.dtype, by.shape) == (np.float64, (2, 3))
    close(bx, [4.0, 4.0, 4.0])


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_complex_gradients(dtype):
    def f(z):
        return np.sum(np.real(z * np.conj(z)))

    z = np.array([1 + 2j, 3 - 1j], dtype)
    found = grad(f)(z)
    assert found.dtype == dtype
    close(found, 2 * np.conj(z))


def test_a_real_argument_of_a_complex_function_has_a_real_gradient():
    def f(x):
        return np.abs(np.exp(1j * x) * x) ** 2

    found = grad(f)(1.5)
    assert np.asarray(found).dtype.kind == "f"
    close(found, 3.0)


def test_an_argument_that_is_not_used():
    def f(x, unused):
        return x * 2.0

    assert grad(f, 1)(1.0, 2.0) == 0.0
    found = grad(f, 1)(1.0, np.ones((2, 3), np.float32))
    assert found.shape == (2, 3) and found.dtype == np.float32 and not found.any()
    assert grad(f, 1)(1.0, {"a": 1.0, "b": [2.0]}) == {"a": 0.0, "b": [0.0]}


def test_a_constant_function():
    def f(x):
        return 3.0

    assert grad(f)(2.0) == 0.0
    close(grad(f)(np.ones(3)), np.zeros(3))
    assert jvp(f)(2.0, 1.0) == 0.0
    assert grad(grad(f))(2.0) == 0.0


def test_an_empty_loop_gives_a_real_gradient():
    def f(x, n):
        y = x
        for _ in range(n):
            y = y * x
        return np.sum(y)

    close(grad(f)(np.full(2, 3.0), 0), [1.0, 1.0])
    close(grad(f)(np.full(2, 3.0), 2), [27.0, 27.0])


# What is returned is nobody else's; arguments stay as they are


def identity(x):
    return x


def alias(x, y):
    return x + y


def views(x):
    return np.reshape(x, (2, 2)).T


def pieces(x, y):
    return x, y, x


@pytest.mark.parametrize("optimized", [True, False])
def test_the_gradient_is_not_the_seed(optimized):
    x, seed = np.ones(4), np.arange(4.0)
    for f in (identity, np.positive, lambda x: x + 0.0, lambda x: x + 1.0, lambda x: x.reshape(4), lambda x: x[:]):
        found = vjp(f, optimized=optimized)(x, seed)
        assert not np.shares_memory(found, seed) and not np.shares_memory(found, x)
        close(found, seed)
    seed = np.arange(4.0).reshape(2, 2)
    found = vjp(views, optimized=optimized)(x, seed)
    assert not np.shares_memory(found, seed)


@pytest.mark.parametrize("optimized", [True, False])
def test_two_gradients_share_no_memory(optimized):
    seed = np.arange(3.0)
    bx, by = vjp(alias, (0, 1), optimized=optimized)(np.ones(3), np.ones(3), seed)
    assert not np.shares_memory(bx, by)
    bx += 10.0
    close(by, seed)
    close(seed, np.arange(3.0))


def test_gradients_of_structures_share_no_memory():
    def f(p):
        return p["a"] + p["b"]

    found = vjp(f)({"a": np.ones(2), "b": np.ones(2)}, np.array([1.0, 2.0]))
    assert not np.shares_memory(found["a"], found["b"])


def test_the_same_array_as_two_arguments():
    x = np.array([1.0, 2.0])
    bx, by = grad(lambda x, y: np.sum(x * y * y), (0, 1))(x, x)
    close(bx, x * x)
    close(by, 2 * x * x)


def test_the_tangent_of_the_result_is_not_the_tangent_of_the_argument():
    x, dx = np.ones(3), np.arange(3.0)
    for f in (identity, lambda x: x + 1.0, lambda x: x.reshape(3), lambda x: x[:]):
        assert not np.shares_memory(jvp(f)(x, dx), dx)
    first, _, last = jvp(pieces, (0, 1))(x, x, dx, dx)
    assert not np.shares_memory(first, dx) and not np.shares_memory(first, last)


def test_the_value_kept_is_not_the_argument():
    x = np.ones(3)
    _, value = vjp(identity, preserve_result=True)(x, np.ones(3))
    close(value, x)


def test_a_zero_gradient_can_be_written_into():
    def f(x, y):
        return np.sum(x)

    found = grad(f, 1)(np.ones(3), np.ones(3))
    found[0] = 1.0
    close(grad(f, 1)(np.ones(3), np.ones(3)), np.zeros(3))


def test_a_broadcast_gradient_can_be_written_into():
    found = grad(np.sum)(np.ones((2, 3)))
    found[0, 0] = 5.0
    assert found.sum() == 10.0, "no element shares memory with another"


@pytest.mark.parametrize("f", [norm, cubes, lambda v: np.sum(np.sort(v)), lambda v: np.prod(v)])
def test_arguments_are_left_alone(f):
    x = np.array([3.0, 1.0, 2.0])
    before = x.copy()
    x.flags.writeable = False
    for made in (grad(f), value_and_grad(f)):
        made(x)
    jvp(f)(x, x)
    hvp(f)(x, x)
    assert np.array_equal(x, before)


# Functions of the libraries themselves


@pytest.mark.parametrize(
    ("f", "args", "expected"),
    [
        (max, (2.0, 3), (0.0,)), (max, (2.0, 3.0), (0.0, 1.0)), (min, (2.0, 3.0), (1.0, 0.0)),
        (max, (2.0, 1.0, 0.5), (1.0, 0.0)), (math.log, (2.0,), (0.5,)),
        (math.log, (2.0, 4.0), (0.5 / math.log(4.0), -math.log(2.0) / (4.0 * math.log(4.0) ** 2))),
        (math.hypot, (3.0, 4.0), (0.6, 0.8)), (math.hypot, (-3.0,), (-1.0,)), (abs, (-2.0,), (-1.0,)),
        (pow, (2.0, 3), (12.0,)),
    ],
    ids=str,
)  # fmt: skip
def test_builtins_by_their_own_arguments(f, args, expected):
    """How many there are decides what a function does."""
    for i, value in enumerate(expected):
        close(grad(f, wrt=i)(*args), value)


def test_builtins_of_sequences():
    assert grad(max)([1.0, 2.0]) == [0.0, 1.0]
    assert grad(sum)([1.0, 2.0]) == [1.0, 1.0]
    close(grad(functools.partial(max, 3.0))(4.0), 1.0)
    close(grad(grad(math.log))(2.0, 4.0), -0.25 / math.log(4.0))
    close(grad(np.einsum, wrt=1)("i,i->", np.ones(2), np.array([3.0, 4.0])), [3.0, 4.0])
    close(grad(np.average)(np.ones(2), weights=np.array([1.0, 3.0])), [0.25, 0.75])
