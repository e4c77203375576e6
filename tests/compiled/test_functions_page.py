"""docs/compiled_functions.md tells the truth: some of its lines, tried again."""

from pathlib import Path

import pytest

pytest.importorskip("numba")
functions = pytest.importorskip("compiled.functions")
PAGE = (Path(__file__).resolve().parents[2] / "docs" / "compiled_functions.md").read_text()


SOME = ["x * y", "np.sum(x, axis=0)", "v[::-1]", "max(v[0], v[1])", "np.diff(x, 2)", "np.sort(x)"]
SOME += [
    "np.quantile(v, np.array([0.2, 0.6]))",
    "np.convolve(v, v[:2], 'same')",
    "np.linalg.eigh(w)[1]",
    "np.linalg.qr(x)[1]",
    "np.linalg.svd(x, False)[2]",
]


@pytest.mark.parametrize("text", SOME)
def test_what_compiles(text):
    if f"`{text}`" not in PAGE:
        pytest.skip("not on the page")
    found = functions.outcome(text)
    assert found.startswith("compiles") == (f"* `{text}`: " not in PAGE)
