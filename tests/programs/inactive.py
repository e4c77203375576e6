"""Statements that cannot influence the derivative may be any Python at all."""

import contextlib
import io
import json
import logging
import os
import warnings

import numpy as np

from programs.registry import program
from programs.samples import signed

HISTORY = []
COUNTS = {"calls": 0}
logger = logging.getLogger("tangent.zoo")


@program({"x": 0.7})
def prints(x):
    y = x * x
    print("the value is", y)
    return y * x


@program({"x": signed(3)})
def prints_a_function_of_active(x):
    print(np.mean(x), x.shape, sep=" / ")
    return np.sum(x * x)


@program({"x": 0.7})
def prints_in_a_loop(x):
    for i in range(3):
        x = np.sin(x)
        print(i, x)
    return x


@program({"x": 0.7})
def prints_in_a_branch(x):
    if x > 0:
        print("positive", end="!\n")
        return x * x
    print("negative")
    return x


@program({"x": 0.7})
def formatted_strings(x):
    message = f"x = {x:.3f}, twice {x * 2!r}"
    label = f"{len(message)}" + "%d" % 3 + "{}".format(x)
    return x * x + 0 * len(label)


@program({"x": 0.7, "name": "mode"})
def strings_decide(x, name):
    key = f"{name}_1".upper().split("_")[0]
    if key == "MODE":
        return x * x
    return x


@program({"x": 0.7})
def assertions(x):
    assert x > 0
    assert isinstance(x, float), f"{x} is not a float"
    y = x * x
    assert y < 100 and not y < 0, "too large"
    return y * x


@program({"x": 0.7})
def deletions(x):
    y = x * x
    z = y + 1
    del z
    t = y * x
    del y
    return t


@program({"x": 0.7})
def deletion_of_a_value_the_adjoint_needs(x):
    y = np.exp(x)
    z = y * y
    del y
    return z


@program({"x": 0.7})
def passes(x):
    pass
    if x > 5:
        pass
    for _ in range(2):
        pass
    ...
    return x * x


@program({"x": 0.7})
def strings_and_numbers_as_statements(x):
    """A docstring."""
    "another string"
    42
    x * 3
    return x * x


@program({"x": 0.7})
def calls_without_results(x):
    max(x, 1.0)
    np.sum(x)
    len("abc")
    return x * x


@program({"x": 0.7})
def appends_to_a_global_list(x):
    HISTORY.append(float(x))
    y = x * x
    HISTORY.append("squared")
    return y


@program({"x": 0.7})
def appends_to_a_local_log(x):
    log = []
    for i in range(3):
        x = x * x + 0.1
        log.append(f"step {i}")
    assert len(log) == 3
    return x


@program({"x": 0.7})
def logs(x):
    logger.debug("x is %s", x)
    y = x * x
    logger.info("y is %s", y)
    return y


@program({"x": 0.7})
def counts_in_a_global_dict(x):
    COUNTS["calls"] = COUNTS["calls"] + 1
    COUNTS["calls"] += 1
    return x * x


@program({"x": 0.7})
def counts_by_global_statement(x):
    global calls_made
    calls_made = calls_made + 1
    return x * x


calls_made = 0


@program({"x": 0.7})
def local_inactive_list_is_changed(x):
    weights = [1, 2, 3]
    weights.append(4)
    weights[0] = 10
    weights.sort()
    total = sum(weights)
    return x * total


@program({"x": 0.7})
def local_inactive_dict_is_changed(x):
    table = {}
    for i in range(3):
        table[f"k{i}"] = i * i
    table.update(z=5)
    return x * table["k2"] + table.pop("z") * x


@program({"x": signed(3)})
def local_inactive_array_is_written(x):
    w = np.zeros(3)
    w[0] = 1.0
    w[1:] = 2.0
    w += 1.0
    return np.sum(w * x * x)


@program({"x": 0.7})
def try_on_inactive_data(x):
    try:
        scale = int("12")
    except ValueError:
        scale = 1
    return x * x * scale


@program({"x": 0.7})
def try_that_fails(x):
    table = {"a": 1}
    try:
        scale = table["missing"]
    except KeyError as error:
        scale = len(error.args)
    else:
        scale = 100
    finally:
        table = None
    return x * scale


@program({"x": 0.7})
def with_on_inactive_data(x):
    with io.StringIO() as stream:
        stream.write("abc")
        n = len(stream.getvalue())
    return x**n


@program({"x": 0.7})
def with_suppress(x):
    n = 2
    with contextlib.suppress(ZeroDivisionError):
        n = 1 // 0
    return x**n


@program({"x": 0.7})
def imports_inside(x):
    import itertools
    from collections import Counter as Tally

    n = len(list(itertools.combinations(range(3), 2)))
    m = Tally("aab")["a"]
    return x**n * m


@program({"x": 0.7})
def class_inside(x):
    class Settings:
        rate = 3

        def double(self):
            return self.rate * 2

    s = Settings()
    k = s.double() + s.rate
    return x * k


@program({"x": 0.7})
def function_inside(x):
    def choose(n, k=2):
        return n * (n - 1) // k

    return x * choose(5)


@program({"x": 0.7})
def comprehensions(x):
    squares = [i * i for i in range(4) if i % 2]
    table = {k: v for k, v in zip("ab", squares)}
    names = {n for n in table}
    total = sum(v for v in table.values())
    return x * total + len(names) * x


@program({"x": 0.7})
def lambda_inside(x):
    order = sorted([3, 1, 2], key=lambda n: -n)
    return x ** order[0]


@program({"x": 0.7})
def generator_inside(x):
    pairs = list((i, j) for i in range(2) for j in range(2))
    first = next(iter(pairs))
    return x * len(pairs) + first[1]


@program({"x": 0.7})
def walrus_on_inactive_data(x):
    if (n := len("four")) > 3:
        return x**n
    return x


@program({"x": 0.7, "kind": "b"})
def match_statement(x, kind):
    match kind:
        case "a":
            n = 2
        case "b" | "c":
            n = 3
        case _:
            n = 1
    return x**n


@program({"x": 0.7})
def while_with_inactive_data(x):
    todo = ["a", "b", "c"]
    n = 0
    while todo:
        todo.pop()
        n += 1
    return x * n


@program({"x": 0.7})
def environment_and_files(x):
    n = len(os.path.join("a", "b")) + len(json.dumps({"k": [1, 2]}))
    return x * n


@program({"x": 0.7})
def warnings_are_caught(x):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        n = int(np.float64(3.0))
    return x * n


@program({"x": signed(4)})
def indices_computed_by_any_python(x):
    order = {v: i for i, v in enumerate(["d", "a", "c", "b"])}
    chosen = [order[k] for k in sorted(order)]
    return x[chosen] * np.arange(4)


@program({"x": signed(4)})
def random_numbers(x):
    rng = np.random.default_rng(0)
    noise = rng.normal(size=4)
    return np.sum(x * noise * x)


@program({"x": 0.7})
def sets_and_strings(x):
    letters = set("hello") | {"z"}
    letters.add("q")
    return x * len(letters)


@program({"x": 0.7})
def bit_operations(x):
    n = (5 & 3) | (8 >> 3 << 2) ^ 1
    n = ~n & 0xFF
    return x * (n % 7)


@program({"x": 0.7})
def raising_that_does_not_happen(x):
    if x < 0:
        raise ValueError(f"negative: {x}")
    return np.sqrt(x)


@program({"x": 0.7})
def raising_in_the_else(x):
    if x > 0:
        y = x * x
    else:
        raise ValueError("negative")
    return y


@program({"x": signed(3)})
def result_through_int_is_constant(x):
    n = int(np.sum(x > 0)) + int(x[0] * 10) * 0
    return x * n


@program({"x": signed(3)})
def list_of_python_numbers(x):
    biggest = int(np.argmax(x))
    seen = [biggest]
    seen.extend(range(2))
    return x[seen[0]] ** 2 + x[seen[-1]]


@program({"x": 0.7, "config": {"depth": 2, "names": ["a", "b"]}})
def configuration(x, config):
    depth = config.get("depth", 1)
    for name in config["names"]:
        print(name)
        x = np.sin(x) * depth
    return x


@program({"x": 0.7})
def monitoring(x):
    trace = {}
    for step in range(3):
        x = 0.5 * (x + 2.0 / x)
        trace[step] = float(x)
    print(sorted(trace.items()))
    return x


@program({"x": 0.7, "y": 2.0}, wrt="x")
def work_for_the_inactive_argument(x, y):
    steps = []
    while y > 0.1:
        y = y / 2
        steps.append(y)
    return x * x * steps[-1]


def counted():
    COUNTS["helped"] = COUNTS.get("helped", 0) + 1
    if COUNTS["helped"] < 0:
        raise ValueError("it has been called too often")
    return COUNTS["helped"]


@program({"x": 0.7})
def helper_that_counts_calls(x):
    counted()
    y = x * x
    if counted() > 0:
        y = y * x
    return y
