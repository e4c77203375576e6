"""Derivatives go to other processes: by name, as functions do, and by value, with tools that do so."""

import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

import tangent
from programs import calls


def helper(x):
    return np.sin(x) * 2.0


def loss(x, w=2.0):
    return helper(x) * x * w


def straight(y, x):
    d[x] = d[y]  # noqa: F821


class Model:
    @staticmethod
    def energy(x):
        return x * x

    def scaled(self, x):
        return x * x


MADE = {
    "grad": lambda: tangent.grad(loss),
    "raw": lambda: tangent.grad(loss, "w", optimized=False),
    "value_and_grad": lambda: tangent.value_and_grad(loss, ("x", "w")),
    "forward": lambda: tangent.jvp(loss),
    "second_order": lambda: tangent.grad(tangent.grad(loss)),
    "hessian": lambda: tangent.hessian(loss),
    "jacobian": lambda: tangent.jacobian(loss, mode="forward"),
    "product": lambda: tangent.hvp(loss),
    "static": lambda: tangent.grad(Model.energy),
    "library": lambda: tangent.grad(np.sin),
    "path": lambda: tangent.grad(loss, "x.real"),
}


@pytest.mark.parametrize("made", MADE.values(), ids=MADE)
@pytest.mark.parametrize("protocol", [0, pickle.HIGHEST_PROTOCOL])
def test_what_comes_back_is_the_derivative(made, protocol):
    derivative = made()
    assert pickle.loads(pickle.dumps(derivative, protocol)) is derivative
    assert not [m for m in sys.modules if m.startswith("tangent.pickled.")]


def test_names_stay_those_of_people():
    derivative = tangent.grad(loss)
    assert derivative.__qualname__ == "dlossdx"
    with pytest.raises(TypeError, match=r"^dlossdx\(\) missing 1 required positional argument: 'x'"):
        derivative()


def test_what_has_no_name_is_refused():
    with tangent.rules({np.sin: straight}):
        scoped = tangent.grad(loss)
    for nameless in (tangent.grad(lambda x: x * x), tangent.grad(Model().scaled), scoped):
        with pytest.raises(pickle.PicklingError):
            pickle.dumps(nameless)


def test_a_function_that_is_another_now(monkeypatch):
    old = tangent.grad(loss)
    text = pickle.dumps(old)
    monkeypatch.setitem(globals(), "loss", Model.energy)
    with pytest.raises(pickle.PicklingError):
        pickle.dumps(old)
    monkeypatch.undo()
    assert pickle.loads(text) is old


def test_another_process():
    first, second = tangent.grad(calls.nested_helpers), tangent.hessian(calls.nested_helpers)
    program = (
        "import pickle, sys\n"
        "first, second = pickle.loads(sys.stdin.buffer.read())\n"
        "print(float(first(0.7)), float(second(0.7)))\n"
    )
    found = subprocess.run(
        [sys.executable, "-c", program], input=pickle.dumps((first, second)), capture_output=True, check=True,
        env={"PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    assert [float(v) for v in found.stdout.split()] == pytest.approx([float(first(0.7)), float(second(0.7))])


def test_by_value():
    cloudpickle = pytest.importorskip("numba.cloudpickle")
    nameless = (lambda k: tangent.grad(lambda x: k * helper(x)))(3.0)
    copied = pickle.loads(cloudpickle.dumps(nameless))
    assert copied is not nameless and copied.source == nameless.source
    for x in (0.3, np.float64(0.4), np.array(0.5), 0.3, 0.3):
        assert copied(x) == nameless(x)
    assert tangent.grad(copied)(0.3) == tangent.grad(nameless)(0.3)
    compiled = pickle.loads(cloudpickle.dumps(tangent.grad(lambda x: x * x, compile="numba")))
    assert compiled.versions is not None
