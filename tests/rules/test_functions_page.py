"""docs/functions.md is what the table says."""

from __future__ import annotations

import importlib.util
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_the_page_is_up_to_date() -> None:
    spec = importlib.util.spec_from_file_location("make_functions", DOCS / "make_functions.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    text = module.PAGE.read_text(encoding="utf-8")
    assert text == module.page(), "the page is stale: run python docs/make_functions.py"
