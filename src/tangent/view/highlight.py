"""Colour Python source, by its tokens: for a terminal, or as HTML."""

from __future__ import annotations

import builtins
import html
import io
import keyword
import os
import tokenize
from collections.abc import Callable, Iterator
from typing import TextIO

Span = tuple[str, str]
"""A kind (empty: plain) and a piece of the text."""

ANSI = {
    "keyword": "\x1b[35m", "definition": "\x1b[1;34m", "builtin": "\x1b[36m", "number": "\x1b[33m",
    "string": "\x1b[32m", "comment": "\x1b[2;37m",
}  # fmt: skip
RESET = "\x1b[0m"

_KINDS = {tokenize.COMMENT: "comment", tokenize.NUMBER: "number", tokenize.STRING: "string"}
_FSTRING = {getattr(tokenize, part, -1) for part in ("FSTRING_START", "FSTRING_MIDDLE", "FSTRING_END")}


def spans(text: str) -> Iterator[Span]:
    """The text in pieces, each with its kind; the pieces joined are the text.

    >>> list(spans("y = 2.0  # two"))
    [('', 'y'), ('', ' '), ('', '='), ('', ' '), ('number', '2.0'), ('', '  '), ('comment', '# two')]
    """
    lines = text.splitlines(keepends=True)
    at, previous = (1, 0), ""
    for token in _tokens(text):
        if token.start < at or not token.string.strip():
            continue
        yield from _plain(_between(lines, at, token.start))
        yield _kind(token, previous), _between(lines, token.start, token.end)
        at, previous = token.end, token.string
    yield from _plain(_between(lines, at, (len(lines) + 1, 0)))


def ansi(text: str) -> str:
    """The text with the colours of a terminal.

    >>> ansi("return 1")
    '\\x1b[35mreturn\\x1b[0m \\x1b[33m1\\x1b[0m'
    """
    return "".join(_by_line(spans(text), lambda kind, piece: f"{ANSI[kind]}{piece}{RESET}"))


def html_lines(text: str) -> list[str]:
    """The lines of the text as HTML, a `span` of the class of its kind around each coloured piece.

    >>> html_lines("return 1 < x")
    ['<span class="keyword">return</span> <span class="number">1</span> &lt; x']
    """
    escaped = ((kind, html.escape(piece, quote=False)) for kind, piece in spans(text))
    return "".join(_by_line(escaped, lambda kind, piece: f'<span class="{kind}">{piece}</span>')).splitlines()


def coloured(text: str, stream: TextIO) -> str:
    """The text in colours where the stream is a terminal and nobody asked for none (https://no-color.org)."""
    return ansi(text) if stream.isatty() and not os.environ.get("NO_COLOR") else text


def _by_line(pieces: Iterator[Span], paint: Callable[[str, str], str]) -> Iterator[str]:
    """Paint the pieces, those of several lines line by line."""
    for kind, piece in pieces:
        for line in piece.splitlines(keepends=True):
            body = line.rstrip("\n")
            yield (paint(kind, body) if kind and body else body) + line[len(body) :]


def _plain(piece: str) -> Iterator[Span]:
    if piece:
        yield "", piece


def _tokens(text: str) -> Iterator[tokenize.TokenInfo]:
    try:
        yield from tokenize.generate_tokens(io.StringIO(text).readline)
    except (tokenize.TokenError, SyntaxError):
        return  # not quite Python: the rest stays plain


def _kind(token: tokenize.TokenInfo, previous: str) -> str:
    if token.type in _FSTRING:
        return "string"
    return _name_kind(token.string, previous) if token.type == tokenize.NAME else _KINDS.get(token.type, "")


def _name_kind(name: str, previous: str) -> str:
    if keyword.iskeyword(name):
        return "keyword"
    if previous in ("def", "class"):
        return "definition"
    return "builtin" if previous != "." and hasattr(builtins, name) else ""


def _between(lines: list[str], start: tuple[int, int], end: tuple[int, int]) -> str:
    """The text from one place (line, column) to another."""
    if start[0] > len(lines):
        return ""
    if start[0] == end[0]:
        return lines[start[0] - 1][start[1] : end[1]]
    middle = lines[start[0] : end[0] - 1]
    last = lines[end[0] - 1][: end[1]] if end[0] <= len(lines) else ""
    return "".join([lines[start[0] - 1][start[1] :], *middle, last])
