"""The page: standalone, balanced, and with lines that belong together in one colour."""

import html.parser
import re
from pathlib import Path

import numpy as np

import tangent
from tangent.view.html import line_origins, page


def helper(x):
    return np.sin(x)


def f(x):
    y = x * x
    z = helper(y)
    return np.sum(z)


class Tags(html.parser.HTMLParser):
    """Every tag is closed where it should be."""

    VOID = ("meta", "!doctype")

    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attributes):
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def made():
    return tangent.grad(f)


def test_tags_are_balanced_and_nothing_is_loaded():
    text = page(f, made())
    tags = Tags()
    tags.feed(text)
    assert not tags.open
    assert "http" not in text and "src=" not in text


def test_adjoint_lines_share_the_colour_of_their_primal_line():
    left, right = page(f, made()).split("<h2>Derivative</h2>")

    def places(text, containing):
        found = re.finditer(r'^ data-place="(\d+)"([^\n]*)', text.replace('<span class="line"', "\n"), re.MULTILINE)
        return {m[1] for m in found if containing in re.sub("<[^>]*>", "", m[2])}

    assert len(places(left, "y = x * x")) == 1
    assert places(left, "y = x * x") == places(right, "Grad of: y = x * x")


def test_callees_are_shown_too():
    left, _ = page(f, made()).split("<h2>Derivative</h2>")
    assert ">helper</span>(x)" in left


def test_origins_are_lines_of_this_file():
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    texts = {lines[line - 1].strip() for file, line in line_origins(made()).values() if file == __file__}
    assert {"y = x * x", "return np.sin(x)"} <= texts


def test_a_derivative_of_a_derivative_has_a_page():
    assert "ddfdxdx" in page(f, tangent.grad(made(), check_dims=False))
