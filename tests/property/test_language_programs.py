"""Random programs that mix objects, closures, containers, generators, exceptions and slopes inside: right, or refused.

`scripts/fuzz.py language` runs as many more as one likes, and counts the refused ones.
"""

from __future__ import annotations

import pytest

from property.checks import Trial, check, check_second, tangent_engine, trial
from property.language_writer import numbered
from property.worlds import WORLDS
from tangent.errors import TangentError

SECOND = (100, 102, 103, 107)


def tried(seed: int, style: str) -> Trial:
    found = trial(numbered(seed, style, size=6))
    if found is None:
        pytest.skip("finite differences cannot be trusted here")
    return found


@pytest.mark.parametrize("style", WORLDS)
@pytest.mark.parametrize("seed", (0,))
def test_first_derivatives_agree_with_finite_differences(seed: int, style: str) -> None:
    found = tried(seed, style)
    try:
        check(found, tangent_engine(), times=3)
    except TangentError:
        return
    except Exception as error:
        error.add_note(f"{found.program}\npython scripts/fuzz.py language --style '{style}' --size 6 --start {seed}")
        raise


@pytest.mark.parametrize("seed", SECOND)
def test_second_derivatives_agree_whichever_way(seed: int) -> None:
    found = tried(seed, "all")
    try:
        check_second(found, tangent_engine())
    except TangentError:
        return
    except Exception as error:
        error.add_note(f"{found.program}\npython scripts/fuzz.py language --second --size 6 --start {seed}")
        raise
