# ruff: noqa  (programs under test are written as users write)
"""Generated code, read by people: each golden file shows a program and, below it, the derivative that is written.

`pytest tests/test_golden.py --update-golden` writes the files anew; read the difference before committing it.
"""

import functools
import inspect
import linecache
import math
import textwrap
from pathlib import Path

import numpy as np
import pytest

from tangent import PersistentArray, append, checkpoint, grad, insert_grad_of, jvp, setitem
from tangent.api import wrt_names
from tangent.testing import add, dot, leaves, random_like
from tangent.testing import scale as scaled

FOLDER = Path(__file__).parent / "golden"
RULE = "-" * 20


# The paper's listings


def f_square(x):
    y = x * x
    return y


def f_assign(x):
    y = x
    return y


def count_up(x):
    while x < 10000:
        x = x + 1
    return x


# fmt: off
def clipped(x):
    with insert_grad_of(x) as dx:
        if dx > 10:
            print('Warning, large gradient', dx)
            dx = 10
    return x * x
# fmt: on


def looked_at(w, x):
    h = x
    for t in range(3):
        h = np.tanh(w * h)
        with insert_grad_of(h) as dh, insert_grad_of(w) as dw:
            # the user's comment
            print(t, dh)
            dw = dw + 0.0
    return np.sum(h)


def cut_short(w, x, n):
    total = x
    for s in range(2):
        h = total * w
        for t in range(n):
            h = np.sin(h * w)
            with insert_grad_of(h) as dh:
                if np.max(np.abs(dh)) > 1e6:
                    break
            h = h * h
        total = total * h
    return np.sum(total)


def logsumexp(x):
    return np.log(np.sum(np.exp(x), axis=-1, keepdims=True))


def logsoftmax(logits):
    return logits - logsumexp(logits)


def softmax_crossentropy(logits, y):
    return -np.sum(logsoftmax(logits) * y, axis=-1)


def lattice(x, row, n, m):
    for i in range(n):
        x = append(x, row)
        for j in range(m):
            x = setitem(x, i, np.add(x[i], x[i + 1]))
    return np.mean(x)


def lattice_of_products(x, n, m):
    for i in range(n):
        x = append(x, x[i])
        for j in range(m):
            x = setitem(x, m + i, np.multiply(x[m + i], x[j]))
    return np.mean(x)


def swept(d, w):
    for i in range(1, len(d)):
        d[i] = (d[i] - w * d[i - 1]) / (4.0 - w)
    for i in range(len(d) - 2, -1, -1):
        d[i] -= w * np.sin(d[i + 1])


def rows_and_columns(x, w):
    u = x.copy()
    for i in range(u.shape[0]):
        swept(u[i], w)
    for j in range(u.shape[1]):
        swept(u[:, j], w)
    return np.sum(u * u)


def shortest(d):
    d = d.copy()
    for k in range(len(d)):
        d[:, :] = np.minimum(d, d[:, k, None] + d[None, k, :])
    return np.sum(d)


def mlp(x, w1, b1, wout, bout, label):
    h1 = np.tanh(np.dot(x, w1) + b1)
    out = np.dot(h1, wout) + bout
    loss = np.mean(softmax_crossentropy(out, label))
    return loss


def rnn(x, w, n):
    h = np.zeros_like(x)
    for t in range(n):
        h = np.tanh(w * h + x)
    return np.sum(h * h)


# Straight-line code


def polynomial(x):
    return 3.0 * x**3 - 2.0 * x**2 + x - 7.0


def quotient(x, y):
    return (x - y) / (x + y)


def powers(x, y):
    return x**y


def reassigned(x):
    y = x * x
    y = y * x
    y = np.sin(y)
    return y


def unused(x, y):
    a = x * y
    b = np.exp(y)
    print(b)
    return a


def commented(x):
    """A docstring."""
    # First the sine,
    # over two lines.
    y = np.sin(x)
    z = y * y  # then its square
    return z + x


def shared(x):
    t = np.exp(x)
    return t / (1.0 + t)


def nested_calls(x):
    return np.sin(np.cos(np.exp(x * 2.0)))


def negations(x):
    return -(-x) - (-x * x)


def constants(x):
    pi = 3.14
    r = x * pi / 2.0
    return r * r * 0.0 + r * 1.0 + 0.0


def annotated(x: float, y: float) -> float:
    return x * y + np.sin(x)


def bump(x, k):
    x += k
    return x


def numbers_kept(x):
    out = [bump(x, 1.0)]
    for _ in range(3):
        x *= 0.5
        out.append(x)
    return sum(out)


def augmented(x):
    y = x * x
    y += np.sin(x)
    y *= 2.0
    return y


# Branches


def branch(x):
    if x > 0:
        y = x * x
    else:
        y = -x
    return y


def one_sided(x):
    y = x
    if x > 1.0:
        y = y * x
    return y


def chain(x):
    if x > 2.0:
        return x * x
    elif x > 1.0:
        return np.sin(x)
    return -x


def conditional(x):
    return x * x if x > 0 else np.exp(x)


def both(x, y):
    if 0 < x < 1 and y > 0 or x > 10:
        return x * y
    return x


# Loops


def power(x, n):
    y = 1.0
    for _ in range(n):
        y = y * x
    return y


def cheapest_path(w, n):
    cost = [[0.0] * (n + 1) for _ in range(n + 1)]
    for i in range(1, n + 1):
        for j in range(1, n + 1):
            cost[i][j] = min(cost[i - 1][j] + w, cost[i][j - 1] * w) + 1.5 * w
    return cost[n][n]


def accumulate(xs):
    total = 0.0
    for x in xs:
        total = total + x * x
    return total


def indexed(x, w):
    s = 0.0
    for i in range(3):
        s = s + x[i] * w[i]
    return s


def enumerated(xs):
    s = 0.0
    for i, x in enumerate(xs):
        s = s + i * np.sin(x)
    return s


def zipped(xs, ys):
    s = 0.0
    for x, y in zip(xs, ys):
        s += x * y
    return s


def nested_loops(x, n, m):
    y = x
    for i in range(n):
        for j in range(m):
            y = np.sin(y) + x * j
    return y


def newton(x):
    y = x
    while abs(y * y - x) > 1e-6:
        y = 0.5 * (y + x / y)
    return y


def breaks(x):
    y = x
    for _ in range(10):
        y = y * x
        if y > 100.0:
            break
    return y


def continues(xs):
    s = 0.0
    for x in xs:
        if x < 0:
            continue
        s = s + x * x
    return s


def loop_branch(xs):
    s = 0.0
    for x in xs:
        if x > 0:
            s = s + x * x
        else:
            s = s - x
    return s


def euler(x, dt, n):
    v = 0.0
    for _ in range(n):
        a = -np.sin(x)
        v = v + a * dt
        x = x + v * dt
    return x


def cut_in_place(x, w, n, k):
    a = np.sin(x)
    start = np.sum(a * a)
    for t in range(n):
        a[1:] = a[:-1] * w[1:]
        with insert_grad_of(w):
            if t < n - k:
                break
    return np.sum(a) * start


def checkpointed(x, w, n):
    # few states are kept
    with checkpoint(10):
        for t in range(n):
            z = w * x
            x = np.sin(z) + t * w
    return np.sum(x * x)


def early_return(x):
    for i in range(5):
        x = x * x
        if x > 10.0:
            return x
    return -x


# Calls


def square(x):
    return x * x


def scale(x, k=2.0):
    return x * k


def call(x):
    return square(x) * x


def call_twice(x, y):
    return scale(square(x), k=y) + scale(y)


def call_in_loop(x, n):
    for _ in range(n):
        x = square(x) * 0.5
    return x


def factorial_like(x, n):
    if n <= 1:
        return x
    return x * factorial_like(x, n - 1)


def two_results(x):
    return x * x, np.sin(x)


def call_pair(x):
    a, b = two_results(x)
    return a * b


def apply(f, x):
    return f(x) * x


# Tuples, lists, dicts


def swap(x, y):
    a, b = x * y, x
    a, b = b, a
    return a * 2.0 + b


def starred(xs):
    first, *rest = xs
    return first * rest[0]


def parameters(p, x):
    return np.sum(p["w"] * x) + p["b"]


def returns_dict(x):
    return {"a": x * x, "b": [x, 1.0]}


def list_built(x):
    ys = [x, x * x, 2.0]
    return ys[0] * ys[1] * ys[2]


# Arrays


def broadcast(x, y):
    return np.sum(x * y + 1.0)


def indexing(x):
    return x[0] * x[-1] + np.sum(x[1:3])


def fancy(x, idx):
    return np.sum(x[idx] ** 2)


def reductions(x):
    m = np.mean(x, axis=0)
    return np.sum((x - m) ** 2) / x.shape[0]


def maximum(x):
    return np.max(x) + np.min(x * x)


def methods(x):
    return (x.reshape(-1).sum() * x.T.mean()) + x.size


def matrix(a, b, c):
    return np.sum((a @ b) * c)


def quadratic(x, a):
    return x @ a @ x


def layers(x, ws):
    for w in ws:
        x = np.maximum(x @ w, 0.0)
    return np.sum(x)


def where(x):
    return np.sum(np.where(x > 0, x * x, -x))


def stacked(x, y):
    return np.sum(np.stack([x, y]) * np.concatenate([x, y]).reshape(2, -1))


def softplus(x):
    return np.sum(np.log1p(np.exp(-np.abs(x))) + np.maximum(x, 0.0))


def linear_regression(w, b, x, y):
    error = np.dot(x, w) + b - y
    return np.mean(error * error)


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def identity(x):
    return x


def constant(x):
    return 3.0


# The rest of the language


def closure(x, k):
    def scale(v):
        return v * k + x

    return scale(scale(x))


def counted_inside(x):
    total, n = 0.0, 0

    def add(v):
        nonlocal total, n
        n += 1
        total = total * 0.5 + v * x
        return total * n

    return add(x) + add(2.0) * total


def filled_inside(x):
    buf = np.zeros(4)
    buf[0] = x[0]

    def step(i):
        buf[i] = np.sin(buf[i - 1]) * x[i]

    for k in range(1, 4):
        step(k)
    return np.sum(buf)


def integrate(f, a, b):
    return (b - a) * (f(a) + 4.0 * f((a + b) / 2.0) + f(b)) / 6.0


def higher_order(k, b):
    return integrate(lambda v: np.sin(k * v), 0.0, b)


def iterated(f, x, n):
    for _ in range(n):
        x = f(x)
    return x


def known_functions(x):
    def cube(v):
        return v * v * v

    return iterated(np.sin, x, 3) + iterated(cube, x, 2)


def reduced(xs):
    return functools.reduce(lambda a, x: a * x + 1.0, xs, 2.0)


class Line:
    def __init__(self, slope, offset):
        self.slope = slope
        self.offset = offset

    def __call__(self, x):
        return self.slope * x + self.offset

    def method(self, x):
        return self(x) ** 2


class Decay:
    def __init__(self, rate):
        self.rate, self.level = rate, 1.0

    def step(self):
        self.level = self.level * self.rate


def object_made(x):
    decay = Decay(x)
    decay.step()
    return decay.level


def method(line, x):
    return line.method(x) * line.slope


def attempt(x):
    try:
        y = math.sqrt(x)
    except ValueError:
        y = -x
    return y * x


def attempt_in_a_loop(xs):
    s = 1.0
    for x in xs:
        try:
            s = s * math.sqrt(x)
        except ValueError:
            s = s + x
    return s


def context(x):
    with np.errstate(divide="ignore"):
        y = 1.0 / x
    return np.sum(y * y)


def comprehension(xs, k):
    ys = [k * x for x in xs if x > 0]
    return sum(ys)


def dict_comprehension(d):
    return {key: v * v for key, v in d.items()}


def matched(shape, x):
    match shape:
        case ("circle", r):
            return x * r * r
        case "square":
            return x * x
        case _:
            return x


def running_powers(x, n):
    v = 1.0
    for _ in range(n):
        v = v * x
        yield v


def generator(x):
    return sum(running_powers(x, 3))


def growing(x):
    while True:
        yield x
        x = x * 1.5


def generator_kept(x):
    steps = growing(x)
    first = next(steps)
    return first * next(steps)


def inner_gradient(x):
    f = lambda v: x * v * v
    return grad(f)(2.0) * x


# Writes in place


def smoothed(a, steps):
    for _ in range(steps):
        a[1:-1] = (a[:-2] + a[2:]) / 2
    return np.sum(a)


def gauss_seidel(a, n):
    for _ in range(n):
        for i in range(1, len(a) - 1):
            a[i] = 0.5 * a[i - 1] * a[i + 1]
    return np.sum(a)


def heated(u0, k, n):
    u = u0.copy()
    for _ in range(n):
        flux = np.zeros_like(u)
        flux[1:-1] = u[2:] + u[:-2] - 2.0 * u[1:-1]
        u += k * flux
    return np.sum(u * u)


def discounted(w, x, n):
    h, states = np.zeros_like(x), []
    for t in range(n):
        h = np.tanh(w * h + x)
        states.append((h, 0.9**t))
    return sum(d * np.sum(y * y) for y, d in states)


def swapped_buffers(x, n):
    a = x.copy()
    b = np.zeros_like(x)
    for _ in range(n):
        b[1:-1] = a[:-2] * a[2:]
        a, b = b, a
    return np.sum(a)


def convolved(image, kernel):
    out = np.zeros((image.shape[0] - kernel.shape[0] + 1, image.shape[1] - kernel.shape[1] + 1))
    for i in range(kernel.shape[0]):
        for j in range(kernel.shape[1]):
            out += kernel[i, j] * image[i:i + out.shape[0], j:j + out.shape[1]]
    return np.sum(out**2)


def relax(u, v, dt):
    u[1:-1] += dt * (v[2:] - v[:-2])


def filled_by_a_helper(u, v, dt):
    w = u.copy()
    for _ in range(3):
        relax(w, v, dt)
    return np.sum(w)


def scaled_row(x):
    a = x * x
    row = a[1]
    row *= x[0]
    return np.sum(a)


def counted(x, i):
    bins = np.zeros(4)
    np.add.at(bins, i, x)
    return np.sum(bins * bins)


def table_of_powers(x, n):
    table = {0: 1.0}
    for k in range(n):
        table[k + 1] = table[k] * x
    return table[n]


def curvature_of_a_spline(y, q):
    n = len(y)
    x = np.arange(n, dtype=float)
    h = np.diff(x)
    d = np.zeros(n)
    d[1:-1] = 6 * ((y[2:] - y[1:-1]) / h[1:] - (y[1:-1] - y[:-2]) / h[:-1])
    i = min(int(q), n - 2)
    t = q - x[i]
    return (d[i] * (h[i] - t) + d[i + 1] * t) / h[i]


V, W = np.array([0.5, 1.5, 2.5]), np.array([1.0, -1.0, 2.0])
A = np.array([[1.0, 2.0, 0.5], [0.5, 1.0, 3.0], [2.0, 1.0, 1.0]])
X = np.array([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]])
DISTANCES = np.array([[0.5, 4.0, 1.0], [2.0, 0.5, 7.0], [9.0, 3.5, 0.25]])
HEIGHTS = np.array([0.5, 1.5, -0.5, 2.0, 1.0])
PAIRS = [(0.1 * DISTANCES, DISTANCES[0]), (0.2 * DISTANCES.T, DISTANCES[1])]
NAMED = {"w1": 0.1 * DISTANCES, "b1": DISTANCES[0], "w2": 0.2 * DISTANCES.T, "b2": DISTANCES[1]}
MLP = (X, A, V, A, W, np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]))


def second(f, **options):
    return grad(grad(f, **options), 0)


def forward_reverse(f, **options):
    return jvp(grad(f, **options))


def reverse_forward(f, **options):
    return grad(jvp(f, **options))


def version(f, **options):
    """What a gradient that is called again with a persistent array runs."""
    return grad(f, **options).version(PersistentArray(X), *([V] if f is lattice else []), 2, 2)


def version_for_arrays(f, **options):
    """What a gradient that is called again with a matrix, and a number where there is one, runs."""
    return grad(f, **options).version(DISTANCES, *[0.5] * (len(inspect.signature(f).parameters) - 1))


class Mass:
    def __init__(self, x):
        self.x, self.v, self.f = x, 0.0, 0.0


class Spring:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def pull(self, k):
        f = k * (self.b.x - self.a.x)
        self.a.f += f
        self.b.f -= f


def chain_of_springs(k, n):
    masses = [Mass(float(i * i)) for i in range(4)]
    springs = [Spring(masses[i], masses[i + 1]) for i in range(3)]
    for _ in range(n):
        for m in masses:
            m.f = 0.0
        for s in springs:
            s.pull(k)
        for m in masses:
            m.v += 0.1 * m.f
            m.x += 0.1 * m.v
    return masses[0].x


def version_for_numbers(f, **options):
    """What is called for a number and a count."""
    return grad(f, **options).version(1.7, 3)


def version_for_an_image(f, **options):
    """What a gradient that is called again with two matrices runs."""
    return grad(f, **options).version(DISTANCES, np.ones((2, 2)))


def version_for_a_spline(f, **options):
    """What a gradient that is called again with some heights and a place runs."""
    return grad(f, **options).version(HEIGHTS, 1.7)


def version_for_a_rod(f, **options):
    """What a gradient that is called again with temperatures, a number and a count runs."""
    return grad(f, **options).version(HEIGHTS, 0.1, 2)


def version_for_vectors(f, **options):
    """What a gradient that is called again with two vectors and a count runs."""
    return grad(f, **options).version(HEIGHTS, HEIGHTS, 2)


def network_of_pairs(params, x):
    for w, b in params:
        x = np.tanh(x @ w + b)
    return np.mean(x * x)


def network_of_a_dict(params, x):
    h = np.tanh(x @ params["w1"] + params["b1"])
    return np.sum((h @ params["w2"] + params["b2"]) ** 2)


def version_for_parameters(f, **options):
    """What a gradient that is called again with parameters in a list or dict, and a matrix, runs."""
    return grad(f, **options).version(PAIRS if f is network_of_pairs else NAMED, DISTANCES)


def forward_version(f, **options):
    return jvp(f, **options).version(PersistentArray(X), V, 2, 2, X, V)


PROGRAMS: dict[str, tuple] = {
    "paper_square": (f_square, grad, {}, (3.0,)),
    "paper_assign_raw": (f_assign, grad, {"optimized": False}, (3.0,)),
    "paper_assign": (f_assign, grad, {}, (3.0,)),
    "paper_while": (count_up, grad, {}, (9990.5,)),
    "paper_clip": (clipped, grad, {}, (3.0,)),
    "inserted": (looked_at, grad, {"wrt": (0, 1)}, (0.5, V)),
    "inserted_jump": (cut_short, grad, {}, (0.5, V, 3)),
    "inserted_second": (clipped, second, {}, (3.0,)),
    "paper_mlp": (mlp, grad, {"wrt": (1, 2, 3, 4)}, MLP),
    "design_rnn": (rnn, grad, {"wrt": "w"}, (V, 0.5, 3)),
    "design_rnn_array_weights": (rnn, grad, {"wrt": ("x", "w")}, (V, W, 3)),
    "smoothed": (smoothed, grad, {}, (np.arange(5.0), 2)),
    "smoothed_forward": (smoothed, jvp, {}, (np.arange(5.0), 2, np.ones(5))),
    "gauss_seidel": (gauss_seidel, grad, {}, (np.arange(5.0), 2)),
    "heated_version": (heated, version_for_a_rod, {"wrt": (0, 1)}, (HEIGHTS, 0.1, 2)),
    "discounted_version": (discounted, version_for_vectors, {"wrt": (0, 1)}, (HEIGHTS, HEIGHTS, 3)),
    "swapped_buffers": (swapped_buffers, grad, {}, (np.arange(5.0), 2)),
    "convolved": (convolved, grad, {"wrt": (0, 1)}, (np.arange(12.0).reshape(3, 4), np.arange(4.0).reshape(2, 2))),
    "convolved_forward": (
        convolved, jvp, {"wrt": 1},
        (np.arange(12.0).reshape(3, 4), np.arange(4.0).reshape(2, 2), np.ones((2, 2))),
    ),
    "filled_by_a_helper": (filled_by_a_helper, grad, {"wrt": (0, 1)}, (np.arange(5.0), np.ones(5), 0.1)),
    "scaled_row": (scaled_row, grad, {}, (X,)),
    "counted": (counted, grad, {}, (V, np.array([1, 1, 3]))),
    "table_of_powers": (table_of_powers, grad, {}, (0.5, 3)),
    "polynomial": (polynomial, grad, {}, (2.0,)),
    "polynomial_forward": (polynomial, jvp, {}, (2.0, 1.0)),
    "polynomial_second": (polynomial, second, {}, (2.0,)),
    "quotient": (quotient, grad, {"wrt": (0, 1)}, (2.0, 3.0)),
    "quotient_forward": (quotient, jvp, {"wrt": (0, 1)}, (2.0, 3.0, 1.0, 0.5)),
    "powers": (powers, grad, {"wrt": (0, 1)}, (2.0, 3.0)),
    "powers_forward": (powers, jvp, {"wrt": (0, 1)}, (2.0, 3.0, 1.0, 0.5)),
    "reassigned": (reassigned, grad, {}, (0.5,)),
    "reassigned_raw": (reassigned, grad, {"optimized": False}, (0.5,)),
    "unused": (unused, grad, {}, (2.0, 3.0)),
    "commented": (commented, grad, {}, (0.5,)),
    "commented_forward": (commented, jvp, {}, (0.5, 1.0)),
    "shared": (shared, grad, {}, (0.5,)),
    "shared_second": (shared, second, {}, (0.5,)),
    "nested_calls": (nested_calls, grad, {}, (0.5,)),
    "negations": (negations, grad, {}, (0.5,)),
    "constants": (constants, grad, {}, (0.5,)),
    "annotated": (annotated, grad, {"wrt": (0, 1)}, (0.5, 2.0)),
    "augmented": (augmented, grad, {}, (0.5,)),
    "preserved": (f_square, grad, {"preserve_result": True}, (3.0,)),
    "square_second": (f_square, second, {}, (3.0,)),
    "square_forward_reverse": (f_square, forward_reverse, {}, (3.0, 1.0, 1.0)),
    "square_reverse_forward": (f_square, reverse_forward, {}, (3.0, 1.0)),
    "branch": (branch, grad, {}, (2.0,)),
    "branch_forward": (branch, jvp, {}, (2.0, 1.0)),
    "branch_second": (branch, second, {}, (2.0,)),
    "one_sided": (one_sided, grad, {}, (2.0,)),
    "chain": (chain, grad, {}, (1.5,)),
    "conditional": (conditional, grad, {}, (1.5,)),
    "both": (both, grad, {}, (0.5, 2.0)),
    "power": (power, grad, {}, (2.0, 3)),
    "power_forward": (power, jvp, {}, (2.0, 3, 1.0)),
    "power_second": (power, second, {}, (2.0, 3)),
    "accumulate": (accumulate, grad, {}, (V,)),
    "table": (cheapest_path, grad, {"wrt": "w"}, (0.7, 2)),
    "table_forward": (cheapest_path, jvp, {"wrt": "w"}, (0.7, 2, 1.0)),
    "indexed": (indexed, grad, {"wrt": (0, 1)}, (V, W)),
    "enumerated": (enumerated, grad, {}, (V,)),
    "zipped": (zipped, grad, {"wrt": (0, 1)}, (V, W)),
    "nested_loops": (nested_loops, grad, {}, (0.5, 2, 3)),
    "newton": (newton, grad, {}, (2.0,)),
    "breaks": (breaks, grad, {}, (2.0,)),
    "continues": (continues, grad, {}, (W,)),
    "loop_branch": (loop_branch, grad, {}, (W,)),
    "inserted_jump_in_place": (cut_in_place, grad, {"wrt": "w"}, (V, W, 3, 3)),
    "checkpointed": (checkpointed, grad, {"wrt": (0, 1)}, (V, W, 5)),
    "checkpointed_while": (newton, grad, {"checkpoint": 4}, (2.0,)),
    "checkpointed_in_place": (gauss_seidel, grad, {"checkpoint": 3}, (V, 2)),
    "euler": (euler, grad, {"wrt": (0, 1)}, (0.5, 0.1, 3)),
    "euler_forward": (euler, jvp, {"wrt": (0, 1)}, (0.5, 0.1, 3, 1.0, 0.5)),
    "early_return": (early_return, grad, {}, (1.5,)),
    "call": (call, grad, {}, (3.0,)),
    "call_forward": (call, jvp, {}, (3.0, 1.0)),
    "call_second": (call, second, {}, (3.0,)),
    "call_twice": (call_twice, grad, {"wrt": (0, 1)}, (3.0, 2.0)),
    "call_in_loop": (call_in_loop, grad, {}, (1.5, 3)),
    "recursion": (factorial_like, grad, {}, (1.5, 3)),
    "call_pair": (call_pair, grad, {}, (0.5,)),
    "apply": (apply, grad, {"wrt": "x"}, (square, 3.0)),
    "swap": (swap, grad, {"wrt": (0, 1)}, (2.0, 3.0)),
    "starred": (starred, grad, {}, ([2.0, 3.0, 4.0],)),
    "parameters": (parameters, grad, {"wrt": (0, 1)}, ({"w": V, "b": 1.0}, W)),
    "returns_dict": (returns_dict, grad, {}, (2.0, {"a": 1.0, "b": [1.0, 0.0]})),
    "list_built": (list_built, grad, {}, (2.0,)),
    "broadcast": (broadcast, grad, {"wrt": (0, 1)}, (X, V)),
    "broadcast_forward": (broadcast, jvp, {"wrt": (0, 1)}, (X, V, X, V)),
    "indexing": (indexing, grad, {}, (V,)),
    "fancy": (fancy, grad, {}, (V, np.array([0, 0, 2]))),
    "reductions": (reductions, grad, {}, (X,)),
    "maximum": (maximum, grad, {}, (V,)),
    "methods": (methods, grad, {}, (X,)),
    "matrix": (matrix, grad, {"wrt": (0, 1)}, (X, A, X)),
    "matrix_forward": (matrix, jvp, {"wrt": (0, 1)}, (X, A, X, X, A)),
    "quadratic": (quadratic, grad, {}, (V, A)),
    "quadratic_hvp": (quadratic, forward_reverse, {}, (V, A, 1.0, W)),
    "layers": (layers, grad, {"wrt": "ws"}, (V, [A, A])),
    "where": (where, grad, {}, (W,)),
    "stacked": (stacked, grad, {"wrt": (0, 1)}, (V, W)),
    "softplus": (softplus, grad, {}, (W,)),
    "linear_regression": (linear_regression, grad, {"wrt": (0, 1)}, (V, 1.0, X, np.ones(2))),
    "rosenbrock": (rosenbrock, grad, {}, (V,)),
    "rosenbrock_hvp": (rosenbrock, forward_reverse, {}, (V, 1.0, W)),
    "paper_lattice": (lattice, grad, {"wrt": (0, 1)}, (X, V, 2, 2)),
    "paper_lattice_forward": (lattice, jvp, {"wrt": (0, 1)}, (X, V, 2, 2, X, V)),
    "convolved_version": (convolved, version_for_an_image, {}, (np.arange(12.0).reshape(3, 4), np.arange(4.0).reshape(2, 2))),
    "paper_lattice_version": (lattice, version, {"wrt": (0, 1)}, (X, V, 2, 2)),
    "paper_lattice_forward_version": (lattice, forward_version, {"wrt": (0, 1)}, (X, V, 2, 2, X, V)),
    "lattice_of_products": (lattice_of_products, grad, {}, (X, 2, 2)),
    "lattice_of_products_version": (lattice_of_products, version, {}, (X, 2, 2)),
    "rows_and_columns_version": (rows_and_columns, version_for_arrays, {"wrt": (0, 1)}, (DISTANCES, 0.5)),
    "shortest_version": (shortest, version_for_arrays, {}, (DISTANCES,)),
    "chain_of_springs_version": (chain_of_springs, version_for_numbers, {}, (1.7, 3)),
    "curvature_of_a_spline_version": (curvature_of_a_spline, version_for_a_spline, {}, (HEIGHTS, 1.7)),
    "network_of_pairs_version": (network_of_pairs, version_for_parameters, {}, (PAIRS, DISTANCES)),
    "network_of_a_dict_version": (network_of_a_dict, version_for_parameters, {}, (NAMED, DISTANCES)),
    "identity": (identity, grad, {}, (V, W)),
    "constant": (constant, grad, {}, (V,)),
    "closure": (closure, grad, {"wrt": (0, 1)}, (0.5, 2.0)),
    "counted_inside": (counted_inside, grad, {}, (0.5,)),
    "filled_inside": (filled_inside, grad, {}, (np.array([0.5, 1.0, -1.0, 2.0]),)),
    "closure_forward": (closure, jvp, {"wrt": (0, 1)}, (0.5, 2.0, 1.0, 0.5)),
    "higher_order": (higher_order, grad, {"wrt": (0, 1)}, (1.5, 0.7)),
    "known_functions": (known_functions, grad, {}, (0.5,)),
    "known_functions_forward": (known_functions, jvp, {}, (0.5, 1.0)),
    "reduced": (reduced, grad, {}, ([0.5, 1.5],)),
    "method": (method, grad, {"wrt": "x"}, (Line(2.0, 1.0), 3.0)),
    "method_self": (Line.__call__, grad, {"wrt": "x"}, (Line(2.0, 1.0), 3.0)),
    "object_made": (object_made, grad, {}, (0.5,)),
    "object_made_forward": (object_made, jvp, {}, (0.5, 1.0)),
    "attempt": (attempt, grad, {}, (2.0,)),
    "attempt_forward": (attempt, jvp, {}, (2.0, 1.0)),
    "attempt_in_a_loop": (attempt_in_a_loop, grad, {}, ([0.5, -1.0, 2.0],)),
    "context": (context, grad, {}, (V,)),
    "comprehension": (comprehension, grad, {"wrt": (0, 1)}, ([0.5, -1.0], 3.0)),
    "dict_comprehension": (dict_comprehension, grad, {}, ({"a": 2.0}, {"a": 1.0})),
    "matched": (matched, grad, {"wrt": "x"}, (("circle", 2.0), 0.5)),
    "generator": (generator, grad, {}, (0.5,)),
    "generator_kept": (generator_kept, grad, {}, (0.5,)),
    "inner_gradient": (inner_gradient, grad, {}, (0.5,)),
    "numbers_kept": (numbers_kept, grad, {}, (0.5,)),
    "numbers_kept_forward": (numbers_kept, jvp, {}, (0.5, 1.0)),
}
CALLEES = {
    mlp: (logsumexp, logsoftmax, softmax_crossentropy), call: (square,), call_twice: (square, scale), call_in_loop: (square,),
    call_pair: (two_results,), higher_order: (integrate,), method: (Line,), generator: (running_powers,),
    generator_kept: (growing,), numbers_kept: (bump,),
    known_functions: (iterated,),
}  # fmt: skip


def generated(made) -> str:
    """The whole generated module."""
    return "".join(linecache.getlines(made.__code__.co_filename))


def shown(name: str) -> str:
    """Primal, a line that says what was asked for, and the derivative."""
    f, make, options, _ = PROGRAMS[name]
    primal = "\n\n".join(textwrap.dedent(inspect.getsource(g)) for g in (*CALLEES.get(f, ()), f))
    asked = ", ".join([f.__name__, *(f"{k}={v!r}" for k, v in options.items())])
    return f"{primal}\n{RULE} {make.__name__}({asked})\n\n{generated(make(f, **options))}"


@pytest.mark.parametrize("name", PROGRAMS)
def test_golden(name, request):
    text, file = shown(name), FOLDER / f"{name}.txt"
    if request.config.getoption("--update-golden"):
        FOLDER.mkdir(exist_ok=True)
        file.write_text(text)
    assert file.exists(), "no golden file: write it with --update-golden"
    assert text == file.read_text()


def difference(f, args, places, tangents, h=1e-6):
    """The derivative of f along tangents of some arguments, by central differences, as a list of leaves."""
    ends = []
    for step in (h, -h):
        moved = list(args)
        for i, t in zip(places, tangents):
            moved[i] = add(moved[i], scaled(t, step))
        ends.append(leaves(f(*moved)))
    return [(np.asarray(p) - np.asarray(q)) / (2 * h) for p, q in zip(*ends)]


@pytest.mark.parametrize("name", PROGRAMS)
def test_golden_programs_compute(name):
    """What is shown also computes, and agrees with finite differences."""
    f, make, options, args = PROGRAMS[name]
    count = len(inspect.signature(f).parameters)
    names = wrt_names(f, options.get("wrt", 0))
    places = [list(inspect.signature(f).parameters).index(n) for n in names]
    found = make(f, **options)(*args)
    if make in (jvp, forward_version):
        got, expected = leaves(found), difference(f, args[:count], places, args[count:])
    elif make is forward_reverse:
        got, expected = leaves(found), difference(grad(f), args[:-1], [0], args[-1:])
    elif make in (second, reverse_forward):
        inner = grad(f) if make is second else jvp(f)
        got, expected = leaves(found), difference(inner, args, [0], [1.0])
    else:
        tangents = [random_like(args[i], np.random.default_rng(i)) for i in places]
        weight = args[count] if len(args) > count else 1.0
        expected = dot(leaves(weight), difference(f, args[:count], places, tangents))
        parts = found if len(places) > 1 or options.get("preserve_result") else (found,)
        got = sum(dot(b, t) for b, t in zip(parts, tangents))
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-6)


def test_no_golden_file_is_left_over():
    assert {p.stem for p in FOLDER.glob("*.txt")} == set(PROGRAMS)


def test_every_golden_file_is_within_100_columns():
    for file in FOLDER.glob("*.txt"):
        assert all(len(line) <= 100 for line in file.read_text().splitlines()), file.name
