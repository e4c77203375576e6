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
