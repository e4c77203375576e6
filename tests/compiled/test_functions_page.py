"""docs/compiled_functions.md tells the truth: some of its lines, tried again."""

from pathlib import Path

import pytest

pytest.importorskip("numba")
functions = pytest.importorskip("compiled.functions")
PAGE = (Path(__file__).resolve().parents[2] / "docs" / "compiled_functions.md").read_text()


@pytest.mark.parametrize("text", ["x * y", "np.sum(x, axis=0)", "v[::-1]", "max(v[0], v[1])"])
def test_what_compiles(text):
    if f"`{text}`" not in PAGE:
        pytest.skip("not on the page")
    found = functions.outcome(text)
    assert found.startswith("compiles") == (f"* `{text}`: " not in PAGE)
