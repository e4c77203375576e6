"""One program of the zoo through Numba: what is compiled, and whether it agrees with the interpreted derivative."""

import copy
from typing import Any

import numba
import numpy as np

import tangent
import test_zoo
from programs import numeric
from programs.registry import Program
from tangent.backends.numba import init
from tangent.codegen.compiled.surroundings import Surroundings
from tangent.rules.callables import plain_function
from test_zoo import Setting, positions, single

KINDS = ("reverse", "forward", "forward-reverse", "reverse-reverse")
TOLERANCE = 1e-12


def primal_compiles(setting: Setting) -> bool:
    """Whether Numba compiles the program itself, with the functions it calls, and gets the same result."""
    init()
    program = setting.program
    try:
        compiled = Surroundings(numba.njit).taken(plain_function(program.function))
        got = test_zoo.call(program, compiled, setting.at(copy.deepcopy(setting.point)))
    except Exception:
        return False
    try:
        return agree(got, setting.result)
    except Exception:
        return False


def kinds(program: Program) -> list[str]:
    first = list(program.modes)
    return first + ([k for k in KINDS if "-" in k] if program.orders > 1 and "reverse" in first else [])


def derivative(program: Program, kind: str, **compile: Any) -> Any:
    """In reverse mode with the value, which must be that of the forward pass whatever the backward pass puts back."""
    wrt = positions(program)
    match kind:
        case "reverse":
            return tangent.vjp(program.function, wrt=wrt, preserve_result=True, **compile)
        case "forward":
            return tangent.jvp(program.function, wrt=program.wrt, **compile)
        case "forward-reverse":
            return tangent.jvp(tangent.vjp(program.function, wrt=wrt), wrt=wrt, **compile)
        case _:
            return tangent.vjp(tangent.vjp(program.function, wrt=wrt), wrt=wrt, **compile)


def called(setting: Setting, function: Any, kind: str) -> Any:
    seed, tangents = copy.deepcopy((setting.seed, setting.tangents))
    match kind:
        case "reverse":
            return setting.derivative(function, seed)
        case "forward":
            return setting.derivative(function, *tangents)
        case "forward-reverse":
            return setting.derivative(function, seed, *tangents)
        case _:
            return setting.derivative(function, seed, single(tangents))


def agree(got: Any, want: Any) -> bool:
    a, b = numeric.vector(got), numeric.vector(want)
    wide = all(np.asarray(leaf).dtype.itemsize >= 8 for leaf in numeric.leaves(want))
    bound = TOLERANCE if wide else 1e-5
    return a.shape == b.shape and bool(np.allclose(a, b, rtol=bound, atol=bound, equal_nan=True))


def compare(setting: Setting, kind: str) -> str:
    """Empty where both agree; else what is wrong."""
    with np.errstate(all="ignore"):
        try:
            want = called(setting, derivative(setting.program, kind), kind)
        except Exception as error:
            return f"interpreted: {type(error).__name__}: {error}"
        try:
            got = called(setting, derivative(setting.program, kind, compile="numba"), kind)
        except Exception as error:
            return f"{type(error).__name__}: {error}"
    return "" if agree(got, want) else f"differs: {got!r} instead of {want!r}"
