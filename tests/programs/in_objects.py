"""Arrays that are written in place and that objects, lists and dicts hold, also several of them."""

from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np

from programs.registry import program
from programs.samples import positive, signed


class Buffer:
    """A buffer that is filled from its start."""

    def __init__(self, n):
        self.items = np.zeros(n)
        self.n = 0

    def push(self, v):
        self.items[self.n] = v
        self.n += 1

    def total(self):
        return np.sum(self.items * self.items)


@program({"x": 0.7})
def buffer_filled(x):
    buffer = Buffer(3)
    buffer.push(x)
    buffer.push(x * x)
    buffer.push(buffer.items[0] * 2.0)
    return buffer.total()


class Descent:
    def __init__(self, w):
        self.w = w

    def step(self, gradient, rate):
        self.w -= rate * gradient


@program({"x": signed(3)})
def weights_updated(x):
    descent = Descent(x * 1.0)
    for _ in range(3):
        descent.step(descent.w * descent.w, 0.1)
    return np.sum(descent.w)


@program({"x": signed(3)})
def array_that_an_object_shares(x):
    w = x * 1.0
    descent = Descent(w)
    for _ in range(2):
        descent.step(w * descent.w, 0.1)
    return np.sum(w * w)


@program({"descent": Descent(signed(3)), "x": signed(3)})
def array_of_an_argument(descent, x):
    descent.step(x * descent.w, 0.3)
    descent.w[1:] *= 2.0
    return np.sum(descent.w * descent.w)


class Particles:
    def __init__(self, n):
        self.position, self.velocity = np.zeros(n), np.zeros(n)


def advance(p, force, dt):
    p.velocity += dt * force
    p.position[:] = p.position + dt * p.velocity


@program({"x": signed(3)})
def simulation_of_an_object(x):
    p = Particles(3)
    p.velocity[:] = x
    for _ in range(3):
        advance(p, -p.position * x[0], 0.1)
    return np.sum(p.position**2) + p.velocity[1]


@program({"x": signed(3)})
def two_objects_with_equal_arrays(x):
    a, b = Particles(3), Particles(3)
    a.position[:] = x * 2.0
    b.position[:] = x * 2.0
    a.position[0] = 5.0
    return np.sum(a.position * b.position)


@program({"x": signed(3)})
def two_objects_with_one_array(x):
    a, b = Particles(3), Particles(3)
    b.position = a.position
    a.position[:] = x * x
    b.position[1] = x[0]
    return np.sum(a.position * x)


@program({"x": signed(3)})
def rows_of_an_attribute(x):
    s = SimpleNamespace(m=np.zeros((2, 3)))
    row = s.m[0]
    row[:] = x * x
    s.m[1][2] = x[1]
    s.m[1] += s.m[0]
    return np.sum(s.m * s.m) + np.sum(row)


@program({"x": signed(3)})
def objects_in_a_list(x):
    buffers = [Buffer(2), Buffer(2)]
    for i, b in enumerate(buffers):
        b.push(x[i])
        b.push(x[2] * b.items[0])
    return sum(b.total() for b in buffers)


@program({"x": signed(3)})
def filled_masked_and_given_as_out(x):
    p = Particles(3)
    p.position.fill(x[0])
    p.position[1:] *= x[1:]
    p.position[x > 0] += x[0]
    np.add(p.position, x, out=p.velocity)
    return np.sum(p.velocity * p.position)


def step_of_a_dict(s, dt):
    s["x"] += dt * s["v"]
    s["v"][:] -= dt * s["x"] * s["k"]


@program({"x": signed(3)})
def arrays_of_a_dict_given(x):
    position = x * 1.0
    state = {"x": position, "v": np.zeros(3), "k": x[1]}
    for _ in range(3):
        step_of_a_dict(state, 0.1)
    return np.sum(position**2) + np.sum(state["v"])


def step_of_a_list(buffers, k):
    buffers[0] *= k
    buffers[1][1:] += buffers[0][:-1]


@program({"x": signed(3)})
def arrays_of_a_list_given(x):
    a, b = x * x, x + 1.0
    buffers = [a, b]
    step_of_a_list(buffers, x[0])
    step_of_a_list(buffers, 2.0)
    return np.sum(a * b)


class Filler:
    def __init__(self):
        self.count = 0

    def fill(self, a, v):
        a[:] = a + v * v
        self.count += 1


@program({"x": signed(3)})
def method_that_fills_its_argument(x):
    filler, a = Filler(), np.zeros(3)
    filler.fill(a, x)
    filler.fill(a[1:], x[1:])
    return np.sum(a * x) * filler.count


@program({"x": signed(3)})
def conditions_on_an_attribute(x):
    p = Particles(3)
    if p.position[0] < 1.0:
        p.position[0] = abs(x[0])
    while p.position[0] < 3.0:
        p.position[0] *= 2.0
    return np.sum(p.position * x)


class Shallow:
    """Shallow water: a step changes heights and momenta in place."""

    def __init__(self):
        self.g = 9.8

    def step(self, h, hu, dt):
        h[1:] -= dt * hu[:-1]
        hu[:] = hu - dt * self.g * h * h


WATER = Shallow()


@program({"x": signed(3)})
def method_of_a_global_object(x):
    h, hu = x * 1.0, np.zeros(3)
    for _ in range(3):
        WATER.step(h, hu, 0.01)
    return np.sum(h * hu)


@program({"x": signed(4)})
def product_of_arrays_added_to_a_number(x):
    state = {"p": x * 1.0}

    def kick(i):
        state["p"][i] += x[0]
        return state["p"] + 1.0

    s = 0.0
    for i in range(2):
        w = kick(i)
        s += np.sum(w * state["p"])
    return s


@program({"x": np.array([0.7, -0.4])})
def array_set_by_default(x):
    d = {}
    a = d.setdefault(0, np.zeros(2))
    a[1] = x[0]
    b = d.setdefault(0, np.zeros(2))
    b[0] = x[1] ** 2
    return np.sum(d[0] * x)


@program({"x": np.array([0.7, -0.4, 1.1, 0.3])})
def arrays_set_by_default_in_a_loop(x):
    d = {}
    for i in range(4):
        d.setdefault(i % 2, np.zeros(2))[i // 2] += x[i] ** 2
    return np.sum(d[0] * d[1] * x[:2])


class Squares:
    def __init__(self, n):
        self.total = np.zeros(n)
        self.count = 0

    def add(self, x):
        self.total += x * x
        self.count += 1
        return self.total


@program({"x": signed(3), "y": signed(3)})
def sums_that_a_method_returns(x, y):
    squares = Squares(len(x))
    first = squares.add(x)
    return first * squares.add(x * y) * squares.count


class Walk:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.x = np.zeros(3)

    def step(self, z):
        noise = self.rng.normal(0.0, 0.5, size=3)
        noise[1:] *= z[1:]
        self.x += noise * z
        if self.rng.random() < 0.5:
            self.x[self.rng.choice([0, 2])] *= 0.7


@program({"z": signed(3)})
def generator_of_an_object(z):
    walk = Walk(1)
    for _ in range(2):
        walk.step(z)
    return np.sum(walk.x * walk.x)


class Named:
    def __init__(self, v, name):
        self.v, self.name = v, name

    def step(self, k):
        if self.name[0] == "a":
            self.v = self.v * k
        return len(self.name)


@program({"x": 0.7, "text": "ab"})
def letters_beside_objects(x, text):
    o = Named(x, text)
    n = o.step(x)
    for i in range(2):
        if text[i] == "b":
            o.v *= x
    return o.v * n


class Weights(NamedTuple):
    w: np.ndarray
    b: np.ndarray


@program({"a": signed(3), "v": 1.3}, orders=1)
def named_tuples_that_share_arrays(a, v):
    b = a * v
    p = Weights(b, b)
    p.w[1] = a[0] * v
    q = p._replace(b=a * 2.0)
    q.w[0] += v
    q.b[0] *= v
    return np.sum(b * p.w) + np.sum(p.b * b * q.b)


@dataclass
class Layer:
    w: np.ndarray
    k: float = 1.0


@program({"a": signed(3), "v": 1.3}, orders=1)
def replaced_fields_that_share_arrays(a, v):
    b = a * v
    d = Layer(a * 1.0)
    e = replace(d, w=b)
    e.w[1] = v * v
    return np.sum(b * d.w) + np.sum(e.w * a)


@dataclass
class Growth:
    rate: float
    limit: float = 2.0


def grown_at(t, y, p):
    return p.rate * y * (p.limit - y) + t


def stepped(f, y, t0, h, n, *args):
    t = t0
    for _ in range(n):
        y = y + h * f(t, y, *args)
        t += h
    return y


@program({"x": 0.7, "h": 0.1})
def clock_beside_an_object(x, h):
    """`t += h` may be in place where t is an array, and objects may hold such arrays."""
    return stepped(grown_at, x, 0.0, h, 3, Growth(x * x))


@program({"x": 0.7})
def clock_of_numbers_beside_an_object(x):
    p = Growth(x * x)
    t, y = 0.0, x
    for _ in range(3):
        y = y + 0.1 * grown_at(t, y, p)
        t += 0.1
    return y


@program({"x": signed(2), "t": signed(2)})
def clock_that_is_an_array_of_an_object(x, t):
    p = Growth(x, t * 1.0)
    y = stepped(grown_at, x, p.limit, 0.1, 3, p)
    return np.sum(y * p.limit)


class Holder:
    def __init__(self, w):
        self.w = w
        self.steps = 0

    def step(self, c):
        self.w[0] = 0.5 * c
        self.steps += 1


@program({"a": signed(4), "s": 0.4})
def views_by_functions_of_what_an_object_holds(a, s):
    holder = Holder(a)
    alias = holder.w
    holder.step(s)
    table = holder.w.reshape(2, 2)
    turned = table.T
    windows = np.lib.stride_tricks.sliding_window_view(np.asarray(holder.w), 2)
    holder.w[1] = np.sin(s)
    turned[1, 0] *= s
    np.flip(alias)[0] = a[1] * s
    holder.w = np.cos(table.ravel())
    return np.sum(windows * windows) + np.sum(turned * a[0]) + np.sum(holder.w)


@program({"a": signed(4), "b": signed(4), "s": 0.4})
def functions_that_write_into_what_two_lists_hold(a, b, s):
    first, second = [a, b], [b]
    first.append(second[0])
    first[0], first[1] = first[1], first[0]
    np.add.at(first[0], [0, 0, -1], np.sin(a[1:]) * s)
    np.subtract.at(second[0], slice(1, None), s)
    first[1][[0, 0, 1]] = np.array([s, s * s, b[1]])
    first[1][[2, 2]] += s
    second[0].put([1, -1], [s * a[0], a[1]])
    first[2].sort()
    first[1][1:].partition(1)
    return np.sum(a * b * np.arange(4.0)) + first[0][0]


@program({"a": signed(4), "b": signed(4)})
def indices_computed_of_arrays_that_are_written(a, b):
    holder = Holder(a)
    order = np.arange(4)
    order[0] = 1
    order += 1
    holder.w[:] = b[order % 4] * a
    holder.step(a[order[0] - 1])
    return np.sum(a * np.arange(4.0)) + holder.w[-order[1]]


@program({"a": signed(4), "b": signed(4)})
def two_places_that_move_beside_an_object(a, b):
    holder = Holder(b)
    p, q = 0, len(a) - 1
    while p < q:
        a[p], a[q] = a[q], a[p]
        p += 1
        q -= 1
    holder.step(a[0] * b[1])
    return np.sum(a[:] * b)


class Filled:
    """Its method has the name of one that arrays have."""

    def __init__(self, w):
        self.w = w
        self.n = 0

    def fill(self, v):
        self.w[:] = v


def halved_there(x):
    x[1] *= 0.5
    return x[1]


@program({"a": signed(4), "s": 0.4})
def operators_in_place_with_calls_on_what_others_hold(a, s):
    o = Filled(a)
    views = [a, a[::-1]]
    o.w[0] = a[-1] * s
    o.w *= a.mean()
    o.w **= 2
    o.w += halved_there(a)
    views[0] **= 3
    views[1] -= halved_there(views[0])
    o.n -= halved_there(a) * s
    o.n **= 2
    views[0][2] **= 2
    return np.sum(np.tanh(a + 0.7)) * s + o.n


def put_first(x, y):
    x[0] = y
    return x


@program({"a": signed(4), "b": signed(4)})
def arrays_of_others_stored_into_a_table(a, b):
    table = np.zeros(8).reshape(2, 4)
    put_first(b[1:], b[0])
    table[0] = b
    table[1] += b
    b[:] = 0.5 * table.sum(axis=0)
    held = [a, b]
    held[0][0] = b[1]
    del held[1]
    held.extend([0.5])
    return np.sum(np.cos(b + 0.1) * a)


def kept_in(box, v):
    box.w.append(v)
    box.steps += 1
    box.w[0] = v * 2.0


@program({"a": signed(3), "s": 0.4})
def list_of_an_object_stored_into_an_array(a, s):
    box = Holder([a[0], a[1]])
    kept_in(box, s)
    table = np.zeros((2, 3))
    table[0] = box.w
    table[1] -= box.w
    table[1, :2] = box.w[1:]
    return np.sum(np.sin(table) * a)


class Buffered:
    def __init__(self, x):
        self.x, self.buffer = x, np.zeros(2)


@program({"x": np.array([1.0, 2.0])})
def flattened_view_inside_an_object(x):
    kept = Buffered(x)
    kept.buffer[0] = 1.0
    flat = kept.buffer.reshape(-1)
    flat[0] = x[0] * x[1]
    return np.sum(kept.buffer * kept.x)


class Meter:
    """A count in an array, and what it was."""

    def __init__(self, count):
        self.count = count
        self.seen = []

    def step(self, x):
        self.count[0, 0] += x[0] * x[1]
        one = np.squeeze(self.count)
        self.seen.append(one)
        return one


@program({"x": signed(2)})
def views_without_axes_of_what_objects_write(x):
    meter = Meter(np.zeros((1, 1)))
    meters = [meter]
    first = meters[0].step(x) * x[1]
    meter.count *= 3.0
    return first * meter.seen[0] + meter.step(x)


@program({"spot": 1.3, "vol": 0.4})
def counts_of_random_numbers_in_objects(spot, vol):
    given = SimpleNamespace(paths=3, steps=2, spot=spot, vol=vol)
    rng = np.random.default_rng(3)
    other = np.random.RandomState(0)
    z = rng.standard_normal((given.paths, given.steps + 1)) + rng.normal(0.0, 1.0, size=(given.paths, 1))
    s = np.full(given.paths, given.spot) + other.uniform(0.0, 1.0, given.paths) + other.rand(given.paths)
    for k in range(given.steps):
        s = s * np.exp(given.vol * z[:, k])
    return np.sum(s)


class FilledWhole:
    def __init__(self, w):
        self.w = w

    def fill(self, value):
        self.w[:] = value


def _first_and_last_exchanged(a):
    xs = a.tolist()
    xs[0], xs[-1] = xs[-1] * 2.0, xs[0]
    a[:] = np.sin(np.array(xs))


@program({"a": signed(4), "b": signed(4)})
def lists_of_what_may_be_an_object(a, b):
    o = FilledWhole([a, b])
    _first_and_last_exchanged(b)
    a[:-1] /= 2.5 + b[1:]
    return a * o.w[1]


class Kept:
    def __init__(self, v):
        self.v = v


@program({"a": signed(3)})
def attributes_by_written_names_are_arrays(a):
    y = getattr(Kept(a), "v")
    y *= 2.0
    o = Kept(a[0])
    setattr(o, "w", a)
    o.w[1] = o.v * a[2]
    return np.sum(a * a)


@program({"a": signed(3)})
def attributes_by_computed_names_are_arrays(a):
    o = Kept(a * 1.5)
    for k in ("v", "w"):
        setattr(o, k, o.v)
        getattr(o, k)[1:] *= a[0]
    y = o.w
    y *= 3.0
    z = getattr(o, "u", a)
    z[0] = y[2] * a[1]
    held = object.__getattribute__(o, "v")
    held[2] = 2.0
    return np.sum(a * o.v * y)


@program({"u": signed(3), "a": signed(3)})
def lists_that_hold_one_array_twice(u, a):
    xs = [u, u]
    xs += [a]
    rows = [xs, xs]
    pair = (u, u)
    more = [pair, u[:2], pair]
    more += [a]
    a[2] = 2.0
    return np.sum(xs[0] * xs[1] * a) + np.sum(rows[1][0] * xs[2]) + np.sum(more[0][1] * a) + np.sum(more[2][0][:2] * more[1])


@program({"u": signed(3), "a": signed(3)})
def dicts_and_lists_held_twice_beside_a_store(u, a):
    p, q = [u, u * 2.0], {"k": u}
    xs = [p, p, q, q, a]
    a[0] = 5.0
    return np.sum(xs[0][0] * xs[1][1]) + np.sum(xs[2]["k"] * xs[3]["k"] * xs[4])


@program({"m": signed(3, 3), "v": signed(3), "s": 0.7}, {"m": signed(3, 3), "v": signed(3), "s": -1.2})
def rows_of_an_array_beside_lists_that_hold_others(m, v, s):
    ys = {"w": v[:], "b": v}
    ys = [m[...] / 1.5, m[:, ::-1] * m]
    ys.extend([0.9 * m[...], m[:, ::-1]])
    table = np.full((3, 3), s)
    if s > -0.9:
        return np.sum(np.sin(v))
    for k, row in enumerate(table):
        mask = m < 0.1
        table[mask] = np.sin(table[::-1])[mask]
        np.multiply(np.exp(-np.multiply(row[::-1], ys[-1][0])), 0.5 * ys[-1][k], out=v)
    ys[0][::-1] *= 0.5
    return np.sum(v * ys[0][0]) + np.sum(table * ys[-1])


@program({"a": signed(3)})
def parts_of_an_array_that_is_followed(a):
    v = np.full((3,), 0.5)
    v -= 0.9
    ys = [np.add(v[::-1], a)]
    xs = [ys[-1], a]
    xs[0][0] = 1.0
    del xs[1]
    xs.extend([1.0 / v[...]])
    a[:] = xs[1] + xs[0] * a
    return np.sum(0.5 * np.cos(a + 0.7))


@dataclass
class Motion:
    """Places and velocities, and the time that has passed."""

    x: np.ndarray
    v: np.ndarray
    time: float = 0.0


def forces(x, out=None):
    if out is None:
        out = np.empty_like(x)
    out[:] = -x
    out[1:] += 0.5 * x[:-1] ** 2
    return out


def moved(state, step, acceleration):
    state.v += 0.5 * step * acceleration
    state.x += step * state.v
    forces(state.x, out=acceleration)
    state.v += 0.5 * step * acceleration
    state.time += step


@program({"x": signed(3), "v": signed(3, shift=1.0), "step": 0.1})
def functions_of_an_object_and_of_what_they_fill(x, v, step):
    state = Motion(x.copy(), v.copy())
    acceleration = forces(state.x)
    kept = []
    for _ in range(2):
        moved(state, step, acceleration)
        kept.append(state.x.copy())
    return np.array(kept), state.v, state.time


def weighed(x, out):
    return np.sum(x * out)


@program({"x": signed(3), "v": signed(3, shift=1.0)})
def functions_that_read_what_they_name_out(x, v):
    state = Motion(x, v)
    state.v += x
    first = weighed(x, out=v)
    v[0] = 2.0
    return first * weighed(state.v, out=state.x)


def _scaled_imaginary_part(m, g, v):
    zs = v + 1j * (0.9 * np.arctan(g[:] ** 2))
    zs.real[0] = np.sin(m[0, 1])
    zs.imag[1:] *= np.tanh(g.mean())
    g.sort()


@program({"a": positive(3), "b": positive(3)})
def imaginary_parts_that_an_operator_changes_beside_a_list_of_anything(a, b):
    _scaled_imaginary_part(np.ones((2, 3)), a[:], b[::-1])
    ys = [a[...], a]
    da = ys.pop()
    np.negative.at(ys[0], [0, 0, 1])
    if len(ys) > 4:
        a.sum(axis=tuple)
    else:
        ys.extend([np.tanh, ys[0]])
    return np.sin(da[1])
