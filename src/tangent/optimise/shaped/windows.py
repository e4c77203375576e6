"""The length of a slice between a counter and so many places on, where it surely ends inside of the axis.

for i in range(len(x) - 2):
    x[i:i + 3]                  is 3 long
"""

from __future__ import annotations

from tangent.optimise.shaped.kinds import CLOSE, OPEN, UNSURE, Axis, split
from tangent.optimise.typed.affine import Sum, added, difference, possible, scaled


def window(n: Axis, lower: Axis, upper: Axis) -> int | None:
    """The length of a slice of an axis of length n.

    >>> window("x.0", "?i@1<?(x.0-2)>", "?(?i@1<?(x.0-2)>+3)")
    3
    >>> window("x.0", "?i@1<x.0>", "?(?i@1<x.0>+3)")
    """
    sums = [sum_of(a) for a in (n, lower, upper)]
    end, first, last = sums
    if end is None or first is None or last is None:
        return None
    length = difference(last, first)
    if any(v for v in length) or length.get("", 0) < 0:
        return None
    bounds = [b for v in {**end, **first, **last} for b in _bounds(v)]
    inside = not possible([*bounds, difference(last, end, 1)]) and not possible([*bounds, difference({}, first, 1)])
    return length.get("", 0) if inside else None


def sum_of(a: Axis) -> Sum | None:
    """What is known of an integer, in terms of counters and lengths.

    >>> sum_of("?(?(x.0-2)+1)")
    {'x.0': 1, '': -1}
    """
    if isinstance(a, int):
        return {"": a}
    inner = a[2:-1] if a.startswith(f"{UNSURE}(") and _closes(a[1:]) else a[1:-1] if _closes(a) else a
    at = _operator(inner)
    if at is None:
        return sum_of(inner) if inner != a else {a: 1} if a != UNSURE else None
    p, op, q = inner[:at], inner[at], inner[at + 1 :]
    one, two = (sum_of(int(x) if x.lstrip("-").isdigit() else x) for x in (p, q))
    if op == "*":
        return None
    return added(one, two if op == "+" else scaled(two, -1))


def _closes(text: str) -> bool:
    """Whether the first bracket is closed by the last."""
    if not text.startswith("(") or not text.endswith(")"):
        return False
    depth = 0
    for i, c in enumerate(text):
        depth += (c in OPEN) - (c in CLOSE)
        if not depth:
            return i == len(text) - 1
    return False


def _operator(text: str) -> int | None:
    """The last operator that stands in no brackets."""
    depth = 0
    for i in reversed(range(1, len(text))):
        depth += (text[i] in CLOSE) - (text[i] in OPEN)
        if not depth and text[i] in "+-*":
            return i
    return None


def _bounds(v: str) -> list[Sum]:
    """What a counter is not below and not above."""
    if not v.startswith(UNSURE) or "@" not in v or not v.endswith(">"):
        return []
    over = v[v.index("<") + 1 : -1]
    parts = split(over, ":")
    if len(parts) > 2 or over.startswith("at "):
        return []
    ends = [sum_of(int(p) if p.lstrip("-").isdigit() else p) for p in parts]
    low, high = ends if len(ends) == 2 else ({"": 0}, ends[0])
    found = [difference({v: 1}, low)] if low is not None else []
    return found + ([difference(high, {v: 1}, 1)] if high is not None else [])
