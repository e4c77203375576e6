"""Random programs that containers steer which change while they run: right, or refused."""

from __future__ import annotations

from contextlib import suppress

import pytest

from property.checks import check, tangent_engine, trial
from property.steering_writer import numbered
from tangent.errors import TangentError

NUMBERED = range(14)


@pytest.mark.parametrize("seed", NUMBERED)
def test_programs_that_containers_steer(seed: int) -> None:
    program = numbered(seed)
    found = trial(program)
    if found is None:
        pytest.skip("finite differences cannot be trusted here")
    try:
        with suppress(TangentError):
            check(found, tangent_engine(), times=3)
    except Exception as error:
        error.add_note(f"{program}\npython scripts/fuzz.py steering --start {seed} --count 1 --times 3 --shrink")
        raise
