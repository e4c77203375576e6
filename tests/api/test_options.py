"""The options: `wrt`, what is returned beside the gradient, signatures, keywords and defaults."""

import inspect

import numpy as np
import pytest

from api.functions import close, names_of, norm, product, scaled, square
from tangent import autodiff, grad, hessian, hvp, jacfwd, jacobian, jacrev, jvp, value_and_grad, vjp
from tangent.errors import UnsupportedError, WrtError

# wrt


def test_the_first_example_of_the_paper():
    assert grad(square)(3) == 6


@pytest.mark.parametrize("wrt, expected", [
    (0, 36.0), (1, 48.0), (2, 18.0), (-1, 18.0), (-3, 36.0), ("x", 36.0), ("z", 18.0), ((1,), 48.0), ([1], 48.0),
    (("y",), 48.0),
])  # fmt: skip
def test_one_argument_gives_its_gradient(wrt, expected):
    assert grad(product, wrt)(2.0, 3.0, 4.0) == expected


@pytest.mark.parametrize("wrt, expected", [
    ((0, 1), (36.0, 48.0)), ((1, 0), (48.0, 36.0)), (("z", "x"), (18.0, 36.0)), ((0, "y", -1), (36.0, 48.0, 18.0)),
    ([0, 2], (36.0, 18.0)),
])  # fmt: skip
def test_several_arguments_give_a_tuple_in_their_order(wrt, expected):
    found = grad(product, wrt)(2.0, 3.0, 4.0)
    assert type(found) is tuple
    assert found == expected


@pytest.mark.parametrize("wrt", [3, -4, "w", (), [], (0, 0), (0, "x"), (0, -3), None, 1.0, True, (0, None)])
def test_a_wrt_that_means_no_argument_is_refused(wrt):
    with pytest.raises(WrtError):
        grad(product, wrt)


def test_numpy_integers_are_positions():
    assert grad(product, np.int64(1))(2.0, 3.0, 4.0) == 48.0


def test_wrt_holds_for_every_public_function():
    args = (2.0, 3.0, 4.0)
    assert value_and_grad(product, "y")(*args) == (72.0, 48.0)
    assert vjp(product, 1)(*args, 10.0) == 480.0
    assert jvp(product, ("x", "y"))(*args, 1.0, 10.0) == 36.0 + 480.0
    assert jvp(product, ("y", "x"))(*args, 10.0, 1.0) == 36.0 + 480.0
    close(jacrev(product, -1)(*args), 18.0)
    close(jacfwd(product, "z")(*args), 18.0)
    close(hessian(product, "y")(*args), 16.0)
    close(hvp(product, 1)(*args, 10.0), 160.0)


# What else is returned


def test_preserve_result_appends_the_value():
    assert grad(square, preserve_result=True)(3.0) == (6.0, 9.0)
    assert grad(product, (0, 1), preserve_result=True)(2.0, 3.0, 4.0) == (36.0, 48.0, 72.0)
    assert jvp(square, preserve_result=True)(3.0, 1.0) == (6.0, 9.0)
    found, value = vjp(np.sin, preserve_result=True)(np.array([0.0, 1.0]), np.ones(2))
    close(found, np.cos([0.0, 1.0]))
    close(value, np.sin([0.0, 1.0]))


def with_aux(x, y):
    z = x * y
    return z * z, {"z": z, "name": "aux"}


def test_has_aux_differentiates_the_first_and_hands_on_the_second():
    found, aux = grad(with_aux, has_aux=True)(2.0, 3.0)
    assert found == 36.0 and aux == {"z": 6.0, "name": "aux"}
    found, aux = grad(with_aux, (0, 1), has_aux=True)(2.0, 3.0)
    assert found == (36.0, 24.0) and aux["z"] == 6.0
    (value, aux), found = value_and_grad(with_aux, has_aux=True)(2.0, 3.0)
    assert (value, found) == (36.0, 36.0) and aux["name"] == "aux"


def with_list_aux(x):
    values = [x]
    for _ in range(3):
        last = values.pop()
        values.append(last * x + sum(values))
        values.append(last)
    return sum(values), values


@pytest.mark.parametrize("optimized", [True, False])
def test_lists_that_the_backward_pass_shrinks_are_given_back_as_they_were(optimized):
    (value, values), _ = value_and_grad(with_list_aux, has_aux=True, optimized=optimized)(2.0)
    assert (value, values) == with_list_aux(2.0)
    _, aux = grad(with_list_aux, has_aux=True, optimized=optimized)(2.0)
    assert aux == values


def test_has_aux_in_forward_mode():
    found, aux = jvp(with_aux, has_aux=True)(2.0, 3.0, 1.0)
    assert found == 36.0 and aux == {"z": 6.0, "name": "aux"}


def with_array_aux(x):
    y = np.sin(x)
    return np.sum(y), y


def test_an_active_aux_does_not_contribute():
    x = np.array([0.1, 0.2])
    found, aux = grad(with_array_aux, has_aux=True)(x)
    close(found, np.cos(x))
    close(aux, np.sin(x))


def test_value_and_grad_gives_the_value_first():
    value, found = value_and_grad(norm)(np.array([1.0, 2.0]))
    assert value == 5.0
    close(found, [2.0, 4.0])
    value, found = value_and_grad(product, (2, 0))(2.0, 3.0, 4.0)
    assert value == 72.0 and found == (18.0, 36.0)


def returned_early(x, n):
    for _ in range(n):
        x = x * x
        if x > 10.0:
            return x
    return -x


def returned_out_of_two_loops(x, n):
    for _ in range(n):
        for _ in range(n):
            x = x * 1.5
            if x > 5.0:
                return x * x
    return x


def repeated(x, n):
    for _ in range(n):
        x = x * x
    return x


def chosen(x, n):
    if n > 1:
        return x * x
    x = x * 3.0
    return x


@pytest.mark.parametrize("f", [returned_early, returned_out_of_two_loops, repeated, chosen])
@pytest.mark.parametrize("n", [0, 1, 2, 5])
@pytest.mark.parametrize("optimized", [True, False])
def test_the_value_is_that_of_the_primal_whatever_the_backward_pass_restores(f, n, optimized):
    value, found = value_and_grad(f, optimized=optimized)(1.7, n)
    assert value == f(1.7, n)
    pushed, value = jvp(f, optimized=optimized, preserve_result=True)(1.7, n, 1.0)
    assert value == f(1.7, n)
    close(found, pushed)


def test_autodiff_is_either_mode():
    assert autodiff(square, 0, mode="forward")(3.0, 1.0) == 6.0
    assert autodiff(square, 0, mode="reverse")(3.0) == 6.0
    assert autodiff(square, (0,), motion="split")(3.0) == 6.0
    assert autodiff(square, (0,), preserve_result=True, mode="forward")(3.0, 1.0) == (6.0, 9.0)


@pytest.mark.parametrize("options", [{"mode": "sideways"}, {"motion": "slow"}])
def test_autodiff_refuses_unknown_modes(options):
    with pytest.raises(ValueError, match=next(iter(options.values()))):
        autodiff(square, **options)


def test_verbose_prints_the_source(capsys):
    made = grad(square, verbose=1)
    assert capsys.readouterr().out == inspect.getsource(made)
    grad(square, verbose=1)
    assert "def " in capsys.readouterr().out, "also when the derivative was made before"
    grad(square)
    assert capsys.readouterr().out == ""


def test_raw_code_gives_the_same_numbers():
    for f, args in ((square, (3.0,)), (norm, (np.array([1.0, 2.0]),)), (product, (2.0, 3.0, 4.0))):
        close(grad(f, optimized=False)(*args), grad(f)(*args))
        close(jvp(f, optimized=False)(*args, args[0]), jvp(f)(*args, args[0]))


# Signatures, keywords and defaults


def test_signature_is_that_of_the_primal_and_then_the_seed():
    made = grad(product, (0, 1))
    *primal, seed = inspect.signature(made).parameters.values()
    assert [p.name for p in primal] == ["x", "y", "z"]
    assert seed.default == 1.0
    assert all(p.default is inspect.Parameter.empty for p in primal)


def test_signature_of_forward_mode_ends_with_the_tangents():
    assert names_of(jvp(product, ("x", "z"))) == ["x", "y", "z", "dx", "dz"]


def test_defaults_are_those_of_the_primal():
    made = grad(scaled)
    assert inspect.signature(made).parameters["k"].default == 3.0
    close(made(np.ones(2)), [6.0, 6.0])
    close(made(np.ones(2), 1.0), [2.0, 2.0])
    close(made(np.ones(2), k=1.0), [2.0, 2.0])
    close(made(v=np.ones(2), k=1.0), [2.0, 2.0])


def test_defaults_keep_their_identity():
    marker = np.array([2.0, 3.0])

    def f(x, w=marker):
        return np.sum(x * w)

    made = grad(f)
    assert inspect.signature(made).parameters["w"].default is marker
    close(made(np.ones(2)), marker)


def test_a_default_argument_may_be_in_wrt():
    assert grad(scaled, "k")(np.ones(2)) == 2.0
    close(hessian(scaled, "v")(np.ones(2)), 6 * np.eye(2))


def test_wrong_calls_fail_as_calls_of_the_primal_do():
    for made in (grad(product), jvp(product)):
        with pytest.raises(TypeError):
            made()
        with pytest.raises(TypeError):
            made(1.0, 2.0, 3.0, w=1.0)


def test_keyword_only_arguments():
    def f(x, *, k=2.0, n):
        return x**n * k

    assert grad(f)(3.0, n=2) == 12.0
    assert grad(f, "k")(3.0, n=2) == 9.0
    assert grad(f, ("x", "k"))(3.0, k=1.0, n=3) == (27.0, 27.0)
    assert grad(f)(3.0, 10.0, n=2) == 120.0, "the seed follows the positional arguments"
    assert jvp(f)(3.0, 10.0, n=2) == 120.0


def test_jacobians_take_keyword_only_arguments():
    def f(x, *, k):
        return x * x * k

    x = np.array([1.0, 2.0])
    close(jacrev(f)(x, k=3.0), np.diag(6 * x))
    close(jacfwd(f)(x, k=3.0), np.diag(6 * x))
    close(hessian(lambda x, *, k: np.sum(x * x * k))(x, k=3.0), 6 * np.eye(2))
    close(hvp(lambda x, *, k: np.sum(x * x * k))(x, x, k=3.0), 6 * x)


def products(x):
    return np.array([x[0] * x[1], x[1] ** 2, x[0]])


def mixed_powers(x, k=2.0):
    return x[0] ** 3 * x[1] ** 2 * k


@pytest.mark.parametrize("first, second", [(jacobian, jacobian), (jacfwd, jacrev), (jacrev, jacfwd)])
def test_the_jacobian_of_a_jacobian(first, second):
    found = second(first(products))(np.array([2.0, 3.0]))
    close(found, [[[0.0, 1.0], [1.0, 0.0]], [[0.0, 0.0], [0.0, 2.0]], [[0.0, 0.0], [0.0, 0.0]]])


def test_derivatives_of_a_hessian():
    assert grad(hessian(lambda x: x**4))(2.0) == 48.0
    x = np.array([2.0, 3.0])
    third = jacobian(hessian(mixed_powers))(x)
    close(third[0], [[108.0, 144.0], [144.0, 48.0]])
    close(jvp(hessian(mixed_powers))(x, 2.0, np.array([1.0, 0.0])), third[..., 0])


def test_matrices_that_are_not_differentiated_are_refused():
    for made in (jacobian(lambda a, b: a * b, (0, 1)), hvp(mixed_powers)):
        with pytest.raises(UnsupportedError, match="by one argument"):
            grad(made)


def test_jacobians_take_starred_arguments():
    def f(x, *rest, **options):
        return x * x * rest[0] * options["k"]

    x = np.array([1.0, 2.0])
    close(jacrev(f)(x, 2.0, k=3.0), np.diag(12 * x))
    close(jacfwd(f)(x, 2.0, k=3.0), np.diag(12 * x))


def test_positional_only_arguments():
    def f(x, y, /, z=1.0):
        return x * y * z

    made = grad(f, ("x", "y"))
    assert made(2.0, 3.0) == (3.0, 2.0)
    assert made(2.0, 3.0, z=2.0) == (6.0, 4.0)
    kinds = [p.kind for p in inspect.signature(made).parameters.values()][:3]
    assert kinds == [p.kind for p in inspect.signature(f).parameters.values()]
    with pytest.raises(TypeError):
        made(x=2.0, y=3.0)
    assert jvp(f)(2.0, 3.0, 1.0, 5.0) == 15.0
    close(jacrev(f)(2.0, 3.0), 3.0)
    close(jacfwd(f)(2.0, 3.0), 3.0)
    close(hessian(f, (0, 1))(2.0, 3.0)[0][1], 1.0)


def test_starred_arguments():
    def f(x, *rest):
        y = x
        for r in rest:
            y = y * r
        return y

    made = grad(f)
    assert made(2.0) == 1.0
    assert made(2.0, 3.0, 4.0) == 12.0
    assert jvp(f)(2.0, 3.0, 4.0, dx=1.0) == 12.0


def test_gradient_of_starred_arguments_is_a_tuple():
    def f(x, *rest):
        return x * rest[0] * rest[1]

    assert grad(f, "rest")(2.0, 3.0, 4.0) == (8.0, 6.0)


def test_double_starred_arguments():
    def f(x, **options):
        return x * options["scale"]

    assert grad(f)(2.0, scale=3.0) == 3.0
    assert grad(f, "options")(2.0, scale=3.0) == {"scale": 2.0}


def test_the_seed_may_be_given_by_name_or_place():
    made = grad(square)
    _, seed = names_of(made)
    assert made(3.0, 10.0) == made(3.0, **{seed: 10.0}) == 60.0


def test_a_parameter_named_like_a_seed_or_tangent():
    def f(x, by, dx, bx):
        y = x * by * dx * bx
        return y

    assert grad(f)(2.0, 3.0, 4.0, 5.0) == 60.0
    assert grad(f, "by")(2.0, 3.0, 4.0, 5.0) == 40.0
    assert jvp(f, (0, 2))(2.0, 3.0, 4.0, 5.0, 1.0, 10.0) == 60.0 + 300.0


def test_jacobians_have_the_signature_of_the_primal():
    for make in (jacrev, jacfwd, jacobian, hessian):
        assert names_of(make(scaled)) == ["v", "k"], make.__name__


def test_jacobians_take_keywords_and_defaults():
    x = np.array([1.0, 2.0])
    for make in (jacrev, jacfwd, jacobian):
        close(make(scaled)(x), 6 * x)
        close(make(scaled)(x, k=1.0), 2 * x)
        close(make(scaled)(v=x, k=1.0), 2 * x)
    close(hessian(scaled)(x, k=1.0), 2 * np.eye(2))
    close(hvp(scaled)(x, 1.0, x), 2 * x)
