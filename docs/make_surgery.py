"""Write the code blocks of surgery.md from the examples: `python docs/make_surgery.py`."""

from __future__ import annotations

import linecache
import re
import runpy
from pathlib import Path
from typing import Any

import tangent

PAGE = Path(__file__).with_name("surgery.md")
FOLDER = PAGE.parents[1] / "examples" / "surgery"
BLOCK = re.compile(r"(<!-- block: ([\w-]+) -->\n```\w+\n)(.*?)(```\n)", re.DOTALL)


def blocks() -> dict[str, str]:
    """Functions and their derivatives, by the name of the example."""
    made: dict[str, str] = {}
    for file in sorted(FOLDER.glob("*.py")):
        example = runpy.run_path(str(file))
        shown, wrt = example["SHOWN"]
        made[file.stem] = between(file)
        aux = "has_aux=True" in file.read_text(encoding="utf-8")
        derivative = shown if hasattr(shown, "source") else tangent.grad(shown, wrt, has_aux=aux)
        made[f"{file.stem}-grad"] = "".join(linecache.getlines(derivative.__code__.co_filename))
        if "session" in example:
            made[f"{file.stem}-session"] = session(example)
    return made


def between(file: Path) -> str:
    """The definitions of an example, up to what is shown."""
    text = file.read_text(encoding="utf-8")
    start = re.search(r"^(def|# fmt: off)", text, re.MULTILINE)
    assert start is not None
    kept = text[start.start() : text.index("SHOWN = ")]
    return re.sub(r"# fmt: o\w+\n|  # noqa.*", "", kept).strip() + "\n"


def session(example: dict[str, Any]) -> str:
    """What the debugger prints at its first stop."""
    shown: str = example["session"]("p t, dx\nlist\ncontinue\ncontinue\n")
    return re.sub(r" \w{8}>", ">", shown.split("[EOF]")[0])


def filled(page: str, made: dict[str, str]) -> str:
    """The page with its blocks replaced."""
    return BLOCK.sub(lambda m: f"{m[1]}{made[m[2]]}{m[4]}", page)


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), blocks()), encoding="utf-8")

