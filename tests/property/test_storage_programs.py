"""Random programs that write in place: right, or refused; seldom refused; and the caller's arrays stay as they were."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, assume, given, note, settings

from property.checks import Trial, Wrong, check, check_second, checkpointed_engine, tangent_engine, trial
from property.storage_writer import STYLES, numbered, programs
from property.writer import Program
from tangent.errors import UnsupportedError

EXAMPLES = {"stores": 60, "views": 60, "loops": 60, "calls": 60, "containers": 40, "all": 60}
SECOND = {"stores": 8, "loops": 10, "containers": 6, "all": 10}
NUMBERED = range(100)
MOST_REFUSED = 0.05


def several(count: int) -> settings:
    checks = [
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
        HealthCheck.filter_too_much,
        HealthCheck.large_base_example,
    ]
    return settings(
        phases=(Phase.generate,),
        max_examples=count,
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=checks,
        print_blob=False,
    )


def tried(program: Program) -> Trial:
    note(str(program))
    found = trial(program)
    assume(found is not None)
    assert found is not None
    return found


@pytest.mark.parametrize("style", STYLES)
def test_first_derivatives_are_right_or_refused(style: str) -> None:
    from tangent.errors import TangentError

    verdicts: list[bool] = []

    @several(EXAMPLES[style])
    @given(programs(style))
    def agree(program: Program) -> None:
        found = tried(program)
        try:
            check(found, tangent_engine())
        except TangentError as error:
            note(str(error))
            verdicts.append(False)
        else:
            verdicts.append(True)

    agree()
    assert verdicts.count(False) <= MOST_REFUSED * len(verdicts)


def test_numbered_programs_are_right_and_seldom_refused() -> None:
    from tangent.errors import TangentError

    refused, tried = [], 0
    for seed in NUMBERED:
        program = numbered(seed)
        found = trial(program)
        if found is None:
            continue
        tried += 1
        try:
            check(found, tangent_engine())
        except TangentError:
            refused.append(seed)
        except Exception as error:
            error.add_note(f"{program}\npython scripts/fuzz.py storage --start {seed} --count 1 --shrink")
            raise
    assert len(refused) <= MOST_REFUSED * tried, f"refused: {refused}"


@pytest.mark.parametrize("style", SECOND)
def test_second_derivatives_are_right_or_refused(style: str) -> None:
    from tangent.errors import TangentError

    @several(SECOND[style])
    @given(programs(style, size=6))
    def agree(program: Program) -> None:
        found = tried(program)
        try:
            check_second(found, tangent_engine())
        except TangentError as error:
            note(str(error))

    agree()


def test_ignoring_an_alias_is_found() -> None:
    """As if every view were a copy: the programs in which that matters tell."""
    told = 0
    for seed in range(80):
        program = numbered(seed, "views")
        copies = (
            program.source.replace("np.asarray(", "np.array(")
            .replace(".ravel()", ".flatten()")
            .replace(".T\n", ".T.copy()\n")
        )
        right, other = trial(program), trial(Program(copies, program.args, program.wrt, program.names))
        if right is None or other is None:
            continue
        told += not np.allclose(right.jacobian, other.jacobian)
    assert told > 3


def test_programs_run_and_are_worth_differentiating() -> None:
    kept = [(program, one) for program in map(numbered, range(200)) if (one := trial(program)) is not None]
    assert len(kept) > 190
    assert sum(bool(np.any(one.jacobian)) for _, one in kept) > 170
    for feature in (
        "store",
        "augmented item",
        "augmented name",
        "view",
        "alias",
        "swap",
        "out=",
        "at",
        "mask",
        "call that fills",
        "list grows",
        "for",
        "while",
    ):
        assert sum(feature in program.features for program, _ in kept) > 10, feature


def test_the_checker_sees_a_caller_s_array_change() -> None:
    program = numbered(0, "stores")
    found = trial(program)
    assert found is not None
    engine = tangent_engine()

    def careless(*args: object, **options: object) -> object:
        return lambda *given: (given[program.positions[0]].__setitem__(0, 0.0), engine.vjp(*args, **options)(*given))[1]  # type: ignore[arg-type, attr-defined]

    with pytest.raises(Wrong, match="argument"):
        check(found, type(engine)(careless, engine.jvp))  # type: ignore[arg-type]


@pytest.mark.parametrize("count", [1, 2])
def test_with_few_states_kept(count: int) -> None:
    """Loops that keep some of their states and compute the others again give the same gradients."""
    for seed in range(7_000, 7_010):
        found = trial(numbered(seed, "all", 8))
        with suppress(UnsupportedError):  # what changes is not always an array that can be put back
            if found is not None:
                check(replace(found, printed=None), checkpointed_engine(count), (True,))
