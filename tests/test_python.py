"""docs/python.md: every line names a program of the zoo that works, or one that is refused with these words."""

import re
from pathlib import Path

import pytest

import programs
import tangent
from programs.refusals import REFUSALS
from programs.registry import PROGRAMS

programs.load()
PAGE = Path(__file__).parent.parent / "docs" / "python.md"
TABLE = [line for line in PAGE.read_text().splitlines() if line.startswith("|")]
LINES = [line for line in TABLE if not line.startswith(("|---", "| construct"))]
NAMED = {f"{p.theme}.{p.name}" for p in PROGRAMS}


def shown(line: str) -> str:
    """The last cell of a line: the program that it names."""
    return line.split("|")[-2].strip()


@pytest.mark.parametrize("line", LINES, ids=shown)
def test_line(line: str) -> None:
    name = shown(line)
    if "refused" in line.split("|")[-3]:
        assert name in REFUSALS
    else:
        assert name in NAMED


def test_every_refusal_is_on_the_page() -> None:
    assert set(REFUSALS) == {shown(line) for line in LINES} - NAMED


@pytest.mark.parametrize("name", REFUSALS)
@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_refusal(name: str, mode: str) -> None:
    function, words, args = REFUSALS[name]
    with pytest.raises(tangent.TangentError, match=re.escape(words)):
        if mode == "reverse":
            tangent.grad(function)(*args)
        else:
            tangent.jvp(function)(*args, *args)
