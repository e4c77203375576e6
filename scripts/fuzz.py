"""Differentiates random programs by number and counts what becomes of them.

    python scripts/fuzz.py values --count 1000
    python scripts/fuzz.py storage --count 10000 --jobs 2
    python scripts/fuzz.py keeping --count 1000 --times 4
    python scripts/fuzz.py steering --count 2000 --times 3
    python scripts/fuzz.py language --count 500 --second
    python scripts/fuzz.py loops --count 300 --compiled
    python scripts/fuzz.py storage --count 300 --checkpoint 2
    python scripts/fuzz.py values --start 1234 --count 1 --shrink --second

ok: every check of tests/property/checks.py holds; wrong: one does not; refused: Tangent said that it cannot;
crash: anything else was raised; slow: no end in sight; discarded: finite differences cannot be trusted there.
"""

from __future__ import annotations

import argparse
import gc
import re
import signal
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]

from property import keeping_writer, language_writer, loops_writer, steering_writer, storage_writer, writer  # noqa: E402
from property.checks import (  # noqa: E402
    Wrong,
    as_python,
    check,
    check_second,
    checkpointed_engine,
    compiled_engine,
    tangent_engine,
    trial,
)
from property.shrink import shrink  # noqa: E402
from property.writer import Program  # noqa: E402

WRITERS = {
    "values": writer,
    "storage": storage_writer,
    "keeping": keeping_writer,
    "steering": steering_writer,
    "loops": loops_writer,
    "language": language_writer,
}
FAILURES = ("wrong", "crash", "slow", "refused")


@dataclass(frozen=True)
class Outcome:
    verdict: str
    reason: str = ""

    @property
    def headline(self) -> str:
        """What two failures of the same cause have in common."""
        lines = self.reason.strip().splitlines() or [""]
        if self.verdict == "crash":
            last = next((line for line in reversed(lines) if re.match(r"[\w.]+: ", line)), lines[-1])
            return re.sub(r"\d{6,}", "N", last)[:90]  # an object has another number each time
        return re.sub(r"^<.*?>:\d+: ", "", lines[0]).split(":")[0][:90]


def main() -> int:
    options = arguments()
    warnings.simplefilter("ignore")
    gc.set_threshold(200_000, 20, 100)  # a fifth of the time otherwise
    verdicts: Counter[str] = Counter()
    causes: Counter[str] = Counter()
    features: Counter[str] = Counter()
    begin = time.perf_counter()
    for seed, outcome, found in outcomes(options):
        verdicts[outcome.verdict] += 1
        features.update(found)
        if outcome.verdict in FAILURES:
            causes[f"{outcome.verdict}: {outcome.headline}"] += 1
            if causes[f"{outcome.verdict}: {outcome.headline}"] <= options.show:
                show(seed, outcome, options)
    summary(verdicts, causes, features, time.perf_counter() - begin, options.features)
    return int(
        verdicts["wrong"] + verdicts["crash"] + verdicts["slow"] > 0 or too_many_refused(verdicts, options.writer)
    )


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("writer", choices=WRITERS)
    parser.add_argument("--start", type=int, default=0, help="the first number")
    parser.add_argument("--count", type=int, default=100, help="how many programs")
    parser.add_argument("--style", default="all", help="the kind of program: a key of STYLES in the writer")
    parser.add_argument("--size", type=int, default=12, help="about how many statements")
    parser.add_argument("--second", action="store_true", help="check second derivatives too")
    parser.add_argument("--times", type=int, default=1, help="how often each derivative is called")
    parser.add_argument("--compiled", action="store_true", help="what is written for Numba, run as Python code")
    parser.add_argument("--checkpoint", type=int, default=0, help="states that loops keep, to compute others again")
    parser.add_argument("--shrink", action="store_true", help="make failing programs smaller before they are shown")
    parser.add_argument("--show", type=int, default=1, help="failing programs to print for each cause")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--limit", type=int, default=20, help="seconds of CPU time for one program")
    parser.add_argument("--features", action="store_true", help="print the share of programs that have each feature")
    return parser.parse_args()


def outcomes(options: argparse.Namespace) -> Iterator[tuple[int, Outcome, frozenset[str]]]:
    seeds = range(options.start, options.start + options.count)
    one = partial(attempt_number, options=options)
    if options.jobs == 1:
        yield from map(one, seeds)
    else:
        with ProcessPoolExecutor(options.jobs) as pool:
            yield from pool.map(one, seeds, chunksize=10)


def attempt_number(seed: int, options: argparse.Namespace) -> tuple[int, Outcome, frozenset[str]]:
    program = numbered(seed, options)
    return seed, attempt(program, options), program.features


def numbered(seed: int, options: argparse.Namespace) -> Program:
    return WRITERS[options.writer].numbered(seed, options.style, options.size)


def attempt(program: Program, options: argparse.Namespace) -> Outcome:
    """What becomes of one program; never raises, and ends."""
    signal.signal(signal.SIGPROF, _too_slow)
    signal.setitimer(signal.ITIMER_PROF, options.limit)  # other processes cost a program nothing
    try:
        return judge(program, options)
    except TimeoutError:
        return Outcome("slow", "no end in sight")
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _too_slow(number: int, frame: FrameType | None) -> None:
    raise TimeoutError


def judge(program: Program, options: argparse.Namespace) -> Outcome:
    from tangent.errors import TangentError

    found = trial(program)
    if found is None:
        return Outcome("discarded")
    engine = tangent_engine()
    if options.checkpoint:
        found, engine = replace(found, printed=None), checkpointed_engine(options.checkpoint)
    try:
        if options.compiled:
            with as_python():
                check(found, compiled_engine(), (True,), options.times)
        else:
            check(found, engine, times=options.times)
        if options.second:
            check_second(found, engine)
    except Wrong as error:
        return Outcome("wrong", str(error))
    except TangentError as error:
        return Outcome("refused", str(error))
    except TimeoutError:
        raise
    except Exception:
        return Outcome("crash", traceback.format_exc(limit=-3))
    return Outcome("ok")


def show(seed: int, outcome: Outcome, options: argparse.Namespace) -> None:
    program = numbered(seed, options)
    if options.shrink and outcome.verdict != "slow":
        program = shrink(program, partial(fails_alike, outcome=outcome, options=options))
        outcome = attempt(program, options)
    print(f"{'=' * 100}\n{outcome.verdict}, number {seed}: {outcome.reason}\n{'-' * 100}\n{program}", flush=True)


def fails_alike(program: Program, outcome: Outcome, options: argparse.Namespace) -> bool:
    try:
        now = attempt(program, options)
    except Exception:  # the smaller program does not even run
        return False
    return (now.verdict, now.headline) == (outcome.verdict, outcome.headline)


def summary(
    verdicts: Counter[str], causes: Counter[str], features: Counter[str], seconds: float, detailed: bool
) -> None:
    total = sum(verdicts.values())
    print(
        f"{total} programs in {seconds:.0f} s: "
        + ", ".join(f"{verdicts[v]} {v}" for v in ("ok", "wrong", "refused", "crash", "slow", "discarded"))
    )
    print(f"refused: {100 * verdicts['refused'] / max(1, total - verdicts['discarded']):.1f} %")
    for cause, count in causes.most_common():
        print(f"{count:6}  {cause}")
    for feature, count in features.most_common() if detailed else ():
        print(f"{100 * count / total:5.0f} %  {feature}")


def too_many_refused(verdicts: Counter[str], writer: str) -> bool:
    allowed = 0.05 * (sum(verdicts.values()) - verdicts["discarded"]) if writer == "storage" else 0
    return verdicts["refused"] > allowed


if __name__ == "__main__":
    sys.exit(main())
