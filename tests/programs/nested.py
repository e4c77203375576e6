"""Derivatives inside the differentiated function: of inner functions that capture outer variables."""

import functools

import numpy as np

import tangent
from programs.registry import program
from programs.samples import signed


@program({"x": 0.7, "y": 1.2})
def perturbation_confusion(x, y):
    """d/dx (x * d/dy (x + y)): the inner derivative must not see the outer one."""
    return x * tangent.grad(lambda v: x + v)(y)


@program({"x": 0.7})
def classic_confusion(x):
    return x * tangent.jvp(lambda v: x * v * v)(2.0, 1.0)


@program({"x": 0.7})
def gradient_of_a_closure(x):
    f = lambda v: np.sin(v * x) * v
    return tangent.grad(f)(x * 2.0)


@program({"x": 0.7})
def gradient_of_a_local_function(x):
    def energy(q):
        return x * q**4 + q * q

    force = tangent.grad(energy)
    q = 0.3
    for _ in range(2):
        q = q - 0.1 * force(q)
    return q


@program({"a": 2.3})
def newton_step(a):
    f = lambda v: v * v * v - a
    x = 1.5
    for _ in range(4):
        x = x - f(x) / tangent.grad(f)(x)
    return x


def network(w, x):
    return np.sum(np.tanh(w * x))


@program({"w": signed(3), "x": signed(3, shift=1.0)})
def gradient_penalty(w, x):
    g = tangent.grad(network, wrt="x")(w, x)
    return network(w, x) + np.sum(g * g)


@program({"w": signed(3), "x": signed(3, shift=1.0), "rate": 0.1})
def one_step_of_meta_learning(w, x, rate):
    loss = lambda v: np.sum((np.tanh(v * x) - 0.5) ** 2)
    adapted = w - rate * tangent.grad(loss)(w)
    return loss(adapted)


@program({"lam": 0.4})
def bilevel(lam):
    inner = lambda v: (v - 2.0) ** 2 + lam * v**4
    v = 1.0
    for _ in range(5):
        v = v - 0.05 * tangent.grad(inner)(v)
    return (v - 1.0) ** 2


@program({"x": 0.7})
def value_and_gradient_inside(x):
    value, slope = tangent.value_and_grad(lambda v: v * v * x)(x)
    return value * slope


@program({"x": 0.7})
def second_derivative_inside(x):
    f = lambda v: v**4 * x
    return tangent.grad(tangent.grad(f))(x) + x


@program({"x": 0.7})
def gradient_inside_a_gradient(x):
    def outer(v):
        inner = lambda w: w * w * v * x
        return tangent.grad(inner)(v) * v

    return tangent.grad(outer)(x)


@program({"x": 0.7})
def jvp_of_a_global_function(x):
    return tangent.jvp(cube)(x, x)


def cube(v):
    return v * v * v


@program({"x": 0.7})
def gradient_of_a_global_function(x):
    return tangent.grad(cube)(x) * x


def derivative(f):
    return tangent.grad(f)


@program({"x": 0.7})
def gradient_made_by_a_helper(x):
    return derivative(lambda v: v * v * x)(x)


@program({"x": 0.7, "y": 1.2})
def gradient_by_two_arguments(x, y):
    a, b = tangent.grad(lambda u, v: u * u * v * x, wrt=(0, 1))(x, y)
    return a * b


@program({"x": signed(2)})
def hessian_inside(x):
    h = tangent.hessian(lambda v: np.sum(v * v * v * x))(x)
    return np.sum(h * h)


@program({"x": signed(2)})
def hessian_vector_product_inside(x):
    return np.sum(tangent.hvp(lambda v: np.sum(v * v * v * x))(x, x))


@program({"x": signed(2)})
def jacobian_of_a_jacobian(x):
    def outer(v):
        return np.sin(np.outer(v, v)) + np.cos(np.dot(v, v))

    return np.sum(np.sin(tangent.jacobian(tangent.jacobian(outer))(x)))


@program({"x": signed(2)})
def jacobian_inside(x):
    return np.sum(tangent.jacobian(lambda v: v * v * x)(x) ** 2)


@program({"x": 0.7})
def vjp_inside(x):
    return tangent.vjp(lambda v: v * v * x)(x, x)


def mixed_powers(v, k=2.0):
    return v[0] ** 3 * v[1] ** 2 * k


def scaled_by_first(v, k=2.0):
    return v * v[0] * k


WEIGHTS = np.array([[1.0, 2.0], [3.0, 4.0]])


@program({"x": np.array([1.2, 0.7])})
def hessian_that_is_not_diagonal(x):
    return np.sum(tangent.hessian(mixed_powers)(x) * WEIGHTS)


@program({"x": np.array([1.2, 0.7]), "y": np.array([0.4, 1.5])}, orders=1)
def matrices_by_several_arguments(x, y):
    f = lambda u, v: np.sum(u * v**2) * u[0] + v[1]
    rate, other = tangent.jacfwd(lambda u, v: np.outer(u, v) * u[0], (0, 1))(x, y)
    (_, mixed), (turned, _) = tangent.hessian(f, ("u", "v"))(x, y)
    first, second = tangent.hvp(f, (0, 1))(x, y, y, x)
    return np.sum(rate * other) + np.sum(mixed * turned) + first @ second


@program({"x": np.array([1.2, 0.7], np.float32)}, orders=1)
def jacobian_in_single_precision(x):
    return np.sum(tangent.jacobian(lambda v: np.sin(v) * x)(x * 2.0)) + np.linalg.det(tangent.hessian(mixed_powers)(x))


@program({"x": np.array([1.2, 0.7])})
def jacobian_of_a_function_with_defaults(x):
    first, second = tangent.jacobian(scaled_by_first)(x), tangent.jacfwd(scaled_by_first)(x, 3.0)
    return np.sum(first * WEIGHTS) + np.sum(second * second)


@program({"x": np.array([1.2, 0.7])})
def hessian_vector_product_of_a_function_with_defaults(x):
    return np.sum(tangent.hvp(mixed_powers)(x, np.array([1.0, 2.0])) * x)


class Spring:
    def __init__(self, w):
        self.w = w

    def energy(self, r):
        return self.w * r**3

    def __call__(self, r):
        return self.w * r * r

    def force(self, r):
        return -tangent.grad(self.energy)(r)


@program({"x": 1.3})
def gradient_of_a_method_in_a_method(x):
    spring, r, v = Spring(x), 1.0, 0.0
    for _ in range(3):
        v = v + 0.1 * spring.force(r)
        r = r + 0.1 * v
    return r


def slope(f, v):
    return tangent.grad(f)(v)


@program({"x": 1.3})
def gradient_of_a_method_passed_on(x):
    spring = Spring(x)
    return slope(spring.energy, x) * slope(spring, x)


@program({"x": 1.3})
def gradients_of_functions_with_defaults(x):
    rows = [tangent.grad(lambda u, k=k: u[k] ** 2 * x)(np.array([x, 2.0])) for k in range(2)]
    s = np.sum(np.stack(rows) ** 2)
    for i in range(3):
        f = lambda u, i=i: u**i * x
        s = s + tangent.grad(f)(x) * i
    return s


@program({"x": 0.7})
def gradients_with_defaults_that_a_call_gives(x):
    f = lambda v, k=x: v * v * k
    g = tangent.grad(f)
    return g(x) + g(x, 3.0) + g(x, k=x * 2.0) + tangent.vjp(f)(x, x, 2.0)


@program({"x": 0.7})
def gradients_of_functions_with_defaults_in_a_list(x):
    s = 0.0
    for f in [lambda v, k=k, a=x * k: v**3 * k * a for k in range(2)]:
        s += tangent.grad(f)(x)
    return s


def scaled_cube(a, y, c=2.0):
    return a * a * y**3 * c


@program({"x": 0.7})
def gradients_of_partials(x):
    p = functools.partial(functools.partial(scaled_cube, x), c=x * 3.0)
    d = tangent.grad(p)
    by_name = tangent.grad(functools.partial(scaled_cube, y=x), wrt="a")
    return d(x) * d(2.0) + by_name(x) * tangent.grad(functools.partial(scaled_cube, x))(x)


@program({"x": 0.7})
def steps_down_a_partial(x):
    w = 1.0
    for k in range(3):
        w = w - 0.1 * tangent.grad(functools.partial(scaled_cube, x + k))(w)
    return w


@program({"x": 0.7}, orders=1)
def matrices_of_functions_with_defaults(x):
    f = lambda v, k=x: v**3 * k
    return tangent.hessian(f)(x) + tangent.hvp(functools.partial(scaled_cube, x))(x, 2.0) * tangent.jacobian(f)(x)


@program({"x": 0.7})
def gradient_of_what_calls_a_captured_function(x):
    """The gradient calls the two passes of g: it depends on x, though it names neither."""

    def g(y):
        return np.sin(y * x)

    return tangent.grad(lambda y: g(y) * y)(1.3)


@program({"x": 0.7})
def gradient_through_two_captured_functions(x):
    def g(y):
        return np.sin(y * x)

    def h(y):
        return g(y) * x + y

    value, slope = tangent.value_and_grad(lambda y: h(y) * g(y))(1.3 * x)
    return value * slope


@program({"x": 0.7})
def tangent_of_what_calls_a_captured_derivative(x):
    g = lambda y: np.sin(y * x)
    dg = tangent.grad(g)
    return tangent.jvp(lambda y: dg(y) * y)(1.3, 1.0)


@program({"w": signed(3), "x": signed(3, shift=1.0)})
def penalty_on_the_gradient_of_layers(w, x):
    def layer(v):
        return np.tanh(w * v)

    def loss(v):
        return np.sum(layer(layer(v)) ** 2)

    g = tangent.grad(loss)(x)
    return loss(x) + np.sum(g * g)


@program({"w": signed(2)})
def meta_learning_with_losses_defined_in_a_loop(w):
    total = 0.0
    for x in (1.0, 2.0):

        def loss(p):
            return np.sum((np.tanh(p * x) - 0.5) ** 2)

        slope = tangent.grad(loss)
        p = w - 0.1 * slope(w)
        total = total + loss(p)
    return total


@program({"x": 0.7})
def gradients_of_functions_over_a_loop_variable(x):
    s = 0.0
    for i in range(3):

        def g(y):
            return np.sin(y * x * i)

        s = s + tangent.grad(lambda y: tangent.grad(g)(y) * g(y) * y)(1.3)
    return s


@program({"x": 0.7})
def gradient_of_what_calls_a_partial(x):
    def g(k, y):
        return np.sin(y * x * k)

    p = functools.partial(g, x)
    return tangent.grad(lambda y: p(y) * y)(1.3)


def shifted_by(u):
    return lambda f: lambda z: f(z + u)


def slope_of(f):
    return lambda z: tangent.jvp(f)(z, 1.0)


@program({"u": 0.7})
def slopes_of_shifted_slopes(u):
    """Manzyuk's program: functions that give functions are differentiated inside each other."""
    return slope_of(shifted_by(u)(slope_of(lambda v: v**4 * u)))(0.5)


@program({"x": 0.7})
def gradient_of_what_calls_a_function_defined_later(x):
    def energy(q):
        return x * q**4 + field(q)

    def field(q):
        return q * q * x

    q = 0.3
    for _ in range(2):
        q = q - 0.1 * tangent.grad(energy)(q)
    return q


@program({"x": 0.7})
def gradient_of_a_reduction(x):
    """The derivative inside keeps lists, which its own backward pass empties."""

    def g(a, b):
        return np.sin(a * x) * b

    return tangent.grad(lambda y: functools.reduce(g, [y, y, 2.0]))(1.3)


@program({"x": 0.7})
def gradient_inside_that_computes_again(x):
    def e(y):
        for _ in range(5):
            y = np.sin(y * x)
        return y

    return tangent.grad(e, checkpoint=2)(1.3)


@program({"x": 0.7})
def gradient_over_a_variable_that_changes(x):
    s = 1.0

    def g(y):
        return np.sin(y * s) * x

    for _ in range(3):
        value, slope = tangent.value_and_grad(g)(s)
        s = s * x + slope + 0.1 * value
    return s


@program({"x": 0.7})
def second_derivative_over_a_variable_that_changes(x):
    s = x

    def g(y):
        return np.sin(y * s) * x

    for _ in range(2):
        s = s + 0.3 * tangent.grad(tangent.grad(g))(s) + 0.1 * tangent.jvp(g)(s, 2.0)
    return s


@program({"w": signed(2)})
def gradient_over_a_dict_that_changes(w):
    params = {"a": w[0], "b": [w[1]]}

    def loss(v):
        return (params["a"] * v + params["b"][0]) ** 2 * v

    s = 0.0
    for _ in range(2):
        s = s + tangent.grad(loss)(1.3)
        params["a"] = params["a"] * 1.1 + s * 0.1
        params["b"].append(params["b"].pop() * s)
    return s


class Model:
    def __init__(self, w):
        self.w = w

    def loss(self, v):
        return np.sum((self.w * v - 1.0) ** 2)


@program({"x": signed(2)})
def gradient_of_a_method_of_an_object_that_changes(x):
    model = Model(x)
    for _ in range(2):
        slope = tangent.grad(model.loss)(x)
        model.w = model.w - 0.1 * slope
    return model.loss(x)


@program({"x": 0.7})
def gradient_of_a_function_that_adds_to_a_list(x):
    seen = []

    def g(y):
        seen.append(y * x)
        return y * y * x

    slope = tangent.grad(g)
    return slope(x) + seen[0] * slope(1.2) * len(seen)


def composed(*functions):
    return lambda v: functools.reduce(lambda a, f: f(a), functions, v)


@program({"x": 0.7})
def gradient_of_a_composition_of_compositions(x):
    inner = composed(np.sin, lambda v: v * x, np.tanh)
    return tangent.grad(inner)(x) + tangent.grad(composed(inner, inner))(0.4)


@program({"x": 0.7})
def gradient_of_a_function_that_rebinds_a_variable(x):
    n = x

    def g(y):
        nonlocal n
        n = n * y
        return y * y * x

    slope = tangent.grad(g)
    return slope(x) * n + slope(1.2) * n


class Tally:
    def __init__(self, x):
        self.x, self.seen = x, []


@program({"x": 0.7}, orders=1)
def gradient_of_what_changes_an_object_and_a_list(x):
    tally, seen = Tally(x), []

    def g(y):
        tally.x = tally.x + y
        tally.seen.append(y)
        seen.append(y * x)
        return y * y * tally.x

    return tangent.grad(g)(x) * (seen[0] + tally.x + len(tally.seen))


@program({"x": np.array([1.0, 0.3])})
def step_of_newton_over_a_cost_that_sums(x):
    u = np.zeros(2)

    def cost(u):
        state, total = x, 0.0
        for a in u:
            state = np.array([state[0] + 0.1 * state[1], state[1] + a])
            total += state @ state + 0.1 * a * a
        return total

    u = u - np.linalg.solve(tangent.hessian(cost)(u), tangent.grad(cost)(u))
    return cost(u)


@program({"x": np.array([0.4, 1.3])})
def functions_inside_of_which_the_arguments_are_kept(x):
    f = tangent.checkpoint(lambda v: np.tanh(v) * v)
    return f(f(x))
