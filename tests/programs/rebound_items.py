"""Lists of objects whose items are bound anew, or whose attributes, objects themselves, are."""

from dataclasses import dataclass

from programs.registry import program
from programs.samples import positive


@dataclass
class Moving:
    x: float
    v: float


def moved_on(p, a):
    return Moving(p.x + p.v * a, p.v * 0.9)


def action_of(p):
    return p.x * p.v


PLACES_AND_SPEEDS = {"x": positive(3), "v": positive(3), "a": 0.7}


@program(PLACES_AND_SPEEDS)
def objects_put_into_a_list_of_none(x, v, a):
    ps = [None] * 3
    for k in range(3):
        ps[k] = Moving(x[k], v[k])
    for k in range(3):
        ps[k] = moved_on(ps[k], a)
    return sum([ps[k].x * ps[k].v for k in range(3)])


@program(PLACES_AND_SPEEDS)
def objects_of_a_list_that_only_helpers_ask(x, v, a):
    ps = [Moving(x[k], v[k]) for k in range(3)]
    for k in range(3):
        ps[k], ps[k - 1] = ps[k - 1], moved_on(ps[k], a)
    return sum(map(action_of, ps))


class Plane:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, other):
        return Plane(self.x + other.x, self.y + other.y)

    def __mul__(self, factor):
        return Plane(self.x * factor, self.y * factor)

    def dot(self, other):
        return self.x * other.x + self.y * other.y


@program(PLACES_AND_SPEEDS)
def lists_of_objects_with_operators_that_step(x, v, a):
    places = [Plane(x[k], v[k]) for k in range(3)]
    speeds = [Plane(v[k], x[k]) for k in range(3)]
    for _ in range(2):
        for k in range(len(places)):
            speeds[k] = speeds[k] + places[k] * (-0.1)
            places[k] = places[k] + speeds[k] * a
    parts = []
    for k in range(len(places)):
        parts.append(places[k].dot(speeds[k]))
    return sum(parts)


@dataclass
class Body:
    place: Plane
    speed: Plane
    mass: float = 1.0


@program(PLACES_AND_SPEEDS)
def objects_of_objects_that_step(x, v, a):
    bodies = [Body(Plane(x[k], v[k]), Plane(v[k], 0.1)) for k in range(3)]
    for _ in range(2):
        for b in bodies:
            b.speed = b.speed + b.place * (-0.1)
            b.place = b.place + b.speed * a
    return sum(b.mass * b.speed.dot(b.place) for b in bodies)


class Ball:
    def __init__(self, place):
        self.place = place
        self.trail = []

    def step(self, by):
        self.place = self.place + by
        self.trail.append(self.place.x)


class World:
    def __init__(self, balls):
        self.balls = balls

    def force(self, ball):
        f = Plane(0.1, 0.2)
        for other in self.balls:
            if other is not ball:
                f = f + other.place * (0.1 / (0.1 + ball.place.dot(other.place)))
        return f

    def advance(self):
        forces = [self.force(b) for b in self.balls]
        for b, f in zip(self.balls, forces):
            b.step(f)


@program(PLACES_AND_SPEEDS)
def methods_of_attributes_of_objects_in_a_list(x, v, a):
    world = World([Ball(Plane(x[0], v[0])), Ball(Plane(a, x[1]))])
    for _ in range(2):
        world.advance()
    return sum(b.place.dot(b.place) + sum(b.trail) for b in world.balls)
