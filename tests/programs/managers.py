"""Context managers that see what went wrong, and blocks inside `try` that are left half-way."""

import contextlib
import math
import threading

import numpy as np

from programs.registry import program


class Swallowing:
    def __init__(self, *kinds):
        self.kinds = kinds

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        return kind is not None and issubclass(kind, self.kinds)


@program({"x": 0.7})
def exceptions_that_a_class_swallows(x):
    s = 0.0
    for k in [1.0, -1.0, 2.0, 0.0, 3.0]:
        with Swallowing(ValueError, ZeroDivisionError):
            if k == 3.0:
                break
            s = s * x
            s += math.sqrt(k) * x
            s += x / k
    return s


@program({"x": 0.7})
def statement_that_only_fails(x):
    y = x
    with Swallowing(ZeroDivisionError):
        y = x * x
        1 / 0
        y = 0.0
    return y * x


class Ledger:
    def __init__(self):
        self.entries = 0
        self.total = 0.0

    def __enter__(self):
        self.entries += 1
        return self

    def add(self, v):
        self.total = self.total + v

    def __exit__(self, kind, error, traceback):
        if kind is ValueError:
            self.total = self.total * 2.0
            return True
        self.total += 1.0


@program({"x": 0.7})
def context_that_changes_with_what_went_wrong(x):
    ledger = Ledger()
    for k in [1.0, -1.0]:
        with ledger as open_ledger:
            open_ledger.add(x * k)
            open_ledger.add(math.sqrt(k) * x * x)
    return ledger.total * ledger.entries


@contextlib.contextmanager
def noted(log, v):
    log.append(v)
    try:
        yield
    except ValueError as e:
        log.append(v * 3.0)
        if not str(e):
            raise
    finally:
        log.append(v * 5.0)


@program({"x": 0.7})
def exceptions_that_a_generator_swallows(x):
    log = []
    for k in [1.0, -2.0, 3.0]:
        with noted(log, x * k):
            log.append(math.sqrt(k) * x * x)
    return sum(v * (i + 1) for i, v in enumerate(log))


@program({"x": 0.7})
def exception_that_a_generator_raises_again(x):
    log = []
    try:
        with noted(log, x):
            log.append(x * x)
            raise ValueError
    except ValueError:
        log.append(x**3)
    return sum(v * (i + 1) for i, v in enumerate(log))


@contextlib.contextmanager
def quietly():
    try:
        yield
    except (ValueError, KeyError):
        pass


@program({"x": 0.7})
def generator_without_arguments_that_swallows(x):
    y = x
    with quietly():
        y = x * x
        math.sqrt(-1.0)
        y = 0.0
    return y * x


@program({"x": 0.7})
def with_inside_try(x):
    lock = threading.Lock()
    y = x
    try:
        with lock, np.errstate(all="ignore"):
            y = y * x
            math.sqrt(-y)
            y = 0.0
    except ValueError:
        y = y * 3.0 if not lock.locked() else 0.0
    return y * x


@program({"x": 0.7})
def finally_and_return_inside_try_in_a_loop(x):
    log = [x]
    for k in range(4):
        try:
            try:
                log.append(x * k)
                if k == 2:
                    return sum(log) * x
                if k == 1:
                    math.sqrt(-x)
                log.append(x * x)
            finally:
                log.append(x + k)
        except ValueError:
            log.append(x**3)
    return 0.0


@program({"x": 0.7})
def finally_that_fails(x):
    a = np.zeros(3)
    try:
        try:
            a[0] = x
        finally:
            a[2] = a[0] * x
            math.sqrt(-x)
            a[0] = 0.0
    except ValueError:
        a *= 2.0
    return np.sum(a) * x


@program({"x": 0.7})
def exception_that_passes_a_handler(x):
    y = x
    try:
        try:
            y = y * x
            {}["a"]
        except ValueError:
            y = 0.0
    except KeyError:
        y = y * y
    return y


@program({"x": 0.7})
def finally_of_a_handler_that_does_not_fit(x):
    y = x
    try:
        try:
            y = y * x
            try:
                y = y + x
                {}["a"]
            finally:
                y = y * 2.0
        except ValueError:
            y = 0.0
        finally:
            y = y + 3.0 * x
    except KeyError:
        y = y * y
    return y


class Tape:
    def __enter__(self):
        self.items = []
        return self

    def __exit__(self, *error):
        self.count = len(self.items)

    def add(self, v):
        self.items.append(v)
        return v


@program({"x": 1.3}, orders=1)
def context_without_arguments_that_keeps_what_it_is_given(x):
    with Tape() as tape:
        y = tape.add(x * x) + tape.add(x)
    return y * tape.count * sum(tape.items)
