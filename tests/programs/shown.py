"""Arrays that objects among the arguments hold, written under other names, and parts of complex arrays."""

import numpy as np

from programs.registry import program
from programs.samples import signed


class Wave:
    def __init__(self, u):
        self.u = u
        self.steps = 0


def square(a, x):
    a[:] = x * x


def scale(a, x):
    a *= x


def scale_deep(a, x):
    if np.sum(x) < 1e3:
        scale(a, x)


def field():
    return Wave(signed(3) * (0.7 + 1.1j))


@program({"x": signed(3), "wave": Wave(signed(3) * 2.0)}, wrt=("x",))
def second_name_of_what_an_object_holds(x, wave):
    u = wave.u
    u *= x
    return np.sum(wave.u * x)


@program({"x": signed(3), "wave": Wave(signed(3) * 2.0)})
def views_of_what_an_object_holds(x, wave):
    rest, turned = wave.u[1:], wave.u.T
    rest *= x[1:]
    turned[0] = x[1] * turned[2]
    return np.sum(wave.u * x)


@program({"x": signed(3), "wave": Wave(signed(3) * 2.0)}, wrt=("x",))
def functions_that_fill_what_an_object_holds(x, wave):
    square(wave.u[1:], x[1:])
    scale(wave.u.reshape(3, 1), x[0])
    np.multiply(wave.u, x, out=wave.u)
    np.add.at(wave.u, [0, 0], x[:2])
    return np.sum(wave.u * x)


@program({"x": signed(3), "wave": Wave(signed(3) * 2.0)}, wrt=("x",))
def methods_that_change_what_an_object_holds(x, wave):
    for row in wave.u.reshape(3, 1):
        row += x[1]
    first = np.sum(wave.u**2)
    wave.u[1:].fill(x[0])
    return first * np.sum(wave.u * x)


@program({"x": signed(3), "wave": field()}, wrt=("x",))
def parts_that_an_object_holds(x, wave):
    wave.u.imag *= x
    wave.u.real[1:] += x[:-1]
    wave.u.real = wave.u.imag * x
    return np.sum(np.abs(wave.u) ** 2)


@program({"x": signed(3), "wave": field()}, wrt=("x",))
def names_for_parts_that_an_object_holds(x, wave):
    re, im = wave.u.real, wave.u.imag
    re += im * x
    im[1:] *= re[:-1]
    return np.sum(np.abs(wave.u) ** 2)


@program({"x": signed(3), "wave": field()}, wrt=("x",))
def functions_that_fill_parts_of_an_object(x, wave):
    square(wave.u.imag, x)
    scale_deep(wave.u.imag[1:], x[1:])
    return np.sum(np.abs(wave.u) ** 2)


@program({"x": signed(3)})
def functions_that_fill_parts(x):
    z = x * (1.0 + 2.0j)
    square(z.real, x)
    scale_deep(z.imag, x)
    square(z.imag[1:], x[:-1])
    return np.sum(np.abs(z * x) ** 2)


@program({"x": signed(3)})
def part_that_a_function_inside_fills(x):
    z = x * (1.0 + 1.0j)
    im = z.imag

    def fill():
        im[:] = x * x

    fill()
    return np.sum(np.abs(z) ** 2 * im)


@program({"x": signed(3)})
def part_that_a_function_inside_reads(x):
    z = x * (1.0 + 2.0j)
    im = z.imag

    def weighted(v):
        return np.sum(im * v)

    im *= x
    z *= 2.0
    return weighted(x) + np.sum(np.abs(z))


class Parts:
    def __init__(self, x):
        self.real, self.imag = x, x * 2.0


@program({"x": signed(3), "parts": Parts(signed(3))}, wrt=("x",))
def attributes_that_have_names_of_parts(x, parts):
    parts.imag *= x
    parts.real = x * x
    parts.real[0] = x[2]
    return np.sum(parts.real * parts.imag)


@program({"x": signed(2)})
def part_of_an_array_that_two_variables_hold(x):
    wave = Wave(x + 1j * x * x)
    other = wave
    other.u[0] *= 2j
    part = wave.u.real
    wave.u *= 1j
    other.steps += 1
    return np.sum(part * x)


@program({"x": signed(3), "v": 1.2})
def part_beside_lists_that_share_arrays(x, v):
    ys = [x, x * v]
    ys.extend([ys[0]])
    zs = np.zeros(3, complex)
    zs.real[...] = np.tanh(ys[1])
    ys[-1][:] = np.abs(zs + 2.0)
    return np.sum(ys[0] * ys[1])


@program({"x": signed(3)})
def part_that_a_function_fills_in_a_loop(x):
    z = x * (1.0 + 2.0j)
    for _ in range(3):
        square(z.imag, x * z.real)
        z *= 1j
    return np.sum(np.abs(z) ** 2 * x)


@program({"x": signed(3), "wave": Wave(signed(3) * 2.0)}, wrt=("x",))
def views_of_arrays_beside_an_object(x, wave):
    u = wave.u
    m, n = np.outer(u, x), np.outer(x, u)
    turned, row = np.flip(m), n[0]
    turned *= x
    row *= x
    u[:] = m[0] + m[1] + n[0]
    return np.sum(wave.u**2 * x)
