"""`match`: patterns of every kind, with what they bind and what they ask for."""

import dataclasses

import numpy as np

from programs.registry import program


@program({"x": 0.7, "shape": "square"}, {"x": 0.7, "shape": ("circle", 2.0)}, {"x": 0.7, "shape": 5}, wrt="x")
def match_on_structure(x, shape):
    match shape:
        case "square":
            return x * x
        case ("circle", factor):
            return np.pi * x * x * factor
    return x


@program({"point": (0.5, 1.5)}, {"point": (-0.5, 1.5)})
def match_on_active(point):
    match point:
        case (x, y) if x > 0:
            return x * y
        case _:
            return point[0] * 2.0


@program({"xs": [0.5, 1.5, -2.0]}, {"xs": [0.5]}, {"xs": []}, wrt="xs")
def match_with_star(xs):
    match xs:
        case []:
            return 1.0
        case [x]:
            return x * x
        case [first, *middle, last]:
            return first * last + sum(middle)


@program({"d": {"w": 0.5, "v": 1.5}, "kind": "a"}, {"d": {"u": 0.5}, "kind": "b"}, wrt="d")
def match_on_mapping(d, kind):
    match d:
        case {"w": w, **rest}:
            return w * rest["v"]
        case {"u": u} if kind in "bc":
            return u * u
        case _:
            return 0.0


@dataclasses.dataclass
class Circle:
    radius: float
    name: str = ""


@dataclasses.dataclass
class Box:
    width: float
    height: float


@program({"x": 0.7, "shape": Circle(2.0)}, {"x": 0.7, "shape": Box(2.0, 3.0)}, {"x": 0.7, "shape": None}, wrt="x")
def match_on_class(x, shape):
    match shape:
        case Circle(radius=r):
            return x * r * r
        case Box(w, h) if w > h:
            return x * w
        case Box(w, h):
            return x * x * h
        case None:
            return x


@program({"x": 0.7}, {"x": -3.0}, wrt="x")
def match_on_type(x):
    match x:
        case int():
            return x * 2.0
        case float(v) if v > 0:
            return v * v
        case _:
            return x * 3.0


@program({"x": 0.7, "n": 0}, {"x": 0.7, "n": 2}, {"x": 0.7, "n": 7})
def match_in_a_loop(x, n):
    y = x
    for i in range(3):
        match n + i:
            case 0 | 1:
                y = y * x
            case 2:
                continue
            case k:
                y = y + k * x
    return y


@program({"pair": ((0.5, 1.5), 2.0)}, {"pair": (2.0, (0.5, 1.5))}, wrt="pair")
def match_nested(pair):
    match pair:
        case ((a, b), c) | (c, (a, b)):
            return a * b * c
    return 0.0


@program({"pair": (0.5, 1.5)})
def match_as(pair):
    match pair:
        case (x, y) as whole:
            return whole[0] * x + y


@program({"x": 0.7, "command": ["go", "left"]}, {"x": 0.7, "command": ["stop"]}, wrt="x")
def match_commands(x, command):
    match command:
        case ["go", ("left" | "right") as side]:
            x = x * (2.0 if side == "left" else 3.0)
        case ["stop"]:
            pass
    return x * x
