"""Every program of the zoo through Numba, in both modes and to second order; writes the counts.

python scripts/compiled_zoo.py [--only NAME] [--json FILE] [--again] [--processes 2]

With `--json` a run that was stopped goes on where it was; `--again` runs what failed once more.
"""

from __future__ import annotations

import argparse
import collections
import hashlib
import json
import multiprocessing
import sys
import time
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests"), str(ROOT / "tests" / "compiled"), str(ROOT)]


def one(name: str) -> tuple[str, bool, dict[str, str], float]:
    """A program at its first sample: whether it compiles itself, and what is wrong with each derivative."""
    import zoo

    from programs.registry import PROGRAMS, Case

    warnings.simplefilter("ignore")
    start = time.perf_counter()
    program = next(p for p in PROGRAMS if f"{p.theme}.{p.name}" == name)
    setting = zoo.Setting(Case(program, 0))
    if not zoo.primal_compiles(setting):
        return name, False, {}, time.perf_counter() - start
    found = {kind: zoo.compare(setting, kind) for kind in zoo.kinds(program)}
    return name, True, found, time.perf_counter() - start


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--only", default="")
    options.add_argument("--json", default="")
    options.add_argument("--again", action="store_true")
    options.add_argument("--processes", type=int, default=2)
    given = options.parse_args()
    import programs
    from programs.registry import PROGRAMS

    programs.load()
    every = [f"{p.theme}.{p.name}" for p in PROGRAMS]
    names = [name for name in every if any(part in name for part in given.only.split(","))]
    file = Path(given.json) if given.json else None
    results = json.loads(file.read_text()) if file and file.exists() else {}
    known = {n for n, r in results.items() if not (given.again and any(r["found"].values()))}
    names = sorted((n for n in names if n not in known), key=lambda n: hashlib.md5(n.encode()).digest())
    with multiprocessing.get_context("fork").Pool(given.processes, maxtasksperchild=60) as pool:
        for name, compiles, found, seconds in pool.imap_unordered(one, names):
            results[name] = {"compiles": compiles, "found": found, "seconds": seconds}
            if file:
                file.write_text(json.dumps(results, indent=1))
            wrong = {k: v for k, v in found.items() if v}
            if wrong:
                print(name, f"{seconds:.1f} s", *(f"\n  {k}: {v[:400]}" for k, v in wrong.items()), flush=True)
    print(summary(results))


def summary(results: dict) -> str:
    compiling = [r for r in results.values() if r["compiles"]]
    counts = collections.Counter(kind for r in compiling for kind in r["found"])
    good = collections.Counter(kind for r in compiling for kind, wrong in r["found"].items() if not wrong)
    lines = [f"{len(results)} programs, of which Numba compiles {len(compiling)}"]
    lines += [f"{kind}: {good[kind]} of {counts[kind]}" for kind in counts]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
