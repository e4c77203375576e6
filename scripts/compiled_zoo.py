"""Every program of the zoo through Numba, in both modes and to second order; writes the counts.

python scripts/compiled_zoo.py [--only NAME] [--json FILE] [--again] [--first] [--processes 2]

With `--json` a run that was stopped goes on where it was; `--again` runs what failed once more, `--first` leaves second
derivatives out. `--json docs/compiled_zoo.json` keeps what docs/make_numba.py counts.
"""

from __future__ import annotations

import argparse
import collections
import hashlib
import json
import multiprocessing
import re
import sys
import time
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RUNS = {  # by what the page says of them
    "of these, drawn by the hash of their names and run at one state of the code:": "drawn",
    "in an earlier run, nearly all of others:": "earlier",
}
ORDER = ("reverse", "forward", "forward-reverse", "reverse-reverse")
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests"), str(ROOT / "tests" / "compiled"), str(ROOT)]


def one(task: tuple[str, bool]) -> tuple[str, bool, dict[str, str], float]:
    """A program at its first sample: whether it compiles itself, and what is wrong with each derivative."""
    import zoo

    from programs.registry import PROGRAMS, Case

    name, first = task
    warnings.simplefilter("ignore")
    start = time.perf_counter()
    program = next(p for p in PROGRAMS if f"{p.theme}.{p.name}" == name)
    setting = zoo.Setting(Case(program, 0))
    if not zoo.primal_compiles(setting):
        return name, False, {}, time.perf_counter() - start
    found = {kind: zoo.compare(setting, kind) for kind in zoo.kinds(program) if not (first and "-" in kind)}
    return name, True, found, time.perf_counter() - start


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--only", default="")
    options.add_argument("--json", default="")
    options.add_argument("--again", action="store_true")
    options.add_argument("--first", action="store_true")
    options.add_argument("--processes", type=int, default=2)
    given = options.parse_args()
    import programs
    from programs.registry import PROGRAMS

    programs.load()
    every = [f"{p.theme}.{p.name}" for p in PROGRAMS]
    names = [name for name in every if any(part in name for part in given.only.split(","))]
    file = Path(given.json) if given.json else None
    kept = json.loads(file.read_text()) if file and file.exists() else {"programs": {}}
    results = kept["programs"]
    known = {n for n, r in results.items() if not (given.again and any(r["found"].values()))}
    names = sorted((n for n in names if n not in known), key=lambda n: hashlib.md5(n.encode()).digest())
    with multiprocessing.get_context("fork").Pool(given.processes, maxtasksperchild=60) as pool:
        for name, compiles, found, seconds in pool.imap_unordered(one, [(n, given.first) for n in names]):
            before = results.get(name, {}).get("found", {})
            results[name] = {"compiles": compiles, "found": before | {k: _short(v) for k, v in found.items()}}
            if file:
                file.write_text(json.dumps({**kept, "programs": dict(sorted(results.items()))}, indent=1) + "\n")
            wrong = {k: v for k, v in found.items() if v}
            if wrong:
                print(name, f"{seconds:.1f} s", *(f"\n  {k}: {v[:400]}" for k, v in wrong.items()), flush=True)
    print(summary(kept))


def _short(wrong: str) -> str:
    """What is wrong, in one line, without folders: `refused: programs/loops.py:12: ...`."""
    line = re.sub(r"\S*/(programs/)", r"\1", wrong.partition("\n")[0])
    return line.replace("CompileError", "refused", 1)[:160] if not wrong.startswith("differs") else "differs"


def summary(kept: dict) -> str:
    """The counts of programs whose results are kept one by one, and of runs of which the counts are."""
    results = kept["programs"].values()
    compiling = [r for r in results if r["compiles"]]
    of = collections.Counter(kind for r in compiling for kind in r["found"])
    good = collections.Counter(kind for r in compiling for kind, wrong in r["found"].items() if not wrong)
    lines = _counts(len(results), len(compiling), good, of)
    wrong = sum(text == "differs" for r in compiling for text in r["found"].values())
    lines.append(f"other numbers than without Numba: {wrong}")
    for title, run in RUNS.items():
        if found := kept.get(run):
            lines += ["", title, *_counts(found["programs"], found["compiles"], found["good"], found["of"])]
    return "\n".join(lines)


def _counts(programs: int, compiling: int, good: dict[str, int], of: dict[str, int]) -> list[str]:
    lines = [f"{programs} programs, of which Numba compiles {compiling}"]
    return lines + [f"{kind}: {good[kind]} of {of[kind]}" for kind in ORDER if of.get(kind)]


if __name__ == "__main__":
    main()
