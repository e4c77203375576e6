"""Every sample of a rule in every dtype, in both modes, also beside doubles; prints what is wrong.

    python scripts/dtypes.py [RULE] [--kinds float16,int8] [--second]

The suite asks the same of first calls with all arguments alike (tests/rules/dtypes.py). Here calls are repeated until
their derivatives have versions, and of several arguments the first, or the others, alone are of another dtype; with
`--second` so are those of derivatives of gradients.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]

import numpy as np  # noqa: E402

from rules.check import Case  # noqa: E402
from rules.dtypes import KINDS, faults, is_kernel, second_faults  # noqa: E402
from rules.test_rules import CASES  # noqa: E402


def found(case: Case, kinds: list[str], second: bool) -> Iterator[str]:
    """What is wrong with a call of other kinds, arguments alike or mixed."""
    for kind in kinds if second else ():
        for fault in dict.fromkeys(second_faults(case, kind, calls=3)):
            yield f"{kind}, second order: {fault}"
    mixed = [case.places[:1], case.places[1:]] if len(case.places) > 1 else []
    for places in (case.places, *mixed):
        for kind in kinds:
            names = ", ".join(list(case.sample.values)[i] for i in places)
            for fault in dict.fromkeys(faults(case, KINDS[kind], calls=3, places=places)):
                yield f"{kind} {names}: {fault}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rule", nargs="?", default="")
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--second", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    count = wrong = 0
    for rule, i, sample in CASES:
        if options.rule not in rule or is_kernel(sample):
            continue
        count += 1
        with np.errstate(all="ignore"):
            faults_of = list(found(Case(sample), options.kinds.split(","), options.second and sample.orders > 1))
        wrong += bool(faults_of)
        for fault in faults_of:
            print(f"{rule}-{i} {sample.call}\n    {fault}", flush=True)
    print(f"{count} calls, {wrong} of them with faults")


if __name__ == "__main__":
    main()
