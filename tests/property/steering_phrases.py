"""Templates of programs that lists, dicts, sets, deques and counters steer, which change while they run.

`{k}` is a container, or where it is held; `{i}` a small integer, `{w}` one that is the same all over, `{u}` something
that is computed with one. Lists and deques hold small integers, dicts map texts to such. What grows in a loop is asked
how long it is before.
"""

from __future__ import annotations

PRELUDE = """\
import io
from collections import Counter, defaultdict, deque

import numpy as np

sink = io.StringIO()
"""

STEPS = (  # what a number that steers is used for; a is an integer, or a small sum of such
    "s = np.sin(s + 0.2 * {a} * x)",
    "s = np.tanh(s * x + 0.3 * {a})",
    "s = 0.5 * s + np.cos(x * {a})",
    "s += 0.3 * np.sin(x + {a})",
    "s *= np.cos(0.3 * x + {a})",
    "s = s - 0.2 * x * {a}",
)
ARRAY_STEPS = (
    "v[{a} % 3] = np.sin(s + v[-1])",
    "v[{a} % 3] += 0.3 * s",
    "v[{a} % 3 :] *= np.cos(x)",
    "v = v * np.cos(s + {a})",
    "s = np.sin(v[{a} % 3] * x) + 0.4 * s",
    "v += 0.2 * x * {a}",
)

SEQUENCE_CHANGES = (
    "{k}.append({i})",
    "if {k}:\n    {k}.pop()",
    "{k}.extend([{i}, {i}])",
    "{k}.reverse()",
    "{k}.clear()",
    "if {k}:\n    {k}[0] = {i}",
    "if {k}:\n    {k}[-1] += 1",
    "if len({k}) > 1:\n    {k}[0], {k}[-1] = {k}[-1], {k}[0]",
    "if {k}:\n    del {k}[0]",
    "if {w} in {k}:\n    {k}.remove({w})",
    "for p in range(len({k})):\n    {k}[p] = ({k}[p] + 1) % 4",
)
LIST_CHANGES = (
    *SEQUENCE_CHANGES,
    "{k}.insert(0, {i})",
    "if len({k}) > 1:\n    {k}.pop(0)",
    "{k}.insert(len({k}) // 2, {i})",
    "{k} += [{i}]",
    "{k}[:] = [{i}, {i}]",
    "{k}[1:] = []",
    "{k}[:0] = [{i}]",
    "{k}[::2] = [{i}] * len({k}[::2])",
    "del {k}[-1:]",
    "del {k}[1:3]",
    "{k}.sort()",
    "{k}.sort(reverse=True)",
    "{k}.sort(key=lambda j: -j)",
    "{k} = [{i}, *{k}[:2]]",
    "{k} = {k}[1:]",
    "{k} = {k}[::-1]",
    "{k} = [j + 1 for j in {k} if j < 3]",
    "{k} = {k} + [{i}]",
    "j = {k}.pop() if {k} else 2\n{u}",
    "{k}.append(len({k}))",
    "{k}[len({k}) // 2 :] = {k}[: len({k}) // 2]",
)
DEQUE_CHANGES = (
    *SEQUENCE_CHANGES,
    "{k}.appendleft({i})",
    "if {k}:\n    {k}.popleft()",
    "{k}.rotate(1)",
    "{k}.extendleft([{i}, {i}])",
    "j = {k}.popleft() if {k} else 1\n{u}",
    "{k} = deque(sorted({k}))",
)
DICT_CHANGES = (
    "{k}['a'] = {i}",
    "{k}['b'] = {k}.get('b', 0) + 1",
    "{k}.setdefault('c', {i})",
    "{k}.update(a={i})",
    "{k}.update({{'c': 1, 'd': {i}}})",
    "{k}.pop('a', None)",
    "if {k}:\n    {k}.popitem()",
    "{k}.clear()",
    "if 'b' in {k}:\n    del {k}['b']",
    "{k} |= {{'b': {i}}}",
    "for key in list({k}):\n    {k}[key] += 1",
    "for key in sorted({k}):\n    if {k}[key] > 2:\n        del {k}[key]",
    "{k} = dict({k}, a={i})",
    "{k} = {{key: m + 1 for key, m in {k}.items()}}",
    "j = {k}.pop('b', 2)\n{u}",
    "j = {k}.setdefault('d', 1)\n{u}",
)
SET_CHANGES = (
    "{k}.add({i})",
    "{k}.discard({i})",
    "if {w} in {k}:\n    {k}.remove({w})",
    "{k} |= {{{i}, 4}}",
    "{k} &= {{0, 1, 2}}",
    "{k} -= {{1}}",
    "{k} ^= {{{i}, 2}}",
    "{k}.update([{i}, 3])",
    "{k}.clear()",
    "{k} = {k} | {{{i}}}",
    "if {k}:\n    {k}.remove(min({k}))",
    "{k}.difference_update([{i}])",
)
TALLY_CHANGES = (
    "{k}[{i}] += 1",
    "{k}.pop({i}, None)",
    "{k}[{i}] = 2",
    "{k}.clear()",
    "if {w} in {k}:\n    del {k}[{w}]",
    "{k}[{i}] -= 1",
)
COUNTER_CHANGES = (*TALLY_CHANGES, "{k}.update([{i}, 1])", "{k}.subtract([{i}])", "del {k}[{i}]")

SEQUENCE_USES = (
    "for j in {k}:\n    {u}",
    "for j in range(len({k})):\n    {u}",
    "for p, j in enumerate({k}):\n    {u}\n    s = s + 0.1 * p",
    "j = len({k})\n{u}",
    "s = s * (1.0 + 0.1 * len({k}))",
    "s = s + 0.1 * sum({k}) * x",
    "if {k}:\n    j = {k}[-1]\n    {u}\nelse:\n    s = s + 0.5 * x",
    "if len({k}) > 2:\n    s = s * x\nelse:\n    j = len({k})\n    {u}",
    "for j in reversed({k}):\n    {u}",
    "for j, p in zip({k}, range(3)):\n    {u}",
    "for j in sorted({k}):\n    {u}",
    "j = max({k}, default=1)\n{u}",
    "for j in {k}:\n    if j > 2:\n        break\n    {u}\nelse:\n    s = s * x",
    "for j in {k}:\n    if j == {i}:\n        continue\n    {u}",
    "s = s + sum([np.sin(x + j) for j in {k}])",
    "try:\n    j = {k}[2]\n    {u}\nexcept IndexError:\n    s = s * 0.7",
    "while {k}:\n    j = {k}.pop()\n    {u}",
    "while len({k}) > 1:\n    j = {k}.pop()\n    {u}",
    "if {i} in {k}:\n    s = s * x",
    "for p in range(len({k}) - 1, -1, -1):\n    j = {k}[p]\n    {u}",
    "s = STEPS[{k}[0] % 2](s, x) if {k} else s",
    "total = 0\nfor j in {k}:\n    total += j\n    s = np.sin(s + 0.1 * total * x)",
    "met = []\nfor j in {k}:\n    met.append(j)\n    s = np.sin(s + 0.1 * len(met) * x)\nj = sum(met)\n{u}",
    "xs = [x * j for j in {k}]\ns = s + 0.3 * sum(xs)",
    "j = {k}.count({i})\n{u}",
    "it = iter(list({k}))\nj = next(it, 1)\n{u}\nfor j in it:\n    {u}",
)
LIST_USES = (
    *SEQUENCE_USES,
    "for j in {k}[::-1]:\n    {u}",
    "for j in {k}[:2]:\n    {u}",
    "for j in list({k}):\n    {k}.append(j)\n    {u}\ndel {k}[3:]",
    "p = 0\nwhile p < len({k}):\n    j = {k}[p]\n    {u}\n    p += 1",
    "while {k} and {k}[-1] > 1:\n    {k}[-1] -= 1\n    j = {k}[-1]\n    {u}",
    "try:\n    {k}.remove({i})\n    s = s * x\nexcept ValueError:\n    s = s - 0.2 * x",
    "first, *rest = [1, *{k}]\nfor j in rest:\n    {u}",
)
DEQUE_USES = (*SEQUENCE_USES, "while {k}:\n    j = {k}.popleft()\n    {u}")
DICT_USES = (
    "for key, j in {k}.items():\n    {u}",
    "for key in {k}:\n    j = {k}[key]\n    {u}",
    "for j in {k}.values():\n    {u}",
    "j = len({k})\n{u}",
    "j = {k}.get('a', 2)\n{u}",
    "if 'b' in {k}:\n    j = {k}['b']\n    {u}\nelse:\n    s = s + 0.5 * x",
    "for key in sorted({k}):\n    j = {k}[key]\n    {u}",
    "s = s + 0.1 * sum({k}.values()) * x",
    "try:\n    j = {k}['c']\n    {u}\nexcept KeyError:\n    s = s * 0.7",
    "while {k}:\n    key, j = {k}.popitem()\n    {u}",
    "for j in range({k}.get('b', 1)):\n    {u}",
    "while {k}.get('a', 0) > 0:\n    {k}['a'] -= 1\n    j = {k}['a']\n    {u}",
    "for key, j in list({k}.items()):\n    {k}[key] = j + 1\n    {u}",
    "if {k}:\n    s = s * x",
)
SET_USES = (
    "for j in sorted({k}):\n    {u}",
    "j = len({k})\n{u}",
    "if {i} in {k}:\n    s = s * x\nelse:\n    s = s + 0.5 * x",
    "for j in range(4):\n    if j in {k}:\n        continue\n    {k}.add(j)\n    {u}",
    "while {k}:\n    j = min({k})\n    {k}.remove(j)\n    {u}",
    "j = sum({k})\n{u}",
)
COUNTER_USES = (
    "for key in sorted({k}):\n    j = {k}[key]\n    {u}",
    "j = {k}[{i}]\n{u}",
    "j = sum({k}.values())\n{u}",
    "if {k}[{i}] > 1:\n    s = s * x",
    "j = len({k})\n{u}",
    "for j in range(4):\n    {k}[j] += 1\n    if {k}[j] > 1:\n        {u}",
)

KINDS = {  # how it is made, how it changes, what it is used for
    "ks": (("[0, 2, 1]", "list(range(n))", "[n, 1]", "[]", "[3, 1, 2, 0][:n]"), LIST_CHANGES, LIST_USES),
    "d": (("{'a': 2, 'b': 1}", "{'a': n}", "{}", "dict(a=1, c=n)"), DICT_CHANGES, DICT_USES),
    "todo": (("deque([1, 2, 0])", "deque(range(n))", "deque([n, 1], maxlen=4)"), DEQUE_CHANGES, DEQUE_USES),
    "seen": (("{0, 2}", "set()", "set(range(n))"), SET_CHANGES, SET_USES),
    "hits": (("Counter()", "Counter([1, n])"), COUNTER_CHANGES, COUNTER_USES),
    "sums": (("defaultdict(int)", "defaultdict(int, {1: 2, n: 1})"), TALLY_CHANGES, COUNTER_USES),
}
GROWING = (".append", ".extend", ".insert", "+= [", "+ [", "[:0]", "*{k}", ".appendleft", "[len({k}) // 2 :]")

CLASS = """\
class Plan:
    def __init__(self, k):
        self.k = k
        self.n = 0

    def step(self, s, x):
        self.n += 1
{body}
        return s
"""
STEP_FUNCTIONS = """\
def bent(s, x):
    return np.sin(s * x)


def shrunk(s, x):
    return 0.5 * s + np.cos(x)


STEPS = (bent, shrunk)
"""
