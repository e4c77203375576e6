"""What is known of one value: atoms of shape and dtype, and its kind."""

from __future__ import annotations

from typing import NamedTuple

Atoms = frozenset[str]
NO_ATOMS: Atoms = frozenset()
ANY: Atoms = frozenset(["<any>"])
DOUBLE: Atoms = frozenset(["<float64>"])  # of NumPy, unlike a float of Python: arrays of single precision become such


class Fact(NamedTuple):
    """A value's shape and dtype atoms (None: unknown), and whether it is surely a number or an array.

    `array` is said of NumPy's numbers, too, `stored` of what surely is an array: it can be written into, and shared.
    """

    shape: Atoms | None = None
    dtype: Atoms | None = None
    number: bool = False
    array: bool = False
    sequence: bool = False
    numbers: bool = False  # a tuple or list that holds nothing but numbers
    stored: bool = False
    listed: bool = False  # it may be a list, which can change

    @property
    def scalar(self) -> bool:
        """Whether it is a number, not an array without axes."""
        return self.number and self.shape == NO_ATOMS and not self.array


SCALAR = Fact(NO_ATOMS, NO_ATOMS, True)
UNKNOWN = Fact()
NUMBERS = Fact(sequence=True, numbers=True)
ANYTHING = Fact(ANY, ANY, True, True, True, True, True)


def constant_fact(value: object) -> Fact:
    if isinstance(value, complex):
        return Fact(NO_ATOMS, frozenset(["<complex>"]), True)
    return SCALAR if isinstance(value, (float, int)) else UNKNOWN


def is_real(fact: Fact) -> bool:
    """Whether a value is surely a number of Python that is not complex."""
    return fact.scalar and fact.dtype == NO_ATOMS


def of_result(fact: Fact) -> Fact:
    """What a caller knows of a result: its kind."""
    return SCALAR if fact.scalar else fact._replace(shape=None, dtype=None)


def union(parts: list[Atoms | None]) -> Atoms | None:
    """The atoms of all parts; one that is not known yet is taken to add nothing."""
    if any(p is None for p in parts):
        return None
    known = [p for p in parts if p is not None and p != ANY]
    return frozenset().union(*known) if known or not parts else ANY


def fits(operand: Fact, result: Fact) -> bool:
    """Whether an adjoint in the shape and dtype of the result already has those of the operand."""
    if not operand.number or operand.shape is None or result.shape is None:
        return False
    if operand.dtype is None or result.dtype is None:
        return False
    dtype = result.dtype - DOUBLE if operand.scalar else result.dtype
    return operand.shape == result.shape and dtype <= (operand.dtype or NO_ATOMS)
