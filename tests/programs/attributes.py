"""Classes that say what attributes mean: descriptors, `__setattr__`, `__getattr__`, `__new__`."""

import itertools

import numpy as np

from programs.registry import program
from programs.samples import positive, signed


class Doubled:
    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, owner, cls=None):
        return getattr(owner, self.name) * 2.0

    def __set__(self, owner, v):
        setattr(owner, self.name, v * v)


class Checked:
    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, owner, cls=None):
        return owner.__dict__[self.name]

    def __set__(self, owner, v):
        if v < 0.0:
            raise ValueError("negative")
        owner.__dict__[self.name] = v


class Rod:
    length = Checked()
    stiffness = Doubled()

    def __init__(self, length, stiffness):
        self.length, self.stiffness = length, stiffness

    def energy(self, x):
        return self.stiffness * (x - self.length) ** 2


@program({"x": positive(3)})
def descriptors(x):
    rod = Rod(x[0], x[1])
    e = rod.energy(x[2])
    rod.length = rod.length * x[2]
    try:
        rod.length = -x[0]
    except ValueError:
        rod.stiffness = rod.stiffness * x[0]
    return e + rod.energy(x[1])


class Once:
    def __init__(self, function):
        self.function = function

    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, owner, cls):
        value = self.function(owner)
        owner.__dict__[self.name] = value
        return value


class Model:
    def __init__(self, w):
        self.w = w

    @Once
    def norm(self):
        return self.w**2


@program({"x": positive(2)})
def descriptor_that_is_asked_once(x):
    m = Model(x[0])
    first = m.norm
    m.w = x[1]
    return first * m.norm + m.w


class Counted:
    def __init__(self):
        self.__dict__["n"] = 0

    def __setattr__(self, name, value):
        self.__dict__["n"] += 1
        super().__setattr__(name, value * 2.0)


@program({"x": positive(3)})
def assignments_that_a_class_counts(x):
    c = Counted()
    c.a = x[0] * x[1]
    c.b = c.a * x[2]
    c.a = c.b * c.a
    return c.a * c.b * c.n


class Bag:
    def __init__(self, **named):
        self.__dict__["items"] = dict(named)

    def __getattr__(self, name):
        try:
            return self.items[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name, value):
        self.items[name] = value


@program({"x": positive(3)})
def attributes_kept_in_a_dict(x):
    b = Bag(a=x[0], b=x[1])
    b.c = b.a * b.b
    b.a = b.c * x[2]
    return b.c * x[2] + b.a


class Unit:
    def __new__(cls, v):
        made = super().__new__(cls)
        made.v = v * 3.0
        return made

    def area(self):
        return self.v**2


@program({"x": positive(2)})
def object_that_its_class_makes(x):
    return Unit(x[0]).area() * x[1] + Unit(x[1]).v


class Cell:
    def __init__(self, v):
        self.v = v

    @classmethod
    def scale(cls, cell, k):
        cell.v = cell.v * k

    @staticmethod
    def shift(cell, d):
        cell.v = cell.v + d


def changed_by_its_class(cell, x):
    cell.scale(cell, x[1])
    cell.shift(cell, np.sin(x[2]))


@program({"x": positive(3)})
def class_methods_that_change_an_object(x):
    cell = Cell(x[0])
    changed_by_its_class(cell, x)
    Cell.scale(cell, x[2])
    return cell.v * x[0]


class Clipped:
    """A property over what the object holds under the same name."""

    def __init__(self, w):
        self.w = w

    @property
    def w(self):
        return self.__dict__["w"] * 1.5

    @w.setter
    def w(self, value):
        self.__dict__["w"] = np.clip(value, -2.0, 2.0) * 0.5


@program({"c": Clipped(signed(3)), "x": positive(3)}, {"c": Clipped(0.7), "x": 0.4})
def property_of_the_name_that_is_held(c, x):
    y = c.w * x
    c.w = y * c.w
    return np.sum(c.w * x)


@program({"c": Clipped(signed(3)), "x": positive(3)}, {"c": Clipped(0.7), "x": 0.4})
def property_assigned_by_an_operator_in_place(c, x):
    c.w *= x
    c.w += 0.1
    return np.sum(c.w * x * c.w)


class Doubling:
    def __init__(self, *rows):
        self.rows = list(rows)

    def __getitem__(self, i):
        return self.rows[i]

    def __setitem__(self, i, row):
        self.rows[i] = 2.0 * row


@program({"t": Doubling(signed(2), positive(2)), "x": positive(2)}, {"t": Doubling(0.3, 0.7), "x": 0.4})
def item_of_an_object_assigned_by_an_operator_in_place(t, x):
    t[0] *= x
    t[1] += t[0]
    return np.sum(t[0] * t[1])


class Growing:
    def __init__(self, v):
        self.v = v

    def __add__(self, other):
        return Growing(self.v + other.v)

    def __iadd__(self, other):
        self.v = self.v * 2.0 + other.v
        return self


class Holder:
    def __init__(self, v):
        self.first, self.more = Growing(v), [Growing(v), Growing(2.0 * v)]


@program({"x": positive(2), "y": signed(2)}, {"x": 0.3, "y": 0.7})
def held_objects_that_say_what_in_place_means(x, y):
    h = Holder(x)
    same = h.first
    h.first += Growing(y)
    h.more[0] += h.more[1]
    return np.sum(same.v * h.first.v * h.more[0].v)


@program({"xss": [[0.3, 0.7], [1.2], [0.4, 0.5]], "k": 1.2})
def lists_chained_behind_a_star(xss, k):
    return sum(x * x * k for x in itertools.chain(*xss)) + sum(itertools.chain([k], *xss[1:]))
