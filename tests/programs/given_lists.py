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
