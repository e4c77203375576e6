"""Rules that users write: the template notation, both modes, replacement, and what is refused."""

from __future__ import annotations

import ctypes
import ctypes.util
import functools
import math
import threading

import numpy as np
import pytest

import tangent
import tangent.errors
from tangent.errors import RuleError, UnsupportedError

d: dict = {}  # the notation's d; templates are read, never called


@pytest.fixture
def own_table():
    """The table as it was before the test."""
    with tangent.rules():
        yield


def test_the_listing(own_table) -> None:
    @tangent.adjoint(np.multiply)
    def adjoint_multiply(z, x, y):
        d[x] = y * d[z]
        d[y] = x * d[z]

    text = tangent.template.replace(adjoint_multiply, z="c", x="a", y="b")
    assert text == "ba = b * bc\nbb = a * bc"

    def f(a, b):
        return np.sum(np.multiply(a, b))

    ga, gb = tangent.grad(f, (0, 1))(np.arange(3.0), 2.0)
    np.testing.assert_array_equal(ga, [2.0, 2.0, 2.0])
    assert gb == 3.0


def test_a_black_box_gets_a_rule_in_both_modes(own_table) -> None:
    cosh = ctypes.CDLL(ctypes.util.find_library("m")).cosh
    cosh.restype, cosh.argtypes = ctypes.c_double, [ctypes.c_double]

    @tangent.adjoint(cosh)
    def adjoint_cosh(y, x):
        s = np.sinh(x)
        d[x] = d[y] * s

    @tangent.tangent_(cosh)
    def tangent_cosh(y, x):
        d[y] = d[x] * np.sinh(x)

    def f(x):
        return cosh(x) * x

    expected = np.sinh(0.7) * 0.7 + np.cosh(0.7)
    assert np.isclose(tangent.grad(f)(0.7), expected)
    assert np.isclose(tangent.jvp(f)(0.7, 1.0), expected)
    assert np.isclose(tangent.grad(tangent.grad(f))(0.7), 2 * np.sinh(0.7) + np.cosh(0.7) * 0.7)


def test_a_new_rule_is_seen_by_functions_that_were_differentiated_before(own_table) -> None:
    def f(x):
        return np.floor(x) * 1.0

    assert tangent.grad(f)(1.5) == 0.0

    @tangent.adjoint(np.floor)
    def straight_through(y, x):
        d[x] = d[y]

    assert tangent.grad(f)(1.5) == 1.0


def scaled_cube(x, k=1.0):
    return np.asarray(x) ** 3 * k


def test_adjoints_alone_are_turned_around_in_forward_mode(own_table) -> None:
    @tangent.adjoint(scaled_cube)
    def of_cube(y, x, k=1.0):
        slope = 3.0 * k * x * x
        d[x] = d[y] * slope

    def f(x):
        for _ in range(2):
            x = scaled_cube(x, k=0.5) + x
        return np.sum(x)

    def plain(x):
        for _ in range(2):
            x = 0.5 * x**3 + x
        return np.sum(x)

    x, v = np.array([0.5, 1.2]), np.array([1.0, -0.5])
    assert np.isclose(tangent.jvp(f)(x, v), tangent.jvp(plain)(x, v), rtol=1e-12)
    np.testing.assert_allclose(tangent.hvp(f)(x, v), tangent.hvp(plain)(x, v), rtol=1e-12)
    assert np.isclose(tangent.jvp(tangent.jvp(f))(x, v, v), v @ tangent.hvp(plain)(x, v), rtol=1e-12)


def test_adjoints_that_are_not_linear_are_not_turned_around(own_table) -> None:
    @tangent.adjoint(np.rint)
    def clipped(y, x):
        d[x] = np.clip(d[y], -1.0, 1.0)

    with pytest.raises(UnsupportedError, match=r"test_template.py:\d+: cannot differentiate 'rint' in the mode"):
        tangent.jvp(lambda x: np.rint(x) * 5.0)(1.2, 3.0)


def refused(function, template, text):
    with pytest.raises(RuleError, match=rf"test_template.py:\d+: malformed rule '\w+': .*{text}"):
        tangent.adjoint(function)(template)


def test_malformed_templates_are_refused_with_their_line(own_table) -> None:
    def wrong_name(y, x):
        d[w] = d[y]  # noqa: F821

    def unknown_name(y, x):
        d[x] = d[y] * slope  # noqa: F821

    def twice(y, x):
        d[x] = d[y]
        d[x] = 2.0 * d[y]

    def returns(y, x):
        return d[y]

    def rebinds(y, x):
        x = x + 1.0
        d[x] = d[y]

    def collects(y, x, **options):
        d[x] = d[y]

    def computed_default(y, x, n=len("ab")):  # noqa: B008
        d[x] = d[y]

    def not_a_name(y, x):
        d["x"] = d[y]

    def says_nothing(y, x):
        z = 2.0 * d[y]  # noqa: F841

    def reads_another(y, x):
        g = d[x]
        d[x] = g * 2.0

    def two_arguments(y, x, z):
        d[x] = d[y]

    def deleted(y, x):
        d[x] = d[y]
        del d[x]

    def bound(y, x):
        d = {}
        d[x] = d[y]

    def alone(y, x):
        d[x] = len(d) * d[y]

    def early(y, x):
        d[x] = d[y] * slope  # noqa: F821
        slope = 2.0  # noqa: F841

    def no_such_function(y, x):
        d[x] = d[y] * np.no_such_function(x)

    def parts(y, x):
        d[x], _other = d[y], 3.0

    def stepped(y, x, step=2.0):
        d[x] = d[y]

    def without_default(y, x, step):
        d[x] = d[y]

    def by_keyword(y, x, *, step=1.0):
        d[x] = d[y]

    def several(y, *x):
        d[x] = [d[y]]

    def mixed_modes(y, x):
        for _ in range(2):
            d[x] = d[y]
            d[y] = d[x]

    refused(np.sin, wrong_name, "'w' is neither")
    refused(np.sin, unknown_name, "'slope' is not defined")
    refused(np.sin, twice, "said twice")
    refused(np.sin, returns, "made of assignments")
    refused(np.sin, rebinds, "'x' is a parameter")
    refused(np.sin, collects, "lists the keywords")
    refused(np.sin, computed_default, "literals")
    refused(np.sin, not_a_name, "takes the result or a parameter")
    refused(np.sin, says_nothing, "no line")
    refused(np.sin, reads_another, "reads d.result. only")
    refused(np.sin, two_arguments, "those of 'sin': x1")
    refused(lambda a, b: a, two_arguments, "those of '<lambda>': a, b")
    refused(np.sin, mixed_modes, "a template of its own")
    refused(np.sin, deleted, "said, never deleted")
    refused(np.sin, bound, "'d' alone")
    refused(np.sin, alone, "'d' alone")
    refused(np.sin, early, "'slope' is read before it is assigned")
    refused(np.sin, no_such_function, "'np.no_such_function' is not defined")
    refused(np.sin, parts, "no line")
    refused(with_step, stepped, r"those of 'with_step': x, step=1\.0")
    refused(with_step, without_default, r"those of 'with_step': x, step=1\.0")
    refused(with_step, by_keyword, r"those of 'with_step': x, step=1\.0")
    refused(cube, several, "those of 'cube': x")
    refused(math.sin, by_keyword, "those of 'sin': x, /")
    refused(math.sin, two_arguments, "those of 'sin': x, /")
    for nothing in (3, None, "np.sin"):
        with pytest.raises(RuleError, match=r"test_template.py:\d+: a rule is for a function"):
            tangent.adjoint(nothing)(twin)
    with pytest.raises(RuleError, match=r"test_template.py:\d+: 'Model.act' is bound to an object"):
        tangent.adjoint(Model(1.0).act)(twin)
    with pytest.raises(RuleError, match=r"(?s)test_template.py:\d+: 'sum' of arrays.*Give the rule to 'np.sum'"):
        tangent.adjoint(np.ndarray.sum)(twin)
    with pytest.raises(RuleError, match="no parameter 'q'"):
        tangent.template.replace(twin, q="a")


def twin(y, x):
    d[x] = d[y]


def with_step(x, step=1.0):
    return np.floor(x / step)


# Several statements, control flow, optional arguments, variable numbers of them


def power_sum(x, *, order=2, scale=1.0):
    return scale * np.sum(x**order)


def adjoint_power_sum(y, x, *, order=2, scale=1.0):
    weight = d[y] * scale
    step = order * weight
    d[x] = step * x ** (order - 1)
    d[scale] = d[y] * np.sum(x**order)


def tangent_power_sum(y, x, *, order=2, scale=1.0):
    d[y] = scale * order * np.sum(d[x] * x ** (order - 1)) + d[scale] * np.sum(x**order)


def test_keywords_defaults_and_local_names(own_table) -> None:
    tangent.adjoint(power_sum)(adjoint_power_sum)
    tangent.tangent_(power_sum)(tangent_power_sum)
    x = np.array([1.0, 2.0])

    def f(x, weight, step):
        return power_sum(x * step, scale=weight, order=3) + power_sum(x) * weight

    tangent.check_grads(f, (x, 1.5, 0.5), order=2)
    tangent.testing.check_rule(power_sum, x, order=3, scale=2.0)
    assert (
        "weight2 = " in tangent.grad(f, optimized=False).source
    )  # the template's local name, out of the way of the argument


def branching(x, limit=1.0):
    return x * x if x < limit else x * limit


def adjoint_branching(y, x, limit=1.0):
    if x < limit:
        d[x] = 2.0 * x * d[y]
    else:
        d[x] = d[y] * limit
        d[limit] = d[y] * x


def tangent_branching(y, x, limit=1.0):
    d[y] = 0.0
    for a, da, slope in ((x, d[x], limit), (limit, d[limit], x)):
        if x >= limit:
            d[y] += da * slope
        elif a is x:
            d[y] += 2.0 * da * x


def test_control_flow(own_table) -> None:
    tangent.adjoint(branching)(adjoint_branching)
    tangent.tangent_(branching)(tangent_branching)

    def f(x, limit):
        return branching(x * 1.0, limit=limit) + branching(x)

    for x in (0.5, 3.0):
        tangent.check_grads(f, (x, 2.0))
    tangent.check_grads(f, (0.5, 2.0), order=2, modes=("reverse",))
    assert "adjoint_branching_lines(" in tangent.grad(f).source


def weighted(*xs):
    total = 0.0
    for i, x in enumerate(xs):
        total = total + (i + 1) * x
    return total


def adjoint_weighted(y, *xs):
    d[xs] = tuple((i + 1) * d[y] for i in range(len(xs)))


def tangent_weighted(y, *xs):
    d[y] = sum((i + 1) * dx for i, dx in enumerate(d[xs]))


def test_variable_numbers_of_arguments(own_table) -> None:
    tangent.adjoint(weighted)(adjoint_weighted)
    tangent.tangent_(weighted)(tangent_weighted)

    def f(x, y):
        return np.sum(weighted(x, y * x, 2.0, y) * x)

    def g(xs):
        return weighted(*xs) * xs[0]

    tangent.check_grads(f, (np.array([1.0, 2.0]), 3.0), order=2)
    tangent.check_grads(g, ([1.0, 2.0, 3.0],), modes=("reverse",))
    assert tangent.grad(weighted, "xs")(1.0, 2.0) == (1.0, 2.0)


SCALE = 4.0


def scaled_here(v):
    return v * SCALE


def adjoint_tenfold(y, x):
    d[x] = scaled_here(d[y]) + 0.0 * SCALE


def test_names_of_a_template_mean_what_they_mean_where_it_stands(own_table) -> None:
    namespace = {"tangent": tangent, "np": np, "SCALE": -1.0, "scaled_here": None}
    tangent.adjoint(np.rint)(adjoint_tenfold)
    text = "def f(x, np=np):\n    y = np.rint(x)\n    return y * y\n"
    from tangent.source.adapt import define

    f = define("f", text, namespace)
    assert tangent.grad(f)(3.2) == 24.0
    assert tangent.grad(tangent.grad(f))(3.2) == 32.0


# Both modes in one line


def test_a_template_reads_an_array_of_its_surroundings(own_table) -> None:
    matrix = np.array([[1.0, 2.0], [3.0, 4.0]])

    def turned(x):
        return matrix @ x

    @tangent.adjoint(turned, forward="linear")
    def adjoint_turned(y, x):
        d[x] = matrix.T @ d[y]

    def powers(x, n):
        for _ in range(n):
            x = turned(x) * x
        return np.sum(x)

    def f(x):
        return powers(x, 1) + powers(x, 2) * powers(turned(x), 1)

    tangent.check_grads(f, (np.array([0.5, 0.2]),))


def test_one_line_says_both_modes(own_table) -> None:
    @tangent.adjoint(cube, forward="elementwise")
    def adjoint_cube(y, x):
        d[x] = 3.0 * d[y] * x * x

    @tangent.adjoint(shifted_sum, forward="linear")
    def adjoint_shifted_sum(y, x):
        d[x] = d[y] * np.ones(x.shape)

    tangent.testing.check_rule(cube, np.array([1.0, 2.0]))
    tangent.testing.check_rule(shifted_sum, np.array([1.0, 2.0]))
    tangent.check_grads(lambda x: cube(x) * x, (np.array([1.0, 2.0]),), order=2)
    with pytest.raises(RuleError, match="forward is 'elementwise' or 'linear'"):
        tangent.adjoint(cube, forward="quadratic")(adjoint_cube)


def cube(x):
    return x * x * x


def shifted_sum(x):
    return np.sum(x)


# Methods, third-party functions, the function itself


class Model:
    def __init__(self, w):
        self.w = w

    def act(self, x):
        return np.floor(x * self.w)


def test_methods_of_classes(own_table) -> None:
    @tangent.adjoint(Model.act, forward="elementwise")
    def adjoint_act(y, self, x):
        d[x] = d[y] * self.w

    def f(x, model):
        return model.act(x) * x

    assert tangent.grad(f)(1.5, Model(3.0)) == 3.0 * 1.5 + 4.0
    assert tangent.jvp(f)(1.5, Model(3.0), 1.0) == 3.0 * 1.5 + 4.0
    assert tangent.grad(Model(3.0).act)(1.5) == 3.0


class Kind:
    def __init__(self, w):
        self.w = w

    @classmethod
    def of_class(cls, x):
        return np.floor(x)

    def __call__(self, x):
        return np.floor(x * self.w)

    @property
    def level(self):
        return np.floor(self.w)


def test_class_methods_properties_and_objects_that_are_called(own_table) -> None:
    tangent.adjoint(Kind.of_class, forward="elementwise")(twin)

    @tangent.adjoint(Kind.__call__)
    def adjoint_call(y, self, x):
        d[x] = d[y] * self.w
        d[self] = Kind(np.sum(d[y] * x))

    @tangent.adjoint(Kind.level.fget)
    def adjoint_level(y, self):
        d[self] = Kind(d[y])

    kind = Kind(3.0)
    assert tangent.grad(lambda x: Kind.of_class(x))(1.5) == 1.0
    assert tangent.grad(lambda x, k: k.of_class(x))(1.5, kind) == 1.0
    bkind, bx = tangent.grad(lambda k, x: k(x) * k.level, (0, 1))(kind, 1.5)
    assert bkind.w == 1.5 * 3.0 + 4.0 and bx == 9.0
    assert tangent.grad(kind)(1.5) == 3.0


@functools.lru_cache
def remembered(x):
    return np.floor(x)


def test_partials_caches_and_objects(own_table) -> None:
    part, kind = functools.partial(with_step, step=2.0), Kind(3.0)
    tangent.adjoint(part, forward="elementwise")(twin)
    tangent.adjoint(kind, forward="elementwise")(twin)
    tangent.adjoint(remembered, forward="elementwise")(twin)
    for f in (part, kind, remembered):
        assert tangent.grad(f)(2.5) == 1.0 and tangent.jvp(f)(2.5, 1.0) == 1.0
        assert tangent.grad(lambda x, f=f: f(x) * 2.0)(2.5) == 2.0
    with tangent.rules({kind: None}):
        assert tangent.grad(kind)(2.5) == 0.0
    assert tangent.grad(kind)(2.5) == 1.0


def lengths(params, xs):
    return np.floor(params["w"] * xs[0] + xs[1])


def halves(x):
    return np.floor(x), np.floor(2.0 * x)


def test_containers_as_arguments_and_results(own_table) -> None:
    @tangent.adjoint(lengths)
    def adjoint_lengths(y, params, xs):
        d[params] = {"w": d[y] * xs[0]}
        d[xs] = [d[y] * params["w"], d[y]]

    @tangent.adjoint(halves)
    def adjoint_halves(y, x):
        a, b = d[y]
        d[x] = a + 2.0 * b

    @tangent.tangent_(halves)
    def tangent_halves(y, x):
        d[y] = (d[x], 2.0 * d[x])

    def f(params, xs):
        return lengths(params, xs) * params["w"]

    def g(x):
        a, b = halves(x)
        return a * b

    assert tangent.grad(f, (0, 1))({"w": 2.0}, [3.0, 4.0]) == ({"w": 16.0}, [4.0, 2.0])
    assert tangent.grad(g)(3.0) == 12.0 == tangent.jvp(g)(3.0, 1.0) and tangent.grad(tangent.grad(g))(3.0) == 4.0


def placed(x, /, by):
    return np.floor(x * by)


def test_positional_arguments_and_functions_inside(own_table) -> None:
    @tangent.adjoint(placed)
    def adjoint_placed(y, x, /, by):
        def times(v):
            return d[y] * v

        d[x] = times(by)
        d[by] = times(x)

    assert tangent.grad(lambda x, y: placed(x, by=y), (0, 1))(2.0, 3.0) == (3.0, 2.0)


def test_functions_and_templates_of_one_name_are_kept_apart(own_table) -> None:
    def template(y, x):
        d[x] = 2.0 * d[y]

    first, second = (lambda x: np.floor(x)), (lambda x: np.ceil(x))
    tangent.adjoint(first)(template)

    def template(y, x):
        d[x] = 3.0 * d[y]

    tangent.adjoint(second)(template)
    assert tangent.grad(lambda x: first(x))(1.5) == 2.0 and tangent.grad(lambda x: second(x))(1.5) == 3.0


def test_a_rule_holds_for_the_function_itself(own_table) -> None:
    @tangent.adjoint(cube)
    def adjoint_cube(y, x):
        d[x] = -d[y]

    assert tangent.grad(cube)(2.0) == -1.0
    assert tangent.grad(lambda f, x: f(x), "x")(cube, 2.0) == -1.0


# Scopes


def test_rules_hold_in_their_scope() -> None:
    def f(x):
        return np.sin(x) * 1.0

    def straight_through(y, x):
        d[x] = d[y]

    before = tangent.grad(f)
    with tangent.rules({np.sin: straight_through}):
        inside = tangent.grad(f)
        with tangent.rules({np.sin: None}), pytest.raises(UnsupportedError, match=r"no rule for 'numpy\.sin'"):
            tangent.grad(f)
        with tangent.rules({np.sin: tangent.non_differentiable}):
            assert tangent.grad(f)(0.5) == 0.0
        assert tangent.grad(f)(0.5) == 1.0
    assert inside(0.5) == 1.0
    assert tangent.grad(f) is before and before(0.5) == np.cos(0.5)
    with tangent.rules({cube: straight_through}):
        assert tangent.grad(cube)(2.0) == 1.0
        with tangent.rules({cube: None}):
            assert tangent.grad(cube)(2.0) == 12.0


def rounded(x, model):
    return model.act(x) * 1.0


def applied(f, x):
    return f(x) * 1.0


def test_what_a_derivative_makes_when_it_runs_goes_by_the_rules_of_its_scope() -> None:
    def listed(xs):
        return np.sum(np.floor(xs) * 1.0)

    with tangent.rules({np.floor: twin}):
        inside = tangent.grad(rounded), tangent.grad(applied, "x"), tangent.grad(listed)
        second = tangent.grad(tangent.grad(lambda f, x: f(x) * x, "x"), "x")
    assert inside[0](1.5, Model(3.0)) == 3.0
    assert inside[1](np.floor, 1.5) == 1.0 and inside[2]([1.5, 2.5]) == [1.0, 1.0]
    assert second(np.floor, 1.5) == 2.0
    assert tangent.grad(rounded)(1.5, Model(3.0)) == 0.0 == tangent.grad(applied, "x")(np.floor, 1.5)
    for _ in range(3):  # the third call gets a version of its own
        np.testing.assert_array_equal(inside[2](np.array([1.5, 2.5])), [1.0, 1.0])
        np.testing.assert_array_equal(tangent.grad(listed)(np.array([1.5, 2.5])), [0.0, 0.0])


def test_scopes_belong_to_their_thread() -> None:
    def f(x):
        return np.floor(x) * 1.0

    inside, left = threading.Event(), threading.Event()
    found = {}

    def first():
        with tangent.rules({np.floor: twin}):
            inside.set()
            left.wait()
            found["first"] = tangent.grad(f)(1.5)

    def second():
        inside.wait()
        with tangent.rules({np.floor: tangent.non_differentiable}):
            found["second"] = tangent.grad(f)(1.5)
        found["between"] = tangent.grad(f)(1.5)
        left.set()

    threads = [threading.Thread(target=t) for t in (first, second)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert found == {"first": 1.0, "second": 0.0, "between": 0.0} and tangent.grad(f)(1.5) == 0.0


def test_scopes_end_when_something_fails() -> None:
    with pytest.raises(KeyError), tangent.rules({np.floor: twin}):
        raise KeyError
    with pytest.raises(RuleError), tangent.rules({np.floor: twin, np.sin: with_step}):
        pass
    assert tangent.grad(lambda x: np.floor(x))(1.5) == 0.0


def test_registrations_inside_a_scope_end_with_it() -> None:
    with tangent.rules():
        tangent.non_differentiable(cube)
        assert tangent.grad(lambda x: x * cube(x))(2.0) == 8.0
        assert tangent.jvp(lambda x: x * cube(x))(2.0, 1.0) == 8.0
    assert tangent.grad(lambda x: x * cube(x))(2.0) == 32.0


@tangent.non_differentiable
def level(x, y=1.0):
    return float(np.sum(x)) * y


def starred_level(x, g):
    xs = [x, 2.0]
    return x * g(*xs)


def named_level(x, g):
    options = {"y": x}
    return x * g(2.0, **options)


def level_of_a_list(xs, g):
    return xs[0] * g(xs)


@pytest.mark.parametrize(
    "f, x, gradient",
    [(starred_level, 3.0, 6.0), (named_level, 3.0, 6.0), (level_of_a_list, [1.0, 2.0], [3.0, 0.0])],
)  # fmt: skip
def test_nothing_flows_through_functions_that_are_given_however_they_are_called(f, x, gradient) -> None:
    assert tangent.grad(f)(x, level) == gradient
    direction = x if isinstance(x, float) else [1.0, 0.0]
    assert tangent.jvp(f)(x, level, direction) == (18.0 if isinstance(x, float) else 3.0)


def test_both_templates_of_a_function_use_the_same_names(own_table) -> None:
    @tangent.adjoint(cube)
    def adjoint_cube(y, x):
        d[x] = 3.0 * d[y] * x * x

    with pytest.raises(RuleError, match="calls its result and arguments y, x"):

        @tangent.tangent_(cube)
        def tangent_cube(z, x):
            d[z] = 3.0 * d[x] * x * x


def test_check_rule_finds_a_wrong_one(own_table) -> None:
    @tangent.adjoint(cube, forward="elementwise")
    def adjoint_cube(y, x):
        d[x] = 2.0 * d[y] * x * x

    with pytest.raises(tangent.errors.GradientError, match="reverse derivative is wrong"):
        tangent.testing.check_rule(cube, 2.0)
    with pytest.raises(RuleError, match="'shifted_sum' has no rule"):
        tangent.testing.check_rule(shifted_sum, np.ones(2))


def right_cube(y, x):
    d[x] = 3.0 * d[y] * x * x


def right_push(y, x):
    d[y] = 3.0 * d[x] * x * x


def first_order_only(y, x):
    d[x] = 3.0 * d[y] * tangent.stop_gradient(x) * x


def first_order_push(y, x):
    d[y] = 3.0 * d[x] * tangent.stop_gradient(x) * x


def wrong_push(y, x):
    d[y] = 2.0 * d[x] * x * x


@pytest.mark.parametrize(
    "reverse, forward, text",
    [(right_cube, wrong_push, "the forward derivative"), (None, wrong_push, "the forward derivative"),
     (first_order_only, right_push, "second-order reverse"), (right_cube, first_order_push, "second-order reverse"),
     (None, first_order_push, "second-order forward")],
)  # fmt: skip
def test_check_rule_finds_what_is_wrong_in_one_mode_or_order(own_table, reverse, forward, text) -> None:
    if reverse is not None:
        tangent.adjoint(cube)(reverse)
    tangent.tangent_(cube)(forward)
    with pytest.raises(tangent.errors.GradientError, match=text):
        tangent.testing.check_rule(cube, np.array([1.0, 2.0]))


def test_stop_gradient() -> None:
    def f(x, params):
        return np.sum(x * tangent.stop_gradient(params)["w"] * tangent.stop_gradient(x))

    x, params = np.array([1.0, 2.0]), {"w": np.array([3.0, 4.0])}
    bx, bparams = tangent.grad(f, (0, 1))(x, params)
    np.testing.assert_array_equal(bx, [3.0, 8.0])
    np.testing.assert_array_equal(bparams["w"], [0.0, 0.0])
    assert tangent.jvp(f)(x, params, np.ones(2)) == 11.0


class Pair:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def norm(self, scale=1.0):
        return scale * np.hypot(self.a, self.b)


def test_methods_of_objects_that_are_made() -> None:
    with tangent.rules():

        @tangent.adjoint(Pair.norm)
        def adjoint_norm(y, self, scale=1.0):
            d[self] = Pair(d[y] * scale**2 * self.a / y, d[y] * scale**2 * self.b / y)
            d[scale] = d[y] * y / scale

        assert tangent.grad(lambda x, s: Pair(x, 4.0).norm(s), (0, 1))(3.0, 2.0) == pytest.approx((1.2, 5.0))


class Tripled:
    def __call__(self, x):
        return self.of(x)

    def of(self, x):
        return np.rint(x) * 3.0


def test_adjoints_alone_of_methods_that_are_known_only_when_they_run(own_table) -> None:
    @tangent.adjoint(Tripled.of)
    def of_method(y, self, x):
        d[x] = 3.0 * d[y]

    def f(x, objects):
        for o in objects:
            x = o.of(x) * x
        return np.sum(x)

    x, v, objects = np.array([0.6, 1.2]), np.array([1.0, -0.5]), [Tripled(), Tripled()]
    assert np.isclose(tangent.jvp(f)(x, objects, v), np.sum(tangent.grad(f)(x, objects) * v), rtol=1e-12)
    np.testing.assert_allclose(tangent.grad(f)(x, objects), tangent.grad(f, optimized=False)(x, objects), rtol=1e-12)


def of_any_keyword(x, *more, scale=2.0, **named):
    return np.rint(scale * x) + sum(more) + named.get("shift", 0.0)


def test_functions_of_any_keyword(own_table) -> None:
    @tangent.adjoint(of_any_keyword)
    def rule(y, x, *more, scale=2.0, shift=0.0):
        d[x] = scale * d[y]
        d[more] = tuple([d[y] for _ in more])
        d[shift] = d[y]

    x = np.array([0.6, 1.2])
    found = tangent.grad(lambda x: np.sum(of_any_keyword(x, x, x, scale=3.0, shift=x)))(x)
    np.testing.assert_allclose(found, [6.0, 6.0])
    assert tangent.grad(lambda x: of_any_keyword(x))(0.6) == 2.0
    with pytest.raises(RuleError, match="with the keyword 'other'"):
        tangent.grad(lambda x: of_any_keyword(x, other=x))(0.6)
