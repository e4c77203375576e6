"""The texts of which programs of values are made; `writer.py` says what their holes mean."""

from __future__ import annotations

import re
from collections.abc import Sequence


def each(text: str) -> tuple[str, ...]:
    """Templates from lines of them, with bars between."""
    return tuple(re.split(r"\s*[|\n]\s*", text.strip()))


PRELUDE = """\
import io
import math

import numpy as np

sink = io.StringIO()
SCALE = 0.7
TABLE = np.array([0.2, -0.4, 0.6])
PAIR = (0.3, 1.2)
"""

CONSTANTS = {
    "S": ("0.5", "1.5", "-0.3", "2.0", "SCALE", "PAIR[1]", "TABLE[2]"),
    "V": ("np.ones(3)", "TABLE", "np.array([0.3, -0.5, 0.8])", "np.zeros(3)", "np.array([1.0, 0.25, -0.75])"),
    "M": (
        "np.ones((2, 3))",
        "np.array([[0.1, -0.2, 0.3], [0.4, 0.5, -0.6]])",
        "np.zeros((2, 3))",
        "np.stack([TABLE, -TABLE])",
    ),
    "I": ("1", "0", "2", "3"),
    "K": ("0.1", "-0.35", "0.72", "0.0", "1.3", "-0.9"),
}

ELEMENTWISE = each("""
    np.sin({}) | np.tanh({}) | np.cos({}) | np.exp(-({} ** 2)) | np.exp(np.sin({})) | np.sqrt({} ** 2 + 1.0)
    np.arctan({}) | np.log({} ** 2 + 1.5) | np.log1p({} ** 2) | np.square({}) * 0.5 | abs({}) | np.abs({} + 2.5)
    -{} | +{} | {} ** 2 | {} ** 3 * 0.1 | ({} ** 2 + 1.2) ** 0.5 | ({} ** 2 + 0.8) ** -1 | 1.0 / ({} ** 2 + 1.0)
    np.negative({}) | 2.0 ** np.sin({}) | np.clip({}, -0.85, 0.95) | np.arcsinh({}) | np.sinh(np.sin({}))
    np.expm1(0.3 * np.tanh({})) | {} * 1 | {} + 0 | ({} ** 2 + 1.0) ** SCALE | 0.3 * ({} - 1) | {} / 2
""")

BINARY = each("""
    {} + {} | {} * {} | {} - {} | {} / ({} ** 2 + 1.5) | ({} ** 2 + 1.1) ** np.sin({}) | np.multiply({}, {})
    np.add({}, {}) | np.subtract({}, {}) | np.maximum({}, {}) | np.minimum({}, {}) | np.hypot({}, {} + 3.0)
    np.logaddexp({}, {}) | np.arctan2({}, {} ** 2 + 1.0) | np.divide({}, 2.0 + np.cos({}))
    np.power({} ** 2 + 1.0, np.tanh({}))
""")


def _typed(templates: Sequence[str], *kinds: str) -> tuple[str, ...]:
    """The templates with their holes filled from left to right by the letters of each of `kinds`."""
    return tuple(template.format(*(f"{{{k}}}" for k in letters)) for letters in kinds for template in templates)


EXPRESSIONS: dict[str, tuple[tuple[str, ...], ...]] = {
    "S": (
        _typed(BINARY, "SS"),
        _typed(ELEMENTWISE, "S"),
        each("""
            math.sin({S}) | math.tanh({S}) | math.exp(-abs({S})) | math.sqrt({S} ** 2 + 1.0)
            math.hypot({S}, 2.0 + {S}) | math.atan({S})
        """),
        each("""
            {S} if {C} else {S} | max({S}, {S}) | min({S}, {S}, {K}) | np.where({C}, {S}, {S}) | float({S})
            pow({S}, 2) | sum([{S}, {S}, {S}]) | ({S}, {S})[{I} % 2] | {{'lo': {S}, 'hi': {S}}}['hi']
        """),
        each("""
            np.sum({V}) | np.mean({V}) | {V}.sum() | {M}.mean() | np.max({V}) | {M}.min() | np.sum({M} * {V})
            np.sum({M}) | sum({V})
        """),
        ("{V} @ {V}", "np.dot({V}, {V})", "np.sum(np.outer({V}, {V}))", "np.sum({M} @ {V})", "{V}.dot({V})"),
        each("""
            {V}[0] | {V}[-1] | {V}[{I} % 3] | {M}[0, 1] | {M}[1][{I} % 3] | {M}[{I} % 2, -2] | np.sum({V}[1:])
            {M}.T[2, 0]
        """),
    ),
    "V": (
        _typed(BINARY, "VV", "SV", "VS"),
        _typed(ELEMENTWISE, "V"),
        each("""
            {V}[::-1] | {M}[0] | {M}[{I} % 2] | {M}[1, :] | {V}[[2, 0, 1]] | {V}[[0, 0, 1]] | {M}[:, 1:].ravel()[:3]
            {M}.reshape(3, 2)[:, 0] | {M}[..., ::-1][-1] | {M}.T[:, 0] | np.reshape({M}, -1)[1::2]
        """),
        each("""
            {M}.sum(axis=0) | np.mean({M}, axis=0) | {M}.max(axis=0) | np.min({M}, axis=0)
            np.sum({M}, axis=0, keepdims=True)[0]
        """),
        each("""
            np.array([{S}, {S}, {S}]) | np.concatenate([{V}[:1], {V}[1:]])
            np.concatenate([{V}[2:], np.array([{S}, {S}])]) | {S} * np.ones(3) | np.stack([{S}, {S}, {S}])
            np.zeros_like({V}) + {S} | np.full(3, {S})
        """),
        each("""
            np.array([{S}, {S}]) @ {M} | np.dot({M}.T, np.array([{S}, {S}])) | np.outer({V}, {V}) @ {V}
            ({M}.T @ {M}) @ {V} | np.matmul({M}, {V}) @ {M}
        """),
        each("""
            np.where({V} > {K}, {V}, {V}) | np.where({V} < {V}, {S}, {V}) | {V} if {C} else {V}
            np.where({C}, {V}, {S}) | np.maximum({V}, {K})
        """),
    ),
    "M": (
        _typed(BINARY, "MM", "MV", "SM", "VM", "MS"),
        _typed(ELEMENTWISE, "M"),
        each("""
            {M}[::-1] | {M}[:, ::-1] | {M}.T.reshape(2, 3) | np.transpose({M}.reshape(3, 2)) | {M}[[1, 1]]
            np.reshape({M}.ravel(), (2, 3)) | {M}[:, [0, 0, 2]]
        """),
        each("""
            np.stack([{V}, {V}]) | np.array([{V}, {V}]) | np.outer({V}[:2], {V})
            np.concatenate([{M}[:1], {M}[1:]], axis=0) | np.concatenate([{M}[:, :1], {M}[:, 1:]], axis=1)
            np.reshape(np.concatenate([{V}, {V}]), (2, 3)) | {S} * np.ones((2, 3))
            np.stack([{V}[:2], {V}[1:], {V}[::2]], axis=1)
        """),
        each("""
            {M}.sum(axis=1, keepdims=True) * {V} | {M} - {M}.mean(axis=1, keepdims=True)
            {M}.max(axis=1)[:, None] + {V} | {V}[None, :] * np.array([[{S}], [{S}]])
            np.sum({M}, axis=1)[:, np.newaxis] * {V}[None]
        """),
        ("{M} @ np.outer({V}, {V})", "({M} @ {M}.T) @ {M} * 0.3", "np.array([[{S}, 0.5], [1.0, {S}]]) @ {M}"),
        ("np.where({M} > {K}, {M}, {V})", "np.where({M} < {V}, {S}, {M})", "{M} if {C} else {M}"),
    ),
    "I": (
        ("({I} + 1) % 4", "len({V})", "{V}.shape[0]", "{M}.shape[0] + {I}", "{M}.ndim", "{I} * 2 % 5", "2 - {I} % 2"),
    ),
    "C": (
        ("{S} > {K}", "{S} < {S}", "{S} <= {K}", "{V}[0] >= {V}[1]", "{K} < {S} < 1.4", "np.sum({V}) > {K}"),
        ("{I} > 1", "{I} % 2 == 0", "{I} != {I}", "{I}", "{I} in (0, 2)", "not {I}"),
        ("{C} and {C}", "{C} or {C}", "not {C}"),
    ),
}

BOUNDED = each("""
    np.tanh({}) | np.sin({}) | 0.5 * np.cos({}) | 0.9 * np.arctan({}) | 1.0 / ({} ** 2 + 1.0) | np.exp(-({} ** 2))
""")
UNSHARED = {  # values that nobody else holds
    "S": ("0.0", "0.5 * {S}", "np.sin({S})", "{S} + {S}"),
    "V": ("np.zeros(3)", "0.5 * {V}", "np.tanh({V})", "{V} - {S}", "np.zeros_like({V})"),
    "M": ("np.zeros((2, 3))", "0.5 * {M}", "np.sin({M})", "{M} * {V}", "np.ones_like({M})"),
}
LIFTS = {  # a value of one kind from a name of another
    "S": (("V", "{}[1]"), ("V", "np.mean({})"), ("M", "{}[0, 2]"), ("M", "np.sum({})")),
    "V": (("M", "{}[1]"), ("S", "{} * np.ones(3)"), ("S", "np.array([0.5, {}, 0.2])")),
    "M": (("V", "np.stack([{}, TABLE])"), ("V", "np.outer(PAIR, {})"), ("S", "{} * np.ones((2, 3))")),
}
READS = ("{} * 1.0", "0.5 * {}", "{} + 0.0", "-{}", "np.tanh({})")  # of such a value: a new one
UPDATES = {
    "S": ("+= {S}", "-= {S}", "*= np.sin({S})", "/= {S} ** 2 + 1.0"),
    "V": ("+= {V}", "-= {S}", "*= np.tanh({V})", "/= {V} ** 2 + 1.0", "+= {M}[{I} % 2]"),
    "M": ("+= {M}", "+= {V}", "-= {S}", "*= np.sin({M})", "/= {V} ** 2 + 1.0"),
}

LOOPS = (  # with the number of trips, and whether there is at least one
    ("<I> in range(3)", 3, True),
    ("<I> in range({I} % 4)", 3, False),
    ("<I> in range(1, 4)", 3, True),
    ("<I> in range(2, -1, -1)", 3, True),
    ("<I> in range({I} % 5, 0, -2)", 2, False),
    ("<I> in range(0)", 1, False),
    ("<I> in range(-1, 2)", 3, True),
    ("<I> in range(3, 0)", 1, False),
    ("<I> in range({I} % 3, {I} % 5)", 4, False),
    ("<S> in {V}", 3, True),
    ("<V> in {M}", 2, True),
    ("<S> in [{S}, {S}]", 2, True),
    ("<V> in ({V}, {V})", 2, True),
    ("<S>, <S> in zip({V}, {V})", 3, True),
    ("<I>, <S> in enumerate({V})", 3, True),
    ("<I>, <V> in enumerate({M})", 2, True),
    ("<I>, (<S>, <S>) in enumerate(zip({V}, TABLE))", 3, True),
    ("<S> in reversed([{S}, {S}, {S}])", 3, True),
    ("<S>, <V> in [({S}, {V}), ({S}, {V})]", 2, True),
    ("<I> in reversed(range(3))", 3, True),
    ("<V>, <S> in zip({M}, {V})", 2, True),
    ("<S>, <I> in zip({V}, range(2))", 2, True),
    ("<I>, <S> in enumerate([{S}, {S}], 1)", 2, True),
    ("<S> in {M}[:, 0]", 2, True),
    ("<I> in (2, 0, 1)", 3, True),
)

INERT = (
    "pass",
    "assert {I} > -9, 'ints are small'",
    "print('inside', file=sink)",
    "print(f'count {{{I}}}', round(float({S}), 6), file=sink)",
    "label = '-'.join(str(part) for part in range({I}))",
    "sizes = {{word: len(word) for word in ('ab', 'c')}}",
    "try:\n    int('none')\nexcept ValueError as error:\n    note = str(error)",
    "np.sum({V})",
    "{S}",
    "unused = np.exp(np.sin({V}))",
    "unused = {M} @ {V}",
    "sink.write('.')",
)

STYLES = {  # the statements that a style does without
    "straight": ("branch", "guard", "loop", "repeat", "grow", "calls"),
    "branches": ("loop", "repeat", "grow", "calls"),
    "loops": ("calls",),
    "calls": ("loop", "repeat", "grow"),
    "all": (),
}

PLAIN_NAMES = each("""
    a | b | c | u | x | y | bx | dx | by | id | type | f | y_ | branch | trips | a_stack | dbx | _ | g
""")
OWN_NAMES = ("acc", "total", "z", "bacc")
LOOP_NAMES = {"I": ("i", "j", "k"), "S": ("p", "q", "s"), "V": ("row", "col", "u")}
COUNTERS = ("step", "turn", "left")
