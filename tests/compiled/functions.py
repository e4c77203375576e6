"""What docs/compiled_functions.md is made of: an expression for each function, and whether its derivative compiles."""

import copy
import types
import warnings

import numpy as np

import tangent
from programs import numeric

A = np.array([[0.3, 0.7, 0.95], [0.9, 0.2, 0.6]])
SQUARE = np.array([[0.9, 0.2, 0.4], [0.1, 0.8, 0.3], [0.5, 0.6, 0.7]])
V = np.array([0.4, 0.9, 0.2])
ELEMENTWISE = (
    "sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arctanh exp exp2 expm1 log log2 log10 log1p sqrt cbrt "
    "square reciprocal negative positive abs fabs deg2rad rad2deg degrees radians sinc real conj nan_to_num floor ceil "
    "rint trunc sign"
).split()
BINARY = (
    "add subtract multiply divide power mod remainder fmod arctan2 hypot logaddexp logaddexp2 copysign maximum minimum "
    "fmax fmin float_power floor_divide"
).split()
REDUCTIONS = "sum prod mean var std max min amax amin".split()
EXPRESSIONS = {
    "operators": [
        "x + y", "x - y", "x * y", "x / y", "x ** 2", "x ** y", "x % y", "x // y", "x @ w", "-x", "abs(x)",
    ],
    "elementwise": [f"np.{f}(x)" for f in ELEMENTWISE] + ["np.arccosh(x + 1.5)"] + [f"np.{f}(x, y)" for f in BINARY],
    "choices": ["np.clip(x, 0.25, 0.8)", "np.where(x > y, x, y)", "np.heaviside(x, 0.5)", "np.round(x)"],
    "reductions": [
        *(f"np.{f}(x)" for f in REDUCTIONS), *(f"np.{f}(x, axis=0)" for f in REDUCTIONS[:5]),
        "np.sum(x, axis=(0, 1))", "np.sum(x, axis=1, keepdims=True)", "np.mean(x, axis=0, keepdims=True)",
        "np.cumsum(x)", "np.cumprod(v)", "np.cumsum(x, axis=1)", "x.sum()", "x.mean()", "x.max()", "x.sum(0)",
        "np.median(x)", "np.percentile(v, 30)", "np.quantile(v, np.array([0.2, 0.6]))", "np.nansum(x)",
        "np.average(v, weights=v)", "np.cov(x)",
    ],
    "calculus": [
        "np.diff(v)", "np.diff(x, 2)", "np.ediff1d(v)", "np.trapezoid(v)", "np.trapezoid(v, np.cumsum(v))",
        "np.trapezoid(v, dx=v[0])",
        "np.interp(v, np.array([0.0, 1.0]), v[:2])", "np.convolve(v, v[:2])", "np.convolve(v, v[:2], 'same')",
        "np.correlate(v, v[:2])",
    ],
    "order": [
        "np.sort(v)", "np.sort(x)", "v[np.argsort(v)]", "np.append(v, 2.0 * v)", "np.delete(v, 1)", "np.take(v, 2)",
    ],
    "linear algebra": [
        "np.linalg.solve(w, v)", "np.linalg.inv(w)", "np.linalg.det(w)", "np.linalg.slogdet(w)[1]",
        "np.linalg.cholesky(w @ w.T + np.eye(3))", "np.linalg.eigvalsh(w)", "np.linalg.eigh(w)[1]",
        "np.linalg.qr(w)[0]", "np.linalg.qr(x)[1]", "np.linalg.svd(w)[1]", "np.linalg.svd(x, False)[2]",
        "np.linalg.pinv(x)", "np.linalg.norm(v)", "np.linalg.norm(v, 1)", "np.linalg.norm(w)",
        "np.linalg.matrix_power(w, 3)", "np.linalg.lstsq(w, v)[0]",
    ],
    "products": [
        "np.dot(x, w)", "np.dot(v, v)", "np.matmul(x, w)", "np.inner(v, v)", "np.outer(v, v)", "np.vdot(v, v)",
        "np.tensordot(x, w, axes=1)", "np.einsum('ij,jk->ik', x, w)", "np.einsum('ij->ji', x)", "np.kron(x, w)",
        "np.cross(v, w[0])", "np.trace(w)", "x @ v", "v @ w",
    ],
    "shapes": [
        "np.reshape(x, (3, 2))", "x.reshape(-1)", "np.ravel(x)", "np.transpose(x)", "x.T", "np.swapaxes(x, 0, 1)",
        "np.moveaxis(x, 0, 1)", "np.expand_dims(x, 0)", "np.squeeze(x[None])", "np.broadcast_to(v, (2, 3))",
        "np.concatenate((x, y))", "np.stack((x, y))", "np.vstack((x, y))", "np.hstack((x, y))",
        "np.column_stack((v, v))",
        "np.split(v, 3)[1]", "np.array_split(v, 2)[0]", "np.tile(v, 2)", "np.repeat(v, 2)", "np.roll(v, 1)",
        "np.flip(v)", "np.flip(x, 1)", "np.fliplr(x)", "np.flipud(x)", "np.rot90(x)", "np.pad(v, 1)", "np.diag(v)",
        "np.diagonal(w)", "np.tril(w)", "np.triu(w)",
    ],
    "index": [
        "x[0]", "x[:, 1]", "x[1:, ::2]", "v[::-1]", "x[:, None]", "x[..., 0]", "v[np.array([0, 0, 2])]", "v[v > 0.3]",
        "x[1, 2]", "x[np.array([0, 1]), np.array([2, 2])]",
    ],
    "making": [
        "np.array([v[0], v[1]])", "np.asarray(v) * 2.0", "np.copy(v)", "v.copy()", "np.zeros_like(v) + v",
        "np.ones(3) * v", "np.full(3, v[0])", "np.linspace(v[0], 1.0, 4)", "v.astype(np.float64)", "v[0].item()",
    ],
    "math": [f"math.{f}(v[0])" for f in "sin cos tan exp log sqrt atan tanh erf gamma lgamma expm1 log1p fabs".split()]
    + ["math.pow(v[0], 2.5)", "math.hypot(v[0], v[1])", "math.atan2(v[0], v[1])"],
    "builtins": ["max(v[0], v[1])", "min(v[0], v[1])", "abs(v[0])", "pow(v[0], 3)", "float(v[0])", "sum(v)"],
}  # fmt: skip
EVERY = [(kind, text) for kind, texts in EXPRESSIONS.items() for text in texts]
VALUES = {"x": A, "y": A[::-1].copy() * 0.7 + 0.1, "w": SQUARE, "v": V}


def function_of(text):
    """A function of what an expression mentions, and its arguments."""
    import math

    names = [n for n in VALUES if n in {*compile(text, "", "eval").co_names}]
    source = f"def f({', '.join(names)}):\n    return {text}\n"
    return made(source, {"np": np, "math": math}), tuple(copy.deepcopy(VALUES[n]) for n in names)


def made(source, namespace):
    import linecache

    file = f"<expression {source!r}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    exec(compile(source, file, "exec"), namespace)
    found = namespace["f"]
    assert isinstance(found, types.FunctionType)
    return found


def outcome(text):
    """`compiles`, or what is in the way; raises where a number is wrong."""
    import numba

    from tangent.backends.numba import init

    init()
    warnings.simplefilter("ignore")
    f, arguments = function_of(text)
    like = f(*arguments)
    seed = np.ones_like(like) if isinstance(like, np.ndarray) else 1.0
    if isinstance(like, np.ndarray) and like.dtype.kind != "f":
        seed = np.ones(like.shape)
    try:
        numba.njit(f)(*arguments)
        alone = True
    except Exception:
        alone = False
    found = []
    for mode, last in ((tangent.vjp, seed), (tangent.jvp, np.ones_like(arguments[0]))):
        want = mode(f)(*arguments, last)
        try:
            got = mode(f, compile="numba")(*arguments, last)
        except Exception as error:
            found.append(f"not {'backward' if mode is tangent.vjp else 'forward'}" if alone else "not by Numba itself")
            assert "Numba" in str(error) or not alone, error
            continue
        np.testing.assert_allclose(numeric.vector(got), numeric.vector(want), rtol=1e-10, atol=1e-12)
    return ", ".join(dict.fromkeys(found)) or ("compiles" if alone else "compiles, which Numba alone does not")
