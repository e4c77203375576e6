"""What classes say of operators, order, iteration and contexts, in objects that are made inside."""

import collections.abc
import copy
import dataclasses
import enum
import functools
import math
import operator

import numpy as np

from programs.registry import program
from programs.samples import positive


class Polynomial:
    """Numbers that can be added, called, indexed and looped over."""

    def __init__(self, *numbers):
        self.numbers = list(numbers)

    def __call__(self, x):
        return sum(c * x**i for i, c in enumerate(self.numbers))

    def __add__(self, other):
        return Polynomial(*(a + b for a, b in zip(self.numbers, other.numbers)))

    def __iter__(self):
        return iter(self.numbers)

    def __getitem__(self, i):
        return self.numbers[i]


@program({"x": 0.7}, orders=1)
def object_called_indexed_and_looped_over(x):
    p = Polynomial(1.0, x, x * x)
    a, b, _ = p + p
    return p(2.0) * p[-1] + a * b + sum(p) + max(v for v in p)


class Dual:
    """A number with operators of both sides."""

    def __init__(self, a, b=0.0):
        self.a, self.b = a, b

    def __add__(self, other):
        other = other if isinstance(other, Dual) else Dual(other)
        return Dual(self.a + other.a, self.b + other.b)

    __radd__ = __add__

    def __mul__(self, other):
        other = other if isinstance(other, Dual) else Dual(other)
        return Dual(self.a * other.a, self.a * other.b + self.b * other.a)

    __rmul__ = __mul__

    def __neg__(self):
        return -1.0 * self

    def __abs__(self):
        return Dual(abs(self.a), math.copysign(1.0, self.a) * self.b)

    def __lt__(self, other):
        return self.a < other.a


@program({"x": 0.7}, orders=1)
def operators_of_both_sides(x):
    v = Dual(x, 1.0)
    w = 2.0 * v * v + 1.0
    return (-w).b + abs(-w).a + sum([v, w]).b * x


@program({"x": 0.7}, orders=1)
def order_that_a_class_defines(x):
    values = [Dual(x, 3.0), Dual(x * x, 1.0), Dual(0.5, x)]
    values.sort()
    largest = max(values)
    return values[0].a * largest.a + min(values[1], values[2]).b + sorted(values, reverse=True)[1].b


class Bag:
    """A list that `+=` fills."""

    def __init__(self):
        self.items = []

    def __iadd__(self, v):
        self.items.append(v)
        return self

    def __len__(self):
        return len(self.items)

    def __iter__(self):
        yield from self.items


@program({"x": 0.7}, orders=1)
def operator_in_place_of_an_object(x):
    bag = Bag()
    for i in range(3):
        bag += x * i
    return sum(v * v for v in bag) * len(bag)


class Growing:
    """An iterator with a state."""

    def __init__(self, x, n):
        self.x, self.n = x, n

    def __iter__(self):
        return self

    def __next__(self):
        if self.n == 0:
            raise StopIteration
        self.n -= 1
        self.x = self.x * 1.5
        return self.x


@program({"x": 0.7}, orders=1)
def iterator_with_a_state(x):
    growing = Growing(x, 3)
    s = 0.0
    for v in growing:
        s = s + v * v
    return s * growing.x


class Scaled:
    """A context that gives a value."""

    def __init__(self, k):
        self.k = k

    def __enter__(self):
        return self.k * 2.0

    def __exit__(self, *error):
        return None


@program({"x": 0.7})
def context_that_gives_a_value(x):
    with Scaled(x) as k, Scaled(k * x) as m:
        y = k * m
    return y * x


class Clearing:
    """A context that changes what it is given."""

    def __init__(self, items):
        self.items = items

    def __enter__(self):
        self.items["a"] = self.items["a"] * 3.0

    def __exit__(self, *error):
        return False


@program({"x": 0.7}, orders=1)
def context_that_changes_a_dict(x):
    d = {"a": x}
    with Clearing(d):
        y = d["a"] * x
    return y * d["a"]


class Lookup:
    """Attributes that the class looks up."""

    def __init__(self, table):
        self.table = table

    def __getattr__(self, name):
        if name == "table" or name.startswith("__"):
            raise AttributeError(name)
        return self.table[name]


@program({"x": 0.7}, orders=1)
def attributes_looked_up(x):
    names = Lookup({"a": x, "b": x * x})
    return names.a * names.b + getattr(names, "a", 0.0)


@dataclasses.dataclass
class Settings:
    rate: float
    steps: list = dataclasses.field(default_factory=list)


@program({"x": 0.7}, orders=1)
def dataclass_as_dict_and_tuple(x):
    s = Settings(x, [x * x, 2.0])
    return dataclasses.asdict(s)["steps"][0] * dataclasses.astuple(s)[0]


class Weight(enum.Enum):
    LOW = 0.5
    HIGH = 2.0


@program({"x": 0.7})
def members_of_an_enumeration(x):
    return sum(w.value * x**i for i, w in enumerate(Weight, 1)) * x


class Account:
    rate = 0.1

    def __init__(self, balance):
        self.balance = balance

    @classmethod
    def opened(cls, v, bonus=1.0):
        return cls(v + bonus)

    def year(self):
        self.balance *= 1.0 + self.rate


@program({"x": 0.7}, orders=1)
def made_by_a_class_method(x):
    account = Account.opened(x)
    account.year()
    return account.balance * x


class Till:
    def __init__(self):
        self.total, self.seen = 0.0, []

    def put(self, v):
        self.total += v
        self.seen.append(self.total)
        return self

    def sort(self):
        self.seen = self.seen[::-1]


@program({"x": np.array([0.7, 1.3, 0.4, 2.1])})
def methods_called_as_those_that_change_arrays(x):
    first, second = Till(), Till()
    for v in x:
        first.put(v * v).put(v)
    for a in (first, second):
        a.put(x[0])
        a.sort()
    return first.total * first.seen[3] + second.total


class Level:
    def __init__(self, v):
        self.v, self.seen = v, np.zeros(2)

    def __eq__(self, other):
        return bool(self.v == other.v)

    def __ge__(self, other):
        return bool(self.v >= other)

    def __invert__(self):
        return Level(1.0 / self.v)


@program({"x": positive(3)})
def comparisons_of_objects_that_change(x):
    a = Level(x[0])
    a.seen[0] = x[1]
    b = Level(x[2])
    same = a == b
    b.v = a.v
    s = a.seen[0] * (~b).v
    if same or a != b:
        s = s * 5.0
    return s * x[2] if a >= 0.0 else s


class Pile:
    def __init__(self):
        self.items = []

    def put(self, v):
        self.items.append(v)

    def take(self):
        return self.items.pop()

    def __contains__(self, v):
        return v in self.items


@program({"x": 1.5, "y": 0.5})
def commands_in_a_text(x, y):
    table, pile = {"*": operator.mul, "+": operator.add}, Pile()
    for word in "x y * x +".split():
        if word in table:
            pile.put(table[word](pile.take(), pile.take()))
        else:
            pile.put(x if word == "x" else y)
    for i, _ in np.ndindex(2, 2):
        pile.put(table["*+"[i]](pile.take(), y))
    return pile.take()


class Mass:
    """What becomes a number by float(), complex() and round()."""

    def __init__(self, kilos):
        self.kilos = kilos

    def __float__(self):
        return float(self.kilos**2)

    def __complex__(self):
        return complex(self.kilos, self.kilos**3)

    def __round__(self, digits=0):
        return self.kilos * (1.0 + digits)


@program({"x": 0.7})
def conversions_of_objects(x):
    m = Mass(x)
    return float(m) * complex(m).imag + round(m) * round(m, 2) + np.float64(m) + sum(map(float, [m, Mass(2.0 * x)]))


class Step:
    """What can be added, and unpacked."""

    def __init__(self, x, y=0.0):
        self.x, self.y = x, y

    def __add__(self, other):
        return Step(self.x + other.x, self.y + other.y)

    def __iter__(self):
        return iter((self.x, self.y))


@program({"x": 1.3, "y": 0.4})
def sum_of_objects_from_one_on(x, y):
    steps = [Step(x, y), Step(x * y)]
    a, b = sum(steps, Step(y, 1.0))
    c, d = sum(steps, start=Step(x))
    return a * b + c * d


class Gauss:
    """A complex number whose operators are its own; differences are not what they are elsewhere."""

    def __init__(self, re, im):
        self.re, self.im = re, im

    def __mul__(self, other):
        return Gauss(self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re)

    def __sub__(self, other):
        return Gauss(self.re - 3.0 * other.re, self.im)

    def __neg__(self):
        return Gauss(-2.0 * self.re, self.im)

    def __getitem__(self, k):
        return self.re * (k + 1) + self.im


@program({"x": 0.7})
def functions_that_stand_for_operators(x):
    p, q = Gauss(x, x * x + 0.3), Gauss(2.0 * x, 1.5 - x)
    product = functools.reduce(operator.mul, [p, q, operator.neg(p)])
    difference = list(map(operator.sub, [p], [q]))[0]
    chosen = {"times": operator.mul}["times"](product, difference)
    return chosen.re * chosen.im + operator.getitem(operator.sub(p, q), 2) + operator.mul(x, pow(x, 3))


@program({"x": 0.7})
def places_behind_a_star(x):
    a, where = np.array([[x, 1.0], [x * x, 2.0]]), (1, 0)
    return a[*where] * a[0, *where[1:]] + x


class _Sum:
    """Has `+`, and so `+=`, which gives another object."""

    def __init__(self, v):
        self.v = v

    def __add__(self, other):
        return _Sum(self.v + other.v)


def _joined(xs, ys):
    xs += ys
    return xs


@program({"x": np.array([1.3, 0.2])})
def arrays_and_lists_changed_in_place_beside_objects_with_operators(x):
    total = _Sum(x * 2.0)
    total += _Sum(x * x)
    u = x * 1.0
    w, first = u, u[:1]
    u += x * x
    first += x[1]
    xs = [x[0]]
    ys = xs
    xs += [x[1]]
    return (total.v * w * u).sum() * ys[1] * len(ys)


@program({"x": 1.3})
def helper_that_adds_in_place_whatever_it_is_given(x):
    xs, u, o = [x], np.array([x, 2.0]), _Sum(x)
    ys, w = xs, u
    o2 = _joined(o, _Sum(x * x))
    _joined(xs, [x * x])
    _joined(u, np.array([x * x, x]))
    return sum(ys) * sum(_joined((x,), (x * 3.0,))) + _joined(x, x * x) + w @ u * o.v * o2.v


@program({"x": 1.3})
def helper_that_makes_a_list_longer_by_an_operator(x):
    xs = [x]
    ys = _joined(xs, [x * x, x**3])
    ys.append(x)
    return sum(v * (i + 1) for i, v in enumerate(xs))


@program({"x": 1.3})
def nested_helper_that_makes_a_list_longer_by_an_operator(x):
    def add(us, vs):
        us += vs
        return us

    xs = [x]
    add(xs, [x * x])
    ys = add(xs, [x**3])
    return sum(v * (i + 1) for i, v in enumerate(xs)) * len(ys)


@dataclasses.dataclass
class _Orbit:
    q: np.ndarray
    p: np.ndarray
    log: list

    def __add__(self, other):
        return _Orbit(self.q + other.q, self.p + other.p, self.log + other.log)

    def push(self, h):
        self.q += h * self.p
        self.p -= h * self.q
        self.log += [self.q.sum()]


@program({"x": np.array([0.3, -1.2])}, orders=1)
def list_of_an_object_with_arrays_made_longer_by_an_operator(x):
    orbit = _Orbit(x * 1.0, x * x, [])
    q = orbit.q
    for _ in range(2):
        orbit.push(0.1)
    twice = orbit + orbit
    twice.log += [x[0]]
    return (q * orbit.p).sum() + sum(twice.log) * len(orbit.log)


class Factor:
    def __init__(self, a):
        self.a = a

    def __mul__(self, other):
        return Factor(self.a * (other.a if isinstance(other, Factor) else other))

    __rmul__ = __mul__

    def scaled(self, k, by=1.0):
        return self.a * k + by


@program({"x": 0.7})
def product_of_objects(x):
    found = math.prod(Factor(k) for k in (x, 2.0, x * x))
    return found.a * math.prod([Factor(x), Factor(3.0)], start=found).a * math.prod([x, 2.0])


@program({"x": 0.7})
def methods_called_with_what_varies(x):
    factors = [Factor(x), Factor(x * x)]
    return sum(map(operator.methodcaller("scaled", 2.0, by=x), factors)) * operator.methodcaller("scaled", x)(factors[0])


@program({"x": 1.3})
def names_of_pairs_sorted_by_value(x):
    pairs = [("a", x), ("b", 2.0 - x), ("c", x * x)]
    pairs.sort(key=lambda p: -p[1])
    (first, v), *_, (last, w) = pairs
    return v * 2.0 + w * len(first + last)


class Copied:
    def __init__(self, v):
        self.v = v

    def __copy__(self):
        return Copied(self.v * self.v)

    def __deepcopy__(self, memo):
        return Copied(self.v**3)


@program({"x": 1.3}, orders=1)
def copies_that_a_class_defines(x):
    a = Copied(x)
    b = copy.copy(a)
    a.v = a.v * 2.0
    return a.v * b.v * copy.deepcopy(a).v


class Sized:
    scale = 2.0

    def __init__(self, w):
        self.w = w

    @property
    def size(self):
        return self.w * self.w


class Larger(Sized):
    scale = 3.0

    @property
    def size(self):
        return super().size * self.w + super().scale * self.scale


@program({"x": 1.3}, orders=1)
def attributes_of_super(x):
    return Larger(x).size * x


class Readings(collections.abc.Sequence):
    def __init__(self, *values):
        self.values = values

    def __getitem__(self, i):
        return self.values[i]

    def __len__(self):
        return len(self.values)


STEADY = Readings(1.0, 2.0)


@program({"x": 0.7, "y": 1.2})
def sequences_of_the_library(x, y):
    r = Readings(x, y, x * y)
    back = [v * v for v in reversed(r)]
    return sum(v * i for i, v in enumerate(r)) * back[0] + sum(v * x for v in STEADY) + r[1]
