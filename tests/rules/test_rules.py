"""Every rule of the table at every sample: both modes, both orders, shapes and dtypes, as `check.py` says."""

from __future__ import annotations

import cmath
import functools
import importlib
import math
import re
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tangent
from rules.check import FIRST, MIXED, SECOND, Wrong, check, function_of, is_missing
from rules.dtypes import check_dtypes, check_second_dtypes
from rules.sample import S, Sample, positive, real
from rules.uncovered import EXERCISED_ELSEWHERE, IN_PLACE, NOTHING_TO_DIFFERENTIATE, REFUSED
from tangent.errors import RuleError, UnsupportedError
from tangent.rules import table as tables
from tangent.rules.notation import parse_rules
from tangent.rules.table import Table
from tangent.transform.unit import unit

RULES = {name: rule for name, rule in tables.table().rules.items() if not rule.scope}  # SciPy: test_scipy.py
FILES = sorted(path.stem for path in Path(__file__).parent.glob("samples_*.py"))
SAMPLES: dict[str, list[Sample]] = {}
for _file in FILES:
    for _rule, _samples in importlib.import_module(f"rules.{_file}").SAMPLES.items():
        SAMPLES.setdefault(_rule, []).extend(_samples)
CASES = [(rule, i, s) for rule, samples in SAMPLES.items() for i, s in enumerate(samples) if not is_missing(s)]

NAMES = Path(tables.FOLDER).parent / "backends" / "names.txt"
WRITTEN = NAMES.read_text(encoding="utf-8").partition("# Written out")[2]

pytestmark = pytest.mark.filterwarnings("ignore")


def _each(cases: list[tuple[str, int, Sample]]) -> Any:
    return pytest.mark.parametrize("sample", [pytest.param(s, id=f"{rule}-{i}") for rule, i, s in cases])


# The rules


@_each(CASES)
def test_first_order(sample: Sample) -> None:
    check(sample, (*FIRST, check_dtypes))


@_each([case for case in CASES if case[2].orders > 1])
def test_second_order(sample: Sample) -> None:
    check(sample, (*SECOND, check_second_dtypes))


@_each([case for case in CASES if case[2].orders > 1 and case[1] < 2])
def test_reverse_over_forward(sample: Sample) -> None:
    check(sample, MIXED)


def test_every_rule_has_samples() -> None:
    used = {rule for _, _, sample in CASES for rule in rules_of(sample)}
    absent = {name for name, samples in SAMPLES.items() if all(is_missing(s) for s in samples)}
    assert sorted(RULES.keys() - used - absent - EXERCISED_ELSEWHERE.keys()) == []


def test_everything_written_out_has_samples() -> None:
    names = {f"{path}(" for path in re.findall(r"^\w+: (.+)$", WRITTEN, re.MULTILINE)}
    names = {n for n in names if "._" not in n}  # what public functions share, which have samples
    assert [n for n in sorted(names) if not any(n in s.call for _, _, s in CASES)] == []


def test_every_sample_is_of_a_rule() -> None:
    assert [sample.call for _, _, sample in CASES if not rules_of(sample)] == []
    assert sorted(EXERCISED_ELSEWHERE.keys() - RULES.keys()) == []


@functools.cache
def rules_of(sample: Sample) -> frozenset[str]:
    """The rules by which a call is differentiated; a kernel without one is differentiated as any function."""
    operations = unit(function_of(sample)).operations.values()
    through = ("rule", "call", "dynamic")
    return frozenset(op.rule.name if op.kind == "rule" else "" for op in operations if op.kind in through)


# The checker can fail: wrong rules in a copy of the table

WRONG = [
    ("a wrong factor", "elementwise", "def tanh(y, x): d[x] = d[y] * (1.0 - y)", S("np.tanh(x)", x=real(3)), FIRST,
     "reverse"),
    ("a wrong sign", "elementwise", "def subtract(z, x, y): d[x] = d[z]; d[y] = d[z]", S("x - y", x=0.3, y=0.4), FIRST,
     "forward"),
    ("a wrong shape", "general", "def sum(y, a): d[a] = d[y]; d[y] = np.sum(d[a])", S("np.sum(x)", x=real(3)), FIRST,
     "shapes"),
    ("modes that differ", "general", "def cumsum(y, a): d[a] = np.cumsum(d[y]); d[y] = np.cumsum(d[a])",
     S("np.cumsum(x)", x=real(3)), FIRST, "adjoint"),
    ("a wrong dtype", "general",
     "def cumsum(y, a): d[a] = np.flip(np.cumsum(np.flip(d[y]))); d[y] = np.cumsum(d[a]).astype(float)",
     S("np.cumsum(x)", x=real(3)), (check_dtypes,), "dtypes"),
    ("a wrong second order", "linear",
     "def spread(y, b, x, axis=None, keepdims=False, where=True): d[b] = 2.0 * d[y][0]",
     S("np.sum(x)", x=real(3)), SECOND, "reverse_reverse"),
    ("a nonlinear tangent", "general",
     "def sinh(y, x): d[x] = d[y] * np.cosh(x); d[y] = d[x] * (np.cosh(x) + d[x])",
     S("np.sinh(x)", x=0.3), FIRST, "forward"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "text", "sample", "checks", "expected"), [w[1:] for w in WRONG], ids=[w[0] for w in WRONG]
)
def test_wrong_rules_are_found(
    monkeypatch: pytest.MonkeyPatch, kind: Any, text: str, sample: Sample, checks: Any, expected: str
) -> None:
    check(sample, checks)
    true = tables.table()
    (wrong,) = parse_rules(text, kind, "wrong.py")
    copy = Table(
        {**true.rules, wrong.name: wrong}, true.functions, true.methods, true.attributes, true.zero,
        true.zero_methods, true.zero_attributes,
    )  # fmt: skip
    copy.changed()
    monkeypatch.setattr(tables, "_loaded", lambda: copy)
    monkeypatch.setattr(tables, "_base", [])
    with pytest.raises(Wrong, match=rf"(^|\n){expected}: "):
        check(sample, checks)


# What NumPy has, the table has: a function that a new release brings is missing here until somebody decides about it


def _public(module: Any, name: str) -> list[str]:
    found = [n for n in dir(module) if not n.startswith("_") and not isinstance(getattr(module, n), types.ModuleType)]
    return [f"{name}.{n}" for n in found if callable(getattr(module, n)) or module is np.ndarray]


MODULES = {"np": np, "np.linalg": np.linalg, "np.fft": np.fft, "math": math, "cmath": cmath, "ndarray": np.ndarray}
PUBLIC = [path for name, module in MODULES.items() for path in _public(module, name)]


def _is_known(path: str) -> bool:
    table = tables.table()
    owner, _, name = path.rpartition(".")
    if owner == "ndarray":
        return any(name in t for t in (table.methods, table.attributes, table.zero_methods, table.zero_attributes))
    function = getattr(MODULES[owner], name)
    return bool(table.lookup(function)) or table.is_zero(function) or table.written_out(function) is not None


def test_every_function_of_numpy_is_decided() -> None:
    decided = NOTHING_TO_DIFFERENTIATE | IN_PLACE | REFUSED.keys()
    assert [path for path in PUBLIC if not _is_known(path) and path not in decided] == []


def test_the_list_of_refused_functions_is_not_stale() -> None:
    decided = NOTHING_TO_DIFFERENTIATE | IN_PLACE | REFUSED.keys()
    assert [path for path in PUBLIC if _is_known(path) and path in decided] == []


def test_builtins_of_numbers_are_known() -> None:
    table = tables.table()
    numbers = (abs, bool, complex, divmod, float, int, max, min, pow, round, sum)
    for function in (*numbers, len, list, range, sorted, tuple):
        assert table.lookup(function) or table.is_zero(function), function


# Call forms that are refused say so when they are differentiated


@pytest.mark.parametrize(
    "sample",
    [
        S("np.pad(x, 1, mode=f)", "f", x=real(3), f=lambda vector, width, axis, options: None),
        S("np.linalg.qr(x, mode='complete')[0] ** 2", x=real(4, 2)),
        S("np.linalg.svd(x)[0] ** 2", x=real(4, 2)),
        S("np.r_['r', x]", x=real(3)),
        S("np.geomspace(x, 2.0, 3, dtype=float)", x=1.0 + 0.5j),
    ],
    ids=lambda sample: sample.call,
)
def test_refused_forms(sample: Sample) -> None:
    """The error names the function, the reason and the way out."""
    f = function_of(sample)
    args = list(sample.values.values())
    with pytest.raises(UnsupportedError, match=r"cannot differentiate 'np\.") as caught:
        tangent.vjp(f, sample.wrt, check_dims=False)(*args, f(*args))
    assert caught.value.why and caught.value.todo


def test_an_array_to_write_into_by_its_place() -> None:
    x, y = real(3), np.zeros(())
    f = function_of(S("np.sum(x * x, 0, None, y)", x=x, y=y))
    np.testing.assert_allclose(tangent.vjp(f, ("x",))(x, y, 1.0), 2.0 * x)
    np.testing.assert_allclose(tangent.jvp(f, ("x",))(x, y, np.ones(3)), 2.0 * np.sum(x))
    assert y == 0.0


@pytest.mark.parametrize(
    ("sample", "keyword"),
    [
        (S("np.sin(x, where=m)", "m", x=real(3), m=np.array([True, False, True])), "where"),
        (S("np.add(x, x, signature='dd->d')", x=real(3)), "signature"),
        (S("np.median(2 * x, overwrite_input=True)", x=real(3)), "overwrite_input"),
        (S("np.nanquantile(2 * x, 0.3, 0, None, True)", x=real(3)), "overwrite_input"),
        (S("np.einsum('i,i->', x, x, dtype=float, casting='unsafe')", x=real(3)), "casting"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_refused_keywords_are_named(sample: Sample, keyword: str) -> None:
    with pytest.raises(RuleError, match=f"'{keyword}'"):
        tangent.vjp(function_of(sample), sample.wrt)


@pytest.mark.parametrize("call", ["np.power.reduce(x)", "np.arctan2.reduce(x)", "np.power.reduceat(x, [0])"])
def test_elements_that_numpy_leaves_out_are_refused(call: str) -> None:
    """On some processors NumPy reduces an array in a row by its first and last element alone."""
    x = positive(4)
    f, ufunc = function_of(S(call, x=x)), getattr(np, call.split(".")[1])
    if np.allclose(f(x), functools.reduce(ufunc, x)):
        check(S(call, x=x), FIRST)
        return
    with pytest.raises(UnsupportedError, match=rf"'np\.{ufunc.__name__}\.reduce") as caught:
        tangent.vjp(f)(x, np.ones_like(f(x)))
    assert f"functools.reduce(np.{ufunc.__name__}, x)" in str(caught.value)


def test_a_seed_is_not_consumed() -> None:
    f = function_of(S("[k * v for k, v in enumerate(x)]", x=real(3)))
    seed = [1.0, 2.0, 3.0]
    np.testing.assert_array_equal(tangent.vjp(f)(real(3), seed), [0.0, 2.0, 6.0])
    assert seed == [1.0, 2.0, 3.0]
