# ruff: noqa  (programs under test are written as users write)
"""Right, or a located error: what cannot be differentiated says so, and nothing comes out silently wrong."""

import collections
import contextlib
import copy
import dataclasses
import functools
import inspect
import math
import os
import re
import time
from collections import deque

import numpy as np
import pytest

import tangent
from tangent import grad, jvp, value_and_grad, vjp
from tangent.errors import (
    InPlaceError,
    MissingRuleError,
    RuleError,
    SeedError,
    SourceError,
    TangentError,
    UnsupportedError,
    WrtError,
)  # fmt: skip

PACKAGE = os.path.dirname(tangent.__file__)

# The family


def test_all_errors_are_of_one_family():
    for kind in (SourceError, UnsupportedError, MissingRuleError, InPlaceError, WrtError, SeedError):
        assert issubclass(kind, tangent.TangentError)


# Messages


def message(make, *args):
    """What Tangent says to `make(*args)`."""
    with pytest.raises(TangentError) as caught:
        make(*args)
    return str(caught.value)


def located(make, *args, line, construct="", words=()):
    """A message that tells file, line, source line, caret, reason and way out, in that order."""
    text = message(make, *args)
    head, *rest = text.splitlines()
    number = next(n for n, shown in enumerate(open(__file__), 1) if line in shown and "line=" not in shown)
    assert head.startswith(f"{__file__}:{number}: "), f"no file and line of {line!r} in: {head}"
    assert construct in head, f"{construct!r} is not named in: {head}"
    reason = head.split(": ", 2)[-1]
    assert len(reason) > 10, f"no reason in: {head}"
    assert rest and rest[0].strip() == line.strip().split("  #")[0] or line.strip() in rest[0], (
        f"no source line in: {text}"
    )
    assert len(rest) > 1 and re.fullmatch(r" *\^+", rest[1]), f"no caret in: {text}"
    assert len(rest) > 2 and rest[2].strip(), f"no way out in: {text}"
    for word in words:
        assert word in text
    return text


def square(x):
    return x * x


def test_wrong_wrt_lists_the_arguments():
    assert "'square'" in message(grad, square, 1) and "x" in message(grad, square, 1)
    assert "'y'" in message(grad, square, "y")
    assert "twice" in message(grad, square, (0, "x"))
    assert "empty" in message(grad, square, ())


def test_wrong_seed_shape_tells_both_shapes():
    text = message(vjp(lambda x: x * 2.0), np.ones(3), np.ones(2))
    assert "(2,)" in text and "(3,)" in text


def test_a_result_that_is_no_number_needs_a_seed():
    text = message(grad(lambda x: x * 2.0), np.ones(3))
    assert "(3,)" in text and "seed" in text and "np.sum" in text


def test_a_complex_result_needs_a_seed():
    text = message(grad(lambda x: x * 1j), 1.0)
    assert "complex" in text and "np.real" in text


@pytest.mark.parametrize("f, kind", [
    (lambda x: None, "None"), (lambda x: "text", "str"), (lambda x: (x, x), "tuple"), (lambda x: [x, x], "list"), (lambda x: {"a": x}, "dict"),
])  # fmt: skip
def test_a_result_of_another_kind_is_named(f, kind):
    text = message(lambda: grad(f)(1.0))
    assert kind in text


def test_a_boolean_result_has_no_gradient():
    def f(x):
        return x > 0.0

    with pytest.raises(TangentError):
        grad(f)(1.0)


@pytest.mark.parametrize("f, kind", [
    (lambda x: int(x[0]), "int"), (lambda x: np.argmax(x), "int64"), (lambda x: x.astype(int), "array of int64"),
    (lambda x: x.astype(np.int32).sum(), "int64"), (lambda x: np.sum(x, dtype="i4"), "int32"), (lambda x: len(x), "int"),
    (lambda x: 1 if x[0] > 0.0 else 0, "int"),
])  # fmt: skip
def test_an_integer_result_of_floats_has_no_gradient(f, kind):
    for derivative in (grad(f), value_and_grad(f), grad(f, optimized=False)):
        text = message(derivative, np.ones(3))
        assert f"the result is {kind}" in text.replace("an array", "array"), text


def test_an_integer_result_where_a_derivative_flows_is_a_number():
    assert grad(lambda n: n * n)(3) == 6.0
    assert grad(lambda x: x * x if x > 0.0 else 0)(-2.0) == 0.0
    assert vjp(lambda x: x.astype(int))(np.ones(2), np.ones(2)).tolist() == [0.0, 0.0]


def test_no_result():
    def f(x):
        x * x

    assert "None" in message(lambda: grad(f)(1.0))


def no_rule(x):
    y = time.strftime(x)
    return y * x


def test_a_missing_rule_is_named():
    located(grad, no_rule, line="    y = time.strftime(x)", construct="strftime")
    located(jvp, no_rule, line="    y = time.strftime(x)", construct="strftime")
    with pytest.raises(MissingRuleError):
        grad(no_rule)


def no_rule_in_callee(x):
    return no_rule(x) * 2.0


def test_a_missing_rule_in_a_callee_is_located_there():
    located(lambda: grad(no_rule_in_callee)(1.0), line="    y = time.strftime(x)", construct="strftime")


def yields(x):
    y = yield x * 2.0
    return y


def awaits_nothing(x):
    values = [x * i for i in (y for y in range(3))]
    return (v * x for v in values)


def with_block(x):
    with np.errstate(all="ignore") as state:
        y = x * x
        state = y
    return state


def tries(x):
    try:
        y = 1.0 / x
    except ZeroDivisionError:
        y = x
    return y


def captures(x):
    g = lambda y: x * y
    return g(2.0) * g(x)


def sets_attribute(x):
    holder = Holder()
    holder.value = x * 2.0
    return holder.value * x


class Holder:
    value = 1.0


def matches(x):
    match [x, 2.0]:
        case [a, b]:
            return a * b


def walrus(x):
    if (y := x * x) > 1.0:
        return y * x
    return y


def generates(x):
    return sum(x * i for i in range(4))


def comprehends(x):
    return sum([v * v for v in x])


def comprehends_dict(x):
    d = {i: v * v for i, v in enumerate(x)}
    return d[0] + d[1]


def uses_global(x):
    global shared
    shared = x * x
    return shared * 2.0


def deletes(x):
    y = x * x
    z = y
    del y
    return z


def maps(x):
    return sum(map(square, x))


def filters(x):
    return sum(v * v for v in filter(lambda v: v > 0, x))


def sorts(x):
    return sorted(x)[0] * 3.0 + min(x) * max(x)


def starred_call(x):
    return np.hypot(*x)


def lambda_default(x):
    return (lambda y=x: y * y)()


def nested_nonlocal(x):
    total = 0.0

    def add(v):
        nonlocal total
        total = total + v

    add(x * x)
    add(x)
    return total


def raising(x):
    if x < 0:
        raise ValueError("negative")
    return np.sqrt(x)


def evaluates(x):
    return eval("x * x")


def local_values(x):
    y = x * x
    return locals()["y"]


def by_name(x):
    return getattr(np, "sin")(x)


def tried_with_mutation(x):
    y = x
    try:
        y = y * 2.0
        raise ValueError
    except ValueError:
        y = y * x
    finally:
        y = y * 3.0
    return y


def long_list(x):
    xs = []
    xs.append(x)
    xs.append(x * x)
    return xs[0] * xs[1]


def string_format(x):
    return float(f"{x}") * x


def item_of(x):
    return x.item() * 2.0 if hasattr(x, "item") else x * 2.0


def to_list(x):
    return sum(np.asarray(x).tolist()) * 2.0


def float_cast(x):
    return float(x) * x


def int_cast(x):
    return int(x) * x


SYNTAX = [
    (with_block, 2.0), (tries, 2.0), (captures, 2.0), (sets_attribute, 2.0), (matches, 2.0), (walrus, 2.0), (generates, 2.0),
    (comprehends, np.array([1.0, 2.0])), (comprehends_dict, np.array([1.0, 2.0])), (uses_global, 2.0), (deletes, 2.0), (maps, np.array([1.0, 2.0])),
    (filters, np.array([1.0, -2.0])), (sorts, np.array([2.0, 1.0, 3.0])), (starred_call, np.array([3.0, 4.0])), (lambda_default, 2.0),
    (nested_nonlocal, 2.0), (raising, 2.0), (evaluates, 2.0), (local_values, 2.0), (by_name, 2.0), (tried_with_mutation, 2.0), (long_list, 2.0),
    (string_format, 2.0), (item_of, 2.0), (item_of, np.array(2.0)), (to_list, np.array([1.0, 2.0])), (float_cast, 2.0), (int_cast, 2.5),
]  # fmt: skip


def moved(args, k, h):
    """The arguments, deep copies, with one element of the first moved by h."""
    first, *rest = copy.deepcopy(args)
    if isinstance(first, np.ndarray):
        first.flat[k] += h
    elif isinstance(first, list):
        first[k] = first[k] + h
    else:
        first = first + h
    return first, *rest


def differences(f, *args, h=1e-6):
    """The gradient of f by its first argument, by central differences."""
    size = np.size(args[0])
    flat = [(f(*moved(args, k, h)) - f(*moved(args, k, -h))) / (2 * h) for k in range(size)]
    return np.reshape(flat, np.shape(args[0]))


def right_or_refused(f, *args):
    """Both modes, optimised and raw, give the number of finite differences or raise a TangentError; arguments stay."""
    expected = differences(f, *args)
    value = f(*copy.deepcopy(args))
    refused = 0

    def check(what, call, *given):
        nonlocal refused
        given = copy.deepcopy(given)
        before = copy.deepcopy(given)
        try:
            found, got = call(*given)
        except TangentError as error:
            blamed = error.where is not None if isinstance(error, RuleError) else PACKAGE not in str(error)
            assert blamed, f"not the user's program is at fault: {error}"
            refused += 1
            return
        assert np.iscomplexobj(found) <= np.iscomplexobj(expected), f"complex in {what}: {found}"
        np.testing.assert_allclose(
            np.array(found, complex if np.iscomplexobj(expected) else float),
            expected if what != "forward" else np.sum(expected),
            rtol=1e-5,
            atol=1e-6,
            err_msg=what,
        )
        np.testing.assert_allclose(got, value, err_msg=f"value in {what}")
        for a, b in zip(given, before):
            np.testing.assert_equal(a, b, err_msg=f"argument changed in {what}")

    def ones(x):
        return [1.0] * len(x) if isinstance(x, list) else np.ones(np.shape(x))[()]

    check("reverse", lambda *a: grad(f, preserve_result=True)(*a), *args)
    check("raw reverse", lambda *a: grad(f, optimized=False, preserve_result=True)(*a), *args)
    check("forward", lambda *a: _pushed(f, a, ones(a[0])), *args)
    check("value and reverse", lambda *a: value_and_grad(f)(*a)[::-1], *args)
    return refused


def _pushed(f, args, tangent):
    made = jvp(f, preserve_result=True)
    primal = inspect.signature(f).parameters
    (name,) = [n for n in inspect.signature(made).parameters if n not in primal]
    return made(*args, **{name: tangent})


@pytest.mark.parametrize("f, x", SYNTAX, ids=lambda v: getattr(v, "__name__", ""))
def test_syntax_is_right_or_refused(f, x):
    right_or_refused(f, x)


def test_yield_is_refused_with_a_location():
    located(lambda: grad(yields)(1.0), line="    y = yield x * 2.0", construct="yield")


def test_a_generator_as_result_is_refused():
    with pytest.raises(TangentError):
        grad(awaits_nothing)(1.0)


def in_place(x):
    y = np.zeros(3)
    y[0] = x
    return np.sum(y)


def aliased(x):
    y = x
    y += 1.0
    return np.sum(x * y)


def with_out(x):
    y = np.zeros_like(x)
    np.multiply(x, x, out=y)
    return np.sum(y)


def unknown_keyword(x):
    return np.sum(x, no_such_keyword=1)


def odd_keyword(x):
    return np.sum(np.exp(x, casting="unsafe", subok=False))


@pytest.mark.parametrize("f, line, word", [
    (in_place, "    y[0] = x", "y[0]"), (aliased, "    y += 1.0", "y"), (with_out, "    np.multiply(x, x, out=y)", "out"),
])  # fmt: skip
def test_writes_in_place_are_right_or_located(f, line, word):
    x = 2.0 if f is in_place else np.array([1.0, 2.0])
    if right_or_refused(f, x):
        located(lambda: grad(f)(x), line=line, construct=word)


def test_an_unhandled_keyword_is_named():
    located(
        lambda: grad(unknown_keyword)(np.ones(2)),
        line="    return np.sum(x, no_such_keyword=1)",
        construct="no_such_keyword",
    )
    if right_or_refused(odd_keyword, np.ones(2)):
        assert "casting" in message(lambda: grad(odd_keyword)(np.ones(2)))


def test_missing_source_says_so():
    names: dict[str, object] = {}
    exec("def f(x):\n    return x * x\n", names)
    text = message(grad, names["f"])
    assert "source" in text and "'f'" in text and "exec" in text
    with pytest.raises(SourceError):
        grad(names["f"])
    assert "len" in message(grad, len) if not _has_rule(len) else True
    assert "not a function" in message(grad, 3.0)


def _has_rule(f):
    try:
        grad(f)
    except TangentError:
        return False
    return True


def long_line(x):
    # the caret stands below the construct, not below the start of the line
    return x + 1.0 * x + 2.0 * x + 3.0 * x + time.strftime(x) + 4.0 * x


def test_the_caret_stands_below_the_construct():
    text = message(grad, long_line)
    shown, caret = text.splitlines()[1:3]
    assert shown[caret.index("^") :].startswith("time.strftime(x)")
    assert len(caret.strip()) == len("time.strftime(x)")


def two_lines(x):
    return (
        x * x +
        time.strftime(x)
    )  # fmt: skip


def test_the_line_is_that_of_the_construct_in_a_long_statement():
    located(grad, two_lines, line="        time.strftime(x)", construct="strftime")


def test_inactive_code_may_be_anything():
    def f(x, names):
        seen = {}
        try:
            for i, name in enumerate(names):
                seen.setdefault(name, []).append(i)
        except TypeError:
            pass
        with np.errstate(all="ignore"):
            pass
        text = ", ".join(f"{k}={v!r}" for k, v in sorted(seen.items()))
        buffer = np.zeros(3)
        buffer[1:] += len(text)
        buffer.sort()
        log = deque(maxlen=2)
        log.append(lambda q: q)
        return x * x * len(seen)

    assert grad(f)(3.0, ["a", "b", "a"]) == 12.0
    assert jvp(f)(3.0, ["a", "b", "a"], 1.0) == 12.0


# Nasty programs: in-place writes, aliases, views, mutation

NASTY = []
V = np.array([1.0, 2.0, 3.0])
M = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.5]])


def nasty(*args):
    def register(f):
        NASTY.append(pytest.param(f, args, id=f.__name__))
        return f

    return register


@nasty(V)
def write_element(x):
    y = x.copy()
    y[0] = x[1] * x[2]
    return np.sum(y * x)


@nasty(V)
def write_constant(x):
    y = x * 2.0
    y[0] = 0.0
    return np.sum(y * y)


@nasty(V)
def write_argument(x):
    x[0] = x[1] * 2.0
    return np.sum(x * x)


@nasty(V)
def write_argument_constant(x):
    x[0] = 5.0
    return np.sum(x * x)


@nasty(V)
def write_after_read(x):
    y = x * 1.0
    z = y * y
    y[0] = 10.0
    return np.sum(z * y)


@nasty(V)
def write_through_alias(x):
    y = x * 1.0
    z = y
    z[1] = x[0] * x[0]
    return np.sum(y * x)


@nasty(V)
def write_through_slice(x):
    y = x * 1.0
    z = y[1:]
    z[0] = x[0] ** 2
    return np.sum(y * y)


@nasty(M)
def write_through_reshape(x):
    y = x * 1.0
    z = y.reshape(-1)
    z[0] = x[1, 1]
    return np.sum(y * y)


@nasty(M)
def write_through_transpose(x):
    y = x * 1.0
    y.T[0] = x[0, 1]
    return np.sum(y * y)


@nasty(M)
def write_through_ravel(x):
    y = x * 1.0
    np.ravel(y)[2] = x[0, 0]
    return np.sum(y * y)


@nasty(V)
def write_through_asarray(x):
    y = x * 1.0
    np.asarray(y)[0] = x[2]
    return np.sum(y * y)


@nasty(V)
def increment_element(x):
    y = np.zeros(3)
    y[0] += x[0] * x[1]
    y[0] += x[2]
    return y[0] * y[0]


@nasty(V)
def increment_slice(x):
    y = x * x
    y[1:] += x[:-1]
    return np.sum(y * y)


@nasty(V)
def scale_slice(x):
    y = x * 1.0
    y[1:] *= x[0]
    return np.sum(y)


@nasty(V)
def divide_in_place(x):
    y = x * 1.0
    y /= x[1]
    return np.sum(y * x)


@nasty(V)
def power_in_place(x):
    y = x * 1.0
    y **= 2
    return np.sum(y * x)


@nasty(V)
def augmented_alias(x):
    y = x * 2.0
    z = y
    z += x
    return np.sum(y * y)


@nasty(V)
def augmented_argument(x):
    x += 1.0
    return np.sum(x * x)


@nasty(V)
def augmented_argument_alias(x):
    y = x
    y *= 3.0
    return np.sum(x)


@nasty(V)
def augmented_view(x):
    y = x * 1.0
    z = y[:2]
    z *= 2.0
    return np.sum(y * x)


@nasty(V)
def augmented_view_of_argument(x):
    z = x[:2]
    z += 1.0
    return np.sum(x * x)


@nasty(V)
def augmented_in_loop(x):
    y = x
    for _ in range(3):
        y *= 2.0
    return np.sum(y * x)


@nasty(V)
def augmented_item_of_list(x):
    xs = [x * 1.0, x * 2.0]
    xs[0] += x
    return np.sum(xs[0] * xs[1])


@nasty(V)
def augmented_alias_in_list(x):
    y = x * 1.0
    xs = [y, y]
    xs[0] += x
    return np.sum(xs[1] * x)


@nasty(V)
def augmented_alias_in_tuple(x):
    y = x * 1.0
    t = (y, 2.0)
    y += 1.0
    return np.sum(t[0] * x)


@nasty(V)
def augmented_alias_in_dict(x):
    d = {"a": x * 1.0}
    y = d["a"]
    y *= x
    return np.sum(d["a"])


@nasty(M)
def rows_scaled(x):
    a = x * 1.0
    for row in a:
        row *= 2.0
    return np.sum(a * x)


@nasty(M)
def rows_of_argument_scaled(x):
    for row in x:
        row *= 2.0
    return np.sum(x * x)


@nasty(M)
def rows_written(x):
    a = x * 1.0
    for i, row in enumerate(a):
        row[0] = row[1] * i
    return np.sum(a * a)


@nasty(M)
def rows_unpacked(x):
    a = x * 1.0
    p, q = a
    p += q
    return np.sum(a * a)


@nasty(M)
def rows_zipped(x):
    a = x * 1.0
    for p, q in zip(a, x):
        p *= q
    return np.sum(a)


@nasty(V)
def sort_method(x):
    y = x * -1.0
    y.sort()
    return y[0] * 2.0 + y[1] * y[2]


@nasty(V)
def sort_argument(x):
    x.sort()
    return x[0] * x[1]


@nasty(V)
def fill_method(x):
    y = x * 1.0
    y.fill(2.0)
    return np.sum(y * x)


@nasty(V)
def fill_active(x):
    y = np.zeros(3)
    y.fill(x[0])
    return np.sum(y * x)


@nasty(V)
def partition_method(x):
    y = x * -1.0
    y.partition(1)
    return y[1]


@nasty(V)
def put_method(x):
    y = x * 1.0
    y.put([0], x[2])
    return np.sum(y * y)


@nasty(V)
def itemset_by_flat(x):
    y = x * 1.0
    y.flat[0] = x[1] * 3.0
    return np.sum(y * y)


@nasty(V)
def resize_method(x):
    y = x * 1.0
    y.resize((2,), refcheck=False)
    return np.sum(y * y)


@nasty(V)
def shape_assigned(x):
    y = x * 1.0
    y.shape = (3, 1)
    return np.sum(y * x)


@nasty(V)
def real_assigned(x):
    y = x * 1.0
    y.real = x * x
    return np.sum(y)


@nasty(V)
def dtype_viewed(x):
    y = x * 1.0
    z = y.view()
    z[0] = 7.0
    return np.sum(y * y)


@nasty(V)
def append_list(x):
    ys = []
    for v in x:
        ys.append(v * v)
    return ys[0] + ys[1] * ys[2]


@nasty(V)
def append_alias(x):
    ys = []
    zs = ys
    zs.append(x[0])
    ys.append(x[1])
    return zs[0] * zs[1]


@nasty(V)
def pop_list(x):
    ys = [x[0], x[1], x[2]]
    v = ys.pop()
    return v * v + ys[0] * len(ys)


@nasty(V)
def insert_list(x):
    ys = [x[0]]
    ys.insert(0, x[1])
    return ys[0] * 3.0 + ys[1]


@nasty(V)
def extend_list(x):
    ys = [x[0]]
    ys.extend([x[1], x[2]])
    return ys[0] * ys[1] * ys[2]


@nasty(V)
def augment_list(x):
    ys = [x[0]]
    ys += [x[1], x[2]]
    return ys[0] * ys[1] * ys[2]


@nasty(V)
def reverse_list(x):
    ys = [x[0], x[1], x[2]]
    ys.reverse()
    return ys[0] * 3.0 + ys[1]


@nasty(V)
def sort_list(x):
    ys = [x[2], x[0], x[1]]
    ys.sort()
    return ys[0] * 3.0 + ys[1]


@nasty(V)
def delete_from_list(x):
    ys = [x[2], x[0], x[1]]
    del ys[0]
    return ys[0] * 3.0


@nasty(V)
def clear_list(x):
    ys = [x[2], x[0], x[1]]
    zs = ys
    zs.clear()
    ys.append(x[0])
    return zs[0] * 2.0


@nasty(V)
def write_list(x):
    ys = [x[0], x[1]]
    ys[0] = x[2] * x[2]
    return ys[0] * ys[1]


@nasty(V)
def write_list_alias(x):
    ys = [x[0], x[1]]
    zs = ys
    zs[0] = 5.0
    return ys[0] * ys[1]


@nasty(V)
def write_dict(x):
    d = {"a": x[0]}
    d["b"] = x[1] * x[1]
    d["a"] = d["b"] * 2.0
    return d["a"] * d["b"]


@nasty(V)
def update_dict(x):
    d = {"a": x[0]}
    d.update(b=x[1], a=x[2])
    return d["a"] * d["b"]


@nasty(V)
def default_dict(x):
    d = {}
    d.setdefault("a", []).append(x[0])
    d.setdefault("a", []).append(x[1])
    return d["a"][0] * d["a"][1]


@nasty(V)
def pop_dict(x):
    d = {"a": x[0], "b": x[1]}
    v = d.pop("a")
    return v * v * d["b"]


@nasty([1.0, 2.0, 3.0])
def write_argument_list(xs):
    xs[0] = xs[1] * xs[2]
    return xs[0] * xs[0]


@nasty([1.0, 2.0, 3.0])
def append_argument_list(xs):
    xs.append(xs[0] * xs[1])
    return xs[-1] * xs[0]


@nasty(V)
def out_keyword(x):
    y = np.zeros(3)
    np.multiply(x, x, out=y)
    return np.sum(y * x)


@nasty(V)
def out_itself(x):
    y = x * 1.0
    np.add(y, x, out=y)
    return np.sum(y * y)


@nasty(V)
def out_argument(x):
    np.exp(x, out=x)
    return np.sum(x)


@nasty(V)
def out_positional(x):
    y = np.zeros(3)
    np.sin(x, y)
    return np.sum(y)


@nasty(V)
def out_tuple(x):
    y = np.zeros(3)
    np.sin(x, out=(y,))
    return np.sum(y * x)


@nasty(V)
def out_of_reduction(x):
    y = np.zeros(())
    np.sum(x * x, out=y)
    return y * 2.0


@nasty(V)
def out_of_dot(x):
    y = np.zeros(())
    np.dot(x, x, out=y)
    return y * 1.0


@nasty(V)
def out_of_method(x):
    y = np.zeros(())
    x.sum(out=y)
    return y * 3.0


@nasty(V)
def out_with_where(x):
    y = x * 2.0
    np.multiply(x, x, out=y, where=np.array([True, False, True]))
    return np.sum(y)


@nasty(V)
def add_at(x):
    y = np.zeros(3)
    np.add.at(y, [0, 0, 1], x)
    return np.sum(y * y)


@nasty(V)
def subtract_at(x):
    y = x * 1.0
    np.subtract.at(y, [0, 0], 2.0)
    return np.sum(y * y)


@nasty(V)
def multiply_at(x):
    y = x * 1.0
    np.multiply.at(y, [0, 0], x[1])
    return np.sum(y)


@nasty(V)
def copyto(x):
    y = np.zeros(3)
    np.copyto(y, x * x)
    return np.sum(y * x)


@nasty(V)
def copyto_constant(x):
    y = x * 1.0
    np.copyto(y, 3.0, where=x > 1.5)
    return np.sum(y * y)


@nasty(V)
def put_function(x):
    y = x * 1.0
    np.put(y, [0, 1], x[2])
    return np.sum(y * y)


@nasty(V)
def place_function(x):
    y = x * 1.0
    np.place(y, x > 1.5, [7.0])
    return np.sum(y * y)


@nasty(V)
def putmask_function(x):
    y = x * 1.0
    np.putmask(y, x > 1.5, x * x)
    return np.sum(y * y)


@nasty(M)
def fill_diagonal(x):
    y = x * 1.0
    np.fill_diagonal(y, 0.0)
    return np.sum(y * y)


@nasty(M)
def put_along_axis(x):
    y = x * 1.0
    np.put_along_axis(y, np.array([[0], [1]]), 9.0, axis=1)
    return np.sum(y * y)


@nasty(V)
def shuffled(x):
    y = x * 1.0
    np.random.default_rng(0).shuffle(y)
    return y[0] * 2.0 + y[1]


@nasty(V)
def mask_written(x):
    y = x * 1.0
    y[y > 1.5] = 0.0
    return np.sum(y * x)


@nasty(V)
def mask_augmented(x):
    y = x * 1.0
    y[x > 1.5] *= x[0]
    return np.sum(y * y)


@nasty(V)
def repeated_index_augmented(x):
    y = x * 1.0
    y[[0, 0, 1]] += x
    return np.sum(y * y)


@nasty(V)
def index_array_written(x):
    y = np.zeros(3)
    y[[2, 0, 1]] = x * x
    return y[0] * y[1] + y[2]


@nasty(V)
def swapped_elements(x):
    y = x * 1.0
    y[0], y[1] = y[1], y[0]
    return y[0] * 2.0 + y[1] * x[0]


@nasty(V)
def overlapping_slices(x):
    y = x * 1.0
    y[1:] = y[:-1]
    return np.sum(y * x)


@nasty(V)
def chained_store(x):
    y = np.zeros(3)
    z = np.zeros(3)
    y[0] = z[1] = x[0] * x[1]
    return np.sum(y * x) + z[1]


@nasty(V)
def swapped_buffers(x):
    a, b = x * 1.0, np.zeros(3)
    for _ in range(3):
        b[:] = a * x
        a, b = b, a
    return np.sum(a)


@nasty(V)
def store_in_branch(x):
    y = x * 1.0
    if x[0] > 0:
        y[0] = x[1]
    else:
        y[1] = x[0]
    return np.sum(y * y)


@nasty(V)
def store_in_loop(x):
    y = np.zeros(3)
    for i in range(3):
        y[i] = x[i] * (y[i - 1] if i else 1.0)
    return y[2]


@nasty(V)
def store_in_while(x):
    y = np.zeros(3)
    i = 0
    while i < 3:
        y[i] = x[i] ** 2
        i += 1
    return np.sum(y)


def fills(target, value):
    target[0] = value * 2.0


def doubles(target):
    target *= 2.0


def passes_on(target):
    doubles(target)


def returns_it(target):
    return target


def returns_view(target):
    return target[1:]


def appends(values, v):
    values.append(v)


class Box:
    def __init__(self, value):
        self.value = value

    def scale(self, k):
        self.value = self.value * k

    def fill(self, v):
        self.value[0] = v


@nasty(V)
def helper_fills(x):
    y = np.zeros(3)
    fills(y, x[1])
    return y[0] * x[0]


@nasty(V)
def helper_fills_argument(x):
    fills(x, x[1])
    return np.sum(x * x)


@nasty(V)
def helper_fills_constant(x):
    y = x * 1.0
    fills(y, 3.0)
    return np.sum(y * y)


@nasty(V)
def helper_doubles(x):
    y = x * 1.0
    doubles(y)
    return np.sum(y * x)


@nasty(V)
def helper_of_helper_doubles(x):
    y = x * 1.0
    passes_on(y)
    return np.sum(y * x)


@nasty(V)
def helper_doubles_view(x):
    y = x * 1.0
    doubles(y[1:])
    return np.sum(y * x)


@nasty(V)
def helper_returns_argument(x):
    y = x * 1.0
    z = returns_it(y)
    z += x
    return np.sum(y * x)


@nasty(V)
def helper_returns_view(x):
    y = x * 1.0
    z = returns_view(y)
    z *= x[0]
    return np.sum(y)


@nasty(V)
def helper_appends(x):
    ys = []
    appends(ys, x[0])
    appends(ys, x[1] * x[0])
    return ys[0] * ys[1]


@nasty(V)
def helper_fills_twice_the_same(x):
    def both(a, b):
        a[0] = 5.0
        return np.sum(b * b)

    y = x * 1.0
    return both(y, y)


@nasty(V)
def object_scaled(x):
    box = Box(x)
    box.scale(x[0])
    return np.sum(box.value)


@nasty(V)
def object_filled(x):
    box = Box(x * 1.0)
    box.fill(x[2] * 2.0)
    return np.sum(box.value * box.value)


@nasty(V)
def object_attribute_augmented(x):
    box = Box(x * 1.0)
    box.value *= 3.0
    box.value[0] = x[1]
    return np.sum(box.value * x)


@nasty(V)
def closure_writes(x):
    y = x * 1.0

    def put(i, v):
        y[i] = v

    put(0, x[1] * x[2])
    return np.sum(y * y)


@nasty(V)
def closure_reads_later(x):
    y = x * 1.0

    def total():
        return np.sum(y * y)

    y[0] = x[1]
    return total()


@nasty(V)
def closure_rebound(x):
    y = x

    def get():
        return y

    y = x * x
    return np.sum(get())


@nasty(V)
def lambda_reads_rebound(x):
    k = x[0]
    f = lambda v: v * k
    k = x[1]
    return f(x[2])


@nasty(V)
def lambdas_in_loop(x):
    fs = [lambda v, i=i: v * x[i] for i in range(3)]
    return fs[0](2.0) + fs[2](x[1])


@nasty(V)
def late_binding(x):
    fs = [lambda v: v * x[i] for i in range(3)]
    return fs[0](2.0)


GLOBAL = np.zeros(3)
GLOBAL_LIST: list[float] = []
GLOBAL_DICT: dict[str, float] = {}
COUNTER = 0.0


@nasty(V)
def global_array_written(x):
    GLOBAL[:] = x * x
    return np.sum(GLOBAL)


def _store_global(x):
    GLOBAL[0] = x


@nasty(V)
def global_array_written_by_helper(x):
    _store_global(x[0] * x[1])
    return GLOBAL[0] * 2.0


@nasty(V)
def global_list_appended(x):
    GLOBAL_LIST.append(x[0] * x[1])
    return GLOBAL_LIST[-1] * 2.0


@nasty(V)
def global_dict_written(x):
    GLOBAL_DICT["k"] = x[0] * x[1]
    return GLOBAL_DICT["k"] * 2.0


@nasty(V)
def global_number_rebound(x):
    global COUNTER
    COUNTER = x[0] * x[0]
    return COUNTER * x[1]


def _set_counter(v):
    global COUNTER
    COUNTER = v


@nasty(V)
def global_rebound_by_helper(x):
    _set_counter(x[0] * x[1])
    return COUNTER * 1.0


@nasty(V)
def attribute_of_a_function(x):
    attribute_of_a_function.kept = x[0] * x[1]
    return attribute_of_a_function.kept * 1.0


@nasty(V)
def setattr_builtin(x):
    box = Box(0.0)
    setattr(box, "value", x[0] * x[1])
    return box.value * 1.0


@nasty(V)
def setitem_method(x):
    y = x * 1.0
    y.__setitem__(0, x[1])
    return np.sum(y * y)


@nasty(V)
def iadd_method(x):
    y = x * 1.0
    y.__iadd__(x)
    return np.sum(y * y)


@nasty(V)
def operator_iadd(x):
    import operator

    y = x * 1.0
    operator.iadd(y, x)
    return np.sum(y * y)


@nasty(V)
def bound_method_kept(x):
    ys = []
    push = ys.append
    push(x[0])
    push(x[1])
    return ys[0] * ys[1]


@nasty(V)
def map_mutates(x):
    ys = []
    list(map(ys.append, [x[0], x[1]]))
    return ys[0] * ys[1]


@nasty(V)
def nditer_writes(x):
    y = x * 1.0
    for v in np.nditer(y, op_flags=["readwrite"]):
        v[...] = v * 2.0
    return np.sum(y * x)


@nasty(V)
def vectorized_side_effect(x):
    ys = [0.0]

    def add(v):
        ys[0] = ys[0] + v

    for v in x:
        add(v * v)
    return ys[0]


@nasty(V)
def broadcast_view_written(x):
    y = np.zeros((2, 3))
    y[:] = x
    y[0] = 0.0
    return np.sum(y * x)


@nasty(V)
def ellipsis_written(x):
    y = np.zeros(3)
    y[...] = x * x
    return np.sum(y)


@nasty(V)
def zero_dim_written(x):
    s = np.array(0.0)
    s += np.sum(x * x)
    return s * 1.0


@nasty(V)
def zeros_like_written(x):
    y = np.zeros_like(x)
    y += x
    y *= x
    return np.sum(y)


@nasty(V)
def empty_like_written(x):
    y = np.empty_like(x)
    y[:] = 1.0
    y[0] = x[0]
    return np.sum(y * x)


@nasty(V)
def array_of_scalars_written(x):
    y = np.array([x[0], x[1]])
    y[0] = y[1]
    return y[0] * y[1]


@nasty(V)
def stacked_then_written(x):
    y = np.stack([x, x])
    y[0] += x
    return np.sum(y * y)


@nasty(V)
def copied_then_original_written(x):
    y = x * 1.0
    z = y.copy()
    y[0] = 0.0
    return np.sum(y * z)


@nasty(V)
def saved_list_of_aliases(x):
    y = x * 1.0
    history = []
    for i in range(3):
        y[i] = y[i] * 2.0
        history.append(y)
    return np.sum(history[0] * history[2])


@nasty(V)
def multiplied_list(x):
    rows = [x * 1.0] * 2
    rows[0] += 1.0
    return np.sum(rows[1] * x)


@nasty(V)
def default_mutable(x, seen=None):
    if seen is None:
        seen = []
    seen.append(x[0])
    return seen[0] * seen[-1]


@nasty(V, V)
def same_values_two_arguments(x, y):
    x[0] = y[1]
    return np.sum(x * y)


@nasty(2.0)
def augmented_float_alias(x):
    y = x
    y += 1.0
    return x * y


@nasty(2.0)
def augmented_float_loop(x):
    y = x
    for _ in range(3):
        y *= x
    return y


@nasty(np.array(2.0))
def augmented_zero_dim_argument(x):
    y = x
    y += 1.0
    return x * y * 1.0


@nasty(V)
def inactive_buffer(x):
    w = np.zeros(3)
    w[0] = 2.0
    w[1:] += 3.0
    return np.sum(w * x)


@nasty(V)
def inactive_then_active(x):
    w = np.zeros(3)
    total = 0.0
    for i in range(3):
        w[0] = i
        total = total + np.sum(w * x)
    return total


@nasty(V)
def inactive_buffer_rewritten_after_use(x):
    w = np.ones(3)
    y = w * x * x
    w[:] = 0.0
    return np.sum(y)


@nasty(V)
def inactive_index_rewritten(x):
    idx = np.array([0, 1])
    y = x[idx]
    idx[0] = 2
    return np.sum(y * y)


@nasty(V)
def inactive_list_rewritten(x):
    ks = [2.0, 3.0]
    y = x[0] * ks[0] * x[0]
    ks[0] = 100.0
    return y + ks[1] * x[1]


@nasty(V)
def inactive_object_rewritten(x):
    box = Box(2.0)
    y = box.value * x[0] * x[0]
    box.value = 50.0
    return y


@nasty(V)
def inactive_popped(x):
    ks = [2.0, 3.0, 4.0]
    total = 0.0
    while ks:
        total = total + ks.pop() * x[0] * x[0]
    return total


@nasty(V)
def random_state_used_once(x):
    rng = np.random.default_rng(0)
    noise = rng.normal(size=3)
    y = noise * x
    return np.sum(y * y * rng.normal())


@nasty(V)
def iterator_consumed(x):
    it = iter([2.0, 3.0])
    y = x[0] * next(it) * x[0]
    return y * next(it)


@nasty(V)
def active_iterator(x):
    it = iter(x)
    a = next(it)
    return a * next(it)


@nasty(V)
def counter_in_closure(x):
    state = {"n": 0}

    def step():
        state["n"] += 1
        return state["n"]

    return x[0] ** 2 * step() + x[1] * step()


@nasty(V)
def memoryview_written(x):
    y = x * 1.0
    memoryview(y)[0] = 5.0
    return np.sum(y * y)


@nasty(V)
def array_wraps_without_copy(x):
    y = x * 1.0
    z = np.array(y, copy=False) if np.lib.NumpyVersion(np.__version__) < "2.0.0" else np.asarray(y)
    z[0] = x[1]
    return np.sum(y)


@nasty(M)
def diagonal_view(x):
    y = x * 1.0
    d = np.einsum("ii->i", y[:, :2])
    d[:] = 0.0
    return np.sum(y * y)


@nasty(M)
def swapaxes_view(x):
    y = x * 1.0
    np.swapaxes(y, 0, 1)[0] = x[0, 0] * 2.0
    return np.sum(y * y)


@nasty(M)
def split_views(x):
    y = x * 1.0
    top, _ = np.split(y, 2)
    top[:] = 0.0
    return np.sum(y * y)


@nasty(V)
def atleast_view(x):
    y = x * 1.0
    np.atleast_2d(y)[0, 0] = 0.0
    return np.sum(y * y)


@nasty(V)
def real_view(x):
    y = x * 1.0
    y.real[0] = 0.0
    return np.sum(y * y)


@nasty(V)
def conditional_alias(x):
    y = x * 1.0
    z = y if x[0] > 0 else x
    z += 1.0
    return np.sum(y * y)


@nasty(V)
def walrus_alias(x):
    y = x * 1.0
    (z := y)[0] = 9.0
    return np.sum(z * y)


@nasty(V)
def starred_alias(x):
    y = x * 1.0
    first, *rest = [y, x]
    first *= 2.0
    return np.sum(y * rest[0])


@nasty(V)
def loop_over_aliases(x):
    a, b = x * 1.0, x * 2.0
    for v in (a, b):
        v *= x
    return np.sum(a * b)


@nasty(V)
def with_statement_alias(x):
    y = x * 1.0
    with np.nditer(y, op_flags=["readwrite"]) as it:
        for v in it:
            v[...] = 1.0
    return np.sum(y * x)


@nasty(V)
def partial_fills(x):
    y = x * 1.0
    fill = functools.partial(fills, y)
    fill(4.0)
    return np.sum(y * y)


@nasty(V)
def apply_along(x):
    def f(row):
        row[0] = 2.0
        return np.sum(row)

    y = x * 1.0
    return np.apply_along_axis(f, 0, y) * np.sum(y)


@nasty(V)
def list_comprehension_side_effect(x):
    y = x * 1.0
    [doubles(y) for _ in range(2)]
    return np.sum(y * x)


@nasty(V)
def condition_side_effect(x):
    y = x * 1.0
    if returns_it(y) is not None and fills(y, x[1]) is None:
        return np.sum(y * y)
    return 0.0


@nasty(V)
def assert_side_effect(x):
    y = x * 1.0
    assert fills(y, 1.0) is None
    return np.sum(y * y)


@nasty(V)
def print_argument_side_effect(x):
    y = x * 1.0
    str(fills(y, 1.0))
    return np.sum(y * y)


# Nasty programs: what Python does with values


@nasty(2.0)
def loop_variable_after_the_loop(x):
    for v in (x, x * x, x * x * x):
        pass
    return v * 2.0


@nasty(2.0)
def loop_variable_rebound(x):
    s = 0.0
    for v in (x, x * x):
        v = v * x
        s = s + v
    return s


@nasty(2.0)
def loop_index_rebound(x):
    s = 0.0
    for i in range(3):
        i = i * 2
        s = s + x**i
    return s


@nasty(2.0, 3)
def bound_changed_in_loop(x, n):
    y = x
    for _ in range(n):
        n = 10
        y = y * x
    return y * n


@nasty(2.0)
def list_grown_in_loop(x):
    ks = [1.0, 2.0]
    y = x
    for k in ks:
        if len(ks) < 4:
            ks.append(3.0)
        y = y * x * k
    return y


@nasty(V)
def same_name_in_both_loops(x):
    s = 0.0
    for i in range(3):
        s = s + x[i]
    for i in range(2):
        s = s * x[i]
    return s


@nasty(2.0)
def loop_else(x):
    y = x
    for i in range(3):
        y = y * x
        if i > 5:
            break
    else:
        y = y * 10.0
    return y


@nasty(2.0)
def while_else(x):
    n = 0
    while n < 2:
        n += 1
        x = x * x
    else:
        x = x + x * x
    return x


@nasty(2.0)
def break_of_the_inner_loop(x):
    y = x
    for i in range(3):
        for j in range(3):
            if j > i:
                break
            y = y * x
        y = y + i
    return y


@nasty(2.0)
def continue_in_while(x):
    n, y = 0, x
    while n < 5:
        n += 1
        if n % 2:
            continue
        y = y * x
    return y


@nasty(2.0)
def return_out_of_two_loops(x):
    for i in range(3):
        for j in range(3):
            x = x * 1.5
            if x > 5.0:
                return x * x + i + j
    return x


@nasty(2.0)
def while_true(x):
    while True:
        x = x * x
        if x > 100.0:
            return x


@nasty(2.0)
def nothing_returned_in_one_branch(x):
    if x > 1.0:
        return x * x


@nasty(2.0)
def defined_in_one_branch(x):
    if x > 1.0:
        y = x * x
    if x > 1.5:
        return y
    return x


@nasty(2.0)
def or_returns_a_value(x):
    y = 0.0 or x * x
    return y * (x and 3.0 * x)


@nasty(2.0)
def comparison_as_a_number(x):
    return (x > 1.0) * x * x + (x == 2.5)


@nasty(2.0)
def remainder_and_floor(x):
    return (x * 1.3) % 2.0 + (x * 1.3) // 2.0 * x + divmod(x * 1.3, 2.0)[1]


@nasty(2.3)
def rounding(x):
    return round(x) * x + math.floor(x) * x + np.ceil(x) + math.trunc(x) * x


@nasty(V + 0.3)
def cast_to_integers(x):
    return np.sum(x.astype(int) * x)


@nasty(V + 0.25)
def cast_to_float32(x):
    return np.sum(x.astype(np.float64) * x)


@nasty(2.0)
def zeroth_power(x):
    return x**0 + x**1 + x ** (-1) + (-x) ** 2 + (-x) ** 3


@nasty(0.0)
def powers_at_zero(x):
    return x**2 + x**1 + 3.0 * x**0 + x**3


@nasty(np.array([0.0, 1.0, 2.0]))
def array_powers_at_zero(x):
    return np.sum(x**2) + np.sum(np.power(x, 3)) + np.sum(x**1)


@nasty(2.0)
def minimum_with_key(x):
    return min(x, 3.0, key=lambda v: -v) * x + max([x, x * x, 1.0])


@nasty(V)
def sorted_with_key(x):
    ys = sorted([x[0], x[1], x[2]], key=lambda v: -v)
    return ys[0] * 3.0 + ys[2]


@nasty(V)
def sum_with_start(x):
    return sum([x[0] * x[1], x[2]], x[0])


@nasty(V)
def any_all(x):
    return x[0] * x[1] if any(x > 2.5) and all(x > 0) else x[2]


@nasty(V)
def set_of_values(x):
    return sum({v * v for v in (x[0], x[1])})


@nasty(V)
def dict_of_values(x):
    d = dict(a=x[0], b=x[1] * x[2])
    return sum(d.values()) * d.get("a", 0.0) * d.get("c", 2.0)


@nasty(V)
def dict_items(x):
    s = 0.0
    for k, v in {"a": x[0] * x[1], "bb": x[2]}.items():
        s = s + len(k) * v * v
    return s


@nasty(V)
def dict_merged(x):
    d = {**{"a": x[0]}, "b": x[1], **{"a": x[2]}}
    return d["a"] * d["b"]


@nasty(V)
def list_sliced(x):
    ys = [x[0], x[1], x[2], x[0]]
    return sum(ys[1:3]) * sum(ys[::-2]) * ys[-1]


@nasty(V)
def list_concatenated(x):
    ys = [x[0]] + [x[1]] * 2 + list((x[2],))
    return ys[0] * ys[1] * ys[2] * ys[3]


@nasty(V)
def tuple_of_array(x):
    a, (b, c) = x[0], x[1:]
    return a * b * c * tuple(x)[1] * list(x)[2]


@nasty(V)
def reversed_array(x):
    s = 0.0
    for i, v in enumerate(reversed(x)):
        s = s * 2.0 + i * v * v
    return s


@nasty(V)
def zip_of_unequal(x):
    return sum(a * b for a, b in zip(x, x[1:]))


@nasty(V)
def starred_into_a_helper(x):
    def f(a, b, *rest, k=1.0, **more):
        return a * b * rest[0] * k * more["z"]

    return f(*x, k=x[0], **{"z": x[1]})


@nasty(2.0)
def default_of_an_inner_function(x):
    def f(v, k=x * x):
        return v * k

    x = 5.0
    return f(3.0)


@nasty(2.0)
def inner_function_twice(x):
    def f(v):
        return v * v

    return f(f(x)) + f(x)


@nasty(2.0)
def inner_recursion(x):
    def f(v, n):
        return v if n == 0 else f(v * x, n - 1)

    return f(x, 3)


@nasty(2.0)
def conditional_function(x):
    f = np.sin if x > 1.0 else np.cos
    return f(x) * x


@nasty(2.0)
def function_in_a_table(x):
    return {"a": np.sin, "b": lambda v: v * v}["b"](x)


@nasty(2.0)
def method_of_a_float(x):
    return x.__mul__(x) + float.__add__(x, x)


@nasty(2.0)
def float_attributes(x):
    return x.real * x + x.imag + x.conjugate() * 2.0


@nasty(2.5)
def is_integer(x):
    return x * x if x.is_integer() else x


@nasty(2.0)
def isinstance_branch(x):
    return x * x if isinstance(x, float) else x * 3.0


@nasty(2.0)
def type_of_argument(x):
    return type(x)(x * x) + float("1.5") * x


@nasty(2.0)
def complex_detour(x):
    z = complex(x, x * x)
    return abs(z) ** 2 + z.real * z.imag + (z * z.conjugate()).real


@nasty(2.0)
def parsed_text(x):
    return float(str(x)) * x


@nasty(2.0)
def formatted_text(x):
    return float("%.10f" % x) * x


@nasty(V)
def through_tolist(x):
    return sum(v * v for v in x.tolist()) + x.tolist()[0] * 2.0


@nasty(V)
def through_item(x):
    return x[0].item() * x.item(1) * float(x[2])


@nasty(V)
def through_bytes(x):
    return np.sum(np.frombuffer(x.tobytes()) * x)


@nasty(V)
def through_fromiter(x):
    return np.sum(np.fromiter((v * v for v in x), float) * x)


@nasty(V)
def through_vectorize(x):
    return np.sum(np.vectorize(lambda v: v * v)(x))


@nasty(V)
def through_object_array(x):
    return np.sum(np.array([x[0], x[1] * x[2]], dtype=object))


@nasty(V + 0.3)
def through_integer_array(x):
    return np.sum(np.array([x[0], x[1]], dtype=int) * x[:2])


@nasty(np.array([1.3, 2.4, 3.1]))
def stored_in_integers(x):
    y = np.zeros(3, int)
    y[0] = x[1]
    return np.sum(y * x)


@nasty(V)
def shape_in_arithmetic(x):
    return np.sum(x) / x.shape[0] * len(x) * x.ndim * x.size


@nasty(V)
def argmax_index(x):
    return x[np.argmax(x)] * x[x.argmin()]


@nasty(V)
def searchsorted_index(x):
    return x[np.searchsorted(x, 1.5)] * 2.0 + np.count_nonzero(x > 1.5) * x[0]


@nasty(V)
def where_of_one_argument(x):
    return np.sum(x[np.where(x > 1.5)] ** 2) + np.sum(x[np.nonzero(x > 1.5)[0]])


@nasty(V)
def numpy_with_where_keyword(x):
    return np.sum(x * x, where=np.array([True, False, True])) + np.max(x, initial=2.5) * x[0]


@nasty(V)
def numpy_with_dtype(x):
    return np.sum(x * x, dtype=np.float64) + np.mean(x, dtype=np.float64)


@nasty(M)
def numpy_with_axes(x):
    return np.sum(np.max(x, axis=1) * np.sum(x, axis=(1,))) + np.sum(np.mean(x, 0, keepdims=True))


@nasty(V)
def ufunc_methods(x):
    return (
        np.add.reduce(x * x)
        + np.multiply.reduce(x)
        + np.sum(np.add.accumulate(x) * x)
        + np.sum(np.multiply.outer(x, x))
    )


@nasty(V)
def poisoned_branch(x):
    return np.sum(np.where(x > 1.5, np.sqrt(np.abs(x - 1.5)), 0.0))


@nasty(V)
def string_switch(x):
    s = 0.0
    for name in "sin", "exp":
        s = s + np.sum(getattr(np, name)(x))
    return s


@nasty(2.0)
def exception_caught_around_the_call(x):
    def f(v):
        if v > 1.0:
            raise ValueError
        return v

    try:
        return f(x)
    except ValueError:
        return x * x * x


@nasty(2.0)
def finally_changes_the_value(x):
    y = x
    try:
        y = y * x
    finally:
        y = y * 3.0
    return y


@nasty(2.0)
def suppressed(x):
    y = x
    with contextlib.suppress(ZeroDivisionError):
        y = y * x
        y = y / 0.0
        y = y * 100.0
    return y


@nasty(2.0)
def generator_function(x):
    def values():
        for i in range(3):
            yield x**i

    return sum(values())


@nasty(2.0)
def reduced(x):
    return functools.reduce(lambda a, b: a * b + x, [x, 2.0, x])


@nasty(2.0)
def partial_inside(x):
    return functools.partial(np.multiply, x)(x * 2.0)


@nasty(2.0)
def dataclass_inside(x):
    p = Pair(x, x * x)
    return p.a * p.b + dataclasses.replace(p, a=3.0).b


@nasty(2.0)
def namedtuple_inside(x):
    p = Point(x, x * x)
    return p.a * p.b * p[0] + p._replace(a=2.0).b


@nasty(2.0)
def property_inside(x):
    return WithProperty(x).squared * x


@nasty(2.0)
def operator_overloaded(x):
    return (WithOperators(x) * WithOperators(3.0)).v


@nasty(2.0)
def inherited(x):
    return Child(x).value() * x


@dataclasses.dataclass
class Pair:
    a: float
    b: float


Point = collections.namedtuple("Point", "a b")


class WithProperty:
    def __init__(self, v):
        self.v = v

    @property
    def squared(self):
        return self.v * self.v


class WithOperators:
    def __init__(self, v):
        self.v = v

    def __mul__(self, other):
        return WithOperators(self.v * other.v * 2.0)


class Parent:
    def __init__(self, v):
        self.v = v

    def value(self):
        return self.v * self.v


class Child(Parent):
    def value(self):
        return super().value() * 3.0


def test_there_are_enough_nasty_programs():
    assert len(NASTY) >= 60


@pytest.mark.parametrize("f, args", NASTY)
def test_right_or_refused(f, args):
    right_or_refused(f, *args)


def test_overlapping_arguments_are_right_or_refused():
    def f(a, b):
        a[0] = b[1] * 2.0
        return np.sum(a * b)

    def together(x):
        x = x.copy()
        return f(x, x)

    x = np.array([1.0, 2.0, 3.0])
    try:
        found = grad(f, (0, 1))(x, x)
    except TangentError:
        return
    np.testing.assert_allclose(found[0] + found[1], differences(together, x), rtol=1e-6)
    np.testing.assert_equal(x, [1.0, 2.0, 3.0])


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_array_subclasses_are_right_or_refused():
    def total(x):
        return x.sum()

    def product(x):
        return np.sum(x * x)

    masked = np.ma.array([1.0, 2.0, 3.0], mask=[False, True, False])
    matrix = np.matrix([[1.0, 2.0], [3.0, 4.0]])
    for f, x, expected in ((total, masked, [1.0, 0.0, 1.0]), (product, matrix, [[7.0, 11.0], [9.0, 13.0]])):
        try:
            found = grad(f)(x)
        except (TangentError, TypeError):
            continue
        np.testing.assert_allclose(np.ma.filled(found, 0.0), expected)


def test_side_effects_happen_once(capsys):
    calls = []

    def f(x):
        calls.append("f")
        print("hello")
        y = x * x
        print(np.mean(y))
        return y * x

    for make, args in ((grad, (2.0,)), (jvp, (2.0, 1.0)), (value_and_grad, (2.0,))):
        calls.clear()
        made = make(f)
        assert not calls
        made(*args)
        assert calls == ["f"], make.__name__
        assert capsys.readouterr().out == "hello\n4.0\n"


SUPPORTED = [
    (augmented_float_alias, 2.0), (augmented_float_loop, 2.0), (inactive_buffer, V), (inactive_list_rewritten, V), (zeros_like_written, V),
    (divide_in_place, V), (power_in_place, V), (zero_dim_written, V), (random_state_used_once, V), (deletes, 2.0), (raising, 2.0),
    (by_name, 2.0), (starred_call, np.array([3.0, 4.0])), (float_cast, 2.0), (int_cast, 2.5),
]  # fmt: skip


@pytest.mark.parametrize("f, x", SUPPORTED, ids=lambda v: getattr(v, "__name__", ""))
def test_harmless_programs_are_not_refused(f, x):
    assert right_or_refused(f, x) == 0
