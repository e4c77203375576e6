"""Run all benchmarks and write `docs/benchmarks.md`: `python -m benchmarks [name ...] [--quick] [--dry]`.

With names, only those; their sections of the page are replaced, others stay.
"""

from __future__ import annotations

import argparse
import platform
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

from benchmarks import geometry, inplace, memory, mixture, mlp, persistent, recurrent, scalars
from benchmarks.measure import Case, Measured, measured, missing

DOCS = Path(__file__).resolve().parents[1] / "docs"
SECTIONS: dict[str, tuple[str, Callable[[], Iterable[Case]]]] = {
    "scalars": ("Loops over floats", scalars.cases),
    "mlp": ("The MLP listing", mlp.cases),
    "second": ("Second order", mlp.second_order_cases),
    "recurrent": ("Recurrent networks", recurrent.cases),
    "mixture": ("A Gaussian mixture", mixture.cases),
    "geometry": ("Small matrices in loops", geometry.cases),
}
HEAD = """# Benchmarks

Written by `python -m benchmarks`. Contenders take turns and compute on one thread each; a number is the median over
rounds of processor time, a range is the middle half of the ratios. "Hand-written" is a derivative as an expert writes
it, with sums in place, in the benchmark's file, and checked to be equal. Targets that are missed are marked. Each
contender is called a few times before; by then a derivative of ours has its version for the arguments (inside.md).
TensorFlow and tangent-ad run in environments of their own (`benchmarks/elsewhere.py`); their processes tell the time.

"""


def row(m: Measured) -> str:
    ratio, low, high = m.ratio("ours", m.case.against)
    base = f"{ratio:.2f} ({low:.2f}-{high:.2f}) x {m.case.against}"
    verdict = f"at most {m.case.target:g}: " + ("met" if m.met else "**missed**")
    peers = ", ".join(f"{name} {m.ratio(name, 'ours')[0]:.2g} x ours" for name in m.case.peers)
    over = m.ratio("ours", "primal")[0]
    return f"| {m.case.name} | {1e6 * m.seconds('ours'):.0f} | {over:.1f} | {base} | {verdict} | {peers} |"


def section(title: str, cases: Iterable[Case]) -> list[str]:
    lines = [
        "",
        f"## {title}",
        "",
        "| program | us | over primal | ratio | target | peers |",
        "|---|---|---|---|---|---|",
    ]
    for case in cases:
        found = measured(case)
        lines.append(row(found))
        print(lines[-1], flush=True)
    return lines


def memory_section() -> list[str]:
    found = memory.ratios()
    verdict = "met" if max(found["ours"], found["in place"]) <= 1.1 else "**missed**"
    share = memory.checkpointed()
    kept = "met" if share <= 0.03 else "**missed**"
    return [
        "", "## Memory", "",
        f"Peak memory of the gradient of {memory.STEPS} steps with a state of {memory.WIDTH} floats, as a multiple",
        f"of the states that must be kept: {found['ours']:.2f}; of a loop in place: {found['in place']:.2f}",
        f"(by hand {found['hand-written']:.2f}; at most 1.1: {verdict}).", "",
        f"With `checkpoint=100`: {100 * share:.1f} % of them (at most 3 %: {kept}).",
    ]  # fmt: skip


def persistent_section(dry: bool) -> list[str]:
    found = persistent.results()
    lines = ["", "## The lattice listing", "", *command("persistent"), *persistent.table(found)]
    if not dry:
        lines += ["", *(f"![{file}]({file})" for file in persistent.plots(found, DOCS))]
    return lines


def command(name: str) -> list[str]:
    """What makes a section of the page."""
    return ["```sh", f"OPENBLAS_NUM_THREADS=1 python -m benchmarks {name}", "```", ""]


def merged(page: str, made: str) -> str:
    """A page with new sections in the place of old ones of the same title; others stay.

    >>> print(merged("# A\\n\\n## B\\n\\nold\\n\\n## C\\n\\nc\\n", "# A\\n\\nhead\\n\\n## B\\n\\nnew\\n"))
    # A
    <BLANKLINE>
    head
    <BLANKLINE>
    ## B
    <BLANKLINE>
    new
    <BLANKLINE>
    ## C
    <BLANKLINE>
    c
    <BLANKLINE>
    """
    head, *new = re.split(r"^(?=## )", made, flags=re.MULTILINE)
    _, *old = re.split(r"^(?=## )", page, flags=re.MULTILINE)
    sections = {part.splitlines()[0]: part.strip("\n") for part in (*old, *new)}
    return "\n\n".join([head.strip("\n"), *sections.values()]) + "\n"


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("names", nargs="*", help=f"of {', '.join([*SECTIONS, 'memory', 'persistent', 'inplace'])}")
    options.add_argument("--dry", action="store_true", help="print, and write no file")
    options.add_argument("--quick", action="store_true", help="the smaller sizes of the MLP only")
    wanted = options.parse_args()
    lines = [HEAD, f"Python {platform.python_version()}, NumPy {np.__version__}, {platform.machine()}."]
    chosen = wanted.names or [*SECTIONS, "memory", "persistent", "inplace"]
    for name in chosen:
        if name == "mlp" and wanted.quick:
            lines += section("The MLP listing", mlp.cases((64, 128, 256, 512, 1024, 2048)))
        elif name in SECTIONS:
            title, cases = SECTIONS[name]
            lines += section(title, cases())
        elif name == "memory":
            lines += memory_section()
        elif name == "persistent":
            lines += persistent_section(wanted.dry)
        elif name == "inplace":
            lines += ["", "## Kernels that write in place", "", *command("inplace"), *inplace.table()]
        else:
            options.error(f"no benchmark '{name}'")
    if missing():
        lines += ["", f"Not installed, and left out: {', '.join(missing())}."]
    text = "\n".join(lines) + "\n"
    if wanted.dry:
        print(text)
    else:
        page = DOCS / "benchmarks.md"
        page.write_text(merged(page.read_text() if page.exists() else "", text))
    return 0


if __name__ == "__main__":
    sys.exit(main())
