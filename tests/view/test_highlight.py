"""Highlighting loses nothing, and colours only where colours are wanted."""

import io
import re
from pathlib import Path

import pytest

from tangent.view import highlight
from tangent.view.highlight import ansi, coloured, html_lines, spans

SOURCE = '''@decorated
def f(x, *, n=2.0):
    """Two
    lines."""
    # a comment
    t = f"{x!r:>{n}} and \\
on" + 'text'
    if n < 3 and not x.sum() > 1e-3:
        return len(x) @ t
'''


class Terminal(io.StringIO):
    def isatty(self):
        return True


def every_source():
    return sorted(Path(highlight.__file__).parent.glob("*.py"))


@pytest.mark.parametrize("path", every_source(), ids=lambda p: p.name)
def test_pieces_joined_are_the_text(path):
    text = path.read_text(encoding="utf-8")
    assert "".join(piece for _, piece in spans(text)) == text


def test_pieces_of_every_construct_joined_are_the_text():
    assert "".join(piece for _, piece in spans(SOURCE)) == SOURCE


def test_kinds():
    kinds = {(kind, piece) for kind, piece in spans(SOURCE) if kind and "\n" not in piece}
    assert {
        ("keyword", "def"), ("definition", "f"), ("number", "2.0"), ("comment", "# a comment"), ("string", "'text'"),
        ("keyword", "not"), ("number", "1e-3"), ("builtin", "len"),
    } <= kinds  # fmt: skip
    assert ("builtin", "sum") not in kinds  # an attribute


def test_text_that_is_not_python_stays_as_it_is():
    assert "".join(piece for _, piece in spans("a = (1,\n  'b")) == "a = (1,\n  'b"


def test_colours_end_with_the_line():
    for line in ansi(SOURCE).splitlines():
        assert line.count("\x1b[0m") == len(re.findall(r"\x1b\[[1-9][0-9;]*m", line))


def test_colours_only_on_a_terminal(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert coloured("return 1", io.StringIO()) == "return 1"
    assert coloured("return 1", Terminal()) == ansi("return 1") != "return 1"


def test_no_color_is_respected(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    assert coloured("return 1", Terminal()) == "return 1"


def test_html_is_escaped_and_keeps_its_lines():
    lines = html_lines(SOURCE)
    assert len(lines) == len(SOURCE.splitlines())
    assert "&lt; " in lines[7]
    assert lines[4] == '    <span class="comment"># a comment</span>'
