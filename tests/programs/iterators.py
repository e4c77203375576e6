"""Functions of functions and iterators: map, filter, reduce, itertools, operator, generators, comprehensions."""

import functools
import itertools
import math
import operator
import types

import numpy as np

from programs.registry import program
from programs.samples import signed

XS = [0.5, 1.5, -2.0]


@program({"xs": XS})
def map_of_a_lambda(xs):
    return sum(map(lambda x: x * x, xs))


@program({"xs": XS, "k": 0.7})
def map_of_a_closure(xs, k):
    return sum(list(map(lambda x: x * x * k, xs)))


@program({"xs": XS})
def map_of_a_library_function(xs):
    return sum(map(np.sin, xs)) * sum(map(math.exp, xs))


@program({"xs": XS, "ys": [2.0, 0.3]})
def map_of_two(xs, ys):
    return sum(map(lambda x, y: x * y + x, xs, ys))


@program({"xs": XS})
def map_in_a_loop(xs):
    s = 1.0
    for y in map(lambda x: x * x + 1.0, xs):
        s = s * y
    return s


@program({"xs": XS})
def map_in_a_loop_with_break(xs):
    s = 0.0
    for y in map(lambda x: 3.0 / (x + 2.1), xs):
        s = s + y * y
        if s > 1.5:
            break
    return s


@program({"xs": XS})
def map_of_map(xs):
    s = 0.0
    for y in map(np.sin, map(lambda x: x * x, xs)):
        s = s + y
    return s


@program({"xs": XS})
def map_unpacked(xs):
    a, b, c = map(lambda x: x * x, xs)
    return a * b + c


@program({"xs": XS})
def map_starred(xs):
    return math.hypot(*map(abs, xs))


@program({"xs": XS})
def map_read_later(xs):
    squares = map(lambda x: x * x, xs)
    k = xs[0]
    return sum(squares) * k


@program({"xs": XS})
def map_and_filter(xs):
    return sum(map(lambda x: x * x, filter(lambda x: x > 0, xs)))


@program({"xs": XS})
def filter_in_a_loop(xs):
    s = 1.0
    for x in filter(lambda x: x > 0, xs):
        s = s * x
    return s


@program({"xs": [0.5, 1.1, -2.0]})
def filter_by_truth(xs):
    return math.prod(filter(None, xs))


@program({"x": 0.7})
def composition_by_reduce(x):
    return functools.reduce(lambda a, f: f(a), [np.sin, np.cos], x)


@program({"xs": XS})
def reduce_of_values(xs):
    return functools.reduce(lambda a, b: a * b + a, xs)


@program({"xs": XS, "k": 0.7})
def reduce_with_start_and_capture(xs, k):
    return functools.reduce(lambda a, b: a * k + b, xs, k * k)


@program({"xs": XS})
def reduce_with_operator(xs):
    return functools.reduce(operator.mul, xs)


@program({"xs": XS})
def sorted_values(xs):
    a, b, c = sorted(xs)
    return a * b + c


@program({"xs": XS})
def sorted_by_key(xs):
    return sorted(xs, key=lambda x: -x)[0] ** 2


@program({"xs": XS})
def sorted_by_key_reversed(xs):
    a, b, c = sorted(xs, key=abs, reverse=True)
    return a * b * b + c


@program({"pairs": [(2, 0.5), (1, 1.5), (3, -0.7)]})
def sorted_by_item(pairs):
    ordered = sorted(pairs, key=operator.itemgetter(0))
    return ordered[0][1] * ordered[1][1] ** 2


@program({"xs": XS})
def max_by_key(xs):
    return max(xs, key=abs) ** 2 + min(xs, key=lambda x: x * x)


@program({"x": 0.7, "y": 1.4})
def max_of_two_by_key(x, y):
    return max(x, y, key=lambda v: -v) * y


@program({"xs": XS}, {"xs": []}, wrt="xs")
def max_with_default(xs):
    return max(xs, default=2.0) * 3.0


@program({"d": {"a": 0.5, "b": 1.5}})
def max_over_a_dict(d):
    best = max(d, key=d.get)
    return d[best] ** 2


@program({"x": 0.7, "y": 1.2})
def operators(x, y):
    a = operator.add(operator.mul(x, y), operator.truediv(x, y))
    return operator.pow(operator.neg(a), 2) - operator.sub(x, y) + operator.itemgetter(1)([x, y])


@program({"xs": XS})
def getters(xs):
    first, last = operator.itemgetter(0, -1)(xs)
    return first * last


@program({"x": signed(2, 3)})
def method_caller(x):
    total = operator.methodcaller("sum")
    return total(x * x)


@program({"xs": XS})
def accumulated(xs):
    return sum([v * v for v in itertools.accumulate(xs)])


@program({"xs": XS})
def accumulated_by_a_function(xs):
    return list(itertools.accumulate(xs, lambda a, b: a * b + 1.0, initial=0.5))


@program({"xs": XS, "ys": [0.3]})
def chained(xs, ys):
    s = 0.0
    for i, v in enumerate(itertools.chain(xs, ys)):
        s = s + i * v * v
    return s


@program({"rows": [[0.5, 1.5], [2.0]]})
def chained_rows(rows):
    return sum([v**3 for v in itertools.chain.from_iterable(rows)])


@program({"xs": XS, "ys": [0.3, 0.8]})
def products(xs, ys):
    s = 0.0
    for x, y in itertools.product(xs, ys):
        s = s + np.sin(x * y)
    return s


@program({"xs": XS})
def pairs_of_a_list_that_changes(xs):
    kept = list(xs)
    for a, b in itertools.combinations(kept, 2):
        kept.append(a * b)
        if len(kept) > 5:
            break
    for order in itertools.permutations(range(3), 2):
        kept[order[0]] = kept[order[0]] + 0.5 * kept[order[1]]
    return sum(kept)


@program({"x": 0.7})
def repeated(x):
    return sum(itertools.repeat(x * x, 3))


@program({"xs": XS, "ys": [0.3, 0.8]})
def zipped_longest(xs, ys):
    return sum([x * y for x, y in itertools.zip_longest(xs, ys, fillvalue=2.0)])


@program({"xs": XS})
def neighbours(xs):
    return sum([(b - a) ** 2 for a, b in itertools.pairwise(xs)])


@program({"xs": XS})
def sliced(xs):
    return sum(itertools.islice(xs, 1, None)) * xs[0]


@program({"xs": XS})
def combinations(xs):
    return sum(a * b for a, b in itertools.combinations(xs, 2))


@program({"xs": XS})
def permutations(xs):
    return sum([a * b * b for a, b in itertools.permutations(xs, 2)])


@program({"xs": XS})
def taken_and_dropped(xs):
    first = itertools.takewhile(lambda x: x > 0, xs)
    return sum(first) * sum(itertools.dropwhile(lambda x: x > 0, xs))


@program({"pairs": [(0.5, 1.5), (2.0, -0.3)]})
def starmapped(pairs):
    return sum(itertools.starmap(lambda a, b: a * b, pairs))


@program({"xs": XS})
def compressed(xs):
    return math.prod(itertools.compress(xs, [True, False, True]))


@program({"xs": XS})
def counted(xs):
    return sum([i * x for i, x in zip(itertools.count(1), xs)])


@program({"rows": [[0.5, 1.5], [2.0, -0.7]]})
def transposed(rows):
    return [sum(column) * column[0] for column in zip(*rows)]


@program({"rows": [(0.5, 1.5), (2.0, -0.7)]})
def transposed_by_unpacking(rows):
    xs, ys = zip(*rows)
    return xs[0] * ys[1] + xs[1]


@program({"xs": XS, "ys": [2.0, 0.3, 1.1]})
def list_of_zip(xs, ys):
    pairs = list(zip(xs, ys))
    return pairs[0][0] * pairs[1][1]


@program({"xs": XS})
def list_of_enumerate(xs):
    return [i * x for i, x in list(enumerate(xs, 1))]


@program({"xs": XS})
def reversed_list(xs):
    return list(reversed(xs))[0] * xs[0]


@program({"xs": XS})
def list_comprehension(xs):
    return sum([x * x for x in xs])


@program({"xs": XS})
def list_comprehension_with_condition(xs):
    return [x**3 for x in xs if x > 0]


@program({"x": signed(3)})
def nested_comprehension(x):
    return np.array([[a * b for a in x] for b in x])


@program({"x": signed(2, 3)})
def comprehension_with_two_loops(x):
    return sum([v * v for row in x for v in row if v > 0])


@program({"xs": XS})
def generator_expression(xs):
    return sum(np.sin(x) * i for i, x in enumerate(xs))


@program({"xs": XS})
def augmented_by_a_generator(xs):
    s = 1.0
    s += sum(x * x for x in xs)
    return s


@program({"xs": XS}, {"xs": []}, wrt="xs")
def comprehension_in_a_conditional(xs):
    return sum([x * x for x in xs]) if xs else 0.0


@program({"d": {"a": 0.5, "b": 1.5}})
def dict_comprehension(d):
    return {k: v * v for k, v in d.items()}


@program({"d": {"a": 0.5, "b": 1.5}})
def dict_comprehension_with_condition(d):
    e = {k + "2": v * v for k, v in d.items() if v > 1.0}
    return e["b2"] * d["a"]


@program({"xs": XS})
def dict_comprehension_that_replaces(xs):
    d = {i % 2: x * x for i, x in enumerate(xs)}
    return d[0] * d[1]


@program({"d": {"a": 0.5, "b": 1.5}})
def views(d):
    return sum(d.values()) * math.prod(d.values()) + sum([v for _, v in sorted(d.items())])


@program({"d": {"a": 0.5, "b": 1.5}, "x": 0.3})
def dict_constructors(d, x):
    e = dict(d, c=x)
    f = dict([("a", x * x), ("d", x)])
    g = dict(zip(["u", "v"], [x, e["a"]]))
    return e["a"] * e["c"] + f["a"] * g["v"] + g["u"] * f["d"]


@program({"a": {"k": 0.5, "l": 1.5}, "b": {"l": 0.7}})
def dict_union(a, b):
    c = a | b
    return c["k"] * c["l"]


@program({"a": {"k": 0.5, "l": 1.5}, "b": {"l": 0.7}})
def dict_merge(a, b):
    c = {**a, **b, "m": a["k"]}
    return c["k"] * c["l"] * c["m"] + b.get("l", 1.0) * a.get("z", 3.0)


def steps(x, n):
    for _ in range(n):
        x = x * 1.5
        yield x


@program({"x": 0.7})
def generator_in_a_loop(x):
    s = 0.0
    for v in steps(x, 3):
        s = s + v * v
    return s


@program({"x": 0.7})
def generator_summed(x):
    return sum(steps(x, 3)) * max(steps(x, 2))


def both(x):
    yield x * x
    yield from steps(x, 2)
    if x > 10.0:
        return
    yield -x


@program({"x": 0.7})
def generator_of_a_generator(x):
    a, b, c, d = both(x)
    return a * b + c * d


@program({"x": 0.7})
def local_generator(x):
    def powers(n):
        v = 1.0
        for _ in range(n):
            v = v * x
            yield v

    return sum(powers(3)) + sum([p * p for p in powers(2)])


@program({"x": 0.7})
def generator_in_a_comprehension(x):
    return [v * v for v in steps(x, 2)]


def totals(x, n):
    total = np.zeros(3)
    for k in range(n):
        total += x * k
        yield total


@program({"x": signed(3)})
def generator_that_adds_in_place(x):
    s = np.sum(sum(totals(x, 3)))
    for total in totals(x, 4):
        s += np.sum(total * total)
    return s


def one_array(x, n):
    row = np.zeros(3)
    for k in range(n):
        row[k] = x[k]
        yield row


@program({"x": signed(3)}, orders=1)
def generator_of_one_array_in_a_list(x):
    first, second = list(one_array(x, 2))
    return np.sum(first * first) + np.sum(second * x)


@program({"x": signed(3)})
def vectorised_python(x):
    return np.array(list(map(float, x))) * 2.0


@program({"x": signed(6)})
def elements_with_indices(x):
    total = 0.0
    for (i, j), v in np.ndenumerate(np.reshape(x, (2, 3))):
        if v < -5.0:
            continue
        total = total + v * v * (i + 2 * j)
    return total


@program({"x": signed(3)})
def lists_that_numpy_takes_for_arrays(x):
    squares = [v * v for v in x]
    return np.add(squares, list(x)) * np.multiply(np.r_[x[0], squares[1:]], [1.0, 2.0, 3.0])


@program({"x": np.array([0.7, -0.4])}, orders=1)
def reduced_by_a_capturing_function(x):
    parts = [x * i for i in range(3)]
    return np.sum(functools.reduce(lambda a, b: a * 0.5 + b * x, parts, np.zeros(2)))


@program({"x": signed(4)}, orders=1)
def pairs_of_an_array_that_is_written(x):
    a = x * 1.0
    for i, (u, v) in enumerate(zip(a[:-1], a[1:])):
        a[i + 1] = u * v + a[i]
    return np.sum(a * a)


@program({"x": signed(4)}, orders=1)
def index_that_another_loop_assigns(x):
    s = 0.0
    for i, v in enumerate(x, start=1):
        s += i * v**2
    for i, v in enumerate(x):
        s += i * v
    return s


@program({"x": np.array([1.0, 2.0, 3.0])})
def neighbours_in_a_variable(x):
    pairs = itertools.pairwise(list(itertools.accumulate(map(lambda v: v * v, x), operator.mul)))
    return sum(a * b for a, b in pairs)


@program({"x": 0.7})
def sorted_by_a_lambda_and_found_by_a_getter(x):
    points = [(x, 3), (x * x, 1), (2.0 * x, 2)]
    points.sort(key=lambda p: -p[1])
    first, *rest = points
    return first[0] * rest[0][0] + max(points, key=operator.itemgetter(0))[0]


@program({"x": signed(3), "y": signed(3, shift=1.0)})
def loops_over_generator_expressions(x, y):
    for part in (x[k : k + 2] for k in range(2) if k < 5):
        part *= y[:2]
    s, k = y[0], 2.0
    for v in (s * k + y[k] for k in range(3)):
        s = s * v
        if v > 100.0:
            break
    else:
        s = s * k
    for v in (x[i] * y[j] for i in range(3) for j in range(i)):
        s += v**2
        if s > 1e6:
            return s
    return s + np.sum(x)


@program({"x": signed(3), "y": signed(3, shift=1.0)})
def generator_expressions_that_are_counted(x, y):
    s, n = 0.0, 3.0
    for i, (v, w) in enumerate(((p, q * n) for p, q in zip(x, y) if q > -5.0), 1):
        if i == 1:
            continue
        for j, t in enumerate(v * z for z in x[:i]):
            s += np.sin(t) * w * (j + n)
    return s * n


@program({"x": signed(6)})
def elements_and_their_places_in_comprehensions(x):
    m = np.reshape(x, (2, 3))
    d = {k: v * v for k, v in np.ndenumerate(m * x[0])}
    return sum(v * (i + 2 * j) for (i, j), v in np.ndenumerate(m) if v > 0) + d[1, 2]


@program({"x": signed(6)})
def elements_that_builtins_read(x):
    m = np.reshape(x, (2, 3))
    it = m.flat
    return sum(sorted(m.flat)[:3]) * max(m.flat) + sum(it) * min(m.T.flat)


@program({"x": signed(4)})
def one_item_of_a_list_that_a_loop_makes(x):
    squares = []
    for v in x:
        squares.append(v * v)
    return squares[2]


def growing(k):
    n = 0

    def step(*parts):
        nonlocal n
        n += 1
        return sum(parts) * n * k

    return step


@program({"x": 0.7})
def functions_made_once_for_all_items(x):
    s = sum(map(growing(x), [x, 2.0, x])) + sum(map(growing(2.0), [x, 2.0], [1.0, x]))
    return s * sum(itertools.starmap(growing(x), [(x, 1.0), (2.0, x)]))


@program({"x": 0.7})
def partial_applications_over_items(x):
    return sum(map(functools.partial(operator.mul, x), [x, 2.0])) * sum([*map(functools.partial(pow, x), [2, 3])])


@program({"x": 0.7, "i": 1})
def getters_told_by_variables(x, i):
    rows = [(x, 2.0), (x * x, x)]
    return sum(map(operator.itemgetter(i), rows)) * max(rows, key=operator.itemgetter(i - 1))[1]


@program({"x": 1.3, "bounds": (1, 6, 2)}, orders=1)
def bounds_of_a_range_behind_a_star(x, bounds):
    s = 0.0
    for k in range(*bounds):
        s += x**k
    return s * sum(itertools.islice(itertools.cycle([x, 2.0]), 1, 6, 2)) * sum(itertools.islice(itertools.count(x), 3))


def _called_with_two(f):
    return f(2.0) * (3.0 if isinstance(f, functools.partial) else 1.0)


@program({"x": 1.3})
def kinds_of_functions_told_apart(x):
    functions = [functools.partial(operator.mul, x), lambda v: v * x, math.sin, functools.partial(math.pow, x)]
    return sum(_by_kind(f) for f in functions)


def _by_kind(f):
    if isinstance(f, (functools.partial, types.BuiltinFunctionType)):
        return f(2.0) * 3.0
    if isinstance(f, types.FunctionType):
        return f(2.0) * 5.0
    return f(2.0)


@program({"x": 1.3})
def partial_applications_told_from_functions(x):
    functions = [functools.partial(operator.mul, x), lambda v: v * x, math.sin, functools.partial(math.pow, x)]
    return sum(_called_with_two(f) for f in functions)
