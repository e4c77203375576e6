"""Write the code blocks of inside.md, so that they are what the compiler makes today: `python docs/make_inside.py`.

A block stands in the text between a line `<!-- block: name -->` and the end of the fence that follows it.
"""

from __future__ import annotations

import inspect
import re
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import tangent
from tangent.analysis.activity import activity
from tangent.analysis.recorded import recorded
from tangent.rules.table import FOLDER
from tangent.syntax.print import print_function
from tangent.transform.unit import unit

PAGE = Path(__file__).with_name("inside.md")
BLOCK = re.compile(r"(<!-- block: ([\w-]+) -->\n```\w+\n)(.*?)(```\n)", re.DOTALL)


def decay(x, rate, steps):
    # move towards zero, slower where x is large
    for _ in range(steps):
        x = x - rate * np.tanh(x)
    return np.sum(x * x)


def slope(x):
    return np.exp(-x) * x


def area(x, y):
    if x > y:
        return slope(x) * y
    return slope(y)


def blocks() -> dict[str, str]:
    """The text of every block, by name."""
    made: dict[str, Callable[[], str]] = {
        "source": lambda: inspect.getsource(decay), "core": lambda: core(decay), "activity": facts,
        "records": records, "rules": rules, "raw": lambda: derivative(decay, optimized=False),
        "optimised": lambda: derivative(decay), "forward": lambda: derivative(decay, mode="forward"),
        "version": lambda: tangent.grad(decay).version(np.ones(20), 0.1, 5).source,
        "calls": lambda: inspect.getsource(slope) + "\n\n" + inspect.getsource(area),
        "calls-core": lambda: core(area), "calls-derivative": lambda: derivative(area), "note": note,
    }  # fmt: skip
    return {name: make() for name, make in made.items()}


def core(f: types.FunctionType) -> str:
    return "\n".join(line.text for line in print_function(unit(f).core)) + "\n"


def facts() -> str:
    this = unit(decay)
    found = activity(this.core, this.operations, ["x"], [this.result])
    kinds = {"varied": found.varied, "useful": found.useful, "active": found.names()}
    return "".join(f"{kind}: {', '.join(sorted(names))}\n" for kind, names in kinds.items())


def records() -> str:
    """What may have to be kept, before reading what the rules really need."""
    found = recorded(unit(decay).core)
    before = {v for names in found.before.values() for v in names}
    at_end = {v for names in found.at_end.values() for v in names}
    return f"before it is overwritten: {_listed(before)}\nat the end of an iteration: {_listed(at_end)}\n"


def _listed(names: set[str]) -> str:
    return ", ".join(sorted(names)) or "nothing"


def rules() -> str:
    """The rules that the example uses, as they stand in the table."""
    lines = (Path(FOLDER) / "elementwise.py").read_text(encoding="utf-8").splitlines()
    return "".join(f"{s}\n" for s in lines if re.match(r"def (multiply|subtract|tanh)\(", s))


def derivative(f: types.FunctionType, **options: Any) -> str:
    return tangent.autodiff(f, **options).source  # type: ignore[attr-defined,no-any-return]


def note() -> str:
    """The note of an exception that is raised in a derivative."""
    try:
        tangent.grad(decay)(np.ones(3), np.ones(2), 1)
    except ValueError as error:
        return f"ValueError: {str(error).strip()}\n{error.__notes__[0].replace(str(PAGE.parent), 'docs')}\n"
    raise AssertionError("shapes that do not fit should not fit")


def filled(page: str, made: dict[str, str]) -> str:
    """The page with its blocks replaced."""
    return BLOCK.sub(lambda m: f"{m[1]}{made[m[2]]}{m[4]}", page)


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), blocks()), encoding="utf-8")
