"""Variables that change while functions that captured them are kept, passed on or returned."""

import functools

import numpy as np

from programs.registry import program
from programs.samples import signed


@program({"x": 0.7})
def nonlocal_in_map(x):
    total = 0.0

    def add(v):
        nonlocal total
        total = total + v * x
        return total

    parts = list(map(add, [x, x * x]))
    return total * parts[0]


def each(function, items):
    for v in items:
        function(v)


@program({"x": 0.7})
def nonlocal_passed_on(x):
    product = 1.0

    def multiply(v):
        nonlocal product
        product = product * v

    each(multiply, [x, 2.0, x + 1.0])
    return product * x


@program({"x": 0.7})
def counter_returned(x):
    def counter(start):
        n = start

        def step(k):
            nonlocal n
            n = n * k
            return n

        return step

    first, second = counter(x), counter(2.0)
    return first(2.0) + first(x) * second(x) + second(1.5)


@program({"x": 0.7})
def nonlocal_in_a_table_of_functions(x):
    n = 0.0

    def add(v):
        nonlocal n
        n = n + v

    def get():
        return n

    table = {"add": add, "get": get}
    table["add"](x)
    table["add"](x * x)
    return table["get"]() * x


@program({"x": 0.7})
def best_of_a_callback(x):
    log = []
    best = None

    def seen(v):
        nonlocal best
        log.append(v)
        if best is None or v > best:
            best = v

    callback = seen
    for i in range(4):
        callback(np.sin(x * i))
    return best + sum(log)


@program({"x": 0.7})
def changed_after_capture(x):
    y = x * 2.0
    use = lambda v: v * y
    kept = [use]
    y = y * x
    return kept[0](x) + y


@program({"x": 0.7})
def defined_before_its_variable(x):
    def scaled(v):
        return v * scale

    scale = x
    a = scaled(2.0)
    scale = x * x
    other = scaled
    return a * other(3.0)


@program({"x": 0.7})
def parameter_that_changes_after_capture(x):
    use = [lambda v: v * x]
    before = use[0](2.0)
    x = x * x
    return before * use[0](3.0)


@program({"x": 0.7})
def active_loop_variable_kept(x):
    functions = []
    for k in [x, 2.0 * x, x * x]:
        functions.append(lambda v: v * k)
    return functions[0](1.0) * functions[1](2.0) + functions[2](x)


@program({"x": np.array([0.7, -0.4, 1.1])})
def array_that_changes_after_capture(x):
    w = x * 2.0
    use = [lambda v: np.sum(w * v)]
    for i in range(2):
        w = w * x + use[0](x)
    return use[0](x)


def triangle_by_columns(entries, size, at):
    def column(i):
        nonlocal at
        below = size - i - 1
        found = np.concatenate([np.zeros(i), np.exp(entries[i : i + 1]), entries[at : at + below]])
        at += below
        return found

    return np.column_stack([column(i) for i in range(size)])


@program({"entries": signed(3), "x": signed(3, 2), "means": signed(2, 2)})
def lists_in_lists_beside_a_captured_count(entries, x, means):
    low = triangle_by_columns(entries, x.shape[1], 2)
    apart = np.array([[x[i] - means[j] for j in range(len(means))] for i in range(len(x))])
    return np.sum((apart @ low) ** 2)


def through(f):
    def inner(n):
        return f(n)

    return inner


def same(f):
    return f


class Holder:
    def __init__(self, f):
        self.f = f

    def __call__(self, n):
        return self.f(n)


@program({"x": 1.3})
def changed_after_it_was_decorated(x):
    k = x

    def scaled(n):
        return n * k

    kept, plain, held = through(scaled), same(scaled), Holder(scaled)
    k = k * x
    return kept(3.0) + plain(2.0) * held(1.0)


@program({"x": 1.3})
def changed_after_a_function_gave_it(x):
    k = x

    def make():
        def inner(n):
            return n * k

        return inner

    kept = make()
    k = k * x
    return kept(3.0)


@program({"x": 1.3})
def recursion_through_a_decorator(x):
    @through
    def series(n):
        return x if n < 2 else series(n - 1) * 0.5 + series(n - 2) * x

    return series(5)


def remembering(f):
    known = {}

    @functools.wraps(f)
    def inner(*args):
        if args not in known:
            known[args] = f(*args)
        return known[args]

    return inner


@program({"x": 1.3})
def recursion_through_a_decorator_that_remembers(x):
    @remembering
    def series(n):
        return x if n < 2 else series(n - 1) * 0.5 + series(n - 2) * x

    return series(7)


@program({"entries": signed(6), "size": 3})
def captured_count_that_starts_at_a_length(entries, size):
    at, end = size, len(entries)

    def row(i):
        nonlocal at, end
        end -= 1
        found = np.concatenate([np.zeros(i + 1), entries[at : at + size - i - 1] * entries[end]])
        at += size - i - 1
        return found

    return np.stack([row(i) for i in range(size)]) * np.exp(entries[:size])


APPLIED = {"twice": lambda f, v: f(v) * 2.0}


@program({"x": 0.7})
def factor_that_changes_in_a_loop(x):
    total = 0.0
    for a in (1.0, 2.0):
        total += APPLIED["twice"](lambda v: v * v * a, x)
    return total


@program({"x": 0.7})
def factor_that_changes_behind_the_call(x):
    a = 2.0
    g = lambda v: v * v * a
    y = APPLIED["twice"](g, x)
    a = 5.0
    return y * a


@program({"x": 0.7})
def trampoline(x):
    """What a call gives calls the function that gave it, by its name: the function captured itself."""

    def go(n, total):
        if n == 0:
            return total
        return lambda: go(n - 1, total * x)

    r = go(3, 1.0)
    while callable(r):
        r = r()
    return r


@program({"x": 0.7})
def endless_stream_of_pairs(x):
    def stream(v):
        return v, lambda: stream(v * x)

    s, total = stream(1.0), 0.0
    for _ in range(4):
        head, rest = s
        total = total + head
        s = rest()
    return total


@program({"x": 0.7})
def function_that_hands_itself_on(x):
    def g(n, v):
        return v * x if n == 0 else functools.partial(g, n - 1)(v) * x

    return g(2, 1.3)


def applied(functions, v):
    return functions[0](v)


@program({"x": 0.7})
def second_name_of_an_argument_captured(x):
    target = x

    def loss(w):
        return w * w * target

    return applied([loss], 2.0 * x)


@program({"x": 0.7})
def calls_that_a_decorator_counts(x):
    calls = 0

    def counted(f):
        def wrapper(v):
            nonlocal calls
            calls += 1
            return f(v)

        return wrapper

    @counted
    def scaled(v):
        return v * x

    return scaled(x) * scaled(2.0) * calls


@program({"x": 0.7})
def captured_by_what_a_function_gives_and_rebound_by_another(x):
    n = x

    def grow():
        nonlocal n
        n = n * x

    def give():
        return lambda v: v * n

    w = give()
    grow()
    y = w(x)
    grow()
    return y + w(x) * n


@program({"x": 1.1})
def functions_that_call_each_other_and_are_kept(x):
    def even(n):
        return x if n == 0 else odd(n - 1) * x

    def odd(n):
        return 1.0 if n == 0 else even(n - 1) + x

    both = [even, odd]
    return both[0](4) + both[1](3)


@program({"x": 1.1})
def table_of_functions_that_evaluate_each_other(x):
    def number(t):
        return t[1] * x

    def add(t):
        return value(t[1]) + value(t[2])

    def multiply(t):
        return value(t[1]) * value(t[2])

    table = {"n": number, "+": add, "*": multiply}

    def value(t):
        return table[t[0]](t)

    return value(("*", ("+", ("n", 1.0), ("n", 2.0)), ("n", 3.0)))


@program({"x": 1.1})
def states_that_give_each_other(x):
    total = 0.0

    def idle(event):
        nonlocal total
        total += x
        return busy if event > 0 else idle

    def busy(event):
        nonlocal total
        total *= 1.5 * x
        return idle if event < 0 else busy

    state = idle
    for event in (0, 1, 1, -1, 0, 1):
        state = state(event)
    return total
