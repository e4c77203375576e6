"""Versions of derivatives that write in place: parts of arrays that meet, or do not; the same numbers as raw code."""

import numpy as np
import pytest

import tangent

RNG = np.random.default_rng(0)
SQUARE = RNG.normal(size=(6, 6)) + 6.0 * np.eye(6)
LONG = RNG.normal(size=40)


def fill(a, v):
    for i in range(len(a)):
        a[i] = a[i] * v[i] + v[-1 - i]


def widths(x, s):
    """Slices that shrink to one element and to none, beside others that are broadcast."""
    y = x.copy()
    for k in range(len(y)):
        y[k:] = y[k:] * s[k : k + 1] + np.sum(y[k + 1 :])
    return np.sum(y * y)


def wraps(x):
    """Indices that count from the end in the first iterations."""
    y = x.copy()
    for i in range(len(y)):
        y[i] = y[i - 1] * y[i] + 0.5 * y[i - 2]
    return np.sum(y * y)


def short_of_the_end(x):
    y = x.copy()
    for j in range(len(y)):
        y[: j - 1] = y[: j - 1] * y[j] + 1.0
    return np.sum(y * y)


def rows(a):
    """Stores through views, read through the array."""
    b = a.copy()
    for i in range(1, len(b)):
        row = b[i]
        row[:i] = row[:i] * b[i - 1, :i]
        b[i, i] = row[0] * b[i, i]
    return np.sum(b * b)


def nested(a):
    """One counter's name in two loops."""
    b = a.copy()
    for k in range(len(b)):
        t = b[k:, 0]
        s = np.sum(t * t)
        for k in range(len(b)):
            b[k, k:] = b[k, k:] * np.cos(s)
        b[k, 0] = b[k, 0] + s
    return np.sum(b * b)


def twice(x):
    """A helper that is called once, with one array for both of its arguments."""
    y = x.copy()
    fill(y, y)
    return np.sum(y * y)


def overlapping(x):
    y = x.copy()
    fill(y[1:], y[:-1])
    return np.sum(y * y)


def branches(x, n):
    y = x.copy()
    for i in range(n):
        if y[i] > 0.0:
            y[i + 1 :] = np.sin(y[i + 1 :])
        else:
            y[: i + 1] = y[: i + 1] * y[i]
    return np.sum(y * y)


def until(x):
    y = x.copy()
    i = 0
    while i < len(y) - 1 and y[i] < 3.0:
        y[i + 1] = y[i + 1] * y[i]
        i += 1
    return np.sum(y * y)


def leaves(x):
    y = x.copy()
    for i in range(len(y)):
        if y[i] > 1.5:
            break
        y[i] = np.exp(y[i]) * y[i]
    return np.sum(y * y)


def down(x):
    y = x.copy()
    for i in range(len(y) - 2, -1, -1):
        y[i] = y[i] * y[i + 1] + 1.0
    for i in range(1, len(y), 2):
        y[i] = y[i] * y[i - 1]
    return np.sum(y * y)


def kept(x):
    """Arrays that a list holds on to."""
    y = x.copy()
    seen = []
    for i in range(3):
        y[i:] = y[i:] * y[i]
        seen.append(y[i:] * 2.0)
    return np.sum(seen[0]) + np.sum(seen[2] * y[2:])


def clears(x):
    y = x.copy()
    z = np.zeros(len(y))
    for i in range(len(y)):
        z[i] = y[i] * y[i]
        y[i] = 0.0
        y[i] += np.sum(z[: i + 1])
    return np.sum(y * z)


def gathered(x, index):
    y = x.copy()
    for i in range(3):
        y[index] = y[index] * y[index + 1]
        y[i] = y[i] * 2.0
    return np.sum(y * y)


def mirrored_not(x):
    """What is recorded by one loop is read by a loop of other bounds."""
    y = x.copy()
    total = 0.0
    for n in range(3):
        for k in range(n, len(y)):
            y[k:] = y[k:] * np.cos(y[k])
        total = total + np.sum(y[n:] * y[n])
    return total


def ties(x, y):
    z = x.copy()
    for k in range(len(z)):
        z[:] = np.minimum(z, y + z[k])
    return np.sum(z * z)


def none(x, n):
    y = x.copy()
    for k in range(n):
        y[k] = y[k] * y[k]
    return np.sum(y)


def swapped(x):
    y, z = x.copy(), np.zeros_like(x)
    for _ in range(3):
        z[1:] = y[:-1] * y[1:]
        y, z = z, y
    return np.sum(y * y) + np.sum(z)


def steps(x):
    y = x.copy()
    for k in range(3):
        y[k::2] = y[k::2] * y[k]
        y[::-1] = y * 1.5
    return np.sum(y * y)


def masked(x):
    y = x.copy()
    for k in range(3):
        y[y > 0.1] = y[y > 0.1] * y[k]
    return np.sum(y * y)


def kept_twice(a):
    b = a.copy()
    for k in range(len(b)):
        b[k] = b[k] * b[k, k]
        b[:, k] = b[:, k] + b[k, k]
    return np.sum(b * b)


def step_of_all(x, w):
    x = x.copy()
    for _ in range(3):
        t = x * w
        x[:] = np.sin(t)
    return np.sum(x)


def two_stores(x, w):
    """Values made before, between and after the stores."""
    x = x.copy()
    for _ in range(3):
        t = x * w
        x[1:] += np.sin(t[1:])
        u = x * t
        x[:-1] = np.tanh(u[1:])
    return np.sum(x)


def stored_after_the_loop(x, w):
    x = x.copy()
    for _ in range(3):
        t = x * w
        x[:] = np.sin(t)
    x[1] = x[2] ** 2
    x[2] = x[0]
    return np.sum(x * x)


def through_a_part(x, w):
    x = np.outer(x, x)
    r = x[0]
    for _ in range(3):
        t = r * w
        x[0] = np.sin(t)
        x[1] = x[2] * t
    return np.sum(x)


def beside_another(x, w):
    x, z = x.copy(), np.zeros(len(x))
    for _ in range(3):
        t = x * z
        z[:] = x * w
        x[:] = np.sin(t) + z
    return np.sum(x * z)


def substituted(a, b):
    """What is stored stays where it is."""
    b = b.copy()
    for i in range(len(b)):
        b[i] = (b[i] - a[i, :i] @ b[:i]) / a[i, i]
    return np.sum(b * b)


def from_both_ends(x):
    """What is stored is stored over by a later iteration, in half of the places."""
    y, total = x.copy(), 0.0
    for i in range(len(y)):
        t = np.sin(y[i]) * y[len(y) - 1 - i]
        y[len(y) - 1 - i] = t
        total = total + t * t
    return total


def stored_narrow(x):
    y, total = np.zeros(len(x), dtype=np.float32), 0.0
    for i in range(len(x)):
        t = np.exp(0.1 * x[i])
        y[i] = t
        total = total + t * t
    return total


def stored_broadcast(x):
    y, total = np.zeros((len(x), 3)), 0.0
    for i in range(len(x)):
        t = np.tanh(x[i : i + 1])
        y[i] = t
        total = total + np.sum(t * t)
    return total * np.sum(y)


def sweeps(d, e):
    """One counter's name in two loops, and stores that put back what was there."""
    for i in range(1, len(d)):
        d[i] = d[i] * e[i] - d[i - 1] * e[0]
    for i in range(len(e) - 2, -1, -1):
        e[i] = e[i] - d[i] * e[i + 1]


def swept(x):
    """A helper that is called several times: with parts that meet, with the same array, with others."""
    y, z = x.copy(), 2.0 * x
    sweeps(y[:4], y[2:6])
    sweeps(y[1:4], y[1:4])
    sweeps(z[:3], y[3:])
    return np.sum(y * z)


def clipped(x, p):
    """Slices of which the last one is cut to one element, which is broadcast."""
    y = x.copy()
    for j in range(len(y) - 2, 0, -1):
        y[j : j + 2] = p * y[j : j + 2] + np.sin(y[j + 1 : j + 3])
    return np.sum(y * y)


def clipped_on_the_way(x, p):
    y, w = x.copy(), np.ones(len(x))
    for j in range(len(y) - 2):
        a = y[j + 1 : j + 3] * w[j : j + 2]
        b = a * p + y[j : j + 2]
        w[j : j + 2] = b
        y[j : j + 2] = b + a * w[j + 1 : j + 3]
    return np.sum(w * w * y)


def clipped_rows(x, p):
    a = np.outer(x, x)
    for j in range(len(x) - 1):
        a[j : j + 2, j:] = a[j : j + 2, j:] * p + np.cos(a[j + 1 : j + 3, j:] * a[j + 1 : j + 3, j : j + 1])
    return np.sum(np.sin(a))


def priced_by_a_tree(values, p, n):
    values = values.copy()
    for i in range(n - 1, -1, -1):
        values[: i + 1] = p * values[: i + 1] + (1 - p) * values[1 : i + 2]
    return values[0]


CASES = {
    substituted: (SQUARE, SQUARE[0]), from_both_ends: (LONG,), stored_narrow: (LONG,), stored_broadcast: (LONG,),
    swept: (SQUARE[3] / 4.0,),
    widths: (LONG, LONG), wraps: (SQUARE[0],), short_of_the_end: (SQUARE[1],), rows: (SQUARE,), nested: (SQUARE / 9.0,),
    twice: (SQUARE[2] / 4.0,), overlapping: (SQUARE[3] / 4.0,), branches: (LONG, 30), until: (LONG,), leaves: (LONG,),
    down: (LONG,), kept: (LONG,), clears: (LONG / 4.0,), gathered: (LONG, np.array([1, 2, 2, 5])),
    mirrored_not: (SQUARE[4],), ties: (np.abs(LONG), np.abs(LONG[::-1])), none: (LONG, 0), swapped: (LONG,),
    steps: (LONG,), masked: (LONG,), kept_twice: (SQUARE / 6.0,), step_of_all: (SQUARE[0], SQUARE[1]),
    two_stores: (SQUARE[0], SQUARE[1]), stored_after_the_loop: (SQUARE[0], SQUARE[1]),
    through_a_part: (SQUARE[0], SQUARE[1]), beside_another: (SQUARE[0], SQUARE[1]),
    clipped: (LONG / 2.0, 0.3), clipped_on_the_way: (LONG / 2.0, 0.3), clipped_rows: (LONG[:20] / 2.0, 0.3),
    priced_by_a_tree: (LONG, 0.3, len(LONG) - 1),
}  # fmt: skip


@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_the_same_numbers(f):
    args = CASES[f]
    wrt = tuple(k for k, a in enumerate(args) if getattr(a, "dtype", None) == "f8")
    raw = tangent.grad(f, wrt=wrt, optimized=False)(*args)
    gradient = tangent.grad(f, wrt=wrt)
    version = gradient.versions.version(*args, 1.0) if gradient.versions is not None else gradient
    for made in (gradient, version or gradient):
        found = made(*args, 1.0)
        for a, b in zip(raw if len(wrt) > 1 else [raw], found if len(wrt) > 1 else [found]):
            np.testing.assert_allclose(b, a, rtol=1e-9, atol=1e-12)
    tangent.check_grads(f, args, wrt=wrt, modes=("reverse",), rtol=1e-4, atol=1e-5)


def test_what_is_never_read_is_not_put_back():
    def product(a):
        b = a.copy()
        for k in range(len(b) - 1):
            b[k + 1 :, k] /= b[k, k]
            b[k + 1 :, k + 1 :] -= np.outer(b[k + 1 :, k], b[k, k + 1 :])
        return np.sum(np.log(np.diag(b)))

    source = tangent.grad(product).version(SQUARE @ SQUARE.T).source
    assert source.count(".append(") == 1 and "unbroadcast" not in source.split("for k in reversed")[1]


def test_what_is_stored_beside_its_place_has_the_length_of_it():
    source = tangent.grad(priced_by_a_tree).version(LONG, 0.3, 39).source
    assert "_stack" not in source and "bt6 = bvalues2[:i + 1].copy()" in source


def test_lengths_that_may_be_one_are_summed():
    def scaled(x, y):
        total = 0.0
        for k in range(3):
            total = total + np.sum(x[k:] * y[: 2 - k])
        return total

    x, y = np.ones(3), np.arange(1.0, 3.0)
    with pytest.raises(ValueError):
        tangent.grad(scaled, wrt=(0, 1)).version(x, y)(x, y)
    same, other = np.ones(2), np.arange(1.0, 5.0)
    found = tangent.grad(lambda x, y: np.sum(x[1:] * y), wrt=(0, 1))
    for _ in range(4):
        a, b = found(same, other)
    np.testing.assert_allclose(a, [0.0, 10.0])
    np.testing.assert_allclose(b, np.ones(4))


def reflected(r):
    y = r * 2.0
    y[:1] += r[1] * np.flip(y[:1])
    return y


def test_views_that_are_kept_beside_their_storage():
    x, v = np.array([0.7, 1.3, 0.4, 2.1]), np.array([0.3, 0.6, 0.8, 1.1])
    g = tangent.grad(lambda x: np.sum(reflected(x) * x))
    expected = (g(x + 1e-5 * v) - g(x - 1e-5 * v)) / 2e-5
    np.testing.assert_allclose(tangent.jvp(g)(x, dx=v), expected, rtol=1e-8)


def test_what_comes_from_an_array_that_is_put_back_is_not_kept():
    x, w = SQUARE[0], SQUARE[1]
    text = tangent.grad(step_of_all, wrt=(0, 1)).versions.version(x, w, 1.0).source
    assert text.count(".append(") == 1 and text.count("x2 * w") == 2


def test_what_an_array_still_holds_is_not_kept():
    text = tangent.grad(substituted, wrt=(0, 1)).version(SQUARE, SQUARE[0]).source
    assert ".append(" not in text and " = 0.0" not in text


def test_tangents_of_sums_at_places_are_summed_in_place():
    def bent(x):
        total = 0.0
        for i in range(len(x)):
            total += np.sin(x[i]) * x[i]
        return total

    gradient = tangent.grad(bent)
    product = tangent.jvp(gradient)
    v = LONG[::-1].copy()
    text = product.version(LONG, 1.0, v).source
    assert "with_part" not in text and "dbx[i] += " in text
    expected = (gradient(LONG + 1e-6 * v) - gradient(LONG - 1e-6 * v)) / 2e-6
    for _ in range(4):
        np.testing.assert_allclose(product(LONG, 1.0, v), expected, rtol=1e-6, atol=1e-6)


def centred(data):
    data -= np.mean(data, axis=0)
    found = np.zeros((6, 6))
    for i in range(6):
        found[i:, i] = found[i, i:] = data[:, i] @ data[:, i:]
    return found


def test_arguments_that_may_be_numbers_are_arrays_in_a_version_for_arrays():
    def covered(data):
        return np.sum(centred(data) ** 2)

    gradient = tangent.grad(covered)
    text = gradient.version(SQUARE).source
    assert "unbroadcast" not in text and "isinstance" not in text
    raw = tangent.grad(covered, optimized=False)(SQUARE)
    for _ in range(4):
        np.testing.assert_allclose(gradient(SQUARE), raw, rtol=1e-9, atol=1e-9)


def spread_out(u, dt, dx, n):
    for _ in range(n):
        c = dt / dx**2
        v = u.copy()
        u[1:-1] = v[1:-1] + c * (v[2:] - 2.0 * v[1:-1] + v[:-2])


def test_numbers_that_only_a_loop_sets_are_known_behind_it():
    def loss(u, dt, dx, n):
        spread_out(u, dt, dx, n)
        return np.sum(u * u)

    gradient, args = tangent.grad(loss, (0, 1, 2)), (LONG, 0.1, 1.5, 3)
    text = gradient.version(*args).source
    assert not any(asked in text for asked in ("unbroadcast", "scatter", "add_grad"))
    first = gradient(*args)
    for n in (0, 1, 3, 3, 0):
        found, raw = gradient(LONG, 0.1, 1.5, n), tangent.grad(loss, (0, 1, 2), optimized=False)(LONG, 0.1, 1.5, n)
        for a, b in zip(found, raw):
            np.testing.assert_allclose(a, b, rtol=1e-12)
    np.testing.assert_allclose(gradient(*args)[0], first[0], rtol=1e-12)


def element(y, x, i):
    y[i] = x[i] * y[i - 1] + 1.0


def test_elements_that_a_helper_stores_are_plain_items():
    def f(x):
        y = np.zeros(len(x))
        for i in range(len(x)):
            element(y, x, i)
        return y

    source = tangent.vjp(f).version(LONG, LONG).source
    assert "= by[i]" in source and "by[i - 1] += " in source
    assert "overwritten" not in source and "unbroadcast" not in source


def scaled(a, b, out):
    out[:] = a * b + out


def crossed(x):
    scaled(x[:-1], x[1:], x[1:])
    return x


def test_parts_that_a_function_is_given_are_parts_of_the_shadow():
    df = tangent.vjp(crossed)
    source = df.version(LONG, LONG).source
    assert "= bx[1:]" in source and "= bx[:-1]" in source
    assert "mirror" not in source and "is_part" not in source
    raw = tangent.vjp(crossed, optimized=False)(LONG, LONG)
    for _ in range(4):
        np.testing.assert_allclose(df(LONG, LONG), raw)
    first = np.array([2.0])
    np.testing.assert_allclose([df(first, np.ones(1)) for _ in range(4)], np.ones((4, 1)))


def test_names_of_parts_that_are_bound_again_are_asked_at_run_time():
    def f(x, n):
        y = x.copy()
        k = n
        v = y[k:]
        k = 0
        scaled(v, v, y[k : k + len(v)])
        return y

    df, raw = tangent.vjp(f), tangent.vjp(f, optimized=False)
    for _ in range(4):
        np.testing.assert_allclose(df(LONG, 3, LONG), raw(LONG, 3, LONG))
