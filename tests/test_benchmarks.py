"""The benchmarks measure what they say: their functions are differentiated right, and their fit is a fit."""

import numpy as np
import pytest
from benchmarks import geometry, inplace, language, memory, mixture, persistent, plot, recurrent, scalars
from benchmarks import mlp as network
from benchmarks.measure import Case, flat, measured
from benchmarks.transform import exponent, mlp, straight_line

from tangent import check_grads, grad


@pytest.mark.parametrize("lines", [1, 30])
def test_straight_line_functions_have_so_many_lines_and_a_right_derivative(lines):
    f = straight_line(lines)
    assert f.__code__.co_nlocals == lines + 2
    check_grads(f, (0.5, 0.7))


def test_the_function_is_new_each_time():
    assert mlp() is not mlp()


def test_exponent():
    assert exponent({n: 3.0 * n**1.5 for n in (100, 200, 1000)}) == pytest.approx(1.5)


@pytest.fixture
def alone(monkeypatch):
    """Without the peers, which take their time to be imported."""
    monkeypatch.setattr("benchmarks.peers.by", lambda *args, **options: {})


@pytest.mark.parametrize(
    "cases",
    [scalars.cases, recurrent.cases, mixture.cases, geometry.cases, lambda: network.cases((64,)),
     lambda: network.second_order_cases((32,))],
)  # fmt: skip
def test_derivatives_by_hand_are_right(cases, alone):
    for case in cases():
        case.check()


@pytest.mark.parametrize("kernel", [k for k in inplace.kernels() if k.hand], ids=lambda k: k.name)
def test_kernels_by_hand_are_right(kernel):
    found = grad(kernel.loss, wrt=kernel.wrt)(*kernel.args)
    for a, b in zip(flat(found), flat(kernel.hand(*kernel.args))):
        np.testing.assert_allclose(a, b, rtol=1e-7, atol=1e-9)


def test_the_lattice_is_the_same_for_all():
    x = persistent.start(4)
    n, m = 3, persistent.INNER
    expected = persistent.products_by_hand(x, n, m)
    ours = grad(persistent.products)(persistent.PersistentArray(x), n, m)
    for found in (ours, persistent.immutable(x, n, m), persistent.subarrays(x, n, m)):
        np.testing.assert_allclose(found, expected)
    listing = grad(persistent.lattice)(persistent.PersistentArray(x), n, m)
    np.testing.assert_allclose(listing, persistent.lattice_by_hand(x, n, m))


def test_memory_of_a_loop_is_that_of_its_states():
    found = memory.ratios(300)
    assert found["ours"] < 1.3 and found["in place"] < 1.3


def test_turns_are_measured_and_wrong_results_noticed():
    case = Case("x", lambda: 1.0, lambda: np.ones(2), lambda: np.ones(2), rounds=4)
    assert measured(case, 1e-5).ratio("ours", "hand-written")[0] > 0
    with pytest.raises(AssertionError, match="ours is off"):
        Case("x", lambda: 1.0, lambda: 2 * np.ones(2), lambda: np.ones(2)).check()


def test_plots(tmp_path):
    plot.line_plot(tmp_path / "p.svg", {"a": {10: 1.0, 100: 10.0}}, "n", "s")
    assert "polyline" in (tmp_path / "p.svg").read_text()


@pytest.mark.parametrize("function", language.PLAIN, ids=lambda f: f.__name__)
def test_code_without_state_has_none_in_its_derivative(function):
    assert not language.has_state_in_it(function)
