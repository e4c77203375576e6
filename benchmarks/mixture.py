"""The log-likelihood of a Gaussian mixture: 1,000 points in 10 dimensions, 25 components, vectorised."""

from __future__ import annotations

import numpy as np

import tangent
from benchmarks import peers
from benchmarks.measure import Case

POINTS, DIMENSIONS, COMPONENTS = 1000, 10, 25


def log_likelihood(alphas, means, logs, x):
    """Components with diagonal covariance; `logs` are the logarithms of the inverse deviations."""
    centred = x[:, None, :] - means[None, :, :]
    scaled = centred * np.exp(logs)
    inner = alphas + np.sum(logs, axis=1) - 0.5 * np.sum(scaled * scaled, axis=2)
    top = np.max(inner, axis=1, keepdims=True)
    each = top[:, 0] + np.log(np.sum(np.exp(inner - top), axis=1))
    return np.sum(each) - len(x) * np.log(np.sum(np.exp(alphas)))


def log_likelihood_by_hand(alphas, means, logs, x):
    scales = np.exp(logs)
    scaled = (x[:, None, :] - means) * scales
    inner = alphas + logs.sum(axis=1) - 0.5 * np.einsum("nkd,nkd->nk", scaled, scaled)
    inner -= inner.max(axis=1, keepdims=True)
    p = np.exp(inner, out=inner)
    p /= p.sum(axis=1, keepdims=True)
    share = p.sum(axis=0)
    e = np.exp(alphas)
    weighted = p[:, :, None] * scaled
    bmeans = weighted.sum(axis=0) * scales
    weighted *= scaled
    return share - len(x) * e / e.sum(), bmeans, share[:, None] - weighted.sum(axis=0)


def traced(np, alphas, means, logs, x):
    scaled = (x[:, None, :] - means[None, :, :]) * np.exp(logs)
    inner = alphas + np.sum(logs, 1) - 0.5 * np.sum(scaled * scaled, 2)
    total = np.sum(np.log(np.sum(np.exp(inner), 1)))
    return total - len(x) * np.log(np.sum(np.exp(alphas)))


def cases() -> list[Case]:
    rng = np.random.default_rng(0)
    args = (
        rng.normal(size=COMPONENTS), rng.normal(size=(COMPONENTS, DIMENSIONS)),
        0.1 * rng.normal(size=(COMPONENTS, DIMENSIONS)), rng.normal(size=(POINTS, DIMENSIONS)),
    )  # fmt: skip
    gradient = tangent.grad(log_likelihood, wrt=(0, 1, 2))
    return [
        Case(
            "Gaussian mixture, 1000 x 10, 25 components", lambda: log_likelihood(*args), lambda: gradient(*args),
            lambda: log_likelihood_by_hand(*args), peers.by(traced, args, (0, 1, 2), tools=peers.TENSORFLOW), 1.15,
        )
    ]  # fmt: skip
