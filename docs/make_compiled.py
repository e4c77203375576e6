"""Write docs/compiled_functions.md: `python docs/make_compiled.py [--json FILE]`; takes some minutes.

Each line is tried: the derivative is compiled, run, and compared with the one that is not compiled. With `--json` what
was found out before is kept there.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests"), str(ROOT / "tests" / "compiled")]

from functions import EXPRESSIONS, outcome  # noqa: E402

PAGE = ROOT / "docs" / "compiled_functions.md"
HEAD = """# Functions that compile

Written by `docs/make_compiled.py`, which compiles the derivative of each line in both modes and compares it with the
derivative that is not compiled; a test does the same for some of them. x and y are matrices, w a square matrix, v a
vector. {tried} of {every} lines have been tried.
"""


def page(found: dict[str, str]) -> str:
    every = [t for texts in EXPRESSIONS.values() for t in texts]
    parts = [HEAD.format(tried=sum(t in found for t in every), every=len(every))]
    for kind, texts in EXPRESSIONS.items():
        if not any(t in found for t in texts):
            continue
        known = [t for t in texts if t in found]
        good = [f"`{t}`" for t in known if found[t].startswith("compiles")]
        parts.append(f"\n## {kind.capitalize()}\n\n{', '.join(good)}\n")
        other = [t for t in known if not found[t].startswith("compiles")]
        if other:
            parts.append("\n" + "\n".join(f"* `{t}`: {found[t]}" for t in other) + "\n")
    return "".join(parts)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--json", default="")
    options.add_argument("--known", action="store_true", help="write what is known, try nothing")
    given = options.parse_args()
    file = Path(given.json) if given.json else None
    found: dict[str, str] = json.loads(file.read_text()) if file and file.exists() else {}
    for texts in EXPRESSIONS.values():
        for text in texts:
            if text not in found and not given.known:
                found[text] = outcome(text)
                if file:
                    file.write_text(json.dumps(found, indent=1))
    PAGE.write_text(page(found))


if __name__ == "__main__":
    main()
