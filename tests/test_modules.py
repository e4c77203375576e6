"""Every name of the modules that belong to the language works, is a constant, or is refused (docs/python.md)."""

import collections
import contextlib
import copy
import dataclasses
import enum
import functools
import io
import itertools
import operator
import types
from collections.abc import Callable

import numpy as np
import pytest

from listed import Listed, check_refused, check_working

MODULES = (functools, itertools, operator, collections, contextlib, copy, dataclasses, enum)
TABLES = {m.__name__: Listed() for m in MODULES}


def works(module: str, names: str) -> Callable:
    return TABLES[module].works(names)


def refused(module: str, names: str) -> Callable:
    return TABLES[module].refused(names)


@functools.total_ordering
class Ordered:
    def __init__(self, v):
        self.v = v

    def __eq__(self, other):
        return self.v == other.v

    def __lt__(self, other):
        return self.v < other.v


def wrapped(f):
    @functools.wraps(f)
    def wrapper(*given):
        return f(*given)

    return functools.update_wrapper(wrapper, f)


@wrapped
def squared(v):
    return v * v


@functools.singledispatch
def by_kind(v):
    return v * 2.0


@by_kind.register
def _(v: list):
    return v[0] * 3.0


@functools.cache
def cubed(n):
    return n**3


class Methods:
    def __init__(self, v):
        self.v = v

    @functools.cached_property
    def twice(self):
        return self.v * 2.0

    @functools.singledispatchmethod
    def times(self, v):
        return v * self.v

    def scaled(self, k):
        return self.v * k

    tripled = functools.partialmethod(scaled, 3.0)

    @functools.cache  # noqa: B019
    def kept(self, k):
        return self.v * k


@works("functools", "total_ordering cmp_to_key reduce partial wraps update_wrapper WRAPPER_ASSIGNMENTS WRAPPER_UPDATES")
def functions(x):
    best = max(Ordered(x), Ordered(x * x))
    ranked = sorted([x, x * x], key=functools.cmp_to_key(lambda a, b: (a > b) - (a < b)))
    product = functools.reduce(lambda a, b: a * b, ranked, functools.partial(pow, 2.0)(x))
    return best.v * product + squared(x) * len(functools.WRAPPER_ASSIGNMENTS + functools.WRAPPER_UPDATES)


@works("functools", "cache lru_cache cached_property singledispatch singledispatchmethod partialmethod")
def methods(x):
    m = Methods(x)
    return by_kind(x) * by_kind([x]) + m.twice * m.times(2.0) + m.tripled() * m.kept(2.0) + cubed(2) * x


@works("itertools", "accumulate chain combinations combinations_with_replacement compress permutations product")
def groups(x):
    xs = [x, 2.0, x * x]
    pairs = [*itertools.combinations(xs, 2), *itertools.combinations_with_replacement(xs, 2)]
    pairs.extend(itertools.permutations(xs, 2))
    pairs.extend(itertools.product(xs, xs))
    running = sum(itertools.accumulate(xs, operator.mul, initial=1.0)) + sum(itertools.compress(xs, [1, 0, 1]))
    return sum(a * b * b for a, b in pairs) + running + sum(itertools.chain(xs, [x], *[[x, 1.0]]))


@works("itertools", "dropwhile filterfalse groupby pairwise starmap takewhile tee zip_longest")
def selections(x):
    xs = [x, 2.0, x * x]
    first, second = itertools.tee(v * x for v in xs)
    sums = sum(itertools.dropwhile(lambda v: v < 1.5, xs)) + 2.0 * sum(itertools.takewhile(lambda v: v < 1.5, xs))
    sums += sum(itertools.filterfalse(lambda v: v < 1.5, xs)) + sum(itertools.starmap(pow, [(x, 2), (2.0, x)]))
    sums += sum(a * b for a, b in itertools.zip_longest(xs, [1.0], fillvalue=x))
    sums += sum(k * sum(g) for k, g in itertools.groupby([x, 5.0, 6.0 * x, x], key=lambda v: v > 4.0))
    return sums + sum(a * b for a, b in itertools.pairwise(xs)) + sum(first) * max(second)


@works("itertools", "count cycle islice repeat")
def counted(x):
    s = sum(a * b * c for a, b, c in zip([x, 2.0, x * x], itertools.count(1), itertools.cycle([x, 1.0])))
    s += sum(itertools.islice(itertools.count(x, 0.5), 3)) * sum(itertools.islice(itertools.cycle([x, 1.0]), 1, 6, 2))
    return s + sum(itertools.repeat(x, 3)) + sum(itertools.islice([x, 2.0, x * x], 1, None))


if hasattr(itertools, "batched"):

    @works("itertools", "batched")
    def in_batches(x):
        return sum(sum(b) * b[0] for b in itertools.batched([x, 2.0, x * x], 2))


@works("operator", "add sub mul truediv floordiv mod pow neg pos abs lt le eq ne ge gt truth not_ is_ is_not matmul")
def operators(x):
    o = operator
    y = o.add(x, 2.0) * o.sub(x, 0.5) + o.mul(x, x) * o.truediv(x, 2.0) + o.floordiv(x, 0.4) + o.mod(x, 0.4)
    y += o.pow(x, 3) + o.neg(x) + o.pos(x) + o.abs(-x) + np.sum(o.matmul(np.eye(2) * x, np.ones(2)))
    told = o.lt(x, 2.0) + o.le(x, 2.0) + o.eq(x, 2.0) + o.ne(x, 2.0) + o.ge(x, 2.0) + o.gt(x, 2.0)
    return y * (o.truth(x) + o.not_(x) + o.is_(x, x) + o.is_not(x, None) + told)


@works("operator", "index and_ or_ xor invert inv lshift rshift iand ior ixor ilshift irshift")
def operators_of_integers(x):
    o = operator
    whole = o.index(3) + o.and_(6, 3) + o.or_(6, 1) + o.xor(6, 3) + o.invert(2) + o.inv(2) + o.lshift(1, 3)
    whole += o.rshift(8, 1) + o.iand(6, 3) + o.ior(6, 1) + o.ixor(6, 3) + o.ilshift(1, 3) + o.irshift(8, 1)
    return x * x * whole


@works("operator", "concat setitem getitem contains countOf indexOf length_hint attrgetter itemgetter methodcaller")
def operators_of_containers(x):
    xs, ys = operator.concat([x, 2.0], [x * x]), [x, x]
    operator.setitem(ys, 0, x * 3.0)
    told = operator.contains([1, 2], 2) + operator.countOf([1, 1], 1) + operator.indexOf([1, 5], 5)
    y = operator.attrgetter("v")(Methods(x)) * operator.methodcaller("scaled", 2.0)(Methods(x))
    return operator.getitem(xs, 0) * operator.itemgetter(1)(xs) * (told + operator.length_hint([1])) * y * ys[0]


@works("operator", "iadd isub imul itruediv ifloordiv imod ipow imatmul")
def operators_in_place(x):
    a = np.ones(2) * x
    a = operator.iadd(a, 1.0)
    a = operator.isub(a, 0.5)
    a = operator.imul(a, x)
    a = operator.itruediv(a, 2.0)
    a = operator.ipow(a, 2)
    whole = operator.ifloordiv(7, 2) + operator.imod(7, 4)
    m = np.eye(2) * x
    m = operator.imatmul(m, np.eye(2) * x)
    return np.sum(a) * whole + np.sum(m)


@refused("operator", "iconcat")
def joined_by_a_function(x):
    xs = [x]
    xs = operator.iconcat(xs, [x])
    return xs[1]


@refused("operator", "delitem")
def item_deleted_by_a_function(x):
    xs = [x, x * x]
    operator.delitem(xs, 0)
    return xs[0]


@works("operator", "call")
def called_by_a_function(x):
    return operator.call(lambda v: v * x, x)


@works("collections", "Counter OrderedDict defaultdict deque namedtuple UserString")
def containers(x):
    lists = collections.defaultdict(list)
    lists["a"].append(x)
    pair = collections.namedtuple("Pair", "a b")
    counts, ordered = collections.Counter(a=x), collections.OrderedDict(a=x * x)
    y = lists["a"][0] * counts["a"] * ordered["a"] * collections.deque([x, 2.0])[0]
    return y * pair(x, 1.0).a * len(collections.UserString("ab"))


@works("collections", "ChainMap")
def chained(x):
    c = collections.ChainMap({"a": x * x}, {"a": 1.0, "b": x})
    return c["a"] * c["b"] + c.get("z", 3.0) * x + sum(c.values()) + sum(c[k] for k in c) * ("a" in c) * len(c)


@works("collections", "UserDict UserList")
def wrapped_containers(x):
    items, table = collections.UserList([x]), collections.UserDict(a=x)
    items.append(x * x)
    table["b"] = items[1]
    return items[0] * table["a"] * sum(table.values()) * len(items[1:])


class Manager(contextlib.AbstractContextManager):
    def __init__(self, v):
        self.v = v

    def __exit__(self, *error):
        return None


class Decorating(contextlib.ContextDecorator):
    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False


@Decorating()
def decorated(v):
    return v * v


@contextlib.contextmanager
def doubled(v):
    yield v * 2.0


@works("contextlib", "contextmanager nullcontext suppress redirect_stdout redirect_stderr ExitStack closing chdir")
def contexts(x):
    with doubled(x) as y, contextlib.nullcontext(x) as z, contextlib.suppress(ValueError):
        r = y * z
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        r = r * x
    with contextlib.ExitStack() as stack:
        w = stack.enter_context(doubled(x))
    with contextlib.closing(io.StringIO()), contextlib.chdir("."):
        r = r * w
    return r


@works("contextlib", "AbstractContextManager ContextDecorator")
def classes_of_contexts(x):
    with Manager(x) as m:
        return m.v * decorated(x)


async def awaited(x):
    return x


@refused("contextlib", "AbstractAsyncContextManager AsyncExitStack aclosing asynccontextmanager")
def asynchronous(x):
    return awaited(x).send(None)


@works("copy", "copy deepcopy Error")
def copies(x):
    a = [x, [x * x]]
    try:
        return copy.copy(a)[0] * copy.deepcopy(a)[1][0]
    except copy.Error:
        return x


@dataclasses.dataclass
class Record:
    a: float
    b: float = dataclasses.field(default=2.0)
    _: dataclasses.KW_ONLY = None
    c: float = 1.0


@dataclasses.dataclass(frozen=True)
class Fixed:
    a: float


@works("dataclasses", "dataclass field fields replace asdict astuple is_dataclass KW_ONLY MISSING Field")
def records(x):
    r = dataclasses.replace(Record(x, c=x), b=x * x)
    told = dataclasses.is_dataclass(r) * len(dataclasses.fields(r)) * (dataclasses.MISSING is not None)
    told *= isinstance(dataclasses.fields(r)[0], dataclasses.Field)
    return dataclasses.asdict(r)["a"] * dataclasses.astuple(r)[1] * told * r.c


@works("dataclasses", "FrozenInstanceError")
def frozen(x):
    f = Fixed(x)
    try:
        f.a = 2.0
    except dataclasses.FrozenInstanceError:
        return f.a * x
    return x


@dataclasses.dataclass
class Scaled:
    a: float
    k: dataclasses.InitVar[float] = 2.0

    def __post_init__(self, k):
        self.a = self.a * k


@works("dataclasses", "InitVar")
def initial_value(x):
    return Scaled(x).a * Scaled(x, k=x * x).a


Made = dataclasses.make_dataclass("Made", ["a", "b"])


@works("dataclasses", "make_dataclass")
def record_made_by_a_function(x):
    return Made(x, x * x).a


@enum.unique
class Kind(enum.Enum):
    ONE = enum.auto()
    TWO = enum.auto()

    def of(self, v):
        return v * self.value


class Number(enum.IntEnum):
    TWO = 2


class Word(enum.StrEnum):
    A = "a"


class Parts(enum.Flag):
    LEFT = enum.auto()
    RIGHT = enum.auto()


class Bits(enum.IntFlag):
    LOW = 1


@works("enum", "Enum IntEnum StrEnum Flag IntFlag auto unique EnumMeta EnumType")
def enumerations(x):
    both = Parts.LEFT | Parts.RIGHT
    table = {Word.A: x}
    y = sum(k.of(x) for k in Kind) * x**Number.TWO * (Parts.LEFT in both) * (Bits.LOW | 2)
    return y * table[Word("a")] * isinstance(Kind, enum.EnumType) * isinstance(Kind, enum.EnumMeta)


OF_DEFINITIONS = frozenset(
    "ReprEnum property verify member nonmember FlagBoundary STRICT CONFORM EJECT KEEP CONTINUOUS NAMED_FLAGS UNIQUE "
    "EnumCheck EnumDict global_flag_repr global_enum global_enum_repr global_str pickle_by_global_name "
    "pickle_by_enum_name show_flag_values bin".split()
)  # how enumerations are defined and shown: no value flows through them
LATER = frozenset("batched Placeholder is_none is_not_none replace".split())  # of newer versions


def every(kind: str) -> pytest.MarkDecorator:
    functions = dict.fromkeys(f for t in TABLES.values() for f in getattr(t, kind).values())
    return pytest.mark.parametrize("function", functions, ids=lambda f: f.__name__)


@every("working")
def test_working(function):
    check_working(function)


@every("refusing")
def test_refused(function):
    check_refused(function)


@pytest.mark.parametrize("module", MODULES, ids=lambda m: m.__name__)
def test_every_name_is_in_the_table(module: types.ModuleType) -> None:
    """A name of a later Python that is not in one of the tables fails here."""
    listed = TABLES[module.__name__]
    public = getattr(module, "__all__", None) or [n for n in dir(module) if not n.startswith("_")]
    assert set(public) - OF_DEFINITIONS - LATER == (listed.working.keys() | listed.refusing.keys()) - LATER


@pytest.mark.parametrize("module", MODULES, ids=lambda m: m.__name__)
def test_the_page_names_them(module: types.ModuleType) -> None:
    listed = TABLES[module.__name__]
    tables = [t.keys() | (LATER & {"batched"} if t is listed.working and module is itertools else set())
              for t in (listed.working, listed.refusing) if t]  # fmt: skip
    assert listed.page(f"names of `{module.__name__}`") == tables
