"""Kinds that are found by example are those of what the functions really give, for arrays of any lengths."""

import ast

import numpy as np
import pytest

import tangent
from tangent import runtime
from tangent.optimise.shaped.example import by_example, is_formal
from tangent.optimise.shaped.infer import constant_kind
from tangent.optimise.shaped.kinds import UNKNOWN, Items, Number, kind_of, not_one
from tangent.optimise.shaped.making import value_of

CALLS = """
np.floor(x)
np.rint(v)
np.fix(x)
np.round(x, 2)
np.floor_divide(x, 0.7)
np.logaddexp.accumulate(v)
np.maximum.accumulate(x, axis=1)
np.add.reduceat(x, [0, 2, 1], axis=1)
np.cumsum(x)
np.cumsum(x, axis=1)
np.cumprod(v)
np.diff(v)
np.diff(x, axis=0)
np.diff(x, 2)
np.sort(x, axis=0)
np.argsort(v)
np.einsum('ij,kj->ik', x, x)
np.einsum('ij->ji', x)
np.einsum('ij,jk,kl->il', s, s, s)
np.einsum('i,j', v, v)
np.tensordot(x, x, axes=([1], [1]))
np.inner(x, x)
np.kron(v, v)
np.tile(v, 3)
np.repeat(x, 2, axis=1)
np.squeeze(x[None])
np.expand_dims(x, 1)
np.moveaxis(x, 0, 1)
np.column_stack((v, v))
np.diagonal(s)
np.trace(s)
np.pad(v, 2)
np.convolve(v, v)
np.convolve(v, v, mode='same')
np.gradient(v)
np.trapezoid(x, axis=1)
np.median(x, axis=0)
np.quantile(v, 0.3)
np.var(x, axis=1)
np.cov(x)
np.vander(v, 4)
np.take(x, 1, axis=0)
np.tril(s)
np.linalg.inv(s)
np.linalg.det(s)
np.linalg.slogdet(s)
np.linalg.solve(s, s)
np.linalg.cholesky(s)
np.linalg.eigh(s)
np.linalg.eigvalsh(s)
np.linalg.qr(x)
np.linalg.pinv(x)
np.linalg.norm(x, axis=1)
np.linalg.norm(x)
np.linalg.matrix_power(s, 3)
np.linspace(0.0, 1.0, 5)
np.argmax(v)
np.sqrt(3)
runtime.mT(x)
runtime.cofactors(s)
runtime.cumsum_reversed(x, x, 1)
np.diagonal(t, axis1=1, axis2=2)
np.linalg.svd(t, compute_uv=False)
np.linalg.svd(t, full_matrices=False)
np.linalg.qr(t)
np.tril(v)
""".strip().splitlines()
LENGTHS = [(3, 5), (2, 20), (40, 4), (20, 30), (25, 25), (1, 3), (17, 1)]


def agrees(kind, value, lengths):
    """Whether a value is of a kind; lengths tells those of the axes with names."""
    if kind == UNKNOWN:
        return True
    if isinstance(kind, Items):
        return len(kind.items) == len(value) and all(agrees(k, x, lengths) for k, x in zip(kind.items, value))
    assert isinstance(kind, Number)
    if np.ndim(value) != kind.rank or np.asarray(value).dtype.str[1:] != kind.dtype:
        return False
    return all(length_agrees(n, m, lengths) for n, m in zip(kind.axes, np.shape(value)))


def length_agrees(n, m, lengths):
    if isinstance(n, int):
        return n == m
    if n.startswith("?"):
        return True
    base, _, less = n.partition("-")
    return (lengths[base] - int(less or 0) == m if base in lengths else n == "!") and (m != 1 or not not_one(n))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("text", CALLS)
@pytest.mark.parametrize("shape", LENGTHS, ids=str)
def test_the_kind_of_a_call(text, shape):
    rng = np.random.default_rng(0)
    x = rng.normal(size=shape)
    a = rng.normal(size=(shape[1], shape[1]))
    given = {
        "x": x, "v": rng.normal(size=shape[0]), "s": a @ a.T + np.eye(shape[1]), "t": rng.normal(size=(18, *shape)),
    }  # fmt: skip
    kinds = {v: kind_of(value, v) for v, value in given.items()}
    lengths = {f"{v}.{i}": n for v, value in given.items() for i, n in enumerate(value.shape)}

    def of(e):
        match e:
            case ast.Name(id=v):
                return kinds[v]
            case ast.Tuple(elts=elts):
                return Items(tuple(map(of, elts)), fixed=True)
            case ast.Constant(value=value):
                return constant_kind(value)
            case ast.Subscript(value=ast.Name(id=v)):
                return Number((1, *kinds[v].axes), "f8")
            case _:
                return UNKNOWN if value_of(e) is ... else constant_kind(value_of(e))

    call = ast.parse(text, mode="eval").body
    names = {"np": np, "runtime": runtime}
    function = eval(ast.unparse(call.func), names)
    try:
        real = eval(text, {**names, **given})
    except (ValueError, IndexError, np.linalg.LinAlgError):
        return
    kind = by_example(function, call, of)
    assert agrees(kind, real, lengths), (kind, np.shape(real))
    if min(shape) > 1:
        assert kind != UNKNOWN


def test_what_values_decide_is_not_known():
    assert not any(map(is_formal, (np.unique, np.nonzero, np.extract, np.compress, np.argwhere, np.trim_zeros)))
    assert not is_formal(np.random.normal) and not is_formal(print)


def test_counts_decide_about_a_form():
    kinds = {"v": kind_of(np.ones(20), "v"), "n": kind_of(np.ones(20, int), "n")}
    for text in ("np.repeat(v, n)", "np.delete(v, n)", "np.split(v, n)"):
        call = ast.parse(text, mode="eval").body
        assert by_example(getattr(np, call.func.attr), call, lambda e: kinds[e.id]) == UNKNOWN


def repeated(x, counts):
    y = np.repeat(x, counts)
    return np.sum(np.sin(y) * np.arange(len(y)))


def test_repeated_as_often_as_counts_say():
    x, counts = np.linspace(0.1, 2.0, 20), np.arange(20) % 3
    df = tangent.grad(repeated)
    for _ in range(4):
        np.testing.assert_allclose(df(x, counts), tangent.grad(repeated, optimized=False)(x, counts))


def filtered(z, F, H, Q, x, P):
    """The likelihood of what was observed, by a Kalman filter."""
    total = 0.0
    for k in range(len(z)):
        x = F @ x
        P = F @ P @ F.T + Q
        y = z[k] - H @ x
        S = H @ P @ H.T + np.eye(2)
        K = P @ H.T @ np.linalg.inv(S)
        x = x + K @ y
        P = (np.eye(len(x)) - K @ H) @ P
        total += -0.5 * (y @ np.linalg.solve(S, y) + np.linalg.slogdet(S)[1])
    return total


def attended(x, wq, wk):
    q, k = np.einsum("td,dk->tk", x, wq), np.einsum("td,dk->tk", x, wk)
    s = np.exp(np.einsum("tk,sk->ts", q, k) / np.sqrt(q.shape[-1]))
    return np.sum(s / s.sum(axis=-1, keepdims=True) * x[:, 0]) ** 2


def walked(z, sigma, h):
    paths = np.exp(np.cumsum(sigma * np.sqrt(h) * z, axis=1))
    return np.mean(np.maximum(paths.mean(axis=1) - 1.0, 0.0)) + np.sum(np.diff(paths[0]) ** 2)


rng = np.random.default_rng(1)
PROGRAMS = [
    (filtered, (rng.normal(size=(3, 2)), 0.5 * rng.normal(size=(3, 3)), rng.normal(size=(2, 3)), np.eye(3),
                rng.normal(size=3), np.eye(3)), (1, 2, 3)),
    (attended, (rng.normal(size=(20, 3)), rng.normal(size=(3, 4)), rng.normal(size=(3, 4))), (0, 1, 2)),
    (walked, (rng.normal(size=(20, 5)), 0.3, 0.1), (0, 1)),
]  # fmt: skip


@pytest.mark.parametrize("f, args, wrt", PROGRAMS, ids=lambda p: getattr(p, "__name__", ""))
def test_versions_go_on_behind_such_calls(f, args, wrt):
    version = tangent.grad(f, wrt=wrt).version(*args)
    assert "unbroadcast" not in version.source and "_adjoint_" not in version.source
    for mine, plain in zip(version(*args), tangent.grad(f, wrt=wrt, optimized=False)(*args), strict=True):
        assert np.shape(mine) == np.shape(plain)
        np.testing.assert_allclose(mine, plain, rtol=1e-10, atol=1e-12)


def accumulated(x):
    return np.sum(np.logaddexp.accumulate(x, axis=1) * np.maximum.accumulate(x)) + np.sum(np.add.reduceat(x, [0, 3, 1]))


def test_methods_of_ufuncs_are_followed() -> None:
    gradient, x = tangent.grad(accumulated), np.cos(np.arange(400.0)).reshape(20, 20)
    assert "unbroadcast" not in gradient.version(x).source
    for _ in range(3):
        np.testing.assert_allclose(gradient(x), tangent.grad(accumulated, optimized=False)(x), rtol=1e-13, atol=1e-13)


def test_steps_are_followed() -> None:
    def stepped(x):
        return np.sum((x * np.floor(x) + np.round(x, 1) * x) ** 2)

    gradient, x = tangent.grad(stepped), np.linspace(0.13, 4.2, 40)
    assert "unbroadcast" not in gradient.version(x).source
    for _ in range(3):
        np.testing.assert_allclose(gradient(x), tangent.grad(stepped, optimized=False)(x), rtol=1e-13)
