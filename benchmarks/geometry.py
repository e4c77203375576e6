"""Small matrices in loops: residuals of bundle adjustment, and chains of 3x3 products as in hand tracking."""

from __future__ import annotations

import numpy as np

import tangent
from benchmarks.measure import Case

OBSERVATIONS, JOINTS = 50, 40


def rotated(r, x):
    """x turned about the axis r by the angle |r|."""
    angle = np.sqrt(np.sum(r * r) + 1e-12)
    axis = r / angle
    c, s = np.cos(angle), np.sin(angle)
    return x * c + np.cross(axis, x) * s + axis * (np.dot(axis, x) * (1.0 - c))


def residuals(cams, points, weights, features):
    total = 0.0
    for k in range(len(features)):
        cam = cams[k]
        p = rotated(cam[0:3], points[k] - cam[3:6])
        u = p[0:2] / p[2]
        q = np.sum(u * u)
        u = u * (1.0 + cam[7] * q + cam[8] * q * q) * cam[6] + cam[9:11]
        e = weights[k] * (u - features[k])
        total = total + np.sum(e * e)
    return total


def residuals_by_hand(cams, points, weights, features):
    bcams, bpoints, bweights = np.zeros_like(cams), np.zeros_like(points), np.zeros_like(weights)
    for k in range(len(features)):
        cam = cams[k]
        r, x = cam[0:3], points[k] - cam[3:6]
        angle = np.sqrt(np.sum(r * r) + 1e-12)
        axis = r / angle
        c, s = np.cos(angle), np.sin(angle)
        cr, d = np.cross(axis, x), np.dot(axis, x)
        p = x * c + cr * s + axis * (d * (1.0 - c))
        u = p[0:2] / p[2]
        q = np.sum(u * u)
        f = 1.0 + cam[7] * q + cam[8] * q * q
        v = u * f * cam[6] + cam[9:11] - features[k]
        e = weights[k] * v
        be = 2.0 * e
        bweights[k] = np.sum(be * v)
        bv = be * weights[k]
        bcam = bcams[k]
        bcam[9:11] = bv
        uv = np.sum(bv * u)
        bcam[6] = uv * f
        bf = uv * cam[6]
        bcam[7], bcam[8] = bf * q, bf * q * q
        bu = bv * (f * cam[6]) + u * (2.0 * bf * (cam[7] + 2.0 * cam[8] * q))
        bp = np.empty(3)
        bp[0:2] = bu / p[2]
        bp[2] = -np.sum(bu * u) / p[2]
        # p = x c + (axis x x) s + axis d (1 - c)
        ba = np.dot(bp, axis)
        bx = bp * c + np.cross(bp, axis) * s + axis * (ba * (1.0 - c))
        baxis = np.cross(x, bp) * s + bp * (d * (1.0 - c)) + x * (ba * (1.0 - c))
        bangle = np.dot(bp, x) * -s + np.dot(bp, cr) * c + ba * d * s
        bangle -= np.dot(baxis, axis) / angle
        bcam[0:3] = baxis / angle + r * (bangle / angle)
        bcam[3:6] = -bx
        bpoints[k] = bx
    return bcams, bpoints, bweights


def turn(angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def chain(angles, offsets, target):
    """The end of a chain of joints, each turned and moved against the one before."""
    m = np.eye(3)
    p = np.zeros(3)
    for k in range(len(angles)):
        p = p + m @ offsets[k]
        m = m @ turn(angles[k])
    e = p - target
    return np.sum(e * e)


def chain_by_hand(angles, offsets, target):
    n = len(angles)
    m, p = np.eye(3), np.zeros(3)
    ms, turns = [], []
    for k in range(n):
        t = turn(angles[k])
        ms.append(m)
        turns.append(t)
        p = p + m @ offsets[k]
        m = m @ t
    bp = 2.0 * (p - target)
    bm = np.zeros((3, 3))
    bangles, boffsets = np.zeros_like(angles), np.zeros_like(offsets)
    for k in reversed(range(n)):
        m, t = ms[k], turns[k]
        bt = m.T @ bm
        c, s = t[0, 0], t[1, 0]
        bangles[k] = -s * (bt[0, 0] + bt[1, 1]) + c * (bt[1, 0] - bt[0, 1])
        boffsets[k] = m.T @ bp
        bm = bm @ t.T
        bm += np.outer(bp, offsets[k])
    return bangles, boffsets


def cases() -> list[Case]:
    rng = np.random.default_rng(0)
    adjusted = (
        rng.normal(size=(OBSERVATIONS, 11)), rng.normal(size=(OBSERVATIONS, 3)) + np.array([0.0, 0.0, 9.0]),
        rng.normal(size=OBSERVATIONS), rng.normal(size=(OBSERVATIONS, 2)),
    )  # fmt: skip
    joints = (rng.normal(size=JOINTS), rng.normal(size=(JOINTS, 3)), rng.normal(size=3))
    dresiduals, dchain = tangent.grad(residuals, wrt=(0, 1, 2)), tangent.grad(chain, wrt=(0, 1))
    return [
        Case(
            f"bundle adjustment, {OBSERVATIONS} observations in a loop", lambda: residuals(*adjusted),
            lambda: dresiduals(*adjusted), lambda: residuals_by_hand(*adjusted), {}, 1.2,
        ),
        Case(
            f"chain of {JOINTS} 3x3 products in a loop", lambda: chain(*joints), lambda: dchain(*joints),
            lambda: chain_by_hand(*joints), {}, 1.2,
        ),
    ]  # fmt: skip
