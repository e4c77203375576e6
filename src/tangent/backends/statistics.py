"""`statistics`, in terms of functions that have rules: the library's own code counts in fractions.

Bound when somebody has imported it. Each function takes numbers in anything that can be looped over.
"""

from __future__ import annotations

import math
import sys
from statistics import StatisticsError
from typing import Any

from tangent.rules.table import Table


def bind_statistics(table: Table) -> None:
    library = sys.modules["statistics"]
    for written in WRITTEN:
        table.written[getattr(library, written.__name__)] = written


def mean(data: Any) -> Any:
    items = list(data)
    if len(items) < 1:
        raise StatisticsError("mean requires at least one data point")
    return math.fsum(items) / len(items)


def fmean(data: Any, weights: Any = None) -> Any:
    items = list(data)
    if weights is None:
        if len(items) < 1:
            raise StatisticsError("fmean requires at least one data point")
        return math.fsum(items) / len(items)
    shares = list(weights)
    if len(items) != len(shares):
        raise StatisticsError("data and weights must be the same length")
    whole = math.fsum(shares)
    if not whole:
        raise StatisticsError("sum of weights must be non-zero")
    return math.fsum([w * v for w, v in zip(shares, items)]) / whole


def harmonic_mean(data: Any, weights: Any = None) -> Any:
    items = list(data)
    if len(items) < 1:
        raise StatisticsError("harmonic_mean requires at least one data point")
    if min(items) < 0:
        raise StatisticsError("harmonic mean does not support negative values")
    shares = [1.0] * len(items) if weights is None else list(weights)
    if len(items) != len(shares):
        raise StatisticsError("Number of weights does not match data size")
    return math.fsum(shares) / math.fsum([w / v for w, v in zip(shares, items)])


def geometric_mean(data: Any) -> Any:
    items = list(data)
    if len(items) < 1:
        raise StatisticsError("Must have a non-empty dataset")
    return math.exp(math.fsum([math.log(v) for v in items]) / len(items))


def median(data: Any) -> Any:
    items = sorted(data)
    n = len(items)
    if n == 0:
        raise StatisticsError("no median for empty data")
    if n % 2 == 1:
        return items[n // 2]
    return (items[n // 2 - 1] + items[n // 2]) / 2


def variance(data: Any, xbar: Any = None) -> Any:
    items = list(data)
    if len(items) < 2:
        raise StatisticsError("variance requires at least two data points")
    return squares_about(items, xbar) / (len(items) - 1)


def pvariance(data: Any, mu: Any = None) -> Any:
    items = list(data)
    if len(items) < 1:
        raise StatisticsError("pvariance requires at least one data point")
    return squares_about(items, mu) / len(items)


def stdev(data: Any, xbar: Any = None) -> Any:
    items = list(data)
    if len(items) < 2:
        raise StatisticsError("stdev requires at least two data points")
    return math.sqrt(squares_about(items, xbar) / (len(items) - 1))


def pstdev(data: Any, mu: Any = None) -> Any:
    items = list(data)
    if len(items) < 1:
        raise StatisticsError("pstdev requires at least one data point")
    return math.sqrt(squares_about(items, mu) / len(items))


def squares_about(items: Any, middle: Any) -> Any:
    """The sum of the squared distances from a number, or from the mean."""
    around = math.fsum(items) / len(items) if middle is None else middle
    return math.fsum([(v - around) ** 2 for v in items])


WRITTEN: tuple[Any, ...] = (
    mean, fmean, harmonic_mean, geometric_mean, median, variance, pvariance, stdev, pstdev,
)  # fmt: skip
