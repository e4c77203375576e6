"""Objects that one function makes and nobody else sees become variables; methods that are redefined are seen."""

import collections
import dataclasses

import pytest

import tangent


class Particle:
    def __init__(self, pos, vel=0.0):
        self.pos, self.vel = pos, vel

    def kick(self, force, dt):
        self.vel += force * dt
        self.pos += self.vel * dt

    def shown(self):
        return [self]


def moved(k):
    p = Particle(1.0)
    for _ in range(3):
        p.kick(-k * p.pos, 0.1)
    return p.pos


def handed_on(k):
    p = Particle(k)
    p.kick(k, 0.1)
    return p.shown()[0].pos


def test_attributes_are_variables() -> None:
    source = tangent.grad(moved).source
    assert "memory" not in source
    assert "p_pos" in source
    assert "# Grad of: p.kick(-k * p.pos, 0.1)" in source


def test_what_is_handed_on_stays_an_object() -> None:
    assert "memory" in tangent.grad(handed_on).source
    assert abs(tangent.grad(handed_on)(2.0) - 1.01) < 1e-12


def test_redefined_methods_are_seen(monkeypatch) -> None:
    def stay(self, force, dt):
        self.pos = self.pos * force

    derivative = tangent.grad(moved)
    before = derivative(0.5)
    monkeypatch.setattr(Particle, "kick", stay)
    for _ in range(3):  # versions are made meanwhile
        assert abs(derivative(0.5) + 7.0 * 0.5**6) < 1e-9
    monkeypatch.undo()
    assert derivative(0.5) == before


def swarm(k, n):
    ps = [Particle(k * i) for i in range(3)]
    for _ in range(n):
        for p in ps:
            p.kick(-k * p.pos, 0.1)
    return sum(p.pos for p in ps)


def kept_elsewhere(k):
    ps = [Particle(k * i) for i in range(3)]
    found = {"all": ps}
    for p in found["all"]:
        p.kick(k, 0.1)
    return ps[1].pos


def test_lists_of_objects_are_lists_of_their_attributes() -> None:
    source = tangent.grad(swarm).source
    assert "memory" not in source
    assert "ps_vel[p]" in source
    assert len(source.splitlines()) < 70
    assert "# Grad of: p.kick(-k * p.pos, 0.1)" in source


def test_lists_that_others_see_stay() -> None:
    assert "memory" in tangent.grad(kept_elsewhere).source
    assert abs(tangent.grad(kept_elsewhere)(2.0) - 1.01) < 1e-12


def test_redefined_methods_of_many_are_seen(monkeypatch) -> None:
    def stay(self, force, dt):
        self.pos = self.pos * force

    derivative = tangent.grad(swarm)
    before = derivative(0.5, 1)
    monkeypatch.setattr(Particle, "kick", stay)
    assert abs(derivative(0.5, 1) + 3 * 5 * 0.5**2) < 1e-9
    monkeypatch.undo()
    assert derivative(0.5, 1) == before


class Chain:
    def __init__(self, value, rest):
        self.value, self.rest = value, rest


def chained(x):
    chain = Chain(x, None)
    for i in range(3):
        chain = Chain(x * i, chain)
    total = 0.0
    while chain is not None:
        total = 0.5 * total + chain.value
        chain = chain.rest
    return total


class End:
    def __init__(self, x):
        self.x = x


class Rod:
    def __init__(self, a, b):
        self.a, self.b = a, b


def rods(k):
    ends = [End(k * i) for i in range(3)]
    all_rods = [Rod(ends[i], ends[i + 1]) for i in range(2)]
    for rod in all_rods:
        rod.a.x *= k
    return sum(rod.b.x for rod in all_rods)


def test_objects_that_others_know_are_places() -> None:
    source = tangent.grad(rods).source
    assert "memory" not in source
    assert "# Grad of: rod.a.x *= k" in source
    assert abs(tangent.grad(rods)(2.0) - 6.0) < 1e-12  # k * k + 2.0 * k, and the last end as it was


def test_redefined_initialisers_are_seen(monkeypatch) -> None:
    def twice(self, value, rest):
        self.value, self.rest = 2.0 * value, rest

    def moved_along(self, x):
        self.x = x * x

    for function, cls, other in ((chained, Chain, twice), (rods, End, moved_along)):
        derivative = tangent.grad(function)
        before = derivative(2.0)
        monkeypatch.setattr(cls, "__init__", other)
        step = (function(2.0 + 1e-6) - function(2.0 - 1e-6)) / 2e-6
        assert abs(derivative(2.0) - step) < 1e-5 * abs(step)
        assert abs(derivative(2.0) - before) > 0.1
        monkeypatch.undo()
        assert derivative(2.0) == before


@dataclasses.dataclass(frozen=True)
class Placed:
    x: float
    v: float = 1.0


def turned(w):
    state = Placed(w)
    for _ in range(3):
        state = dataclasses.replace(state, x=state.x * w)
    return state.x


def misplaced(w):
    return dataclasses.replace(Placed(w), z=1.0).x


def test_objects_that_replace_makes_are_variables():
    assert "memory" not in tangent.grad(turned).source
    assert tangent.grad(turned)(0.5) == 4 * 0.5**3
    with pytest.raises(TypeError, match="no parameter 'z'"):
        tangent.grad(misplaced)(0.5)


Spot = collections.namedtuple("Spot", "x y")


def shifted(w, n):
    spot = Spot(w, 1.0)
    for _ in range(n):
        spot = spot._replace(x=spot.x * w)
    return spot.x * spot.y


def missed(w):
    spot = Spot(w, 1.0)
    return spot._replace(z=w).x


def test_named_tuples_with_other_fields_are_new_ones():
    assert "replace_field" not in tangent.grad(shifted).source
    assert tangent.grad(shifted)(0.5, 3) == 4 * 0.5**3
    with pytest.raises(ValueError, match="z"):
        tangent.grad(missed)(0.5)
