"""What `collections.Counter` does with operators: counts that are not positive are dropped."""

from __future__ import annotations

from collections import Counter
from typing import Any


def counts_plus(a: Any, b: Any) -> Any:
    """`a + b`."""
    return Counter({k: a.get(k, 0) + b.get(k, 0) for k in {**a, **b} if a.get(k, 0) + b.get(k, 0) > 0})


def counts_minus(a: Any, b: Any) -> Any:
    """`a - b`."""
    return Counter({k: a.get(k, 0) - b.get(k, 0) for k in {**a, **b} if a.get(k, 0) - b.get(k, 0) > 0})


def largest_counts(a: Any, b: Any) -> Any:
    """`a | b`."""
    return Counter({k: max(a.get(k, 0), b.get(k, 0)) for k in {**a, **b} if max(a.get(k, 0), b.get(k, 0)) > 0})


def smallest_counts(a: Any, b: Any) -> Any:
    """`a & b`."""
    return Counter({k: min(a[k], b.get(k, 0)) for k in {**a} if min(a[k], b.get(k, 0)) > 0})


def positive_counts(a: Any) -> Any:
    """`+a`."""
    return Counter({k: a[k] for k in {**a} if a[k] > 0})


def negative_counts(a: Any) -> Any:
    """`-a`."""
    return Counter({k: -a[k] for k in {**a} if a[k] < 0})


def counts_total(a: Any) -> Any:
    """`a.total()`."""
    return sum(a.values())
