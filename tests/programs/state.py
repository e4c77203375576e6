"""Objects that are made and changed, and lists and dicts that functions change for their callers."""

import collections
import copy
import dataclasses
import math
from types import SimpleNamespace

import numpy as np

from programs.registry import program
from programs.samples import positive, signed


class Cell:
    """A recurrent cell that keeps its state."""

    def __init__(self, w, u):
        self.w, self.u, self.h = w, u, 0.0

    def step(self, x):
        self.h = np.tanh(self.w * self.h + self.u * x)
        return self.h


@program({"x": 0.7})
def object_made_inside(x):
    cell = Cell(x, 0.5)
    s = 0.0
    for i in range(3):
        s = s + cell.step(x * i)
    return s * cell.h


@program({"cell": Cell(0.4, 0.6), "x": 0.7})
def argument_that_keeps_state(cell, x):
    return cell.step(x) + cell.step(2.0 * x) * cell.h


class Network:
    def __init__(self, sizes):
        self.cells = [Cell(0.1 * n, 0.3) for n in sizes]
        self.outputs = []

    def forward(self, x):
        for cell in self.cells:
            x = cell.step(x)
        self.outputs.append(x)
        return x


@program({"x": 0.7})
def list_of_objects_that_change(x):
    network = Network((1, 2, 3))
    y = network.forward(x)
    return network.forward(y + x) * network.cells[0].h + sum(network.outputs)


@program({"x": 0.7})
def two_names_for_one_object(x):
    cell = Cell(x, 0.3)
    pair = SimpleNamespace(a=cell, b=cell)
    pair.a.step(x)
    pair.b.step(2.0 * x)
    return cell.h * pair.a.h


def nudge(cell, v):
    cell.h = cell.h * cell.w + v
    cell.w *= 2.0


@program({"x": 0.7})
def object_changed_by_a_helper(x):
    cell = Cell(x, 0.5)
    nudge(cell, x)
    nudge(cell, x * x)
    return cell.h + cell.w


@dataclasses.dataclass
class Point:
    x: float
    y: float = 2.0
    log: list = dataclasses.field(default_factory=list)

    def moved(self, by):
        self.log.append(by)
        return dataclasses.replace(self, x=self.x + by)


@program({"x": 0.7})
def dataclass_made_inside(x):
    p = Point(x, y=x * x)
    q = p.moved(3.0 * x)
    p.y = p.y * 2.0
    return p.x * q.x + p.y * q.y + len(p.log) * p.log[0]


Pair = collections.namedtuple("Pair", "first second", defaults=(3.0,))


@program({"x": 0.7})
def named_tuple_made_inside(x):
    p = Pair(x * x)
    q = p._replace(second=p.first * x)
    return p.first * p.second + q.second


class Vector:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def __add__(self, other):
        return Vector(self.a + other.a, self.b + other.b)

    def __rmul__(self, k):
        return Vector(k * self.a, k * self.b)

    @property
    def norm(self):
        return self.a**2 + self.b**2


@program({"x": 0.7})
def operators_that_make_objects(x):
    v = Vector(x, 1.0) + 2.0 * Vector(x * x, x)
    return v.norm * v.b


class Counter:
    def __init__(self):
        self.items = []
        self.total = 0.0

    def __call__(self, v):
        self.total = self.total + v
        self.items.append(self.total)
        return self

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


@program({"x": 0.7})
def object_with_items(x):
    counter = Counter()
    counter(x)(x * x)(2.0)
    return sum(v * v for v in counter) * counter[0] / len(counter)


class Node:
    def __init__(self, value, rest=None):
        self.value, self.rest = value, rest


@program({"x": 0.7})
def linked_list(x):
    node = None
    for i in range(4):
        node = Node(x * i, node)
    s = 0.0
    while node is not None:
        s = s * x + node.value
        node = node.rest
    return s


def push(stack, v):
    stack.append(v)


def swap(xs):
    xs[0], xs[1] = xs[1], xs[0]


@program({"x": 0.7})
def list_changed_by_a_helper(x):
    xs = []
    push(xs, x)
    push(xs, x * x)
    swap(xs)
    return xs[0] - 3.0 * xs[1]


def fill(d, key, v):
    d[key] = v
    return len(d)


@program({"x": 0.7})
def dict_changed_by_a_helper(x):
    d = {}
    for i in range(3):
        fill(d, i, x ** (i + 1))
    return d[0] * d[1] + d[2]


@program({"x": 0.7})
def list_changed_by_a_closure(x):
    xs = []

    def note(n):
        if n > 0:
            xs.append(x**n)
            note(n - 1)

    note(3)
    return sum(xs) * xs[0]


@program({"x": 0.7})
def row_that_is_there_twice(x):
    row = [0.0, 0.0]
    rows = [row, row]
    rows[0][0] = x
    rows[1][1] = x * x
    return rows[1][0] * rows[0][1]


@program({"x": 0.7})
def queue(x):
    waiting = [x]
    s = 0.0
    while waiting:
        v = waiting.pop(0)
        s = s + v * v
        if v < 2.0:
            waiting.append(v * 2.0)
    return s


@program({"x": 0.7})
def object_changed_before_an_exception(x):
    cell = Cell(x, 0.5)
    s = 0.0
    for _ in range(3):
        try:
            cell.h = cell.h + x
            s = s + math.log(cell.h - 1.0)
        except ValueError:
            s = s + cell.h
    return s


@program({"x": 0.7})
def copied_object(x):
    cell = Cell(x, 0.5)
    other = copy.copy(cell)
    other.step(x)
    return cell.h + other.h * cell.w


@program({"x": 0.7})
def best_of_some_objects(x):
    cells = [Cell(x * i, 0.1) for i in range(3)]
    best = max(cells, key=lambda cell: cell.w)
    best.step(x)
    return best.h + sum([cell.h * cell.u for cell in cells])


@program({"d": {1: 0.5, 2: 1.5}, "x": 0.3})
def keys_in_arithmetic(d, x):
    s = x
    for k in d:
        s = s + d[k] * k * x
    return s


def filled(xs, x):
    xs.append(x)
    xs.append(x * x)


def named(d, x):
    d["a"], d["b"] = x, x * x


def product(a, b):
    return a * b + a


@program({"x": 0.7})
def lists_of_others_unpacked(x):
    xs = []
    filled(xs, x)
    c = Cell(*xs)
    return product(*xs) + sum([*xs, 2.0 * x]) * (*xs, 1.0)[1] + c.step(*xs[:1]) + max(*xs)


@program({"x": 0.7})
def dicts_of_others_unpacked(x):
    d = {}
    named(d, x)
    return product(**d) + {**d, "c": 1.0}["b"]


@program({"x": 0.7}, orders=1)
def deep_copy_of_an_object(x):
    cell = Cell(x, 0.3)
    cell.inner = [Cell(x * x, 0.2), {"k": [x, 2.0]}]
    other = copy.deepcopy(cell)
    other.inner[0].step(x)
    other.inner[1]["k"][0] = x * 3.0
    cell.step(x)
    return cell.h * other.inner[0].h + cell.inner[1]["k"][0] * other.inner[1]["k"][0] + other.h + other.w


@program({"x": 0.7}, orders=1)
def deep_copy_of_a_dict(x):
    d = {"a": [x, 2.0 * x], "b": x}
    other = copy.deepcopy(d)
    other["a"][0] = 5.0
    return d["a"][0] * other["a"][1] + other["a"][0] * x


@program({"x": 0.7})
def namespace_imported_inside(x):
    from types import SimpleNamespace

    n = SimpleNamespace(a=x)
    n.a = n.a * x
    return n.a


@program({"x": positive(3)})
def list_that_grows_in_its_loop(x):
    todo = [(x[0], 0)]
    s = 0.0
    for v, depth in todo:
        s = s * 0.9 + v * v
        if depth == 2:
            continue
        todo.append((v * x[1], depth + 1))
        if depth == 0:
            todo.append((v + x[2], depth + 1))
    else:
        s = s * x[1]
    return s * len(todo)


def squares_told(put, x):
    for v in x:
        put(v * v)


class Log:
    def __init__(self):
        self.found = []


@program({"x": positive(3)})
def methods_of_lists_handed_on(x):
    found, log = [], Log()
    squares_told(found.append, x)
    squares_told(log.found.append, found)
    bags = {"a": [], "b": []}
    puts = {}
    for k in bags:
        puts[k] = bags[k].append
    puts["a"](log.found[0])
    puts["b"](x[1] * log.found[2])
    puts["a"](found[1])
    return sum(bags["a"]) * bags["b"][0]


@program({"x": positive(3)})
def lists_that_are_defaults(x):
    found = []
    squares_told(lambda v, into=found: into.append(v * x[0]), x)
    return sum(found) * x[1]


@program({"x": positive(2)})
def list_of_an_object_asked_whether_it_is_empty(x):
    log = Log()
    found = log.found
    before = not found
    squares_told(log.found.append, x)
    after = not found
    y = x[0] * 3.0
    if before:
        y = y * x[1]
    if after:
        y = y * 5.0
    return y * log.found[1]


@program({"xs": [3.0, 1.0, 2.0], "w": np.array([0.5, 2.0])})
def changed_list_in_arithmetic(xs, w):
    del xs[0]
    xs.reverse()
    return np.sum(w * xs) + np.sum((xs - w) / 2.0)


@program({"xs": [3.0, 1.0, 2.0]}, orders=1)
def changed_list_repeated(xs):
    xs.pop()
    ys = xs
    ys.append(xs[0] * 2)
    twice = 2 * xs
    return sum(twice) * twice[0] + ys[2] * xs[1]


class Running:
    def __init__(self, step):
        self.step = step
        self.total = step * step

    def move(self):
        self.total += self.step
        return self.total


@program({"x": 0.7})
def total_that_is_given_out_and_grows(x):
    o = Running(x)
    first = o.move()
    second = o.move()
    return first * second


rate = 0.5
position = 0


def cool():
    global rate
    rate *= 0.9


def cooled(y):
    return y * rate


def forward():
    global position
    position += 1
    return position


@program({"x": signed(3)})
def number_of_the_module_that_is_bound_anew(x):
    global rate
    rate, s = 0.5, 0.0
    for v in x:
        s += v * v * rate
        rate *= 0.9
    return s * rate


@program({"x": signed(3)})
def number_of_the_module_that_a_helper_binds_anew(x):
    global rate
    rate = 0.5
    y = x * 1.0
    while rate > 0.4:
        y = y - rate * np.sin(y)
        cool()
    return y


@program({"x": signed(3)})
def number_of_the_module_as_it_was_before(x):
    global rate
    before, rate = rate, 0.3
    here = rate
    cool()
    y = cooled(x * x)
    rate = before
    return cooled(y * x) * here


@program({"x": signed(3)})
def number_of_the_module_in_a_lambda(x):
    global rate
    rate = 0.5
    f = lambda v: v * rate
    y = f(x)
    cool()
    return f(y * y)


@program({"x": signed(4)})
def places_that_the_module_counts(x):
    global position
    position, y = 0, x * 1.0
    for _ in range(3):
        y[position] *= y[position + 1]
        forward()
    return y


kind, weights = "sine", (0.5, 2.0)


def turned_over():
    global kind, weights
    kind, weights = "cosine", (weights[1], 3.0)


@program({"x": signed(3)})
def texts_and_tuples_of_the_module_as_they_were(x):
    global kind, weights
    kind, weights = "sine", (0.5, 2.0)
    first, pair = kind, weights
    turned_over()
    y = np.sin(x) if first == "sine" else np.cos(x)
    return y * pair[0] * x + (np.sin(y) if kind == "sine" else np.cos(y)) * weights[1]
