"""Write the generated blocks of docs/numba.md: `python docs/make_numba.py`.

The listings are made here, the counts of the zoo from docs/compiled_zoo.json, which scripts/compiled_zoo.py keeps.
Times stay as they are, unless `--benchmark` or `--example` names a file with what these have printed.
"""

from __future__ import annotations

import argparse
import inspect
import json
import re
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "scripts"), str(ROOT)]

from benchmarks.kernels.matrices import cholesky  # noqa: E402
from compiled_zoo import summary  # noqa: E402

import tangent  # noqa: E402

PAGE = ROOT / "docs" / "numba.md"
RESULTS = ROOT / "docs" / "compiled_zoo.json"


def smooth(a, steps):
    a = a.copy()
    for _ in range(steps):
        a[1:-1] = (a[:-2] + a[2:]) / 2
    return np.sum(a * a)


def points(poses, seen):
    """How far turned and moved points are from where they were seen."""
    s = 0.0
    for k in range(seen.shape[0]):
        w = poses[k, 0:3]
        p = np.array([1.0, 2.0, 0.5])
        e = p + np.cross(w, p) + poses[k, 3:6] - seen[k]
        s += np.dot(e, e)
    return s


def listings() -> dict[str, str]:
    derivative = tangent.grad(smooth, compile="numba")
    derivative(np.arange(6.0), 2)
    factor = tangent.grad(cholesky, compile="numba")
    factor(np.eye(3))
    moved = tangent.grad(points, compile="numba")
    moved(np.zeros((2, 6)), np.zeros((2, 3)))
    return {
        "smooth": inspect.getsource(smooth), "smooth-compiled": derivative.source,
        "cholesky": inspect.getsource(cholesky), "cholesky-compiled": factor.source,
        "points": inspect.getsource(points), "points-compiled": moved.source,
    }  # fmt: skip


def put(page: str, blocks: dict[str, str]) -> str:
    for name, text in blocks.items():
        pattern = rf"(<!-- block: {name} -->\n```\w+\n).*?(```)"
        page, found = re.subn(pattern, lambda m: m[1] + text.rstrip("\n") + "\n" + m[2], page, flags=re.DOTALL)  # noqa: B023
        assert found == 1, name
    return page


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--benchmark")
    options.add_argument("--example")
    given = options.parse_args()
    blocks = listings() | {"zoo": summary(json.loads(RESULTS.read_text()))}
    if given.example:
        blocks["example"] = Path(given.example).read_text()
    if given.benchmark:
        blocks["benchmark"] = Path(given.benchmark).read_text()
    PAGE.write_text(put(PAGE.read_text(), blocks))


if __name__ == "__main__":
    main()
