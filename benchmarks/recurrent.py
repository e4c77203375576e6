"""An RNN and an LSTM over 100 steps: loops over arrays.

The LSTM, unrolled, takes `jax.jit` minutes to compile; it is left out there.
"""

from __future__ import annotations

import numpy as np

import tangent
from benchmarks import peers
from benchmarks.measure import Case

STEPS, BATCH, WIDTH = 100, 16, 64


def rnn(xs, w, u, b):
    h = np.zeros((xs.shape[1], w.shape[0]))
    for t in range(len(xs)):
        h = np.tanh(h @ w + xs[t] @ u + b)
    return np.sum(h * h)


def rnn_by_hand(xs, w, u, b):
    n = len(xs)
    hs = np.zeros((n + 1, xs.shape[1], w.shape[0]))
    for t in range(n):
        np.tanh(hs[t] @ w + xs[t] @ u + b, out=hs[t + 1])
    bh = 2.0 * hs[n]
    bw, bu, bb = np.zeros_like(w), np.zeros_like(u), np.zeros_like(b)
    for t in reversed(range(n)):
        h = hs[t + 1]
        bz = bh * (1.0 - h * h)
        bw += hs[t].T @ bz
        bu += xs[t].T @ bz
        bb += bz.sum(axis=0)
        bh = bz @ w.T
    return bw, bu, bb


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def lstm(xs, wi, wf, wo, wc):
    h = np.zeros((xs.shape[1], wi.shape[1]))
    c = h
    for t in range(len(xs)):
        z = np.concatenate([xs[t], h], axis=1)
        i = sigmoid(z @ wi)
        f = sigmoid(z @ wf)
        o = sigmoid(z @ wo)
        c = f * c + i * np.tanh(z @ wc)
        h = o * np.tanh(c)
    return np.sum(h * h)


def lstm_by_hand(xs, wi, wf, wo, wc):
    width = xs.shape[2]
    h = np.zeros((xs.shape[1], wi.shape[1]))
    c = h
    kept = []
    for x in xs:
        z = np.concatenate([x, h], axis=1)
        i, f, o = sigmoid(z @ wi), sigmoid(z @ wf), sigmoid(z @ wo)
        g = np.tanh(z @ wc)
        kept.append((z, i, f, o, g, c))
        c = f * c + i * g
        tc = np.tanh(c)
        kept[-1] += (tc,)
        h = o * tc
    bwi, bwf, bwo, bwc = (np.zeros_like(w) for w in (wi, wf, wo, wc))
    bh, bc = 2.0 * h, 0.0
    while kept:
        z, i, f, o, g, c, tc = kept.pop()
        bo = bh * tc * o * (1.0 - o)
        bc = bc + bh * o * (1.0 - tc * tc)
        bf = bc * c * f * (1.0 - f)
        bi = bc * g * i * (1.0 - i)
        bg = bc * i * (1.0 - g * g)
        bc = bc * f
        bwi += z.T @ bi
        bwf += z.T @ bf
        bwo += z.T @ bo
        bwc += z.T @ bg
        bz = bi @ wi.T
        bz += bf @ wf.T
        bz += bo @ wo.T
        bz += bg @ wc.T
        bh = bz[:, width:]
    return bwi, bwf, bwo, bwc


def traced_rnn(np, xs, w, u, b):
    h = 0.0 * (xs[0] @ u)
    for t in range(len(xs)):
        h = np.tanh(h @ w + xs[t] @ u + b)
    return np.sum(h * h)


def traced_lstm(np, xs, wi, wf, wo, wc):
    h = 0.0 * xs[0]
    c = h
    for t in range(len(xs)):
        z = np.concatenate((xs[t], h), 1)
        i, f, o = (1.0 / (1.0 + np.exp(-(z @ w))) for w in (wi, wf, wo))
        c = f * c + i * np.tanh(z @ wc)
        h = o * np.tanh(c)
    return np.sum(h * h)


def cases() -> list[Case]:
    rng = np.random.default_rng(0)
    xs = rng.normal(size=(STEPS, BATCH, WIDTH))
    w, u = rng.normal(size=(2, WIDTH, WIDTH)) / np.sqrt(WIDTH)
    simple = (xs, w, u, rng.normal(size=WIDTH))
    gated = (xs, *(rng.normal(size=(4, 2 * WIDTH, WIDTH)) / np.sqrt(WIDTH)))
    drnn, dlstm = tangent.grad(rnn, wrt=(1, 2, 3)), tangent.grad(lstm, wrt=(1, 2, 3, 4))
    return [
        Case(
            f"RNN, {STEPS} steps, {WIDTH} units", lambda: rnn(*simple), lambda: drnn(*simple),
            lambda: rnn_by_hand(*simple), peers.by(traced_rnn, simple, (1, 2, 3), tools=peers.TENSORFLOW), 1.15,
        ),
        Case(
            f"LSTM, {STEPS} steps, {WIDTH} units", lambda: lstm(*gated), lambda: dlstm(*gated),
            lambda: lstm_by_hand(*gated), peers.by(traced_lstm, gated, (1, 2, 3, 4), "jax", ("TensorFlow",)), 1.15,
        ),
    ]  # fmt: skip
