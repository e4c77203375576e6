# ruff: noqa  (programs under test are written as users write)
"""Right, or a located error: what cannot be differentiated says so, and nothing comes out silently wrong."""

import re
import time
from collections import deque

import numpy as np
import pytest
from nasty.checks import right_or_refused

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
    (deletes, 2.0), (raising, 2.0), (by_name, 2.0), (starred_call, np.array([3.0, 4.0])), (float_cast, 2.0), (int_cast, 2.5),
]  # fmt: skip


@pytest.mark.parametrize("f, x", SUPPORTED, ids=lambda v: getattr(v, "__name__", ""))
def test_harmless_syntax_is_not_refused(f, x):
    assert right_or_refused(f, x) == 0


# Libraries


def needs_a_module_that_is_not_there(x):
    import no_such_module

    return no_such_module.f(x)


def may_need_it(x):
    return needs_a_module_that_is_not_there(x) if x > 100.0 else x * x


def test_modules_that_are_not_there_matter_where_they_are_needed():
    assert grad(may_need_it)(2.0) == jvp(may_need_it)(2.0, 1.0) == 4.0
    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        grad(may_need_it)(200.0)


def test_errors_in_a_library_name_the_call():
    special = pytest.importorskip("scipy.special")

    def helper(a):
        return special.spherical_jn(2, a) * a

    def root(a):
        return helper(a) + a

    with pytest.raises(MissingRuleError) as told:
        grad(root)(0.7)
    text = str(told.value)
    assert "_spherical_jn" in text and f"{__file__}:" in text and "special.spherical_jn(2, a)" in text


def test_what_looks_at_memory_is_refused_where_it_is_called():
    def strided(x):
        w = np.lib.stride_tricks.as_strided(x, (3, 2), (8, 8))
        return np.sum(w * w)

    def written(x):
        y = x * x
        w = np.lib.stride_tricks.as_strided(y, (2, 2), (16, 8))
        w[0] *= x[0]
        return np.sum(y * x)

    def read(x):
        s = 0.0
        for v in np.nditer(x):
            s += v * v
        return s

    def changed(x):
        y = x * 1.0
        with np.nditer(y, op_flags=["readwrite"]) as it:
            for v in it:
                v[...] = 2 * v * v
        return np.sum(y * x)

    def looped(x):
        y = x.copy()
        for v in np.nditer(y, [], ["readwrite"]):
            v[...] = 2 * v * v
        return np.sum(y * x)

    def stepped(x):
        y = x.copy()
        it = np.nditer(y, op_flags=["readwrite"])
        while not it.finished:
            it[0] = it[0] * it[0]
            it.iternext()
        return np.sum(y)

    iterating = [(f, "nditer") for f in (read, changed, looped, stepped)]
    for f, named in ((strided, "as_strided"), (written, "as_strided"), *iterating):
        for mode in (grad, jvp):
            with pytest.raises(TangentError, match=named) as caught:
                mode(f)
            assert "test_errors.py" in str(caught.value).splitlines()[0]


def test_random_numbers_fill_arrays_row_by_row():
    def f(x, noise):
        rng = np.random.default_rng(0)
        rng.random(out=noise)
        return np.sum(noise * x)

    x, numbers = np.ones((2, 3)), np.random.default_rng(0).random((2, 3))
    assert np.array_equal(grad(f)(x, np.empty((2, 3))), numbers)
    with pytest.raises(TangentError, match="rows do not lie one after the other"):
        grad(f)(x, np.empty((2, 3), order="F"))


class Cards:
    """Something that shuffles, and is no generator of NumPy's."""

    def shuffle(self, xs):
        xs[0] = 9.0 * xs[1]

    def normal(self):
        return 1.0


def dealt(x, rng):
    y = x * 2.0
    rng.shuffle(y)
    return np.sum(y * x) * rng.normal()


def test_what_shuffles_in_its_own_way_is_asked():
    assert np.allclose(grad(dealt)(np.array([1.0, 2.0]), Cards()), [36.0, 26.0])


def test_indices_that_a_library_changes_are_not_read_as_they_are_at_the_end():
    def f(a, u):
        rng, where = np.random.default_rng(0), np.arange(3)
        for _ in range(3):
            a[where[:2]] *= u
            rng.permuted(where, out=where)
        return np.sum(a)

    with pytest.raises(TangentError, match="it changes 'where'"):
        grad(f)


def summed_over_what_is_read_once(v, places):
    table = [[v[0], v[1]], [v[1], 0.5]]
    table[1] = table[0]
    table[1][0] = v[1] * 2.0
    s = 0.0
    for i in places:
        s += np.sin(v[i] + table[0][0])
    return s


def test_iterators_that_are_given_are_read_once():
    """With a memory forward mode would read the items for their tangents, and leave none to the loop."""
    f, v = summed_over_what_is_read_once, np.array([0.5, 0.8])
    expected = [(f(v + h, [0, 1]) - f(v - h, [0, 1])) / 2e-6 for h in 1e-6 * np.eye(2)]
    np.testing.assert_allclose(tangent.grad(f)(v, iter([0, 1])), expected, atol=1e-6)
    np.testing.assert_allclose(tangent.jvp(f)(v, [0, 1], np.ones(2)), sum(expected), atol=1e-6)
    with pytest.raises(UnsupportedError, match=r"test_errors\.py:\d+: cannot differentiate a loop over a list_iterator"):
        tangent.jvp(f)(v, iter([0, 1]), np.ones(2))


MASKED = np.ma.masked_array([1.0, 2.0, 3.0], mask=[0, 1, 0])


def masked_in_the_module(x):
    return np.sum(MASKED + x)


def masked_around(data):
    def loss(x):
        return np.sum(x * data)

    return loss


def masked_beside(x):
    return np.sum(x) + float((MASKED * 2.0).sum())


@pytest.mark.parametrize("f", [masked_in_the_module, masked_around(MASKED)])
@pytest.mark.parametrize("mode", [tangent.grad, tangent.jvp])
def test_arrays_with_operations_of_their_own_are_refused_wherever_they_come_from(f, mode):
    with pytest.raises(RuleError, match=r"(?s)test_errors.py:\d+: .*is a MaskedArray.*np.asarray"):
        mode(f)
    np.testing.assert_array_equal(tangent.grad(masked_beside)(np.ones(3)), np.ones(3))
