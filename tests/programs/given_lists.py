"""Lists of objects that come as arguments: what the objects hold becomes lists."""

import numpy as np

from programs.registry import program
from programs.samples import signed


class Body:
    def __init__(self, x, v):
        self.x, self.v = x, v

    def kick(self, force, dt):
        self.v += force * dt
        self.x += self.v * dt

    @property
    def energy(self):
        return 0.5 * self.v * self.v


class Heavy(Body):
    def kick(self, force, dt):
        super().kick(0.5 * force, dt)


class Swarm:
    """An object that holds such a list."""

    def __init__(self, bodies, k):
        self.bodies, self.k = bodies, k

    def step(self, dt):
        for b in self.bodies:
            b.kick(-self.k * b.x, dt)


def bodies(n=3, cls=Body):
    return [cls(0.3 + 0.4 * i, 0.2 - 0.3 * i) for i in range(n)]


@program(
    {"ps": bodies(), "k": 1.2},
    {"ps": [Body(signed(2), signed(2) * 0.5), Body(signed(2) + 1.0, signed(2))], "k": 1.2},
)
def objects_of_a_list_that_move(ps, k):
    for _ in range(2):
        for p in ps:
            p.kick(-k * p.x, 0.1)
    return np.sum(sum(p.x * p.x for p in ps) * ps[0].energy)


@program({"ps": bodies(), "k": 1.2})
def objects_of_a_list_that_pull_each_other(ps, k):
    for _ in range(2):
        for i, p in enumerate(ps):
            for q in ps[i + 1 :]:
                force = k * (q.x - p.x)
                p.v += 0.1 * force
                q.v -= 0.1 * force
        for p in ps:
            p.x += 0.1 * p.v
    return sum(p.x * p.v for p in ps)


@program({"ps": bodies(), "qs": bodies(4), "k": 1.2})
def two_lists_of_objects(ps, qs, k):
    s = 0.0
    for p, q in zip(ps, qs):
        p.x = k * p.x + q.v
        s = s + p.x * q.x
    return s + len(qs) * qs[-1].x


@program({"ps": [Body(1, 0.5), Body(2.0, 0.25)], "k": 1.2}, {"ps": [Body(signed(2), 0.5), Body(0.3, 0.2)], "k": 0.7})
def objects_of_a_list_that_hold_other_things(ps, k):
    s = 0.0
    for p in ps:
        s = s + k * p.x * p.v
    return np.sum(s * s)


@program({"ps": bodies(), "k": 1.2})
def list_of_objects_that_grows(ps, k):
    for _ in range(2):
        ps.append(Body(k * ps[-1].x, ps[0].v))
    return sum(p.x * p.v for p in ps)


@program({"ps": bodies(2) + bodies(1, Heavy), "k": 1.2})
def objects_of_two_classes_in_a_list(ps, k):
    for p in ps:
        p.kick(-k * p.x, 0.1)
    return sum(p.x * p.x for p in ps)


@program(
    {"swarm": Swarm(bodies(), 1.1), "dt": 0.1},
    {"swarm": Swarm(bodies(2) + bodies(1, Heavy), 1.1), "dt": 0.1},
)
def object_that_holds_a_list_of_objects(swarm, dt):
    for _ in range(2):
        swarm.step(dt)
    return swarm.k * sum(b.x * b.x for b in swarm.bodies)


class Dense:
    def __init__(self, w, b):
        self.w, self.b = w, b

    def __call__(self, x):
        return x @ self.w + self.b

    def penalty(self):
        return np.sum(self.w * self.w)


class Squashed:
    def __call__(self, x):
        return np.tanh(x)

    def penalty(self):
        return 0.0


class Scaled:
    def __init__(self, s):
        self.s = s

    def __call__(self, x):
        return self.s * x

    def penalty(self):
        return self.s * self.s


class Chain:
    """An object that holds a list of objects of several classes."""

    def __init__(self, layers, rate):
        self.layers, self.rate = layers, rate

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x

    def penalty(self):
        return self.rate * sum(layer.penalty() for layer in self.layers)


def layers():
    return [Dense(signed(3, 2), signed(2)), Squashed(), Scaled(1.3), Dense(signed(2, 2), signed(2)), Squashed()]


@program({"chain": layers(), "x": signed(3)}, {"chain": [Scaled(0.7), Squashed(), *layers()], "x": signed(3)})
def layers_of_several_classes(chain, x):
    for layer in chain:
        x = layer(x)
    return np.sum(x * x)


@program({"model": Chain(layers(), 0.1), "x": signed(3)}, {"model": Chain(layers()[1:2] * 2, 0.1), "x": signed(3)})
def network_that_holds_layers_of_several_classes(model, x):
    return np.sum(model(x)) + model.penalty()


@program({"chain": layers(), "x": signed(3)})
def layers_of_several_classes_by_places(chain, x):
    s = chain[0](x)[0] * len(chain)
    for i, layer in enumerate(chain):
        if i == 3:
            break
        x = layer(x)
    for i, layer in enumerate(reversed(chain)):
        s = s + layer.penalty() * (i + 1.0)
    return np.sum(x) * s + max([layer.penalty() for layer in chain])


@program({"chain": layers(), "x": signed(3)})
def layers_of_several_classes_as_others_see_them(chain, x):
    for k, layer in enumerate(chain):
        if isinstance(layer, Dense):
            x = layer(x) * (k + 1.0)
        elif isinstance(layer, Scaled):
            layer = Scaled(layer.s * 2.0)
            x = layer(x)
    return np.sum(x * x) * chain[2].penalty()


@program({"ps": bodies(1) + bodies(2, Heavy), "k": 1.2}, {"ps": [Heavy(0.4, 0.2), Body(0.3, 0.1)], "k": 1.2})
def objects_of_two_classes_that_stop_a_loop(ps, k):
    s = 0.0
    for p in ps:
        p.kick(-k * p.x, 0.1)
        s = s + p.energy * p.x
        if s > 10.0:
            return s
    return s * ps[0].x
