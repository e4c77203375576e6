"""Some of the functions as PyTorch runs them: operation by operation."""

from __future__ import annotations

from typing import Any


def recurrence(torch: Any, x: Any, n: int) -> Any:
    h = torch.tensor(0.1, dtype=torch.float64)
    for _ in range(n):
        h = torch.sin(h) * x + 0.5 * h
    return h


def mixture(torch: Any, means: Any, weights: Any, scales: Any, x: Any) -> Any:
    z = (x[:, None, :] - means) * torch.exp(scales)
    return torch.sum(torch.log(torch.sum(torch.exp(weights - 0.5 * torch.sum(z * z, 2)), 1)))


def network(torch: Any, w: Any, v: Any, x: Any, steps: int) -> Any:
    h = torch.zeros(w.shape[0], dtype=torch.float64)
    for _ in range(steps):
        h = torch.tanh(w @ h + v @ x)
    return torch.sum(h * h)


def lstm(torch: Any, w: Any, xs: Any, h: Any, c: Any) -> Any:
    total = 0.0
    for x in xs:
        forget, give = torch.sigmoid(x * w[0] + w[4]), torch.sigmoid(x * w[2] + w[6])
        take, change = torch.sigmoid(h * w[1] + w[5]), torch.tanh(h * w[3] + w[7])
        c = c * forget + take * change
        h = give * torch.tanh(c)
        total = total + torch.sum((h - x) ** 2)
    return total


def heat(torch: Any, u: Any, steps: int) -> Any:
    for _ in range(steps):
        inner = u[1:-1, 1:-1]
        new = inner + 0.1 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4.0 * inner)
        u = torch.cat((u[:1], torch.cat((u[1:-1, :1], new, u[1:-1, -1:]), 1), u[-1:]))
    return torch.sum(u * u)


def smooth(torch: Any, a: Any, steps: int) -> Any:
    for _ in range(steps):
        a = torch.cat((a[:1], (a[:-2] + a[2:]) / 2, a[-1:]))
    return torch.sum(a * a)


def elimination(torch: Any, a: Any) -> Any:
    pivots = []
    for _ in range(a.shape[0]):
        pivots.append(a[0, 0])
        a = a[1:, 1:] - torch.outer(a[1:, 0] / a[0, 0], a[0, 1:])
    return torch.sum(torch.stack(pivots) ** 2)


def shortest(torch: Any, w: Any) -> Any:
    for k in range(w.shape[0]):
        other = w[:, k, None] + w[None, k]
        w = torch.where(other < w, other, w)
    return torch.sum(w)
