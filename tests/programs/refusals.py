"""Programs that are refused, with the words that their errors must contain; docs/python.md names them."""

import contextlib
import contextvars
import functools
import io
import itertools
import math
import threading
from collections import Counter, UserDict, defaultdict, deque

import numpy as np

import tangent

REFUSALS = {}


def refused(words, *args):
    def put(function):
        REFUSALS[function.__name__] = (function, words, args)
        return function

    return put


@refused("map", 2.0)
def iterator_returned(x):
    return map(lambda v: v * x, [1.0, 2.0])


def one_array(x):
    row = np.zeros(2)
    for k in range(2):
        row[k] = x
        yield row


@refused("list", 2.0)
def generator_of_one_array(x):
    return sum([np.sum(row * row) for row in one_array(x)])


class Halves:
    def __init__(self, x, n):
        self.x, self.n = x, n

    def __iter__(self):
        return self

    def __next__(self):
        if self.n == 0:
            raise StopIteration
        self.n -= 1
        self.x *= 0.5
        return self.x


@refused("a new array each time", np.array([2.0, 1.0]))
def iterator_of_one_array(x):
    return np.sum(sum(v * v for v in Halves(x, 3)))


@refused("compare the lengths before", 2.0)
def strict_zip_that_is_kept(x):
    pairs = zip([x, x], [1.0], strict=True)
    return next(pairs)[0] * x


@refused("Leave 'strict=True' out", 2.0)
def strict_zip_without_end(x):
    return sum(a * b for a, b in zip([x, x], itertools.count(1.0), strict=True))


@refused("'yield'", 2.0)
def generator_itself(x):
    yield x * x


def average():
    s = 0.0
    while True:
        v = yield s
        s = s + v


@refused("captured it before", 2.0)
def variable_of_a_comprehension_captured(x):
    functions = [lambda v: v * k for k in [x, 2.0 * x]]
    return functions[0](1.0) * functions[1](1.0)


@refused("Set", 2.0)
def set_of_active_values(x):
    return sum({x, x * x})


@refused("set comprehension", 2.0)
def set_comprehension_of_active_values(x):
    return sum({x * i for i in range(3)})


@refused("keys", 2.0)
def active_keys(x):
    return sum({x: 1.0}.keys())


@refused("keys", np.array([0.7, 1.3, 0.4, 2.1]))
def keys_that_come_back(x):
    d = {}
    for v in x:
        d[v] = d.get(v, 0) + 1
    return sum(k * d[k] for k in sorted(d))


@refused("keys", np.array([0.7, 1.3, 0.4, 2.1]))
def keys_of_pairs_that_come_back(x):
    d = dict(zip(x, range(4)))
    return sum(k * i for k, i in d.items())


@refused("keys", np.array([0.7, 1.3]))
def keys_of_pairs_that_are_listed(x):
    d = dict(zip(x, x))
    return sum(list(d.keys()))


@refused("exec", 2.0)
def exec_of_active_code(x):
    names = {"x": x}
    exec("y = x * x", names)
    return names["y"]


@refused("eval", 2.0)
def eval_of_active_code(x):
    return eval("x * x")


@refused("locals", 2.0)
def locals_of_active_values(x):
    y = x * x
    return locals()["y"]


@refused("async", 2.0)
async def asynchronous(x):
    async with x as items:
        async for v in items:
            await v
    return x * x


class Forgiving:
    def __enter__(self):
        return self

    def __exit__(self, *error):
        return True


def forgiving():
    return Forgiving()


@refused("cut short", -2.0)
def context_of_a_function_that_swallows(x):
    y = x
    with forgiving():
        y = y * x
        y = math.sqrt(x)
    return y


@refused("classes written in Python", 2.0)
def attribute_of_an_object_of_the_library(x):
    here = threading.local()
    here.v = x * x
    return here.v * x


@refused("does not travel with an exception", 2.0)
def value_of_the_cause_of_an_exception(x):
    try:
        try:
            raise KeyError(x * 2.0)
        except KeyError as e:
            raise ValueError("again") from e
    except ValueError as e:
        return e.__cause__.args[0] * x


@refused("behind the block that failed", 2.0)
def context_of_an_exception(x):
    try:
        try:
            raise KeyError(x * 2.0)
        except KeyError:
            raise ValueError("again") from None
    except ValueError as e:
        return e.__context__.args[0] * x


class Branch:
    def __init__(self, v, kids=()):
        self.v, self.kids = v, kids

    def walk(self):
        yield self
        for k in self.kids:
            yield from k.walk()


@refused("which the derivative depends on", 2.0)
def objects_changed_in_a_loop_over_a_recursive_generator(x):
    t = Branch(x, [Branch(x * 2.0), Branch(3.0)])
    for i, n in enumerate(t.walk()):
        n.v = n.v * (i + 1)
    return t.v + t.kids[0].v * x


@refused("cut short", -2.0)
def context_that_swallows_what_nobody_reads(x):
    y = x
    with forgiving():
        root = math.sqrt(x)  # noqa: F841
        y = x * 3.0
    return y * x


@refused("'finally'", 2.0)
def return_from_finally(x):
    try:
        y = x * x
    finally:
        return x
    return y


@refused("except*", 2.0)
def groups_of_exceptions(x):
    try:
        y = x * x
    except* ValueError:
        y = x
    return y


@refused("'class'", 2.0)
def class_inside(x):
    class Holder:
        value = x

    return Holder.value * x


@refused("global", 2.0)
def assignment_to_a_global(x):
    global LATEST
    LATEST = x * x
    return LATEST * x


LATEST = 0.0


@refused("super().double", 2.0)
def method_of_super_that_is_kept(x):
    return Child(1.0).doubled(x)


class Parent:
    def __init__(self, k):
        self.k = k

    def double(self, x):
        return 2.0 * self.k * x


class Child(Parent):
    def doubled(self, x):
        double = super().double
        return double(x) * x


@refused("text", 2.0)
def error_inside_try(x):
    """An error of Tangent's is not the program's to catch."""
    f = [through_text][0]
    with contextlib.suppress(Exception):
        return f(x)
    return x


def through_text(x):
    return float(str(x)) * x


class Kept:
    def __init__(self, x):
        self.x, self.buffer = x, np.zeros(2)

    def store(self, v):
        self.buffer[0] = v

    def fails(self, v):
        self.x = v
        int("no number")

    def double(self):
        self.x = 2.0 * self.x


@refused("changes with the object", 2.0)
def attributes_kept_as_a_dict(x):
    kept = Kept(x)
    held = vars(kept)
    kept.x = x * x
    return held["x"]


class Ledger:
    total = 0.0

    def __init__(self, v):
        self.v = v

    def put(self):
        Ledger.total = self.v * 2.0

    @classmethod
    def add(cls, v):
        cls.total = cls.total + v


@refused("it changes 'Ledger'", 2.0)
def class_given_a_value(x):
    Ledger(x).put()
    return Ledger.total * x


@refused("assignment to 'Ledger.total'", 2.0)
def class_given_a_value_by_its_method(x):
    Ledger.add(x * x)
    return Ledger.total * x


class Doubling:
    def __init__(self, v):
        self.v = v

    def __getattribute__(self, title):
        held = object.__getattribute__(self, title)
        return held * 2.0 if title == "v" else held


@refused("__getattribute__", 2.0)
def attributes_that_a_class_computes(x):
    return Doubling(x).v * x


@refused("try", 2.0)
def changed_by_a_call_that_fails(x):
    kept = Kept(x)
    both = [kept, kept]
    try:
        kept.fails(x * x)
    except ValueError:
        pass
    return both[0].x


class TooLarge(Exception):
    def __init__(self, v):
        super().__init__("too large")
        self.v = 2.0 * v


def at_most_one(x):
    if x > 1.0:
        raise TooLarge(x * x)
    return x


@refused("brings to its handler", 2.0)
def value_of_an_exception_of_a_helper(x):
    try:
        y = at_most_one(x)
    except TooLarge as e:
        y = e.v
    return y * x


@refused("numbers lose their derivative in a set", 2.0)
def number_in_a_set(x):
    queue = deque([x])
    seen = set()
    seen.add(queue[0] * 3.0)
    return sum(seen)


@refused("cannot differentiate a defaultdict", 2.0)
def defaults_that_vary(x):
    found = defaultdict(lambda: x * 2.0)
    found["a"] += x
    return found["a"] * found["b"]


def written_ahead(xs):
    s = 0.0
    for i, v in enumerate(xs):
        if i + 1 < len(xs):
            xs[i + 1] = xs[i + 1] * v
        s += v * i
    return s


@refused("a list that it writes into", 2.0)
def list_of_the_caller_written_ahead(x):
    return written_ahead([x, x * x, 3.0])


class Steps:
    def __init__(self, v):
        self.v = v
        self.n = 0

    def __iter__(self):
        return self

    def __next__(self):
        self.n += 1
        if self.n > 5:
            raise StopIteration
        return self.v * self.n


@refused("left early", 2.0)
def iterator_object_left_early(x):
    steps = Steps(x)
    s = 0.0
    for v in steps:
        s += v
        if s > 3.0:
            break
    for v in steps:
        s += v * v
    return s


@refused("left early", 2.0)
def iterator_object_beside_itself(x):
    steps = Steps(x)
    return sum(a * b for a, b in zip(steps, steps))


class Shelf:
    def __init__(self, v):
        self.v = v

    def __iter__(self):
        yield self.v
        yield self.v * self.v


@refused("kept where objects change", 2.0)
def iterator_of_an_object_that_changes(x):
    shelf = Shelf(x)
    items = iter(shelf)
    first = next(items)
    shelf.v = 2.0 * x
    return first * next(items)


@refused("changes before all items are taken", 2.0)
def dict_that_changes_while_its_iterator_is_kept(x):
    table = {"a": x, "b": x * x}
    items = iter(table.items())
    _, first = next(items)
    table["b"] = 5.0 * x
    return first * next(items)[1]


@refused("changes before all items are taken", 2.0)
def dict_that_grows_while_its_iterator_is_kept(x):
    table = {"a": x, "b": x * x}
    keys = iter(table)
    first = next(keys)
    table["c"] = x
    return table[first] * table[next(keys)]


@refused("changes before all items are taken", 2.0)
def list_that_changes_while_its_pairs_are_taken(x):
    numbers = [x, x * x]
    pairs = zip(numbers, (1.0, 2.0))
    first, _ = next(pairs)
    numbers[1] = 5.0 * x
    return first * next(pairs)[0]


@refused("depends on who reads the items", 2.0)
def assigned_by_a_generator_that_is_kept(x):
    items = ((y := v * x) for v in (1.0, 2.0, 3.0))
    return next(items) * y


class Fuse:
    def __init__(self, v):
        self.v = v

    def __bool__(self):
        self.v = self.v * 0.5
        return self.v > 1.0


@refused("its '__bool__' changes it", 2.5)
def object_that_changes_where_it_is_asked(x):
    fuse, n = Fuse(x), 0
    while fuse:
        n += 1
    return fuse.v * n


def filling(p, a):
    a[:] = p * p


FILLING = {"square": filling}


@refused("writes into its argument 'a'", np.ones(2))
def function_in_a_table_that_fills_what_was_drawn(x):
    """A second run would draw other numbers."""
    a = np.random.uniform(size=2)
    FILLING["square"](x, a)
    return np.sum(a)


def jitter(p, a):
    return p * np.random.uniform(size=2)


@refused("writes into its argument 'a'", np.ones(2))
def function_that_fills_after_another_has_drawn(x):
    a = np.zeros(2)
    y = x
    for f in (jitter, filling):
        y = f(y, a)
    return np.sum(a)


class Noise:
    def __init__(self):
        self.rng = np.random.default_rng(0)
        self.x = np.zeros(2)

    def step(self, mean):
        self.x += self.rng.normal(mean, 0.1)


@refused("draws random numbers", np.ones(2))
def parameters_of_random_numbers(x):
    noise = Noise()
    noise.step(x)
    return np.sum(noise.x)


@refused("which draws random numbers", 2.0)
def mean_of_a_random_number(x):
    return np.random.normal(x, 1.0)


@refused("which calls itself and is kept", np.ones(2))
def kept_recursion_with_a_computed_default(x):
    def power(n, w=x[0]):
        return w if n == 0 else power(n - 1, w * x[1])

    return sum(map(power, [1, 2]))


def doubling(x):
    yield x
    return 2.0 * x


@refused("what a generator returns", 2.0)
def value_of_a_generator(x):
    items = doubling(x)
    y = next(items)
    try:
        next(items)
    except StopIteration as e:
        y = y * e.value
    return y


class Row(list):
    def total(self):
        return sum(self)


def total_of(row):
    return row.total()


@refused("its class is a kind of list", 2.0)
def list_of_a_class_that_is_handed_on(x):
    row = Row([x, x * x])
    return total_of(row) * row[0]


class Squares(list):
    def __init__(self, x):
        super().__init__([x, x * x])


@refused("kind of list", 2.0)
def list_of_a_class_with_an_initialiser(x):
    return Squares(x)[1] * x


class Options(UserDict):
    pass


@refused("its class is a kind of dict", 2.0)
def dict_that_wraps_another(x):
    found = Options({"a": x})
    return found.data["a"] * x


@refused("it is a kind of dict whose class says what its items are", 2.0)
def dict_that_wraps_another_and_is_filled(x):
    found = UserDict()
    found["a"] = x * x
    return found.data["a"] * x


class Stored(dict):
    def __setitem__(self, key, value):
        super().__setitem__(key, value * value)


@refused("it is a kind of dict whose class says what its items are", 2.0)
def dict_that_says_what_a_store_means(x):
    found = Stored()
    found["a"] = x * x
    return found["a"] * x


@refused("its length changes while it runs", 2.0)
def loop_over_a_list_that_grows_by_another_way_to_it(x):
    steps = [1, 2]
    plan = {"steps": steps}
    for _ in plan["steps"]:
        if len(steps) < 5:
            steps.append(1)
    return x * len(steps)


class Grid:
    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.values)


@refused("its class is a kind of array", 2.0)
def object_that_stands_for_an_array(x):
    return np.sum(np.asarray(Grid(np.array([x, 2.0]))) ** 2)


class Metres(float):
    pass


@refused("kind of float", 2.0)
def number_of_a_class(x):
    return Metres(x) * x


@refused("named fields", 2.0)
def array_with_named_fields(x):
    a = np.zeros(2, [("u", float), ("v", float)])
    a["u"] = x
    return np.sum(a["u"] * a["u"])


@refused("named fields", 2.0)
def item_of_an_array_with_named_fields(x):
    a = np.zeros(2, [("u", float), ("v", float)])
    a["u"][0] = x * x
    return a["u"][0] * x


SCALE = contextvars.ContextVar("scale", default=2.0)


@refused("come back from it", 2.0)
def number_that_a_context_variable_holds(x):
    SCALE.set(x * x)
    return SCALE.get() * x


@refused("come back from it", 2.0)
def number_that_a_file_holds(x):
    file = io.StringIO()
    file.write(str(x * x))
    return float(file.getvalue()) * x


@refused("no rule for this method", 2.0)
def number_as_a_ratio(x):
    a, b = (x * x).as_integer_ratio()
    return a / b * x


@refused("does not run from start to end", 2.0)
def generator_inside_that_is_seen_at_work(x):
    log = []

    def steps(n):
        for i in range(n):
            log.append(x * i)
            yield x + i

    return sum(v * k * sum(log) for k, v in enumerate(steps(3)))


@contextlib.contextmanager
def told_later(log, v):
    yield v
    log.append(v)


@refused("what happens inside 'with'", 2.0)
def context_that_goes_on_after_a_jump(x):
    log = []
    for i in range(3):
        with told_later(log, x * i) as k:
            if k > 3.0:
                continue
            log.append(k)
    return sum(log)


@refused("it writes into its last argument", np.array([0.3, 0.7]))
def method_told_where_by_position(x):
    y = x * 2.0
    x.clip(0.0, 0.5, y)
    return np.sum(y * x)


@refused("an array to write into behind a star", np.array([0.3, 0.7]))
def told_where_behind_a_star(x):
    options = {"out": np.zeros(2)}
    np.sin(x, **options)
    return np.sum(options["out"])


@refused("reshape", np.arange(4.0))
def shape_of_an_argument(x):
    x.shape = (2, 2)
    return np.sum(x @ x)


@refused("reshape", np.arange(4.0))
def shape_of_an_array_with_two_names(x):
    y = x
    y.shape = (2, 2)
    return np.sum(x @ x)


def same(a):
    return a


@refused("reshape", np.arange(4.0))
def shape_of_an_array_that_was_given_away(x):
    y = x * 2.0
    z = same(y)
    y.shape = (2, 2)
    return np.sum(z @ z)


@refused("reshape", np.arange(4.0))
def shape_of_a_real_part(x):
    y = x.real
    y.shape = (2, 2)
    return np.sum(x @ x)


@refused("has_aux", 2.0)
def auxiliary_output_over_what_changes(x):
    s = x

    def g(y):
        return y * s, y

    for _ in range(2):
        slope, _ = tangent.grad(g, has_aux=True)(s)
        s = s + slope
    return s


class Spring:
    def __init__(self, k):
        self.k = k

    def energy(self, a, w):
        return self.k * a * w**3


@refused("further arguments are given to it here", 2.0)
def gradient_of_a_partial_of_a_method(x):
    spring = Spring(x)
    return tangent.grad(functools.partial(spring.energy, x))(x)


@refused("with a dict in it", np.array([1.0, 2.0]))
def jacobian_inside_by_a_dict(x):
    return np.sum(tangent.jacobian(lambda p: p["u"] * x)({"u": x})["u"])


class HalfWay:
    def __init__(self, x):
        self.x = x

    def __iter__(self):
        yield self.x
        raise ValueError


def half_way(x):
    return HalfWay(x)


@refused("half-way", 2.0)
def object_of_an_unknown_class_that_fails_half_way(x):
    s = x
    try:
        for v in half_way(x):
            s = s * v
    except ValueError:
        s = s * 2.0
    return s


@refused("comes back from text", 2.0)
def number_in_the_text_of_an_exception(x):
    try:
        raise ValueError(x * x)
    except ValueError as e:
        return float(str(e)) * x


def written(x):
    return f"{x:.17g}"


def read(text):
    return float(text.strip())


@refused("comes back from text", 2.0)
def number_that_helpers_write_and_read(x):
    return read(written(x)) * x


@refused("comes back from text", 2.0)
def array_made_of_text(x):
    return np.sum(np.array([str(x), "2.0"], dtype=float)) * x


def doubled(f):
    @functools.wraps(f)
    def w(*args):
        return f(*args) * 2.0

    return w


@refused("the wrapper 'w'", 2.0)
def gradient_of_a_wrapper_made_inside(x):
    @doubled
    def square(v):
        return v * v * x

    return tangent.grad(square)(x)


@refused("behind a star", np.array([2.0, 1.0]))
def told_where_by_one_more_behind_a_star(x):
    out = np.zeros(2)
    add = lambda *args: np.add(*args)  # noqa: E731
    add(x, x * x, out)
    return np.sum(out * out)


class Recorded:
    def __enter__(self):
        self.items = []
        return self

    def __exit__(self, *error):
        self.count = len(self.items)


def recorded():
    return Recorded()


@refused("with", 2.0)
def context_that_a_function_gives_and_that_keeps_numbers(x):
    with recorded() as kept:
        kept.items.append(x)
    return x * kept.count


def whatever_added(a, b):
    return a + b


@refused("drops what is not positive", -2.0)
def counters_that_a_helper_adds(x):
    c = whatever_added(Counter(a=x), Counter(a=x * x))
    return c["a"]


@refused("c.update(d)", 2.0)
def counter_added_in_place(x):
    c = Counter(a=x)
    c += Counter(a=x * x)
    return c["a"]


@refused("a comprehension over 'steps'", 2.0)
def list_that_its_comprehension_makes_longer(x):
    steps = [1, 2]
    found = [steps.append(1) for _ in steps if len(steps) < 5]
    return x * len(steps) + len(found)


@refused("a comprehension over 'd'", 2.0)
def dict_that_its_comprehension_makes_longer(x):
    d = {"a": x}
    return sum([d.setdefault(k + "b", v) for k, v in d.items()])


@refused("builtins.type", 2.0)
def class_made_by_type(x):
    made = type("Made", (), {"scaled": lambda self, v: v * x})
    return made().scaled(x)


@refused("what it holds is not followed", 2.0)
def function_by_class_that_is_told_later(x):
    @functools.singledispatch
    def size(v):
        return v

    size.register(float, lambda v: v * x)
    return size(x)


class Whole:
    def __init__(self, v):
        self.v = v

    def __radd__(self, other):
        return self.v


@refused("NumPy asks the object for each element", np.array([2.0, 3.0]))
def array_and_an_object_that_numpy_asks_for_each_element(x):
    return np.sum((x + Whole(x[0]))[0])


@refused("an operand holds it", np.array([2.0, 3.0]))
def what_an_operator_shows_is_changed_in_place(x):
    whole = Whole(x * 2.0)
    total = 0.0
    total += whole
    total += 1.0
    return np.sum(total * whole.v)
