"""Bundle adjustment: how far an observation is from where a camera sees a point, and the rows of its Jacobian.

A row has 15 entries (camera, point, weight), and there are two for each observation: a sparse Jacobian, row by row.
"""

from __future__ import annotations

import math

import numpy as np

PARAMETERS = 15


def error(r0, r1, r2, c0, c1, c2, focal, u0, v0, k1, k2, x0, x1, x2, weight, u, v):
    """The weighted distance in both directions: a point turned, projected, distorted."""
    y0, y1, y2 = x0 - c0, x1 - c1, x2 - c2
    angle = math.sqrt(r0 * r0 + r1 * r1 + r2 * r2 + 1e-12)
    a0, a1, a2 = r0 / angle, r1 / angle, r2 / angle
    c, s = math.cos(angle), math.sin(angle)
    along = (a0 * y0 + a1 * y1 + a2 * y2) * (1.0 - c)
    p0 = y0 * c + (a1 * y2 - a2 * y1) * s + a0 * along
    p1 = y1 * c + (a2 * y0 - a0 * y2) * s + a1 * along
    p2 = y2 * c + (a0 * y1 - a1 * y0) * s + a2 * along
    q0, q1 = p0 / p2, p1 / p2
    d = q0 * q0 + q1 * q1
    f = (1.0 + k1 * d + k2 * d * d) * focal
    return weight * (q0 * f + u0 - u), weight * (q1 * f + v0 - v)


def rows_by_hand(params, features, out):
    """The Jacobian, written by hand for Numba."""
    for k in range(params.shape[0]):
        r0, r1, r2, c0, c1, c2 = params[k, 0], params[k, 1], params[k, 2], params[k, 3], params[k, 4], params[k, 5]
        focal, k1, k2 = params[k, 6], params[k, 9], params[k, 10]
        weight = params[k, 14]
        y0, y1, y2 = params[k, 11] - c0, params[k, 12] - c1, params[k, 13] - c2
        angle = math.sqrt(r0 * r0 + r1 * r1 + r2 * r2 + 1e-12)
        a0, a1, a2 = r0 / angle, r1 / angle, r2 / angle
        c, s = math.cos(angle), math.sin(angle)
        e = 1.0 - c
        dot = a0 * y0 + a1 * y1 + a2 * y2
        w0, w1, w2 = a1 * y2 - a2 * y1, a2 * y0 - a0 * y2, a0 * y1 - a1 * y0
        p0, p1, p2 = y0 * c + w0 * s + a0 * dot * e, y1 * c + w1 * s + a1 * dot * e, y2 * c + w2 * s + a2 * dot * e
        q0, q1 = p0 / p2, p1 / p2
        d = q0 * q0 + q1 * q1
        g = 1.0 + k1 * d + k2 * d * d
        f = g * focal
        for i in range(2):
            q = q0 if i == 0 else q1
            bq = weight * f
            bf = weight * q
            row = out[k, i]
            row[6] = bf * g
            bg = bf * focal
            row[9], row[10] = bg * d, bg * d * d
            bd = bg * (k1 + 2.0 * k2 * d)
            b0, b1 = 2.0 * bd * q0, 2.0 * bd * q1
            if i == 0:
                b0 += bq
            else:
                b1 += bq
            h0, h1 = b0 / p2, b1 / p2
            h2 = -(h0 * q0 + h1 * q1)
            ha = h0 * a0 + h1 * a1 + h2 * a2
            by0 = h0 * c + (h1 * -a2 + h2 * a1) * -s + a0 * ha * e
            by1 = h1 * c + (h0 * a2 - h2 * a0) * -s + a1 * ha * e
            by2 = h2 * c + (h1 * a0 - h0 * a1) * -s + a2 * ha * e
            t0 = (y1 * h2 - y2 * h1) * s + h0 * dot * e + y0 * ha * e
            t1 = (y2 * h0 - y0 * h2) * s + h1 * dot * e + y1 * ha * e
            t2 = (y0 * h1 - y1 * h0) * s + h2 * dot * e + y2 * ha * e
            bangle = -s * (h0 * y0 + h1 * y1 + h2 * y2) + c * (h0 * w0 + h1 * w1 + h2 * w2) + s * ha * dot
            m = (bangle - (t0 * a0 + t1 * a1 + t2 * a2) / angle) / angle
            row[0], row[1], row[2] = t0 / angle + r0 * m, t1 / angle + r1 * m, t2 / angle + r2 * m
            row[3], row[4], row[5] = -by0, -by1, -by2
            row[7], row[8] = (weight, 0.0) if i == 0 else (0.0, weight)
            row[11], row[12], row[13] = by0, by1, by2
            row[14] = q * f + (params[k, 7] - features[k, 0] if i == 0 else params[k, 8] - features[k, 1])


def data(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    params = rng.normal(size=(n, PARAMETERS)) * 0.1
    params[:, 6] = 500.0
    params[:, 11:14] += np.array([0.3, 0.2, 4.0])
    params[:, 14] = 1.0 + rng.random(n)
    return params, rng.random((n, 2)), np.zeros((n, 2, PARAMETERS))


def for_jax(p, feature):
    import jax.numpy as jnp

    r, c, focal, centre, k1, k2, x, weight = p[0:3], p[3:6], p[6], p[7:9], p[9], p[10], p[11:14], p[14]
    y = x - c
    angle = jnp.sqrt(jnp.sum(r * r) + 1e-12)
    a = r / angle
    co, s = jnp.cos(angle), jnp.sin(angle)
    t = y * co + jnp.cross(a, y) * s + a * (jnp.dot(a, y) * (1.0 - co))
    q = t[:2] / t[2]
    d = jnp.sum(q * q)
    return weight * (q * (1.0 + k1 * d + k2 * d * d) * focal + centre - feature)


CPP = r"""
#include <cmath>
extern "C" void rows(const double *params, const double *features, double *out, long n) {
  for (long k = 0; k < n; k++) {
    const double *p = params + 15 * k;
    const double r[3] = {p[0], p[1], p[2]}, y[3] = {p[11] - p[3], p[12] - p[4], p[13] - p[5]};
    const double focal = p[6], k1 = p[9], k2 = p[10], weight = p[14];
    const double angle = std::sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + 1e-12);
    const double a[3] = {r[0] / angle, r[1] / angle, r[2] / angle};
    const double c = std::cos(angle), s = std::sin(angle), e = 1.0 - c;
    const double dot = a[0] * y[0] + a[1] * y[1] + a[2] * y[2];
    const double w[3] = {a[1] * y[2] - a[2] * y[1], a[2] * y[0] - a[0] * y[2], a[0] * y[1] - a[1] * y[0]};
    double t[3];
    for (int i = 0; i < 3; i++) t[i] = y[i] * c + w[i] * s + a[i] * dot * e;
    const double q[2] = {t[0] / t[2], t[1] / t[2]};
    const double d = q[0] * q[0] + q[1] * q[1], g = 1.0 + k1 * d + k2 * d * d, f = g * focal;
    for (int i = 0; i < 2; i++) {
      double *row = out + 30 * k + 15 * i;
      const double bf = weight * q[i], bg = bf * focal, bd = bg * (k1 + 2.0 * k2 * d);
      double b[2] = {2.0 * bd * q[0], 2.0 * bd * q[1]};
      b[i] += weight * f;
      const double h[3] = {b[0] / t[2], b[1] / t[2], -(b[0] * q[0] + b[1] * q[1]) / t[2]};
      const double ha = h[0] * a[0] + h[1] * a[1] + h[2] * a[2];
      const double cross[3] = {h[1] * a[2] - h[2] * a[1], h[2] * a[0] - h[0] * a[2], h[0] * a[1] - h[1] * a[0]};
      const double turn[3] = {y[1] * h[2] - y[2] * h[1], y[2] * h[0] - y[0] * h[2], y[0] * h[1] - y[1] * h[0]};
      double by[3], ba[3], bangle = s * ha * dot;
      for (int j = 0; j < 3; j++) {
        by[j] = h[j] * c + cross[j] * s + a[j] * ha * e;
        ba[j] = turn[j] * s + h[j] * dot * e + y[j] * ha * e;
        bangle += -s * h[j] * y[j] + c * h[j] * w[j];
      }
      const double m = (bangle - (ba[0] * a[0] + ba[1] * a[1] + ba[2] * a[2]) / angle) / angle;
      for (int j = 0; j < 3; j++) {
        row[j] = ba[j] / angle + r[j] * m;
        row[3 + j] = -by[j];
        row[11 + j] = by[j];
      }
      row[6] = bf * g;
      row[7] = i == 0 ? weight : 0.0;
      row[8] = i == 1 ? weight : 0.0;
      row[9] = bg * d;
      row[10] = bg * d * d;
      row[14] = q[i] * f + p[7 + i] - features[2 * k + i];
    }
  }
}
"""
