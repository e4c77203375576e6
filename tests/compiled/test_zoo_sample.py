"""Some programs of the zoo through Numba; `scripts/compiled_zoo.py` does all of them."""

import pytest

from programs.registry import PROGRAMS, Case

numba = pytest.importorskip("numba")
zoo = pytest.importorskip("compiled.zoo")

FIRST = (
    "branches.huber", "branches.elif_chain", "loops.while_counter", "loops.for_zip_of_three",
    "containers.tuple_argument", "models.logistic_regression",
)  # fmt: skip
# One program in fifty: their names, so that new programs do not change the choice.
OTHERS = (
    "expressions.constant_result", "expressions.dead_code", "branches.optional_active_argument_again",
    "loops.for_over_global_names", "loops.return_inside_nested_loops", "calls.helper_with_star_kwargs",
    "calls.helper_on_slices", "arrays.transpose_function", "arrays.ones_times_active", "scalars.conversions",
    "containers.starred_empty", "inactive.try_that_fails", "traps.short_circuit_chain_again",
    "traps.half_power_at_zero", "traps.complex_products", "models.conjugate_gradient",
    "names.locals_named_like_tangents", "storage.add_at_adds_every_time", "storage.joined_lists_share_their_items",
    "closures.known_function_captured", "iterators.counted", "exceptions.loop_inside_try", "state.object_with_items",
    "kernels.hidden_states", "containers.nested_locals", "in_place.numbers_and_rows_raised_to_powers",
    "iterators.elements_with_indices", "storage.what_a_solver_gives_is_given_to_it_again",
    "arrays.broadcast_to_explicit", "traps.first_iteration_is_special", "storage.result_of_a_helper_times_its_argument",
    "owners.fields_called_as_members_of_arrays", "traps.divided_by_a_number_of_numpy",
)  # fmt: skip
KNOWN = {f"{p.theme}.{p.name}": p for p in PROGRAMS}
NAMES = sorted({*FIRST, *OTHERS})


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


@pytest.mark.parametrize(
    "name",
    [
        "containers.list_rebuilt", "arrays.builtin_sum", "helped.row_kept_by_a_helper_and_written",
        "calls.polynomials_of_a_helper",
    ],
)  # fmt: skip
def test_gradients_of_gradients_agree(name):
    """Lists as seeds, and sums of them; what calls of a helper that gives arrays, or has branches, have kept."""
    assert zoo.compare(zoo.Setting(Case(KNOWN[name], 0)), "reverse-reverse") == ""
