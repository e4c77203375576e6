"""What the pages say is what Tangent does: generated blocks, examples and links."""

import doctest
import importlib.util
import re
from pathlib import Path

import pytest

import tangent

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def inside():
    spec = importlib.util.spec_from_file_location("make_inside", ROOT / "docs" / "make_inside.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


INSIDE = inside()
BLOCKS = {m[2]: m[3] for m in INSIDE.BLOCK.finditer(INSIDE.PAGE.read_text(encoding="utf-8"))}


def f(x):
    y = x * x
    return y


def marked(name):
    """The code block after a marker of the README."""
    found = re.search(rf"<!-- {name} -->\n```\w+\n(.*?)```", PAGES[0].read_text(encoding="utf-8"), re.DOTALL)
    return found[1]


@pytest.fixture(scope="module")
def made():
    return INSIDE.blocks()


@pytest.mark.parametrize("name", BLOCKS)
def test_blocks_are_what_the_compiler_makes(name, made):
    assert BLOCKS[name] == made[name], "the page is stale: run python docs/make_inside.py"


def test_every_block_is_on_the_page(made):
    assert set(made) == set(BLOCKS)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_examples_of_a_page_run(page):
    options = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
    failures, _ = doctest.testfile(str(page), module_relative=False, optionflags=options, encoding="utf-8")
    assert failures == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        assert target.startswith("http") or (page.parent / target).exists(), target


def test_the_listing_of_the_readme():
    assert tangent.grad(f).source == marked("listing")
    assert tangent.grad(f)(3.0) == 6.0


@pytest.mark.parametrize("name", ["show", "test"])
def test_the_commands_of_the_readme_are_one_line_each(name):
    command = marked(name)
    assert command.count("\n") == 1 and command.startswith("python3 -m venv .venv && ")


def test_the_file_that_the_readme_shows_is_there():
    file, _, name = marked("show").split()[-1].partition(":")
    assert f"def {name}(" in (ROOT / file).read_text(encoding="utf-8")
