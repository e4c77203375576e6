"""Programs of the kind people differentiate: networks, likelihoods, filters, integrators, solvers."""

import math

import numpy
import numpy as np

from programs.registry import program
from programs.samples import positive, signed, spd

# -- the listing of the paper: four functions


def logsumexp(x):
    return numpy.log(numpy.sum(numpy.exp(x), axis=-1, keepdims=True))


def logsoftmax(logits):
    return logits - logsumexp(logits)


def softmax_xent(logits, y):
    return -numpy.sum(logsoftmax(logits) * y, axis=-1)


@program(
    {
        "x": signed(2, 3),
        "w1": signed(3, 2),
        "b1": signed(2),
        "wout": signed(2, 3, shift=1.0),
        "bout": signed(3, shift=2.0),
        "label": np.eye(3)[[0, 2]],
    },
    wrt=("w1", "b1", "wout", "bout"),
)
def mlp(x, w1, b1, wout, bout, label):
    h1 = numpy.tanh(numpy.dot(x, w1) + b1)
    out = numpy.dot(h1, wout) + bout
    loss = numpy.mean(softmax_xent(out, label))
    return loss


# -- networks


@program({"x": signed(3), "w": 0.7, "n": 3}, {"x": signed(3), "w": 0.7, "n": 0})
def rnn_of_the_design(x, w, n):
    h = np.zeros_like(x)
    for t in range(n):
        h = np.tanh(w * h + x)
    return np.sum(h * h)


@program({"xs": signed(3, 2), "h": signed(2), "wx": signed(2, 2), "wh": signed(2, 2, shift=1.0), "b": signed(2, shift=2.0)})
def rnn(xs, h, wx, wh, b):
    for x in xs:
        h = np.tanh(x @ wx + h @ wh + b)
    return h


def sigmoid(z):
    return 1.0 / (1.0 + np.exp(-z))


@program({"xs": signed(2, 2), "w": signed(3, 4), "b": signed(4)})
def lstm(xs, w, b):
    h = np.zeros(1)
    c = np.zeros(1)
    for x in xs:
        z = np.dot(np.concatenate([x, h]), w) + b
        i = sigmoid(z[0:1])
        f = sigmoid(z[1:2])
        o = sigmoid(z[2:3])
        g = np.tanh(z[3:4])
        c = f * c + i * g
        h = o * np.tanh(c)
    return h, c


@program({"xs": signed(2, 2), "params": {"z": signed(4, 2), "r": signed(4, 2, shift=1.0), "n": signed(4, 2, shift=2.0)}}, wrt="params")
def gru(xs, params):
    h = np.zeros(2)
    for x in xs:
        both = np.concatenate([x, h])
        z = sigmoid(both @ params["z"])
        r = sigmoid(both @ params["r"])
        n = np.tanh(np.concatenate([x, r * h]) @ params["n"])
        h = (1.0 - z) * n + z * h
    return h


@program({"q": signed(2, 2), "k": signed(3, 2), "v": signed(3, 2, shift=1.0)})
def attention(q, k, v):
    scores = q @ k.T / np.sqrt(q.shape[-1])
    weights = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    weights = weights / np.sum(weights, axis=-1, keepdims=True)
    return weights @ v


@program({"params": [(signed(2, 2), signed(2)), (signed(2, 1), signed(1))], "x": signed(3, 2), "y": signed(3, 1, shift=1.0)}, wrt="params")
def mlp_of_any_depth(params, x, y):
    for w, b in params[:-1]:
        x = np.maximum(x @ w + b, 0.01 * (x @ w + b))
    w, b = params[-1]
    return np.mean((x @ w + b - y) ** 2)


@program({"x": signed(2), "w": signed(2, 2)})
def residual_block(x, w):
    for _ in range(2):
        x = x + np.tanh(w @ x)
    return x


@program({"x": signed(2, 2), "w": signed(2, 2), "b": signed(2)})
def weight_normalisation(x, w, b):
    norm = np.sqrt(np.sum(w * w, axis=0))
    return np.tanh(x @ (w / norm) + b)


# -- statistics


@program({"w": signed(2), "b": 0.3, "x": signed(4, 2), "y": np.array([1, 0, 0, 1])}, wrt=("w", "b"))
def logistic_regression(w, b, x, y):
    logits = x @ w + b
    return np.mean(np.log1p(np.exp(-logits * (2 * y - 1)))) + 0.1 * np.sum(w * w)


@program({"logits": signed(3, 3), "labels": np.array([0, 2, 1])})
def softmax_cross_entropy_by_hand(logits, labels):
    shifted = logits - logits.max(axis=1, keepdims=True)
    log_z = np.log(np.sum(np.exp(shifted), axis=1))
    return np.mean(log_z - shifted[np.arange(len(labels)), labels])


@program({"means": signed(2, 2), "log_scales": signed(2), "logits": signed(2, shift=1.0), "x": signed(3, 2)}, wrt=("means", "log_scales", "logits"))
def mixture_log_likelihood(means, log_scales, logits, x):
    log_pi = logits - np.log(np.sum(np.exp(logits)))
    d = x[:, None, :] - means[None, :, :]
    log_p = log_pi - np.sum(d * d, axis=-1) * np.exp(-2 * log_scales) / 2 - 2 * log_scales
    m = np.max(log_p, axis=1, keepdims=True)
    return np.sum(np.log(np.sum(np.exp(log_p - m), axis=1)) + m[:, 0])


@program({"mu": 0.3, "log_sigma": -0.2, "x": signed(4)})
def normal_log_density(mu, log_sigma, x):
    z = (x - mu) / np.exp(log_sigma)
    return np.sum(-0.5 * z * z - log_sigma - 0.5 * np.log(2 * np.pi))


@program({"rates": positive(3), "counts": np.array([2, 0, 3])}, wrt="rates")
def poisson_log_likelihood(rates, counts):
    total = 0.0
    for rate, count in zip(rates, counts):
        total = total + count * np.log(rate) - rate
    return total


@program({"x": signed(3, 2), "log_length": 0.2, "y": signed(3)})
def gaussian_process_by_elimination(x, log_length, y):
    """Kernel matrix, then one step of refinement of its inverse: no linear algebra library."""
    d = x[:, None, :] - x[None, :, :]
    k = np.exp(-0.5 * np.sum(d * d, axis=-1) / np.exp(2 * log_length)) + 0.5 * np.eye(3)
    v = np.eye(3) / 1.5
    for _ in range(3):
        v = v @ (2.0 * np.eye(3) - k @ v)
    return y @ v @ y


@program({"a": positive(2, 2), "b": positive(2, 3), "pi": positive(2), "observed": [0, 2, 1]})
def hidden_markov_forward(a, b, pi, observed):
    alpha = pi / np.sum(pi) * b[:, observed[0]]
    for o in observed[1:]:
        alpha = (alpha @ a) * b[:, o]
    return np.log(np.sum(alpha))


@program({"theta": 0.4, "tosses": "HHTHT"})
def coin_tosses(theta, tosses):
    p = 1.0 / (1.0 + math.exp(-theta))
    s = 0.0
    for toss in tosses:
        s += math.log(p) if toss == "H" else math.log(1.0 - p)
    return s


# -- filters and control


@program({"x": signed(2), "p": spd(2), "z": 0.7, "f": signed(2, 2), "h": signed(2, shift=2.0), "q": 0.1, "r": 0.3})
def kalman_filter_step(x, p, z, f, h, q, r):
    x = f @ x
    p = f @ p @ f.T + q * np.eye(2)
    s = h @ p @ h + r
    gain = p @ h / s
    x = x + gain * (z - h @ x)
    p = p - np.outer(gain, h @ p)
    return x, p


@program({"xs": [0.5, 1.2, 0.9, 1.4], "alpha": 0.4, "beta": 0.3})
def holt_smoothing(xs, alpha, beta):
    level = xs[0]
    trend = xs[1] - xs[0]
    loss = 0.0
    for x in xs[1:]:
        forecast = level + trend
        loss = loss + (x - forecast) ** 2
        new_level = alpha * x + (1 - alpha) * forecast
        trend = beta * (new_level - level) + (1 - beta) * trend
        level = new_level
    return loss


@program({"kp": 1.2, "ki": 0.3, "kd": 0.1})
def pid_controller(kp, ki, kd):
    x, v = 0.0, 0.0
    integral, previous = 0.0, 1.0
    cost = 0.0
    for _ in range(5):
        error = 1.0 - x
        integral = integral + 0.1 * error
        force = kp * error + ki * integral + kd * (error - previous) / 0.1
        previous = error
        v = v + 0.1 * (force - 0.5 * v)
        x = x + 0.1 * v
        cost = cost + error * error + 0.01 * force * force
    return cost


@program({"theta0": 0.7, "g": 9.8})
def ballistics(theta0, g):
    x, y = 0.0, 0.1
    vx, vy = math.cos(theta0), math.sin(theta0)
    dt = 0.05
    while y > 0.0:
        vx = vx - dt * 0.1 * vx
        vy = vy - dt * (g + 0.1 * vy)
        x = x + dt * vx
        y_old = y
        y = y + dt * vy
    return x - vx * dt * y / (y - y_old)


# -- finance


def normal_cdf(x):
    return 0.5 * (1.0 + math.erf(x / math.sqrt(2.0)))


@program({"s": 100.0, "k": 95.0, "r": 0.03, "sigma": 0.3, "t": 0.8, "kind": "call"}, {"s": 100.0, "k": 105.0, "r": 0.03, "sigma": 0.3, "t": 0.8, "kind": "put"})
def black_scholes(s, k, r, sigma, t, kind):
    d1 = (math.log(s / k) + (r + 0.5 * sigma**2) * t) / (sigma * math.sqrt(t))
    d2 = d1 - sigma * math.sqrt(t)
    call = s * normal_cdf(d1) - k * math.exp(-r * t) * normal_cdf(d2)
    if kind == "call":
        return call
    return call - s + k * math.exp(-r * t)


@program({"s": 100.0, "k": 98.7, "r": 0.03, "sigma": 0.3})
def binomial_tree(s, k, r, sigma):
    n = 3
    dt = 1.0 / n
    u = math.exp(sigma * math.sqrt(dt))
    q = (math.exp(r * dt) - 1 / u) / (u - 1 / u)
    prices = s * u ** (2.0 * np.arange(n + 1) - n)
    values = np.maximum(prices - k, 0.0)
    for _ in range(n):
        values = math.exp(-r * dt) * (q * values[1:] + (1 - q) * values[:-1])
    return values[0]


@program({"rate": 0.05, "flows": [3.0, 3.0, 103.0]})
def present_value(rate, flows):
    return sum([0.0]) + discounted(rate, flows)


def discounted(rate, flows):
    total = 0.0
    for year, flow in enumerate(flows, start=1):
        total += flow / (1 + rate) ** year
    return total


# -- integrators and physics


def pendulum(state, t, k):
    theta, omega = state[0], state[1]
    return np.array([omega, -k * np.sin(theta) + 0.1 * t])


@program({"state": np.array([0.5, 0.1]), "k": 1.3, "steps": 2})
def runge_kutta(state, k, steps):
    dt = 0.2
    t = 0.0
    for _ in range(steps):
        k1 = pendulum(state, t, k)
        k2 = pendulum(state + 0.5 * dt * k1, t + 0.5 * dt, k)
        k3 = pendulum(state + 0.5 * dt * k2, t + 0.5 * dt, k)
        k4 = pendulum(state + dt * k3, t + dt, k)
        state = state + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        t = t + dt
    return state


@program({"x": signed(2), "v": signed(2, shift=1.0), "steps": 3})
def leapfrog(x, v, steps):
    dt = 0.1
    v = v - 0.5 * dt * x * (x @ x)
    for i in range(steps):
        x = x + dt * v
        scale = 1.0 if i < steps - 1 else 0.5
        v = v - scale * dt * x * (x @ x)
    return 0.5 * (v @ v) + 0.25 * (x @ x) ** 2


@program({"positions": signed(3, 2) * 2, "masses": positive(3)})
def n_body_energy(positions, masses):
    energy = 0.0
    n = len(masses)
    for i in range(n):
        for j in range(i + 1, n):
            d = positions[i] - positions[j]
            r = np.sqrt(np.sum(d * d) + 0.01)
            energy = energy - masses[i] * masses[j] / r
    return energy


@program({"r": np.array([[0.0, 0.1], [1.2, 0.0], [0.3, 1.4]])})
def lennard_jones(r):
    d = r[:, None, :] - r[None, :, :]
    d2 = np.sum(d * d, axis=-1) + np.eye(3)
    s6 = 1.0 / d2**3
    return 2.0 * np.sum((s6 * s6 - s6) * (1.0 - np.eye(3)))


@program({"u": signed(5), "nu": 0.1, "steps": 3})
def heat_equation(u, nu, steps):
    for _ in range(steps):
        inner = u[1:-1] + nu * (u[2:] - 2 * u[1:-1] + u[:-2])
        u = np.concatenate([u[:1], inner, u[-1:]])
    return np.sum(u * u)


@program({"spins": signed(2, 3), "j": 0.7})
def xy_model(spins, j):
    right = np.concatenate([spins[:, 1:], spins[:, :1]], axis=1)
    down = np.concatenate([spins[1:], spins[:1]])
    return -j * np.sum(np.cos(spins - right) + np.cos(spins - down))


@program({"angles": (0.3, -0.5, 0.8), "lengths": (1.0, 0.8, 0.5)})
def robot_arm(angles, lengths):
    x, y, total = 0.0, 0.0, 0.0
    for a, length in zip(angles, lengths):
        total = total + a
        x = x + length * math.cos(total)
        y = y + length * math.sin(total)
    return x, y


@program({"axis": positive(3), "angle": 0.6, "v": signed(3)})
def rodrigues_rotation(axis, angle, v):
    k = axis / np.sqrt(np.sum(axis * axis))
    kxv = np.stack([k[1] * v[2] - k[2] * v[1], k[2] * v[0] - k[0] * v[2], k[0] * v[1] - k[1] * v[0]])
    return v * np.cos(angle) + kxv * np.sin(angle) + k * (k @ v) * (1 - np.cos(angle))


# -- curves


@program({"t": 1.3, "knots": [0.5, 1.2, 0.7, 1.9]}, {"t": 2.6, "knots": [0.5, 1.2, 0.7, 1.9]}, {"t": 0.4, "knots": [0.5, 1.2, 0.7, 1.9]})
def hermite_spline(t, knots):
    i = int(t)
    u = t - i
    p0, p1 = knots[i], knots[i + 1]
    m0 = (knots[i + 1] - knots[i - 1]) / 2 if i > 0 else knots[1] - knots[0]
    m1 = (knots[i + 2] - knots[i]) / 2 if i + 2 < len(knots) else knots[-1] - knots[-2]
    return (2 * u**3 - 3 * u**2 + 1) * p0 + (u**3 - 2 * u**2 + u) * m0 + (3 * u**2 - 2 * u**3) * p1 + (u**3 - u**2) * m1


@program({"t": 0.3, "points": signed(4, 2)})
def de_casteljau(t, points):
    while len(points) > 1:
        points = (1 - t) * points[:-1] + t * points[1:]
    return points[0]


@program({"x": 1.7, "xs": [0.5, 1.0, 2.0, 3.0], "ys": [0.2, 1.5, 0.7, 2.0]})
def linear_interpolation(x, xs, ys):
    k = 0
    while k < len(xs) - 2 and xs[k + 1] < x:
        k += 1
    w = (x - xs[k]) / (xs[k + 1] - xs[k])
    return (1 - w) * ys[k] + w * ys[k + 1]


@program({"x": 0.7, "xs": [0.0, 1.0, 2.5], "ys": [0.2, 1.5, 0.7]})
def lagrange_interpolation(x, xs, ys):
    total = 0.0
    for i in range(len(xs)):
        term = ys[i]
        for j in range(len(xs)):
            if j != i:
                term = term * (x - xs[j]) / (xs[i] - xs[j])
        total = total + term
    return total


# -- dynamic programs


def softmin(a, b, c, gamma):
    m = min(a, b, c)
    return m - gamma * math.log(math.exp((m - a) / gamma) + math.exp((m - b) / gamma) + math.exp((m - c) / gamma))


@program({"xs": [0.5, 1.2, 0.3], "ys": [0.4, 1.0], "gamma": 0.5})
def soft_dtw(xs, ys, gamma):
    """A row is a tuple that is made anew: nothing is written in place."""
    big = 100.0
    above = (0.0,) + (big,) * len(ys)
    for x in xs:
        row = (big,)
        for j, y in enumerate(ys):
            cost = (x - y) ** 2 + softmin(above[j], above[j + 1], row[j], gamma)
            row = row + (cost,)
        above = row
    return above[-1]


@program({"scores": signed(3, 2), "transitions": signed(2, 2)})
def linear_chain_crf(scores, transitions):
    alpha = scores[0]
    for t in range(1, len(scores)):
        z = alpha[:, None] + transitions + scores[t][None, :]
        m = np.max(z, axis=0)
        alpha = np.log(np.sum(np.exp(z - m), axis=0)) + m
    return np.log(np.sum(np.exp(alpha)))


@program({"p": 0.4, "rewards": (1.0, -0.5, 2.0)})
def value_iteration(p, rewards):
    a, b, c = 0.0, 0.0, 0.0
    for _ in range(4):
        a, b, c = rewards[0] + 0.9 * (p * a + (1 - p) * b), rewards[1] + 0.9 * c, rewards[2] + 0.9 * (p * c + (1 - p) * a)
    return a + b + c


# -- solvers on values


@program({"a": 2.7, "n": 4})
def newton_square_root(a, n):
    x = a
    for _ in range(n):
        x = (x + a / x) / 2
    return x


@program({"a": 0.6})
def fixed_point_of_cosine(a):
    x = a
    for _ in range(12):
        x = math.cos(a * x)
    return x


@program({"w": signed(2, 2) / 4, "x": signed(2)})
def deep_equilibrium(w, x):
    z = np.zeros(2)
    for _ in range(6):
        z = np.tanh(w @ z + x)
    return z


@program({"a": spd(3), "b": signed(3)})
def conjugate_gradient(a, b):
    x = np.zeros_like(b)
    r = b - a @ x
    p = r
    rs = r @ r
    for _ in range(2):
        ap = a @ p
        alpha = rs / (p @ ap)
        x = x + alpha * p
        r = r - alpha * ap
        rs_new = r @ r
        p = r + (rs_new / rs) * p
        rs = rs_new
    return x


@program({"a": spd(2), "b": signed(2)})
def jacobi_iteration(a, b):
    d = np.array([a[0, 0], a[1, 1]])
    x = b / d
    for _ in range(3):
        x = x + (b - a @ x) / d
    return x


@program({"x": 0.4, "y": 1.3, "rate": 0.01})
def gradient_descent_unrolled(x, y, rate):
    for _ in range(3):
        gx = -2 * (1 - x) - 4 * x * (y - x * x)
        gy = 2 * (y - x * x)
        x, y = x - rate * gx, y - rate * gy
    return (1 - x) ** 2 + (y - x * x) ** 2


@program({"params": {"w": signed(2), "b": 0.5}, "data": signed(3, 2), "target": signed(3, shift=1.0), "rate": 0.1}, wrt=("params", "rate"))
def training_unrolled(params, data, target, rate):
    for _ in range(2):
        error = data @ params["w"] + params["b"] - target
        grads = {"w": data.T @ error / 3, "b": np.mean(error)}
        params = {"w": params["w"] - rate * grads["w"], "b": params["b"] - rate * grads["b"]}
    return np.mean((data @ params["w"] + params["b"] - target) ** 2)


@program({"x": signed(3), "rate": 0.1})
def adam_unrolled(x, rate):
    m = np.zeros(3)
    v = np.zeros(3)
    for i in range(1, 3):
        g = 2.0 * x
        m = 0.9 * m + 0.1 * g
        v = 0.99 * v + 0.01 * g * g
        x = x - rate * (m / (1 - 0.9**i)) / (np.sqrt(v / (1 - 0.99**i)) + 1e-3)
    return np.sum(x * x)


@program({"a": signed(2, 2)})
def matrix_exponential_series(a):
    term = np.eye(2)
    total = np.eye(2)
    for k in range(1, 5):
        term = term @ a / k
        total = total + term
    return total


@program({"a": spd(2)})
def cholesky_of_two_by_two(a):
    l11 = np.sqrt(a[0, 0])
    l21 = a[1, 0] / l11
    l22 = np.sqrt(a[1, 1] - l21 * l21)
    return np.array([[l11, 0.0], [l21, l22]])


@program({"a": spd(2), "b": signed(2)})
def gauss_elimination_of_two(a, b):
    if abs(a[0, 0]) > abs(a[1, 0]):
        top, bottom, bt, bb = a[0], a[1], b[0], b[1]
    else:
        top, bottom, bt, bb = a[1], a[0], b[1], b[0]
    factor = bottom[0] / top[0]
    y = (bb - factor * bt) / (bottom[1] - factor * top[1])
    x = (bt - top[1] * y) / top[0]
    return x, y


def _before_activation(layers, x):
    for w, b in layers:
        last = x @ w + b
        x = np.maximum(last, 0.0)
    return last


@program({"layers": [(signed(2, 5), signed(5)), (signed(5, 3), signed(3))], "x": signed(4, 2)})
def layers_of_other_widths_of_which_the_last_is_linear(layers, x):
    return np.mean(_before_activation(layers, x) ** 2)
