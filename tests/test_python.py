"""docs/python.md: every line names a program of the zoo that works, or one that is refused with these words."""

import ast
import importlib.util
import inspect
import re
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import programs
import tangent
from programs.refusals import REFUSALS
from programs.registry import PROGRAMS

programs.load()
PAGE = Path(__file__).parent.parent / "docs" / "python.md"
TABLE = [line for line in PAGE.read_text().splitlines() if line.startswith("|")]
LISTS = ("|---", "| construct", "| builtins", "| special methods", "| names of")  # tests of their own make these
LINES = [line for line in TABLE if not line.startswith(LISTS)]
NAMED = {f"{p.theme}.{p.name}" for p in PROGRAMS}


def shown(line: str) -> str:
    """The last cell of a line: the program that it names."""
    return line.split("|")[-2].strip()


@pytest.mark.parametrize("line", LINES, ids=shown)
def test_line(line: str) -> None:
    name = shown(line)
    if name == "later_syntax":  # a test below makes them
        return
    if "refused" in line.split("|")[-3]:
        assert name in REFUSALS
    else:
        assert name in NAMED


def test_every_refusal_is_on_the_page() -> None:
    assert set(REFUSALS) == {shown(line) for line in LINES} - NAMED - {"later_syntax"}


OLD = frozenset("Num Str Bytes NameConstant Ellipsis Index ExtSlice Suite AugLoad AugStore Param".split())
OF_FILES = frozenset("Module Interactive Expression FunctionType TypeIgnore Load Store Del".split())
LATER = {
    "TypeAlias": "type Number = float", "TypeVar": "def same[T](v: T) -> T: return v",
    "ParamSpec": "def call[**P](v: float) -> float: return v", "TypeVarTuple": "def first[*Ts](v: float): return v",
    "TemplateStr": "label = t'{x}'", "Interpolation": "label = t'{x}'",
}  # fmt: skip
GRAMMAR = {
    line.split("`")[1]: line for line in PAGE.read_text().split("## The grammar")[1].split("\n## ")[0].splitlines()
    if line.startswith("| `")
}  # fmt: skip


def test_every_node_of_the_grammar_has_a_line() -> None:
    """A node of a later Python that has no line fails here."""
    every = {c for c in vars(ast).values() if isinstance(c, type) and issubclass(c, ast.AST)}
    kinds = {ast.AST} | {c for c in ast.AST.__subclasses__() if c.__subclasses__()}
    concrete = {c.__name__ for c in every - kinds} - OLD - OF_FILES - {"slice"}
    assert concrete | LATER.keys() == GRAMMAR.keys()


@pytest.mark.parametrize("node", [n for n in GRAMMAR if n not in LATER])
def test_node(node: str) -> None:
    """The program that the line names has the node."""
    title = shown(GRAMMAR[node])
    function = REFUSALS[title][0] if title in REFUSALS else BY_NAME[title].function
    assert node in {type(n).__name__ for n in nodes_of(function)}


BY_NAME = {f"{p.theme}.{p.name}": p for p in PROGRAMS}


def nodes_of(function: Callable[..., Any]) -> Iterator[ast.AST]:
    """The nodes in the text of a function, and of the functions and classes of its file that it names."""
    beside, waiting, seen = vars(sys.modules[function.__module__]), [function], set()
    while waiting:
        found = waiting.pop()
        if found in seen:
            continue
        seen.add(found)
        (definition,) = ast.parse(textwrap.dedent(inspect.getsource(found))).body
        for n in ast.walk(definition):
            yield from [] if n in getattr(definition, "decorator_list", ()) else [n]
            other = beside.get(n.id) if isinstance(n, ast.Name) else None
            if inspect.isfunction(other) or inspect.isclass(other):
                waiting += [other] if other.__module__ == function.__module__ else []


@pytest.mark.parametrize("node", LATER)
def test_later_syntax(node: str, tmp_path: Path) -> None:
    """What newer versions of Python have more: no value flows through it."""
    if not hasattr(ast, node):
        pytest.skip("a later version of Python has it")
    file = tmp_path / "later_syntax.py"
    file.write_text(f"def f(x):\n    {LATER[node]}\n    return x * x\n")
    spec = importlib.util.spec_from_file_location("later_syntax", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert node in {type(n).__name__ for n in ast.walk(ast.parse(file.read_text()))}
    assert tangent.grad(module.f)(1.5) == 3.0
    assert tangent.jvp(module.f)(1.5, 1.0) == 3.0


@pytest.mark.parametrize("name", REFUSALS)
@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_refusal(name: str, mode: str) -> None:
    function, words, args = REFUSALS[name]
    with pytest.raises(tangent.TangentError, match=re.escape(words)):
        if mode == "reverse":
            tangent.grad(function)(*args)
        else:
            tangent.jvp(function)(*args, *args)
