"""The option and the fixtures that several test files share."""

import gc
import itertools
import linecache
import os
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from tangent.service import DerivativesOnDemand

_count = itertools.count(1)


# Compiled tests look at what Tangent writes, not at LLVM's optimiser, which takes a third of their time; Numba
# reads this when it is imported. `NUMBA_OPT=3 pytest tests/compiled` runs them as users do.
os.environ.setdefault("NUMBA_OPT", "0")

# A derivative without an end fails alone: it takes no memory from the tests beside it.
if sys.platform == "linux":
    import resource

    LIMIT, (_, _most) = 10 << 30, resource.getrlimit(resource.RLIMIT_AS)
    if _most == resource.RLIM_INFINITY or _most > LIMIT:
        resource.setrlimit(resource.RLIMIT_AS, (LIMIT, _most))

# Derivatives are trees of small objects that live as long as the tests: to look for garbage among them again and again
# takes a fifth of the time.
gc.set_threshold(1_000_000, 5, 1000)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="write the golden files anew from what is generated now"
    )


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish() -> None:
    """What is left goes with the process: pytest and Python would look for garbage in it half a dozen times."""
    gc.freeze()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All that is checked of one program, or of one call, comes in a row: its derivatives are made once."""
    places: dict[object, int] = {}
    items.sort(key=lambda item: places.setdefault(_subject(item), len(places)))


def _subject(item: pytest.Item) -> object:
    """The program or the call that a test is about; of other tests the file."""
    given = item.callspec.params if hasattr(item, "callspec") else {}
    case, sample = given.get("case"), given.get("sample")
    program = getattr(case, "program", None)
    if program is not None:
        return item.path, program.theme, program.name
    return getattr(sample, "call", item.path)


@pytest.fixture
def notebook() -> SimpleNamespace:
    """A notebook: `run(text)` executes a cell, whose source Python can find; `names` holds what the cells define."""
    names: dict[str, object] = {"__name__": "__main__", "np": np}

    def run(text: str) -> SimpleNamespace:
        file = f"<ipython-input-{next(_count)}>"
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
        exec(compile(text, file, "exec"), names)
        return SimpleNamespace(**names)

    return SimpleNamespace(run=run, names=names)


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The functions that were differentiated because a call of them happened."""
    built: list[object] = []
    build = DerivativesOnDemand._build

    def counted(self, plain, *rest):
        built.append(plain)
        return build(self, plain, *rest)

    monkeypatch.setattr(DerivativesOnDemand, "_build", counted)
    return built
