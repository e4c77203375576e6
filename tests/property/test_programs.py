"""Random programs of values: both modes agree with finite differences, with each other, and raw with optimised.

Nothing in these programs may be refused. A failure shows the smallest program that Hypothesis found;
`scripts/fuzz.py` runs as many more as one likes.
"""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, assume, given, note, settings

from property.checks import Engine, Trial, Wrong, check, check_second, define, flatten, leaves, tangent_engine, trial
from property.checks import fill as shaped
from property.templates import STYLES
from property.writer import Program, numbered, programs

EXAMPLES = {"straight": 25, "branches": 25, "loops": 30, "calls": 25, "all": 30}
SECOND = {"straight": 6, "branches": 6, "loops": 8, "calls": 6, "all": 8}
NUMBERED = range(60)  # Hypothesis prefers small programs; these are not small


def several(count: int) -> settings:
    checks = [
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
        HealthCheck.filter_too_much,
        HealthCheck.large_base_example,
    ]
    return settings(
        phases=(Phase.generate, Phase.shrink),
        max_examples=count,
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=checks,
        print_blob=False,
    )


def tried(program: Program) -> Trial:
    """Within a property: the program's trial, if its finite differences can be trusted."""
    note(str(program))
    found = trial(program)
    assume(found is not None)
    assert found is not None
    return found


def example() -> Trial:
    found = trial(EXAMPLE)
    assert found is not None
    return found


@pytest.mark.parametrize("style", STYLES)
def test_first_derivatives_agree_with_finite_differences(style: str) -> None:
    @several(EXAMPLES[style])
    @given(programs(style))
    def agree(program: Program) -> None:
        check(tried(program), tangent_engine())

    agree()


@pytest.mark.parametrize("seed", NUMBERED)
def test_numbered_programs_agree_with_finite_differences(seed: int) -> None:
    program = numbered(seed)
    found = trial(program)
    if found is None:
        pytest.skip("finite differences cannot be trusted here")
    try:
        check(found, tangent_engine())
    except Exception as error:
        error.add_note(f"{program}\npython scripts/fuzz.py values --start {seed} --count 1 --shrink")
        raise


@pytest.mark.parametrize("style", STYLES)
def test_second_derivatives_agree_whichever_way(style: str) -> None:
    @several(SECOND[style])
    @given(programs(style, size=6))
    def agree(program: Program) -> None:
        check_second(tried(program), tangent_engine())

    agree()


# --------------------------------------------------------------------------------------------- the checker itself

EXAMPLE = Program(
    """\
import io

import numpy as np

sink = io.StringIO()


def f(x, v, n):
    print('once', file=sink)
    for i in range(n):
        v = np.sin(v) * x
    return x * v, np.sum(v)
""",
    (0.7, np.array([0.3, -0.5, 1.1]), 2),
    (0, "v"),
    ("x", "v", "n"),
)


def exact(found: Trial, wrong: str = "") -> Engine:
    """An engine that knows the answer of one trial, and spoils it as told."""
    positions = found.program.positions

    def vjp(f: object, wrt: object, optimized: bool = True) -> object:
        def gradient(*args: object) -> object:
            found.f(*args[:-1])
            numbers = flatten(args[-1]) @ found.jacobian
            if wrong == "gradient":
                numbers[1] *= 1 + 1e-4
            if wrong == "raw":
                numbers[0] += 1e-9 * (not optimized)
            if wrong == "writes":
                args[positions[1]][0] += 1.0  # type: ignore[index]
            if wrong == "prints":
                found.f(*args[:-1])
            result = list(shaped([args[k] for k in positions], numbers))
            if wrong == "shape":
                result[1] = result[1][None]
            if wrong == "alias":
                args[positions[1]][:] = result[1]  # type: ignore[index]
                result[1] = args[positions[1]]
            return tuple(result)

        return gradient

    def jvp(f: object, wrt: object, optimized: bool = True) -> object:
        def push(*args: object) -> object:
            found.f(*args[: len(found.program.args)])
            numbers = found.jacobian @ flatten(args[len(found.program.args) :])
            return shaped(found.result, numbers * (1 + 1e-5 * (wrong == "tangent")))

        return push

    return Engine(vjp, jvp)  # type: ignore[arg-type]


def test_the_checker_accepts_the_truth() -> None:
    found = example()
    check(found, exact(found))


@pytest.mark.parametrize("wrong", ["gradient", "tangent", "raw", "writes", "prints", "shape", "alias"])
def test_the_checker_finds_what_is_wrong(wrong: str) -> None:
    found = example()
    with pytest.raises(Wrong):
        check(found, exact(found, wrong))


def test_a_wrong_rule_is_found_in_some_program() -> None:
    """As if tanh had the derivative of arctan: many programs tell."""
    told = 0
    for seed in range(60):
        program = numbered(seed)
        spoilt = program.source.replace("np.tanh(", "np.arctan(")
        right, other = trial(program), trial(Program(spoilt, program.args, program.wrt, program.names))
        if right is None or other is None or right.jacobian.shape != other.jacobian.shape:
            continue
        try:
            check(right, exact(Trial(program, right.f, right.result, right.printed, other.jacobian)))
        except Wrong:
            told += 1
    assert told > 10


def test_a_branch_or_a_kink_within_a_step_is_discarded() -> None:
    source = "import io\nimport numpy as np\nsink = io.StringIO()\ndef f(x):\n    return {}\n"
    for text, kept in (
        ("x * x", True),
        ("x if x > 0.4999 else 2 * x", False),
        ("abs(x - 0.5)", False),
        ("np.maximum(x, 0.5001)", False),
        ("1.0 / (np.exp(2000.0 * x) + 1.0)", False),
    ):
        assert (trial(Program(source.format(text), (0.5,), (0,), ("x",))) is not None) == kept, text


# --------------------------------------------------------------------------------------------- the writer itself


def test_the_same_number_writes_the_same_program() -> None:
    assert all(numbered(seed).source == numbered(seed).source for seed in range(20))


def test_programs_have_source() -> None:
    f = define(numbered(3).source, "f")
    assert inspect.getsource(f).startswith("def f(")


def test_programs_run_and_are_worth_differentiating() -> None:
    found = [(program, trial(program)) for program in map(numbered, range(200))]
    kept = [(program, one) for program, one in found if one is not None]
    assert len(kept) > 190
    assert sum(bool(np.any(one.jacobian)) for _, one in kept) > 160
    assert all(isinstance(leaf, float | np.ndarray) for _, one in kept for leaf in leaves(one.result))
    for feature in (
        "branch",
        "for",
        "while",
        "call",
        "recursion",
        "break",
        "continue",
        "early return",
        "loop else",
        "update in loop",
        "swap",
        "dict",
    ):
        assert sum(feature in program.features for program, _ in kept) > 8, feature
