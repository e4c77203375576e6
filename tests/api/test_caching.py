"""Derivatives are kept; redefinition is seen; threads and garbage."""

import gc
import importlib
import sys
import threading
import weakref

import numpy as np
import pytest

import tangent
from api.functions import close, square
from tangent import grad, jvp, value_and_grad
from tangent.errors import SourceError

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


def test_defaults_of_a_helper_that_are_set_are_seen(notebook):
    helper = notebook.run("def helper(x, p=2.0, *, q=1.0):\n    return x * p * q\n").helper
    f = notebook.run("def f(x):\n    return helper(x) * x\n").f
    made = grad(f)
    assert [made(1.5) for _ in range(4)] == [6.0] * 4
    helper.__defaults__ = (7.0,)
    assert [made(1.5) for _ in range(4)] == [21.0] * 4
    helper.__defaults__, helper.__kwdefaults__ = (np.array([1.0, 2.0]),), {"q": 3.0}
    assert [made(1.5, np.ones(2)) for _ in range(4)] == [27.0] * 4
    assert grad(f, check_dims=False)(1.5, np.ones(2)) == 27.0


def test_grad_after_a_redefinition_shows_the_new_text(notebook):
    notebook.run("def helper(x):\n    return np.sin(x)\n")
    f = notebook.run("def f(x):\n    return helper(x) * x\n").f
    assert "np.cos" in grad(f).source
    notebook.run("def helper(x):\n    return np.exp(x)\n")
    assert "np.cos" not in grad(f).source
    assert grad(f) is grad(f)


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


def call_first(fs, x):
    return fs[0](x)


def activations(x):
    """Callees of the library, taken from a list."""
    for f in [np.tanh, np.sin]:
        x = f(x)
    return x


SEVERAL = [Powers(4), np.sin]


@pytest.mark.parametrize(("f", "args"), [(call_first, (SEVERAL,)), (activations, ())], ids=["object", "library"])
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


def test_a_derivative_does_not_go_on_with_defaults_of_before():
    def f(x, k=2.0, *, scale=1.0):
        return x * x * k * scale

    forward = jvp(f)
    derivatives = [grad(f), value_and_grad(f), grad(grad(f)), lambda x: forward(x, dx=1.0)]
    for derivative in derivatives:
        for _ in range(3):
            derivative(1.0)
    f.__defaults__ = (5.0,)
    for derivative in derivatives:
        with pytest.raises(SourceError, match="the defaults of 'f' have changed"):
            derivative(1.0)
    assert grad(f)(1.0) == 10.0


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
