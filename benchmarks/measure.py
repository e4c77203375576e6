"""Timing side by side: contenders take turns, so that what the machine does meanwhile happens to all of them.

Seconds are those of the processor, which other programs on a busy machine do not take part in.
"""

from __future__ import annotations

import gc
import importlib
import statistics
import time
import tracemalloc
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Action = Callable[[], Any]


@dataclass
class Case:
    """One program at one size: the primal, our gradient, the one by hand, and peers, all without arguments.

    `target` is the most that ours may take, as a multiple of `against`.
    """

    name: str
    primal: Action
    ours: Action
    hand: Action
    peers: Mapping[str, Action] = field(default_factory=dict)
    target: float = 1.2
    against: str = "hand-written"
    tolerance: float = 1e-9
    rounds: int = 15

    def contenders(self) -> dict[str, Action]:
        return {"primal": self.primal, "ours": self.ours, "hand-written": self.hand, **self.peers}

    def check(self) -> None:
        """All gradients agree, before anything is measured."""
        expected = flat(self.hand())
        for name, action in {"ours": self.ours, **self.peers}.items():
            found = flat(action())
            assert len(found) == len(expected), f"{self.name}: {name} gives {len(found)} gradients"
            for a, b in zip(found, expected):
                scale = float(np.max(np.abs(b), initial=1e-300))
                worst = float(np.max(np.abs(np.asarray(a) - b), initial=0.0)) / scale
                assert worst <= self.tolerance, f"{self.name}: {name} is off by {worst:.1e}"


@dataclass(frozen=True)
class Measured:
    """Seconds a call by contender and round."""

    case: Case
    times: Mapping[str, Sequence[float]]

    def seconds(self, name: str) -> float:
        return statistics.median(self.times[name])

    def ratio(self, name: str, base: str) -> tuple[float, float, float]:
        """The median of the ratios round by round, and the middle half of them."""
        ratios = sorted(a / b for a, b in zip(self.times[name], self.times[base]))
        quarter = len(ratios) // 4
        return statistics.median(ratios), ratios[quarter], ratios[-1 - quarter]

    @property
    def met(self) -> bool:
        return self.ratio("ours", self.case.against)[0] <= self.case.target


def flat(gradients: Any) -> list[Any]:
    """Gradients in a row, as arrays."""
    if isinstance(gradients, tuple | list):
        return [a for g in gradients for a in flat(g)]
    return [np.asarray(gradients)]


def measured(case: Case, seconds: float = 0.02) -> Measured:
    """Round by round one turn for each; a turn is as many calls as fill a little time."""
    case.check()
    actions = case.contenders()
    calls = {name: max(1, round(seconds / _once(action))) for name, action in actions.items()}
    times: dict[str, list[float]] = {name: [] for name in actions}
    gc.collect()
    gc.disable()
    try:
        for _ in range(case.rounds):
            for name, action in actions.items():
                times[name].append(_turn(action, calls[name]))
    finally:
        gc.enable()
        for action in actions.values():
            if hasattr(action, "close"):
                action.close()
    return Measured(case, times)


WARM = 4  # calls before anything is measured: by then a derivative has its version


def _once(action: Action) -> float:
    start = time.perf_counter()
    for _ in range(WARM):
        action()
        if time.perf_counter() - start > 0.5:
            break
    return max(_turn(action, 1), 1e-7)


def _turn(action: Action, calls: int) -> float:
    if hasattr(action, "turn"):  # it runs elsewhere
        return float(action.turn(calls))
    start = time.process_time()
    for _ in range(calls):
        action()
    return (time.process_time() - start) / calls


def peak_bytes(action: Action) -> int:
    """The most memory that an action holds at a time."""
    gc.collect()
    tracemalloc.start()
    try:
        action()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


_missing: dict[str, str] = {}


def peer(name: str) -> types.ModuleType | None:
    """A library to compare with, or None, with a line that says so, where it is not installed."""
    if name in _missing:
        return None
    try:
        return importlib.import_module(name)
    except ImportError as e:
        _missing[name] = str(e)
        print(f"{name} is not installed: left out")
        return None


def leave_out(name: str, why: str) -> None:
    """A peer that is not compared with, with a line that says so."""
    if name not in _missing:
        _missing[name] = why
        print(f"{name} is left out: {why}")


def missing() -> list[str]:
    """The libraries that were asked for and are not there."""
    return sorted(_missing)
