"""Some programs of the zoo through Numba; `scripts/compiled_zoo.py` does all of them."""

import pytest

from programs.registry import PROGRAMS, Case

numba = pytest.importorskip("numba")
zoo = pytest.importorskip("compiled.zoo")

FIRST = (
    "expressions.polynomial", "branches.huber", "branches.elif_chain", "loops.nested_for_loops", "loops.while_counter",
    "loops.for_zip_of_three", "calls.helper", "calls.helper_with_defaults", "arrays.matrix_vector", "scalars.newton",
    "containers.tuple_argument", "augmented.augmented_sum", "models.logistic_regression", "storage.filled",
)  # fmt: skip
KNOWN = {f"{p.theme}.{p.name}": p for p in PROGRAMS}
EVERY = [name for name in FIRST if name in KNOWN]
NAMES = sorted({*EVERY, *[name for i, name in enumerate(KNOWN) if i % 47 == 3]})


@pytest.mark.parametrize("name", NAMES)
def test_compiled_derivatives_agree(name):
    setting = zoo.Setting(Case(KNOWN[name], 0))
    if not zoo.primal_compiles(setting):
        pytest.skip("Numba does not compile the program itself")
    for kind in zoo.kinds(setting.program)[:2]:
        assert zoo.compare(setting, kind) == ""


@pytest.mark.parametrize("name", NAMES[::4])
def test_second_derivatives_agree(name):
    setting = zoo.Setting(Case(KNOWN[name], 0))
    if not zoo.primal_compiles(setting):
        pytest.skip("Numba does not compile the program itself")
    for kind in zoo.kinds(setting.program)[2:3]:
        assert zoo.compare(setting, kind) == ""
