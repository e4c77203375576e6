"""Objects that one function makes and nobody else sees become variables; methods that are redefined are seen."""

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
