"""Every special method of Python's data model works on the way of a derivative, or is refused (docs/python.md)."""

import copy
import math

import numpy as np
import pytest

from listed import Listed, check_refused, check_working

METHODS = Listed()
works, refused = METHODS.works, METHODS.refused
BINARY = "add sub mul matmul truediv floordiv mod divmod pow lshift rshift and xor or".split()
EVERY = frozenset(
    "new init del repr str bytes format lt le eq ne gt ge hash bool getattr getattribute setattr delattr dir get set "
    "delete set_name init_subclass class_getitem instancecheck subclasscheck call len length_hint getitem setitem "
    "delitem missing iter next reversed contains neg pos abs invert int float complex index round trunc floor ceil "
    "enter exit copy deepcopy post_init await aiter anext aenter aexit array array_ufunc array_function".split()
) | {side + word for word in BINARY for side in ("", "r", "i")} - {"idivmod"}


class Compared:
    def __init__(self, v):
        self.v = v

    def __le__(self, other):
        return self.v <= other.v

    def __gt__(self, other):
        return self.v > other.v

    def __ne__(self, other):
        return self.v != other.v

    def __lt__(self, other):
        return self.v < other.v

    def __ge__(self, other):
        return self.v >= other.v

    def __eq__(self, other):
        return self.v == other.v

    def __hash__(self):
        return 7

    def __bool__(self):
        return self.v > 0

    def __str__(self):
        return "s"

    def __repr__(self):
        return "r"

    def __bytes__(self):
        return b"ab"

    def __format__(self, spec):
        return "f" + spec

    def __dir__(self):
        return ["v"]


@works("init le gt ne lt ge eq bool")
def comparisons(x):
    a, b = Compared(x), Compared(x * x)
    told = (a <= b) + 2 * (a > b) + 4 * (a != b) + 8 * (a < b) + 16 * (a >= b) + 32 * (a == b)
    return told * a.v * b.v if a else x


@works("str repr bytes format dir hash")
def texts(x):
    a = Compared(x)
    return a.v * x * len(str(a) + repr(a) + f"{a:q}" + format(a, "z")) * len(bytes(a)) * len(dir(a)) * len({a: 1})


class Operand:
    def __init__(self, v):
        self.v = v

    def __add__(self, other):
        return Operand(self.v + 2.0 * other)

    def __radd__(self, other):
        return Operand(self.v + 3.0 * other)

    def __iadd__(self, other):
        self.v = self.v + 4.0 * other
        return self

    def __sub__(self, other):
        return Operand(self.v - 2.0 * other)

    def __rsub__(self, other):
        return Operand(3.0 * other - self.v)

    def __isub__(self, other):
        self.v = self.v - 4.0 * other
        return self

    def __mul__(self, other):
        return Operand(2.0 * self.v * other)

    def __rmul__(self, other):
        return Operand(3.0 * self.v * other)

    def __imul__(self, other):
        self.v = 4.0 * self.v * other
        return self

    def __matmul__(self, other):
        return Operand(5.0 * self.v * other)

    def __rmatmul__(self, other):
        return Operand(6.0 * self.v * other)

    def __imatmul__(self, other):
        self.v = 7.0 * self.v * other
        return self

    def __truediv__(self, other):
        return Operand(2.0 * self.v / other)

    def __rtruediv__(self, other):
        return Operand(3.0 * other / self.v)

    def __itruediv__(self, other):
        self.v = 4.0 * self.v / other
        return self


class Rounded:
    def __init__(self, v):
        self.v = v

    def __floordiv__(self, other):
        return Rounded(self.v * (1.0 + other))

    def __rfloordiv__(self, other):
        return Rounded(self.v * (2.0 + other))

    def __ifloordiv__(self, other):
        self.v = self.v * (3.0 + other)
        return self

    def __mod__(self, other):
        return Rounded(self.v * (4.0 + other))

    def __rmod__(self, other):
        return Rounded(self.v * (5.0 + other))

    def __imod__(self, other):
        self.v = self.v * (6.0 + other)
        return self

    def __divmod__(self, other):
        return Rounded(self.v * other), Rounded(self.v + other)

    def __rdivmod__(self, other):
        return Rounded(self.v * other), Rounded(self.v - other)

    def __pow__(self, other, modulo=None):
        return Rounded(2.0 * self.v**other)

    def __rpow__(self, other):
        return Rounded(3.0 * other**self.v)

    def __ipow__(self, other):
        self.v = 4.0 * self.v**other
        return self


class Bits:
    def __init__(self, v):
        self.v = v

    def __lshift__(self, other):
        return Bits(self.v * (1.0 + other))

    def __rlshift__(self, other):
        return Bits(self.v * (2.0 + other))

    def __ilshift__(self, other):
        self.v = self.v * (3.0 + other)
        return self

    def __rshift__(self, other):
        return Bits(self.v * (4.0 + other))

    def __rrshift__(self, other):
        return Bits(self.v * (5.0 + other))

    def __irshift__(self, other):
        self.v = self.v * (6.0 + other)
        return self

    def __and__(self, other):
        return Bits(self.v * (7.0 + other))

    def __rand__(self, other):
        return Bits(self.v * (8.0 + other))

    def __iand__(self, other):
        self.v = self.v * (9.0 + other)
        return self

    def __xor__(self, other):
        return Bits(self.v * (1.5 + other))

    def __rxor__(self, other):
        return Bits(self.v * (2.5 + other))

    def __ixor__(self, other):
        self.v = self.v * (3.5 + other)
        return self

    def __or__(self, other):
        return Bits(self.v * (4.5 + other))

    def __ror__(self, other):
        return Bits(self.v * (5.5 + other))

    def __ior__(self, other):
        self.v = self.v * (6.5 + other)
        return self


@works("add radd iadd sub rsub isub mul rmul imul matmul rmatmul imatmul truediv rtruediv itruediv")
def arithmetic(x):
    a = Operand(x)
    made = (a + x, x + a, a - x, x - a, a * x, x * a, a @ x, x @ a, a / x, x / a)
    a += x
    a -= 0.1
    a *= x
    a @= x
    a /= 2.0
    return sum(m.v for m in made) + a.v


@works("floordiv rfloordiv ifloordiv mod rmod imod divmod rdivmod pow rpow ipow")
def arithmetic_of_remainders(x):
    a = Rounded(x)
    made = (a // x, x // a, a % x, x % a, *divmod(a, x), *divmod(x, a), a**2, 2.0**a)
    a //= x
    a %= x
    a **= 2
    return sum(m.v for m in made) + a.v


@works("lshift rlshift ilshift rshift rrshift irshift and rand iand xor rxor ixor or ror ior")
def bits(x):
    a = Bits(x)
    made = (a << x, x << a, a >> x, x >> a, a & x, x & a, a ^ x, x ^ a, a | x, x | a)
    a <<= x
    a >>= x
    a &= x
    a ^= x
    a |= x
    return sum(m.v for m in made) + a.v


class Single:
    def __init__(self, v):
        self.v = v

    def __neg__(self):
        return Single(-self.v)

    def __pos__(self):
        return Single(self.v * 2.0)

    def __abs__(self):
        return Single(abs(self.v) * 3.0)

    def __invert__(self):
        return Single(1.0 / self.v)

    def __int__(self):
        return 3

    def __float__(self):
        return self.v * 4.0

    def __complex__(self):
        return complex(self.v, 1.0)

    def __index__(self):
        return 1

    def __round__(self, digits=0):
        return self.v * (5.0 + digits)

    def __trunc__(self):
        return 2

    def __floor__(self):
        return 5

    def __ceil__(self):
        return 6


@works("neg pos abs invert int float complex index round trunc floor ceil")
def single(x):
    u = Single(x)
    told = int(u) + math.trunc(u) + math.floor(u) + math.ceil(u)
    numbers = float(u) + complex(u).real + [1.0, x][u] + round(u) + round(u, 2)
    return (-u).v + (+u).v * x + abs(u).v + (~u).v + numbers * told


class Table:
    def __init__(self, items):
        self.items = items

    def __len__(self):
        return len(self.items)

    def __length_hint__(self):
        return 2

    def __getitem__(self, key):
        return self.items[key]

    def __setitem__(self, key, value):
        self.items[key] = value * 2.0

    def __delitem__(self, key):
        del self.items[key]

    def __contains__(self, key):
        return key in self.items

    def __iter__(self):
        return iter(list(self.items.values()))

    def __reversed__(self):
        return reversed(list(self.items.values()))


class Countdown:
    def __init__(self, x, n):
        self.x, self.n = x, n

    def __iter__(self):
        return self

    def __next__(self):
        if self.n == 0:
            raise StopIteration
        self.n -= 1
        return self.x * self.n


@works("len length_hint getitem setitem delitem contains iter reversed next")
def containers(x):
    t = Table({"a": x, "b": x * x})
    t["c"] = x
    del t["a"]
    ahead = sum(v * i for i, v in enumerate(t)) + sum(v * i for i, v in enumerate(reversed(t)))
    return ahead * len(t) + ("a" not in t) * t["c"] * sum(Countdown(x, 3))


class Asked:
    def __init__(self, x):
        self.x = x

    def __getattr__(self, name):
        return self.x * len(name)

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value * 2.0)


class Tripled:
    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, owner, cls=None):
        return getattr(owner, self.name)

    def __set__(self, owner, value):
        setattr(owner, self.name, value * 3.0)

    def __delete__(self, owner):
        raise AttributeError(self.name)


class Described:
    v = Tripled()

    def __init__(self, v):
        self.v = v


@works("getattr setattr get set delete set_name")
def attributes(x):
    a, d = Asked(x), Described(x)
    a.y = x
    d.v = d.v * x
    return a.y * a.abc * a.x * d.v


class Base:
    names = []

    def __init_subclass__(cls, **named):
        Base.names.append(cls.__name__)

    def __class_getitem__(cls, item):
        return cls


class Whole(type):
    def __instancecheck__(cls, x):
        return True

    def __subclasscheck__(cls, other):
        return True


class Everything(metaclass=Whole):
    pass


class Made(Base):
    __slots__ = ("v", "w")
    __match_args__ = ("v", "w")

    def __new__(cls, *given):
        return super().__new__(cls)

    def __init__(self, v, w):
        self.v, self.w = v, w

    def __call__(self, k):
        return self.v * k

    def __del__(self):
        pass

    def __copy__(self):
        return Made(self.v * 2.0, self.w)

    def __deepcopy__(self, memo):
        return Made(self.v * self.v, self.w)

    def __enter__(self):
        return self.w

    def __exit__(self, *error):
        return False


@works("new call del init_subclass instancecheck subclasscheck copy deepcopy enter exit")
def classes(x):
    m = Made(x, x * x)
    known = isinstance(x, Everything) and issubclass(int, Everything)
    with Made(x, x) as w:
        y = w * m(2.0)
    match m:
        case Made(v, w):
            y = y * v * w
    return y * copy.copy(m).v * copy.deepcopy(m).v * known


class Parametrised(Base):
    def __init__(self, v):
        self.v = v


@works("class_getitem")
def class_that_is_indexed_and_called(x):
    return Parametrised[float](x).v * x


class Shrinking:
    def __init__(self, v):
        self.v = self.w = v

    def __delattr__(self, name):
        object.__delattr__(self, name)


@refused("delattr")
def attribute_deleted(x):
    s = Shrinking(x)
    del s.w
    return s.v


class Computing:
    def __init__(self, v):
        self.v = v

    def __getattribute__(self, name):
        return object.__getattribute__(self, name)


@refused("getattribute")
def attribute_computed(x):
    return Computing(x).v * x


class Lenient(dict):
    def __missing__(self, key):
        return 2.0


@refused("missing")
def key_that_is_missing(x):
    return Lenient(a=x)["b"] * x


async def awaited(x):
    async with x as items:
        async for v in items:
            await v
    return x


@refused("await aiter anext aenter aexit")
def asynchronous(x):
    return awaited(x).send(None)


class Array:
    def __init__(self, a):
        self.a = a

    def __array__(self, dtype=None, copy=None):
        return self.a


class WithUfuncs:
    def __init__(self, a):
        self.a = a

    def __array_ufunc__(self, function, method, *given, **named):
        return getattr(function, method)(*(getattr(v, "a", v) for v in given), **named)


class WithFunctions:
    def __init__(self, a):
        self.a = a

    def __array_function__(self, function, types, given, named):
        return function(given[0].a, **named)


@refused("array")
def stands_for_an_array(x):
    return np.sum(np.sin(Array(np.ones(2) * x)))


@refused("array_ufunc")
def says_what_ufuncs_do(x):
    return np.sum(np.sin(WithUfuncs(np.ones(2) * x)))


@refused("array_function")
def says_what_functions_do(x):
    return np.sum(WithFunctions(np.ones(2) * x))


@pytest.mark.parametrize("function", dict.fromkeys(METHODS.working.values()), ids=lambda f: f.__name__)
def test_working(function):
    check_working(function)


@pytest.mark.parametrize("function", dict.fromkeys(METHODS.refusing.values()), ids=lambda f: f.__name__)
def test_refused(function):
    check_refused(function)


def test_every_special_method_is_in_the_table():
    assert METHODS.working.keys() | METHODS.refusing.keys() | {"post_init"} == EVERY


def test_the_page_names_them():
    named = [{f"__{word}__" for word in table} for table in (METHODS.working, METHODS.refusing)]
    assert METHODS.page("special methods") == [named[0] | {"__post_init__"}, named[1]]
