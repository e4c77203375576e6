"""docs/python.md: every line names a program of the zoo that works, or one that is refused with these words."""

import ast
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
LINES = [line for line in TABLE if not line.startswith(("|---", "| construct", "| builtins"))]
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


def test_every_node_of_the_grammar_is_in_a_program() -> None:
    """What the grammar of Python has, some program of the zoo has, or one that is refused."""
    files = (Path(__file__).parent / "programs").glob("*.py")
    seen = {type(n) for file in files for n in ast.walk(ast.parse(file.read_text()))}
    kinds = (ast.stmt, ast.expr, ast.pattern, ast.operator, ast.unaryop, ast.boolop, ast.cmpop)
    every = {c for kind in kinds for c in kind.__subclasses__() if c.__module__ == "ast" and c.__name__ not in OLD}
    named = {c for c in every if c.__name__ in LATER}
    assert every - seen - named - ASYNCHRONOUS == set()


OLD = frozenset("Num Str Bytes NameConstant Ellipsis Index ExtSlice Suite".split())
LATER = frozenset("TypeAlias TemplateStr Interpolation".split())  # of newer versions; no value flows through them
ASYNCHRONOUS = {ast.AsyncFor, ast.AsyncWith, ast.Await}  # inside `async def`, which is refused as a whole


@pytest.mark.parametrize("name", REFUSALS)
@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_refusal(name: str, mode: str) -> None:
    function, words, args = REFUSALS[name]
    with pytest.raises(tangent.TangentError, match=re.escape(words)):
        if mode == "reverse":
            tangent.grad(function)(*args)
        else:
            tangent.jvp(function)(*args, *args)
