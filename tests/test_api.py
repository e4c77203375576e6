"""The public functions: what they take, what they give back, and what they leave alone."""

import functools
import gc
import importlib
import inspect
import sys
import threading
import types
import weakref
from typing import Any, NamedTuple

import numpy as np
import pytest

import tangent
from tangent import (
    autodiff,
    check_grads,
    grad,
    hessian,
    hvp,
    jacfwd,
    jacobian,
    jacrev,
    jvp,
    value_and_grad,
    vjp,
)
from tangent.errors import ArgumentError, GradientError, OptionError, SeedError, UnsupportedError, WrtError

close = functools.partial(np.testing.assert_allclose, rtol=1e-9, atol=1e-12)


def square(x):
    return x * x


def product(x, y, z):
    return x * y * y * z


def norm(v):
    return np.sum(v * v)


def scaled(v, k=3.0):
    return np.sum(v * v) * k


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


def names_of(f):
    return list(inspect.signature(f).parameters)


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


# Caching, redefinition, threads


def test_the_same_function_and_options_give_the_same_object():
    assert grad(square) is grad(square)
    assert grad(square, 0) is grad(square, (0,)) is grad(square, "x") is grad(square, [-1])
    assert grad(square) is not grad(square, preserve_result=True)
    assert grad(square) is not jvp(square)
    assert grad(grad(square)) is grad(grad(square))


def test_two_functions_of_one_name_are_two_functions():
    def first():
        def f(x):
            return x * 2.0

        return f

    def second():
        def f(x):
            return x * 3.0

        return f

    assert (grad(first())(1.0), grad(second())(1.0)) == (2.0, 3.0)


def test_a_closure_made_twice_has_two_derivatives():
    def make(k):
        def f(x):
            return x * k

        return f

    assert [grad(make(k))(1.0) for k in (2.0, 3.0, 4.0)] == [2.0, 3.0, 4.0]


def test_a_cell_run_again_is_seen(notebook):
    f = notebook.run("def f(x):\n    return x * 2.0\n").f
    assert grad(f)(1.0) == 2.0
    f = notebook.run("def f(x):\n    return x * 3.0\n").f
    assert grad(f)(1.0) == 3.0


def test_a_helper_redefined_after_grad_is_seen(notebook):
    notebook.run("def helper(x):\n    return x * 2.0\n")
    f = notebook.run("def f(x):\n    return helper(x) * x\n").f
    made, push, second = grad(f), jvp(f), grad(grad(f))
    assert (made(3.0), push(3.0, 1.0), second(3.0)) == (12.0, 12.0, 4.0)
    notebook.run("def helper(x):\n    return x * x\n")
    assert (made(3.0), push(3.0, 1.0), second(3.0)) == (27.0, 27.0, 18.0)
    assert grad(f)(3.0) == 27.0


def test_after_a_redefinition_a_derivative_is_made_anew_once(notebook, monkeypatch):
    notebook.run("def helper(x):\n    return x * x\n")
    f = notebook.run("def f(x):\n    return helper(x) * 2.0\n").f
    df, ddf = tangent.grad(f), tangent.grad(tangent.grad(f))
    assert (df(3.0), ddf(3.0)) == (12.0, 4.0)
    notebook.run("def helper(x):\n    return x * x * x\n")
    assert (df(3.0), ddf(3.0)) == (54.0, 36.0)
    monkeypatch.setattr("tangent.pipeline.build", None)
    assert (df(3.0), ddf(3.0)) == (54.0, 36.0)


def test_the_helper_of_a_helper_redefined_is_seen(notebook):
    notebook.run("def inner(x):\n    return x * 2.0\n")
    notebook.run("def outer(x):\n    return inner(x)\n")
    f = notebook.run("def f(x):\n    return outer(x)\n").f
    made = grad(f)
    assert made(3.0) == 2.0
    notebook.run("def inner(x):\n    return x * x * x\n")
    assert made(3.0) == 27.0


def test_a_function_passed_to_a_helper_and_redefined_is_seen(notebook):
    notebook.run("def power(x):\n    return x * x\n")
    notebook.run("def twice(f, x):\n    return f(f(x))\n")
    f = notebook.run("def f(x):\n    return twice(power, x)\n").f
    made, push, second = grad(f), jvp(f), grad(grad(f))
    assert (made(2.0), push(2.0, 1.0), second(2.0)) == (32.0, 32.0, 48.0)
    notebook.run("def power(x):\n    return x * 3.0\n")
    assert (made(2.0), push(2.0, 1.0), second(2.0)) == (9.0, 9.0, 0.0)
    notebook.names["power"] = np.sin
    close(made(2.0), np.cos(2.0) * np.cos(np.sin(2.0)))


class Powers:
    """A callee that is known only when it is called, and that uses builtins."""

    def __init__(self, degree):
        self.degree = degree

    def __call__(self, x):
        total = 0.0
        for i in range(len([1.0] * self.degree)):
            total = total + x**i
        return total


def call_it(f, x):
    return f(x)


def activations(x):
    """Callees of the library, taken from a list."""
    for f in [np.tanh, np.sin]:
        x = f(x)
    return x


@pytest.mark.parametrize(("f", "args"), [(call_it, (Powers(4),)), (activations, ())], ids=["object", "library"])
def test_a_callee_known_at_run_time_is_differentiated_once(f, args, built):
    back, push = grad(f, -1), jvp(f, -1)
    first, _ = [(back(*args, 2.0), push(*args, 2.0, 1.0)) for _ in range(2)]
    before = len(built)
    for _ in range(3):
        assert (back(*args, 2.0), push(*args, 2.0, 1.0)) == first
    assert before and len(built) == before


def doubled_in_place(x):
    y = x + 1.0
    z = y
    z *= 2
    return y * z


def grown_in_a_loop(x):
    items = [x]
    for i in range(3):
        items.append(items[-1] * x + i)
    return items[-1] * items[1]


@pytest.mark.parametrize("f", [doubled_in_place, grown_in_a_loop])
def test_raw_derivatives_of_raw_derivatives(f):
    raw = grad(grad(f, optimized=False), optimized=False)
    close(raw(0.7), (grad(f)(0.7 + 1e-6) - grad(f)(0.7 - 1e-6)) / 2e-6, rtol=1e-6)


def test_a_default_that_is_changed_is_seen():
    def f(x, k=2.0, *, scale=1.0):
        return x * k * scale

    assert grad(f)(1.0) == 2.0
    f.__defaults__ = (5.0,)
    assert grad(f)(1.0) == 5.0
    f.__kwdefaults__ = {"scale": 3.0}
    assert grad(f)(1.0) == 15.0


def test_derivatives_of_many_functions_are_let_go():
    def make(k):
        return lambda x: x * k

    gone = weakref.ref(first := make(2.0))
    assert grad(first)(1.0) == 2.0
    del first
    for k in range(520):
        grad(make(k))
    gc.collect()
    assert gone() is None


def test_a_name_that_is_no_identifier():
    def f(x):
        return x * x

    f.__name__ = "<loss> (2)"
    assert (grad(f)(3.0), jvp(f)(3.0, 1.0), grad(grad(f))(3.0)) == (6.0, 6.0, 2.0)


def test_the_code_of_a_helper_replaced_is_seen(notebook):
    space = notebook.run("def helper(x):\n    return x * 2.0\ndef other(x):\n    return x * 5.0\n")
    f = notebook.run("def f(x):\n    return helper(x)\n").f
    made = grad(f)
    assert made(3.0) == 2.0
    space.helper.__code__ = space.other.__code__
    assert f(3.0) == 15.0
    assert made(3.0) == 5.0


def test_a_helper_replaced_by_a_library_function_is_seen(notebook):
    f = notebook.run("op = np.sin\ndef f(x):\n    return op(x)\n").f
    made = grad(f)
    close(made(0.5), np.cos(0.5))
    notebook.names["op"] = np.exp
    close(made(0.5), np.exp(0.5))


def test_a_global_number_is_read_when_the_derivative_runs(notebook):
    f = notebook.run("k = 2.0\ndef f(x):\n    return x * k\n").f
    made = grad(f)
    assert made(1.0) == 2.0
    notebook.names["k"] = 5.0
    assert made(1.0) == 5.0


def test_a_closure_cell_is_read_when_the_derivative_runs():
    k = 2.0

    def f(x):
        return x * k

    made = grad(f)
    assert made(1.0) == 2.0
    k = 7.0
    assert made(1.0) == 7.0


def test_a_reloaded_module_is_seen(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    file = tmp_path / "reloaded_model.py"
    file.write_text("def helper(x):\n    return x * 2.0\n\n\ndef f(x):\n    return helper(x)\n")
    model = importlib.import_module("reloaded_model")
    made = grad(model.f)
    assert made(3.0) == 2.0
    file.write_text("# moved down\n\n\ndef helper(x):\n    return x * x * x\n\n\ndef f(x):\n    return helper(x)\n")
    importlib.reload(model)
    assert grad(model.f)(3.0) == 27.0
    monkeypatch.delitem(sys.modules, "reloaded_model")


def test_a_helper_of_a_reloaded_module_is_seen(tmp_path, monkeypatch, notebook):
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    file = tmp_path / "reloaded_helper.py"
    file.write_text("def helper(x):\n    return x * 2.0\n")
    module = importlib.import_module("reloaded_helper")
    f = notebook.run("import reloaded_helper\ndef f(x):\n    return reloaded_helper.helper(x)\n").f
    made = grad(f)
    assert made(3.0) == 2.0
    file.write_text("def helper(x):\n    # another\n    return x * x * x\n")
    importlib.reload(module)
    assert made(3.0) == 27.0
    monkeypatch.delitem(sys.modules, "reloaded_helper")


def test_threads_may_differentiate_at_once(notebook):
    text = "def base(x):\n    return np.sin(x)\n"
    text += "".join(f"def f{i}(x):\n    return base(x * {i}.0) + x\n" for i in range(12))
    space = notebook.run(text)
    found: dict[tuple[int, int], float] = {}
    failed: list[BaseException] = []
    start = threading.Barrier(6)

    def work(me: int) -> None:
        try:
            start.wait()
            for i in range(12):
                k = (i + me) % 12
                f = getattr(space, f"f{k}")
                found[me, k] = grad(f)(0.3) + jvp(f)(0.3, 1.0) + grad(grad(f))(0.3)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(me,)) for me in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failed
    for (_, k), value in found.items():
        close(value, 2 * (k * np.cos(0.3 * k) + 1) - k * k * np.sin(0.3 * k))


# Seeds


def test_the_default_seed_is_one():
    assert grad(square)(3.0) == vjp(square)(3.0, 1.0) == 6.0


def test_an_explicit_seed_scales():
    close(grad(norm)(np.array([1.0, 2.0]), 10.0), [20.0, 40.0])
    close(vjp(np.sin)(np.zeros(3), np.array([1.0, 2.0, 3.0])), [1.0, 2.0, 3.0])


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


def cubes(x):
    return np.sum(x * x * x)


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


# Any order


def cube(x):
    return x * x * x


def exp_sin(x):
    return np.exp(np.sin(x))


def looped(x):
    y = x
    for _ in range(5):
        y = y * x
    return y


def branched(x):
    if x > 1.0:
        y = x * x * x * x
    else:
        y = -x
    return y


def whiled(x):
    y = 1.0
    n = 0
    while n < 6:
        y = y * x
        n += 1
    return y


def called(x):
    return cube(x) * cube(x)


def nth(make, f, n):
    for _ in range(n):
        f = make(f)
    return f


def falling(n, k):
    return float(np.prod(np.arange(n, n - k, -1)))


# by hand: derivatives of exp(sin(x)) at 0 (Taylor numbers 1 1 1 0 -3 -8 -3 ...)
EXP_SIN = [1.0, 1.0, 1.0, 0.0, -3.0, -8.0, -3.0]


@pytest.mark.parametrize("order", range(1, 7))
def test_six_levels_of_grad(order):
    x = 2.0
    close(nth(grad, cube, order)(x), falling(3, order) * x ** (3 - order) if order <= 3 else 0.0)
    close(nth(grad, exp_sin, order)(0.0), EXP_SIN[order], atol=1e-9)


@pytest.mark.parametrize("order", range(1, 7))
def test_six_levels_of_grad_through_a_branch(order):
    close(nth(grad, branched, order)(2.0), falling(4, order) * 2.0 ** (4 - order) if order <= 4 else 0.0)
    close(nth(grad, branched, order)(0.5), -1.0 if order == 1 else 0.0)


@pytest.mark.parametrize("f", [looped, whiled, called])
@pytest.mark.parametrize("order", range(1, 7))
def test_six_levels_of_grad_through(f, order):
    x = 2.0
    close(nth(grad, f, order)(x), falling(6, order) * x ** (6 - order))


@pytest.mark.parametrize("order", range(1, 7))
def test_six_levels_of_forward_mode(order):
    made = nth(jvp, cube, order)
    assert len(names_of(made)) == order + 1
    close(made(2.0, *[1.0] * order), falling(3, order) * 2.0 ** (3 - order) if order <= 3 else 0.0)


def pushed(f):
    """The derivative along x by forward mode, as a function of x alone."""
    push = jvp(f)

    def along(x):
        return push(x, dx=1.0)

    return along


@pytest.mark.parametrize("modes", [
    "rf", "fr", "ff", "rr", "rfr", "frf", "ffr", "rrf", "rff", "frr",
    "rfrf", "frfr", "rrff", "ffrr", "rffr", "frrf", "ffff", "rrrr",
])  # fmt: skip
@pytest.mark.parametrize("f", [cube, exp_sin, looped, branched, called])
def test_modes_mix_in_any_order(f, modes):
    made = f
    for mode in modes:
        made = grad(made) if mode == "r" else pushed(made)
    close(made(1.7), nth(grad, f, len(modes))(1.7), rtol=1e-8)


def test_modes_mix_directly():
    close(jvp(grad(cube))(2.0, 1.0, 1.0), 12.0)
    close(grad(jvp(cube))(2.0, 1.0), 12.0)
    close(grad(jvp(cube), "dx")(2.0, 1.0), 12.0)
    close(jvp(jvp(cube))(2.0, 1.0, 1.0), 12.0)
    close(grad(grad(jvp(cube)))(2.0, 1.0), 6.0)
    close(grad(jvp(grad(cube)))(2.0, 1.0, 1.0), 6.0)


def test_second_order_of_an_array_function():
    def f(x):
        return np.sum(np.sin(x) * x)

    x, v = np.array([0.3, 0.7]), np.array([1.0, -2.0])
    expected = (2 * np.cos(x) - x * np.sin(x)) * v
    close(hvp(f)(x, v), expected)
    close(hessian(f)(x) @ v, expected)
    close(vjp(grad(f))(x, 1.0, v), expected)


# grad inside of functions that are differentiated


def inner_of(x):
    return grad(cube)(x) * x


def test_grad_of_a_global_function_inside():
    assert inner_of(2.0) == 24.0
    close(grad(inner_of)(2.0), 36.0)
    close(jvp(inner_of)(2.0, 1.0), 36.0)
    close(grad(grad(inner_of))(2.0), 36.0)


def confused(x):
    """x * d/dy (x + y) is x, whose derivative is 1; confusing the two perturbations gives 2."""
    return x * grad(lambda y: x + y)(1.0)


def confused_def(x):
    def inner(y):
        return x * y * y

    return x * grad(inner)(3.0)


def confused_push(x):
    return x * jvp(lambda y: x + y)(1.0, 1.0)


def test_no_perturbation_confusion():
    assert confused(3.0) == 3.0
    assert grad(confused)(3.0) == 1.0
    assert jvp(confused)(3.0, 1.0) == 1.0
    assert grad(confused_push)(3.0) == 1.0
    assert jvp(confused_push)(3.0, 1.0) == 1.0


def test_an_inner_function_that_captures_the_outer_variable():
    assert confused_def(2.0) == 2.0 * 2.0 * 6.0
    close(grad(confused_def)(2.0), 24.0)
    close(jvp(confused_def)(2.0, 1.0), 24.0)
    close(grad(grad(confused_def))(2.0), 12.0)


# Jacobians, Hessians, products


def polar(p):
    return np.array([p[0] * np.cos(p[1]), p[0] * np.sin(p[1])])


@pytest.mark.parametrize("make", [jacobian, jacrev, jacfwd, functools.partial(jacobian, mode="forward")])
def test_jacobian(make):
    r, t = 2.0, 0.5
    expected = [[np.cos(t), -r * np.sin(t)], [np.sin(t), r * np.cos(t)]]
    close(make(polar)(np.array([r, t])), expected)


@pytest.mark.parametrize("make", [jacrev, jacfwd])
def test_jacobian_has_the_shape_of_the_result_and_then_of_the_argument(make):
    def f(a, b):
        return np.outer(a, b[:, 0])

    ja, jb = make(f, (0, 1))(np.ones(2), np.ones((3, 4)))
    assert ja.shape == (2, 3, 2) and jb.shape == (2, 3, 3, 4)
    assert make(f)(np.ones(2, np.float32), np.ones((3, 4), np.float32)).dtype == np.float32
    assert make(square)(3.0) == 6.0 and np.shape(make(square)(3.0)) == ()
    assert make(norm)(np.ones(3)).shape == (3,)
    assert make(f)(np.ones(0), np.ones((3, 4))).shape == (0, 3, 0)


def test_hessian():
    def f(x):
        return x[0] * x[0] * x[1] + np.sin(x[1])

    close(hessian(f)(np.array([2.0, 3.0])), [[6.0, 4.0], [4.0, -np.sin(3.0)]])
    close(hessian(cube)(2.0), 12.0)


def test_hessian_of_several_arguments():
    def f(x, y):
        return np.sum(x * x) * y

    x = np.array([1.0, 2.0])
    (xx, xy), (yx, yy) = hessian(f, (0, 1))(x, 3.0)
    close(xx, 6 * np.eye(2))
    close(xy, 2 * x)
    close(yx, 2 * x)
    close(yy, 0.0)


def test_hvp_of_several_arguments():
    def f(x, y):
        return x * x * y

    close(hvp(f, (0, 1))(2.0, 3.0, 1.0, 10.0), (6.0 + 40.0, 4.0))


def test_hvp_needs_its_vectors():
    with pytest.raises((SeedError, TypeError)):
        hvp(square)()


# The checker


def test_check_grads_passes_what_is_right():
    check_grads(np.sin, (0.5,), order=2)
    check_grads(product, (2.0, 3.0, 4.0), wrt=(0, "z"), order=2)
    check_grads(lambda p: p["a"] * p["b"][0], ({"a": 2.0, "b": (np.ones(3),)},))


def test_check_grads_can_fail(notebook):
    f = notebook.run("def f(x):\n    return np.floor(x) * 2.0\n").f
    with pytest.raises(GradientError, match="finite differences"):
        check_grads(f, (1.0,), eps=1e-3)
    with pytest.raises(AssertionError):
        check_grads(f, (1.0,), modes=("forward",), eps=1e-3)


def test_functions_whose_derivative_is_zero():
    assert grad(np.floor)(1.5) == 0.0
    close(vjp(np.sign)(np.ones(3), np.ones(3)), np.zeros(3))


def test_the_public_names():
    for name in tangent.__all__:
        assert hasattr(tangent, name)
    assert issubclass(SeedError, ValueError) and issubclass(WrtError, ValueError)
    assert issubclass(GradientError, AssertionError)


# Objects that a function makes and gives back


class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y


def test_objects_that_are_made_and_given_back():
    def f(x):
        point = Point(x * x, [Point(x, 2.0 * x)])
        return x * point.x, point

    slope, point = grad(f, has_aux=True)(3.0)
    assert slope == 27.0 and point.x == 9.0 and point.y[0].y == 6.0
    (value, point), slope = value_and_grad(f, has_aux=True)(3.0)
    assert value == 27.0 and point.y[0].x == 3.0

    def made(x):
        return Point(x * x, (x, Point(1.0, 5.0 * x)))

    tangents = jvp(made)(3.0, 1.0)
    assert (tangents.x, tangents.y[0], tangents.y[1].y) == (6.0, 1.0, 5.0)
    assert vjp(made)(3.0, Point(10.0, (2.0, Point(7.0, 1.0)))) == 67.0
    assert grad(lambda x: vjp(made)(x, Point(10.0, (2.0, Point(7.0, 1.0)))))(3.0) == 20.0


def test_derivatives_of_objects_inside_functions():
    def by_an_object(w, x):
        point = Point(w, x)
        point.x = point.x * 2.0
        bpoint, bt = grad(lambda p, t: p.x * t * t * x, (0, 1))(point, x)
        return bpoint.x * bt

    def changing(w, x):
        def inner(p):
            p.x = p.x * x
            return p.x * p.x

        point = Point(w, x)
        return grad(inner)(point).x * point.x

    for f in (by_an_object, changing):
        check_grads(f, (1.3, 0.7))


def test_a_mode_of_the_jacobian_that_there_is_not():
    with pytest.raises(ValueError, match="mode='sideways': there are two modes"):
        jacobian(np.sin, mode="sideways")


def test_a_loop_that_keeps_the_shape_needs_no_broadcasting_at_any_order():
    def cubes(x, n):
        for _ in range(n):
            x = x * x * x
        return x

    derivative, lines = cubes, []
    for _ in range(3):
        derivative = grad(derivative)
        lines.append(len(derivative.source.splitlines()))
        assert "broadcast" not in derivative.source
    assert lines[1] <= 45 and lines[2] <= 150
    assert derivative(1.1, 2) == pytest.approx(9 * 8 * 7 * 1.1**6)


def test_the_derivatives_of_a_polynomial_stay_small():
    def cube(x):
        return x * x * x

    reverse = forward = cube
    for _ in range(5):
        reverse, forward = grad(reverse), jvp(forward)
    assert len(reverse.source.splitlines()) <= 16 and len(forward.source.splitlines()) <= 6


class EqualToAll:
    """Python's own `inspect.signature` takes such an object for a builtin."""

    __hash__ = None

    def __eq__(self, other):
        return True

    def __call__(self, x, *, k=2.0):
        return k * x * x


def test_callable_objects_that_compare_as_they_like():
    assert grad(EqualToAll())(3.0, k=5.0) == 30.0


def test_a_module_may_be_an_argument():
    def energy(x, xp):
        return xp.sum(xp.clip(x, -0.5, 1.5) * x)

    x = np.array([0.3, -0.2, 2.0])
    assert grad(energy)(x, np) == pytest.approx([0.6, -0.4, 1.5])
    assert jvp(energy, wrt=0)(x, np, np.ones(3)) == pytest.approx(1.7)


@pytest.mark.parametrize(
    "result, what",
    [
        (lambda x: x, "a float"),
        (lambda x: (x, 1, 2), "3 things"),
        (lambda x: {"a": x, "b": 2}, "a dict"),
        (lambda x: None, "nothing"),
    ],
)
def test_has_aux_asks_for_a_pair(result, what):
    def f(x):
        return result(x * x)

    with pytest.raises(OptionError, match=rf"test_api.py:\d+: has_aux=True: the function returned {what}"):
        grad(f, has_aux=True)(3.0)


def test_zero_gradients_of_lists_that_grow_and_shrink_are_as_they_were_given():
    def grows(xs, ys):
        xs.append(xs[0] * 2.0)
        return ys[-1] * ys[0]

    def shrinks(xs):
        xs.pop()
        return 3.0

    assert grad(grows, (0, 1))([1.0, 2.0], [3.0, 4.0]) == ([0.0, 0.0], [4.0, 3.0])
    assert grad(shrinks)([1.0, 2.0]) == [0.0, 0.0]


def test_integer_arrays_that_are_written_into_are_refused():
    def itself(c, x):
        c[0] = 2 * c[1]
        return np.sum(c * x)

    def a_copy(c, x):
        n = c.copy()
        n[1] = 2
        return np.sum(n * x)

    ints, x = np.array([1, 2, 3]), np.array([1.0, 2.0, 3.0])
    for f, by_x in ((itself, [4, 2, 3]), (a_copy, [1, 2, 3])):
        with pytest.raises(ArgumentError, match=r"array of int64, and the function writes.*\n.*\n.*\n.*astype"):
            grad(f, 0)(ints, x)
        with pytest.raises(ArgumentError, match="array of int64"):
            jvp(f, 0)(ints, x, x)
        np.testing.assert_allclose(grad(f, 1)(ints, x), by_x)
        assert np.all(np.isfinite(grad(f, 0)(ints.astype(float), x)))


# Values with parts


class Pair(NamedTuple):
    u: Any
    v: Any


@pytest.mark.parametrize("make", [jacrev, jacfwd])
def test_jacobians_of_containers_have_their_structure(make):
    x = np.array([1.0, 2.0])
    squares, total = make(lambda x: (x**2, np.sum(x)))(x)
    close(squares, np.diag(2 * x))
    close(total, np.ones(2))
    named = make(lambda x: Pair(x, {"k": x[0], "s": "text"}))(x)
    close(named.u, np.eye(2))
    close(named.v["k"], [1.0, 0.0])
    assert isinstance(named, Pair) and named.v["s"] is None
    by_parts = make(lambda p: p["a"] * p["b"])({"a": x, "b": 3.0, "name": "p"})
    close(by_parts["a"], 3 * np.eye(2))
    close(by_parts["b"], x)
    assert by_parts["name"] is None
    (aa, ay), (ba, by) = make(lambda p, y: (p[0] * y, y), (0, 1))((x, 1.0), 2.0)
    close(aa[0], 2 * np.eye(2))
    close(aa[1], np.zeros(2))
    close(ay, x)
    close(ba[0], np.zeros(2))
    close(by, 1.0)
    close(make(lambda t: [t[0] * t[1], t[1]])([2.0, 3.0]), [[3.0, 2.0], [0.0, 1.0]])
    with pytest.raises(SeedError, match="the result is tuple: a Jacobian is that of numbers"):
        make(lambda t: ("a", None))(1.0)


def test_hessian_by_a_dict_and_by_an_object():
    x = np.array([1.0, 2.0])
    found = hessian(lambda d: d["a"] @ d["a"] * d["b"])({"a": x, "b": 3.0})
    close(found["a"]["a"], 6 * np.eye(2))
    close(found["a"]["b"], 2 * x)
    close(found["b"]["a"], 2 * x)
    close(found["b"]["b"], 0.0)
    of_object = hessian(lambda p: p.w * p.w * p.b)(types.SimpleNamespace(w=2.0, b=3.0))
    close(of_object.w.w, 6.0)
    close(of_object.w.b, 4.0)


@pytest.mark.parametrize("kind", [complex, np.complex64, np.complex128, np.array])
def test_gradients_by_complex_numbers_are_complex(kind):
    for f, expected in ((lambda x: x.real, 1.0), (lambda x: 2 * np.imag(x), -2j)):
        got = grad(f)(kind(2 + 1j))
        assert got == expected and np.iscomplexobj(got)
        assert np.asarray(got).dtype == np.asarray(kind(1j)).dtype
