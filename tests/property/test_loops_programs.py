"""Random loop nests: what is written for Numba is right, also at other sizes than those it was written for first."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from property.checks import as_python, check, compare, compiled_engine, define, flatten, tangent_engine, trial
from property.loops_writer import SIZES, STYLES, arguments, numbered

pytest.importorskip("numba")
NUMBERED = 4


@pytest.mark.parametrize("style", STYLES)
def test_loops_written_for_numba(style: str) -> None:
    for number in range(NUMBERED):
        program = numbered(number, style, size=8)
        found = trial(program)
        with as_python():
            if found is not None:
                check(found, compiled_engine(), (True,))
            f = define(program.source, "f")
            ours, other = (engine.vjp(f, program.wrt) for engine in (compiled_engine(), tangent_engine()))
            for sizes in SIZES:
                args = arguments(number, sizes)
                want = other(*copy.deepcopy(args), 1.0)
                compare(flatten(ours(*args, 1.0)), flatten(want), 1e-9, f"{style} {number} at {sizes}")
                assert all(np.array_equal(a, b) for a, b in zip(args, arguments(number, sizes)))
