"""What functions note in lists of their module: once for each call of a derivative, and in their order."""

import contextlib

import pytest

import tangent

NOTES: list = []


class Cell:
    def __init__(self, v):
        self.v = v


def double(cell):
    cell.v = cell.v * 2.0


def note(notes, what):
    notes.append(what)


def double_and_note(cell):
    cell.v = cell.v * 2.0
    note(NOTES, "doubled")


def note_step():
    note(NOTES, "step")
    return len(NOTES)


@contextlib.contextmanager
def scaled(values, k):
    old = values["k"]
    values["k"] = old * k
    NOTES.append("in")
    try:
        yield values
    finally:
        values["k"] = old
        NOTES.append("out")


def noted_by_its_name(x):
    NOTES.append("begin")
    cells = [Cell(x)] * 2
    double(cells[0])
    cells[1].v *= x
    NOTES.append(cells[0].v)
    return cells[0].v


def noted_by_a_context(x):
    values = {"k": x}
    with scaled(values, 3.0) as found:
        y = found["k"] * x
        with scaled(values, x):
            y += values["k"]
    return y + values["k"]


def noted_by_what_is_called(x):
    cells = [Cell(x)] * 2
    for _ in range(2):
        double_and_note(cells[0])
    cells[1].v *= x
    return cells[0].v


def noted_before_and_after_a_call(x):
    cells = [Cell(x)] * 2
    double(cells[0])
    note(NOTES, "before")
    k = note_step()
    cells[1].v *= x
    note(NOTES, "after")
    note_step()
    return cells[0].v * k


def noted_by_a_nested_function(x):
    def step(v):
        try:
            if v > 1.0:
                return v * v
            v = v * 3.0
        finally:
            NOTES.append("step")
        return v

    return step(x) + step(x / 2.0)


def shown():
    """Another function of the module, which reads what is noted."""
    return list(map(str, NOTES))


PROGRAMS = [
    noted_by_its_name, noted_by_a_context, noted_by_what_is_called, noted_before_and_after_a_call,
    noted_by_a_nested_function,
]  # fmt: skip


def at(program, x):
    NOTES.clear()
    return program(x)


@pytest.mark.parametrize("optimized", [True, False])
@pytest.mark.parametrize("program", PROGRAMS)
def test_notes_are_those_of_the_function(program, optimized) -> None:
    reverse = tangent.grad(program, optimized=optimized)
    forward = tangent.jvp(program, optimized=optimized)
    for k in range(4):
        x = 1.3 + 0.01 * k
        slope = (at(program, x + 1e-6) - at(program, x - 1e-6)) / 2e-6
        at(program, x)
        noted = list(NOTES)
        for derivative in (reverse, lambda v: forward(v, 1.0)):
            assert at(derivative, x) == pytest.approx(slope, rel=1e-6)
            assert noted == NOTES


def test_second_derivatives_through_what_is_noted() -> None:
    second = tangent.grad(tangent.grad(noted_before_and_after_a_call))
    assert at(second, 1.3) == pytest.approx(8.0)
