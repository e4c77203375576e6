"""The worlds that random programs of the language are made of: what `language_writer.py` puts together.

A world brings classes and functions of the module, lines at the beginning of `f`, statements over them, and values to
read. Templates stand for the rest: `<v>` is a value to read, `<e>` an expression, `<c>` a condition, `<n>` one of the
names a, b and s, `<s>` a statement, on a line of its own. A value is a number or an array of one shape, as `x` is.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class World:
    """Texts: of the module, of the beginning of `f`; statements with blank lines between them, reads a line each."""

    module: str
    start: str
    statements: str
    reads: str


EXPRESSIONS = """
<v> * <v>
np.tanh(<v>)
np.sin(<v> + <v>)
SCALE * <v> - <v>
<v> / (2.0 + <v> * <v>)
<v> if <c> else <v>
(lambda v: v * <v> + SCALE)(<v>)
half(<v>)
sum([u * SCALE for u in (<v>, <v>)])
""".strip().splitlines()  # fmt: skip
CONDITIONS = """
np.sum(<v>) > 0.3
np.sum(<v>) < np.sum(<v>)
n > 1
-1.0 < np.sum(<v>) < 0.8
np.sum(<v>) > 0.0 and n != 2
not np.sum(<v>) > 0.5
""".strip().splitlines()

# Statements of every program.
PLAIN = """
<n> = np.tanh(<e>)

<n> = np.tanh(<e>)

<n> = np.sin(<n> + <e>)

a, b = b, np.tanh(a + <v>)

if <c>:
    <s>

if <c>:
    <s>
else:
    <s>

for i in range(n):
    <s>
    <s>

for u in (<v>, <v>):
    <n> = np.tanh(<n> * u + <v>)
    <s>

while len(turns) < 4 and <c>:
    turns.append(n)
    <s>
    if <c>:
        break

for i in range(3):
    if <c>:
        continue
    <s>

if np.sum(t := np.tanh(<e>)) > 0.2:
    <n> = t * <v>

match n:
    case 0 | 1:
        <s>
    case k if k > 2:
        <s>
    case _:
        <n> = np.tanh(<v> - <v>)

print(n, file=sink)
"""

HELPERS = """
def half(v, by=0.5):
    return v * by


class Away(Exception):
    pass
"""

WORLDS = {
    "lists": World(
        "",
        "xs = [x, <e>]",
        """
xs.append(np.tanh(<e>))

xs[-1] = np.tanh(<e>)

xs[0], xs[-1] = xs[-1], xs[0]

if len(xs) > 2:
    <n> = np.tanh(xs.pop() * <v>)

xs.insert(1, <v>)

for k, u in enumerate(xs):
    xs[k] = np.tanh(u * <v>)

<n> = np.tanh(sum(u * w for u, w in zip(xs, reversed(xs))))

xs = [np.tanh(u + <v>) for u in xs if np.sum(u) > -0.4] or [<v>]

ys = xs; ys[0] = np.tanh(<e>)

xs = xs[:2] + [<v>] if len(xs) > 2 else xs

<n> = np.tanh(functools.reduce(lambda p, q: p * SCALE + q, xs))

xs += [<v>]

head, *tail = xs
<n> = np.tanh(head * <v> + sum(tail))

<n> = np.tanh(sum(map(lambda u: u * <v>, xs)))

xs = sorted(xs, key=lambda u: np.sum(u))

<n> = np.sin(np.sum(np.stack(xs), axis=0))
""",
        "xs[0]\nxs[-1]\nsum(xs) / len(xs)",
    ),
    "dicts": World(
        "",
        "d = {'k': <e>, 'm': x}",
        """
d['k'] = np.tanh(<e>)

d['m'] = d['k'] * <v>

d[n] = d.get(n, <v>) * SCALE

for key, u in list(d.items()):
    d[key] = np.tanh(u + <v>)

d = {**d, 'k': np.tanh(<e>)}

d.update(m=np.tanh(<e>))

<n> = np.tanh(sum(d.values()))

t = np.tanh(<e>); d['k'] = d.pop('k') * t

d = {key: np.tanh(u * <v>) for key, u in d.items()}

for key in sorted(d, key=str):
    <n> = np.tanh(<n> + d[key] * <v>)

d.setdefault('z', <v>)
d['z'] = d['z'] * SCALE
""",
        "d['k']\nd['m']",
    ),
    "nested containers": World(
        "",
        "p = {'w': [x, <v>], 'b': (<v>, {'c': <e>})}",
        """
p['w'][n % 2] = np.tanh(<e>)

p['b'][1]['c'] = np.tanh(<e>)

p['w'].append(<v>)

p = {**p, 'b': (np.tanh(<e>), p['b'][1])}

<n> = np.tanh(sum(p['w']) * p['b'][0])

(u, w), q = p['w'][:2], p['b'][1]
q['c'] = np.tanh(u * w + q['c'])
""",
        "p['w'][0]\np['b'][0]\np['b'][1]['c']",
    ),
    "cell": World(
        """
class Cell:
    def __init__(self, w, h):
        self.w = w
        self.h = h
        self.log = []

    def step(self, v):
        self.h = np.tanh(self.h * SCALE + v * self.w)
        self.log.append(self.h)
        return self.h

    @property
    def both(self):
        return self.w * self.h

    @both.setter
    def both(self, v):
        self.w = np.tanh(v)
        self.h = v * SCALE

    def __add__(self, other):
        return Cell(np.tanh(self.w + other.w), other.h)

    def __call__(self, v):
        return np.tanh(self.w * v)

    @classmethod
    def of(cls, v):
        return cls(np.tanh(v), v * SCALE)
""",
        "o = Cell(<v>, <v>)",
        """
o.w = np.tanh(<e>)

o.h += <v>

<n> = o.step(<v>)

<n> = np.tanh(o(<v>) + o.both)

o.both = <v>

o = o + Cell.of(<v>)

q = o; q.h = np.tanh(<e>)

for _ in range(n):
    o.step(<v>)

<n> = np.tanh(sum(o.log[-2:]) + <v>)

if o.log:
    o.w = np.tanh(o.log[-1] * <v>)

setattr(o, 'h', np.tanh(<v>))

<n> = np.tanh(getattr(o, 'w') * <v>)

step = o.step
<n> = step(<v>)
""",
        "o.w\no.h\no.both",
    ),
    "inheritance": World(
        """
class Base:
    gain = 0.8

    def __init__(self, w):
        self.w = w

    def act(self, v):
        return np.tanh(v * self.w * self.gain)

    def twice(self, v):
        return self.act(self.act(v))


class Wide(Base):
    def __init__(self, w, b):
        super().__init__(w)
        self.b = b

    def act(self, v):
        return super().act(v) + self.b * SCALE


class Last(Wide):
    gain = 0.5

    @staticmethod
    def put(v):
        return np.sin(v)

    def act(self, v):
        return self.put(super().act(v))
""",
        "layers = [Base(x), Wide(<v>, <v>), Last(<v>, x)]",
        """
for layer in layers:
    <n> = layer.act(<n> + <v>)

layers[n % 3].w = np.tanh(<e>)

layers.append(Wide(<v>, np.tanh(<e>)))

<n> = layers[-1].twice(<v>)

layers[1].b = np.tanh(layers[1].b + <v>)

<n> = np.tanh(sum(layer.w for layer in layers if isinstance(layer, Wide)))

layers = layers[::-1]; layers = layers[::-1]
""",
        "layers[0].w\nlayers[1].b\nlayers[-1].act(SCALE)",
    ),
    "data": World(
        """
@dataclasses.dataclass
class Pair:
    u: object
    w: object = 0.3

    def mixed(self):
        return Pair(np.tanh(self.u * self.w), self.u)


class Point(typing.NamedTuple):
    p: object
    q: object

    def spin(self, v):
        return Point(np.tanh(self.p - v * self.q), np.tanh(self.q + v))
""",
        "r = Pair(x)\nz = Point(<v>, <v>)",
        """
r.w = np.tanh(<e>)

r = dataclasses.replace(r, u=np.tanh(<e>))

r = r.mixed()

z = z.spin(<v>)

z = z._replace(p=np.tanh(<e>))

p1, q1 = z
z = Point(q1, np.tanh(p1 * <v>))

<n> = np.tanh(sum(z) * r.u)

match z:
    case Point(p=first, q=second):
        <n> = np.tanh(first * second)

for _ in range(n):
    z = z.spin(r.u)
    r = r.mixed()
""",
        "r.u\nr.w\nz.p\nz[1]",
    ),
    "numbers of ours": World(
        """
class Num:
    def __init__(self, v):
        self.v = v

    def __add__(self, other):
        return Num(self.v + (other.v if isinstance(other, Num) else other))

    __radd__ = __add__

    def __mul__(self, other):
        return Num(self.v * (other.v if isinstance(other, Num) else other))

    __rmul__ = __mul__

    def __neg__(self):
        return Num(-self.v)

    def __sub__(self, other):
        return self + -other

    def __gt__(self, limit):
        return np.sum(self.v) > limit

    def tanh(self):
        return Num(np.tanh(self.v))
""",
        "m = Num(<v>)\ng = Num(x)",
        """
m = (m * g + <v>).tanh()

g = (2.0 * g - m).tanh()

m = Num(np.tanh(<e>))

<n> = np.tanh((m + g * m).v)

if m > 0.2:
    m = (m - g).tanh()

m += g * SCALE

for _ in range(n):
    m, g = (g * SCALE + m).tanh(), m

<n> = np.tanh(sum([m, g, m * g], Num(<v>)).v)
""",
        "m.v\ng.v",
    ),
    "closures": World(
        "",
        """
total = x * SCALE
fs = [lambda v: v * x]

def add(v):
    nonlocal total
    total = np.tanh(total * SCALE + v * b)
    return total

def power(v, k):
    return v if k == 0 else np.tanh(power(v, k - 1) * x + SCALE)

def maker(k):
    def made(v):
        return np.tanh(v * k + a)
    return made
""",
        """
add(<v>)

<n> = add(<v>) * SCALE

fs.append(lambda v: np.tanh(v * <v>) + a * SCALE)

fs.append(lambda v, k=<v>: np.tanh(v * k))

fs.append(maker(<v>))

<n> = np.tanh(fs[-1](<v>))

<n> = np.tanh(sum(g(<v>) for g in fs))

<n> = power(<v>, n)

h = maker(np.tanh(<e>))
<n> = h(h(<v>))

for _ in range(2):
    fs.append(functools.partial(half, by=np.tanh(<v>)))

<n> = functools.reduce(lambda v, g: np.tanh(g(v)), fs, <v>)

total = np.tanh(total + <v>)

<n> = np.tanh({'s': lambda: a * b, 't': lambda: total - <v>}['st'[n % 2]]())
""",
        "total\nfs[0](SCALE)\nmaker(b)(x)",
    ),
    "generators": World(
        """
def growing(v, k):
    for i in range(k):
        v = np.tanh(v * SCALE + 0.3)
        yield v


def pairs(items):
    last = None
    for v in items:
        if last is not None:
            yield last * v
        last = v


def flat(items):
    for v in items:
        yield from growing(v, 1)
""",
        "",
        """
for u in growing(<v>, n):
    <s>
    <n> = np.tanh(<n> + u)

<n> = np.tanh(sum(growing(<v>, 2)))

kept = growing(<v>, 4)
<n> = np.tanh(next(kept) * <v>)
s = np.tanh(next(kept) + <v>)

<n> = np.tanh(sum(pairs([<v>, <v>, <v>])))

for k, u in zip(range(3), growing(<v>, 5)):
    <n> = np.tanh(<n> * u + k)

<n> = np.tanh(sum(flat([<v>, <v>])))

for u in itertools.accumulate([<v>, <v>, <v>], lambda p, q: np.tanh(p * q)):
    <n> = np.tanh(<n> + u)

<n> = np.tanh(sum(u for u in growing(<v>, 3) if np.sum(u) > 0.1))
""",
        "next(growing(b, 2))",
    ),
    "exceptions": World(
        """
def low(v):
    if np.sum(v) < -0.3:
        raise ValueError("low")
    return v * 0.5


class Guard:
    def __init__(self, w):
        self.w = w

    def __enter__(self):
        self.w = np.tanh(self.w * SCALE)
        return self

    def __exit__(self, kind, value, trace):
        self.w = self.w * 0.5
""",
        "guard = Guard(<v>)",
        """
try:
    <n> = np.tanh(low(<v>) + <v>)
except ValueError:
    <s>

try:
    <s>
    <n> = low(<v>)
except ValueError:
    <n> = np.tanh(<v>)
else:
    <s>
finally:
    <n> = np.tanh(<n> + <v>)

for i in range(3):
    try:
        <s>
        if <c>:
            raise Away
        <n> = np.tanh(<v>)
    except Away:
        <s>
        continue

with guard as g1:
    <n> = np.tanh(g1.w * <v>)
    <s>

with guard:
    <s>
    <n> = np.tanh(guard.w + <e>)

with np.errstate(all='ignore'):
    <s>
""",
        "guard.w",
    ),
    "arrays in place": World(
        """
def fill(out, v, k):
    out[k] = np.sum(v) * SCALE
    out[1:] += out[0]


class Tank:
    def __init__(self, w):
        self.w = w

    def damp(self, v):
        self.w *= np.tanh(np.sum(v))
        self.w[0] += np.sum(v)
""",
        """
buf = np.zeros(4)
tank = Tank(np.array([np.sum(x), y, 0.5, 0.2]))

def put(k, v):
    buf[k] = np.sum(v) + buf[k] * SCALE
""",
        """
buf[n % 3] = np.sum(<e>)

buf[1:] += np.sum(<v>)

put(2, <v>)

for k in range(3):
    put(k, <v>)

fill(buf, <v>, 3)

fill(tank.w, <v>, 1)

tank.damp(<v>)

buf[:2], buf[2:] = np.tanh(buf[2:]), buf[:2].copy()

old = buf; buf = np.tanh(buf * tank.w); old[0] = 3.0

view = buf[1:3]; view *= np.sum(<v>)

tank.w = np.tanh(tank.w + buf)

tank.w[:] = np.tanh(buf * SCALE)

buf[buf > 0.2] *= SCALE

np.multiply(buf, SCALE, out=buf)
""",
        "buf[0]\nbuf[2]\nnp.sum(tank.w)\ntank.w[1]",
    ),
    "slopes inside": World(
        """
def bump(v, w):
    return np.sum(np.sin(v * w) * v)
""",
        "def inner(v):\n    return np.sum(np.tanh(v * a) * x)",
        """
<n> = np.tanh(tangent.grad(inner)(<v>))

<n> = np.tanh(tangent.grad(lambda v: np.sum(v * v * <v>))(<v>))

<n> = np.tanh(tangent.grad(bump)(<v>, <v>))

<n> = np.tanh(tangent.jvp(inner)(<v>, <v>))

for _ in range(2):
    <n> = <n> - 0.1 * tangent.grad(inner)(<n>)

<n> = np.tanh(tangent.grad(bump, 1)(<v>, 0.3 * <v>))
""",
        "tangent.grad(inner)(b)",
    ),
    "nodes": World(
        """
class Node:
    def __init__(self, v, rest=None):
        self.v = v
        self.rest = rest


def total_of(node):
    return 0.0 if node is None else node.v + SCALE * total_of(node.rest)


def grown(v, depth):
    if depth == 0:
        return Node(v)
    return Node(np.tanh(v), grown(v * SCALE, depth - 1))
""",
        "node = Node(<v>, Node(x))",
        """
node = Node(np.tanh(<e>), node)

node.v = np.tanh(node.v * <v>)

node.rest.v = np.tanh(<e>)

<n> = np.tanh(total_of(node))

here = node
while here is not None:
    <n> = np.tanh(<n> + here.v)
    here = here.rest

<n> = np.tanh(total_of(grown(<v>, n)))

node.rest = Node(<v>, node.rest)
""",
        "node.v\nnode.rest.v\ntotal_of(node)",
    ),
    "own containers": World(
        """
class Bag:
    def __init__(self, *items):
        self.items = list(items)

    def __getitem__(self, k):
        return self.items[k]

    def __setitem__(self, k, v):
        self.items[k] = np.tanh(v)

    def __len__(self):
        return len(self.items)

    def __iter__(self):
        return iter(self.items)

    def __contains__(self, k):
        return k < len(self.items)

    def put(self, v):
        self.items.append(v)
        return self
""",
        "bag = Bag(x, <v>)\nline = collections.deque([<v>, <v>], maxlen=3)",
        """
bag[0] = <e>

bag[1] += <v>

bag.put(<v>).put(np.tanh(<e>))

for u in bag:
    <n> = np.tanh(<n> + u * <v>)

if 2 in bag:
    bag[2] = <v>

<n> = np.tanh(sum(u * len(bag) for u in bag))

line.append(np.tanh(<e>))

line.appendleft(<v>)

<n> = np.tanh(sum(line) * <v>)

line.rotate(1)

bag.items = [np.tanh(u) for u in line]; bag.put(<v>)
""",
        "bag[0]\nbag[-1]\nline[0]\nline[-1]",
    ),
    "calls": World(
        """
def spread(*args, scale=0.5, **more):
    out = 0.0
    for v in args:
        out = np.tanh(out + v * scale)
    for key in more:
        out = out + more[key] * SCALE
    return out


def early(v, w, k):
    for i in range(k):
        v = np.tanh(v + w)
        if np.sum(v) > 0.6:
            return v * i
    else:
        w = w * SCALE
    return w


def traced(g):
    @functools.wraps(g)
    def inner(*args, **more):
        return np.tanh(g(*args, **more)) * SCALE
    return inner


@traced
def decorated(v, w=0.5):
    return v * w + v


def apply(g, v, *rest):
    return g(v, *rest)


def both(v, w):
    return np.tanh(v * w), {'s': v + w, 't': [w, v]}
""",
        "",
        """
<n> = spread(<v>, <v>, more=<v>)

<n> = spread(*[<v>, <v>], **{'scale': np.tanh(<v>), 'k': <v>})

<n> = early(<v>, <v>, n)

<n> = decorated(<v>, w=<v>)

<n> = apply(decorated, <v>, <v>)

<n> = np.tanh(apply(lambda v, w: early(v, w, 2), <v>, <v>))

a, made = both(<v>, <v>)
b = np.tanh(made['s'] + made['t'][n % 2])

<n> = np.tanh(apply(functools.partial(spread, <v>, scale=SCALE), <v>))

<n> = np.tanh(operator.mul(<v>, <v>) + max([<v>, <v>], key=lambda u: np.sum(u)))

*firsts, last = both(<v>, <v>)[1]['t']
<n> = np.tanh(last - firsts[0])
""",
        "half(a)\ndecorated(b)",
    ),
}
